# SPDX-License-Identifier: Apache-2.0
"""Running a program through Roundelay: which build it needs, how to pass it on, what came of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundelay.builds import HOW_TO_BUILD, Build, builds, folders
from roundelay.cannot_run import CannotRun
from roundelay.catalogue import algorithms
from roundelay.elf import MPI_NAMES, Program, flavour_of
from roundelay.launcher import (
    ANY,
    NAMES,
    Launcher,
    find_launcher,
    launcher_position,
    programs_of,
)
from roundelay.launcher_variables import with_variables
from roundelay.options import SRUN
from roundelay.signals import Ended, run
from roundelay.suggestions import did_you_mean
from roundelay.wrapped_program import Behind, program_behind

COLLECTIVES = tuple(sorted({one.collective for one in algorithms()}))


@dataclass(frozen=True)
class Subject:
    """What the user wants to run."""

    command: tuple[str, ...]
    launcher: Launcher | None
    programs: tuple[Behind, ...] = ()  # of a launch with colons several
    notes: tuple[str, ...] = ()  # what the user should know before it starts

    @property
    def program(self) -> Program | None:
        """The first that uses an MPI, else the first; None where it cannot be told."""
        there = [each.program for each in self.programs if each.program is not None]
        return next((each for each in there if each.mpi), there[0] if there else None)


def subject_of(command: Sequence[str]) -> Subject:
    """What a command line starts. Raises CannotRun if there is no such command."""
    words, notes = list(command), []
    position = launcher_position(words)
    if position is not None and shutil.which(words[position]) is None:
        substitute = _substitute(words, position)
        notes.append(f"there is no {words[position]} on PATH; using {substitute}")
        words[position] = str(substitute)
    if shutil.which(words[0]) is None:
        raise CannotRun(no_program(words[0]))
    launcher = find_launcher(words)
    if launcher is None:
        return Subject(tuple(words), None, (program_behind(words),), tuple(notes))
    if launcher.syntax is SRUN and "--multi-prog" in words:
        raise CannotRun(
            "srun --multi-prog names its programs in a file, where Roundelay cannot add variables: "
            "put the line that `roundelay env --mpi ID` prints before srun into the batch script"
        )
    programs = tuple(map(program_behind, programs_of(launcher, words)))
    return Subject(tuple(words), launcher, programs, tuple(notes))


def no_program(word: str) -> str:
    """Says that there is no such program, and what may be meant."""
    if not word:
        return "the name of the program is empty"
    text = f"there is no program '{word}'"
    if Path(word).is_dir():
        return f"'{word}' is a folder, not a program"
    if Path(word).exists():
        cure = f"chmod +x {word}" if "/" in word else f"the file of that name here is ./{word}"
        return f"{text} that can be run; {cure}"
    return text + ("" if "/" in word else " on PATH")


def _substitute(command: Sequence[str], position: int) -> Path:
    """A launcher that is not on PATH, of the environment or of a build. Raises CannotRun."""
    name = command[position]
    every = _launchers_off_path(name)
    if "/" in name or not every:
        raise CannotRun(
            f"{no_program(name)}: load the module of its MPI or of the resource manager, or give "
            "its path; `roundelay doctor` lists the launchers that are there"
        )
    words = list(command)
    for path in every:
        words[position] = str(path)
        launcher = find_launcher(words)
        programs = programs_of(launcher, words) if launcher is not None else []
        sonames = {program_behind(each).mpi for each in programs} - {None}
        if launcher is not None and all(
            launcher.starts(flavour_of(soname)) for soname in sonames if soname
        ):
            return path
    others = " and ".join(map(str, every))
    raise CannotRun(
        f"{no_program(name)}, and the program belongs to another MPI than {others}; "
        "give the path of the launcher of its own MPI"
    )


def _launchers_off_path(name: str) -> list[Path]:
    """Those of that name in this Python's environment, and of the MPIs of the builds."""
    if not NAMES.fullmatch(name):
        return []
    beside = Path(sys.executable).parent
    found = [
        beside / name,
        *sorted(beside.parent.parent.glob(f"{beside.parent.name}-*/bin/{name}")),
    ]
    found += filter(None, (launcher_of(build, name) for build in builds()))
    return [path for path in dict.fromkeys(found) if os.access(path, os.X_OK)]


def launcher_of(build: Build, name: str = "mpiexec") -> Path | None:
    """The launcher of the MPI that the build was made with, e.g. mpiexec.mpich of mpicc.mpich."""
    if build.mpicc is None:
        return None
    compiler = Path(build.mpicc)
    name = re.sub("mpicc(_abi)?", name, compiler.name)  # one launcher serves both ABIs
    path = compiler.with_name(name)
    return path if os.access(path, os.X_OK) else None


def _listed(builds: Sequence[Build]) -> str:
    if not builds:
        return f"no build was found in {', '.join(map(str, folders()))}"
    return "there are: " + ", ".join(build.text for build in builds)


def _linked(subject: Subject) -> Program | None:
    """The program whose MPI is known. Raises CannotRun if one job has programs of several."""
    known: dict[str, Program] = {}
    for each in subject.programs:
        if each.program is not None and each.program.mpi is not None:
            known.setdefault(each.program.mpi, each.program)
    if len(known) > 1:
        who = " and ".join(
            f"{program.name} is linked to {soname}" for soname, program in known.items()
        )
        raise CannotRun(
            f"the programs of one job must use one MPI, but {who}; compile them with the same mpicc"
        )
    return next(iter(known.values()), None)


