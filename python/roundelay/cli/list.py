# SPDX-License-Identifier: Apache-2.0
"""roundelay list."""

from __future__ import annotations

import dataclasses
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from roundelay.catalogue import Algorithm, Parameter, algorithms
from roundelay.cli.common import echo_json, usage_errors


def _plain(parameter: Parameter) -> dict[str, Any]:
    fields = dataclasses.asdict(parameter)
    return {key: value for key, value in fields.items() if value not in (None, ())}


def _json(algorithm: Algorithm) -> dict[str, Any]:
    fields = {**dataclasses.asdict(algorithm)}
    return {**fields, "parameters": [_plain(each) for each in algorithm.parameters]}


def _table(every: list[Algorithm]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("name", "what it does", "paper", "needs", "rounds", "volume", "parameters"):
        table.add_column(title, overflow="fold")
    for one in every:
        table.add_row(
            one.name,
            one.summary,
            one.paper,
            ", ".join(one.restrictions),
            one.rounds or "",
            one.volume or "",
            "\n".join(f"{each.name} = {each.range}" for each in one.parameters),
        )
    return table


@click.command(name="list")
@click.argument("collective", required=False)
@click.option(
    "--json", "as_json", is_flag=True, help="An array of objects, with all that is known."
)
def list_command(collective: str | None, as_json: bool) -> None:
    """Lists the algorithms, of all collectives or of one.

    Formulas are in p, the number of ranks, and m, the length of the whole message.

    \b
    Example:
      roundelay list allgather
      roundelay list --json
    """
    with usage_errors():
        every = algorithms(collective)
    if as_json:
        echo_json([_json(one) for one in every])
    else:
        Console().print(_table(every))
