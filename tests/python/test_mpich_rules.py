# SPDX-License-Identifier: Apache-2.0
"""Profiles as rules of MPICH: what the file makes MPICH choose is what the profile says."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli
from roundelay import _core
from roundelay.rule_files import mpich

ALGORITHM = "algorithm=MPIR_"
# Like MPICH's own, but shorter: a number of ranks above and below conditions on the call, and a
# collective without kinds of communicators.
OWN: dict[str, Any] = {
    "collective=bcast": {
        "comm_type=intra": {
            "comm_size<8": {f"{ALGORITHM}Bcast_intra_binomial": {}},
            "comm_size=pow2": {
                "comm_hierarchy=parent": {f"{ALGORITHM}Bcast_intra_smp": {}},
                "comm_hierarchy=any": {f"{ALGORITHM}Bcast_intra_binomial": {}},
            },
            "comm_size=any": {
                "avg_msg_size<=12288": {f"{ALGORITHM}Bcast_intra_binomial": {}},
                "avg_msg_size=any": {f"{ALGORITHM}Bcast_intra_scatter_ring_allgather": {}},
            },
        },
        "comm_type=inter": {f"{ALGORITHM}Bcast_inter_remote_send_local_bcast": {}},
    },
    "collective=allreduce": {
        "comm_type=intra": {
            "is_op_built_in=yes": {
                "count<pow2": {f"{ALGORITHM}Allreduce_intra_recursive_doubling": {}},
                "count=any": {f"{ALGORITHM}Allreduce_intra_reduce_scatter_allgather": {}},
            },
            "is_op_built_in=no": {f"{ALGORITHM}Allreduce_intra_recursive_doubling": {}},
        }
    },
    "collective=allgather": {
        "comm_type=intra": {
            "comm_size=pow2": {f"{ALGORITHM}Allgather_intra_recursive_doubling": {}},
            "comm_size=any": {f"{ALGORITHM}Allgather_intra_brucks": {}},
        }
    },
    "collective=alltoall": {
        "comm_type=intra": {
            "is_sendbuf_inplace=yes": {f"{ALGORITHM}Alltoall_intra_pairwise_sendrecv_replace": {}},
            "is_sendbuf_inplace=no": {
                "comm_size<8": {f"{ALGORITHM}Alltoall_intra_scattered": {}},
                "comm_size=any": {f"{ALGORITHM}Alltoall_intra_brucks": {}},
            },
        }
    },
    "collective=barrier": {
        "comm_type=intra": {f"{ALGORITHM}Barrier_intra_k_dissemination": {"k=2": {}}}
    },
    "collective=exscan": {f"{ALGORITHM}Exscan_intra_recursive_doubling": {}},
    "collective=ibcast": {f"{ALGORITHM}Ibcast_intra_sched_smp": {}},
}
MORE = ("Alltoall_intra_pairwise", "Allgather_intra_ring")
RULES: dict[str, Any] = {
    "allgather": [
        {"algorithm": "recursive_doubling", "bytes": [0, "64K"]},
        {"algorithm": "ring", "ranks": [3, 20]},
    ],
    "allreduce": [
        {"algorithm": "recursive_doubling", "bytes": [0, "16K"]},
        {"algorithm": "rabenseifner", "ranks": [2, 7]},
        {"algorithm": "ring"},
    ],
    "alltoall": [{"algorithm": "bruck", "block_bytes": [0, 999]}, {"algorithm": "pairwise"}],
    "barrier": [{"algorithm": "dissemination"}],
    "bcast": [
        {"algorithm": "binomial", "bytes": [0, 8191]},
        {"algorithm": "scatter_allgather", "ranks": [6, 40]},
    ],
    "exscan": [{"algorithm": "recursive_doubling", "bytes": [0, 99]}],
}
RANKS = (1, 2, 3, 6, 7, 8, 9, 16, 20, 21, 64, 100)
LENGTHS = (0, 1, 8191, 8192, 16384, 16385, 65536, 1 << 20, 1 << 30)


def library(folder: Path, tree: dict[str, Any] = OWN) -> Path:
    """A file in which a tree and names of algorithms are, as in a libmpi."""
    path = folder / "libmpi.so.12"
    names = "\0".join(ALGORITHM + name for name in MORE)
    path.write_bytes(b"\x7fELF\0" + json.dumps(tree).encode() + b"\0" + names.encode() + b"\0")
    return path


@pytest.fixture
def profile(tmp_path: Path) -> str:
    path = tmp_path / "site.json"
    path.write_text(json.dumps({"version": 1, "name": "site", "collectives": RULES}))
    return str(path)


@cache
def at(profile: str, collective: str, ranks: int) -> list[tuple[int, str]]:
    return _core.profile_at(profile, collective, ranks, 1)


def can(algorithm: str, call: mpich.Call) -> bool:
    """What MPICH's coll_algorithms.txt says of these algorithms."""
    pow2 = call.ranks & (call.ranks - 1) == 0
    if algorithm == "MPIR_Allgather_intra_recursive_doubling":
        return pow2
    if "reduce_scatter_allgather" in algorithm:
        return call.of_mpi and call.count >= 1 << (call.ranks.bit_length() - 1)
    return "Alltoall" not in algorithm or not call.in_place


