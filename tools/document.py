# SPDX-License-Identifier: Apache-2.0
"""Writes docs/collectives: what the catalogue says of every algorithm, with a picture of each."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

import roundelay
from roundelay import Algorithm, Parameter
from roundelay.drawing import Story, picture, tell

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "collectives"
RANKS = (5, 6, 4, 8)  # of a picture: the first number for which there is a schedule
SENDERS, RECEIVERS = 4, 6  # of a picture of two groups
GENERATED = "<!-- Generated from the catalogue by `make docs`: do not edit. -->\n"
LONGEST = 44  # characters of a formula in an overview

FORMULAS = (
    "Formulas are in p, the number of ranks, and m, the length of the whole message. On an "
    "intercommunicator p ranks send and q receive. Volume is the amount of data that a rank sends "
    "or receives, whichever is larger, and scratch is extra memory; both for the rank that needs "
    "most. Some algorithms are composed over the parts of a topology, which are nodes or "
    "sites ([sites.md](../explanation/sites.md)). There k is the number of parts, and n the number "
    "of ranks in the largest part."
)
TABLES = (
    'In tables, "else" is where p is not a power of two. The MPI library\'s own algorithm, '
    "`native`, is always a candidate too."
)
PICTURES = "[How to read a picture](../reference/drawing.md) explains the pictures."
CROSSING = (
    "`roundelay tune` measures which algorithm is the best from which length on "
    "([tune.md](../how-to/tune.md))."
)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head)]
    lines += [["---"] * len(lines[0])]
    lines += [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def paragraph(*sentences: str) -> str:
    return textwrap.fill(" ".join(sentences), 100, break_on_hyphens=False) + "\n"


def code(formula: str | None) -> str:
    return f"`{formula}`"


def bound(one: Algorithm, formula: str | None) -> str:
    return f"{'at most ' if one.at_most else ''}{code(formula)}"


def brief(one: Algorithm, formula: str | None) -> str:
    """For a cell of a table."""
    parts = (formula or "").split(" if p is a power of two, else ")
    whole = all(part.count("(") == part.count(")") for part in parts)
    if not whole or len(parts) > 2 or max(map(len, parts)) > LONGEST:
        return "see its section"
    return ("at most " if one.at_most else "") + ", else ".join(map(code, parts))


def needs(one: Algorithm) -> str:
    groups = ["two groups"] if one.groups == 2 else []
    return ", ".join([*groups, *one.restrictions]).replace("_", " ") or "nothing"


def between(one: Algorithm) -> dict[str, str]:
    """What goes between sites, of all ranks together."""
    if one.far_messages is None:
        return {}
    return {
        "between sites": f"{code(one.far_messages)} messages, {code(one.far_volume)} units, "
        "of all ranks together; sums are over pairs of sites of n1 and n2 ranks"
    }


def parameters(some: Iterable[Parameter]) -> str:
    return table(
        ("parameter", "values", "default", "meaning"),
        ((code(each.name), each.range, code(each.default), each.summary) for each in some),
    )


def shared_parameters(every: Iterable[Algorithm]) -> list[Parameter]:
    """Those that every algorithm has."""
    ours = [one.parameters for one in every if not one.native]
    return [each for each in ours[0] if all(each in its for its in ours)]


def drawn(one: Algorithm) -> Story | None:
    if one.groups == 2:
        return tell(one.name, SENDERS, q=RECEIVERS)
    for p in RANKS:
        try:
            return tell(one.name, p)
        except ValueError:  # a restriction
            continue
    return None


def section(one: Algorithm, shared: list[Parameter], figure: tuple[str, Story] | None) -> str:
    parts = [f"## {one.algorithm}\n", paragraph(one.summary), f"{one.paper}\n"]
    facts = {
        "needs": needs(one),
        "rounds": bound(one, one.rounds),
        "volume": bound(one, one.volume),
        "scratch": code(one.scratch),
        **between(one),
    }
    parts.append("".join(f"- {name}: {value}\n" for name, value in facts.items()))
    own = [each for each in one.parameters if each not in shared]
    if own:
        parts.append(parameters(own))
    if figure is not None:
        path, story = figure
        parts.append(f"![What {story.p} ranks of {story.name} hold and send]({path})\n")
        sizes = f"-p {story.senders or story.p}"
        sizes += f" -q {story.p - story.senders}" if story.senders else ""
        parts.append(f"`roundelay draw {story.name} {sizes}`\n")
    return "\n".join(parts)


def overview(some: Iterable[Algorithm], link: Callable[[Algorithm], str]) -> str:
    return table(
        ("algorithm", "what it does", "rounds", "volume", "needs"),
        (
            (link(one), one.summary, brief(one, one.rounds), brief(one, one.volume), needs(one))
            for one in some
            if not one.native
        ),
    )


def pages() -> dict[str, str]:
    """Every file and its text."""
    every = roundelay.algorithms()
    shared = shared_parameters(every)
    files = {
        "README.md": "\n".join(
            [
                GENERATED,
                "# The collectives and their algorithms\n",
                paragraph(FORMULAS, TABLES, PICTURES, CROSSING),
                overview(every, lambda one: f"[{one.name}]({one.collective}.md#{one.algorithm})"),
                "Every algorithm that is not the MPI library's own has these parameters too:\n",
                parameters(shared),
            ]
        )
    }
    for collective, some in groupby(every, lambda one: one.collective):
        algorithms = [one for one in some if not one.native]
        figures: dict[str, tuple[str, Story]] = {}
        for one in algorithms:
            story = drawn(one)
            if story is not None:
                path = f"figures/{collective}-{one.algorithm}.svg"
                figures[one.name] = path, story
                files[path] = picture(story, one.summary)
        files[f"{collective}.md"] = "\n".join(
            [
                GENERATED,
                f"# {collective}\n",
                paragraph("[All collectives](README.md).", TABLES, CROSSING),
                overview(algorithms, lambda one: f"[{one.algorithm}](#{one.algorithm})"),
                paragraph(FORMULAS, PICTURES),
                *(section(one, shared, figures.get(one.name)) for one in algorithms),
            ]
        )
    return files


def differing(files: dict[str, str]) -> list[str]:
    """What is not as it should be, or should not be at all."""
    there = {
        path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8")
        for path in FOLDER.rglob("*")
        if path.is_file()
    }
    return sorted(name for name in files.keys() | there if files.get(name) != there.get(name))


def write(files: dict[str, str]) -> None:
    for name in differing(files):
        path = FOLDER / name
        if name in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[name], encoding="utf-8")
        else:
            path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if a file is not up to date"
    )
    files = pages()
    if not parser.parse_args().check:
        write(files)
        return 0
    stale = differing(files)
    if stale:
        print(f"docs/collectives is not what the catalogue says: {', '.join(stale)}: run make docs")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
