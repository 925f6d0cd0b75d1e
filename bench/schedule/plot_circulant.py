# SPDX-License-Identifier: Apache-2.0
"""Draws the table of docs/circulant.md: nanoseconds per rank over log2 p. Needs matplotlib.

python bench/schedule/plot_circulant.py docs/circulant.md docs/figures/circulant-schedule.svg

An SVG carries a hash of the figures that it shows. A test compares it with the table.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from pathlib import Path

# Columns of the table that are drawn: the label in the picture and the style of its line.
SERIES = {
    "both, paper": ("both schedules, paper", "s--", "gray"),
    "both, least": ("both schedules", "o-", "tab:blue"),
    "receive alone": ("receive schedule", "^-", "tab:orange"),
    "of the table of all": ("receive schedules of all ranks at once", "v-", "tab:green"),
}


def read_table(page: Path) -> list[dict[str, str]]:
    """The rows of the page's table of times, by heading."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.read_text().splitlines()
        if line.startswith("|")
    ]
    start = next(index for index, row in enumerate(rows) if row[:2] == ["p", "both, paper"])
    heading, body = rows[start], rows[start + 2 :]
    table = []
    for row in body:
        if len(row) != len(heading) or ".." not in row[0]:
            break
        table.append(dict(zip(heading, row, strict=True)))
    return table


def fingerprint(table: list[dict[str, str]]) -> str:
    """A hash of what the picture shows."""
    drawn = [[row["p"], *(row[column] for column in SERIES)] for row in table]
    return hashlib.sha256(json.dumps(drawn).encode()).hexdigest()


def plot(table: list[dict[str, str]], file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams["svg.hashsalt"] = "roundelay"  # the same picture, the same file
    figure, axes = pyplot.subplots(figsize=(6.4, 4.8))
    ranges = [[int(end) for end in row["p"].split("..")] for row in table]
    logs = [math.log2(sum(each) / 2) for each in ranges]
    for column, (label, style, colour) in SERIES.items():
        axes.plot(logs, [float(row[column]) for row in table], style, color=colour, label=label)
    axes.set_xlabel("log2 p, at the middle of each range of p")
    axes.set_ylabel("ns per rank")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    figure.legend(loc="upper center", ncols=2, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.88))
    metadata = {"Date": None, "Description": f"data: {fingerprint(table)}"}
    figure.savefig(file, metadata=metadata if file.suffix == ".svg" else None)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page", type=Path, help="docs/circulant.md")
    parser.add_argument("figure", type=Path, help="the picture to write: .svg or .png")
    arguments = parser.parse_args()
    plot(read_table(arguments.page), arguments.figure)


if __name__ == "__main__":
    main()
