# SPDX-License-Identifier: Apache-2.0
"""roundelay doctor."""

from __future__ import annotations

import re
from typing import Any

import click

from roundelay.builds import HOW_TO_BUILD
from roundelay.cli.common import echo_json
from roundelay.doctor import examine

WAITING = {
    "auto": "auto: ranks sleep between tests where they outnumber the cores, else they spin",
    "spin": "spin: ranks never give their core away",
    "sleep": "sleep: ranks give their core away after some vain tests",
}


def _section(title: str, lines: list[str]) -> None:
    click.secho(title, bold=True)
    for line in lines or ["none"]:
        click.echo(f"  {line}")


def _calls(symbols: list[str]) -> str:
    """The MPI calls that are intercepted, whatever the linker calls them."""
    stems = {re.sub(r"^o?mpi_|_(f|f08|c)?_*$", "", symbol.lower()) for symbol in symbols}
    return ", ".join(sorted(stems)) or "none"


def _build_lines(build: dict[str, Any]) -> list[str]:
    lines = [
        f"{build['id']}: for {build['soname']}, built with {build['flavour']} {build['version']}",
        f"    {build['library']}",
    ]
    symbols = build["symbols"]
    kinds = {"C": "c", "C, large counts": "c_large_count", "Fortran": "fortran"}
    return lines + [f"    {kind}: {_calls(symbols[key])}" for kind, key in kinds.items()]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One object, with all of it.")
def doctor(as_json: bool) -> None:
    """Says which MPIs and which builds of Roundelay there are, and what is set.

    \b
    Example:
      roundelay doctor
      roundelay doctor --json
    """
    found = examine()
    if as_json:
        echo_json(found)
        return
    launchers = [
        f"{each['path']}: {each['flavour']}, {', '.join(each['libraries']) or 'library elsewhere'}"
        for each in found["launchers"]
    ]
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
    _section("Waiting", [WAITING.get(found["waiting"], f"{found['waiting']}: not valid")])
    _section("Environment", [f"{name}={value}" for name, value in found["environment"].items()])
