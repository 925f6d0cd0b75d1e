# SPDX-License-Identifier: Apache-2.0
"""What the commands share that measure in a job of their own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Callable

import click
from rich.console import Console

from roundelay.benchmark import job
from roundelay.benchmark.samples import About, Point
from roundelay.cli.common import BARRIER, cannot_write, is_given, parse_bytes, progress_bar
from roundelay.signals import Ended
from roundelay.units import size_text

MOST_MEASURED_BYTES = 4 * (2**31 - 1)  # bytes of what an int counts, in numbers of four bytes

launcher_option = click.option(
    "--launcher",
    metavar="COMMAND",
    help='The command that starts the ranks, e.g. "srun -n 64"; by default mpiexec with a rank '
    "on each core.",
)
mpi_option = click.option(
    "--mpi", metavar="ID", help="The build to use, as `roundelay doctor` lists it."
)


def warn(about: About) -> None:
    """Says if some host has more ranks than cores, which makes every figure useless."""
    if crowded := about.oversubscribed:
        click.echo(
            f"roundelay: NOT A PERFORMANCE RESULT: more ranks than cores on {', '.join(crowded)}",
            err=True,
        )


def left_out(impossible: Mapping[str, str]) -> None:
    """Says which settings, or collectives, cannot be measured, and why: each reason once."""
    for reason in dict.fromkeys(impossible.values()):
        settings = [each for each, why in impossible.items() if why == reason]
        # What is called the same in several collectives is named once.
        names = dict.fromkeys(each.partition("=")[2] or each for each in settings)
        click.echo(f"roundelay: left out, because {reason}: {', '.join(names)}", err=True)


def parse_sizes(ctx: click.Context, param: click.Parameter, text: str) -> list[int]:
    """'8:4M' (doubling), '8:4M:4' (by a factor of four), '8,1K,64K'."""
    found: set[int] = set()
    for part in text.split(","):
        wrong = re.fullmatch(r"(\w+)\s*(?:-|\.\.)\s*(\w+)", part.strip())
        if wrong is not None:
            raise click.BadParameter(
                f"'{part}' is not a range of lengths (did you mean '{wrong[1]}:{wrong[2]}'?)"
            )
        ends = part.split(":")
        least = parse_bytes(ctx, param, ends[0])
        most = parse_bytes(ctx, param, ends[1]) if len(ends) > 1 else least
        if len(ends) > 3 or (len(ends) == 3 and not (ends[2].isdecimal() and int(ends[2]) > 1)):
            raise click.BadParameter(f"'{part}' is not like 8:4M, or 8:4M:4 for a factor of four")
        if most < least:
            turned = ":".join([ends[1].strip(), ends[0].strip(), *ends[2:]])
            raise click.BadParameter(f"'{part}' ends before it begins; '{turned}' is a range")
        if least == 0:
            raise click.BadParameter(f"'{part}': lengths begin at 1 byte, not 0")
        if most > MOST_MEASURED_BYTES:
            raise click.BadParameter(f"'{part}' is too long: MPI counts 8 GiB less 4 at most")
        factor = int(ends[2]) if len(ends) == 3 else 2
        while least <= most:
            found.add(least)
            least *= factor
    return sorted(found)


def require_names(algorithms: Sequence[str]) -> None:
    """Raises ValueError where -a was given, but without a name."""
    if not algorithms and is_given("algorithms"):
        raise ValueError("-a is empty: give all, or names such as ring,bruck")


def require_sizes_have_meaning(collectives: Sequence[str]) -> None:
    """Raises ValueError where lengths were given, but only a barrier is measured."""
    if set(collectives) == {BARRIER} and is_given("sizes"):
        raise ValueError(f"{BARRIER} has no data: leave out --sizes")


def default_launcher() -> str:
    """A command that starts a rank on each core of this machine, but at least two."""
    return f"mpiexec -n {max(2, len(os.sched_getaffinity(0)))}"


class Keeper:
    """Writes each line to a file at once, so that nothing is lost if the command is stopped.

    `failed`: some line could not be written.
    """

    def __init__(self, file: Path | None, append: bool = False) -> None:
        self.failed = False
        self._path = file
        self._mode = "a" if append else "w"
        self._file: IO[Any] | None = None

    def __enter__(self) -> Keeper:
        if self._path is not None:
            try:
                self._file = self._path.open(self._mode, encoding="utf-8")
            except OSError as error:
                raise cannot_write(self._path, error) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, line: str) -> None:
        """Writes a line. The first failure is reported, and later lines are not written."""
        if self._file is None:
            return
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            self.failed = True
            click.echo(
                f"roundelay: cannot write {self._path}: {error.strerror}; the measurements from "
                "here on are not kept",
                err=True,
            )
            lost, self._file = self._file, None
            try:
                lost.close()
            except OSError:
                return


def looked(where: job.Bed) -> About:
    """What job.look() finds. A terminal shows that the command waits for the ranks."""
    with Console(stderr=True).status("starting the ranks"):
        return job.look(where)


def measured(
    where: job.Bed,
    tasks: Sequence[job.Task],
    effort: job.Effort,
    tell_about: Callable[[About], None],
    tell: Callable[[Point], None],
    **variables: str,
) -> Ended:
    """Runs job.measure(), and shows its progress on a terminal."""
    with progress_bar() as bar:
        total = bar.add_task("measuring", total=sum(task.points for task in tasks))

        def tell_and_show(point: Point) -> None:
            tell(point)
            what = f"{point.collective} {size_text(point.bytes)}"
            bar.update(total, advance=1, description=what)

        return job.measure(where, tasks, effort, tell_about, tell_and_show, variables)
