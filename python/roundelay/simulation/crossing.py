# SPDX-License-Identifier: Apache-2.0
"""How many bytes of a simulated call cross between the parts of a network."""

from __future__ import annotations

import fnmatch
from typing import Any

from roundelay import _core
from roundelay.catalogue import REDUCING
from roundelay.simulation.platforms import Platform
from roundelay.simulation.smpi import Measured

NUMBER = 4  # bytes of what the benchmark sends and combines


def message_length(nbytes: int, ranks: int) -> int:
    """The bytes that the benchmark sends if it is asked for `nbytes`.

    The message has a block of whole numbers for each rank, all of the same length.
    """
    return nbytes // NUMBER // ranks * ranks * NUMBER


def _labels(of: list[str]) -> list[int]:
    number = {label: i for i, label in enumerate(dict.fromkeys(of))}
    return [number[label] for label in of]


def _site_of(platform: Platform) -> list[int]:
    """The number of each rank's site; empty if the network has no sites."""
    patterns = [
        (number, pattern)
        for number, site in enumerate(filter(None, platform.sites.split(";")))
        for pattern in site.partition(":")[2].split()
    ]
    return [
        next(number for number, pattern in patterns if fnmatch.fnmatchcase(host, pattern))
        for host in platform.hosts
        if patterns
    ]


def crossing(platform: Platform, collective: str, ran: Measured) -> dict[str, int]:
    """Bytes by the parts that they leave: "hosts", and those of the network's cuts.

    Counted by running the schedules of all ranks. Empty if these are not known: the MPI library's
    own algorithm ran, or the blocks have different lengths ("allgatherv/irregular").
    """
    if ran.network is None or "/" in collective:
        return {}
    unit = NUMBER if collective in REDUCING else 1
    ranks = len(platform.hosts)
    hosts = _labels(list(platform.hosts))
    network: dict[str, Any] = {name: length / unit for name, length in ran.network.items()}
    case = _core.Case(
        ranks,
        m=message_length(ran.bytes, ranks) // unit,
        nodes=hosts,
        sites=_site_of(platform),
        **network,
    )
    partitions = {"hosts": hosts}
    partitions.update((cut.name, cut.parts(platform.hosts)) for cut in platform.cuts)
    name = ran.ran.partition(": ")[0]
    counted = _core.crossing(name, case, list(partitions.values()))
    return {part: units * unit for part, units in zip(partitions, counted)}
