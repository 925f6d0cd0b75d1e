# SPDX-License-Identifier: Apache-2.0
"""roundelay lab."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any

import click

from roundelay.cli.common import usage_errors, what_cannot_run
from roundelay.cli.run_program import library_options, run_through, say, settings
from roundelay.cli.values import Whole, Word
from roundelay.lab import launch, needs, session
from roundelay.lab.description import MOST_NODES, Lab, Wan
from roundelay.units import SECONDS, quantity

RATE_UNITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
DELAY_UNITS = {unit: SECONDS[unit] for unit in ("us", "ms", "s")}
# Before the program starts, every node sends for a tenth of a second, from its memory, and messages
# cross the WAN several times.
HIGHEST_RATE = "100gbit"
LONGEST_DELAY = "10s"


def _quantity(text: str, units: Mapping[str, float], most: str) -> float:
    try:
        found = quantity(text.lower(), units, list(units))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if found > quantity(most, units, list(units)):
        raise click.BadParameter(f"'{text}' is too large: give at most {most}")
    return found


def _rate(ctx: click.Context, param: click.Parameter, text: str | None) -> int | None:
    return None if text is None else round(_quantity(text, RATE_UNITS, HIGHEST_RATE))


def _delay(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
    return None if text is None else _quantity(text, DELAY_UNITS, LONGEST_DELAY)


def _sites(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([1-9]\d*)\+([1-9]\d*)", text)
    if match is None:
        raise click.BadParameter(
            f"'{text}' is not the numbers of nodes at two sites: give e.g. 4+4"
        )
    return int(match[1]), int(match[2])


def describe(
    nodes: int | None,
    rate: int,
    ranks_per_node: int,
    sites: tuple[int, int] | None,
    wan_delay: float | None,
    wan_rate: int | None,
) -> Lab:
    """The lab that these options mean. Raises ValueError for what does not fit together."""
    if sites is None:
        if nodes is None:
            raise ValueError("give --nodes, or --sites")
        if wan_delay is not None or wan_rate is not None:
            raise ValueError("a WAN joins two sites: give --sites, e.g. --sites 4+4")
        return Lab((nodes,), rate, ranks_per_node)
    if nodes not in (None, sum(sites)):
        raise ValueError(
            f"--sites {sites[0]}+{sites[1]} means {sum(sites)} nodes, but --nodes is {nodes}"
        )
    if sum(sites) > MOST_NODES:
        raise ValueError(f"a lab has at most {MOST_NODES} nodes")
    if wan_delay is None:
        raise ValueError("--sites needs --wan-delay, e.g. --wan-delay 5ms")
    return Lab(sites, rate, ranks_per_node, Wan(rate if wan_rate is None else wan_rate, wan_delay))


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--nodes", type=Whole(1, MOST_NODES), help="Number of nodes.")
@click.option(
    "--rate",
    callback=_rate,
    default="100mbit",
    show_default=True,
    help="Rate of each node's link, in each direction.",
)
@click.option(
    "--ranks-per-node",
    type=Whole(1),
    default=1,
    show_default=True,
    help="Number of ranks on each node; they share memory.",
)
@click.option(
    "--sites",
    callback=_sites,
    metavar="A+B",
    help="Numbers of nodes at two sites, which a WAN joins.",
)
@click.option("--wan-delay", callback=_delay, help="Delay of the WAN in each direction, e.g. 5ms.")
@click.option(
    "--wan-rate",
    callback=_rate,
    help="Rate of the WAN in each direction, e.g. 100mbit; by default --rate.",
)
@click.option(
    "--mpi",
    type=Word(["openmpi", "mpich"]),
    help="The MPI whose launcher to take from PATH; by default the program's MPI.",
)
@click.option("--mpiexec", metavar="PATH", help="The launcher to use.")
@click.option(
    "--preload",
    is_flag=True,
    help="Run the program through Roundelay, as `roundelay run` does. The options below imply "
    "this. By default it runs natively.",
)
@library_options
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def lab(
    nodes: int | None,
    rate: int,
    ranks_per_node: int,
    sites: tuple[int, int] | None,
    wan_delay: float | None,
    wan_rate: int | None,
    mpi: str | None,
    mpiexec: str | None,
    preload: bool,
    command: tuple[str, ...],
    **options: Any,
) -> None:
    """Runs an MPI program on a small cluster made on this machine.

    COMMAND is the program and its arguments, without a launcher. Each node has its own network,
    host name and shared memory. Its link to the others carries --rate in each direction. Before the
    program starts, a line says how well the links keep this rate. Afterwards the cluster is
    removed. The exit code is that of the program.

    \b
    Example:
      roundelay lab --nodes 8 --rate 100mbit -- ./app
      roundelay lab --nodes 8 --rate 100mbit --bcast binomial -- ./app
      roundelay lab --nodes 4 --ranks-per-node 2 --mpi openmpi -- python app.py
      roundelay lab --sites 4+4 --wan-delay 5ms --wan-rate 50mbit -- ./app
    """
    with usage_errors():
        variables = settings(**options)
        wanted = describe(nodes, rate, ranks_per_node, sites, wan_delay, wan_rate)
        where = launch.places(wanted)
    with what_cannot_run():
        launch.require_no_launcher(command)
        needs.check(wan=wanted.wan is not None)
        launcher = launch.pick_launcher(command[0], mpi, mpiexec)
        launched = launch.command(wanted, launcher, command)
        own = launch.variables(launcher)
        if preload or variables:
            code = run_through(
                launched,
                None,
                {**launch.waiting(), **where, **variables},
                lambda what: session.run(wanted, what.command, {**own, **what.environment}),
            )
        else:
            ended = session.run(wanted, launched, own)
            code = ended.code
            if ended.ending is not None:
                say(ended.ending)
    sys.exit(code)
