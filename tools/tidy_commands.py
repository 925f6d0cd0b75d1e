# SPDX-License-Identifier: Apache-2.0
"""python3 tools/tidy_commands.py FROM TO: the compilation database as clang-tidy wants it.

Keeps the commands that compile a file of ours under src or python/src that no earlier one compiles
(those that know MPI are compiled once for each MPI), without what only GCC understands, and prints
what they compile. Most are CMake's unity files: reading the headers takes longer than the checks.
"""

import json
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
OURS = (TOP / "src", TOP / "python" / "src")
ONLY_GCC = ("-fno-gnu-unique", "-Werror", "-Winvalid-pch")


def sources(compiled: Path) -> set[Path]:
    """The files of ours that are compiled with this one: itself, or those of a unity file."""
    included = re.findall(r'^#include "(.*\.cpp)"$', compiled.read_text(), re.MULTILINE)
    files = map(Path, included) if compiled.parent.name == "Unity" else [compiled]
    return {file for file in files if any(file.is_relative_to(folder) for folder in OURS)}


source, target = map(Path, sys.argv[1:])
commands: list[dict[str, str]] = []
seen: set[Path] = set()
for entry in json.loads(source.read_text()):
    files = sources(Path(entry["file"])) if "cmake_pch" not in entry["file"] else set()
    if files - seen:
        words = [word for word in entry["command"].split(" ") if word not in ONLY_GCC]
        commands.append({**entry, "command": " ".join(words)})
        seen |= files
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text(json.dumps(commands, indent=1))
print("\n".join(entry["file"] for entry in commands))
