# SPDX-License-Identifier: Apache-2.0
"""What a lab is to be, and what its parts are called.

Every lab has a network of its own, so all labs use the same names and addresses.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

SUBNET = "10.77.0.0/24"
HEAD = "10.77.0.254"  # where the launcher runs
MOST_NODES = 250
MTU = 4000


@dataclass(frozen=True)
class Wan:
    """What joins two sites."""

    rate: int  # bit/s, in each direction
    delay: float  # seconds, in each direction


@dataclass(frozen=True)
class Lab:
    """Nodes in one site, or in two that a WAN joins."""

    sites: tuple[int, ...]  # nodes of each
    rate: int  # bit/s of each node's link, in each direction
    ranks_per_node: int = 1
    wan: Wan | None = None

    @property
    def nodes(self) -> int:
        return sum(self.sites)

    @property
    def ranks(self) -> int:
        return self.nodes * self.ranks_per_node

    def members(self, site: int) -> range:
        """The nodes of a site; they are numbered through all sites, from 1."""
        first = 1 + sum(self.sites[:site])
        return range(first, first + self.sites[site])

    def site_of(self, node: int) -> int:
        return next(i for i in range(len(self.sites)) if node in self.members(i))


def address(node: int) -> str:
    return f"10.77.0.{node}"


def bridge(site: int) -> str:
    return f"site{site + 1}"


def port(node: int) -> str:
    """The bridge's end of a node's link; the node's own is eth0."""
    return f"node{node}"


def wan_port(site: int) -> str:
    return f"wan{site + 1}"


def to_json(lab: Lab) -> str:
    return json.dumps(asdict(lab))


def from_json(text: str) -> Lab:
    fields = json.loads(text)
    wan = fields.pop("wan")
    return Lab(**{**fields, "sites": tuple(fields["sites"])}, wan=Wan(**wan) if wan else None)
