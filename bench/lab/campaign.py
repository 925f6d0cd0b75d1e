# SPDX-License-Identifier: Apache-2.0
"""Every algorithm, early and paced, against the MPI library's own, from short messages to long.

Each longer message is left to those that did not take many times as long as the best one before.
"""

from __future__ import annotations

import math
from pathlib import Path

import click
from compare import measured
from roundelay.catalogue import algorithms

COLLECTIVES = (
    "bcast", "reduce", "allreduce", "allgather", "allgatherv", "reduce_scatter_block",
    "reduce_scatter", "alltoall", "alltoallv", "alltoallw", "gather", "gatherv", "scatter",
    "scatterv", "scan", "exscan", "barrier",
)  # fmt: skip
ALWAYS = ("native", "chosen")
# Messages of one job; how many times as long as the best a setting may have taken in the job
# before; and how often each is measured.
STAGES = ((("1K", "8K", "64K"), math.inf, 7), (("1M",), 4.0, 5), (("8M",), 1.5, 3))
BARRIER = ((("0",), math.inf, 7),)


def settings(collective: str, *, sites: bool) -> list[str]:
    """What may run on nodes of one rank each."""
    found = list(ALWAYS)
    for one in algorithms(collective):
        levels = {"several_parts", "several_sites"} & set(one.restrictions)
        if one.native or one.groups != 1 or (levels and not sites):
            continue
        level = "level=sites, " if "several_parts" in levels else ""
        for discipline in ("early", "paced"):
            found.append(f"{collective}={one.algorithm}({level}discipline={discipline})")
    return found


def compete(where: str, mpi: str, ranks: int, collective: str, output: Path, longest: int) -> None:
    left = settings(collective, sites="/" in where)
    best: dict[str, float] = {}
    stages = BARRIER if collective == "barrier" else STAGES[:longest]
    for sizes, factor, repetitions in stages:
        limit = factor * min(best.values(), default=0.0)
        left = [one for one in left if one in ALWAYS or best.get(one, 0.0) <= limit or not best]
        cells = [f"{collective}:{size}" for size in sizes]
        found = measured(where, mpi, ranks, left, cells, output, repetitions=repetitions)
        best = {one["setting"]: one["median"] for one in found}  # of the longest in the end


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--where", default="lab:100mbit", show_default=True, help="As compare.py takes it.")
@click.option("--mpi", "mpi_id", required=True, help="An id in build/mpis.json.")
@click.option("--ranks", "-p", type=int, required=True)
@click.option("--stages", type=click.IntRange(1, len(STAGES)), default=len(STAGES),
              show_default=True, help="1: up to 64 KiB, 2: 1 MiB, 3: 8 MiB.")  # fmt: skip
@click.option("--output", "-o", type=click.Path(path_type=Path), required=True)
@click.argument("collectives", nargs=-1, type=click.Choice(COLLECTIVES))
def main(
    where: str, mpi_id: str, ranks: int, stages: int, output: Path, collectives: tuple[str, ...]
) -> None:
    """Measures COLLECTIVES, by default all.

    \b
    Example:
      campaign.py --mpi mpi40 -p 8 -o lab.json bcast reduce
      campaign.py --where lab:100mbit/5+10/5ms --mpi mpi40 -p 15 -o wan.json alltoall
    """
    for collective in collectives or COLLECTIVES:
        compete(where, mpi_id, ranks, collective, output, stages)


if __name__ == "__main__":
    main()
