# SPDX-License-Identifier: Apache-2.0
"""Numbers with a unit: read, e.g. "100mbit", and written, e.g. "64 KiB"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from roundelay.suggestions import did_you_mean

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def quantity(
    text: str, units: Mapping[str, float], usual: Sequence[str], *, zero: bool = False
) -> float:
    """The number times what its unit stands for.

    `usual`: the units that a message names. `zero`: 0 is valid, too. Raises ValueError, which says
    what would be valid.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    forms = _forms(match[1] if match and float(match[1]) > 0 else "5", usual)
    if match is None:
        raise ValueError(f"'{text}' is not a number with a unit: give e.g. {forms}")
    number, unit = match[1], match[2]
    if not unit:
        raise ValueError(f"'{text}' has no unit: give e.g. {forms}")
    if unit not in units:
        begins = (one for one in units if one.casefold().startswith(unit.casefold()))
        whole = next(begins, unit)
        # Every letter is like every other.
        near = did_you_mean(number + whole, [number + one for one in units] if whole[1:] else [])
        raise ValueError(f"'{text}': there is no unit '{unit}'{near}; give e.g. {forms}")
    if float(number) == 0 and not zero:
        raise ValueError(f"'{text}' is not more than 0: give e.g. {forms}")
    return float(number) * units[unit]


def _forms(number: str, usual: Sequence[str]) -> str:
    """E.g. "5us, 5ms or 5s"."""
    *first, last = (number + unit for unit in usual)
    return f"{', '.join(first)} or {last}"


def count_text(number: int, word: str) -> str:
    """E.g. "1 round" or "2 rounds"."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def time_text(seconds: float, digits: int = 4) -> str:
    """E.g. "12.3 us"."""
    for unit in ("s", "ms", "us"):
        if seconds >= SECONDS[unit]:
            return f"{seconds / SECONDS[unit]:.{digits}g} {unit}"
    return f"{seconds / SECONDS['ns']:.{digits}g} ns"


def us_text(seconds: float) -> str:
    """A time in microseconds, for a table: three digits, or a whole number."""
    return f"{1e6 * seconds:.3g}" if seconds < 1e-3 else f"{1e6 * seconds:.0f}"


def size_text(count: float, digits: int | None = None) -> str:
    """A number of bytes, e.g. "64 KiB". It is exact, unless `digits` are enough."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        text = f"{count / unit:.{digits or 6}g}"
        if count >= unit and (digits or float(text) * unit == count):
            return f"{text} {name}"
    return f"{count:.{digits or 15}g} B"
