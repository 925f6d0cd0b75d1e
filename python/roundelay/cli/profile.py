# SPDX-License-Identifier: Apache-2.0
"""roundelay profile."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from roundelay import tuned
from roundelay.cli.common import echo_json, write_or_print
from roundelay.profiles import Profile, built_in_profiles, load_profile


@click.group()
def profile() -> None:
    """Looks at profiles: rules that say which algorithm to run where.

    \b
    Example:
      roundelay profile list
      roundelay profile show thakur2005
      roundelay profile check cluster.json
      roundelay profile export cluster.json --target openmpi@4.1 -o rules.conf
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


output_option = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where it goes; by default to standard output.",
)


@profile.command(name="export")
@click.argument("name")
@click.option(
    "--target",
    type=click.Choice(list(tuned.TARGETS)),
    required=True,
    help="The MPI library, and the oldest version, that is to read it.",
)
@click.option(
    "--most-ranks",
    type=click.IntRange(min=2),
    default=1024,
    show_default=True,
    help="Beyond, the rules of so many ranks hold.",
)
@click.option(
    "--ranks-per-node",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="For rules that ask for nodes.",
)
@click.option(
    "--startup-bytes",
    type=click.IntRange(min=1),
    default=16384,
    show_default=True,
    help="Bytes that a link carries in the time of a start-up: a pipeline's segments depend on it.",
)
@output_option
def export_profile(
    name: str,
    target: str,
    most_ranks: int,
    ranks_per_node: int,
    startup_bytes: int,
    output: Path | None,
) -> None:
    """Writes a profile as rules of an MPI library, which then need no Roundelay.

    NAME is a built-in profile, or a file. What the MPI library has no algorithm for stays with its
    own rules, and is said on standard error.

    \b
    Example:
      roundelay profile export cluster.json --target openmpi@4.1 -o rules.conf
      mpiexec --mca coll_tuned_use_dynamic_rules 1 \\
        --mca coll_tuned_dynamic_rules_filename rules.conf -n 64 ./app
    """
    try:
        found = tuned.export(
            name, most_ranks=most_ranks, ranks_per_node=ranks_per_node, startup=startup_bytes
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    for sentence in found.left_out:
        click.echo(sentence, err=True)
    if not found.rules:
        raise click.ClickException(f"no rule of {name} is one that {target} can follow")
    form = tuned.TARGETS[target]
    write_or_print(
        tuned.classic(found.rules) if form == "classic" else tuned.as_json(found.rules), output
    )


@profile.command(name="import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@output_option
def import_profile(file: Path, output: Path | None) -> None:
    """Writes rules of Open MPI, classic or JSON, as a profile.

    Classic files are read as Open MPI 4 and 5.0 do.

    \b
    Example:
      roundelay profile import rules.conf -o mine.json
      roundelay profile check ./mine.json
    """
    try:
        text = file.read_text(encoding="utf-8")
        rules = (
            tuned.parse_json(text)
            if text.lstrip().startswith("{")
            else tuned.rules_of_classic(tuned.parse_classic(text))
        )
    except (tuned.RuleFileError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{file}: {error}") from None
    document, missing = tuned.profile_of(rules, file.stem)
    for sentence in missing:
        click.echo(sentence, err=True)
    write_or_print(json.dumps(document, indent=1) + "\n", output)
