# SPDX-License-Identifier: Apache-2.0
"""Checks the prose of the pages: phrases of tools/prose.txt, and sentences that are too long."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt

TOP = Path(__file__).resolve().parent.parent
RULES = TOP / "tools" / "prose.txt"
GENERATED = (
    "docs/reference/commands.md",
    "docs/reference/profile-schema.md",
    "docs/reference/machine-schema.md",
)
LONGEST = 60  # words of a sentence
PARSER = MarkdownIt().enable("table")


def pages() -> list[Path]:
    found = [TOP / "README.md", TOP / "CONTRIBUTING.md", *(TOP / "docs").rglob("*.md")]
    return sorted(
        page for page in found if not page.relative_to(TOP).as_posix().startswith(GENERATED)
    )


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs, headings and cells, without code, each with its line."""
    for token in PARSER.parse(text):
        if token.type == "inline":
            words = (
                " "
                if each.type.endswith("break")
                else "code" * (each.type == "code_inline") or each.content
                for each in token.children or []
            )
            yield (token.map or [0])[0] + 1, "".join(words)


def faults(text: str, rules: list[tuple[re.Pattern[str], str]]) -> Iterator[tuple[int, str]]:
    for line, part in prose(text):
        for pattern, advice in rules:
            for found in pattern.finditer(part):
                yield line, f"'{found[0]}': {advice}"
        for sentence in re.split(r"(?<=[.!?:;])\s+", part):
            length = len(sentence.split())
            if length > LONGEST:
                yield line, f"a sentence of {length} words: make several of it"


def read_rules() -> list[tuple[re.Pattern[str], str]]:
    lines = RULES.read_text(encoding="utf-8").splitlines()
    rules = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return [(re.compile(pattern, re.IGNORECASE), advice) for pattern, advice in rules]


def main() -> int:
    rules = read_rules()
    failed = False
    for page in pages():
        for line, fault in faults(page.read_text(encoding="utf-8"), rules):
            print(f"{page.relative_to(TOP)}:{line}: {fault}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
