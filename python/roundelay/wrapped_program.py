# SPDX-License-Identifier: Apache-2.0
"""Which program a command runs in the end: behind env, numactl, shells, scripts and Python."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roundelay.elf import MPI_SONAME, Program, loaded_with, read_program
from roundelay.options import RUNNERS, SHELL

SHELLS = {"ash", "bash", "dash", "ksh", "sh", "zsh"}
PYTHON_NAME = re.compile(r"(python|pypy)[\d.]*")
DEEPEST = 4  # scripts that call scripts
LONGEST_SCRIPT = 1 << 18  # bytes that are read of a script
FIND_MPI4PY = (
    "import sys, importlib.util as u; s = u.find_spec('mpi4py'); "
    "print(sys.executable, *(s.submodule_search_locations if s else ()), sep='\\n')"
)
PYTHON_SECONDS = 60.0  # an interpreter that has not answered by then is not asked further


@dataclass(frozen=True)
class Behind:
    """What a command runs."""

    program: Program | None  # None where there is none, or where it cannot be told
    why: str = ""  # why its MPI cannot be told; empty if it can, or if it uses none

    @property
    def mpi(self) -> str | None:
        """The SONAME of the MPI library that the program loads."""
        return self.program.mpi if self.program is not None else None


def after_options(words: Sequence[str]) -> int:
    """The place of the command that the first word, one of RUNNERS, is to run."""
    syntax = RUNNERS[Path(words[0]).name]
    at = 1
    while at < len(words):
        if words[at] == "--":
            return at + 1
        if words[at].startswith("-"):
            at += 1 + syntax.values(words, at)
        elif "=" in words[at] or shutil.which(words[at]) is None:
            at += 1  # a variable, or an operand of the runner
        else:
            return at
    return len(words)


def program_behind(words: Sequence[str], depth: int = 0) -> Behind:
    """The program that does the work where these words are run."""
    path = shutil.which(words[0]) if words else None
    if path is None:
        return Behind(
            None, f"there is no program '{words[0]}'" if words else "the command names no program"
        )
    name = Path(path).name
    if Path(words[0]).name in RUNNERS:
        rest = words[after_options(words) :]
        return program_behind(rest, depth) if rest else Behind(read_program(Path(path)))
    if name in SHELLS:
        return _of_shell(Path(path), words, depth)
    if PYTHON_NAME.fullmatch(name):
        return _of_python(Path(path))
    program = read_program(Path(path))
    return Behind(program) if program is not None else _of_script(Path(path), words[1:], depth)


def _of_shell(shell: Path, words: Sequence[str], depth: int) -> Behind:
    at = 1
    while at < len(words) and words[at].startswith(("-", "+")):
        if re.fullmatch(r"-[a-zA-Z]*c", words[at]):
            text = words[at + 1] if at + 1 < len(words) else ""
            return _in_text(text, f"the text for {shell.name} -c", words[at + 3 :], shell, depth)
        at += 1 + SHELL.values(words, at)
    if at == len(words):
        return Behind(read_program(shell))
    script = Path(words[at])
    return _in_text(_text(script), f"the script {script}", words[at + 1 :], shell, depth, script)


def _text(script: Path) -> str:
    try:
        with script.open("rb") as file:
            return file.read(LONGEST_SCRIPT).decode(errors="replace")
    except OSError:
        return ""


def _of_script(script: Path, arguments: Sequence[str], depth: int) -> Behind:
    text = _text(script)
    first = text.partition("\n")[0]
    try:
        interpreter = shlex.split(first[2:]) if first.startswith("#!") else ["sh"]
    except ValueError:
        interpreter = []
    if interpreter and Path(interpreter[0]).name == "env":
        interpreter = interpreter[after_options(interpreter) :]
    path = shutil.which(interpreter[0]) if interpreter else None
    if path is None:
        return Behind(None, f"{script} is neither an ELF program nor a script that can be run")
    if Path(path).name in SHELLS:
        what = f"the script {script}"
        return _in_text(text, what, arguments, Path(path), depth, script)
    if PYTHON_NAME.fullmatch(Path(path).name):
        return _of_python(Path(path))
    why = f"{script} is a script for {Path(path).name}, which may load any MPI"
    return Behind(read_program(Path(path)), why)


def _in_text(
    text: str,
    what: str,
    arguments: Sequence[str],
    shell: Path,
    depth: int,
    script: Path | None = None,
) -> Behind:
    """The program of an MPI that the text of a shell names, if all that it names agree."""
    found: dict[str, Behind] = {}
    if depth < DEEPEST:
        for words in _commands(text, arguments, script):
            behind = program_behind(words, depth + 1)
            if behind.mpi is not None:
                found.setdefault(behind.mpi, behind)
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        return Behind(None, f"{what} names programs of several MPIs ({', '.join(sorted(found))})")
    return Behind(read_program(shell), f"{what} names no program that is linked to an MPI library")


def _commands(text: str, arguments: Sequence[str], script: Path | None) -> Iterator[list[str]]:
    """What may be a command in the text of a shell: from each program to the end of its line."""
    folder = str(script.parent) if script is not None else "."
    text = re.sub(r"\"?\$\(\s*dirname\s+\"?\$(0|\{0\}|BASH_SOURCE|\{BASH_SOURCE\[0\]\})\"?\s*\)\"?",
                  lambda _: folder, text)  # fmt: skip
    seen: set[str] = set()
    if re.search(r"\$[@*1]|\$\{[@*1]", text) and arguments and shutil.which(arguments[0]):
        yield list(arguments)
    for line in text.splitlines():
        try:
            words = shlex.split(os.path.expandvars(line), comments=True)
        except ValueError:
            continue  # a part of a longer construct
        words = [word.rstrip(";") for word in words]
        for place, word in enumerate(words):
            if word not in seen and shutil.which(word):
                seen.add(word)
                yield words[place:]


def _of_python(python: Path) -> Behind:
    """The interpreter; with the MPI of its mpi4py, if that is for one MPI only."""
    answer = _asked(python)
    # What is called python may be a script that starts the interpreter.
    interpreter = Path(answer[0]) if answer else python
    program = read_program(interpreter)
    modules = [file for folder in answer[1:] for file in Path(folder).glob("MPI.*.so")]
    if not modules or program is None:
        return Behind(program, f"{python} has no mpi4py")
    libraries: dict[str, Path] = {}
    for module in modules:
        libraries.update(loaded_with(interpreter, module))
    sonames = [name for name in libraries if MPI_SONAME.fullmatch(name)]
    if len(modules) > 1 or len(sonames) != 1:
        return Behind(program, f"the mpi4py of {python} is not linked to one MPI only")
    return Behind(
        replace(
            program,
            libraries={**program.libraries, **libraries},
            linked=f"the mpi4py of {python}",
        )
    )


def _asked(python: Path) -> list[str]:
    """The file of the interpreter and the folders of its mpi4py; nothing if it does not answer."""
    answer = ""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        answer = subprocess.run(
            [str(python), "-c", FIND_MPI4PY], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="surrogateescape", check=False, timeout=PYTHON_SECONDS,
        ).stdout  # fmt: skip
    return answer.splitlines()
