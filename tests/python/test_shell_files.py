# SPDX-License-Identifier: Apache-2.0
"""What the build installs for shells and `man`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from roundelay.cli import main

TOP = Path(__file__).resolve().parent.parent.parent


def commands(group: click.Group, name: str) -> dict[str, click.Command]:
    """All commands below a group, by what a user types."""
    found: dict[str, click.Command] = {}
    for word, command in group.commands.items():
        found[f"{name} {word}"] = command
        if isinstance(command, click.Group):
            found |= commands(command, f"{name} {word}")
    return found


COMMANDS = commands(main, "roundelay")


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = tmp_path_factory.mktemp("prefix")
    subprocess.run([sys.executable, TOP / "tools" / "shell_files.py", prefix], check=True)
    return prefix / "share"


def completed(share: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    script = (
        f"source {share}/bash-completion/completions/roundelay; "
        f'COMP_WORDS=("$@"); COMP_CWORD={len(words) - 1}; '
        "complete -p roundelay >/dev/null && _roundelay_completion roundelay; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    # The command of the environment that runs the tests.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script, "bash", *words],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_algorithms_collectives_and_options(share: Path) -> None:
    assert set(completed(share, "roundelay", "")) >= {"run", "verify", "doctor", "lab"}
    offered = completed(share, "roundelay", "verify", "allgather.r")
    assert offered == ["allgather.recursive_doubling", "allgather.ring"]
    assert completed(share, "roundelay", "list", "reduce_scatter_") == ["reduce_scatter_block"]
    assert completed(share, "roundelay", "verify", "--mut") == ["--mutants"]


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("zsh", "zsh/site-functions/_roundelay"),
        ("fish", "fish/vendor_completions.d/roundelay.fish"),
    ],
)
def test_other_shells_get_a_script(share: Path, shell: str, place: str) -> None:
    script = share / place
    assert f"_ROUNDELAY_COMPLETE={shell}_complete" in script.read_text()
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n", script], check=True)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page(share: Path, name: str) -> None:
    page = (share / "man" / "man1" / f"{name.replace(' ', '-')}.1").read_text()
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, click.Option):
            assert parameter.opts[-1].replace("-", r"\-") in page


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "roundelay profile"])
def test_every_help_has_an_example(name: str) -> None:
    text = COMMANDS[name].help
    assert text is not None
    assert name in text.partition("Example")[2]
