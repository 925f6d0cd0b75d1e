# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package call."""

from __future__ import annotations

import subprocess
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
