# SPDX-License-Identifier: Apache-2.0
"""What a lab is planned to be; none of it is made. test_lab_made.py makes some."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import Cli, compile_c
from hypothesis import given
from hypothesis import strategies as st
from roundelay.cannot_run import CannotRun
from roundelay.lab import check, launch, needs, session, shift
from roundelay.lab.description import HEAD, Lab, Wan, address, from_json, to_json
from roundelay.lab.network import attached, link
from roundelay.lab.steps import Refused, do
from roundelay.lab.wan import BUFFER, NO_DATA, Line
from roundelay.launcher import Launcher
from roundelay.signals import Ended

Started = list[tuple[Lab, list[str], dict[str, str]]]
TWO_SITES = Lab((3, 2), 100_000_000, 2, Wan(50_000_000, 0.005))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """What the command would have run in a lab."""
    calls: Started = []

    def run(lab: Lab, command: list[str], environment: dict[str, str]) -> Ended:
        calls.append((lab, command, environment))
        return Ended(3)

    monkeypatch.setattr(session, "run", run)
    monkeypatch.setattr(needs, "check", lambda wan: None)
    return calls


def test_options_describe_the_lab(cli: Cli, launchers: Path, started: Started) -> None:
    sites = ("--sites", "3+2", "--wan-delay", "5ms", "--wan-rate", "50mbit")
    mpiexec = str(launchers / "bin" / "mpiexec.openmpi")
    options = ("--rate", "0.1gbit", "--ranks-per-node", "2", "--mpiexec", mpiexec)
    result = cli("lab", *sites, *options, "--", "sh", "-c", "true")
    assert result.exit_code == 3
    ((lab, command, environment),) = started
    assert lab == TWO_SITES
    assert command[0] == mpiexec
    assert command[-5:] == ["-n", "10", "sh", "-c", "true"]
    assert "LD_PRELOAD" not in environment


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ((), "--nodes"),
        (
            ("--nodes", "4", "--rate", "100"),
            "'100' has no unit: give e.g. 100kbit, 100mbit or 100gbit",
        ),
        (("--nodes", "4", "--rate", "0mbit"), "5mbit"),
        (("--nodes", "4", "--sites", "2+3", "--wan-delay", "1ms"), "5 nodes, but --nodes is 4"),
        (("--sites", "2+2+2"), "give e.g. 4+4"),
        (("--sites", "2+2"), "--wan-delay"),
        (("--sites", "200+200", "--wan-delay", "1ms"), "250"),
        (("--nodes", "2", "--wan-delay", "1ms"), "--sites"),
        (("--sites", "2+2", "--wan-delay", "1h"), "there is no unit 'h'; give e.g. 1us, 1ms or 1s"),
        (("--nodes", "2", "--bcast", "nonesuch"), "binomial"),
    ],
)
def test_what_cannot_be_meant(
    cli: Cli, started: Started, options: tuple[str, ...], complaint: str
) -> None:
    result = cli("lab", *options, "--", "true")
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert not started


@pytest.mark.parametrize("option", [("--preload",), ("--bcast", "binomial")])
def test_a_program_through_roundelay(
    cli: Cli, one_build: Path, launchers: Path, started: Started, option: tuple[str, ...]
) -> None:
    mpiexec = str(launchers / "bin" / "mpiexec.openmpi")
    cli("lab", "--nodes", "2", "--mpiexec", mpiexec, *option, "--", "sh")
    ((_, command, environment),) = started
    assert f"LD_PRELOAD={one_build / 'libroundelay-mpi40.so'}" in command
    # A node's ranks do not see that others share their cores.
    assert environment["ROUNDELAY_WAIT"] == "sleep"
    assert environment.get("ROUNDELAY") == (None if len(option) == 1 else "bcast=binomial")


def test_a_description_survives_its_transport() -> None:
    assert from_json(to_json(TWO_SITES)) == TWO_SITES
    assert from_json(to_json(Lab((4,), 1000))) == Lab((4,), 1000)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3))
def test_every_node_is_at_one_site(sites: list[int]) -> None:
    lab = Lab(tuple(sites), 1)
    members = [node for site in range(len(sites)) for node in lab.members(site)]
    assert members == list(range(1, lab.nodes + 1))
    assert [lab.site_of(node) for node in members] == sorted(map(lab.site_of, members))


@pytest.mark.parametrize("device", ["node2", "eth0"])
def test_both_ends_of_a_link_are_shaped(device: str) -> None:
    lab = Lab((2,), 100_000_000)
    commands = link(lab, 2, 1234) if device == "node2" else attached(lab, 2)
    classes = [each.split() for each in commands if each.startswith(f"tc class add dev {device} ")]
    rates = {words[words.index("classid") + 1]: words[words.index("rate") + 1] for words in classes}
    assert rates == {"1:1": "100000000bit", "1:10": "10000000bit", "1:20": "90000000bit"}
    # It is shaped before anything can pass.
    up = commands.index(f"ip link set {device} up")
    assert all(commands.index(" ".join(words)) < up for words in classes)


@pytest.mark.parametrize(
    ("launcher", "words"),
    [
        (Launcher(Path("/x"), 0, "openmpi", {}, "4.1.4"), ["plm_rsh_agent", "tcp,self,vader"]),
        (Launcher(Path("/x"), 0, "openmpi", {}, "5.0.11"), ["plm_ssh_agent", "tcp,self,sm"]),
        (Launcher(Path("/x"), 0, "mpich", {}, "5.0.2"), ["-launcher-exec", HEAD, "tcp,self,sm"]),
    ],
)
def test_a_launcher_is_told_the_nodes(launcher: Launcher, words: list[str]) -> None:
    command = launch.command(TWO_SITES, launcher, ["./app", "-n"])
    assert command[0] == "/x"
    assert command[-4:] == ["-n", "10", "./app", "-n"]
    assert set(words) <= set(command)
    assert str(launch.WRAPPER) in command
    hosts = next(word for word in command if word.startswith(address(1))).split(",")
    slots = ":2" if launcher.flavour == "openmpi" else ""
    assert hosts == [f"{address(node)}{slots}" for node in range(1, 6)]


def test_the_wrapper_knows_only_its_nodes(tmp_path: Path) -> None:
    script = tmp_path / "wrapper"
    script.write_text(launch.wrapper({1: os.getpid()}))
    done = subprocess.run(
        ["sh", str(script), address(2), "true"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == f"the lab has no node {address(2)}\n"


def fake_mpiexec(folder: Path, says: str) -> str:
    folder.mkdir(parents=True)
    script = folder / "mpiexec"
    script.write_text(f"#!/bin/sh\necho '{says}'\n")
    script.chmod(0o755)
    return str(script)


def test_mpich_4_is_refused(tmp_path: Path) -> None:
    four = fake_mpiexec(tmp_path / "4", "HYDRA build details:\n    Version:      4.0.2")
    with pytest.raises(CannotRun, match=r"MPICH 4\.0\.2, which .*hangs.*pip install mpich"):
        launch.pick_launcher("sh", mpiexec=four)
    five = fake_mpiexec(tmp_path / "5", "HYDRA build details:\n    Version:      5.0.2")
    assert launch.pick_launcher("sh", mpiexec=five).major == 5


def test_a_launcher_that_is_none() -> None:
    with pytest.raises(CannotRun, match="'sh' is not a launcher"):
        launch.pick_launcher("sh", mpiexec="sh")


def test_the_launcher_of_the_programs_mpi(
    tmp_path: Path, launchers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / "own"
    own = fake_mpiexec(prefix / "bin", "mpiexec (Open MPI) 5.0.11")
    (prefix / "lib").mkdir()
    library = "libmpi.so.40"
    compile_c(
        prefix / "lib", library, "int f(void) { return 0; }", "-shared", "-fPIC",
        f"-Wl,-soname,{library}",
    )  # fmt: skip
    program = compile_c(
        tmp_path, "program", "int f(void); int main(void) { return f(); }",
        str(prefix / "lib" / library), f"-Wl,-rpath,{prefix / 'lib'}",
    )  # fmt: skip
    monkeypatch.setenv("PATH", str(launchers / "bin"))
    assert str(launch.pick_launcher(str(program)).path) == own
    # What is linked to no MPI may be anything's.
    mpich = launchers / "bin" / "mpiexec.mpich"
    assert launch.pick_launcher("/bin/sh", flavour="mpich").path == mpich
    told = r"linked to libmpi\.so\.40 of Open MPI, but --mpi is mpich: leave --mpi out"
    with pytest.raises(CannotRun, match=told):
        launch.pick_launcher(str(program), flavour="mpich")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("mpiexec.openmpi -n 2 sh -c true", "mpiexec.openmpi -n 2"),
        ("env A=1 mpiexec.mpich -n 2 sh", "mpiexec.mpich -n 2"),
        ("srun-missing/srun ./app", "srun-missing/srun"),
    ],
)
def test_a_launcher_is_to_be_left_out(
    cli: Cli, launchers: Path, started: Started, command: str, words: str
) -> None:
    result = cli("lab", "--nodes", "2", "--", *command.split())
    assert result.exit_code == 1
    told = f"leave '{words}' out: roundelay lab starts the ranks itself (--nodes, --ranks-per-node)"
    assert told in result.stderr
    assert not started


def test_the_launcher_and_its_mpi_must_agree(launchers: Path) -> None:
    mpich = str(launchers / "bin" / "mpiexec.mpich")
    with pytest.raises(CannotRun, match=r"is a launcher of MPICH, but --mpi is openmpi: leave"):
        launch.pick_launcher("sh", "openmpi", mpich)


def test_a_signal_that_ends_the_job_is_named(
    cli: Cli, launchers: Path, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "run", lambda *_: Ended(130, signal.SIGINT))
    mpiexec = str(launchers / "bin" / "mpiexec.openmpi")
    result = cli("lab", "--nodes", "2", "--mpiexec", mpiexec, "--", "sh")
    assert result.exit_code == 130
    assert "roundelay: SIGINT ended the job\n" in result.stderr


def test_missing_tools_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        shutil, "which", lambda tool, path: None if tool in ("tc", "ethtool") else "/x"
    )
    with pytest.raises(CannotRun, match=r"needs tc, ethtool, .* apt-get install iproute2 ethtool"):
        needs.check(wan=False)


def test_a_kernel_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool, path: "/x")
    refusal = ["sh", "-c", "echo 'unshare: Operation not permitted' >&2; exit 1"]
    monkeypatch.setattr(needs, "namespaces", lambda: refusal)
    with pytest.raises(CannotRun, match=r"namespaces \(unshare: Operation not permitted\): "):
        needs.check(wan=False)


def test_a_step_that_fails_is_named() -> None:
    with pytest.raises(Refused, match=r"^ls /no/such/file: .*[Nn]o such file"):
        do(["true", "ls /no/such/file", "echo never"])


def arrivals(line: Line) -> list[tuple[float, bytes]]:
    found = []
    while (at := line.next_arrival()) is not None:
        found += [(at, frame) for frame in line.arrived(at)]
    return found


@given(st.lists(st.integers(NO_DATA + 1, 4000), max_size=10))
def test_the_wan_is_late_and_keeps_its_rate(sizes: list[int]) -> None:
    line = Line(rate=8e6, delay=0.005)  # a byte in a microsecond
    frames = [bytes([i]) * size for i, size in enumerate(sizes)]
    for frame in frames:
        line.send(frame, now=1.0)
    found = arrivals(line)
    assert [frame for _, frame in found] == frames
    ends = [sum(sizes[: i + 1]) * 1e-6 for i in range(len(sizes))]
    assert [at for at, _ in found] == pytest.approx([1.005 + end for end in ends])


def test_on_the_wan_acknowledgements_go_first() -> None:
    line = Line(rate=8e6, delay=0.005)
    line.send(bytes(4000), now=1.0)
    line.send(bytes(60), now=1.0)
    assert [len(frame) for _, frame in arrivals(line)] == [60, 4000]


def test_the_wan_drops_what_its_buffer_cannot_hold() -> None:
    line = Line(rate=8e6, delay=0.005)
    sent = 1000
    for _ in range(sent):
        line.send(bytes(1000), now=1.0)
    passed = len(arrivals(line))
    assert passed < sent
    assert passed * 1e-3 == pytest.approx(BUFFER, abs=2e-3)


def test_beside_ranks_that_spin_the_wan_goes_first() -> None:
    code = """
