# SPDX-License-Identifier: Apache-2.0
"""Networks as they are described, and the library in them where SMPI is here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers import ENOUGH, Cli, marked, until
from roundelay.cannot_run import CannotRun
from roundelay.signals import raised
from roundelay.simulation import contenders, platforms, smpi
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
    [("cluster:5", 5), ("dragonfly:256", 256), ("dragonfly:7", 7), ("ring:6", 6), ("sites:3+4", 7)],
)
def test_platforms_have_their_hosts(text: str, hosts: int, tmp_path: Path) -> None:
    made = platforms.parse(text)
    assert made.name == text
    assert len(made.hosts) >= hosts
    file = tmp_path / "own.xml"
    file.write_text(made.xml)
    assert set(made.spread(hosts).hosts) <= set(platforms.parse(str(file)).hosts)


def test_fewer_ranks_are_spread_over_all_parts() -> None:
    assert platforms.sites(4, 4).spread(4).hosts == ("a-0", "a-2", "b-0", "b-2")


def test_hosts_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.xml"
    file.write_text(
        '<platform version="4.1"><zone id="z" routing="Full"><host id="one" speed="1Gf"/>'
        '<cluster id="c" prefix="n" suffix=".x" radical="0-1,7"/></zone></platform>'
    )
    assert platforms.parse(str(file)).hosts == ("one", "n0.x", "n1.x", "n7.x")


@pytest.mark.parametrize("text", ["cluster", "cluster:0", "torus:8", "sites:8", "none.xml"])
def test_what_is_no_platform(text: str, cli: Cli) -> None:
    result = cli("simulate", "--platform", text, "--", "bcast", "1K")
    assert result.exit_code == 2
    assert text in result.output


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
        (("--", "bcost", "1K"), "cannot simulate 'bcost'"),
        (("-p", "9", "--", "bcast", "1K"), "9 ranks do not fit"),
        (("--", "bcast", "1X"), "'1X'"),
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


@needs_smpi
def test_a_ring_takes_what_the_model_says() -> None:
    p, m = 8, 1 << 20
    rings = [contenders.ours("allgather", "ring")]
    found = study(platforms.cluster(p), "allgather", [m], rings, model="textbook")
    expected = (p - 1) * (LATENCY + (m / p + ENVELOPE) * BYTE)
    assert found.times[0].seconds == pytest.approx(expected, rel=1e-3)


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
    words = ("--natives", "selectors", "--json", "--", "allreduce", "1K", "256K")
    twice = [cli("simulate", "--platform", "dragonfly:12", *words) for _ in range(2)]
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
        chosen, best = found.time("chosen", size), found.best_of_ours(size)
        assert chosen is not None
        assert best is not None
        assert chosen.seconds <= 1.1 * best.seconds, (chosen.ran, best.contender)


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
    assert "not done when it was stopped" in output, output + errors
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
