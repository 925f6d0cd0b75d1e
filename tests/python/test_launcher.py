# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from roundelay.launcher import Launcher, find_launcher, program_of, with_variables

OPEN_MPI = Launcher(Path("/x/bin/mpiexec"), 0, "openmpi", {})
MPICH = Launcher(Path("/x/bin/mpiexec"), 0, "mpich", {})


@pytest.mark.parametrize(
    ("flavour", "soname"), [("openmpi", "libmpi.so.40"), ("mpich", "libmpich.so.12")]
)
def test_a_launcher_says_whose_it_is(launchers: Path, flavour: str, soname: str) -> None:
    launcher = find_launcher([f"mpiexec.{flavour}", "-n", "2", "true"])
    assert launcher is not None
    assert launcher.flavour == flavour
    assert launcher.libraries == {soname: launchers / "lib" / soname}


def test_a_launcher_behind_another_program(launchers: Path) -> None:
    launcher = find_launcher(["env", "A=1", "mpiexec.mpich", "-n", "2", "true"])
    assert launcher is not None
    assert launcher.position == 2


@pytest.mark.parametrize("command", [["true"], ["mpiexec.absent"], ["true", "mpiexec.mpich"]])
def test_what_is_no_launcher(launchers: Path, command: list[str]) -> None:
    assert find_launcher(command) is None


@pytest.mark.parametrize(
    "words",
    [
        ["-n", "4", "ls", "-l"],
        ["--mca", "btl", "tcp", "-np", "2", "--oversubscribe", "ls", "true"],
        ["-launcher-exec", "sh", "-n", "1", "ls"],
        ["-genv", "A", "true", "-n", "1", "ls"],
        ["-x", "PATH", "--map-by", ":OVERSUBSCRIBE", "ls"],
    ],
)
def test_the_program_in_a_command(words: list[str]) -> None:
    assert program_of(OPEN_MPI, ["mpiexec", *words]) == "ls"


def test_no_program_in_a_command() -> None:
    assert program_of(OPEN_MPI, ["mpiexec", "--help"]) is None


def test_open_mpi_takes_settings_from_its_environment() -> None:
    settings = {"ROUNDELAY": "allgather=ring; bcast=binomial"}
    command, environment = with_variables(
        OPEN_MPI, ["mpiexec", "-n", "1", "a", ":", "-n", "2", "b"], "/r.so", settings
    )
    passed = ["-x", "LD_PRELOAD=/r.so", "-x", "ROUNDELAY"]
    assert command == ["mpiexec", *passed, "-n", "1", "a", ":", *passed, "-n", "2", "b"]
    assert environment == settings
    assert "LD_PRELOAD" not in environment


def test_hydra_takes_everything_as_arguments() -> None:
    command, environment = with_variables(
        MPICH, ["mpiexec", "-n", "1", "a"], "/r.so", {"ROUNDELAY_TRACE": "1"}
    )
    assert command == [
        *("mpiexec", "-genv", "LD_PRELOAD", "/r.so", "-genv", "ROUNDELAY_TRACE", "1"),
        *("-n", "1", "a"),
    ]
    assert environment == {}
