# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/figures show the figures that stand in the pages."""

from __future__ import annotations

import importlib.util
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_the_picture_of_the_circulant_schedules_shows_its_table() -> None:
    script = TOP / "bench" / "schedule" / "plot_circulant.py"
    spec = importlib.util.spec_from_file_location("plot_circulant", script)
    assert spec is not None
    assert spec.loader is not None
    plot_circulant = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plot_circulant)
    table = plot_circulant.read_table(TOP / "docs" / "circulant.md")
    assert len(table) == 8
    picture = (TOP / "docs" / "figures" / "circulant-schedule.svg").read_text()
    assert f"data: {plot_circulant.fingerprint(table)}" in picture, (
        "the table has changed: run python bench/schedule/plot_circulant.py "
        "docs/circulant.md docs/figures/circulant-schedule.svg"
    )
