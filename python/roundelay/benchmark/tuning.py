# SPDX-License-Identifier: Apache-2.0
"""From measurements to a profile, with as few of them as settle each crossing point.

First a few lengths far apart are measured. Where the best algorithm of two neighbours differs, the
length in the middle follows, with those algorithms only that were near the best at either of them.
At each length all candidates are measured shortly, and then only those that may be the best.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from roundelay.benchmark.job import Task
from roundelay.benchmark.samples import About, Point, Summary, differ, summary
from roundelay.catalogue import REDUCING, collective_of_call
from roundelay.profiles import valid_name

Cell = tuple[str, int]  # collective and bytes

COARSE = 4  # lengths from one that is measured at first to the next
HOPEFUL = 1.5  # times the best, at a neighbour: is measured in the middle, too
ALIKE = 1.03  # times the best: no reason for another rule


class Measurements:
    """All that is known so far: the samples of each cell and setting, of one pass or more."""

    def __init__(self, about: About, points: Iterable[Point] = ()) -> None:
        self.about = about
        self._points: dict[tuple[Cell, str], list[Point]] = {}
        for point in points:
            self.add(point)

    def add(self, point: Point) -> None:
        cell = (point.collective, point.bytes)
        self._points.setdefault((cell, point.setting), []).append(point)

    def passes(self, cell: Cell, setting: str) -> int:
        """How often it was measured."""
        return len(self._points.get((cell, setting), ()))

    def of(self, cell: Cell) -> dict[str, Summary]:
        """The statistics of each setting that was measured in this cell."""
        found = {}
        for (where, setting), points in self._points.items():
            if where != cell:
                continue
            seconds = tuple(value for point in points for value in point.seconds)
            slowest = tuple(rank for point in points for rank in point.slowest)
            one = dataclasses.replace(points[0], seconds=seconds, slowest=slowest)
            found[setting] = summary(one)
        return found

    def near(self, cell: Cell, factor: float) -> list[str]:
        """The settings that may take at most `factor` times as long as the best."""
        found = self.of(cell)
        best = min(found.values(), key=lambda one: one.median)
        return [name for name, one in found.items() if one.lower <= factor * best.upper]


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is to be known of a collective: its best algorithms over these lengths."""

    collective: str
    lengths: tuple[int, ...]  # ascending
    candidates: tuple[str, ...]  # settings, native among them

    def needed(self, known: Measurements) -> dict[int, list[str]]:
        """The settings to measure next, by length in bytes; empty if nothing is left to measure."""
        needed = {place: self._first(known, place) for place in self._coarse()}
        needed = {place: wanted for place, wanted in needed.items() if wanted}
        if not needed:
            measured = self._measured(known)
            for left, right in zip(measured, measured[1:]):
                if right - left > 1 and self._winner(known, left) != self._winner(known, right):
                    needed[(left + right) // 2] = self._hopeful(known, left, right)
        if not needed:
            needed = {place: self._second(known, place) for place in self._measured(known)}
        return {self.lengths[place]: wanted for place, wanted in needed.items() if wanted}

    def _cell(self, place: int) -> Cell:
        return self.collective, self.lengths[place]

    def _coarse(self) -> list[int]:
        last = len(self.lengths) - 1
        return sorted({*range(0, last, COARSE), last})

    def _measured(self, known: Measurements) -> list[int]:
        return [place for place in range(len(self.lengths)) if known.of(self._cell(place))]

    def _first(self, known: Measurements, place: int) -> list[str]:
        return [one for one in self.candidates if not known.passes(self._cell(place), one)]

    def _second(self, known: Measurements, place: int) -> list[str]:
        """Those that a longer measurement has to tell apart."""
        near = known.near(self._cell(place), 1)
        if len(near) == 1:
            return []
        return [one for one in near if known.passes(self._cell(place), one) < 2]

    def _hopeful(self, known: Measurements, left: int, right: int) -> list[str]:
        near = {
            "native",
            *known.near(self._cell(left), HOPEFUL),
            *known.near(self._cell(right), HOPEFUL),
        }
        return [one for one in self.candidates if one in near]

    def _winner(self, known: Measurements, place: int, before: str | None = None) -> str:
        """The best; native or the one before it where they are as good."""
        found = known.of(self._cell(place))
        best = min(found, key=lambda name: found[name].median)
        for name in ("native", before):
            if name is None or name not in found:
                continue
            close = found[name].median <= ALIKE * found[best].median
            if close or not differ(found[name], found[best], known.about.start_seconds):
                return name
        return best

    def rules(self, known: Measurements) -> list[tuple[int, str]]:
        """From how many bytes on which setting is the best; the first is from 0 on."""
        rules: list[tuple[int, str]] = []
        before = None
        last = 0
        for place in self._measured(known):
            winner = self._winner(known, place, before)
            length = self.lengths[place]
            if winner != before:
                # Between two lengths the border is their geometric mean.
                rules.append((round((last * length) ** 0.5) + 1 if rules else 0, winner))
            before, last = winner, length
        return rules


def tasks_of(needed: Mapping[str, Mapping[int, Sequence[str]]]) -> list[Task]:
    """The tasks that measure what Plan.needed() gives for each collective."""
    return [
        Task(tuple(wanted), (f"{collective}:{length}",))
        for collective, by_length in needed.items()
        for length, wanted in sorted(by_length.items())
    ]


def profile(
    name: str, plans: Sequence[Plan], known: Measurements, provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """A profile for jobs of the same shape, in the form of docs/reference/profiles.md."""
    about = known.about
    count = len(set(about.hosts))
    each = {about.hosts.count(host) for host in about.hosts}
    where: dict[str, Any] = {"ranks": [about.ranks] * 2, "nodes": [count] * 2}
    if len(each) == 1:
        where["ranks_per_node"] = [each.pop()] * 2
    collectives = {}
    for plan in plans:
        rules = plan.rules(known)
        ends = [start - 1 for start, _ in rules[1:]]
        collectives[plan.collective] = [
            {
                "algorithm": setting.partition("=")[2] or setting,
                **({"bytes": [start, end]} if plan.collective != "barrier" else {}),
                **where,
                **({"operation": "predefined"} if plan.collective in REDUCING else {}),
            }
            for (start, setting), end in zip(rules, [*ends, "inf"])
        ]
    return {
        "version": 1,
        "name": valid_name(name),
        "provenance": {"written_by": "roundelay tune", **provenance, "mpi": about.library},
        "machine": {"hosts": sorted(set(about.hosts)), "cores": sorted(set(about.cores))},
        "collectives": collectives,
    }


def as_text(document: Mapping[str, Any]) -> str:
    """The text of the profile, with one rule in each line, so that a person can edit it."""
    head = {name: value for name, value in document.items() if name != "collectives"}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    parts = []
    for collective, rules in document["collectives"].items():
        inside = ",\n".join(f"      {json.dumps(rule)}" for rule in rules)
        parts.append(f"    {json.dumps(collective)}: [\n{inside}\n    ]")
    return "\n".join(["{", *lines, '  "collectives": {', ",\n".join(parts), "  }", "}"]) + "\n"


def lengths_of(least: int, most: int) -> list[int]:
    """Lengths in bytes from `least` to `most`, each twice the one before; both ends are in."""
    lengths = [max(least, 1)]
    while 2 * lengths[-1] < most:
        lengths.append(2 * lengths[-1])
    return [*lengths, most] if most > lengths[-1] else lengths


def mix_of(report: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """The shortest and the longest message of each collective in a report of the library.

    Calls that do not wait, such as iallreduce or allreduce_init, run what the others do. Raises
    ValueError for lengths that cannot be.
    """
    found: dict[str, tuple[int, int]] = {}
    for row in report["calls"]:
        name = collective_of_call(row["collective"])
        ends = row["least_bytes"], row["most_bytes"]
        if any(type(end) is not int for end in ends) or not 0 <= ends[0] <= ends[1]:
            raise ValueError(f"{row['collective']}: its lengths cannot be {ends[0]} to {ends[1]}")
        if name not in (row["collective"], "barrier") and ends[1] == 0:
            continue  # their lengths are not known
        least, most = found.get(name, ends)
        found[name] = min(least, ends[0]), max(most, ends[1])
    return found
