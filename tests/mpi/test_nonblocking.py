# SPDX-License-Identifier: Apache-2.0
"""Calls that do not wait: what they give, their order, and that they go on by themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launching import COLLECTIVES, Mpi, Outcome, launch, machine_file

Program = Callable[[str], Path]
NONBLOCKING = {"i" + name for name in COLLECTIVES}
# All of them run, also where the model would leave them to the MPI library.
FORCED = "; ".join(
    [
        *(f"{name}=ring" for name in ("allgather", "allgatherv")),
        *(f"{name}=pairwise" for name in ("alltoall", "alltoallv", "alltoallw")),
        *(f"{name}=recursive_doubling" for name in ("allreduce", "exscan", "scan")),
        *(f"{name}=ordered" for name in ("reduce", "reduce_scatter", "reduce_scatter_block")),
        *(f"{name}=binomial" for name in ("bcast", "gather", "scatter")),
        *(f"{name}=linear" for name in ("gatherv", "scatterv")),
        "barrier=dissemination",
    ]
)


@pytest.fixture(autouse=True)
def _turned_on(mpi: Mpi, monkeypatch: pytest.MonkeyPatch) -> None:
    if mpi.id == "mpich12":
        pytest.skip("MPICH before 4.3 makes progress for nobody else")
    monkeypatch.setenv("ROUNDELAY_NONBLOCKING", "on")


def finished(outcome: Outcome) -> Outcome:
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
    return outcome


def ran(outcome: Outcome, calls: set[str] = NONBLOCKING) -> dict[str, set[str]]:
    """The algorithms of each of these calls."""
    assert outcome.report is not None, outcome.text
    found: dict[str, set[str]] = {}
    for row in outcome.report["calls"]:
        if row["collective"] in calls:
            found.setdefault(row["collective"], set()).add(row["algorithm"])
    return found


@pytest.mark.parametrize("transport", ["auto", "messages"])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_each(mpi: Mpi, program: Program, ranks: int, transport: str, tmp_path: Path) -> None:
    """All 17, in place or not, of any length, with types and operations that are freed at once."""
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": transport}
    argv = [program("traps/nonblocking.c"), "each"]
    outcome = finished(launch(mpi, ranks, argv, env=env, report=tmp_path / "report"))
    algorithms = ran(outcome)
    assert algorithms.keys() == NONBLOCKING
    assert ranks == 1 or all(names - {"native"} for names in algorithms.values()), outcome.text


@pytest.mark.parametrize("env", [{}, {"ROUNDELAY": FORCED}], ids=["chosen", "forced"])
@pytest.mark.parametrize("ranks", [2, 5])
def test_many_at_once(mpi: Mpi, program: Program, ranks: int, env: dict[str, str]) -> None:
    """Among blocking calls and messages, completed in every way that MPI has."""
    finished(launch(mpi, ranks, [program("traps/nonblocking.c"), "mixed", 20], env=env))


def test_many_at_once_by_messages(mpi: Mpi, program: Program) -> None:
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": "messages"}
    finished(launch(mpi, 3, [program("traps/nonblocking.c"), "mixed", 20], env=env))


def test_all_ranks_get_the_same_bits(mpi: Mpi, program: Program) -> None:
    """Of Open MPI's maxima also where a message comes in pieces."""
    env = {"ROUNDELAY": "allreduce=one_shot", "ROUNDELAY_TRANSPORT": "memory"}
    finished(launch(mpi, 6, [program("traps/same_bits.c"), "pending"], env=env))


@pytest.mark.parametrize("what", ["freed", "long", "many", "threads"])
def test_lifetimes_and_threads(mpi: Mpi, program: Program, what: str) -> None:
    """Communicators that are freed before; thousands of calls; several threads."""
    argv = [program("traps/nonblocking.c"), what]
    finished(launch(mpi, 2, argv, env={"ROUNDELAY": FORCED}))


def test_many_pending_by_messages(mpi: Mpi, program: Program) -> None:
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": "messages"}
    finished(launch(mpi, 3, [program("traps/nonblocking.c"), "many"], env=env))


@pytest.mark.parametrize("transport", ["memory", "messages"])
def test_types_are_deleted_when_they_are_freed(mpi: Mpi, program: Program, transport: str) -> None:
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": transport}
    finished(launch(mpi, 2, [program("traps/type_attributes.c")], env=env))


@pytest.mark.parametrize("where", ["recv", "wait", "probe", "iprobe", "ssend", "other", "same"])
def test_progress(mpi: Mpi, program: Program, where: str, tmp_path: Path) -> None:
    """Rank 0 waits for what another rank does only when its own call is over."""
    argv = [program("traps/progress.c"), where]
    outcome = launch(mpi, 2, argv, env={"ROUNDELAY": FORCED}, report=tmp_path / "report")
    assert ran(finished(outcome)) == {"iallreduce": {"recursive_doubling"}}


