# SPDX-License-Identifier: Apache-2.0
"""Several collectives in progress on one communicator."""

from __future__ import annotations

import pytest
from launching import TOP, Mpi, launch


@pytest.mark.parametrize("wait", ["spin", "sleep"])
@pytest.mark.parametrize("ranks", [2, 5])
def test_several_in_progress(mpi: Mpi, ranks: int, wait: str) -> None:
    program = TOP / "build" / "release" / f"running-{mpi.id}"
    settings = {"ROUNDELAY_WAIT": wait, "ROUNDELAY_REPORT": "off"}
    launch(mpi, ranks, [program, 7, 40], preload=False, env=settings).ok()
