# SPDX-License-Identifier: Apache-2.0
"""Writes measurements in forms that other programs read."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from roundelay.benchmark.samples import (
    About,
    Point,
    algorithm_bandwidth,
    bus_bandwidth,
    summary,
)

# Collectives for which OSU and IMB give the length of a block, not of the whole message.
BLOCKS = {
    "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "gather", "gatherv",
    "scatter", "scatterv",
}  # fmt: skip
OSU_NAMES = {"bcast": "Broadcast", "alltoall": "All-to-All Personalized Exchange"}
IMB_NAMES = {"reduce_scatter_block": "Reduce_scatter_block", "reduce_scatter": "Reduce_scatter"}


def _curves(points: Sequence[Point]) -> dict[tuple[str, str], list[Point]]:
    curves: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        curves.setdefault((point.collective, point.setting), []).append(point)
    return curves


def _length(point: Point, ranks: int) -> int:
    return point.bytes // ranks if point.collective in BLOCKS else point.bytes


def _means(point: Point) -> list[float]:
    """The mean time of each rank in microseconds; only of the slowest if no others were kept."""
    return [1e6 * math.fsum(one) / len(one) for one in (point.ranks or (point.seconds,))]


def osu(about: About, points: Sequence[Point]) -> str:
    """What OSU's latency tests would print: one table for each collective and setting."""
    lines = []
    for (collective, setting), curve in _curves(points).items():
        name = OSU_NAMES.get(collective, collective.capitalize())
        lines += [
            "",
            f"# OSU MPI {name} Latency Test v7.3",
            f"# by roundelay bench: {about.ranks} ranks, {setting}; lengths as in OSU's own test",
            f"{'# Size':<10}{'Avg Latency(us)':>18}{'Min Latency(us)':>18}"
            f"{'Max Latency(us)':>18}{'Iterations':>12}",
        ]
        for point in curve:
            of_ranks = _means(point)
            lines.append(
                f"{_length(point, about.ranks):<10}{math.fsum(of_ranks) / len(of_ranks):>18.2f}"
                f"{min(of_ranks):>18.2f}{max(of_ranks):>18.2f}{len(point.seconds):>12}"
            )
    return "\n".join(lines) + "\n"


def imb(about: About, points: Sequence[Point]) -> str:
    """What IMB-MPI1 would print: one table for each collective and setting."""
    rule = "#" + "-" * 64
    lines = []
    for (collective, setting), curve in _curves(points).items():
        name = IMB_NAMES.get(collective, collective.capitalize())
        lines += [
            "",
            rule,
            f"# Benchmarking {name} ",
            f"# #processes = {about.ranks} ",
            f"# by roundelay bench: {setting}; lengths as in IMB's own test",
            rule,
            "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]",
        ]
        for point in curve:
            of_ranks = _means(point)
            lines.append(
                f"{_length(point, about.ranks):>13}{len(point.seconds):>13}{min(of_ranks):>13.2f}"
                f"{max(of_ranks):>13.2f}{math.fsum(of_ranks) / len(of_ranks):>13.2f}"
            )
    return "\n".join(lines) + "\n"


def comma_separated(about: About, points: Sequence[Point]) -> str:
    """A table with commas: a line for each point, in seconds and bytes per second."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(
        [
            "collective", "bytes", "setting", "ran", "ranks", "count", "median", "lower95",
            "upper95", "min", "mean", "p90", "p99", "outliers", "slowest_rank", "algbw", "busbw",
        ]
    )  # fmt: skip
    for point in points:
        one = summary(point)
        out.writerow(
            [
                point.collective, point.bytes, point.setting, point.ran, about.ranks, one.count,
                f"{one.median:.9f}", f"{one.lower:.9f}", f"{one.upper:.9f}", f"{one.least:.9f}",
                f"{one.mean:.9f}", f"{one.p90:.9f}", f"{one.p99:.9f}", one.outliers, one.slowest,
                f"{algorithm_bandwidth(point, one.median):.0f}",
                f"{bus_bandwidth(point, about.ranks, one.median):.0f}",
            ]
        )  # fmt: skip
    return text.getvalue()
