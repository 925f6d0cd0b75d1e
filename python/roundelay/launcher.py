# SPDX-License-Identifier: Apache-2.0
"""MPI launchers: whose they are, where the program stands, how they pass variables on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Programs that run the command that follows them.
PREFIXES = {"env", "ionice", "nice", "numactl", "setarch", "stdbuf", "taskset", "time", "timeout"}
NAMES = re.compile(r"(mpiexec|mpirun|orterun|prterun)([.-].*)?")
LAUNCHERS = ("mpiexec", "mpirun", "mpiexec.openmpi", "mpiexec.mpich", "mpiexec.hydra")

# Options whose values might be taken for the program, because they can be files that can be run.
WITH_A_VALUE = {
    "-launcher", "--launcher", "-launcher-exec", "--launcher-exec", "-localhost", "--localhost",
    "-wdir", "--wdir", "-wd", "--wd", "-path", "--path",
    "--map-by", "-map-by", "--bind-to", "-bind-to", "--rank-by", "-rank-by",
    "-prefix", "--prefix", "-host", "--host", "-hosts", "-H", "-hostfile", "--hostfile", "-f",
    "-machinefile", "--machinefile", "-n", "-np", "--np", "--n", "-c", "-x", "--x",
    "--output-filename",
}  # fmt: skip
# Hydra's -env A B is also -env A=B.
HYDRA_VARIABLE = {"-genv", "--genv", "-env", "--env"}
WITH_TWO_VALUES = {"-mca", "--mca", "-gmca", "--gmca", "--prtemca", "--pmixmca"} | HYDRA_VARIABLE
# Options and variables that name other machines.
HOSTS = {"-host", "--host", "-hosts", "-H", "-hostfile", "--hostfile", "-f", "-machinefile"}
ALLOCATIONS = ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE", "COBALT_NODEFILE")
# Options after which the launcher looks for the program elsewhere.
ELSEWHERE = {"-wdir", "--wdir", "-wd", "--wd", "-path", "--path", "-prefix", "--prefix"}


@dataclass(frozen=True)
class Launcher:
    """The launcher that a command starts with."""

    path: Path
    position: int  # of its name in the command
    flavour: str  # "openmpi" or "mpich"
    libraries: dict[str, Path]  # SONAME -> file, of the MPI libraries that stand beside it
    version: str = ""  # of the MPI, as far as the launcher says it

    @property
    def major(self) -> int:
        """0 if the launcher does not say it."""
        return int(self.version.partition(".")[0] or 0)


def find_launcher(command: Sequence[str]) -> Launcher | None:
    """None if the command does not start with a launcher of Open MPI or MPICH."""
    names = [Path(word).name for word in command]
    most = len(names) if names[0] in PREFIXES else 1
    position = next((i for i in range(most) if NAMES.fullmatch(names[i])), None)
    found = shutil.which(command[position]) if position is not None else None
    if position is None or found is None:
        return None
    done = subprocess.run(
        [found, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip
    if re.search(r"Open MPI|OpenRTE|PRRTE|prte", done.stdout):
        flavour = "openmpi"
    elif re.search(r"HYDRA|MPICH|Intel", done.stdout):
        flavour = "mpich"
    else:
        return None
    version = re.search(r"(?:Version:|\))\s+(\d+\.[\d.]*)", done.stdout)
    return Launcher(
        Path(found),
        position,
        flavour,
        _libraries(Path(found), flavour),
        version[1] if version else "",
    )


def _libraries(launcher: Path, flavour: str) -> dict[str, Path]:
    """The libraries of that flavour under the launcher's prefix."""
    # MPICH and all that keep its ABI are at version 12; Open MPI has been beyond 20 for long.
    pattern = r"libmpi(ch)?\.so\.12" if flavour == "mpich" else r"libmpi\.so\.[2-9]\d"
    # Debian's launchers are links to links; the library may stand beside any of them.
    prefixes = dict.fromkeys((launcher.parent.parent, launcher.resolve().parent.parent))
    return {
        file.name: file
        for prefix in prefixes
        for glob in ("lib*/libmpi*.so.*", "lib/*/libmpi*.so.*")
        for file in sorted(prefix.glob(glob))
        if re.fullmatch(pattern, file.name)
    }


@dataclass(frozen=True)
class _Word:
    """An option of the launcher with its values, or what stands between its options."""

    first: int  # position in the command
    last: int
    is_option: bool
    section: int  # how many colons are before it


