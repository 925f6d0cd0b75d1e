# SPDX-License-Identifier: Apache-2.0
"""What a command gets of the signals that are sent to `roundelay run`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers import ENOUGH
from roundelay import signals

RUN = [sys.executable, "-c", "from roundelay.cli import main; main()", "run", "--"]
COUNTING = """
import os, signal, sys, time
count = 0
def heard(number, frame):
    global count
    count += 1
signal.signal(signal.Signals[sys.argv[1]], heard)
print("up", flush=True)
while count == 0: time.sleep(0.01)
time.sleep(1)  # for one that comes twice
sys.exit(count)
"""


def start(words: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*RUN, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )  # fmt: skip


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("to_group", [False, True], ids=["process", "group"])
def test_a_signal_comes_once(one_build: Path, end: signal.Signals, to_group: bool) -> None:
    process = start([sys.executable, "-c", COUNTING, end.name])
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    (os.killpg if to_group else os.kill)(process.pid, end)
    _, errors = process.communicate(timeout=ENOUGH)
    assert process.returncode == 1, errors  # the count


def test_a_signal_that_is_turned_off_stays_so(one_build: Path) -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = start(["sh", "-c", "echo up; read line; exit 3"])
    finally:
        signal.signal(signal.SIGHUP, before)
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGHUP)
    process.communicate("go on\n", timeout=ENOUGH)
    assert process.returncode == 3


def test_a_program_may_go_on_after_a_signal(one_build: Path) -> None:
    """The exit code is its own."""
    script = "trap 'echo heard' TERM; echo up; while ! read line; do :; done; exit 4"
    process = start(["sh", "-c", script])
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGTERM)
    assert process.stdin
    process.stdin.write("go on\n")
    process.communicate(timeout=ENOUGH)
    assert process.returncode == 4


class EndsUnnoticed(subprocess.Popen[bytes]):
    """A command that ends after it was looked at, and before its end is waited for."""

    looked_at = False

    def poll(self) -> int | None:
        if self.looked_at:
            return super().poll()
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        self.looked_at = True
        return None


def test_another_thread_may_be_told_that_the_command_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", EndsUnnoticed)
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        assert signals.run(["sh", "-c", "exit 7"], {}).code == 7
    finally:
        done.set()
        other.join()


class EndsFirst(subprocess.Popen[bytes]):
    """A command whose end is seen before a signal that came while it ran."""

    def poll(self) -> int | None:
        if self.returncode is None:
            signal.raise_signal(signal.SIGTERM)  # to this thread, which holds it back
        return self.wait()


def test_a_signal_may_be_seen_after_the_end_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", EndsFirst)
    assert signals.run(["sh", "-c", "exit 7"], {}) == signals.Ended(7, signal.SIGTERM)
