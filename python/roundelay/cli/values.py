# SPDX-License-Identifier: Apache-2.0
"""Types of options that say what would be valid where something else is given."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roundelay.suggestions import did_you_mean
from roundelay.units import SECONDS, quantity

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice

MOST = 2**31 - 1  # an int of C, and of MPI
MOST_RANKS = 2**24
LONGEST = 1e9  # seconds, which are thirty years
_OBVIOUS = 10_000  # the help names no greater limit


def _example(param: click.Parameter | None, otherwise: float) -> float:
    """The default of the option where it has one."""
    default = param.default if param is not None else None
    return default if isinstance(default, (int, float)) else otherwise


class Whole(click.IntRange):
    """A whole number."""

    name = "number"

    def __init__(self, least: int, most: int = MOST) -> None:
        super().__init__(least, most)
        self._least = least
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = int(value)
        except ValueError:
            example = _example(param, min(max(8, self._least), self._most))
            self.fail(f"'{value}' is not a whole number: give e.g. {example}", param, ctx)
        if number < self._least:
            self.fail(f"{number} is too small: give at least {self._least}", param, ctx)
        if number > self._most:
            self.fail(f"{number} is too large: give at most {self._most}", param, ctx)
        return number

    def _describe_range(self) -> str:  # in the help
        if self._most > _OBVIOUS:
            return f"at least {self._least}"
        return f"from {self._least} to {self._most}"


class Number(click.FloatRange):
    """A number that is at least `least`; with `more`, greater than `least`.

    `seconds`: it is a time, of no more than LONGEST, so that no sum of such times is infinite.
    """

    name = "number"

    def __init__(self, least: float = 0, *, more: bool = False, seconds: bool = False) -> None:
        super().__init__(min=least, min_open=more)
        self._seconds = seconds
        self._least = f"{'more than' if more else 'at least'} {least:g}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"'{value}' is not a number: {self._valid(value, param)}", param, ctx)
        if number < self.min or (self.min_open and number == self.min):  # type: ignore[operator]
            self.fail(f"{value} is too small: give {self._least}", param, ctx)
        if self._seconds and number > LONGEST:
            self.fail(f"{value} is too large: give at most {LONGEST:g} seconds", param, ctx)
        return number

    def _valid(self, value: Any, param: click.Parameter | None) -> str:
        if not self._seconds:
            return f"give e.g. {_example(param, 1):g}"
        try:
            seconds = quantity(str(value), SECONDS, list(SECONDS), zero=True)
        except ValueError:
            return f"give seconds, e.g. {_example(param, 1):g}"
        return f"give seconds without a unit: {seconds:g}"

    def _describe_range(self) -> str:  # in the help
        return self._least


class Word(_Choice):
    """One of some words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.choices:
            near = did_you_mean(str(value), self.choices)
            self.fail(f"'{value}' is none of {', '.join(self.choices)}{near}", param, ctx)
        return value


class File(click.Path):
    """The path of a file, which is no folder. `exists`: it has to be there.

    Without a name it would be the working directory, which is what Path("") means.
    """

    def __init__(self, *, exists: bool = False) -> None:
        super().__init__(exists=exists, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).strip():
            self.fail(f"'{value}' is no name of a file: give e.g. ./file", param, ctx)
        return super().convert(value, param, ctx)
