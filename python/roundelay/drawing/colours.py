# SPDX-License-Identifier: Apache-2.0
"""Colours of what is held: by whose it is, or how much of the result it is."""

from __future__ import annotations

import colorsys

from roundelay.drawing.story import Item, Story

PAPER = "#fdfdfb"
INK = "#1f2733"
MUTED = "#66707f"
LINE = "#d4d8de"
ARROW = "#55606f"
PLAIN = "#eceef1"  # things of several colours


def _hex(hue: float, lightness: float, saturation: float) -> str:
    parts = colorsys.hls_to_rgb(hue, lightness, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def _of_wheel(place: int, places: int) -> str:
    return _hex((0.58 + place / max(places, 1)) % 1, 0.80, 0.62)


def fill(story: Story, item: Item) -> str:
    """Of a reduction, the darker the more ranks are combined; else a colour for each origin.

    Every colour is light or dark enough for dark or white letters.
    """
    if story.reduces:
        if len(item.ranks) == story.p:
            return _hex(0.58, 0.41, 0.62)
        return _hex(0.58, 0.93 - 0.36 * (len(item.ranks) - 1) / max(story.p - 2, 1), 0.62)
    if story.origins > 1 or story.tokens:
        return _of_wheel(item.ranks[0], story.p)
    return _of_wheel(item.piece, story.pieces)


def ink_on(story: Story, item: Item) -> str:
    """The colour of what is written upon fill()."""
    dark = story.reduces and len(item.ranks) == story.p
    return "#ffffff" if dark else INK
