# SPDX-License-Identifier: Apache-2.0
"""What it costs to stand between a program and its MPI, for MPI_Allreduce of 8 bytes.

python interpose.py instructions    added by forced `native`, under callgrind; limit 150
python interpose.py starts          of two calls, and of a start and a wait of persistent ones
python interpose.py start           the same of a broadcast through shared memory only
python interpose.py ratio           recursive doubling, ours to the MPI's own; target 1.10
python interpose.py first           the only call on a communicator, with making and freeing it

--json prints an object for each MPI instead of text.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from roundelay import signals

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
CALLS = 20000
LIMIT_INSTRUCTIONS = 150
OF_A_CLOCK = 25  # more where the library times the call, which it always does to long ones
TARGET_RATIO = 1.10
STARTS = 100


def compiled(mpi: dict[str, Any], name: str) -> Path:
    folder = TOP / "build" / "bench-interpose" / str(mpi["id"])
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    command = [mpi["mpicc"], "-O2", HERE / f"{name}.c", "-o", program]
    subprocess.run(command, check=True, env={**os.environ, **mpi["root_env"]})
    return program


def launch(mpi: dict[str, Any], ranks: int, variables: dict[str, str], *command: object) -> str:
    words = [mpi["mpiexec"], *mpi["oversubscribe_args"], "-n", ranks, "env"]
    words += [f"{name}={value}" for name, value in variables.items()] + list(command)
    with tempfile.TemporaryFile() as errors:  # valgrind says much
        ended, printed = signals.output(list(map(str, words)), mpi["root_env"], stderr=errors)
        if ended.signal is not None:
            sys.exit(128 + ended.signal)
        if ended.code != 0:
            errors.seek(0)
            raise RuntimeError(f"{words} failed:\n{printed}{errors.read().decode()}")
    return printed


def preloaded(mpi: dict[str, Any], forced: str) -> dict[str, str]:
    return {"LD_PRELOAD": mpi["library"], "ROUNDELAY": forced, "ROUNDELAY_REPORT": "off"}


def instructions_by_object(profile: str) -> dict[str, int]:
    """Instructions spent in each object itself, from what callgrind says."""
    names: dict[str, str] = {}
    spent: dict[str, int] = {}
    inside = ""
    of_callee = False
    for line in profile.splitlines():
        if header := re.match(r"(c?)ob=\((\d+)\)(?: (.+))?$", line):
            if header[3]:  # a name is told once, where its number comes first
                names[header[2]] = header[3]
            if not header[1]:
                inside = names[header[2]]
        elif line.startswith("calls="):
            of_callee = True  # the next line is what the callee spent
        elif cost := re.match(r"[+*-]?\d* ?(\d+)$", line):
            if not of_callee:
                spent[inside] = spent.get(inside, 0) + int(cost[1])
            of_callee = False
    return spent


def profiles(
    mpi: dict[str, Any], ranks: int, variables: dict[str, str], *command: object
) -> list[str]:
    """What callgrind says of each rank's measured()."""
    rank = "OMPI_COMM_WORLD_RANK" if mpi["flavour"] == "openmpi" else "PMI_RANK"
    with tempfile.TemporaryDirectory(prefix="roundelay-callgrind-") as folder:
        words = ["valgrind", "--tool=callgrind", "--toggle-collect=measured"]
        words.append(f"--callgrind-out-file={folder}/%q{{{rank}}}")
        launch(mpi, ranks, variables, *words, *command)
        return [(Path(folder) / str(each)).read_text() for each in range(ranks)]


def instructions_per_call(
    mpi: dict[str, Any], ranks: int, variables: dict[str, str], part: str = ""
) -> float:
    """Of the rank that spends most, without start-up, the first calls and the end.

    `part`: only in objects whose name contains it.
    """
    program = compiled(mpi, "repeat")
    spent = map(instructions_by_object, profiles(mpi, ranks, variables, program, CALLS))
    most = max(sum(n for name, n in each.items() if part in name) for each in spent)
    return most / CALLS


def share_timed(report: Path) -> float:
    """How many of a rank's calls the library timed, at most: it reports those of all ranks."""
    calls = json.loads(report.read_text())["calls"]
    return min(1.0, sum(row["timed_calls"] for row in calls) / sum(row["calls"] for row in calls))


