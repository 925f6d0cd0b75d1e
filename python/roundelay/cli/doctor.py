# SPDX-License-Identifier: Apache-2.0
"""roundelay doctor."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from roundelay.builds import HOW_TO_BUILD
from roundelay.cli.common import echo_json, what_cannot_run
from roundelay.cli.topology import topology
from roundelay.cli.values import File
from roundelay.doctor import what_is_here
from roundelay.launcher import ANY
from roundelay.units import count_text

WAITING = {
    "auto": "auto: ranks sleep between tests if there are more ranks than cores, else they spin",
    "spin": "spin: ranks never give up their core",
    "sleep": "sleep: ranks give up their core after some unsuccessful tests",
}


def _section(title: str, lines: list[str]) -> None:
    Console().print(title, style="bold", highlight=False)
    for line in lines or ["none"]:
        click.echo(f"  {line}")


def _calls(symbols: list[str]) -> str:
    """How many MPI calls are intercepted, whatever the linker calls them."""
    stems = {re.sub(r"^o?mpi_|_(f|f08|c)?_*$", "", symbol.lower()) for symbol in symbols}
    return count_text(len(stems), "call") if stems else "none"


def _need_line(need: dict[str, Any]) -> str:
    return f"{need['purpose']}: {'yes' if need['ready'] else 'no: ' + need['missing']}"


def _build_lines(build: dict[str, Any]) -> list[str]:
    lines = [
        f"{build['id']}: for {build['soname']}, built with {build['flavour']} {build['version']}",
        f"    {build['library']}",
    ]
    symbols = build["symbols"]
    kinds = {"C": "c", "large counts": "c_large_count", "Fortran": "fortran"}
    counts = "; ".join(f"{kind}: {_calls(symbols[key])}" for kind, key in kinds.items())
    return [*lines, f"    {counts} (names: --json)"]


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option(
    "--topology",
    "with_topology",
    is_flag=True,
    help="Measure the latencies between the ranks that COMMAND starts, and find sites from them.",
)
@click.option("--mpi", metavar="ID", help="With --topology: the build to use.")
@click.option(
    "-o",
    "--output",
    type=File(),
    help="With --topology: the file to write, for ROUNDELAY_SITES.",
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def doctor(
    as_json: bool,
    with_topology: bool,
    mpi: str | None,
    output: Path | None,
    command: tuple[str, ...],
) -> None:
    """Shows MPIs, builds of Roundelay, settings and what is missing.

    For each part of Roundelay that cannot work on this machine, it prints the reason and the
    command that helps.

    With --topology it shows which hosts are near each other, and which sites they form. COMMAND is
    then the launcher command that starts your ranks on your hosts, without a program.

    \b
    Example:
      roundelay doctor
      roundelay doctor --json
      roundelay doctor --topology -- mpiexec -n 8 --hostfile hosts
      roundelay doctor --topology -o sites -- mpiexec -n 8 -hosts n1,n2,n3,n4
    """
    if with_topology != bool(command):
        raise click.UsageError(
            "give --topology together with the command that starts the ranks: "
            "roundelay doctor --topology -- mpiexec -n 8"
        )
    if with_topology:
        topology(command, mpi, as_json, output)
        return
    for given, name in ((mpi, "--mpi"), (output, "--output")):
        if given is not None:
            raise click.UsageError(f"{name} is only for --topology")
    with what_cannot_run():
        found = what_is_here()
    if as_json:
        echo_json(found)
        return
    launchers = [
        f"{each['path']}: starts programs of every MPI"
        if each["flavour"] == ANY
        else f"{each['path']}: {each['flavour']}, "
        f"{', '.join(each['libraries']) or 'library elsewhere'}"
        for each in found["launchers"]
    ]
    _section("Ready for", [_need_line(need) for need in found["needs"]])
    _section("MPI compilers on PATH", found["compilers"])
    _section("MPI launchers on PATH", launchers)
    _section("MPI libraries that the loader knows", found["libraries"])
    _section(
        "Builds of Roundelay", [line for build in found["builds"] for line in _build_lines(build)]
    )
    if not found["builds"]:
        click.echo(f"  looked in {', '.join(found['searched'])}\n  {HOW_TO_BUILD}")
    cores = found["cores"]
    _section("Cores", [f"{cores['usable']} usable of {cores['online']}"])
    invalid = f"{found['waiting']} is not valid; ROUNDELAY_WAIT is one of {', '.join(WAITING)}"
    _section("Waiting", [WAITING.get(found["waiting"], invalid)])
    _section("Environment", [f"{name}={value}" for name, value in found["environment"].items()])
