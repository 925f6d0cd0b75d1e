# SPDX-License-Identifier: Apache-2.0
"""roundelay doctor --topology."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from roundelay.cli.common import echo_json, print_table, what_cannot_run, write_or_print
from roundelay.latencies import Latencies, measure
from roundelay.sites import NEEDED, Division, between_hosts, divide, setting
from roundelay.units import count_text, us_text

MOST_COLUMNS = 8  # what fits into 80 characters


def _rank_table(found: Latencies) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rank", justify="right")
    table.add_column("host")
    for rank in range(len(found.hosts)):
        table.add_column(str(rank), justify="right", no_wrap=True)
    for rank, (host, row) in enumerate(zip(found.hosts, found.seconds)):
        cells = ("" if rank == other else us_text(value) for other, value in enumerate(row))
        table.add_row(str(rank), host, *cells)
    return table


def _host_table(found: Latencies, names: Sequence[str], seconds: list[list[float]]) -> Table:
    """A line for each host, where a column for each rank would be too many."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("host")
    for head in ("ranks", "nearest host", "farthest host"):
        table.add_column(head, justify="right")
    for host, row in zip(names, seconds):
        others = [value for value in row if value > 0]
        ends = (us_text(end(others)) if others else "" for end in (min, max))
        table.add_row(host, str(found.hosts.count(host)), *ends)
    return table


def _verdict(division: Division | None, names: Sequence[str]) -> str:
    if division is None:
        return f"No sites found: this needs at least three hosts, not {len(names)}."
    parts = " | ".join(" ".join(names[i] for i in part) for part in division.parts)
    told = (
        f"between them a message takes {us_text(division.between)} us or more, inside "
        f"{us_text(division.inside)} us or less: {division.ratio:.3g} times as long"
    )
    if division.is_sure:
        return f"{len(division.parts)} sites: {parts}\n{told}; sites need a factor of {NEEDED:g}."
    return f"No sites found. The nearest to it: {parts}\n{told}; sites need a factor of {NEEDED:g}."


def _json(
    found: Latencies, division: Division | None, names: Sequence[str], sites: str | None
) -> dict[str, Any]:
    return {
        "hosts": found.hosts,
        "latencies": found.seconds,
        "divided": [[names[i] for i in part] for part in division.parts] if division else None,
        "inside": division.inside if division else None,
        "between": division.between if division else None,
        "ratio": division.ratio if division else None,
        "needed": NEEDED,
        "sites": sites,
    }


def _print(found: Latencies, division: Division | None, told: str) -> None:
    names, seconds = between_hosts(found.hosts, found.seconds)
    console = Console()
    ranks, hosts = count_text(len(found.hosts), "rank"), count_text(len(names), "host")
    console.print(
        f"{ranks} on {hosts}; microseconds that 8 bytes take one way, the least of ten\n",
        highlight=False,
    )
    many = len(found.hosts) > MOST_COLUMNS
    print_table(_host_table(found, names, seconds) if many else _rank_table(found))
    click.echo(f"\n{_verdict(division, names)}")
    if told:
        click.echo(told)


def topology(command: Sequence[str], mpi: str | None, as_json: bool, output: Path | None) -> None:
    """What `roundelay doctor --topology` does."""
    with what_cannot_run(), Console(stderr=True).status("measuring between all ranks"):
        found = measure(command, mpi)
    names, seconds = between_hosts(found.hosts, found.seconds)
    division = divide(seconds)
    sites = setting(division, names) if division is not None and division.is_sure else None
    told = "" if sites is None else f'ROUNDELAY_SITES="{sites}"'
    failure: click.ClickException | None = None
    if output is not None and sites is not None:
        try:
            write_or_print(sites.replace("; ", "\n") + "\n", output)
            told = f"ROUNDELAY_SITES={output.absolute()}"
        except click.ClickException as error:
            failure = error  # what was measured is shown nevertheless
    if as_json:
        echo_json(_json(found, division, names, sites))
    else:
        _print(found, division, told)
    if failure is not None:
        raise failure
    if output is not None and sites is None:
        raise click.ClickException(f"did not write {output}: there are no sites")
