# SPDX-License-Identifier: Apache-2.0
"""The algorithms of the last years, on the networks that they were made for.

`measure` simulates those that the model expects to be fast, one cell after the other, and adds each
to a file of JSON; it goes on where it was stopped. `tables` writes what that holds as Markdown.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from cells import Cell, read, write
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from roundelay import _core
from roundelay.catalogue import algorithms
from roundelay.signals import raised
from roundelay.simulation import contenders
from roundelay.simulation.contenders import Contender
from roundelay.simulation.crossing import NUMBER, message_length
from roundelay.simulation.links import Links
from roundelay.simulation.platforms import Platform
from roundelay.simulation.spelling import parse
from roundelay.simulation.study import Partial, study
from roundelay.units import size_text, time_text

LINKS = Links("100Gbps", "500ns")
NETWORKS = {
    "flat": parse("cluster:128", LINKS),
    "torus": parse("torus:8x8x8", LINKS),
    "dragonfly": parse("dragonfly:11x16x6x4", LINKS),
    "fat tree": parse("fattree:32x32/2", LINKS),
}
# What the ranks would measure: two links, and half a microsecond at either end; handshake, crowding
# and taper are what they did measure. Data is combined in no time in a simulation. Told, because a
# thousand ranks that measure take most of it. Ranks do not measure that they are on a torus: a site
# says it in such a file, with the start-up between neighbours.
TOLD = {
    "flat": {"startup": 2e-6, "handshake": -0.29},
    "torus": {"startup": 1.5e-6, "torus": [8, 8, 8], "hop": 5e-7},
    "dragonfly": {
        "startup": 2e-6,
        "crowding": 1.41,
        "taper": [2, 4, 4.76, 5.66, 9.51, 16, 13.45, 6.73, 6.73],
    },
    "fat tree": {"startup": 2e-6, "crowding": 1.19, "taper": [1, 1, 1, 1, 2, 2, 2, 2]},
}


def machine_of(network: str) -> dict[str, Any]:
    """A machine file."""
    links = {"gap": 5e-7, "byte": 8e-11, "crowding": 1, "handshake": 0, "taper": []}
    return {
        "version": 1,
        "network": {**links, **TOLD[network]},
        "node": {"combined_byte": 0},
    }


# Algorithms, and words of their parameters, that the catalogue has had since.
SINCE = ("bine", "pat", "swing", "radix", "group", "dual_root", "local_bruck")
# A choice is to be within this of the best.
TARGET = 1.10
# Up to so many ranks the stand-ins for all libraries; beyond, that of Open MPI, for the others find
# out who shares a host by messages between all pairs of ranks.
ALL_NATIVES = 128


def is_since(name: str) -> bool:
    """Whether the catalogue did not have it before."""
    return any(word in name for word in SINCE)


def variants(collective: str) -> Iterable[str]:
    """With the values that a newer parameter takes for several messages at once."""
    for one in algorithms(collective):
        names = [parameter.name for parameter in one.parameters]
        yield from (f"{one.algorithm}({name}=4)" for name in names if name in SINCE)


def explained(network: str, collective: str, size: int, machine: Path) -> dict[str, Any]:
    """What the library chooses, and its prices."""
    ranks = len(NETWORKS[network].hosts)
    return _core.explain(
        collective, message_length(size, ranks), list(range(ranks)), mpi="other", alpha=1e-6,
        beta=1e-10, oversubscribed=False, forced="", profile="", deterministic=False,
        machine=str(machine),
    )  # fmt: skip


def entered(
    network: str, collective: str, size: int, machine: Path, within: float, most: int
) -> tuple[list[Contender], str]:
    """Who runs, and the name and reason of the choice.

    The best by the model `within` a factor, at most so many; as many of the newer algorithms; and
    the best of these with a greater radix, or without.
    """
    found = explained(network, collective, size, machine)
    prices = {one["algorithm"]: one["seconds"] for one in found["prices"] if one["seconds"]}
    near = [name for name in prices if prices[name] <= within * min(prices.values())]
    near.sort(key=lambda name: prices[name])
    names = [name for name in near if not is_since(name)][:most]
    names += [name for name in near if is_since(name)][:most]
    stems = {name.partition("(")[0] for name in near[:most]}
    names += [name for name in variants(collective) if name.partition("(")[0] in stems]
    names += sorted(stem for stem in stems if not is_since(stem))
    ours = [contenders.ours(collective, name) for name in dict.fromkeys(names)]
    natives = contenders.selectors(collective)
    if len(NETWORKS[network].hosts) > ALL_NATIVES:
        natives = [one for one in natives if one.name == "ompi"]
    algorithm = found["algorithm"]
    if algorithm != "native" and not any(one.name == algorithm for one in ours):
        ours.append(contenders.ours(collective, algorithm))
    return [*ours, *natives], f"{algorithm}: {found['reason']}"


def measured(
    name: str, platform: Platform, collective: str, size: int, who: Sequence[Contender],
    choice: str, limit: float,
) -> Cell | None:  # fmt: skip
    """None if nothing of ours has run, or not the choice."""
    found = study(platform, collective, [size], who, limit=limit, jobs=1)
    ran, _, why = choice.partition(": ")
    of = {time.contender: time.seconds for time in found.times}
    ours = {time.contender: time.seconds for time in found.times if time.kind == "roundelay"}
    natives = {who: of[who] for who in of if who not in ours}
    chosen = natives.get("ompi") if ran == "native" else ours.get(ran)
    if chosen is None or not ours:
        return None
    return Cell(
        collective, len(platform.hosts), size, ran, chosen, ours, natives, name, found.bound(size),
        why,
    )  # fmt: skip


def with_choice(cell: Cell, platform: Platform, now: dict[str, Any], limit: float) -> Cell:
    """With the choice that was explained now, simulated if it was not; as it is if that fails."""
    algorithm: str = now["algorithm"]
    ours, chosen = cell.ours, cell.natives.get("ompi")
    if algorithm != "native":
        if algorithm not in ours:
            who = [contenders.ours(cell.collective, algorithm)]
            found = study(platform, cell.collective, [cell.bytes], who, limit=limit, jobs=1)
            ours = ours | {time.contender: time.seconds for time in found.times}
        chosen = ours.get(algorithm)
    if chosen is None:
        return cell
    return replace(cell, ran=algorithm, chosen=chosen, ours=ours, why=now["reason"])


def too_short(size: int, platform: Platform) -> bool:
    """Whether the benchmark, which cuts messages into numbers for each rank, cannot."""
    return size < len(platform.hosts) * NUMBER


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Simulates newer algorithms on the networks that they were made for, and writes tables."""


