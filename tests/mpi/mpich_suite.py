# SPDX-License-Identifier: Apache-2.0
"""MPICH's own tests of collectives and communicators, through Roundelay, on any MPI.

They are part of MPICH's source (test/mpi), and mpich_4.0.2.orig.tar.xz of Debian has them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from launching import TOP, Mpi, Outcome, chosen_mpis, launch

TESTS = Path("test/mpi")
FOLDERS = (
    *("coll", "comm", "topo", "attr", "threads/coll", "threads/comm"),
    *("errors/coll", "errors/comm", "errors/topo"),
)
# What all programs are linked to.
SUPPORT = ("dtpools", "util")
# The tests of what Roundelay has nothing to do with, and of Fortran, which wheels of MPI lack.
WITHOUT = ("spawn", "rma", "cxx", "ft-tests", "part", "perftest", "fortran", "dependency-tracking")
# dtpools calls what MPI 3.0 removed, which Open MPI's header then makes an error.
REMOVED = {
    "MPI_Type_hvector": "MPI_Type_create_hvector",
    "MPI_Type_hindexed": "MPI_Type_create_hindexed",
    "MPI_Type_struct": "MPI_Type_create_struct",
}
# Errors of a program that MPI does not ask a library to find. MPICH finds them, Open MPI and
# Roundelay do not: a root that sends less than another rank expects, and rooted calls that rank 0
# alone makes, with buffers that overlap.
LEFT_OUT = {"errors/coll/bcastlength", "errors/coll/ibcastlength", "errors/coll/noalias2"}


@dataclass(frozen=True)
class Case:
    """A line of a testlist: a program, its number of ranks, its arguments and its environment."""

    folder: str
    program: str
    ranks: int
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        settings = [f"{name}={value}" for name, value in self.environment]
        return " ".join([f"{self.folder}/{self.program}", *self.arguments, *settings])


def cases(folder: str, testlist: str) -> Iterator[Case]:
    """The cases of a testlist, without LEFT_OUT and what needs much memory or is to fail."""
    for line in testlist.splitlines():
        words = line.partition("#")[0].split()
        if len(words) < 2 or not words[1].isdigit():
            continue
        options = [word.partition("=") for word in words[2:]]
        if {name for name, _, _ in options} & {"mem", "xfail", "resultTest"}:
            continue
        if f"{folder}/{words[0]}" in LEFT_OUT:
            continue
        settings = [value.partition("=") for name, _, value in options if name == "env"]
        yield Case(
            folder,
            words[0],
            int(words[1]),
            tuple(value for name, _, value in options if name == "arg"),
            tuple((name, value) for name, _, value in settings),
        )


def with_usual_names(mpi: Mpi, folder: Path) -> Path:
    """A folder whose bin has mpicc: the MPI's own, or one of links to names like mpicc.openmpi."""
    mpicc = Path(mpi.mpicc)
    if mpicc.name == "mpicc":
        return mpicc.parent.parent
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    for name, path in (("mpicc", mpi.mpicc), ("mpicxx", mpi.mpicxx), ("mpiexec", mpi.mpiexec)):
        link = folder / "bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to(path)
    return folder


def built(mpi: Mpi, source: Path) -> Path:
    """The folder in which the tests are built. What the MPI cannot compile is left out."""
    folder = TOP / "build" / "mpich-suite" / source.name / mpi.id
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    header = folder / "removed.h"
    lines = [f"#undef {old}\n#define {old} {new}\n" for old, new in REMOVED.items()]
    header.write_text("#include <mpi.h>\n" + "".join(lines))
    environment = {**os.environ, **mpi.env, **mpi.root_env}
    with log.open("w") as output:

        def ran(*words: object) -> bool:
            argv = list(map(str, words))
            where: dict[str, Any] = {"cwd": folder, "stdout": output, "stderr": output}
            return subprocess.run(argv, env=environment, check=False, **where).returncode == 0

        prefix = with_usual_names(mpi, folder / "mpi")
        configure = [source / TESTS / "configure", f"--with-mpi={prefix}"]
        configure.append(f"CPPFLAGS=-include {header}")
        if mpi.flavour != "mpich":
            configure.append("--enable-strictmpi")
        configure += [f"--disable-{name}" for name in WITHOUT]
        if not (folder / "Makefile").exists() and not ran(*configure):
            raise click.ClickException(f"MPICH's tests cannot be configured; see {log}")
        jobs = f"-j{os.cpu_count()}"
        for part in SUPPORT:
            if not ran("make", jobs, "-C", part):
                raise click.ClickException(f"{part} of MPICH's tests cannot be built; see {log}")
        for part in FOLDERS:
            ran("make", "-k", jobs, "-C", part)
    return folder


