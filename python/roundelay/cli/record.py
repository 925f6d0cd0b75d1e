# SPDX-License-Identifier: Apache-2.0
"""roundelay record."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from roundelay.cli.common import what_cannot_run
from roundelay.cli.measuring import mpi_option
from roundelay.cli.run_program import run_through
from roundelay.cli.values import File
from roundelay.running import Launch, start
from roundelay.signals import Ended


@click.command(context_settings={"allow_interspersed_args": False})
@mpi_option
@click.option(
    "-o",
    "--output",
    type=File(),
    required=True,
    help="The file to write: the report of the library as JSON.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def record(mpi: str | None, output: Path, command: tuple[str, ...]) -> None:
    """Runs an MPI program and records its collectives and lengths.

    \b
    Example:
      roundelay record -o mix.json -- mpiexec -n 8 ./app
      roundelay tune --from mix.json --launcher "mpiexec -n 8" -o app.json
    """
    variables = {"ROUNDELAY_REPORT": "json", "ROUNDELAY_REPORT_FILE": str(output.absolute())}
    before = _written_at(output)
    ended = Ended(0)

    def start_and_keep(what: Launch) -> Ended:
        nonlocal ended
        ended = start(what)
        return ended

    with what_cannot_run():
        code = run_through(command, mpi, variables, start_and_keep)
    # Nothing says when a pipe was written to.
    if not output.is_fifo() and _written_at(output) == before:
        number = ended.signal if code != 0 else None
        why = "" if number is None else ": the record of a program is written when it ends"
        click.echo(f"roundelay: {output} was not written{why}", err=True)
        code = code or 1 if number is None else 128 + number
    sys.exit(code)


def _written_at(file: Path) -> int | None:
    """None where there is no such file."""
    return file.stat().st_mtime_ns if file.exists() else None
