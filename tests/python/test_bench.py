# SPDX-License-Identifier: Apache-2.0
"""What `roundelay bench` makes of samples; tests/mpi/test_bench.py takes them."""

from __future__ import annotations

import dataclasses
import json
import math
import random
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from roundelay import _core
from roundelay.benchmark import cells, formats, picture
from roundelay.benchmark.guidelines import violations
from roundelay.benchmark.samples import (
    About,
    Point,
    about_line,
    bus_bandwidth,
    differ,
    point_line,
    quantile,
    read,
    summary,
)
from roundelay.cli import main

ABOUT = About(4, ("a", "a", "b", "b"), (2, 2, 1, 1), "Some MPI 1.0, built", 1e-7, {"date": "now"})


def point(collective: str, seconds: list[float], setting: str = "native", size: int = 64) -> Point:
    slowest = tuple(i % 4 for i in range(len(seconds)))
    return Point(collective, size, setting, "", tuple(seconds), slowest)


def test_a_summary_leaves_nothing_out() -> None:
    one = summary(point("bcast", [3.0, 1.0, 2.0, 100.0, 2.0]))
    assert (one.count, one.least, one.median, one.p90, one.p99) == (5, 1.0, 2.0, 100.0, 100.0)
    assert one.mean == 108 / 5
    assert one.outliers == 1
    assert one.slowest == 0


def test_quantiles_are_samples() -> None:
    values = [float(i) for i in range(1, 101)]
    assert [quantile(values, share) for share in (0.0, 0.5, 0.9, 0.99, 1.0)] == [1, 50, 90, 99, 100]


def test_confidence_intervals_hold_the_median_as_often_as_they_say() -> None:
    chance = random.Random(1)
    trials = 400
    held = 0
    for _ in range(trials):
        one = summary(point("bcast", [chance.expovariate(1.0) for _ in range(41)]))
        held += one.lower <= 0.693147 <= one.upper
    assert 0.92 < held / trials <= 1


def test_a_difference_has_to_be_larger_than_the_start_is_exact() -> None:
    fast, slow = summary(point("bcast", [1e-6] * 20)), summary(point("bcast", [2e-6] * 20))
    assert differ(fast, slow, 1e-7)
    assert not differ(fast, slow, 1e-5)
    assert not differ(fast, fast, 0)


@pytest.mark.parametrize(
    ("collective", "bus"), [("bcast", 64.0), ("allreduce", 96.0), ("alltoall", 48.0)]
)
def test_bus_bandwidth_is_that_of_the_busiest_port(collective: str, bus: float) -> None:
    assert bus_bandwidth(point(collective, [1.0]), 4, 1.0) == bus


def test_guidelines_need_a_clear_difference() -> None:
    parts = [point("reduce", [1e-3] * 9), point("bcast", [1e-3] * 9)]
    (found,) = violations([point("allreduce", [3e-3] * 9), *parts], 1e-6)
    assert found.text == "allreduce > reduce + bcast"
    assert violations([point("allreduce", [3e-3] * 9), *parts], 1.0) == []
    assert violations([point("allreduce", [2e-3] * 9), *parts], 0) == []
    other = point("allreduce", [3e-3] * 9, setting="chosen")
    assert violations([other, *parts], 0) == []


def test_names_with_commas_in_brackets_are_one() -> None:
    text = "ring, circulant(blocks=16,discipline=paced),scatter_allgather(allgather=x(y=1,z=2))"
    assert cells.named(text) == [
        "ring",
        "circulant(blocks=16,discipline=paced)",
        "scatter_allgather(allgather=x(y=1,z=2))",
    ]
    assert cells.named("") == []


def test_settings_are_those_of_the_collective() -> None:
    assert cells.settings("bcast", []) == ["native", "chosen"]
    assert cells.settings("bcast", ["binomial", "ring"]) == ["native", "chosen", "bcast=binomial"]
    assert cells.settings("reduce", ["bcast.binomial"]) == ["native", "chosen"]
    ours = cells.settings("alltoall", ["all"])
    assert "alltoall=bruck" in ours
    assert not any("inter" in one for one in ours)


def test_what_cannot_run_is_left_out_with_the_reason() -> None:
    three = dataclasses.replace(ABOUT, ranks=3, hosts=("a",) * 3, cores=(4,) * 3)
    wanted = ["hier"]
    (task,), impossible = cells.tasks(["allgather"], [8, 100], wanted, three)
    assert task.settings == ("native", "chosen")
    assert task.cells == ("allgather:12", "allgather:96")
    assert "on several nodes" in impossible["allgather=hier"]


