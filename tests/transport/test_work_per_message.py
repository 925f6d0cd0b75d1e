# SPDX-License-Identifier: Apache-2.0
"""Instructions that a rank spends on a message: they do not grow with the number of ranks."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "release" / "work_per_message"


def instructions_per_message(collective: str, algorithm: str, p: int, folder: Path) -> float:
    done = subprocess.run(
        [
            *("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'out'}"),
            *("--toggle-collect=*run(*Schedule*", PROGRAM, collective, algorithm, str(p)),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    collected = re.search(r"Collected : (\d+)", done.stderr)
    assert collected is not None, done.stderr
    return int(collected[1]) / int(done.stdout)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not here")
@pytest.mark.parametrize(
    ("collective", "algorithm"),
    [
        ("alltoall", "scattered"),
        ("alltoall", "scattered(throttle=1024)"),
        ("gather", "linear"),
        ("gather", "linear(throttle=1024)"),
    ],
)
def test_work_per_message(collective: str, algorithm: str, tmp_path: Path) -> None:
    few = instructions_per_message(collective, algorithm, 100, tmp_path)
    many = instructions_per_message(collective, algorithm, 1000, tmp_path)
    print(f"{collective}.{algorithm}: {few:.0f} and {many:.0f} instructions per message")
    assert 0 < many <= 1.1 * few, (few, many)
