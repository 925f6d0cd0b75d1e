# SPDX-License-Identifier: Apache-2.0
"""Every test here runs on each MPI of build/mpis.json, with its own build of the library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from launching import HERE, Mpi, command, compile_program, read_mpis


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also what takes long or much memory")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes long or much memory; only with --long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="takes long: only with --long"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "mpi" in metafunc.fixturenames:
        metafunc.parametrize("mpi", read_mpis(), ids=lambda mpi: mpi.id, scope="session")


@pytest.fixture(scope="session")
def long(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--long"))


@pytest.fixture
def program(mpi: Mpi) -> Callable[[str], Path]:
    """Gives the compiled program of a source such as traps/collectives.c."""
    return lambda source: compile_program(mpi, HERE / source)


@pytest.fixture(scope="session")
def roundelay() -> str:
    """The command."""
    return command()
