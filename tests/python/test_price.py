# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib
import json

import pytest
import roundelay
from helpers import Cli


@pytest.mark.parametrize("p", [1, 2, 5, 8, 12])
def test_it_is_what_the_paper_says(p: int) -> None:
    ring = roundelay.price("allgather.ring", p, 840 * p, alpha=1e-6, beta=1e-9, gamma=1e-10)
    assert ring.name == "allgather.ring"
    assert ring.seconds == pytest.approx((p - 1) * (1e-6 + 840e-9))
    tree = roundelay.price("bcast.binomial", p, 840 * p, alpha=1e-6, beta=1e-9)
    assert tree.seconds == pytest.approx((p - 1).bit_length() * (1e-6 + p * 840e-9))


def test_a_collective_is_compared_cheapest_first(cli: Cli) -> None:
    words = ("price", "allgather", "-p", "8", "--bytes", "1M", "--json")
    rows = json.loads(cli(*words).stdout)
    assert not any(".inter_" in row["name"] for row in rows)
    seconds = [row["seconds"] for row in rows]
    assert len(rows) >= 3
    assert seconds == sorted(seconds)


def test_algorithms_between_groups_are_compared_with_each_other(cli: Cli) -> None:
    words = ("price", "allgather", "-p", "4", "-q", "6", "--bytes", "1M", "--json")
    rows = json.loads(cli(*words).stdout)
    assert len(rows) >= 3
    assert all(".inter_" in row["name"] for row in rows)


def test_with_many_ranks_it_says_how_to_narrow_the_question(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("roundelay.cli.price"), "MANY_RANKS", 4)
    told = cli("price", "bcast", "-p", "5", "--bytes", "64").stderr
    assert "algorithms for 5 ranks takes a while; one algorithm or fewer ranks (-p)" in told
    assert cli("price", "bcast", "-p", "4", "--bytes", "64").stderr == ""
    assert cli("price", "bcast.binomial", "-p", "5", "--bytes", "64").stderr == ""


