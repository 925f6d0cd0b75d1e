# SPDX-License-Identifier: Apache-2.0
"""Running the benchmark under SMPI, and what SMPI offers itself."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundelay.builds import folders
from roundelay.running import CannotRun
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


class RunFailed(Exception):
    """Says how a simulation ended that gave no result."""


@dataclass(frozen=True)
class Measured:
    """One collective as it ran; `seconds` are simulated."""

    bytes: int
    seconds: float
    ran: str
    wrong: bool


def program() -> Path:
    """The benchmark that was built for SMPI. Raises CannotRun."""
    if shutil.which("smpirun") is None:
        raise CannotRun(
            "simulating needs SMPI, which is not here; on Debian or Ubuntu: "
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
) -> list[Measured]:
    """Simulates cells like "bcast:1024" one after the other, with a rank on each host.

    Only if it is `checked`, which takes memory for every rank, the result says whether it is
    right. Raises RunFailed if it breaks, or takes more than `limit` seconds of the machine.
    """
    pages = "real" if checked else "shared"
    ports = "" if model == "smpi" else platform.ports
    output = _output_of(
        platform,
        (*_ALWAYS, *MODELS[model], *flags),
        [str(program()), pages, ports, *cells],
        {"ROUNDELAY_REPORT": "off", "ROUNDELAY_WAIT": "spin", **(variables or {})},
        limit,
    )
    return [Measured(**json.loads(line)) for line in output.splitlines() if line.startswith("{")]


def _output_of(
    platform: Platform,
    settings: Sequence[str],
    command: Sequence[str],
    variables: Mapping[str, str],
    limit: float,
) -> str:
    with tempfile.TemporaryDirectory(prefix="roundelay-") as folder:
        description, hosts = Path(folder, "platform.xml"), Path(folder, "hosts")
        description.write_text(platform.xml)
        hosts.write_text("".join(f"{host}\n" for host in platform.hosts))
        launch = [
            "smpirun", "-np", str(len(platform.hosts)),
            "-platform", str(description), "-hostfile", str(hosts),
            *(f"--cfg={setting}" for setting in settings), "--log=root.thres:critical",
        ]  # fmt: skip
        process = subprocess.Popen(
            [*launch, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, **variables},
            start_new_session=True,
        )  # fmt: skip
        try:
            output, complaint = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            raise RunFailed(f"takes more than {limit:g} s to simulate") from None
        finally:
            # smpirun is a script: what it started would outlive it.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
    if process.returncode != 0:
        raise RunFailed(_reason(complaint, process.returncode))
    return output


def _reason(complaint: str, code: int) -> str:
    """The one line of what SMPI printed that says why."""
    for pattern in (r"roundelay: error: (.*)", r"simulation: (.*)", r"CRITICAL\] (.*)"):
        if found := re.search(pattern, complaint):
            return found[1]
    return f"ends with code {code}"


@functools.cache
def shipped_algorithms(collective: str) -> tuple[str, ...]:
    """The algorithms of a collective that SMPI has, without those that choose among others."""
    # It tells their names to whoever asks for one that it has not.
    try:
        _output_of(cluster(1), (f"smpi/{collective}:help",), ["true"], {}, limit=60)
    except RunFailed as failure:
        found = re.search(r"Valid algorithms: (.*)\.", str(failure))
        names = found[1].split(", ") if found else []
        return tuple(name for name in names if name not in (*SELECTORS, "default", "automatic"))
    return ()
