# SPDX-License-Identifier: Apache-2.0
"""Contenders on one network, each checked with few ranks before its times are believed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from roundelay.simulation.contenders import Contender
from roundelay.simulation.platforms import Platform
from roundelay.simulation.smpi import RunFailed, run


@dataclass(frozen=True)
class Time:
    """What a contender took for a message; `ratio` is to the best stand-in for an MPI library."""

    contender: str
    kind: str
    bytes: int
    seconds: float
    ran: str
    ratio: float | None = None


@dataclass(frozen=True)
class Refusal:
    """A contender that gave no time, or whose times cannot be believed."""

    contender: str
    kind: str
    reason: str


@dataclass(frozen=True)
class Study:
    """All of one collective on one network."""

    platform: str
    ranks: int
    model: str
    collective: str  # with the distribution, e.g. "allgatherv/irregular"
    times: list[Time]
    refused: list[Refusal]

    def best_native(self, size: int) -> Time | None:
        """The fastest stand-in for an MPI library."""
        natives = [t for t in self.times if t.bytes == size and t.kind != "roundelay"]
        return min(natives, key=lambda time: time.seconds, default=None)

    def best_of_ours(self, size: int) -> Time | None:
        """Roundelay's fastest algorithm."""
        ours = [t for t in self.times if t.bytes == size and t.kind == "roundelay"]
        return min(ours, key=lambda time: time.seconds, default=None)

    def time(self, contender: str, size: int) -> Time | None:
        """What it took, if it ran."""
        for time in self.times:
            if time.contender == contender and time.bytes == size:
                return time
        return None

    def json(self) -> dict[str, Any]:
        """As it is written, in docs/simulate.md described."""
        return asdict(self)


def few(ranks: int) -> int:
    """So many ranks that a check is cheap; a power of two only if that is."""
    if ranks <= 16:
        return ranks
    return 16 if ranks & (ranks - 1) == 0 else 12


def study(
    platform: Platform,
    collective: str,
    sizes: Sequence[int],
    contenders: Iterable[Contender],
    *,
    model: str = "ports",
    limit: float = 60,
    jobs: int | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Study:
    """Runs every contender, several at a time. `tell` hears who is done."""
    ranks = len(platform.hosts)
    cells = [f"{collective}:{size}" for size in sizes]

    def outcome(one: Contender) -> list[Time] | Refusal:
        def measured(on: Platform, checked: bool) -> list[Time]:
            found = run(
                on, cells, checked=checked, model=model, variables=one.variables, flags=one.flags,
                limit=limit,
            )  # fmt: skip
            if any(each.wrong for each in found):
                raise RunFailed(f"gives wrong data with {len(on.hosts)} ranks")
            return [Time(one.name, one.kind, each.bytes, each.seconds, each.ran) for each in found]

        try:
            if one.refused:
                raise RunFailed(one.refused)
            measured(platform.spread(few(ranks)), checked=True)
            return measured(platform, checked=False)
        except RunFailed as failure:
            return Refusal(one.name, one.kind, str(failure))
        finally:
            tell(one.name)

    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        outcomes = list(pool.map(outcome, contenders))
    times = [time for each in outcomes if not isinstance(each, Refusal) for time in each]
    refused = [each for each in outcomes if isinstance(each, Refusal)]
    bare = Study(platform.name, ranks, model, collective, times, refused)
    return Study(platform.name, ranks, model, collective, _with_ratios(bare), refused)


def _with_ratios(study: Study) -> list[Time]:
    found = []
    for time in study.times:
        native = study.best_native(time.bytes)
        ratio = None if native is None else time.seconds / native.seconds
        found.append(Time(**{**asdict(time), "ratio": ratio}))
    return found
