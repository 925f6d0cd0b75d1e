# SPDX-License-Identifier: Apache-2.0
"""The traps of a library between a program and its MPI, one test each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launching import Mpi, Outcome, launch

Program = Callable[[str], Path]
ALL = {"allgather", "allreduce", "barrier", "bcast", "reduce"}


def finished(outcome: Outcome) -> Outcome:
    """Every check of the program held, on every rank."""
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
    return outcome


def algorithms(outcome: Outcome) -> dict[str, set[str]]:
    assert outcome.report is not None, outcome.text
    ran: dict[str, set[str]] = {}
    for row in outcome.report["calls"]:
        ran.setdefault(row["collective"], set()).add(row["algorithm"])
    return ran


@pytest.mark.parametrize("ranks", [2, 5])
def test_receives_from_anywhere_do_not_match_our_messages(
    mpi: Mpi, program: Program, ranks: int
) -> None:
    finished(launch(mpi, ranks, [program("traps/wildcards.c")]))


@pytest.mark.parametrize("ranks", [1, 3])
def test_communicators_are_freed_in_any_order(mpi: Mpi, program: Program, ranks: int) -> None:
    finished(launch(mpi, ranks, [program("traps/lifetimes.c"), "50"]))


def test_communicators_are_freed_wholly(mpi: Mpi, program: Program) -> None:
    # More than any MPI has at a time.
    finished(launch(mpi, 2, [program("traps/lifetimes.c"), "5000"]))


@pytest.mark.parametrize("ranks", [1, 3])
def test_finalize_may_still_communicate(mpi: Mpi, program: Program, ranks: int) -> None:
    outcome = finished(launch(mpi, ranks, [program("traps/finalize.c")]))
    assert outcome.stdout.count("deleted") == 2, outcome.text


def test_ignored_arguments_may_be_anything(mpi: Mpi, program: Program) -> None:
    finished(launch(mpi, 3, [program("traps/ignored.c")]))


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_no_data(mpi: Mpi, program: Program, ranks: int) -> None:
    finished(launch(mpi, ranks, [program("traps/nothing.c")]))


@pytest.mark.parametrize("handling", ["handler", "return"])
def test_illegal_arguments_give_the_error_of_the_mpi(
    mpi: Mpi, program: Program, handling: str
) -> None:
    command = [program("traps/errors.c"), "illegal", handling]
    native = finished(launch(mpi, 2, command, preload=False))
    ours = finished(launch(mpi, 2, command))
    assert ours.stdout == native.stdout


def test_truncation_is_raised_once_on_the_users_communicator(mpi: Mpi, program: Program) -> None:
    forced = {"ROUNDELAY": "bcast=binomial"}
    outcome = finished(
        launch(mpi, 2, [program("traps/errors.c"), "truncated", "handler"], env=forced)
    )
    lines = [line for line in outcome.stdout.splitlines() if line.startswith("bcast truncated")]
    # Not "by world": the handler was given the communicator of the call. MPICH 5 goes on after a
    # handler of the user's as if nothing had happened.
    handled = "handles TRUNCATE 1 times"
    assert lines in (
        [f"bcast truncated: returns {code}, {handled}"] for code in ("TRUNCATE", "SUCCESS")
    ), outcome.text


def test_truncation_is_returned(mpi: Mpi, program: Program) -> None:
    forced = {"ROUNDELAY": "bcast=binomial"}
    outcome = finished(
        launch(mpi, 2, [program("traps/errors.c"), "truncated", "return"], env=forced)
    )
    assert "bcast truncated: returns TRUNCATE\n" in outcome.stdout, outcome.text


@pytest.mark.parametrize("scene", ["illegal", "truncated"])
def test_errors_are_fatal_by_default(mpi: Mpi, program: Program, scene: str) -> None:
    forced = {"ROUNDELAY": "bcast=binomial"}
    outcome = launch(mpi, 2, [program("traps/errors.c"), scene, "fatal"], env=forced)
    assert outcome.returncode != 0, outcome.text
    assert "finished" not in outcome.stdout, outcome.text


def test_large_count_entry_points_are_intercepted(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    outcome = finished(launch(mpi, 3, [program("traps/large_count.c")], report=tmp_path / "report"))
    if "not provided" in outcome.stdout:
        pytest.skip("this MPI has no large-count entry points")
    assert outcome.calls == dict.fromkeys(ALL - {"barrier"}, 1), outcome.text


@pytest.mark.parametrize("ranks", [2, 5])
def test_what_is_not_ours_passes_untouched(mpi: Mpi, program: Program, ranks: int) -> None:
    finished(launch(mpi, ranks, [program("traps/untouched.c")]))


@pytest.mark.parametrize("discipline", ["early", "paced"])
def test_threads_on_communicators_of_their_own(mpi: Mpi, program: Program, discipline: str) -> None:
    forced = {"ROUNDELAY": f"allreduce=recursive_doubling(discipline={discipline})"}
    outcome = finished(launch(mpi, 2, [program("traps/threads.c")], env=forced))
    if "not provided" in outcome.stdout:
        pytest.skip("this MPI has no MPI_THREAD_MULTIPLE")


@pytest.mark.long
@pytest.mark.parametrize(
    "forced",
    [
        "bcast=binomial",
        "bcast=binomial(discipline=paced)",
        "bcast=scatter_allgather",
        "allgather=ring",
        "allgather=bruck",
        "allreduce=recursive_doubling",
        "allreduce=ring",
        "allreduce=circulant",
    ],
)
def test_more_bytes_than_an_int_counts(
    mpi: Mpi, program: Program, forced: str, tmp_path: Path
) -> None:
    collective, _, algorithm = forced.partition("=")
    command = [program("traps/huge.c"), collective]
    outcome = launch(mpi, 2, command, env={"ROUNDELAY": forced}, report=tmp_path / "report")
    assert algorithms(finished(outcome))[collective] == {algorithm}, outcome.text
