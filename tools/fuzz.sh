#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random collectives on every MPI at hand, against results computed by definition; --help says more.
source "$(dirname "$0")/common.sh"
tools/build.sh
exec .venv/bin/python tests/mpi/fuzzing.py "$@"
