# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re

import pytest
import roundelay
from helpers import Cli
from roundelay import _core
from roundelay.catalogue import algorithms, choices, collective_of_call
from roundelay.suggestions import did_you_mean, nearest


def test_the_catalogue_has_every_field_of_every_algorithm(cli: Cli) -> None:
    rows = json.loads(cli("list", "--json").stdout)
    assert {row["collective"] for row in rows} == {
        "allgather",
        "allgatherv",
        "allreduce",
        "alltoall",
        "alltoallv",
        "alltoallw",
        "barrier",
        "bcast",
        "exscan",
        "gather",
        "gatherv",
        "neighbor_allgather",
        "neighbor_allgatherv",
        "neighbor_alltoall",
        "neighbor_alltoallv",
        "neighbor_alltoallw",
        "reduce",
        "reduce_scatter",
        "reduce_scatter_block",
        "scan",
        "scatter",
        "scatterv",
    }
    for row in rows:
        assert row["name"] == f"{row['collective']}.{row['algorithm']}"
        assert row["summary"]
        assert row["paper"]
        assert isinstance(row["restrictions"], list)
        assert isinstance(row["parameters"], list)
        if not row["native"]:
            assert row["scratch"]
            assert row["rounds"]
            assert row["volume"]
            assert "discipline" in [parameter["name"] for parameter in row["parameters"]]


def test_every_collective_has_the_native_algorithm_and_one_of_ours() -> None:
    every = roundelay.algorithms()
    collectives = {one.collective for one in every}
    assert {one.collective for one in every if one.native} == collectives
    assert {one.collective for one in every if not one.native} == collectives


def test_a_parameter_says_what_it_may_be() -> None:
    (scatter_allgather,) = (
        one for one in roundelay.algorithms("bcast") if one.algorithm == "scatter_allgather"
    )
    ranges = {parameter.name: parameter.range for parameter in scatter_allgather.parameters}
    assert ranges == {"allgather": "an algorithm for allgather", "discipline": "early | paced"}


def test_list_of_one_collective(cli: Cli) -> None:
    shown = cli("list", "bcast").stdout
    assert "bcast.binomial" in shown
    assert "allgather.ring" not in shown


# Numbers in parentheses, nested maxima, 1 - 1, / 1, 1 + 1, + 0 and 0 +.
NEUTRAL = re.compile(
    r"\(\d+\)|max\(max|\b1 - 1\b|/ 1\b|\b1 \+ 1\b|[-+] 0(?![.\d])|(?<![.\d])0 [-+/]"
)


@pytest.mark.parametrize("one", [each for each in roundelay.algorithms() if not each.native])
def test_formulas_have_nothing_that_changes_nothing(one: roundelay.Algorithm) -> None:
    formulas = [one.scratch, one.rounds, one.volume, one.ports]
    for text in filter(None, formulas):
        assert not NEUTRAL.search(text), text


def test_an_unknown_collective_is_refused_with_the_valid_ones(cli: Cli) -> None:
    result = cli("list", "gossip")
    assert result.exit_code == 2
    assert "gossip" in result.stderr
    assert "allgather, allgatherv, allreduce, alltoall" in result.stderr


@pytest.mark.parametrize(
    ("written", "parameters", "full"),
    [
        ("allgather.ring", (), "allgather.ring"),
        ("dissemination", (), "barrier.dissemination"),
        ("scatter_allgather", (), "bcast.scatter_allgather"),
        (
            "bcast.scatter_allgather",
            ("allgather=bruck",),
            "bcast.scatter_allgather(allgather=bruck)",
        ),
        ("scatter_allgather( allgather = ring )", (), "bcast.scatter_allgather"),
        (
            "scatter_allgather(allgather=bruck)",
            ("discipline=paced",),
            "bcast.scatter_allgather(allgather=bruck, discipline=paced)",
        ),
    ],
)
def test_names(written: str, parameters: tuple[str, ...], full: str) -> None:
    assert roundelay.resolve(written, parameters) == full


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("ring", "allgather.ring, allgatherv.ring, allreduce.ring"),
        ("nonesuch", "`roundelay list` shows the algorithms of allgather, "),
        ("allgather.nonesuch", "bruck"),
        ("gossip.ring", "allgather"),
        ("bcast.scatter_allgather(allgather=nonesuch)", "bruck"),
        ("bcast.scatter_allgather(speed=3)", "allgather"),
    ],
)
def test_wrong_names_are_refused_with_the_valid_ones(written: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        roundelay.resolve(written)


def test_choices_try_every_algorithm_as_a_parameter() -> None:
    tried = choices("bcast.scatter_allgather")
    every = roundelay.algorithms("allgather")
    ours = [one for one in every if not one.native and one.groups == 1]
    # A part runs among ranks of which nobody knows where they are.
    placed = [one for one in ours if any(each.startswith("several_") for each in one.restrictions)]
    assert len(tried) == len(ours) - len(placed)
    assert choices("bcast.scatter_allgather(allgather=bruck)") == [
        "bcast.scatter_allgather(allgather=bruck)"
    ]
    assert set(tried) < set(choices("bcast")) < set(choices())


def test_the_native_algorithm_has_no_schedule() -> None:
    with pytest.raises(ValueError, match="the MPI library's own"):
        choices("bcast.native")


def test_every_call_is_of_its_collective() -> None:
    for one in algorithms():
        name = one.collective
        for call in (name, f"i{name}", f"{name}_init"):
            assert collective_of_call(call) == name


def test_the_nearest_name_is_that_of_the_library() -> None:
    assert nearest("brck", ["bine", "bruck"]) == "bruck"
    assert nearest("BINOMAIL", ["Binomial", "bruck"]) == "Binomial"
    assert nearest("xyz", ["bine", "bruck"]) is None
    assert nearest("x", []) is None
    assert did_you_mean("bruc\udcff", ["bruck"]) == " (did you mean 'bruck'?)"
    assert did_you_mean("linear", ["binary", "ring"]) == ""
    # Both have it from one function, so that `verify` and ROUNDELAY name the same one.
    for wrong in ("rng", "brukc", "recursive_dubling", "pairwise", "circular"):
        of_it = [one.algorithm for one in algorithms("allgather")]
        with pytest.raises(ValueError, match="there are") as caught:
            _core.parse(f"allgather={wrong}")
        found = re.search(r"did you mean '(.*?)'", str(caught.value))
        assert nearest(wrong, of_it) == (found[1] if found else None)


def test_no_command_runs_with_a_mistake_in_the_catalogue(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not _core.mistakes()
    monkeypatch.setattr(_core, "mistakes", lambda: ["bcast.tree is there twice"])
    done = cli("list")
    assert done.exit_code == 1
    assert done.stderr == "bcast.tree is there twice\n"
