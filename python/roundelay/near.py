# SPDX-License-Identifier: Apache-2.0
"""The valid name that is nearest to one that is not."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """None if no valid name is like it. Small and large letters are alike."""
    by_small = {one.casefold(): one for one in reversed(list(valid))}
    near = difflib.get_close_matches(name.casefold(), by_small, n=1)
    return by_small[near[0]] if near else None


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """E.g. " (did you mean 'bruck'?)"; empty if no valid name is like it."""
    near = nearest(name, valid)
    return f" (did you mean '{near}'?)" if near else ""