def test_what_can_be_measured_is_what_the_program_has() -> None:
    source = Path(__file__).resolve().parents[2] / "src" / "bench" / "calls.c"
    table = source.read_text().partition("collectives[] = {")[2].partition("};")[0]
    assert cells.measurable() == sorted(re.findall(r'{"(\w+)"', table))


def test_where_the_model_finds_a_wrong_algorithm_the_setting_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def explain(*_: object, **__: object) -> None:
        raise RuntimeError("rank 1, round 2: waits for ever")

    monkeypatch.setattr(_core, "explain", explain)
    (task,), impossible = cells.tasks(["allgather"], [8], ["ring"], ABOUT)
    assert task.settings == ("native", "chosen")
    told = (
        "an algorithm of allgather is broken: rank 1, round 2: waits for ever; "
        "roundelay verify says more"
    )
    assert impossible == {"allgather=ring": told}


def test_a_barrier_has_no_length() -> None:
    (task,), _ = cells.tasks(["barrier"], [8, 16], [], ABOUT)
    assert task.cells == ("barrier:0",)


def test_hosts_with_more_ranks_than_cores_are_named() -> None:
    assert ABOUT.oversubscribed == ["b"]
    assert ABOUT.nodes == [0, 0, 1, 1]


def test_the_number_of_ranks_is_said_as_it_is() -> None:
    assert picture.title(ABOUT) == "4 ranks on 2 hosts, Some MPI 1.0"
    alone = About(1, ("a",), (2,), "Some MPI", 1e-7)
    assert picture.title(alone) == "1 rank on one host, Some MPI"


def test_a_file_keeps_everything(tmp_path: Path) -> None:
    points = [point("bcast", [1.5e-6, 2e-6]), point("reduce", [1e-6], "reduce=ring")]
    points[1] = dataclasses.replace(points[1], ranks=((1e-6,), (2e-6,)))
    file = tmp_path / "samples.jsonl"
    file.write_text(about_line(ABOUT) + "".join(map(point_line, points)))
    assert read(file) == (ABOUT, points)


@pytest.mark.parametrize("text", ["", "{}\n", '{"roundelay_bench": 2}\n', "no JSON\n"])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other"
    file.write_text(text)
    outcome = CliRunner().invoke(main, ["plot", str(file)])
    assert outcome.exit_code == 2
    told = f"{file}:1: not the measurements of roundelay bench or tune"
    assert told in outcome.output.replace("\n", "")


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "broken"
    file.write_text(about_line(ABOUT) + point_line(point("bcast", [1.0]))[:20])
    with pytest.raises(ValueError, match=r"broken:2: not the measurements"):
        read(file)


@pytest.mark.parametrize(
    ("line", "key", "value", "told"),
    [
        (1, "roundelay_bench", 2, '"roundelay_bench" must be 1'),
        (1, "ranks", 3, '"ranks" must be 4, as there are hosts'),
        (1, "hosts", [1, 2], '"hosts" must be a list of one or more names'),
        (1, "cores", [2], '"cores" must be a list of 4 numbers, as many as in "hosts"'),
        (1, "library", 5, '"library" must be a text'),
        (1, "start_seconds", "soon", '"start_seconds" must be a time in seconds'),
        (2, "collective", ["bcast"], '"collective" must be a name'),
        (2, "bytes", -8, '"bytes" must be a number of bytes'),
        (2, "bytes", 10**30, '"bytes" must be a number of bytes'),
        (2, "setting", 5, '"setting" must be a name'),
        (2, "seconds", [], '"seconds" must be a list of one or more times in seconds'),
        (2, "seconds", [math.nan], '"seconds" must be a list of one or more times in seconds'),
        (2, "seconds", ["1"], '"seconds" must be a list of one or more times in seconds'),
        (2, "slowest", [], '"slowest" must be a list of 1 ranks, as many as in "seconds"'),
        (2, "ranks", [[1.0, 2.0]], '"ranks" must be a list of one or more lists of 1 times'),
        (2, None, 0, ""),
    ],
)
def test_a_wrong_value_is_named(
    tmp_path: Path, line: int, key: str | None, value: Any, told: str
) -> None:
    lines = [json.loads(one) for one in (about_line(ABOUT), point_line(point("bcast", [1.0])))]
    lines[line - 1] = {**lines[line - 1], key: value} if key is not None else [[]]
    file = tmp_path / "edited"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    outcome = CliRunner().invoke(main, ["plot", str(file)])
    assert outcome.exit_code == 2
    assert f"{file}:{line}: not the measurements of roundelay bench or tune" in outcome.stderr
    assert told in outcome.stderr


