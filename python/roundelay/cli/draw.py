# SPDX-License-Identifier: Apache-2.0
"""roundelay draw."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from roundelay.catalogue import receivers_of, resolve
from roundelay.cli.common import (
    algorithm_argument,
    assumed_places,
    echo_json,
    nodes_or_halves_option,
    parameters_option,
    ranks_option,
    receivers_option,
    require_picture,
    require_root_has_meaning,
    root_option,
    sites_or_halves_option,
    usage_errors,
    write_or_print,
)
from roundelay.cli.values import File
from roundelay.drawing import OTHER_RANKS, Draft, page, picture, summary_of
from roundelay.interpreters import ranks_of
from roundelay.trace_length import message_bounds

MANY_DRAWN_MESSAGES = 2000  # that are drawn in a few seconds, into a file of a few megabytes
MOST_DRAWN_RANKS = 64  # more can hardly be read, and take minutes with some algorithms
MOST_CELLS = 200_000  # about 7 seconds and 28 megabytes


def _check_ranks(name: str, senders: int, receivers: int) -> None:
    """Raises ValueError where there are too many."""
    ranks = senders + receivers
    if ranks <= MOST_DRAWN_RANKS:
        return
    what = f"-p {MOST_DRAWN_RANKS} or less"
    words = f"`roundelay trace {name} -p {senders}`"
    if receivers > 0:
        what = f"-p and -q of together {MOST_DRAWN_RANKS} or less"
        words = f"`roundelay trace {name} -p {senders} -q {receivers}`"
    raise ValueError(
        f"a picture has at most {MOST_DRAWN_RANKS} ranks, not {ranks}: give {what}; {words} says "
        "in words what they do"
    )


def _check_size(draft: Draft, name: str, ranks: int) -> None:
    """Raises ValueError for a picture that is too large, with what would be small enough."""
    cells = draft.cells()
    if cells <= MOST_CELLS:
        return
    # With half the ranks there are at most half as many cells, with many algorithms an eighth.
    fewer = max(int(ranks * MOST_CELLS / cells), 1)
    raise ValueError(
        f"the picture of {name} with {ranks} ranks has {cells:,} cells, and at most "
        f"{MOST_CELLS:,} are drawn: give fewer ranks (-p {fewer} is few enough)"
    )


def _is_page(output: Path | None, as_html: bool) -> bool:
    """Whether to write a page, as the name of the file or --html says. Raises ValueError."""
    if output is None or (output.exists() and not output.is_file()):
        return as_html
    require_picture(output, (".svg", ".html"))
    if as_html and output.suffix != ".html":
        raise ValueError(f"--html writes a page: give {output.with_suffix('.html')} with -o")
    return output.suffix == ".html"


@click.command()
@algorithm_argument
@ranks_option
@receivers_option
@nodes_or_halves_option
@sites_or_halves_option
@root_option
@parameters_option
@click.option(
    "-o",
    "--output",
    type=File(),
    help="The picture (.svg) or page (.html) to write; by default standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what the picture shows as JSON.")
@click.option("--html", "as_html", is_flag=True, help="Write an HTML page that plays the schedule.")
def draw(
    name: str,
    p: int | None,
    q: int | None,
    nodes: str | None,
    sites: str | None,
    root: int,
    parameters: tuple[str, ...],
    output: Path | None,
    as_json: bool,
    as_html: bool,
) -> None:
    """Draws what ranks hold and send, step by step, as SVG.

    The picture is made from the algorithm's trace. docs/reference/drawing.md explains how to read
    it.

    \b
    Example:
      roundelay draw allgather.bruck -p 5 -o bruck.svg
      roundelay draw allgather.bruck -p 5 -o bruck.html
      roundelay draw alltoall.lg --sites 2+5 -o lg.svg
      roundelay draw bcast.scatter_allgather -p 6 --root 2 --param allgather=bruck --json
    """
    if as_json and output is not None:
        raise click.UsageError("--json and --output exclude each other")
    if as_json and as_html:
        raise click.UsageError("--json and --html exclude each other")
    with usage_errors():
        as_html = _is_page(output, as_html)
        full = resolve(name, parameters)
        ranks = ranks_of(p, nodes, sites, q)
        require_root_has_meaning(full.partition(".")[0], root)
        _check_ranks(full, ranks, receivers_of(full, ranks, q))
        messages = message_bounds(full, ranks, root, None, q, nodes, sites).messages
        if messages > MANY_DRAWN_MESSAGES:
            click.echo(
                f"roundelay: {full} with {ranks} ranks has up to {messages:,} messages: the "
                "picture takes a while and is large; fewer ranks (-p) take less",
                err=True,
            )
        with Console(stderr=True).status(f"drawing {escape(full)} for {ranks} ranks"):
            draft = Draft(full, ranks, root=root, q=q, nodes=nodes, sites=sites)
            _check_size(draft, full, ranks)
            story = draft.story()
            if as_html:
                placed = nodes is not None or sites is not None
                others = () if placed else OTHER_RANKS
                text = page(story, summary_of(full), q=q, others=others)
            elif not as_json:
                text = picture(story, summary_of(full))
    if assumed := assumed_places(full, ranks, nodes, sites):
        click.echo(f"roundelay: {assumed}", err=True)
    if as_json:
        echo_json(asdict(story))
        return
    write_or_print(text, output)
