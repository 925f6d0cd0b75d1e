# SPDX-License-Identifier: Apache-2.0
"""Rules of Open MPI's component coll/tuned, and its numbers and names.

Sources: Open MPI's coll_tuned_dynamic_file.c, coll_tuned_*_decision.c and
docs/tuning-apps/collectives/tuned.rst, which has the names; the numbers of algorithms as ompi_info
prints them for 4.1.4 (--param coll tuned -l 9).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TARGETS = {"openmpi@4.1": "classic", "openmpi@5.0": "classic", "openmpi@6.0": "json"}
# Open MPI's numbers of collectives in classic files.
NUMBERS = {
    "allgather": 0, "allgatherv": 1, "allreduce": 2, "alltoall": 3, "alltoallv": 4, "barrier": 6,
    "bcast": 7, "exscan": 8, "gather": 9, "reduce": 11, "reduce_scatter": 12,
    "reduce_scatter_block": 13, "scan": 14, "scatter": 15,
}  # fmt: skip
IN_JSON = {"reduce_scatter": "reducescatter", "reduce_scatter_block": "reducescatterblock"}
# Its algorithms that do what ours do, by number; all of them are in 4.1.
PIPELINE = 3
ALGORITHMS: Mapping[str, Mapping[str, int]] = {
    "allgather": {"bruck": 2, "recursive_doubling": 3, "ring": 4},
    "allgatherv": {"bruck": 2, "ring": 3},
    "allreduce": {"reduce_then_bcast": 2, "recursive_doubling": 3, "ring": 4, "rabenseifner": 6},
    "alltoall": {"scattered": 1, "pairwise": 2, "bruck": 3},
    "alltoallv": {"scattered": 1, "pairwise": 2},
    "barrier": {"linear": 1, "recursive_doubling": 3, "dissemination": 4},
    "bcast": {
        "linear": 1, "chain": PIPELINE, "binomial": 6,
        "scatter_allgather(allgather=recursive_doubling)": 8,
        "scatter_allgather(allgather=ring)": 9,
    },
    "exscan": {"chain": 1, "recursive_doubling": 2},
    "gather": {"linear": 1, "binomial": 2},
    "reduce": {"linear": 1, "binomial": 5, "rabenseifner": 7},
    "reduce_scatter": {"reduce_then_scatter": 1, "recursive_halving": 2},
    "reduce_scatter_block": {"recursive_doubling": 2, "recursive_halving": 3},
    "scan": {"chain": 1, "recursive_doubling": 2},
    "scatter": {"linear": 1, "binomial": 2},
}  # fmt: skip
OWN_RULES = 0  # Open MPI's number for what it would do without a file
# Its names of all its algorithms, from number 1 on, as files of version 3 may have them.
NAMES: Mapping[str, Sequence[str]] = {
    "allgather": (
        "linear", "bruck-k-fanout", "recursive_doubling", "ring", "neighbor", "two_proc",
        "sparbit", "direct-messaging",
    ),
    "allgatherv": ("default", "bruck", "ring", "neighbor", "two_proc", "sparbit"),
    "allreduce": (
        "basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring",
        "rabenseifner", "allgather_reduce",
    ),
    "alltoall": ("linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"),
    "alltoallv": ("basic_linear", "pairwise"),
    "barrier": ("linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"),
    "bcast": (
        "basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial",
        "knomial", "scatter_allgather", "scatter_allgather_ring",
    ),
    "exscan": ("linear", "recursive_doubling"),
    "gather": ("basic_linear", "binomial", "linear_sync"),
    "reduce": (
        "linear", "chain", "pipeline", "binary", "binomial", "in-order_binary", "rabenseifner",
        "knomial",
    ),
    "reduce_scatter": ("non-overlapping", "recursive_halving", "ring", "butterfly"),
    "reduce_scatter_block": (
        "basic_linear", "recursive_doubling", "recursive_halving", "butterfly",
    ),
    "scan": ("linear", "recursive_doubling"),
    "scatter": ("basic_linear", "binomial", "linear_nb"),
}  # fmt: skip
FORMER_NAMES = {("allgather", "bruck"): "bruck-k-fanout"}  # before version 6
# Which communicators an entry of version 3 is for, as a profile says it.
DISTRIBUTIONS: Mapping[str, Mapping[str, list[int]]] = {
    "any": {}, "one-per-node": {"ranks_per_node": [1, 1]}, "single-node": {"nodes": [1, 1]},
}  # fmt: skip
# No length counts there.
WITHOUT_LENGTH = frozenset({"alltoallv", "barrier"})
MOST_BYTES = 1 << 40
MOST_RANKS = (1 << 31) - 1  # that a communicator can have
MOST_NUMBER = (1 << 63) - 1  # that a file can hold


@dataclass(frozen=True, order=True)
class MessageRule:
    """From so many bytes on, as Open MPI counts them: this algorithm, in segments of so many bytes.

    Open MPI counts as profiles do, the whole message, but of scatter one block.
    """

    least: int
    algorithm: int
    segment: int = 0


@dataclass(frozen=True)
class SizeRules:
    """For communicators of least to most ranks; None: to any number."""

    least: int
    most: int | None
    rules: tuple[MessageRule, ...]  # of all lengths from 0 bytes on
    distribution: str = "any"  # one of DISTRIBUTIONS


Rules = dict[str, list[SizeRules]]


def rule_at(rules: tuple[MessageRule, ...], nbytes: int) -> MessageRule:
    """The rule for a message of so many bytes. `rules` must have one."""
    return rules[bisect_right([rule.least for rule in rules], nbytes) - 1]


class RuleFileError(ValueError):
    """What is wrong with a rule file, and where."""
