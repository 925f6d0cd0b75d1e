# SPDX-License-Identifier: Apache-2.0
"""roundelay profile."""

from __future__ import annotations

import dataclasses

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from roundelay.cli.common import echo_json
from roundelay.profiles import Profile, built_in_profiles, load_profile


@click.group()
def profile() -> None:
    """Looks at profiles: rules that say which algorithm to run where.

    \b
    Example:
      roundelay profile list
      roundelay profile show thakur2005
      roundelay profile check cluster.json
    """


def _loaded(name: str) -> Profile:
    try:
        return load_profile(name)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


def _table(one: Profile) -> Table:
    table = Table(box=None, pad_edge=False, title=escape(f"{one.name} ({one.file})"))
    table.add_column("collective", style="bold", no_wrap=True)
    table.add_column("rule", justify="right")
    table.add_column("line", justify="right")
    table.add_column("if", overflow="fold")
    table.add_column("algorithm", overflow="fold")
    before = ""
    for rule in one.rules:
        table.add_row(
            rule.collective if rule.collective != before else "",
            str(rule.number),
            str(rule.line),
            escape(rule.conditions or "always"),
            escape(rule.algorithm),
        )
        before = rule.collective
    return table


@profile.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="An array of names.")
def list_profiles(as_json: bool) -> None:
    """Lists the profiles that are built in.

    \b
    Example:
      roundelay profile list
    """
    names = built_in_profiles()
    if as_json:
        echo_json(names)
    else:
        click.echo("\n".join(names))


@profile.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="The profile itself, to be changed.")
def show(name: str, as_json: bool) -> None:
    """Shows the rules of a profile, in the order in which they are asked.

    NAME is one that is built in, or a file.

    \b
    Example:
      roundelay profile show thakur2005
      roundelay profile show thakur2005 --json > mine.json
    """
    one = _loaded(name)
    if as_json:
        echo_json(one.document)
    else:
        Console().print(_table(one))


@profile.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="An object, with the rules.")
def check(file: str, as_json: bool) -> None:
    """Says whether the library accepts a profile, or what is wrong and in which line.

    \b
    Example:
      roundelay profile check ./cluster.json
    """
    one = _loaded(file)
    if as_json:
        rules = [dataclasses.asdict(rule) for rule in one.rules]
        echo_json({"name": one.name, "file": one.file, "rules": rules})
        return
    of = ", ".join(sorted({rule.collective for rule in one.rules}))
    click.echo(f"{one.file}: profile {one.name}, rules: {len(one.rules)}, for {of or 'nothing'}")
