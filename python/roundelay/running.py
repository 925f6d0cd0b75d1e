# SPDX-License-Identifier: Apache-2.0
"""Running a program through Roundelay: which build it needs, how to pass it on, what came of it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundelay.builds import HOW_TO_BUILD, Build
from roundelay.catalogue import algorithms
from roundelay.elf import Program, read_program
from roundelay.launcher import Launcher, find_launcher, program_of, with_variables
from roundelay.signals import Ended, run

COLLECTIVES = tuple(sorted({one.collective for one in algorithms()}))


class CannotRun(Exception):
    """Says why, and what would help."""


@dataclass(frozen=True)
class Subject:
    """What the user wants to run."""

    command: tuple[str, ...]
    launcher: Launcher | None
    program: Program | None  # None for scripts and where it cannot be told


def examine(command: Sequence[str]) -> Subject:
    """Raises CannotRun if there is no such command."""
    if shutil.which(command[0]) is None:
        raise CannotRun(f"there is no program '{command[0]}'")
    launcher = find_launcher(command)
    word = program_of(launcher, command) if launcher else command[0]
    path = shutil.which(word) if word else None
    return Subject(tuple(command), launcher, read_program(Path(path)) if path else None)


def _listed(builds: Sequence[Build]) -> str:
    return "there are: " + ", ".join(build.text for build in builds) if builds else "there is none"


def _sonames(subject: Subject) -> tuple[list[str], str]:
    """The MPI libraries that the program may load, and how that is known."""
    if subject.program is not None and subject.program.mpi is not None:
        return [subject.program.mpi], f"{subject.program.path.name} is linked to"
    if subject.launcher is not None:
        return list(subject.launcher.libraries), f"{subject.launcher.path} belongs to"
    return [], ""


def pick_build(subject: Subject, builds: Sequence[Build], wanted: str | None) -> Build:
    """The build for the program's MPI, or the one that is wanted. Raises CannotRun."""
    if wanted is not None:
        for build in builds:
            if build.id == wanted:
                return build
        raise CannotRun(f"there is no build '{wanted}'; {_listed(builds)}")
    sonames, known_from = _sonames(subject)
    fitting = [build for build in builds if build.soname in sonames]
    if not sonames:
        if subject.launcher is not None:  # its library stands somewhere else
            fitting = [build for build in builds if build.flavour == subject.launcher.flavour]
        elif len(builds) == 1:
            fitting = list(builds)
        if len(fitting) != 1:
            raise CannotRun(
                f"cannot tell which MPI '{subject.command[0]}' uses: give --mpi; {_listed(builds)}"
            )
    if not fitting:
        raise CannotRun(
            f"{known_from} {' or '.join(sonames)}, for which there is no build of Roundelay; "
            f"{_listed(builds)}; {HOW_TO_BUILD}"
        )
    return fitting[0]


def library_path(subject: Subject, build: Build) -> str | None:
    """LD_LIBRARY_PATH where the build would otherwise load another MPI than the program's."""
    libraries: dict[str, Path] = {}
    if subject.launcher is not None:
        libraries.update(subject.launcher.libraries)
    if subject.program is not None:
        libraries.update(subject.program.libraries)
    file = libraries.get(build.soname)
    if file is None or file.resolve().parent == build.libdir.resolve():
        return None
    return ":".join(filter(None, [str(file.parent), os.environ.get("LD_LIBRARY_PATH")]))


@dataclass(frozen=True)
class Plan:
    """What is to be started."""

    command: list[str]
    environment: dict[str, str]  # besides what is there


def plan(subject: Subject, build: Build, settings: Mapping[str, str]) -> Plan:
    """`settings` are variables of the library, e.g. ROUNDELAY_TRACE. Raises CannotRun."""
    library = str(build.library)
    if any(character in library for character in " :"):
        raise CannotRun(f"LD_PRELOAD cannot name {library}: there is a space or a colon in it")
    inherited = {name: value for name, value in os.environ.items() if name.startswith("ROUNDELAY")}
    variables = {**inherited, **settings}
    path = library_path(subject, build)
    if path is not None:
        variables["LD_LIBRARY_PATH"] = path
    preloaded = os.environ.get("LD_PRELOAD")
    if subject.launcher is not None:
        return Plan(
            *with_variables(subject.launcher, subject.command, library, variables, preloaded)
        )
    preload = ":".join(filter(None, [library, preloaded]))
    return Plan(list(subject.command), {**variables, "LD_PRELOAD": preload})


def start(what: Plan) -> Ended:
    """Runs it; signals end it as its launcher wants it. Raises CannotRun."""
    try:
        return run(what.command, what.environment)
    except OSError as error:
        raise CannotRun(f"cannot start '{what.command[0]}': {error.strerror}") from None


class UnknownEvents(Exception):
    """What the library wrote while the program ran cannot be read."""


def read_events(status: Path) -> list[dict[str, Any]]:
    """What the library wrote while the program ran; nothing if it was in no process.

    Raises UnknownEvents if not all of it could be written, e.g. on a full disk.
    """
    if not status.exists():
        return []
    text = status.read_bytes().decode(errors="replace")
    try:
        events = [json.loads(line) for line in text.split("\n") if line]
    except ValueError:
        events = []
    if not events:
        raise UnknownEvents
    return events
