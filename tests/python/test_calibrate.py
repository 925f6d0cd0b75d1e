# SPDX-License-Identifier: Apache-2.0
"""Machine files: what `roundelay calibrate` fits, and their schema. tests/mpi runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import roundelay
from click.testing import CliRunner
from roundelay.benchmark import calibration
from roundelay.benchmark.samples import About
from roundelay.cannot_run import CannotRun
from roundelay.cli import main

SCHEMA = json.loads((Path(roundelay.__file__).parent / "machine.schema.json").read_text())
PARTS: dict[str, dict[str, Any]] = {
    name: part["properties"] for name, part in SCHEMA["properties"].items() if "properties" in part
}


def about(ranks: int, cores: int) -> About:
    return About(ranks, ("a",) * ranks, (cores,) * ranks, "Some MPI", 1e-7)


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_what_is_fitted_is_what_was_there(ranks: int) -> None:
    alpha, beta = 2e-7, 5e-11
    times = []
    for name, nbytes in ((calibration.SHORT, 0), (calibration.LONG, calibration.BLOCK * ranks)):
        startups, carried = calibration.cost(name, ranks, nbytes)
        times.append(startups * alpha + carried * beta)
    found = calibration.in_memory(about(ranks, ranks), *times)
    assert found == pytest.approx({"startup": alpha, "byte": beta})
    found = calibration.in_memory(about(ranks, 1), *times)
    assert found == pytest.approx({"oversubscribed_startup": alpha, "byte": beta})


def test_noise_is_no_machine() -> None:
    with pytest.raises(CannotRun, match="too noisy"):
        calibration.in_memory(about(2, 2), 1e-3, 1e-6)


def test_a_file_is_short_and_of_the_schema(tmp_path: Path) -> None:
    network = {"startup": 1.23456e-6, "gap": 2e-7, "byte": 1e-10, "crowding": 1.1, "handshake": 2}
    text = calibration.as_text("x", {"network": network, "mpi": {"short_pipelines": True}})
    document = json.loads(text)
    jsonschema.validate(document, SCHEMA)
    assert document["network"]["startup"] == 1.23e-6
    assert explained(tmp_path, document) == 0


def explained(folder: Path, document: dict[str, Any]) -> int:
    """The exit code of a command that reads the file as the library does."""
    file = folder / "machine.json"
    file.write_text(json.dumps(document))
    words = ["explain", "bcast", "-p", "4", "--bytes", "1K", "--machine", str(file)]
    return CliRunner().invoke(main, words).exit_code


@pytest.mark.parametrize("part", PARTS)
def test_schema_and_library_know_the_same_keys(tmp_path: Path, part: str) -> None:
    values = {
        name: True if one["type"] == "boolean" else one["minimum"] + 1
        for name, one in PARTS[part].items()
    }
    document = {"version": 1, part: values}
    jsonschema.validate(document, SCHEMA)
    assert explained(tmp_path, document) == 0
    for name, one in PARTS[part].items():
        wrong = "text" if one["type"] == "boolean" else one["minimum"] - 1
        bad = {"version": 1, part: {name: wrong}}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, SCHEMA)
        assert explained(tmp_path, bad) == 2
    file = tmp_path / "machine.json"
    file.write_text(json.dumps({"version": 1, part: {"nonesuch": 1}}))
    words = ["explain", "bcast", "-p", "4", "--bytes", "1K", "--machine", str(file)]
    told = CliRunner().invoke(main, words).output
    assert all(name in told for name in PARTS[part]), told
