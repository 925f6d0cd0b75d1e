# SPDX-License-Identifier: Apache-2.0
"""The networks that can be simulated, as SimGrid wants them described."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from roundelay.simulation.cuts import Cut, consecutive, each_host, halves
from roundelay.simulation.links import USUAL, Links
from roundelay.simulation.placement import BY_CHANCE, place

WAN_LATENCY = "5ms"

# How SimGrid names the links of the hosts of a cluster and of a dragonfly.
PORTS = r"_link_\d+_(UP|DOWN)$|^local_link"


@dataclass(frozen=True)
class Platform:
    """A network, and the host of each rank."""

    name: str
    xml: str
    hosts: tuple[str, ...]  # by rank; as it is made every host, in their order
    ports: str  # a regular expression of the links that carry one message at a time; or empty
    sites: str = ""  # of the hosts, as ROUNDELAY_SITES has them; empty where nobody says
    cuts: tuple[Cut, ...] = ()  # where it is known to be narrow
    links: str = ""  # e.g. "10Gbps, 1us"; empty where a file says it
    placement: str = "spread"  # of the ranks, e.g. "fragments, seed 1"

    @property
    def distinct_hosts(self) -> list[str]:
        """Those that have ranks, in the order of their lowest ranks."""
        return list(dict.fromkeys(self.hosts))

    def placed(
        self, ranks: int | None, per_host: int, placement: str = "spread", seed: int = 0
    ) -> Platform:
        """The same network with its ranks placed; by default as many as fit. Raises ValueError."""
        hosts = place(self.hosts, ranks, per_host, placement, seed)
        by_chance = f", seed {seed}" if placement in BY_CHANCE else ""
        return replace(self, hosts=hosts, placement=placement + by_chance)

    def spread(self, ranks: int) -> Platform:
        """The same for fewer ranks, of each part of it as many as it has.

        Where hosts have several ranks, on several hosts some of each.
        """
        hosts = self.distinct_hosts
        most = max(Counter(self.hosts).values())
        count = min(len(hosts), max(round(math.sqrt(ranks)) if most > 1 else ranks, ranks // most))
        taken = [hosts[i * len(hosts) // count] for i in range(count)]
        left = {host: ranks // count + (i < ranks % count) for i, host in enumerate(taken)}
        kept = []
        for host in self.hosts:
            if left.get(host, 0) > 0:
                left[host] -= 1
                kept.append(host)
        return replace(self, hosts=tuple(kept))


def _document(inside: str) -> str:
    return (
        '<?xml version="1.0"?>\n'
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1">\n{inside}\n</platform>\n'
    )


def _cluster(prefix: str, hosts: int, links: Links, more: str = "") -> str:
    return (
        f'<cluster id="{prefix}" prefix="{prefix}-" suffix="" radical="0-{hosts - 1}" '
        f'speed="100Gf" {links.attributes} {more}/>'
    )


def _topology(prefix: str, hosts: int, links: Links, topology: str, parameters: str) -> str:
    return _document(
        _cluster(
            prefix, hosts, links,
            f'topology="{topology}" topo_parameters="{parameters}" sharing_policy="SPLITDUPLEX"',
        )
    )  # fmt: skip


def _names(prefix: str, hosts: int) -> tuple[str, ...]:
    return tuple(f"{prefix}-{i}" for i in range(hosts))


def _below(count: int) -> str:
    """A regular expression of the numbers from 0 to count - 1."""
    last = str(count - 1)
    found = [last]
    if len(last) > 1:
        found.append(rf"\d{{1,{len(last) - 1}}}")
    for i, digit in enumerate(last):
        least = 1 if i == 0 and len(last) > 1 else 0
        if int(digit) > least:
            found.append(rf"{last[:i]}[{least}-{int(digit) - 1}]" + r"\d" * (len(last) - i - 1))
    return f"({'|'.join(found)})"


def cluster(hosts: int, links: Links = USUAL) -> Platform:
    """Hosts at one switch that never gets in the way."""
    names = _names("c", hosts)
    cuts = (each_host(names, links.bytes_a_second),)
    xml = _document(_cluster("c", hosts, links))
    return Platform(f"cluster:{hosts}", xml, names, PORTS, cuts=cuts)


def _dragonfly(
    name: str, groups: int, chassis: int, routers: int, hosts: int, between: int, links: Links
) -> Platform:
    """All groups joined by `between` links each, and so many routers of each of some chassis.

    SimGrid joins group i with the i-th router of the first chassis of every other group.
    """
    group = chassis * routers * hosts
    names = _names("d", groups * group)
    far = between * (groups - 1)
    width = links.bytes_a_second
    inside = routers - 1 + chassis - 1
    cuts = [
        each_host(names, width),
        consecutive("routers", names, hosts, width * (inside + between)),
    ]
    if chassis > 1:
        joining = routers * (chassis - 1) + far
        cuts.append(consecutive("chassis", names, routers * hosts, width * joining))
    cuts.append(consecutive("groups", names, group, width * far))
    half = groups // 2
    across = width * between * half * (groups - half)
    cuts.append(halves("halves", names, half * group, across))
    xml = _topology(
        "d", len(names), links, "DRAGONFLY",
        f"{groups},{between};{chassis},1;{routers},1;{hosts}",
    )  # fmt: skip
    return Platform(name, xml, names, PORTS, cuts=tuple(cuts))


def dragonfly(hosts: int, links: Links = USUAL) -> Platform:
    """Groups of 16 routers, two chassis each, all groups joined; as many hosts a router as fit."""
    of_router = max(2, math.ceil(hosts / 128))
    groups = max(2, math.ceil(hosts / (16 * of_router)))
    return _dragonfly(f"dragonfly:{hosts}", groups, 2, 8, of_router, 2, links)


def dragonfly_of(
    groups: int, routers: int, hosts: int, between: int = 1, links: Links = USUAL
) -> Platform:
    """Groups of `routers`, each joined with all others of its group, and with `hosts`.

    Two groups are joined by `between` links. Raises ValueError for groups that are not.
    """
    name = f"dragonfly:{groups}x{routers}x{hosts}" + (f"x{between}" if between > 1 else "")
    if not 2 <= groups <= routers:
        raise ValueError(
            f"'{name}': {groups} groups of {routers} routers: there must be at least 2 groups, and "
            "at most as many as a group has routers, because each router leads to another group"
        )
    return _dragonfly(name, groups, 1, routers, hosts, between, links)


def fattree(sizes: Sequence[int], taper: int = 1, links: Links = USUAL) -> Platform:
    """Leaf switches of hosts, or pods of leaf switches of hosts, below as many switches as needed.

    `sizes` has the hosts of a leaf switch last. A leaf switch has a link for each host downwards,
    and one for `taper` hosts upwards; above, as much goes up as comes from below. Routes depend on
    the destination alone (d-mod-k). Raises ValueError.
    """
    name = f"fattree:{'x'.join(map(str, sizes))}" + (f"/{taper}" if taper > 1 else "")
    *above, hosts = sizes
    if above[0] < 2:
        parts = "leaf switches" if len(above) == 1 else "pods"
        raise ValueError(f"'{name}': a fat tree needs at least 2 {parts}")
    if hosts % taper:
        raise ValueError(
            f"'{name}': /{taper} does not divide the {hosts} hosts of a leaf switch: "
            f"every {taper} of them share a link upwards"
        )
    up = hosts // taper
    names = _names("f", math.prod(sizes))
    width = links.bytes_a_second
    cuts = [each_host(names, width), consecutive("leaf switches", names, hosts, width * up)]
    if len(above) > 1:
        cuts.append(consecutive("pods", names, above[-1] * hosts, width * up * above[-1]))
    half = above[0] // 2
    below = math.prod(sizes[1:])
    across = width * half * below // hosts * up
    cuts.append(halves("halves", names, half * below, across))
    down = [hosts, *reversed(above)]
    parents = [1, up, *above[1:]]
    xml = _topology(
        "f", len(names), links, "FAT_TREE",
        ";".join(
            ",".join(map(str, part)) for part in ([len(down)], down, parents, [1] * len(down))
        ),
    )  # fmt: skip
    # Links are numbered, those of the hosts first.
    ports = rf"^link_from_.*_{_below(len(names))}_(UP|DOWN)$"
    return Platform(name, xml, names, ports, cuts=tuple(cuts))


def torus(sizes: Sequence[int], links: Links = USUAL) -> Platform:
    """Each host has a link to either neighbour in every dimension; messages pass all between.

    Consecutive hosts are neighbours in the first dimension.
    """
    hosts = math.prod(sizes)
    names = _names("t", hosts)
    width = links.bytes_a_second
    # Of two hosts in a row SimGrid uses one of the two links between them.
    ways = [min(2, size - 1) for size in sizes]
    cuts = [each_host(names, width * sum(ways))]
    step = 1
    for dimension, (size, way) in enumerate(zip(sizes, ways), 1):
        if size > 1:
            part_of = {host: int(i // step % size >= size // 2) for i, host in enumerate(names)}
            cuts.append(Cut(f"halves along {dimension}", part_of, width * way * hosts / size))
        step *= size
    name = f"torus:{'x'.join(map(str, sizes))}"
    xml = _topology("t", hosts, links, "TORUS", ",".join(map(str, sizes)))
    return Platform(name, xml, names, "", cuts=tuple(cuts))


def ring(hosts: int, links: Links = USUAL) -> Platform:
    """Each host has a link to either neighbour; messages to others pass all links between."""
    return replace(torus([hosts], links), name=f"ring:{hosts}")


def sites(first: int, second: int, links: Links = USUAL) -> Platform:
    """Two clusters, joined by one link with the delay of a WAN."""
    inside = "\n".join(
        [
            '<zone id="world" routing="Full">',
            _cluster("a", first, links, 'router_id="a-router"'),
            _cluster("b", second, links, 'router_id="b-router"'),
            f'<link id="wan" bandwidth="{links.bytes_a_second:.0f}Bps" latency="{WAN_LATENCY}" '
            'sharing_policy="SPLITDUPLEX"/>',
            '<zoneRoute src="a" dst="b" gw_src="a-router" gw_dst="b-router">',
            '<link_ctn id="wan" direction="UP"/></zoneRoute>',
            "</zone>",
        ]
    )
    hosts = _names("a", first) + _names("b", second)
    width = links.bytes_a_second
    cuts = (each_host(hosts, width), halves("sites", hosts, first, width))
    return Platform(
        f"sites:{first}+{second}", _document(inside), hosts, PORTS, "a: a-*; b: b-*", cuts
    )
