# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: pages outside docs/ become part of the site, and links to and from them work."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

TOP = Path(__file__).resolve().parent.parent
OUTSIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "repro/*.md")
# Search needs this in a page that is opened as a file; the theme would load it from the network.
SHIM = "https://unpkg.com/iframe-worker/shim"
LOCAL_SHIM = "assets/javascripts/iframe-worker.js"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)((?:#[^)\s]*)?)\)")


def outside() -> list[str]:
    """Paths in the repository."""
    return sorted(path.relative_to(TOP).as_posix() for each in OUTSIDE for path in TOP.glob(each))


def on_files(files: Files, config: Any) -> Files:
    shim = str(TOP / "third_party" / "iframe-worker" / "shim.js")
    files.append(File.generated(config, LOCAL_SHIM, abs_src_path=shim))
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

    return LINK.sub(link, markdown)


def on_post_template(output: str, template_name: str, config: Any) -> str:
    return output.replace(SHIM, LOCAL_SHIM)


def on_post_page(output: str, page: Any, config: Any) -> str:
    return output.replace(
        SHIM, posixpath.relpath(LOCAL_SHIM, posixpath.dirname(page.file.dest_uri) or ".")
    )