def fault(outcome: Outcome) -> str:
    """What is wrong with a run; nothing if it passed."""
    passed = outcome.returncode == 0 and "No Errors" in outcome.stdout
    return "" if passed else outcome.text


def run(mpi: Mpi, folder: Path, case: Case, seconds: float, *, preload: bool) -> str:
    """Runs a case and says what is wrong with it."""
    environment = {"ROUNDELAY_REPORT": "off", **dict(case.environment)}
    program = folder / case.folder / case.program
    try:
        return fault(
            launch(
                mpi,
                case.ranks,
                [program, *case.arguments],
                preload=preload,
                env=environment,
                cwd=program.parent,
                timeout=seconds,
            )
        )
    except AssertionError as hang:
        return str(hang)


def testlists(folder: Path, source: Path) -> Iterator[Case]:
    """The cases of all folders. Where configure had nothing to fill in, the source has the list."""
    for part in FOLDERS:
        lists = (top / part / "testlist" for top in (folder, source / TESTS))
        yield from cases(part, next(path for path in lists if path.exists()).read_text())


def suite(mpi: Mpi, folder: Path, named: list[Case], seconds: float) -> int:
    """Runs these cases, as far as they are built, and prints those that fail with Roundelay only.

    Returns how many do.
    """
    chosen = [case for case in named if (folder / case.folder / case.program).exists()]
    changed = native = 0
    with click.progressbar(chosen, label=mpi.id, file=sys.stderr) as bar:
        for case in bar:
            wrong = run(mpi, folder, case, seconds, preload=True)
            if wrong and run(mpi, folder, case, seconds, preload=False):
                native += 1
                click.echo(f"fails natively, too: {case}, {case.ranks} ranks")
            elif wrong:
                changed += 1
                click.echo(f"{wrong}\nFAILED: {case}, {case.ranks} ranks (natively it passes)")
    click.echo(
        f"{mpi.id}: {len(chosen)} cases, {changed} fail with Roundelay only, "
        f"{native} fail natively, too, {len(named) - len(chosen)} were not built"
    )
    return changed


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--mpi", "mpi_id", help="Only the MPI of this id in build/mpis.json.")
@click.option("--only", default="", help="Only cases whose name contains this regular expression.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=60.0,
    show_default=True,
    help="A case that takes longer fails.",
)
def main(source: Path, mpi_id: str | None, only: str, seconds: float) -> None:
    """Runs MPICH's own tests with Roundelay, on every MPI at hand.

    SOURCE is the folder of MPICH's source. A case that fails is run again natively. Variables such
    as ROUNDELAY_TRANSPORT hold for all cases.

    \b
    Examples:
      make mpich-suite SOURCE=/tmp/mpich-4.0.2
      ROUNDELAY_TRANSPORT=messages make mpich-suite SOURCE=/tmp/mpich-4.0.2 MPI=mpi40 ONLY=coll/
    """
    source = source.resolve()
    if not (source / TESTS / "configure").exists():
        raise click.UsageError(f"{source} is not MPICH's source: it has no {TESTS}/configure")
    try:
        chosen = re.compile(only)
    except re.error as error:
        raise click.UsageError(f"--only {only} is no regular expression: {error}") from None
    changed = 0
    for mpi in chosen_mpis(mpi_id):
        click.echo(f"{mpi.id}: building (minutes)", err=True)
        folder = built(mpi, source)
        named = [case for case in testlists(folder, source) if chosen.search(str(case))]
        if not named:
            raise click.UsageError(f"no case of MPICH's tests matches {only}")
        changed += suite(mpi, folder, named, seconds)
    sys.exit(1 if changed else 0)


if __name__ == "__main__":
    main()
