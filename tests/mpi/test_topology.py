# SPDX-License-Identifier: Apache-2.0
"""`roundelay doctor --topology` with each MPI."""

from __future__ import annotations

import json
import socket

import pytest
from launching import Mpi, run


@pytest.mark.parametrize("ranks", [1, 2, 5, 6])
def test_every_pair_is_measured(roundelay: str, mpi: Mpi, ranks: int) -> None:
    command = [mpi.mpiexec, *mpi.oversubscribe_args, "-n", str(ranks)]
    options = ["--topology", "--json", "--mpi", mpi.id]
    outcome = run([roundelay, "doctor", *options, "--", *command], env=mpi.root_env).ok()
    found = json.loads(outcome.stdout)
    assert found["hosts"] == [socket.gethostname()] * ranks
    matrix = found["latencies"]
    assert [len(row) for row in matrix] == [ranks] * ranks
    for i, row in enumerate(matrix):
        for j, seconds in enumerate(row):
            assert seconds == matrix[j][i]
            assert (seconds > 0) == (i != j)
