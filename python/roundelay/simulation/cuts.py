# SPDX-License-Identifier: Apache-2.0
"""What no algorithm can beat: the bytes that have to pass where a network is narrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from roundelay import _core


@dataclass(frozen=True)
class Cut:
    """A network in parts, e.g. the leaf switches with their hosts."""

    name: str  # of the parts
    part_of: Mapping[str, int]  # of each host
    bandwidth: float  # bytes a second out of a part, and as many into it; of the part with most

    def parts(self, hosts: Iterable[str]) -> list[int]:
        """The part of each rank, by the host on which it is."""
        return [self.part_of[host] for host in hosts]


@dataclass(frozen=True)
class Bound:
    """A call takes at least so many seconds, for what has to pass a cut."""

    seconds: float
    cut: str


def bound(cuts: Iterable[Cut], hosts: Sequence[str], collective: str, nbytes: int) -> Bound | None:
    """The largest of the cuts, for ranks on these hosts and root 0.

    None where nobody knows the cuts or how long the blocks are ("allgatherv/irregular"), between
    groups of ranks, and where nothing has to pass a cut.
    """
    name, _, distribution = collective.partition("/")
    if distribution not in ("", "regular"):
        return None
    if name.endswith("_between"):
        return None
    found = []
    for cut in cuts:
        least = _core.least_through_a_link(name, nbytes, cut.parts(hosts), 0)
        if least > 0:
            found.append(Bound(least / cut.bandwidth, cut.name))
    return max(found, key=lambda one: one.seconds, default=None)


def consecutive(name: str, hosts: Sequence[str], size: int, bandwidth: float) -> Cut:
    """Parts of so many hosts that follow each other."""
    return Cut(name, {host: i // size for i, host in enumerate(hosts)}, bandwidth)


def each_host(hosts: Sequence[str], bandwidth: float) -> Cut:
    """Every host is a part."""
    return consecutive("hosts", hosts, 1, bandwidth)


def halves(name: str, hosts: Sequence[str], first: int, bandwidth: float) -> Cut:
    """The first so many hosts, and all others."""
    return Cut(name, {host: int(i >= first) for i, host in enumerate(hosts)}, bandwidth)
