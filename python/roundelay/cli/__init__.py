# SPDX-License-Identifier: Apache-2.0
"""The command `roundelay`."""

from __future__ import annotations

from typing import Any

import click

from roundelay import _core
from roundelay.cli.bench import bench
from roundelay.cli.calibrate import calibrate
from roundelay.cli.common import STOPPED, CommandGroup
from roundelay.cli.doctor import doctor
from roundelay.cli.draw import draw
from roundelay.cli.env import env
from roundelay.cli.explain import explain
from roundelay.cli.lab import lab
from roundelay.cli.list import list_command
from roundelay.cli.plot import plot
from roundelay.cli.price import price
from roundelay.cli.profile import profile
from roundelay.cli.record import record
from roundelay.cli.run import run
from roundelay.cli.simulate import simulate
from roundelay.cli.trace import trace
from roundelay.cli.tune import tune
from roundelay.cli.verify import verify
from roundelay.signals import Stopped

__all__ = ["main"]


class Commands(CommandGroup):
    """The commands. Ctrl-C, a signal and a lack of memory end them with a sentence.

    If the catalogue has mistakes, a command only names these.
    """

    def invoke(self, ctx: click.Context) -> Any:
        if mistakes := _core.mistakes():
            click.echo("\n".join(mistakes), err=True)
            ctx.exit(1)
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("stopped by Ctrl-C", err=True)
            ctx.exit(STOPPED)
        except Stopped as stopped:
            click.echo(str(stopped), err=True)
            ctx.exit(stopped.code)
        except MemoryError:
            raise click.ClickException(
                "this needs more memory than this process may have (see ulimit -v): ask for fewer "
                "ranks, or for less at once"
            ) from None


@click.group(
    cls=Commands, name="roundelay", context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="roundelay", prog_name="roundelay")
def main() -> None:
    """Replaces the collectives of MPI programs by its own algorithms, proven correct.

    \b
    Examples:
      roundelay run -- mpiexec -n 8 ./app
      roundelay list allgather
      roundelay verify allgather.bruck --p 1:64
    """


COMMANDS = (
    run, env, list_command, verify, trace, draw, price, explain, profile, doctor, lab, simulate,
    bench, plot, tune, record, calibrate,
)  # fmt: skip
for command in COMMANDS:
    main.add_command(command)
