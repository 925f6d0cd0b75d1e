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

from roundelay import signals
from roundelay.cannot_run import CannotRun
from roundelay.lab.description import Lab, to_json
from roundelay.lab.inside import HAS_THE_SIGNAL
from roundelay.lab.needs import namespaces
from roundelay.signals import Ended

# What stands in the working directory must not be taken for a module.
PYTHON = [
    sys.executable, "-c",
    "import sys; sys.path = [folder for folder in sys.path if folder]; import runpy; "
    "runpy.run_module('roundelay.lab.inside', run_name='__main__', alter_sys=True)",
]  # fmt: skip


def run(lab: Lab, command: Sequence[str], environment: Mapping[str, str]) -> Ended:
    """How the command ended, which gets a signal as signals.run() says. Raises CannotRun."""
    lifeline_inside, lifeline = os.pipe()
    faults, faults_inside = os.pipe()
    with os.fdopen(lifeline, "wb", buffering=0) as life, os.fdopen(faults) as told:

        def end(process: subprocess.Popen[bytes], number: signal.Signals, has_it: bool) -> None:
            if has_it and not life.closed:
                life.write(HAS_THE_SIGNAL)
            life.close()

        try:
            ended = signals.run(
                [*namespaces(), *PYTHON, to_json(lab), f"lab{os.getpid()}",
                 str(lifeline_inside), str(faults_inside), *command],
                environment, tell=end, shielded=True, pass_fds=(lifeline_inside, faults_inside),
            )  # fmt: skip
        finally:
            os.close(lifeline_inside)
            os.close(faults_inside)
        if ended.signal is not None:
            return Ended(128 + ended.signal, ended.signal)
        if fault := told.read():
            raise CannotRun(f"the lab could not be made: {fault}")
    return ended
