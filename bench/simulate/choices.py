# SPDX-License-Identifier: Apache-2.0
"""What Roundelay takes by itself, against the best of its own and the best native stand-in.

Simulates a cluster with a rank on each host, and writes a table as Markdown. Above 1: the choice
takes so many times as long.
"""

from __future__ import annotations

import sys

import click
from roundelay.cli.common import parse_bytes, parse_ranks
from roundelay.simulation import contenders
from roundelay.simulation.platforms import cluster
from roundelay.simulation.study import Study, study
from roundelay.simulation.table import length

COLLECTIVES = ("allgather", "allreduce", "alltoall", "bcast", "reduce", "reduce_scatter")


def lines(found: Study, sizes: list[int]) -> list[str]:
    """A row of the table for each length."""
    rows = []
    for size in sizes:
        chosen, ours, native = (
            found.time("chosen", size), found.best_of_ours(size), found.best_native(size)
        )  # fmt: skip
        if chosen is None or ours is None or native is None:
            continue
        took = chosen.ran.partition(":")[0].partition(".")[2]
        cells = [
            found.collective, str(found.ranks), length(size), took,
            f"{chosen.seconds / ours.seconds:.2f}", ours.contender,
            f"{chosen.seconds / native.seconds:.2f}", native.contender,
        ]  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    return rows


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--ranks", "-p", callback=parse_ranks, default="7,16,60,100,128", show_default=True)
@click.option("--bytes", "sizes", default="1K,8K,64K,512K,4M", show_default=True)
@click.option(
    "--natives", type=click.Choice(["selectors", "all"]), default="all", show_default=True,
    help="The stand-ins: libraries' tables alone, or each of SMPI's algorithms too.",
)  # fmt: skip
@click.argument("collectives", nargs=-1, type=click.Choice(COLLECTIVES))
@click.pass_context
def main(
    ctx: click.Context, ranks: list[int], sizes: str, natives: str, collectives: tuple[str, ...]
) -> None:
    """Compares for COLLECTIVES, by default all that know the length of their message.

    \b
    Example:
      choices.py --natives selectors -p 16,60 bcast allreduce >choices.md
    """
    lengths = [parse_bytes(ctx, ctx.command.params[1], text) for text in sizes.split(",")]
    print("| collective | p | message | chosen | over our best | | over best native | |")
    print("|---|---|---|---|---|---|---|---|")
    for collective in collectives or COLLECTIVES:
        for p in ranks:
            entered = contenders.all_of_ours(collective, sites=False)
            entered += contenders.selectors(collective)
            if natives == "all":
                entered += contenders.all_shipped(collective)
            print(f"{collective}, {p} ranks ..", file=sys.stderr, flush=True)
            print(
                "\n".join(lines(study(cluster(p), collective, lengths, entered), lengths)),
                flush=True,
            )


if __name__ == "__main__":
    main()
