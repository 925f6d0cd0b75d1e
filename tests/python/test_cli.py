# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete
from helpers import Cli
from hypothesis import given
from hypothesis import strategies as st
from roundelay import _core
from roundelay.benchmark import cells
from roundelay.catalogue import algorithms
from roundelay.cli import main
from roundelay.cli.common import parse_bytes, parse_ranks, ranges
from roundelay.cli.tune import EVERY
from roundelay.cli.values import Number, Whole, Word
from roundelay.drawing import Draft, Story, picture, tell
from roundelay.interpreters import trace
from roundelay.trace_length import trace_length
from roundelay.units import size_text


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
    ("size", "text"),
    [
        (1023, "1023 B"),
        (9728, "9.5 KiB"),
        (65536, "64 KiB"),
        (65537, "65537 B"),
        (1000000, "1000000 B"),
        ((1 << 20) + 1, "1048577 B"),
        (3 << 19, "1.5 MiB"),
    ],
)
def test_no_two_sizes_are_printed_alike(size: int, text: str) -> None:
    assert size_text(size) == text
    assert parse_bytes(click.Context(main), main.params[0], text) == size


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("verfy",), "there is no command 'verfy' (did you mean 'verify'?); there are: bench,"),
        (("list", "allgathr"), "there is no collective 'allgathr' (did you mean 'allgather'?)"),
        (("trace", "brck", "-p", "4"), "there is no algorithm 'brck' (did you mean 'bruck'?)"),
        (("trace", "bcast.binomal", "-p", "4"), "(did you mean 'binomial'?)"),
        (("trace", "bcst.binomial", "-p", "4"), "(did you mean 'bcast'?)"),
        (("trace", "bcast.circulant(block=3)", "-p", "4"), "(did you mean 'blocks'?)"),
        (("profile", "show", "thakr2005"), "(did you mean 'thakur2005'?)"),
        (("simulate", "--platform", "clster:8", "bcast", "8"), "(did you mean 'cluster'?)"),
        (("simulate", "--platform", "ring:8", "bcst", "8"), "(did you mean 'bcast'?)"),
        (
            ("simulate", "--platform", "cluster:x", "bcast", "8"),
            "'cluster:x': a number is missing;",
        ),
        (("simulate", "--platform", "cluster", "bcast", "8"), "the form is cluster:HOSTS"),
        (
            ("trace", "allgather.ring", "-p", "4", "--sites", "1+2"),
            "do not agree: p means 4 ranks, sites 1+2 means 3 ranks",
        ),
        (
            ("profile", "export", "thakur2005", "--target", "mpich", "--most-ranks", "65537"),
            "65537 is too large: give at most 65536",
        ),
        (("verify", "--p", "5:1"), "'5:1' ends before it begins; '1:5' is a range"),
        (("verify", "--p", "0:3"), "numbers of ranks begin at 1, not 0"),
        (("trace", "bcast.binomial", "-p", "0"), "0 is too small: give at least 1"),
        (("trace", "bcast.binomial", "-p", "4", "--root", "4"), "root 4 is not one of 4 ranks"),
        (
            ("trace", "bcast.binomial", "-p", "4", "--count", "-1"),
            "-1 is too small: give at least 0",
        ),
        (
            ("price", "bcast.binomial", "-p", "4", "--bytes", "1MX"),
            "'1MX' is not a number of",
        ),
        (("price", "bcast.binomial", "-p", "4", "--bytes", "9e9T"), "is not a number of bytes"),
        (("price", "bcast.binomial", "-p", "4", "--bytes", "9999999999G"), "is too large"),
        (("price", "bcast.binomial", "-p", "4", "--bytes", "9" * 5000), "is too large"),
        (("bench", "bcast", "--sizes", f"8,{'9' * 5000}"), "is too large"),
        *(
            (
                (command, *more, "-p", "4", "--bytes", "1", option, "2e9"),
                "2e9 is too large: give at most 1e+09 seconds",
            )
            for command, *more in (("price", "bcast.binomial"), ("explain", "bcast"))
            for option in ("--alpha", "--beta")
        ),
        *(
            (("price", "bcast.binomial", "-p", "4", "--bytes", "1", name, "-1"), "give at least 0")
            for name in ("--alpha", "--beta", "--gamma")
        ),
        (
            ("lab", "--rate", "5mbt", "true"),
            "no unit 'mbt' (did you mean '5mbit'?); give e.g. 5kbit,",
        ),
        (("lab", "--rate", "0mbit", "true"), "'0mbit' is not more than 0: give e.g. 5kbit"),
        (("lab", "--rate", "200gbit", "true"), "'200gbit' is too large: give at most 100gbit"),
        (("lab", "--wan-rate", "9999999gbit", "true"), "is too large: give at most 100gbit"),
        (("lab", "--wan-delay", "60s", "true"), "'60s' is too large: give at most 10s"),
        (
            ("simulate", "--platform", "ring:4", "--seed", "0", "bcast", "64"),
            "--seed is for --placement random and fragments",
        ),
        (
            ("simulate", "--platform", "ring:4", "--ranks-per-host", "1000000000", "bcast", "8"),
            "4000000000 ranks are too many: there are at most 1048576",
        ),
        (("lab", "--wan-delay", "5", "true"), "'5' has no unit: give e.g. 5us, 5ms or 5s"),
        (
            ("lab", "--wan-delay", "long", "true"),
            "'long' is not a number with a unit: give e.g. 5us",
        ),
        (
            ("lab", "--sites", "4", "true"),
            "'4' is not the numbers of nodes at two sites: give e.g.",
        ),
    ],
)
def test_what_cannot_be_meant(cli: Cli, words: tuple[str, ...], complaint: str) -> None:
    result = cli(*words)
    assert result.exit_code in (1, 2)
    assert complaint in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("price", ("price", "allgather.ring", "-p", "4", "--bytes", "1K")),
        ("price", ("price", "allgather", "-p", "4", "--bytes", "1K")),
        ("trace", ("trace", "allgather.ring", "-p", "4")),
        ("trace", ("trace", "allgather.ring", "-p", "200")),
        ("goal", ("trace", "allgather.ring", "-p", "4", "--goal")),
        ("trace", ("draw", "allgather.ring", "-p", "4")),
        ("history", ("draw", "allgather.ring", "-p", "4")),
        ("mutants", ("verify", "allgather.ring", "--p", "4", "--mutants")),
        ("explain", ("explain", "allgather", "-p", "4", "--bytes", "1K")),
    ],
)
def test_an_algorithm_that_is_wrong_is_an_error_of_one_line(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, function: str, words: tuple[str, ...]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("rank 1, round 2: waits for ever")

    monkeypatch.setattr(_core, function, broken)
    result = cli(*words)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    who = "an algorithm of allgather" if function == "explain" else r"allgather\.\w+"
    assert re.match(rf"Error: {who}\S* is broken: rank 1, round 2: waits for ever; ", line)


def test_the_price_of_others_is_shown_beside_one_that_is_wrong(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    price = _core.price

    def bruck_is_broken(name: str, *rest: Any, **more: Any) -> float:
        if name == "allgather.bruck":
            raise RuntimeError("rank 1, round 2: waits for ever")
        return price(name, *rest, **more)

    monkeypatch.setattr(_core, "price", bruck_is_broken)
    result = cli("price", "allgather", "-p", "4", "--bytes", "1K")
    assert result.exit_code == 0
    assert "allgather.ring" in result.stdout
    assert "allgather.bruck" not in result.stdout
    told = "roundelay: left out: allgather.bruck is broken: rank 1, round 2: waits for ever"
    assert result.stderr.startswith(told)


SIMULATE = ("simulate", "--platform", "ring:8")
BCAST = "'bcast:binomal' is not a collective: give bcast"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((*SIMULATE, "bcast:binomal", "8"), f"{BCAST}, and the algorithm by"),
        (("bench", "bcast:binomal"), f"{BCAST}, and the algorithm by -a binomial"),
        (("tune", "bcast:binomal", "-o", "x"), f"{BCAST}, and the algorithm by -a binomial"),
        (
            ("explain", "bcast:binomal", "-p", "4", "--bytes", "8"),
            f"{BCAST}, and the algorithm by --force bcast=binomial",
        ),
        (("list", "bcast:binomal"), BCAST),
        (
            ("explain", "bcast", "-p", "4", "--bytes", "8", "--force", "bcast:binomial"),
            "column 6: expected '=', as in bcast=binomial",
        ),
        *(
            ((*words, f"bcast{between}binomal"), "(did you mean 'bcast.binomial'?); algorithms of")
            for words in (
                ("trace", "-p", "4"),
                ("draw", "-p", "4"),
                ("verify",),
                ("price", "-p", "4", "--bytes", "8"),
            )
            for between in (":", "/", "=", " ")
        ),
        (("trace", "bcast", "-p", "4"), "'bcast' is not an algorithm; algorithms of bcast: bcast."),
        (("trace", "bcast.chain", "-p", "4", "--param", "x"), "'x' is not like KEY=VALUE, e.g. "),
        ((*SIMULATE, "scan", "8"), "cannot simulate scan; it can be: "),
        ((*SIMULATE, "allgatherv/irregulr", "8"), "mean 'irregular'?)"),
        ((*SIMULATE, "bcast/irregular", "8"), "the blocks of bcast all have"),
        *(
            ((*SIMULATE, f"allgather_between{senders}", "8"), "from 1 to 7")
            for senders in ("", "/x", "/0", "/8")
        ),
        (
            (*SIMULATE, "--", "bcast", "8", "--json"),
            "'--json' is not a number of bytes: options come b",
        ),
        (("bench", "--sizes", "8-4M"), "(did you mean '8:4M'?)"),
        (("bench", "--sizes", "8,4M:64:4"), "'4M:64:4' ends before it begins; '64:4M:4' is a"),
        (("bench", "bcast", "-a", ""), "-a is empty: give all, or names such as ring,bruck"),
        (("bench", "barrier", "--sizes", "8"), "barrier has no data: leave out --sizes"),
        (
            ("tune", "barrier", "-o", "x", "--sizes", "8"),
            "barrier has no data: leave out --sizes",
        ),
        (("tune", "-o", "x", "--sizes", "0:8"), "'0:8': lengths begin at 1 byte, not 0"),
        (("verify", "--p", "1-9"), "(did you mean '1:9'?)"),
    ],
)
def test_another_form(cli: Cli, words: tuple[str, ...], complaint: str) -> None:
    """The parts are there, but written in a way that is not valid."""
    result = cli(*words)
    assert result.exit_code == 2
    assert complaint in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["lst"], "there is no command 'lst' (did you mean 'list'?); there are: bench, calibrate"),
        (["qwertz", "--help"], "there is no command 'qwertz'; there are: bench, calibrate"),
        (["profile", "chek"], "there is no command 'chek' (did you mean 'check'?); there are: che"),
    ],
)
def test_a_command_that_is_not_there_is_answered_by_those_that_are(
    cli: Cli, words: list[str], told: str
) -> None:
    result = cli(*words)
    assert result.exit_code == 2
    assert told in result.stderr


