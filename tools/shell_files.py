# SPDX-License-Identifier: Apache-2.0
"""Writes what shells and `man` need to know of the command `roundelay`, from the command itself.

python tools/shell_files.py PREFIX    into PREFIX/share, where bash, zsh, fish and man look
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete
from click_man.core import write_man_pages
from roundelay.cli import main

NAME = "roundelay"
# Where each looks, under share.
COMPLETIONS: dict[str, type[ShellComplete]] = {
    f"bash-completion/completions/{NAME}": BashComplete,
    f"zsh/site-functions/_{NAME}": ZshComplete,
    f"fish/vendor_completions.d/{NAME}.fish": FishComplete,
}


def script(kind: type[ShellComplete]) -> str:
    """The text that makes a shell ask the command. `source()` would need that shell to run."""
    completion = kind(main, {}, NAME, f"_{NAME.upper()}_COMPLETE")
    return completion.source_template % completion.source_vars()


def write(prefix: Path) -> None:
    share = prefix / "share"
    for place, kind in COMPLETIONS.items():
        path = share / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script(kind))
    pages = share / "man" / "man1"
    pages.mkdir(parents=True, exist_ok=True)
    write_man_pages(NAME, main, version=version(NAME), target_dir=str(pages))


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    write(Path(sys.argv[1]))
