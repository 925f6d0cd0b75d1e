# SPDX-License-Identifier: Apache-2.0
"""A real SIGINT, in the middle of work that would take very long."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import Cli
from roundelay.benchmark import job
from roundelay.signals import Ended


@pytest.mark.parametrize(
    "arguments",
    [
        ["price", "bcast.chain", "-p", "4000", "--bytes", "1G"],
        ["draw", "allreduce.ring", "-p", "46"],  # the most that are drawn
        ["trace", "allreduce.ring", "-p", "1000", "--json"],
    ],
)
@pytest.mark.parametrize("times", [1, 2])  # timeout(1) sends it to the command and to its group
def test_ctrl_c_ends_a_command_with_a_sentence(arguments: list[str], times: int) -> None:
    roundelay = Path(sys.executable).with_name("roundelay")
    with subprocess.Popen(
        [str(roundelay), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=4)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        stdout, stderr = process.communicate()
    assert process.returncode == 130, stderr
    assert stdout == ""
    assert stderr.splitlines()[-1] == "stopped by Ctrl-C"


INTERRUPTED_WHILE_READ_IN = """
import importlib.abc, os, signal, sys
from roundelay.command import main
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)
ignored = sys.argv.pop(1) == "ignored"
signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
sys.meta_path.insert(0, Finder())
main()
"""


@pytest.mark.parametrize(
    ("before", "code", "said"), [("heeded", 130, "stopped by Ctrl-C\n"), ("ignored", 0, "")]
)
def test_ctrl_c_while_the_command_is_read_in(before: str, code: int, said: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_WHILE_READ_IN, before, "--version"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (code, said)


def test_ctrl_c_ends_a_choice_that_shows_its_progress() -> None:
    terminal, end = pty.openpty()
    roundelay = Path(sys.executable).with_name("roundelay")
    with subprocess.Popen(
        [str(roundelay), "explain", "reduce_scatter", "-p", "8192", "--bytes", "1M"],
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        os.close(end)
        shown = b""
        while shown.count(b"choosing for 8192 ranks") < 5:  # it moves
            shown += os.read(terminal, 4096)
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # nobody writes to it any more
            while more := os.read(terminal, 4096):
                shown += more
        stdout, _ = process.communicate()
    os.close(terminal)
    assert process.returncode == 130, shown
    assert stdout == b""
    assert shown.endswith(b"stopped by Ctrl-C\r\n")


@pytest.mark.parametrize("command", ["bench", "calibrate"])
def test_ctrl_c_while_the_ranks_start_is_not_a_failure_to_start(
    command: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "bed", lambda launcher, mpi: None)
    monkeypatch.setattr(job, "_run", lambda *words: Ended(1, signal.SIGINT))
    told = cli(command, "--launcher", "mpiexec -n 2")
    assert told.exit_code == 130
    assert told.stderr == "stopped by SIGINT\n"
