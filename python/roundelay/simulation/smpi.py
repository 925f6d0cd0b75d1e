# SPDX-License-Identifier: Apache-2.0
"""Running the benchmark under SMPI, and what SMPI offers itself."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundelay.builds import folders
from roundelay.cannot_run import CannotRun
from roundelay.files import temporary_folder
from roundelay.simulation.platforms import Platform, cluster

PROGRAM = "simulation.so"

# What SMPI takes for real libraries: tables of which of its algorithms they would choose.
SELECTORS = ("ompi", "mpich", "mvapich2", "impi")

# Simulated times depend on nothing but messages: what the ranks compute takes none, nor does
# asking whether a message is there.
_ALWAYS = (
    "smpi/simulate-computation:no",
    "smpi/host-speed:100Gf",
    "smpi/wtime:0",
    "smpi/test:0",
    "smpi/shared-malloc-blocksize:67108864",
)
# SMPI's own network has factors that were fitted to one cluster.
_PLAIN = ("network/model:CM02", "network/TCP-gamma:1e15", "network/crosstraffic:0")
MODELS = {
    # Half a microsecond at each end of a message, one after the other: messages of one rank do not
    # all start at once. Short ones leave before the receiver asks for them.
    "ports": (
        *_PLAIN,
        "smpi/async-small-thresh:65536",
        "smpi/os:0:5e-7:0",
        "smpi/ois:0:5e-7:0",
        "smpi/or:0:5e-7:0",
    ),
    # Every message takes alpha + beta n, and no send ends before it is received.
    "textbook": (*_PLAIN, "smpi/send-is-detached-thresh:0", "smpi/async-small-thresh:0"),
    # As SMPI comes; flows share all links fairly.
    "smpi": (),
}


@dataclass(frozen=True)
class Measured:
    """One collective as it ran; `seconds` are simulated.

    `network` has the lengths by which Roundelay chose what the algorithm leaves open, as the names
    of _core.Case; None if the MPI library ran its own.
    """

    bytes: int
    seconds: float
    ran: str
    wrong: bool
    network: dict[str, float] | None = None


@dataclass(frozen=True)
class Outcome:
    """What was measured. `failure`: what ended it before everything was measured."""

    measured: list[Measured]
    failure: str = ""


class SimulationStopped(Exception):
    """A simulation was ended, or not begun, because all are to end."""


class Runs:
    """Simulations under way, in several threads, which can be ended from another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def run(
        self, words: Sequence[str], environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Runs a simulation to its end. Raises SimulationStopped."""
        with self._lock:
            if self._stopped:
                raise SimulationStopped
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, errors="replace", env=environment, start_new_session=True,
            )  # fmt: skip
            self._under_way.add(process)
        try:
            output, errors = process.communicate()
        except BaseException:
            self._end(process)
            raise
        finally:
            with self._lock:
                self._under_way.discard(process)
        if self._stopped:
            raise SimulationStopped
        return subprocess.CompletedProcess(words, process.returncode, output, errors)

    def stop(self) -> None:
        """Ends those under way, and lets no more begin."""
        with self._lock:
            self._stopped = True
            for process in self._under_way:
                self._end(process)

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> None:
        """Ends the process and those that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def program() -> Path:
    """The benchmark that was built for SMPI. Raises CannotRun."""
    if shutil.which("smpirun") is None:
        raise CannotRun(
            "simulating needs SMPI, which is missing; on Debian or Ubuntu: "
            "apt-get install libsimgrid-dev"
        )
    for folder in folders():
        if (folder / PROGRAM).exists():
            return folder / PROGRAM
    raise CannotRun(
        f"Roundelay was built without SimGrid: there is no {PROGRAM} in "
        f"{', '.join(map(str, folders()))}; build it again (make build)"
    )


def run(
    platform: Platform,
    cells: Sequence[str],
    *,
    checked: bool,
    model: str = "ports",
    variables: Mapping[str, str] | None = None,
    flags: Sequence[str] = (),
    limit: float = 60,
    runs: Runs | None = None,
) -> Outcome:
    """Simulates cells like "bcast:1024" one after the other, by rank on the hosts of the platform.

    Only if it is `checked`, which takes memory for every rank, the result says whether it is
    right. Ends when it has taken `limit` seconds of a core. Raises CannotRun, and SimulationStopped
    if `runs` are stopped.
    """
    pages = "real" if checked else "shared"
    # smpirun would lose an empty argument; no link has an empty name.
    ports = platform.ports if platform.ports and model != "smpi" else "^$"
    told = {"ROUNDELAY_SITES": platform.sites} if platform.sites else {}
    done = _smpirun(
        platform,
        (*_ALWAYS, *MODELS[model], *flags),
        [str(program()), pages, ports, *cells],
        {"ROUNDELAY_REPORT": "off", "ROUNDELAY_WAIT": "spin", **told, **(variables or {})},
        limit,
        runs or Runs(),
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    # After a deadlock smpirun ends as if all were well.
    failure = _reason(done, limit) if len(lines) < len(cells) or done.returncode != 0 else ""
    return Outcome([Measured(**json.loads(line)) for line in lines], failure)


def _smpirun(
    platform: Platform,
    settings: Sequence[str],
    command: Sequence[str],
    variables: Mapping[str, str],
    limit: float,
    runs: Runs,
) -> subprocess.CompletedProcess[str]:
    with contextlib.ExitStack() as folders:
        try:
            folder = folders.enter_context(temporary_folder())
        except OSError as error:
            raise CannotRun(f"simulating needs a temporary folder: {error}") from None
        description, hosts = folder / "platform.xml", folder / "hosts"
        try:
            description.write_text(platform.xml)
            hosts.write_text("".join(f"{host}\n" for host in platform.hosts))
        except OSError as error:
            raise CannotRun(f"cannot write a temporary file: {error}") from None
        launch = [
            "smpirun", "-np", str(len(platform.hosts)),
            "-platform", str(description), "-hostfile", str(hosts),
            *(f"--cfg={setting}" for setting in settings), "--log=root.thres:critical",
            "--log=xbt_exception.thres:error",  # says what is wrong in a description
        ]  # fmt: skip
        # Seconds of a core, not of the day: other load shall not decide what is left out.
        limited = ["sh", "-c", 'ulimit -t "$0" && exec "$@"', str(math.ceil(limit))]
        # SMPI copies the program for each rank into TMPDIR, and leaves copies if it is ended.
        environment = {**os.environ, "TMPDIR": str(folder), **variables}
        return runs.run([*limited, *launch, *command], environment)


def _reason(done: subprocess.CompletedProcess[str], limit: float) -> str:
    """The one line of what SMPI printed that says why."""
    # A rank that ends with an error leaves others waiting: that comes first.
    for pattern in (r"roundelay: error: (.*)", r"simulation: (.*)"):
        if found := re.search(pattern, done.stderr):
            return found[1]
    if "Deadlock" in done.stderr:
        return "deadlocks"
    if found := re.search(r"CRITICAL\] (.*)", done.stderr):
        return found[1]
    if found := re.search(r"Parse error at \S+?:(\d+): (.*)", done.stderr):
        return f"SimGrid cannot read line {found[1]} of the platform: {found[2]}"
    if done.returncode in (128 + signal.SIGXCPU, 128 + signal.SIGKILL):
        return f"takes more than {limit:g} s, or more memory than there is, to simulate"
    last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "")
    return f"ends with code {done.returncode}" + (f": {last.strip()}" if last else "")


@functools.cache
def shipped_algorithms(collective: str) -> tuple[str, ...]:
    """The algorithms of a collective that SMPI has, without those that choose among others."""
    # It tells their names to whoever asks for one that it has not.
    asked = _smpirun(cluster(1), (f"smpi/{collective}:help",), ["true"], {}, 60, Runs())
    found = re.search(r"Valid algorithms: (.*)\.", asked.stderr)
    names = found[1].split(", ") if found else []
    return tuple(name for name in names if name not in (*SELECTORS, "default", "automatic"))
