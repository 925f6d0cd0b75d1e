# SPDX-License-Identifier: Apache-2.0
"""Forcing, tracing and reporting."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from launching import Mpi, Outcome, in_ranks, launch, mpiexec, run, settings_of

Program = Callable[[str], Path]
FORCED = {
    "bcast": "scatter_allgather(allgather=bruck)",
    "allgather": "bruck",
    "gather": "linear",
    "scatter": "binomial",
    "allgatherv": "ring",
    "gatherv": "linear",
    "scatterv": "linear",
    "alltoall": "bruck",
    "alltoallv": "pairwise",
    "alltoallw": "scattered",
    "barrier": "dissemination",
    "allreduce": "rabenseifner",
    "reduce": "ordered",
    "scan": "recursive_doubling",
    "exscan": "recursive_doubling",
    "reduce_scatter_block": "circulant",
    "reduce_scatter": "pairwise",
}  # in the order of the program's calls
FORCED_TEXT = "; ".join(f"{name}={algorithm}" for name, algorithm in FORCED.items())


def rows(outcome: Outcome) -> list[tuple[str, str, str]]:
    assert outcome.report is not None, outcome.text
    return sorted(
        (row["collective"], row["algorithm"], row["reason"]) for row in outcome.report["calls"]
    )


def messages(outcome: Outcome) -> list[str]:
    return [line for line in outcome.stderr.splitlines() if line.startswith("roundelay")]


def test_forced_algorithms_run_and_are_reported(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    env = {"ROUNDELAY": FORCED_TEXT}
    command = [program("traps/collectives.c"), "4", "100"]
    outcome = launch(mpi, 3, command, env=env, report=tmp_path / "report").ok()
    assert rows(outcome) == [(name, FORCED[name], "forced") for name in sorted(FORCED)]
    assert outcome.calls == dict.fromkeys(FORCED, 4)
    assert outcome.report is not None
    assert outcome.report["ranks"] == 3
    assert outcome.report["scratch_high_water"] >= 0
    assert outcome.report["waiting"] in ("spin", "sleep")
    of = {row["collective"]: row for row in outcome.report["calls"]}
    assert of["bcast"]["bytes"] == 4 * 400
    assert of["allgather"]["bytes"] == 4 * 3 * 400
    assert of["barrier"]["bytes"] == 0
    assert all(row["seconds"] > 0 for row in outcome.report["calls"])


def test_every_collective_can_be_left_to_the_mpi(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    env = {"ROUNDELAY": "; ".join(f"{name}=native" for name in FORCED)}
    command = [program("traps/collectives.c"), "2"]
    outcome = launch(mpi, 2, command, env=env, report=tmp_path / "report").ok()
    assert rows(outcome) == [(name, "native", "forced") for name in sorted(FORCED)]


def test_text_report_is_printed_once_at_the_end(mpi: Mpi, program: Program) -> None:
    outcome = launch(mpi, 3, [program("traps/collectives.c")], env={"ROUNDELAY": FORCED_TEXT}).ok()
    assert outcome.stdout.strip() == "finished"
    assert len(messages(outcome)) == 1, outcome.text
    for name, algorithm in FORCED.items():
        line = re.search(rf"^ *{name} .*$", outcome.stderr, re.MULTILINE)
        assert line, outcome.text
        assert algorithm in line[0]
        assert "forced" in line[0]


def test_json_report_on_stderr(mpi: Mpi, program: Program) -> None:
    env = {"ROUNDELAY_REPORT": "json"}
    outcome = launch(mpi, 2, [program("traps/collectives.c")], env=env).ok()
    lines = [line for line in outcome.stderr.splitlines() if line.startswith("{")]
    assert len(lines) == 1, outcome.text
    assert {row["collective"] for row in json.loads(lines[0])["calls"]} == set(FORCED)


def test_report_can_be_turned_off(mpi: Mpi, program: Program) -> None:
    outcome = launch(mpi, 2, [program("traps/collectives.c")], env={"ROUNDELAY_REPORT": "off"}).ok()
    assert "roundelay" not in outcome.stderr, outcome.text


def test_report_that_cannot_be_written_is_printed(mpi: Mpi, program: Program) -> None:
    env = {"ROUNDELAY_REPORT_FILE": "/no/such/folder/report"}
    outcome = launch(mpi, 2, [program("traps/collectives.c")], env=env).ok()
    assert "/no/such/folder/report" in outcome.stderr, outcome.text
    assert "allreduce" in outcome.stderr, outcome.text


def test_trace_is_a_line_a_call_on_rank_0(mpi: Mpi, program: Program) -> None:
    env = {"ROUNDELAY": FORCED_TEXT, "ROUNDELAY_TRACE": "1", "ROUNDELAY_REPORT": "off"}
    outcome = launch(mpi, 3, [program("traps/collectives.c"), "2"], env=env).ok()
    lines = messages(outcome)
    order = [*FORCED, *FORCED]
    assert len(lines) == len(order), outcome.text
    for line, name in zip(lines, order):
        assert name in line
        assert FORCED[name] in line
        assert "forced" in line


@pytest.mark.parametrize(
    ("setting", "wrong", "valid"),
    [
        ({"ROUNDELAY": "allgather=brick"}, "brick", "bruck"),
        ({"ROUNDELAY": "allgathr=ring"}, "allgathr", "allgather"),
        ({"ROUNDELAY": "bcast=scatter_allgather(allgather=rung)"}, "rung", "ring"),
        ({"ROUNDELAY": "bcast=scatter_allgather(size=3)"}, "size", "allgather"),
        ({"ROUNDELAY": "allgather=ring(discipline=late)"}, "late", "paced"),
        ({"ROUNDELAY": "allgather="}, "allgather", "algorithm"),
        ({"ROUNDELAY_REPORT": "xml"}, "xml", "json"),
        ({"ROUNDELAY_WAIT": "never"}, "never", "sleep"),
        ({"ROUNDELAY_WAIT": "slep"}, "slep", "did you mean 'sleep'?"),
        ({"ROUNDELAY_SITES": "2x1"}, "2x1", "4+3"),
        ({"ROUNDELAY_SITES": "2+2"}, "for 4 ranks", "has 3"),
        ({"ROUNDELAY_SITES": "north: ; south: s*"}, "north:", "patterns"),
        ({"ROUNDELAY_SITES": "./no_such_file"}, "no_such_file", "cannot be read"),
        ({"ROUNDELAY": "alltoall=lg"}, "several sites", "pairwise"),
        ({"ROUNDELAY_TRACE": "maybe"}, "maybe", "1"),
    ],
)
def test_what_does_not_exist_is_an_error_of_one_rank_that_names_what_does(
    mpi: Mpi, program: Program, setting: dict[str, str], wrong: str, valid: str
) -> None:
    outcome = launch(mpi, 3, [program("traps/collectives.c")], env=setting)
    assert outcome.returncode != 0, outcome.text
    assert "finished" not in outcome.stdout, outcome.text
    told = messages(outcome)
    assert len(told) == 1, outcome.text
    assert wrong in told[0]
    assert valid in told[0]


def test_a_variable_that_is_no_setting_is_told_and_changes_nothing(
    mpi: Mpi, program: Program
) -> None:
    env = {"ROUNDELAY_REPROT": "off", "ROUNDELAY_REPORT": "off"}
    outcome = launch(mpi, 3, [program("traps/collectives.c")], env=env).ok()
    (told,) = messages(outcome)
    assert "ROUNDELAY_REPROT is not a setting" in told
    assert "did you mean 'ROUNDELAY_REPORT'?" in told


def test_violated_restriction_is_an_error_that_names_what_is_possible(
    mpi: Mpi, program: Program
) -> None:
    env = {"ROUNDELAY": "allreduce=ring"}
    outcome = launch(mpi, 3, [program("traps/ordered.c")], env=env)
    assert outcome.returncode != 0, outcome.text
    assert "finished" not in outcome.stdout, outcome.text
    told = messages(outcome)
    assert len(told) == 1, outcome.text
    assert "commutative" in told[0]
    assert "recursive_doubling" in told[0]


def test_a_site_is_found_by_the_name_of_the_host(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    sites = tmp_path / "sites"
    sites.write_text("# one\nhere: *\n")
    env = {"ROUNDELAY": "alltoall=lg", "ROUNDELAY_SITES": str(sites)}
    told = messages(launch(mpi, 3, [program("traps/collectives.c")], env=env))
    assert len(told) == 1
    assert "several sites" in told[0]


def test_a_host_of_no_node_is_a_node_of_its_own(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    env = {"ROUNDELAY_NODES": "cyclic:2", "ROUNDELAY_TRANSPORT": "memory"}
    argv = [program("traps/collectives.c"), "3"]
    outcome = launch(mpi, 2, argv, env=env, report=tmp_path / "report").ok()
    assert outcome.stderr.count("ROUNDELAY_NODES=cyclic:2 has no pattern that matches") == 1
    assert outcome.report is not None
    reasons = {row["reason"] for row in outcome.report["calls"]}
    assert "model: one node" not in reasons, outcome.text


@pytest.mark.parametrize("sites", ["2+1", "aba"])
def test_sites_by_ranks_make_room_for_what_needs_them(
    mpi: Mpi, program: Program, sites: str, tmp_path: Path
) -> None:
    env = {"ROUNDELAY": "alltoall=lg; allreduce=hier(level=sites)", "ROUNDELAY_SITES": sites}
    command = [program("traps/collectives.c"), "4", "100"]
    outcome = launch(mpi, 3, command, env=env, report=tmp_path / "report").ok()
    assert ("alltoall", "lg", "forced") in rows(outcome)
    assert ("allreduce", "hier(level=sites)", "forced") in rows(outcome)


def test_non_commutative_operations_run_where_nothing_is_forced(mpi: Mpi, program: Program) -> None:
    launch(mpi, 3, [program("traps/ordered.c")]).ok()


def test_trap_06_ranks_with_different_settings_step_aside(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    report = tmp_path / "report"
    shared = {"ROUNDELAY_REPORT": "json", "ROUNDELAY_REPORT_FILE": str(report)}
    groups = []
    for ranks, forced in ((2, "allreduce=ring"), (1, "allreduce=circulant")):
        settings = settings_of(mpi, preload=True, env={**shared, "ROUNDELAY": forced})
        groups.append((ranks, in_ranks(mpi, settings, [program("traps/collectives.c"), "2"])))
    outcome = run(mpiexec(mpi, groups), env=mpi.root_env).ok()
    told = messages(outcome)
    assert len(told) == 1, outcome.text
    assert "differ" in told[0]
    ran = json.loads(report.read_text())["calls"]
    assert {row["algorithm"] for row in ran} == {"native"}, outcome.text
    assert {row["collective"] for row in ran} == set(FORCED), outcome.text


@pytest.mark.parametrize("wait", ["spin", "sleep"])
def test_waiting_can_be_forced(mpi: Mpi, program: Program, wait: str, tmp_path: Path) -> None:
    env = {"ROUNDELAY_WAIT": wait}
    outcome = launch(
        mpi, 2, [program("traps/collectives.c")], env=env, report=tmp_path / "report"
    ).ok()
    assert outcome.report is not None
    assert outcome.report["waiting"] == wait


def test_more_ranks_than_cores_do_not_spin(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    ranks = len(os.sched_getaffinity(0)) + 1
    outcome = launch(mpi, ranks, [program("traps/collectives.c")], report=tmp_path / "report").ok()
    assert outcome.report is not None
    assert outcome.report["waiting"] == "sleep"


def test_ranks_that_a_script_starts_on_a_core_each_spin(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    """The script is bound, too: what counts is the launcher's."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("needs two cores")
    script = f"{program('traps/collectives.c')}; true"
    argv = ["taskset", "-c", cores[0], "sh", "-c", script]
    outcome = launch(mpi, 2, argv, report=tmp_path / "report").ok()
    assert outcome.report is not None
    assert outcome.report["waiting"] == "spin", outcome.text
