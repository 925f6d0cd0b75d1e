# SPDX-License-Identifier: Apache-2.0
"""Rules of MPICH: profiles as its selection files (CSEL), and what MPICH reads in them.

A file is a tree of nested JSON objects. A key is a condition; among siblings the first that is true
decides, and MPICH does not come back if nothing below it applies. A leaf names an algorithm. A file
replaces MPICH's whole tree, so that export() begins with the tree that is built into the user's own
library, and changes only the branches for which the profile has a rule.

Three traps, in all versions from 4.0.2 to 5.0: an unknown condition or algorithm ends the program
in MPI_Init; an algorithm that cannot do a call is run all the same; and "comm_size<N" below a
condition on a call is read as "comm_size<=N", but above it as it is written.

Sources: MPICH's src/mpi/coll/src/csel.c, csel_container.c and src/mpi/coll/coll_algorithms.txt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundelay import _core
from roundelay.rule_files.lacking import Lacking
from roundelay.rule_files.spelling import spelled

Tree = dict[str, Any]  # a key that is a condition or an algorithm -> what is below it
# Our name -> the leaves that do the same, of which a version of MPICH has the first or the second.
Leaf = Mapping[str, Mapping[str, Any]]


def _leaf(name: str, **parameters: int) -> Leaf:
    return {f"algorithm=MPIR_{name}": {f"{key}={value}": {} for key, value in parameters.items()}}


ALGORITHMS: Mapping[str, Mapping[str, tuple[Leaf, ...]]] = {
    "allgather": {
        "bruck": (_leaf("Allgather_intra_brucks"),),
        "recursive_doubling": (_leaf("Allgather_intra_recursive_doubling"),),
        "ring": (_leaf("Allgather_intra_ring"),),
    },
    "allgatherv": {
        "bruck": (_leaf("Allgatherv_intra_brucks"),),
        "recursive_doubling": (_leaf("Allgatherv_intra_recursive_doubling"),),
        "ring": (_leaf("Allgatherv_intra_ring"),),
    },
    "allreduce": {
        "rabenseifner": (_leaf("Allreduce_intra_reduce_scatter_allgather"),),
        "recursive_doubling": (_leaf("Allreduce_intra_recursive_doubling"),),
        "ring": (_leaf("Allreduce_intra_ring"),),  # from 5.0 on
    },
    "alltoall": {
        "bruck": (_leaf("Alltoall_intra_brucks"),),
        "pairwise": (_leaf("Alltoall_intra_pairwise"),),
        "scattered": (_leaf("Alltoall_intra_scattered"),),
    },
    "alltoallv": {"scattered": (_leaf("Alltoallv_intra_scattered"),)},
    "alltoallw": {"scattered": (_leaf("Alltoallw_intra_scattered"),)},
    "barrier": {
        "dissemination": (
            _leaf("Barrier_intra_dissemination"),
            _leaf("Barrier_intra_k_dissemination", k=2),
        )
    },
    "bcast": {
        "binomial": (_leaf("Bcast_intra_binomial"),),
        "scatter_allgather(allgather=recursive_doubling)": (
            _leaf("Bcast_intra_scatter_recursive_doubling_allgather"),
        ),
        "scatter_allgather(allgather=ring)": (_leaf("Bcast_intra_scatter_ring_allgather"),),
    },
    "exscan": {"recursive_doubling": (_leaf("Exscan_intra_recursive_doubling"),)},
    "gather": {"binomial": (_leaf("Gather_intra_binomial"),)},
    "reduce": {
        "binomial": (_leaf("Reduce_intra_binomial"),),
        "rabenseifner": (_leaf("Reduce_intra_reduce_scatter_gather"),),
    },
    "reduce_scatter": {
        "pairwise": (_leaf("Reduce_scatter_intra_pairwise"),),
        "recursive_doubling": (_leaf("Reduce_scatter_intra_recursive_doubling"),),
        "recursive_halving": (_leaf("Reduce_scatter_intra_recursive_halving"),),
    },
    "reduce_scatter_block": {
        "pairwise": (_leaf("Reduce_scatter_block_intra_pairwise"),),
        "recursive_doubling": (_leaf("Reduce_scatter_block_intra_recursive_doubling"),),
        "recursive_halving": (_leaf("Reduce_scatter_block_intra_recursive_halving"),),
    },
    "scan": {"recursive_doubling": (_leaf("Scan_intra_recursive_doubling"),)},
    "scatter": {"binomial": (_leaf("Scatter_intra_binomial"),)},
}
# What MPICH calls the length that profiles mean, the whole message. Of other collectives it counts
# nothing, or what ranks do not share.
LENGTH = {
    **dict.fromkeys(("allreduce", "bcast", "reduce"), "avg_msg_size"),
    **dict.fromkeys(
        ("allgather", "allgatherv", "alltoall", "reduce_scatter", "reduce_scatter_block"),
        "total_msg_size",
    ),
}
# Here the other one is the length of a block, for profiles that say blocks.
OF_BLOCKS = {"alltoall": "avg_msg_size"}
# The key that must hold, and the one that leads to MPICH's own rules instead.
NOT_IN_PLACE = ("is_sendbuf_inplace=no", "is_sendbuf_inplace=yes")
COMMUTATIVE = ("is_commutative=yes", "is_commutative=no")
OF_MPI = ("is_op_built_in=yes", "is_op_built_in=no")
GUARDS = {
    **dict.fromkeys(("alltoall", "alltoallv", "alltoallw"), (NOT_IN_PLACE,)),
    **dict.fromkeys(("allreduce", "reduce"), (OF_MPI, COMMUTATIVE)),
    **dict.fromkeys(("reduce_scatter", "reduce_scatter_block"), (COMMUTATIVE,)),
}
# Algorithms that MPICH has for a power of two only, and for at least as many elements as ranks.
POWER_OF_TWO = frozenset(
    {
        "MPIR_Allgather_intra_recursive_doubling",
        "MPIR_Allgatherv_intra_recursive_doubling",
        "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
    }
)
MANY_ELEMENTS = frozenset(
    {
        "MPIR_Allreduce_intra_reduce_scatter_allgather",
        "MPIR_Allreduce_intra_ring",
        "MPIR_Reduce_intra_reduce_scatter_gather",
    }
)
MOST_LENGTH = 2**31 - 1  # MPICH reads numbers as int
PAGE = 4096
# Conditions that MPICH decides when a communicator is made, as far as no others are above them.
PRUNED = ("comm_type", "comm_size", "comm_hierarchy", "is_node_consecutive")


class NoTree(ValueError):
    """Why a library has no rules that could be changed."""


@dataclass(frozen=True)
class Library:
    """What an MPICH has in itself."""

    tree: Tree
    algorithms: frozenset[str]  # those that it can read in a file


def read_library(path: Path) -> Library:
    """Reads the file of an MPICH's libmpi. Raises NoTree."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NoTree(f"cannot read {path}: {error.strerror}") from None
    names = frozenset(name.decode() for name in re.findall(rb"algorithm=(MPIR_\w+)", content))
    for text in re.findall(rb'\{"collective=[^\0]*', content):
        try:
            tree = json.loads(text)
        except ValueError:
            continue
        if isinstance(tree, dict) and any(_leaves(tree, "algorithm=MPIR_")):
            _check_form(path, tree)
            return Library(tree, names)
    raise NoTree(
        f"{path} has no selection rules of MPICH in it: name the libmpi.so.12 or libmpich.so.12 "
        "of an MPICH from 4.0 on"
    )


