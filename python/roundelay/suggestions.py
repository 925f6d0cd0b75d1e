# SPDX-License-Identifier: Apache-2.0
"""The valid name that is nearest to one that is not: the one that the library would name, too."""

from __future__ import annotations

from collections.abc import Iterable

from roundelay import _core


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """None if no valid name is like it. Small and large letters are alike."""
    by_small: dict[str, str] = {}
    for one in valid:
        by_small.setdefault(one.casefold(), one)
    # The words of a command may be bytes that are no text.
    text = name.casefold().encode(errors="replace").decode()
    return by_small.get(_core.nearest(text, list(by_small)))


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """E.g. " (did you mean 'bruck'?)"; empty if no valid name is like it."""
    near = nearest(name, valid)
    return f" (did you mean '{near}'?)" if near else ""
