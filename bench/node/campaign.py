# SPDX-License-Identifier: Apache-2.0
"""Collectives on one node: what is chosen while the ranks learn, over the MPI library's own.

`measure` takes half an hour on an idle machine with two cores; `tables` writes what it found as
Markdown.
"""

from __future__ import annotations

import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from roundelay.units import time_text

TOP = Path(__file__).resolve().parent.parent.parent
ROUNDELAY = TOP / ".venv" / "bin" / "roundelay"
sys.path.insert(0, str(TOP / "bench" / "lab"))

from compare import described, launcher, markdown, measured, size  # noqa: E402

COLLECTIVES = (
    "barrier", "bcast", "reduce", "allreduce", "reduce_scatter_block", "allgather", "alltoall",
    "scan", "gather", "scatter",
)  # fmt: skip
SIZES = ("8,512,4K,64K,1M", "8M")
CALLS = {2: (40, 10), 4: (20, 5), 8: (20, 5)}  # in a row, of each of SIZES

# MPICH with more ranks than cores: what is native keeps the cores from what is not, so each has a
# job of its own; and a row begins with a time slice of its own messages, so that short calls need
# long rows.
ROWS = ((2000, ("64", "512", "4K")), (500, ("64K",)), (100, ("1M",)), (20, ("8M",)))
NATIVE_ROW = 2

Cell = dict[str, Any]


def key(cell: Cell) -> tuple[Any, ...]:
    return tuple(cell[part] for part in ("mpi", "ranks", "buffers", "collective", "bytes"))


def cells_in(lines: Iterable[str]) -> Iterable[Cell]:
    """Of what `roundelay bench -o` writes."""
    about: Cell = {}
    native: Cell = {}
    for line in map(json.loads, lines):
        if "roundelay_bench" in line:
            build = line["build"].partition(", ")[2].removesuffix(")")
            about = {"mpi": build, "ranks": line["ranks"]}
        elif line.get("setting") == "native":
            native = line
        elif line.get("setting") == "chosen":
            medians = [statistics.median(one["seconds"]) for one in (native, line)]
            yield {
                **about,
                "collective": line["collective"],
                "bytes": line["bytes"],
                "native": medians[0],
                "chosen": medians[1],
                "ran": line["ran"],
                "samples": len(line["seconds"]),
            }


def in_turn(mpi: str, ranks: int, rotating: bool) -> Iterable[Cell]:
    started = shlex.join(launcher(described(mpi), ranks))
    for sizes, calls in zip(SIZES, CALLS[ranks], strict=True):
        buffers = calls if rotating else 1
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "samples.jsonl"
            command: list[object] = [ROUNDELAY, "bench", *COLLECTIVES, "--mpi", mpi, "--launcher"]
            command += [started, "--sizes", sizes, "-n", calls, "-b", buffers, "--time", 1.5]
            subprocess.run([*map(str, command), "-o", output], check=True)
            for cell in cells_in(output.read_text().splitlines()):
                yield {**cell, "buffers": "rotating" if rotating else "the same"}


def apart(mpi: str, ranks: int) -> Iterable[Cell]:
    for calls, sizes in ROWS:
        names = [f"{name}:{each}" for name in COLLECTIVES if name != "barrier" for each in sizes]
        if "64" in sizes:
            names.append("barrier:0")
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "results.json"
            found: dict[tuple[str, int], Cell] = {}
            for setting, row in (("native", NATIVE_ROW), ("chosen", calls)):
                for one in measured(
                    "memory", mpi, ranks, [setting], names, output, repetitions=5, calls=row
                ):
                    cell = found.setdefault((one["collective"], one["bytes"]), {})
                    cell |= {part: one[part] for part in ("mpi", "ranks", "collective", "bytes")}
                    cell[setting] = one["median"]
                    cell |= {"ran": one["ran"], "samples": len(one["seconds"])}
        for cell in found.values():
            yield {**cell, "buffers": "the same"}


def read(path: Path) -> dict[tuple[Any, ...], Cell]:
    cells = json.loads(path.read_text())["cells"] if path.exists() else []
    return {key(cell): cell for cell in cells}


def add(path: Path, cells: Iterable[Cell]) -> None:
    kept = read(path)
    kept |= {key(cell): cell for cell in cells}
    text = ",\n".join(json.dumps(kept[one]) for one in sorted(kept))
    path.write_text(f'{{"cells": [\n{text}\n]}}\n')


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measures what is chosen on one node, with learning, and writes tables."""


@main.command()
@click.option("--output", "-o", type=click.Path(path_type=Path), required=True)
def measure(output: Path) -> None:
    """Measures everything anew; each job's cells are added to OUTPUT when it is over.

    \b
    Example:
      campaign.py measure -o docs/data/inside-a-node.json
    """
    for mpi in ("mpi40", "mpich12"):
        for rotating in (False, True):
            add(output, in_turn(mpi, 2, rotating))
    for ranks in (4, 8):
        add(output, in_turn("mpi40", ranks, rotating=False))
        add(output, apart("mpich12", ranks))


def over(cell: Cell) -> str:
    ratio = cell["chosen"] / cell["native"]
    return f"{ratio:.2f}" if ratio >= 0.095 else f"1/{1 / ratio:.0f}"


def table(cells: dict[tuple[str, int], list[Cell]]) -> str:
    """A row for each collective; lengths that a rank's share rounds up stand where they began."""
    columns = sorted({count for _, count in cells if count >= 512})
    rows: dict[str, dict[int, str]] = {}
    for (collective, count), measured_cells in sorted(cells.items()):
        text = ", ".join([time_text(measured_cells[0]["native"], 3), *map(over, measured_cells)])
        rows.setdefault(collective, {})[count if count >= 512 else 0] = text
    lines = [[name, *(row.get(column, "") for column in [0, *columns])]
             for name, row in rows.items()]  # fmt: skip
    return markdown(["collective", "shortest", *map(size, columns)], lines)


@main.command()
@click.argument("results", type=click.Path(exists=True, path_type=Path))
def tables(results: Path) -> None:
    """Prints RESULTS as Markdown: a table for each MPI and number of ranks."""
    groups: dict[tuple[str, int], dict[tuple[str, int], list[Cell]]] = {}
    for cell in sorted(read(results).values(), key=lambda one: str(one["buffers"]), reverse=True):
        group = groups.setdefault((cell["mpi"], cell["ranks"]), {})
        group.setdefault((cell["collective"], cell["bytes"]), []).append(cell)
    for (mpi, ranks), cells in sorted(groups.items()):
        click.echo(f"\n**{mpi}, {ranks} ranks**\n\n{table(cells)}\n")
        for buffers in ("the same", "rotating"):
            ratios = [one["chosen"] / one["native"] for found in cells.values() for one in found
                      if one["buffers"] == buffers]  # fmt: skip
            if ratios:
                mean = statistics.geometric_mean(ratios)
                click.echo(
                    f"{buffers}: {mean:.2f} in the geometric mean, above 1.03 in "
                    f"{sum(ratio > 1.03 for ratio in ratios)} of {len(ratios)} cells"
                )


if __name__ == "__main__":
    main()
