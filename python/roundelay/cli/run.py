# SPDX-License-Identifier: Apache-2.0
"""roundelay run."""

from __future__ import annotations

import sys
from typing import Any

import click

from roundelay.cli.common import usage_errors, what_cannot_run
from roundelay.cli.run_program import library_options, place_options, run_through, settings
from roundelay.running import start


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--mpi",
    metavar="ID",
    help="The build to use, as `roundelay doctor` lists it; by default the one for the program's "
    "MPI.",
)
@place_options
@library_options
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(mpi: str | None, command: tuple[str, ...], **options: Any) -> None:
    """Runs an unchanged MPI program with Roundelay's collectives.

    COMMAND is what you would type without Roundelay, with mpiexec, mpirun, prterun, srun, aprun,
    jsrun or flux run. Scripts, env, numactl and Python may stand before the program. The exit code
    is that of the program. At the end a report says which collectives ran, with which algorithm,
    how often, for how long, and why; or why nothing was intercepted.

    \b
    Example:
      roundelay run -- mpiexec -n 8 ./app
      roundelay run -- srun -n 64 ./app
      roundelay run --allgather bruck --trace -- mpiexec -n 4 python app.py
      roundelay run --profile thakur2005 -- mpiexec -n 4 ./app
      roundelay run --sites 4+4 --alltoall lg -- mpiexec -n 8 ./app
      roundelay run --force "bcast=scatter_allgather(allgather=ring)" -- mpiexec -n 4 ./app
    """
    with usage_errors():
        variables = settings(**options)
    with what_cannot_run():
        code = run_through(command, mpi, variables, start)
    sys.exit(code)
