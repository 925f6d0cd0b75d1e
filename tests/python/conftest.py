# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share. None of them needs an MPI."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers import Cli, compile_c
from roundelay.cli import main


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own settings do not matter here."""
    for name in ("ROUNDELAY", "ROUNDELAY_LIBRARY_DIR", "LD_PRELOAD", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cli() -> Cli:
    """The command; it takes the words that follow its name."""
    return lambda *words: CliRunner().invoke(main, list(words), catch_exceptions=False)


@pytest.fixture
def one_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a single build, whose library does nothing."""
    folder = tmp_path / "builds"
    folder.mkdir()
    compile_c(folder, "libroundelay-mpi40.so", "", "-shared", "-fPIC")
    fields = {
        "id": "mpi40",
        "flavour": "openmpi",
        "version": "4.1.4",
        "soname": "libmpi.so.40",
        "libdir": "/usr/lib",
        "mpicc": "/usr/bin/mpicc",
        "library": "libroundelay-mpi40.so",
    }
    (folder / "libroundelay-mpi40.json").write_text(json.dumps(fields))
    monkeypatch.setenv("ROUNDELAY_LIBRARY_DIR", str(folder))
    return folder


@pytest.fixture
def launchers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A prefix with bin/mpiexec.openmpi and bin/mpiexec.mpich that only say whose they are."""
    prefix = tmp_path / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib").mkdir()
    says = {"openmpi": "mpiexec (OpenRTE) 4.1.4", "mpich": "HYDRA build details:"}
    for flavour, version in says.items():
        script = prefix / "bin" / f"mpiexec.{flavour}"
        script.write_text(f"#!/bin/sh\necho '{version}'\n")
        script.chmod(0o755)
    for library in ("libmpi.so.40", "libmpich.so.12"):
        (prefix / "lib" / library).touch()
    monkeypatch.setenv("PATH", f"{prefix / 'bin'}:/usr/bin:/bin")
    return prefix
