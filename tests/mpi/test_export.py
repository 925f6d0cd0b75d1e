# SPDX-License-Identifier: Apache-2.0
"""MPICH itself with the rules of a profile, without Roundelay."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from launching import Mpi, launch
from roundelay.rule_files import mpich

RULES = {
    "allgather": [{"algorithm": "recursive_doubling", "bytes": [0, "1K"]}, {"algorithm": "ring"}],
    "allreduce": [{"algorithm": "rabenseifner"}],
    "alltoall": [{"algorithm": "bruck", "block_bytes": [0, 99]}, {"algorithm": "pairwise"}],
    "barrier": [{"algorithm": "dissemination"}],
    "bcast": [
        {"algorithm": "scatter_allgather(allgather=recursive_doubling)", "bytes": [0, "1K"]},
        {"algorithm": "scatter_allgather"},
    ],
    "reduce": [{"algorithm": "rabenseifner"}],
    "reduce_scatter": [{"algorithm": "recursive_doubling"}],
    "scan": [{"algorithm": "recursive_doubling"}],
}
FILE = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"


@pytest.fixture
def export(mpi: Mpi, tmp_path: Path) -> mpich.Export:
    if mpi.flavour != "mpich":
        pytest.skip("not MPICH")
    profile = tmp_path / "site.json"
    profile.write_text(json.dumps({"version": 1, "name": "site", "collectives": RULES}))
    library = Path(mpi.libdir) / mpi.soname
    return mpich.export(str(profile), library=library, most_ranks=64, ranks_per_node=1)


def test_there_is_an_algorithm_for_every_call(export: mpich.Export) -> None:
    assert export.collectives == sorted(RULES)
    assert not export.left_out
    flags = ("in_place", "commutative", "of_mpi", "one_block", "parent", "consecutive")
    for collective in RULES:
        for given in product((False, True), repeat=len(flags)):
            for ranks, nbytes in product((1, 2, 7, 8, 64, 65), (0, 8, 1024, 1025, 1 << 20)):
                call = mpich.Call(collective, ranks, nbytes, nbytes // 8, **dict(zip(flags, given)))
                assert mpich.chosen(export.tree, call) is not None, call


@pytest.mark.parametrize("ranks", [3, 4])
def test_mpich_follows_it(
    mpi: Mpi, program: Callable[[str], Path], export: mpich.Export, tmp_path: Path, ranks: int
) -> None:
    """All results are right; and a file that MPICH cannot read ends the program, so it was read."""
    rules = tmp_path / "rules.json"
    rules.write_text(mpich.text(export.tree))
    env = {FILE: str(rules), "MPIR_CVAR_DEVICE_COLLECTIVES": "none"}
    command = [program("traps/collectives.c"), 1]
    for count in (3, 1000):
        launch(mpi, ranks, [*command, count], preload=False, env=env).ok()
    rules.write_text(mpich.text(export.tree).replace("Bcast_intra_scatter_ring", "Bcast_none"))
    assert launch(mpi, ranks, command, preload=False, env=env).returncode != 0
