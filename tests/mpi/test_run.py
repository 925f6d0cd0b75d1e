# SPDX-License-Identifier: Apache-2.0
"""`roundelay run` on programs as users have them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from launching import (
    COLLECTIVES,
    HERE,
    TOP,
    Mpi,
    Outcome,
    compile_program,
    in_ranks,
    ld_preload,
    mpiexec,
    read_mpis,
    run,
)
from roundelay.elf import MPI_NAMES

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


def last_line(outcome: Outcome) -> str:
    """Without the zero byte that prterun of Open MPI 5 writes after what it says."""
    return outcome.stderr.splitlines()[-1].lstrip("\0")


def another(mpi: Mpi) -> Mpi:
    flavours = {mpi.flavour, "standard"}  # that one is started by any launcher
    others = [other for other in read_mpis() if other.flavour not in flavours]
    if not others:
        pytest.skip("there is only one MPI here")
    return others[0]


def test_build_for_another_mpi(roundelay: str, mpi: Mpi, program: Program) -> None:
    other = another(mpi)
    option = ["--mpi", other.id]
    outcome = roundelay_run(roundelay, mpi, option, program("traps/collectives.c"))
    assert outcome.returncode == 1
    assert outcome.stdout == ""
    assert last_line(outcome).startswith(
        f"Error: collectives is linked to {mpi.soname}, but --mpi {other.id} is the build for "
        f"{other.soname}: leave --mpi out, or give --mpi {mpi.id}"
    ), outcome.text


def test_launcher_of_another_mpi(roundelay: str, mpi: Mpi) -> None:
    """It is noticed before the start; and after it, if the user insists."""
    if mpi.flavour == "standard":
        pytest.skip("the standard ABI has no launcher of its own")
    other = another(mpi)
    program = compile_program(other, HERE / "traps" / "collectives.c")
    outcome = roundelay_run(roundelay, mpi, [], program)
    assert outcome.returncode == 1
    assert outcome.stdout == ""
    assert (
        f"belongs to {MPI_NAMES[mpi.flavour]}, but collectives is linked to {other.soname} of "
        f"{MPI_NAMES[other.flavour]}: each rank would be a job of its own"
    ) in last_line(outcome), outcome.text
    assert f"use {other.mpiexec}" in last_line(outcome)
    outcome = roundelay_run(roundelay, mpi, ["--mpi", other.id], program)
    its = MPI_NAMES[mpi.flavour]
    alone = (
        "each of the 2 processes was a job of its own, with one rank: "
        f"{Path(mpi.mpiexec).name}, of {its}, does not start ranks of"
    )
    # MPICH 5 does not begin under a launcher of Open MPI 5.
    refused = (
        f"{mpi.mpiexec} belongs to {MPI_NAMES[mpi.flavour]}, but the build in use is {other.id}"
    )
    assert (alone if outcome.returncode == 0 else refused) in last_line(outcome), outcome.text


def test_roundelay_ends_the_job(
    roundelay: str, mpi: Mpi, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For what an option says wrong, nothing starts."""
    words = ["--nodes", "3+4"]
    outcome = roundelay_run(roundelay, mpi, words, program("traps/collectives.c"))
    assert outcome.returncode == 1
    assert outcome.stdout == ""
    assert last_line(outcome).startswith("Error: --nodes 3+4 is for 7 ranks, but "), outcome.text
    assert last_line(outcome).endswith("starts 2")
    monkeypatch.setenv("ROUNDELAY_NODES", "3+4")
    outcome = roundelay_run(roundelay, mpi, [], program("traps/collectives.c"))
    assert outcome.returncode != 0
    assert last_line(outcome).startswith("roundelay: Roundelay ended the job: "), outcome.text
    assert "is for 7 ranks" in last_line(outcome)


def test_a_program_that_is_not_there(roundelay: str, mpi: Mpi) -> None:
    outcome = roundelay_run(roundelay, mpi, [], "./nosuch")
    assert outcome.returncode != 0
    assert "did not start the job" in last_line(outcome), outcome.text
    assert last_line(outcome).endswith("there is no program './nosuch'")


