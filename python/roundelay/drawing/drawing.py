# SPDX-License-Identifier: Apache-2.0
"""The step picture as an object, which a notebook displays by itself."""

from __future__ import annotations

from dataclasses import dataclass

from roundelay.catalogue import algorithms
from roundelay.drawing.picture import picture
from roundelay.drawing.story import Story, tell


@dataclass(frozen=True)
class Drawing:
    """What a picture shows, and the picture."""

    story: Story
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


def summary_of(name: str) -> str:
    """One line about an algorithm, whatever its parameters are."""
    stem = name.partition("(")[0]
    return next(one.summary for one in algorithms() if one.name == stem)


def draw(
    name: str,
    p: int,
    *,
    root: int = 0,
    q: int | None = None,
    nodes: str | None = None,
    sites: str | None = None,
) -> Drawing:
    """Draws what p ranks hold and send, step by step. Raises ValueError for what does not exist.

    >>> draw("bcast.binomial", 5).svg[:4]
    '<svg'
    """
    story = tell(name, p, root=root, q=q, nodes=nodes, sites=sites)
    return Drawing(story, picture(story, summary_of(story.name)))
