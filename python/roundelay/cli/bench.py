# SPDX-License-Identifier: Apache-2.0
"""roundelay bench."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from roundelay.benchmark import cells, formats, job, picture
from roundelay.benchmark.guidelines import violations
from roundelay.benchmark.samples import (
    About,
    Point,
    Summary,
    about_line,
    algorithm_bandwidth,
    bus_bandwidth,
    by_cell,
    differ,
    point_line,
    summary,
)
from roundelay.cli.common import (
    print_table,
    usage_errors,
    what_cannot_run,
)
from roundelay.cli.measuring import (
    Keeper,
    default_launcher,
    launcher_option,
    left_out,
    looked,
    measured,
    mpi_option,
    parse_sizes,
    require_names,
    require_sizes_have_meaning,
    warn,
)
from roundelay.cli.values import File, Number, Whole, Word
from roundelay.units import size_text, time_text, us_text

FORMATS: dict[str, Callable[[About, Sequence[Point]], str]] = {
    "json": lambda about, points: about_line(about) + "".join(map(point_line, points)),
    "csv": formats.comma_separated,
    "osu": formats.osu,
    "imb": formats.imb,
}


def _rate(value: float) -> str:
    return f"{1e-9 * value:.3g}"


def _row(point: Point, one: Summary, native: Summary | None, about: About) -> list[str]:
    ratio = f"{one.median / native.median:.2f}" if native and native.median > 0 else "?"
    if native and point.setting != "native" and not differ(one, native, about.start_seconds):
        ratio += "~"
    spread = 100 * (one.upper - one.lower) / 2 / one.median if one.median > 0 else 0
    ran = point.algorithm if point.setting == "chosen" else ""
    return [
        escape(point.name + (f": {ran}" if ran and ran != "chosen" else "")),
        us_text(one.median),
        f"{spread:.0f}%",
        us_text(one.p90),
        us_text(one.p99),
        ratio,
        _rate(algorithm_bandwidth(point, one.median)),
        _rate(bus_bandwidth(point, about.ranks, one.median)),
        str(one.slowest),
        str(one.count),
    ]


HEADS = ("median", "+-", "P90", "P99", "/native", "algbw", "busbw", "slowest", "n")


def _table(collective: str, points: Sequence[Point], about: About) -> Table:
    table = Table(
        box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold", title=collective,
        title_justify="left",
    )  # fmt: skip
    table.add_column("bytes", justify="right", no_wrap=True)
    table.add_column("setting", min_width=12)
    for head in HEADS:
        table.add_column(head, justify="right", no_wrap=True)
    for (_, length), cell in by_cell(points).items():
        found = {point.setting: summary(point) for point in cell}
        least = min(one.median for one in found.values())
        shown = size_text(length)
        for point in cell:
            one = found[point.setting]
            style = "bold" if one.median == least else None
            table.add_row(shown, *_row(point, one, found.get("native"), about), style=style)
            shown = ""
    return table


def _print(about: About, points: Sequence[Point]) -> None:
    console = Console()
    console.print(
        f"{picture.title(about)}\n\n"
        "Microseconds of the slowest rank. Ranks start within "
        f"{time_text(about.start_seconds)} of each other.\n"
        "+-       confidence interval of 95 percent of the median\n"
        "/native  of the medians; ~: they differ by no more than the intervals, or the time above\n"
        "algbw    GB/s of the message; busbw: of the busiest port, as NCCL's tests count\n"
        "slowest  the rank that was the slowest most often\n"
        "n        repetitions, none left out",
        highlight=False,
        soft_wrap=True,
    )
    for collective in dict.fromkeys(point.collective for point in points):
        console.print()
        print_table(
            _table(collective, [one for one in points if one.collective == collective], about)
        )
    for one in violations(points, about.start_seconds):
        console.print(
            f"guideline violated: {one.text} at {size_text(one.bytes)} with {one.setting}: "
            f"{time_text(one.seconds)} against {time_text(one.others_seconds)}",
            highlight=False,
            soft_wrap=True,
        )


@click.command()
@launcher_option
@mpi_option
@click.option(
    "--sizes",
    callback=parse_sizes,
    default="8:4M:4",
    show_default=True,
    help="Lengths of the whole message in bytes: 8:4M (doubling), 8:4M:4 (by a factor of four), "
    "or a list such as 8,1K,64K.",
)
@click.option(
    "--algorithms",
    "-a",
    default="",
    metavar="NAMES",
    help="all, or names separated by commas, e.g. ring,circulant(blocks=16). Native and the "
    "choice of Roundelay are always measured.",
)
@click.option(
    "--time",
    "seconds",
    type=Number(more=True, seconds=True),
    default=1.0,
    show_default=True,
    help="Maximum time in seconds for all settings of one collective and length.",
)
@click.option(
    "--precision",
    type=Number(),
    default=0.02,
    show_default=True,
    help="Stop earlier when the confidence intervals are no wider than this share of the median.",
)
@click.option(
    "--repetitions",
    "-k",
    type=Whole(1),
    default=1000,
    show_default=True,
    help="Maximum number of repetitions.",
)
@click.option(
    "--calls", "-n", type=Whole(1), default=1, show_default=True,
    help="Calls in one repetition, whose sample is their mean time.",
)  # fmt: skip
@click.option(
    "--buffers", "-b", type=Whole(1), default=1, show_default=True,
    help="Number of buffers that the calls of a repetition use in turn; with many, the data is "
        "not in the caches.",
)  # fmt: skip
@click.option(
    "--fixed-root",
    is_flag=True,
    help="Always use rank 0 as the root; by default each repetition has another root.",
)
@click.option(
    "--format",
    "form",
    type=Word(["table", *FORMATS]),
    default="table",
    show_default=True,
    help="json: a line for each collective, length and setting, with all samples; osu, imb: the "
    "format of these benchmarks.",
)
@click.option(
    "-o",
    "--output",
    type=File(),
    help="Also write all samples of all ranks to this file, as JSON lines, for `roundelay plot`.",
)
@click.argument("collectives", nargs=-1, metavar="[COLLECTIVE]...")
def bench(
    launcher: str | None,
    mpi: str | None,
    sizes: list[int],
    algorithms: str,
    seconds: float,
    precision: float,
    repetitions: int,
    calls: int,
    buffers: int,
    fixed_root: bool,
    form: str,
    output: Path | None,
    collectives: tuple[str, ...],
) -> None:
    """Times collectives, native and by Roundelay's algorithms.

    Without COLLECTIVE it times bcast, reduce, allreduce, allgather, reduce_scatter_block and
    alltoall.

    One job runs all settings in turn, in a new order in each repetition. Every result is checked.
    Messages, not a collective, make the ranks start together. The time of the slowest rank counts.
    All samples are kept.

    \b
    Example:
      roundelay bench
      roundelay bench allreduce bcast --sizes 8:1M --algorithms all --launcher "srun -n 64"
      roundelay bench alltoall --sizes 64K -o alltoall.jsonl && roundelay plot alltoall.jsonl
    """
    with usage_errors():
        names = cells.named(algorithms)
        require_names(names)
        wanted = cells.collectives(collectives)
        require_sizes_have_meaning(wanted)
        cells.check(wanted, names)
    effort = job.Effort(
        repetitions, seconds, precision, calls, buffers, fixed_root,
        keeps_all=output is not None or form in ("osu", "imb"),
    )  # fmt: skip
    start = default_launcher() if launcher is None else launcher
    with what_cannot_run():
        code = _measure(start, mpi, wanted, sizes, names, effort, form, output)
    sys.exit(code)


def _measure(
    launcher: str,
    mpi: str | None,
    collectives: Sequence[str],
    sizes: Sequence[int],
    algorithms: Sequence[str],
    effort: job.Effort,
    form: str,
    output: Path | None,
) -> int:
    where = job.bed(launcher, mpi)
    first = looked(where)
    tasks, impossible = cells.tasks(collectives, sizes, algorithms, first)
    left_out(impossible)
    warn(first)
    abouts: list[About] = []
    points: list[Point] = []
    with Keeper(output) as keeper:

        def tell_about(about: About) -> None:
            abouts.append(about)
            keeper.write(about_line(about))

        def tell(point: Point) -> None:
            points.append(point)
            keeper.write(point_line(point))

        ended = measured(where, tasks, effort, tell_about, tell)
    if points:
        if form == "table":
            _print(abouts[0], points)
        else:
            click.echo(FORMATS[form](abouts[0], points), nl=False)
    if ended.signal is not None:
        click.echo(f"stopped by {ended.signal.name}; the rest was not measured", err=True)
    elif ended.code != 0:
        click.echo(f"roundelay: the job ended with exit code {ended.code}", err=True)
    if ended.signal is not None:
        return 128 + ended.signal
    return ended.code or int(keeper.failed)
