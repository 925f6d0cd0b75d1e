# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: the site carries the one script that its theme would load from the network.

Browsers allow no workers on pages that are opened as files. This script lets the search work there.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

SHIM = Path(__file__).parents[1] / "third_party" / "iframe-worker" / "shim.js"
FROM_NETWORK = "https://unpkg.com/iframe-worker/shim"
IN_SITE = "assets/javascripts/iframe-worker.js"
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./(repro/[^)#]+)[^)]*\)")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Names the files that the site does not have, instead of a link to them."""
    return OUTSIDE.sub(r"\1 (`\2`)", markdown)


def on_post_page(output: str, page: Any, config: Any) -> str:
    up = "../" * page.url.count("/")
    return output.replace(FROM_NETWORK, up + IN_SITE)


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    return output_content.replace(FROM_NETWORK, IN_SITE)


def on_post_build(config: Any) -> None:
    shutil.copy(SHIM, Path(config["site_dir"]) / IN_SITE)
