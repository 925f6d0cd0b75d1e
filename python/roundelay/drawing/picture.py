# SPDX-License-Identifier: Apache-2.0
"""A story as SVG."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from itertools import groupby
from xml.etree.ElementTree import Element

from roundelay.drawing import colours
from roundelay.drawing.layout import CELL, FONT, MARGIN, PAD, Layout, tag
from roundelay.drawing.legend import legend, sizes, subtitle
from roundelay.drawing.pieces import letter
from roundelay.drawing.story import Message, State, Story
from roundelay.drawing.svg import MONO, SANS, add, add_text, canvas, written


def parts(story: Story) -> list[tuple[str, int, int]]:
    """Neighbours at one site, or else on one node: its name ("site b"), first and last rank."""
    kind, places = ("site", story.sites) if story.sites else ("node", story.nodes)
    if len(set(places)) < 2:
        return []
    runs = [list(run) for _, run in groupby(range(len(places)), key=places.__getitem__)]
    return [(f"{kind} {letter(places[run[0]])}", run[0], run[-1]) for run in runs]


class _Picture:
    def __init__(self, story: Story, summary: str) -> None:
        self.story = story
        self.summary = summary
        self.at = Layout(story)
        self.together: defaultdict[tuple[int, int], list[Message]] = defaultdict(list)
        for message in story.messages:
            self.together[message.receiver, message.step].append(message)
        self.changed = self._states_by_step()
        self.idle = any(not is_new for rank in self.changed for _, is_new in rank)

    def _states_by_step(self) -> list[list[tuple[State, bool]]]:
        """Of each rank and number of steps: the last state till then, and whether it is new."""
        found = []
        for states in self.story.ranks:
            by_step: list[tuple[State, bool]] = []
            for step in range(self.story.steps + 1):
                state = [each for each in states if each.step <= step][-1]
                by_step.append((state, not by_step or state is not by_step[-1][0]))
            found.append(by_step)
        return found

    def drawn(self) -> str:
        story = self.story
        described = f"{subtitle(story)}. {self.summary}".strip()
        root = canvas(f"{story.name}, {sizes(story)}", described)
        root.set("font-family", SANS)
        paper = add(root, "rect", rx=10, fill=colours.PAPER, stroke=colours.LINE)
        add_text(root, MARGIN, 40.0, story.name, font_size=20, font_weight=600, fill=colours.INK)
        y = 62.0
        add_text(root, MARGIN, y, subtitle(story), font_size=13, fill=colours.MUTED)
        for line in textwrap.wrap(self.summary, int((self.at.width - 2 * MARGIN) / 6.6)):
            y += 20
            add_text(root, MARGIN, y, line, font_size=13, fill=colours.INK)
        y += 20
        for band in range(self.at.bands):
            self.draw_band(add(root, "g", transform=f"translate(0 {y:.0f})"), band)
            y += self.at.band + 16
        y += 6
        tags = any(tag(story, message) for message in story.messages)
        for sentence in legend(story, idle=self.idle, tags=tags):
            for line in textwrap.wrap(sentence, int((self.at.width - 2 * MARGIN) / 6.1)):
                add_text(root, MARGIN, y, line, font_size=11.5, fill=colours.MUTED)
                y += 17
        for name, value in {"x": 0.5, "y": 0.5, "width": self.at.width - 1, "height": y}.items():
            paper.set(name, f"{value:.1f}")
        return written(root, self.at.width, y + 1)

    def draw_band(self, band: Element, number: int) -> None:
        first = number * self.at.per_band
        last = min(first + self.at.per_band, self.story.steps)
        self.draw_heads(band, first, last)
        names = add(band, "g", font_size=13, fill=colours.INK)
        for rank in range(self.story.p):
            add_text(names, MARGIN, self.at.y(rank) + 4.5, f"rank {rank}").set(
                "font-weight", "700" if rank == self.story.root else "400"
            )
        self.draw_borders(band, last - first)
        self.draw_lifelines(band, last - first)
        messages = [each for each in self.story.messages if first <= each.step < last]
        flights = add(band, "g", fill="none", stroke=colours.ARROW, stroke_width=1.5)
        heads = add(band, "g", fill=colours.ARROW)
        chips = add(band, "g", font_family=MONO, font_size=FONT, text_anchor="middle")
        for message in messages:
            self.draw_message(flights, heads, chips, message, message.step - first)
        boxes = add(band, "g", font_family=MONO, font_size=FONT, text_anchor="middle")
        for column in range(last - first + 1):
            for rank in range(self.story.p):
                self.draw_state(boxes, rank, first + column, column)

    def draw_heads(self, band: Element, first: int, last: int) -> None:
        heads = add(band, "g", font_size=12, fill=colours.MUTED, text_anchor="middle")
        for step in range(first, last):
            rounds = self.story.round_of_step
            text = f"step {step}" if rounds is None else f"round {rounds[step]}"
            left = self.at.x(step - first) + self.at.box
            add_text(heads, left + self.at.gap / 2, 18.0, text, font_weight=600)

    def draw_borders(self, band: Element, columns: int) -> None:
        """A frame around neighbours at one site; if all are at one, around those on one node."""
        borders = add(band, "g", class_="borders", fill="none", stroke=colours.MUTED)
        right = self.at.x(columns) + self.at.box + PAD
        for name, first, last in parts(self.story):
            top = self.at.y(first) - self.at.row / 2 + 3
            add(borders, "rect", x=MARGIN / 2, y=top, width=right - MARGIN / 2,
                height=(last - first + 1) * self.at.row - 6, rx=8,
                stroke_dasharray="1 3")  # fmt: skip
            add_text(borders, MARGIN, self.at.y(first) + 18, name, font_size=10.5,
                     fill=colours.MUTED, stroke="none")  # fmt: skip

    def draw_lifelines(self, band: Element, columns: int) -> None:
        lines = add(band, "g", stroke=colours.LINE)
        for rank in range(self.story.p):
            y = self.at.y(rank)
            add(lines, "line", x1=self.at.x(0), y1=y, x2=self.at.x(columns), y2=y)

    def draw_state(self, boxes: Element, rank: int, step: int, column: int) -> None:
        state, is_new = self.changed[rank][step]
        width, height = self.at.boxes[rank]
        left, top = self.at.x(column), self.at.y(rank) - height / 2
        group = add(boxes, "g", class_="state", data_rank=rank, data_step=step)
        add(group, "rect", x=left, y=top, width=width, height=height, rx=5, fill="#ffffff",
            stroke=colours.ARROW if is_new else colours.LINE)  # fmt: skip
        for place, line, held in self.at.cells[rank].placed(state):
            x, y = left + PAD + place * self.at.cell, top + PAD + line * CELL
            look: dict[str, str] = {"fill": colours.fill(self.story, held)}
            if not held.needed:
                look = {"fill": "none", "stroke": colours.LINE, "stroke-dasharray": "2 2"}
            rect = add(
                group, "rect", x=x + 1, y=y + 1, width=self.at.cell - 2, height=CELL - 2, rx=3
            )
            rect.attrib.update(look)
            ink = colours.ink_on(self.story, held) if held.needed else colours.MUTED
            if held.needed or not self.story.reduces or self.story.pieces == 1:
                add_text(group, x + self.at.cell / 2, y + CELL / 2 + 4.2, held.label, fill=ink)

    def draw_message(
        self, flights: Element, heads: Element, chips: Element, message: Message, column: int
    ) -> None:
        together = self.together[message.receiver, message.step]
        spread = self.at.chip * (together.index(message) - (len(together) - 1) / 2)
        width = self.at.chip_width(message)
        right = self.at.x(column + 1) - 5
        x0 = self.at.x(column) + self.at.boxes[message.sender][0]
        y0 = self.at.y(message.sender)
        x1, y1 = right - width, self.at.y(message.receiver) + spread
        bend = 0.42 * (x1 - x0)
        group = add(flights, "path", class_="message", data_from=message.sender,
                    data_to=message.receiver, data_step=message.step)  # fmt: skip
        group.set(
            "d",
            f"M{x0:.1f} {y0:.1f}C{x0 + bend:.1f} {y0:.1f} {x1 - bend:.1f} {y1:.1f} "
            f"{x1 - 6:.1f} {y1:.1f}",
        )
        if message.exposed:
            group.set("stroke-dasharray", "5 3")
        add(heads, "path", d=f"M{x1:.1f} {y1:.1f}l-9 -4.2v8.4z")
        fills = {colours.fill(self.story, item) for item in message.items}
        fill = fills.pop() if len(fills) == 1 else colours.PLAIN
        inks = {colours.ink_on(self.story, item) for item in message.items}
        ink = inks.pop() if fill != colours.PLAIN else colours.INK
        add(chips, "rect", x=x1, y=y1 - 10, width=width, height=20.0, rx=10, fill=fill,
            stroke=colours.ARROW)  # fmt: skip
        add_text(chips, x1 + width / 2, y1 + 4.2, message.label, fill=ink)
        if rounds := tag(self.story, message):
            add_text(chips, right, y1 + 19.5, rounds, font_size=9, fill=colours.MUTED,
                     text_anchor="end")  # fmt: skip


def picture(story: Story, summary: str = "") -> str:
    """The SVG. The same story gives the same bytes."""
    return _Picture(story, summary).drawn()
