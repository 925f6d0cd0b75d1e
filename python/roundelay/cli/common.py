# SPDX-License-Identifier: Apache-2.0
"""What the commands share."""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from roundelay.cannot_run import CannotRun
from roundelay.catalogue import ROOTED, algorithms
from roundelay.cli.values import MOST_RANKS, Whole
from roundelay.files import are_the_same, why_unwritable, write_whole
from roundelay.interpreters import Broken, placements
from roundelay.suggestions import did_you_mean

STOPPED = 130  # the exit code after Ctrl-C, as in a shell

ranks_option = click.option(
    "-p",
    "--ranks",
    "p",
    type=Whole(1, MOST_RANKS),
    help="Number of ranks; required unless --nodes or --sites give it.",
)
NODES_HELP = (
    "Which ranks share a node: 4+3 (sizes of consecutive nodes) or abaab (a letter for each rank)"
)
SITES_HELP = "Which ranks are at which site, in the same form"
nodes_option = click.option("--nodes", metavar="PLACES", help=f"{NODES_HELP}.")
sites_option = click.option("--sites", metavar="PLACES", help=f"{SITES_HELP}.")
# Of commands that look at one placement.
nodes_or_halves_option = click.option(
    "--nodes",
    metavar="PLACES",
    help=f"{NODES_HELP}; by default two halves, for algorithms that need nodes.",
)
sites_or_halves_option = click.option(
    "--sites",
    metavar="PLACES",
    help=f"{SITES_HELP}; by default two halves, for algorithms that need sites.",
)
receivers_option = click.option(
    "-q",
    "--receivers",
    "q",
    type=Whole(1, MOST_RANKS),
    help="Number of receivers, for an algorithm between two groups; by default as many as senders.",
)
root_option = click.option("--root", type=Whole(0), default=0, show_default=True, help="Root rank.")
parameters_option = click.option(
    "--param",
    "parameters",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the algorithm.",
)


