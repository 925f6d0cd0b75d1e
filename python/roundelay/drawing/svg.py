# SPDX-License-Identifier: Apache-2.0
"""What a picture needs of SVG. Styles are attributes, which every program understands."""

from __future__ import annotations

from typing import Union
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

Value = Union[str, float, int]

SANS = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
MONO = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
MONO_WIDTH = 0.602  # of a character, in sizes of the font


def _written(value: Value) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def add(parent: Element, tag: str, **attributes: Value) -> Element:
    """A new element; of a name, "_" stands for "-" (at its end for nothing)."""
    written = {
        name.rstrip("_").replace("_", "-"): _written(value) for name, value in attributes.items()
    }
    return SubElement(parent, tag, written)


def add_text(parent: Element, x: float, y: float, text: str, **attributes: Value) -> Element:
    element = add(parent, "text", x=x, y=y, **attributes)
    element.text = text
    return element


def canvas(title: str, description: str) -> Element:
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    add(root, "title").text = title
    add(root, "desc").text = description
    return root


def text_width(text: str, size: float) -> float:
    """The width of a text in the monospaced font, in units of the SVG."""
    return len(text) * size * MONO_WIDTH


def written(root: Element, width: float, height: float) -> str:
    box = f"0 0 {_written(width)} {_written(height)}"
    root.attrib.update(width=_written(width), height=_written(height), viewBox=box)
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode") + "\n"
