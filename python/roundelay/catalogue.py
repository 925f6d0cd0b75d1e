# SPDX-License-Identifier: Apache-2.0
"""The catalogue: what algorithms there are, and how they are named."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from roundelay import _core
from roundelay.suggestions import did_you_mean, nearest


@dataclass(frozen=True)
class Parameter:
    """A parameter of an algorithm: a number in a range, one of some words, or an algorithm."""

    name: str
    summary: str
    kind: str  # "number", "word" or "algorithm"
    default: str
    least: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()
    collective: str | None = None  # of a parameter that is an algorithm

    @property
    def range(self) -> str:
        """What it may be, as a person would say it."""
        if self.kind == "number":
            return f"{self.least} .. {self.most}"
        if self.kind == "word":
            return " | ".join(self.words)
        return f"an algorithm for {self.collective}"


@dataclass(frozen=True)
class Algorithm:
    """An algorithm as it describes itself.

    Formulas are in p (ranks) and m (length of the whole message); of an algorithm between two
    groups in p (senders), q (receivers) and m. They are None for the MPI library's own algorithm.
    """

    name: str  # e.g. "allgather.ring"
    collective: str
    algorithm: str  # e.g. "ring"
    summary: str
    paper: str
    native: bool
    groups: int  # 2: between those of an intercommunicator; the MPI library's own is for all
    restrictions: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    scratch: str | None = None
    rounds: str | None = None
    volume: str | None = None
    ports: str | None = None  # messages each way that a rank may have in flight
    far_messages: str | None = None  # between sites, of all ranks together, if it is claimed
    far_volume: str | None = None
    at_most: bool = False  # rounds and volume are bounds, not exact
    symmetric: bool = False  # all ranks move and combine as much in each of their rounds
    fixed_order: bool = False  # data is combined in an order that depends on p alone


# Those with a root, those that combine data by an operation, and those of whose whole message no
# rank knows the length.
ROOTED = tuple(one["name"] for one in _core.collectives() if one["rooted"])
REDUCING = tuple(one["name"] for one in _core.collectives() if one["reduces"])
UNSHARED = tuple(one["name"] for one in _core.collectives() if not one["length_is_shared"])


def _parameter(fields: Mapping[str, Any]) -> Parameter:
    return Parameter(**{**fields, "words": tuple(fields.get("words", ()))})


def _algorithm(fields: Mapping[str, Any]) -> Algorithm:
    parameters = tuple(map(_parameter, fields["parameters"]))
    restrictions = tuple(fields["restrictions"])
    return Algorithm(**{**fields, "parameters": parameters, "restrictions": restrictions})


@cache
def _every() -> tuple[Algorithm, ...]:
    return tuple(map(_algorithm, _core.catalogue()))


def algorithms(collective: str | None = None) -> list[Algorithm]:
    """All algorithms, or those of one collective. Raises ValueError if there is no such one."""
    every = list(_every())
    if collective is None:
        return every
    check_collective(collective, sorted({algorithm.collective for algorithm in every}))
    return [algorithm for algorithm in every if algorithm.collective == collective]


def collective_of_call(call: str) -> str:
    """Of a call as the library's reports name it: "allreduce", "iallreduce", "allreduce_init"."""
    name = call.removesuffix("_init")
    is_one = any(one.collective == name for one in _every())
    return name if is_one else name.removeprefix("i")


def check_collective(name: str, valid: Collection[str], option: str = "") -> None:
    """Raises ValueError for one that is not valid, which says what would be.

    `option`: how an algorithm is given here, e.g. "--force {collective}={algorithm}".
    """
    if name in valid:
        return
    collective, algorithm = _parted(name)
    if not algorithm or collective not in valid:
        near = did_you_mean(collective if algorithm else name, valid)
        raise ValueError(f"there is no collective '{name}'{near}; there are: {', '.join(valid)}")
    of_it = [one.algorithm for one in algorithms() if one.collective == collective]
    near = algorithm if algorithm in of_it else nearest(algorithm, of_it) or ""
    how = option.format(collective=collective, algorithm=near)
    also = f", and the algorithm by {how}" if how and near else ""
    raise ValueError(f"'{name}' is not a collective: give {collective}{also}")


