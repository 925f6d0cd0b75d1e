# SPDX-License-Identifier: Apache-2.0
"""The engine without the interposer: calls in progress at once, and what they move in memory."""

from __future__ import annotations

import pytest
from launching import TOP, Mpi, launch

PROGRAMS = TOP / "build" / "release"


@pytest.mark.parametrize("wait", ["spin", "sleep"])
@pytest.mark.parametrize("ranks", [2, 5])
def test_several_in_progress(mpi: Mpi, ranks: int, wait: str) -> None:
    program = PROGRAMS / f"running-{mpi.id}"
    settings = {"ROUNDELAY_WAIT": wait, "ROUNDELAY_REPORT": "off"}
    launch(mpi, ranks, [program, 7, 40], preload=False, env=settings).ok()


@pytest.mark.parametrize("ranks", [3, 5])
def test_rounds_of_short_messages(mpi: Mpi, ranks: int) -> None:
    """Of several messages, and of deferred ones, also where the others are late."""
    launch(mpi, ranks, [PROGRAMS / f"rounds-{mpi.id}"], preload=False).ok()


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_memory_traffic(mpi: Mpi, ranks: int) -> None:
    """Bytes and flags of the real run are those that the interpreter counts."""
    launch(mpi, ranks, [PROGRAMS / f"memory_traffic-{mpi.id}"], preload=False).ok()
