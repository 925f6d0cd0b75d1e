# SPDX-License-Identifier: Apache-2.0
"""The step picture of an algorithm, from its trace (docs/reference/drawing.md)."""

from roundelay.drawing.drawing import Drawing, draw, summary_of
from roundelay.drawing.page import OTHER_RANKS, page
from roundelay.drawing.picture import picture
from roundelay.drawing.story import Draft, Held, Item, Message, State, Story, tell

__all__ = [
    "OTHER_RANKS",
    "Draft",
    "Drawing",
    "Held",
    "Item",
    "Message",
    "State",
    "Story",
    "draw",
    "page",
    "picture",
    "summary_of",
    "tell",
]
