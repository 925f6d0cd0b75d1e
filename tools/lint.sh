#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Style, suspicious code, types and prose. Changes nothing; says which of the checks failed.
source "$(dirname "$0")/common.sh"
[ -x .venv/bin/python ] || tools/build.sh
pip_install .venv -r tools/requirements-test.txt

failed=()
check() {
  local name=$1
  shift
  say "$name"
  "$@" || failed+=("$name")
}
tidy() {
  cmake --preset tidy -DPython_EXECUTABLE="$PWD/.venv/bin/python" -DROUNDELAY_MPI="$(python3 tools/mpis.py wrappers)" >/dev/null
  cmake --build build/tidy --target roundelay_write_entry_points >/dev/null
  python3 tools/tidy_commands.py build/tidy/compile_commands.json build/tidy/once/compile_commands.json |
    xargs -P "$(nproc)" -n 1 clang-tidy -p build/tidy/once --quiet --warnings-as-errors='*' 2> >(grep -v 'warnings generated' >&2)
}

mapfile -t sources < <(tools/sources.sh)
check clang-format clang-format --dry-run -Werror "${sources[@]}"
check clang-tidy tidy
check "ruff check" ruff check --quiet .
check "ruff format" ruff format --check --quiet .
check mypy mypy --no-error-summary
check prose .venv/bin/python tools/prose.py
[ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}"
