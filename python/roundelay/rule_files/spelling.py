# SPDX-License-Identifier: Apache-2.0
"""Algorithms as profiles spell them, and what of that MPI libraries know."""

from __future__ import annotations

import re
from functools import cache

from roundelay.catalogue import algorithms


def spelled(algorithm: str) -> str:
    """What profile_at() returns, with the one parameter that MPI libraries know, and no other.

    E.g. "scatter_allgather(allgather=ring)".
    """
    name, _, parameters = algorithm.partition("(")
    if name != "scatter_allgather":
        return name
    part = re.search(r"allgather=(\w+)", parameters)
    return f"{name}(allgather={part[1] if part is not None else _default_allgather()})"


@cache
def _default_allgather() -> str:
    (ours,) = (one for one in algorithms("bcast") if one.algorithm == "scatter_allgather")
    (default,) = (each.default for each in ours.parameters if each.name == "allgather")
    return default
