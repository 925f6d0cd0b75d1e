# SPDX-License-Identifier: Apache-2.0
"""roundelay trace."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from roundelay.catalogue import REDUCING, ROOTED, resolve
from roundelay.cli.common import (
    BARRIER,
    MOST_BYTES,
    algorithm_argument,
    assumed_places,
    nodes_or_halves_option,
    parameters_option,
    ranks_option,
    receivers_option,
    require_root_has_meaning,
    root_option,
    sites_or_halves_option,
    usage_errors,
)
from roundelay.cli.values import Whole
from roundelay.interpreters import goal, ranks_of
from roundelay.interpreters import trace as trace_of
from roundelay.trace_length import message_bounds, trace_length
from roundelay.units import count_text

MOST_SHOWN_MESSAGES = 100_000  # that are shown as text, which takes a few seconds
MOST_PARTS = 200_000  # of messages, with local steps: a few megabytes of text
MOST_PARTS_IN_A_FILE = 5_000_000  # of JSON or GOAL: more take gigabytes


def _slice(at: dict[str, Any]) -> str:
    return f"{at['space']}[{at['offset']}:{at['offset'] + at['length']}]"


def _transfer(word: str, if_exposed: str, transfer: dict[str, Any]) -> str:
    what = " + ".join(map(_slice, transfer["slices"])) or "a token"
    text = f"{if_exposed if transfer['exposed'] else word} {transfer['peer']}: {what}"
    if not transfer["deferred"]:
        return text
    until = "the end" if transfer["fence"] is None else f"fence {transfer['fence']}"
    return f"{text}, deferred to {until}"


def _step(step: dict[str, Any]) -> str:
    if step["kind"] == "copy":
        return f"copy {_slice(step['from'])} into {_slice(step['into'])}"
    into = _slice(step["into"])
    return f"{into} = {_slice(step['from'])} op {into}"


def _lines(found: dict[str, Any], assumed: str) -> list[str]:
    rooted = f", root = {found['root']}" if found["collective"] in ROOTED else ""
    units = count_text(found["count"], found["unit"])
    places = f", {assumed}" if assumed else ""
    lines = [f"{found['name']}: p = {found['p']}{rooted}, {units}{places}"]
    for rank in found["ranks"]:
        lines += ["", f"rank {rank['rank']}"]
        for number, round_ in enumerate(rank["rounds"]):
            parts = [] if round_["fence"] is None else [f"wait for fence {round_['fence']}"]
            parts += [_transfer("send to", "expose to", each) for each in round_["sends"]]
            parts += [_transfer("receive from", "take from", each) for each in round_["receives"]]
            parts += map(_step, round_["steps"])
            lines += [
                f"  {f'round {number}' if i == 0 else '':10}{part}" for i, part in enumerate(parts)
            ]
        if not rank["rounds"]:
            lines.append("  nothing to do")
    return lines


def _check_length(call: dict[str, Any], *, as_text: bool) -> None:
    """Warns if the trace is long. Raises ValueError, with what would be short enough."""
    told = f"{call['name']} with {call['p']} ranks has"
    found = trace_length(**call)
    limit, where = (MOST_PARTS, "as text") if as_text else (MOST_PARTS_IN_A_FILE, "in a file")
    if found is not None and found.parts > MOST_PARTS_IN_A_FILE:
        raise ValueError(
            f"{told} about {found.parts:,} parts of messages and local steps; {where} at "
            f"most {limit:,} are shown: give fewer ranks (-p {found.ranks_for(limit)})"
        )
    messages = message_bounds(call["name"], call["p"], call["root"], call["m"], call["q"],
                              call["nodes"], call["sites"]).messages  # fmt: skip
    if as_text and messages > MOST_SHOWN_MESSAGES:
        raise ValueError(
            f"{told} up to {messages:,} messages; as text at most {MOST_SHOWN_MESSAGES:,} are "
            "shown: give fewer ranks (-p), or --json or --goal, into a file"
        )
    if as_text and found is not None and found.parts > limit:
        raise ValueError(
            f"{told} about {found.parts:,} parts of messages and local steps; as text at most "
            f"{limit:,} are shown: give fewer ranks (-p {found.ranks_for(limit)}), or --json or "
            "--goal, into a file"
        )
    if messages > MOST_SHOWN_MESSAGES:
        click.echo(
            f"roundelay: {told} up to {messages:,} messages: this takes a while; fewer ranks (-p) "
            "take less",
            err=True,
        )


@click.command()
@algorithm_argument
@ranks_option
@receivers_option
@nodes_or_halves_option
@sites_or_halves_option
@root_option
@click.option(
    "--count",
    type=Whole(0, MOST_BYTES),
    help="Length of the whole message, in bytes or elements; by default one that p divides.",
)
@parameters_option
@click.option(
    "--non-commutative",
    is_flag=True,
    help="Assume an operation that is not commutative: its operands keep their order.",
)
@click.option(
    "--in-place",
    is_flag=True,
    help="Use MPI_IN_PLACE: at the root of reduce, or at all ranks of allreduce, "
    "reduce_scatter(_block), alltoall(v, w), exscan and scan.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON, in the form of docs/reference/trace-format.md.",
)
@click.option(
    "--goal", "as_goal", is_flag=True, help="Print GOAL, the form of LogGOPSim; units are bytes."
)
def trace(
    name: str,
    p: int | None,
    q: int | None,
    nodes: str | None,
    sites: str | None,
    root: int,
    count: int | None,
    parameters: tuple[str, ...],
    non_commutative: bool,
    in_place: bool,
    as_json: bool,
    as_goal: bool,
) -> None:
    """Shows what every rank does in every round.

    \b
    Example:
      roundelay trace allgather.ring -p 5
      roundelay trace bcast.scatter_allgather -p 6 --root 2 --param allgather=bruck --json
      roundelay trace alltoall.lg --sites 2+5
    """
    if as_json and as_goal:
        raise click.UsageError("--json and --goal exclude each other")
    with usage_errors():
        call: dict[str, Any] = {
            "name": resolve(name, parameters),
            "p": ranks_of(p, nodes, sites, q),
            "root": root,
            "m": count,
            "commutative": not non_commutative,
            "in_place": in_place,
            "q": q,
            "nodes": nodes,
            "sites": sites,
        }
        collective = call["name"].partition(".")[0]
        require_root_has_meaning(collective, root)
        if count is not None and collective == BARRIER:
            raise ValueError("barrier has no data: leave out --count")
        if non_commutative and collective not in REDUCING:
            raise ValueError(
                f"{collective} combines nothing: --non-commutative is for {', '.join(REDUCING)}"
            )
        _check_length(call, as_text=not (as_json or as_goal))
        with Console(stderr=True).status(f"tracing {escape(name)} for {call['p']} ranks"):
            if as_goal:
                text = goal(**call)
            else:
                found = trace_of(**call)
                assumed = assumed_places(call["name"], call["p"], nodes, sites)
                lines = [json.dumps(found)] if as_json else _lines(found, assumed)
                text = "\n".join(lines) + "\n"
    click.echo(text, nl=False)
