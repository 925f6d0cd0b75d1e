# SPDX-License-Identifier: Apache-2.0
"""What the scripts share: they simulate what a paper measured, or count, and write Markdown."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from roundelay.cannot_run import CannotRun
from roundelay.interpreters import trace
from roundelay.simulation import smpi
from roundelay.simulation.contenders import Contender
from roundelay.simulation.platforms import Platform
from roundelay.simulation.study import Study, study

HERE = Path(__file__).resolve().parent


def simulated(
    platform: Platform,
    collective: str,
    sizes: Sequence[int],
    contenders: Iterable[Contender],
    model: str = "ports",
) -> Study:
    """Like study(), with a word on what is under way, and patience for more than 1000 ranks."""
    print(f"{collective} on {platform.name} ..", file=sys.stderr, flush=True)
    result = study(platform, collective, sizes, contenders, model=model, limit=600)
    for each in result.refused:
        print(f"  without {each.contender}: {each.reason}", file=sys.stderr)
    return result


def factor(result: Study, slow: str, fast: str, size: int) -> str:
    """How many times as long the one takes as the other, e.g. "3.1"; "" if one did not run."""
    old, new = result.time(slow, size), result.time(fast, size)
    return "" if old is None or new is None else f"{old.seconds / new.seconds:.2f}"


class Message(NamedTuple):
    round: int  # of the sender
    sender: int
    receiver: int
    units: int


def messages(name: str, p: int, m: int, root: int = 0) -> Iterator[Message]:
    """What all ranks send in a call of m units, as the schedules say it; nothing is simulated."""
    for rank in trace(name, p, root=root, m=m)["ranks"]:
        for index, each in enumerate(rank["rounds"]):
            for sent in each["sends"]:
                units = sum(piece["length"] for piece in sent["slices"])
                yield Message(index, rank["rank"], sent["peer"], units)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """In Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(script: str, *parts: str) -> None:
    """Writes what a script found beside it, as Markdown."""
    target = Path(script).with_suffix(".md")
    target.write_text("\n\n".join(parts) + "\n")
    print(target.relative_to(HERE.parent))


def check() -> None:
    """Ends with a message if nothing can be simulated here."""
    try:
        smpi.program()
    except CannotRun as reason:
        sys.exit(f"error: {reason}")