def _leaves(tree: Tree, beginning: str) -> Iterator[str]:
    for key, below in tree.items():
        if key.startswith(beginning):
            yield key
        else:
            yield from _leaves(below, beginning)


def _check_form(path: Path, tree: Tree) -> None:
    """Raises NoTree if it has conditions that are not known here."""
    for key, below in tree.items():
        if key.startswith("algorithm="):
            return
        try:
            _holds(key, Call("", 2, 0))
        except NoTree as reason:
            raise NoTree(f"{path}: {reason}") from None
        _check_form(path, below)


@dataclass(frozen=True)
class Call:
    """What MPICH's conditions ask about a call. `nbytes`: of the whole message, as in profiles."""

    collective: str
    ranks: int
    nbytes: int
    count: int = MOST_LENGTH
    commutative: bool = True
    of_mpi: bool = True  # the operation
    in_place: bool = False
    one_block: bool = True  # all blocks have one length
    parent: bool = False  # several nodes, several ranks on one
    consecutive: bool = False  # ranks of a node are neighbours


def _largest_power(ranks: int) -> int:
    return 1 << (ranks.bit_length() - 1)


def _holds(key: str, call: Call, *, loose: bool = False) -> bool:
    """Whether MPICH takes a condition for true. `loose`: comm_size<N is read as <=N there."""
    if key.endswith("=any"):
        return True
    if key.startswith("collective="):
        return key == f"collective={call.collective}"
    block = max(1, call.ranks) if call.collective == "alltoall" else 1
    values: dict[str, bool | str] = {
        "comm_type": "intra",
        "comm_hierarchy": "parent" if call.parent else "flat",
        "is_commutative": call.commutative,
        "is_op_built_in": call.of_mpi,
        "is_sendbuf_inplace": call.in_place,
        "is_block_regular": call.one_block,
        "is_node_consecutive": call.consecutive,
    }
    name, equal, value = key.partition("=")
    if name in values and equal:
        known = values[name]
        return value == known if isinstance(known, str) else (value == "yes") == known
    if key == "comm_size=pow2":
        return call.ranks == _largest_power(call.ranks)
    if key == "count<pow2":
        return call.count < _largest_power(call.ranks)
    numbers = {
        "comm_size": call.ranks,
        "avg_msg_size": call.nbytes // block,
        "total_msg_size": call.nbytes,
    }
    match = re.fullmatch(r"(\w+)(<=?)(\d+)", key)
    if match is None or match[1] not in numbers:
        raise NoTree(f"its rules have the condition '{key}', which is not known here")
    least_false = int(match[3]) + (match[2] == "<=" or (loose and match[1] == "comm_size"))
    return numbers[match[1]] < least_false


