# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest
import roundelay

TOP = Path(__file__).resolve().parents[2]
FOLDER = TOP / "docs" / "collectives"


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def test_the_pages_are_what_the_catalogue_says() -> None:
    assert_current("document.py")


def test_the_reference_is_what_the_commands_say() -> None:
    assert_current("document_commands.py")


def assert_current(script: str) -> None:
    check = [sys.executable, str(TOP / "tools" / script), "--check"]
    found = subprocess.run(check, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("name", [one.name for one in roundelay.algorithms() if not one.native])
def test_every_algorithm_has_a_section(name: str) -> None:
    (one,) = (one for one in roundelay.algorithms() if one.name == name)
    page = text_of(FOLDER / f"{one.collective}.md")
    assert f"## {one.algorithm}\n" in page
    assert one.summary in page.replace("\n", " ")
    assert one.paper in page
    assert f"(figures/{one.collective}-{one.algorithm}.svg)" in page
    assert f"({one.collective}.md#{one.algorithm})" in text_of(FOLDER / "README.md")


API = TOP / "docs" / "reference" / "api.md"


def test_the_examples_of_the_python_interface_give_what_the_page_says() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", text_of(API), flags=re.DOTALL)
    examples = doctest.DocTestParser().get_doctest(code, {}, API.name, str(API), 0)
    found = doctest.DocTestRunner().run(examples)
    assert found.attempted >= 10
    assert found.failed == 0


def test_the_page_about_the_interfaces_is_complete() -> None:
    page = text_of(API)
    (code,) = re.findall(r"```c\n(.*?)```", page, flags=re.DOTALL)
    assert code == text_of(TOP / "examples" / "linked" / "linked.c")  # which tests/mpi runs
    header = text_of(TOP / "include" / "roundelay" / "roundelay.h")
    for declaration in re.findall(
        r"^(\w[^/*\n]* \**roundelay_\w+\(.*\));", header, flags=re.MULTILINE
    ):
        assert f"| `{declaration}` |" in page
    for name in roundelay.__all__:
        assert f"`{name}" in page, name


LITERAL = re.compile(r'"([^"\n]+)"')


def reasons() -> set[str]:
    """All that the column `why` of a report may say, but for the rules of profiles."""
    texts = {
        path: text_of(path)
        for folder in ("choose", "preload")
        for path in (TOP / "src" / folder).rglob("*.[ch]pp")
    }
    found = {
        reason for text in texts.values() for reason in re.findall(r'"(model: [^"\n]+)"', text)
    }
    for text in texts.values():
        found |= set(re.findall(r'le(?:ave|ft)_native\((?:[\w.]+, )?"([^"\n]+)"\)', text))
        found |= set(re.findall(r'left_native\([^;"]*"([^"\n]+)"', text))
        found |= set(re.findall(r'"(lear\w+: [^"\n]+)"', text))
    chooser, policy, properties = (
        next(text for path, text in texts.items() if path.name == name)
        for name in ("chooser.cpp", "policy.cpp", "communicator_properties.cpp")
    )
    found |= set(re.findall(r'return "([^"\n]+)";', properties))
    found |= set(re.findall(r'[{,]\s*"([^"\n]+)"};', chooser))
    without_includes = re.sub(r"^#include.*$", "", policy, flags=re.MULTILINE)
    found |= set(LITERAL.findall(without_includes)) - {"nothing"}
    found |= set(LITERAL.findall(texts[TOP / "src" / "choose" / "verdict.hpp"])) & {
        "a graph that the MPI library reads in another way",
        "elements of the datatype overlap",
    }
    return {re.sub(r" of $", " of N", reason) for reason in found}


def test_the_reference_has_every_reason() -> None:
    page = text_of(TOP / "docs" / "reference" / "using.md")
    table = page.partition("| why | meaning |\n")[2].partition("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines()[1:]]
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert {"forced", "no data", "model: cheapest", "device memory"} <= reasons()
    assert named - {"profile thakur2005: rule 2 (..:19)"} == reasons()
