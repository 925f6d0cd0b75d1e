#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# MPICH's own tests of collectives with Roundelay, on every MPI at hand; --help says more.
source "$(dirname "$0")/common.sh"
tools/build.sh
exec .venv/bin/python tests/mpi/mpich_suite.py "$@"
