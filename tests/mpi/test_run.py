# SPDX-License-Identifier: Apache-2.0
"""`roundelay run` on programs as users have them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from launching import COLLECTIVES, HERE, TOP, Mpi, Outcome, compile_program, mpiexec, read_mpis, run

Program = Callable[[str], Path]


def roundelay_run(roundelay: str, mpi: Mpi, options: list[str], *argv: object) -> Outcome:
    command = mpiexec(mpi, [(2, argv)])
    return run([roundelay, "run", *options, "--", *command], env=mpi.root_env)


def test_program_runs_and_is_reported(roundelay: str, mpi: Mpi, program: Program) -> None:
    outcome = roundelay_run(roundelay, mpi, [], program("traps/collectives.c")).ok()
    assert outcome.stdout.strip() == "finished"
    assert "2 ranks" in outcome.stderr, outcome.text
    for collective in COLLECTIVES:
        assert collective in outcome.stderr, outcome.text


def test_options_reach_the_library(
    roundelay: str, mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    report = tmp_path / "report"
    options = ["--allgather", "ring", "--force", "bcast=scatter_allgather(allgather=ring)"]
    options += ["--trace", "--report", "json", "--report-file", str(report), "--wait", "sleep"]
    outcome = roundelay_run(roundelay, mpi, options, program("traps/collectives.c")).ok()
    found = json.loads(report.read_text())
    assert found["waiting"] == "sleep"
    forced = {
        (row["collective"], row["algorithm"]) for row in found["calls"] if row["reason"] == "forced"
    }
    assert {collective for collective, _ in forced} == {"allgather", "bcast"}
    assert ("allgather", "ring") in forced
    assert sum("forced" in line for line in outcome.stderr.splitlines()) == 2, outcome.text


def test_exit_code_is_the_programs(roundelay: str, mpi: Mpi, program: Program) -> None:
    outcome = roundelay_run(roundelay, mpi, [], program("traps/errors.c"), "illegal", "fatal")
    assert outcome.returncode != 0, outcome.text


def test_unknown_algorithm_is_refused_at_once(roundelay: str, mpi: Mpi, program: Program) -> None:
    outcome = roundelay_run(roundelay, mpi, ["--bcast", "binomal"], program("traps/collectives.c"))
    assert outcome.returncode == 2, outcome.text
    assert outcome.stdout == ""
    assert "binomal" in outcome.stderr
    assert "binomial" in outcome.stderr


def test_static_program(roundelay: str, mpi: Mpi) -> None:
    static = TOP / "build" / "tests-mpi" / mpi.id / "serial_static"
    static.parent.mkdir(parents=True, exist_ok=True)
    run(["cc", "-static", HERE / "traps" / "serial.c", "-o", static]).ok()
    outcome = roundelay_run(roundelay, mpi, [], static).ok()
    assert outcome.stdout.split() == ["finished"] * 2
    assert "nothing was intercepted" in outcome.stderr, outcome.text
    assert "static" in outcome.stderr, outcome.text


def test_program_without_collectives(roundelay: str, mpi: Mpi, program: Program) -> None:
    outcome = roundelay_run(roundelay, mpi, [], program("traps/collectives.c"), "0").ok()
    assert "nothing was intercepted" in outcome.stderr, outcome.text


def test_program_without_mpi(roundelay: str, mpi: Mpi, program: Program) -> None:
    serial = TOP / "build" / "tests-mpi" / mpi.id / "serial"
    serial.parent.mkdir(parents=True, exist_ok=True)
    run(["cc", HERE / "traps" / "serial.c", "-o", serial]).ok()
    outcome = roundelay_run(roundelay, mpi, [], serial).ok()
    assert "nothing was intercepted" in outcome.stderr, outcome.text


def test_build_for_another_mpi(roundelay: str, mpi: Mpi, program: Program) -> None:
    others = [other for other in read_mpis() if other.library != mpi.library]
    if not others:
        pytest.skip("there is only one MPI here")
    option = ["--mpi", others[0].id]
    outcome = roundelay_run(roundelay, mpi, option, program("traps/collectives.c"))
    assert "nothing was intercepted" in outcome.stderr or outcome.returncode != 0, outcome.text
    assert others[0].id in outcome.stderr, outcome.text


def test_launcher_of_another_mpi(roundelay: str, mpi: Mpi) -> None:
    """The build follows the program, not the launcher; and the singletons are what they are."""
    others = [other for other in read_mpis() if other.flavour != mpi.flavour]
    if not others:
        pytest.skip("there is only one MPI here")
    program = compile_program(others[0], HERE / "traps" / "collectives.c")
    outcome = roundelay_run(roundelay, mpi, [], program)
    if outcome.returncode == 0:
        assert "1 rank" in outcome.stderr, outcome.text


def test_unknown_build(roundelay: str, mpi: Mpi, program: Program) -> None:
    outcome = roundelay_run(roundelay, mpi, ["--mpi", "nompi"], program("traps/collectives.c"))
    assert outcome.returncode != 0
    assert mpi.id in outcome.stderr, outcome.text
