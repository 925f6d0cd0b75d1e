# SPDX-License-Identifier: Apache-2.0
"""The recipes: rattler-build renders conda's; both ask for what pyproject.toml asks for."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import rattler_build
from launching import TOP

CONDA = TOP / "packaging" / "conda"
SPACK = TOP / "packaging" / "spack" / "package.py"


def asked_for(key: str) -> dict[str, str]:
    """The packages of a list of pyproject.toml, each with its least version."""
    (listed,) = re.findall(rf"^{key} = \[(.*)\]$", (TOP / "pyproject.toml").read_text(), re.M)
    return dict(re.findall(r'"([\w-]+)>=([\d.]+)"', listed))


def rendered() -> dict[str, Any]:
    recipe = rattler_build.Stage0Recipe.from_file(CONDA / "recipe.yaml")
    variants = rattler_build.VariantConfig.from_file(CONDA / "variants.yaml")
    recipes = [each.recipe.to_dict() for each in recipe.render(variants)]
    return {each["requirements"]["host"][-1]: each for each in recipes}


def test_conda_has_a_package_for_each_mpi() -> None:
    found = rendered()
    assert found.keys() == {"openmpi", "mpich"}
    assert len({each["build"]["string"] for each in found.values()}) == 2


def test_conda_asks_for_what_the_project_needs() -> None:
    for mpi, recipe in rendered().items():
        needs = recipe["requirements"]
        for part, key in (("host", "requires"), ("run", "dependencies")):
            least = dict(each.split(" >=") for each in needs[part] if " >=" in each)
            assert asked_for(key).items() <= least.items()
            assert mpi in needs[part]


class Spack(ModuleType):
    """Stands in for the module that a recipe imports: writes down what the recipe declares."""

    def __init__(self) -> None:
        super().__init__("spack.package")
        self.PythonPackage = object
        self.needs: dict[str, tuple[str, ...]] = {}
        self.versions: list[str] = []
        self.licenses: list[str] = []
        self.version = self.versions.append
        self.license = self.licenses.append
        self.depends_on = self.add

    def add(self, spec: str, type: str | tuple[str, ...]) -> None:  # noqa: A002
        self.needs[spec] = (type,) if isinstance(type, str) else type


@pytest.fixture
def spack(monkeypatch: pytest.MonkeyPatch) -> Spack:
    stand_in = Spack()
    monkeypatch.setitem(sys.modules, "spack", ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", stand_in)
    return stand_in


def test_spack_asks_for_what_the_project_needs(spack: Spack) -> None:
    """Not a run by Spack itself, which no registry has."""
    recipe = runpy.run_path(str(SPACK))["Roundelay"]
    assert len(spack.versions) == len(spack.licenses) == 1
    for key, when in (("requires", {"build"}), ("dependencies", {"build", "run"})):
        for name, least in asked_for(key).items():
            assert set(spack.needs[f"py-{name}@{least}:"]) == when
    assert set(spack.needs["mpi"]) == {"build", "link", "run"}
    mpi = {"mpi": SimpleNamespace(mpicc="/opt/bin/mpicc")}
    settings = recipe().config_settings(mpi, Path("/opt/roundelay"))
    assert settings == {"cmake.define.ROUNDELAY_MPI": "/opt/bin/mpicc"}
