# SPDX-License-Identifier: Apache-2.0
"""roundelay simulate."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from roundelay import plotting
from roundelay.cli.common import (
    cannot_write,
    collective_argument,
    echo_json,
    is_given,
    parse_bytes,
    print_table,
    require_picture,
    usage_errors,
    what_cannot_run,
)
from roundelay.cli.values import MOST_RANKS, File, Number, Whole, Word
from roundelay.files import require_writable
from roundelay.signals import Stopped, raised
from roundelay.simulation import contenders, platforms, smpi, spelling
from roundelay.simulation.links import USUAL, Links
from roundelay.simulation.placement import BY_CHANCE, PLACEMENTS
from roundelay.simulation.plot import SUFFIXES, plot
from roundelay.simulation.study import Partial, Study, study
from roundelay.simulation.table import ratio_table, size_table
from roundelay.units import count_text, size_text, time_text


def _sizes(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> list[int]:
    if late := next((text for text in texts if text.startswith("-")), None):
        raise click.BadParameter(f"'{late}' is not a number of bytes: options come before --")
    return sorted({parse_bytes(ctx, param, text) for text in texts})


def _network(text: str, links: Links, ports: str | None) -> platforms.Platform:
    if text.endswith(".xml") and dataclasses.replace(links, memory=False) != USUAL:
        raise ValueError(f"--bandwidth and --latency are not for {text}, which has its own")
    platform = spelling.parse(text, links)
    try:
        re.compile(ports or "")
    except re.error as error:
        raise ValueError(f"--ports '{ports}' is not a regular expression: {error}") from None
    return platform if ports is None else dataclasses.replace(platform, ports=ports)


def _wanted(
    collective: str, algorithms: tuple[str, ...], natives: str, *, sites: bool
) -> list[contenders.Contender]:
    if not algorithms:
        found = contenders.all_of_ours(collective, sites=sites)
    else:
        found = [] if collective.endswith("_between") else [contenders.chosen(collective)]
        found += (contenders.ours(collective, name) for name in algorithms)
    if natives != "none":
        found += contenders.selectors(collective)
    if natives == "all":
        found += contenders.all_shipped(collective)
    return found


def _print(result: Study) -> None:
    console = Console()
    links = f" (links of {result.links})" if result.links else ""
    has_natives = any(time.kind != "roundelay" for time in result.times)
    over = " over that of the best native stand-in" if has_natives else ""
    if not result.times:
        _print_rest(console, result)
        return
    console.print(
        f"{result.collective} on {result.platform}{links}, {count_text(result.ranks, 'rank')} on "
        f"{count_text(result.hosts, 'host')} ({result.placement}): simulated times{over}\n",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    print_table(ratio_table(result))
    for size in sorted({time.bytes for time in result.times}):
        least = next(time for time in result.times if time.bytes == size)
        what = (
            f": no less than {time_text(least.bound)}, for the {least.cut}" if least.bound else ""
        )
        console.print(f"\n{size_text(size)}{what}\n", highlight=False)
        print_table(size_table(result, size))
    console.print()
    _print_rest(console, result)


def _print_rest(console: Console, result: Study) -> None:
    """Who gave no time, and why."""
    if result.refused:
        console.print("left out:", highlight=False)
    for reason in dict.fromkeys(each.reason for each in result.refused):
        names = ", ".join(each.contender for each in result.refused if each.reason == reason)
        console.print(f"  {escape(names)}: {escape(reason)}", highlight=False, soft_wrap=True)
    if result.left:
        console.print(f"\nnot finished when stopped: {', '.join(result.left)}", highlight=False)


@click.command()
@click.option(
    "--platform",
    "network",
    required=True,
    help="cluster:HOSTS, dragonfly:HOSTS or :GROUPSxROUTERSxHOSTS[xLINKS], "
    "fattree:[PODSx]LEAVESxHOSTS[/TAPER], ring:HOSTS, torus:HOSTSxHOSTS.., sites:HOSTS+HOSTS (two "
    "sites with a WAN) or a FILE.xml as SimGrid reads it.",
)
@click.option(
    "--ranks", "-p", type=Whole(2, MOST_RANKS), help="Number of ranks; by default as many as fit."
)
@click.option(
    "--ranks-per-host",
    type=Whole(1),
    default=1,
    show_default=True,
    help="Number of ranks on each host; they share its link and exchange data through its memory.",
)
@click.option(
    "--placement",
    type=Word(list(PLACEMENTS)),
    default="spread",
    show_default=True,
    help="On which hosts the ranks run. spread: hosts at even distances; block: the first hosts, "
    "one after the other; cyclic: the first hosts in turn; random: any hosts; fragments: "
    "runs of free hosts, as a scheduler leaves them.",
)
@click.option(
    "--seed",
    type=Whole(0),
    default=0,
    show_default=True,
    help="Seed for --placement random and fragments.",
)
@click.option(
    "--bandwidth",
    default=USUAL.bandwidth,
    show_default=True,
    help="Bandwidth of every link in each direction.",
)
@click.option(
    "--latency",
    default=USUAL.latency,
    show_default=True,
    help="Latency of every link except a WAN; a message passes one or more links.",
)
@click.option(
    "--algorithm",
    "-a",
    "algorithms",
    multiple=True,
    metavar="NAME",
    help="An algorithm of Roundelay, e.g. circulant(blocks=16); may be repeated. By default all.",
)
@click.option(
    "--natives",
    type=Word(["all", "selectors", "none"]),
    default="all",
    show_default=True,
    help="What to compare with: SMPI's selectors, which choose as Open MPI, MPICH, MVAPICH2 and "
    "Intel MPI do, or also each of its algorithms (all).",
)
@click.option(
    "--model",
    type=Word(list(smpi.MODELS)),
    default="ports",
    show_default=True,
    help="Model of the network. ports: one message at a time in each direction, and 0.5 us at "
    "either end; textbook: alpha + beta n; smpi: SMPI's own model, fitted to a cluster.",
)
@click.option(
    "--ports",
    metavar="REGEX",
    help="A regular expression: links with such names carry one message at a time; '' for none. By "
    "default the links of hosts in SimGrid's clusters.",
)
@click.option(
    "--limit",
    type=Number(1, seconds=True),
    default=60,
    show_default=True,
    help="Seconds of computing time after which an algorithm is left out.",
)
@click.option(
    "--jobs",
    "-j",
    type=Whole(1),
    help="Number of simulations at once; by default one per core.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead of a table.")
@click.option(
    "--plot", "picture", type=File(),
    help="Also draw the ratios into this file: .svg, .png or .pdf.",
)  # fmt: skip
@collective_argument
@click.argument("sizes", nargs=-1, required=True, callback=_sizes)
def simulate(
    network: str,
    ranks: int | None,
    ranks_per_host: int,
    placement: str,
    seed: int,
    bandwidth: str,
    latency: str,
    algorithms: tuple[str, ...],
    natives: str,
    model: str,
    ports: str | None,
    limit: float,
    jobs: int | None,
    as_json: bool,
    picture: Path | None,
    collective: str,
    sizes: list[int],
) -> None:
    """Compares algorithms on a simulated network of many nodes.

    It runs COLLECTIVE with messages of all SIZES (64, 32K, 1M: the whole message). It compares
    Roundelay's algorithms with those of SMPI, SimGrid's MPI, which imitate those of real MPI
    libraries. Roundelay itself runs; only the network is simulated. The same command always gives
    the same figures. The results of each algorithm are first checked with few ranks. allgatherv and
    reduce_scatter take a distribution of their blocks: allgatherv/irregular, allgatherv/degenerate.
    In allgather_between/100 the first 100 ranks send to all others.

    The cut bound is a time that no algorithm can beat on the network: the bytes that must leave or
    enter a part of it, divided by the bandwidth there, for the worst of all hosts, switches, groups
    and halves. The bytes that cross are counted by running the schedules.

    \b
    Example:
      roundelay simulate --platform cluster:128 -- bcast 1K 32K 1M 4M
      roundelay simulate --platform fattree:8x8/2 --ranks-per-host 4 -- allreduce 1M
      roundelay simulate --platform torus:8x8x8 -p 256 --placement fragments -- allgather 1M
      roundelay simulate --platform sites:64+64 --natives selectors -- alltoall 64K
      roundelay simulate --platform dragonfly:256 -a ring -a bruck --plot ag.svg -- allgather 1K 1M
    """
    with usage_errors():
        if picture is not None:
            require_picture(picture, SUFFIXES)
        if is_given("seed") and placement not in BY_CHANCE:
            raise ValueError(f"--seed is for --placement {' and '.join(BY_CHANCE)}")
        links = Links(bandwidth, latency, memory=ranks_per_host > 1)
        platform = _network(network, links, ports).placed(ranks, ranks_per_host, placement, seed)
        name = contenders.collective_of(collective, len(platform.hosts))
        contenders.check_lengths(collective, sizes, len(platform.hosts))
    with what_cannot_run():
        smpi.program()
        if picture is not None:
            plotting.require_matplotlib()
            require_writable(picture)
        try:
            with raised():
                with usage_errors():
                    wanted = _wanted(name, algorithms, natives, sites=platform.sites != "")
                result, code = _study(
                    platform, collective, sizes, wanted, model=model, limit=limit, jobs=jobs
                )
        except Stopped as stopped:
            raise click.exceptions.Exit(stopped.code) from None
    if as_json:
        echo_json(result.json())
    else:
        _print(result)
    if picture is not None and result.times:
        try:
            plot(result, picture)
        except OSError as error:
            raise cannot_write(picture, error) from None
    if code or not result.times:
        raise click.exceptions.Exit(code or 1)


def _study(
    platform: platforms.Platform,
    collective: str,
    sizes: list[int],
    wanted: list[contenders.Contender],
    **options: Any,
) -> tuple[Study, int]:
    """The study, and the exit code, which is that of the signal if one came.

    Tells meanwhile who is done.
    """
    with Console(stderr=True).status("") as status:
        left = len(wanted)

        def tell(done: str) -> None:
            nonlocal left
            left -= 1
            status.update(f"{left} of {len(wanted)} left; done: {escape(done)}")

        try:
            return study(platform, collective, sizes, wanted, tell=tell, **options), 0
        except Partial as partial:
            return partial.study, partial.code
