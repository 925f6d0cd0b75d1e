# SPDX-License-Identifier: Apache-2.0
"""Sites, found in how long messages between hosts are under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Matrix = Sequence[Sequence[float]]

# A message between two sites takes at least so many times as long as any inside one: what switches
# and racks of one machine room add is less, and what noise adds mostly is.
NEEDED = 5.0


@dataclass(frozen=True)
class Division:
    """Parts of the hosts such that messages inside each are quick."""

    parts: list[list[int]]  # places of hosts, in the order of the lowest
    inside: float  # the most seconds between two hosts of a part
    between: float  # the least between hosts of two parts

    @property
    def ratio(self) -> float:
        return self.between / self.inside

    @property
    def is_sure(self) -> bool:
        """Whether its parts may be called sites."""
        return self.ratio >= NEEDED


def between_hosts(hosts: Sequence[str], seconds: Matrix) -> tuple[list[str], list[list[float]]]:
    """The hosts of ranks, each once, by their lowest ranks; and what their quickest ranks take.

    0 from a host to itself: inside it messages do not use the network.
    """
    names = list(dict.fromkeys(hosts))
    ranks = [[rank for rank, host in enumerate(hosts) if host == name] for name in names]
    return names, [
        [
            0.0 if mine is theirs else min(seconds[i][j] for i in mine for j in theirs)
            for theirs in ranks
        ]
        for mine in ranks
    ]


def divide(seconds: Matrix) -> Division | None:
    """The division whose parts stand out most, of those that single linkage makes.

    It joins what is nearest, pair by pair, until all is one part; every step before is a division.
    None for less than three hosts: of two, nothing says whether the way between them is long.
    """
    count = len(seconds)
    pairs = sorted((seconds[i][j], i, j) for i in range(count) for j in range(i))
    parts = [[i] for i in range(count)]
    part_of = list(range(count))
    inside = 0.0
    best: Division | None = None
    for between, i, j in pairs:
        one, other = sorted((part_of[i], part_of[j]))
        if one == other:
            continue
        if inside > 0 and (best is None or between / inside > best.ratio):
            best = Division(sorted(sorted(part) for part in parts if part), inside, between)
        inside = max(inside, *(seconds[a][b] for a in parts[one] for b in parts[other]))
        for member in parts[other]:
            part_of[member] = one
        parts[one] += parts[other]
        parts[other] = []
    return best


def setting(division: Division, names: Sequence[str]) -> str:
    """What ROUNDELAY_SITES has to be, whatever ranks a job has on these hosts."""
    return "; ".join(
        f"site{number}: {' '.join(names[i] for i in part)}"
        for number, part in enumerate(division.parts, 1)
    )