@main.command()
@network_option(NETWORKS)
@click.option(
    "--within", type=click.FloatRange(1), default=1.5, show_default=True,
    help="What the model expects to take longer than so many times the best is left out.",
)  # fmt: skip
@click.option(
    "--most", type=click.IntRange(1), default=3, show_default=True,
    help="Of the older algorithms of a cell, and of the newer.",
)  # fmt: skip
@bytes_option("1K,64K,1M,16M")
@click.option(
    "--limit", type=click.FloatRange(1), default=60, show_default=True,
    help="Seconds of a core after which an algorithm is left out of a cell.",
)  # fmt: skip
@choice_option
@output_option
@collectives_argument
def measure(
    names: tuple[str, ...], within: float, most: int, sizes: list[int], limit: float, choice: bool,
    output: Path, collectives: tuple[str, ...],
) -> None:  # fmt: skip
    """Simulates COLLECTIVES, by default all; cells that the output has are left as they are.

    \b
    Example:
      recent.py measure --network torus -o recent.json allreduce
    """
    done = {cell.key: cell for cell in read(output)}
    wanted = [
        (name, NETWORKS[name], collective, size)
        for name in names or NETWORKS
        for collective in collectives or COLLECTIVES
        for size in sizes
        if not too_short(size, NETWORKS[name])
    ]
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        tempfile.TemporaryDirectory() as folder,
        raised(),
        Progress(*columns, console=Console(stderr=True)) as progress,
    ):
        task = progress.add_task("", total=len(wanted))
        for name, platform, collective, size in wanted:
            progress.update(task, description=f"{collective} {size_text(size)}, {name}")
            cell = done.get((name, collective, len(platform.hosts), size))
            if (cell is not None) == choice:
                machine = Path(folder) / f"{name}.json"
                machine.write_text(json.dumps(machine_of(name)))
                os.environ["ROUNDELAY_MACHINE"] = str(machine)
                of = (name, collective, size, machine)
                try:
                    if cell is not None:
                        cell = with_choice(cell, platform, explained(*of), limit)
                    else:
                        cell = measured(
                            name, platform, collective, size, *entered(*of, within, most), limit
                        )
                except Partial as partial:
                    raise SystemExit(partial.code) from None
                if cell is not None:
                    done[cell.key] = cell
                    write(output, done.values())
            progress.advance(task)


def of_best(cell: Cell, since: bool) -> tuple[str, float]:
    """The best of ours, without the newer algorithms or with them; no name if none of these ran."""
    ran = {name: its for name, its in cell.ours.items() if since or not is_since(name)}
    best = min(ran, key=lambda name: ran[name], default="")
    return best, ran.get(best, 0.0)


HEAD = """\
| collective | message | best of ours | time | over bound | before | native | chosen | |
|---|---|---|---|---|---|---|---|---|"""


def row(cell: Cell) -> str:
    """Of the table, in multiples of the best of ours; a choice that misses the target is bold."""
    (before, then), (best, now) = of_best(cell, since=False), of_best(cell, since=True)
    chosen = f"{cell.chosen / now:.2f}"
    texts = [
        cell.collective, size_text(cell.bytes), best, time_text(now),
        f"{now / cell.bound:.2f}" if cell.bound else "",
        f"{then / now:.2f} ({before})" if before else "",
        f"{cell.natives[cell.best_native] / now:.2f} ({cell.best_native})" if cell.natives else "",
        f"**{chosen}**" if is_missed(cell) else chosen, cell.ran,
    ]  # fmt: skip
    return f"| {' | '.join(texts)} |"


def is_missed(cell: Cell) -> bool:
    """Whether the choice takes longer than it may."""
    return round(cell.chosen / of_best(cell, since=True)[1], 2) > TARGET


def summary(cells: Sequence[Cell]) -> str:
    """In how many the choice is as good as it shall be, and in how many a newer algorithm is best.

    Two that are within a hundredth of each other are alike.
    """
    good = sum(not is_missed(cell) for cell in cells)
    gains = 0
    for cell in cells:
        before, then = of_best(cell, since=False)
        gains += not before or then > 1.01 * of_best(cell, since=True)[1]
    return (
        f"The choice is within {TARGET:.2f} of the best in {good} of {len(cells)} cells; "
        f"a newer algorithm is the best of ours in {gains}."
    )


@main.command()
@results_argument
def tables(results: Path) -> None:
    """Prints RESULTS as Markdown, a table for each network.

    \b
    Example:
      recent.py tables docs/data/recent.json
    """
    cells = read(results)
    print(summary(cells))
    for name, platform, of_it in by_network(cells, NETWORKS):
        print(f"\n**{name}**: `{platform.name}`, links of {platform.links}.")
        print(f"{summary(of_it)}\n")
        print(HEAD)
        for cell in of_it:
            print(row(cell))


if __name__ == "__main__":
    main()
