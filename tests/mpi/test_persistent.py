# SPDX-License-Identifier: Apache-2.0
"""Calls that are made once and started again and again: what each start gives, and who runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launching import (
    COLLECTIVES,
    HERE,
    Mpi,
    compile_library,
    launch,
    ld_preload,
    machine_file,
)
from specs import catalogue_of, turns
from test_nonblocking import FORCED, finished, ran

Program = Callable[[str], Path]
PERSISTENT = {name + "_init" for name in COLLECTIVES}
SOURCE = "traps/persistent.c"
NO_STARTS = "another library has MPI_Start or MPI_Wait"
NO_OP_FREE = "another library has MPI_Op_free"


def stays_native(mpi: Mpi) -> bool:
    """MPICH before 4.3 makes progress for nobody else."""
    return mpi.id == "mpich12"


@pytest.fixture(autouse=True)
def _turned_on(mpi: Mpi, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """MPICH 4.0.2's own fail the checks of the program: that they are passed on is counted."""
    if stays_native(mpi) and not request.node.name.startswith("test_starts_are_counted"):
        pytest.skip("persistent calls stay native with this MPI")
    monkeypatch.setenv("ROUNDELAY_NONBLOCKING", "on")


@pytest.mark.parametrize("transport", ["auto", "memory", "messages"])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_each(mpi: Mpi, program: Program, ranks: int, transport: str, tmp_path: Path) -> None:
    """All 17, in place or not, of any length."""
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": transport}
    outcome = launch(mpi, ranks, [program(SOURCE), "each"], env=env, report=tmp_path / "report")
    algorithms = ran(finished(outcome), PERSISTENT)
    assert algorithms.keys() == PERSISTENT
    if ranks == 1:
        assert all(names == {"native"} for names in algorithms.values()), outcome.text
    else:
        assert all(names - {"native"} for names in algorithms.values()), outcome.text


@pytest.mark.parametrize("transport", ["memory", "messages"])
def test_the_first_call_on_a_communicator(
    mpi: Mpi, program: Program, transport: str, tmp_path: Path
) -> None:
    """What makes a request may wait, so that the ranks agree there."""
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": transport}
    outcome = launch(mpi, 3, [program(SOURCE), "first"], env=env, report=tmp_path / "report")
    algorithms = ran(finished(outcome), PERSISTENT)
    assert algorithms.keys() == PERSISTENT
    assert all("native" not in names for names in algorithms.values()), outcome.text


@pytest.mark.parametrize("setting", ["auto", "on"])
@pytest.mark.parametrize(("length", "is_native"), [("8", False), ("65536", True)])
def test_a_stencil_is_decided_by_its_length(
    mpi: Mpi, program: Program, length: str, is_native: bool, setting: str, tmp_path: Path
) -> None:
    """The ranks tell each other when the request is made, with no call before it."""
    network = {"startup": 3e-5, "gap": 7.5e-6, "byte": 8e-8}
    machine = machine_file(tmp_path, network=network, mpi={"shares_cores": True})
    env = {"ROUNDELAY_MACHINE": machine, "ROUNDELAY_NODES": "aaabbbccc"}
    env["ROUNDELAY_NONBLOCKING"] = setting
    command = [program("corners.c"), length]
    outcome = launch(mpi, 9, command, env=env, report=tmp_path / "report")
    algorithms = ran(finished(outcome), {"neighbor_alltoall_init"})
    assert ("native" in algorithms["neighbor_alltoall_init"]) == is_native, outcome.text


@pytest.mark.parametrize("algorithm", ["padded", "tuna"])
def test_lengths_are_told_before_the_first_run(
    mpi: Mpi, program: Program, algorithm: str, tmp_path: Path
) -> None:
    calls = ("alltoallv", "alltoallw")
    env = {"ROUNDELAY": "; ".join(f"{name}={algorithm}" for name in calls)}
    outcome = launch(mpi, 3, [program(SOURCE), "each"], env=env, report=tmp_path / "report")
    algorithms = ran(finished(outcome), PERSISTENT)
    assert all(algorithm in algorithms[f"{name}_init"] for name in calls), outcome.text


