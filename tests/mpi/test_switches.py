# SPDX-License-Identifier: Apache-2.0
"""Lengths at which an algorithm begins to cut a message otherwise: no slice beyond its memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from launching import Mpi, launch
from sanitizers import sanitized


def test_scratch_memory_is_enough_at_every_length(mpi: Mpi, program: Callable[[str], Path]) -> None:
    under_sanitizers = sanitized(mpi)
    env = {
        "ROUNDELAY": "allreduce=hier(reduce=circulant); reduce=hier(intra=circulant)",
        "ROUNDELAY_NODES": "6+1",
        "ROUNDELAY_REPORT": "off",
    }
    launch(under_sanitizers, 7, [program("switches.c")], env=env).ok()
