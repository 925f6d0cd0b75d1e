# SPDX-License-Identifier: Apache-2.0
"""Starts MPI programs, with and without the preloaded library."""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest

TOP = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
COLLECTIVES = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier"),
    *("bcast", "exscan", "gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block"),
    *("scan", "scatter", "scatterv"),
)
NEIGHBOURHOOD = tuple(
    f"neighbor_{name}" for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
)
HANG_SECONDS = 600.0  # far beyond any run: only a hang gets there


@dataclass(frozen=True)
class Mpi:
    """An MPI at hand, as build/mpis.json describes it."""

    id: str
    flavour: str
    library: Path
    soname: str
    libdir: str
    mpicc: str
    mpiexec: str
    version: str = ""
    mpifort: str | None = None
    python: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    oversubscribe_args: Sequence[str] = ()
    root_env: Mapping[str, str] = field(default_factory=dict)
    # What a library under a sanitizer needs: its runtime before all others, and options.
    preload_first: Sequence[str] = ()
    sanitizer_env: Mapping[str, str] = field(default_factory=dict)

    @property
    def major(self) -> int:
        return int(self.version.partition(".")[0])

    @property
    def mpicxx(self) -> str:
        path = Path(self.mpicc)
        return str(path.with_name(path.name.replace("mpicc", "mpicxx")))


def described(entry: Mapping[str, Any]) -> Mpi:
    known = Mpi.__dataclass_fields__
    fields = {key: value for key, value in entry.items() if key in known and value is not None}
    return Mpi(**{**fields, "library": Path(fields["library"])})


def skip_what_ends_late(mpi: Mpi) -> None:
    """A program that calls MPI_Finalize when main() is over."""
    if mpi.flavour == "mpich" and mpi.major >= 5:
        pytest.skip("MPICH 5.0.2 kills a rank of such a program now and then, also natively")


def read_mpis() -> list[Mpi]:
    path = Path(os.environ.get("ROUNDELAY_MPIS", TOP / "build" / "mpis.json"))
    return list(map(described, json.loads(path.read_text())))


def chosen_mpis(mpi_id: str | None) -> list[Mpi]:
    """The MPI of this id, or without one all at hand. A wrong id is a usage error of a command."""
    mpis = read_mpis()
    chosen = [mpi for mpi in mpis if mpi_id in (None, mpi.id)]
    if mpi_id is not None and not chosen:
        ids = ", ".join(mpi.id for mpi in mpis)
        raise click.UsageError(f"there is no MPI {mpi_id}; there are {ids}")
    return chosen


@dataclass(frozen=True)
class Outcome:
    """How a run ended, what it printed and, if it was asked for, what Roundelay reported."""

    returncode: int
    stdout: str
    stderr: str
    report: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        return f"exit code {self.returncode}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"

    def ok(self) -> Outcome:
        assert self.returncode == 0, self.text
        return self

    @property
    def calls(self) -> dict[str, int]:
        """Intercepted calls by collective."""
        assert self.report is not None, self.text
        counts: dict[str, int] = {}
        for row in self.report["calls"]:
            counts[row["collective"]] = counts.get(row["collective"], 0) + row["calls"]
        return counts


def run(
    argv: Sequence[object],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = HANG_SECONDS,
) -> Outcome:
    """Runs a command in a process group of its own, which does not outlive the call."""
    with subprocess.Popen(
        list(map(str, argv)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, **(env or {})},
        cwd=cwd,
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            raise AssertionError(
                f"hangs: {argv}\n--- stdout\n{stdout}\n--- stderr\n{stderr}"
            ) from None
        except BaseException:  # Ctrl-C, for example
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return Outcome(process.returncode, stdout, stderr)


def in_ranks(mpi: Mpi, settings: Mapping[str, str], argv: Sequence[object]) -> list[str]:
    """The program with these variables in the environment of its ranks, whatever the launcher."""
    return ["env", *(f"{key}={value}" for key, value in settings.items()), *map(str, argv)]


@functools.cache
def yielding() -> str:
    """Makes MPICH, which has no setting for that, give its core away where it waits."""
    source = TOP / "bench" / "lab" / "yield.c"
    library = TOP / "build" / "tests-mpi" / "yield.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"]).ok()
    return str(library)


