# SPDX-License-Identifier: Apache-2.0
"""roundelay explain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from roundelay import _core
from roundelay.catalogue import ROOTED, UNSHARED, check_collective
from roundelay.cli.common import (
    BARRIER,
    bytes_of,
    bytes_option,
    collective_argument,
    echo_json,
    nodes_option,
    print_table,
    ranks_option,
    usage_errors,
    width_of,
)
from roundelay.cli.values import File, Number, Whole, Word
from roundelay.elf import MPI_NAMES
from roundelay.interpreters import naming, ranks_of, until_ctrl_c
from roundelay.profiles import in_utf8, setting_of
from roundelay.running import COLLECTIVES
from roundelay.units import count_text, time_text

# Here the ranks never learn how long the whole message is. In the others of UNSHARED they agree on
# it in the background.
NEVER_KNOWN = tuple(name for name in UNSHARED if name in ROOTED)
_EXCEPT_FOR = f"{', '.join((BARRIER, *NEVER_KNOWN[:-1]))} and {NEVER_KNOWN[-1]}"


def _known_length(collective: str, given: int | None) -> int:
    """The length in bytes that the choice depends on; 0: it is not known. Raises ValueError."""
    if collective not in NEVER_KNOWN:
        return bytes_of(collective, given)
    if given is not None:
        raise ValueError(
            f"in {collective} no rank knows the length of the whole message, so the choice does "
            "not depend on it: leave out --bytes"
        )
    return 0


def _nodes(p: int | None, nodes: str | None, ranks_per_node: int | None) -> list[int]:
    """The node of each rank. Raises ValueError."""
    ranks = ranks_of(p, nodes, None)
    if nodes is None:
        return [rank // (ranks_per_node or 1) for rank in range(ranks)]
    if ranks_per_node is not None:
        raise ValueError("--nodes and --ranks-per-node exclude each other")
    placed: list[int] = _core.placement(nodes)
    return placed


def _unpriced(algorithm: str) -> _core.Priced:
    return {"algorithm": algorithm, "seconds": None, "startup_seconds": None}


def _table(found: _core.Explanation, *, with_bytes: bool = True) -> Table:
    """`with_bytes`: also with what the bytes take, which is the time without the start-ups."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("algorithm")
    for head in ("time", "start-ups", *(["bytes"] if with_bytes else []), "ratio"):
        table.add_column(head, justify="right")
    table.add_column("")
    tried = {one["algorithm"] for one in found["candidates"]}
    prices = found["prices"]
    known = {one["algorithm"] for one in prices}
    if found["algorithm"] not in known:
        prices = [_unpriced(found["algorithm"]), *prices]
    if "native" not in known | {found["algorithm"]}:
        prices = [*prices, _unpriced("native")]
    least = min((one["seconds"] for one in found["prices"] if one["seconds"]), default=None)
    for one in prices:
        name, seconds, startups = one["algorithm"], one["seconds"], one["startup_seconds"]
        rest = seconds - startups if seconds and startups is not None else None
        chosen = name == found["algorithm"]
        table.add_row(
            f"[bold]{escape(name)}[/bold]" if chosen else escape(name),
            time_text(seconds) if seconds else "?",
            time_text(startups) if startups is not None else "?",
            *([time_text(rest) if rest is not None else "?"] * with_bytes),
            f"{seconds / least:.2f}" if seconds and least else "?",
            "chosen" if chosen else "*" if name in tried else "",
        )
    return table


@click.command()
@collective_argument
@ranks_option
@nodes_option
@click.option(
    "--ranks-per-node",
    type=Whole(1),
    help="Number of consecutive ranks on each node; by default 1.",
)
@bytes_option(_EXCEPT_FOR)
@click.option(
    "--mpi",
    type=Word(["openmpi", "mpich", "other"]),
    default="openmpi",
    show_default=True,
    help="The MPI library, whose own algorithms the choice takes into account.",
)
@click.option(
    "--alpha",
    type=Number(more=True, seconds=True),
    default=1e-6,
    show_default=True,
    help="Seconds per message between nodes; a program measures this value.",
)
@click.option(
    "--beta",
    type=Number(more=True, seconds=True),
    default=2e-10,
    show_default=True,
    help="Seconds per byte between nodes; a program measures this value.",
)
@click.option(
    "--oversubscribed", is_flag=True, help="Assume that some node has more ranks than cores."
)
@click.option(
    "--force",
    default="",
    metavar="TEXT",
    help="Algorithms by collective, as in the variable ROUNDELAY.",
)
@click.option("--profile", metavar="NAME", help="A built-in profile or a file.")
@click.option(
    "--deterministic",
    is_flag=True,
    help="Combine data in an order that depends only on the number of ranks.",
)
@click.option(
    "--machine",
    type=File(exists=True),
    help="A machine file; its values replace those of --alpha and --beta.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead of a table.")
