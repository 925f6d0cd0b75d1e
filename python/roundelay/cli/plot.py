# SPDX-License-Identifier: Apache-2.0
"""roundelay plot."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click
from rich.console import Console

from roundelay.benchmark import picture
from roundelay.benchmark.samples import read
from roundelay.cli.common import (
    require_another_file,
    require_picture,
    usage_errors,
    what_cannot_run,
    write_or_print,
)
from roundelay.cli.values import File


@click.command()
@click.argument("file", type=File(exists=True))
@click.option(
    "-o",
    "--output",
    type=File(),
    help="The .svg, .png or .html file to write; by default FILE with .html.",
)
def plot(file: Path, output: Path | None) -> None:
    """Draws what `roundelay bench -o FILE` measured.

    The page (.html) needs no other file: it has the picture, all figures and a description of the
    job.

    \b
    Example:
      roundelay plot alltoall.jsonl
      roundelay plot alltoall.jsonl -o alltoall.svg
    """
    target = output or file.with_suffix(".html")
    with usage_errors():
        require_picture(target, (".svg", ".png", ".html"))
        require_another_file(target, file, "the measurements")
        about, points = read(file)
    if not points:
        raise click.ClickException(f"{file}: nothing was measured")
    with what_cannot_run(), Console(stderr=True).status("drawing"):
        is_page = target.suffix == ".html"
        content = picture.page if is_page else partial(picture.draw, suffix=target.suffix)
        write_or_print(content(about, points), target)
    click.echo(f"wrote {target}", err=True)