def test_of_a_collective_what_would_take_minutes_is_left_out_and_named(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = importlib.import_module("roundelay.cli.price")
    monkeypatch.setattr(command, "MANY_RANKS", 4)
    monkeypatch.setattr(command, "MOST_AT_ONCE", 5)
    words = ("price", "allreduce", "-p", "5", "--bytes", "64")
    told = cli(*words)
    assert "left out, because each of them would take minutes: " in told.stderr
    assert "allreduce.two_shot" in told.stderr
    assert "allreduce.two_shot" not in told.stdout
    assert "allreduce.ring" in told.stdout
    alone = cli("price", "allreduce.two_shot(blocks=1)", "-p", "5", "--bytes", "64")
    assert "two_shot" in alone.stdout
    assert alone.stderr == ""


def test_a_table_for_people(cli: Cli) -> None:
    shown = cli(
        "price", "allgather.ring", "-p", "2", "--bytes", "2K", "--alpha", "1", "--beta", "0"
    )
    assert "allgather.ring" in shown.stdout
    assert "1 s" in shown.stdout


def test_places_that_nobody_gave_are_named(cli: Cli) -> None:
    words = ("price", "allreduce", "-p", "5", "--bytes", "64")
    nodes, sites = (f"{kind} 3+2 (assumed; --{kind} changes it)" for kind in ("nodes", "sites"))
    assert cli(*words).stdout.startswith(f"allreduce among 5 ranks, {nodes}, {sites}\n\nalgor")
    given = cli(*words, "--nodes", "2+3").stdout
    assert given.startswith(f"allreduce among 5 ranks, {sites}\n")
    assert cli("price", "allreduce.ring", *words[2:]).stdout.startswith("algorithm")
    shown = cli("trace", "alltoall.lg", "-p", "5").stdout
    assert shown.startswith(f"alltoall.lg: p = 5, 40 bytes, {sites}\n")
    assert "assumed" not in cli("trace", "alltoall.lg", "--sites", "2+3").stdout
    assert cli("draw", "bcast.hier", "-p", "5").stderr == f"roundelay: {nodes}\n"
    assert cli("draw", "bcast.binomial", "-p", "5").stderr == ""


@pytest.mark.parametrize("text", ["1X", "-5", "K", "1.5X", "1.5.5M"])
def test_wrong_sizes_are_refused(cli: Cli, text: str) -> None:
    assert cli("price", "allgather.ring", "-p", "2", f"--bytes={text}").exit_code == 2


def test_what_cannot_run_is_refused(cli: Cli) -> None:
    result = cli("price", "bcast.binomial", "-p", "2", "--bytes", "1", "--root", "2")
    assert result.exit_code == 2
    assert "root 2" in result.stderr


def test_a_length_that_the_ranks_do_not_divide_gets_two_that_they_do(cli: Cli) -> None:
    result = cli("price", "alltoall", "-p", "7", "--bytes", "1K")
    assert result.exit_code == 2
    assert "multiple of the 7 ranks, not 1024: give 1022 or 1029" in result.stderr


@pytest.mark.parametrize("name", ["bcast.binomial", "bcast"])
def test_more_ranks_than_fit_into_memory_are_refused(cli: Cli, name: str) -> None:
    result = cli("price", name, "-p", "16777216", "--bytes", "8")
    assert result.exit_code == 2
    assert "all ranks, which can be 1 to 262144, not 16777216" in result.stderr
    result = cli("price", "allgather", "-p", "200000", "-q", "200000", "--bytes", "8")
    assert "1 to 262144, not 400000" in result.stderr


def test_more_messages_than_fit_into_memory_are_refused(cli: Cli) -> None:
    result = cli("price", "allgather.linear", "-p", "20000", "--bytes", "20000")
    assert result.exit_code == 2
    assert (
        "allgather.linear: with 20000 ranks more than 2000000 messages are in flight at once"
        in result.stderr
    )
    assert "give fewer ranks" in result.stderr


@pytest.mark.parametrize("places", [["--nodes", "2+2"], ["--nodes", "5+5"], ["--sites", "4+6"]])
def test_places_are_of_one_group(cli: Cli, places: list[str]) -> None:
    no_places = "algorithms between two groups of ranks, which take no --nodes and no --sites"
    for name in ("allgather", "allgather.inter_full", "allgather.ring"):
        result = cli("price", name, "-p", "4", "-q", "6", "--bytes", "1K", *places)
        assert result.exit_code == 2
        assert f"-q (--receivers) is for {no_places}" in result.stderr
    for command in (("price", "--bytes", "1K"), ("trace",), ("draw",)):
        result = cli(*command, "allgather.inter_full", *places)
        assert result.exit_code == 2
        assert f"allgather.inter_full is one of the {no_places}" in result.stderr


@pytest.mark.parametrize(
    ("name", "error"),
    [
        (
            "allgather.ring",
            "allgather.ring runs within one group of ranks: leave out -q (--receivers); between "
            "two groups there are allgather.inter_full, allgather.inter_ring, allgather.inter_root",
        ),
        ("scan.chain", "scan.chain runs within one group of ranks: leave out -q (--receivers)"),
        ("scan", "scan has no algorithm between two groups of ranks: leave out -q (--receivers)"),
    ],
)
def test_receivers_are_of_two_groups(cli: Cli, name: str, error: str) -> None:
    result = cli("price", name, "-p", "4", "-q", "6", "--bytes", "1K")
    assert result.exit_code == 2
    assert error in result.stderr


@pytest.mark.parametrize("command", ["price", "explain"])
def test_only_a_barrier_has_no_length(cli: Cli, command: str) -> None:
    assert cli(command, "barrier", "-p", "4").exit_code == 0
    result = cli(command, "barrier", "-p", "4", "--bytes", "8")
    assert result.exit_code == 2
    assert "barrier has no data: leave out --bytes" in result.stderr
    result = cli(command, "bcast", "-p", "4")
    assert result.exit_code == 2
    assert "give the length of the whole message with --bytes, e.g. --bytes 64K" in result.stderr


@pytest.mark.parametrize("time", ["alpha", "beta", "gamma"])
@pytest.mark.parametrize("value", [-1e-6, float("nan"), float("inf")])
def test_a_time_that_cannot_be_is_refused(time: str, value: float) -> None:
    times = {"alpha": 1e-6, "beta": 1e-9, time: value}
    with pytest.raises(ValueError, match=f"{time} must be a finite number and at least 0, not"):
        roundelay.price("bcast.binomial", p=4, nbytes=8, **times)  # type: ignore[arg-type]
