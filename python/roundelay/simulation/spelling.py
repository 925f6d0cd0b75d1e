# SPDX-License-Identifier: Apache-2.0
"""Networks as a user writes them."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from roundelay.files import text_of
from roundelay.simulation import platforms
from roundelay.simulation.links import USUAL, Links
from roundelay.simulation.platforms import Platform
from roundelay.suggestions import did_you_mean

MOST_HOSTS = 2**20

FORMS = {
    "cluster": "cluster:HOSTS, e.g. cluster:128",
    "dragonfly": "dragonfly:HOSTS or dragonfly:GROUPSxROUTERSxHOSTS[xLINKS], e.g. dragonfly:256 or "
    "dragonfly:8x8x4x2",
    "fattree": "fattree:LEAVESxHOSTS[/TAPER] or fattree:PODSxLEAVESxHOSTS[/TAPER], e.g. "
    "fattree:32x32/2",
    "ring": "ring:HOSTS, e.g. ring:64",
    "sites": "sites:HOSTS+HOSTS, e.g. sites:64+64",
    "torus": "torus:HOSTSxHOSTS.., e.g. torus:8x8x8",
}
KINDS = (
    "cluster:128, dragonfly:256, fattree:32x32/2, ring:64, sites:64+64, torus:8x8x8 or a FILE.xml"
)


def _numbers(radical: str) -> list[int]:
    """The numbers that a radical such as "0-7,12" means. Raises ValueError."""
    numbers: list[int] = []
    for part in radical.split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends is not None else (1, 0)
        if first > last:
            raise ValueError(f"'{radical}' is not a radical like 0-7 or 0-7,12")
        if len(numbers) + last - first >= MOST_HOSTS:
            raise ValueError(f"a network has at most {MOST_HOSTS} hosts")
        numbers += range(first, last + 1)
    return numbers


def _hosts(text: str) -> list[str]:
    """The names of the hosts in a description in SimGrid's form. Raises ValueError."""
    hosts: list[str] = []
    for element in ElementTree.fromstring(text).iter():

        def said(name: str, element: ElementTree.Element = element) -> str:
            if name not in element.attrib:
                raise ValueError(f"a <{element.tag}> has no {name}")
            return element.attrib[name]

        if element.tag == "host":
            hosts.append(said("id"))
        elif element.tag == "cluster":
            around = said("prefix"), said("suffix")
            hosts += (str(i).join(around) for i in _numbers(said("radical")))
    if not hosts:
        raise ValueError("it has neither hosts nor clusters")
    return hosts


def from_file(path: Path) -> Platform:
    """A description in SimGrid's own form. Raises ValueError."""
    text = text_of(path)
    try:
        hosts = _hosts(text)
    except (ValueError, ElementTree.ParseError) as error:
        raise ValueError(f"cannot read the platform {path}: {error}") from None
    return Platform(path.name, text, tuple(hosts), platforms.PORTS)


def _counts(text: str, numbers: str, between: str, least: int, most: int) -> list[int]:
    """The numbers in a text such as "8x8x4". Raises ValueError, which names the wrong part."""
    kind = text.partition(":")[0]
    parts = numbers.split(between)
    wrong = next((part for part in parts if not re.fullmatch(r"[1-9]\d*", part)), None)
    if wrong is not None:
        what = f"'{wrong}' is not a number from 1 on" if wrong else "a number is missing"
        raise ValueError(f"'{text}': {what}; the form is {FORMS[kind]}")
    if not least <= len(parts) <= most:
        raise ValueError(
            f"'{text}': '{numbers}' has {len(parts)} number{'s' if len(parts) > 1 else ''}; "
            f"the form is {FORMS[kind]}"
        )
    counts = [int(part) for part in parts]
    if math.prod(counts) > MOST_HOSTS:
        raise ValueError(f"'{text}': a network has at most {MOST_HOSTS} hosts")
    return counts


def _cluster(text: str, numbers: str, links: Links) -> Platform:
    (hosts,) = _counts(text, numbers, "x", 1, 1)
    return platforms.cluster(hosts, links)


def _dragonfly(text: str, numbers: str, links: Links) -> Platform:
    counts = _counts(text, numbers, "x", 1, 4)
    if len(counts) == 1:
        return platforms.dragonfly(counts[0], links)
    groups, routers, hosts, *between = _counts(text, numbers, "x", 3, 4)
    return platforms.dragonfly_of(groups, routers, hosts, between[0] if between else 1, links)


def _fattree(text: str, numbers: str, links: Links) -> Platform:
    sizes, slash, taper = numbers.partition("/")
    counts = _counts(text, sizes, "x", 2, 3)
    return platforms.fattree(counts, _counts(text, taper, "/", 1, 1)[0] if slash else 1, links)


def _ring(text: str, numbers: str, links: Links) -> Platform:
    (hosts,) = _counts(text, numbers, "x", 1, 1)
    return platforms.ring(hosts, links)


def _sites(text: str, numbers: str, links: Links) -> Platform:
    first, second = _counts(text, numbers, "+", 2, 2)
    return platforms.sites(first, second, links)


def _torus(text: str, numbers: str, links: Links) -> Platform:
    return platforms.torus(_counts(text, numbers, "x", 1, 99), links)


# What makes the network of each kind, from the text, what follows its colon, and the links. All
# raise ValueError.
_MAKERS: dict[str, Callable[[str, str, Links], Platform]] = {
    "cluster": _cluster,
    "dragonfly": _dragonfly,
    "fattree": _fattree,
    "ring": _ring,
    "sites": _sites,
    "torus": _torus,
}


def parse(text: str, links: Links = USUAL) -> Platform:
    """The network that a user names. `links` are not for a FILE.xml. Raises ValueError."""
    if text.endswith(".xml"):
        return from_file(Path(text))
    kind, _, numbers = text.partition(":")
    if kind in _MAKERS:
        made = _MAKERS[kind](text, numbers, links)
        return replace(made, links=f"{links.bandwidth}, {links.latency}")
    near = did_you_mean(kind, FORMS)
    raise ValueError(f"there is no platform '{text}'{near}; there are, e.g., {KINDS}")
