# SPDX-License-Identifier: Apache-2.0
"""Which MPIs are at hand, and how each is used.

python3 tools/mpis.py wrappers    mpicc of each, as CMake's ROUNDELAY_MPI wants them
python3 tools/mpis.py missing     those of openmpi and mpich that are not among them
python3 tools/mpis.py describe    writes build/mpis.json from what is in build/release and prints it

build/mpis.json is a list of objects:
  id, flavour, version, soname    as in libroundelay-<id>.json
  libdir                          the folder of its libmpi
  library                         path of libroundelay-<id>.so
  mpicc, mpiexec, mpifort         paths that belong together; mpifort may be null
  python                          an interpreter with mpi4py and numpy, or null
  env                             what that interpreter needs in the environment for this MPI
  oversubscribe_args              arguments of mpiexec that allow more ranks than cores
  root_env                        what the launcher needs in the environment if root calls it
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
BUILD = TOP / "build"
FLAVOURS = ("openmpi", "mpich")
ROOT_ENV = {
    f"{name}_ALLOW_RUN_AS_ROOT{suffix}": "1"
    for name in ("OMPI", "PRTE")
    for suffix in ("", "_CONFIRM")
}


def flavour_of(mpicc: str) -> str:
    """Either openmpi or mpich."""
    source = "#include <mpi.h>\n#ifdef OMPI_MAJOR_VERSION\nopenmpi\n#else\nmpich\n#endif\n"
    command = [mpicc, "-E", "-P", "-x", "c", "-"]
    done = subprocess.run(command, input=source, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()[-1]


def wrappers() -> list[str]:
    """The mpicc of each MPI: all that the variable MPICC names, else the first of each flavour."""
    if "MPICC" in os.environ:
        return os.environ["MPICC"].split()
    names = ["mpicc", "mpicc.openmpi", "mpicc.mpich"]
    names += [str(TOP / f".venv-{flavour}" / "bin" / "mpicc") for flavour in FLAVOURS]
    first: dict[str, str] = {}
    for path in filter(None, map(shutil.which, names)):
        first.setdefault(flavour_of(path), path)
    return list(first.values())


def missing() -> list[str]:
    there = {flavour_of(mpicc) for mpicc in wrappers()}
    return [flavour for flavour in FLAVOURS if flavour not in there]


def sibling(mpicc: str, name: str) -> str | None:
    """The program of the same MPI, e.g. mpiexec.mpich of mpicc.mpich."""
    path = Path(mpicc)
    if path.name == "mpicc_abi" and name == "mpifort":
        return None  # a Fortran program does not use the standard ABI
    wrapper = path.name.replace("mpicc_abi", "mpicc")  # one launcher serves both ABIs
    return shutil.which(str(path.parent / wrapper.replace("mpicc", name)))


def interpreter(build: dict[str, Any]) -> tuple[str | None, dict[str, str]]:
    """A Python with mpi4py for this MPI and the environment that makes mpi4py find it."""
    venv = TOP / f".venv-{build['flavour']}"
    env: dict[str, str] = {}
    libdir = Path(build["libdir"])
    if build["soname"] == "libmpich.so.12":
        # Debian's MPICH; the wheel of mpi4py asks for libmpi.so.12, which is the same.
        libdir = BUILD / "mpi4py" / build["id"]
        libdir.mkdir(parents=True, exist_ok=True)
        link = libdir / "libmpi.so.12"
        link.unlink(missing_ok=True)
        link.symlink_to(Path(build["libdir"]) / build["soname"])
        env["MPI4PY_MPIABI"] = "mpich"
    if not libdir.is_relative_to("/usr/lib"):  # where the loader looks in any case
        env["LD_LIBRARY_PATH"] = str(libdir)
    has_mpi4py = any(venv.glob("lib/python*/site-packages/mpi4py"))
    return (str(venv / "bin" / "python") if has_mpi4py else None), env


def describe_one(path: Path) -> dict[str, Any]:
    build: dict[str, Any] = json.loads(path.read_text())
    python, env = interpreter(build)
    oversubscribe = []
    if build["flavour"] == "openmpi":
        new = int(build["version"].split(".")[0]) >= 5
        oversubscribe = ["--map-by", ":OVERSUBSCRIBE"] if new else ["--oversubscribe"]
    return {
        **{key: build[key] for key in ("id", "flavour", "version", "soname", "libdir", "mpicc")},
        "library": str(path.with_name(build["library"])),
        "mpiexec": sibling(build["mpicc"], "mpiexec"),
        "mpifort": sibling(build["mpicc"], "mpifort"),
        "python": python,
        "env": env,
        "oversubscribe_args": oversubscribe,
        "root_env": ROOT_ENV if build["flavour"] == "openmpi" else {},
    }


def describe() -> None:
    builds = [describe_one(path) for path in sorted(BUILD.glob("release/lib/roundelay/*.json"))]
    (BUILD / "mpis.json").write_text(json.dumps(builds, indent=2) + "\n")
    for build in builds:
        print(f"{build['id']:8} {build['flavour']} {build['version']}: {build['mpiexec']}")


if __name__ == "__main__":
    if sys.argv[1:] == ["wrappers"]:
        print(";".join(wrappers()))
    elif sys.argv[1:] == ["missing"]:
        print(" ".join(missing()))
    elif sys.argv[1:] == ["describe"]:
        describe()
    else:
        sys.exit(__doc__)
