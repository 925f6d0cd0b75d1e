# SPDX-License-Identifier: Apache-2.0
"""What the library adds to a call that it leaves to the MPI: a count, so it may be asserted."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from launching import TOP, read_mpis, run


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not here")
def test_instructions_added_by_native() -> None:
    script = TOP / "bench" / "interpose" / "interpose.py"
    lines = run([sys.executable, script, "instructions", "--json"]).ok().stdout.splitlines()
    found = {row["mpi"]: row for row in map(json.loads, lines)}
    assert set(found) == {mpi.id for mpi in read_mpis()}
    for row in found.values():
        assert 0 < row["one_rank"] <= row["limit"], found
        assert 0 < row["two_ranks"] <= row["two_ranks_limit"], found


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not here")
def test_instructions_of_a_persistent_start() -> None:
    """With its wait fewer than those of the call that waits, through shared memory.

    Of the root of a broadcast, which waits for nobody whatever else the machine does.
    """
    script = TOP / "bench" / "interpose" / "interpose.py"
    lines = run([sys.executable, script, "start", "--json"]).ok().stdout.splitlines()
    for row in map(json.loads, lines):
        if row["mpi"] != "mpich12":  # where they stay native
            once = row["bcast_memory_start"] + row["bcast_memory_wait"]
            assert 0 < once < row["bcast_memory_blocking"], row
