# SPDX-License-Identifier: Apache-2.0
"""Calls with memory of a GPU: right results, and left to the MPI library as soon as all ranks know.

The GPU's runtime and an MPI library that takes such memory are stand-ins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from launching import HERE, Mpi, launch, run
from test_inside_a_node import FORCED

RUNTIMES = {
    "CUDA": "libcuda.so.1",
    "ROCM": "libhsa-runtime64.so.1",
    "LEVEL_ZERO": "libze_loader.so.1",
}


class Device:
    """Runs traps/device.c."""

    def __init__(self, mpi: Mpi, program: Callable[[str], Path], folder: Path) -> None:
        self.folder = folder
        self.program = program("traps/device.c")
        aware = folder / "aware.so"
        source = HERE / "support" / "device.c"
        built = [mpi.mpicc, "-shared", "-fPIC", source, "-o", aware, "-ldl"]
        run(built, env=mpi.root_env).ok()
        # In LD_PRELOAD the one comes after the other.
        self.mpi = replace(mpi, library=Path(f"{mpi.library}:{aware}"))

    def runtime(self, kind: str) -> Path:
        library = self.folder / RUNTIMES[kind]
        source = HERE / "support" / "device_runtime.c"
        run(["cc", "-shared", "-fPIC", f"-D{kind}", source, "-o", library, "-ldl"]).ok()
        return library

    def report(self, kind: str, *words: object, **env: str) -> dict[str, Any]:
        outcome = launch(
            self.mpi,
            3,
            [self.program, self.runtime(kind), *words],
            env={"ROUNDELAY": FORCED, **env},
            report=self.folder / "report.json",
        ).ok()
        assert outcome.report is not None, outcome.text
        return outcome.report


@pytest.fixture
def device(mpi: Mpi, program: Callable[[str], Path], tmp_path: Path) -> Device:
    return Device(mpi, program, tmp_path)


def left(report: dict[str, Any]) -> set[str]:
    """The collectives that were left to the MPI library because of device memory."""
    return {
        row["collective"]
        for row in report["calls"]
        if row["algorithm"] == "native" and row["reason"] == "device memory"
    }


@pytest.mark.parametrize("kind", RUNTIMES)
@pytest.mark.parametrize("who", ["all", "one"])
def test_calls_are_left_to_the_mpi_library(device: Device, kind: str, who: str) -> None:
    report = device.report(kind, who, 0, 6)
    every = {row["collective"] for row in report["calls"]}
    assert left(report) == every - {"barrier"}
    assert 0 < report["device_calls"] < sum(row["calls"] for row in report["calls"]) / 2


def test_between_two_groups(device: Device) -> None:
    forced = f"{FORCED}; allgather=inter_full"
    report = device.report("CUDA", "one", 2, 12, "between", ROUNDELAY=forced)
    ours = [row for row in report["calls"] if row["algorithm"] == "inter_full"]
    assert 0 < sum(row["calls"] for row in ours) < 12  # the later ones are the MPI library's
    assert "allgather" in left(report)


def test_a_runtime_that_is_loaded_later(device: Device) -> None:
    report = device.report("CUDA", "one", 3, 12)
    assert "allreduce" in left(report)
    assert report["device_calls"] > 0


@pytest.mark.parametrize("transport", ["messages", "memory"])
def test_buffers_of_the_processor_are_not_touched(device: Device, transport: str) -> None:
    report = device.report("CUDA", "none", 0, 6, ROUNDELAY_TRANSPORT=transport)
    assert not left(report)
    assert report["device_calls"] == 0
    assert all(row["algorithm"] != "native" for row in report["calls"])


@pytest.mark.parametrize("calls", [2, 18])
def test_communicators_are_freed_while_ranks_tell_each_other_of_such_memory(
    device: Device, program: Callable[[str], Path], calls: int
) -> None:
    argv = [program("traps/freed_on_device.c"), device.runtime("CUDA"), calls]
    transport = "memory" if calls == 2 else "auto"
    launch(device.mpi, 3, argv, env={"ROUNDELAY_TRANSPORT": transport}).ok()
