# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import Cli, compile_c


@pytest.fixture
def exporting(one_build: Path) -> Path:
    """A build that exports a symbol of each kind."""
    names = ("MPI_Bcast", "MPI_Bcast_c", "mpi_bcast_", "ompi_bcast_f", "roundelay_version")
    source = "".join(f"void {name}(void) {{}}\n" for name in names)
    compile_c(one_build, "libroundelay-mpi40.so", source, "-shared", "-fPIC")
    return one_build


def test_doctor_knows_the_symbols_of_each_build(cli: Cli, exporting: Path) -> None:
    found = json.loads(cli("doctor", "--json").stdout)
    (build,) = found["builds"]
    assert build["id"] == "mpi40"
    assert build["symbols"] == {
        "c": ["MPI_Bcast"],
        "c_large_count": ["MPI_Bcast_c"],
        "fortran": ["mpi_bcast_", "ompi_bcast_f"],
        "api": ["roundelay_version"],
    }
    assert found["cores"]["usable"] >= 1
    assert found["environment"]["ROUNDELAY_LIBRARY_DIR"] == str(exporting)


def test_doctor_for_people(cli: Cli, exporting: Path, launchers: Path) -> None:
    shown = cli("doctor").stdout
    assert "mpi40: for libmpi.so.40, built with openmpi 4.1.4" in shown
    assert "Fortran: bcast" in shown
    assert f"{launchers}/bin/mpiexec.mpich: mpich" in shown


def test_doctor_without_a_build_says_how_to_get_one(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDELAY_LIBRARY_DIR", str(tmp_path))
    shown = cli("doctor").stdout
    assert str(tmp_path) in shown
    assert "make build" in shown
