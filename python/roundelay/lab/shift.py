# SPDX-License-Identifier: Apache-2.0
"""A node's part in a shift: it sends to the next node while it receives from the one before.

It is run as a program of its own, without the package: shift.py OWN NEXT BYTES. For each line on
its standard input it takes one step and prints the seconds that it took: first the steps of a
handshake, listening and connecting, whose time is the shortest of several round trips; then shifts.
"""

from __future__ import annotations

import select
import socket
import sys
import threading
import time
from typing import Callable

PORT = 7077
CONNECTIONS = 4  # the first may wait for an address
CHOSEN = b"!"  # the first byte on the connection that is used


def say(seconds: float) -> None:
    print(seconds, flush=True)


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def receive(source: socket.socket, buffer: memoryview) -> None:
    while buffer:
        count = source.recv_into(buffer)
        if count == 0:
            sys.exit("the previous node has ended")
        buffer = buffer[count:]


def chosen(incoming: list[socket.socket]) -> socket.socket:
    """The connection that the previous node uses, which need not be the one accepted last."""
    readable, _, _ = select.select(incoming, [], [])
    receive(readable[0], memoryview(bytearray(len(CHOSEN))))
    return readable[0]


def main(own: str, after: str, nbytes: int) -> None:
    orders = iter(sys.stdin.readline, "")
    server = socket.create_server((own, PORT), backlog=CONNECTIONS)
    say(0)

    next(orders)
    outgoing: list[socket.socket] = []
    say(
        min(
            timed(lambda: outgoing.append(socket.create_connection((after, PORT))))
            for _ in range(CONNECTIONS)
        )
    )
    to = outgoing[-1]
    to.sendall(CHOSEN)
    source = chosen([server.accept()[0] for _ in range(CONNECTIONS)])
    message, buffer = bytes(nbytes), memoryview(bytearray(nbytes))

    def shift() -> None:
        sender = threading.Thread(target=to.sendall, args=(message,))
        sender.start()
        receive(source, buffer)
        sender.join()

    for _ in orders:
        say(timed(shift))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