def test_a_shell_may_complete_behind_a_command_that_is_not_there() -> None:
    complete = ShellComplete(main, {}, "roundelay", "_ROUNDELAY_COMPLETE")
    names = {item.value for item in complete.get_completions(["qwertz"], "")}
    assert names <= set(main.commands)


def _paths() -> list[tuple[tuple[str, ...], click.Parameter]]:
    """Every option and argument that is the path of a file, with the words of its command."""
    commands: dict[tuple[str, ...], click.Command] = {
        (name,): one for name, one in main.commands.items()
    }
    group = commands.pop(("profile",))
    assert isinstance(group, click.Group)
    commands.update({("profile", name): one for name, one in group.commands.items()})
    return [
        (words, each)
        for words, one in commands.items()
        for each in one.params
        if isinstance(each.type, click.Path)
    ]


@pytest.mark.parametrize(("command", "path"), _paths())
def test_an_empty_name_is_no_file(
    cli: Cli, command: tuple[str, ...], path: click.Parameter
) -> None:
    """It would be the working directory, and what took long could not be written."""
    words = [path.opts[-1], ""] if isinstance(path, click.Option) else [""]
    result = cli(*command, *words)
    assert result.exit_code == 2
    assert "'' is no name of a file: give e.g. ./file" in result.stderr


