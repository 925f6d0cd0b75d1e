# SPDX-License-Identifier: Apache-2.0
"""roundelay verify."""

from __future__ import annotations

import sys
import time
from typing import Any

import click
from rich.progress import Progress
from rich.table import Table

from roundelay.catalogue import choices
from roundelay.cli.common import (
    RANKS_HELP,
    STOPPED,
    algorithms_argument,
    echo_json,
    nodes_option,
    parse_ranks,
    print_table,
    progress_bar,
    ranges,
    require_root_has_meaning,
    sites_option,
    usage_errors,
)
from roundelay.cli.values import Whole
from roundelay.interpreters import ProofStopped, Verdict, Verdicts, mutants
from roundelay.interpreters import verify as prove
from roundelay.units import count_text

MOST_RANKS_OF_MUTANTS = 9


def _mutants(name: str, ranks: list[int]) -> dict[str, Any]:
    """The tally of all mutants of a choice; those for many ranks are of no other kind."""
    tally: dict[str, Any] = {"count": 0, "killed": 0, "harmless": 0, "survivors": []}
    for p in ranks:
        if p > MOST_RANKS_OF_MUTANTS:
            break
        found = mutants(name, p, root=p // 2)
        tally["count"] += found.count
        tally["killed"] += found.killed
        tally["harmless"] += found.harmless
        tally["survivors"] += [f"p = {p}: {survivor}" for survivor in found.survivors]
    return tally


def _json(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.name,
        "collective": verdict.name.partition(".")[0],
        "ranks": verdict.ranks,
        "cases": verdict.cases,
        "ok": verdict.ok,
        "error": verdict.error,
    }


def _result(row: dict[str, Any]) -> str:
    if not row["ok"]:
        return "[bold red]FAILED"
    return "[green]proven" if row["cases"] else "[yellow]nothing to prove"


def _table(rows: list[dict[str, Any]], with_mutants: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("algorithm")
    table.add_column("p")
    table.add_column("cases", justify="right")
    table.add_column("result")
    if with_mutants:
        table.add_column("mutants killed", justify="right")
    for row in rows:
        cells = [row["name"], ranges(row["ranks"]), str(row["cases"]), _result(row)]
        if with_mutants:
            cells.append(f"{row['mutants']['killed']} of {row['mutants']['count']}")
        table.add_row(*cells)
    return table


@click.command()
@algorithms_argument
@click.option(
    "-p",
    "--p",
    "--ranks",
    "ranks",
    callback=parse_ranks,
    help=f"{RANKS_HELP} By default 1:64, or the number that --nodes or --sites give.",
)
@nodes_option
@sites_option
@click.option("--root", type=Whole(0), help="Prove only this root; by default all roots.")
@click.option(
    "--mutants",
    "with_mutants",
    is_flag=True,
    help="Also break the schedules, to see that the prover notices it (up to 9 ranks).",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print an array of JSON objects instead of a table."
)
def verify(
    name: str | None,
    ranks: list[int] | None,
    nodes: str | None,
    sites: str | None,
    root: int | None,
    with_mutants: bool,
    as_json: bool,
) -> None:
    """Proves algorithms correct for given numbers of ranks.

    NAME is an algorithm, e.g. allgather.ring or "bcast.scatter_allgather(allgather=bruck)", or a
    collective; without NAME all algorithms are proven. Parameters that are not given are tried with
    each value. --nodes or --sites give the placement of the ranks, for the algorithms within one
    group; without them, algorithms that depend on the placement are proven for some placements.
    The exit code is 1 if anything is wrong.
    Ctrl-C ends the command, which then prints what is proven so far.

    \b
    Example:
      roundelay verify --p 1:9
      roundelay verify allgather.bruck --p 1:64 --mutants
      roundelay verify alltoall.lg --sites 3+7+5
    """
    start = time.monotonic()
    if name is not None and root is not None:
        with usage_errors():
            require_root_has_meaning(choices(name)[0].partition(".")[0], root)
    stopped = False
    with progress_bar() as bar:
        try:
            verdicts = _proven(bar, name, ranks, root=root, nodes=nodes, sites=sites)
        except ProofStopped as so_far:
            stopped = True
            verdicts = Verdicts(one for one in so_far.verdicts if one.ranks or one.error)
        rows = [_json(verdict) for verdict in verdicts]
        with_mutants = with_mutants and not stopped
        if with_mutants:
            _add_mutants(bar, rows)
    if as_json:
        echo_json(rows)
    else:
        print_table(_table(rows, with_mutants))
        cases = sum(row["cases"] for row in rows)
        click.echo(f"{count_text(cases, 'case')} in {time.monotonic() - start:.1f} s")
    bad = _faults(rows)
    for sentence in bad:
        click.echo(sentence, err=True)
    if stopped:
        click.echo("stopped: algorithms that are not listed were not tried", err=True)
    sys.exit(STOPPED if stopped else 1 if bad else 0)


def _proven(bar: Progress, name: str | None, ranks: list[int] | None, **only: Any) -> Verdicts:
    """Shows meanwhile how much is done. Raises ProofStopped."""
    task = bar.add_task("proving", total=None)

    def tell(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)

    with usage_errors():
        return prove(name, ranks, progress=tell, **only)


def _add_mutants(bar: Progress, rows: list[dict[str, Any]]) -> None:
    task = bar.add_task("mutants", total=len(rows))
    for row in rows:
        with usage_errors():
            row["mutants"] = _mutants(row["name"], row["ranks"])
        bar.advance(task)


def _faults(rows: list[dict[str, Any]]) -> list[str]:
    """A sentence for each thing that is wrong."""
    found = [f"{row['name']}: {row['error']}" for row in rows if not row["ok"]]
    for row in rows:
        survivors = row.get("mutants", {}).get("survivors", [])
        found += [f"{row['name']}: a mutant survives: {survivor}" for survivor in survivors]
    return found
