# SPDX-License-Identifier: Apache-2.0
"""python3 tools/tidy_commands.py FROM TO: the compilation database as clang-tidy wants it.

Keeps one command for each file of ours under src and python/src (those that know MPI are compiled
once for each MPI), without what only GCC understands, and prints the files.
"""

import json
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ONLY_GCC = ("-fno-gnu-unique", "-Werror")

source, target = map(Path, sys.argv[1:])
commands: dict[Path, dict[str, str]] = {}
for entry in json.loads(source.read_text()):
    path = Path(entry["file"])
    if path.is_relative_to(TOP / "src") or path.is_relative_to(TOP / "python" / "src"):
        words = [word for word in entry["command"].split(" ") if word not in ONLY_GCC]
        commands.setdefault(path, {**entry, "command": " ".join(words)})
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text(json.dumps(list(commands.values()), indent=1))
print("\n".join(map(str, commands)))