@pytest.mark.parametrize("command", ["price -p 3 --bytes 8", "verify", "trace -p 3"])
def test_a_name_that_is_like_none_is_answered_by_the_collectives(cli: Cli, command: str) -> None:
    told = " ".join(cli(*command.split(), "qwertz").stderr.split())
    collectives = ", ".join(sorted({one.collective for one in algorithms()}))
    assert f"'qwertz'; `roundelay list` shows the algorithms of {collectives}" in told
    assert "binomial" not in told


@pytest.mark.parametrize(("command", "names"), [("bench", cells.DEFAULTS), ("tune", EVERY)])
def test_the_help_names_what_is_measured_by_default(
    cli: Cli, command: str, names: tuple[str, ...]
) -> None:
    shown = " ".join(cli(command, "--help").stdout.split())
    assert f"{', '.join(names[:-1])} and {names[-1]}." in shown


def test_no_table_breaks_a_name_or_ends_in_spaces(cli: Cli) -> None:
    for words in (
        ("profile", "show", "thakur2005"),
        ("verify", "allreduce.circulant_pipelined", "--ranks", "3"),
        ("price", "allreduce.lanes", "-p", "4", "--bytes", "64"),
        ("explain", "allreduce", "-p", "8", "--bytes", "1M"),
    ):
        lines = cli(*words).stdout.splitlines()
        assert all(line == line.rstrip() for line in lines), words
        assert all(line.count("(") == line.count(")") for line in lines), words


