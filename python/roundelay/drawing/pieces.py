# SPDX-License-Identifier: Apache-2.0
"""The pieces into which a schedule cuts what the ranks contribute, and what they are called."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import Any

LONGEST_SET = 5  # characters of a set of ranks
LONGEST_MESSAGE = 14


def intervals(numbers: Sequence[int], modulus: int) -> list[tuple[int, int]]:
    """First and last of each run of neighbours; one may go from the last number on to 0."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    if len(found) > 1 and found[0][0] == 0 and found[-1][1] == modulus - 1:
        found = [*found[1:-1], (found[-1][0], found[0][1])]
    return found


def span(first: str, last: str) -> str:
    return first if first == last else f"{first}-{last}"


def ranks_label(ranks: Sequence[int], p: int) -> str:
    """E.g. "0-3", "1,3-4" or, of five ranks, "4-1"."""
    return ",".join(span(str(first), str(last)) for first, last in intervals(ranks, p))


def letter(piece: int) -> str:
    """The letters a .. z, then aa, ab .."""
    before, last = divmod(piece, len(ascii_lowercase))
    return (letter(before - 1) if before else "") + ascii_lowercase[last]


class Pieces:
    """Cuts contributions wherever a message or a rank's memory ever cuts them.

    Where data is combined all ranks contribute to the same vector, which is cut alike for all.
    """

    def __init__(self, history: dict[str, Any]) -> None:
        self._p = len(history["ranks"])
        every = [held for rank in history["ranks"] for state in rank for held in state["holds"]]
        every += [part for each in history["deliveries"] for part in each["pieces"]]
        self.reduces = any(len(part["ranks"]) > 1 for part in every)
        self.origins = len({rank for part in every for rank in part["ranks"]})
        cuts: defaultdict[int, set[int]] = defaultdict(set)
        for part in every:
            cuts[self._owner(part)] |= {part["index"], part["index"] + part["length"]}
        self._cuts = {owner: sorted(places) for owner, places in cuts.items()}
        self.most = max((len(places) - 1 for places in self._cuts.values()), default=0)
        self._labels: dict[tuple[int, tuple[int, ...]], str] = {}

    def _owner(self, part: dict[str, Any]) -> int:
        return 0 if self.reduces else part["ranks"][0]

    def split(self, part: dict[str, Any]) -> Iterator[tuple[int, int]]:
        """The numbers of the part's pieces, each with its distance from the part's beginning."""
        cuts = self._cuts[self._owner(part)]
        first = bisect_right(cuts, part["index"]) - 1
        last = bisect_left(cuts, part["index"] + part["length"])
        for piece in range(first, last):
            yield piece, cuts[piece] - part["index"]

    def _whose(self, ranks: Sequence[int]) -> str:
        """Nothing if only one rank contributes; a number where the set would be long."""
        if not self.reduces and self.origins <= 1:
            return ""
        text = ranks_label(ranks, self._p)
        return text if len(text) <= LONGEST_SET else f"#{len(ranks)}"

    def label(self, piece: int, ranks: Sequence[int]) -> str:
        """E.g. "b" of one rank's message, "3" of rank 3's only piece, "b0-3" of a reduction."""
        key = piece, tuple(ranks)
        if key not in self._labels:
            self._labels[key] = self._label(piece, ranks)
        return self._labels[key]

    def _label(self, piece: int, ranks: Sequence[int]) -> str:
        whose = self._whose(ranks)
        return (letter(piece) if self.most > 1 or not whose else "") + whose

    def _letters(self, pieces: Sequence[int]) -> list[str]:
        return [span(letter(first), letter(last)) for first, last in intervals(pieces, self.most)]

    def message_label(self, items: Sequence[tuple[int, Sequence[int]]]) -> str:
        """What a message carries, neighbours put together: "a-c", "2-4", "a-c 0-3"."""
        if self.most <= 1 and not self.reduces and self.origins > 1:
            return ranks_label([ranks[0] for _, ranks in items], self._p)
        pieces_of: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for piece, ranks in items:
            pieces_of[tuple(ranks)].append(piece)
        parts = [
            self.label(pieces[0], ranks)
            if len(pieces) == 1
            else f"{','.join(self._letters(pieces))} {self._whose(ranks)}".strip()
            for ranks, pieces in pieces_of.items()
        ]
        text = ", ".join(parts)
        if len(text) <= LONGEST_MESSAGE:
            return text
        short = ",".join(self._letters([piece for piece, _ in items])) if self.reduces else ""
        return short if 0 < len(short) <= LONGEST_MESSAGE else f"{len(items)} pieces"
