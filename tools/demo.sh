#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make demo` runs: gets what tools/demo.py needs, which is little, and runs it.
source "$(dirname "$0")/common.sh"
tools/system.sh
requirements=('pyelftools>=0.29')
command -v cmake >/dev/null || requirements+=('cmake>=3.24')
command -v ninja >/dev/null || requirements+=(ninja)
pip_install .venv "${requirements[@]}"
if [ -z "$(python3 tools/mpis.py wrappers)" ]; then
  pip_install .venv-mpich -r tools/requirements-mpich.txt
fi
PYTHONPATH=python exec .venv/bin/python tools/demo.py "$@"
