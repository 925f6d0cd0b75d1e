# SPDX-License-Identifier: Apache-2.0
"""The matrix that the catalogue generates, for every algorithm with every choice of parameters."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from launching import HERE, Mpi, launch, run, sanitized

RANKS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17)


class Specs:
    """Algorithms as they are forced, from `roundelay list --json`."""

    def __init__(self, catalogue: list[dict[str, Any]]) -> None:
        self.catalogue = catalogue

    def of(self, collective: str) -> list[dict[str, Any]]:
        return [entry for entry in self.catalogue if entry["collective"] == collective]

    def values(self, parameter: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
        """What a parameter may be, as it is written, and the restrictions that come with it."""
        if parameter["kind"] == "algorithm":
            for entry in self.of(parameter["collective"]):
                if not entry["native"]:
                    yield short(entry), set(entry["restrictions"])
        elif parameter["kind"] == "word":
            yield from ((word, set()) for word in parameter["words"])
        else:
            numbers = {str(parameter["least"]), parameter["default"]}
            yield from ((number, set()) for number in sorted(numbers))

    def variants(self, entry: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
        """With every choice of its parameters; what is default is left out, as in reports."""
        ranges = [list(self.values(parameter)) for parameter in entry["parameters"]]
        for choice in itertools.product(*ranges):
            written = [
                f"{parameter['name']}={value}"
                for parameter, (value, _) in zip(entry["parameters"], choice)
                if value != parameter["default"]
            ]
            inside = f"({', '.join(written)})" if written else ""
            yield short(entry) + inside, set(entry["restrictions"]).union(*(r for _, r in choice))

    def lines(self) -> list[str]:
        """As the matrix reads them: collective, algorithm, restrictions."""
        lines = []
        for entry in self.catalogue:
            variants = [(short(entry), set[str]())] if entry["native"] else self.variants(entry)
            for text, restrictions in variants:
                lines.append(f"{entry['collective']}\t{text}\t{','.join(sorted(restrictions))}\t\n")
        collectives = sorted({entry["collective"] for entry in self.catalogue})
        return lines + [f"{collective}\t\t\t\n" for collective in collectives]


def short(entry: dict[str, Any]) -> str:
    return str(entry["name"]).rpartition(".")[2]


@pytest.fixture(scope="session")
def specs_file(roundelay: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    catalogue = json.loads(run([roundelay, "list", "--json"]).ok().stdout)
    path = tmp_path_factory.mktemp("matrix") / "specs"
    path.write_text("".join(Specs(catalogue).lines()))
    return path


def check_matrix(mpi: Mpi, program: Path, specs_file: Path, ranks: int, keep: int) -> None:
    command = [program, "--ranks", ranks, "--specs", specs_file, "--keep", keep]
    outcome = launch(mpi, ranks, command, env={"ROUNDELAY_REPORT": "off"}, timeout=3600).ok()
    found = re.search(r"^(\d+) passed, (\d+) failed$", outcome.stdout, re.MULTILINE)
    assert found, outcome.text
    assert int(found[1]) > 100, outcome.text
    assert found[2] == "0", outcome.text


@pytest.mark.parametrize("ranks", RANKS)
def test_matrix(
    mpi: Mpi, program: Callable[[str], Path], specs_file: Path, ranks: int, long: bool
) -> None:
    # One case in so many: all of them for few ranks, where they are cheap and say most.
    keep = 1 if long else ranks
    check_matrix(mpi, program("matrix.cpp"), specs_file, ranks, keep)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_matrix_under_sanitizers(
    mpi: Mpi, program: Callable[[str], Path], specs_file: Path, ranks: int
) -> None:
    under_sanitizers = sanitized(mpi)
    if under_sanitizers is None:
        pytest.skip("there is no build/sanitizers")
    check_matrix(under_sanitizers, program("matrix.cpp"), specs_file, ranks, 4 * ranks)


@pytest.mark.parametrize("way", ["data", "before", "after", "gap"])
def test_matrix_notices(mpi: Mpi, program: Callable[[str], Path], way: str, tmp_path: Path) -> None:
    saboteur = tmp_path / "saboteur.so"
    source = HERE / "support" / "saboteur.c"
    run([mpi.mpicc, "-shared", "-fPIC", source, "-o", saboteur], env=mpi.root_env).ok()
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
