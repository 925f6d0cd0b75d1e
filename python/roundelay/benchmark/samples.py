# SPDX-License-Identifier: Apache-2.0
"""What was measured, and what it says."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from roundelay.files import text_of

FORM = 1  # of the file, in its first line
WRONG = "not the measurements of roundelay bench or tune"


@dataclass(frozen=True)
class About:
    """The job."""

    ranks: int
    hosts: tuple[str, ...]  # of each rank
    cores: tuple[int, ...]  # of each rank: those of its host that the job may use
    library: str  # of MPI, in its own words
    start_seconds: float  # within which ranks start together
    more: Mapping[str, Any] = field(default_factory=dict)  # date, command, variables

    @property
    def nodes(self) -> list[int]:
        """The number of each rank's node. Ranks with the same host name are on one node."""
        names = list(dict.fromkeys(self.hosts))
        return [names.index(host) for host in self.hosts]

    @property
    def oversubscribed(self) -> list[str]:
        """Hosts with more ranks than cores."""
        ranks = Counter(self.hosts)
        cores = dict(zip(self.hosts, self.cores))
        return [host for host in ranks if ranks[host] > cores[host]]


@dataclass(frozen=True)
class Point:
    """A collective with messages of one length, by one setting."""

    collective: str
    bytes: int  # of the whole message
    setting: str  # native, chosen, or as ROUNDELAY takes it
    ran: str  # the algorithm and why, as the library says it; empty: it had nothing to do with it
    seconds: tuple[float, ...]  # of the slowest rank, in each repetition
    slowest: tuple[int, ...]  # which rank that was
    ranks: tuple[tuple[float, ...], ...] = ()  # seconds of each, if they were kept

    @property
    def algorithm(self) -> str:
        """The algorithm that ran, without the collective; the setting if that is not known."""
        name = self.ran.partition(": ")[0].partition(".")[2]
        return name or self.setting.partition("=")[2] or self.setting

    @property
    def name(self) -> str:
        """What pictures and tables call it."""
        return self.setting.partition("=")[2] or self.setting


def quantile(seconds: Sequence[float], share: float) -> float:
    """The smallest value that is at least as large as this share of all values."""
    values = sorted(seconds)
    return values[max(0, math.ceil(share * len(values)) - 1)]


@dataclass(frozen=True)
class Summary:
    """Statistics of the samples of a point, in seconds."""

    count: int
    least: float
    median: float
    lower: float  # the confidence interval of 95 percent of the median, by ranks
    upper: float
    p90: float
    p99: float
    mean: float
    outliers: int  # by Tukey: beyond the quartiles by 1.5 times their distance
    slowest: int  # the rank that was it most often


def summary(point: Point) -> Summary:
    """The statistics of all samples: outliers are counted, but not left out."""
    values = sorted(point.seconds)
    count = len(values)
    half = 1.96 * math.sqrt(count) / 2
    first, third = quantile(values, 0.25), quantile(values, 0.75)
    beyond = 1.5 * (third - first)
    slowest, _ = Counter(point.slowest).most_common(1)[0]
    return Summary(
        count=count,
        least=values[0],
        median=median(values),
        lower=values[max(0, math.floor(count / 2 - half))],
        upper=values[min(count - 1, math.ceil(count / 2 + half))],
        p90=quantile(values, 0.9),
        p99=quantile(values, 0.99),
        mean=math.fsum(values) / count,
        outliers=sum(value < first - beyond or value > third + beyond for value in values),
        slowest=slowest,
    )


def differ(one: Summary, other: Summary, start_seconds: float) -> bool:
    """Whether the medians differ.

    They do if their confidence intervals do not overlap, and if their difference is more than
    `start_seconds`, the time within which the ranks start.
    """
    apart = max(one.lower - other.upper, other.lower - one.upper)
    return apart > 0 and abs(one.median - other.median) > start_seconds


def algorithm_bandwidth(point: Point, seconds: float) -> float:
    """Bytes of the message in a second."""
    return point.bytes / seconds if seconds > 0 else 0.0


BUS_FACTORS = {
    "allreduce": 2, "allgather": 1, "allgatherv": 1, "alltoall": 1, "alltoallv": 1, "alltoallw": 1,
    "gather": 1, "gatherv": 1, "scatter": 1, "scatterv": 1, "reduce_scatter": 1,
    "reduce_scatter_block": 1,
}  # fmt: skip


def bus_bandwidth(point: Point, ranks: int, seconds: float) -> float:
    """Bytes that the busiest port has to carry in a second, as NCCL's tests count them."""
    factor = BUS_FACTORS.get(point.collective)
    share = 1.0 if factor is None else factor * (ranks - 1) / ranks
    return share * algorithm_bandwidth(point, seconds)


