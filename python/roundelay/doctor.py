# SPDX-License-Identifier: Apache-2.0
"""What there is on this machine: MPIs, builds of the library and their symbols, cores, settings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Any

from roundelay.builds import Build, builds, folders
from roundelay.elf import MPI_SONAME, exported_functions
from roundelay.launcher import LAUNCHERS, MANAGERS, find_launcher

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
    """Those that the loader knows by itself."""
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


def examine() -> dict[str, Any]:
    """All of it."""
    return {
        "compilers": [path for path in map(shutil.which, WRAPPERS) if path],
        "launchers": _launchers(),
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
