# SPDX-License-Identifier: Apache-2.0
"""What there is on this machine, and what each part of Roundelay still needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from typing import Any

from roundelay import plotting
from roundelay.builds import HOW_TO_BUILD, Build, builds, folders
from roundelay.cannot_run import CannotRun
from roundelay.elf import MPI_NAMES, MPI_SONAME, exported_functions
from roundelay.lab import needs as lab
from roundelay.launcher import LAUNCHERS, MANAGERS, find_launcher
from roundelay.simulation import smpi

WRAPPERS = ("mpicc", "mpicc.openmpi", "mpicc.mpich")


def _launchers() -> list[dict[str, Any]]:
    found = [(name, find_launcher([name, "run"])) for name in (*LAUNCHERS, *MANAGERS)]
    return [
        {
            "name": name,
            "path": str(launcher.path),
            "flavour": launcher.flavour,
            "libraries": [str(file) for file in launcher.libraries.values()],
        }
        for name, launcher in found
        if launcher is not None
    ]


def _mpi_libraries() -> list[str]:
    """The MPI libraries that the loader finds without LD_LIBRARY_PATH."""
    ldconfig = shutil.which("ldconfig", path="/sbin:/usr/sbin:/bin:/usr/bin")
    if ldconfig is None:
        return []
    listing = subprocess.run(
        [ldconfig, "-p"], stdout=subprocess.PIPE, text=True, errors="surrogateescape", check=False
    ).stdout
    pairs = re.findall(r"^\s*(\S+) .*=> (.*)$", listing, re.M)
    return [file for name, file in pairs if MPI_SONAME.fullmatch(name)]


def _symbols(build: Build) -> dict[str, list[str]]:
    names = sorted(exported_functions(build.library))
    c = [name for name in names if re.match(r"MPI_[A-Z][a-z]", name)]
    return {
        "c": [name for name in c if not name.endswith("_c")],
        "c_large_count": [name for name in c if name.endswith("_c")],
        "fortran": [name for name in names if re.match(r"mpi_|ompi_|MPI_[A-Z]{2}", name)],
        "api": [name for name in names if name.startswith("roundelay_")],
    }


def _build(build: Build) -> dict[str, Any]:
    return {
        "id": build.id,
        "flavour": build.flavour,
        "version": build.version,
        "soname": build.soname,
        "mpicc": build.mpicc,
        "library": str(build.library),
        "symbols": _symbols(build),
    }


# What installs Debian's packages of each flavour.
INSTALLS = {
    "openmpi": "apt-get install openmpi-bin libopenmpi-dev",
    "mpich": "apt-get install mpich libmpich-dev",
}


def _lacks(check: Callable[[], object]) -> str | None:
    try:
        check()
    except CannotRun as reason:
        return str(reason)
    return None


def _mpi(flavour: str, launchers: list[dict[str, Any]]) -> None:
    name = MPI_NAMES[flavour]
    if all(each["flavour"] != flavour for each in launchers):
        raise CannotRun(
            f"no launcher of {name} is on PATH; on Debian or Ubuntu: {INSTALLS[flavour]}; "
            f"without root: pip install {flavour}"
        )
    if all(build.flavour != flavour for build in builds()):
        raise CannotRun(f"there is no build of Roundelay for {name}; {HOW_TO_BUILD}")


def needs(launchers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each purpose, whether it can be served, and if not, why and the command that helps."""
    lacks = {
        **{
            f"programs of {MPI_NAMES[flavour]}": _lacks(partial(_mpi, flavour, launchers))
            for flavour in INSTALLS
        },
        "roundelay lab": _lacks(partial(lab.check, wan=False)),
        "roundelay lab with several sites": _lacks(partial(lab.check, wan=True)),
        "roundelay simulate": _lacks(smpi.program),
        "roundelay simulate --plot": _lacks(plotting.require_matplotlib),
    }
    return [
        {"purpose": purpose, "ready": reason is None, "missing": reason}
        for purpose, reason in lacks.items()
    ]


def what_is_here() -> dict[str, Any]:
    """What `roundelay doctor --json` prints. Raises CannotRun."""
    launchers = _launchers()  # each of which was asked for its version
    return {
        "needs": needs(launchers),
        "compilers": [path for path in map(shutil.which, WRAPPERS) if path],
        "launchers": launchers,
        "libraries": _mpi_libraries(),
        "builds": [_build(build) for build in builds()],
        "searched": [str(folder) for folder in folders()],
        "cores": {"usable": len(os.sched_getaffinity(0)), "online": os.cpu_count()},
        "waiting": os.environ.get("ROUNDELAY_WAIT") or "auto",
        "environment": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith("ROUNDELAY") or name in ("LD_PRELOAD", "LD_LIBRARY_PATH")
        },
    }