class Wrong(ValueError):
    """A line that roundelay bench cannot have written; says what is wrong with it."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _is_time(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 <= value < math.inf


def _field(fields: Mapping[str, Any], key: str, is_valid: Callable[[Any], bool], what: str) -> Any:
    """The value of a key. Raises Wrong if it is missing or not valid."""
    if not isinstance(fields, Mapping) or key not in fields:
        raise Wrong(f'there is no "{key}"')
    if not is_valid(fields[key]):
        raise Wrong(f'"{key}" must be {what}')
    return fields[key]


def _list(
    fields: Mapping[str, Any],
    key: str,
    is_valid: Callable[[Any], bool],
    what: str,
    count: int | None = None,
) -> tuple[Any, ...]:
    """The list of a key, with `count` values or, without a count, at least one. Raises Wrong."""

    def is_list(value: Any) -> bool:
        fits = isinstance(value, list) and len(value) == (count or max(len(value), 1))
        return fits and all(map(is_valid, value))

    many = "one or more" if count is None else f"{count}"
    return tuple(_field(fields, key, is_list, f"a list of {many} {what}"))


def point_of(fields: Mapping[str, Any]) -> Point:
    """The point that a line of the program's output or of a file describes. Raises Wrong."""
    seconds = _list(fields, "seconds", _is_time, "times in seconds")
    count = len(seconds)

    def is_row(value: Any) -> bool:
        return isinstance(value, list) and len(value) == count and all(map(_is_time, value))

    every = f'lists of {count} times, as many as in "seconds"'
    return Point(
        _field(fields, "collective", _is_text, "a name"),
        _field(fields, "bytes", _is_count, "a number of bytes"),
        _field(fields, "setting", _is_text, "a name"),
        _field(fields, "ran", _is_text, "a text"),
        seconds,
        _list(fields, "slowest", _is_count, 'ranks, as many as in "seconds"', count),
        tuple(map(tuple, _list(fields, "ranks", is_row, every) if fields.get("ranks") else ())),
    )


def about_of(fields: Mapping[str, Any], more: Mapping[str, Any]) -> About:
    """The job that the first line of the output or of a file describes. Raises Wrong."""
    hosts = _list(fields, "hosts", _is_text, "names")
    count = len(hosts)
    ranks = _field(fields, "ranks", lambda value: value == count, f"{count}, as there are hosts")
    return About(
        int(ranks),
        hosts,
        _list(fields, "cores", _is_count, 'numbers, as many as in "hosts"', count),
        _field(fields, "library", _is_text, "a text"),
        _field(fields, "start_seconds", _is_time, "a time in seconds"),
        more,
    )


def about_line(about: About) -> str:
    """The first line of a file."""
    fields = {
        "roundelay_bench": FORM, **about.more, "ranks": about.ranks, "library": about.library,
        "start_seconds": about.start_seconds, "hosts": about.hosts, "cores": about.cores,
    }  # fmt: skip
    return json.dumps(fields) + "\n"


def point_line(point: Point) -> str:
    """The line of a file for a point."""
    fields = {
        "collective": point.collective, "bytes": point.bytes, "setting": point.setting,
        "ran": point.ran, "seconds": point.seconds, "slowest": point.slowest,
    }  # fmt: skip
    if point.ranks:
        fields["ranks"] = point.ranks
    return json.dumps(fields) + "\n"


def read(file: Path) -> tuple[About, list[Point]]:
    """The job and the points of a file. Raises ValueError, which names the file and the line."""
    return parsed(text_of(file), file)


def parsed(text: str, file: Path) -> tuple[About, list[Point]]:
    """The job and the points in the text of a file; `file` is its name in errors.

    Raises ValueError, which names the file and the line.
    """
    about = None
    points = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            fields = json.loads(line)
            if number == 1:
                _field(fields, "roundelay_bench", lambda value: value == FORM, f"{FORM}")
                known = ("ranks", "library", "start_seconds", "hosts", "cores", "roundelay_bench")
                more = {name: value for name, value in fields.items() if name not in known}
                about = about_of(fields, more)
            else:
                points.append(point_of(fields))
        except Wrong as why:
            raise ValueError(f"{file}:{number}: {WRONG}: {why}") from None
        except (ValueError, RecursionError):
            raise ValueError(f"{file}:{number}: {WRONG}") from None
    if about is None:
        raise ValueError(f"{file}:1: {WRONG}")
    return about, points


def by_cell(points: Iterable[Point]) -> dict[tuple[str, int], list[Point]]:
    """The points by collective and length: those of one cell can be compared."""
    cells: dict[tuple[str, int], list[Point]] = {}
    for point in points:
        cells.setdefault((point.collective, point.bytes), []).append(point)
    return cells