def chosen(tree: Tree, call: Call) -> str | None:
    """The algorithm that MPICH takes, e.g. "MPIR_Bcast_intra_binomial"; None: none, it ends."""
    searching = False
    while True:
        for key, below in tree.items():
            if key.startswith("algorithm="):
                return key.partition("=")[2]
            # MPICH decides the first conditions when a communicator is made.
            searching = searching or not key.startswith((*PRUNED, "collective="))
            if _holds(key, call, loose=searching):
                tree = below
                break
        else:
            return None


def _size_below(key: str) -> int | None:
    """Of a condition comm_size<N or <=N, the first number of ranks for which it is false."""
    match = re.fullmatch(r"comm_size(<=?)(\d+)", key)
    return None if match is None else int(match[2]) + (match[1] == "<=")


def _for_sizes(tree: Tree, least: int) -> Tree:
    """A tree of MPICH's own, to stand below conditions on calls.

    It is for communicators of `least` ranks up to the next number at which it decides otherwise.
    What MPICH would have compared with numbers of ranks before is gone; see the third trap.
    """
    found: Tree = {}
    for key, below in tree.items():
        border = _size_below(key)
        if border is not None and least >= border:
            continue
        if border is not None:
            key = "comm_size=any"
        found[key] = _for_sizes(below, least) if key.startswith(PRUNED) else below
        if border is not None:
            break
    return found


def _borders(tree: Tree) -> Iterator[int]:
    """The numbers of ranks from which on MPICH's own tree decides otherwise."""
    for key, below in tree.items():
        border = _size_below(key)
        if border is not None:
            yield border
        if key.startswith(PRUNED):
            yield from _borders(below)


Lengths = tuple[tuple[int, str], ...]  # from so many bytes on: an algorithm as profiles spell it


@dataclass
class Export:
    """A tree, the collectives in it that follow the profile, and what MPICH cannot do."""

    tree: Tree
    collectives: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


