#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All C and C++ files of the project, one a line.
source "$(dirname "$0")/common.sh"
find bench examples include python src tests -name '*.[ch]' -o -name '*.[ch]pp' | sort
