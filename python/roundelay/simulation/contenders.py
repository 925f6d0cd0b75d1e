# SPDX-License-Identifier: Apache-2.0
"""Who is compared: Roundelay's algorithms, its own choice, and what SMPI has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from roundelay.catalogue import algorithms, check_collective, is_between_groups, resolve
from roundelay.simulation.crossing import NUMBER
from roundelay.simulation.smpi import SELECTORS, shipped_algorithms
from roundelay.suggestions import did_you_mean
from roundelay.units import count_text

# What the benchmark can call.
COLLECTIVES = (
    "allgather", "allgather_between", "allgatherv", "allreduce", "alltoall", "bcast", "gather",
    "reduce", "reduce_scatter", "scatter",
)  # fmt: skip

MOST_NUMBERS = 2**31 - 1  # what an int of MPI counts

DISTRIBUTIONS = ("regular", "irregular", "degenerate")
_DISTRIBUTED = ("allgatherv", "reduce_scatter")

# What would bring the machine down before any limit of time stopped it.
_TOO_LARGE = {("alltoall", "rdb"): "takes more than 24 GB with 128 ranks and 4 MiB"}


def collective_of(what: str, ranks: int) -> str:
    """The collective in "allgatherv/irregular" or "allgather_between/100". Raises ValueError."""
    name, slash, after = what.partition("/")
    between = name.endswith("_between")
    if between:
        _check_senders(what, after, ranks)
    elif slash and name in _DISTRIBUTED:
        if after not in DISTRIBUTIONS:
            raise ValueError(
                f"'{what}': there is no distribution '{after}'{did_you_mean(after, DISTRIBUTIONS)}"
                f"; there are: {', '.join(DISTRIBUTIONS)}"
            )
    elif slash and name in COLLECTIVES and after in DISTRIBUTIONS:
        if after != "regular":
            raise ValueError(
                f"'{what}': the blocks of {name} all have the same length; a distribution is for "
                f"{' and '.join(_DISTRIBUTED)}"
            )
    elif what not in COLLECTIVES and any(one.collective == what for one in algorithms()):
        raise ValueError(f"cannot simulate {what}; it can be: {', '.join(COLLECTIVES)}")
    else:
        check_collective(what, COLLECTIVES, "-a {algorithm}")
    return name


def _check_senders(what: str, senders: str, ranks: int) -> None:
    if not re.fullmatch(r"\d{1,9}", senders) or not 0 < int(senders) < ranks:
        raise ValueError(
            f"'{what}': give the number of ranks that send, from 1 to {ranks - 1}, e.g. "
            f"{what.partition('/')[0]}/{max(ranks // 2, 1)}"
        )


def check_lengths(what: str, sizes: Sequence[int], ranks: int) -> None:
    """Raises ValueError for a length that the benchmark cannot cut into blocks of whole numbers.

    `what`: as collective_of() takes it.
    """
    name, _, after = what.partition("/")
    blocks = int(after) if name.endswith("_between") else _shares(after, ranks)
    whose = f"{what} of {count_text(ranks, 'rank')}"
    for size in sizes:
        numbers = size // NUMBER // blocks if blocks else 0
        if numbers == 0:
            least = f": give at least {blocks * NUMBER}" if blocks else ""
            raise ValueError(f"{size} bytes are too few for {whose}{least}")
        if numbers * blocks > MOST_NUMBERS:
            most = MOST_NUMBERS // blocks * blocks * NUMBER
            raise ValueError(f"{size} bytes are too many for {whose}: give at most {most}")


def _shares(distribution: str, ranks: int) -> int:
    """How many parts of the same length the message has, as src/simulate/message.cpp cuts it."""
    if distribution == "irregular":
        return sum(rank % 3 for rank in range(ranks))
    return 1 if distribution == "degenerate" else ranks


@dataclass(frozen=True)
class Contender:
    """One way to run a collective."""

    name: str
    kind: str  # "roundelay", "selector" or "smpi"
    variables: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    refused: str = ""  # why it is not run at all


# What Roundelay, which decides together, asks of the MPI library meanwhile. SMPI's selectors take
# algorithms for it that first find out who shares a host, with messages between all pairs of ranks.
_PREPARING = {"allreduce": "rdb", "bcast": "binomial_tree"}


def _flags(selector: str, measured: str = "", algorithm: str = "") -> tuple[str, ...]:
    taken = {name: one for name, one in _PREPARING.items() if name != measured}
    if algorithm:
        taken[measured] = algorithm
    return (
        f"smpi/coll-selector:{selector}",
        *(f"smpi/{name}:{one}" for name, one in taken.items()),
    )


def chosen(collective: str) -> Contender:
    """Roundelay's own choice. What it leaves native, the first of SELECTORS chooses."""
    flags = _flags(SELECTORS[0], measured=collective)
    return Contender("chosen", "roundelay", {"ROUNDELAY": ""}, flags)


def ours(collective: str, algorithm: str) -> Contender:
    """An algorithm of the catalogue, e.g. "circulant(blocks=16)". Raises ValueError.

    `collective` may end in "_between": then the algorithm has to be one between two groups.
    """
    stem = collective.removesuffix("_between")
    name = resolve(f"{stem}.{algorithm.removeprefix(f'{stem}.')}")
    if is_between_groups(name) != (stem != collective):
        where = "between two groups of ranks" if stem == collective else "within one group of ranks"
        groups = 1 if stem == collective else 2
        valid = (one.algorithm for one in algorithms(stem) if one.groups == groups)
        raise ValueError(
            f"-a {algorithm} runs {where}, but {collective} is measured; for it there are "
            f"{', '.join(valid)}"
        )
    forced = {"ROUNDELAY": name.replace(".", "=", 1)}
    return Contender(name.partition(".")[2], "roundelay", forced, _flags(SELECTORS[0]))


def all_of_ours(collective: str, *, sites: bool) -> list[Contender]:
    """The choice and every algorithm as it comes; one that pipelines in both its disciplines.

    Where there are `sites`, what has levels runs over them.
    Between groups there is no choice yet.
    """
    stem = collective.removesuffix("_between")
    groups = 1 if stem == collective else 2
    found = [chosen(stem)] if groups == 1 else []
    for one in algorithms(stem):
        if one.native or one.groups != groups:
            continue
        if "several_sites" in one.restrictions and not sites:
            continue
        over_sites = sites and "several_parts" in one.restrictions
        over = "(level=sites)" if over_sites else ""
        found.append(ours(collective, one.algorithm + over))
        if {"blocks", "discipline"} <= {parameter.name for parameter in one.parameters}:
            found.append(ours(collective, f"{one.algorithm}(discipline=paced)"))
    return found


def selectors(collective: str) -> list[Contender]:
    """The stand-ins for MPI libraries; none between groups."""
    if collective.endswith("_between"):
        return []
    variables = {"ROUNDELAY": f"{collective}=native"}
    return [
        Contender(name, "selector", variables, _flags(name, measured=collective))
        for name in SELECTORS
    ]


def shipped(collective: str, name: str) -> Contender:
    """One of SMPI's own algorithms, whatever a selector would take."""
    variables = {"ROUNDELAY": f"{collective}=native"}
    flags = _flags(SELECTORS[0], collective, name)
    return Contender(name, "smpi", variables, flags, _TOO_LARGE.get((collective, name), ""))


def all_shipped(collective: str) -> list[Contender]:
    """Everything that SMPI ships for it."""
    return [shipped(collective, name) for name in shipped_algorithms(collective)]
