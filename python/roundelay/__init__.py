# SPDX-License-Identifier: Apache-2.0
"""Roundelay: collectives as short schedules that are run, proven, priced and drawn from one source.

>>> import roundelay
>>> roundelay.verify("allgather.bruck", range(1, 65)).ok
True
>>> roundelay.price("bcast.binomial", p=8, nbytes=1 << 20, alpha=1e-6, beta=1e-9).seconds
0.003148728
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roundelay._core import Mutants
    from roundelay.catalogue import Algorithm, Parameter, algorithms, resolve
    from roundelay.drawing import Drawing, draw
    from roundelay.interpreters import (
        Price,
        Verdict,
        Verdicts,
        goal,
        mutants,
        price,
        trace,
        verify,
    )

# Looked up when they are first used: parts such as roundelay.lab need no compiled module.
_MODULES = {
    "_core": ("Mutants",),
    "catalogue": ("Algorithm", "Parameter", "algorithms", "resolve"),
    "drawing": ("Drawing", "draw"),
    "interpreters": (
        "Price", "Verdict", "Verdicts", "goal", "mutants", "price", "trace", "verify",
    ),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"roundelay.{module}"), name)
    raise AttributeError(f"module 'roundelay' has no attribute '{name}'")


__all__ = [
    "Algorithm",
    "Drawing",
    "Mutants",
    "Parameter",
    "Price",
    "Verdict",
    "Verdicts",
    "algorithms",
    "draw",
    "goal",
    "mutants",
    "price",
    "resolve",
    "trace",
    "verify",
]
