# SPDX-License-Identifier: Apache-2.0
"""Draws the table of docs/explanation/circulant.md: time per rank over log2 p. Needs Matplotlib.

The table has what `make bench` printed of circulant_bench. `make figures` calls this.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from roundelay import plotting

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "circulant.md"
CURVES = {  # by column of the table, the range being 0
    "both schedules, the paper": (1, "s--"),
    "both schedules, least": (2, "o-"),
    "receive schedule alone, least": (5, "o-"),
    "receive schedules of all ranks at once": (6, "o-"),
}


def points() -> dict[str, list[tuple[float, float]]]:
    """Nanoseconds per rank over log2 of the middle of the range of p, for each curve."""
    rows = re.findall(
        r"^\| (\d+) \.\. (\d+) (\|.*)", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {
        name: [
            (math.log2((int(least) + int(most)) / 2), float(cells.split("|")[column]))
            for least, most, cells in rows
        ]
        for name, (column, _) in CURVES.items()
    }


def plot(file: Path) -> None:
    figure, axes = plotting.new_figure(figsize=(8, 4.4))
    shown = points()
    for (name, curve), colour in zip(shown.items(), plotting.colours(len(shown)), strict=True):
        axes.plot(*zip(*curve, strict=True), CURVES[name][1], color=colour, label=name)
    axes.set_xlabel("log2 p")
    axes.set_ylabel("ns per rank")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    plotting.save(figure, file, shown)