def test_lengths_of_other_benchmarks_are_of_a_block() -> None:
    points = [point("bcast", [2e-6, 4e-6]), point("gather", [1e-6])]
    rows = [line.split() for line in formats.osu(ABOUT, points).splitlines() if line[:1].isdigit()]
    assert rows == [["64", "3.00", "3.00", "3.00", "2"], ["16", "1.00", "1.00", "1.00", "1"]]
    text = formats.imb(ABOUT, points)
    assert "# Benchmarking Gather" in text
    assert text.splitlines()[-1].split() == ["16", "1", "1.00", "1.00", "1.00"]


def test_columns_of_csv_have_names() -> None:
    lines = formats.comma_separated(ABOUT, [point("bcast", [2e-6, 4e-6])]).splitlines()
    assert len(lines) == 2
    assert dict(zip(lines[0].split(","), lines[1].split(",")))["median"] == "0.000003000"


def test_a_page_has_all_in_it(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "samples.jsonl"
    points = [point("bcast", [1e-6, 2e-6], size=size) for size in (8, 64, 512)]
    file.write_text(about_line(ABOUT) + "".join(map(point_line, points)))
    outcome = CliRunner().invoke(main, ["plot", str(file)])
    assert outcome.exit_code == 0, outcome.output
    page = (tmp_path / "samples.html").read_text()
    assert "<svg" in page
    assert "Some MPI 1.0" in page
    assert page.count("<tr>") == 1 + len(points)
    assert "http" not in page.replace("http://www.w3.org", "").replace(
        "http://purl.org", ""
    ).replace("https://matplotlib.org", "").replace("http://creativecommons.org", "")
    svg = tmp_path / "samples.svg"
    assert CliRunner().invoke(main, ["plot", str(file), "-o", str(svg)]).exit_code == 0
    assert svg.read_bytes() == picture.draw(ABOUT, points, ".svg")
    assert svg.read_text().startswith("<?xml")
    nowhere = tmp_path / "nowhere" / "samples.svg"
    outcome = CliRunner().invoke(main, ["plot", str(file), "-o", str(nowhere)])
    assert outcome.exit_code == 1
    assert outcome.output.endswith(
        f"Error: cannot write {nowhere}: there is no folder {nowhere.parent}\n"
    )


def test_a_picture_never_takes_the_place_of_its_data(tmp_path: Path) -> None:
    file = tmp_path / "data.html"
    text = about_line(ABOUT) + point_line(point("bcast", [1.0]))
    file.write_text(text)
    outcome = CliRunner().invoke(main, ["plot", str(file)])
    assert outcome.exit_code == 2
    told = "data.html is the file with the measurements: give another one with -o"
    assert told in " ".join(outcome.output.split())
    assert file.read_text() == text


def test_a_picture_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    file, old = tmp_path / "samples.jsonl", tmp_path / "old.svg"
    file.write_text(about_line(ABOUT) + point_line(point("bcast", [1e-6])))
    old.write_text("old")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    outcome = CliRunner().invoke(main, ["plot", str(file), "-o", str(old)])
    assert outcome.exit_code == 1
    assert f"cannot write {old}: No space left on device" in outcome.output
    assert old.read_text() == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["old.svg", "samples.jsonl"]


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "binary.jsonl"
    file.write_bytes(b"\x7fELF\xff\xfe")
    for command in ("plot", "profile import"):
        outcome = CliRunner().invoke(main, [*command.split(), str(file)])
        assert outcome.exit_code == 2
        told = " ".join(outcome.output.split())
        assert f"cannot read {file}: it is not a text file in UTF-8" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["bcst"], "there is no collective 'bcst' (did you mean 'bcast'?)"),
        (
            ["neighbor_allgather"],
            "neighbor_allgather cannot be measured; it can be: allgather, allgatherv, ",
        ),
        (["bcast", "-a", "bruck"], "none of bcast has an algorithm 'bruck'"),
        (["bcast", "-a", "circulant(blcks=2)"], "has no parameter 'blcks'"),
        (["--sizes", "8:3"], "'8:3' ends before it begins; '3:8' is a range"),
        (["--sizes", "8G"], "'8G' is too long: MPI counts 8 GiB less 4 at most"),
        (["bcast", "-a", "native"], "'native' is always measured: leave it out"),
        (["--sizes", "8:64:1"], "'8:64:1' is not like 8:4M"),
        (["--launcher", ""], "--launcher is empty"),
        (["--launcher", "'"], "--launcher '"),
    ],
)
def test_mistakes_are_named(arguments: list[str], told: str) -> None:
    outcome = CliRunner().invoke(main, ["bench", *arguments])
    assert outcome.exit_code != 0
    assert told in " ".join(outcome.output.split())
