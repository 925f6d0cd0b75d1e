# SPDX-License-Identifier: Apache-2.0
"""Jobs of Roundelay's own programs, which measure, on the ranks that the user's launcher starts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Callable

from roundelay.builds import Build, builds
from roundelay.cannot_run import CannotRun
from roundelay.launcher import programs_of
from roundelay.running import Subject, pick_build, subject_of


def starting(
    command: Sequence[str], mpi: str | None, program: Callable[[Build], Path]
) -> tuple[Subject, Build]:
    """Who starts the ranks, and the build whose program they are to run. Raises CannotRun.

    `command` is that of the launcher, and names no program.
    """
    subject = subject_of(command)
    programs = programs_of(subject.launcher, subject.command) if subject.launcher else []
    if programs:
        raise CannotRun(
            f"leave '{' '.join(programs[0])}' out of the launcher's command: "
            "a program of Roundelay is started"
        )
    build = pick_build(subject, builds(), mpi)
    if not program(build).exists():
        raise CannotRun(f"there is no {program(build)}; build Roundelay again (make build)")
    return subject, build


def more_than_one_job(command: Sequence[str], build: Build) -> CannotRun:
    """What to raise where the ranks do not know of each other."""
    return CannotRun(
        f"'{command[0]}' started more than one job: it is not the launcher of {build.text}; "
        "--mpi says which build to use"
    )
