# SPDX-License-Identifier: Apache-2.0
"""The picture of a study."""

from __future__ import annotations

from pathlib import Path

from roundelay.cannot_run import CannotRun
from roundelay.simulation.study import Study

STYLES = {"roundelay": "o-", "selector": "s--", "smpi": ":"}


def plot(study: Study, file: Path) -> None:
    """Ratios to the best stand-in for an MPI library over the length. Raises CannotRun."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise CannotRun("drawing needs Matplotlib: pip install matplotlib") from None
    pyplot.rcParams["svg.hashsalt"] = "roundelay"  # the same picture, the same file
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for name, kind in dict.fromkeys((time.contender, time.kind) for time in study.times):
        own = sorted(
            (time.bytes, time.ratio or time.seconds)
            for time in study.times
            if time.contender == name
        )
        axes.plot(
            [size for size, _ in own],
            [value for _, value in own],
            STYLES[kind],
            color="lightgray" if kind == "smpi" else None,
            label="_" if kind == "smpi" else name,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("bytes")
    with_natives = any(time.ratio for time in study.times)
    axes.set_ylabel("time / best native stand-in" if with_natives else "seconds")
    axes.set_title(f"{study.collective}, {study.ranks} ranks, {study.platform} (simulated)")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize="small")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    pyplot.close(figure)
