# SPDX-License-Identifier: Apache-2.0
"""Lengths at which an algorithm begins to cut a message otherwise: no slice beyond its memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launching import Mpi, launch, sanitized


def test_scratch_memory_is_enough_at_every_length(mpi: Mpi, program: Callable[[str], Path]) -> None:
    under_sanitizers = sanitized(mpi)
    if under_sanitizers is None:
        pytest.skip("there is no build/sanitizers")
    env = {
        "ROUNDELAY": "allreduce=hier(reduce=circulant); reduce=hier(intra=circulant)",
        "ROUNDELAY_NODES": "6+1",
        "ROUNDELAY_REPORT": "off",
    }
    launch(under_sanitizers, 7, [program("switches.c")], env=env).ok()
