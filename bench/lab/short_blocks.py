# SPDX-License-Identifier: Apache-2.0
"""Short blocks of an alltoall and an alltoallv, even and of power-law lengths, on nodes in a lab.

What is chosen is the first guess, without learning.
"""

from __future__ import annotations

import os
from pathlib import Path

import click
from compare import measured

SHAPES = ("8x1", "4x4", "16x1")
BLOCKS = (8, 64, 512, 4096)
BY_DIGITS = {"alltoall": "bruck", "alltoallv": "tuna"}
# Numbers of 4 bytes that a rank sends where its longest block has 8 of them (src/bench/message.h).
SHARES = 20


def settings(collective: str, each: int) -> list[str]:
    names = ["scattered", *(f"{BY_DIGITS[collective]}(radix={radix})" for radix in (2, 4))]
    if each > 1:
        names += ["aggregated", "aggregated(radix=2)"]
        names += [f"aggregated(messages=lanes, radix={radix})" for radix in (2, 64)]
    return ["native", "chosen", *(f"{collective}={name}" for name in names)]


def cells(collective: str, ranks: int) -> list[str]:
    """By the bytes of a mean block."""
    found = [f"{collective}:{block * ranks}" for block in BLOCKS]
    if collective == "alltoallv":
        least = 4 * SHARES
        found += [f"{collective}/skewed:{max(least, block * ranks)}" for block in BLOCKS]
    return found


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", "mpi_id", default="mpi40", show_default=True, help="In build/mpis.json.")
@click.option("--rate", default="100mbit", show_default=True)
@click.option("--shape", "shapes", multiple=True, type=click.Choice(SHAPES), default=SHAPES,
              help="Nodes x ranks on each; by default all.")  # fmt: skip
@click.option("--repetitions", "-k", type=int, default=15, show_default=True)
@click.option("--calls", "-n", type=int, default=5, show_default=True)
@click.option("--output", "-o", type=click.Path(path_type=Path), required=True)
def main(
    mpi_id: str, rate: str, shapes: tuple[str, ...], repetitions: int, calls: int, output: Path
) -> None:
    """Measures all settings in turn, in one job for each shape and collective.

    \b
    Example:
      short_blocks.py -o power-law.json
      compare.py tables power-law.json
    """
    os.environ["ROUNDELAY_LEARN"] = "off"
    for shape in shapes:
        nodes, each = map(int, shape.split("x"))
        for collective in BY_DIGITS:
            measured(
                f"lab:{rate}", mpi_id, nodes * each, settings(collective, each),
                cells(collective, nodes * each), output,
                repetitions=repetitions, each=each, calls=calls,
            )  # fmt: skip


if __name__ == "__main__":
    main()
