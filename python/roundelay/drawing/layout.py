# SPDX-License-Identifier: Apache-2.0
"""Where things stand: a row for each rank, a column for each step, as wide as a page of text."""

from __future__ import annotations

from collections import Counter
from math import ceil

from roundelay.drawing.cells import Cells
from roundelay.drawing.story import Message, Story
from roundelay.drawing.svg import text_width

PAGE = 1200.0  # width, unless the ranks alone are higher
LEAST = 640.0
MARGIN = 24.0
NAMES = 62.0  # width of the names of the ranks
CELL = 22.0  # height, and least width
FONT = 12.0
PAD = 4.0  # between a box and its cells
FLIGHT = 64.0  # from a box to the message's label
CHIP = 24.0  # of labels of messages that reach a rank in one step, from one to the next
TAG = 10.0  # more, where a message's rounds are written below its label
CLEAR = 8.0  # more between rows, where a border is below such rounds
APART = 20.0  # between boxes of neighbours
HEAD = 30.0  # of a band: the numbers of the steps


def tag(story: Story, message: Message) -> str:
    """The ranks' own rounds, where they do not keep in step."""
    rounds = {message.sender_round, message.receiver_round}
    if story.round_of_step is not None or rounds == {message.step}:
        return ""
    return f"r{message.sender_round}\N{RIGHTWARDS ARROW}r{message.receiver_round}"


class Layout:
    """Where the columns do not fit beside each other they are cut into bands, one below the other.

    The last column of a band is the first of the next.
    """

    def __init__(self, story: Story) -> None:
        self.cells = [Cells(story, states) for states in story.ranks]
        labels = [held.label for rank in story.ranks for state in rank for held in state.holds]
        self.cell = float(ceil(max([CELL, *(text_width(label, FONT) + 8 for label in labels)])))
        self.boxes = [
            (cells.columns * self.cell + 2 * PAD, cells.lines * CELL + 2 * PAD)
            for cells in self.cells
        ]
        self.box = max(width for width, _ in self.boxes)
        together = Counter((each.receiver, each.step) for each in story.messages)
        tagged = any(tag(story, each) for each in story.messages)
        self.chip = CHIP + (TAG if tagged else 0)
        labels_high = self.chip * max(together.values(), default=1)
        bordered = len(set(story.sites or story.nodes)) > 1
        apart = APART + (CLEAR if tagged and bordered else 0)
        self.row = max(labels_high, *(height for _, height in self.boxes)) + apart
        self.gap = FLIGHT + max(map(self.chip_width, story.messages), default=0.0)
        self.band = HEAD + story.p * self.row  # its height
        page = max(PAGE, 1.5 * self.band)
        fit = (page - self.x(0) - self.box - MARGIN) // (self.gap + self.box)
        self.bands = max(ceil(story.steps / max(int(fit), 1)), 1)
        self.per_band = ceil(story.steps / self.bands)
        self.width = max(self.x(self.per_band) + self.box + MARGIN, LEAST)

    @staticmethod
    def chip_width(message: Message) -> float:
        return float(ceil(max(text_width(message.label, FONT) + 12, 20.0)))

    def x(self, column: int) -> float:
        """The left edge of the boxes of a column."""
        return MARGIN + NAMES + column * (self.box + self.gap)

    def y(self, rank: int) -> float:
        """The middle of a rank's row."""
        return HEAD + (rank + 0.5) * self.row
