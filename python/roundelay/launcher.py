# SPDX-License-Identifier: Apache-2.0
"""MPI launchers: whose they are, where the program stands, how they pass variables on."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
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
    "-machinefile", "--machinefile", "-n", "-np", "--np", "--n", "-c", "-x", "--output-filename",
}  # fmt: skip
WITH_TWO_VALUES = {"-mca", "--mca", "-gmca", "--gmca", "--prtemca", "--pmixmca", "-genv", "-env"}


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
        stderr=subprocess.STDOUT, text=True, check=False,
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


def program_of(launcher: Launcher, command: Sequence[str]) -> str | None:
    """The program in the command: the first word that is neither an option nor a value."""
    skip = 0
    for word in command[launcher.position + 1 :]:
        if skip:
            skip -= 1
        elif word in WITH_A_VALUE:
            skip = 1
        elif word in WITH_TWO_VALUES:
            skip = 2
        elif not word.startswith("-") and shutil.which(word):
            return word
    return None


def with_program(command: Sequence[str], program: Sequence[str]) -> list[str]:
    """The command that starts the program where it names none; also on each side of a colon."""
    words: list[str] = []
    for word in command:
        words += [*program, word] if word == ":" else [word]
    return [*words, *program]


def with_variables(
    launcher: Launcher, command: Sequence[str], preload: str, variables: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The command that gives the program these variables and LD_PRELOAD, and what it needs itself.

    The launcher must not be preloaded, so LD_PRELOAD is only ever an argument.
    """
    if launcher.flavour == "mpich":
        options = [
            word for name, value in {"LD_PRELOAD": preload, **variables}.items()
            for word in ("-genv", name, value)
        ]  # fmt: skip
        after = launcher.position + 1
        return [*command[:after], *options, *command[after:]], {}
    # Open MPI splits values at semicolons, but not those that it takes from its environment.
    options = ["-x", f"LD_PRELOAD={preload}"]
    options += [word for name in variables for word in ("-x", name)]
    words: list[str] = []
    for position, word in enumerate(command):
        words.append(word)
        # Each program after a colon has options of its own.
        if position == launcher.position or word == ":":
            words += options
    return words, dict(variables)