class _Writer:
    """The branch of one collective."""

    def __init__(self, library: Library, collective: str, length: str | None) -> None:
        self.library = library
        self.collective = collective
        self.length = length  # the key, None if there are no lengths
        own = library.tree[f"collective={collective}"]
        self.own: Tree = own.get("comm_type=intra", own)

    def leaf(self, algorithm: str) -> Leaf | None:
        """That of this MPICH, or None."""
        for leaf in ALGORITHMS[self.collective].get(spelled(algorithm), ()):
            if all(key.partition("=")[2] in self.library.algorithms for key in leaf):
                return leaf
        return None

    def rules(self, ranks: int, lengths: Lengths, lacking: Lacking) -> Lengths:
        """Only what this MPICH can follow; "" is its own choice."""
        kept: list[tuple[int, str]] = []
        for least, algorithm in lengths:
            known = "" if algorithm == "native" or self.leaf(algorithm) is None else algorithm
            if known != algorithm and algorithm != "native":
                lacking.note(algorithm, ranks, least, "MPICH has no such algorithm")
            if self.length == OF_BLOCKS.get(self.collective):
                least = -(-least // ranks)
            if kept and kept[-1][0] == least:
                kept.pop()
            if least <= MOST_LENGTH and (not kept or kept[-1][1] != known):
                kept.append((least, known))
        if self.length is not None or len(kept) == 1:
            return tuple(kept)
        for least, algorithm in kept:
            if algorithm:
                lacking.note(
                    algorithm, ranks, least, "MPICH's rules cannot depend on the length here"
                )
        return ((0, ""),)

    def sizes(self, lengths: Mapping[int, Lengths]) -> tuple[dict[int, Lengths], Lacking]:
        """The rules from so many ranks on, the first from 1 on; and what is left out."""
        lacking = Lacking()
        sizes: dict[int, Lengths] = {}
        last: Lengths = ()
        for ranks, its in lengths.items():
            rules = self.rules(ranks, its, lacking)
            if rules != last:
                sizes[ranks if sizes else 1] = last = rules
        return sizes, lacking

    def run(self, algorithm: str, own: Tree) -> Tree:
        """The algorithm wherever it can do the call, else what MPICH does itself."""
        leaf = self.leaf(algorithm)
        if leaf is None:
            return own
        tree: Tree = {key: dict(below) for key, below in leaf.items()}
        (name,) = (key.partition("=")[2] for key in leaf)
        if name in MANY_ELEMENTS:
            tree = {"count<pow2": own, "count=any": tree}
        if name in POWER_OF_TWO:
            tree = {"comm_size=pow2": tree, "comm_size=any": own}
        for holds, fails in reversed(GUARDS.get(self.collective, ())):
            tree = {holds: tree, fails: own}
        return tree

    def branch(self, lengths: Lengths, least: int) -> Tree:
        if all(not algorithm for _, algorithm in lengths):
            return self.own
        own = _for_sizes(self.own, least)
        if len(lengths) == 1:
            return self.run(lengths[0][1], own)
        ends = [f"<{end}" for end, _ in lengths[1:]] + ["=any"]
        return {
            f"{self.length}{end}": self.run(algorithm, own)
            for end, (_, algorithm) in zip(ends, lengths)
        }

    def tree(self, sizes: Mapping[int, Lengths]) -> Tree:
        """`sizes`: from so many ranks on, the first 1."""
        intra: Tree = {}
        starts = sorted({*sizes, *_borders(self.own)})
        for least, after in zip(starts, [*starts[1:], 0]):
            lengths = sizes[max(first for first in sizes if first <= least)]
            key = f"comm_size<={after - 1}" if after else "comm_size=any"
            intra[key] = self.branch(lengths, least)
        every: Tree = self.library.tree[f"collective={self.collective}"]
        rest = every if "comm_type=intra" in every else {"comm_type=inter": every}
        return {**rest, "comm_type=intra": intra}


def export(name: str, *, library: Path, most_ranks: int, ranks_per_node: int) -> Export:
    """MPICH's tree with the rules of a profile; beyond most_ranks ranks, those of most_ranks hold.

    Only operations of MPI's own that commute follow the profile. Raises ValueError, as load_profile
    does, and NoTree.
    """
    used = {rule["collective"] for rule in _core.profile(name)["rules"]}
    mpich = read_library(library)
    found = Export(dict(mpich.tree))
    for collective in sorted(used):
        if f"collective={collective}" not in mpich.tree or collective not in ALGORITHMS:
            found.left_out.append(f"{collective}: MPICH has one algorithm for it")
            continue
        lengths = {
            ranks: tuple(_core.profile_at(name, collective, ranks, ranks_per_node))
            for ranks in range(2, most_ranks + 1)
        }
        writer = _Writer(mpich, collective, LENGTH.get(collective))
        sizes, lacking = writer.sizes(lengths)
        if collective in OF_BLOCKS:
            other = _Writer(mpich, collective, OF_BLOCKS[collective])
            of_blocks, _ = other.sizes(lengths)
            if len(of_blocks) < len(sizes):
                writer, sizes = other, of_blocks
        found.left_out += lacking.sentences(collective)
        if any(algorithm for lengths in sizes.values() for _, algorithm in lengths):
            found.tree[f"collective={collective}"] = writer.tree(sizes)
            found.collectives.append(collective)
    return found


def text(tree: Tree) -> str:
    """What goes into a file.

    MPICH maps it and reads it as a string, which needs an end: it never has whole pages.
    """
    written = json.dumps(tree, separators=(",", ":")) + "\n"
    return written if len(written) % PAGE else written + "\n"
