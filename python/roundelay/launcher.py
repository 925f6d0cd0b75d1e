# SPDX-License-Identifier: Apache-2.0
"""MPI launchers: whose they are, and where in a command the programs stand."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roundelay.elf import STANDARD, flavour_of
from roundelay.options import APRUN, FLUX, JSRUN, MPIEXEC, RUNNERS, SRUN, Syntax
from roundelay.wrapped_program import after_options

NAMES = re.compile(r"(mpiexec|mpirun|orterun|prterun)([.-].*)?")
LAUNCHERS = ("mpiexec", "mpirun", "mpiexec.openmpi", "mpiexec.mpich", "mpiexec.hydra")
# Launchers of resource managers, which start programs of every MPI.
MANAGERS = {"srun": SRUN, "flux": FLUX, "aprun": APRUN, "jsrun": JSRUN}
VERSION_SECONDS = 10.0  # a launcher that has not said its version by then is not asked further
FLUX_RUN = (["run"], ["mini", "run"])
ANY = "any"

# Options and variables that name other machines.
HOSTS = {"-host", "--host", "-hosts", "-H", "-hostfile", "--hostfile", "-f", "-machinefile"}
ALLOCATIONS = ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE", "COBALT_NODEFILE")
# Options after which the launcher looks for the program elsewhere.
ELSEWHERE = {
    "-wdir", "--wdir", "-wd", "--wd", "-path", "--path", "-prefix", "--prefix",
    "-D", "--chdir", "--cwd",
}  # fmt: skip
COUNTS = {"-n", "-np", "--n", "--np", "--ntasks", "--pes"}
OVERSUBSCRIBE = re.compile(r"-?-oversubscribe|.*:oversubscribe\b.*|rmaps_base_oversubscribe", re.I)


@dataclass(frozen=True)
class Launcher:
    """The launcher that a command starts with."""

    path: Path
    position: int  # of the last word of its name in the command
    flavour: str  # "openmpi", "mpich", or ANY
    libraries: dict[str, Path]  # SONAME -> file, of the MPI libraries that stand beside it
    version: str = ""  # of the MPI, as far as the launcher says it
    syntax: Syntax = field(default=MPIEXEC, repr=False)

    @property
    def major(self) -> int:
        """0 if the launcher does not say it."""
        return int(self.version.partition(".")[0] or 0)

    def starts(self, flavour: str) -> bool:
        """Whether it may start programs of that MPI; the standard ABI does not say which it is."""
        return self.flavour in (ANY, flavour) or flavour == STANDARD

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.path.name


def launcher_position(command: Sequence[str]) -> int | None:
    """Where the name of a launcher stands, be it on PATH or not; None if there is none."""
    at = 0
    while at < len(command) and Path(command[at]).name in RUNNERS:
        at += _next_launcher(command[at:])
    if at >= len(command):
        return None
    name = Path(command[at]).name
    return at if name in MANAGERS or NAMES.fullmatch(name) else None


def _next_launcher(command: Sequence[str]) -> int:
    """As after_options(), but a launcher counts even if it is not on PATH."""
    after = after_options(command)
    names = (Path(word).name for word in command[1:after])
    places = (i for i, name in enumerate(names, 1) if name in MANAGERS or NAMES.fullmatch(name))
    return next(places, after)


def find_launcher(command: Sequence[str]) -> Launcher | None:
    """None if the command does not start with a launcher that is there."""
    position = launcher_position(command)
    found = shutil.which(command[position]) if position is not None else None
    if position is None or found is None:
        return None
    name = Path(found).name
    if name in MANAGERS:
        return _manager(command, position, Path(found))
    said = _version(found)
    if re.search(r"Open MPI|OpenRTE|PRRTE|prte", said):
        flavour = "openmpi"
    elif re.search(r"HYDRA|MPICH|Intel", said):
        flavour = "mpich"
    else:
        return Launcher(Path(found), position, ANY, {})
    version = re.search(r"(?:Version:|\))\s+(\d+\.[\d.]*)", said)
    return Launcher(
        Path(found),
        position,
        flavour,
        _libraries(Path(found), flavour),
        version[1] if version else "",
    )


def _version(launcher: str) -> str:
    """The text that the launcher prints as its version; "" if it does not answer."""
    process = subprocess.Popen(
        [launcher, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    with process:
        try:
            return process.communicate(timeout=VERSION_SECONDS)[0]
        except BaseException as stopped:
            # With what it has started, which may hold the pipe.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(stopped, subprocess.TimeoutExpired):
                return ""
            raise


def _manager(command: Sequence[str], position: int, path: Path) -> Launcher | None:
    """The launcher of a resource manager; `flux` is one only with some of its commands."""
    last = position
    if path.name == "flux":
        after = list(command[position + 1 :])
        words = next((words for words in FLUX_RUN if after[: len(words)] == words), None)
        if words is None:
            return None
        last += len(words)
    return Launcher(path, last, ANY, {}, syntax=MANAGERS[path.name])


def _libraries(launcher: Path, flavour: str) -> dict[str, Path]:
    """The libraries of that flavour under the launcher's prefix."""
    # Debian's launchers are links to links; the library may stand beside any of them.
    prefixes = dict.fromkeys((launcher.parent.parent, launcher.resolve().parent.parent))
    return {
        file.name: file
        for prefix in prefixes
        for glob in ("lib*/libmpi*.so.*", "lib/*/libmpi*.so.*")
        for file in sorted(prefix.glob(glob))
        if re.fullmatch(r"libmpi(ch)?\.so\.(12|[2-9]\d)", file.name)
        and flavour_of(file.name) == flavour
    }


