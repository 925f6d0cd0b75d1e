# SPDX-License-Identifier: Apache-2.0
"""roundelay env."""

from __future__ import annotations

import shlex
from typing import Any

import click

from roundelay.builds import builds
from roundelay.cli.common import echo_json, usage_errors, what_cannot_run
from roundelay.cli.run_program import check_files, library_options, place_options, settings
from roundelay.running import pick_build_alone


@click.command()
@click.option("--mpi", metavar="ID", help="The build to use; `roundelay doctor` lists the builds.")
@place_options
@library_options
@click.option(
    "--json", "as_json", is_flag=True, help="Print the variables and their values as a JSON object."
)
def env(mpi: str | None, as_json: bool, **options: Any) -> None:
    """Prints the variables for a batch script.

    With them a batch script runs its programs through Roundelay. The output is for a POSIX shell:
    put eval "$(roundelay env ..)" into the script, directly before the launcher. The options are
    those of `roundelay run`. --mpi may be left out if there is only one build.

    \b
    Example:
      eval "$(roundelay env --mpi mpi40)"; srun -n 64 ./app
      roundelay env --mpi mpich12 --profile ./cluster.json --report-file report.txt
      roundelay env --mpi mpi40 --json
    """
    with usage_errors():
        variables = settings(**options)
    with what_cannot_run():
        build = pick_build_alone(builds(), mpi)
        check_files(variables)
    if as_json:
        echo_json({"LD_PRELOAD": str(build.library), **variables})
        return
    # What is preloaded already stays, as the script has it when it comes to this line.
    library = shlex.quote(str(build.library))
    click.echo(f'export LD_PRELOAD={library}"${{LD_PRELOAD:+:$LD_PRELOAD}}"')
    for name, value in variables.items():
        click.echo(f"export {name}={shlex.quote(value)}")
    if build.flavour == "openmpi":
        passed = " ".join(f"-x {name}" for name in ("LD_PRELOAD", *variables))
        click.echo(f"# mpiexec of Open MPI passes them to other nodes only with: {passed}")
