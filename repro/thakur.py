# SPDX-License-Identifier: Apache-2.0
"""Thakur, Rabenseifner, Gropp 2005: every old algorithm of MPICH against the new.

    .venv/bin/python repro/thakur.py

64 ranks and two numbers that are no power of two.
"""

from __future__ import annotations

from dataclasses import dataclass

from report import check, factor, simulated, table, write
from roundelay.simulation.contenders import ours
from roundelay.simulation.platforms import cluster
from roundelay.units import size_text

RANKS = (64, 60, 33)


@dataclass(frozen=True)
class Case:
    """An old algorithm, the new ones, and messages of the lengths for which they were meant."""

    section: str
    collective: str
    old: str
    new: tuple[str, ...]
    sizes: tuple[int, ...]
    paper: str


SHORT = (1 << 10, 1 << 14)
LONG = (1 << 20, 1 << 22)
BETTER, SEVERAL = "significantly better", "several times"
ALLREDUCES = ("rabenseifner", "binary_blocks", "ring")
CASES = [
    Case("4.1", "allgather", "ring", ("recursive_doubling", "bruck"), SHORT, BETTER),
    Case("4.1", "allgather", "recursive_doubling", ("ring",), LONG, "better on Myrinet and SP"),
    Case("4.2", "bcast", "binomial", ("scatter_allgather",), LONG, "at most lg p / 2 = 3"),
    Case("4.3", "alltoall", "scattered", ("bruck",), SHORT, BETTER),
    Case("4.3", "alltoall", "scattered", ("pairwise",), LONG, "used from 32 KB a block on"),
    Case("4.4", "reduce_scatter", "reduce_then_scatter", ("recursive_halving",), SHORT, SEVERAL),
    Case("4.4", "reduce_scatter", "reduce_then_scatter", ("pairwise",), LONG, SEVERAL),
    Case("4.5", "reduce", "binomial", ("rabenseifner",), LONG, "more than 2"),
    Case("4.5", "allreduce", "reduce_then_bcast", ("recursive_doubling",), SHORT, ""),
    Case("5", "allreduce", "reduce_then_bcast", ALLREDUCES, LONG, "3 to 7"),
]  # fmt: skip


def rows_of(case: Case) -> list[list[str]]:
    """A row for each new algorithm; old over new for each number of ranks and each length."""
    algorithms = [ours(case.collective, name) for name in (case.old, *case.new)]
    found = {p: simulated(cluster(p), case.collective, case.sizes, algorithms) for p in RANKS}
    rows = []
    for name in case.new:
        ratios = [factor(found[p], case.old, name, size) for size in case.sizes for p in RANKS]
        what = f"{case.collective} {' and '.join(map(size_text, case.sizes))}"
        rows.append([case.section, what, case.old, name, *ratios, case.paper])
    return rows


def main() -> None:
    check()
    head = ["section", "messages", "old", "new", *(f"p = {p}" for _ in range(2) for p in RANKS)]
    write(
        __file__,
        "# Thakur, Rabenseifner, Gropp 2005, simulated",
        "**What it says.** The new algorithms are faster in most rows, as in the paper: 1.7 to "
        "3 times for a long bcast or reduce, 2.7 to 6 times for a long allreduce. Two results "
        "differ: the ring wins long allgathers only where p is not a power of two, and "
        "`pairwise` does not beat `scattered` in an alltoall.",
        "How many times as long the old algorithm takes as the new one. The first three columns "
        "of figures are for the shorter of the two messages, the last three for the longer. Each "
        "node has one rank. No vendor's algorithm is among the old ones.",
        table([*head, "paper"], [row for case in CASES for row in rows_of(case)]),
        "As in the paper: the factor of bcast reaches lg p / 2, and Bruck's alltoall is no "
        "longer faster from blocks of about 256 B on.",
        "Where it differs: in the paper the ring is fastest for long allgathers of 64 ranks, "
        "because neighbours were nearer than other ranks on its clusters. Here all pairs of "
        "ranks are equally far apart, and the ring is faster only where p is not a power of two, "
        "so that recursive doubling needs extra steps. Pairwise exchange is not faster than "
        "posting all messages at once, because here no time is lost when many messages wait for "
        "a port. Where p is not a power of two, reduce gains less: ranks send up to 3.5 m "
        "instead of 2 m, because the ranks beyond the power of two first send their data to "
        "others.",
    )


if __name__ == "__main__":
    main()
