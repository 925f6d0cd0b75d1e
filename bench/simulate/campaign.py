# SPDX-License-Identifier: Apache-2.0
"""Many cells, simulated one network and collective after the other into a file of JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

import click
from cells import Cell, cells_of, chosen_again, read, write
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from roundelay.cli.common import parse_bytes
from roundelay.signals import raised
from roundelay.simulation import contenders
from roundelay.simulation.platforms import Platform
from roundelay.simulation.study import Partial, study

COLLECTIVES = [name for name in contenders.COLLECTIVES if not name.endswith("_between")]


def _lengths(ctx: click.Context, param: click.Parameter, texts: str) -> list[int]:
    return [parse_bytes(ctx, param, text) for text in texts.split(",")]


def bytes_option(default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The lengths of messages, as `sizes`."""
    return click.option("--bytes", "sizes", callback=_lengths, default=default, show_default=True)


output_option = click.option(
    "--output", "-o", type=click.Path(path_type=Path, dir_okay=False), required=True
)
choice_option = click.option(
    "--choice", is_flag=True, help="Only the choice, of cells that the output has already."
)
results_argument = click.argument("results", type=click.Path(exists=True, path_type=Path))
collectives_argument = click.argument("collectives", nargs=-1, type=click.Choice(COLLECTIVES))


def network_option(networks: Mapping[str, Platform]) -> Callable[[Callable[..., Any]], Any]:
    """Some of them, as `names`."""
    kind = click.Choice(list(networks))
    return click.option("--network", "names", multiple=True, type=kind, help="By default all.")


def by_network(
    cells: Sequence[Cell], networks: Mapping[str, Platform]
) -> Iterable[tuple[str, Platform, list[Cell]]]:
    """The networks of which there are cells, with these."""
    for name, platform in networks.items():
        of_it = [cell for cell in cells if cell.network == name]
        if of_it:
            yield name, platform, of_it


def measure(
    wanted: Sequence[tuple[str, Platform, str]],
    lengths: Sequence[int],
    natives: str,
    output: Path,
    *,
    algorithms: Sequence[str] = (),
    limit: float = 60,
    choice: bool = False,
) -> None:
    """All contenders of each (network, platform, collective); `natives` are "selectors" or "all".

    Of ours all, or the choice and those `algorithms` that the collective has. Cells that the output
    has already are replaced; of these the `choice` alone where that is all that is asked for. Ends
    the program where a signal stops it: the output has what was done before.
    """
    cells = {cell.key: cell for cell in read(output)}
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with raised(), Progress(*bar, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=len(wanted))
        for network, platform, collective in wanted:
            ranks = len(platform.hosts)
            progress.update(task, description=f"{collective}, {network} {ranks} ranks")
            entered = contenders.all_of_ours(collective, sites=False)
            if algorithms:
                entered = [one for one in entered if one.name in ("chosen", *algorithms)]
            if choice:
                entered = [contenders.chosen(collective)]
            else:
                entered += contenders.selectors(collective)
            if natives == "all" and not choice:
                entered += contenders.all_shipped(collective)
            try:
                found = study(platform, collective, lengths, entered, limit=limit)
            except Partial as partial:
                progress.console.print(f"{partial}; {output} has what was done before")
                raise SystemExit(partial.code) from None
            for each in found.refused:
                progress.console.print(f"{collective}, {network}: {each.contender} {each.reason}")
            if choice:
                keys = [key for key in cells if key[:3] == (network, collective, ranks)]
                cells |= {key: chosen_again(cells[key], found) for key in keys}
            else:
                cells |= {cell.key: cell for cell in cells_of(found, network)}
            write(output, cells.values())
            progress.advance(task)