def _parted(name: str) -> tuple[str, str]:
    """A collective and an algorithm, whatever is between them; ("", "") if nothing is."""
    found = re.fullmatch(r"([a-z_]+)\s*[.:/=,\s]\s*(\w+).*", name)
    return (found[1], found[2]) if found is not None else ("", "")


def _no_algorithm(name: str) -> str:
    """What would be valid in place of a name without a point that stands for no algorithm."""
    every = algorithms()
    collectives = {one.collective for one in every}
    collective = name if name in collectives else _parted(name)[0]
    if collective in collectives:
        names = [one.name for one in every if one.collective == collective]
        near = did_you_mean(name, names) if collective != name else ""
        return f"'{name}' is not an algorithm{near}; algorithms of {collective}: {', '.join(names)}"
    # Also a collective may be meant, where one is asked for.
    near = did_you_mean(name, [one.algorithm for one in every] + sorted(collectives))
    return (
        f"there is no algorithm '{name}'{near}; `roundelay list` shows the algorithms of "
        f"{', '.join(sorted(collectives))}"
    )


def resolve(name: str, parameters: Sequence[str] = ()) -> str:
    """The full name of what was written, e.g. "bcast.scatter_allgather(allgather=bruck)".

    The collective may be left out if only one has such an algorithm; `parameters` are "key=value".
    Raises ValueError, which says what would be valid.
    """
    stem, bracket, inside = name.partition("(")
    stem = stem.strip()
    if "." not in stem:
        same = [one.name for one in algorithms() if one.algorithm == stem]
        if len(same) > 1:
            raise ValueError(f"'{stem}' may be any of {', '.join(same)}")
        if not same:
            raise ValueError(_no_algorithm(stem))
        stem = same[0]
    for parameter in parameters:
        if not re.fullmatch(r"\s*\w+\s*=.*\S.*", parameter):
            raise ValueError(f"'{parameter}' is not like KEY=VALUE{_parameter_of(stem)}")
    keys = [parameter.partition("=")[0].strip() for parameter in parameters]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise ValueError(f"'{twice[0]}' is given twice: {', '.join(parameters)}")
    if parameters:
        already = inside.rpartition(")")[0]
        stem += f"({', '.join(([already] if already else []) + list(parameters))})"
    else:
        stem += bracket + inside
    return _core.canonical(stem)


def _parameter_of(name: str) -> str:
    """E.g. ", e.g. blocks=16"; empty if the algorithm has no parameters."""
    every = [each for one in algorithms() if one.name == name for each in one.parameters]
    return f", e.g. {every[0].name}={every[0].default}" if every else ""


def choices(name: str | None = None) -> list[str]:
    """The choices that a name stands for, those with a schedule only.

    All algorithms for None, those of a collective for its name. A name without parameters stands
    for the algorithm with every value of its parameters; a name with parameters stands for that
    choice only.
    """
    if name is not None and "(" in name:
        return [resolve(name)]
    names = [one.name for one in algorithms() if not one.native]
    if name is not None:
        of_collective = [one for one in names if one.partition(".")[0] == name]
        names = of_collective or [resolve(name)]
    found = [variant for one in names for variant in _core.variants(one)]
    if not found:
        raise ValueError(f"'{name}' is the MPI library's own: it has no schedule to look at")
    return found


def is_between_groups(name: str) -> bool:
    """Whether the algorithm is for the two groups of an intercommunicator."""
    stem = name.partition("(")[0]
    return any(one.name == stem and one.groups == 2 for one in algorithms())


def receivers_of(name: str, p: int, q: int | None) -> int:
    """How many ranks receive from p senders; by default as many; 0 within one group.

    Raises ValueError where q is given for an algorithm within one group.
    """
    if is_between_groups(name):
        return p if q is None else q
    if q is not None:
        collective = name.partition(".")[0]
        others = [one.name for one in algorithms(collective) if one.groups == 2]
        between = f"; between two groups there are {', '.join(others)}" if others else ""
        raise ValueError(
            f"{name} runs within one group of ranks: leave out -q (--receivers){between}"
        )
    return 0
