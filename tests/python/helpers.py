# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package call."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Cli = Callable[..., Result]


def compile_c(folder: Path, name: str, source: str, *options: str) -> Path:
    """A program or library of this source, which is given to the compiler with these options."""
    file = folder / f"{name}.c"
    file.write_text(source)
    subprocess.run(["cc", str(file), "-o", str(folder / name), *options], check=True)
    return folder / name


ENOUGH = 600.0  # seconds: only a hang takes so long


def until(condition: Callable[[], bool]) -> bool:
    """Whether it came true before only a hang can be the reason."""
    end = time.monotonic() + ENOUGH
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def marked(name: str, value: str) -> list[Path]:
    """The folders in /proc of the processes that were started with this variable."""

    def is_marked(folder: Path) -> bool:
        try:
            return f"{name}={value}".encode() in (folder / "environ").read_bytes()
        except OSError:  # it has ended, or is another's
            return False

    return list(filter(is_marked, Path("/proc").glob("[0-9]*")))
