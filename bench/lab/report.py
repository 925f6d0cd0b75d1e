# SPDX-License-Identifier: Apache-2.0
"""What campaign.py found, in short: native, what is chosen and the best of ours, as Markdown.

Medians over the least time in which the links can carry the data; between sites, where that says
little, and of barriers, which have none, milliseconds. With --plot also a picture, which needs
matplotlib.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
from compare import Result, markdown, name_of, read, size
from roundelay import plotting


class Cell(NamedTuple):
    """A message of a collective on one network, with each setting."""

    place: str
    mpi: str
    collective: str
    ranks: int
    bytes: int
    native: float  # over the limit, or milliseconds, as all figures here
    chosen: float
    took: str  # what was chosen
    best: float
    by: str

    @property
    def between_sites(self) -> bool:
        return "/" in self.place

    @property
    def message(self) -> str:
        return size(self.bytes) if self.bytes else ""

    def text(self, figure: float) -> str:
        digits = (0 if figure >= 100 else 1) if self.between_sites else 2
        unit = "" if self.bytes or self.between_sites else " ms"
        return f"{figure:.{digits}f}{unit}"

    @property
    def flaws(self) -> str:
        """The rows that miss a target."""
        found = []
        if self.chosen > 1.03 * self.native:
            found.append("slower than native")
        if self.chosen > 1.10 * self.best:
            found.append("not the best")
        if self.bytes > 1_000_000 and self.best > 1.10 and not self.between_sites:
            found.append("off the limit")
        return ", ".join(found)


def figure(one: Result) -> float:
    in_time = "/" in one["where"] or one["bytes"] == 0
    return float(one["median"] * 1e3 if in_time else one["ratio"])


def cells(results: list[Result]) -> Iterator[Cell]:
    """Of whatever was measured natively, by choice and with at least one algorithm of ours."""
    by_cell: dict[tuple[Any, ...], dict[str, Result]] = defaultdict(dict)
    for one in results:
        place = (one["where"], one["mpi"], one["collective"], one["ranks"], one["bytes"])
        by_cell[place][one["setting"]] = one
    for place, found in sorted(by_cell.items()):
        native, chosen = found.pop("native", None), found.pop("chosen", None)
        if native is None or chosen is None or not found:
            continue
        took = chosen["ran"].partition(": ")[0].removeprefix(f"{place[2]}.")
        ours = [*found.values(), *([] if took == "native" else [chosen])]
        best = min(ours, key=lambda one: float(one["median"]))
        by = took if best is chosen else name_of(best["setting"], place[2])
        yield Cell(*place, figure(native), figure(chosen), took, figure(best), by)


def table(found: list[Cell]) -> str:
    head = ["collective", "message", "native", "chosen", "", "best of ours", "", ""]
    rows = (
        [
            cell.collective, cell.message, cell.text(cell.native), cell.text(cell.chosen),
            cell.took, cell.text(cell.best), cell.by, cell.flaws,
        ]
        for cell in found
    )  # fmt: skip
    return markdown(head, rows)


def at(found: Iterable[Cell], where: str | None, ranks: int | None) -> list[Cell]:
    """Those of one place and number of ranks, if these are given."""
    return [cell for cell in found if where in (None, cell.place) and ranks in (None, cell.ranks)]


def shown(found: list[Cell]) -> list[Cell]:
    """Those of a picture."""
    return [cell for cell in found if cell.bytes and not cell.between_sites]


def points(found: list[Cell]) -> list[list[Any]]:
    """All that the picture shows."""
    return [[cell.collective, cell.mpi, cell.bytes, cell.native, cell.chosen] for cell in found]


def plot(found: list[Cell], file: Path) -> None:
    names = list(dict.fromkeys(cell.collective for cell in found))
    mpis = list(dict.fromkeys(cell.mpi for cell in found))
    colours = plotting.colours(2 * len(mpis))
    rows = math.ceil(len(names) / 3)
    figure, all_axes = plotting.new_figure(
        nrows=rows, ncols=3, figsize=(10, 2.6 * rows), sharex=True, sharey=True, squeeze=False
    )
    for axes, name in zip(all_axes.flat, names, strict=False):
        for i, mpi in enumerate(mpis):
            own = [cell for cell in found if (cell.collective, cell.mpi) == (name, mpi)]
            sizes = [cell.bytes for cell in own]
            native, chosen = colours[2 * i : 2 * i + 2]
            axes.plot(sizes, [cell.native for cell in own], "s--", color=native, label=mpi)
            axes.plot(
                sizes, [cell.chosen for cell in own], "o-", color=chosen, label=f"{mpi}, Roundelay"
            )
        axes.set_title(name, fontsize="medium")
        plotting.size_axis(axes.xaxis, sorted({cell.bytes for cell in found}))
        plotting.ratio_axis(axes.yaxis)
        axes.tick_params(labelsize="small")
        axes.axhline(1, color="gray", linewidth=0.8)
        axes.grid(alpha=0.3)
    for axes in list(all_axes.flat)[len(names) :]:
        axes.set_visible(False)
    figure.supxlabel("message")
    figure.supylabel("time over what the links allow")
    handles, labels = all_axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    plotting.save(figure, file, points(found))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--where", help="Only of this place, e.g. lab:100mbit.")
@click.option("--ranks", "-p", type=int, help="Only with so many ranks.")
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="An .svg or .png.")
@click.argument("results", type=click.Path(exists=True, path_type=Path))
def main(where: str | None, ranks: int | None, picture: Path | None, results: Path) -> None:
    """Prints RESULTS as Markdown, a table for each network and MPI.

    \b
    Example:
      report.py --where lab:100mbit -p 8 --plot lab.svg docs/data/lab.json
    """
    found = at(cells(read(results)), where, ranks)
    groups: dict[tuple[str, int, str], list[Cell]] = defaultdict(list)
    for cell in found:
        groups[cell.place, cell.ranks, cell.mpi].append(cell)
    for (place, p, mpi), members in groups.items():
        click.echo(f"\n**{mpi}**, {place}, {p} ranks\n\n{table(members)}")
    if picture is not None:
        plot(shown(found), picture)


if __name__ == "__main__":
    main()
