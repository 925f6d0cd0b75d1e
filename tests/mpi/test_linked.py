# SPDX-License-Identifier: Apache-2.0
"""Programs that link the library, by pkg-config and by CMake."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from launching import TOP, Mpi, launch, run

EXAMPLE = TOP / "examples" / "linked"


def check(mpi: Mpi, program: Path) -> None:
    outcome = launch(mpi, 3, [program], preload=False).ok()
    assert outcome.stdout.count("sum 3 by allreduce.rabenseifner: forced") == 1, outcome.text
    assert "3 ranks" in outcome.stderr, outcome.text


def prefix(roundelay: str) -> Path:
    return Path(roundelay).resolve().parent.parent


def first(folders: Iterable[Path]) -> Path:
    return next(folder for folder in folders if folder.is_dir())


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not here")
def test_pkg_config(mpi: Mpi, roundelay: str, tmp_path: Path) -> None:
    path = first(prefix(roundelay).glob("lib*/pkgconfig"))
    name = mpi.library.stem[len("lib") :]
    flags = (
        run(["pkg-config", "--cflags", "--libs", name], env={"PKG_CONFIG_PATH": str(path)})
        .ok()
        .stdout.split()
    )
    program = tmp_path / "linked"
    run([mpi.mpicc, EXAMPLE / "linked.c", *flags, "-o", program], env=mpi.root_env).ok()
    check(mpi, program)


def test_cmake_package(mpi: Mpi, roundelay: str, tmp_path: Path) -> None:
    definitions = {
        "CMAKE_PREFIX_PATH": prefix(roundelay),
        "MPI_C_COMPILER": mpi.mpicc,
        "MPIEXEC_EXECUTABLE": mpi.mpiexec,
    }
    configure = ["cmake", "-S", EXAMPLE, "-B", tmp_path]
    run([*configure, *(f"-D{key}={value}" for key, value in definitions.items())]).ok()
    run(["cmake", "--build", tmp_path]).ok()
    check(mpi, tmp_path / "linked")
