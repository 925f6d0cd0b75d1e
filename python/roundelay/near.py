# SPDX-License-Identifier: Apache-2.0
"""The valid name that is nearest to one that is not."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """E.g. " (did you mean 'bruck'?)"; empty if no valid name is like it."""
    near = difflib.get_close_matches(name, list(valid), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
