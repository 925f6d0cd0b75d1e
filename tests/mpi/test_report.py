# SPDX-License-Identifier: Apache-2.0
"""The report: whose time it gives, its schema, and that it is written in any case."""

from __future__ import annotations

import importlib.resources
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from launching import Mpi, Outcome, launch, skip_what_ends_late

RANKS = 4
SCHEMA = json.loads(
    (importlib.resources.files("roundelay") / "report.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
Program = Callable[[str], Path]


def rows(outcome: Outcome) -> dict[str, dict[str, Any]]:
    assert outcome.report is not None, outcome.text
    return {row["collective"]: row for row in outcome.report["calls"]}


def test_the_schema_has_what_is_documented() -> None:
    VALIDATOR.check_schema(SCHEMA)
    text = (Path(__file__).parents[2] / "docs" / "reference" / "using.md").read_text()
    for name in (*SCHEMA["properties"], *SCHEMA["$defs"]["row"]["properties"]):
        assert f'"{name}"' in text, name


@pytest.mark.parametrize("forced", ["", "allgather=ring; bcast=binomial; reduce=binomial"])
def test_reports_keep_to_the_schema(
    mpi: Mpi, program: Program, tmp_path: Path, forced: str
) -> None:
    command = [program("traps/collectives.c"), "3"]
    outcome = launch(mpi, RANKS, command, env={"ROUNDELAY": forced}, report=tmp_path / "r").ok()
    VALIDATOR.validate(outcome.report)
    # One that has nothing to tell, too.
    outcome = launch(mpi, RANKS, [program("traps/collectives.c"), "0"], report=tmp_path / "n").ok()
    VALIDATOR.validate(outcome.report)


def test_a_report_that_is_not_complete_keeps_to_the_schema(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    outcome = launch(mpi, RANKS, [program("traps/internal.c")], report=tmp_path / "r")
    if outcome.report is not None:
        VALIDATOR.validate(outcome.report)


@pytest.mark.parametrize("algorithm", ["native", "binomial"])
def test_the_time_is_that_of_all_ranks(
    mpi: Mpi, program: Program, tmp_path: Path, algorithm: str
) -> None:
    times, late = 10, 0.02
    command = [program("traps/late.c"), times, int(1000 * late)]
    env = {"ROUNDELAY": f"bcast={algorithm}"}
    of = rows(launch(mpi, RANKS, command, env=env, report=tmp_path / "report").ok())
    bcast, gather = of["bcast"], of["gather"]
    assert bcast["calls"] == times
    assert bcast["ranks"] == RANKS
    assert bcast["timed_calls"] == RANKS * times
    # The root, which is rank 0, leaves at once; the others wait for it.
    assert bcast["slowest_seconds"] > 0.5 * times * late
    assert bcast["seconds"] > 0.25 * times * late
    assert bcast["mean_seconds"] == pytest.approx(bcast["seconds"] / times)
    # On two communicators of half the ranks: two calls, of which each rank takes part in one.
    assert gather["calls"] == 2
    assert gather["ranks"] == RANKS
    assert gather["mean_seconds"] == pytest.approx(gather["seconds"])
    for row in of.values():
        assert 0 < row["seconds"] <= row["slowest_seconds"]


def test_bytes_are_those_of_the_message(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    """Whoever runs the call."""
    env = {"ROUNDELAY": "alltoallv=native; alltoallw=native"}
    command = [program("traps/collectives.c"), "2", "100"]
    of = rows(launch(mpi, 2, command, env=env, report=tmp_path / "report").ok())
    assert of["alltoallv"]["bytes"] == of["alltoallw"]["bytes"] == 2 * 2 * 400


def test_numbers_are_read_whatever_the_locale(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    outcome = launch(mpi, RANKS, [program("traps/locale.cpp")], report=tmp_path / "report").ok()
    of = rows(outcome)
    assert of["bcast"]["ranks"] == RANKS, outcome.text
    assert of["bcast"]["timed_calls"] == RANKS * of["bcast"]["calls"]


def test_a_report_file_whose_name_is_no_utf_8(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    report = tmp_path / os.fsdecode(b"report\xff")
    outcome = launch(mpi, 2, [program("traps/collectives.c")], report=report).ok()
    assert outcome.calls["bcast"] == 1


def test_finalize_in_an_early_atexit_handler(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    skip_what_ends_late(mpi)
    report = tmp_path / "a name that is longer than what a string holds within itself"
    outcome = launch(mpi, 2, [program("traps/early_atexit.c")], report=report, cwd=tmp_path).ok()
    assert outcome.calls == {"bcast": 1}
    assert list(tmp_path.iterdir()) == [report]


def test_a_limit_for_files_of_the_program(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    settings = {"STATUS": str(tmp_path / "status"), "REPORT_FILE": str(tmp_path / "report")}
    env = {f"ROUNDELAY_{name}": value for name, value in settings.items()}
    outcome = launch(mpi, 2, [program("traps/limited_files.c")], env=env).ok()
    assert outcome.stdout.strip() == "finished"
    assert "cannot write the report to" in outcome.stderr
    assert "File too large; here it is" in outcome.stderr, outcome.text
    assert not [path for path in tmp_path.iterdir() if "report" in path.name]


def test_a_full_disk(mpi: Mpi, program: Program) -> None:
    env = {"ROUNDELAY_STATUS": "/dev/full", "ROUNDELAY_REPORT_FILE": "/dev/full"}
    outcome = launch(mpi, 2, [program("traps/collectives.c")], env=env).ok()
    assert "cannot write the report to /dev/full: No space left on device" in outcome.stderr
    assert "alltoallw" in outcome.stderr
