# SPDX-License-Identifier: Apache-2.0
"""The builds of the library, one for each MPI: libroundelay-<id>.so with its description."""

from __future__ import annotations

import json
import os
import site
import sys
from dataclasses import dataclass
from pathlib import Path

from roundelay.cannot_run import CannotRun
from roundelay.files import text_of


@dataclass(frozen=True)
class Build:
    """One build of the library."""

    id: str
    flavour: str  # "openmpi", "mpich" or "standard"
    version: str  # of the MPI that it was built with; it serves all with the same SONAME
    soname: str
    libdir: Path | None  # the folder of that MPI's library; None in a wheel, made elsewhere
    mpicc: str | None  # likewise
    library: Path

    @property
    def latencies(self) -> Path:
        """The program that measures how long messages are under way, for the same MPI."""
        return self.library.with_name(f"latencies-{self.id}")

    @property
    def collectives(self) -> Path:
        """The program that times collectives, for the same MPI."""
        return self.library.with_name(f"collectives-{self.id}")

    @property
    def text(self) -> str:
        return f"{self.id} ({self.soname}, {self.flavour} {self.version})"


HOW_TO_BUILD = "build one with: make build MPICC=<its mpicc>"
_AGAIN = "build Roundelay again (make build), or remove that file"


def folders() -> list[Path]:
    """Where builds are looked for: ROUNDELAY_LIBRARY_DIR if it is set, else where one installs."""
    chosen = os.environ.get("ROUNDELAY_LIBRARY_DIR")
    if chosen:
        return [Path(chosen).absolute()]  # the loader may look from another folder
    beside_package = Path(__file__).resolve().parents[4]
    prefixes = [
        beside_package,
        Path(sys.prefix),
        Path(site.getuserbase()),
        Path("/usr/local"),
        Path("/usr"),
    ]
    unique = dict.fromkeys(
        prefix / lib / "roundelay" for prefix in prefixes for lib in ("lib", "lib64")
    )
    return list(unique)


def _read(description: Path) -> Build:
    """Raises CannotRun for what does not describe a build, or one whose library is not there."""
    try:
        fields = json.loads(text_of(description))
        libdir = fields["libdir"]
        build = Build(
            id=fields["id"],
            flavour=fields["flavour"],
            version=fields["version"],
            soname=fields["soname"],
            libdir=Path(libdir) if libdir is not None else None,
            mpicc=fields["mpicc"],
            library=description.with_name(fields["library"]),
        )
    except (ValueError, KeyError, TypeError):
        raise CannotRun(f"{description} does not describe a build; {_AGAIN}") from None
    if not build.library.exists():
        raise CannotRun(
            f"{description} describes a build, but there is no {build.library}; {_AGAIN}"
        )
    return build


def builds() -> list[Build]:
    """All builds, the first of each id. Raises CannotRun."""
    found: dict[str, Build] = {}
    for folder in folders():
        for description in sorted(folder.glob("libroundelay-*.json")):
            build = _read(description)
            found.setdefault(build.id, build)
    return list(found.values())
