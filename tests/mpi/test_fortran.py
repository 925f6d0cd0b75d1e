# SPDX-License-Identifier: Apache-2.0
"""Every Fortran interface is intercepted, each call once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launching import Mpi, launch

CALLS = {"allgather": 2, "allreduce": 2, "barrier": 1, "bcast": 1, "reduce": 2}


@pytest.mark.parametrize("interface", ["mpif_h", "use_mpi", "use_mpi_f08"])
@pytest.mark.parametrize("forced", ["", "allreduce=ring; allgather=ring; reduce=ordered"])
def test_fortran(
    mpi: Mpi, program: Callable[[str], Path], interface: str, forced: str, tmp_path: Path
) -> None:
    if mpi.mpifort is None:
        pytest.skip("this MPI has no Fortran")
    command = [program(f"fortran/{interface}.f90")]
    outcome = launch(mpi, 3, command, env={"ROUNDELAY": forced}, report=tmp_path / "report")
    assert outcome.ok().stdout.split() == ["finished"], outcome.text
    assert outcome.calls == CALLS, outcome.text
