# SPDX-License-Identifier: Apache-2.0
"""A study as a table for a person."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from roundelay.simulation.study import Study, Time
from roundelay.units import size_text, time_text

KINDS = {"roundelay": "Roundelay", "selector": "as the library", "smpi": "SMPI"}


def ratio_table(study: Study) -> Table:
    """A row for each contender, a column for each length; the best of each column is bold.

    A cell is the time over that of the best stand-in for an MPI library, which has a row above; the
    time itself where there is none. Nothing takes less than the cut bound.
    """
    sizes = sorted({time.bytes for time in study.times})
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("algorithm", no_wrap=True)
    for size in sizes:
        table.add_column(size_text(size), justify="right", no_wrap=True)
    bounds = [study.bound(size) for size in sizes]
    if any(bounds):
        table.add_row("", "cut bound", *(time_text(one) if one else "" for one in bounds))
    natives = [study.best_native(size) for size in sizes]
    if any(natives):
        table.add_row(
            "", "best native stand-in", *(time_text(one.seconds) if one else "" for one in natives)
        )
    least = {
        size: min(time.seconds for time in study.times if time.bytes == size) for size in sizes
    }

    def cell(time: Time | None) -> str:
        if time is None:
            return ""
        text = time_text(time.seconds) if time.ratio is None else f"{time.ratio:.2f}"
        return f"[bold]{text}[/]" if time.seconds == least[time.bytes] else text

    last = ""
    for kind, name in dict.fromkeys((time.kind, time.contender) for time in study.times):
        cells = (cell(study.time(name, size)) for size in sizes)
        table.add_row(KINDS[kind] if kind != last else "", escape(name), *cells)
        last = kind
    return table


def size_table(study: Study, size: int) -> Table:
    """All of one length, the fastest first: the time, over the bound and over the best native.

    Then the bytes that leave the parts of the network, of those whose schedules are known.
    """
    times = sorted((t for t in study.times if t.bytes == size), key=lambda time: time.seconds)
    columns: dict[str, list[str]] = {
        "time": [time_text(time.seconds) for time in times],
        "over\nbound": [f"{time.over_bound:.2f}" if time.over_bound else "" for time in times],
        "over\nnative": [f"{time.ratio:.2f}" if time.ratio else "" for time in times],
    }
    for part in dict.fromkeys(part for time in times for part in time.crossing):
        columns[f"between\n{part}"] = [
            size_text(time.crossing[part], 4) if part in time.crossing else "" for time in times
        ]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("algorithm", no_wrap=True)
    shown = {name: texts for name, texts in columns.items() if any(texts)}
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    for i, time in enumerate(times):
        kind = "" if time.kind == "roundelay" else f" ({KINDS[time.kind]})"
        table.add_row(escape(time.contender + kind), *(texts[i] for texts in shown.values()))
    return table
