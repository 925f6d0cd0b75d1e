# SPDX-License-Identifier: Apache-2.0
"""Intercommunicators: every algorithm between two groups, and what passes through."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from launching import TOP, Mpi, compile_program, launch
from specs import Specs, catalogue_of
from test_mpi4py import BETWEEN, check_mpi4py

Program = Callable[[str], Path]
FEW = [(1, 1), (2, 3), (12, 5), (5, 12)]
PAIRS = [(p, q) for p in range(1, 10) for q in range(1, 10)]
MANY = [pytest.param(p, q, marks=pytest.mark.long) for p, q in PAIRS if (p, q) not in FEW]


def choices(roundelay: str) -> list[str]:
    """What forces every algorithm, with every choice of its parameters."""
    specs = Specs(catalogue_of(roundelay), groups=2)

    def texts(collective: str) -> list[str]:
        mine = [entry for entry in specs.of(collective) if not entry["native"]]
        return [text for entry in mine for text, _ in specs.variants(entry)]

    some = texts("allgather")
    vector = texts("allgatherv")
    return [
        f"allgather={text}; allgatherv={vector[i % len(vector)]}" for i, text in enumerate(some)
    ]


@pytest.mark.parametrize(("p", "q"), [*FEW, *MANY])
@pytest.mark.parametrize("way", ["create", "split"])
def test_between_groups(
    mpi: Mpi, program: Program, roundelay: str, way: str, p: int, q: int, long: bool
) -> None:
    if not long and way == "split" and p + q != 5:
        pytest.skip("takes long: only with --long")
    every = choices(roundelay)
    some = every if long else every[(p + q) % 7 :: 7]
    argv = [program("between.cpp"), way, p, q, "", *some, "allgather=native"]
    outcome = launch(mpi, p + q, argv, env={"ROUNDELAY_REPORT": "off"}).ok()
    assert outcome.stdout == "finished\n", outcome.text


def test_between_groups_of_which_one_is_spawned(mpi: Mpi, program: Program, roundelay: str) -> None:
    argv = [program("between.cpp"), "spawn", 2, 3]
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


@pytest.mark.parametrize(
    "name", ["inter_full", "inter_ring", pytest.param("inter_root", marks=pytest.mark.long)]
)
def test_mpi4py_between_groups(mpi: Mpi, name: str, tmp_path: Path) -> None:
    if mpi.python is None:
        pytest.skip("there is no interpreter with mpi4py for this MPI")
    vector = "" if name == "inter_root" else f"; allgatherv={name}"
    settings = {"ROUNDELAY": f"allgather={name}{vector}"}
    outcome = check_mpi4py(mpi, 3, BETWEEN, settings, tmp_path)
    assert outcome.report is not None
    ran = {(row["collective"], row["algorithm"]) for row in outcome.report["calls"]}
    assert ("allgather", name) in ran, outcome.text
    assert not vector or ("allgatherv", name) in ran, outcome.text


def test_the_coupled_models_get_the_same_answer(mpi: Mpi) -> None:
    coupled = compile_program(mpi, TOP / "examples" / "coupled" / "coupled.c")
    for name in ("native", "inter_full", "inter_ring"):
        env = {"ROUNDELAY": f"allgather={name}", "ROUNDELAY_REPORT": "off"}
        outcome = launch(mpi, 5, [coupled, 2, 1001, 5], env=env).ok()
        lines = outcome.stdout.splitlines()
        assert lines[:2] == ["2 ranks of air, 3 of sea, 1001 cells, 5 steps", "right"]
