# SPDX-License-Identifier: Apache-2.0
"""roundelay price."""

from __future__ import annotations

import dataclasses

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from roundelay.catalogue import choices, is_between_groups
from roundelay.cli.common import (
    algorithm_argument,
    assumed_places,
    bytes_of,
    bytes_option,
    echo_json,
    nodes_or_halves_option,
    print_table,
    ranks_option,
    receivers_option,
    require_root_has_meaning,
    root_option,
    sites_or_halves_option,
    usage_errors,
)
from roundelay.cli.values import Number, Whole
from roundelay.interpreters import Broken, Price, ranks_of, require_runnable
from roundelay.interpreters import price as price_of
from roundelay.trace_length import message_bounds
from roundelay.units import count_text, time_text

MANY_RANKS = 512  # from here on all algorithms of a collective can take a minute
# Of an algorithm that is priced because its collective was named: more take longer than seconds.
MOST_PRICED_MESSAGES = 10_000_000
MOST_AT_ONCE = 100_000


def _takes_seconds(
    name: str, p: int, root: int, m: int, q: int | None, nodes: str | None, sites: str | None
) -> bool:
    """False if it would take long; what cannot run takes no time."""
    try:
        bounds = message_bounds(name, p, root, m, q, nodes, sites)
    except ValueError:
        return True
    return bounds.messages <= MOST_PRICED_MESSAGES and bounds.at_once <= MOST_AT_ONCE


def _prices(names: list[str], **model: float | str | None) -> list[Price]:
    """The prices, cheapest first, without the algorithms that cannot run here.

    Says which schedules are wrong. Raises ValueError or Broken if nothing can be priced.
    """
    prices: list[Price] = []
    refused: ValueError | Broken | None = None
    broken: list[Broken] = []
    with Console(stderr=True).status("") as status:
        for done, name in enumerate(names):
            status.update(f"pricing {escape(name)} ({done} of {len(names)} done)")
            try:
                prices.append(price_of(name, **model))  # type: ignore[arg-type]
            except ValueError as error:
                refused = refused or error
            except Broken as error:
                refused = refused or error
                broken.append(error)
    if prices:
        for each in broken:
            click.echo(f"roundelay: left out: {each}", err=True)
    if refused is not None and not prices:
        raise refused
    return sorted(prices, key=lambda price: price.seconds)


@click.command()
@algorithm_argument
@ranks_option
@receivers_option
@nodes_or_halves_option
@sites_or_halves_option
@bytes_option("a barrier")
@click.option(
    "--alpha",
    type=Number(seconds=True),
    default=1e-6,
    show_default=True,
    help="Seconds per message.",
)
@click.option(
    "--beta",
    type=Number(seconds=True),
    default=1e-9,
    show_default=True,
    help="Seconds per byte.",
)
@click.option(
    "--gamma",
    type=Number(seconds=True),
    default=1e-10,
    show_default=True,
    help="Seconds per combined byte.",
)
@root_option
@click.option(
    "--ports",
    type=Whole(1),
    default=1,
    show_default=True,
    help="Number of messages that a rank can send, and receive, at once.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print an array of JSON objects instead of a table."
)
def price(
    name: str,
    p: int | None,
    q: int | None,
    nodes: str | None,
    sites: str | None,
    nbytes: int | None,
    alpha: float,
    beta: float,
    gamma: float,
    root: int,
    ports: int,
    as_json: bool,
) -> None:
    """Computes the time of a call in a model of a network.

    NAME is an algorithm, or a collective to compare all its algorithms: those within one group or,
    with -q, those between two groups. Parameters that are not given are tried with several values;
    "allgather.ring(group=1)" prices one. The model runs the schedules of all ranks.

    \b
    Example:
      roundelay price bcast.binomial -p 16 --bytes 1M --alpha 2e-6 --beta 1e-10
      roundelay price allreduce -p 12 --bytes 64K
    """
    with usage_errors():
        names = choices(name)
        collective = names[0].partition(".")[0]
        require_root_has_meaning(collective, root)
        length = bytes_of(collective, nbytes)
        ranks = ranks_of(p, nodes, sites, q)
        require_runnable(ranks + (q or 0))
        if "." not in name:
            names = [one for one in names if is_between_groups(one) == (q is not None)]
            if not names:
                raise ValueError(
                    f"{collective} has no algorithm between two groups of ranks: leave out -q "
                    "(--receivers)"
                )
        if ranks > MANY_RANKS and "." not in name:
            click.echo(
                f"roundelay: pricing {len(names)} algorithms for {ranks} ranks takes a while; one "
                "algorithm or fewer ranks (-p) take less, and `roundelay explain` answers sooner",
                err=True,
            )
            long = [one for one in names
                    if not _takes_seconds(one, ranks, root, length, q, nodes, sites)]  # fmt: skip
            if long and len(long) < len(names):
                click.echo(
                    "roundelay: left out, because each of them would take minutes: "
                    f"{', '.join(long)}; name one to price it",
                    err=True,
                )
                names = [one for one in names if one not in long]
        prices = _prices(names, p=ranks, q=q, nodes=nodes, sites=sites, nbytes=length, alpha=alpha,
                         beta=beta, gamma=gamma, root=root, ports=ports)  # fmt: skip
    if as_json:
        echo_json([dataclasses.asdict(each) for each in prices])
        return
    assumed = (assumed_places(each.name, ranks, nodes, sites) for each in prices)
    if told := ", ".join(dict.fromkeys(filter(None, assumed))):
        click.echo(f"{name} among {count_text(ranks, 'rank')}, {told}\n")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("algorithm")
    table.add_column("time", justify="right")
    for each in prices:
        table.add_row(each.name, time_text(each.seconds))
    print_table(table)