def compile_library(mpi: Mpi, source: Path, folder: Path, *flags: str) -> Path:
    """Compiles the source to a shared library in the folder, and gives its path."""
    library = folder / f"{source.stem}.so"
    run([mpi.mpicc, *flags, "-shared", "-fPIC", source, "-o", library], env=mpi.root_env).ok()
    return library


def ld_preload(mpi: Mpi, *libraries: Path) -> dict[str, str]:
    """The variable that preloads these libraries in this order."""
    return {"LD_PRELOAD": ":".join(map(str, [*mpi.preload_first, *libraries]))}


def settings_of(mpi: Mpi, *, preload: bool, env: Mapping[str, str] | None) -> dict[str, str]:
    libraries = [*mpi.preload_first, str(mpi.library)] if preload else []
    if mpi.flavour == "mpich":
        libraries.append(yielding())
    preloading = {"LD_PRELOAD": ":".join(libraries)} if libraries else {}
    sanitizing = mpi.sanitizer_env if preload else {}
    return {"OMP_NUM_THREADS": "1", **preloading, **sanitizing, **(env or {})}


def mpiexec(mpi: Mpi, groups: Sequence[tuple[int, Sequence[object]]]) -> list[str]:
    """One launch of several programs, each with its number of ranks."""
    command = [mpi.mpiexec, *mpi.oversubscribe_args]
    for i, (ranks, argv) in enumerate(groups):
        command += [*([":"] if i > 0 else []), "-n", str(ranks), *map(str, argv)]
    return command


def launch(
    mpi: Mpi,
    n: int,
    argv: Sequence[object],
    *,
    preload: bool = True,
    env: Mapping[str, str] | None = None,
    report: Path | None = None,
    cwd: Path | None = None,
    timeout: float = HANG_SECONDS,
) -> Outcome:
    """Runs a program on n ranks. `report`: where the report is to be written as JSON."""
    reporting = {"ROUNDELAY_REPORT": "json", "ROUNDELAY_REPORT_FILE": str(report)} if report else {}
    settings = settings_of(mpi, preload=preload, env={**reporting, **(env or {})})
    command = mpiexec(mpi, [(n, in_ranks(mpi, settings, argv))])
    outcome = run(command, env=mpi.root_env, cwd=cwd, timeout=timeout)
    if report is None or not report.exists():
        return outcome
    return Outcome(
        outcome.returncode, outcome.stdout, outcome.stderr, json.loads(report.read_text())
    )


def command() -> str:
    """The command `roundelay`."""
    beside = Path(sys.executable).with_name("roundelay")
    places = [str(beside), str(TOP / ".venv" / "bin" / "roundelay"), shutil.which("roundelay")]
    return next(place for place in places if place and os.access(place, os.X_OK))


def machine_file(directory: Path, **parts: Mapping[str, float]) -> str:
    """Writes a machine file with these parts and gives its name."""
    path = directory / "machine.json"
    path.write_text(json.dumps({"version": 1, **parts}))
    return str(path)


def compile_program(mpi: Mpi, source: Path) -> Path:
    """The program's path; compiled anew only if it or something it may include is newer."""
    # Sources in different folders may have one name.
    folder = TOP / "build" / "tests-mpi" / mpi.id / source.parent.name
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / source.stem
    included = [*(HERE / "support").iterdir(), *source.parent.glob("*.inc")]
    if program.exists() and program.stat().st_mtime >= max(
        path.stat().st_mtime for path in (source, Path(mpi.mpicc), *included)
    ):
        return program
    warnings = ["-Wall", "-Wextra", "-Werror", f"-I{HERE}", "-g", "-O1"]
    if source.suffix == ".c":
        command = [mpi.mpicc, "-std=gnu11", *warnings]
    elif source.suffix == ".cpp":
        command = [mpi.mpicxx, "-std=c++20", "-DOMPI_SKIP_MPICXX", *warnings]
    else:
        assert mpi.mpifort is not None
        # mpif.h has no interfaces: gfortran then objects to buffers of different types.
        command = [mpi.mpifort, "-g", "-O1", "-w", "-fallow-argument-mismatch"]
    # Another worker may be running it, or compiling it, too.
    new = program.with_name(f"{program.name}.{os.getpid()}")
    done = run(
        [*command, str(source), "-o", str(new), "-ldl", "-lpthread", "-lm"], env=mpi.root_env
    )
    assert done.returncode == 0, done.text
    return new.replace(program)
