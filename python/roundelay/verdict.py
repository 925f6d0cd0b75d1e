# SPDX-License-Identifier: Apache-2.0
"""What came of a job through Roundelay, in the sentence that `roundelay run` ends with."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundelay import _core
from roundelay.builds import Build
from roundelay.catalogue import algorithms, collective_of_call
from roundelay.elf import MPI_NAMES, defined_functions, read_program
from roundelay.launcher import (
    ANY,
    HOSTS,
    Launcher,
    may_oversubscribe,
    may_run_elsewhere,
    missing_program,
    options_of,
    ranks_asked,
)
from roundelay.running import Subject, no_program
from roundelay.signals import Ended

ROOT = ("ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM")


@dataclass(frozen=True)
class Job:
    """A job that has ended."""

    subject: Subject
    build: Build
    forced: str  # as the variable ROUNDELAY has it
    events: Sequence[dict[str, Any]]  # what the library wrote while it ran
    ended: Ended

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """The events of that kind."""
        return [event for event in self.events if event["event"] == kind]

    @property
    def code(self) -> int:
        """The exit code. MPICH's launcher gives 0 for ranks that it ended by a signal."""
        if self.ended.code == 0 and self.ended.signal is not None and not self.of_kind("report"):
            return 128 + self.ended.signal
        return self.ended.code

    @property
    def failed(self) -> bool:
        """Whether its exit code says so."""
        return self.code != 0

    @property
    def name(self) -> str:
        """What the user wants to run."""
        program = self.subject.program
        return program.path.name if program is not None else self.subject.command[0]


def verdict(job: Job) -> str | None:
    """Why the job failed or was not intercepted; None if there is nothing to tell."""
    for tell in (_error, _signal, _refused, _singletons, _unseen, _died, _no_calls, _never_applied):
        if text := tell(job):
            return text
    return None


def _error(job: Job) -> str | None:
    errors = job.of_kind("error")
    return f"Roundelay ended the job: {errors[0]['message']}" if errors else None


def _signal(job: Job) -> str | None:
    return Ended(job.code, job.ended.signal).ending


def _refused(job: Job) -> str | None:
    """The launcher did not start the program."""
    launcher = job.subject.launcher
    if launcher is None or job.events or not job.failed:
        return None
    command = job.subject.command
    refused = f"{launcher.name} did not start the job (exit code {job.code}): "
    if _refuses_root(launcher, command):
        return (
            f"{refused}as root it needs --allow-run-as-root, or "
            f"{' and '.join(f'OMPI_{name}=1' for name in ROOT)} in its environment"
        )
    if missing := missing_program(launcher, command):
        return f"{refused}{no_program(missing)}"
    if lack := _lack_of_slots(launcher, command):
        return f"{refused}{lack}"
    program = job.subject.program
    if program is not None and (not program.dynamic or program.privileged):
        return None  # it may have run, and failed by itself
    if may_run_elsewhere(launcher, command):
        return (
            f"no process on this machine loaded Roundelay, and {launcher.path.name} ended with "
            f"exit code {job.code}: it did not start the job, or ranks on other machines failed"
        )
    return f"{refused}its message above says why"


def _refuses_root(launcher: Launcher, command: Sequence[str]) -> bool:
    if launcher.flavour != "openmpi" or os.geteuid() != 0:
        return False
    prefixes = ("OMPI", "PRTE") if launcher.major >= 5 else ("OMPI",)
    allowed = any(all(os.environ.get(f"{prefix}_{name}") for name in ROOT) for prefix in prefixes)
    return not allowed and not {"--allow-run-as-root", "-allow-run-as-root"} & set(command)


def cores() -> int:
    """The cores that this process may use; hardware threads of one core are one."""
    siblings = set()
    for cpu in os.sched_getaffinity(0):
        file = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        siblings.add(file.read_text() if file.exists() else str(cpu))
    return len(siblings)


def _lack_of_slots(launcher: Launcher, command: Sequence[str]) -> str | None:
    """More ranks than Open MPI starts on this machine, where no list of hosts says how many."""
    options = {words[0] for words in options_of(launcher, command)}
    if launcher.flavour != "openmpi" or options & HOSTS or may_oversubscribe(launcher, command):
        return None
    if may_run_elsewhere(launcher, command) or ranks_asked(launcher, command) <= cores():
        return None
    option = "--map-by :OVERSUBSCRIBE" if launcher.major >= 5 else "--oversubscribe"
    return (
        f"{ranks_asked(launcher, command)} ranks are more than the slots of this machine, which "
        f"are its cores ({cores()}): {launcher.name} {option} .. starts more ranks than slots"
    )


