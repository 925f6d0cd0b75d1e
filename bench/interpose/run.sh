#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The cost of standing between; called by `make bench`.
set -euo pipefail
cd "$(dirname "$0")"
if command -v valgrind >/dev/null; then
  ../../.venv/bin/python interpose.py instructions
else
  echo "valgrind is not here: instructions are not counted" >&2
fi
../../.venv/bin/python interpose.py ratio
../../.venv/bin/python interpose.py first
