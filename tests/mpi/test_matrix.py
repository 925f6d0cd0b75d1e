# SPDX-License-Identifier: Apache-2.0
"""The matrix that the catalogue generates, for every algorithm with every choice of parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from launching import HERE, Mpi, compile_library, launch
from sanitizers import sanitized
from specs import Specs, catalogue_of, short, uses_topology

RANKS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17)


@pytest.fixture(scope="session")
def specs_file(roundelay: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matrix") / "specs"
    path.write_text("".join(Specs(catalogue_of(roundelay)).lines()))
    return path


def check_matrix(
    mpi: Mpi, program: Path, specs_file: Path, ranks: int, keep: int, times: int = 1,
    env: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    command = [program, "--ranks", ranks, "--specs", specs_file, "--keep", keep, "--times", times]
    variables = {"ROUNDELAY_REPORT": "off", **(env or {})}
    outcome = launch(mpi, ranks, command, env=variables, timeout=3600).ok()
    found = re.search(r"^(\d+) passed, (\d+) failed$", outcome.stdout, re.MULTILINE)
    assert found, outcome.text
    assert int(found[1]) > 100, outcome.text
    assert found[2] == "0", outcome.text


@pytest.mark.parametrize(
    ("ranks", "transport"),
    [
        *((ranks, "auto") for ranks in RANKS),
        *((ranks, "messages") for ranks in RANKS[1::3]),
        *((ranks, "put") for ranks in (2, 5, 8)),
    ],
)
def test_matrix(
    mpi: Mpi,
    program: Callable[[str], Path],
    specs_file: Path,
    ranks: int,
    transport: str,
    long: bool,
) -> None:
    # One case in so many. Messages are also between the nodes of other tests.
    some = 3 * ranks if transport == "auto" else 9 * ranks
    env = {"ROUNDELAY_TRANSPORT": transport}
    check_matrix(mpi, program("matrix.cpp"), specs_file, ranks, 1 if long else some, env=env)


@pytest.mark.parametrize("ranks", [2, 3, pytest.param(5, marks=pytest.mark.long)])
def test_matrix_of_repeated_calls(
    mpi: Mpi, program: Callable[[str], Path], specs_file: Path, ranks: int
) -> None:
    """Short calls that are alike take the rounds of the first, where ranks spin."""
    spin = {"ROUNDELAY_WAIT": "spin"}
    check_matrix(mpi, program("matrix.cpp"), specs_file, ranks, 12 * ranks**2, times=3, env=spin)


# A block may have readers on the own node and on another one.
PUTS_BETWEEN_NODES = {"ROUNDELAY_NODES": "aabbb", "ROUNDELAY_TRANSPORT": "put"}


@pytest.mark.parametrize(
    ("ranks", "env"),
    [*((ranks, {}) for ranks in (1, 2, 3, 5)), (5, PUTS_BETWEEN_NODES)],
    ids=["1", "2", "3", "5", "puts_between_nodes"],
)
def test_matrix_under_sanitizers(
    mpi: Mpi, program: Callable[[str], Path], specs_file: Path, ranks: int, env: dict[str, str]
) -> None:
    check_matrix(sanitized(mpi), program("matrix.cpp"), specs_file, ranks, 12 * ranks, env=env)


@pytest.mark.parametrize(
    ("nodes", "sites"),
    [("aabbb", "ababa"), pytest.param("abcabca", "aabaabb", marks=pytest.mark.long)],
)
def test_matrix_of_nodes_and_sites(
    mpi: Mpi, program: Callable[[str], Path], roundelay: str, tmp_path: Path, nodes: str, sites: str
) -> None:
    """What is composed over them; each rank has a letter."""
    catalogue = [entry for entry in catalogue_of(roundelay) if uses_topology(entry)]
    specs = tmp_path / "specs"
    lines = Specs(catalogue_of(roundelay)).lines()
    names = {(entry["collective"], short(entry)) for entry in catalogue}

    def is_one(line: str) -> bool:
        collective, text = line.split("\t")[:2]
        return (collective, text.partition("(")[0]) in names

    specs.write_text("".join(filter(is_one, lines)))
    env = {"ROUNDELAY_NODES": nodes, "ROUNDELAY_SITES": sites}
    ranks = len(nodes)
    check_matrix(mpi, program("matrix.cpp"), specs, ranks, 4 * ranks, env=env)


@pytest.mark.parametrize("nodes", ["aaabbb", "abcabcab", "aaaabbccccc"])
def test_matrix_of_lanes_and_digits(
    mpi: Mpi, program: Callable[[str], Path], specs_file: Path, tmp_path: Path, nodes: str
) -> None:
    """The parameters of alltoall.aggregated together; the others have one of them at a time."""
    alone = "aggregated(messages=lanes)"
    lines = [line for line in specs_file.read_text().splitlines(True) if alone in line]
    specs = tmp_path / "specs"
    radices = (f"aggregated(messages=lanes, radix={radix})" for radix in (2, 3, 5))
    specs.write_text("".join(line.replace(alone, one) for one in radices for line in lines))
    env = {"ROUNDELAY_NODES": nodes}
    check_matrix(mpi, program("matrix.cpp"), specs, len(nodes), 1, env=env)


@pytest.mark.parametrize("way", ["data", "before", "after", "gap"])
def test_matrix_notices(mpi: Mpi, program: Callable[[str], Path], way: str, tmp_path: Path) -> None:
    saboteur = compile_library(mpi, HERE / "support" / "saboteur.c", tmp_path)
    outcome = launch(
        replace(mpi, library=saboteur),
        2,
        [program("matrix.cpp"), "--ranks", "2"],
        env={"SABOTAGE": way},
    )
    assert outcome.returncode != 0, outcome.text
    assert "FAILED on rank 1: --only 'bcast=" in outcome.stderr, outcome.text
    found = re.search(r"^(\d+) passed, (\d+) failed$", outcome.stdout, re.MULTILINE)
    assert found, outcome.text
    assert int(found[2]) > 0, outcome.text


def test_matrix_notices_that_an_algorithm_cannot_be_forced(
    mpi: Mpi, program: Callable[[str], Path], tmp_path: Path
) -> None:
    specs = tmp_path / "specs"
    specs.write_text("allgather\tno_such_algorithm\t\t\n")
    outcome = launch(mpi, 2, [program("matrix.cpp"), "--ranks", "2", "--specs", specs])
    assert outcome.returncode != 0, outcome.text
    assert "cannot force" in outcome.stderr, outcome.text
