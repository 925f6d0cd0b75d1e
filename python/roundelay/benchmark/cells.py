# SPDX-License-Identifier: Apache-2.0
"""What is to be measured: collectives, lengths, and the settings for each of them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence

from roundelay import _core
from roundelay.benchmark.job import Task
from roundelay.benchmark.samples import About
from roundelay.catalogue import Algorithm, algorithms, check_collective, resolve
from roundelay.interpreters import Broken, naming
from roundelay.suggestions import did_you_mean

DEFAULTS = ("bcast", "reduce", "allreduce", "allgather", "reduce_scatter_block", "alltoall")
NUMBER = 4  # bytes: that is what the program sends
ALWAYS = ("native", "chosen")


def measurable() -> list[str]:
    """The collectives that roundelay bench can time: all but those among neighbours."""
    every = {one.collective for one in algorithms() if one.groups == 1}
    return sorted(name for name in every if not name.startswith("neighbor_"))


def collectives(names: Sequence[str]) -> list[str]:
    """The collectives of these names, each once; DEFAULTS without a name. Raises ValueError."""
    valid = measurable()
    for name in names:
        if name not in valid and any(one.collective == name for one in algorithms()):
            raise ValueError(f"{name} cannot be measured; it can be: {', '.join(valid)}")
        check_collective(name, valid, "-a {algorithm}")
    return list(dict.fromkeys(names or DEFAULTS))


def named(text: str) -> list[str]:
    """The names in a list with commas; a comma in brackets does not end a name.

    Raises ValueError for a bracket that is not closed.
    """
    inside = r"\([^()]*(?:\([^()]*\)[^()]*)*\)"
    one = rf"(?:[^,(]|{inside})+"
    if "(" in re.sub(one, "", text):
        raise ValueError(f"'{text}': a bracket is not closed")
    return [name.strip() for name in re.findall(one, text)]


def settings(collective: str, wanted: Sequence[str]) -> list[str]:
    """The settings to measure: ALWAYS, and the wanted algorithms that the collective has.

    `wanted`: names, or only "all". The settings are written as in the variable ROUNDELAY.
    """
    if list(wanted) == ["all"]:
        ours = [one.algorithm for one in algorithms(collective) if _is_ours(one)]
    else:
        ours = [name for name in wanted if _is_of(collective, name)]
    full = [_resolved(collective, name) for name in ours]
    return [*ALWAYS, *dict.fromkeys(full)]


def _is_ours(one: Algorithm) -> bool:
    return not one.native and one.groups == 1


def _resolved(collective: str, name: str) -> str:
    return resolve(f"{collective}.{_alone(name)}").replace(".", "=", 1)


def _alone(name: str) -> str:
    stem, bracket, inside = name.partition("(")
    return stem.rpartition(".")[2] + bracket + inside


def _is_of(collective: str, name: str) -> bool:
    """Whether the collective has the algorithm, with these parameters."""
    with contextlib.suppress(ValueError):
        return _has(collective, name) and _resolved(collective, name) != ""
    return False


def _has(collective: str, name: str) -> bool:
    of, dot, algorithm = name.partition("(")[0].rpartition(".")
    return (not dot or of == collective) and any(
        one.algorithm == algorithm and _is_ours(one) for one in algorithms(collective)
    )


def check(names: Sequence[str], wanted: Sequence[str]) -> None:
    """Raises ValueError for an algorithm that none of the collectives has."""
    if list(wanted) == ["all"]:
        return
    if "all" in wanted:
        raise ValueError("'all' means every algorithm: leave the other names out")
    valid = sorted({one.algorithm for name in names for one in algorithms(name) if _is_ours(one)})
    for name in wanted:
        if name in ALWAYS:
            raise ValueError(f"'{name}' is always measured: leave it out")
        if any(_is_of(collective, name) for collective in names):
            continue
        having = next((collective for collective in names if _has(collective, name)), None)
        if having is not None:
            _resolved(having, name)  # says what is wrong with the parameters
        stem = _alone(name).partition("(")[0]
        raise ValueError(
            f"none of {', '.join(names)} has an algorithm '{name}'{did_you_mean(stem, valid)}; "
            f"there are: all, {', '.join(valid)}"
        )


def fitting(length: int, collective: str, ranks: int) -> int:
    """The length that the program makes of it: whole numbers, and as many for each rank."""
    if collective in ("bcast", "reduce", "allreduce", "scan", "exscan"):
        return max(NUMBER, length // NUMBER * NUMBER)
    return max(1, length // (NUMBER * ranks)) * NUMBER * ranks


def tasks(
    names: Sequence[str], lengths: Sequence[int], wanted: Sequence[str], about: About
) -> tuple[list[Task], dict[str, str]]:
    """What the program is to do, and which settings cannot run there, with the reason."""
    found = []
    impossible: dict[str, str] = {}
    for name in names:
        possible = []
        for setting in settings(name, wanted):
            reason = _obstacle(name, setting, about)
            if reason is None:
                possible.append(setting)
            else:
                impossible[setting] = reason
        sizes = [0] if name == "barrier" else lengths
        cells = dict.fromkeys(
            f"{name}:{fitting(size, name, about.ranks) if size else 0}" for size in sizes
        )
        found.append(Task(tuple(possible), tuple(cells)))
    return found, impossible


def _obstacle(collective: str, setting: str, about: About) -> str | None:
    if setting in ALWAYS:
        return None
    try:
        with naming(f"an algorithm of {collective}"):
            _core.explain(
                collective, 1024 * about.ranks, about.nodes, mpi="other", alpha=1e-6, beta=1e-9,
                oversubscribed=False, forced=setting, profile="", deterministic=False, machine="",
            )  # fmt: skip
    except ValueError as error:
        told = re.search(r"is forced, but (.*?)(?: \(ranks.*\))?; possible here", str(error))
        return told[1] if told else str(error)
    except Broken as error:  # the model runs schedules, of which one is wrong
        return str(error)
    return None
