# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs.

Pages outside docs/ become part of the site, and links to and from them work. Each picture of an
algorithm gets a page beside it, on which one plays the schedule.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from roundelay import algorithms
from roundelay.drawing import page as playable

TOP = Path(__file__).resolve().parent.parent
OUTSIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "repro/*.md")
# Search needs this in a page that is opened as a file; the theme would load it from the network.
SHIM = "https://unpkg.com/iframe-worker/shim"
LOCAL_SHIM = "assets/javascripts/iframe-worker.js"
PICTURE = re.compile(r"^!\[.*\]\(figures/(.*)\.svg\)$", re.MULTILINE)
RANKS = (3, 8)  # to choose from on such a page, beside those of the picture
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)((?:#[^)\s]*)?)\)")


def outside() -> list[str]:
    """Paths in the repository."""
    return sorted(path.relative_to(TOP).as_posix() for each in OUTSIDE for path in TOP.glob(each))


def playable_pages() -> dict[str, str]:
    """The page for each picture of docs/collectives."""
    sys.path.insert(0, str(Path(__file__).parent))
    from document import drawn  # this folder is no package

    pages = {}
    for one in algorithms():
        story = None if one.native else drawn(one)
        if story is not None:
            q = story.p - story.senders if story.senders else None
            text = playable(story, one.summary, q=q, others=RANKS)
            pages[f"collectives/play/{one.collective}-{one.algorithm}.html"] = text
    return pages


def on_files(files: Files, config: Any) -> Files:
    shim = str(TOP / "third_party" / "iframe-worker" / "shim.js")
    files.append(File.generated(config, LOCAL_SHIM, abs_src_path=shim))
    for path, text in playable_pages().items():
        files.append(File.generated(config, path, content=text))
    for path in outside():
        files.append(File.generated(config, path, abs_src_path=str(TOP / path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links of the repository as links of the site; a link to a source file becomes plain text."""
    of_site = page.file.src_uri
    of_repository = of_site if of_site in outside() else f"docs/{of_site}"

    def link(found: re.Match[str]) -> str:
        image, text, target, anchor = found.groups()
        if ":" in target:
            return found[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(of_repository), target))
        path = path.removeprefix("docs/")
        if files.get_file_from_path(path) is None and (TOP / path).exists():
            return text
        return (
            f"{image}[{text}]({posixpath.relpath(path, posixpath.dirname(of_site) or '.')}{anchor})"
        )

    if of_site.startswith("collectives/"):
        markdown = PICTURE.sub(r"\g<0>\n\n[Play this schedule](play/\1.html)", markdown)
    return LINK.sub(link, markdown)


def on_post_template(output: str, template_name: str, config: Any) -> str:
    return output.replace(SHIM, LOCAL_SHIM)


def on_post_page(output: str, page: Any, config: Any) -> str:
    return output.replace(
        SHIM, posixpath.relpath(LOCAL_SHIM, posixpath.dirname(page.file.dest_uri) or ".")
    )
