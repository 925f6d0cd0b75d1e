# SPDX-License-Identifier: Apache-2.0
"""The networks that can be simulated, as SimGrid wants them described."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, replace
from pathlib import Path

from roundelay.near import did_you_mean

# Of all networks that are made here; one way from host to host takes two links, or more.
BANDWIDTH = "10Gbps"
LATENCY = "1us"
WAN_LATENCY = "5ms"

# How SimGrid names the links of the hosts of a cluster and of a dragonfly.
PORTS = r"_link_\d+_(UP|DOWN)$|^local_link"

NAMES = ("cluster", "dragonfly", "ring", "sites")
KINDS = "cluster:128, dragonfly:256, ring:64, sites:64+64 or a FILE.xml"


@dataclass(frozen=True)
class Platform:
    """A network and its hosts, in the order of the ranks."""

    name: str
    xml: str
    hosts: tuple[str, ...]
    ports: str  # a regular expression of the links that carry one message at a time; or empty
    sites: str = ""  # of the hosts, as ROUNDELAY_SITES has them; empty where nobody says

    def spread(self, ranks: int) -> Platform:
        """The same for fewer ranks, of each part of it as many as it has hosts."""
        count = len(self.hosts)
        return replace(self, hosts=tuple(self.hosts[i * count // ranks] for i in range(ranks)))


def _document(inside: str) -> str:
    return (
        '<?xml version="1.0"?>\n'
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1">\n{inside}\n</platform>\n'
    )


def _cluster(prefix: str, hosts: int, more: str = "") -> str:
    return (
        f'<cluster id="{prefix}" prefix="{prefix}-" suffix="" radical="0-{hosts - 1}" '
        f'speed="100Gf" bw="{BANDWIDTH}" lat="{LATENCY}" {more}/>'
    )


def _names(prefix: str, hosts: int) -> tuple[str, ...]:
    return tuple(f"{prefix}-{i}" for i in range(hosts))


def cluster(hosts: int) -> Platform:
    """Hosts at one switch that never gets in the way."""
    return Platform(
        f"cluster:{hosts}", _document(_cluster("c", hosts)), _names("c", hosts), PORTS
    )  # fmt: skip


def dragonfly(hosts: int) -> Platform:
    """Groups of 16 routers, two chassis each, all groups joined; as many hosts a router as fit."""
    of_router = max(2, math.ceil(hosts / 128))
    groups = max(2, math.ceil(hosts / (16 * of_router)))
    shape = f"{groups},2;2,1;8,1;{of_router}"
    inside = _cluster(
        "d", groups * 16 * of_router,
        f'topology="DRAGONFLY" topo_parameters="{shape}" sharing_policy="SPLITDUPLEX"',
    )  # fmt: skip
    return Platform(f"dragonfly:{hosts}", _document(inside), _names("d", hosts), PORTS)


def ring(hosts: int) -> Platform:
    """Each host has a link to either neighbour; messages to others pass all links between."""
    inside = _cluster(
        "r", hosts, f'topology="TORUS" topo_parameters="{hosts}" sharing_policy="SPLITDUPLEX"'
    )
    return Platform(f"ring:{hosts}", _document(inside), _names("r", hosts), "")


def sites(first: int, second: int) -> Platform:
    """Two clusters, joined by one link with the delay of a WAN."""
    inside = "\n".join(
        [
            '<zone id="world" routing="Full">',
            _cluster("a", first, 'router_id="a-router"'),
            _cluster("b", second, 'router_id="b-router"'),
            f'<link id="wan" bandwidth="{BANDWIDTH}" latency="{WAN_LATENCY}" '
            'sharing_policy="SPLITDUPLEX"/>',
            '<zoneRoute src="a" dst="b" gw_src="a-router" gw_dst="b-router">',
            '<link_ctn id="wan" direction="UP"/></zoneRoute>',
            "</zone>",
        ]
    )
    hosts = _names("a", first) + _names("b", second)
    return Platform(
        f"sites:{first}+{second}", _document(inside), hosts, PORTS, sites="a: a-*; b: b-*"
    )


def _numbers(radical: str) -> list[int]:
    numbers: list[int] = []
    for part in radical.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def from_file(path: Path) -> Platform:
    """A description in SimGrid's own form. Raises ValueError."""
    try:
        text = path.read_text()
        root = ElementTree.fromstring(text)
    except (OSError, ElementTree.ParseError) as error:
        raise ValueError(f"cannot read the platform {path}: {error}") from None
    hosts: list[str] = []
    for element in root.iter():
        named = element.attrib
        if element.tag == "host":
            hosts.append(named["id"])
        elif element.tag == "cluster":
            around = named["prefix"], named["suffix"]
            hosts += (str(i).join(around) for i in _numbers(named["radical"]))
    if not hosts:
        raise ValueError(f"the platform {path} has neither hosts nor clusters")
    return Platform(path.name, text, tuple(hosts), PORTS)


def parse(text: str) -> Platform:
    """What the user wrote. Raises ValueError."""
    kind, _, numbers = text.partition(":")
    makers = {"cluster": cluster, "dragonfly": dragonfly, "ring": ring}
    if kind in makers and re.fullmatch(r"[1-9]\d*", numbers):
        return makers[kind](int(numbers))
    if kind == "sites" and (two := re.fullmatch(r"([1-9]\d*)\+([1-9]\d*)", numbers)):
        return sites(int(two[1]), int(two[2]))
    if text.endswith(".xml"):
        return from_file(Path(text))
    near = "" if kind in NAMES else did_you_mean(kind, NAMES)
    raise ValueError(f"there is no platform '{text}'{near}; there are, e.g., {KINDS}")
