# SPDX-License-Identifier: Apache-2.0
"""Reading and writing files so that nothing is lost and every error names the file."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from roundelay.cannot_run import CannotRun


def text_of(file: Path) -> str:
    """What the file holds. Raises ValueError, which names the file and the reason."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        why: str | None = "it is not a text file in UTF-8"
    except OSError as error:
        why = error.strerror
    raise ValueError(f"cannot read {file}: {why}")


def write_whole(content: str | bytes, output: Path) -> None:
    """Writes all of it or nothing: if the disk is full, the file stays as it was. Raises OSError.

    A device, a pipe or a link is written to directly, and so is a file in a folder in which no file
    can be made. A file that is protected against writing stays.
    """
    data = content.encode() if isinstance(content, str) else content
    if output.exists() and not os.access(output, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(output))
    is_plain = output.is_file() and os.access(output.parent, os.W_OK)
    if output.is_symlink() or (output.exists() and not is_plain):
        output.write_bytes(data)
        return
    draft = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        if is_plain:
            shutil.copymode(output, draft)
        draft.replace(output)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder, which is removed at the end with all that is in it. Raises OSError."""
    folder = Path(tempfile.mkdtemp(prefix="roundelay-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def why_unwritable(file: Path, error: OSError) -> str:
    """Why the file could not be written, as a part of a sentence."""
    if error.errno == errno.ENOENT and not file.parent.is_dir():
        return f"there is no folder {file.parent}"
    return error.strerror or str(error)


def require_writable(file: Path) -> None:
    """Raises CannotRun if the file cannot be written. For commands that measure first."""
    if not file.parent.is_dir():
        raise CannotRun(f"cannot write {file}: there is no folder {file.parent}")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise CannotRun(f"cannot write {file}: it is not permitted")


def are_the_same(one: Path, other: Path) -> bool:
    """Whether both are one file, be it there or not."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()
