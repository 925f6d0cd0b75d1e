# SPDX-License-Identifier: Apache-2.0
"""Which host each rank is on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from roundelay.suggestions import did_you_mean

Hosts = Sequence[str]
MOST_RANKS = 2**20  # as many as there can be hosts


def _spread(hosts: Hosts, count: int, random: Random) -> Hosts:
    return [hosts[i * len(hosts) // count] for i in range(count)]


def _first(hosts: Hosts, count: int, random: Random) -> Hosts:
    return hosts[:count]


def _random(hosts: Hosts, count: int, random: Random) -> Hosts:
    return random.sample(list(hosts), count)


def _runs(total: int, count: int, random: Random) -> list[int]:
    """Lengths of so many runs of together `total`, none empty, all ways to cut alike likely."""
    borders = [0, *sorted(random.sample(range(1, total), count - 1)), total]
    return [end - start for start, end in zip(borders, borders[1:])]


def _fragments(hosts: Hosts, count: int, random: Random) -> Hosts:
    """Runs of free hosts between runs of busy ones, of four free hosts on average."""
    busy = len(hosts) - count
    if busy == 0:
        raise ValueError(
            f"fragments need free hosts between them, but all {count} are taken: "
            "give fewer ranks (-p)"
        )
    runs = min(busy, max(1, count // 4))
    taken: list[str] = []
    at = 0
    for free, other in zip(_runs(count, runs, random), _runs(busy, runs, random)):
        at += other
        taken += hosts[at : at + free]
        at += free
    return taken


# Which hosts a job gets, in which order. On all but "cyclic" a host's ranks follow each other.
PLACEMENTS: dict[str, Callable[[Hosts, int, Random], Hosts]] = {
    "spread": _spread,
    "block": _first,
    "cyclic": _first,
    "random": _random,
    "fragments": _fragments,
}
BY_CHANCE = ("random", "fragments")


def place(
    hosts: Hosts, ranks: int | None = None, per_host: int = 1, placement: str = "spread",
    seed: int = 0,
) -> tuple[str, ...]:  # fmt: skip
    """The host of each rank, as many ranks as fit by default. Raises ValueError."""
    if placement not in PLACEMENTS:
        raise ValueError(
            f"there is no placement '{placement}'{did_you_mean(placement, PLACEMENTS)}; "
            f"there are: {', '.join(PLACEMENTS)}"
        )
    if ranks is None:
        ranks = len(hosts) * per_host
    if ranks < 2:
        raise ValueError(
            "nothing is sent by one rank: give a network of at least 2 hosts, or more "
            "--ranks-per-host"
        )
    if ranks > MOST_RANKS:
        raise ValueError(f"{ranks} ranks are too many: there are at most {MOST_RANKS}")
    count = -(-ranks // per_host)
    if count > len(hosts):
        raise ValueError(
            f"{ranks} ranks do not fit on {len(hosts)} hosts of {per_host} "
            f"rank{'s' if per_host > 1 else ''} each"
        )
    taken = PLACEMENTS[placement](hosts, count, Random(seed))
    if placement == "cyclic":
        return tuple(taken[rank % count] for rank in range(ranks))
    return tuple(taken[rank // per_host] for rank in range(ranks))
