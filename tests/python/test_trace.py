# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib.resources
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import roundelay
from helpers import Cli
from hypothesis import given, settings
from hypothesis import strategies as st
from roundelay.catalogue import ROOTED, choices
from trace_checker import check

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "trace-format.md"
SCHEMA = json.loads((importlib.resources.files("roundelay") / "trace.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

ALLTOALLS = ("alltoall", "alltoallv", "alltoallw")  # and all neighbor_..: m is a multiple of p


@cache
def must_commute(name: str) -> bool:
    """Whether it, or a part of it, is for commutative operations only."""
    try:
        roundelay.trace(name, 1, commutative=False)
    except ValueError as reason:
        return "must be commutative" in str(reason)
    return False


def may_be_in_place(name: str) -> bool:
    own = name.partition(".")[0] in ("exscan", "reduce", "scan") and ".inter_" not in name
    return own or ".in_place" in name


def traced(data: st.DataObject, name: str, p: int) -> dict[str, Any]:
    """Any call of an algorithm."""
    collective = name.partition(".")[0]
    m = data.draw(st.integers(0, 30))
    q = data.draw(st.integers(1, 12)) if ".inter_" in name else None
    roots = q if q is not None and collective in ("gather", "gatherv", "reduce") else p
    return roundelay.trace(
        name,
        p,
        root=data.draw(st.integers(0, roots - 1)) if collective in ROOTED else 0,
        m=m * p if collective in ALLTOALLS or collective.startswith("neighbor_") else m,
        commutative=must_commute(name) or data.draw(st.booleans()),
        in_place=may_be_in_place(name) and data.draw(st.booleans()),
        q=q,
    )


@pytest.mark.parametrize("name", choices())
@settings(max_examples=25, deadline=None)
@given(data=st.data(), p=st.integers(1, 12))
def test_an_independent_checker_agrees(name: str, data: st.DataObject, p: int) -> None:
    check(traced(data, name, p))


def test_the_schema_is_one() -> None:
    VALIDATOR.check_schema(SCHEMA)


@pytest.mark.parametrize("name", choices())
def test_the_form_of_a_trace(name: str) -> None:
    VALIDATOR.validate(roundelay.trace(name, 5))


@pytest.mark.parametrize("name", choices())
def test_the_checker_notices_a_lost_message(name: str) -> None:
    trace = roundelay.trace(name, 5)
    rank = next(rank for rank in trace["ranks"] if any(one["sends"] for one in rank["rounds"]))
    next(one for one in rank["rounds"] if one["sends"])["sends"].clear()
    with pytest.raises(AssertionError):
        check(trace)


@pytest.mark.parametrize("name", choices())
def test_the_checker_notices_what_goes_to_the_wrong_place(name: str) -> None:
    trace = roundelay.trace(name, 5)
    slices = [
        at
        for rank in trace["ranks"]
        for one in rank["rounds"]
        for transfer in one["receives"]
        for at in transfer["slices"]
        if at["space"] != "scratch"
    ]
    if not slices:
        pytest.skip("nothing is received into the output")
    slices[-1]["offset"] += 1
    with pytest.raises(AssertionError):
        check(trace)


def test_the_document_shows_a_true_trace(cli: Cli) -> None:
    (block,) = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(), re.S)
    shown = cli("trace", "allgather.ring", "-p", "2", "--count", "2", "--json")
    assert json.loads(block) == json.loads(shown.stdout)


def test_the_document_names_every_field() -> None:
    text = DOCUMENT.read_text()

    def fields(schema: dict[str, Any]) -> set[str]:
        inner = [schema, *schema.get("$defs", {}).values()]
        return {name for each in inner for name in each.get("properties", {})}

    for field in fields(SCHEMA) - {"space", "offset", "length"}:
        assert f"`{field}`" in text


def test_a_trace_for_people(cli: Cli) -> None:
    words = ("trace", "bcast.scatter_allgather", "-p", "3", "--root", "1", "--count", "12")
    shown = cli(*words, "--param", "allgather=bruck").stdout
    assert shown.startswith("bcast.scatter_allgather(allgather=bruck): p = 3, root = 1, 12 bytes")
    assert "rank 2" in shown
    assert "send to 0: output[8:12]" in shown


def test_one_of_something_is_singular(cli: Cli) -> None:
    words = ("trace", "bcast.binomial", "-p", "2", "--count")
    assert cli(*words, "1").stdout.startswith("bcast.binomial: p = 2, root = 0, 1 byte\n")
    assert cli(*words, "2").stdout.startswith("bcast.binomial: p = 2, root = 0, 2 bytes\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("barrier.dissemination", "--count", "5"), "barrier has no data: leave out --count"),
        (
            ("allgather.ring", "--in-place"),
            "allgather.ring does not run in place; algorithms of these collectives do: allreduce, "
            "alltoall, alltoallv, alltoallw, exscan, reduce, reduce_scatter, reduce_scatter_block, "
            "scan",
        ),
        (
            ("alltoall.bruck", "--in-place"),
            "alltoall.bruck does not run in place; of alltoall these do: alltoall.",
        ),
    ],
)
def test_a_refusal_says_what_is_valid(cli: Cli, words: tuple[str, ...], told: str) -> None:
    result = cli("trace", *words, "-p", "4")
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())


def test_a_trace_for_one_rank_has_nothing_to_do(cli: Cli) -> None:
    assert "nothing to do" in cli("trace", "allgather.ring", "-p", "1").stdout


def test_goal_takes_no_time_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="nanoseconds_per_unit must be a finite number and at le"):
        roundelay.goal("allreduce.ring", 3, nanoseconds_per_unit=-1)


def test_goal(cli: Cli) -> None:
    shown = cli("trace", "allgather.ring", "-p", "2", "--count", "2", "--goal").stdout
    assert shown.startswith("num_ranks 2\n")
    assert "send 1b to 1" in shown


@pytest.mark.parametrize(
    "words",
    [
        ("allgather.nonesuch", "-p", "4"),
        ("allgather.native", "-p", "4"),
        ("bcast.binomial", "-p", "4", "--root", "4"),
        ("allreduce.ring", "-p", "4", "--non-commutative"),
        ("alltoall.bruck", "-p", "4", "--in-place"),
        ("alltoall.bruck", "-p", "4", "--count", "6"),
        ("allgather.ring", "-p", "4", "--json", "--goal"),
        ("allgather.ring", "-p", "0"),
        ("allgather.ring",),
    ],
)
def test_what_cannot_be_traced_is_refused(cli: Cli, words: tuple[str, ...]) -> None:
    result = cli("trace", *words)
    assert result.exit_code == 2
    assert "Error:" in result.stderr


def test_a_trace_says_where_the_ranks_are(cli: Cli) -> None:
    found = json.loads(cli("trace", "alltoall.lg", "--sites", "aba", "--json").stdout)
    VALIDATOR.validate(found)
    assert found["format"] == "roundelay-trace-2"
    assert found["sites"] == [0, 1, 0]
    check(found)


def test_ranks_and_places_have_to_agree(cli: Cli) -> None:
    result = cli("trace", "alltoall.lg", "-p", "4", "--sites", "2+3")
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert "do not agree: p means 4 ranks, sites 2+3 means 5 ranks" in told
