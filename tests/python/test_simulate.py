# SPDX-License-Identifier: Apache-2.0
"""Networks as they are described, and the library in them where SMPI is here."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from helpers import ENOUGH, Cli, marked, until
from roundelay.cannot_run import CannotRun
from roundelay.signals import raised
from roundelay.simulation import contenders, platforms, smpi, spelling
from roundelay.simulation.cuts import Bound, bound
from roundelay.simulation.links import Links
from roundelay.simulation.placement import place
from roundelay.simulation.study import Partial, study

LATENCY = 2e-6  # of the two links from host to host
BYTE = 8 / 10e9
ENVELOPE = 16  # bytes that SMPI adds to a message


@pytest.fixture
def smpi_is_here() -> None:
    try:
        smpi.program()
    except CannotRun as reason:
        pytest.skip(str(reason))


needs_smpi = pytest.mark.usefixtures("smpi_is_here")


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("cluster:5", 5),
        ("dragonfly:256", 256),
        ("dragonfly:7", 7),
        ("dragonfly:3x4x2x2", 24),
        ("fattree:4x4/2", 16),
        ("fattree:2x3x5", 30),
        ("ring:6", 6),
        ("sites:3+4", 7),
        ("torus:3x4x2", 24),
    ],
)
def test_platforms_have_their_hosts(text: str, hosts: int, tmp_path: Path) -> None:
    made = spelling.parse(text)
    assert made.name == text
    assert len(made.hosts) >= hosts
    file = tmp_path / "own.xml"
    file.write_text(made.xml)
    assert set(made.spread(hosts).hosts) <= set(spelling.parse(str(file)).hosts)


def test_fewer_ranks_are_spread_over_all_parts() -> None:
    assert platforms.sites(4, 4).spread(4).hosts == ("a-0", "a-2", "b-0", "b-2")


def test_hosts_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.xml"
    file.write_text(
        '<platform version="4.1"><zone id="z" routing="Full"><host id="one" speed="1Gf"/>'
        '<cluster id="c" prefix="n" suffix=".x" radical="0-1,7"/></zone></platform>'
    )
    assert spelling.parse(str(file)).hosts == ("one", "n0.x", "n1.x", "n7.x")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("cluster", "a number is missing; the form is cluster:HOSTS"),
        ("cluster:0", "'0' is not a number from 1 on"),
        ("mesh:8", "there is no platform 'mesh:8'"),
        ("tours:8x8", "did you mean 'torus'?"),
        ("torus:8x8y8", "'8y8' is not a number from 1 on; the form is torus:HOSTSxHOSTS.."),
        ("sites:8", "'8' has 1 number; the form is sites:HOSTS+HOSTS"),
        ("fattree:16", "'16' has 1 number; the form is fattree:LEAVESxHOSTS[/TAPER]"),
        ("fattree:1x16", "a fat tree needs at least 2 leaf switches"),
        ("fattree:4x4/", "a number is missing"),
        ("fattree:4x6/4", "/4 does not divide the 6 hosts of a leaf switch"),
        ("dragonfly:4x4", "'4x4' has 2 numbers; the form is dragonfly:HOSTS or"),
        ("dragonfly:9x8x4", "9 groups of 8 routers: there must be at least 2 groups, and at most"),
        ("torus:2000x2000", "at most 1048576 hosts"),
        ("none.xml", "cannot read none.xml: No such file or directory"),
    ],
)
def test_what_is_no_platform(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)) as caught:
        spelling.parse(text)
    assert text in str(caught.value)


CLUSTER = '<cluster prefix="n" suffix="" radical="{}"/>'


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("<host/>", "the platform {}: a <host> has no id"),
        ('<cluster prefix="n" radical="0-3"/>', "the platform {}: a <cluster> has no suffix"),
        (CLUSTER.format("x-y"), "the platform {}: 'x-y' is not a radical like 0-7 or 0-7,12"),
        (CLUSTER.format("3-0"), "the platform {}: '3-0' is not a radical like 0-7 or 0-7,12"),
        (CLUSTER.format("0-99999999"), "the platform {}: a network has at most 1048576 hosts"),
        ("<zone/>", "the platform {}: it has neither hosts nor clusters"),
        ("<zone>", "the platform {}: no element found: line 1, column 6"),
        (b"\xff\xfe\x00", "{}: it is not a text file in UTF-8"),
    ],
)
def test_a_file_that_is_no_platform(tmp_path: Path, content: str | bytes, wrong: str) -> None:
    file = tmp_path / "own.xml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match="cannot read") as caught:
        spelling.parse(str(file))
    assert str(caught.value) == f"cannot read {wrong.format(file)}"


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("bcast", "1K", "0"), "0 bytes are too few for bcast of 4 ranks: give at least 16"),
        (("allgatherv/irregular", "8"), "8 bytes are too few for allgatherv/irregular of 4 ranks"),
        (("allgather_between/1", "3"), "of 4 ranks: give at least 4"),
        (("bcast", "8G"), "8589934592 bytes are too many for bcast of 4 ranks: give at most"),
        (("--plot", "x.txt", "bcast", "1K"), "x.txt: a picture is a .svg, .png or .pdf"),
    ],
)
def test_what_cannot_be_simulated(words: tuple[str, ...], wrong: str, cli: Cli) -> None:
    result = cli("simulate", "--platform", "cluster:4", *words)
    assert result.exit_code == 2
    assert wrong in " ".join(result.stderr.split())


def test_lengths_that_can_be_cut() -> None:
    for what, least in (("bcast", 16), ("allgatherv/irregular", 12), ("gather/regular", 16),
                        ("reduce_scatter/degenerate", 4), ("allgather_between/3", 12)):  # fmt: skip
        contenders.check_lengths(what, [least], 4)
        with pytest.raises(ValueError, match=f"give at least {least}"):
            contenders.check_lengths(what, [least - 1], 4)
    with pytest.raises(ValueError, match=r"too few for allgatherv/irregular of 1 rank$"):
        contenders.check_lengths("allgatherv/irregular", [1024], 1)


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--bandwidth", "10Gb"), "'10Gb': there is no unit 'Gb' (did you mean '10Gbps'?)"),
        (("--bandwidth", "0Gbps"), "'0Gbps' is not more than 0: give e.g. 5Mbps or 5Gbps"),
        (("--latency", "1"), "'1' has no unit: give e.g. 1ns, 1us or 1ms"),
        (("--ports", "["), "'[' is not a regular expression"),
        (("-p", "17", "--ranks-per-host", "4"), "17 ranks do not fit on 4 hosts of 4 ranks each"),
        (
            ("--placement", "fragments"),
            "fragments need free hosts between them, but all 4 are taken",
        ),
    ],
)
def test_what_is_no_network(words: tuple[str, ...], wrong: str, cli: Cli) -> None:
    result = cli("simulate", "--platform", "cluster:4", *words, "--", "bcast", "1K")
    assert result.exit_code == 2
    assert wrong in " ".join(result.output.replace("\u2502", "").split())


def test_a_file_has_its_own_links(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "own.xml"
    file.write_text(platforms.cluster(4).xml)
    words = ("--bandwidth", "1Gbps", "--", "bcast", "1K")
    result = cli("simulate", "--platform", str(file), *words)
    assert result.exit_code == 2
    assert "which has its own" in result.output


def test_placements() -> None:
    hosts = [f"h{i}" for i in range(8)]
    assert place(hosts, 4) == ("h0", "h2", "h4", "h6")
    assert place(hosts, 4, placement="block") == ("h0", "h1", "h2", "h3")
    assert place(hosts, 5, 2, "block") == ("h0", "h0", "h1", "h1", "h2")
    assert place(hosts, 5, 2, "cyclic") == ("h0", "h1", "h2", "h0", "h1")
    assert sorted(place(hosts, placement="random")) == hosts
    assert place(hosts, 8, 1, "random", 1) != place(hosts, 8, 1, "random", 2)
    with pytest.raises(ValueError, match=r"did you mean 'fragments'"):
        place(hosts, 4, placement="fragment")


def test_fragments_are_runs_of_free_hosts() -> None:
    hosts = [f"h{i}" for i in range(256)]
    taken = [int(host[1:]) for host in place(hosts, 128, 2, "fragments", 3)[::2]]
    assert taken == sorted(set(taken))
    assert len(taken) == 64
    assert taken == [int(host[1:]) for host in place(hosts, 64, 1, "fragments", 3)]
    starts = [i for i in range(1, 64) if taken[i] != taken[i - 1] + 1]
    assert len(starts) == 15
    lengths = [end - start for start, end in zip([0, *starts], [*starts, 64])]
    assert len(set(lengths)) > 3


def test_the_ports_of_a_fat_tree_are_the_first_links() -> None:
    for count in (2, 9, 10, 11, 99, 100, 101, 999, 1000, 1024):
        numbers = re.compile(platforms._below(count))
        assert [i for i in range(3000) if numbers.fullmatch(str(i))] == list(range(count))


def test_fewer_ranks_of_hosts_with_several() -> None:
    placed = platforms.cluster(8).placed(64, 8)
    assert Counter(placed.spread(16).hosts) == {f"c-{i}": 4 for i in (0, 2, 4, 6)}
    assert len(platforms.cluster(8).placed(16, 2).spread(12).hosts) == 12


# What leaves a part of a network has so many links of it; by cut in the order of the parts.
@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("cluster:8", {"hosts": 1}),
        ("fattree:4x6/2", {"hosts": 1, "leaf switches": 3, "halves": 6}),
        ("fattree:4x2x6/3", {"hosts": 1, "leaf switches": 2, "pods": 4, "halves": 8}),
        ("dragonfly:5x6x2x3", {"hosts": 1, "routers": 8, "groups": 12, "halves": 18}),
        ("dragonfly:256", {"hosts": 1, "routers": 10, "chassis": 22, "groups": 14, "halves": 32}),
        ("torus:4x2x1", {"hosts": 3, "halves along 1": 4, "halves along 2": 4}),
        ("sites:4+4", {"hosts": 1, "sites": 1}),
    ],
)
def test_the_links_of_a_cut(text: str, links: dict[str, float]) -> None:
    made = spelling.parse(text, Links("8Gbps"))
    assert {cut.name: cut.bandwidth / 1e9 for cut in made.cuts} == links


def test_the_bound_is_that_of_the_narrowest_cut() -> None:
    made = spelling.parse("fattree:4x4/4", Links("8Gbps"))
    hosts = made.placed(None, 2).hosts
    # Of 32 ranks the 8 of a leaf switch have 8 * 24 blocks for others, and one link.
    assert bound(made.cuts, hosts, "alltoall", 32000) == Bound(8 * 24 * 1e-6, "leaf switches")
    assert bound(made.cuts, hosts, "bcast", 1000) == Bound(1e-6, "hosts")
    assert bound(made.cuts, hosts, "allgatherv/irregular", 32000) is None
    assert bound((), hosts, "bcast", 1000) is None


def test_missing_smpi_says_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    result = cli("simulate", "--platform", "cluster:4", "--", "bcast", "1K")
    assert result.exit_code == 1
    assert "apt-get install libsimgrid-dev" in result.output


@needs_smpi
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("-a", "brook", "--", "allgather", "1K"), "'brook'"),
        (("--", "bcost", "1K"), "there is no collective 'bcost' (did you mean 'bcast'?)"),
        (("-p", "9", "--", "bcast", "1K"), "9 ranks do not fit on 8 hosts of 1 rank each"),
        (("--", "bcast", "1X"), "'1X'"),
        (
            ("-a", "inter_full", "--", "allgather", "1K"),
            "inter_full runs between two groups of ranks, but allgather is measured; for it there",
        ),
        (
            ("-a", "ring", "--", "allgather_between/2", "1K"),
            "ring runs within one group of ranks, but allgather_between is measured; for it there "
            "are inter_full, inter_ring, inter_root",
        ),
        (("--platform", "cluster:1", "--", "bcast", "1K"), "nothing is sent by one rank"),
    ],
)
def test_what_cannot_be_meant(words: tuple[str, ...], complaint: str, cli: Cli) -> None:
    result = cli("simulate", "--platform", "cluster:8", *words)
    assert result.exit_code == 2
    assert complaint in result.output


@needs_smpi
def test_every_algorithm_gives_right_data() -> None:
    network = platforms.sites(4, 3)
    blocks = {"allgatherv": "irregular", "reduce_scatter": "irregular", "allgather_between": "3"}
    wanted = [
        (f"{name}/{blocks[name]}" if name in blocks else name, one)
        for name in contenders.COLLECTIVES
        for one in contenders.all_of_ours(name, sites=True)
    ]

    def check(collective: str, one: contenders.Contender) -> smpi.Outcome:
        cells = [f"{collective}:{size}" for size in (56, 100_000)]
        return smpi.run(network, cells, checked=True, variables=one.variables, flags=one.flags)

    with ThreadPoolExecutor(2) as pool:
        for (name, one), found in zip(wanted, pool.map(lambda each: check(*each), wanted)):
            assert not found.failure, (name, one.name)
            # Between sites the choice is the stand-in, which may be wrong.
            own = [each for each in found.measured if ".native" not in each.ran]
            assert own or one.name == "chosen", name
            assert not any(each.wrong for each in own), (name, one.name)
            if one.name != "chosen" and "between" not in name:
                assert all(one.name in each.ran for each in found.measured)


# A rank of a ring of 12 is sent messages by a neighbour in two rounds one after the other, first
# one of more than 64 KiB, then a shorter one, and posts both receives ahead.
@needs_smpi
@pytest.mark.parametrize("variant", ["swing", "swing(x=2)", "swing(x=2, y=2)"])
def test_a_short_message_does_not_overtake_a_long_one(variant: str) -> None:
    one = contenders.ours("allreduce", variant)
    cells = [f"allreduce:{size << 10}" for size in (1, 64, 512, 4096)]
    for ranks in (12, 16):
        found = smpi.run(
            platforms.cluster(ranks), cells, checked=True, variables=one.variables, flags=one.flags
        )
        assert not found.failure
        assert not any(each.wrong for each in found.measured)


# Ranks that wait for one that has ended are no deadlock.
@needs_smpi
def test_a_message_that_is_too_short_is_called_so() -> None:
    network = platforms.cluster(32).placed(None, 16, "block")
    found = study(network, "bcast", [1 << 10], [contenders.chosen("bcast")])
    assert [each.reason for each in found.refused] == ["1024 bytes are too few for 512 ranks"]


@needs_smpi
def test_a_ring_takes_what_the_model_says() -> None:
    p, m = 8, 1 << 20
    rings = [contenders.ours("allgather", "ring")]
    found = study(platforms.cluster(p), "allgather", [m], rings, model="textbook")
    expected = (p - 1) * (LATENCY + (m / p + ENVELOPE) * BYTE)
    assert found.times[0].seconds == pytest.approx(expected, rel=1e-3)


# Scratch of a mebibyte and more is shared, too, which is told from other memory where it is freed.
@needs_smpi
def test_large_scratch_is_freed() -> None:
    bruck = [contenders.ours("allgather", "bruck")]
    found = study(platforms.cluster(4), "allgather", [4 << 20], bruck)
    assert [time.ran for time in found.times] == ["allgather.bruck: forced"]
    assert not found.refused


# Data is copied and combined where it is checked only.
@needs_smpi
@pytest.mark.parametrize(
    "forced",
    ["allgather.bruck", "allreduce.recursive_doubling", "reduce_scatter.recursive_halving"],
)
def test_a_time_does_not_depend_on_the_data(forced: str) -> None:
    collective, _, algorithm = forced.partition(".")
    one = contenders.ours(collective, algorithm)
    real, shared = (
        smpi.run(
            platforms.cluster(8), 2 * [f"{collective}:{4 << 20}"], checked=checked,
            variables=one.variables, flags=one.flags,
        ).measured[1]
        for checked in (True, False)
    )  # fmt: skip
    assert real.ran == shared.ran == f"{forced}: forced"
    assert shared.seconds == pytest.approx(real.seconds, rel=1e-9)


@needs_smpi
def test_what_fails_after_its_last_size_keeps_its_times(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any, **options: Any) -> smpi.Outcome:
        found = smpi.run(*arguments, **options)
        return found if options["checked"] else dataclasses.replace(found, failure="crashed")

    monkeypatch.setattr("roundelay.simulation.study.run", failing)
    found = study(platforms.cluster(4), "bcast", [64, 128], [contenders.ours("bcast", "binomial")])
    assert [time.bytes for time in found.times] == [64, 128]
    assert [each.reason for each in found.refused] == ["crashed"]


def round_of_a_ring(text: str, hosts: tuple[str, ...], block: int) -> float:
    """Simulated seconds of a round of a ring among ranks on these hosts, each with a block."""
    p = len(hosts)
    network = spelling.parse(text, Links(memory=len(set(hosts)) < p))
    placed = dataclasses.replace(network, hosts=hosts)
    ring = contenders.ours("allgather", "ring")
    found = smpi.run(
        placed, [f"allgather:{p * block}"], checked=False, model="textbook",
        variables=ring.variables, flags=ring.flags,
    )  # fmt: skip
    assert not found.failure
    return found.measured[0].seconds / (p - 1)


# The links between two hosts. Of a dragonfly: to the router that leads to the other group, there,
# and to the host's.
@needs_smpi
@pytest.mark.parametrize(
    ("text", "hosts", "links"),
    [
        ("cluster:4", ("c-0", "c-3"), 2),
        ("fattree:2x2x2", ("f-0", "f-1"), 2),
        ("fattree:2x2x2", ("f-0", "f-2"), 4),
        ("fattree:2x2x2", ("f-1", "f-7"), 6),
        ("dragonfly:3x4x2", ("d-0", "d-1"), 2),
        ("dragonfly:3x4x2", ("d-0", "d-2"), 3),
        ("dragonfly:3x4x2", ("d-0", "d-23"), 5),
        ("torus:3x4x5", ("t-0", "t-1"), 1),
        ("torus:3x4x5", ("t-0", "t-59"), 3),
        ("torus:3x4x5", ("t-0", "t-31"), 1 + 2 + 2),
    ],
)
def test_a_message_takes_what_its_links_take(text: str, hosts: tuple[str, ...], links: int) -> None:
    latency, long = links * LATENCY / 2, 1 << 20
    assert round_of_a_ring(text, hosts, 8) == pytest.approx(latency + (8 + ENVELOPE) * BYTE)
    assert round_of_a_ring(text, hosts, long) == pytest.approx(
        latency + (long + ENVELOPE) * BYTE, rel=1e-6
    )


# Flows that share a link in each round, and between which hosts.
@needs_smpi
@pytest.mark.parametrize(
    ("text", "hosts", "flows"),
    [
        ("cluster:2", ("c-0", "c-0", "c-1", "c-1"), 1),
        ("cluster:2", ("c-0", "c-1", "c-0", "c-1"), 2),
        ("fattree:2x4", ("f-0", "f-4", "f-1", "f-5", "f-2", "f-6", "f-3", "f-7"), 1),
        ("fattree:2x4/2", ("f-0", "f-4", "f-1", "f-5", "f-2", "f-6", "f-3", "f-7"), 2),
        ("fattree:2x4/4", ("f-0", "f-4", "f-1", "f-5", "f-2", "f-6", "f-3", "f-7"), 4),
        ("dragonfly:2x2x2", ("d-2", "d-4", "d-3", "d-5"), 2),
        ("dragonfly:2x2x2x2", ("d-2", "d-4", "d-3", "d-5"), 1),
        ("torus:6", ("t-0", "t-2", "t-4"), 1),
        ("torus:7", ("t-0", "t-3", "t-1", "t-4"), 2),
    ],
)
def test_flows_share_a_link(text: str, hosts: tuple[str, ...], flows: int) -> None:
    block = 1 << 22
    expected = flows * block * BYTE
    assert round_of_a_ring(text, hosts, block) == pytest.approx(expected, rel=0.01)


@needs_smpi
def test_ranks_of_a_host_talk_through_its_memory() -> None:
    block = 1 << 20
    expected = 300e-9 + (block + ENVELOPE) / 10e9
    found = round_of_a_ring("torus:2x2", ("t-3", "t-3", "t-3"), block)
    assert found == pytest.approx(expected, rel=1e-6)


# Where they are placed in turn, a ring crosses all the time, and what is composed over the nodes
# does not: the library knows who shares a host.
@needs_smpi
def test_the_library_knows_the_hosts() -> None:
    network = spelling.parse("fattree:2x2", Links(memory=True))
    entered = [contenders.ours("bcast", "binomial"), contenders.ours("bcast", "hier")]
    crossed = {}
    for placement in ("block", "cyclic"):
        found = study(network.placed(None, 3, placement), "bcast", [12 << 10], entered)
        assert found.hosts == 4
        for time in found.times:
            crossed[placement, time.contender] = time.crossing
        hier = found.time("hier", 12 << 10)
        assert hier is not None
        assert hier.bound == pytest.approx((12 << 10) * BYTE)
        assert hier.over_bound is not None
        assert hier.over_bound > 1
    assert crossed["block", "hier"] == crossed["cyclic", "hier"]
    assert crossed["cyclic", "hier"]["hosts"] == 3 * (12 << 10)
    assert crossed["cyclic", "binomial"]["hosts"] > 3 * (12 << 10)


# As many bytes of combined numbers, which are counted in numbers, and of pipelines, whose blocks
# follow from what was measured.
@needs_smpi
def test_bytes_that_cross_are_counted() -> None:
    network = spelling.parse("torus:4x2").placed(None, 1)
    m = 8 << 10
    rings = study(network, "allreduce", [m], [contenders.ours("allreduce", "ring")])
    assert rings.times[0].crossing == {
        "hosts": 14 * m, "halves along 1": 14 * m // 2, "halves along 2": 14 * m // 4,
    }  # fmt: skip
    entered = [
        contenders.chosen("bcast"),
        contenders.ours("bcast", "chain"),
        *contenders.selectors("bcast"),
    ]
    chains = study(network, "bcast", [1 << 20], entered)
    chain = chains.time("chain", 1 << 20)
    assert chain is not None
    assert chain.crossing["hosts"] == 7 << 20
    assert all(not time.crossing for time in chains.times if time.kind == "selector")


@needs_smpi
@pytest.mark.parametrize(
    ("text", "collective"),
    [("fattree:2x4/2", "alltoall"), ("torus:4x2", "allgather"), ("dragonfly:2x2x2", "reduce")],
)
def test_nothing_beats_the_bound(text: str, collective: str) -> None:
    network = spelling.parse(text).placed(None, 1)
    entered = contenders.all_of_ours(collective, sites=False)
    found = study(network, collective, [1 << 20], entered)
    assert found.times
    assert all(time.over_bound and time.over_bound > 1 for time in found.times)


@needs_smpi
def test_the_table_has_the_bound_and_what_crosses(cli: Cli) -> None:
    words = ("--natives", "none", "-a", "ring", "--", "allgather", "1K", "64K")
    result = cli("simulate", "--platform", "fattree:2x2", "--ranks-per-host", "2", *words)
    assert result.exit_code == 0
    assert "8 ranks on 4 hosts (spread)" in result.output
    assert "64 KiB: no less than 39.32 us, for the hosts" in result.output
    assert "leaf switches" in result.output
    (line,) = (each.split() for each in result.output.splitlines()[-4:] if each.startswith("ring"))
    assert line[-6:] == ["224", "KiB", "112", "KiB", "112", "KiB"]


@needs_smpi
@pytest.mark.parametrize("model", smpi.MODELS)
def test_every_length_is_measured(model: str) -> None:
    sizes = [64, 1024]
    rings = [contenders.ours("allgather", "ring"), contenders.shipped("allgather", "ring")]
    found = study(platforms.ring(6), "allgather", sizes, rings, model=model)
    assert not found.refused
    assert [time.bytes for time in found.times] == 2 * sizes


@needs_smpi
def test_the_same_command_gives_the_same_bits(cli: Cli) -> None:
    options = ("--platform", "dragonfly:12", "--natives", "selectors", "--json")
    some = ("-a", "ring", "-a", "rabenseifner", "-a", "swing")
    words = ("simulate", *options, *some, "--", "allreduce", "1K", "256K")
    twice = [cli(*words) for _ in range(2)]
    assert twice[0].exit_code == 0
    assert twice[0].stdout == twice[1].stdout
    result = json.loads(twice[0].stdout)
    assert {time["kind"] for time in result["times"]} == {"roundelay", "selector"}
    for size in (1 << 10, 1 << 18):
        natives = [
            t["ratio"] for t in result["times"] if (t["bytes"], t["kind"]) == (size, "selector")
        ]
        assert min(natives) == 1


@needs_smpi
@pytest.mark.parametrize("collective", ["bcast", "gather", "reduce"])
def test_the_choice_is_near_the_best_of_ours(collective: str) -> None:
    sizes = [1 << 10, 1 << 16]
    entered = contenders.all_of_ours(collective, sites=False)
    found = study(platforms.cluster(7), collective, sizes, entered)
    for size in sizes:
        chosen = found.time("chosen", size)
        assert chosen is not None
        ours = [time for time in found.times if (time.bytes, time.kind) == (size, "roundelay")]
        best = min(ours, key=lambda time: time.seconds)
        assert chosen.seconds <= 1.1 * best.seconds, (chosen.ran, best.contender)


@needs_smpi
def test_what_is_left_to_the_library_is_what_it_would_take() -> None:
    network = platforms.cluster(2, Links(memory=True)).placed(None, 4)
    native = {"ROUNDELAY": "allreduce=native"}
    entered = [
        dataclasses.replace(contenders.chosen("allreduce"), variables=native),
        *contenders.selectors("allreduce"),
    ]
    found = study(network, "allreduce", [1 << 20], entered)
    left, library = found.time("chosen", 1 << 20), found.time("ompi", 1 << 20)
    assert left is not None
    assert library is not None
    assert left.ran.startswith("allreduce.native")
    assert left.seconds == library.seconds


@needs_smpi
def test_what_is_wrong_is_left_out() -> None:
    wrong = [contenders.shipped("alltoall", name) for name in ("pair_rma", "bruck", "rdb")]
    found = study(platforms.cluster(8), "alltoall", [4096], wrong)
    assert {each.contender for each in found.refused} == {"pair_rma", "rdb"}
    assert {time.contender for time in found.times} == {"bruck"}


@needs_smpi
def test_smpi_names_its_algorithms() -> None:
    names = smpi.shipped_algorithms("bcast")
    assert {"binomial_tree", "NTSL"} <= set(names)
    assert not {"mpich", "automatic", "default"} & set(names)


@needs_smpi
def test_a_platform_of_ones_own_and_a_picture(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file, picture = tmp_path / "own.xml", tmp_path / "own.svg"
    file.write_text(platforms.cluster(4).xml)
    words = (
        "--natives",
        "selectors",
        "-a",
        "ring",
        "--plot",
        str(picture),
        "--",
        "allgather",
        "4K",
    )
    result = cli("simulate", "--platform", str(file), *words)
    assert result.exit_code == 0
    assert "own.xml, 4 ranks" in result.output
    assert "ring" in result.output
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


@needs_smpi
def test_a_picture_that_cannot_be_written_does_not_cost_the_table(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    words = ("--natives", "none", "-a", "ring", "--", "allgather", "4K")
    missing = tmp_path / "none" / "x.svg"
    result = cli("simulate", "--platform", "cluster:4", "--plot", str(missing), *words)
    assert result.exit_code == 1
    assert f"cannot write {missing}: there is no folder {missing.parent}" in result.stderr

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("roundelay.plotting.write_whole", full)
    picture = tmp_path / "x.svg"
    result = cli("simulate", "--platform", "cluster:4", "--plot", str(picture), *words)
    assert result.exit_code == 1
    assert "ring" in result.stdout
    assert f"cannot write {picture}: No space left on device" in result.stderr


@needs_smpi
@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("", "SimGrid cannot read line 1 of the platform: Invalid XML"),
        (
            '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
            "there is no connecting path between these two hosts",
        ),
    ],
)
def test_a_network_that_cannot_be_simulated_says_why_once(
    cli: Cli, tmp_path: Path, head: str, told: str
) -> None:
    file = tmp_path / "own.xml"
    file.write_text(
        f'{head}<platform version="4.1"><zone id="z" routing="Full"><host id="one" speed="1Gf"/>'
        '<host id="two" speed="1Gf"/></zone></platform>'
    )
    words = ("--natives", "selectors", "-a", "binomial", "--", "bcast", "1K")
    result = cli("simulate", "--platform", str(file), *words)
    assert result.exit_code == 1
    assert result.stdout.startswith("left out:\n")
    assert told in result.stdout


@needs_smpi
def test_a_signal_stops_it_and_what_is_done_is_told() -> None:
    entered = contenders.all_of_ours("allgather", sites=False)

    def stop(done: str) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(Partial) as caught, raised():
        study(platforms.cluster(4), "allgather", [64], entered, jobs=1, tell=stop)
    found = caught.value.study
    assert caught.value.code == 128 + signal.SIGTERM
    assert found.left
    done = {time.contender for time in found.times} | {each.contender for each in found.refused}
    assert done == {one.name for one in entered} - set(found.left)
    assert entered[0].name in done


@needs_smpi
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_command_at_once(end: signal.Signals, tmp_path: Path) -> None:
    mark = "ROUNDELAY_TEST_SIMULATION"

    def is_simulating() -> bool:
        try:
            return any(b"-hostfile" in (each / "cmdline").read_bytes() for each in processes())
        except OSError:  # one has ended meanwhile
            return False

    def processes() -> list[Path]:
        return marked(mark, str(tmp_path))

    command = [sys.executable, "-c", "from roundelay.cli import main; main()", "simulate"]
    words = ["--platform", "cluster:64", "--natives", "none", "-j", "2", "--", "alltoall", "8M"]
    process = subprocess.Popen(
        [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path),
             mark: str(tmp_path)},
        start_new_session=True,
    )  # fmt: skip
    assert until(is_simulating)
    process.send_signal(end)
    output, errors = process.communicate(timeout=ENOUGH)
    assert process.returncode == 128 + end, errors
    assert "not finished when stopped" in output, output + errors
    assert "Traceback" not in errors
    assert until(lambda: not processes())
    assert not list(tmp_path.iterdir())


@needs_smpi
def test_a_full_disk_is_no_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    words = ("--natives", "none", "-a", "ring", "--", "allgather", "1K")
    result = cli("simulate", "--platform", "cluster:4", *words)
    assert result.exit_code == 1
    assert "No space left on device" in result.output
