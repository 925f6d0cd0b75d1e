# SPDX-License-Identifier: Apache-2.0
"""Algorithms as they are forced, with values for their parameters, from `roundelay list --json`."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

from launching import run


def catalogue_of(roundelay: str) -> list[dict[str, Any]]:
    catalogue: list[dict[str, Any]] = json.loads(run([roundelay, "list", "--json"]).ok().stdout)
    return catalogue


# MPI does not define them between two groups.
WITHIN_ONE_GROUP = ("exscan", "scan")


class Specs:
    """The algorithms of a catalogue, of those for one group or for two.

    With `dice`, numbers are drawn from all that they may be. `neighbours`: also of the collectives
    among neighbours.
    """

    def __init__(
        self,
        catalogue: list[dict[str, Any]],
        dice: random.Random | None = None,
        groups: int = 1,
        neighbours: bool = False,
    ) -> None:
        self.within = [entry for entry in catalogue if entry["native"] or entry["groups"] == 1]
        self.catalogue = [
            entry
            for entry in catalogue
            if (entry["native"] or entry["groups"] == groups)
            and (neighbours or not among_neighbours(entry))
            and (groups == 1 or entry["collective"] not in WITHIN_ONE_GROUP)
        ]
        self.always = {"two_groups"} if groups == 2 else set[str]()
        self.dice = dice

    def of(self, collective: str) -> list[dict[str, Any]]:
        return [entry for entry in self.catalogue if entry["collective"] == collective]

    def values(self, parameter: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
        """What a parameter may be, as it is written, and the restrictions that come with it."""
        if parameter["kind"] == "algorithm":
            for entry in self.within:
                if (
                    entry["collective"] == parameter["collective"]
                    and not entry["native"]
                    and not uses_topology(entry)
                ):
                    yield from self.variants(entry, inside=True)
        elif parameter["kind"] == "word":
            yield from ((word, set()) for word in parameter["words"])
        else:
            numbers = {str(parameter["least"]), parameter["default"]}
            if parameter["default"] == "auto":
                numbers.add("5")
            if self.dice is not None:
                bits = self.dice.randint(1, int(parameter["most"]).bit_length())
                drawn = parameter["least"] + self.dice.randrange(2**bits)
                numbers.add(str(min(drawn, parameter["most"])))
            yield from ((number, set()) for number in sorted(numbers))

    def variants(
        self, entry: dict[str, Any], *, inside: bool = False
    ) -> Iterator[tuple[str, set[str]]]:
        """With every choice of its parameters; what is default is left out, as in reports.

        Inside another algorithm it has no discipline of its own.
        """
        parameters = [p for p in entry["parameters"] if not (inside and p["name"] == "discipline")]
        ranges = [list(self.values(parameter)) for parameter in parameters]
        for choice in (
            one_by_one(parameters, ranges) if uses_topology(entry) else itertools.product(*ranges)
        ):
            written = [
                f"{parameter['name']}={value}"
                for parameter, (value, _) in zip(parameters, choice)
                if value != parameter["default"]
            ]
            text = short(entry) + (f"({', '.join(written)})" if written else "")
            yield text, set(entry["restrictions"]).union(*(r for _, r in choice))

    def lines(self) -> list[str]:
        """As the matrix reads them: collective, algorithm, restrictions."""
        lines = []
        for entry in self.catalogue:
            variants = [(short(entry), set[str]())] if entry["native"] else self.variants(entry)
            lines += [self.line(entry["collective"], *variant) for variant in variants]
        collectives = sorted({entry["collective"] for entry in self.catalogue})
        return lines + [self.line(collective, "", set()) for collective in collectives]

    def line(self, collective: str, text: str, restrictions: set[str]) -> str:
        """An algorithm, and what it needs."""
        return f"{collective}\t{text}\t{','.join(sorted(restrictions | self.always))}\t\n"


def among_neighbours(entry: dict[str, Any]) -> bool:
    """Whether it runs only where ranks have neighbours."""
    return str(entry["collective"]).startswith("neighbor_")


def uses_topology(entry: dict[str, Any]) -> bool:
    """Whether it runs only where there are several nodes or sites."""
    return any(restriction.startswith("several_") for restriction in entry["restrictions"])


Value = tuple[str, set[str]]


def one_by_one(
    parameters: list[dict[str, Any]], ranges: list[list[Value]]
) -> Iterator[tuple[Value, ...]]:
    """Every value of each parameter, with the defaults of the others."""
    usual: list[Value] = [(parameter["default"], set()) for parameter in parameters]
    usual = [
        next((value for value in values if value[0] == default), (default, restrictions))
        for (default, restrictions), values in zip(usual, ranges)
    ]
    yield tuple(usual)
    for place, values in enumerate(ranges):
        for value in values:
            if value != usual[place]:
                yield (*usual[:place], value, *usual[place + 1 :])


def short(entry: dict[str, Any]) -> str:
    return str(entry["name"]).rpartition(".")[2]


def turns(catalogue: list[dict[str, Any]], neighbours: bool = False) -> list[str]:
    """Texts that force an algorithm for every collective, and all together every algorithm.

    Of the collectives among neighbours, or of the others.
    """
    names: dict[str, list[str]] = {}
    for entry in catalogue:
        if among_neighbours(entry) != neighbours:
            continue
        if not entry["native"] and entry["groups"] == 1 and not uses_topology(entry):
            names.setdefault(entry["collective"], []).append(short(entry))
    return [
        "; ".join(f"{collective}={own[turn % len(own)]}" for collective, own in names.items())
        for turn in range(max(map(len, names.values())))
    ]
