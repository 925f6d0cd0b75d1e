# SPDX-License-Identifier: Apache-2.0
"""The Markdown pages: each relative link leads to a file and, where it names one, to a heading."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("bench", "cmake", "examples", "include", "python", "repro", "src", "tests", "tools")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)\)")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`[^`\n]*`")


def pages() -> list[Path]:
    """The pages of the project: those that git has or would add, but for third_party."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = [ROOT / name for name in names.splitlines() if not name.startswith("third_party/")]
    return [page for page in found if page.exists()]


@functools.cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(
        r"^#{1,6} +(.+?)\s*$", FENCED.sub("", page.read_text()), re.MULTILINE
    ):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return frozenset(names)


def faults(page: Path) -> list[str]:
    found = []
    text = CODE_SPAN.sub("``", FENCED.sub("", page.read_text()))
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            found.append(f"{page}: {link}: no such file")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            found.append(f"{page}: {link}: no such heading")
    return found


def test_links_lead_to_files_and_headings() -> None:
    assert [fault for page in pages() for fault in faults(page)] == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `title`\n[good](#a-title) [bad](#title) [gone](gone.md) `[code](x.md)`\n"
        "```\n# no heading\n[code](y.md)\n```\n[none](page.md#no-heading) [web](https://x.org)\n"
    )
    assert faults(page) == [
        f"{page}: #title: no such heading",
        f"{page}: gone.md: no such file",
        f"{page}: page.md#no-heading: no such heading",
    ]


def test_the_pages_that_sources_name_exist() -> None:
    missing = {
        f"{file.relative_to(ROOT)}: {name}"
        for folder in SOURCES
        for file in (ROOT / folder).rglob("*")
        if file.suffix in {".c", ".cpp", ".h", ".hpp", ".json", ".md", ".py", ".sh"}
        for name in re.findall(r"docs/[\w/-]+\.(?:md|svg|json)", file.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    }
    assert not missing


def test_every_page_has_its_place_in_the_menu_of_the_site() -> None:
    menu = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    there = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert there <= menu
    assert all((ROOT / "docs" / page).exists() or (ROOT / page).exists() for page in menu)


def test_the_examples_of_new_algorithms_compile(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "research" / "add-an-algorithm.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"```cpp\n(.*?)```", page, flags=re.DOTALL))
    files = [f"// SPDX{part}" for part in code.split("// SPDX")[1:]]
    assert len(files) == 2
    for number, file in enumerate(files):
        source = tmp_path / f"example_{number}.cpp"
        source.write_text(file, encoding="utf-8")
        command = ["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
        done = subprocess.run(
            [*command, "-I", ROOT / "src", source], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_the_page_about_problem_repeats_the_source() -> None:
    page = (ROOT / "docs" / "research" / "problem.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```cpp\n(.*?)```", page, flags=re.DOTALL)
    assert code in (ROOT / "src" / "algorithms" / "catalogue.hpp").read_text(encoding="utf-8")