@pytest.mark.parametrize("nodes", ["aa", "ab"])
def test_left_native(mpi: Mpi, program: Program, nodes: str, tmp_path: Path) -> None:
    """Also where an algorithm is forced."""
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_NODES": nodes, "ROUNDELAY_NONBLOCKING": "off"}
    argv = [program("traps/nonblocking.c"), "each"]
    outcome = finished(launch(mpi, 2, argv, env=env, report=tmp_path / "report"))
    assert ran(outcome) == {name: {"native"} for name in NONBLOCKING}
    assert outcome.report is not None
    reasons = {row["reason"] for row in outcome.report["calls"]}
    assert "ROUNDELAY_NONBLOCKING=off" in reasons, outcome.text


@pytest.mark.parametrize("nodes", ["aab", "aaa"])
def test_forced_by_default(
    mpi: Mpi, program: Program, nodes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one node and on several."""
    monkeypatch.delenv("ROUNDELAY_NONBLOCKING")
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_NODES": nodes}
    argv = [program("traps/nonblocking.c"), "each"]
    outcome = finished(launch(mpi, 3, argv, env=env, report=tmp_path / "report"))
    assert all(names - {"native"} for names in ran(outcome).values()), outcome.text


def test_many_calls_share_memory(
    mpi: Mpi, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the next call that may wait, however few of these there are."""
    monkeypatch.delenv("ROUNDELAY_NONBLOCKING")
    argv = [program("traps/one_node.c"), "nonblocking"]
    outcome = finished(launch(mpi, 2, argv, report=tmp_path / "report"))
    assert outcome.report is not None
    rows = {
        row["algorithm"]: row["calls"]
        for row in outcome.report["calls"]
        if row["collective"] == "iallreduce"
    }
    assert rows.pop("native") == 16, outcome.text
    assert list(rows.values()) == [3], outcome.text


LITTLE_TO_GAIN = "ROUNDELAY_NONBLOCKING=auto: little to gain"


@pytest.mark.parametrize(
    ("length", "reasons"),
    [
        (1 << 10, {"ibcast": LITTLE_TO_GAIN, "iallgather": "model: short"}),
        (1 << 20, {"ibcast": "model: cheapest", "iallgather": LITTLE_TO_GAIN}),
    ],
)
def test_where_much_is_to_be_gained(
    mpi: Mpi, program: Program, length: int, reasons: dict[str, str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A long broadcast; but the MPI library's allgather may be as good."""
    monkeypatch.delenv("ROUNDELAY_NONBLOCKING")
    machine = machine_file(
        tmp_path,
        network={"startup": 1.2e-4, "gap": 3e-5, "byte": 8e-8},
        mpi={"shares_cores": True, "leads_when_short": True},
    )
    env = {"ROUNDELAY_MACHINE": machine, "ROUNDELAY_NODES": "abcde"}
    argv = [program("traps/gains.c"), length]
    outcome = finished(launch(mpi, 5, argv, env=env, report=tmp_path / "report"))
    assert outcome.report is not None
    rows = {row["collective"]: row for row in outcome.report["calls"]}
    assert {name: rows[name]["reason"] for name in reasons} == reasons, outcome.text
    assert (rows["ibcast"]["algorithm"] == "native") == (length == 1 << 10), outcome.text


@pytest.mark.parametrize("what", ["only", "after"])
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_calls_on_one_node_agree_in_the_background(
    mpi: Mpi, program: Program, ranks: int, what: str, tmp_path: Path
) -> None:
    """Without a blocking call, or after one that came too early to share memory."""
    argv = [program("traps/background.c"), what]
    outcome = finished(launch(mpi, ranks, argv, report=tmp_path / "report"))
    assert outcome.report is not None
    native = [0, 0]  # calls that did not run here, and that did
    for row in outcome.report["calls"]:
        if row["collective"] == "iallreduce":
            native[row["algorithm"] != "native"] += row["calls"]
    assert sum(native) == 1000, outcome.text
    assert native[0] >= 255 or what == "after", outcome.text
    assert native[1] >= 300, outcome.text


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize(
    "what", ["ahead", "between", "interrupted", "forced", "freed", "left", "threads"]
)
def test_no_call_waits_for_what_is_agreed_on_in_the_background(
    mpi: Mpi, program: Program, what: str, ranks: int
) -> None:
    """Ranks that are many calls apart, blocking calls in between, communicators that end."""
    finished(launch(mpi, ranks, [program("traps/background.c"), what]))


def test_not_all_can_share_memory_in_the_background(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    """One rank may not open what it would share: then none uses it."""
    argv = [program("traps/background.c"), "only", "limited"]
    outcome = finished(launch(mpi, 3, argv, report=tmp_path / "report"))
    assert ran(outcome, {"iallreduce"}) == {"iallreduce": {"native"}}, outcome.text


def test_before_the_ranks_have_agreed(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    """Few calls that do not wait stay native, and say why."""
    argv = [program("traps/early.c")]
    outcome = finished(launch(mpi, 2, argv, env={"ROUNDELAY": FORCED}, report=tmp_path / "report"))
    assert outcome.report is not None
    rows = {(row["algorithm"], row["reason"], row["calls"]) for row in outcome.report["calls"]}
    assert ("native", "the ranks have not agreed yet", 3) in rows, outcome.text
    assert ("recursive_doubling", "forced", 2) in rows, outcome.text
