# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from helpers import marked, until
from roundelay.launcher import ANY, Launcher, find_launcher, missing_program, programs_of
from roundelay.launcher_variables import with_variables

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


def test_a_launcher_that_does_not_say_its_version(
    launchers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrapper of the site that waits, and what it has started."""
    monkeypatch.setattr("roundelay.launcher.VERSION_SECONDS", 0.5)
    script = launchers / "bin" / "mpiexec"
    script.write_text("#!/bin/sh\necho 'Open MPI'; MARK=waits sleep 1000; echo done\n")
    script.chmod(0o755)
    launcher = find_launcher(["mpiexec", "-n", "2", "true"])
    assert launcher is not None
    assert (launcher.flavour, launcher.libraries) == (ANY, {})
    assert until(lambda: not marked("MARK", "waits"))


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
    assert [program[0] for program in programs_of(OPEN_MPI, ["mpiexec", *words])] == ["ls"]


def test_no_program_in_a_command() -> None:
    assert programs_of(OPEN_MPI, ["mpiexec", "--help"]) == []


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


@pytest.mark.parametrize(
    ("words", "preloaded", "expected"),
    [
        (["-n", "1", "a"], "/i.so", ["-n", "1", "a"]),
        (
            ["-genv", "LD_PRELOAD", "/u.so", "a"],
            "/i.so",
            ["-genv", "LD_PRELOAD", "/r.so:/u.so", "a"],
        ),
        (["-genv", "LD_PRELOAD=/u.so", "a"], None, ["-genv", "LD_PRELOAD=/r.so:/u.so", "a"]),
        (
            ["a", ":", "-env", "LD_PRELOAD", "/u.so", "b"],
            None,
            ["a", ":", "-env", "LD_PRELOAD", "/r.so:/u.so", "b"],
        ),
        (["ls", "-genv", "LD_PRELOAD", "/u.so"], None, ["ls", "-genv", "LD_PRELOAD", "/u.so"]),
    ],
)
def test_hydra_merges_what_the_user_preloads(
    words: list[str], preloaded: str | None, expected: list[str]
) -> None:
    command, _ = with_variables(MPICH, ["mpiexec", *words], "/r.so", {}, preloaded)
    # What comes first counts only where nothing else is said.
    ours = "/r.so:/i.so" if preloaded else "/r.so"
    assert command == ["mpiexec", "-genv", "LD_PRELOAD", ours, *expected]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-x", "LD_PRELOAD=/u.so", "ls"], ["-x", "LD_PRELOAD=/r.so:/u.so", "ls"]),
        (["-n", "1", "-x", "LD_PRELOAD", "ls"], ["-x", "LD_PRELOAD=/r.so:/i.so", "-n", "1", "ls"]),
        (
            ["ls", ":", "-n", "1", "--x", "LD_PRELOAD=/u.so", "ls"],
            [
                "-x",
                "LD_PRELOAD=/r.so:/i.so",
                "ls",
                ":",
                "-x",
                "LD_PRELOAD=/r.so:/u.so",
                "-n",
                "1",
                "ls",
            ],
        ),
        (
            ["ls", "-x", "LD_PRELOAD=/u.so"],
            ["-x", "LD_PRELOAD=/r.so:/i.so", "ls", "-x", "LD_PRELOAD=/u.so"],
        ),
    ],
)
def test_open_mpi_merges_what_the_user_preloads(words: list[str], expected: list[str]) -> None:
    command, _ = with_variables(OPEN_MPI, ["mpiexec", *words], "/r.so", {}, "/i.so")
    assert command == ["mpiexec", *expected]


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (["-n", "2", "./nosuch", "x"], "./nosuch"),
        (["--unknown", "3", "nosuch"], "nosuch"),
        (["-n", "2", "ls"], None),
        (["-wdir", "/x", "./nosuch"], None),
        (["-n", "2"], None),
    ],
)
def test_a_program_that_is_not_there(words: list[str], missing: str | None) -> None:
    assert missing_program(OPEN_MPI, ["mpiexec", *words]) == missing
