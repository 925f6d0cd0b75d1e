# SPDX-License-Identifier: Apache-2.0
"""What the commands share."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import click

RANKS_HELP = "Numbers of ranks: '8', '1:64' (both included) or '1:9,12,16'."


@contextlib.contextmanager
def usage_errors() -> Iterator[None]:
    """What the user wrote cannot be meant: says so and ends with exit code 2."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def echo_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2))


class Ranks(click.ParamType):
    """Numbers of ranks, as RANKS_HELP says."""

    name = "ranks"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int]:
        if isinstance(value, list):
            return value
        ranks: set[int] = set()
        for part in str(value).split(","):
            first, colon, last = part.partition(":")
            try:
                bounds = int(first), int(last if colon else first)
            except ValueError:
                self.fail(f"'{part}' is neither a number nor a range like 1:64", param, ctx)
            if not 1 <= bounds[0] <= bounds[1]:
                self.fail(f"'{part}' has no numbers from 1 on", param, ctx)
            ranks.update(range(bounds[0], bounds[1] + 1))
        return sorted(ranks)


class Bytes(click.ParamType):
    """A number of bytes: '8', '64K', '1M', '2G' (powers of 1024)."""

    name = "bytes"
    suffixes = "KMG"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).upper()
        power = self.suffixes.find(text[-1:]) + 1 if text else 0
        try:
            number = int(text[:-1] if power else text)
        except ValueError:
            self.fail(f"'{value}' is no number of bytes like 8, 64K or 1M", param, ctx)
        if number < 0:
            self.fail("it must not be negative", param, ctx)
        return number * 1024**power


def ranges(numbers: list[int]) -> str:
    """E.g. "1:9, 12, 16" for sorted numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join(":".join(map(str, run)) for run in runs)
