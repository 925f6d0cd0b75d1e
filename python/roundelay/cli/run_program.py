# SPDX-License-Identifier: Apache-2.0
"""What the commands share that run a program through Roundelay."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

import click

from roundelay import _core
from roundelay.builds import builds
from roundelay.cannot_run import CannotRun
from roundelay.cli.values import File, Word
from roundelay.files import are_the_same, require_writable, temporary_folder
from roundelay.launcher import ranks_asked
from roundelay.profiles import in_utf8, setting_of
from roundelay.running import (
    COLLECTIVES,
    Launch,
    Subject,
    UnknownEvents,
    pick_build,
    prepared,
    read_events,
    subject_of,
)
from roundelay.signals import Ended, held
from roundelay.verdict import Job, verdict

_OPTIONS = [
    click.option(
        "--force",
        metavar="TEXT",
        help='Algorithms by collective, e.g. "allgather=bruck; bcast=binomial".',
    ),
    *(
        click.option(
            f"--{collective}",
            metavar="ALGORITHM",
            help=f"Run every {collective} by this algorithm.",
        )
        for collective in COLLECTIVES
    ),
    click.option(
        "--profile",
        metavar="NAME",
        help="Rules for collectives that are not forced: a built-in profile, or a file (with a / "
        "or .json).",
    ),
    click.option(
        "--deterministic",
        is_flag=True,
        help="Combine data in an order that depends only on the number of ranks.",
    ),
    click.option(
        "--machine",
        type=File(exists=True),
        help="A machine file, which describes the network and the nodes for the model.",
    ),
    click.option("--trace", is_flag=True, help="Print a line for each call, from rank 0."),
    click.option(
        "--report",
        type=Word(["text", "json", "off"]),
        help="The report at the end; text by default.",
    ),
    click.option(
        "--report-file",
        type=File(),
        help="Write the report to this file, not to standard error.",
    ),
    click.option(
        "--wait",
        type=Word(["auto", "spin", "sleep"]),
        help="How ranks wait; by default (auto) they sleep if there are more ranks than cores.",
    ),
    click.option(
        "--transport",
        type=Word(["auto", "messages", "memory", "put"]),
        help="What carries data; by default (auto) shared memory inside a node where possible, "
        "and messages elsewhere.",
    ),
    click.option(
        "--learn",
        type=Word(["auto", "off", "on"]),
        help="Measure during the run which algorithm is fastest; by default (auto) only where no "
        "rule of a profile applies.",
    ),
    click.option(
        "--nonblocking",
        type=Word(["auto", "off", "on"]),
        help="Whether Roundelay also runs non-blocking and persistent calls (MPI_Ibcast, "
        "MPI_Bcast_init ..): where it can (on), nowhere (off), or only where a clear gain is "
        "expected (auto, the default): on one node mostly, and between nodes where messages are "
        "long.",
    ),
    click.option(
        "--save",
        type=File(),
        help="Write what was learned to this file, as a profile for the next run.",
    ),
]


_PLACE_OPTIONS = [
    click.option(
        "--sites",
        metavar="WHERE",
        help="Which ranks are at which site: 4+3 (sizes), abaab (a letter for each rank), by hosts "
        '("north: n1 n2*; south: s*"), or a file with such lines (its name needs a /).',
    ),
    click.option(
        "--nodes",
        metavar="WHERE",
        help="Which ranks share a node, in the same form; by default as on the machine.",
    ),
]


def place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that say where ranks are, which become settings of the library, too."""
    return _with(_PLACE_OPTIONS, command)


