# SPDX-License-Identifier: Apache-2.0
"""What Roundelay takes by itself, against the best of its own and the best native stand-in.

`measure` simulates clusters with a rank on each host and adds what it finds to a file of JSON;
`tables` writes what that holds as Markdown.
"""

from __future__ import annotations

from pathlib import Path

import campaign
import click
from campaign import (
    COLLECTIVES,
    bytes_option,
    choice_option,
    collectives_argument,
    output_option,
    results_argument,
)
from cells import OF_NATIVES, OF_OURS, Cell, read
from roundelay.cli.common import parse_ranks
from roundelay.simulation.platforms import cluster
from roundelay.units import size_text


def row(cell: Cell) -> str:
    """Of the table; what misses its target is bold."""

    def ratio(value: float, target: float) -> str:
        return f"**{value:.2f}**" if round(value, 2) > target else f"{value:.2f}"

    texts = [
        str(cell.ranks), size_text(cell.bytes), cell.ran,
        ratio(cell.of_ours, OF_OURS), cell.best, ratio(cell.of_natives, OF_NATIVES),
        cell.best_native,
    ]  # fmt: skip
    return f"| {' | '.join(texts)} |"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Simulates what Roundelay takes by itself and all else, and writes tables."""


@main.command()
@click.option("--ranks", "-p", callback=parse_ranks, default="7,16,60,100,128", show_default=True)
@bytes_option("1K,8K,64K,512K,4M")
@click.option(
    "--natives", type=click.Choice(["selectors", "all"]), default="all", show_default=True,
    help="The stand-ins: libraries' tables alone, or each of SMPI's algorithms too.",
)  # fmt: skip
@choice_option
@output_option
@collectives_argument
def measure(
    ranks: list[int],
    sizes: list[int],
    natives: str,
    choice: bool,
    output: Path,
    collectives: tuple[str, ...],
) -> None:
    """Simulates COLLECTIVES, by default all; cells that the output has already are replaced.

    \b
    Example:
      choices.py measure --natives selectors -p 16,60 -o choices.json bcast allreduce
    """
    wanted = [("", cluster(p), one) for p in ranks for one in collectives or COLLECTIVES]
    campaign.measure(wanted, sizes, natives, output, choice=choice)


@main.command()
@click.option("--lost", is_flag=True, help="Only the cells that miss what is asked of them.")
@results_argument
def tables(lost: bool, results: Path) -> None:
    """Prints RESULTS as Markdown, a table for each collective.

    \b
    Example:
      choices.py tables docs/data/choices.json
    """
    cells = read(results)
    missed = sum(cell.is_lost for cell in cells)
    print(f"{len(cells) - missed} of {len(cells)} cells meet both targets.")
    for collective in dict.fromkeys(cell.collective for cell in cells):
        print(f"\n**{collective}**\n")
        print("| p | message | chosen | over our best | | over best native | |")
        print("|---|---|---|---|---|---|---|")
        for cell in cells:
            if cell.collective == collective and (cell.is_lost or not lost):
                print(row(cell))


if __name__ == "__main__":
    main()
