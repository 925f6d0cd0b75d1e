# SPDX-License-Identifier: Apache-2.0
"""How long messages between ranks are under way, measured in a job of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from roundelay.cannot_run import CannotRun
from roundelay.launcher import with_program
from roundelay.own_program import more_than_one_job, starting
from roundelay.running import library_path
from roundelay.signals import Stopped, output


class Row(TypedDict):
    """What the program prints of a rank."""

    rank: int
    host: str
    seconds: list[float]  # to the ranks that follow


@dataclass(frozen=True)
class Latencies:
    """Seconds of one way for a few bytes between each two ranks; 0 from a rank to itself."""

    hosts: list[str]  # of each rank
    seconds: list[list[float]]


def measure(command: Sequence[str], mpi: str | None) -> Latencies:
    """Measures between all ranks that `command` starts; it names no program.

    Raises CannotRun, and Stopped at a signal.
    """
    subject, build = starting(command, mpi, lambda build: build.latencies)
    path = library_path(subject, build)
    variables = ["env", f"LD_LIBRARY_PATH={path}"] if path else []
    started = with_program(subject.command, [*variables, str(build.latencies)])
    ended, printed = output(started, {})
    rows: list[Row] = []
    for line in printed.splitlines():
        if line.startswith('{"rank"'):
            rows.append(json.loads(line))
        else:
            print(line, file=sys.stderr)
    if ended.signal is not None:
        raise Stopped(ended.signal)
    if not rows:
        raise CannotRun(f"'{' '.join(started)}' measured nothing; exit code {ended.code}")
    if [row["rank"] for row in rows] != list(range(len(rows))):
        raise more_than_one_job(command, build)
    return joined(rows)


def joined(rows: Sequence[Row]) -> Latencies:
    """The rows of all ranks as one symmetric matrix, in seconds."""
    ranks = len(rows)
    seconds = [[0.0] * ranks for _ in rows]
    for rank, row in enumerate(rows):
        for other, value in enumerate(row["seconds"], rank + 1):
            seconds[rank][other] = seconds[other][rank] = value
    return Latencies([row["host"] for row in rows], seconds)
