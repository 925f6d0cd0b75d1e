# SPDX-License-Identifier: Apache-2.0
"""Signals end all ranks of a job, and nothing of it stays."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

import pytest
from helpers import marked, until
from launching import HANG_SECONDS, TOP, Mpi, mpiexec, run
from roundelay.cannot_run import CannotRun
from roundelay.lab.needs import check

RANKS = 3
MARK = "ROUNDELAY_TEST_JOB"
Program = Callable[[str], Path]


class Job:
    """A job in a session of its own, a mark on all its processes, and a folder for its files."""

    def __init__(self, words: list[str], env: Mapping[str, str], folder: Path) -> None:
        self.mark = uuid.uuid4().hex
        self.files = folder / "tmp"
        self.files.mkdir()
        self.words = words
        # Open MPI's files have names that must be short.
        self.env = {**os.environ, **env, MARK: self.mark, "TMPDIR": str(self.files)}

    def start(self, errors: IO[bytes] | int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
            env=self.env, start_new_session=True,
        )  # fmt: skip

    def processes(self) -> list[int]:
        return [int(folder.name) for folder in marked(MARK, self.mark)]

    def programs(self) -> list[str]:
        """The files that its processes run."""
        found = []
        for process in self.processes():
            with contextlib.suppress(OSError):  # it has ended
                found.append(str(Path(f"/proc/{process}/exe").readlink()))
        return found

    def leaves_nothing(self) -> None:
        assert until(lambda: not self.processes()), self.processes()
        assert not list(self.files.rglob("*")), list(self.files.rglob("*"))

    def end(self) -> None:
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


@pytest.fixture
def job(roundelay: str, mpi: Mpi, program: Program, tmp_path: Path) -> Iterator[Job]:
    """Of ranks that run until they are ended."""
    command = mpiexec(mpi, [(RANKS, [program("traps/endless.c")])])
    made = Job([roundelay, "run", "--report", "off", "--", *command], mpi.root_env, tmp_path)
    yield made
    made.end()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("to_group", [False, True], ids=["process", "group"])
def test_a_signal_ends_all(job: Job, end: signal.Signals, to_group: bool, tmp_path: Path) -> None:
    with (tmp_path / "errors").open("w+b") as errors:
        process = job.start(errors)
        assert process.stdout
        assert process.stdout.readline() == b"up\n", (tmp_path / "errors").read_text()
        assert len(job.processes()) >= RANKS + 2
        (os.killpg if to_group else os.kill)(process.pid, end)
        assert process.wait(HANG_SECONDS) != 0
    job.leaves_nothing()
    said = (tmp_path / "errors").read_text(errors="replace")
    assert said.splitlines()[-1] == f"roundelay: {end.name} ended the job"


def test_a_signal_ends_a_record(job: Job, tmp_path: Path) -> None:
    mix = tmp_path / "mix.json"
    program = job.words[job.words.index("--") :]
    job.words = [job.words[0], "record", "-o", str(mix), *program]
    with (tmp_path / "errors").open("w+b") as errors:
        process = job.start(errors)
        assert process.stdout
        assert process.stdout.readline() == b"up\n", (tmp_path / "errors").read_text()
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG_SECONDS) == 128 + signal.SIGINT
    job.leaves_nothing()
    assert not mix.exists()
    said = (tmp_path / "errors").read_text(errors="replace").splitlines()
    assert said[-2:] == [
        "roundelay: SIGINT ended the job",
        f"roundelay: {mix} was not written: the record of a program is written when it ends",
    ]


def test_timeout_ends_all(job: Job) -> None:
    """timeout(1) sends its signal to the command, and then to the command's group."""
    job.words = ["timeout", "--signal=INT", "1000", *job.words]
    process = job.start(subprocess.DEVNULL)
    assert process.stdout
    assert process.stdout.readline() == b"up\n"
    process.terminate()  # timeout then ends the command as if the time were over
    assert process.wait(HANG_SECONDS) != 0
    job.leaves_nothing()


def in_a_terminal(job: Job) -> tuple[int, int]:
    """The process, as a shell in a terminal would start it, and the terminal's other end."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(job.words[0], job.words, job.env)
    return pid, terminal


def seen(terminal: int, what: bytes) -> bytes:
    """What the terminal showed until that, or to its end."""
    shown = b""
    while what not in shown:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # all that had it open have ended
            break
    return shown


def test_ctrl_c_in_a_terminal_ends_all(job: Job) -> None:
    pid, terminal = in_a_terminal(job)
    assert b"up" in seen(terminal, b"up")
    os.write(terminal, b"\x03")
    shown = seen(terminal, b"SIGINT ended the job")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0, shown
    os.close(terminal)
    job.leaves_nothing()
    assert b"SIGINT ended the job" in shown


def test_a_signal_in_a_terminal_that_is_not_the_terminals(job: Job) -> None:
    pid, terminal = in_a_terminal(job)
    assert b"up" in seen(terminal, b"up")
    os.kill(pid, signal.SIGTERM)
    shown = seen(terminal, b"SIGTERM ended the job")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0, shown
    os.close(terminal)
    job.leaves_nothing()


def test_a_terminal_that_is_closed_ends_all(job: Job) -> None:
    pid, terminal = in_a_terminal(job)
    assert b"up" in seen(terminal, b"up")
    os.close(terminal)
    os.waitpid(pid, 0)
    job.leaves_nothing()


@pytest.fixture
def lab(roundelay: str, mpi: Mpi, program: Program, tmp_path: Path) -> Iterator[Job]:
    """The same in a lab."""
    try:
        check(wan=False)
    except CannotRun as reason:
        pytest.skip(str(reason))
    if mpi.id == "mpich12":
        pytest.skip("the lab refuses MPICH 4")
    words = [roundelay, "lab", "--nodes", "2", "--mpiexec", mpi.mpiexec, "--report", "off"]
    made = Job([*words, "--preload", "--", str(program("traps/endless.c"))], mpi.root_env, tmp_path)
    yield made
    made.end()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_lab(lab: Job, end: signal.Signals) -> None:
    process = lab.start(subprocess.DEVNULL)
    assert process.stdout
    assert process.stdout.readline() == b"up\n"
    process.send_signal(end)
    assert process.wait(HANG_SECONDS) == 128 + end
    lab.leaves_nothing()


def test_ctrl_c_in_a_terminal_ends_a_lab(lab: Job) -> None:
    pid, terminal = in_a_terminal(lab)
    assert b"up" in seen(terminal, b"up")
    os.write(terminal, b"\x03")
    shown = seen(terminal, b"SIGINT ended the job")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 128 + signal.SIGINT, shown
    os.close(terminal)
    lab.leaves_nothing()


def test_a_benchmark_that_is_stopped_keeps_what_it_has(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    output = tmp_path / "results.json"
    words = [sys.executable, str(TOP / "bench" / "lab" / "compare.py"), "measure", "-p", "2"]
    words += ["--where", "memory", "--mpi", mpi.id, "-s", "native", "-o", str(output)]
    job = Job([*words, "-k", "1000000", "bcast:8M"], {}, tmp_path)
    first = run([*words, "-k", "1", "bcast:1K"]).ok()
    assert "1024 native" in first.stdout
    try:
        process = job.start(subprocess.DEVNULL)
        assert until(lambda: "collectives-" in " ".join(job.programs()))
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG_SECONDS) == 128 + signal.SIGINT
        job.leaves_nothing()
        assert [one["bytes"] for one in json.loads(output.read_text())["results"]] == [1024]
    finally:
        job.end()
