# SPDX-License-Identifier: Apache-2.0
"""What was simulated of a collective, a number of ranks and a length, in a file of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from roundelay.simulation.study import Study, Time

# What is asked of every cell: at most so many times the best of ours, and of the natives.
OF_OURS, OF_NATIVES = 1.10, 1.03


@dataclass(frozen=True)
class Cell:
    """A collective, a number of ranks and a length; seconds by contender.

    `network` names it where there are others than clusters with a rank on each host; `bound` is
    what no algorithm beats on it, `why` the library's reason for its choice.
    """

    collective: str
    ranks: int
    bytes: int
    ran: str
    chosen: float
    ours: dict[str, float]
    natives: dict[str, float]
    network: str = ""
    bound: float | None = None
    why: str = ""

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What it is."""
        return self.network, self.collective, self.ranks, self.bytes

    @property
    def best(self) -> str:
        """Of ours."""
        return min(self.ours, key=lambda name: self.ours[name])

    @property
    def best_native(self) -> str:
        """Among the stand-ins."""
        return min(self.natives, key=lambda name: self.natives[name])

    @property
    def of_ours(self) -> float:
        """How many times as long as the best of ours the choice takes."""
        return self.chosen / self.ours[self.best]

    @property
    def of_natives(self) -> float:
        """How many times as long as the best stand-in the choice takes."""
        return self.chosen / self.natives[self.best_native]

    @property
    def is_lost(self) -> bool:
        """Whether it misses what is asked."""
        return round(self.of_ours, 2) > OF_OURS or round(self.of_natives, 2) > OF_NATIVES


def cells_of(found: Study, network: str = "") -> Iterable[Cell]:
    """Those in which the choice, one of ours and one of the natives have run."""
    for size in sorted({time.bytes for time in found.times}):
        chosen = found.time("chosen", size)
        of_kind: dict[bool, dict[str, float]] = {True: {}, False: {}}
        for time in found.times:
            if time.bytes == size and time.contender != "chosen":
                of_kind[time.kind == "roundelay"][time.contender] = time.seconds
        if chosen is None or not all(of_kind.values()):
            continue
        ran, why = _ran(chosen)
        yield Cell(
            found.collective, found.ranks, size, ran, chosen.seconds, of_kind[True], of_kind[False],
            network, found.bound(size), why,
        )  # fmt: skip


def _ran(chosen: Time) -> tuple[str, str]:
    """The algorithm and the reason."""
    ran, _, why = chosen.ran.partition(": ")
    return ran.partition(".")[2], why


def chosen_again(cell: Cell, found: Study) -> Cell:
    """With the choice as it was found now; as it is if that has not run."""
    chosen = found.time("chosen", cell.bytes)
    if chosen is None:
        return cell
    ran, why = _ran(chosen)
    return replace(cell, ran=ran, chosen=chosen.seconds, why=why)


def read(path: Path) -> list[Cell]:
    """What a file holds; nothing if there is none."""
    return [Cell(**cell) for cell in json.loads(path.read_text())["cells"]] if path.exists() else []


def write(path: Path, cells: Iterable[Cell]) -> None:
    """A line for each cell."""
    text = ",\n".join(json.dumps(asdict(cell)) for cell in sorted(cells, key=lambda one: one.key))
    path.write_text(f'{{"cells": [\n{text}\n]}}\n')
