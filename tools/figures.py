# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures anew, each from the data or the table that its page shows."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from roundelay import algorithms
from roundelay.drawing import picture, tell
from roundelay.plotting import digest
from roundelay.simulation import plot as simulated
from roundelay.simulation.study import Study, Time

TOP = Path(__file__).resolve().parent.parent
FOLDER = TOP / "docs" / "figures"
DATA = TOP / "docs" / "data"


class Plot(NamedTuple):
    """Curves: what they show, and who draws it into a file."""

    data: Callable[[], Any]
    draw: Callable[[Path], None]


def script(path: str) -> ModuleType:
    """A program of bench/, which may import its neighbours."""
    file = TOP / path
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


report = script("bench/lab/report.py")
circulant = script("bench/schedule/plot_circulant.py")


def lab(where: str, ranks: int) -> Plot:
    found = report.shown(report.at(report.cells(report.read(DATA / "lab.json")), where, ranks))
    return Plot(lambda: report.points(found), lambda file: report.plot(found, file))


def simulation(name: str) -> Plot:
    """Of what `roundelay simulate --json` wrote."""
    kept = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    study = Study(**{**kept, "times": [Time(**each) for each in kept["times"]]})
    return Plot(lambda: simulated.points(study), lambda file: simulated.plot(study, file))


PLOTS = {
    "circulant-schedule.svg": Plot(circulant.points, circulant.plot),
    "lab.svg": lab("lab:100mbit", 8),
    "lab-16.svg": lab("lab:50mbit", 16),
    "simulate-allreduce.svg": simulation("simulate-allreduce"),
}
SCHEDULES = {"inter_ring-4-6.svg": (4, 6), "inter_ring-6-4.svg": (6, 4)}


def schedule(senders: int, receivers: int) -> str:
    name = "allgather.inter_ring"
    (summary,) = (one.summary for one in algorithms() if one.name == name)
    return picture(tell(name, senders, q=receivers), summary)


def stale() -> list[str]:
    """Those that do not show what their data say, or are missing, or belong to nothing."""
    text = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*")}
    wrong = [name for name, each in PLOTS.items() if digest(each.data()) not in text.get(name, "")]
    wrong += [name for name, sizes in SCHEDULES.items() if text.get(name) != schedule(*sizes)]
    return sorted([*wrong, *(text.keys() - PLOTS.keys() - SCHEDULES.keys())])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if a picture is not up to date"
    )
    check = parser.parse_args().check
    old = stale()
    if check and old:
        print(f"docs/figures does not show what its data say: {', '.join(old)}: run make figures")
        return 1
    for name in old:
        if name in PLOTS:
            PLOTS[name].draw(FOLDER / name)
        elif name in SCHEDULES:
            (FOLDER / name).write_text(schedule(*SCHEDULES[name]), encoding="utf-8")
        else:
            print(f"docs/figures/{name}: nothing draws this")
    return 0


if __name__ == "__main__":
    sys.exit(main())
