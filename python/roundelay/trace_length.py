# SPDX-License-Identifier: Apache-2.0
"""How many messages a call has and how long its trace is, estimated before the trace is made."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import NamedTuple

from roundelay import _core
from roundelay.interpreters import case_of, naming


class MessageBounds(NamedTuple):
    """No call has more messages than that."""

    messages: int  # in a trace
    at_once: int  # in flight


def message_bounds(
    name: str,
    p: int,
    root: int = 0,
    m: int | None = None,
    q: int | None = None,
    nodes: str | None = None,
    sites: str | None = None,
) -> MessageBounds:
    """Bounds that follow from the rounds and ports that the catalogue claims. Raises ValueError.

    They assume that all ranks have as many rounds as the one with the most, and in each round as
    many messages as they may have in flight. The arguments are those of trace().
    """
    full, case = case_of(name, p, root, m, True, False, q, nodes, sites)
    claims = _core.claims(full, case)
    at_once = (case.p + case.q) * max(1.0, claims["ports"])
    return MessageBounds(round(at_once * claims["rounds"]), round(at_once))


FEW = 64  # ranks; a trace of up to twice as many takes no time


@dataclass(frozen=True)
class TraceLength:
    """About how long a trace is, and how it grows with the number of ranks."""

    p: int
    parts: int  # of messages, with the local steps
    growth: float  # it has about p ** growth parts

    def ranks_for(self, parts: int) -> int:
        """A power of two: so many ranks have no more parts than that."""
        ranks = int(self.p * min(1.0, parts / max(self.parts, 1)) ** (1 / self.growth))
        return int(1 << max(ranks.bit_length() - 1, 0))


def _fewer(full: str, case: _core.Case, p: int, asked: int | None) -> _core.Case:
    """A similar case with p ranks. Raises ValueError where the algorithm is not for so many."""
    every = max(case.p // p, 1)

    def places(which: list[int]) -> list[int]:
        numbers: dict[int, int] = {}
        return [numbers.setdefault(place, len(numbers)) for place in which[::every][:p]]

    return _core.Case(
        p,
        root=min(case.root // every, p - 1),
        m=_core.exact_length(full, p) if asked is None else asked,
        commutative=case.commutative,
        in_place=case.in_place,
        q=max(case.q // every, 1) if case.q else 0,
        nodes=places(case.nodes),
        sites=places(case.sites),
    )


def _parts(full: str, case: _core.Case) -> int:
    with naming(full):
        rounds = [one for rank in _core.trace(full, case) for one in rank["rounds"]]
    sent = sum(len(each["slices"]) for one in rounds for each in one["sends"])
    return sent + sum(len(one["steps"]) for one in rounds)


def trace_length(
    name: str,
    p: int,
    *,
    root: int = 0,
    m: int | None = None,
    commutative: bool = True,
    in_place: bool = False,
    q: int | None = None,
    nodes: str | None = None,
    sites: str | None = None,
) -> TraceLength | None:
    """About how long the trace of many ranks is, estimated from traces of few. Raises ValueError.

    None for few ranks, and where the algorithm does not run with few. The arguments are those of
    trace().
    """
    full, case = case_of(name, p, root, m, commutative, in_place, q, nodes, sites)
    if case.p <= FEW:
        return None
    large = case.p
    while large > 2 * FEW:
        large //= 2
    small = large // 2
    try:
        fewer, more = (_parts(full, _fewer(full, case, few, m)) for few in (small, large))
    except ValueError:
        return None
    growth = max(1.0, log(max(more, 1) / max(fewer, 1)) / log(large / small))
    return TraceLength(case.p, round(more * (case.p / large) ** growth), growth)