def _words(launcher: Launcher, command: Sequence[str]) -> Iterator[_Word]:
    """The launcher's own part of the command: of each section what is before its program."""
    section, position, ours = 0, launcher.position + 1, True
    while position < len(command):
        word = command[position]
        last = position
        if word == ":":
            section, ours = section + 1, True
        elif ours and word.startswith("-"):
            joined = word in HYDRA_VARIABLE and "=" in "".join(command[position + 1 : position + 2])
            values = 1 if word in WITH_A_VALUE or joined else 2 if word in WITH_TWO_VALUES else 0
            last = position + values
            yield _Word(position, last, True, section)
        elif ours:
            yield _Word(position, position, False, section)
            ours = shutil.which(word) is None  # else it is the program, and the rest is its own
        position = last + 1


def program_of(launcher: Launcher, command: Sequence[str]) -> str | None:
    """The program in the command: the first word that is neither an option nor a value."""
    others = (command[word.first] for word in _words(launcher, command) if not word.is_option)
    return next(filter(shutil.which, others), None)


def missing_program(launcher: Launcher, command: Sequence[str]) -> str | None:
    """What stands where a program should, if none of the words is one."""
    words = list(_words(launcher, command))
    if any(command[word.first] in ELSEWHERE for word in words):
        return None
    others = [command[word.first] for word in words if not word.is_option]
    if any(map(shutil.which, others)):
        return None
    return next((word for word in others if not word.isdecimal()), None)


def may_run_elsewhere(launcher: Launcher, command: Sequence[str]) -> bool:
    """Whether ranks may be on other machines."""
    options = {command[word.first] for word in _words(launcher, command)}
    return bool(options & HOSTS) or any(map(os.environ.get, ALLOCATIONS))


def with_program(command: Sequence[str], program: Sequence[str]) -> list[str]:
    """The command that starts the program where it names none; also on each side of a colon."""
    words: list[str] = []
    for word in command:
        words += [*program, word] if word == ":" else [word]
    return [*words, *program]


def _joined(*libraries: str | None) -> str:
    return ":".join(filter(None, libraries))


def with_variables(
    launcher: Launcher,
    command: Sequence[str],
    library: str,
    variables: Mapping[str, str],
    preloaded: str | None = None,
) -> tuple[list[str], dict[str, str]]:
    """The command that gives the program these variables and preloads the library.

    Also what the launcher needs in its environment. `preloaded` is LD_PRELOAD as it is here: it
    follows the library, unless the command says something else. The launcher itself must not be
    preloaded, so LD_PRELOAD is only ever an argument.
    """
    if launcher.flavour == "mpich":
        return _with_genv(launcher, command, library, variables, preloaded), {}
    # Open MPI splits values at semicolons, but not those that it takes from its environment.
    return _with_x(launcher, command, library, variables, preloaded), dict(variables)


def _with_genv(
    launcher: Launcher,
    command: Sequence[str],
    library: str,
    variables: Mapping[str, str],
    preloaded: str | None,
) -> list[str]:
    """Later options have precedence, and -env, for one program, has it over -genv, for all."""
    words = list(command)
    for option in _words(launcher, command):
        values = "=".join(command[option.first + 1 : option.last + 1])
        name, _, value = values.partition("=")
        if command[option.first] not in HYDRA_VARIABLE or name != "LD_PRELOAD":
            continue
        words[option.first + 1 : option.last + 1] = (
            [f"{name}={_joined(library, value)}"]
            if option.last == option.first + 1
            else [name, _joined(library, value)]
        )
    options = [
        word
        for name, value in {"LD_PRELOAD": _joined(library, preloaded), **variables}.items()
        for word in ("-genv", name, value)
    ]
    after = launcher.position + 1
    return [*words[:after], *options, *words[after:]]


def _with_x(
    launcher: Launcher,
    command: Sequence[str],
    library: str,
    variables: Mapping[str, str],
    preloaded: str | None,
) -> list[str]:
    """Each program after a colon has options of its own."""
    preload: dict[int, str | None] = {}
    replaced: set[int] = set()
    for option in _words(launcher, command):
        name, _, value = "".join(command[option.first + 1 : option.last + 1]).partition("=")
        if command[option.first] in ("-x", "--x") and name == "LD_PRELOAD":
            replaced.update(range(option.first, option.last + 1))
            preload[option.section] = value or preloaded
    words: list[str] = []
    section = 0
    for position, word in enumerate(command):
        if position not in replaced:
            words.append(word)
        if word == ":":
            section += 1
        if position == launcher.position or word == ":":
            words += ["-x", f"LD_PRELOAD={_joined(library, preload.get(section, preloaded))}"]
            words += [each for name in variables for each in ("-x", name)]
    return words
