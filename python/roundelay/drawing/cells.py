# SPDX-License-Identifier: Apache-2.0
"""Where in the box of a rank its items stand: always at the same place."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from roundelay.drawing.stacks import Key, key_of, stacked
from roundelay.drawing.story import Held, State, Story

LINE = 8  # cells of a line, at most
SPACES = ("input", "output", "scratch", "heard")


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
                first_seen.setdefault(key_of(held, story.reduces), held.space)
            stacks = stacked(state.holds, story.reduces).values()
            depth = max([depth, *map(len, stacks)])
        self.depth = depth
        self._lines = self._lines_of(first_seen)
        self.columns = max((len(line) for line in self._lines), default=1)
        self.lines = max(len(self._lines), 1) * depth

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

    def placed(self, state: State) -> list[tuple[int, int, Held]]:
        """Column, line and what stands there."""
        stacks = stacked(state.holds, self._reduces)
        return [
            (column, line * self.depth + down, held)
            for line, keys in enumerate(self._lines)
            for column, key in enumerate(keys)
            for down, held in enumerate(stacks.get(key, ()))
        ]
