#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the site of docs/ into build/site. A broken link is an error, and so is a page that loads from the network.
source "$(dirname "$0")/common.sh"
pip_install .venv -r tools/requirements-site.txt
NO_MKDOCS_2_WARNING=1 mkdocs build --strict
if grep -rlE '<(script|img|iframe)[^>]* src="?(https?:)?//|<link[^>]* rel="?(stylesheet|preconnect)"?[^>]* href="?(https?:)?//' \
  --include='*.html' build/site; then
  fail "these pages load from the network"
fi
say "build/site/index.html"
