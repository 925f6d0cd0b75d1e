# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/figures show what their data and the tables of their pages say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_no_picture_is_older_than_its_data() -> None:
    check = [sys.executable, str(TOP / "tools" / "figures.py"), "--check"]
    found = subprocess.run(check, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
