# SPDX-License-Identifier: Apache-2.0
"""`roundelay bench` with each MPI, and the program that it starts."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from launching import Mpi, Outcome, launch, mpiexec, run
from roundelay.benchmark.samples import read

RANKS = 3


def bench(roundelay: str, mpi: Mpi, *arguments: object) -> Outcome:
    launcher = shlex.join(mpiexec(mpi, [(RANKS, [])]))
    words = ["bench", "--launcher", launcher, "--time", "0.1", *map(str, arguments)]
    return run([roundelay, *words], env=mpi.root_env).ok()


def timed(mpi: Mpi, *arguments: str) -> dict[str, Any]:
    program = mpi.library.with_name(f"collectives-{mpi.id}")
    outcome = launch(mpi, RANKS, [program, *arguments], env={"ROUNDELAY_REPORT": "off"}).ok()
    found: dict[str, Any] = json.loads(outcome.stdout)
    return found


def test_settings_are_for_what_follows_them(mpi: Mpi) -> None:
    words = ["-k", "2", "-s", "native", "-s", "chosen", "bcast:8", "bcast:64"]
    found = timed(mpi, *words, "-s", "reduce=ring", "reduce:8")["results"]
    assert [(one["bytes"], one["setting"]) for one in found] == [
        (8, "native"), (8, "chosen"), (64, "native"), (64, "chosen"), (8, "reduce=ring"),
    ]  # fmt: skip
    assert all(len(one["seconds"]) == 2 for one in found)


def test_the_slowest_rank_counts(mpi: Mpi) -> None:
    (one,) = timed(mpi, "-a", "-k", "5", "-R", "-b", "3", "-n", "4", "gather:12K")["results"]
    assert len(one["ranks"]) == RANKS
    for i, (seconds, slowest) in enumerate(zip(one["seconds"], one["slowest"])):
        assert seconds == max(rank[i] for rank in one["ranks"]) == one["ranks"][slowest][i]


def test_time_is_a_limit(mpi: Mpi) -> None:
    (one,) = timed(mpi, "-k", "1000000", "-t", "0.05", "barrier:0")["results"]
    assert 3 <= len(one["seconds"]) < 1000000


def test_a_full_disk_is_an_error_but_loses_no_measurement(roundelay: str, mpi: Mpi) -> None:
    launcher = shlex.join(mpiexec(mpi, [(RANKS, [])]))
    words = ["bench", "barrier", "--launcher", launcher, "--time", "0.05", "-o", "/dev/full"]
    outcome = run([roundelay, *words], env=mpi.root_env)
    assert outcome.returncode == 1
    assert "cannot write /dev/full: No space left on device" in outcome.stderr
    assert "\nbarrier\n" in outcome.stdout


def test_all_is_measured_and_kept(roundelay: str, mpi: Mpi, tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    names = ["bcast", "allgather", "barrier"]
    outcome = bench(roundelay, mpi, *names, "--sizes", "8,6K", "-a", "all", "-o", file)
    for name in names:
        assert f"\n{name}\n" in outcome.stdout
    about, points = read(file)
    assert about.ranks == RANKS
    assert about.more["launcher"]
    assert {(one.collective, one.bytes) for one in points} == {
        ("bcast", 8), ("bcast", 6144), ("allgather", 12), ("allgather", 6144), ("barrier", 0),
    }  # fmt: skip
    assert {"native", "chosen", "bcast=binomial", "bcast=circulant"} <= {
        one.setting for one in points
    }
    assert all(len(one.ranks) == RANKS for one in points)
    (line,) = (line for line in outcome.stderr.splitlines() if "left out, because" in line)
    assert line.endswith(": hier, lanes, local_bruck")
    assert ("NOT A PERFORMANCE RESULT" in outcome.stderr) == bool(about.oversubscribed)


def test_a_profile_of_the_user_is_measured(roundelay: str, mpi: Mpi) -> None:
    """What is chosen is what a program of this user would have."""
    outcome = bench(roundelay, mpi, "bcast", "--sizes", "8", "--format", "json")
    first, *lines = map(json.loads, outcome.stdout.splitlines())
    assert first["roundelay_bench"] == 1
    assert [line["setting"] for line in lines] == ["native", "chosen"]


@pytest.mark.parametrize("nodes", ["3", "2+1"])
def test_a_machine_is_calibrated(roundelay: str, mpi: Mpi, tmp_path: Path, nodes: str) -> None:
    """Between nodes, as ROUNDELAY_NODES says where they are, and inside of one."""
    file = tmp_path / "machine.json"
    launcher = shlex.join(mpiexec(mpi, [(RANKS, [])]))
    words = ["calibrate", "--launcher", launcher, "-o", str(file)]
    run([roundelay, *words], env={**mpi.root_env, "ROUNDELAY_NODES": nodes}).ok()
    found = json.loads(file.read_text())
    part = found["memory" if nodes == "3" else "network"]
    assert 0 < part["byte"] < 1e-3
    assert "network" in found or {"startup", "oversubscribed_startup"} & set(part)
    settings = {"ROUNDELAY_MACHINE": str(file), "ROUNDELAY_REPORT": "off"}
    program = mpi.library.with_name(f"collectives-{mpi.id}")
    launch(mpi, RANKS, [program, "-k", "1", "-s", "chosen", "bcast:1K"], env=settings).ok()


def test_a_program_in_the_launcher_is_refused(roundelay: str, mpi: Mpi) -> None:
    launcher = shlex.join(mpiexec(mpi, [(RANKS, ["true"])]))
    outcome = run([roundelay, "bench", "--launcher", launcher], env=mpi.root_env)
    assert outcome.returncode == 1
    assert "leave 'true' out of the launcher's command" in outcome.stderr
