# SPDX-License-Identifier: Apache-2.0
"""An MPI with the library that a preset with sanitizers builds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from launching import TOP, Mpi, run


def sanitized(mpi: Mpi) -> Mpi:
    """The same MPI with the library that the preset `sanitizers` builds."""
    # The MPI libraries leak, and free what others hold.
    options = {
        "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    return built_by(mpi, "sanitizers", ("libasan", "libubsan"), options)


def watched(mpi: Mpi) -> Mpi:
    """The same MPI with the library that the preset `threads` builds."""
    # What the MPI libraries do among themselves cannot be seen.
    # UCX, which MPICH uses, hooks into calls that ThreadSanitizer hooks into, too.
    options = {
        "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:exitcode=66",
        "UCX_MEM_EVENTS": "n",
    }
    return built_by(mpi, "threads", ("libtsan",), options)


def built_by(mpi: Mpi, preset: str, runtimes: Sequence[str], options: Mapping[str, str]) -> Mpi:
    """Skips the test if there is no such library."""
    library = TOP / "build" / preset / "lib" / "roundelay" / mpi.library.name
    if not library.exists():
        pytest.skip(f"build/{preset} has no {mpi.library.name}")
    first = [run(["gcc", f"-print-file-name={name}.so"]).ok().stdout.strip() for name in runtimes]
    return replace(mpi, library=library, preload_first=first, sanitizer_env=options)
