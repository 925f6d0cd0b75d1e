# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import roundelay
from helpers import Cli
from roundelay.catalogue import choices
from roundelay.drawing import Story, picture, tell
from roundelay.interpreters import placements

SVG = "{http://www.w3.org/2000/svg}"
CASES = [(name, p) for name in choices() for p in (1, 2, 4, 5, 6)]
CASES += [(f"{collective}.ring", 16) for collective in ("allgather", "allreduce")]


@cache
def story_of(name: str, p: int, root: int = 0) -> Story:
    try:
        return tell(name, p, root=root)
    except ValueError:
        pytest.skip(f"{name} is not for {p} ranks")


def sends(trace: dict[str, Any]) -> Counter[tuple[int, int]]:
    return Counter(
        (rank["rank"], each["peer"])
        for rank in trace["ranks"]
        for one in rank["rounds"]
        for each in one["sends"]
    )


@pytest.mark.parametrize(("name", "p"), CASES)
def test_a_picture(name: str, p: int) -> None:
    """One test for all that a picture has to be: to draw it takes longer than to check it."""
    story = story_of(name, p)
    root = ElementTree.fromstring(picture(story))
    the_arrows_are_the_messages_of_the_trace(root, name, p)
    all_that_is_held_is_drawn(root, story)
    nothing_is_drawn_beyond_the_edge(root)


def the_arrows_are_the_messages_of_the_trace(root: ElementTree.Element, name: str, p: int) -> None:
    paths = root.iter(f"{SVG}path")
    arrows = [each.attrib for each in paths if each.get("class") == "message"]
    shown = Counter((int(each["data-from"]), int(each["data-to"])) for each in arrows)
    assert shown == sends(roundelay.trace(name, p))


def all_that_is_held_is_drawn(root: ElementTree.Element, story: Story) -> None:
    for box in (each for each in root.iter(f"{SVG}g") if each.get("class") == "state"):
        step = int(box.attrib["data-step"])
        state = [one for one in story.ranks[int(box.attrib["data-rank"])] if one.step <= step][-1]
        shown = {text.text for text in box.iter(f"{SVG}text")}
        assert {held.label for held in state.holds if held.needed} <= shown


def nothing_is_drawn_beyond_the_edge(root: ElementTree.Element) -> None:
    width = float(root.attrib["width"])
    for rect in root.iter(f"{SVG}rect"):
        assert 0 <= float(rect.attrib["x"]) <= width - float(rect.attrib["width"])


