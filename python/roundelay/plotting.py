# SPDX-License-Identifier: Apache-2.0
"""What all plots of curves have in common. Needs Matplotlib."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundelay.cannot_run import CannotRun
from roundelay.files import write_whole
from roundelay.units import size_text

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Into the Python that runs this, which may be in an environment of its own.
_INSTALL = f"{shlex.quote(sys.executable)} -m pip install 'matplotlib>=3.8'"
MARK = "sha256 of the data: "


def require_matplotlib() -> None:
    """Raises CannotRun where it is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        raise CannotRun(f"drawing needs Matplotlib: {_INSTALL}")


def digest(data: Any) -> str:
    """A checksum of what a picture shows. It is written into the SVG, to notice one that is old."""
    return MARK + hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def colours(count: int) -> list[Any]:
    """As many different colours, as matplotlib takes them."""
    import matplotlib

    if count <= 10:
        return [matplotlib.colormaps["tab10"](i) for i in range(count)]
    return [matplotlib.colormaps["turbo"](i / (count - 1)) for i in range(count)]


def size_axis(axis: Axis, sizes: Sequence[int]) -> None:
    """A logarithmic axis with a tick at each size."""
    from matplotlib.ticker import NullLocator

    axis.axes.set_xscale("log", base=2)
    axis.set_ticks(list(sizes), [size_text(size) for size in sizes])
    axis.set_minor_locator(NullLocator())


def ratio_axis(axis: Axis) -> None:
    """A logarithmic axis with ticks such as 0.5, 1, 2."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.axes.set_yscale("log")
    axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def new_figure(**options: Any) -> tuple[Figure, Any]:
    """A figure with room for a legend outside the curves; its files are reproducible.

    Raises CannotRun without Matplotlib.
    """
    require_matplotlib()
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams["svg.hashsalt"] = "roundelay"
    return pyplot.subplots(layout="constrained", **options)


def rendered(figure: Figure, suffix: str, data: Any) -> bytes:
    """The bytes of a file with this suffix. An SVG contains the digest of `data`."""
    from matplotlib import pyplot

    is_svg = suffix == ".svg"
    picture = io.BytesIO()
    figure.savefig(
        picture, format=suffix[1:],
        metadata={"Date": None, "Description": digest(data)} if is_svg else None,
    )  # fmt: skip
    pyplot.close(figure)
    if not is_svg:
        return picture.getvalue()
    # Without the spaces that Matplotlib leaves at the ends of lines.
    lines = picture.getvalue().decode().splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines).encode()


def save(figure: Figure, file: Path, data: Any) -> None:
    """Writes it, all or nothing. Raises OSError."""
    write_whole(rendered(figure, file.suffix, data), file)