@pytest.mark.parametrize("columns", ["0", "20", "80", "200"])
def test_the_list_is_readable_however_narrow_a_terminal_is(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    shown = cli("list", "allgather").stdout
    for one in algorithms("allgather"):
        assert f"{one.name} " in shown
        assert one.summary.split()[0] in shown
    assert all(line == line.rstrip() for line in shown.splitlines())
    assert max(map(len, shown.splitlines())) <= max(70, int(columns))


def _options(command: click.Command = main) -> list[click.Option]:
    below = command.commands.values() if isinstance(command, click.Group) else ()
    own = [one for one in command.params if isinstance(one, click.Option)]
    return [*own, *(option for one in below for option in _options(one))]


def _complaint(option: click.Option, value: str) -> str:
    with pytest.raises(click.BadParameter) as caught:
        option.type.convert(value, option, None)
    return str(caught.value)


def test_every_number_says_what_is_valid() -> None:
    numbers = [one for one in _options() if isinstance(one.type, (Whole, Number))]
    assert len(numbers) > 20
    for option in numbers:
        for value in ("abc", "", "nan", "1e999", "5 apples"):
            told = re.search(r"give (?:seconds, )?e\.g\. (\S+)$", _complaint(option, value))
            assert told is not None
            option.type.convert(told[1], option, None)
        told = re.fullmatch(r"-1 is too small: give (?:at least|more than) (\S+)",
                            _complaint(option, "-1"))  # fmt: skip
        assert told is not None


def test_what_takes_too_much_memory_is_an_error_of_one_line(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_much(*_: object, **__: object) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(_core, "price", too_much)
    result = cli("price", "bcast.binomial", "-p", "1000", "--bytes", "1")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: this needs more memory than this process may have")


def test_no_machine_makes_times_infinite(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "machine.json"
    question = ("explain", "allreduce", "-p", "4", "--bytes", "1M", "--machine", str(file))
    file.write_text('{"version": 1, "network": {"startup": 1e308, "byte": 1e308}}')
    result = cli(*question, "--json")
    assert result.exit_code == 2
    assert f'{file}:1: "startup" must be at most 1e18' in result.stderr
    file.write_text('{"version": 1, "network": {"startup": 1e18, "byte": 1e18, "taper": [1e18]}}')
    assert "Infinity" not in cli(*question, "--json").stdout


def test_a_time_with_a_unit() -> None:
    of_time = next(one for one in _options() if one.name == "alpha")
    assert _complaint(of_time, "2.5us").endswith("give seconds without a unit: 2.5e-06")


def test_what_no_integer_holds(cli: Cli) -> None:
    many = "9" * 20
    for words in (("-p", many), ("-p", "4", "--root", many), ("-p", "4", "--count", many)):
        assert "is too large: give at most" in cli("trace", "bcast.binomial", *words).stderr
    assert "at most 250" in cli("lab", "--nodes", "251", "true").stderr


def test_every_word_has_its_nearest() -> None:
    words = [one for one in _options() if isinstance(one.type, Word)]
    assert len(words) > 10
    for option in words:
        assert isinstance(option.type, Word)
        choices = option.type.choices
        longest = max(choices, key=len)
        assert f"is none of {', '.join(choices)} (did you mean '{longest}'?)" in _complaint(
            option, f"{longest.upper()}s"
        )


def test_no_option_has_a_type_that_gives_no_example() -> None:
    ours = (Whole, Number, Word)
    plain = (click.IntRange, click.FloatRange, click.Choice, type(click.INT), type(click.FLOAT))
    assert [one.name for one in _options()
            if isinstance(one.type, plain) and not isinstance(one.type, ours)] == []  # fmt: skip


def test_the_nearest_option(cli: Cli) -> None:
    told = cli("lab", "--wan-dely", "5ms", "--sites", "4+4", "true").stderr
    assert "--wan-delay" in told.partition("No such option")[2]


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


def test_many_parts_of_messages(cli: Cli) -> None:
    """There are few messages, but each has p / 2 parts."""
    result = cli("trace", "alltoall.bruck", "-p", "500")
    assert result.exit_code == 2
    assert not result.stdout
    told = " ".join(result.stderr.split())
    assert "steps; as text at most 200,000 are shown" in told
    fewer = re.search(r"give fewer ranks \(-p (\d+)\), or --json or --goal, into a file", told)
    assert fewer is not None
    assert 64 <= int(fewer[1]) < 500
    shown = cli("trace", "alltoall.bruck", "-p", fewer[1]).stdout
    assert f"rank {int(fewer[1]) - 1}" in shown
    for form, kind in (((), "as text at most 200,000"), (("--json",), "in a file at most")):
        result = cli("trace", "alltoall.bruck", "-p", "2000", *form)
        assert result.exit_code == 2
        assert kind in " ".join(result.stderr.split())
        assert "--json" not in result.stderr
        assert "give fewer ranks (-p " in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("alltoall.bruck", {}),
        ("allgather.bruck", {}),
        ("allreduce.ring", {}),
        ("bcast.binomial", {"root": 200}),
        ("allreduce.hier", {"nodes": "+".join(["16"] * 16)}),
    ],
)
def test_the_length_of_a_trace(name: str, places: dict[str, Any]) -> None:
    """It is told from traces of fewer ranks; 256 are few enough to count."""
    rounds = [each for rank in trace(name, 256, **places)["ranks"] for each in rank["rounds"]]
    sent = sum(len(each["slices"]) for one in rounds for each in one["sends"])
    parts = sent + sum(len(one["steps"]) for one in rounds)
    told = trace_length(name, 256, **places)
    assert told is not None
    assert parts / 2 <= told.parts <= 2 * parts


@pytest.fixture
def told_stories(monkeypatch: pytest.MonkeyPatch) -> list[Story]:
    """All that are made."""
    stories: list[Story] = []
    story = Draft.story

    def kept(draft: Draft) -> Story:
        stories.append(story(draft))
        return stories[-1]

    monkeypatch.setattr(Draft, "story", kept)
    return stories


@pytest.mark.parametrize("words", [("allreduce.ring",), ("bcast.binomial", "--root", "2")])
def test_a_page_makes_each_story_once(
    cli: Cli, told_stories: list[Story], words: tuple[str, ...]
) -> None:
    assert cli("draw", *words, "-p", "5", "--html").exit_code == 0
    cases = [(story.p, story.root) for story in told_stories]
    assert len(set(cases)) == len(cases) > 5


def test_a_picture_with_too_many_cells(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, told_stories: list[Story]
) -> None:
    monkeypatch.setattr(sys.modules["roundelay.cli.draw"], "MOST_CELLS", 1000)
    for form in ((), ("--html",), ("--json",)):
        result = cli("draw", "allreduce.ring", "-p", "16", *form)
        assert result.exit_code == 2
        told = " ".join(result.stderr.split())
        fewer = re.search(r"at most 1,000 are drawn: give fewer ranks \(-p (\d+) is few", told)
        assert fewer is not None
        assert not result.stdout
        assert not told_stories  # it is refused before
        assert cli("draw", "allreduce.ring", "-p", fewer[1], *form).exit_code == 0
        told_stories.clear()


@pytest.mark.parametrize("name", ["allreduce.ring", "allgather.bruck", "alltoall.bruck"])
def test_the_cells_of_a_picture(name: str) -> None:
    """In a picture of one line; a cell is a rectangle that is rounded by 3, which no other is."""
    story = tell(name, 3)
    assert picture(story).count('rx="3"') == Draft(name, 3).cells()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("trace", "allgather.ring", "-p", "4", "--root", "2"), "allgather has no root"),
        (("price", "allgather", "-p", "4", "--bytes", "8", "--root", "2"), "allgather has no root"),
        (("verify", "allgather.bruck", "-p", "4", "--root", "2"), "allgather has no root"),
        (("verify", "allgather", "-p", "4", "--root", "2"), "allgather has no root"),
        (("trace", "bcast.binomial", "-p", "4", "--non-commutative"), "bcast combines nothing"),
        (("price", "bcast", "-p", "4", "--bytes", "1.5"), "'1.5' is not a whole number of bytes"),
        (("explain", "bcast", "-p", "4", "--bytes", "2048P"), "is not a number of bytes"),
        (("explain", "bcast", "-p", "4", "--bytes", "1048577T"), "the largest is 1 EiB"),
        (("trace", "bcast.scatter_allgather", "-p", "4", "--param", "allgather=ring",
          "--param", "allgather=bruck"), "'allgather' is given twice"),
        (("explain", "bcast", "-p", "4", "--bytes", "8", "--machine", "/"), "is a directory"),
    ],
)  # fmt: skip
def test_what_means_nothing_is_refused(cli: Cli, words: tuple[str, ...], complaint: str) -> None:
    result = cli(*words)
    assert result.exit_code == 2
    assert complaint in " ".join(result.stderr.split())


