# SPDX-License-Identifier: Apache-2.0
"""roundelay tune."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from roundelay.benchmark import cells, job
from roundelay.benchmark.samples import About, Point, about_line, parsed, point_line
from roundelay.benchmark.tuning import (
    Measurements,
    Plan,
    as_text,
    lengths_of,
    mix_of,
    profile,
    tasks_of,
)
from roundelay.cannot_run import CannotRun
from roundelay.catalogue import UNSHARED
from roundelay.cli.common import (
    is_given,
    require_another_file,
    usage_errors,
    what_cannot_run,
    write_or_print,
)
from roundelay.cli.measuring import (
    MOST_MEASURED_BYTES,
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
from roundelay.cli.values import File, Number
from roundelay.files import require_writable, text_of, write_whole
from roundelay.profiles import as_file

EVERY = (
    "bcast", "reduce", "allreduce", "allgather", "reduce_scatter_block", "alltoall", "gather",
    "scatter", "barrier",
)  # fmt: skip


NO_LENGTH = "the ranks do not know the length of the whole message, so no rule can depend on it"


def _mix(file: Path) -> dict[str, tuple[int, int]]:
    """The shortest and the longest message of each collective of a record, in bytes.

    Says which collectives are left out. Raises ValueError for a file that is no record.
    """
    text = text_of(file)
    wrong = f"{file}: not what roundelay record writes"
    try:
        report = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(wrong) from None
    try:
        found = mix_of(report)
    except (KeyError, TypeError, AttributeError):
        raise ValueError(wrong) from None
    except ValueError as why:
        raise ValueError(f"{wrong}: {why}") from None
    measurable = cells.measurable()
    impossible = {
        name: "roundelay bench does not have it" for name in found if name not in measurable
    }
    impossible.update(
        (name, NO_LENGTH) for name in found if name in UNSHARED and name in measurable
    )
    left_out(impossible)
    tunable = {name: ends for name, ends in found.items() if name not in impossible}
    if not tunable:
        raise ValueError(f"{file}: it has no collective that can be tuned")
    if long := [name for name, (_, most) in tunable.items() if most > MOST_MEASURED_BYTES]:
        click.echo(
            f"roundelay: {', '.join(long)}: {file} has messages of more than 8 GiB; those of 8 GiB "
            "less 4 bytes, which is what MPI counts at most, are measured for them",
            err=True,
        )
    return {
        name: (min(least, MOST_MEASURED_BYTES), min(most, MOST_MEASURED_BYTES))
        for name, (least, most) in tunable.items()
    }


def _plans(
    wanted: Mapping[str, Sequence[int]], algorithms: Sequence[str], about: About
) -> list[Plan]:
    """What to measure of each collective. Says which algorithms are left out."""
    plans = []
    impossible: dict[str, str] = {}
    for name, lengths in wanted.items():
        (task,), of_it = cells.tasks([name], lengths, algorithms, about)
        impossible.update(of_it)
        fitting = sorted({int(cell.partition(":")[2]) for cell in task.cells})
        candidates = tuple(one for one in task.settings if one != "chosen")
        plans.append(Plan(name, tuple(fitting), candidates))
    left_out(impossible)
    return plans


def _known(file: Path, about: About) -> tuple[Measurements, bool]:
    """The measurements of an earlier run, and whether there are any. Raises ValueError."""
    text = text_of(file) if file.is_file() else ""
    if not text:
        return Measurements(about), False
    whole = text[: text.rindex("\n") + 1] if "\n" in text else text
    before, points = parsed(whole, file)
    if (before.ranks, before.hosts, before.library) != (about.ranks, about.hosts, about.library):
        raise ValueError(
            f"{file} has measurements of another job ({before.ranks} ranks, {before.library}): "
            "give another --measurements, or remove it"
        )
    if whole != text:  # it was stopped in a line
        write_or_print(whole, file)
    return Measurements(before, points), True


@click.command()
@launcher_option
@mpi_option
@click.option(
    "--sizes",
    callback=parse_sizes,
    default="8:4M",
    show_default=True,
    help="Lengths of the whole message, in the form of bench. Where the best algorithm differs "
    "between two of them, lengths between them are measured, too.",
)
@click.option(
    "--from",
    "report",
    type=File(exists=True),
    help="What `roundelay record` wrote for a program, whose collectives and lengths are then "
    "tuned.",
)
@click.option(
    "--algorithms",
    "-a",
    default="all",
    show_default=True,
    metavar="NAMES",
    help="all, or names separated by commas, e.g. ring,circulant(blocks=16). Native is always "
    "measured.",
)
@click.option(
    "--time",
    "seconds",
    type=Number(more=True, seconds=True),
    default=1.0,
    show_default=True,
    help="Maximum time in seconds for the candidates of one collective and length.",
)
@click.option(
    "--measurements",
    type=File(),
    help="The file for all samples, from which an interrupted run continues; by default "
    "OUTPUT.jsonl.",
)
@click.option(
    "-o",
    "--output",
    type=File(),
    required=True,
    help="The profile to write.",
)
@click.argument("collectives", nargs=-1, metavar="[COLLECTIVE]...")
def tune(
    launcher: str | None,
    mpi: str | None,
    sizes: list[int],
    report: Path | None,
    algorithms: str,
    seconds: float,
    measurements: Path | None,
    output: Path,
    collectives: tuple[str, ...],
) -> None:
    """Measures which algorithms are best, and writes a profile.

    Without COLLECTIVE it tunes bcast, reduce, allreduce, allgather, reduce_scatter_block, alltoall,
    gather, scatter and barrier.

    The profile says from which length on which algorithm is the best. The command measures a few
    lengths, and then only where the best algorithm changes. After an interruption the same command
    continues where it stopped. The profile is for jobs of the same shape: as many ranks on as many
    nodes.

    \b
    Example:
      roundelay tune --launcher "srun -n 64" -o cluster.json
      roundelay record -o mix.json -- mpiexec -n 8 ./app
      roundelay tune --from mix.json --launcher "mpiexec -n 8" -o app.json
      roundelay run --profile ./app.json -- mpiexec -n 8 ./app
    """
    with usage_errors():
        names = cells.named(algorithms)
        require_names(names)
        if report is not None:
            if collectives:
                raise ValueError("--from says which collectives are tuned: leave them out")
            if is_given("sizes"):
                raise ValueError("--from says which lengths are tuned: leave --sizes out")
            mix = _mix(report)
            wanted = {name: lengths_of(*ends) for name, ends in mix.items()}
        else:
            wanted = dict.fromkeys(cells.collectives(collectives or EVERY), sizes)
            require_sizes_have_meaning(list(wanted))
        for name in wanted:
            if name in UNSHARED:
                raise ValueError(f"{name} cannot be tuned: {NO_LENGTH}")
        cells.check(list(wanted), names)
        file = measurements or output.with_name(f"{output.name}.jsonl")
        require_another_file(output, file, "the measurements")
        if report is not None:
            require_another_file(output, report, "the record of the program")
    start_with = default_launcher() if launcher is None else launcher
    with what_cannot_run():
        code = _tune(start_with, mpi, wanted, names, seconds, file, output)
    sys.exit(code)


def _tune(
    launcher: str,
    mpi: str | None,
    wanted: Mapping[str, Sequence[int]],
    algorithms: Sequence[str],
    seconds: float,
    file: Path,
    output: Path,
) -> int:
    require_writable(output)
    where = job.bed(launcher, mpi)
    about = looked(where)
    if about.ranks < 2:
        raise CannotRun("with one rank there is nothing to choose: start two or more")
    warn(about)
    plans = _plans(wanted, algorithms, about)
    with usage_errors():
        known, resumes = _known(file, about)
    with Keeper(file, append=resumes) as keeper:

        def tell(point: Point) -> None:
            known.add(point)
            keeper.write(point_line(point))

        if not resumes:
            keeper.write(about_line(job.described(about, where)))
        passed = False
        while needed := _needed(plans, known):
            # A second pass is longer: it tells apart what is close.
            effort = job.Effort(seconds=seconds if passed else seconds / 2, precision=0.02)
            tasks = tasks_of(needed)
            ended = measured(where, tasks, effort, lambda about: None, tell, ROUNDELAY_LEARN="off")
            if ended.signal is not None:
                click.echo(
                    f"stopped by {ended.signal.name}; the same command continues from {file}",
                    err=True,
                )
                return 128 + ended.signal
            if ended.code != 0:
                click.echo(f"roundelay: the job ended with exit code {ended.code}", err=True)
                return ended.code
            passed = True
    document = profile(
        output.stem, plans, known, {**job.metadata(where), "measurements": str(file)}
    )
    return _write(document, output) or int(keeper.failed)


def _needed(plans: Sequence[Plan], known: Measurements) -> dict[str, dict[int, list[str]]]:
    needed = {plan.collective: plan.needed(known) for plan in plans}
    return {name: cells for name, cells in needed.items() if cells}


def _write(document: dict[str, Any], output: Path) -> int:
    text = as_text(document)
    console = Console(stderr=True)
    for collective, rules in document["collectives"].items():
        parts = []
        for rule in rules:
            least = rule.get("bytes", [0])[0]
            parts.append((f"from {least} bytes on " if least else "") + rule["algorithm"])
        console.print(f"{collective}: {', '.join(parts)}", highlight=False, markup=False)
    try:
        write_whole(text, output)
    except OSError as error:
        click.echo(text, nl=False)
        click.echo(f"cannot write {output}: {error.strerror}; here is the profile", err=True)
        return 1
    click.echo(
        f"wrote {output}: use it with roundelay run --profile {as_file(output)} ..", err=True
    )
    return 0
