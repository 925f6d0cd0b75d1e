# SPDX-License-Identifier: Apache-2.0
"""How MPICH's own tests are found and chosen. `make mpich-suite` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from mpich_suite import Case, cases, main

TESTLIST = """\
# a comment
allred 4 arg=-count=10
bcast 7 env=MPIR_CVAR_BCAST=tree timeLimit=30  # as long as that
coll_large 2 mem=4.1
broken 2 xfail=ticket
aborts 2 resultTest=TestErrFatal
folder
#gather_big 8
"""


def test_a_testlist_is_read() -> None:
    assert list(cases("coll", TESTLIST)) == [
        Case("coll", "allred", 4, ("-count=10",)),
        Case("coll", "bcast", 7, (), (("MPIR_CVAR_BCAST", "tree"),)),
    ]
    assert not list(cases("errors/coll", "bcastlength 4"))
    assert str(Case("coll", "bcast", 7, ("-x",), (("A", "1"),))) == "coll/bcast -x A=1"


def test_another_folder_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [str(tmp_path)])
    assert result.exit_code == 2
    assert "is not MPICH's source: it has no test/mpi/configure" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--mpi", "none"], "there is no MPI none; there are "),
        (["--only", "coll/("], "--only coll/( is no regular expression: "),
    ],
)
def test_wrong_choices_are_refused(words: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "test" / "mpi").mkdir(parents=True)
    (tmp_path / "test" / "mpi" / "configure").touch()
    result = CliRunner().invoke(main, [str(tmp_path), *words])
    assert result.exit_code == 2
    assert message in result.output