def test_the_longest_message_is_traced(cli: Cli) -> None:
    result = cli("trace", "allgather.ring", "-p", "3", "--count", str(2**60))
    assert result.exit_code == 0
    assert "[-" not in result.output


@pytest.mark.parametrize(
    "words",
    [("--help",), ("--version",), ("list",), ("list", "--json"), ("explain", "bcast", "-p", "4",
     "--bytes", "8"), ("trace", "bcast.binomial", "-p", "4"), ("run", "--help")],
)  # fmt: skip
def test_a_full_disk_is_said_in_one_line(words: tuple[str, ...]) -> None:
    roundelay = Path(sys.executable).with_name("roundelay")
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [roundelay, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 1
    assert ended.stderr == "Error: standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("closed", "code", "output", "errors"),
    [
        (">&-", 1, "", "Error: standard output: Bad file descriptor\n"),
        (">&- <&-", 1, "", "Error: standard output: Bad file descriptor\n"),
        ("2>&-", 0, "thakur2005\n", ""),
        ("<&- 2>&-", 0, "thakur2005\n", ""),
        (">&- 2>&-", 1, "", ""),
    ],
)
def test_an_output_that_is_closed(closed: str, code: int, output: str, errors: str) -> None:
    roundelay = Path(sys.executable).with_name("roundelay")
    ended = subprocess.run(
        ["sh", "-c", f'"$0" profile list {closed}', str(roundelay)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, output, errors)


def test_a_working_directory_that_is_gone_is_named(tmp_path: Path) -> None:
    roundelay = Path(sys.executable).with_name("roundelay")
    gone = tmp_path / "gone"
    gone.mkdir()
    words = ["sh", "-c", 'rmdir "$1"; "$0" run --report-file x -- true', str(roundelay), str(gone)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, cwd=gone)
    assert ended.returncode == 1
    assert ended.stderr == "Error: the working directory: No such file or directory\n"


def test_no_file_takes_the_place_of_errors_that_are_closed(tmp_path: Path) -> None:
    roundelay = Path(sys.executable).with_name("roundelay")
    picture = tmp_path / "picture.svg"
    words = ["sh", "-c", '"$0" draw nosuch -p 3 -o "$1" 2>&-', str(roundelay), str(picture)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", "")
    assert not picture.exists()


def test_a_file_that_is_protected_stays(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = tmp_path / "picture.svg"
    picture.write_text("old")
    # As for a user; root may write to what chmod has protected.
    access = os.access
    monkeypatch.setattr(
        "os.access",
        lambda path, mode: access(path, mode) and (mode != os.W_OK or Path(path) != picture),
    )
    result = cli("draw", "bcast.binomial", "-p", "4", "-o", str(picture))
    assert result.exit_code == 1
    assert result.stderr == f"Error: cannot write {picture}: Permission denied\n"
    assert picture.read_text() == "old"
    assert list(tmp_path.iterdir()) == [picture]


def test_a_file_stays_as_it_was_if_it_cannot_be_written_anew(tmp_path: Path) -> None:
    roundelay = Path(sys.executable).with_name("roundelay")
    picture = tmp_path / "picture.svg"
    picture.write_text("old")
    picture.chmod(0o640)

    def draw(preexec_fn: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
        words = [str(roundelay), "draw", "bcast.binomial", "-p", "40", "-o", str(picture)]
        return subprocess.run(
            words, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=preexec_fn
        )

    ended = draw(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)))
    assert ended.returncode == 1
    assert ended.stderr == f"Error: cannot write {picture}: File too large\n"
    assert picture.read_text() == "old"
    assert list(tmp_path.iterdir()) == [picture]
    assert draw().returncode == 0
    assert picture.read_text().startswith("<svg")
    assert picture.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("command", ["run", "env"])
def test_no_gain_is_promised(cli: Cli, command: str) -> None:
    told = " ".join(cli(command, "--help").stdout.split())
    assert "or only where a clear gain is expected (auto, the default)" in told
