# SPDX-License-Identifier: Apache-2.0
"""Rules of Open MPI as a profile."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from roundelay.profiles import valid_name
from roundelay.rule_files.open_mpi import (
    ALGORITHMS,
    DISTRIBUTIONS,
    OWN_RULES,
    WITHOUT_LENGTH,
    Rules,
    SizeRules,
)


def _that_matter(sizes: Iterable[SizeRules]) -> list[SizeRules]:
    """The entries that can match: not those after one that holds for all their communicators."""
    found: list[SizeRules] = []
    for size in sizes:
        most = math.inf if size.most is None else size.most
        if not any(
            one.least <= size.least
            and (one.most is None or most <= one.most)
            and one.distribution in ("any", size.distribution)
            for one in found
        ):
            found.append(size)
    return found


def profile_of(rules: Rules, name: str) -> tuple[dict[str, Any], list[str]]:
    """A profile with the same rules, and sentences about what Roundelay has no algorithm for.

    There it says native: under Open MPI that is what its own rules, or this file, say.
    """
    collectives: dict[str, list[dict[str, Any]]] = {}
    missing: list[str] = []
    for collective, sizes in rules.items():
        ours = {number: algorithm for algorithm, number in ALGORITHMS[collective].items()}
        key = "block_bytes" if collective == "scatter" else "bytes"
        for size in _that_matter(sizes):
            for i, rule in enumerate(size.rules):
                last = i + 1 == len(size.rules)
                if rule.algorithm not in (OWN_RULES, *ours):
                    missing.append(
                        f"{collective}: Roundelay has no algorithm like Open MPI's "
                        f"{rule.algorithm}; native stays there"
                    )
                entry: dict[str, Any] = {"algorithm": ours.get(rule.algorithm, "native")}
                if collective not in WITHOUT_LENGTH and not (last and rule.least == 0):
                    most = "inf" if last else size.rules[i + 1].least - 1
                    entry[key] = [rule.least, most]
                entry["ranks"] = [max(size.least, 1), "inf" if size.most is None else size.most]
                entry |= DISTRIBUTIONS[size.distribution]
                collectives.setdefault(collective, []).append(entry)
    document = {"version": 1, "name": valid_name(name), "collectives": collectives}
    return document, list(dict.fromkeys(missing))
