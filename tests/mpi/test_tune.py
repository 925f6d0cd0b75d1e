# SPDX-License-Identifier: Apache-2.0
"""`roundelay record`, `roundelay tune` and the profile that comes of them, with each MPI."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

from launching import Mpi, Outcome, launch, mpiexec, run
from roundelay.profiles import load_profile

RANKS = 3


def roundelay_run(roundelay: str, mpi: Mpi, *words: object) -> Outcome:
    return run([roundelay, *map(str, words)], env=mpi.root_env)


def test_from_a_program_to_its_profile(
    roundelay: str, mpi: Mpi, program: Callable[[str], Path], tmp_path: Path
) -> None:
    mix, tuned = tmp_path / "mix.json", tmp_path / "tuned.json"
    learning = program("traps/learning.c")
    command = mpiexec(mpi, [(RANKS, [learning, "bcast", 1000, 20])])
    roundelay_run(roundelay, mpi, "record", "-o", mix, "--", *command).ok()
    rows = json.loads(mix.read_text())["calls"]
    assert {(row["collective"], row["most_bytes"]) for row in rows} == {("bcast", 4000)}

    launcher = shlex.join(mpiexec(mpi, [(RANKS, [])]))
    words = ["tune", "--from", mix, "--launcher", launcher, "--time", "0.05", "-o", tuned]
    outcome = roundelay_run(roundelay, mpi, *words).ok()
    assert f"wrote {tuned}" in outcome.stderr
    one = load_profile(str(tuned))
    assert {rule.collective for rule in one.rules} == {"bcast"}
    samples = (tmp_path / "tuned.json.jsonl").read_text()
    assert samples.count('"collective": "bcast"') >= 5

    # What is known is not measured again.
    before = tuned.read_text().partition('"collectives"')[2]
    roundelay_run(roundelay, mpi, *words).ok()
    assert (tmp_path / "tuned.json.jsonl").read_text() == samples
    assert tuned.read_text().partition('"collectives"')[2] == before

    env = {"ROUNDELAY_PROFILE": str(tuned)}
    report = tmp_path / "report"
    again = launch(mpi, RANKS, [learning, "bcast", 1000, 20], env=env, report=report).ok()
    assert again.report is not None
    (row,) = again.report["calls"]
    assert row["reason"].startswith("profile tuned: rule ")


def test_a_full_disk_loses_no_measurement(roundelay: str, mpi: Mpi, tmp_path: Path) -> None:
    launcher = shlex.join(mpiexec(mpi, [(RANKS, [])]))
    words = ["tune", "barrier", "--launcher", launcher, "--time", "0.05"]
    tuned = tmp_path / "tuned.json"
    outcome = roundelay_run(roundelay, mpi, *words, "--measurements", "/dev/full", "-o", str(tuned))
    assert outcome.returncode == 1
    assert "cannot write /dev/full: No space left on device" in outcome.stderr
    assert "barrier" in json.loads(tuned.read_text())["collectives"]

    measured = tmp_path / "measured.jsonl"
    words += ["--measurements", str(measured), "-o", "/dev/full"]
    outcome = roundelay_run(roundelay, mpi, *words)
    assert outcome.returncode == 1
    assert "cannot write /dev/full: No space left on device; here is the profile" in outcome.stderr
    assert "barrier" in json.loads(outcome.stdout)["collectives"]
    assert len(measured.read_text().splitlines()) > 1
