# SPDX-License-Identifier: Apache-2.0
"""The MPIs of tests/mpi, for what is packed and installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))

from launching import read_mpis


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "mpi" in metafunc.fixturenames:
        metafunc.parametrize("mpi", read_mpis(), ids=lambda mpi: mpi.id, scope="session")