def _singletons(job: Job) -> str | None:
    """Ranks that do not know of each other."""
    reports = job.of_kind("report")
    launched = max((event["launched"] for event in job.of_kind("loaded")), default=0)
    launcher = job.subject.launcher
    if launched < 2 or not reports or any(report["ranks"] > 1 for report in reports):
        return None
    who = launcher.name if launcher is not None else "the launcher"
    known = launcher is not None and launcher.flavour != ANY
    whose = f", of {MPI_NAMES[launcher.flavour]}," if launcher is not None and known else ""
    cure = "use the mpiexec of that MPI"
    if who == "srun":
        cure = f"srun --mpi=list shows what else it can do, e.g. --mpi=pmix; or {cure}"
    return (
        f"each of the {launched} processes was a job of its own, with one rank: {who}{whose} does "
        f"not start ranks of {job.name}'s {reports[0]['mpi']}; {cure}"
    )


def _of_another_mpi(job: Job) -> str | None:
    """A program that was loaded with a build for another MPI than its own."""
    program = job.subject.program
    loaded = dict.fromkeys(Path(event["exe"]) for event in job.of_kind("loaded"))
    for each in filter(None, [program, *map(read_program, loaded)]):
        if each.mpi not in (None, job.build.soname):
            return f"{each.name} is linked to {each.mpi}, but the build in use is {job.build.text}"
    launcher = job.subject.launcher
    if launcher is None:
        return None
    if job.failed and not launcher.starts(job.build.flavour):
        return (
            f"{launcher.path} belongs to {MPI_NAMES[launcher.flavour]}, but the build in use is "
            f"{job.build.text}"
        )
    return None


def _unseen(job: Job) -> str | None:
    """The calls of the program do not pass the library."""
    program, name = job.subject.program, job.name
    if job.of_kind("report"):
        return None
    why = None
    if program is not None and not program.dynamic:
        why = f"{name} is statically linked: nothing can be loaded into it. Link it dynamically"
    elif program is not None and program.privileged:
        why = f"{name} is setuid or setgid: the loader then ignores LD_PRELOAD"
    elif program is not None and {"MPI_Init", "PMPI_Init"} & defined_functions(program.path):
        why = f"{name} contains its MPI library: its calls cannot be intercepted"
    elif other := _of_another_mpi(job):
        why = other
    elif not job.events:
        launcher = job.subject.launcher
        perhaps = (
            f"the command gives {launcher.name} no program"
            if launcher is not None and not job.subject.programs
            else "a script on the way may have cleared LD_PRELOAD"
        )
        why = (
            f"no process on this machine loaded the library; {perhaps}. What runs on other "
            "machines cannot be told from here"
        )
    return f"nothing was intercepted: {why}" if why else None


def _died(job: Job) -> str | None:
    if job.of_kind("report") or not job.failed:
        return None
    return f"there is no report: the job ended with exit code {job.code} before MPI_Finalize"


def _no_calls(job: Job) -> str | None:
    reports, program = job.of_kind("report"), job.subject.program
    if any(report["calls"] for report in reports):
        return None
    why = "called no collective"
    if not reports and program is not None and program.mpi is None:
        why = f"is not linked to an MPI library; if it loads one by itself, it {why}"
    elif not reports:
        why += ", or ended without MPI_Finalize"
    return f"nothing was intercepted: {job.name} {why}"


def _never_applied(job: Job) -> str | None:
    """Forced algorithms that no call was run by."""
    rows = [row for report in job.of_kind("report") for row in report["calls"]]
    never = []
    for between in (False, True):
        try:
            wanted = _core.parse(job.forced, between=between)
        except ValueError:  # the library has said so, if it was asked for anything
            return None
        for collective, algorithm in wanted.items():
            own = [row for row in rows if collective_of_call(row["collective"]) == collective]
            if not any(_is_forced(row, collective, between) for row in own):
                never.append(f"{collective}={algorithm} ({_why_not(own, between)})")
    return f"forced, but never applied: {', '.join(never)}" if never else None


def _is_forced(row: Mapping[str, Any], collective: str, between: bool) -> bool:
    """Whether its calls were run by the forced algorithm, of one group or between two."""
    name = row["algorithm"].partition("(")[0]
    is_between = any(one.algorithm == name and one.groups == 2 for one in algorithms(collective))
    return row["reason"] == "forced" and is_between == between


def _why_not(rows: Sequence[Mapping[str, Any]], between: bool) -> str:
    if not rows:
        return "there was no such call"
    if between:
        return "it is for calls on an intercommunicator"
    return "; ".join(sorted({row["reason"] for row in rows if row["reason"] != "forced"})) or (
        "all such calls were on an intercommunicator"
    )
