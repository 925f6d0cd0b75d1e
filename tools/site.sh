#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation into build/site. A broken link or anchor is an error.
source "$(dirname "$0")/common.sh"
pip_install .venv -r tools/requirements-site.txt
NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet
! grep -rlE --include='*.html' '(src|href)="?https?://unpkg' build/site || fail "these pages load something from the network"
say "build/site/index.html: open it in a browser; it needs no server and no network"