def test_a_launcher_that_refuses(
    roundelay: str, mpi: Mpi, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More ranks than slots, or root: only Open MPI's does."""
    if mpi.flavour != "openmpi":
        pytest.skip("this launcher refuses neither")
    # With these of the user it would start them.
    for name in ("OMPI_MCA_rmaps_base_oversubscribe", "PRTE_MCA_rmaps_default_mapping_policy"):
        monkeypatch.delenv(name, raising=False)
    command = [mpi.mpiexec, "-n", "1000", program("traps/collectives.c")]
    outcome = run([roundelay, "run", "--", *command], env=mpi.root_env)
    assert "did not start the job (exit code 1): 1000 ranks are more than the slots" in (
        last_line(outcome)
    )
    if os.geteuid() == 0:
        env = dict.fromkeys(mpi.root_env, "")
        outcome = run([roundelay, "run", "--", *command], env=env)
        assert "as root it needs --allow-run-as-root" in last_line(outcome), outcome.text


def test_a_rank_that_dies(roundelay: str, mpi: Mpi) -> None:
    outcome = roundelay_run(roundelay, mpi, [], "sh", "-c", "exit 3")
    assert outcome.returncode != 0
    assert "there is no report: the job ended with exit code" in last_line(outcome), outcome.text


def test_what_was_forced_but_never_applied(roundelay: str, mpi: Mpi, program: Program) -> None:
    options = ["--allgather", "ring", "--bcast", "binomial"]
    outcome = roundelay_run(roundelay, mpi, options, program("traps/one_bcast.c")).ok()
    assert last_line(outcome) == (
        "roundelay: forced, but never applied: allgather=ring (there was no such call)"
    ), outcome.text


def test_what_the_user_preloads_is_merged(
    roundelay: str, mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    source, library = tmp_path / "own.c", tmp_path / "own.so"
    source.write_text(
        "#include <stdio.h>\n"
        '__attribute__((constructor)) static void here(void) { puts("here"); fflush(stdout); }\n'
    )
    run(["cc", "-shared", "-fPIC", source, "-o", library]).ok()
    ranks = ["-n", "2", str(program("traps/one_bcast.c"))]
    if mpi.flavour == "openmpi":
        commands = [
            ["-x", f"LD_PRELOAD={library}", *ranks],
            [*ranks, ":", "-x", f"LD_PRELOAD={library}", *ranks],
        ]
    else:
        commands = [
            ["-genv", "LD_PRELOAD", str(library), *ranks],
            [*ranks, ":", "-env", f"LD_PRELOAD={library}", *ranks],
        ]
    for words in commands:
        command = [mpi.mpiexec, *mpi.oversubscribe_args, *words]
        outcome = run([roundelay, "run", "--", *command], env=mpi.root_env).ok()
        assert outcome.stdout.split() == ["here"] * 2, outcome.text
        assert f"{words.count('-n') * 2} ranks" in outcome.stderr, outcome.text


def test_unknown_build(roundelay: str, mpi: Mpi, program: Program) -> None:
    outcome = roundelay_run(roundelay, mpi, ["--mpi", "nompi"], program("traps/collectives.c"))
    assert outcome.returncode != 0
    assert mpi.id in outcome.stderr, outcome.text


def test_a_library_for_another_mpi_says_so(mpi: Mpi, program: Program) -> None:
    """As a user preloads it without `roundelay run`, which would refuse."""
    others = [one for one in read_mpis() if one.flavour != mpi.flavour]
    if not others:
        pytest.skip("there is one kind of MPI here")
    ranks = in_ranks(mpi, ld_preload(mpi, others[0].library), [program("traps/collectives.c")])
    outcome = run(mpiexec(mpi, [(2, ranks)]), env=mpi.root_env)
    assert outcome.returncode != 0
    assert "roundelay: error: the library that was loaded is for " in outcome.stderr, outcome.text
    assert "`roundelay doctor` lists the builds" in outcome.stderr


def test_a_record_that_cannot_be_written_is_a_failure(
    roundelay: str, mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    ranks = mpiexec(mpi, [(2, [program("traps/collectives.c")])])

    def record(output: Path) -> Outcome:
        return run([roundelay, "record", "-o", output, "--", *ranks], env=mpi.root_env)

    outcome = record(Path("/dev/full"))
    assert outcome.returncode == 1
    assert outcome.stderr.splitlines()[-1] == "roundelay: /dev/full was not written"
    assert "no folder" in record(tmp_path / "none" / "mix.json").stderr
    record(tmp_path / "mix.json").ok()
    assert '"calls"' in record(Path("/dev/stdout")).ok().stdout
