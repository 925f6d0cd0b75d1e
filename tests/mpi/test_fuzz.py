# SPDX-License-Identifier: Apache-2.0
"""A short run of the fuzzer; `make fuzz` makes long ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fuzzing import Campaign, fuzz, passed
from launching import HERE, Mpi, run
from specs import catalogue_of


@pytest.fixture
def campaign(mpi: Mpi, roundelay: str, tmp_path: Path) -> Campaign:
    return Campaign(mpi, catalogue_of(roundelay), tmp_path)


def test_fuzz(campaign: Campaign, long: bool) -> None:
    cases, failed = fuzz(campaign, 1, 100_000 if long else 4_000)
    assert not failed
    assert cases >= 4_000


def test_a_seed_is_the_same_again(campaign: Campaign) -> None:
    drawn = [campaign.run(2, cases=50, verbose=True).ok() for _ in range(2)]
    assert drawn[0].stderr.count("case ") > 5
    assert drawn[0].stderr == drawn[1].stderr


def test_fuzz_notices(campaign: Campaign, tmp_path: Path) -> None:
    saboteur = tmp_path / "saboteur.so"
    source = HERE / "support" / "saboteur.c"
    mpi = campaign.mpi
    run([mpi.mpicc, "-shared", "-fPIC", source, "-o", saboteur], env=mpi.root_env).ok()
    sabotaged = replace(
        campaign,
        mpi=replace(mpi, library=saboteur, sanitizer_env={"SABOTAGE": "data"}),
        # What every MPI does right by itself.
        catalogue=[entry for entry in campaign.catalogue if entry["collective"] == "bcast"],
    )
    outcome = sabotaged.run(1, cases=200)
    assert passed(outcome) is None
    noticed = [line for line in outcome.stderr.splitlines() if line.startswith("FAILED")]
    assert any(" between " in line for line in noticed), outcome.text  # on intercommunicators, too
    only = sabotaged.smallest(1, outcome)
    assert "." in only, outcome.text  # one case
    assert f"case {only.partition('.')[0]}:" in sabotaged.run(1, only=only, verbose=True).stderr
    assert passed(sabotaged.run(1, only=only, preload=False)) is not None