def expected(trace: dict[str, Any], rank: int, unit: int) -> set[int]:
    """The ranks whose contribution a unit of the result is, by the collective's definition."""
    p, root = trace.get("senders", trace["p"]), trace["root"]
    owner = {unit * p // trace["count"]}  # of blocks that are as long as all others
    everybody = set(range(p))
    if trace["collective"].startswith("neighbor_"):  # on a ring
        return {(rank - 1) % p if unit < trace["count"] // p else (rank + 1) % p}
    return {
        "allgather": owner,
        "allgatherv": owner,
        "allreduce": everybody,
        "alltoall": owner,
        "alltoallv": owner,
        "alltoallw": owner,
        "bcast": {root},
        "exscan": set(range(rank)),
        "gather": owner,
        "gatherv": owner,
        "reduce": everybody,
        "reduce_scatter": everybody,
        "reduce_scatter_block": everybody,
        "scan": set(range(rank + 1)),
        "scatter": {root},
        "scatterv": {root},
    }[trace["collective"]]


@pytest.mark.parametrize(("name", "p"), CASES)
def test_in_the_end_every_rank_holds_its_result(name: str, p: int) -> None:
    root = p // 2
    story = story_of(name, p, root)
    trace = roundelay.trace(name, p, root=root)
    for rank, states in zip(trace["ranks"], story.ranks):
        if trace["collective"] == "barrier" and p > 1:
            everybody = [(other,) for other in range(trace["p"])]
            assert [held.ranks for held in states[-1].holds] == everybody
        wanted = rank["wanted"]
        if wanted is None:
            continue
        held_at = {held.offset: held for held in states[-1].holds if held.space == wanted["space"]}
        assert wanted["offset"] in held_at
        for offset, held in held_at.items():
            if wanted["offset"] <= offset < wanted["offset"] + wanted["length"]:
                assert held.needed
                ranks = expected(trace, rank["rank"], offset - wanted["offset"])
                assert set(held.ranks) == ranks


@pytest.mark.parametrize("name", choices())
def test_the_figures_in_the_heading_are_the_proven_ones(name: str) -> None:
    story = story_of(name, 4)
    receivers = story.p - 4
    proof = roundelay._core.verify(
        name, roundelay._core.Case(4, m=story.count, q=receivers, **placements(name, 4))
    )
    assert proof.ok, proof.error
    assert (story.rounds, story.volume) == (proof.rounds, proof.volume)


@pytest.mark.parametrize("name", choices())
def test_the_same_call_gives_the_same_bytes(name: str) -> None:
    assert picture(story_of(name, 4)) == picture(tell(name, 4))


def test_the_labels_of_a_reduction_name_pieces_and_ranks() -> None:
    story = tell("allreduce.ring", 5)
    labels = {message.label for message in story.messages if message.step == 1}
    assert labels == {"a1-2", "b2-3", "c3-4", "d4-0", "e0-1"}


def test_the_labels_of_moved_data_name_origins() -> None:
    story = tell("allgather.bruck", 5)
    (message,) = (each for each in story.messages if each.step == 1 and each.receiver == 2)
    assert message.label == "4-0"
    assert [item.label for item in message.items] == ["4", "0"]


def test_ranks_out_of_step_have_their_own_rounds() -> None:
    svg = picture(tell("bcast.binomial", 6))
    assert "r2\N{RIGHTWARDS ARROW}r0" in svg
    assert tell("allgather.ring", 5).round_of_step == (0, 1, 2, 3)


def test_rounds_without_a_transfer_do_not_count() -> None:
    for name in ("allreduce.hier", "scan.chain"):
        story = tell(name, 5)
        for rank in range(5):
            rounds = {each.sender_round for each in story.messages if each.sender == rank}
            rounds |= {each.receiver_round for each in story.messages if each.receiver == rank}
            assert rounds == set(range(len(rounds)))
        last = max(max(each.sender_round, each.receiver_round) for each in story.messages)
        assert last == story.rounds - 1


def test_no_label_is_hidden_by_another() -> None:
    root = ElementTree.fromstring(picture(tell("alltoall.lg", 5)))
    for band in (group for group in root.iter(f"{SVG}g") if group.get("transform")):
        tags = [text for text in band.iter(f"{SVG}text") if text.get("font-size") == "9"]
        chips = [rect.attrib for rect in band.iter(f"{SVG}rect") if rect.get("rx") == "10"]
        assert tags
        for tag in tags:
            right, bottom = float(tag.attrib["x"]), float(tag.attrib["y"])
            for chip in chips:
                x, y = float(chip["x"]), float(chip["y"])
                beside = right - 30 > x + float(chip["width"]) or right < x
                assert beside or bottom < y or bottom - 7 > y + float(chip["height"])


@pytest.mark.parametrize("name", ["scan.chain", "allgather.bruck", "allreduce.hier"])
def test_the_legend_is_about_what_is_drawn(name: str) -> None:
    svg = picture(tell(name, 5))
    assert ("Dashed box" in svg) == ('stroke-dasharray="2 2"' in svg)
    assert ("sent in the sender's own round" in svg) == ('font-size="9"' in svg)


@pytest.mark.parametrize("name", ["alltoall.lg", "allreduce.hier"])
def test_rounds_beside_a_message_are_clear_of_borders(name: str) -> None:
    root = ElementTree.fromstring(picture(tell(name, 5)))
    for band in (group for group in root.iter(f"{SVG}g") if group.get("transform")):
        borders = next(group for group in band.iter(f"{SVG}g") if group.get("class") == "borders")
        rects = [rect.attrib for rect in borders.iter(f"{SVG}rect")]
        edges = [float(rect["y"]) for rect in rects]
        edges += [float(rect["y"]) + float(rect["height"]) for rect in rects]
        tags = [text for text in band.iter(f"{SVG}text") if text.get("font-size") == "9"]
        lowest = [float(tag.attrib["y"]) + 2 for tag in tags]  # of the letters
        assert lowest
        assert min(abs(edge - low) for edge in edges for low in lowest) >= 4


@pytest.mark.parametrize(("name", "kind"), [("alltoall.lg", "site"), ("allreduce.hier", "node")])
def test_sites_and_nodes_have_borders(name: str, kind: str) -> None:
    root = ElementTree.fromstring(picture(tell(name, 5)))
    borders = [group for group in root.iter(f"{SVG}g") if group.get("class") == "borders"]
    assert borders
    for band in borders:
        assert [text.text for text in band.iter(f"{SVG}text")] == [f"{kind} a", f"{kind} b"]
        assert len(list(band.iter(f"{SVG}rect"))) == 2


def test_a_message_says_whether_it_is_combined() -> None:
    story = tell("allreduce.ring", 5)
    assert {each.step for each in story.messages if each.combined} == {0, 1, 2, 3}
    assert not any(each.combined for each in tell("bcast.binomial", 6).messages)


def test_what_was_passed_on_is_not_needed_any_more() -> None:
    first, last = tell("reduce.binomial", 2).ranks[1]
    assert [held.needed for held in (*first.holds, *last.holds)] == [True, False]


def test_draw_writes_a_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "picture.svg"
    words = ("draw", "bcast.scatter_allgather", "-p", "6", "--root", "2")
    result = cli(*words, "--param", "allgather=bruck", "-o", str(file))
    assert result.exit_code == 0
    assert not result.stdout
    text = file.read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert "bcast.scatter_allgather(allgather=bruck)" in text
    assert re.search(r"p = 6, root = 2, \d rounds, volume ", text)
    shown = cli(*words, "--param", "allgather=bruck").stdout
    assert shown == text


def test_the_name_of_the_file_says_that_it_is_a_page(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    words = ("draw", "bcast.binomial", "-p", "3")
    assert cli(*words, "-o", str(file)).exit_code == 0
    assert file.read_text(encoding="utf-8") == cli(*words, "--html").stdout
    # A device has no name that says anything.
    assert cli(*words, "--html", "-o", "/dev/null").exit_code == 0


def test_the_same_as_data(cli: Cli) -> None:
    found = json.loads(cli("draw", "allgather.ring", "-p", "3", "--json").stdout)
    assert (found["name"], found["p"], found["rounds"]) == ("allgather.ring", 3, 2)
    assert len(found["messages"]) == 6
    assert [held["label"] for held in found["ranks"][1][-1]["holds"]] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("allgather.nonesuch", "-p", "4"), "bruck"),
        (("allgather.native", "-p", "4"), "no schedule"),
        (("bcast.binomial", "-p", "4", "--root", "4"), "root 4"),
        (("allgather.ring", "-p", "0"), "-p"),
        (("allgather.ring",), "-p"),
        (("allgather.ring", "-p", "4", "--json", "-o", "x.svg"), "exclude"),
        (("allgather.ring", "-p", "4", "-o", "x.png"), "x.png: a picture is a .svg or .html"),
        (("allgather.ring", "-p", "4", "-o", "x"), "x: a picture is a .svg or .html"),
        (("allgather.ring", "-p", "4", "--html", "-o", "x.svg"), "give x.html with -o"),
    ],
)
def test_what_cannot_be_drawn_is_refused(cli: Cli, words: tuple[str, ...], complaint: str) -> None:
    result = cli("draw", *words)
    assert result.exit_code == 2
    assert complaint in result.stderr


