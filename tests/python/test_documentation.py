# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import roundelay

TOP = Path(__file__).resolve().parents[2]
FOLDER = TOP / "docs" / "collectives"


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def test_the_pages_are_what_the_catalogue_says() -> None:
    assert_current("document.py")


def test_the_reference_is_what_the_commands_say() -> None:
    assert_current("document_commands.py")


def assert_current(script: str) -> None:
    check = [sys.executable, str(TOP / "tools" / script), "--check"]
    found = subprocess.run(check, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("name", [one.name for one in roundelay.algorithms() if not one.native])
def test_every_algorithm_has_a_section(name: str) -> None:
    (one,) = (one for one in roundelay.algorithms() if one.name == name)
    page = text_of(FOLDER / f"{one.collective}.md")
    assert f"## {one.algorithm}\n" in page
    assert one.summary in page.replace("\n", " ")
    assert one.paper in page
    assert f"(figures/{one.collective}-{one.algorithm}.svg)" in page
    assert f"({one.collective}.md#{one.algorithm})" in text_of(FOLDER / "README.md")