@pytest.mark.parametrize("transport", ["memory", "messages"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_types_and_operations_that_are_freed(
    mpi: Mpi, program: Program, ranks: int, transport: str
) -> None:
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": transport}
    finished(launch(mpi, ranks, [program(SOURCE), "types"], env=env))


@pytest.mark.parametrize("env", [{}, {"ROUNDELAY": FORCED}], ids=["chosen", "forced"])
@pytest.mark.parametrize("ranks", [2, 5])
def test_many_at_once(mpi: Mpi, program: Program, ranks: int, env: dict[str, str]) -> None:
    """Started one by one or together, among blocking calls, others and messages."""
    finished(launch(mpi, ranks, [program(SOURCE), "mixed", 12], env=env))


def test_many_at_once_by_messages(mpi: Mpi, program: Program) -> None:
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": "messages"}
    finished(launch(mpi, 3, [program(SOURCE), "mixed", 12], env=env))


@pytest.mark.parametrize("what", ["freed", "long", "many", "between", "left", "others"])
def test_lifetimes(mpi: Mpi, program: Program, what: str) -> None:
    """Communicators freed before, thousands of calls, two groups, never freed, other requests."""
    finished(launch(mpi, 2, [program(SOURCE), what], env={"ROUNDELAY": FORCED}))


@pytest.mark.parametrize("transport", ["memory", "messages"])
def test_started_while_finalize_frees_what_is_attached_to_self(
    mpi: Mpi, program: Program, transport: str
) -> None:
    """With Open MPI one is completed there, too, that was pending."""
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": transport}
    finished(launch(mpi, 3, [program(SOURCE), "end"], env=env))


@pytest.mark.parametrize("transport", ["memory", "messages"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_told_once(mpi: Mpi, program: Program, ranks: int, transport: str) -> None:
    """By whatever asks which ones are complete, also of a run that was over at its start."""
    if mpi.flavour == "mpich":
        pytest.skip("MPICH 5.0.2 itself tells of requests that are not active")
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": transport}
    finished(launch(mpi, ranks, [program(SOURCE), "told"], env=env))


@pytest.mark.parametrize("transport", ["memory", "messages"])
def test_a_start_takes_no_memory(
    mpi: Mpi, program: Program, roundelay: str, transport: str
) -> None:
    """From the system, whatever the algorithm."""
    if mpi.flavour == "mpich" and transport == "messages":
        pytest.skip("MPICH 5.0.2 takes memory itself, in MPI_Isend")
    for forced in turns(catalogue_of(roundelay)):
        env = {"ROUNDELAY": forced, "ROUNDELAY_TRANSPORT": transport}
        finished(launch(mpi, 3, [program("traps/persistent_memory.c")], env=env))


@pytest.mark.parametrize("transport", ["memory", "messages"])
def test_on_one_node_by_default(
    mpi: Mpi, program: Program, transport: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Roundelay's own where ranks share memory."""
    monkeypatch.delenv("ROUNDELAY_NONBLOCKING")
    env = {"ROUNDELAY_TRANSPORT": transport}
    outcome = launch(mpi, 2, [program(SOURCE), "each"], env=env, report=tmp_path / "report")
    native = {names == {"native"} for names in ran(finished(outcome), PERSISTENT).values()}
    assert native == {transport == "messages"}, outcome.text


def test_the_first_one_shares_memory(
    mpi: Mpi, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program is going to start it many times."""
    monkeypatch.delenv("ROUNDELAY_NONBLOCKING")
    argv = [program("traps/one_node.c"), "persistent"]
    outcome = finished(launch(mpi, 2, argv, report=tmp_path / "report"))
    assert "native" not in ran(outcome, PERSISTENT)["allreduce_init"], outcome.text


def test_starts_are_counted(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    """Where Roundelay runs them; elsewhere it sees only that they are made."""
    argv = [program(SOURCE), "left"]
    outcome = launch(mpi, 2, argv, env={"ROUNDELAY": FORCED}, report=tmp_path / "report")
    rows = finished(outcome).report["calls"] if outcome.report is not None else []
    found = {
        (row["algorithm"], row["calls"]) for row in rows if row["collective"] == "allreduce_init"
    }
    expected = ("native", 2) if stays_native(mpi) else ("recursive_doubling", 1)
    assert found == {expected}, outcome.text


@pytest.mark.parametrize("transport", ["memory", "messages"])
@pytest.mark.parametrize("interface", ["mpif_h", "use_mpi", "use_mpi_f08"])
def test_fortran(
    mpi: Mpi, program: Program, interface: str, transport: str, tmp_path: Path
) -> None:
    """The names are those that Open MPI 4.1 has."""
    if mpi.mpifort is None or not mpi.version.startswith("4.1"):
        pytest.skip("the program is for Open MPI 4.1")
    argv = [program(f"fortran/persistent_{interface}.F90")]
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": transport}
    outcome = launch(mpi, 3, argv, env=env, report=tmp_path / "report")
    assert outcome.ok().stdout.split() == ["finished"], outcome.text
    algorithms = ran(outcome, PERSISTENT)
    assert algorithms.keys() == {
        f"{name}_init" for name in ("allgather", "allreduce", "barrier", "bcast")
    }
    assert all("native" not in names for names in algorithms.values()), outcome.text


def test_asked_which_one_is_complete(mpi: Mpi, program: Program) -> None:
    if mpi.flavour == "openmpi":
        pytest.skip("Open MPI 5.0 does not have these functions of MPI 4.1")
    finished(launch(mpi, 2, [program(SOURCE), "asked"], env={"ROUNDELAY": FORCED}))


@pytest.mark.parametrize("transport", ["memory", "messages"])
def test_started_while_under_way(mpi: Mpi, program: Program, transport: str) -> None:
    """As with MPICH's own. With Open MPI 4.1.4's own this hangs."""
    env = {"ROUNDELAY": FORCED, "ROUNDELAY_TRANSPORT": transport}
    finished(launch(mpi, 3, [program(SOURCE), "again"], env=env))


def test_started_in_c_and_completed_in_fortran(mpi: Mpi, program: Program) -> None:
    if mpi.flavour != "openmpi":
        pytest.skip("MPICH's handles are the same in both languages")
    finished(launch(mpi, 2, [program(SOURCE), "languages"], env={"ROUNDELAY": FORCED}))


def with_tool(
    mpi: Mpi, argv: list[object], kind: str, first: bool, tmp_path: Path
) -> dict[str, set[str]]:
    """The reasons of each collective, with a tool of this kind before the library or behind it."""
    tool = compile_library(mpi, HERE / "traps" / "starting.c", tmp_path, f"-D{kind}")
    libraries = [tool, mpi.library] if first else [mpi.library, tool]
    env = {**ld_preload(mpi, *libraries), "ROUNDELAY": FORCED}
    outcome = finished(launch(mpi, 2, argv, env=env, report=tmp_path / "report"))
    assert outcome.report is not None
    reasons: dict[str, set[str]] = {}
    for row in outcome.report["calls"]:
        reasons.setdefault(row["collective"], set()).add(row["reason"])
    return reasons


@pytest.mark.parametrize("first", [True, False])
def test_a_tool_that_has_its_own_start(
    mpi: Mpi, program: Program, first: bool, tmp_path: Path
) -> None:
    """Preloaded before the library, it would start what nobody runs: the calls stay native."""
    reasons = with_tool(mpi, [program(SOURCE), "each"], "STARTS", first, tmp_path)
    native = {name for name, why in reasons.items() if NO_STARTS in why}
    assert native == (PERSISTENT if first else set())


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("kind", ["WAITS", "FREES"])
def test_a_tool_that_has_its_own_wait_or_op_free(
    mpi: Mpi, program: Program, kind: str, first: bool, tmp_path: Path
) -> None:
    """It would hide that a request is inactive, or free an operation that a call still needs."""
    reasons = with_tool(mpi, [program("traps/hidden.c")], kind, first, tmp_path)
    native = {name for name, why in reasons.items() if why & {NO_STARTS, NO_OP_FREE}}
    hidden = {"barrier_init"} if kind == "WAITS" else {"iallreduce"}
    assert native == ({"allreduce_init", *hidden} if first else set())