def wanted(profile: str, call: mpich.Call) -> str | None:
    """What the profile says, if MPICH can do it, else what MPICH does by itself."""
    known = {
        "allgather": {"recursive_doubling": "recursive_doubling", "ring": "ring"},
        "allreduce": {
            "recursive_doubling": "recursive_doubling",
            "rabenseifner": "reduce_scatter_allgather",
        },
        "alltoall": {"bruck": "brucks", "pairwise": "pairwise"},
        "barrier": {"dissemination": "k_dissemination"},
        "bcast": {"binomial": "binomial", "scatter_allgather": "scatter_ring_allgather"},
    }
    ours = ""
    for least, one in at(profile, call.collective, max(call.ranks, 2)):
        ours = one if least <= call.nbytes else ours
    theirs = known.get(call.collective, {}).get(ours)
    name = f"MPIR_{call.collective.capitalize()}_intra_{theirs}"
    reduces = call.collective == "allreduce"
    if theirs and can(name, call) and (not reduces or (call.commutative and call.of_mpi)):
        return name
    return mpich.chosen(OWN, call)


@pytest.mark.parametrize("collective", sorted(RULES))
def test_the_file_says_what_the_profile_says(profile: str, tmp_path: Path, collective: str) -> None:
    found = mpich.export(profile, library=library(tmp_path), most_ranks=64, ranks_per_node=1)
    tree = json.loads(mpich.text(found.tree))
    flags = product((False, True), repeat=4)
    for (in_place, commutative, of_mpi, parent), ranks in product(flags, RANKS):
        for nbytes, count in product(LENGTHS, (0, 5, 1 << 30)):
            if collective == "alltoall" and nbytes % ranks:
                continue
            call = mpich.Call(
                collective,
                ranks,
                nbytes,
                count=count,
                in_place=in_place,
                commutative=commutative,
                of_mpi=of_mpi,
                parent=parent,
            )
            assert mpich.chosen(tree, call) == wanted(profile, call), call


def test_the_rest_of_the_tree_is_mpichs_own(profile: str, tmp_path: Path) -> None:
    found = mpich.export(profile, library=library(tmp_path), most_ranks=64, ranks_per_node=1)
    assert found.tree.keys() == OWN.keys()
    for collective in ("exscan", "ibcast"):
        assert found.tree[f"collective={collective}"] == OWN[f"collective={collective}"]
    bcast = found.tree["collective=bcast"]
    assert bcast["comm_type=inter"] == OWN["collective=bcast"]["comm_type=inter"]
    assert found.collectives == ["allgather", "allreduce", "alltoall", "barrier", "bcast"]
    assert found.left_out == [
        "allreduce=ring, 8 to 64 ranks, from 16385 bytes on: "
        "MPICH has no such algorithm, its own rules stay",
        "exscan=recursive_doubling, 2 to 64 ranks, from 0 bytes on: "
        "MPICH's rules cannot depend on the length here, its own rules stay",
    ]


def test_only_algorithms_of_this_mpich_are_written(profile: str, tmp_path: Path) -> None:
    found = mpich.export(profile, library=library(tmp_path), most_ranks=64, ranks_per_node=1)
    names = mpich.read_library(library(tmp_path)).algorithms
    written = {key for key in json.dumps(found.tree).split('"') if key.startswith("algorithm=")}
    assert {key.partition("=")[2] for key in written} <= names


def test_blocks_of_alltoall_need_few_branches(profile: str, tmp_path: Path) -> None:
    found = mpich.export(profile, library=library(tmp_path), most_ranks=1024, ranks_per_node=1)
    assert list(found.tree["collective=alltoall"]["comm_type=intra"]) == ["comm_size=any"]


def test_a_file_never_has_whole_pages() -> None:
    for length in range(mpich.PAGE - 30, mpich.PAGE + 30):
        tree: mpich.Tree = {"collective=" + "x" * length: {}}
        assert len(mpich.text(tree)) % mpich.PAGE != 0
        assert json.loads(mpich.text(tree)) == tree


def test_the_command(cli: Cli, profile: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    words = ["profile", "export", profile, "--target", "mpich", "--library"]
    result = cli(*words, str(library(tmp_path)), "-o", str(rules))
    assert result.exit_code == 0, result.output
    assert "MPIR_CVAR_BCAST_DEVICE_COLLECTIVE=0" in result.stderr
    assert json.loads(rules.read_text()).keys() == OWN.keys()


def test_what_is_no_mpich_is_refused(cli: Cli, profile: str, tmp_path: Path) -> None:
    words = ["profile", "export", profile, "--target"]
    other = tmp_path / "libother.so"
    other.write_bytes(b"\x7fELF")
    result = cli(*words, "mpich", "--library", str(other))
    assert result.exit_code == 1
    assert f"{other} has no selection rules of MPICH in it: name the libmpi.so.12" in result.stderr
    changed: mpich.Tree = {
        "collective=bcast": {"moon=full": {f"{ALGORITHM}Bcast_intra_binomial": {}}}
    }
    result = cli(*words, "mpich", "--library", str(library(tmp_path, changed)))
    assert result.exit_code == 1
    assert "its rules have the condition 'moon=full', which is not known here" in result.stderr
    result = cli(*words, "openmpi@4.1", "--library", str(other))
    assert result.exit_code == 2
    assert "--library is for --target mpich" in result.stderr
    result = cli(*words, "mpich", "--library", str(library(tmp_path)), "--startup-bytes", "16384")
    assert "--startup-bytes is for Open MPI" in result.stderr
    result = cli(*words, "mpich", "--library", "/proc/self/mem")
    assert "cannot read /proc/self/mem: " in result.stderr


def test_without_an_mpich_the_library_must_be_named(
    cli: Cli, profile: str, one_build: Path
) -> None:
    result = cli("profile", "export", profile, "--target", "mpich")
    assert result.exit_code == 1
    assert "which MPICH? Name its library with --library: none is known" in result.stderr
