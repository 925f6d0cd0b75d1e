# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts, which then stand in the project's top folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
export CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-$(nproc)}"
# Programs of the environment first, e.g. an MPI that was put there.
export PATH="$PWD/.venv/bin:$PATH"
# Where need_library() puts what it may not install.
export CMAKE_PREFIX_PATH="$PWD/.deps/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
# Open MPI refuses to start as root without these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

say() { printf '== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# pip_install <venv> <pip arguments>..: into a project-local environment; says so if there is news.
pip_install() {
  local venv=$1
  shift
  if [ ! -x "$venv/bin/python" ]; then
    say "making $venv"
    python3 -m venv "$venv"
    # Older ones of pip know neither reports nor settings of the build.
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-compile --quiet 'pip>=23.1' "$@"
    return
  fi
  local missing
  missing=$("$venv/bin/python" -m pip install --disable-pip-version-check --dry-run --quiet \
    --report - "$@" | "$venv/bin/python" tools/pip_report.py)
  [ -n "$missing" ] || return 0
  say "installing into $venv: $missing"
  "$venv/bin/python" -m pip install --disable-pip-version-check --no-compile --quiet "$@"
}

# debian_install <package>..: as root on Debian and its like; else fails.
debian_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  say "installing Debian packages: $*"
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}

# need_library <header> <package>..: a C++ library from Debian: into the system, or without root
# into .deps, where CMake is told to look.
need_library() {
  local header=$1
  shift
  [ -e ".deps/usr/include/$header" ] && return 0
  echo "#include <$header>" | c++ -std=c++17 -E -x c++ - >/dev/null 2>&1 && return 0
  debian_install "$@" && return 0
  command -v apt-get >/dev/null || fail "<$header> is missing; install the library that has it"
  say "unpacking Debian packages into .deps: $*"
  mkdir -p .deps
  (cd .deps && apt-get -qq download "$@" && for package in *.deb; do dpkg -x "$package" .; done; rm -- *.deb)
}
