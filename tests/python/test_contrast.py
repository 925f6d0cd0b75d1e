# SPDX-License-Identifier: Apache-2.0
"""What is written in pictures and on playable pages can be read: WCAG 2.1, 1.4.3, level AA."""

from __future__ import annotations

import re

import pytest
import roundelay
from roundelay.drawing import colours, page, tell

LEAST = 4.5


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * each for each in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#fff") == pytest.approx(4.54, abs=0.01)


def test_both_themes_of_a_page() -> None:
    themes = re.findall(r":root \{(.*?)\}", page(tell("allgather.ring", 3), others=()), re.DOTALL)
    assert len(themes) == 2
    for theme in themes:
        colour = dict(re.findall(r"--(\w+): (#\w+)", theme))
        for paper in ("paper", "box"):
            for ink in ("ink", "muted"):
                assert contrast(colour[ink], colour[paper]) >= LEAST, (ink, paper)


def test_the_paper_of_a_picture() -> None:
    for ink in (colours.INK, colours.MUTED):
        for paper in (colours.PAPER, "#ffffff"):
            assert contrast(ink, paper) >= LEAST


def test_labels_upon_their_colours() -> None:
    names = [one.name for one in roundelay.algorithms() if not one.native and one.groups == 1]
    for name in names:
        for p in (5, 8):
            try:
                story = tell(name, p)
            except ValueError:  # not for so many ranks
                continue
            held = [one for rank in story.ranks for state in rank for one in state.holds]
            for item in {(colours.fill(story, one), colours.ink_on(story, one)) for one in held}:
                assert contrast(*item) >= LEAST, (name, p, item)
