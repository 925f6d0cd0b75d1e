# SPDX-License-Identifier: Apache-2.0
"""roundelay explain: the library's own choice, and the prices behind it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli


def explained(cli: Cli, *arguments: str) -> dict[str, Any]:
    result = cli("explain", *arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


TCP = ["--alpha", "2e-5", "--beta", "8e-9"]


def test_the_cheapest_is_chosen_between_nodes(cli: Cli) -> None:
    found = explained(cli, "allreduce", "-p", "1000", "--bytes", "4M", *TCP)
    cheapest = found["prices"][0]
    assert found["algorithm"] == cheapest["algorithm"]
    assert found["reason"] == "model: cheapest"
    assert found["nodes"] == found["ranks"] == 1000
    assert 0 < cheapest["startup_seconds"] < cheapest["seconds"]
    assert found["prices"] == sorted(found["prices"], key=lambda one: one["seconds"])


def test_a_program_measures_native_and_what_is_at_most_twice_the_best(cli: Cli) -> None:
    found = explained(cli, "allreduce", "-p", "64", "--bytes", "64K", *TCP)
    names = [one["algorithm"] for one in found["candidates"]]
    assert names[:2] == [found["algorithm"], "native"]
    least = found["prices"][0]["seconds"]
    assert all(one["seconds"] <= 2 * least for one in found["candidates"][2:])


def test_short_calls_over_a_fast_network_are_left_to_the_mpi_library(cli: Cli) -> None:
    found = explained(cli, "allreduce", "-p", "64", "--bytes", "64K")
    assert (found["algorithm"], found["reason"]) == ("native", "model: short")
    assert len(found["candidates"]) > 1


def test_ranks_of_a_node_share_its_link(cli: Cli) -> None:
    arguments = ["bcast", "-p", "32", "--bytes", "8M", "--alpha", "1e-4", "--beta", "8e-8"]
    shared = explained(cli, *arguments, "--ranks-per-node", "8")
    assert shared["nodes"] == 4
    assert shared["reason"] == "model: near the limit of the links"
    assert all(one["startup_seconds"] is None for one in shared["prices"])
    placed = explained(cli, *arguments, "--nodes", "8+8+8+8")
    assert placed["prices"] == shared["prices"]


def test_what_the_user_says_is_the_reason(cli: Cli) -> None:
    arguments = ["allgather", "-p", "8", "--bytes", "64K"]
    found = explained(cli, *arguments, "--force", "allgather=ring")
    assert (found["algorithm"], found["reason"]) == ("ring", "forced")
    assert len(found["candidates"]) == 1
    found = explained(cli, *arguments, "--profile", "thakur2005")
    assert found["reason"].startswith("profile thakur2005: rule 1 (")
    found = explained(cli, "reduce", "-p", "8", "--bytes", "64K", "--deterministic")
    assert found["reason"] == "deterministic"


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        (["bcast", "-p", "8"], "chain"),
        (["allgather", "-p", "8"], "native"),
        (["allgather", "-p", "8", "--force", "allgather=ring"], "ring"),
        (["bcast", "-p", "8", "--ranks-per-node", "8"], "linear"),
        (["alltoall", "-p", "8", "--ranks-per-node", "8"], "native"),
        (["bcast", "-p", "8", "--ranks-per-node", "8", "--mpi", "mpich"], "linear"),
        (
            ["bcast", "-p", "8", "--ranks-per-node", "8", "--mpi", "mpich", "--oversubscribed"],
            "native",
        ),
        (["bcast", "-p", "8", "--mpi", "mpich", "--oversubscribed"], "native"),
    ],
)
def test_what_calls_that_do_not_wait_run(cli: Cli, arguments: list[str], runs: str) -> None:
    arguments += ["--bytes", "1M", "--alpha", "1e-4", "--beta", "8e-8"]
    assert explained(cli, *arguments)["nonblocking"] == runs
    name = arguments[0]
    assert f"MPI_I{name}, MPI_{name.title()}_init: {runs}\n" in cli("explain", *arguments).stdout


def test_a_torus_is_used_where_each_of_its_nodes_has_a_rank(cli: Cli, tmp_path: Path) -> None:
    machine = tmp_path / "machine.json"
    machine.write_text('{"version": 1, "network": {"torus": [8, 8]}}')
    of = ["allreduce", "--bytes", "4M", "--machine", str(machine)]
    text = cli("explain", *of, "-p", "64").stdout
    assert "\ntorus of 8x8 nodes\n" in text
    assert "swing(x=8)" in text
    text = cli("explain", *of, "-p", "128", "--ranks-per-node", "2").stdout
    assert "\ntorus of 8x8 nodes is not used: it is for one rank on each of its nodes\n" in text
    assert "swing(x=8)" not in text
    assert not explained(cli, *of, "-p", "32")["uses_torus"]


def test_a_machine_file_counts(cli: Cli, tmp_path: Path) -> None:
    machine = tmp_path / "machine.json"
    machine.write_text('{"version": 1, "network": {"startup": 1e-3, "byte": 1e-12}}')
    arguments = ["allreduce", "-p", "64", "--bytes", "1M"]
    found = explained(cli, *arguments, "--machine", str(machine))
    assert found["prices"][0]["algorithm"].startswith("recursive_doubling(radix=")
    shown = cli("explain", *arguments, "--machine", str(machine)).stdout
    assert "on 64 nodes, 1 ms a message, 1000 GB/s" in shown
    machine.write_text("{}")
    result = cli("explain", *arguments, "--machine", str(machine))
    assert result.exit_code == 2
    assert f'{machine}:1: "version" is missing; it must be 1' in result.stderr


def test_a_slow_startup_of_a_machine_file_is_that_of_tcp(cli: Cli, tmp_path: Path) -> None:
    machine = tmp_path / "machine.json"
    machine.write_text('{"version": 1, "network": {"startup": 3e-5, "byte": 8e-8, "gap": 7.5e-6}}')
    arguments = ["allreduce", "-p", "8", "--bytes", "1M"]
    said = explained(cli, *arguments, "--machine", str(machine))
    given = explained(cli, *arguments, "--alpha", "3e-5", "--beta", "8e-8")
    assert said["prices"] == given["prices"]


def test_the_table_marks_what_is_chosen_and_what_is_measured(cli: Cli) -> None:
    result = cli("explain", "allreduce", "-p", "1000", "--bytes", "4M")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("allreduce of 4194304 B, 1000 ranks on 1000 nodes, 1 us a message")
    assert sum(line.rstrip().endswith("chosen") for line in lines) == 1
    assert any(line.startswith("native") and line.rstrip().endswith("*") for line in lines)
    assert all(len(line) <= 80 for line in lines[1:]), result.stdout
    assert not any(line.endswith(" ") for line in lines)


def test_where_the_table_is_too_wide_what_bytes_take_is_left_out(cli: Cli) -> None:
    words = ("explain", "allreduce", "-p", "1000", "--bytes", "4M")
    force = ("--force", "allreduce=lanes(reduce_scatter=recursive_halving,allgatherv=bruck)")
    wide = cli(*words, *force, "--ranks-per-node", "2").stdout.splitlines()
    head = next(line for line in wide if line.startswith("algorithm"))
    assert head.split() == ["algorithm", "time", "start-ups", "ratio"]
    assert any(
        line.startswith("lanes(reduce_scatter=recursive_halving, allgatherv=bruck) ")
        or line.startswith("lanes(reduce_scatter=recursive_halving,allgatherv=bruck) ")
        for line in wide
    ), wide
    assert "bytes" in cli(*words).stdout


def test_without_prices_the_choice_is_said(cli: Cli) -> None:
    result = cli("explain", "bcast", "-p", "1", "--bytes", "64")
    assert result.exit_code == 0
    assert "native: one rank" in result.stdout
    assert "the model has no times for this call" in result.stdout


@pytest.mark.parametrize("collective", ["allreduce", "bcast", "alltoall", "gather", "scan"])
def test_nothing_is_sent_without_data(cli: Cli, collective: str) -> None:
    found = explained(cli, collective, "-p", "4", "--bytes", "0")
    assert (found["algorithm"], found["reason"], found["prices"]) == ("nothing", "no data", [])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["bcst", "-p", "4"], "there is no collective 'bcst' (did you mean 'bcast'?)"),
        (["bcast"], "give the number of ranks"),
        (["bcast", "--nodes", "2+2", "--ranks-per-node", "2"], "exclude each other"),
        (["bcast", "-p", "4", "--force", "bcast=wrong"], "bcast has no algorithm 'wrong'"),
        (["bcast", "-p", "4", "--profile", "./missing.json"], "missing.json"),
        (["bcast", "-p", "4", "--alpha", "0"], "--alpha"),
        (["bcast", "-p", "4", "--mpi", "intel"], "'intel' is none of openmpi, mpich"),
    ],
)
def test_what_cannot_be_meant_is_refused(cli: Cli, arguments: list[str], error: str) -> None:
    result = cli("explain", *arguments, "--bytes", "64K")
    assert result.exit_code == 2, result.output
    assert error in result.stderr


@pytest.mark.parametrize("force", ["allreduce=ring", "bcast=inter_joined"])
def test_an_algorithm_for_something_else_is_noticed(cli: Cli, force: str) -> None:
    words = ("explain", "bcast", "-p", "4", "--bytes", "64K", "--force")
    assert "--force has no algorithm for bcast within one group" in cli(*words, force).stderr
    assert cli(*words, f"{force}; bcast=binomial").stderr == ""


def test_a_barrier_is_explained_without_a_length(cli: Cli) -> None:
    result = cli("explain", "barrier", "-p", "4")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("barrier, 4 ranks on 4 nodes, 1 us a message")


def test_a_rule_that_cannot_hold_is_named(cli: Cli, tmp_path: Path) -> None:
    profile = tmp_path / "p.json"
    rules = {"allgather": [{"algorithm": "hier"}]}
    profile.write_text(json.dumps({"version": 1, "name": "p", "collectives": rules}))
    arguments = ["allgather", "-p", "4", "--bytes", "64K", "--profile", str(profile)]
    result = cli("explain", *arguments, "--ranks-per-node", "4")
    assert result.exit_code == 2, result.output
    assert "allgather=hier is what profile p: rule 1" in result.stderr


@pytest.mark.parametrize(
    ("where", "algorithm", "reason"),
    [
        (["--ranks-per-node", "4"], "direct", "model: the same messages, through memory"),
        (
            ["--ranks-per-node", "4", "--oversubscribed", "--mpi", "mpich"],
            "direct",
            "model: the MPI library keeps cores while it waits",
        ),
        ([], "native", "model: the MPI library does the same"),
    ],
)
def test_neighbours_are_on_a_circle(
    cli: Cli, where: list[str], algorithm: str, reason: str
) -> None:
    found = explained(cli, "neighbor_alltoall", "-p", "4", "--bytes", "1K", *where)
    assert (found["algorithm"], found["reason"]) == (algorithm, reason)


@pytest.mark.parametrize("collective", ["gatherv", "scatterv"])
def test_where_no_rank_knows_the_length_the_choice_does_not_depend_on_it(
    cli: Cli, collective: str
) -> None:
    """As a program does it: each of these calls is decided without a length."""
    found = explained(cli, collective, "-p", "4")
    assert (found["algorithm"], found["bytes"]) == ("native", 0)
    assert found["reason"] == "model: the ranks do not share the length"
    assert explained(cli, collective, "--nodes", "4")["algorithm"] == "linear"
    result = cli("explain", collective, "-p", "4", "--bytes", "64K")
    assert result.exit_code == 2
    assert f"in {collective} no rank knows the length of the whole message" in result.stderr


def test_what_runs_until_the_ranks_have_agreed_on_the_length(cli: Cli) -> None:
    arguments = ["alltoallv", "-p", "4", "--bytes", "64K"]
    found = explained(cli, *arguments)
    assert found["algorithm"] != "native"
    until = {"algorithm": "native", "reason": "model: the ranks do not share the length"}
    assert found["until_agreed"] == until
    shown = cli("explain", *arguments).stdout
    assert "until the ranks have agreed on the length: native: model: the ranks do not" in shown


def test_on_one_node_the_ranks_agree_on_no_length(cli: Cli) -> None:
    choices = {
        (found["algorithm"], found["until_agreed"]["algorithm"])
        for length in ("8", "64K", "16M")
        for found in [explained(cli, "alltoallv", "--nodes", "8", "--bytes", length)]
    }
    assert len(choices) == 1
    assert len(set(*choices)) == 1
    assert "until" not in cli("explain", "alltoallv", "--nodes", "8", "--bytes", "64K").stdout
