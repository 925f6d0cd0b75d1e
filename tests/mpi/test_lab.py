# SPDX-License-Identifier: Apache-2.0
"""`roundelay lab` with each MPI, and the benchmark that is made for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launching import Mpi, run
from roundelay.cannot_run import CannotRun
from roundelay.lab.needs import check

NODES = 3
COLLECTIVES = (
    "bcast", "reduce", "allreduce", "reduce_scatter_block", "reduce_scatter", "scan", "exscan",
    "allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv", "alltoall", "alltoallv",
    "alltoallw", "barrier",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _allowed() -> None:
    try:
        check(wan=False)
    except CannotRun as reason:
        pytest.skip(str(reason))


@pytest.fixture
def collectives(mpi: Mpi) -> Path:
    return mpi.library.with_name(f"collectives-{mpi.id}")


def in_lab(mpi: Mpi, *options: str, nodes: int = NODES) -> list[str]:
    return ["lab", "--nodes", str(nodes), "--mpiexec", mpi.mpiexec, *options, "--"]


def refused(roundelay: str, mpi: Mpi, program: Path) -> bool:
    """Whether this MPI is refused, which is so for MPICH 4 only."""
    if mpi.id != "mpich12":
        return False
    outcome = run([roundelay, *in_lab(mpi), program])
    assert outcome.returncode == 1, outcome.text
    assert "hangs in its own MPI_Finalize" in outcome.stderr
    return True


def test_natively_and_through_roundelay(roundelay: str, mpi: Mpi, collectives: Path) -> None:
    if refused(roundelay, mpi, collectives):
        return
    what = [
        f"{collective}:{'0' if collective == 'barrier' else '12K'}" for collective in COLLECTIVES
    ]
    native = run([roundelay, *in_lab(mpi), collectives, "-k", "1", "-r", "1e8", *what]).ok()
    found = json.loads(native.stdout)
    assert found["ranks"] == NODES
    assert [result["collective"] for result in found["results"]] == list(COLLECTIVES)
    assert all(result["ran"] == "" for result in found["results"])

    settings = ["-s", "native", "-s", "chosen", "-s", "bcast=binomial"]
    ours = run([roundelay, *in_lab(mpi, "--preload"), collectives, *settings, "bcast:12K"]).ok()
    ran = [result["ran"] for result in json.loads(ours.stdout)["results"]]
    assert ran[0].startswith("bcast.native: forced")
    assert ran[1].startswith("bcast.")
    assert ran[2].startswith("bcast.binomial: forced")
    assert f"{NODES} ranks" in ours.stderr
    assert "waiting: sleep" in ours.stderr


def test_the_exit_code_is_the_programs(roundelay: str, mpi: Mpi, collectives: Path) -> None:
    if refused(roundelay, mpi, collectives):
        return
    outcome = run([roundelay, *in_lab(mpi), collectives, "nonesuch:1M"])
    assert outcome.returncode == 2, outcome.text
    assert "there is no collective nonesuch" in outcome.stderr


def test_the_model_chooses_between_groups(roundelay: str, mpi: Mpi, collectives: Path) -> None:
    if refused(roundelay, mpi, collectives):
        return
    lab = in_lab(mpi, "--preload", "--report", "off", nodes=6)
    options = ["-k", "1", "-r", "1e8", "-g", "3", "-s", "native", "-s", "chosen"]
    cells = ["allgather/between:1M", "allreduce/between:1M"]
    found = json.loads(run([roundelay, *lab, collectives, *options, *cells]).ok().stdout)
    ran = [result["ran"] for result in found["results"]]
    assert ran[0] == "allgather.native: forced"
    assert ran[1].startswith("allgather.inter_full")
    assert ran[1].endswith("model: cheapest")
    assert ran[2] == "allreduce.native: forced"
    assert ran[3].endswith("model: cheapest")
    assert all(result["busiest"] > 0 for result in found["results"])


def need_wan(mpi: Mpi) -> None:
    if mpi.id == "mpich12":
        pytest.skip("the lab refuses MPICH 4")
    try:
        check(wan=True)
    except CannotRun as reason:
        pytest.skip(str(reason))


def test_between_sites_the_model_knows_the_way(roundelay: str, mpi: Mpi, collectives: Path) -> None:
    need_wan(mpi)
    lab = ["lab", "--sites", "2+2", "--wan-delay", "5ms", "--mpiexec", mpi.mpiexec]
    lab += ["--preload", "--report", "off", "--"]
    options = ["-k", "1", "-r", "1e8", "-s", "native", "-s", "chosen"]
    cells = ["allgather:1M", "allreduce:1M", "bcast:1M", "reduce_scatter_block:1M", "gather:1M"]
    found = json.loads(run([roundelay, *lab, collectives, *options, *cells]).ok().stdout)
    *chosen, gather = [result["ran"] for result in found["results"][1::2]]
    assert all(ran.endswith("model: cheapest between sites") for ran in chosen), chosen
    assert not any(".native" in ran for ran in chosen)
    assert gather == "gather.native: model: several sites"


def test_sites_are_found_by_their_latencies(roundelay: str, mpi: Mpi) -> None:
    need_wan(mpi)
    sites = ["--sites", "2+1", "--wan-delay", "5ms", "--mpiexec", mpi.mpiexec]
    doctor = [roundelay, "doctor", "--topology", "--json", "--mpi", mpi.id]
    found = json.loads(run([*doctor, "--", roundelay, "lab", *sites, "--"]).ok().stdout)
    assert [len(site) for site in found["divided"]] == [2, 1]
    assert found["between"] >= 5e-3
    first, second, third = found["hosts"]
    assert found["sites"] == f"site1: {first} {second}; site2: {third}"
