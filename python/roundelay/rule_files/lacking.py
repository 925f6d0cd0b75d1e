# SPDX-License-Identifier: Apache-2.0
"""What an MPI library cannot do of a profile."""

from __future__ import annotations


class Lacking:
    """What an MPI library cannot follow of the rules for one collective."""

    def __init__(self) -> None:
        # (algorithm, why) -> ranks from and to, and from how many bytes on
        self._found: dict[tuple[str, str], tuple[int, int, int]] = {}

    def note(self, algorithm: str, ranks: int, least: int, why: str) -> None:
        """`ranks` must not be fewer than before."""
        first, _, before = self._found.get((algorithm, why), (ranks, ranks, least))
        self._found[algorithm, why] = first, ranks, min(least, before)

    def sentences(self, collective: str) -> list[str]:
        return [
            f"{collective}={algorithm}, {first} to {last} ranks, from {nbytes} bytes on: "
            f"{why}, its own rules stay"
            for (algorithm, why), (first, last, nbytes) in self._found.items()
        ]
