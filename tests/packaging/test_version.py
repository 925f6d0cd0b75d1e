# SPDX-License-Identifier: Apache-2.0
"""The version is in CMakeLists.txt; what repeats it must agree."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from launching import TOP, run

VERSION = TOP / "tools" / "version.py"
FILES = ["CITATION.cff", "packaging/conda/recipe.yaml", "packaging/spack/package.py"]


def test_all_files_agree() -> None:
    run([sys.executable, VERSION, "check"]).ok()


@pytest.mark.parametrize("file", FILES)
def test_another_version_is_noticed(file: str, tmp_path: Path) -> None:
    for each in ["CMakeLists.txt", "tools/version.py", *FILES]:
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / each, tmp_path / each)
    version = run([sys.executable, VERSION]).ok().stdout.strip()
    changed = tmp_path / file
    changed.write_text(changed.read_text().replace(version, "99.1"))
    outcome = run([sys.executable, tmp_path / "tools" / "version.py", "check"])
    assert outcome.returncode == 1
    assert outcome.stderr == f"{file} names version 99.1, but CMakeLists.txt {version}\n"


def test_a_tag_of_another_version_is_noticed() -> None:
    outcome = run([sys.executable, VERSION, "tag", "v99.1"])
    assert outcome.returncode == 1
    assert "the tag names version 99.1" in outcome.stderr
