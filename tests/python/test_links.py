# SPDX-License-Identifier: Apache-2.0
"""Links and anchors of all pages, and what the sources say of docs/, lead somewhere."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

TOP = Path(__file__).resolve().parents[2]
OWN = ("docs", "repro", "packaging", "examples")
PAGES = sorted([*TOP.glob("*.md"), *(page for own in OWN for page in (TOP / own).rglob("*.md"))])
SOURCES = ("bench", "cmake", "examples", "include", "packaging", "python", "repro", "src", "tests")
PARSER = MarkdownIt().enable("table")


def inline(page: Path) -> list[tuple[str, Token]]:
    """Each piece of text, with the name of what is around it."""
    tokens = PARSER.parse(page.read_text(encoding="utf-8"))
    return [
        (before.type, token)
        for before, token in zip(tokens, tokens[1:], strict=False)
        if token.type == "inline"
    ]


@functools.cache
def anchors(page: Path) -> set[str]:
    """Those that GitHub and the site make of headings."""
    found: set[str] = set()
    for around, token in inline(page):
        if around == "heading_open":
            text = "".join(each.content for each in token.children or [])
            slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            again = 1
            while slug in found:
                slug = f"{slug.removesuffix(f'-{again - 1}')}-{again}"
                again += 1
            found.add(slug)
    return found


def links(page: Path) -> list[str]:
    return [
        str(child.attrs[key])
        for _, token in inline(page)
        for child in token.children or []
        for key in ("href", "src")
        if key in child.attrs
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(TOP).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_a_broken_anchor_is_noticed() -> None:
    assert "the-report" not in anchors(TOP / "CONTRIBUTING.md")
    assert "rules-of-the-house" in anchors(TOP / "CONTRIBUTING.md")


def test_the_pages_that_sources_name_exist() -> None:
    missing = {
        f"{file.relative_to(TOP)}: {name}"
        for folder in SOURCES
        for file in (TOP / folder).rglob("*")
        if file.suffix in {".py", ".cpp", ".hpp", ".h", ".c", ".json", ".sh", ".md"}
        for name in re.findall(r"docs/[\w/-]+\.(?:md|svg|json)", file.read_text(encoding="utf-8"))
        if not (TOP / name).exists()
    }
    assert not missing


def test_every_page_has_its_place_in_the_menu_of_the_site() -> None:
    menu = set(re.findall(r"[\w/-]+\.md", (TOP / "mkdocs.yml").read_text(encoding="utf-8")))
    there = {page.relative_to(TOP / "docs").as_posix() for page in (TOP / "docs").rglob("*.md")}
    assert there <= menu
    assert all((TOP / "docs" / page).exists() or (TOP / page).exists() for page in menu)


def test_the_page_about_problem_repeats_the_source() -> None:
    page = (TOP / "docs" / "research" / "problem.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```cpp\n(.*?)```", page, flags=re.DOTALL)
    assert code in (TOP / "src" / "algorithms" / "catalogue.hpp").read_text(encoding="utf-8")
