# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import roundelay
from helpers import Cli
from roundelay import _core


def test_everything_is_proven_for_a_few_ranks(cli: Cli) -> None:
    result = cli("verify", "--p", "1:9", "--json")
    rows = json.loads(result.stdout)
    assert result.exit_code == 0, result.output
    assert all(row["ok"] and row["cases"] > 0 for row in rows)
    names = {row["name"] for row in rows}
    assert {one.name for one in roundelay.algorithms() if not one.native} <= names


@pytest.mark.long
def test_everything_is_proven_in_the_default_range(cli: Cli) -> None:
    result = cli("verify", "--json")
    rows = json.loads(result.stdout)
    assert result.exit_code == 0, [row["error"] for row in rows if not row["ok"]]


def test_the_table_names_ranks_cases_and_result(cli: Cli) -> None:
    result = cli("verify", "allgather.ring", "--p", "2:5,8")
    assert result.exit_code == 0
    assert "allgather.ring" in result.stdout
    assert "2:5, 8" in result.stdout
    assert "proven" in result.stdout


def test_one_root(cli: Cli) -> None:
    (row,) = json.loads(cli("verify", "bcast.bine", "--p", "1:8", "--root", "5", "--json").stdout)
    assert row["ranks"] == [6, 7, 8]  # with fewer ranks there is no root 5


def test_a_failure_is_a_sentence_and_exit_code_1(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def prove(name: str, p: int, root: int | None, stop: _core.Stop) -> SimpleNamespace:
        error = f"p = {p}: rank 1 waits for ever" if p >= 3 else ""
        return SimpleNamespace(cases=1, error=error)

    monkeypatch.setattr(_core, "prove", prove)
    result = cli("verify", "allgather.bruck", "--p", "1:4")
    assert result.exit_code == 1
    assert "FAILED" in result.stdout
    assert result.stderr == "allgather.bruck: p = 3: rank 1 waits for ever\n"


def test_mutants_are_killed(cli: Cli) -> None:
    result = cli("verify", "allreduce.rabenseifner", "--p", "2:5", "--mutants", "--json")
    (row,) = json.loads(result.stdout)
    assert result.exit_code == 0
    assert row["mutants"]["killed"] == row["mutants"]["count"] > 0


@pytest.mark.parametrize("text", ["0", "5:3", "a", "1:", "", "1,,2"])
def test_wrong_numbers_of_ranks_are_refused(cli: Cli, text: str) -> None:
    assert cli("verify", "allgather.ring", "--p", text).exit_code == 2


def test_an_unknown_algorithm_is_refused_with_the_valid_ones(cli: Cli) -> None:
    result = cli("verify", "allgather.nonesuch")
    assert result.exit_code == 2
    assert "bruck" in result.stderr


def test_more_ranks_than_fit_into_memory_are_refused(cli: Cli) -> None:
    result = cli("verify", "bcast.binomial", "-p", "4,16777216")
    assert result.exit_code == 2
    assert "an algorithm is proven by running the schedules of all ranks" in result.stderr
    assert "1 to 262144, not 16777216" in result.stderr


def test_one_number_is_not_several() -> None:
    with pytest.raises(ValueError, match=r"ranks must be several numbers, e\.g\. \[5\] or range"):
        roundelay.verify("allgather.ring", 5)  # type: ignore[arg-type]


def test_ranks_are_where_it_is_said(cli: Cli) -> None:
    (row,) = json.loads(cli("verify", "alltoall.lg", "--sites", "3+7+5", "--json").stdout)
    assert row["ok"]
    assert row["ranks"] == [15]


def test_of_a_collective_the_algorithms_within_one_group_are_proven_for_a_placement(
    cli: Cli,
) -> None:
    result = cli("verify", "barrier", "--nodes", "2+2")
    assert result.exit_code == 0, result.output
    assert "barrier.hier" in result.stdout
    assert "inter_joined" not in result.stdout
    result = cli("verify", "barrier.inter_joined", "--nodes", "2+2")
    assert result.exit_code == 2
    assert "is one of the algorithms between two groups of ranks" in result.stderr


def test_messages_between_sites_are_counted() -> None:
    sites = _core.placement("abbab")
    proof = _core.verify("alltoall.lg", _core.Case(5, m=10, sites=sites))
    assert proof.ok
    assert (proof.far_messages, proof.far_volume) == (2 * 3, 2 * 2 * 2 * 3)


@pytest.mark.parametrize("text", ["", "3+", "3x4", "0+3", "ab1", "-1"])
def test_wrong_placements_are_refused(cli: Cli, text: str) -> None:
    result = cli("verify", "alltoall.lg", f"--sites={text}")
    assert result.exit_code == 2
    assert "4+3" in result.stderr


def test_a_placement_that_does_not_fit_is_refused(cli: Cli) -> None:
    result = cli("verify", "bcast.hier", "--p", "9", "--nodes", "3+4")
    assert result.exit_code == 2
    assert "nodes 3+4 place 7 ranks, so p can only be 7, not 9" in result.stderr
    result = cli("verify", "bcast.hier", "--nodes", "3+4", "--sites", "3+5")
    assert result.exit_code == 2
    assert "nodes 3+4 means 7 ranks, sites 3+5 means 8 ranks" in result.stderr
    (row,) = json.loads(
        cli("verify", "bcast.hier(level=nodes)", "--p", "7", "--nodes", "3+4", "--json").stdout
    )[:1]
    assert row["ranks"] == [7]


def test_a_root_that_is_no_rank_is_refused(cli: Cli) -> None:
    result = cli("verify", "bcast.binomial", "--p", "4", "--root", "9")
    assert result.exit_code == 2
    assert "root 9 is not a rank: with p = 4 the ranks are 0 to 3" in result.stderr


def test_ctrl_c_ends_it_with_what_is_proven_so_far(tmp_path: Path) -> None:
    """A real SIGINT, in the middle of a proof that would take very long."""
    roundelay = Path(sys.executable).with_name("roundelay")
    command = [str(roundelay), "verify", "alltoall.pairwise", "--p", "2,4000"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=6)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
    assert process.returncode == 130, stderr
    assert "alltoall.pairwise" in stdout
    assert "proven" in stdout
    assert "stopped" in stderr
    assert "Traceback" not in stderr


@pytest.mark.parametrize(
    ("ranks", "told"),
    [
        ([], r"ranks is empty: give at least one number, e.g. \[4\]"),
        ([0], "numbers of ranks begin at 1, not 0"),
        ([4, -3], "numbers of ranks begin at 1, not -3"),
    ],
)
def test_nothing_is_not_proven(ranks: list[int], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        roundelay.verify("bcast.binomial", ranks)


def test_a_proof_needs_a_thread() -> None:
    with pytest.raises(ValueError, match="threads must be at least 1, not 0"):
        roundelay.verify("bcast.binomial", [4], threads=0)
