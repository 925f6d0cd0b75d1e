# SPDX-License-Identifier: Apache-2.0
"""Labs that are made: what they are, and that nothing of them stays."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from helpers import ENOUGH, marked, until
from roundelay.cannot_run import CannotRun
from roundelay.lab import wan
from roundelay.lab.description import HEAD, Lab, Wan, address, to_json
from roundelay.lab.launch import WRAPPER
from roundelay.lab.needs import check

RATE = 50_000_000
MARK = "ROUNDELAY_TEST_LAB"


@pytest.fixture(autouse=True)
def _allowed(request: pytest.FixtureRequest) -> None:
    try:
        check(wan="wan" in request.node.name)
    except CannotRun as reason:
        pytest.skip(str(reason))


class Started:
    """A lab in a process of its own, as the command starts it, and a mark on all that is in it."""

    def __init__(self, lab: Lab, script: str) -> None:
        self.mark = uuid.uuid4().hex
        source = (
            "import sys; from roundelay.lab import description, session; "
            "lab = description.from_json(sys.argv[1]); "
            "sys.exit(session.run(lab, ['sh', '-c', sys.argv[2]], {}).code)"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", source, to_json(lab), script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, MARK: self.mark, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip

    def outcome(self) -> tuple[int, str, str]:
        """Exit code, output and errors."""
        try:
            output, errors = self.process.communicate(timeout=ENOUGH)
        finally:
            self.process.kill()
        return self.process.returncode, output, errors

    def wait_for_a_line(self) -> None:
        assert self.process.stdout
        assert self.process.stdout.readline(), self.outcome()

    def processes(self) -> list[Path]:
        return marked(MARK, self.mark)

    def networks(self) -> set[str]:
        return {str((folder / "ns" / "net").readlink()) for folder in self.processes()}


def devices() -> set[str]:
    return {device.name for device in Path("/sys/class/net").iterdir()}


def on(node: int, command: str) -> str:
    return f'{WRAPPER} {address(node)} "{command}"'


def test_nodes_are_hosts_of_their_own() -> None:
    script = f"hostname; {on(1, 'hostname')}; {on(2, 'hostname; pwd; ls /sys/class/net')}; exit 7"
    code, output, errors = Started(Lab((2,), RATE), script).outcome()
    assert code == 7, errors
    head, first, second, folder, *devices = output.split()
    assert len({head, first, second, os.uname().nodename}) == 4
    assert folder == str(Path.cwd())
    assert set(devices) == {"eth0", "lo"}


def test_links_keep_their_rate() -> None:
    code, _, errors = Started(Lab((3,), RATE), "true").outcome()
    assert code == 0, errors
    found = re.search(r"3 nodes at 50 Mbit/s; .* takes ([\d.]+) of bytes/rate", errors)
    assert found, errors
    # How much above 1 it is depends on what else the machine does.
    assert float(found[1]) > 0.9


def test_a_wan_is_late_and_joins_its_sites() -> None:
    code, _, errors = Started(Lab((1, 2), RATE, 1, Wan(RATE, 0.005)), "true").outcome()
    assert code == 0, errors
    found = re.search(r"a round trip takes ([\d.]+) ms, an exchange of .* ([\d.]+) of", errors)
    assert found, errors
    assert float(found[1]) >= 10
    assert float(found[2]) > 0.9


# In the network of a lab: a frame that comes before the other end is up, and one that comes after.
EARLY_AND_LATE = """
import socket, subprocess, sys, time
forwarder = subprocess.Popen(
    [sys.executable, "-I", "-S", sys.argv[1], "left", "right", "1e8", "0.001"],
    stdout=subprocess.PIPE,
)
forwarder.stdout.readline()
subprocess.run(["ip", "link", "set", "left", "up"], check=True)
left, right = (socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) for _ in "lr")
left.bind(("left", 0))
left.send(bytes(12) + b"\\x88\\xb5early".ljust(60))
time.sleep(0.2)
subprocess.run(["ip", "link", "set", "right", "up"], check=True)
right.bind(("right", 0))
right.settimeout(float(sys.argv[2]))
left.send(bytes(12) + b"\\x88\\xb5late".ljust(60))
while b"late" not in right.recv(100):
    pass
forwarder.kill()
print("forwarded")
"""


def test_a_wan_goes_on_where_an_end_is_not_up_yet(tmp_path: Path) -> None:
    program = tmp_path / "early_and_late.py"
    program.write_text(EARLY_AND_LATE)
    script = f"{sys.executable} {program} {wan.__file__} {ENOUGH}"
    code, output, errors = Started(Lab((2,), RATE), script).outcome()
    assert code == 0, errors
    assert output == "forwarded\n"


def test_two_labs_at_once() -> None:
    labs = [Started(Lab((2,), RATE), f"echo up; sleep 1; {on(2, 'hostname')}") for _ in range(2)]
    outcomes = [lab.outcome() for lab in labs]
    assert [code for code, _, _ in outcomes] == [0, 0], outcomes
    assert len({output for _, output, _ in outcomes}) == 2


@pytest.mark.parametrize(
    "end", [None, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
)
def test_nothing_stays(end: signal.Signals | None) -> None:
    before = devices()
    lab = Started(Lab((2,), RATE), f"echo up; {on(1, 'sleep 1000' if end else 'true')}")
    lab.wait_for_a_line()
    if end is not None:
        assert len(lab.networks()) >= 3  # the bridge's and the nodes'
        lab.process.send_signal(end)
    code, _, errors = lab.outcome()
    assert code == (0 if end is None else -end if end == signal.SIGKILL else 128 + end), errors
    # A network lasts as long as a process is in it, or a file stands for it.
    assert until(lambda: not lab.processes())
    assert "nsfs" not in Path("/proc/self/mountinfo").read_text()
    assert devices() == before


def test_a_lab_that_cannot_be_made_says_why() -> None:
    # A name that the kernel takes for no device.
    code, _, errors = Started(Lab((2,), 1), "true").outcome()
    assert code == 1
    assert "the lab could not be made: tc class add dev" in errors
    assert HEAD not in errors
