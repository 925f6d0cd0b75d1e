# SPDX-License-Identifier: Apache-2.0
"""Roundelay: collectives as short schedules that are run, proven, priced and drawn from one source.

>>> import roundelay
>>> roundelay.verify("allgather.bruck", range(1, 65)).ok
True
>>> roundelay.price("bcast.binomial", p=8, nbytes=1 << 20, alpha=1e-6, beta=1e-9).seconds
0.003148728
"""

from roundelay._core import Mutants
from roundelay.catalogue import Algorithm, Parameter, algorithms, resolve
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

__all__ = [
    "Algorithm",
    "Mutants",
    "Parameter",
    "Price",
    "Verdict",
    "Verdicts",
    "algorithms",
    "goal",
    "mutants",
    "price",
    "resolve",
    "trace",
    "verify",
]