def _complete_algorithms(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    every = [CompletionItem(one.name, help=one.summary) for one in algorithms()]
    return [item for item in every if item.value.startswith(incomplete)]


def _complete_collectives(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    names = sorted({one.name.partition(".")[0] for one in algorithms()})
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


# Arguments that a shell can complete.
algorithm_argument = click.argument("name", shell_complete=_complete_algorithms)
algorithms_argument = click.argument("name", required=False, shell_complete=_complete_algorithms)
collectives_argument = click.argument(
    "collective", required=False, shell_complete=_complete_collectives
)
collective_argument = click.argument("collective", shell_complete=_complete_collectives)

SIZE_UNITS = ("KB", "MB", "GB", "TB", "KIB", "MIB", "GIB", "TIB")
MOST_BYTES = 2**60
BARRIER = "barrier"  # the only collective without data
RANKS_HELP = "Numbers of ranks: '8', '1:64' (both included) or '1:9,12,16'."


class CommandGroup(click.Group):
    """Names the valid commands where another one is asked for."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        # A shell that completes a line asks without wanting an error.
        if name not in self.commands and not name.startswith("-") and not ctx.resilient_parsing:
            names = self.list_commands(ctx)
            near = did_you_mean(name, names)
            ctx.fail(f"there is no command '{name}'{near}; there are: {', '.join(names)}")
        return super().resolve_command(ctx, args)


@contextlib.contextmanager
def usage_errors() -> Iterator[None]:
    """What the user wrote is not valid: says so and ends with exit code 2.

    With 1 where an algorithm of the catalogue is wrong.
    """
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except Broken as error:
        raise click.ClickException(str(error)) from None


def width_of(table: Table) -> int:
    """The columns of a terminal that the table takes if no cell is cut short."""
    console = Console()
    return Measurement.get(console, console.options.update(max_width=1000), table).maximum


def print_table(table: Table, least: int | None = None) -> None:
    """Prints the table, also if it is wider than the terminal, so that no cell is cut short.

    `least`: the width in columns that is enough for a table whose cells may have several lines.
    """
    console = Console(width=max(width_of(table) if least is None else least, Console().width))
    with console.capture() as shown:
        console.print(table, highlight=False)
    for line in shown.get().splitlines():
        click.echo(re.sub(r" +((?:\x1b\[[0-9;]*m)*)$", r"\1", line))


@contextlib.contextmanager
def what_cannot_run() -> Iterator[None]:
    """What was asked for cannot be run here: says why and ends with exit code 1."""
    try:
        yield
    except CannotRun as reason:
        raise click.ClickException(str(reason)) from None


def require_root_has_meaning(collective: str, root: int) -> None:
    """Raises ValueError where a root was given for a collective that has none."""
    if root and collective not in ROOTED:
        raise ValueError(f"{collective} has no root: --root is for {', '.join(ROOTED)}")


def progress_bar() -> Progress:
    """A bar on standard error, if that is a terminal. It disappears at the end."""
    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TimeRemainingColumn())  # fmt: skip
    return Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal)


def assumed_places(name: str, p: int, nodes: str | None, sites: str | None) -> str:
    """The nodes or sites that an algorithm is given because nobody said them; "" if it is not."""
    places = placements(name, p, nodes, sites)
    for kind, said, numbers in (("nodes", nodes, places.get("nodes")),
                                ("sites", sites, places.get("sites"))):  # fmt: skip
        if said is None and numbers is not None:
            sizes = "+".join(str(count) for count in Counter(numbers).values())
            return f"{kind} {sizes} (assumed; --{kind} changes it)"
    return ""


def is_given(option: str) -> bool:
    """Whether the option was given on the command line."""
    source = click.get_current_context().get_parameter_source(option)
    return source is ParameterSource.COMMANDLINE


def echo_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, allow_nan=False))


def parse_ranks(ctx: click.Context, param: click.Parameter, text: str | None) -> list[int] | None:
    """What RANKS_HELP says, as a callback of an option."""
    if text is None:
        return None
    ranks: set[int] = set()
    for part in text.split(","):
        first, colon, last = part.partition(":")
        try:
            bounds = int(first), int(last if colon else first)
        except ValueError:
            wrong = re.fullmatch(r"\s*(\d+)\s*(?:-|\.\.)\s*(\d+)\s*", part)
            near = f" (did you mean '{wrong[1]}:{wrong[2]}'?)" if wrong is not None else ""
            raise click.BadParameter(
                f"'{part}' is neither a number nor a range like 1:64{near}"
            ) from None
        if bounds[0] > bounds[1]:
            raise click.BadParameter(
                f"'{part}' ends before it begins; '{bounds[1]}:{bounds[0]}' is a range"
            )
        if bounds[0] < 1:
            raise click.BadParameter(f"'{part}': numbers of ranks begin at 1, not {bounds[0]}")
        if bounds[1] > MOST_RANKS:
            raise click.BadParameter(f"'{part}': there are at most {MOST_RANKS} ranks")
        ranks.update(range(bounds[0], bounds[1] + 1))
    return sorted(ranks)


def parse_bytes(ctx: click.Context, param: click.Parameter, text: str) -> int:
    """'8', '64K', '64 KB', '1MiB', '1.5M' (powers of 1024), as a callback of an option."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(?:([KMGT])I?)?B?\s*", text.upper())
    if match is None:
        like = re.fullmatch(r"\s*[\d.]+\s*([A-Z]+)\s*", text.upper())
        near = did_you_mean(like[1], SIZE_UNITS) if like is not None else ""
        raise click.BadParameter(
            f"'{text}' is not a number of bytes like 8, 64K, 64KiB or 1.5M (powers of 1024){near}"
        )
    number, unit = match[1], match[2] or ""
    scale: int = 1024 ** " KMGT".index(unit or " ")
    # int() takes no more than a few thousand digits; a float is exact enough to be too large.
    is_whole = "." not in number and len(number) < 30
    value = int(number) * scale if is_whole else float(number) * scale
    if value > MOST_BYTES:
        raise click.BadParameter(f"'{text}' is too large: the largest is 1 EiB")
    if scale == 1 and value % 1 != 0:
        raise click.BadParameter(f"'{text}' is not a whole number of bytes")
    return round(value)


def bytes_option(except_for: str) -> Callable[[Any], Any]:
    """The option --bytes. `except_for`: the collectives for which it is not required."""
    return click.option(
        "--bytes",
        "nbytes",
        callback=lambda ctx, param, text: None if text is None else parse_bytes(ctx, param, text),
        help=f"Length of the whole message in bytes, e.g. 64K; required except for {except_for}.",
    )


def bytes_of(collective: str, given: int | None) -> int:
    """What --bytes says; 0 for a barrier. Raises ValueError if only one of the two has a length."""
    if collective == BARRIER:
        if given is not None:
            raise ValueError(f"{collective} has no data: leave out --bytes")
        return 0
    if given is None:
        raise ValueError("give the length of the whole message with --bytes, e.g. --bytes 64K")
    return given


def cannot_write(file: Path, error: OSError) -> click.ClickException:
    """The error that ends the command if a file cannot be written."""
    return click.ClickException(f"cannot write {file}: {why_unwritable(file, error)}")


def write_or_print(content: str | bytes, output: Path | None) -> None:
    """Writes to the file, or to standard output if there is none. Raises click.ClickException."""
    if output is None:
        click.echo(content, nl=False)
        return
    try:
        write_whole(content, output)
    except OSError as error:
        raise cannot_write(output, error) from None


def require_picture(file: Path, suffixes: Sequence[str]) -> None:
    """Raises ValueError for a file whose name has none of these suffixes."""
    if file.suffix not in suffixes:
        valid = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise ValueError(f"{file}: a picture is a {valid}")


def require_another_file(output: Path, source: Path, holds: str) -> None:
    """Raises ValueError where the output would take the place of a file that is read."""
    if are_the_same(output, source):
        raise ValueError(f"{output} is the file with {holds}: give another one with -o")


def ranges(numbers: list[int]) -> str:
    """E.g. "1:9, 12, 16" for sorted numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join(":".join(map(str, run)) for run in runs)
