# SPDX-License-Identifier: Apache-2.0
"""Self-consistent guidelines: what a collective must not be slower than.

Traff, Gropp, Thakur: Self-consistent MPI performance guidelines. IEEE Trans. Parallel Distrib.
Syst. 21 (2010).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from roundelay.benchmark.samples import Point, by_cell, summary

# A collective, and others that do the same one after the other with the same length of message.
GUIDELINES = (
    ("allgather", ("gather", "bcast")),
    ("allgather", ("alltoall",)),
    ("allreduce", ("reduce", "bcast")),
    ("allreduce", ("reduce_scatter_block", "allgather")),
    ("bcast", ("scatter", "allgather")),
    ("reduce", ("reduce_scatter_block", "gather")),
    ("reduce", ("allreduce",)),
    ("gather", ("allgather",)),
    ("scatter", ("bcast",)),
    ("reduce_scatter_block", ("reduce", "scatter")),
    ("reduce_scatter_block", ("allreduce",)),
    ("exscan", ("scan",)),
)


@dataclass(frozen=True)
class Violation:
    """A collective is slower than others that do the same."""

    setting: str
    bytes: int
    collective: str
    others: tuple[str, ...]
    seconds: float  # medians
    others_seconds: float

    @property
    def text(self) -> str:
        return f"{self.collective} > {' + '.join(self.others)}"


def violations(points: Iterable[Point], start_seconds: float) -> list[Violation]:
    """Where neither the confidence intervals nor how exactly ranks start leave a doubt."""
    known = {
        (point.setting, point.bytes, point.collective): summary(point)
        for cell in by_cell(points).values()
        for point in cell
        if point.setting in ("native", "chosen")
    }
    found = []
    for setting, length in dict.fromkeys((setting, length) for setting, length, _ in known):
        for collective, others in GUIDELINES:
            one = known.get((setting, length, collective))
            parts = [known.get((setting, length, other)) for other in others]
            if one is None or None in parts:
                continue
            summaries = [part for part in parts if part is not None]
            if one.lower > sum(part.upper for part in summaries) + start_seconds:
                total = sum(part.median for part in summaries)
                found.append(Violation(setting, length, collective, others, one.median, total))
    return found
