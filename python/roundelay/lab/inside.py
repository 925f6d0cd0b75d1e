# SPDX-License-Identifier: Apache-2.0
"""The first process of a lab's own world: makes the nodes, checks the network, runs the command.

When it ends, the kernel ends all processes of the lab and removes its networks. It ends with the
command, and when the process that started the lab closes the lifeline or is gone.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from roundelay import signals
from roundelay.lab.check import Unreachable, check_links
from roundelay.lab.description import Lab, Wan, from_json, wan_port
from roundelay.lab.launch import WRAPPER, wrapper
from roundelay.lab.network import join, switches
from roundelay.lab.nodes import make_nodes
from roundelay.lab.steps import Refused, do

GRACE = 10.0  # seconds that a launcher has at most to end its ranks and to remove its files
HAS_THE_SIGNAL = b"s"  # on the lifeline: a terminal has sent the command a signal to end by


def _make_wan(wan: Wan) -> None:
    ends = [wan_port(site) for site in range(2)]
    program = Path(__file__).with_name("wan.py")
    forwarder = subprocess.Popen(
        [sys.executable, "-I", "-S", str(program), *ends, str(wan.rate), str(wan.delay)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert forwarder.stdout
    assert forwarder.stderr
    if forwarder.stdout.readline() == "":
        raise Refused(forwarder.stderr.read().splitlines()[-1])
    for site, end in enumerate(ends):
        do(join(end, site))


def _make(lab: Lab, name: str) -> None:
    if sys.stderr.isatty():  # with many nodes this takes seconds
        print(f"roundelay lab: making {lab.nodes} nodes", file=sys.stderr, flush=True)
    do([f"hostname {name}", "mount -t tmpfs tmpfs /dev/shm"])
    do(switches(lab))
    pids = make_nodes(lab, name)
    if lab.wan is not None:
        _make_wan(lab.wan)
    WRAPPER.write_text(wrapper(pids))
    WRAPPER.chmod(0o755)
    for line in check_links(lab, pids):
        print(f"roundelay lab: {line}", file=sys.stderr, flush=True)


def _watch(lifeline: int, running: list[subprocess.Popen[bytes]]) -> None:
    """Ends the lab when the other end of the lifeline is closed."""
    has_it = os.read(lifeline, 1) == HAS_THE_SIGNAL
    for command in running:
        if not has_it:
            command.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            command.wait(GRACE)
    os._exit(1)


def main(lab: Lab, name: str, lifeline: int, faults: int, command: list[str]) -> int:
    """The exit code of the command, as a shell would give it."""
    # A terminal's signals are for the command; this process ends with it, or by the lifeline.
    for each in signals.ENDING:
        signal.signal(each, lambda number, frame: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals.ENDING)
    running: list[subprocess.Popen[bytes]] = []
    threading.Thread(target=_watch, args=(lifeline, running), daemon=True).start()
    try:
        _make(lab, name)
    except (Refused, Unreachable, OSError) as reason:
        os.write(faults, str(reason).encode())
        return 1
    running.append(subprocess.Popen(command))
    code = running[0].wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    description, name, lifeline, faults, *command = sys.argv[1:]
    sys.exit(main(from_json(description), name, int(lifeline), int(faults), command))