import os
from roundelay.lab.wan import go_first
try:
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
except PermissionError:
    raise SystemExit(7)
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
go_first()
raise SystemExit(os.sched_getscheduler(0) != os.SCHED_RR)
"""
    code_of_exit = subprocess.run([sys.executable, "-c", code], check=False).returncode
    if code_of_exit == 7:
        pytest.skip("this user may not go first")
    assert code_of_exit == 0


def test_a_node_receives_on_the_connection_that_the_one_before_uses() -> None:
    """Connections need not be accepted in the order in which they were made."""
    own, after, nbytes = "127.0.0.77", "127.0.0.78", 8
    command = [sys.executable, str(check.PROGRAM), own, after, str(nbytes)]
    with (
        socket.create_server((after, shift.PORT), backlog=shift.CONNECTIONS),
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node,
        contextlib.ExitStack() as connections,
    ):
        assert node.stdout is not None
        listens = node.stdout.readline()
        before = [
            connections.enter_context(socket.create_connection((own, shift.PORT)))
            for _ in range(shift.CONNECTIONS)
        ]
        before[1].sendall(shift.CHOSEN + bytes(nbytes))
        try:
            steps, _ = node.communicate("\n\n", timeout=60)
        finally:
            node.kill()
    assert float(listens) == 0
    assert [float(seconds) > 0 for seconds in steps.split()] == [True, True]
