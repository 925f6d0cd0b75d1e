# SPDX-License-Identifier: Apache-2.0
"""Where in the box of a rank its items stand: always at the same place."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from roundelay.drawing.story import Held, State, Story

LINE = 8  # cells of a line, at most
SPACES = ("input", "output", "scratch", "heard")

Key = tuple[int, int]


class Cells:
    """The cells of one rank.

    A reduction has one for each piece of the vector, with all that the rank holds of it beneath
    each other; else there is one for each piece of each origin.
    """

    def __init__(self, story: Story, states: Iterable[State]) -> None:
        self._reduces = story.reduces
        first_seen: dict[Key, str] = {}
        depth = 1
        for state in states:
            for held in state.holds:
                first_seen.setdefault(self._key(held), held.space)
            depth = max([depth, *(len(stack) for stack in self._stacks(state).values())])
        self.depth = depth
        self._lines = self._lines_of(first_seen)
        self.columns = max((len(line) for line in self._lines), default=1)
        self.lines = max(len(self._lines), 1) * depth

    def _key(self, held: Held) -> Key:
        return (0 if self._reduces else held.ranks[0], held.piece)

    @staticmethod
    def _lines_of(first_seen: dict[Key, str]) -> list[list[Key]]:
        """One line if they fit; else lines for each space, of about the same length."""
        keys = sorted(first_seen)
        if len(keys) <= LINE:
            return [keys] if keys else []
        lines = []
        for space in SPACES:
            its = [key for key in keys if first_seen[key] == space]
            length = ceil(len(its) / max(ceil(len(its) / LINE), 1))
            lines += [its[at : at + length] for at in range(0, len(its), max(length, 1))]
        return lines

    def _stacks(self, state: State) -> dict[Key, list[Held]]:
        """What is needed, or else the last that was written, without what is there twice."""
        stacks: dict[Key, dict[tuple[int, ...], Held]] = {}
        for held in state.holds:
            stack = stacks.setdefault(self._key(held), {})
            if held.ranks not in stack or held.needed:
                stack[held.ranks] = held
        chosen = {}
        for key, stack in stacks.items():
            needed = [held for held in stack.values() if held.needed]
            most = max(stack.values(), key=lambda held: len(held.ranks))
            chosen[key] = sorted(needed, key=lambda held: held.ranks) or [most]
        return chosen

    def placed(self, state: State) -> list[tuple[int, int, Held]]:
        """Column, line and what stands there."""
        stacks = self._stacks(state)
        return [
            (column, line * self.depth + down, held)
            for line, keys in enumerate(self._lines)
            for column, key in enumerate(keys)
            for down, held in enumerate(stacks.get(key, ()))
        ]


def cells_of(story: Story) -> int:
    """How many cells the picture of all steps has: those of each rank after each step.

    A picture of several lines repeats a column at each line break; that is not counted.
    """
    number = 0
    for states in story.ranks:
        cells = Cells(story, states)
        ends = [state.step for state in states[1:]] + [story.steps + 1]
        for state, end in zip(states, ends):
            if end > state.step:  # else the next one is drawn
                number += (end - state.step) * len(cells.placed(state))
    return number
