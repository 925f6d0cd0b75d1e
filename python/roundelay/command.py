# SPDX-License-Identifier: Apache-2.0
"""Where the command `roundelay` begins: a Ctrl-C while the rest is read in stops it at once."""

from __future__ import annotations

import errno
import os
import signal
import sys
from types import FrameType

__all__ = ["main"]


def _stop(number: int, frame: FrameType | None) -> None:
    """As roundelay.cli does it later; here nothing has begun that could be left half done."""
    os.write(2, b"stopped by Ctrl-C\n")
    os._exit(128 + number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Once: timeout(1) sends it to the command and to its group, which ends already then."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _occupy_closed() -> None:
    """Where standard input, output or errors are closed, as by >&- in a shell.

    A file that is opened later would get their numbers, and what a program prints. What is written
    to a closed output fails, as it would have done.
    """
    for number, how in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, how)  # takes the lowest number that is free
            os.set_inheritable(number, True)
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w", closefd=False))


def main() -> None:
    """Reads the command in, which takes a third of a second, and runs it."""
    _occupy_closed()
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    from roundelay.cli import main as command

    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        try:
            command()
        finally:
            sys.stdout.flush()
    except OSError as error:
        _give_up(error)


def _without_name(error: OSError) -> str:
    """What an error is about that names no file: no output fails because something is missing."""
    return "the working directory" if error.errno == errno.ENOENT else "standard output"


def _give_up(error: OSError) -> None:
    """Where the output cannot be written, as on a full disk, or another file that has no message.

    Says nothing where nobody reads the output any more, as with head(1). What is left in the buffer
    of the output would fail again when the interpreter ends.
    """
    if error.errno != errno.EPIPE:
        what = error.filename if error.filename is not None else _without_name(error)
        os.write(2, f"Error: {what}: {error.strerror or error}\n".encode(errors="replace"))
    os._exit(1)