@dataclass(frozen=True)
class Option:
    """An option of the launcher: the places of its first and last word in the command."""

    first: int
    last: int


@dataclass(frozen=True)
class Context:
    """One program of a launch with the options that are for it, as places in the command."""

    start: int  # where its options begin
    options: tuple[Option, ...]
    others: tuple[int, ...]  # between the options: values of options that are not known
    program: int | None  # None if no word before the end is a program that is there
    end: int  # behind its last word


def contexts(launcher: Launcher, command: Sequence[str]) -> list[Context]:
    """The programs of the launch: one, or several with a colon between them."""
    found = []
    start = launcher.position + 1
    while True:
        context = _context(launcher.syntax, command, start)
        found.append(context)
        if context.end >= len(command):
            return found
        start = context.end + 1


def _context(syntax: Syntax, command: Sequence[str], start: int) -> Context:
    end = len(command)
    if syntax.contexts and ":" in command[start:]:
        end = list(command).index(":", start)
    options: list[Option] = []
    others: list[int] = []
    program: int | None = None
    at = start
    while at < end and program is None:
        if command[at] == "--":
            program = at + 1 if at + 1 < end else None
            break
        if command[at].startswith("-"):
            last = min(at + syntax.values(command, at), end - 1)
            options.append(Option(at, last))
            at = last + 1
        elif shutil.which(command[at]):
            program = at
        else:
            others.append(at)
            at += 1
    return Context(start, tuple(options), tuple(others), program, end)


def programs_of(launcher: Launcher, command: Sequence[str]) -> list[list[str]]:
    """Each program in the command, with its arguments."""
    return [
        list(command[context.program : context.end])
        for context in contexts(launcher, command)
        if context.program is not None
    ]


def options_of(launcher: Launcher, command: Sequence[str]) -> list[list[str]]:
    """Each of the launcher's options with its values."""
    return [
        list(command[option.first : option.last + 1])
        for context in contexts(launcher, command)
        for option in context.options
    ]


def missing_program(launcher: Launcher, command: Sequence[str]) -> str | None:
    """What stands where a program should, if none of the words is one."""
    if any(words[0] in ELSEWHERE for words in options_of(launcher, command)):
        return None
    for context in contexts(launcher, command):
        if context.program is not None:
            word = command[context.program]
            if shutil.which(word) is None:
                return word
            continue
        words = (command[at] for at in context.others)
        if missing := next((word for word in words if not word.isdecimal()), None):
            return missing
    return None


def may_run_elsewhere(launcher: Launcher, command: Sequence[str]) -> bool:
    """Whether ranks may be on other machines."""
    options = {words[0] for words in options_of(launcher, command)}
    return launcher.flavour == ANY or bool(options & HOSTS) or any(map(os.environ.get, ALLOCATIONS))


def ranks_asked(launcher: Launcher, command: Sequence[str]) -> int:
    """How many ranks the command asks for; 0 if it does not say it for each program."""
    if launcher.syntax is JSRUN:
        return 0  # its -n counts sets of resources
    counts = []
    for context in contexts(launcher, command):
        values = [
            command[option.last] for option in context.options if command[option.first] in COUNTS
        ]
        if not values or not values[-1].isdecimal():
            return 0
        counts.append(int(values[-1]))
    return sum(counts)


def may_oversubscribe(launcher: Launcher, command: Sequence[str]) -> bool:
    """Whether Open MPI is allowed more ranks than slots, by an option or by a variable."""
    words = [word for option in options_of(launcher, command) for word in option]
    return any(map(OVERSUBSCRIBE.fullmatch, words)) or any(
        re.search("oversubscribe", f"{name}={value}", re.I)
        for name, value in os.environ.items()
        if name.startswith(("OMPI_MCA_", "PRTE_MCA_"))
    )


def with_program(command: Sequence[str], program: Sequence[str]) -> list[str]:
    """The command that starts the program where it names none; also on each side of a colon."""
    words: list[str] = []
    for word in command:
        words += [*program, word] if word == ":" else [word]
    return [*words, *program]
