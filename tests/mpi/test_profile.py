# SPDX-License-Identifier: Apache-2.0
"""Profiles and ROUNDELAY_DETERMINISTIC in running programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from launching import Mpi, Outcome, in_ranks, launch, mpiexec, run, settings_of

Program = Callable[[str], Path]
TRACED = re.compile(
    r"^roundelay: \d+ (?P<collective>\w+) (?P<bytes>\d+) B, \d+ ranks: "
    r"(?P<algorithm>.*?) \((?P<reason>.*)\)$",
    re.MULTILINE,
)


def profile_file(folder: Path, collectives: Mapping[str, Any], name: str = "test") -> Path:
    path = folder / f"{name}.json"
    text = json.dumps({"version": 1, "name": name, "collectives": collectives}, indent=1)
    path.write_text(text)
    return path


def traced(outcome: Outcome) -> dict[tuple[str, int], tuple[str, str]]:
    """What ran, and why, by collective and bytes."""
    return {
        (call["collective"], int(call["bytes"])): (call["algorithm"], call["reason"])
        for call in TRACED.finditer(outcome.ok().stderr)
    }


def launch_lengths(
    mpi: Mpi, program: Program, ranks: int, profile: object, lengths: list[int], **env: str
) -> Outcome:
    settings = {"ROUNDELAY_TRACE": "1", "ROUNDELAY_REPORT": "off", **env}
    settings["ROUNDELAY_PROFILE"] = str(profile)
    return launch(mpi, ranks, [program("traps/lengths.c"), *lengths], env=settings)


def told(outcome: Outcome) -> str:
    """The one message of a run that must fail."""
    assert outcome.returncode != 0, outcome.text
    assert "finished" not in outcome.stdout, outcome.text
    lines = [line for line in outcome.stderr.splitlines() if line.startswith("roundelay")]
    assert len(lines) == 1, outcome.text
    return lines[0]


def test_cut_offs_hold_to_the_byte(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    """All these lengths are of one size class, and come in an order that mixes the rules."""
    rules = [
        {"algorithm": "binomial", "bytes": [0, 299]},
        {"algorithm": "scatter_allgather", "bytes": [300, 400]},
        {"algorithm": "native", "bytes": [450, "inf"]},
    ]
    blocks = [
        {"algorithm": "ring", "block_bytes": [0, 350]},
        {"algorithm": "bruck"},
    ]
    path = profile_file(tmp_path, {"bcast": rules, "allgather": blocks})
    lengths = [300, 299, 450, 400, 351, 401, 449, 257, 350, 511, 300]
    ran = traced(launch_lengths(mpi, program, 3, path, lengths))
    for length in lengths:
        algorithm, reason = ran["bcast", length]
        expected = (
            "binomial" if length < 300 else "scatter_allgather" if length <= 400 else "native"
        )
        if 400 < length < 450:
            assert reason.startswith("model"), (length, reason)
        else:
            assert (algorithm, reason.startswith("profile test: rule")) == (expected, True), length
        algorithm, reason = ran["allgather", 3 * length]
        assert algorithm == ("ring" if length <= 350 else "bruck"), length
        # Partial: nothing is said of it.
        assert not ran["allreduce", length][1].startswith("profile")


def test_the_reason_names_rule_and_line(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    rules = [{"algorithm": "ring", "ranks": [7, 9]}, {"algorithm": "bruck"}]
    path = profile_file(tmp_path, {"allgather": rules})
    line = path.read_text().splitlines().index('    "algorithm": "bruck"')
    ran = traced(launch_lengths(mpi, program, 2, path, [100]))
    assert ran["allgather", 200] == ("bruck", f"profile test: rule 2 ({path}:{line})")


def test_what_is_forced_stands_above_the_profile(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    path = profile_file(tmp_path, {"allgather": [{"algorithm": "bruck"}]})
    outcome = launch_lengths(mpi, program, 2, path, [100], ROUNDELAY="allgather=ring")
    assert traced(outcome)["allgather", 200] == ("ring", "forced")


def test_nodes_are_counted_where_a_rule_asks(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    rules = [
        {"algorithm": "ring", "nodes": [2, "inf"]},
        {"algorithm": "bruck", "nodes": [1, 1], "ranks_per_node": [3, 3]},
        {"algorithm": "native"},
    ]
    path = profile_file(tmp_path, {"allgather": rules})
    ran = traced(launch_lengths(mpi, program, 3, path, [100]))
    assert ran["allgather", 300][0] == "bruck"


def of_the_paper(collective: str, ranks: int, length: int) -> str:
    """What section 4 of Thakur, Rabenseifner, Gropp 2005 says for predefined operations."""
    power = ranks & (ranks - 1) == 0
    block = length // ranks
    if collective == "allgather":
        if power:
            return "recursive_doubling" if length < 512 * 1024 else "ring"
        return "bruck" if length < 80 * 1024 else "ring"
    if collective == "alltoall":
        return "bruck" if block <= 256 else "scattered" if block <= 32 * 1024 else "pairwise"
    if collective == "bcast":
        if ranks < 8 or length < 12 * 1024:
            return "binomial"
        inner = "recursive_doubling" if power and length < 512 * 1024 else "ring"
        return f"scatter_allgather(allgather={inner})"
    if collective == "reduce":
        return "binomial" if length <= 2048 else "rabenseifner"
    if collective == "allreduce":
        return "recursive_doubling" if length <= 2048 else "rabenseifner"
    assert collective == "reduce_scatter_block"
    return "recursive_halving" if length < 512 * 1024 else "pairwise"


@pytest.mark.parametrize("ranks", [3, 4, 8])
def test_the_cut_offs_of_the_paper(mpi: Mpi, program: Program, ranks: int) -> None:
    messages = [2048, 2049, 12287, 12288, 524287, 524288]
    totals = [81919, 81920, 524287, 524288]
    blocks = [256, 257, 32768, 32769] + [
        total // ranks + extra for total in totals for extra in (0, 1)
    ]
    ran = traced(launch_lengths(mpi, program, ranks, "thakur2005", [*messages, *blocks]))
    collectives = {collective for collective, _ in ran}
    assert collectives == {
        "allgather", "allreduce", "alltoall", "bcast", "reduce", "reduce_scatter_block"
    }  # fmt: skip
    for (collective, length), (algorithm, reason) in ran.items():
        assert reason.startswith("profile thakur2005: rule "), (collective, length, reason)
        expected = of_the_paper(collective, ranks, length)
        # A default is left out.
        assert algorithm in (expected, expected.partition("(")[0]), (collective, length)


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ('{"version": 1,\n "name": }', 2, "this is not JSON"),
        ("", 1, "this is not JSON"),
        ('{"version": 1, "name": "x",\n\n"colectives": {}}', 3, '"colectives"'),
        ('{"version": 1, "name": "x", "collectives":\n{"bcst": []}}', 2, "allgather, "),
        (
            '{"version": 1, "name": "x", "collectives": {"bcast": [\n{"algorithm": "binomal"}]}}',
            2,
            "binomial",
        ),
    ],
)
def test_malformed_profiles_are_an_error_with_file_and_line(
    mpi: Mpi, program: Program, tmp_path: Path, content: str, line: int, says: str
) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(content)
    error = told(launch_lengths(mpi, program, 2, path, [100]))
    assert f"{path}:{line}: " in error
    assert says in error


def test_profiles_that_are_not_there(mpi: Mpi, program: Program, tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    assert f"{missing}: cannot be read" in told(launch_lengths(mpi, program, 2, missing, [100]))
    assert "Is a directory" in told(launch_lengths(mpi, program, 2, tmp_path, [100]))
    assert "the built-in profiles are: thakur2005" in told(
        launch_lengths(mpi, program, 2, "thakur", [100])
    )


def test_a_rule_that_cannot_hold_for_a_call_is_an_error_of_the_call(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    path = profile_file(tmp_path, {"allreduce": [{"algorithm": "ring"}]})
    env = {"ROUNDELAY_PROFILE": str(path)}
    error = told(launch(mpi, 3, [program("traps/ordered.c")], env=env))
    assert f"{path}:" in error
    assert "must be commutative" in error
    assert "recursive_doubling" in error


def test_ranks_with_different_profiles_step_aside(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    """The same rules under another path are the same profile; other rules are not."""
    copies = []
    for folder, algorithm in (("a", "ring"), ("b", "ring"), ("c", "bruck")):
        (tmp_path / folder).mkdir()
        rules = {"allgather": [{"algorithm": algorithm}]}
        copies.append(profile_file(tmp_path / folder, rules))
    reports = {"ROUNDELAY_REPORT": "off", "ROUNDELAY_TRACE": "1"}

    def launch_two(first: Path, second: Path) -> Outcome:
        groups = []
        for path in (first, second):
            env = {**reports, "ROUNDELAY_PROFILE": str(path)}
            settings = settings_of(mpi, preload=True, env=env)
            groups.append((1, in_ranks(mpi, settings, [program("traps/lengths.c"), 100])))
        return run(mpiexec(mpi, groups), env=mpi.root_env)

    assert traced(launch_two(copies[0], copies[1]))["allgather", 200][0] == "ring"
    outcome = launch_two(copies[0], copies[2])
    reason = "settings differ between ranks"
    assert traced(outcome)["allgather", 200] == ("native", reason), outcome.text
    assert f"ROUNDELAY_PROFILE={copies[0]}" in outcome.stderr


def bits(outcome: Outcome) -> str:
    found = re.search(r"^bits (.*)$", outcome.ok().stdout, re.MULTILINE)
    assert found, outcome.text
    return found[1]


@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_deterministic_results_depend_on_nothing_but_the_ranks(
    mpi: Mpi, program: Program, ranks: int, tmp_path: Path
) -> None:
    """The program compares lengths, roots and blocks; here, what else might matter."""
    command = [program("traps/deterministic.c")]
    shared = {"ROUNDELAY_DETERMINISTIC": "1"}
    others = (
        {"ROUNDELAY_WAIT": "sleep"},
        {"ROUNDELAY_PROFILE": "thakur2005"},
        {"ROUNDELAY": "bcast=native; allgather=ring"},
    )
    report = tmp_path / "report"
    outcome = launch(mpi, ranks, command, env=shared, report=report)
    first = bits(outcome)
    assert outcome.report is not None
    ran = {row["collective"]: row["reason"] for row in outcome.report["calls"]}
    combining = ("allreduce", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
    assert {ran[collective] for collective in combining} == {"deterministic"}
    for other in others:
        assert bits(launch(mpi, ranks, command, env={**shared, **other})) == first


def test_the_program_sees_an_order_that_is_not_fixed(mpi: Mpi, program: Program) -> None:
    env = {"ROUNDELAY": "allreduce=ring"}
    outcome = launch(mpi, 5, [program("traps/deterministic.c")], env=env)
    assert outcome.returncode != 0, outcome.text
    assert "not true: bits == *seen" in outcome.stderr


def test_deterministic_and_an_algorithm_that_is_not(mpi: Mpi, program: Program) -> None:
    env = {"ROUNDELAY_DETERMINISTIC": "1", "ROUNDELAY": "allreduce=ring"}
    error = told(launch(mpi, 2, [program("traps/collectives.c")], env=env))
    assert "ROUNDELAY_DETERMINISTIC=1 does not allow allreduce=ring" in error
    assert "recursive_doubling" in error
