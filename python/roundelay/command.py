# SPDX-License-Identifier: Apache-2.0
"""Where the command `roundelay` begins: a Ctrl-C while the rest is read in stops it at once."""

from __future__ import annotations

import os
import signal
from types import FrameType

__all__ = ["main"]


def _stop(number: int, frame: FrameType | None) -> None:
    """As roundelay.cli does it later; here nothing has begun that could be left half done."""
    os.write(2, b"stopped by Ctrl-C\n")
    os._exit(128 + number)


def main() -> None:
    """Reads the command in, which takes a third of a second, and runs it."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    from roundelay.cli import main as command

    signal.signal(signal.SIGINT, before)
    command()
