# SPDX-License-Identifier: Apache-2.0
"""Curves of what was measured, as a picture or as a page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from roundelay import plotting
from roundelay.benchmark.samples import About, Point, bus_bandwidth, summary
from roundelay.units import count_text

STYLES = {
    "native": {"marker": ".", "linestyle": "--", "color": "black"},
    "chosen": {"marker": "o", "color": "tab:red"},
}


def title(about: About) -> str:
    hosts = len(set(about.hosts))
    where = "one host" if hosts == 1 else f"{hosts} hosts"
    return f"{count_text(about.ranks, 'rank')} on {where}, {about.library.partition(',')[0]}"


def curves(points: Sequence[Point]) -> dict[str, dict[str, list[list[float]]]]:
    """By collective and setting: length, median, lower and upper end of its interval."""
    found: dict[str, dict[str, list[list[float]]]] = {}
    for point in points:
        one = summary(point)
        curve = found.setdefault(point.collective, {}).setdefault(point.name, [])
        curve.append([max(point.bytes, 1), one.median, one.lower, one.upper])
    for of_collective in found.values():
        for curve in of_collective.values():
            curve.sort()
    return found


def draw(about: About, points: Sequence[Point], suffix: str) -> bytes:
    """The bytes of a picture: a panel for each collective, with medians and their intervals.

    `suffix` is that of the file, e.g. ".svg". Raises CannotRun.
    """
    found = curves(points)
    panels = list(found.items())
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = plotting.new_figure(
        nrows=rows, ncols=columns, squeeze=False, figsize=(6 * columns, 4 * rows)
    )
    for place, axis in enumerate(axes.flat):
        if place < len(panels):
            _panel(axis, *panels[place])
        else:
            axis.set_axis_off()
    figure.suptitle(title(about))
    return plotting.rendered(figure, suffix, {"title": title(about), "curves": found})


def _panel(axis: Any, collective: str, of_collective: dict[str, list[list[float]]]) -> None:
    names = [name for name in of_collective if name not in STYLES]
    colour = dict(zip(names, plotting.colours(len(names)), strict=True))
    for name, curve in of_collective.items():
        lengths = [one[0] for one in curve]
        lines = axis.plot(
            lengths,
            [1e6 * one[1] for one in curve],
            **STYLES.get(name, {"marker": ".", "color": colour.get(name)}),
            label=name,
        )
        axis.fill_between(
            lengths,
            [1e6 * one[2] for one in curve],
            [1e6 * one[3] for one in curve],
            color=lines[0].get_color(),
            alpha=0.2,
            linewidth=0,
        )
    sizes = sorted({int(one[0]) for curve in of_collective.values() for one in curve})
    step = -(-len(sizes) // 8)
    plotting.size_axis(axis.xaxis, sizes[::step])
    plotting.ratio_axis(axis.yaxis)
    axis.set_title(collective)
    axis.set_xlabel("message")
    axis.set_ylabel("us")
    axis.grid(alpha=0.3)
    axis.legend(frameon=False, fontsize="small")


PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }}
svg {{ max-width: 100%; height: auto; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: 0.15em 0.8em; text-align: right; border-bottom: 1px solid #ccc; }}
td:nth-child(-n+3), th:nth-child(-n+3) {{ text-align: left; }}
</style>
<h1>{title}</h1>
{picture}
<table>
<tr><th>collective</th><th>bytes</th><th>setting</th><th>ran</th><th>median us</th><th>95 %</th>
<th>P90</th><th>P99</th><th>samples</th><th>GB/s on the bus</th></tr>
{rows}
</table>
<h2>The job</h2>
<pre>{about}</pre>
</html>
"""


def page(about: About, points: Sequence[Point]) -> str:
    """One file with the picture and all figures in it. Raises CannotRun."""
    svg = draw(about, points, ".svg").decode()
    rows = []
    for point in points:
        one = summary(point)
        bus = 1e-9 * bus_bandwidth(point, about.ranks, one.median)
        cells = [
            point.collective, str(point.bytes), point.setting, point.ran or "?",
            f"{1e6 * one.median:.2f}", f"{1e6 * one.lower:.2f} .. {1e6 * one.upper:.2f}",
            f"{1e6 * one.p90:.2f}", f"{1e6 * one.p99:.2f}", str(one.count), f"{bus:.3g}",
        ]  # fmt: skip
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    facts = [f"library: {about.library}", f"hosts: {' '.join(about.hosts)}"]
    facts += [f"{name}: {value}" for name, value in about.more.items()]
    return PAGE.format(
        title=html.escape(title(about)),
        picture=svg[svg.index("<svg") :],
        rows="\n".join(rows),
        about=html.escape("\n".join(facts)),
    )
