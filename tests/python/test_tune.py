# SPDX-License-Identifier: Apache-2.0
"""What `roundelay tune` measures, and what it makes of it; tests/mpi/test_tune.py runs it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from roundelay.benchmark.samples import About, Point, about_line, point_line
from roundelay.benchmark.tuning import (
    Measurements,
    Plan,
    as_text,
    lengths_of,
    mix_of,
    profile,
    tasks_of,
)
from roundelay.cli import main
from roundelay.cli.measuring import MOST_MEASURED_BYTES
from roundelay.cli.tune import _known, _mix, _plans, _write
from roundelay.profiles import load_profile

command = import_module("roundelay.cli.tune")  # which has a command of that name
ABOUT = About(4, ("a", "a", "b", "b"), (2,) * 4, "Some MPI", 1e-9)
LENGTHS = tuple(1 << power for power in range(3, 21))
SETTINGS = ("native", "bcast=binomial", "bcast=circulant", "bcast=chain", "bcast=linear")


def seconds(setting: str, length: int) -> float:
    """Start-ups and bytes: binomial is the best from 100 bytes on, circulant from 100000 on."""
    parts = {
        "native": (1e-6, 1e-8),
        "bcast=binomial": (1.5e-6, 5e-9),
        "bcast=circulant": (1.015e-4, 4e-9),
        "bcast=chain": (1e-3, 1e-7),
        "bcast=linear": (2e-3, 1e-7),
    }
    startup, byte = parts[setting]
    return startup + byte * length


def measured(plan: Plan) -> tuple[Measurements, int]:
    """All that the plan wants, and how many points that took."""
    known = Measurements(ABOUT)
    points = 0
    while needed := plan.needed(known):
        for length, settings in needed.items():
            for setting in settings:
                samples = tuple(seconds(setting, length) * (1 + 0.001 * i) for i in range(9))
                known.add(Point("bcast", length, setting, "", samples, (0,) * 9))
                points += 1
    return known, points


def test_crossing_points_are_found_with_few_measurements() -> None:
    plan = Plan("bcast", LENGTHS, SETTINGS)
    known, points = measured(plan)
    rules = plan.rules(known)
    assert [setting for _, setting in rules] == ["native", "bcast=binomial", "bcast=circulant"]
    # Between the two neighbours where it is.
    assert 64 < rules[1][0] <= 256
    assert 65536 < rules[2][0] <= 262144
    assert points < len(LENGTHS) * len(SETTINGS) / 2


def test_one_length_is_enough_for_a_barrier() -> None:
    plan = Plan("barrier", (0,), ("native", "barrier=linear"))
    known = Measurements(ABOUT)
    assert plan.needed(known) == {0: ["native", "barrier=linear"]}
    for setting, value in (("native", 2e-6), ("barrier=linear", 1e-6)):
        known.add(Point("barrier", 0, setting, "", (value,) * 9, (0,) * 9))
    assert plan.needed(known) == {}
    assert plan.rules(known) == [(0, "barrier=linear")]
    (rule,) = profile("x", [plan], known, {})["collectives"]["barrier"]
    assert rule == {
        "algorithm": "linear", "ranks": [4, 4], "nodes": [2, 2], "ranks_per_node": [2, 2],
    }  # fmt: skip


def test_what_is_close_is_measured_again_once() -> None:
    plan = Plan("bcast", (8,), SETTINGS[:2])
    known = Measurements(ABOUT)
    for _ in range(2):
        assert plan.needed(known) == {8: list(SETTINGS[:2])}
        for setting in SETTINGS[:2]:
            known.add(Point("bcast", 8, setting, "", (1e-6, 1.2e-6, 1.1e-6), (0,) * 3))
    assert plan.needed(known) == {}
    assert plan.rules(known) == [(0, "native")]


def test_native_stays_where_nothing_is_clearly_faster() -> None:
    plan = Plan("bcast", (8,), SETTINGS[:2])
    for ours, winner in ((0.98e-6, "native"), (0.9e-6, "bcast=binomial")):
        known = Measurements(ABOUT)
        known.add(Point("bcast", 8, "native", "", (1e-6,) * 9, (0,) * 9))
        known.add(Point("bcast", 8, "bcast=binomial", "", (ours,) * 9, (0,) * 9))
        assert plan.rules(known) == [(0, winner)]


def test_the_profile_is_one_for_the_library(tmp_path: Path) -> None:
    plan = Plan("bcast", LENGTHS, SETTINGS)
    known, _ = measured(plan)
    file = tmp_path / "my profile.json"
    file.write_text(as_text(profile(file.stem, [plan], known, {"date": "today"})))
    one = load_profile(str(file))
    assert one.name == "my_profile"
    assert [rule.algorithm for rule in one.rules] == ["native", "binomial", "circulant"]
    assert one.document["collectives"]["bcast"][-1]["bytes"][1] == "inf"
    assert one.document["provenance"]["mpi"] == "Some MPI"


def test_tasks_name_a_cell_each() -> None:
    (one, other) = tasks_of({"bcast": {64: ["native"], 8: ["native", "bcast=chain"]}})
    assert one.words == ["-s", "native", "-s", "bcast=chain", "bcast:8"]
    assert other.words == ["-s", "native", "bcast:64"]


def test_the_lengths_of_a_program_have_both_ends() -> None:
    assert lengths_of(12, 100) == [12, 24, 48, 96, 100]
    assert lengths_of(12, 12) == [12]
    assert lengths_of(0, 3) == [1, 2, 3]
    rows = [
        {"collective": "bcast", "least_bytes": 8, "most_bytes": 64},
        {"collective": "bcast", "least_bytes": 4, "most_bytes": 4},
    ]
    assert mix_of({"calls": rows}) == {"bcast": (4, 64)}


def test_calls_that_do_not_wait_count_as_the_others() -> None:
    rows = [
        {"collective": "allreduce", "least_bytes": 8, "most_bytes": 64},
        {"collective": "iallreduce", "least_bytes": 4, "most_bytes": 16},
        {"collective": "allreduce_init", "least_bytes": 32, "most_bytes": 256},
        {"collective": "ibcast", "least_bytes": 0, "most_bytes": 0},  # nobody knows its length
        {"collective": "barrier_init", "least_bytes": 0, "most_bytes": 0},
        {"collective": "ineighbor_allgather", "least_bytes": 8, "most_bytes": 8},
    ]
    assert mix_of({"calls": rows}) == {
        "allreduce": (4, 256), "barrier": (0, 0), "neighbor_allgather": (8, 8),
    }  # fmt: skip


def test_what_cannot_be_tuned_of_a_program_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mix.json"
    names = ("neighbor_alltoall_init", "alltoallv", "allreduce_init")
    rows = [{"collective": name, "least_bytes": 8, "most_bytes": 64} for name in names]
    file.write_text(json.dumps({"calls": rows}))
    assert _mix(file) == {"allreduce": (8, 64)}
    assert capsys.readouterr().err.splitlines() == [
        "roundelay: left out, because roundelay bench does not have it: neighbor_alltoall",
        "roundelay: left out, because the ranks do not know the length of the whole message, "
        "so no rule can depend on it: alltoallv",
    ]


def test_a_program_with_longer_messages_than_can_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mix.json"
    row = {"collective": "bcast", "least_bytes": 8, "most_bytes": 1 << 40}
    file.write_text(json.dumps({"calls": [row]}))
    assert _mix(file) == {"bcast": (8, MOST_MEASURED_BYTES)}
    assert "bcast: " in capsys.readouterr().err


def test_one_rank_has_nothing_to_choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = About(1, ("a",), (2,), "Some MPI", 1e-9)
    monkeypatch.setattr(command.job, "bed", lambda launcher, mpi: None)
    monkeypatch.setattr(command, "looked", lambda where: alone)
    outcome = CliRunner().invoke(main, ["tune", "bcast", "-o", str(tmp_path / "p.json")])
    assert outcome.exit_code == 1
    assert "with one rank there is nothing to choose: start two or more" in outcome.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [("tune", "bcast"), ("calibrate",)])
def test_an_output_that_cannot_be_written_is_refused_before_the_measurement(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    output = tmp_path / "nowhere" / "file.json"
    outcome = CliRunner().invoke(main, [*words, "--launcher", "no-launcher", "-o", str(output)])
    assert outcome.exit_code == 1
    assert f"cannot write {output}: there is no folder {output.parent}" in outcome.stderr


def test_what_is_left_out_for_one_reason_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    one_node = replace(ABOUT, hosts=("a",) * 4)
    _plans({"allgather": [8], "barrier": [0]}, ["all"], one_node)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("roundelay: left out, because the ranks must be on several nodes")
    assert line.endswith(": hier, lanes, local_bruck")


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "known.jsonl"
    assert _known(file, ABOUT)[1] is False
    point = Point("bcast", 8, "native", "", (1.0,), (0,))
    file.write_text(about_line(ABOUT) + point_line(point) + point_line(point)[:30])
    known, resumes = _known(file, ABOUT)
    assert resumes
    assert known.passes(("bcast", 8), "native") == 1
    assert file.read_text() == about_line(ABOUT) + point_line(point)
    other = About(3, ("a",) * 3, (2,) * 3, "Some MPI", 1e-9)
    with pytest.raises(ValueError, match=r"another job \(4 ranks, Some MPI\)"):
        _known(file, other)


@pytest.mark.parametrize("text", ["my diary\nof today", "no end", "\n"])
def test_a_file_that_is_not_its_own_stays_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "diary"
    file.write_text(text)
    with pytest.raises(ValueError, match="diary:1: not the measurements of roundelay bench or"):
        _known(file, ABOUT)
    assert file.read_text() == text


def test_a_binary_file_is_not_its_own(tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(ValueError, match="program: it is not a text file"):
        _known(tmp_path / "program", ABOUT)


@pytest.mark.parametrize("name", ["e", "q.jsonl", "p.json"])
def test_the_measurements_have_a_file_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    files: list[Path] = []

    def tune(*words: Any) -> int:
        files.extend(words[-2:])
        return 0

    monkeypatch.setattr(command, "_tune", tune)
    outcome = CliRunner().invoke(main, ["tune", "bcast", "-o", str(tmp_path / name)])
    assert outcome.exit_code == 0
    assert files == [tmp_path / f"{name}.jsonl", tmp_path / name]


def test_the_command_that_uses_the_profile_can_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, file in (("e", "./e"), ("e.json", "e.json"), (f"{tmp_path}/e", f"{tmp_path}/e")):
        assert _write(profile("e", [], Measurements(ABOUT), {}), Path(name)) == 0
        told = f"use it with roundelay run --profile {file} .."
        assert told in " ".join(capsys.readouterr().err.split())
        assert load_profile(file).name == "e"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["bcst"], "there is no collective 'bcst'"),
        (["alltoallv"], "alltoallv cannot be tuned: the ranks do not know the length"),
        (["neighbor_alltoall"], "neighbor_alltoall cannot be measured; it can be: allgather, "),
        (["bcast", "-a", "bruck"], "none of bcast has an algorithm 'bruck'"),
        (["bcast", "-a", "native,chain"], "'native' is always measured: leave it out"),
        (["bcast", "--from", "FILE"], "--from says which collectives are tuned"),
        (["bcast", "-a", "all,chain"], "'all' means every algorithm: leave the other names out"),
        (["bcast", "-a", ""], "-a is empty: give all, or names such as ring,bruck"),
        (["bcast", "-a", "chain("], "'chain(': a bracket is not closed"),
        (["--from", "FILE", "--sizes", "8:4M"], "--from says which lengths are tuned: leave --s"),
        (["--from", "DEEP"], "DEEP: not what roundelay record writes"),
        *(
            (["--from", name], f"{name}: not what roundelay record writes: bcast: its lengths can")
            for name in ("TEXT", "HALF", "NAN", "REVERSED", "NEGATIVE")
        ),
        (["--from", "FILE"], "FILE: not what roundelay record writes"),
        (["--from", "EMPTY"], "EMPTY: it has no collective"),
        (["bcast", "--measurements", "p.json"], "p.json is the file with the measurements: give"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, arguments: list[str], told: str) -> None:
    def of_bcast(least: Any, most: Any) -> str:
        row = {"collective": "bcast", "least_bytes": least, "most_bytes": most}
        return json.dumps({"calls": [row]})

    files = {
        "FILE": "[]", "EMPTY": json.dumps({"calls": []}), "DEEP": "[" * 100_000,
        "TEXT": of_bcast("8", "64"), "HALF": of_bcast(8.5, 64), "NAN": of_bcast(math.nan, 64),
        "REVERSED": of_bcast(64, 8), "NEGATIVE": of_bcast(-8, 64),
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "p.json").touch()
    own = (*files, "p.json")
    words = [str(tmp_path / word) if word in own else word for word in arguments]
    outcome = CliRunner().invoke(main, ["tune", *words, "-o", str(tmp_path / "p.json")])
    assert outcome.exit_code == 2, outcome.output
    assert told in " ".join(outcome.output.replace(f"{tmp_path}/", "").split())