def test_a_file_that_cannot_be_written_is_named(cli: Cli, tmp_path: Path) -> None:
    result = cli("draw", "allgather.ring", "-p", "2", "-o", str(tmp_path / "none" / "x.svg"))
    assert result.exit_code == 1
    assert "x.svg" in result.stderr


def test_a_notebook_displays_what_draw_returns() -> None:
    drawing = roundelay.draw("bcast.binomial", 5, root=2)
    assert drawing._repr_svg_() == drawing.svg
    assert drawing.svg.startswith("<svg")
    assert (drawing.story.p, drawing.story.root) == (5, 2)
    with pytest.raises(ValueError, match="did you mean"):
        roundelay.draw("bcast.binomail", 5)


def test_a_root_is_only_for_collectives_that_have_one(cli: Cli) -> None:
    result = cli("draw", "allgather.ring", "-p", "4", "--root", "2")
    assert result.exit_code == 2
    assert "allgather has no root: --root is for" in result.stderr


def test_the_ranks_of_both_groups_count(cli: Cli) -> None:
    result = cli("draw", "bcast.inter_joined", "-p", "3", "-q", "70")
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert "at most 64 ranks, not 73: give -p and -q of together 64 or less" in told
    assert "`roundelay trace bcast.inter_joined -p 3 -q 70` says in words" in told
