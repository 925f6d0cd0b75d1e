# SPDX-License-Identifier: Apache-2.0
"""The picture of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roundelay import plotting
from roundelay.simulation.study import Study

SUFFIXES = (".svg", ".png", ".pdf")
STYLES = {"roundelay": "o-", "selector": "s--", "smpi": ":"}


def points(study: Study) -> dict[str, Any]:
    """All that the picture shows: (bytes, ratio to the best stand-in, or seconds) by contender."""
    curves: dict[str, Any] = {}
    for time in study.times:
        one = curves.setdefault(time.contender, {"kind": time.kind, "points": []})
        one["points"].append([time.bytes, time.ratio or time.seconds])
    for one in curves.values():
        one["points"].sort()
    return {
        "title": f"{study.collective}, {study.ranks} ranks, {study.platform} (simulated)",
        "unit": "time / best native stand-in" if any(x.ratio for x in study.times) else "seconds",
        "curves": curves,
    }


def plot(study: Study, file: Path) -> None:
    """Ratios to the best stand-in for an MPI library over the length.

    The name of the file ends in one of SUFFIXES. Raises CannotRun, and OSError.
    """
    figure, axes = plotting.new_figure(figsize=(9, 4.5))
    shown = points(study)
    curves = shown["curves"]
    named = [name for name, one in curves.items() if one["kind"] != "smpi"]
    colour = dict(zip(named, plotting.colours(len(named)), strict=True))
    for name, one in curves.items():
        axes.plot(
            *zip(*one["points"], strict=True),
            STYLES[one["kind"]],
            color=colour.get(name, "lightgray"),
            label=name if name in colour else "_",
        )
    plotting.size_axis(axes.xaxis, sorted({time.bytes for time in study.times}))
    plotting.ratio_axis(axes.yaxis)
    axes.set_xlabel("message")
    axes.set_ylabel(shown["unit"])
    axes.set_title(shown["title"])
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    plotting.save(figure, file, shown)
