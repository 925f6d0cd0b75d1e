# SPDX-License-Identifier: Apache-2.0
"""Intercommunicators: every algorithm between two groups, and what passes through."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from launching import TOP, Mpi, compile_program, launch
from specs import Specs, catalogue_of, short
from test_mpi4py import BETWEEN, check_mpi4py

Program = Callable[[str], Path]
FEW = [(1, 1), (2, 3), (12, 5), (5, 12)]
PAIRS = [(p, q) for p in range(1, 10) for q in range(1, 10)]
MANY = [pytest.param(p, q, marks=pytest.mark.long) for p, q in PAIRS if (p, q) not in FEW]


OTHERS = (
    "allreduce", "barrier", "bcast", "gather", "gatherv", "reduce", "reduce_scatter",
    "reduce_scatter_block", "scatter", "scatterv",
)  # fmt: skip


def variants(roundelay: str, collective: str) -> list[tuple[str, set[str]]]:
    """What forces an algorithm, with every choice of its parameters, and the restrictions."""
    specs = Specs(catalogue_of(roundelay), groups=2)
    mine = [entry for entry in specs.of(collective) if not entry["native"]]
    return [variant for entry in mine for variant in specs.variants(entry)]


@cache
def choices(roundelay: str) -> list[str]:
    """What forces every allgather(v)."""
    some, vector = (
        [text for text, _ in variants(roundelay, name)] for name in ("allgather", "allgatherv")
    )
    return [
        f"allgather={text}; allgatherv={vector[i % len(vector)]}" for i, text in enumerate(some)
    ]


@cache
def choices_of_others(roundelay: str) -> list[str]:
    """What forces every algorithm of the other collectives; "~": for commutative operations."""
    every = {name: variants(roundelay, name) for name in OTHERS}
    found = []
    for i in range(max(map(len, every.values()))):
        turn = {name: own[i % len(own)] for name, own in every.items()}
        needs = set().union(*(restrictions for _, restrictions in turn.values()))
        text = "; ".join(f"{name}={text}" for name, (text, _) in turn.items())
        found.append(("~" if "commutative" in needs else "") + text)
    return found


def share(every: list[str], p: int, q: int, parts: int) -> list[str]:
    """One of so many parts, another one for neighbouring shapes."""
    return every[(9 * p + q) % parts :: parts]


def finish(
    mpi: Mpi, program: Path, way: str, p: int, q: int, settings: list[str], form: str = "blocking"
) -> None:
    """Runs with all settings, in several jobs where they are more than fit a command line."""
    env = {"ROUNDELAY_REPORT": "off"}
    if form != "blocking":
        env["ROUNDELAY_NONBLOCKING"] = "on"
    for first in range(0, len(settings), 100):
        argv = [program, way, form, p, q, *settings[first : first + 100]]
        outcome = launch(mpi, p + q, argv, env=env).ok()
        assert outcome.stdout == "finished\n", outcome.text


@pytest.mark.parametrize(("p", "q"), [*FEW, *MANY])
@pytest.mark.parametrize("way", ["create", "split"])
def test_between_groups(
    mpi: Mpi, program: Program, roundelay: str, way: str, p: int, q: int, long: bool
) -> None:
    if not long and way == "split" and p + q != 5:
        pytest.skip("takes long: only with --long")
    some = share(choices(roundelay), p, q, 1 if long and (p, q) in FEW else 7)
    finish(mpi, program("between.cpp"), way, p, q, ["", *some, "allgather=native"])


@pytest.mark.parametrize(("p", "q"), [*FEW, *MANY])
@pytest.mark.parametrize("way", ["create", "split"])
def test_the_other_collectives_between_groups(
    mpi: Mpi, program: Program, roundelay: str, way: str, p: int, q: int, long: bool
) -> None:
    if not long and (way == "split" or p + q > 5):
        pytest.skip("takes long: only with --long")
    parts = (1 if (p, q) in FEW else 17) if long else 5
    some = share(choices_of_others(roundelay), p, q, parts)
    finish(mpi, program("between_others.cpp"), way, p, q, ["", *some])


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2), pytest.param(5, 12, marks=pytest.mark.long)])
@pytest.mark.parametrize("form", ["nonblocking", "persistent", "among"])
def test_calls_between_groups_that_do_not_wait(
    mpi: Mpi, program: Program, roundelay: str, form: str, p: int, q: int, long: bool
) -> None:
    """After one call that waits, in which the ranks agree; and calls that wait beside them."""
    if mpi.id == "mpich12":
        pytest.skip("MPICH before 4.3 makes progress for nobody else")
    parts = 1 if long else 11
    if form != "among":  # else an allreduce is pending
        some = share(choices(roundelay), p, q, parts)
        finish(mpi, program("between.cpp"), "create", p, q, some, form)
    some = share(choices_of_others(roundelay), p, q, parts)
    finish(mpi, program("between_others.cpp"), "create", p, q, some, form)


def test_scratch_memory_is_for_as_many_senders_as_the_root_has(mpi: Mpi, program: Program) -> None:
    some = ["~reduce=inter_pieces(reduce_scatter=reduce_then_scatter)"]
    finish(mpi, program("between_others.cpp"), "create", 2, 1, ["", *some])
    finish(mpi, program("between_others.cpp"), "create", 1, 3, ["", *some])


def test_between_groups_of_which_one_is_spawned(mpi: Mpi, program: Program, roundelay: str) -> None:
    argv = [program("between.cpp"), "spawn", "blocking", 2, 3]
    if launch(mpi, 2, argv, preload=False).returncode != 0:
        pytest.skip("this MPI cannot start ranks later")
    argv += choices(roundelay)[::9]
    outcome = launch(mpi, 2, argv, env={"ROUNDELAY_REPORT": "off"}).ok()
    assert outcome.stdout == "finished\n" * 2, outcome.text


def test_names_are_for_their_kind_of_communicator(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    env = {"ROUNDELAY": "allgather=ring; allgather=inter_ring"}
    argv = [program("traps/untouched.c")]
    report = launch(mpi, 3, argv, env=env, report=tmp_path / "report").ok().report
    assert report is not None
    ran = {row["algorithm"]: row["calls"] for row in report["calls"]}
    assert ran["ring"] == 1
    assert ran["inter_ring"] == 1


def test_a_profile_has_rules_for_intercommunicators(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    rule = {"algorithm": "inter_full", "kind": "inter"}
    profile = tmp_path / "profile.json"
    document = {"version": 1, "name": "two", "collectives": {"allgather": [rule]}}
    profile.write_text(json.dumps(document))
    env = {"ROUNDELAY_PROFILE": str(profile)}
    argv = [program("traps/untouched.c")]
    report = launch(mpi, 3, argv, env=env, report=tmp_path / "report").ok().report
    assert report is not None
    (row,) = (row for row in report["calls"] if row["algorithm"] == "inter_full")
    assert row["reason"].startswith("profile two: rule 1")


def test_different_wishes_on_the_two_sides_are_no_hang(mpi: Mpi, program: Program) -> None:
    argv = ["sh", "-c", 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; [ "$rank" = 0 ] && '
            'export ROUNDELAY="allgather=inter_full"; exec "$@"', "sh",
            program("traps/untouched.c")]  # fmt: skip
    outcome = launch(mpi, 3, argv).ok()
    assert "the settings differ between" in outcome.stderr, outcome.text


def forced_names(turn: int, roundelay: str) -> dict[str, str]:
    """For every collective one of its algorithms between groups, in turn."""
    names: dict[str, list[str]] = {}
    for entry in Specs(catalogue_of(roundelay), groups=2).catalogue:
        if not entry["native"]:
            names.setdefault(entry["collective"], []).append(short(entry))
    return {collective: own[turn % len(own)] for collective, own in names.items()}


@pytest.mark.parametrize("turn", [0, 1, pytest.param(2, marks=pytest.mark.long)])
def test_mpi4py_between_groups(mpi: Mpi, turn: int, roundelay: str, tmp_path: Path) -> None:
    if mpi.python is None:
        pytest.skip("there is no interpreter with mpi4py for this MPI")
    forced = forced_names(turn, roundelay)
    settings = {"ROUNDELAY": "; ".join("=".join(item) for item in forced.items())}
    outcome = check_mpi4py(mpi, 3, BETWEEN, settings, tmp_path)
    assert outcome.report is not None
    ran = {(row["collective"], row["algorithm"]) for row in outcome.report["calls"]}
    tested = {item for item in forced.items() if not item[0].startswith("reduce_scatter")}
    assert ran.issuperset(tested), outcome.text


def test_an_order_that_cannot_be_kept_is_an_error(mpi: Mpi, program: Program) -> None:
    argv = [program("between_others.cpp"), "create", "blocking", 2, 2, "reduce=inter_pieces"]
    outcome = launch(mpi, 4, argv)
    assert outcome.returncode != 0
    complaint = "reduce=inter_pieces cannot keep the order of an operation that is not commutative"
    assert complaint in outcome.stderr, outcome.text


def test_the_coupled_models_get_the_same_answer(mpi: Mpi) -> None:
    coupled = compile_program(mpi, TOP / "examples" / "coupled" / "coupled.c")
    for name in ("native", "inter_full", "inter_ring"):
        env = {"ROUNDELAY": f"allgather={name}", "ROUNDELAY_REPORT": "off"}
        outcome = launch(mpi, 5, [coupled, 2, 1001, 5], env=env).ok()
        lines = outcome.stdout.splitlines()
        assert lines[:2] == ["2 ranks of air, 3 of sea, 1001 cells, 5 steps", "right"]
