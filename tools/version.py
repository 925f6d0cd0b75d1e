# SPDX-License-Identifier: Apache-2.0
"""The version, which is in CMakeLists.txt.

python3 tools/version.py          prints it
python3 tools/version.py check    fails if another file names another version
python3 tools/version.py tag TAG  the same, also of the tag and the newest section of CHANGELOG.md
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SOURCE = ("CMakeLists.txt", r"project\(Roundelay VERSION ([0-9.]+)")
# Files that must name the same one; pyproject.toml reads it from CMakeLists.txt.
COPIES = [
    ("CITATION.cff", r"^version: (\S+)"),
    ("packaging/conda/recipe.yaml", r'version: "([0-9.]+)"'),
    ("packaging/spack/package.py", r'version\("([0-9.]+)"'),
]
NEWEST_CHANGES = ("CHANGELOG.md", r"^## \[?([^\]\s]+)")


def first(file: str, pattern: str, top: Path = TOP) -> str:
    """The first version that a file names; empty if there is none."""
    found = re.search(pattern, (top / file).read_text(), re.M)
    return found[1] if found else ""


def disagreements(top: Path = TOP, tag: str | None = None) -> list[str]:
    """What names another version than CMakeLists.txt."""
    version = first(*SOURCE, top)
    files = COPIES if tag is None else [*COPIES, NEWEST_CHANGES]
    named = [(file, first(file, pattern, top)) for file, pattern in files]
    if tag is not None:
        named.append(("the tag", tag.removeprefix("v")))
    return [
        f"{who} names version {other or '(none)'}, but {SOURCE[0]} {version}"
        for who, other in named
        if other != version
    ]


def main(words: list[str]) -> None:
    if not words:
        print(first(*SOURCE))
    elif words == ["check"] or (len(words) == 2 and words[0] == "tag"):
        tag = words[1] if len(words) == 2 else None
        sys.exit("\n".join(disagreements(tag=tag)) or None)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