def explain(
    collective: str,
    p: int | None,
    nodes: str | None,
    ranks_per_node: int | None,
    nbytes: int | None,
    mpi: str,
    alpha: float,
    beta: float,
    oversubscribed: bool,
    force: str,
    profile: str | None,
    deterministic: bool,
    machine: Path | None,
    as_json: bool,
) -> None:
    """Shows which algorithm would be chosen for a call, and why.

    The table has the time that the model expects of each algorithm. Where several ranks share a
    node's link, the model runs the schedules and gives only the whole time. While a program runs,
    it measures native, and the algorithms that take at most twice as long as the best. For
    non-blocking and persistent calls (MPI_I.., MPI_.._init) it says what --nonblocking auto of
    roundelay run does. Neighbours are those on a circle.

    \b
    Example:
      roundelay explain allreduce -p 1000 --bytes 4M
      roundelay explain bcast -p 32 --ranks-per-node 8 --bytes 64K --alpha 2e-5 --beta 8e-10
      roundelay explain allgather -p 8 --bytes 64K --profile thakur2005
    """
    with usage_errors():
        check_collective(collective, COLLECTIVES, "--force {collective}={algorithm}")
        length = _known_length(collective, nbytes)
        places = _nodes(p, nodes, ranks_per_node)
        with (
            Console(stderr=True).status(f"choosing for {len(places)} ranks"),
            naming(f"an algorithm of {collective}"),
        ):

            def explained(known: int) -> _core.Explanation:
                return until_ctrl_c(
                    lambda stop: _core.explain(
                        collective,
                        known,
                        places,
                        mpi=mpi,
                        alpha=alpha,
                        beta=beta,
                        oversubscribed=oversubscribed,
                        forced=in_utf8(force),
                        profile=setting_of(profile) if profile is not None else "",
                        deterministic=deterministic,
                        machine=in_utf8(str(machine or "")),
                        stop=stop,
                    )
                )

            found = explained(length)
            first = explained(0) if collective in UNSHARED and length > 0 else found
            if not first["length_is_missing"]:  # then the ranks do not agree on a length
                found["algorithm"], found["reason"] = first["algorithm"], first["reason"]
                found["nonblocking"] = first["nonblocking"]
    if force and collective not in _core.parse(force):
        click.echo(
            f"roundelay: --force has no algorithm for {collective} within one group of ranks, so "
            "it changes nothing here",
            err=True,
        )
    if as_json:
        until_agreed = {"algorithm": first["algorithm"], "reason": first["reason"]}
        echo_json({"collective": collective, "bytes": length, "ranks": len(places),
                   "nodes": len(set(places)), "mpi": mpi, **found,
                   "until_agreed": until_agreed})  # fmt: skip
        return
    _print(collective, length, places, mpi, found, first)


def _print(
    collective: str,
    nbytes: int,
    places: Sequence[int],
    mpi: str,
    found: _core.Explanation,
    first: _core.Explanation,
) -> None:
    """`first`: what is chosen until the ranks have agreed on the length of the whole message."""
    ranks, count = len(places), len(set(places))
    where = (
        "one node, through memory"
        if count == 1
        else f"{count} nodes, {time_text(found['startup'])} a message, "
        f"{1e-9 / found['byte']:.4g} GB/s"
    )
    has_length = collective not in (BARRIER, *NEVER_KNOWN)
    what = f"{collective} of {nbytes} B" if has_length else collective
    click.echo(f"{what}, {count_text(ranks, 'rank')} on {where}, {MPI_NAMES.get(mpi, 'any MPI')}")
    if found["torus"]:
        lengths = "x".join(map(str, found["torus"]))
        used = (
            "" if found["uses_torus"] else " is not used: it is for one rank on each of its nodes"
        )
        click.echo(f"torus of {lengths} nodes{used}")
    click.echo(f"{found['algorithm']}: {found['reason']}")
    if (first["algorithm"], first["reason"]) != (found["algorithm"], found["reason"]):
        click.echo(
            f"until the ranks have agreed on the length: {first['algorithm']}: {first['reason']}"
        )
    click.echo(f"MPI_I{collective}, MPI_{collective.capitalize()}_init: {found['nonblocking']}")
    click.echo(f"decided in {time_text(found['decision_seconds'])}\n")
    if not found["prices"]:
        click.echo("the model has no times for this call")
        return
    table = _table(found)
    print_table(table if width_of(table) <= Console().width else _table(found, with_bytes=False))
    click.echo("\n* is measured while a program runs: see --learn of roundelay run")
