# SPDX-License-Identifier: Apache-2.0
"""tools/prose.py finds phrases and long sentences in text, and leaves code alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def faults(text: str) -> list[tuple[int, str]]:
    program = "import prose, sys; print(list(prose.faults(sys.stdin.read(), prose.read_rules())))"
    found = subprocess.run(
        [sys.executable, "-c", program],
        cwd=TOOLS,
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return list(ast.literal_eval(found.stdout))


def test_a_phrase_is_found_with_its_line() -> None:
    assert faults("# Title\n\nIt stays so\nin order to be found.\n") == [(3, "'in order to': to")]


def test_code_is_left_alone() -> None:
    assert faults("`in order to`\n\n    in order to\n") == []


def test_a_long_sentence_is_found() -> None:
    assert faults("word " * 60 + "end.\n") == [(1, "a sentence of 61 words: make several of it")]
    assert faults("word " * 30 + "end. " + "word " * 40 + "end.\n") == []
