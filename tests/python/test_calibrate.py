# SPDX-License-Identifier: Apache-2.0
"""Machine files: what `roundelay calibrate` fits, and their schema. tests/mpi runs it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import jsonschema
import pytest
import roundelay
from click.testing import CliRunner
from roundelay.benchmark import calibration
from roundelay.benchmark.job import Bed, Effort, Task
from roundelay.benchmark.samples import About, Point
from roundelay.cannot_run import CannotRun
from roundelay.cli import main
from roundelay.signals import Ended

SCHEMA = json.loads((Path(roundelay.__file__).parent / "machine.schema.json").read_text())
PARTS: dict[str, dict[str, Any]] = {
    name: part["properties"] for name, part in SCHEMA["properties"].items() if "properties" in part
}


def about(ranks: int, cores: int) -> About:
    return About(ranks, ("a",) * ranks, (cores,) * ranks, "Some MPI", 1e-7)


@pytest.mark.parametrize("ranks", [2, 3, 8])
@pytest.mark.parametrize("block", calibration.BLOCKS)
def test_what_is_fitted_is_what_was_there(ranks: int, block: int) -> None:
    alpha, beta = 2e-7, 5e-11

    def seconds(name: str, nbytes: int) -> float:
        startups, carried = calibration.cost(name, ranks, nbytes)
        return startups * alpha + carried * beta

    short = seconds(calibration.SHORT, 0)
    long = seconds(calibration.LONG, block * ranks)
    found = calibration.in_memory(about(ranks, ranks), short, long, block)
    assert found == pytest.approx({"startup": alpha, "byte": beta})
    found = calibration.in_memory(about(ranks, 1), short, long, block)
    assert found == pytest.approx({"oversubscribed_startup": alpha, "byte": beta})


class NoisyJob:
    """Stands in for the job that measures: start-ups hide the bytes of blocks below `clear`."""

    def __init__(self, clear: int) -> None:
        self.clear = clear
        self.blocks: list[int] = []

    def measure(
        self, where: Bed, tasks: Sequence[Task], effort: Effort, about: object,
        tell: Callable[[Point], None], variables: object,
    ) -> Ended:  # fmt: skip
        for task in tasks:
            collective, nbytes = task.cells[0].split(":")
            seconds = 1e-3
            if collective == "allgather":
                self.blocks.append(int(nbytes) // 2)
                seconds = 1.0 if self.blocks[-1] >= self.clear else 1e-6
            tell(Point(collective, int(nbytes), task.settings[0], "", (seconds,), (0,)))
        return Ended(0)


WHERE = Bed(("mpiexec",), None)  # type: ignore[arg-type]  # no job is started


@pytest.mark.parametrize("clear", calibration.BLOCKS)
def test_longer_blocks_follow_where_startups_hide_the_bytes(
    monkeypatch: pytest.MonkeyPatch, clear: int
) -> None:
    noisy = NoisyJob(clear)
    monkeypatch.setattr(calibration, "measure", noisy.measure)
    assert set(calibration.machine(WHERE, about(2, 2), Effort())["memory"]) == {"startup", "byte"}
    assert noisy.blocks == [block for block in calibration.BLOCKS if block <= clear]


def test_noise_is_no_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    noisy = NoisyJob(2 * calibration.BLOCKS[-1])
    monkeypatch.setattr(calibration, "measure", noisy.measure)
    with pytest.raises(CannotRun, match="too noisy"):
        calibration.machine(WHERE, about(2, 2), Effort())


def test_a_file_is_short_and_of_the_schema(tmp_path: Path) -> None:
    speed = {"startup": 1.23456e-6, "gap": 2e-7, "byte": 1e-10, "crowding": 1.1, "handshake": 2}
    network = speed | {"taper": [1.0, 2.3784]}
    text = calibration.as_text("x", {"network": network, "mpi": {"short_pipelines": True}})
    document = json.loads(text)
    jsonschema.validate(document, SCHEMA)
    assert document["network"]["startup"] == 1.23e-6
    assert document["network"]["taper"] == [1, 2.38]
    assert explained(tmp_path, document) == 0


def explained(folder: Path, document: dict[str, Any]) -> int:
    """The exit code of a command that reads the file as the library does."""
    file = folder / "machine.json"
    file.write_text(json.dumps(document))
    words = ["explain", "bcast", "-p", "4", "--bytes", "1K", "--machine", str(file)]
    return CliRunner().invoke(main, words).exit_code


def a_value(described: dict[str, Any]) -> object:
    """One that the schema allows."""
    if described["type"] == "array":
        return [a_value(described["items"])]
    return True if described["type"] == "boolean" else least(described) + 1


def least(described: dict[str, Any]) -> int:
    """What a number has to be at least, or more than."""
    return next(int(described[key]) for key in ("exclusiveMinimum", "minimum") if key in described)


@pytest.mark.parametrize("part", PARTS)
def test_schema_and_library_know_the_same_keys(tmp_path: Path, part: str) -> None:
    values = {name: a_value(one) for name, one in PARTS[part].items()}
    document = {"version": 1, part: values}
    jsonschema.validate(document, SCHEMA)
    assert explained(tmp_path, document) == 0
    for name, one in PARTS[part].items():
        wrong: object = "text"
        if one["type"] == "number":
            wrong = least(one) if "exclusiveMinimum" in one else least(one) - 1
        bad = {"version": 1, part: {name: wrong}}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, SCHEMA)
        assert explained(tmp_path, bad) == 2
    file = tmp_path / "machine.json"
    file.write_text(json.dumps({"version": 1, part: {"nonesuch": 1}}))
    words = ["explain", "bcast", "-p", "4", "--bytes", "1K", "--machine", str(file)]
    told = CliRunner().invoke(main, words).output
    assert all(name in told for name in PARTS[part]), told
