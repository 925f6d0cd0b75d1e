# SPDX-License-Identifier: Apache-2.0
"""Nodes: processes that do nothing, in a network, a host name and a shared memory of their own.

What runs on a node enters these namespaces.
"""

from __future__ import annotations

import subprocess

from roundelay.lab.description import Lab
from roundelay.lab.network import alone, attached, link
from roundelay.lab.steps import Refused, do, last_words, shell, traced

READY = "ready"


class _Node:
    """A node that is being made. It waits once, for its link."""

    def __init__(self, lab: Lab, node: int, hostname: str) -> None:
        steps = [
            "exec 2>&1",
            *traced(alone(hostname)),
            f"echo {READY}; read line",
            *traced(attached(lab, node)),
            f"echo {READY}; exec sleep infinity",
        ]
        self._process = subprocess.Popen(
            ["unshare", "--net", "--uts", "--ipc", "--mount", *shell(steps)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True,  # a terminal's ctrl-C is for the ranks, not for the network
        )  # fmt: skip
        self.pid = self._process.pid

    def go_on(self) -> None:
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def wait(self) -> None:
        """Waits until the node is ready for the next step. Raises Refused."""
        assert self._process.stdout
        said: list[str] = []
        for line in self._process.stdout:
            if line.strip() == READY:
                return
            said.append(line)
        raise Refused(last_words("".join(said)))


def make_nodes(lab: Lab, name: str) -> dict[int, int]:
    """The process that each node is. Raises Refused."""
    nodes = {
        node: _Node(lab, node, f"{name}-{node}")
        for site in range(len(lab.sites))
        for node in lab.members(site)
    }
    for number, node in nodes.items():
        node.wait()
        do(link(lab, number, node.pid))
        node.go_on()
    for node in nodes.values():
        node.wait()
    return {number: node.pid for number, node in nodes.items()}
