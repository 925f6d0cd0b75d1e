# SPDX-License-Identifier: Apache-2.0
"""Learning during a run: right results, who learns, and what is kept for the next run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from launching import Mpi, Outcome, launch, machine_file
from roundelay.profiles import load_profile
from sanitizers import sanitized
from test_profile import profile_file

Program = Callable[[str], Path]
RANKS = 3
LENGTH = 16384  # integers a block, which takes more than a millisecond after some hundred calls
CALLS = 1500


def learn(
    mpi: Mpi, program: Program, tmp_path: Path, collective: str, *arguments: object, **env: str
) -> Outcome:
    command = [program("traps/learning.c"), collective, *(arguments or (LENGTH, CALLS))]
    return launch(mpi, RANKS, command, env=env, report=tmp_path / "report").ok()


def learn_until_compared(
    mpi: Mpi, program: Program, tmp_path: Path, collective: str, **env: str
) -> Outcome:
    """Where ranks wait for cores, agreements take long, and comparisons are rarer for that."""
    for calls in (CALLS, 4 * CALLS, 16 * CALLS):
        outcome = learn(mpi, program, tmp_path, collective, LENGTH, calls, **env)
        assert outcome.report is not None, outcome.text
        if outcome.report["learned_seconds"] > 0:
            break
    return outcome


def reasons(outcome: Outcome) -> set[str]:
    assert outcome.report is not None, outcome.text
    return {row["reason"].split(" of ")[0] for row in outcome.report["calls"]}


def calls_by_reason(outcome: Outcome, reason: str) -> list[dict[str, Any]]:
    assert outcome.report is not None, outcome.text
    return [row for row in outcome.report["calls"] if row["reason"].startswith(reason)]


@pytest.mark.parametrize("collective", ["allgather", "allreduce", "alltoall", "bcast", "reduce"])
def test_results_are_right_while_algorithms_change(
    mpi: Mpi, program: Program, tmp_path: Path, collective: str
) -> None:
    outcome = learn_until_compared(mpi, program, tmp_path, collective)
    assert "learning: measured" in reasons(outcome), outcome.text
    report = outcome.report
    assert report is not None
    assert 0 < report["learning_seconds"] < report["learned_seconds"]
    for row in report["calls"]:
        if row["reason"] == "learning: measured" and row["algorithm"] != "native":
            assert row["model_seconds"] > 0


def test_native_is_compared_where_no_rank_knows_the_length(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    outcome = learn(mpi, program, tmp_path, "gatherv", 16384, 12000)
    assert "learning: measured" in reasons(outcome), outcome.text
    measured = {row["algorithm"] for row in calls_by_reason(outcome, "learning: measured")}
    # The first guess is measured in turn where native led for a while.
    assert measured - {"linear"} == {"native"}


def test_lengths_that_vary_are_not_compared(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    outcome = learn(mpi, program, tmp_path, "uneven", 1024, 8000)
    assert not any("learn" in reason for reason in reasons(outcome)), outcome.text


def test_learning_under_sanitizers(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    learn(sanitized(mpi), program, tmp_path, "allreduce", LENGTH, 600)


def test_communicators_are_freed_while_ranks_agree(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    """The calls of a millisecond, and then one more on each communicator."""
    learn(mpi, program, tmp_path, "allreduce", LENGTH, 260, 40)


def test_an_agreement_ends_where_its_calls_are_rare(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    """The calls after it take all tags that there are, once and a half."""
    memory = {"startup": 1, "oversubscribed_startup": 1, "gap": 0, "byte": 1e-9}
    machine = machine_file(tmp_path, memory=memory)
    learn(mpi, program, tmp_path, "rare", LENGTH, 25000, ROUNDELAY_MACHINE=machine)


@pytest.mark.parametrize(
    "settings",
    [
        {"ROUNDELAY_LEARN": "off"},
        {"ROUNDELAY": "allreduce=ring"},
        {"ROUNDELAY_DETERMINISTIC": "1"},
    ],
)
def test_what_the_user_says_is_kept(
    mpi: Mpi, program: Program, tmp_path: Path, settings: dict[str, str]
) -> None:
    outcome = learn(mpi, program, tmp_path, "allreduce", **settings)
    assert not any("learn" in reason for reason in reasons(outcome)), outcome.text
    assert outcome.report is not None
    assert outcome.report["learned_seconds"] == 0


def test_a_bad_profile_is_corrected_if_that_is_wanted(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    """64 KiB in pieces of 16 bytes."""
    bad = "chain(blocks=4096)"
    rules = {"bcast": [{"algorithm": bad}]}
    settings = {"ROUNDELAY_PROFILE": str(profile_file(tmp_path, rules))}
    outcome = learn(mpi, program, tmp_path, "bcast", LENGTH, 100, **settings)
    (row,) = calls_by_reason(outcome, "profile test: rule 1")
    assert row["calls"] == 100
    outcome = learn(mpi, program, tmp_path, "bcast", ROUNDELAY_LEARN="on", **settings)
    learned = calls_by_reason(outcome, "learned:")
    assert learned, outcome.text
    assert bad not in [row["algorithm"] for row in learned], outcome.text
    kept = [row for row in calls_by_reason(outcome, "") if row["algorithm"] == bad]
    assert sum(row["calls"] for row in kept) < CALLS / 2, outcome.text


def test_a_wrong_machine_is_only_the_first_guess(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    memory = {"startup": 1e-12, "oversubscribed_startup": 1e-12, "gap": 0, "byte": 1e-9}
    machine = machine_file(tmp_path, memory=memory)
    outcome = learn_until_compared(mpi, program, tmp_path, "bcast", ROUNDELAY_MACHINE=machine)
    assert "learning: measured" in reasons(outcome), outcome.text


def test_a_wrong_machine_file_ends_the_program(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    machine = tmp_path / "machine.json"
    machine.write_text('{"version": 1, "netwrk": {}}')
    command = [program("traps/learning.c"), "barrier", 1, 1]
    outcome = launch(mpi, RANKS, command, env={"ROUNDELAY_MACHINE": str(machine)})
    assert outcome.returncode != 0
    assert f'ROUNDELAY_MACHINE: {machine}:1: a machine file has no key "netwrk"' in outcome.stderr


def test_what_was_learned_is_a_profile_for_the_next_run(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.json"
    learn_until_compared(mpi, program, tmp_path, "allreduce", ROUNDELAY_SAVE=str(saved))
    profile = json.loads(saved.read_text())
    (rule,) = profile["collectives"]["allreduce"]
    least, most = rule["bytes"]
    assert least <= 4 * LENGTH <= most
    assert rule["ranks"] == [RANKS, RANKS]
    assert rule["nodes"] == [1, 1]
    assert rule["operation"] == "predefined"
    load_profile(str(saved))
    outcome = learn(mpi, program, tmp_path, "allreduce", ROUNDELAY_PROFILE=str(saved))
    (row,) = calls_by_reason(outcome, "profile learned: rule 1")
    assert row["algorithm"] == rule["algorithm"]
    assert row["calls"] == CALLS


def test_nothing_learned_is_said(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    saved.write_text("of an earlier run")
    outcome = learn(mpi, program, tmp_path, "allreduce", 1, 1, ROUNDELAY_SAVE=str(saved))
    assert (
        f"nothing was learned that a profile can express; {saved} was not written" in outcome.stderr
    )
    assert saved.read_text() == "of an earlier run"


def test_a_profile_that_cannot_be_written_is_printed(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    saved = tmp_path / "missing" / "saved.json"
    outcome = learn_until_compared(mpi, program, tmp_path, "allreduce", ROUNDELAY_SAVE=str(saved))
    assert f"cannot write {saved}: No such file or directory; here is the profile" in outcome.stderr
    assert '"allreduce": [' in outcome.stderr


def test_a_wrong_setting_is_named(mpi: Mpi, program: Program) -> None:
    command = [program("traps/learning.c"), "barrier", 1, 1]
    outcome = launch(mpi, RANKS, command, env={"ROUNDELAY_LEARN": "yes"})
    assert outcome.returncode != 0
    assert "ROUNDELAY_LEARN=yes: must be one of auto, off, on" in outcome.stderr
