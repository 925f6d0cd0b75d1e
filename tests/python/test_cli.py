# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import click
import pytest
from helpers import Cli
from hypothesis import given
from hypothesis import strategies as st
from roundelay.cli import main
from roundelay.cli.common import parse_bytes, parse_ranks, ranges


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8", 8),
        ("64K", 64 << 10),
        ("64 KB", 64 << 10),
        ("64KiB", 64 << 10),
        ("9.5 KiB", 9728),
        ("1.5M", 3 << 19),
        ("1MiB", 1 << 20),
        ("2g", 2 << 30),
        ("24 B", 24),
    ],
)
def test_sizes_are_read_as_they_are_printed(text: str, expected: int) -> None:
    assert parse_bytes(click.Context(main), main.params[0], text) == expected


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("verfy",), "Did you mean 'verify'?"),
        (("list", "allgathr"), "there is no collective 'allgathr' (did you mean 'allgather'?)"),
        (("trace", "brck", "-p", "4"), "there is no algorithm 'brck' (did you mean 'bruck'?)"),
        (("trace", "bcast.binomal", "-p", "4"), "(did you mean 'binomial'?)"),
        (("trace", "bcst.binomial", "-p", "4"), "(did you mean 'bcast'?)"),
        (("trace", "bcast.circulant(block=3)", "-p", "4"), "(did you mean 'blocks'?)"),
        (("profile", "show", "thakr2005"), "(did you mean 'thakur2005'?)"),
        (("simulate", "--platform", "clster:8", "bcast", "8"), "(did you mean 'cluster'?)"),
        (("simulate", "--platform", "ring:8", "bcst", "8"), "(did you mean 'bcast'?)"),
        (("verify", "--p", "5:1"), "'5:1' ends before it begins; '1:5' is a range"),
        (("verify", "--p", "0:3"), "numbers of ranks begin at 1, not 0"),
        (("trace", "bcast.binomial", "-p", "0"), "0 is not in the range x>=1"),
        (("trace", "bcast.binomial", "-p", "4", "--root", "4"), "root 4 is not one of 4 ranks"),
        (("trace", "bcast.binomial", "-p", "4", "--count", "-1"), "-1 is not in the range x>=0"),
        (
            ("price", "bcast.binomial", "-p", "4", "--bytes", "1MX"),
            "'1MX' is not a number of",
        ),
        (("price", "bcast.binomial", "-p", "4", "--bytes", "9e9T"), "is not a number of bytes"),
        (("price", "bcast.binomial", "-p", "4", "--bytes", "9999999999G"), "is too large"),
        *(
            (("price", "bcast.binomial", "-p", "4", "--bytes", "1", name, "-1"), "range x>=0")
            for name in ("--alpha", "--beta", "--gamma")
        ),
    ],
)
def test_what_cannot_be_meant(cli: Cli, words: tuple[str, ...], complaint: str) -> None:
    result = cli(*words)
    assert result.exit_code in (1, 2)
    assert complaint in " ".join(result.stderr.split())


def test_two_thousand_ranks(cli: Cli) -> None:
    """An answer, or how to narrow the question."""
    shown = cli("trace", "bcast.binomial", "-p", "2000")
    assert "rank 1999" in shown.output
    result = cli("trace", "allgather.ring", "-p", "2000")
    assert result.exit_code == 2
    assert "up to 3,998,000 messages" in result.stderr
    assert "give fewer ranks (-p), or --json or --goal" in result.stderr
    result = cli("draw", "allgather.ring", "-p", "2000")
    assert result.exit_code == 2
    assert "give -p 64 or less" in result.stderr