def library_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that become settings of the library."""
    return _with(_OPTIONS, command)


def _with(options: Sequence[Any], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command


def _forced(force: str | None, by_collective: dict[str, str | None]) -> str | None:
    """The value of ROUNDELAY; None: it is not changed. Raises ValueError for an unknown name."""
    parts = [force] if force is not None else []
    parts += [
        f"{collective}={name}" for collective, name in by_collective.items() if name is not None
    ]
    if not parts:
        return None
    text = in_utf8("; ".join(parts))
    _core.parse(text)
    return text


def _check_placement(option: str, value: str | None) -> None:
    """Raises ValueError if the value of --nodes or --sites is not valid."""
    if value is None:
        return
    if not value.strip():
        raise ValueError(f"{option} is empty: give e.g. 4+3 or abaab, or leave it out")
    if "/" not in value and _is_file(value):
        raise ValueError(
            f"{option} {value}: there is a file of that name; to use it, write ./{value}"
        )
    try:
        _core.ranks_placed(in_utf8(value))
    except ValueError as error:
        raise ValueError(f"{option} {error}") from None


def _is_file(name: str) -> bool:
    """Whether there is such a file. A text may be too long for a name, e.g. for many ranks."""
    try:
        return Path(name).is_file()
    except OSError:
        return False


def _check_number_of_ranks(subject: Subject, variables: Mapping[str, str]) -> None:
    """Raises CannotRun if nodes or sites are given for another number of ranks than start."""
    asked = ranks_asked(subject.launcher, subject.command) if subject.launcher else 0
    for name in ("ROUNDELAY_NODES", "ROUNDELAY_SITES"):
        value = variables.get(name, "")
        placed = _core.ranks_placed(value)
        if asked and placed and asked != placed:
            option = "--" + name.partition("_")[2].lower()
            raise CannotRun(
                f"{option} {value} is for {placed} ranks, but {subject.command[0]} starts {asked}"
            )


def check_files(variables: Mapping[str, str]) -> None:
    """Raises CannotRun for a file that the library is to write where it cannot be.

    It would be noticed only when the program has ended.
    """
    for name in ("ROUNDELAY_REPORT_FILE", "ROUNDELAY_SAVE"):
        if text := variables.get(name):
            require_writable(Path(text))


def _check_outputs(
    report: str | None,
    report_file: Path | None,
    learn: str | None,
    save: Path | None,
    read: Mapping[str, Path],
) -> None:
    """Raises ValueError for an output that stays empty, or that is the file of another option.

    `read`: the files that the library reads, by their options.
    """
    if report == "off" and report_file is not None:
        raise ValueError("--report off writes no report: leave --report-file out")
    if learn == "off" and save is not None:
        raise ValueError("--learn off learns nothing that could be saved: leave --save out")
    others = dict(read)
    for option, file in (("--save", save), ("--report-file", report_file)):
        if file is None:
            continue
        for other, theirs in others.items():
            # What was learned may take the place of what was learned before.
            if are_the_same(file, theirs) and (option, other) != ("--save", "--profile"):
                raise ValueError(f"{option} {file} is the file of {other}: give another one")
        others[option] = file


def settings(
    force: str | None,
    profile: str | None,
    deterministic: bool,
    trace: bool,
    report: str | None,
    report_file: Path | None,
    wait: str | None,
    transport: str | None = None,
    machine: Path | None = None,
    learn: str | None = None,
    nonblocking: str | None = None,
    save: Path | None = None,
    nodes: str | None = None,
    sites: str | None = None,
    **by_collective: str | None,
) -> dict[str, str]:
    """The variables that library_options() stand for. Raises ValueError."""
    forced = _forced(force, by_collective)
    for option, value in (("--nodes", nodes), ("--sites", sites)):
        _check_placement(option, value)
    if deterministic:
        _core.require_deterministic(forced or "")
    if machine is not None:
        _core.require_machine_file(in_utf8(str(machine)))
    profile_setting = setting_of(profile) if profile is not None else None
    given = {
        "--profile": profile_setting,
        "--machine": machine and machine.absolute(),
        "--nodes": nodes,
        "--sites": sites,
    }
    read = {option: Path(value) for option, value in given.items() if value and "/" in str(value)}
    _check_outputs(report, report_file, learn, save, read)
    variables = {
        "ROUNDELAY": forced,
        "ROUNDELAY_PROFILE": profile_setting,
        "ROUNDELAY_DETERMINISTIC": "1" if deterministic else None,
        "ROUNDELAY_TRACE": "1" if trace else None,
        "ROUNDELAY_REPORT": report,
        "ROUNDELAY_REPORT_FILE": str(report_file.absolute()) if report_file else None,
        "ROUNDELAY_WAIT": wait,
        "ROUNDELAY_TRANSPORT": transport,
        "ROUNDELAY_MACHINE": str(machine.absolute()) if machine else None,
        "ROUNDELAY_LEARN": learn,
        "ROUNDELAY_NONBLOCKING": nonblocking,
        "ROUNDELAY_SAVE": str(save.absolute()) if save else None,
        "ROUNDELAY_NODES": nodes,
        "ROUNDELAY_SITES": sites,
    }
    return {name: value for name, value in variables.items() if value is not None}


def say(text: str) -> None:
    """Prints what the command has to say of the job, on standard error."""
    click.echo(f"roundelay: {text}", err=True)


@contextlib.contextmanager
def _status_file() -> Iterator[Path | None]:
    """The file in which the library writes what happens; None if no file can be made."""
    with contextlib.ExitStack() as folders:
        try:
            folder = folders.enter_context(temporary_folder())
        except OSError as error:
            cannot = "cannot make a temporary file, so this command cannot tell how the job ends"
            say(f"{cannot}: {error}")
            yield None
            return
        yield folder / "status"


def run_through(
    command: Sequence[str],
    mpi: str | None,
    variables: Mapping[str, str],
    start: Callable[[Launch], Ended],
) -> int:
    """The exit code that `start` gives. Raises CannotRun.

    The last line says why the job failed or was not intercepted, where that is not the program's
    own matter.
    """
    subject = subject_of(command)
    build = pick_build(subject, builds(), mpi)
    _check_number_of_ranks(subject, variables)
    check_files(variables)
    for note in subject.notes:
        say(note)
    with held(), _status_file() as status:
        told = {"ROUNDELAY_STATUS": str(status)} if status is not None else {}
        ended = start(prepared(subject, build, {**variables, **told}))
        if status is None:
            return ended.code
        try:
            events = read_events(status)
        except UnknownEvents:
            say(f"cannot tell how the job ended: {status} could not be written")
            return ended.code
    forced = variables.get("ROUNDELAY", os.environ.get("ROUNDELAY", ""))
    job = Job(subject, build, forced, events, ended)
    if text := verdict(job):
        say(text)
    return job.code
