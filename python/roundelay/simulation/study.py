# SPDX-License-Identifier: Apache-2.0
"""Contenders on one network, each checked with few ranks before its times are believed."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

from roundelay import signals
from roundelay.simulation.contenders import Contender
from roundelay.simulation.crossing import crossing, message_length
from roundelay.simulation.cuts import bound
from roundelay.simulation.platforms import Platform
from roundelay.simulation.smpi import Measured, Outcome, Runs, run


@dataclass(frozen=True)
class Time:
    """The time of a contender for messages of one length.

    `ratio` is to the best stand-in for an MPI library; `bound` the least seconds that any algorithm
    takes, for what has to pass the `cut`; `crossing` the bytes that left hosts and other parts.
    """

    contender: str
    kind: str
    bytes: int
    seconds: float
    ran: str
    ratio: float | None = None
    bound: float | None = None
    cut: str | None = None
    crossing: dict[str, int] = field(default_factory=dict)

    @property
    def over_bound(self) -> float | None:
        """How many times the bound it took."""
        return None if self.bound is None else self.seconds / self.bound


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
    left: list[str]  # contenders that had not run to their end when it was stopped
    hosts: int = 0  # that have ranks; 0: one for each
    links: str = ""  # as Platform has them
    placement: str = "spread"

    def best_native(self, size: int) -> Time | None:
        """The fastest stand-in for an MPI library."""
        natives = [t for t in self.times if t.bytes == size and t.kind != "roundelay"]
        return min(natives, key=lambda time: time.seconds, default=None)

    def bound(self, size: int) -> float | None:
        """The seconds that no algorithm beats."""
        return next((t.bound for t in self.times if t.bytes == size), None)

    def time(self, contender: str, size: int) -> Time | None:
        """What it took, if it ran."""
        for time in self.times:
            if time.contender == contender and time.bytes == size:
                return time
        return None

    def json(self) -> dict[str, Any]:
        """What --json prints; docs/results/simulate.md describes it."""
        return asdict(self)


class Partial(Exception):
    """A study that a signal stopped."""

    def __init__(self, study: Study, stopped: signals.Stopped) -> None:
        super().__init__(str(stopped))
        self.study = study
        self.code = stopped.code


def few(ranks: int) -> int:
    """A number of ranks that is cheap to check; a power of two only if `ranks` is one."""
    if ranks <= 16:
        return ranks
    return 16 if ranks & (ranks - 1) == 0 else 12


def blocks_for(collective: str, ranks: int, fewer: int) -> str:
    """The same among fewer ranks: "allgather_between/4" of 16 ranks is "../2" of 8."""
    name, _, distribution = collective.partition("/")
    if not distribution.isdecimal():
        return collective
    return f"{name}/{max(1, int(distribution) * fewer // ranks)}"


Result = tuple[list[Time], str]  # and why there are not more


@dataclass(frozen=True)
class _Trials:
    """Runs one contender after the other, each with all lengths."""

    platform: Platform
    collective: str
    sizes: Sequence[int]
    model: str
    limit: float
    runs: Runs = field(default_factory=Runs)

    @property
    def ranks(self) -> int:
        return len(self.platform.hosts)

    def result(self, one: Contender) -> Result:
        """Raises CannotRun."""
        if one.refused:
            return [], one.refused
        check = self._simulated(one, self.platform.spread(few(self.ranks)), checked=True)
        if check.failure:
            return [], check.failure
        if any(each.wrong for each in check.measured):
            return [], f"gives wrong data with {few(self.ranks)} ranks"
        found = self._simulated(one, self.platform, checked=False)
        times = [self._time(one, measured) for measured in found.measured]
        if found.failure and 0 < len(times) < len(self.sizes):
            return times, f"{found.failure}, from {self.sizes[len(times)]} bytes on"
        return times, found.failure

    def _simulated(self, one: Contender, on: Platform, *, checked: bool) -> Outcome:
        whose = blocks_for(self.collective, self.ranks, len(on.hosts))
        cells = [f"{whose}:{size}" for size in self.sizes]
        return run(
            on, cells, checked=checked, model=self.model, variables=one.variables, flags=one.flags,
            limit=self.limit, runs=self.runs,
        )  # fmt: skip

    def _time(self, one: Contender, m: Measured) -> Time:
        length = message_length(m.bytes, self.ranks)
        least = bound(self.platform.cuts, self.platform.hosts, self.collective, length)
        return Time(
            one.name, one.kind, m.bytes, m.seconds, m.ran,
            bound=least.seconds if least else None, cut=least.cut if least else None,
            crossing=crossing(self.platform, self.collective, m),
        )  # fmt: skip


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
    """Runs every contender, several at a time. `tell` hears who is done.

    Raises CannotRun, and Partial with what is done so far where signals raise Stopped.
    """
    trials = _Trials(platform, collective, sizes, model, limit)
    entered = list(contenders)
    futures, stopped = _tried(trials, entered, jobs, tell)
    done = [(one, future.result()) for one, future in zip(entered, futures) if _ended(future)]
    times = [time for _, (own, _) in done for time in own]
    refused = [Refusal(one.name, one.kind, reason) for one, (_, reason) in done if reason]
    left = [one.name for one in entered if not any(one is each for each, _ in done)]
    bare = Study(
        platform.name, trials.ranks, model, collective, times, refused, left,
        len(platform.distinct_hosts), platform.links, platform.placement,
    )  # fmt: skip
    whole = dataclasses.replace(bare, times=_with_ratios(bare))
    if stopped is not None:
        raise Partial(whole, stopped)
    return whole


def _tried(
    trials: _Trials, entered: Sequence[Contender], jobs: int | None, tell: Callable[[str], None]
) -> tuple[list[Future[Result]], signals.Stopped | None]:
    """What came of those that were begun, and the signal that stopped the others."""

    def heard(one: Contender) -> Result:
        result = trials.result(one)
        tell(one.name)
        return result

    futures: list[Future[Result]] = []
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        try:
            for one in entered:
                futures.append(pool.submit(heard, one))
            for future in futures:
                future.result()
        except BaseException as reason:
            trials.runs.stop()
            pool.shutdown(cancel_futures=True)
            if not isinstance(reason, signals.Stopped):
                raise
            return futures, reason
    return futures, None


def _ended(future: Future[Result]) -> bool:
    """Whether it came to a result."""
    return not future.cancelled() and future.exception() is None


def _with_ratios(study: Study) -> list[Time]:
    found = []
    for time in study.times:
        native = study.best_native(time.bytes)
        ratio = None if native is None else time.seconds / native.seconds
        found.append(dataclasses.replace(time, ratio=ratio))
    return found
