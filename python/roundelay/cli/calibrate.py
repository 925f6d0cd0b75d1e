# SPDX-License-Identifier: Apache-2.0
"""roundelay calibrate."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import click
from rich.console import Console

from roundelay.benchmark import calibration, job, picture
from roundelay.cannot_run import CannotRun
from roundelay.cli.common import what_cannot_run, write_or_print
from roundelay.cli.measuring import default_launcher, launcher_option, looked, mpi_option, warn
from roundelay.cli.values import File
from roundelay.files import require_writable


@click.command()
@launcher_option
@mpi_option
@click.option(
    "-o",
    "--output",
    type=File(),
    help="The machine file to write; by default standard output.",
)
def calibrate(launcher: str | None, mpi: str | None, output: Path | None) -> None:
    """Measures a machine for the model, and writes a machine file.

    On several nodes it measures the network. Without the file, the library does this in every job.
    On one node it measures the start-up and the rate of messages through shared memory, for which
    the library otherwise assumes usual values.

    \b
    Example:
      roundelay calibrate --launcher "srun -N 8 -n 64" -o cluster.json
      roundelay run --machine cluster.json -- srun -n 64 ./app
    """
    with what_cannot_run():
        if output is not None:
            require_writable(output)
        where = job.bed(default_launcher() if launcher is None else launcher, mpi)
        about = looked(where)
        if about.ranks < 2:
            raise CannotRun("one rank cannot measure messages: start two or more")
        warn(about)
        effort = job.Effort(repetitions=1000, seconds=1.0)
        with Console(stderr=True).status("measuring"):
            parts = calibration.machine(where, about, effort)
    day = datetime.now(timezone.utc).date().isoformat()
    description = f"measured by roundelay calibrate on {day}: {picture.title(about)}"
    write_or_print(calibration.as_text(description, parts), output)
