# SPDX-License-Identifier: Apache-2.0
"""mpi4py's own tests of collectives, through the library as it chooses and with each algorithm."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest
from launching import COLLECTIVES, NEIGHBOURHOOD, TOP, Mpi, Outcome, launch, run
from specs import catalogue_of, turns
from test_nonblocking import FORCED

ALL = "test_cco"
BLOCKING = "test_cco_(buf|vec|obj)"
BETWEEN = "test_cco_(buf|vec)_inter"
AMONG_NEIGHBOURS = "test_cco_ngh"
PERSISTENT = "test_cco_pr"
TESTS = {ALL: 526, BLOCKING: 226, BETWEEN: 28, AMONG_NEIGHBOURS: 24, PERSISTENT: 144}
TURNS = 12
TURNS_AMONG_NEIGHBOURS = 2
MANY = [pytest.param(ranks, marks=pytest.mark.long) for ranks in (4, 5)]


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


def check_mpi4py(mpi: Mpi, ranks: int, modules: str, env: dict[str, str], folder: Path) -> Outcome:
    """Runs the tests of these modules; the number that ran is on every rank the same."""
    assert mpi.python is not None
    said = folder / "said"
    said.mkdir()
    # Each rank writes to a file of its own: on one terminal their words run into one another.
    in_files = ["sh", "-c", 'exec 2>"$(mktemp "$0/XXXXXX")"; exec "$@"', said]
    outcome = launch(
        mpi,
        ranks,
        [*in_files, mpi.python, "test/main.py", "-q", "-f", "-i", modules],
        env={**mpi.env, **env},
        report=folder / "report",
        cwd=sources(mpi.python),
        timeout=3600,
    )
    texts = [path.read_text() for path in said.iterdir()]
    passed = [re.findall(r"^Ran (\d+) tests.*\n\nOK\b", text, re.M) for text in texts]
    everything = "\n".join([outcome.text, *texts])
    assert outcome.returncode == 0, everything
    assert passed == [[str(TESTS[modules])]] * ranks, everything
    return outcome


@pytest.fixture(autouse=True)
def _has_mpi4py(mpi: Mpi) -> None:
    if mpi.python is None:
        pytest.skip("there is no interpreter with mpi4py for this MPI")


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.long), 2, 3, *MANY])
def test_mpi4py(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    outcome = check_mpi4py(mpi, ranks, ALL, {}, tmp_path)
    few = {"barrier": 0}
    assert all(outcome.calls[name] > few.get(name, 100) for name in COLLECTIVES), outcome.text


@pytest.mark.parametrize("ranks", [1, 2, 3, *MANY])
@pytest.mark.parametrize("turn", range(TURNS))
def test_mpi4py_forced(
    mpi: Mpi, ranks: int, turn: int, roundelay: str, tmp_path: Path, long: bool
) -> None:
    if not long and (turn, ranks) not in ((0, 2), (1, 3)):
        pytest.skip("takes long: only with --long")
    texts = turns(catalogue_of(roundelay))
    assert len(texts) == TURNS
    outcome = check_mpi4py(mpi, ranks, BLOCKING, {"ROUNDELAY": texts[turn]}, tmp_path)
    assert outcome.report is not None
    ran = {(row["collective"], row["algorithm"]) for row in outcome.report["calls"]}
    forced = [tuple(part.split("=")) for part in texts[turn].split("; ")]
    assert ranks == 1 or ran.issuperset(forced), outcome.text


@pytest.mark.parametrize("turn", range(TURNS_AMONG_NEIGHBOURS))
def test_mpi4py_among_neighbours(mpi: Mpi, turn: int, roundelay: str, tmp_path: Path) -> None:
    texts = turns(catalogue_of(roundelay), neighbours=True)
    assert len(texts) == TURNS_AMONG_NEIGHBOURS
    outcome = check_mpi4py(mpi, 2, AMONG_NEIGHBOURS, {"ROUNDELAY": texts[turn]}, tmp_path)
    assert outcome.report is not None
    ran = {(row["collective"], row["algorithm"]) for row in outcome.report["calls"]}
    forced = [tuple(part.split("=")) for part in texts[turn].split("; ")]
    assert ran.issuperset(forced), outcome.text


def test_mpi4py_among_neighbours_on_other_nodes(mpi: Mpi, tmp_path: Path) -> None:
    env = {
        "ROUNDELAY": "; ".join(f"{name}=aggregated" for name in NEIGHBOURHOOD),
        "ROUNDELAY_NODES": "1+1",
    }
    outcome = check_mpi4py(mpi, 2, AMONG_NEIGHBOURS, env, tmp_path)
    assert outcome.report is not None
    ran = {(row["collective"], row["algorithm"]) for row in outcome.report["calls"]}
    assert ran.issuperset((name, "aggregated") for name in NEIGHBOURHOOD), outcome.text


def test_mpi4py_persistent(mpi: Mpi, tmp_path: Path) -> None:
    """Also among neighbours. MPICH leaves them native: mpi4py asks for MPI_THREAD_MULTIPLE."""
    env = {"ROUNDELAY_NONBLOCKING": "on", "ROUNDELAY": FORCED}
    outcome = check_mpi4py(mpi, 2, PERSISTENT, env, tmp_path)
    assert outcome.report is not None
    ran = {row["algorithm"] for row in outcome.report["calls"] if "_init" in row["collective"]}
    assert (ran != {"native"}) == (mpi.flavour == "openmpi"), outcome.text
