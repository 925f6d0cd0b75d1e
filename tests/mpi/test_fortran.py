# SPDX-License-Identifier: Apache-2.0
"""Every Fortran interface is intercepted, each call once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launching import COLLECTIVES, Mpi, launch

# With two buffers and, but for these two, in place.
CALLS = {collective: 1 if collective in ("barrier", "bcast") else 2 for collective in COLLECTIVES}
FORCED = (
    "allgather=ring; alltoall=bruck; alltoallw=in_place; barrier=dissemination; gather=binomial; "
    "reduce=ordered; reduce_scatter=circulant; scan=recursive_doubling; scatterv=linear"
)


@pytest.mark.parametrize("interface", ["mpif_h", "use_mpi", "use_mpi_f08"])
@pytest.mark.parametrize("forced", ["", FORCED])
def test_trap_01_fortran_is_intercepted_once(
    mpi: Mpi, program: Callable[[str], Path], interface: str, forced: str, tmp_path: Path
) -> None:
    if mpi.mpifort is None:
        pytest.skip("this MPI has no Fortran")
    command = [program(f"fortran/{interface}.F90")]
    outcome = launch(mpi, 3, command, env={"ROUNDELAY": forced}, report=tmp_path / "report")
    assert outcome.ok().stdout.split() == ["finished"], outcome.text
    assert outcome.calls == CALLS, outcome.text
