# SPDX-License-Identifier: Apache-2.0
"""The matrix that the catalogue generates, for every algorithm with every choice of parameters."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from launching import Mpi, launch, run

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


@pytest.mark.parametrize("ranks", RANKS)
def test_matrix(
    mpi: Mpi, program: Callable[[str], Path], specs_file: Path, ranks: int, long: bool
) -> None:
    # One case in so many: all of them for few ranks, where they are cheap and say most.
    keep = 1 if long else max(1, ranks)
    arguments = ["--ranks", ranks, "--specs", specs_file, "--keep", keep]
    command = [program("matrix.cpp"), *arguments]
    outcome = launch(mpi, ranks, command, env={"ROUNDELAY_REPORT": "off"}, timeout=3600).ok()
    found = re.search(r"^(\d+) passed, (\d+) failed$", outcome.stdout, re.MULTILINE)
    assert found, outcome.text
    assert int(found[1]) > 100, outcome.text
    assert found[2] == "0", outcome.text


def test_matrix_fails_where_a_result_is_wrong(
    mpi: Mpi, program: Callable[[str], Path], tmp_path: Path
) -> None:
    """The matrix can fail: under the name of an algorithm that did not run."""
    specs = tmp_path / "specs"
    specs.write_text("allgather\tno_such_algorithm\t\t\n")
    command = [program("matrix.cpp"), "--ranks", "2", "--specs", specs]
    outcome = launch(mpi, 2, command)
    assert outcome.returncode != 0, outcome.text
    assert "cannot force" in outcome.stderr, outcome.text
