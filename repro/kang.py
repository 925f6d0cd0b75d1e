# SPDX-License-Identifier: Apache-2.0
"""Kang et al., inter-group all-to-all broadcast: figure 4 with one process a node.

    .venv/bin/python repro/kang.py

256 ranks in two groups inside one communicator, for SMPI has no intercommunicators; one direction.
"""

from __future__ import annotations

from report import check, factor, simulated, table, write
from roundelay.simulation.contenders import ours
from roundelay.simulation.platforms import cluster, ring
from roundelay.simulation.table import length

GROUPS = [(128, 128), (64, 192), (192, 64)]
BLOCKS = [1 << 16]
PAPER_FULL = {(128, 128): "5.3", (64, 192): "5.1", (192, 64): "4.4"}
PAPER_RING = {(128, 128): "1.9", (64, 192): "1.9", (192, 64): "1.4"}


def fully_connected() -> str:
    rows = []
    for senders, receivers in GROUPS:
        sizes = [senders * block for block in BLOCKS]
        algorithms = [
            ours("allgather", name) for name in ("inter_root(bcast=binomial)", "inter_full")
        ]
        where = cluster(senders + receivers)
        found = simulated(where, f"allgather_between/{senders}", sizes, algorithms)
        root, full = (one.name for one in algorithms)
        ratios = [factor(found, root, full, size) for size in sizes]
        rows.append([f"{senders}:{receivers}", *ratios, PAPER_FULL.get((senders, receivers), "")])
    blocks = [length(block) for block in BLOCKS]
    return table(["senders:receivers", *blocks, "paper, 4 MB"], rows)


def on_a_ring() -> str:
    rows = []
    for senders, receivers in GROUPS:
        ranks = senders + receivers
        within = simulated(
            ring(ranks),
            "allgather",
            [ranks * block for block in BLOCKS],
            [ours("allgather", "ring")],
        )
        between = simulated(
            ring(ranks),
            f"allgather_between/{senders}",
            [senders * block for block in BLOCKS],
            [ours("allgather", "inter_ring")],
        )
        ratios = [
            f"{whole.seconds / part.seconds:.2f}"
            for whole, part in zip(within.times, between.times)
        ]
        steps = (ranks - 1) / (senders + receivers / 2)
        rows.append(
            [
                f"{senders}:{receivers}",
                *ratios,
                f"{steps:.2f}",
                PAPER_RING.get((senders, receivers), ""),
            ]
        )
    blocks = [length(block) for block in BLOCKS]
    return table(["senders:receivers", *blocks, "steps over steps", "paper, 4 MB"], rows)


def main() -> None:
    check()
    write(
        __file__,
        "# Kang et al., figure 4, simulated",
        "256 nodes with one rank each; how many times as long the benchmark of the paper takes as "
        "the new algorithm, for a block of each length from every sender.",
        "Fully connected: gathering at a root, as MPICH does, over `inter_full`.",
        fully_connected(),
        "Ring: an allgather among all over `inter_ring`.",
        on_a_ring(),
    )


if __name__ == "__main__":
    main()
