# SPDX-License-Identifier: Apache-2.0
"""The WAN: two TAP devices, and what passes frames between them, late and at a chosen rate.

It is run as a program of its own in the network of the bridges: wan.py TAP TAP RATE DELAY. It
prints a line once the devices are there.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import heapq
import os
import select
import struct
import sys
import time

TUNSETIFF = 0x400454CA
TAP_WITHOUT_HEADER = 0x0002 | 0x1000
FRAME = 1 << 16
# Frames with no more than that carry no data; they go first, as on the links.
NO_DATA = 14 + 127
# What waits at the entrance at most, in seconds of the rate: a router's buffer.
BUFFER = 0.05


class Line:
    """One direction: what is sent leaves at the rate, and arrives after the delay."""

    def __init__(self, rate: float, delay: float) -> None:
        self.rate = rate
        self.delay = delay
        self.free = 0.0  # when all that was accepted has left
        self.sent = 0
        self.under_way: list[tuple[float, int, bytes]] = []

    def send(self, frame: bytes, now: float) -> None:
        """A full buffer drops the frame."""
        if self.free - now > BUFFER:
            return
        self.free = max(self.free, now) + len(frame) * 8 / self.rate
        left = now if len(frame) <= NO_DATA else self.free
        heapq.heappush(self.under_way, (left + self.delay, self.sent, frame))
        self.sent += 1

    def next_arrival(self) -> float | None:
        return self.under_way[0][0] if self.under_way else None

    def arrived(self, now: float) -> list[bytes]:
        frames = []
        while self.under_way and self.under_way[0][0] <= now:
            frames.append(heapq.heappop(self.under_way)[2])
        return frames


def open_tap(name: str) -> int:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), TAP_WITHOUT_HEADER))
    return device


def deliver(tap: int, frame: bytes) -> None:
    """Passes a frame on. The frame is lost if the port is full, or not up yet."""
    try:
        os.write(tap, frame)
    except OSError as reason:
        if reason.errno not in (errno.EAGAIN, errno.EIO):
            raise


def forward(first: int, second: int, rate: float, delay: float) -> None:
    lines = {first: Line(rate, delay), second: Line(rate, delay)}
    other = {first: second, second: first}
    while True:
        arrivals = [t for line in lines.values() if (t := line.next_arrival()) is not None]
        wait = max(0.0, min(arrivals) - time.monotonic()) if arrivals else None
        ready, _, _ = select.select([first, second], [], [], wait)
        for tap, line in lines.items():
            if tap in ready:
                with contextlib.suppress(BlockingIOError):
                    line.send(os.read(tap, FRAME), time.monotonic())
            for frame in line.arrived(time.monotonic()):
                deliver(other[tap], frame)


def go_first() -> None:
    """Takes priority over ranks that spin: beside them this process had no core for seconds."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


if __name__ == "__main__":
    taps = open_tap(sys.argv[1]), open_tap(sys.argv[2])
    go_first()
    print("ready", flush=True)
    forward(*taps, float(sys.argv[3]), float(sys.argv[4]))
