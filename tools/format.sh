#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts all sources into the house's format.
source "$(dirname "$0")/common.sh"
pip_install .venv -r tools/requirements-test.txt
mapfile -t sources < <(tools/sources.sh)
clang-format -i "${sources[@]}"
ruff check --quiet --fix . || true
ruff format --quiet .
