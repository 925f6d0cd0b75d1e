# SPDX-License-Identifier: Apache-2.0
"""How good the first guess of the model is on networks of other kinds.

`measure` simulates them and adds what it finds to a file of JSON; `tables` writes what that holds
as Markdown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import campaign
import click
from campaign import (
    COLLECTIVES,
    by_network,
    bytes_option,
    choice_option,
    collectives_argument,
    network_option,
    output_option,
    results_argument,
)
from cells import Cell, read
from roundelay.simulation.links import Links
from roundelay.simulation.platforms import Platform
from roundelay.simulation.spelling import parse
from roundelay.units import size_text, time_text

# What the first guess may take, over the best of ours.
TARGET = 1.15


def network(text: str, bandwidth: str, latency: str, per_host: int, placement: str) -> Platform:
    """With as many ranks as fit."""
    links = Links(bandwidth, latency, memory=per_host > 1)
    return parse(text, links).placed(None, per_host, placement)


NETWORKS = {
    "fat tree": network("fattree:8x4/2", "100Gbps", "500ns", 4, "block"),
    "dragonfly": network("dragonfly:4x4x4x2", "25Gbps", "500ns", 1, "block"),
    "Ethernet": network("cluster:64", "1Gbps", "25us", 1, "block"),
    "32 x 16": network("cluster:32", "10Gbps", "1us", 16, "block"),
    "32 x 16 cyclic": network("cluster:32", "10Gbps", "1us", 16, "cyclic"),
}


def row(cell: Cell) -> str:
    """Of the table; a guess that misses is bold."""
    of_ours = f"{cell.of_ours:.2f}"
    bound = f"{cell.chosen / cell.bound:.2f}" if cell.bound else ""
    texts = [
        cell.collective, size_text(cell.bytes), cell.ran, time_text(cell.chosen), bound,
        f"**{of_ours}**" if is_missed(cell) else of_ours, cell.best,
        f"{cell.of_natives:.2f}", cell.best_native,
    ]  # fmt: skip
    return f"| {' | '.join(texts)} |"


def is_missed(cell: Cell) -> bool:
    """Whether the guess takes longer than it may."""
    return round(cell.of_ours, 2) > TARGET


def summary(cells: Sequence[Cell]) -> str:
    """E.g. "15 of 20 cells are within 1.15 of the best of ours; of the 5 others native: 4"."""
    missed = [cell for cell in cells if is_missed(cell)]
    whose = Counter("left to native" if cell.ran == "native" else "ours" for cell in missed)
    parts = ", ".join(f"{count} {name}" for name, count in sorted(whose.items()))
    rest = f"; of the others {parts}" if missed else ""
    return f"{len(cells) - len(missed)} of {len(cells)} cells are within {TARGET}{rest}."


def table(cells: Iterable[Cell]) -> str:
    """In Markdown."""
    head = "| collective | message | chosen | time | over bound | over our best | | over native | |"
    return "\n".join([head, "|---|---|---|---|---|---|---|---|---|", *map(row, cells)])


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Simulates what Roundelay takes by itself on other networks, and writes tables."""


@main.command()
@network_option(NETWORKS)
@click.option(
    "--algorithm",
    "-a",
    "algorithms",
    multiple=True,
    help="Of ours; may be repeated. By default all.",
)
@bytes_option("1K,16K,256K,4M")
@click.option(
    "--limit", type=click.FloatRange(1), default=30, show_default=True,
    help="Seconds of a core after which an algorithm is left out of the rest.",
)  # fmt: skip
@choice_option
@output_option
@collectives_argument
def measure(
    names: tuple[str, ...],
    algorithms: tuple[str, ...],
    sizes: list[int],
    limit: float,
    choice: bool,
    output: Path,
    collectives: tuple[str, ...],
) -> None:
    """Simulates COLLECTIVES, by default all; cells that the output has already are replaced.

    \b
    Example:
      networks.py measure --network dragonfly -o networks.json bcast allreduce
    """
    wanted = [
        (name, NETWORKS[name], collective)
        for name in names or NETWORKS
        for collective in collectives or COLLECTIVES
    ]
    campaign.measure(
        wanted, sizes, "selectors", output, limit=limit, algorithms=algorithms, choice=choice
    )


@main.command()
@results_argument
def tables(results: Path) -> None:
    """Prints RESULTS as Markdown, a table for each network.

    \b
    Example:
      networks.py tables docs/data/networks.json
    """
    cells = read(results)
    print(summary(cells))
    for name, platform, of_it in by_network(cells, NETWORKS):
        hosts = len(platform.distinct_hosts)
        print(f"\n**{name}**: `{platform.name}`, links of {platform.links}, {of_it[0].ranks} ranks")
        print(f"on {hosts} hosts ({platform.placement}). {summary(of_it)}\n")
        print(table(of_it))


if __name__ == "__main__":
    main()
