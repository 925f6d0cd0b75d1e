# SPDX-License-Identifier: Apache-2.0
"""The collectives among neighbours, on grids, tori and other graphs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from launching import NEIGHBOURHOOD, Mpi, launch

Program = Callable[[str], Path]


def forced(algorithm: str) -> str:
    """The same for all five."""
    return "; ".join(f"{name}={algorithm}" for name in NEIGHBOURHOOD)


SHAPES = [(1, "auto"), (2, "auto"), (4, "messages"), (6, "auto")]


@pytest.mark.parametrize(
    ("algorithm", "ranks", "transport"),
    [
        *(("direct", *shape) for shape in (*SHAPES, (3, "put"))),
        *(("combined", *shape) for shape in (*SHAPES, (6, "put"))),
    ],
)
def test_blocks_arrive_where_the_standard_says(
    mpi: Mpi, program: Program, algorithm: str, ranks: int, transport: str
) -> None:
    env = {"ROUNDELAY": forced(algorithm), "ROUNDELAY_TRANSPORT": transport}
    outcome = launch(mpi, ranks, [program("neighbours.c"), algorithm], env=env)
    assert outcome.ok().stdout.count("finished") == 1, outcome.text


@pytest.mark.parametrize(
    ("nodes", "transport"), [("ab", "auto"), ("aabb", "messages"), ("abbcac", "auto")]
)
def test_what_nodes_have_for_each_other_is_collected(
    mpi: Mpi, program: Program, nodes: str, transport: str
) -> None:
    env = {
        "ROUNDELAY": forced("aggregated"),
        "ROUNDELAY_TRANSPORT": transport,
        "ROUNDELAY_NODES": nodes,
    }
    outcome = launch(mpi, len(nodes), [program("neighbours.c"), "aggregated"], env=env)
    assert outcome.ok().stdout.count("finished") == 1, outcome.text


@pytest.mark.parametrize(("ranks", "transport"), SHAPES)
def test_those_that_do_not_wait(
    mpi: Mpi, program: Program, ranks: int, transport: str, tmp_path: Path
) -> None:
    """Several at a time, with blocking calls amidst, by the algorithm that is forced."""
    if mpi.id == "mpich12":
        pytest.skip("MPICH before 4.3 makes progress for nobody else")
    env = {
        "ROUNDELAY": forced("direct"),
        "ROUNDELAY_TRANSPORT": transport,
        "ROUNDELAY_NONBLOCKING": "on",
    }
    command = [program("neighbours.c"), "direct", "later"]
    outcome = launch(mpi, ranks, command, env=env, report=tmp_path / "report")
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
    assert outcome.report is not None
    ran = {(row["collective"], row["algorithm"]) for row in outcome.report["calls"]}
    algorithm = "direct" if ranks > 1 else "native"
    assert {(f"i{name}", algorithm) for name in NEIGHBOURHOOD} <= ran, outcome.text


@pytest.mark.parametrize("algorithm", ["aggregated", "combined"])
def test_those_that_do_not_wait_and_pass_blocks_on(
    mpi: Mpi, program: Program, algorithm: str, tmp_path: Path
) -> None:
    if mpi.id == "mpich12":
        pytest.skip("MPICH before 4.3 makes progress for nobody else")
    env = {
        "ROUNDELAY": forced(algorithm),
        "ROUNDELAY_NODES": "abbca",
        "ROUNDELAY_NONBLOCKING": "on",
    }
    command = [program("neighbours.c"), algorithm, "later"]
    outcome = launch(mpi, 5, command, env=env, report=tmp_path / "report")
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
    assert outcome.report is not None
    ran = {(row["collective"], row["algorithm"]) for row in outcome.report["calls"]}
    assert {(f"i{name}", algorithm) for name in NEIGHBOURHOOD} <= ran, outcome.text


def test_what_nobody_asks_for_is_left_to_the_mpi(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    env = {"ROUNDELAY_LEARN": "off", "ROUNDELAY_NODES": "abc"}
    command = [program("neighbours.c"), "native"]
    outcome = launch(mpi, 3, command, env=env, report=tmp_path / "report")
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
    assert outcome.report is not None
    ran = {row["collective"]: row["algorithm"] for row in outcome.report["calls"]}
    assert {name: ran[name] for name in NEIGHBOURHOOD} == dict.fromkeys(NEIGHBOURHOOD, "native")


@pytest.mark.parametrize("crowded", [False, True])
def test_on_one_node_by_default(mpi: Mpi, program: Program, crowded: bool, tmp_path: Path) -> None:
    """Through memory with a core each; and where the MPI library keeps one while it waits."""
    cores = len(os.sched_getaffinity(0))
    ranks = cores + 1 if crowded else 2
    if ranks > cores and not crowded:
        pytest.skip("needs two cores")
    env = {"ROUNDELAY_LEARN": "off", "ROUNDELAY_TRANSPORT": "memory"}
    outcome = launch(mpi, ranks, [program("neighbours.c")], env=env, report=tmp_path / "report")
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
    assert outcome.report is not None
    ran = {(row["collective"], row["algorithm"]) for row in outcome.report["calls"]}
    direct = {name for name in NEIGHBOURHOOD if (name, "direct") in ran}
    yields = crowded and mpi.flavour == "openmpi"
    assert direct == (set() if yields else set(NEIGHBOURHOOD)), outcome.text


def test_ranks_of_a_node_learn_which_is_quicker(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    env = {"ROUNDELAY_LEARN": "on", "ROUNDELAY_TRANSPORT": "memory"}
    outcome = launch(
        mpi, 2, [program("neighbours.c"), "any", "10000"], env=env, report=tmp_path / "report"
    )
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
    assert outcome.report is not None
    ran = {(row["collective"], row["algorithm"]) for row in outcome.report["calls"]}
    both = {("neighbor_alltoall", name) for name in ("direct", "native")}
    assert both <= ran, outcome.text


@pytest.mark.parametrize("ranks", [2, 3])
def test_the_first_call_beside_a_thread_that_makes_a_communicator(
    mpi: Mpi, program: Program, ranks: int
) -> None:
    outcome = launch(mpi, ranks, [program("traps/neighbours_and_threads.c")])
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
