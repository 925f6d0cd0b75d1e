# SPDX-License-Identifier: Apache-2.0
"""Whether a lab is what it claims to be: a shift by all nodes at once, over plain TCP."""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundelay.lab.description import Lab, address

PROGRAM = Path(__file__).with_name("shift.py")
SECONDS = 0.1  # that a shift is to take
REPETITIONS = 5
# Above this, something else than the links is the bottleneck.
CLEAN = 1.1


@dataclass(frozen=True)
class Shift:
    """Over a ring of nodes."""

    nbytes: int  # that each node sends
    seconds: float  # median of some, of the slowest node
    round_trip: float  # seconds; the longest of all pairs of neighbours


class Unreachable(Exception):
    """The nodes cannot talk to one another."""


class _Ring:
    """The processes of a shift."""

    def __init__(self, nodes: Sequence[int], pids: Mapping[int, int], nbytes: int) -> None:
        # -I and -S: the program needs nothing but the standard library, and starts faster so.
        self.processes = [
            subprocess.Popen(
                ["nsenter", "--target", str(pids[node]), "--net", "--",
                 sys.executable, "-I", "-S", str(PROGRAM), address(node), address(after),
                 str(nbytes)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for node, after in zip(nodes, [*nodes[1:], nodes[0]])
        ]  # fmt: skip

    def answers(self) -> float:
        """The seconds of the slowest node. Raises Unreachable."""
        lines = [process.stdout.readline() for process in self.processes if process.stdout]
        if not all(lines):
            raise Unreachable("the lab's nodes cannot reach one another")
        return max(map(float, lines))

    def step(self) -> float:
        for process in self.processes:
            if process.stdin:
                process.stdin.write("\n")
                process.stdin.flush()
        return self.answers()

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            with contextlib.suppress(BrokenPipeError):
                process.communicate()


def shift(nodes: Sequence[int], pids: Mapping[int, int], rate: int) -> Shift:
    """Runs a shift over these nodes. `pids`: the process of each node; `rate`: bit/s of a link.

    Raises Unreachable.
    """
    nbytes = int(rate * SECONDS / 8)
    ring = _Ring(nodes, pids, nbytes)
    try:
        ring.answers()
        round_trip = ring.step()
        ring.step()  # lets TCP's windows grow
        seconds = statistics.median(ring.step() for _ in range(REPETITIONS))
    finally:
        ring.end()
    return Shift(nbytes, seconds, round_trip)


def rate_text(rate: int) -> str:
    return f"{rate / 1e9:g} Gbit/s" if rate >= 1e9 else f"{rate / 1e6:g} Mbit/s"


def check_links(lab: Lab, pids: Mapping[int, int]) -> list[str]:
    """What to tell the user about the links, line by line. Raises Unreachable."""
    lines = []
    for site, size in enumerate(lab.sites):
        name = f"site {site + 1}: " if len(lab.sites) > 1 else ""
        what = f"{name}{size} node{'s' if size > 1 else ''} at {rate_text(lab.rate)}"
        if size < 2:
            lines.append(f"{what}; one node alone is not checked")
            continue
        found = shift(lab.members(site), pids, lab.rate)
        ratio = found.seconds / (found.nbytes * 8 / lab.rate)
        lines.append(
            f"{what}; when each node sends {found.nbytes / 1e6:.3g} MB to the next one, this takes "
            f"{ratio:.2f} of bytes/rate"
        )
        if ratio > CLEAN:
            lines.append(
                f"warning: above {CLEAN}, this machine limits the rate, not the links; use fewer "
                "nodes or a lower rate, or wait until the machine is idle"
            )
    if lab.wan:
        ends = [lab.members(site)[0] for site in range(len(lab.sites))]
        slowest = min(lab.rate, lab.wan.rate)
        found = shift(ends, pids, slowest)
        ratio = found.seconds / (found.nbytes * 8 / slowest + lab.wan.delay)
        lines.append(
            f"WAN: {rate_text(lab.wan.rate)}, {lab.wan.delay * 1e3:g} ms; a round trip takes "
            f"{found.round_trip * 1e3:.2f} ms, an exchange of {found.nbytes / 1e6:.3g} MB "
            f"{ratio:.2f} of delay + bytes/rate"
        )
    return lines
