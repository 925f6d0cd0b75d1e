# SPDX-License-Identifier: Apache-2.0
"""Schedules of the pipelined broadcast on a circulant graph (Traff 2024), each in O(log p) time.

In round k of q = ceil(log2 p), a rank receives from rank - skips[k] and sends to rank + skips[k],
modulo p. The root is rank 0. Entries are numbers of blocks: negative ones are no blocks yet, and q
rounds later all entries are greater by q. A p or rank out of range is a ValueError.

>>> skips(5)
[1, 2, 3, 5]
>>> base_block(5, 3)
2
>>> receive_schedule(5, 3)
[-2, -3, 2]
>>> send_schedule(5, 3)
[-1, -1, -2]
"""

from __future__ import annotations

from roundelay import _core


def skips(p: int) -> list[int]:
    """skips[0] = 1 to skips[q] = p."""
    return _core.circulant_skips(p)


def base_block(p: int, rank: int) -> int:
    """The block that the rank receives in the first q rounds; q for the root."""
    return _core.circulant_base_block(p, rank)


def receive_schedule(p: int, rank: int) -> list[int]:
    """What the rank receives in rounds 0 .. q - 1."""
    return _core.circulant_receive_schedule(p, rank)


def send_schedule(p: int, rank: int) -> list[int]:
    """What the rank sends in rounds 0 .. q - 1."""
    return _core.circulant_send_schedule(p, rank)
