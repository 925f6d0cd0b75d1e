# SPDX-License-Identifier: Apache-2.0
"""Every test here runs on each MPI of build/mpis.json, with its own build of the library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from launching import HERE, Mpi, command, compile_program, read_mpis


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "mpi" in metafunc.fixturenames:
        metafunc.parametrize("mpi", read_mpis(), ids=lambda mpi: mpi.id, scope="session")


@pytest.fixture
def program(mpi: Mpi) -> Callable[[str], Path]:
    """Gives the compiled program of a source such as traps/collectives.c."""
    return lambda source: compile_program(mpi, HERE / source)


@pytest.fixture(scope="session")
def roundelay() -> str:
    """The command."""
    return command()
