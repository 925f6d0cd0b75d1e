# SPDX-License-Identifier: Apache-2.0
"""roundelay run."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, Callable

import click

from roundelay import _core
from roundelay.builds import builds
from roundelay.cli.common import usage_errors
from roundelay.running import (
    COLLECTIVES,
    CannotRun,
    examine,
    pick_build,
    plan,
    read_events,
    start,
    why_nothing,
)


def _forcing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for collective in reversed(COLLECTIVES):
        command = click.option(
            f"--{collective}",
            metavar="ALGORITHM",
            help=f"Run every {collective} by this algorithm.",
        )(command)
    return command


def _forced(force: str | None, by_collective: dict[str, str | None]) -> str | None:
    """What ROUNDELAY is to be, or None for as it is. Raises ValueError for what does not exist."""
    parts = [force] if force is not None else []
    parts += [
        f"{collective}={name}" for collective, name in by_collective.items() if name is not None
    ]
    if not parts:
        return None
    text = "; ".join(parts)
    _core.parse(text)
    return text


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--mpi",
    metavar="ID",
    help="The build to use, as `roundelay doctor` names it; by default that for the program's MPI.",
)
@click.option(
    "--force",
    metavar="TEXT",
    help='Algorithms by collective, e.g. "allgather=bruck; bcast=binomial".',
)
@_forcing_options
@click.option("--trace", is_flag=True, help="Print a line for each call, from rank 0.")
@click.option(
    "--report",
    type=click.Choice(["text", "json", "off"]),
    help="The report at the end; text by default.",
)
@click.option(
    "--report-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report there, not to standard error.",
)
@click.option(
    "--wait",
    type=click.Choice(["auto", "spin", "sleep"]),
    help="How ranks wait; by default (auto) they sleep if they outnumber the cores.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    mpi: str | None,
    force: str | None,
    trace: bool,
    report: str | None,
    report_file: Path | None,
    wait: str | None,
    command: tuple[str, ...],
    **by_collective: str | None,
) -> None:
    """Runs an MPI program, as it is, with its collectives through Roundelay.

    COMMAND is what you would type without Roundelay. The exit code is the program's. At the end a
    report says which collectives ran, by which algorithm, how often, how long, and why; or why
    nothing was intercepted.

    \b
    Example:
      roundelay run -- mpiexec -n 8 ./app
      roundelay run --allgather bruck --trace -- mpiexec -n 4 python app.py
      roundelay run --force "bcast=scatter_allgather(allgather=ring)" -- mpiexec -n 4 ./app
    """
    with usage_errors():
        forced = _forced(force, by_collective)
    settings = {
        "ROUNDELAY": forced,
        "ROUNDELAY_TRACE": "1" if trace else None,
        "ROUNDELAY_REPORT": report,
        "ROUNDELAY_REPORT_FILE": str(report_file.absolute()) if report_file else None,
        "ROUNDELAY_WAIT": wait,
    }
    with tempfile.TemporaryDirectory(prefix="roundelay-") as folder:
        status = Path(folder) / "status"
        given = {name: value for name, value in settings.items() if value is not None}
        try:
            subject = examine(command)
            build = pick_build(subject, builds(), mpi)
            code = start(plan(subject, build, {**given, "ROUNDELAY_STATUS": str(status)}))
        except CannotRun as reason:
            raise click.ClickException(str(reason)) from None
        why = why_nothing(subject, build, read_events(status))
    if why is not None:
        click.echo(f"roundelay: nothing was intercepted: {why}", err=True)
    sys.exit(code)
