#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves the algorithms between two groups for all p <= 40 senders and q <= 120 receivers.
source "$(dirname "$0")/common.sh"
tools/build.sh
cmake --build build/release --target verify_inter
exec build/release/verify_inter "$@"
