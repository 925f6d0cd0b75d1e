# SPDX-License-Identifier: Apache-2.0
"""A machine file from measurements: docs/reference/machine.md has its form.

Between nodes the library itself measures the network in every job; here it is asked for the result.
Inside a node it assumes usual values; here they are fitted to the times of two algorithms, whose
costs come from their schedules.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roundelay.benchmark.job import Bed, Effort, Task, measure
from roundelay.benchmark.samples import About, Point, summary
from roundelay.cannot_run import CannotRun
from roundelay.interpreters import price
from roundelay.running import UnknownEvents, read_events
from roundelay.signals import Stopped

SHORT = "barrier.dissemination"
LONG = "allgather.ring"
# Bytes of each rank in LONG. Longer ones are measured where start-ups hide what the bytes take.
BLOCKS = (1 << 18, 1 << 20, 1 << 22)
NETWORK = ("startup", "gap", "byte", "crowding", "handshake", "taper")


def _setting(name: str) -> str:
    return name.replace(".", "=", 1)


def cost(name: str, ranks: int, nbytes: int) -> tuple[float, float]:
    """How many start-ups and bytes follow each other on the critical path of the algorithm."""

    def seconds(alpha: float) -> float:
        return price(name, ranks, nbytes, alpha=alpha, beta=1.0).seconds

    startups = seconds(2.0) - seconds(1.0)
    return startups, seconds(1.0) - startups


def in_memory(about: About, short: float, long: float, block: int) -> dict[str, float] | None:
    """The start-up (seconds) and the time of a byte that give these times of SHORT and LONG.

    `short`, `long`: seconds; `block`: bytes of each rank in LONG. None if one of the two results
    is not positive.
    """
    startups, _ = cost(SHORT, about.ranks, 0)
    startup = short / startups
    startups, nbytes = cost(LONG, about.ranks, block * about.ranks)
    byte = (long - startups * startup) / nbytes
    if startup <= 0 or byte <= 0:
        return None
    name = "oversubscribed_startup" if about.oversubscribed else "startup"
    return {name: startup, "byte": byte}


def machine(where: Bed, about: About, effort: Effort) -> dict[str, Any]:
    """The parts of a machine file that can be measured on this bed. Raises CannotRun."""
    for block in BLOCKS:
        parts = _machine(where, about, effort, block)
        if parts is not None:
            return parts
    raise CannotRun("the times are too noisy for a machine file; try again")


def _machine(where: Bed, about: About, effort: Effort, block: int) -> dict[str, Any] | None:
    points: list[Point] = []
    chosen = Task(("chosen",), (f"bcast:{block}",))
    fitted = [
        Task((_setting(SHORT),), ("barrier:0",)),
        Task((_setting(LONG),), (f"allgather:{block * about.ranks}",)),
    ]
    with tempfile.TemporaryDirectory() as folder:
        status = Path(folder) / "status"
        variables = {"ROUNDELAY_STATUS": str(status), "ROUNDELAY_LEARN": "off",
                     "ROUNDELAY_MACHINE": ""}  # fmt: skip
        ended = measure(
            where, [chosen, *fitted], effort, lambda about: None, points.append, variables
        )
        try:
            events = read_events(status)
        except UnknownEvents:
            events = []
    if ended.signal is not None:
        raise Stopped(ended.signal)
    if ended.code != 0 or len(points) != 3:
        raise CannotRun(f"the job ended with exit code {ended.code}")
    networks = [event for event in events if event["event"] == "network"]
    if networks:
        return _between_nodes(networks[-1])
    short, long = (summary(point).median for point in points[1:])
    memory = in_memory(about, short, long, block)
    return None if memory is None else {"memory": memory}


def _between_nodes(event: Mapping[str, Any]) -> dict[str, Any]:
    network = {name: event[name] for name in NETWORK}
    network["crowding"] = max(1.0, network["crowding"])
    return {"network": network, "mpi": {"short_pipelines": event["short_pipelines"]}}


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return value if isinstance(value, bool) else float(f"{value:.3g}")


def as_text(description: str, parts: Mapping[str, Mapping[str, Any]]) -> str:
    """The text of the machine file."""
    document: dict[str, Any] = {"version": 1, "description": description}
    for part, values in parts.items():
        document[part] = {name: _rounded(value) for name, value in values.items()}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
