#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sees to it that there are a C++20 compiler and a Python that can make environments and modules.
source "$(dirname "$0")/common.sh"

missing=()
echo '#include <coroutine>' | c++ -std=c++20 -E -x c++ - >/dev/null 2>&1 || missing+=(g++)
command -v python3 >/dev/null || missing+=(python3)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
  missing+=(python3-dev)
[ ${#missing[@]} = 0 ] && exit 0
debian_install "${missing[@]}" || fail "please install: ${missing[*]} (Debian's names)"
