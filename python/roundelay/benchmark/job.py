# SPDX-License-Identifier: Apache-2.0
"""The job that measures: collectives-<id>, started by the user's launcher."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any, Callable

from roundelay.benchmark.samples import About, Point, about_of, point_of
from roundelay.builds import Build
from roundelay.cannot_run import CannotRun
from roundelay.launcher import with_program
from roundelay.own_program import more_than_one_job, starting
from roundelay.running import Launch, prepared, subject_of
from roundelay.signals import Ended, Stopped, run

# Variables that may change what an MPI library does.
TELLING = re.compile("(OMPI_MCA|PRTE_MCA|PMIX_MCA|MPIR_CVAR|MPICH|UCX|UCC|FI|I_MPI|ROUNDELAY)_?.*")


@dataclass(frozen=True)
class Effort:
    """How long to measure, and how."""

    repetitions: int = 200  # of a point, at most
    seconds: float = 1.0  # of all settings of one collective and length, at most
    precision: float = 0.02  # enough: width of the confidence interval over the median
    calls: int = 1  # in a row, whose mean is a repetition
    buffers: int = 1  # that have their turn
    fixed_root: bool = False  # else each repetition has another one
    keeps_all: bool = False  # seconds of every rank

    @property
    def options(self) -> list[str]:
        """The options that tell the program this."""
        words = ["-k", str(self.repetitions), "-t", str(self.seconds), "-e", str(self.precision)]
        words += ["-n", str(self.calls), "-b", str(self.buffers)]
        return [*words, *([] if self.fixed_root else ["-R"]), *(["-a"] if self.keeps_all else [])]


@dataclass(frozen=True)
class Task:
    """Cells that have settings in common."""

    settings: tuple[str, ...]
    cells: tuple[str, ...]  # such as bcast:1024

    @property
    def words(self) -> list[str]:
        """The arguments that tell the program this."""
        return [*(word for each in self.settings for word in ("-s", each)), *self.cells]

    @property
    def points(self) -> int:
        return len(self.settings) * len(self.cells)


@dataclass(frozen=True)
class Bed:
    """Where and how the program is started."""

    command: tuple[str, ...]  # of the launcher
    build: Build

    def launch(self, words: Sequence[str], variables: Mapping[str, str]) -> Launch:
        """What starts the program with these arguments, with Roundelay preloaded."""
        started = with_program(self.command, [str(self.build.collectives), *words])
        return prepared(subject_of(started), self.build, {"ROUNDELAY_REPORT": "off", **variables})


def bed(launcher: str, mpi: str | None) -> Bed:
    """Where to measure. `launcher` is a command that starts ranks, and names no program.

    Raises CannotRun.
    """
    try:
        command = shlex.split(launcher)
    except ValueError as error:
        raise CannotRun(f"--launcher {launcher}: {error}") from None
    if not command:
        raise CannotRun('--launcher is empty; give for example "mpiexec -n 4"')
    subject, build = starting(command, mpi, lambda build: build.collectives)
    return Bed(subject.command, build)


def metadata(where: Bed) -> dict[str, Any]:
    """What a reader has to know of a measurement: version, date, launcher, build, variables."""
    return {
        "version": version("roundelay"),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "launcher": shlex.join(where.command),
        "build": where.build.text,
        "variables": {
            name: value for name, value in sorted(os.environ.items()) if TELLING.fullmatch(name)
        },
    }


def look(where: Bed) -> About:
    """Starts the ranks once to see where they are. Raises CannotRun, and Stopped at a signal."""
    found: list[About] = []
    ended = _run(where, [], found.append, lambda point: None, {}, {})
    if ended.signal is not None:
        raise Stopped(ended.signal)
    if not found or ended.code != 0:
        raise CannotRun(f"'{shlex.join(where.command)}' did not start the program")
    if len(found) > 1:
        raise more_than_one_job(where.command, where.build)
    return found[0]


def measure(
    where: Bed,
    tasks: Sequence[Task],
    effort: Effort,
    tell_about: Callable[[About], None],
    tell: Callable[[Point], None],
    variables: Mapping[str, str],
) -> Ended:
    """Runs the job. `tell_about` gets its description, and `tell` each point when it is measured.

    Both are called in another thread. `variables` are set for the library in addition to those of
    the environment.
    """
    words = effort.options
    for task in tasks:
        words = [*words, *task.words]
    return _run(where, words, tell_about, tell, metadata(where), variables)


def described(about: About, where: Bed) -> About:
    """The same description with metadata()."""
    return replace(about, more=metadata(where))


def _run(
    where: Bed,
    words: Sequence[str],
    tell_about: Callable[[About], None],
    tell: Callable[[Point], None],
    more: Mapping[str, Any],
    variables: Mapping[str, str],
) -> Ended:
    def heed(line: str) -> None:
        if line.startswith('{"ranks"'):
            text = line.rpartition(', "results"')[0]
            tell_about(about_of(json.loads(text + "}"), more))
        elif line.startswith('{"collective"'):
            tell(point_of(json.loads(line.rstrip(","))))

    what = where.launch(words, variables)
    with _followed(heed) as printed:
        return run(what.command, what.environment, stdin=subprocess.DEVNULL, stdout=printed)


@contextlib.contextmanager
def _followed(heed: Callable[[str], None]) -> Iterator[int]:
    """A file for the output of a command. `heed` gets each line when it is complete."""
    over = threading.Event()
    with os.fdopen(os.memfd_create("output"), "r+b") as printed:

        def follow() -> None:
            place, rest = 0, b""
            while True:
                last = over.is_set()
                while piece := os.pread(printed.fileno(), 1 << 20, place):
                    place += len(piece)
                    *lines, rest = (rest + piece).split(b"\n")
                    for line in lines:
                        with contextlib.suppress(json.JSONDecodeError):
                            heed(line.decode(errors="replace"))
                if last:
                    return
                over.wait(0.1)

        follower = threading.Thread(target=follow, daemon=True)
        follower.start()
        try:
            yield printed.fileno()
        finally:
            over.set()
            follower.join()
