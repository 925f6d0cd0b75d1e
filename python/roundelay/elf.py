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

MPI_SONAME = re.compile(r"libmpi(ch|_abi)?\.so\.\d+")
STANDARD = "standard"  # the ABI of MPI 5, which any MPI library may have
MPI_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", STANDARD: "the standard ABI"}


def flavour_of(soname: str) -> str:
    """Whose an MPI library is: MPICH and all that keep its ABI are at version 12."""
    if soname.startswith("libmpi_abi."):
        return STANDARD
    return "mpich" if re.fullmatch(r"libmpi(ch)?\.so\.12", soname) else "openmpi"


@dataclass(frozen=True)
class Program:
    """An ELF program. A script is none: what it loads is not known before it runs."""

    path: Path
    dynamic: bool  # it is loaded by the dynamic loader, which honours LD_PRELOAD
    privileged: bool  # setuid or setgid: then the loader ignores LD_PRELOAD
    libraries: dict[str, Path]  # SONAME -> file, of all that is loaded with it
    linked: str = ""  # what loads the MPI library, if not the program itself

    @property
    def mpi(self) -> str | None:
        """The SONAME of the MPI library that it loads."""
        return next(filter(MPI_SONAME.fullmatch, self.libraries), None)

    @property
    def name(self) -> str:
        """What loads the MPI library, for messages."""
        return self.linked or self.path.name


def _libraries(interpreter: str, path: Path) -> dict[str, Path]:
    """SONAME -> file, as the program's own loader finds them. The program is not run."""
    command = [interpreter, "--list", str(path.absolute())]
    listing = subprocess.run(
        command, capture_output=True, text=True, errors="surrogateescape", check=False
    )
    return {
        name: Path(file)
        for name, file in re.findall(r"^\s*(\S+) => (/.*?)(?: \(|$)", listing.stdout, re.M)
    }


def _interpreter(path: Path) -> str | None:
    """The loader that an ELF program asks for. Raises OSError or ELFError."""
    with path.open("rb") as file:
        segments = ELFFile(file).iter_segments()
        found = (each.get_interp_name() for each in segments if isinstance(each, InterpSegment))
        return next(found, None)


def loaded_with(program: Path, module: Path) -> dict[str, Path]:
    """SONAME -> file, of all that the program's loader loads together with a module of it."""
    try:
        interpreter = _interpreter(program)
    except (OSError, ELFError):
        return {}
    return _libraries(interpreter, module) if interpreter is not None else {}


def read_program(path: Path) -> Program | None:
    """None if the file is no ELF program, or cannot be read."""
    try:
        interpreter = _interpreter(path)
    except (OSError, ELFError):
        return None
    mode = path.stat().st_mode
    return Program(
        path=path,
        dynamic=interpreter is not None,
        privileged=bool(mode & (stat.S_ISUID | stat.S_ISGID)),
        libraries=_libraries(interpreter, path) if interpreter is not None else {},
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
