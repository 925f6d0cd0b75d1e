#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes dist/roundelay-*.whl with a build for each MPI that MPICC names; else for those at hand and for
# MPICH 5 of PyPI, which brings libmpi.so.12 and the standard ABI.
source "$(dirname "$0")/common.sh"
tools/system.sh

if [ -z "${MPICC:-}" ]; then
  pip_install .venv-wheel -r tools/requirements-mpich.txt
  MPICC="$(python3 tools/mpis.py wrappers | tr ';' ' ') $PWD/.venv-wheel/bin/mpicc $PWD/.venv-wheel/bin/mpicc_abi"
  export MPICC
fi
tools/build.sh
pip_install .venv -r tools/requirements-wheel.txt
.venv/bin/python tools/wheel.py dist

for library in libmpi.so.40 libmpi.so.12 libmpich.so.12 libmpi_abi.so.1; do
  grep -qs "\"$library\"" build/release/lib/roundelay/*.json ||
    say "the wheel has no build for $library: name an mpicc of that MPI in MPICC"
done
