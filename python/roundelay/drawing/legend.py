# SPDX-License-Identifier: Apache-2.0
"""What is written above and below a picture."""

from __future__ import annotations

from fractions import Fraction

from roundelay.drawing.stacks import stacked
from roundelay.drawing.story import Story
from roundelay.units import count_text


def _volume(story: Story) -> str:
    """As a part of the whole message."""
    if not story.count:
        return "no data"
    part = Fraction(story.volume, story.count)
    over = f"/{part.denominator}" if part.denominator > 1 else ""
    return "volume m" if part == 1 else f"volume {part.numerator}{over} m"


def sizes(story: Story) -> str:
    if story.senders is None:
        return f"p = {story.p}"
    return f"p = {story.senders}, q = {story.p - story.senders}"


def subtitle(story: Story) -> str:
    parts = [sizes(story)]
    if story.root is not None:
        parts.append(f"root = {story.root}")
    parts.append(count_text(story.rounds, "round"))
    parts.append(_volume(story))
    return ", ".join(parts)


def _items(story: Story) -> str:
    last = (story.senders or story.p) - 1
    if story.tokens and not story.pieces:
        return f"{last}: knows that rank {last} has entered."
    if story.reduces and story.pieces > 1:
        return "b0-1: piece b of the vector, combined over ranks 0 and 1."
    if story.reduces:
        return "0-1: the vector, combined over ranks 0 and 1."
    if story.origins > 1 and story.pieces > 1:
        return f"b{last}: piece b of what rank {last} contributes."
    if story.origins > 1:
        return f"{last}: what rank {last} contributes."
    if story.pieces > 1:
        return f"a, b, ..: the {story.pieces} pieces of the message."
    return "a: the message."


def legend(story: Story, *, idle: bool = False, tags: bool = False) -> list[str]:
    """How to read the picture.

    `idle`: whether a rank has nothing to do in some step; `tags`: whether messages have the rounds
    of their ranks beside them, like "r2->r0".
    """
    holds = [
        held
        for rank in story.ranks
        for state in rank
        for stack in stacked(state.holds, story.reduces).values()
        for held in stack
    ]
    sentences = [_items(story)]
    ends = {0, story.p - 1}
    if story.senders is not None:
        last = story.senders - 1
        sentences.append(f"Ranks 0 to {last} send, the others receive.")
    if any(ends <= set(held.ranks) and 1 < len(held.ranks) < story.p for held in holds):
        sentences.append(f"{story.p - 1}-1: ranks {story.p - 1}, 0 and 1.")
    if any("#" in held.label for held in holds):
        sentences.append("#8: 8 ranks.")
    if any(not held.needed for held in holds):
        sentences.append("Dashed box: still in memory, but no longer needed.")
    if any(message.exposed for message in story.messages):
        sentences.append("Dashed arrow: read from memory that the ranks share.")
    if idle:
        sentences.append("Grey frame: a rank that had nothing to do.")
    lines = [" ".join(sentences)]
    if story.count:
        measure = "Volume: what the rank that moves most sends or receives, whichever is more"
        lines.append(f"{measure}; m: the length of the whole message.")
    if story.round_of_step is None:
        tagged = (
            " r2\N{RIGHTWARDS ARROW}r0: sent in the sender's own round 2, received in the "
            "receiver's own round 0."
        )
        lines.append(f"A step is the time of one message.{tagged if tags else ''}")
    return lines
