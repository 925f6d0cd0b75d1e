# SPDX-License-Identifier: Apache-2.0
"""What of a rank's memory is drawn: a cell for each piece, or several beneath each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

Key = tuple[int, int]


class Part(Protocol):
    """A piece of what ranks contribute, in a rank's memory."""

    @property
    def piece(self) -> int: ...
    @property
    def ranks(self) -> tuple[int, ...]: ...
    @property
    def needed(self) -> bool: ...


AnyPart = TypeVar("AnyPart", bound=Part)


def key_of(part: Part, reduces: bool) -> Key:
    """Where a part stands: a reduction has a place for each piece, else each origin has its own."""
    return (0 if reduces else part.ranks[0], part.piece)


def stacked(parts: Iterable[AnyPart], reduces: bool) -> dict[Key, list[AnyPart]]:
    """The parts to draw at each place, each once: those needed, else the one of most ranks."""
    stacks: dict[Key, dict[tuple[int, ...], AnyPart]] = {}
    for part in parts:
        stack = stacks.setdefault(key_of(part, reduces), {})
        if part.ranks not in stack or part.needed:
            stack[part.ranks] = part
    chosen = {}
    for key, stack in stacks.items():
        needed = [part for part in stack.values() if part.needed]
        most = max(stack.values(), key=lambda part: len(part.ranks))
        chosen[key] = sorted(needed, key=lambda part: part.ranks) or [most]
    return chosen


def cells_in(
    ranks: Iterable[Sequence[tuple[int, Iterable[Part]]]], steps: int, reduces: bool
) -> int:
    """How many cells the picture of all steps has: those of each rank after each step.

    `ranks`: of each the states in which it is, each with the number of steps that are over. A
    picture of several lines repeats a column at each line break; that is not counted.
    """
    number = 0
    for states in ranks:
        ends = [step for step, _ in states[1:]] + [steps + 1]
        for (step, parts), end in zip(states, ends):
            if end > step:  # else the next one is drawn
                number += (end - step) * sum(map(len, stacked(parts, reduces).values()))
    return number
