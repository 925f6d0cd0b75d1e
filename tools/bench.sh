#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the project's benchmarks: those without MPI here, the others by a script of their own.
source "$(dirname "$0")/common.sh"
need_library benchmark/benchmark.h libbenchmark-dev libbenchmark1debian
tools/build.sh
for program in build/release/bench/*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  say "$program"
  # Other load only adds, so the least of some repetitions is what counts.
  "$program" --benchmark_repetitions=5 --benchmark_min_time=0.1
done
for script in bench/*/run.sh; do
  [ -x "$script" ] || continue
  say "$script"
  "$script"
done
