# SPDX-License-Identifier: Apache-2.0
"""Draws time per rank over log2 p from what circulant_bench wrote as JSON. Needs matplotlib.

build/release/bench/circulant_bench --benchmark_format=json >bench.json
python bench/schedule/plot_circulant.py bench.json docs/figures/circulant-schedule.svg
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

PAPER = [0.334, 0.370, 0.454, 0.534, 0.548, 0.566, 0.516, 0.608]  # microseconds, table 4
SERIES = {
    "both_schedules": "both schedules",
    "receive_alone": "receive schedule",
    "table": "receive schedules of all ranks at once",
}


def least_times(file: Path) -> dict[str, dict[float, float]]:
    """For each benchmark, nanoseconds by the middle of the range of p. Other load only adds."""
    times: dict[str, dict[float, float]] = {name: {} for name in SERIES}
    for run in json.loads(file.read_text())["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        name, first, last = run["name"].split("/")[:3]
        log = math.log2((int(first) + int(last)) / 2)
        times[name][log] = min(run["real_time"], times[name].get(log, math.inf))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, help="JSON of circulant_bench")
    parser.add_argument("figure", type=Path, help="the picture to write: .svg or .png")
    arguments = parser.parse_args()

    times = least_times(arguments.results)
    pyplot.rcParams["svg.hashsalt"] = "roundelay"  # the same picture, the same file
    figure, axes = pyplot.subplots(figsize=(6.4, 4))
    logs = sorted(times["both_schedules"])
    axes.plot(logs, [1000 * each for each in PAPER], "s--", color="gray", label="both, paper")
    for name, label in SERIES.items():
        axes.plot(logs, [times[name][log] for log in logs], "o-", label=label)
    axes.set_xlabel("log2 p")
    axes.set_ylabel("ns per rank")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(
        arguments.figure, metadata={"Date": None} if arguments.figure.suffix == ".svg" else None
    )


if __name__ == "__main__":
    main()
