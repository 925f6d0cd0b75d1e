# SPDX-License-Identifier: Apache-2.0
"""Every Fortran interface is intercepted, each call once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launching import COLLECTIVES, HERE, NEIGHBOURHOOD, Mpi, compile_library, launch

# With two buffers and, but for these, in place.
ONCE = ("barrier", "bcast", *NEIGHBOURHOOD)
CALLS = {name: 1 if name in ONCE else 2 for name in (*COLLECTIVES, *NEIGHBOURHOOD)}
FORCED = (
    "allgather=ring; alltoall=bruck; alltoallw=in_place; barrier=dissemination; gather=binomial; "
    "neighbor_allgather=direct; neighbor_alltoallw=direct; reduce=ordered; "
    "reduce_scatter=circulant; scan=recursive_doubling; scatterv=linear"
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


def test_libraries_keep_functions_with_the_names(
    mpi: Mpi, program: Callable[[str], Path], tmp_path: Path
) -> None:
    """Those without an underscore, as R's package Rmpi has."""
    library = compile_library(mpi, HERE / "traps" / "own_names.c", tmp_path, "-DLIBRARY")
    launch(mpi, 2, [program("traps/own_names.c"), library]).ok()