def pick_build(subject: Subject, builds: Sequence[Build], wanted: str | None) -> Build:
    """The build for the program's MPI, or the one that is wanted. Raises CannotRun.

    Also if the launcher cannot start ranks of the program's MPI, unless a build is wanted.
    """
    program = _linked(subject)
    if wanted is not None:
        return _wanted(wanted, program, builds)
    launcher = subject.launcher
    if program is not None:
        _check_launcher(launcher, program, builds)
        sonames, known_from = [str(program.mpi)], f"{program.name} is linked to"
    elif launcher is not None and launcher.libraries:
        sonames, known_from = list(launcher.libraries), f"{launcher.path} belongs to"
    else:
        return _only_one(subject, builds)
    fitting = [build for build in builds if build.soname in sonames]
    if not fitting:
        raise CannotRun(
            f"{known_from} {' or '.join(sonames)}, for which there is no build of Roundelay; "
            f"{_listed(builds)}; {HOW_TO_BUILD}"
        )
    return fitting[0]


def _wanted(wanted: str, program: Program | None, builds: Sequence[Build]) -> Build:
    build = next((build for build in builds if build.id == wanted), None)
    if build is None:
        near = did_you_mean(wanted, [build.id for build in builds])
        raise CannotRun(f"there is no build '{wanted}'{near}; {_listed(builds)}")
    if program is not None and program.mpi != build.soname:
        own = next((build.id for build in builds if build.soname == program.mpi), None)
        cure = (
            f"leave --mpi out, or give --mpi {own}" if own else f"leave --mpi out; {HOW_TO_BUILD}"
        )
        raise CannotRun(
            f"{program.name} is linked to {program.mpi}, but --mpi {wanted} is the build for "
            f"{build.soname}: {cure}"
        )
    return build


def _check_launcher(launcher: Launcher | None, program: Program, builds: Sequence[Build]) -> None:
    """Raises CannotRun if each rank would be a job of its own."""
    soname = str(program.mpi)
    if launcher is None or launcher.starts(flavour_of(soname)):
        return
    own = next((build for build in builds if build.soname == soname), None)
    path = launcher_of(own) if own is not None else None
    cure = f"use {path}" if path is not None else "use the mpiexec of that MPI"
    force = f"--mpi {own.id}" if own is not None else "--mpi"
    raise CannotRun(
        f"{launcher.path} belongs to {MPI_NAMES[launcher.flavour]}, but {program.name} is linked "
        f"to {soname} of {MPI_NAMES[flavour_of(soname)]}: each rank would be a job of its own, "
        f"with one rank; {cure}. If this launcher does start ranks of that MPI, give {force}"
    )


def _only_one(subject: Subject, builds: Sequence[Build]) -> Build:
    """The build, if the MPI is not known. Raises CannotRun unless exactly one fits."""
    launcher = subject.launcher
    fitting = [
        build for build in builds if launcher is None or launcher.flavour in (ANY, build.flavour)
    ]
    if len(fitting) == 1:
        return fitting[0]
    whys = "; ".join(dict.fromkeys(each.why for each in subject.programs if each.why))
    raise CannotRun(
        f"cannot tell which MPI '{subject.command[0]}' uses{f' ({whys})' if whys else ''}: "
        f"give --mpi and the name of a build; {_listed(builds)}"
    )


def pick_build_alone(builds: Sequence[Build], wanted: str | None) -> Build:
    """The build that is wanted, or the only one, where no program is known. Raises CannotRun."""
    build = _wanted(wanted, None, builds) if wanted is not None else None
    if build is None and len(builds) != 1:
        raise CannotRun(f"give --mpi and the name of a build; {_listed(builds)}; {HOW_TO_BUILD}")
    return _preloadable(build or builds[0])


def _preloadable(build: Build) -> Build:
    """Returns the build. Raises CannotRun if LD_PRELOAD cannot name its file."""
    if any(character in str(build.library) for character in " :"):
        raise CannotRun(
            f"LD_PRELOAD cannot name {build.library}: there is a space or a colon in it; "
            "install Roundelay into a folder without"
        )
    return build


def library_path(subject: Subject, build: Build) -> str | None:
    """LD_LIBRARY_PATH where the build would otherwise load another MPI than the program's."""
    libraries: dict[str, Path] = {}
    if subject.launcher is not None:
        libraries.update(subject.launcher.libraries)
    program = subject.program
    if program is not None:
        libraries.update(program.libraries)
    file = libraries.get(build.soname)
    if file is None:
        return None
    if build.libdir is not None and file.resolve().parent == build.libdir.resolve():
        return None
    return ":".join(filter(None, [str(file.parent), os.environ.get("LD_LIBRARY_PATH")]))


@dataclass(frozen=True)
class Launch:
    """What is to be started."""

    command: list[str]
    environment: dict[str, str]  # besides what is there


def prepared(subject: Subject, build: Build, settings: Mapping[str, str]) -> Launch:
    """`settings` are variables of the library, e.g. ROUNDELAY_TRACE. Raises CannotRun."""
    library = str(_preloadable(build).library)
    inherited = {name: value for name, value in os.environ.items() if name.startswith("ROUNDELAY")}
    variables = {**inherited, **settings}
    path = library_path(subject, build)
    if path is not None:
        variables["LD_LIBRARY_PATH"] = path
    preloaded = os.environ.get("LD_PRELOAD")
    if subject.launcher is not None:
        return Launch(
            *with_variables(subject.launcher, subject.command, library, variables, preloaded)
        )
    preload = ":".join(filter(None, [library, preloaded]))
    return Launch(list(subject.command), {**variables, "LD_PRELOAD": preload})


def start(what: Launch) -> Ended:
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
