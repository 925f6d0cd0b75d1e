# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import click
import pytest
from helpers import Cli
from hypothesis import given
from hypothesis import strategies as st
from roundelay.cli import main
from roundelay.cli.common import parse_ranks, ranges


def test_the_version(cli: Cli) -> None:
    assert cli("--version").output.startswith("roundelay, version 0.")


@pytest.mark.parametrize("command", [(), *((name,) for name in main.commands)])
def test_every_help_has_an_example(cli: Cli, command: tuple[str, ...]) -> None:
    result = cli(*command, "--help")
    assert result.exit_code == 0
    assert f"roundelay {' '.join(command)}".strip() in result.output.partition("Example")[2]


@given(st.sets(st.integers(1, 60), min_size=1))
def test_ranges_are_read_as_they_are_written(numbers: set[int]) -> None:
    context = click.Context(main)
    text = ranges(sorted(numbers)).replace(" ", "")
    assert parse_ranks(context, main.params[0], text) == sorted(numbers)
