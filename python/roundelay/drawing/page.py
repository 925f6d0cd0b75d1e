# SPDX-License-Identifier: Apache-2.0
"""A self-contained HTML page on which one can play an algorithm's schedule."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from roundelay.catalogue import ROOTED
from roundelay.drawing import colours
from roundelay.drawing.cells import Cells
from roundelay.drawing.legend import legend, subtitle
from roundelay.drawing.picture import parts
from roundelay.drawing.story import Item, Story, tell

MOST_BYTES = 900_000  # of the stories in a page
OTHER_RANKS = (2, 3, 4, 5, 6, 7, 8, 12, 16)
HERE = Path(__file__).parent


class _Items:
    """Every look of an item once: label, fill and ink."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._numbers: dict[tuple[str, str, str], int] = {}

    def number(self, item: Item) -> int:
        look = (item.label, colours.fill(self._story, item), colours.ink_on(self._story, item))
        return self._numbers.setdefault(look, len(self._numbers))

    def all(self) -> list[tuple[str, str, str]]:
        return list(self._numbers)


def compact(story: Story) -> dict[str, Any]:
    """What player.js shows. Cells are [column, line, item, needed]."""
    items = _Items(story)
    ranks = []
    for states in story.ranks:
        cells = Cells(story, states)
        ranks.append(
            {
                "columns": cells.columns,
                "lines": cells.lines,
                "states": [
                    [
                        state.step,
                        [
                            [column, line, items.number(held), int(held.needed)]
                            for column, line, held in cells.placed(state)
                        ],
                    ]
                    for state in states
                ],
            }
        )
    messages = [
        {
            "from": each.sender,
            "to": each.receiver,
            "step": each.step,
            "rounds": [each.sender_round, each.receiver_round],
            "label": each.label,
            "items": [items.number(item) for item in each.items],
            "units": each.units,
            "combined": each.combined,
            "exposed": each.exposed,
            "token": each.token,
        }
        for each in story.messages
    ]
    return {
        "p": story.senders or story.p,
        "root": story.root,
        "subtitle": subtitle(story),
        "legend": legend(story),
        "unit": story.unit,
        "count": story.count,
        "steps": story.steps,
        "rounds": story.round_of_step,
        "places": story.sites or story.nodes,
        "place": "site" if story.sites else "node",
        "borders": parts(story),
        "ranks": ranks,
        "messages": messages,
        "items": items.all(),
    }


def _stories(first: Story, q: int | None, others: Iterable[int]) -> list[str]:
    """The first story and, while the page stays short, others of other p and root, as JSON."""
    asked = first.senders or first.p
    rooted = first.name.partition(".")[0] in ROOTED
    every = [json.dumps(compact(first), separators=(",", ":"))]
    seen = {(asked, first.root)}
    length = len(every[0])
    for p in [asked, *others]:
        for root in (0, 1, p - 1) if rooted else (0,):
            if (p, root if rooted else None) in seen:
                continue
            try:
                story = tell(first.name, p, root=root, q=q)
            except ValueError:  # the algorithm is not for so many ranks
                continue
            text = json.dumps(compact(story), separators=(",", ":"))
            if length + len(text) > MOST_BYTES:
                return every
            seen.add((p, story.root))
            every.append(text)
            length += len(text)
    return every


def page(
    first: Story,
    summary: str = "",
    *,
    q: int | None = None,
    others: Iterable[int] = OTHER_RANKS,
) -> str:
    """The HTML, which shows the first story at the start.

    `others`: numbers of ranks to choose from beside its own, as far as they fit into the page, with
    `q` receivers.
    """
    stories = _stories(first, q, others)
    data = f"[{','.join(stories)}]".replace("<", "\\u003c")
    words = {
        "TITLE": html.escape(first.name),
        "SUMMARY": html.escape(summary),
        "STYLE": (HERE / "player.css").read_text(encoding="utf-8"),
        "SCRIPT": (HERE / "player.js").read_text(encoding="utf-8"),
        "DATA": data,
    }
    text = (HERE / "player.html").read_text(encoding="utf-8")
    for word, part in words.items():
        text = text.replace(f"@{word}@", part)
    return text
