# SPDX-License-Identifier: Apache-2.0
"""Running a command in a lab of its own, of which nothing stays, whatever ends it.

The lab's processes live in a world of their own (a PID namespace), and its networks belong to them.
Once the first of them ends, the kernel removes all of it. The first ends when the lifeline does, a
pipe that breaks even if this process is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import FrameType

from roundelay.lab.description import Lab, to_json
from roundelay.lab.needs import namespaces
from roundelay.running import CannotRun

# What stands in the working directory must not be taken for a module.
PYTHON = [
    sys.executable, "-c",
    "import sys; sys.path = [folder for folder in sys.path if folder]; import runpy; "
    "runpy.run_module('roundelay.lab.inside', run_name='__main__', alter_sys=True)",
]  # fmt: skip


class Stopped(Exception):
    """By a signal."""


SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _stop(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:  # the end is on its way, and bounded
        signal.signal(each, signal.SIG_IGN)
    raise Stopped(number)


def run(lab: Lab, command: Sequence[str], environment: Mapping[str, str]) -> int:
    """The exit code of the command, as a shell would give it. Raises CannotRun."""
    lifeline_inside, lifeline = os.pipe()
    faults, faults_inside = os.pipe()
    before = {each: signal.signal(each, _stop) for each in SIGNALS}
    try:
        process = subprocess.Popen(
            [*namespaces(), *PYTHON, to_json(lab), f"lab{os.getpid()}",
             str(lifeline_inside), str(faults_inside), *command],
            pass_fds=(lifeline_inside, faults_inside), env={**os.environ, **environment},
        )  # fmt: skip
        try:
            code = process.wait()
        except Stopped as signalled:
            code = 128 + int(signalled.args[0])
        os.close(lifeline)
        process.wait()
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    os.close(lifeline_inside)
    os.close(faults_inside)
    with os.fdopen(faults) as told:
        fault = told.read()
    if fault:
        raise CannotRun(f"the lab could not be made: {fault}")
    return code
