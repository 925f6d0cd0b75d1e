# SPDX-License-Identifier: Apache-2.0
"""What a program file says of itself: which libraries it loads and which symbols it defines."""

from __future__ import annotations

import re
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from elftools.elf.segments import InterpSegment

MPI_SONAME = re.compile(r"libmpi(ch)?\.so\.\d+")


@dataclass(frozen=True)
class Program:
    """An ELF program. A script is none: what it loads is not known before it runs."""

    path: Path
    dynamic: bool  # it is loaded by the dynamic loader, which honours LD_PRELOAD
    privileged: bool  # setuid or setgid: then the loader ignores LD_PRELOAD
    libraries: dict[str, Path]  # SONAME -> file, of all that is loaded with it

    @property
    def mpi(self) -> str | None:
        """The SONAME of the MPI library that it loads."""
        return next(filter(MPI_SONAME.fullmatch, self.libraries), None)


def _libraries(interpreter: str, path: Path) -> dict[str, Path]:
    """As the program's own loader finds them; the program is not run."""
    command = [interpreter, "--list", str(path.absolute())]
    listing = subprocess.run(
        command, capture_output=True, text=True, errors="surrogateescape", check=False
    )
    return {
        name: Path(file)
        for name, file in re.findall(r"^\s*(\S+) => (/.*?)(?: \(|$)", listing.stdout, re.M)
    }


def read_program(path: Path) -> Program | None:
    """None if the file is no ELF program, or cannot be read."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            interpreters = [
                segment.get_interp_name()
                for segment in elf.iter_segments()
                if isinstance(segment, InterpSegment)
            ]
    except (OSError, ELFError):
        return None
    mode = path.stat().st_mode
    return Program(
        path=path,
        dynamic=bool(interpreters),
        privileged=bool(mode & (stat.S_ISUID | stat.S_ISGID)),
        libraries=_libraries(interpreters[0], path) if interpreters else {},
    )


def defined_functions(path: Path) -> set[str]:
    """Names of the functions that the file itself defines, exported or not."""
    return _functions(path, (".symtab", ".dynsym"))


def exported_functions(path: Path) -> set[str]:
    """Names of the functions that a shared library offers to others."""
    return _functions(path, (".dynsym",))


def _functions(path: Path, sections: tuple[str, ...]) -> set[str]:
    with path.open("rb") as file:
        elf = ELFFile(file)
        tables = map(elf.get_section_by_name, sections)
        return {
            symbol.name
            for table in tables
            if isinstance(table, SymbolTableSection)
            for symbol in table.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["type"] == "STT_FUNC"
        }
