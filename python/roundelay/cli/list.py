# SPDX-License-Identifier: Apache-2.0
"""roundelay list."""

from __future__ import annotations

import dataclasses
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from roundelay.catalogue import Algorithm, Parameter, algorithms
from roundelay.cli.common import collectives_argument, echo_json, print_table, usage_errors

LEAST_OF_DETAILS = 40  # characters in a line, also where a terminal has fewer


def _plain(parameter: Parameter) -> dict[str, Any]:
    fields = dataclasses.asdict(parameter)
    return {key: value for key, value in fields.items() if value not in (None, ())}


def _json(algorithm: Algorithm) -> dict[str, Any]:
    fields = dataclasses.asdict(algorithm)
    return {**fields, "parameters": [_plain(each) for each in algorithm.parameters]}


def _details(one: Algorithm) -> list[str]:
    lines = [one.summary]
    if one.native:
        return lines
    most = "at most " if one.at_most else ""
    if one.groups == 2:
        lines.append("from p senders to q receivers: for intercommunicators")
    lines += [one.paper, f"rounds: {most}{one.rounds}", f"volume: {most}{one.volume}"]
    if one.far_messages is not None:
        lines.append(f"between sites: {one.far_messages} messages, {one.far_volume} units")
    if one.ports != "1":
        lines.append(f"ports: {one.ports}")
    if one.restrictions:
        lines.append(f"needs: {', '.join(one.restrictions)}")
    if one.fixed_order:
        lines.append("order: depends on p alone")
    lines += [f"{each.name}: {each.range} (default: {each.default})" for each in one.parameters]
    return lines


def _table(every: list[Algorithm]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 1, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for one in every:
        table.add_row(one.name, escape("\n".join(_details(one))))
    return table


@click.command(name="list")
@collectives_argument
@click.option(
    "--json", "as_json", is_flag=True, help="Print an array of JSON objects with all details."
)
def list_command(collective: str | None, as_json: bool) -> None:
    """Lists the algorithms, of all collectives or of one.

    Formulas are in p, the number of ranks (on an intercommunicator p send and q receive), and m,
    the length of the whole message. An algorithm without a line on ports has one message in
    flight in each direction.

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
        print_table(_table(every), max(len(one.name) for one in every) + LEAST_OF_DETAILS)
