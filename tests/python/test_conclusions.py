# SPDX-License-Identifier: Apache-2.0
"""The pages of explanation, research and results open with their conclusion, in three lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs/explanation", "docs/research", "docs/results", "repro")
PAGES = sorted(page for folder in FOLDERS for page in (ROOT / folder).glob("*.md"))
LONGEST = 3 * 140  # characters of three lines


def fault(page: str) -> str | None:
    """What is wrong with the paragraph after the title."""
    found = re.match(r"# .+\n\n\*\*What it says\.\*\* (.+?)\n\n", page, flags=re.DOTALL)
    if not found:
        return "the paragraph after the title must begin with '**What it says.**'"
    says = " ".join(found[1].split())
    if len(re.findall(r"[.!?](?= [A-Z`\[]|$)", says)) > 3:
        return "the conclusion has more than three sentences"
    if len(says) > LONGEST:
        return f"the conclusion has {len(says)} characters, which do not fit in three lines"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_page_opens_with_its_conclusion(page: Path) -> None:
    assert fault(page.read_text(encoding="utf-8")) is None


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("# Title\n\n**What it says.** It is 1.5 times as fast. So it is used.\n\nMore.\n", None),
        ("# Title\n\nIt is fast.\n\nMore.\n", "must begin"),
        ("# Title\n\n**What it says.** One. Two. Three. Four.\n\nMore.\n", "three sentences"),
        (f"# Title\n\n**What it says.** {'word ' * 90}end.\n\nMore.\n", "three lines"),
    ],
)
def test_a_page_without_one_is_found(page: str, message: str | None) -> None:
    found = fault(page)
    assert (found is None) if message is None else (message in str(found))
