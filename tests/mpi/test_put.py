# SPDX-License-Identifier: Apache-2.0
"""Ranks put messages for each other into a window, if all of them can have it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fuzzing import Campaign
from launching import Mpi, Outcome, in_ranks, launch, mpiexec, run, settings_of
from specs import catalogue_of
from test_inside_a_node import FORCED

Program = Callable[[str], Path]
PUT = {"ROUNDELAY_TRANSPORT": "put"}


def by_puts(mpi: Mpi, program: Program, ranks: int, *words: str, **more: str) -> Outcome:
    name, *what = words
    return launch(mpi, ranks, [program(name), *what], env={"ROUNDELAY": FORCED, **PUT, **more})


@pytest.mark.parametrize("wait", ["spin", "sleep"])
def test_puts_are_made_and_no_messages(mpi: Mpi, program: Program, wait: str) -> None:
    by_puts(mpi, program, 3, "traps/put.c", "carries", ROUNDELAY_WAIT=wait).ok()


def test_communicators_of_the_same_ranks_take_turns(mpi: Mpi, program: Program) -> None:
    by_puts(mpi, program, 2, "traps/put.c", "ends").ok()


def test_if_one_rank_has_no_window_all_use_messages(mpi: Mpi, program: Program) -> None:
    outcome = by_puts(mpi, program, 3, "traps/put.c", "no-window")
    wanted = "ROUNDELAY_TRANSPORT=put, but the MPI library cannot make a window for it; "
    assert outcome.stderr.count(wanted) == 1, outcome.text
    if mpi.flavour == "openmpi":  # MPICH cannot end with a window that was not freed
        outcome.ok()


def test_where_there_is_no_room_for_a_window_all_use_messages(mpi: Mpi, program: Program) -> None:
    """There Open MPI's own MPI_Win_allocate hangs."""
    if mpi.flavour == "mpich":
        pytest.skip("MPICH itself needs the room")
    small = ["unshare", "--mount", "sh", "-c"]
    small.append('mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"')
    if run([*small, "sh", "true"]).returncode != 0:
        pytest.skip("nothing can be mounted here")
    env = {"ROUNDELAY": FORCED, **PUT, "ROUNDELAY_NODES": "aabb", "OMPI_MCA_btl": "self,tcp"}
    settings = settings_of(mpi, preload=True, env=env)
    argv = in_ranks(mpi, settings, [program("traps/one_bcast.c")])
    outcome = run([*small, "sh", *mpiexec(mpi, [(4, argv)])], env=mpi.root_env, timeout=60).ok()
    wanted = "ROUNDELAY_TRANSPORT=put, but there is too little room for it in /dev/shm; "
    assert outcome.stderr.count(wanted) == 1, outcome.text


@pytest.mark.parametrize("what", ["often", "many", "across"])
def test_inside_a_node(mpi: Mpi, program: Program, what: str) -> None:
    if what == "often" and mpi.flavour == "mpich" and mpi.major >= 5:
        pytest.skip("MPICH 5.0.2 loses 48 bytes of memory in each MPI_Rput, also natively")
    by_puts(mpi, program, 2, "traps/inside_a_node.c", what, "50000").ok()


@pytest.mark.parametrize("nodes", ["aab", "abab"])
def test_between_nodes_while_ranks_of_a_node_share_memory(
    mpi: Mpi, program: Program, nodes: str
) -> None:
    name = "traps/inside_a_node.c"
    outcome = by_puts(mpi, program, len(nodes), name, "across", ROUNDELAY_NODES=nodes)
    assert "messages are used" not in outcome.ok().stderr


@pytest.mark.parametrize("name", ["finalize", "lifetimes", "threads"])
def test_windows_end_in_time(mpi: Mpi, program: Program, name: str) -> None:
    by_puts(mpi, program, 2, f"traps/{name}.c").ok()


def test_fuzz(mpi: Mpi, roundelay: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDELAY_TRANSPORT", "put")
    # This component of Open MPI 5.0.11 was seen to spoil the heap where threads make windows.
    monkeypatch.setenv("OMPI_MCA_osc", "^ucx")
    campaign = Campaign(mpi, catalogue_of(roundelay), tmp_path)
    assert "0 failed" in campaign.run(2, cases=400).ok().stdout
