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

from roundelay.builds import builds
from roundelay.cli.common import (
    CommandGroup,
    echo_json,
    is_given,
    print_table,
    require_another_file,
    usage_errors,
    what_cannot_run,
    write_or_print,
)
from roundelay.cli.values import File, Whole, Word
from roundelay.files import text_of
from roundelay.profiles import Profile, as_file, built_in_profiles, load_profile
from roundelay.rule_files import classic, from_profile, mpich, open_mpi, to_profile, version3

MPICH = "mpich"
MOST_EXPORTED_RANKS = 65536  # each number of them is looked at, which takes a minute or two


@click.group(cls=CommandGroup)
def profile() -> None:
    """Shows, checks and converts profiles: rules that choose.

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
    table = Table(box=None, pad_edge=False, title=escape(f"{one.name} ({one.file})"),
                  title_justify="left")  # fmt: skip
    table.add_column("collective", style="bold", no_wrap=True)
    table.add_column("rule", justify="right")
    table.add_column("line", justify="right")
    table.add_column("if")
    table.add_column("algorithm")
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
@click.option("--json", "as_json", is_flag=True, help="Print an array of names.")
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
@click.option(
    "--json", "as_json", is_flag=True, help="Print the profile itself, as a start for your own."
)
def show(name: str, as_json: bool) -> None:
    """Shows the rules of a profile, in the order of their use.

    NAME is a built-in profile or a file.

    \b
    Example:
      roundelay profile show thakur2005
      roundelay profile show thakur2005 --json > mine.json
    """
    one = _loaded(name)
    if as_json:
        echo_json(one.document)
    else:
        print_table(_table(one))


@profile.command()
@click.argument("file", type=File())
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object with the rules.")
def check(file: Path, as_json: bool) -> None:
    """Checks a profile; says what is wrong, and in which line.

    \b
    Example:
      roundelay profile check ./cluster.json
    """
    one = _loaded(as_file(file))
    if as_json:
        rules = [dataclasses.asdict(rule) for rule in one.rules]
        echo_json({"name": one.name, "file": one.file, "rules": rules})
        return
    of = ", ".join(sorted({rule.collective for rule in one.rules}))
    click.echo(f"{one.file}: profile {one.name}, rules: {len(one.rules)}, for {of or 'nothing'}")


output_option = click.option(
    "-o",
    "--output",
    type=File(),
    help="The file to write; by default standard output.",
)


@profile.command(name="export")
@click.argument("name")
@click.option(
    "--target",
    type=Word([*open_mpi.TARGETS, MPICH]),
    required=True,
    help="The MPI library that will read the rules; for Open MPI, the oldest version that will.",
)
@click.option(
    "--library",
    type=File(exists=True),
    help="MPICH's libmpi.so.12 or libmpich.so.12, whose rules are changed; by default the one that "
    "Roundelay was built with.",
)
@click.option(
    "--most-ranks",
    type=Whole(2, MOST_EXPORTED_RANKS),
    default=1024,
    show_default=True,
    help="The largest number of ranks to write rules for, at most "
    f"{MOST_EXPORTED_RANKS}; they also apply to more ranks.",
)
@click.option(
    "--ranks-per-node",
    type=Whole(1),
    default=1,
    show_default=True,
    help="Number of ranks on each node, for rules that depend on nodes.",
)
@click.option(
    "--startup-bytes",
    type=Whole(1),
    default=16384,
    show_default=True,
    help="Bytes that a link carries while a message starts up. The length of a pipeline's segments "
    "depends on it.",
)
@output_option
def export_profile(
    name: str,
    target: str,
    library: Path | None,
    most_ranks: int,
    ranks_per_node: int,
    startup_bytes: int,
    output: Path | None,
) -> None:
    """Writes a profile as rules of an MPI library.

    The MPI library then follows the rules without Roundelay. NAME is a built-in profile or a file.
    Where the MPI library has no such algorithm, its own rules stay; standard error names these
    cases.

    \b
    Example:
      roundelay profile export cluster.json --target openmpi@4.1 -o rules.conf
      mpiexec --mca coll_tuned_use_dynamic_rules 1 \\
        --mca coll_tuned_dynamic_rules_filename rules.conf -n 64 ./app
      roundelay profile export cluster.json --target mpich -o rules.json
      mpiexec -genv MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE $PWD/rules.json -n 64 ./app
    """
    if library is not None and target != MPICH:
        raise click.UsageError(f"--library is for --target {MPICH}")
    if target == MPICH and is_given("startup_bytes"):
        raise click.UsageError("--startup-bytes is for Open MPI, whose pipelines have segments")
    if output is not None and name not in built_in_profiles():
        with usage_errors():
            require_another_file(output, Path(name), "the profile")
    try:
        with (
            what_cannot_run(),
            Console(stderr=True).status(f"exporting for up to {most_ranks} ranks"),
        ):
            if target == MPICH:
                tree = mpich.export(
                    name,
                    library=library or _library_of_mpich(),
                    most_ranks=most_ranks,
                    ranks_per_node=ranks_per_node,
                )
                left_out, collectives, text = tree.left_out, tree.collectives, mpich.text(tree.tree)
            else:
                found = from_profile.export(
                    name,
                    most_ranks=most_ranks,
                    ranks_per_node=ranks_per_node,
                    startup=startup_bytes,
                )
                left_out, collectives = found.left_out, list(found.rules)
                is_classic = open_mpi.TARGETS[target] == "classic"
                text = classic.text(found.rules) if is_classic else version3.text(found.rules)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    for sentence in left_out:
        click.echo(sentence, err=True)
    if not collectives:
        raise click.ClickException(f"no rule of {name} can be written for {target}")
    write_or_print(text, output)
    if target == MPICH:
        switches = " ".join(f"MPIR_CVAR_{each.upper()}_DEVICE_COLLECTIVE=0" for each in collectives)
        click.echo(f"MPICH follows these rules on all communicators with {switches}", err=True)


def _library_of_mpich() -> Path:
    """The library of the only MPICH that Roundelay was built with."""
    found = {
        build.libdir / build.soname
        for build in builds()
        if build.flavour == "mpich" and build.libdir is not None
    }
    if len(found) != 1:
        several = ", ".join(map(str, sorted(found))) or "none is known"
        raise ValueError(f"which MPICH? Name its library with --library: {several}")
    return found.pop()


@profile.command(name="import")
@click.argument("file", type=File(exists=True))
@output_option
def import_profile(file: Path, output: Path | None) -> None:
    """Writes a rules file of Open MPI, classic or JSON, as a profile.

    Classic files are read as Open MPI 4 and 5.0 do.

    \b
    Example:
      roundelay profile import rules.conf -o mine.json
      roundelay profile check ./mine.json
    """
    with usage_errors():
        if output is not None:
            require_another_file(output, file, "the rules")
        text = text_of(file)
    try:
        passed_over: list[str] = []
        if text.lstrip().startswith("{"):
            parsed = version3.parse(text)
            rules = version3.rules_of(parsed)
            passed_over = version3.without_meaning(parsed)
        else:
            rules = classic.rules_of(classic.parse(text))
    except open_mpi.RuleFileError as error:
        raise click.ClickException(f"{file}: {error}") from None
    document, missing = to_profile.profile_of(rules, file.stem)
    for sentence in [*passed_over, *missing]:
        click.echo(sentence, err=True)
    write_or_print(json.dumps(document, indent=1) + "\n", output)
