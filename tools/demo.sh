#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make demo` runs: gets what tools/demo.py needs, which is little, and runs it.
source "$(dirname "$0")/common.sh"
tools/system.sh
requirements=('pyelftools>=0.29')
command -v cmake >/dev/null || requirements+=('cmake>=3.24')
# From 1.12 on, Ninja begins with what most other files wait for.
[[ $(printf '%s\n' 1.12 "$(ninja --version 2>/dev/null)" | sort -V | head -1) == 1.12 ]] || requirements+=('ninja>=1.12')
pip_install .venv "${requirements[@]}"
if [ -z "$(python3 tools/mpis.py wrappers)" ]; then
  pip_install .venv-mpich -r tools/requirements-mpich.txt
fi
PYTHONPATH=python exec .venv/bin/python tools/demo.py "$@"
