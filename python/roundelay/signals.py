# SPDX-License-Identifier: Apache-2.0
"""Running a command so that a signal ends it as its launcher wants it: each reaches it once.

A launcher that gets SIGKILL, or a second SIGINT or SIGTERM while it still ends its ranks, leaves
ranks or files behind. A terminal sends its signals to all processes in its foreground, to the
command as to this process; who calls kill() may mean one process or all.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, Callable

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds. If the command still runs after this time, we assume that the signal did not reach it,
# and send it.
# Open MPI's launcher takes a second one within five for impatience.
PATIENCE = 5.5
# The same signal within as many seconds is the same wish: timeout(1) sends it twice.
SAME = 1.0
# Seconds between looks at a command whose end we may have missed.
GLANCE = 1.0


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int  # as a shell would give it
    signal: signal.Signals | None = None  # that came for it while it ran

    @property
    def ending(self) -> str | None:
        """The sentence that says which signal ended it."""
        if self.signal is None or self.code == 0:
            return None
        return f"{self.signal.name} ended the job"


class Stopped(BaseException):
    """Raised when one of ENDING came."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.code = 128 + number  # as a shell would give it


@contextlib.contextmanager
def raised() -> Iterator[None]:
    """The first of ENDING raises Stopped in the main thread; later ones do nothing more."""

    def stop(number: int, frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    before = {each: signal.signal(each, stop) for each in _heeded()}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Signals that come meanwhile wait for run() or for the end: nothing is left behind."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _heeded())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _heeded() -> set[signal.Signals]:
    """Those of ENDING that who started this process did not turn off, as nohup does."""
    return {each for each in ENDING if signal.getsignal(each) is not signal.SIG_IGN}


def _in_foreground() -> bool:
    """Whether a terminal sends its signals to this process and to what shares its group."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


Tell = Callable[["subprocess.Popen[bytes]", signal.Signals, bool], None]


def _send(process: subprocess.Popen[bytes], number: signal.Signals, has_it: bool) -> None:
    if not has_it:
        process.send_signal(number)


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    *,
    tell: Tell = _send,
    shielded: bool = False,
    **options: Any,
) -> Ended:
    """Runs a command with these variables besides what is there; OSError if it cannot be started.

    For each signal that comes meanwhile `tell` is called, with whether the command has it already;
    by default it is sent to a command that has it not. `shielded`: the command starts with these
    signals blocked. `options` are those of Popen.
    """
    waited_for = {*_heeded(), signal.SIGCHLD}
    # In the foreground it stays in this process's group: so it may read from the terminal.
    shares_group = _in_foreground()

    def prepare() -> None:
        if not shares_group:
            os.setpgid(0, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD} if shielded else waited_for)

    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    came: signal.Signals | None = None
    heard = 0.0
    try:
        process = subprocess.Popen(
            words, env={**os.environ, **environment}, preexec_fn=prepare, **options
        )
        while process.poll() is None:
            # Another thread of this process may be given SIGCHLD, which is lost there.
            news = signal.sigtimedwait(waited_for, GLANCE)
            if news is None or news.si_signo == signal.SIGCHLD:
                continue
            same = came == news.si_signo and time.monotonic() < heard + SAME
            came, heard = signal.Signals(news.si_signo), time.monotonic()
            if same:
                continue
            # A terminal that is closed may tell only the first process of its session.
            told_all = news.si_code > 0 and came != signal.SIGHUP
            if shares_group and not told_all:
                # Whether the command has it, too, cannot be asked, only seen.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE)
            if process.poll() is None:
                tell(process, came, shares_group and told_all)
        # One that came just before the command ended came while it ran, and does not end this.
        while news := signal.sigtimedwait(_heeded(), 0):
            came = signal.Signals(news.si_signo)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    code = process.returncode
    return Ended(code if code >= 0 else 128 - code, came)


def output(
    words: Sequence[str], environment: Mapping[str, str], **options: Any
) -> tuple[Ended, str]:
    """How the command ended, and what it printed. `options` are those of Popen."""
    with os.fdopen(os.memfd_create("output"), "r+b") as printed:
        ended = run(words, environment, stdin=subprocess.DEVNULL, stdout=printed, **options)
        printed.seek(0)
        return ended, printed.read().decode(errors="replace")
