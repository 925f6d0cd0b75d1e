# SPDX-License-Identifier: Apache-2.0
"""Rules that say which algorithm to run where: docs/reference/profiles.md has their form."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundelay import _core


@dataclass(frozen=True)
class Rule:
    """A rule as the library understood it."""

    collective: str
    number: int  # among those of its collective, from 1 on
    line: int
    algorithm: str
    conditions: str  # e.g. "bytes 0 .. 80K, power_of_two false"; empty: for all calls


@dataclass(frozen=True)
class Profile:
    """A profile that the library accepts."""

    name: str
    file: str
    document: dict[str, Any]
    rules: tuple[Rule, ...]


def built_in_profiles() -> list[str]:
    """The names of those that the library brings along."""
    return _core.built_in_profiles()


def in_utf8(text: str) -> str:
    """The same text. Raises ValueError if it has bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"'{ascii(text)[1:-1]}' has bytes that are not UTF-8") from None
    return text


def load_profile(name: str) -> Profile:
    """Loads a built-in profile, or a file if its name has a '/' in it or ends in ".json".

    Raises ValueError, which names the file and line and says what would be valid.
    """
    fields = _core.profile(in_utf8(name))
    rules = tuple(Rule(**rule) for rule in fields["rules"])
    return Profile(fields["name"], fields["file"], json.loads(fields["text"]), rules)


def valid_name(text: str) -> str:
    """The text as the library takes it for the name of a profile."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text)


def as_file(file: Path) -> str:
    """The name of a profile by which load_profile() takes this file."""
    text = str(file)
    return text if "/" in text or text.endswith(".json") else f"./{text}"


def setting_of(name: str) -> str:
    """What ROUNDELAY_PROFILE is to be, wherever the program runs. Raises as load_profile does."""
    load_profile(name)
    return name if name in built_in_profiles() else str(Path(name).absolute())
