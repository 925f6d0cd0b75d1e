#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the schedules on circulant graphs for the ranges of p of the paper's table 4, and proves the
# collectives on them for p = 1 .. 200 ranks and n = 1 .. 40 blocks.
source "$(dirname "$0")/common.sh"
tools/build.sh
cmake --build build/release --target verify_circulant
build/release/verify_circulant "$@"
for collective in bcast reduce allgatherv reduce_scatter; do
  for blocks in {1..40}; do
    say "$collective.circulant(blocks=$blocks), p = 1 .. 200"
    .venv/bin/roundelay verify "$collective.circulant(blocks=$blocks)" --p 1:200
  done
done