def instructions(mpi: dict[str, Any]) -> dict[str, Any]:
    ours = preloaded(mpi, "allreduce=native")
    alone = instructions_per_call(mpi, 1, ours) - instructions_per_call(mpi, 1, {})
    # Of several ranks the MPI library polls as long as it takes: only ours can be compared. Where
    # the machine has other work, their calls take so long that each is timed.
    with tempfile.TemporaryDirectory(prefix="roundelay-report-") as folder:
        report = Path(folder) / "report.json"
        ours |= {"ROUNDELAY_REPORT": "json", "ROUNDELAY_REPORT_FILE": str(report)}
        inside = instructions_per_call(mpi, 2, ours, "libroundelay")
        timed = share_timed(report)
    return {
        "mpi": mpi["id"],
        "one_rank": round(alone, 1),
        "two_ranks": round(inside, 1),
        "two_ranks_timed": round(timed, 3),
        "limit": LIMIT_INSTRUCTIONS,
        "two_ranks_limit": LIMIT_INSTRUCTIONS + OF_A_CLOCK * round(timed, 3),
    }


STARTED = (("bcast", "binomial", 0), ("allreduce", "recursive_doubling", 1))
TRANSPORTS = ("memory", "messages")


def start(mpi: dict[str, Any]) -> dict[str, Any]:
    return starts(mpi, STARTED[:1], TRANSPORTS[:1])


def starts(
    mpi: dict[str, Any],
    calls: tuple[tuple[str, str, int], ...] = STARTED,
    transports: tuple[str, ...] = TRANSPORTS,
) -> dict[str, Any]:
    """Instructions of calls of 8 bytes of two ranks, of the one that waits for nobody."""
    program = compiled(mpi, "starts")
    found: dict[str, Any] = {"mpi": mpi["id"]}
    for (call, algorithm, last), transport in itertools.product(calls, transports):
        variables = preloaded(mpi, f"{call}={algorithm}")
        variables |= {"ROUNDELAY_NONBLOCKING": "on", "ROUNDELAY_TRANSPORT": transport}
        for what in ("blocking", "start", "wait"):
            profile = profiles(mpi, 2, variables, program, what, STARTS, call)[last]
            total = re.search(r"^(?:summary|totals): (\d+)", profile, re.M)
            assert total is not None
            found[f"{call}_{transport}_{what}"] = round(int(total[1]) / STARTS)
    return found


def compared(mpi: dict[str, Any], variables: dict[str, str], *how: str) -> dict[str, Any]:
    found = launch(mpi, 2, variables, compiled(mpi, "ratio"), *how).split()
    ours, native, quotient = map(float, found[-3:])
    return {"mpi": mpi["id"], "ours_us": ours, "native_us": native, "ratio": quotient}


def ratio(mpi: dict[str, Any]) -> dict[str, Any]:
    forced = preloaded(mpi, "allreduce=recursive_doubling")
    return {**compared(mpi, forced), "target": TARGET_RATIO, "of": "recursive doubling"}


def first(mpi: dict[str, Any]) -> dict[str, Any]:
    alone = "the only one on a communicator, with dup and free"
    return {**compared(mpi, preloaded(mpi, ""), "first"), "of": alone}


def main() -> int:
    arguments = [word for word in sys.argv[1:] if word != "--json"]
    modes = {one.__name__: one for one in (instructions, start, starts, ratio, first)}
    if len(arguments) != 1 or arguments[0] not in modes:
        print(__doc__, file=sys.stderr)
        return 2
    path = Path(os.environ.get("ROUNDELAY_MPIS", TOP / "build" / "mpis.json"))
    for mpi in json.loads(path.read_text()):
        found = modes[arguments[0]](mpi)
        if "--json" in sys.argv or modes[arguments[0]] in (start, starts):
            print(json.dumps(found), flush=True)
        elif "ratio" in found:
            target = f" (target {found['target']:.2f})" if "target" in found else ""
            print(
                f"{found['mpi']}: allreduce of 8 bytes, 2 ranks, {found['of']}: ours "
                f"{found['ours_us']:.3f} us, native {found['native_us']:.3f} us, ratio "
                f"{found['ratio']:.3f}{target}",
                flush=True,
            )
        else:
            print(
                f"{found['mpi']}: instructions added per MPI_Allreduce of 8 bytes, forced native: "
                f"{found['one_rank']} (1 rank, limit {found['limit']}), {found['two_ranks']} "
                f"(2 ranks, {found['two_ranks_timed']:.0%} of the calls timed, limit "
                f"{found['two_ranks_limit']:.1f})",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
