#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a real MPI program twice, natively and through Roundelay, and shows both answers. Needs
# `make build`. RANKS and STATIONS may be set.
set -euo pipefail
cd "$(dirname "$0")/../.."
ranks=${RANKS:-4} stations=${STATIONS:-1200}
out=build/examples
mkdir -p "$out"

# The first MPI that Roundelay was built for: mpicc, mpiexec and its arguments, a line each.
mapfile -t mpi < <(python3 - <<'END'
import json
mpi = json.load(open("build/mpis.json"))[0]
print(mpi["mpicc"], mpi["mpiexec"], *mpi["oversubscribe_args"], sep="\n")
END
)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

say() { printf '\n$ %s\n' "$*"; }

compile=("${mpi[0]}" -O2 examples/kriging/kriging.c -o "$out/kriging" -lm)
say "${compile[*]}"
"${compile[@]}"
launch=("${mpi[@]:1}" -n "$ranks" "$out/kriging" "$stations")

say "${launch[*]}"
"${launch[@]}" >"$out/native.txt"
say "roundelay run -- ${launch[*]}"
.venv/bin/roundelay run -- "${launch[@]}" >"$out/roundelay.txt" 2>"$out/report.txt"

printf '\n%-56s| %s\n' "natively" "through Roundelay"
paste -d '\n' "$out/native.txt" "$out/roundelay.txt" |
  while IFS= read -r left && IFS= read -r right; do printf '%-56s| %s\n' "$left" "$right"; done
echo
cat "$out/report.txt"
echo

# All but the times has to be the same.
if diff <(grep -v '^time' "$out/native.txt") <(grep -v '^time' "$out/roundelay.txt"); then
  echo "Both runs gave the same answer."
else
  echo "The answers differ." >&2
  exit 1
fi
