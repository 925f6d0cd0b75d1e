# SPDX-License-Identifier: Apache-2.0
"""Running the system's tools, so that a failure says which one failed and why."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterable

from roundelay.lab.needs import search_path


class Refused(Exception):
    """The kernel or a tool did not do what the lab needs."""


def shell(commands: Iterable[str]) -> list[str]:
    """One process that runs these until one fails."""
    return ["sh", "-ec", "\n".join([f"PATH={shlex.quote(search_path())}", *commands])]


def traced(commands: Iterable[str]) -> list[str]:
    """The same commands, announced before they run; `last_words` finds the one that failed."""
    return ["set -x", *commands, "set +x"]


def last_words(text: str) -> str:
    lines = text.splitlines()
    command = max((i for i, line in enumerate(lines) if line.startswith("+ ")), default=0)
    return ": ".join(line.removeprefix("+ ") for line in lines[command:]) or "no reason given"


def do(commands: Iterable[str]) -> None:
    """Runs the commands. Raises Refused, which says which one failed and why."""
    done = subprocess.run(
        shell(traced(commands)), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise Refused(last_words(done.stderr))
