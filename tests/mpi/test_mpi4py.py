# SPDX-License-Identifier: Apache-2.0
"""mpi4py's own tests of collectives, through the library as it chooses by default."""

from __future__ import annotations

import os
import re
import tarfile
from pathlib import Path

import pytest
from launching import TOP, Mpi, launch, run


def sources(python: str) -> Path:
    """Where mpi4py's tests are, of the version that this interpreter has."""
    version = run([python, "-c", "import mpi4py; print(mpi4py.__version__)"]).ok().stdout.strip()
    folder = TOP / "build" / "mpi4py"
    unpacked = folder / f"mpi4py-{version}"
    if not unpacked.exists():
        download = [python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        download += ["--no-deps", "--no-binary", "mpi4py", "--dest", str(folder)]
        run([*download, f"mpi4py=={version}"]).ok()
        with tarfile.open(folder / f"mpi4py-{version}.tar.gz") as archive:
            archive.extractall(folder)
    return unpacked


@pytest.mark.parametrize("ranks", [2, 3])
def test_mpi4py(mpi: Mpi, ranks: int, tmp_path: Path, long: bool) -> None:
    if mpi.python is None:
        pytest.skip("there is no interpreter with mpi4py for this MPI")
    if mpi.flavour == "mpich" and ranks > len(os.sched_getaffinity(0)) and not long:
        pytest.skip("MPICH takes more than ten minutes where ranks outnumber cores: --long")
    command = [mpi.python, "test/main.py", "-q", "-f", "-i", "test_cco"]
    outcome = launch(
        mpi,
        ranks,
        command,
        env=mpi.env,
        report=tmp_path / "report",
        cwd=sources(mpi.python),
        timeout=3600,  # MPICH without enough cores waits long in collectives that are not ours
    ).ok()
    ran = [int(number) for number in re.findall(r"^Ran (\d+) tests", outcome.stderr, re.MULTILINE)]
    assert ran == [526] * ranks, outcome.text
    assert len(re.findall(r"^OK", outcome.stderr, re.MULTILINE)) == ranks, outcome.text
    assert all(
        outcome.calls[name] > 100 for name in ("allgather", "allreduce", "bcast", "reduce")
    ), outcome.text
    assert outcome.calls["barrier"] > 0, outcome.text
