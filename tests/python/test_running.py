# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from helpers import Cli
from roundelay.builds import builds
from roundelay.cannot_run import CannotRun
from roundelay.running import pick_build, prepared, subject_of


def test_the_exit_code_is_the_programs(cli: Cli, one_build: Path) -> None:
    assert cli("run", "--", "sh", "-c", "exit 7").exit_code == 7
    assert cli("run", "sh", "-c", "kill -9 $$").exit_code == 128 + 9


def test_settings_reach_the_program(
    cli: Cli, one_build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDELAY_REPORT", "off")
    output = tmp_path / "output"
    words = ("--force", "bcast=binomial", "--allgather", "bruck", "--trace", "--wait", "spin")
    options = ("--transport", "messages", "--report", "json", "--report-file", "r.json")
    result = cli("run", *words, *options, "--", "sh", "-c", f"env > {output}")
    assert result.exit_code == 0
    seen = dict(line.partition("=")[::2] for line in output.read_text().splitlines())
    assert seen["ROUNDELAY"] == "bcast=binomial; allgather=bruck"
    assert seen["ROUNDELAY_TRACE"] == "1"
    assert seen["ROUNDELAY_WAIT"] == "spin"
    assert seen["ROUNDELAY_TRANSPORT"] == "messages"
    assert seen["ROUNDELAY_REPORT"] == "json"
    assert seen["ROUNDELAY_REPORT_FILE"] == str(Path.cwd() / "r.json")
    assert seen["LD_PRELOAD"] == str(one_build / "libroundelay-mpi40.so")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--allgather", "nonesuch"), "bruck"),
        (("--force", "gossip=ring"), "allgather"),
        (("--bcast", "scatter_allgather(allgather=nonesuch)"), "bruck"),
        (("--mpi", "mpi99"), "mpi40"),
    ],
)
def test_what_does_not_exist_is_refused_before_anything_starts(
    cli: Cli, one_build: Path, tmp_path: Path, options: tuple[str, ...], complaint: str
) -> None:
    started = tmp_path / "started"
    result = cli("run", *options, "--", "touch", str(started))
    assert result.exit_code != 0
    assert complaint in result.stderr
    assert not started.exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--sites", "4+"), '--sites "4+": a size is missing'),
        (("--nodes", "0+4"), "'0' is not a size from 1 to 16777216"),
        (("--nodes", "4+99999999999"), "'99999999999' is not a size from 1 to 16777216"),
        (("--nodes", "4-3"), "--nodes \"4-3\": '-' is not expected"),
        (("--sites", "north: "), "must be a name, a colon and patterns of host names"),
        (("--sites", "./nosuch"), "--sites ./nosuch: cannot be read: No such file or directory"),
        (("--sites", "/"), "--sites /: cannot be read: Is a directory"),
        (("--nodes", ""), "--nodes is empty: give e.g. 4+3 or abaab, or leave it out"),
        (("--report-file", "none/report"), "none/report: there is no folder"),
        (("--save", "none/learned.json"), "none/learned.json: there is no folder"),
        (("--sites", "places"), "there is a file of that name; to use it, write ./places"),
        (("--sites", "4+3"), "--sites 4+3 is for 7 ranks, but mpiexec.openmpi starts 2"),
        (("--nodes", "abc"), "--nodes abc is for 3 ranks, but mpiexec.openmpi starts 2"),
    ],
)
def test_placements_are_checked_before_anything_starts(
    cli: Cli, one_build: Path, launchers: Path, tmp_path: Path, options: tuple[str, ...],
    complaint: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "places").write_text("1+1")
    result = cli("run", *options, "--", "mpiexec.openmpi", "-n", "2", "sh")
    assert result.exit_code in (1, 2)
    assert complaint in result.stderr
    many = "; ".join(f"site{number}: n{number}" for number in range(100))
    for good in ("1+1", "./places", "a: n*", many):
        assert cli("run", "--sites", good, "mpiexec.openmpi", "-n", "2", "sh").exit_code == 0
    for command in ("run", "--nodes", "a" * 300, "mpiexec.openmpi", "-n", "300", "sh"), (
        "env", "--nodes", "+".join(["8"] * 200),
    ):  # fmt: skip
        assert cli(*command).exit_code == 0


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--report off --report-file r", "--report off writes no report: leave --report-file out"),
        ("--learn off --save s", "--learn off learns nothing that could be saved: leave --save"),
        ("--save s --report-file s", "--report-file s is the file of --save: give another one"),
        ("--machine m --report-file m", "--report-file m is the file of --machine: give another"),
        ("--machine m --save ./m", "--save m is the file of --machine: give another one"),
        ("--profile ./p --report-file p", "--report-file p is the file of --profile: give another"),
        ("--sites ./places --save places", "--save places is the file of --sites: give another"),
        ("--profile ./p --save p", None),
        ("--machine m --save s --report-file r", None),
    ],
)
@pytest.mark.parametrize("command", [("run", "true"), ("env",)])
def test_no_file_is_lost(
    cli: Cli, one_build: Path, tmp_path: Path, options: str, complaint: str | None,
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "places").write_text("1+1")
    (tmp_path / "m").write_text('{"version": 1}')
    (tmp_path / "p").write_text('{"version": 1, "name": "p", "collectives": {}}')
    result = cli(command[0], *options.split(), *command[1:])
    assert result.exit_code == (0 if complaint is None else 2)
    assert (complaint or "") in result.stderr


def test_env_checks_the_files_as_run_does(cli: Cli, one_build: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "none" / "learned.json"
    result = cli("env", "--save", str(nowhere))
    assert result.exit_code == 1
    assert f"cannot write {nowhere}: there is no folder {nowhere.parent}" in result.stderr


def test_a_folder_is_no_program(cli: Cli, one_build: Path, tmp_path: Path) -> None:
    result = cli("run", "--", str(tmp_path))
    assert result.exit_code == 1
    assert f"'{tmp_path}' is a folder, not a program" in result.stderr


def test_the_empty_name_is_no_program(cli: Cli, one_build: Path) -> None:
    result = cli("run", "--", "")
    assert result.exit_code == 1
    assert result.stderr == "Error: the name of the program is empty\n"


def test_a_program_that_is_not_there(cli: Cli, one_build: Path) -> None:
    result = cli("run", "--", "/no/such/program")
    assert result.exit_code == 1
    assert "there is no program" in result.stderr


def test_no_build_for_the_launchers_mpi(cli: Cli, one_build: Path, launchers: Path) -> None:
    result = cli("run", "--", "mpiexec.mpich", "-n", "2", "sh")
    assert result.exit_code == 1
    assert "libmpich.so.12, for which there is no build" in result.stderr
    assert "there are: mpi40" in result.stderr
    assert "make build" in result.stderr


def test_no_build_at_all(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDELAY_LIBRARY_DIR", str(tmp_path))
    result = cli("run", "--", "true")
    assert result.exit_code == 1
    assert f"no build was found in {tmp_path}" in result.stderr


def test_the_launchers_build_is_picked(one_build: Path, launchers: Path) -> None:
    subject = subject_of(["mpiexec.openmpi", "-n", "2", "sh"])
    build = pick_build(subject, builds(), None)
    assert build.id == "mpi40"
    planned = prepared(subject, build, {})
    # The launcher's library is not the one that the build would load.
    assert planned.environment["LD_LIBRARY_PATH"] == str(launchers / "lib")
    assert "LD_PRELOAD" not in planned.environment


def test_a_library_that_is_preloaded_already_stays(
    one_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_PRELOAD", "libm.so.6")
    (build,) = builds()
    assert prepared(subject_of(["true"]), build, {}).environment["LD_PRELOAD"] == (
        f"{build.library}:libm.so.6"
    )


def test_a_path_that_ld_preload_cannot_name(
    one_build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "with a space"
    one_build.rename(folder)
    monkeypatch.setenv("ROUNDELAY_LIBRARY_DIR", str(folder))
    with pytest.raises(CannotRun, match="space"):
        prepared(subject_of(["true"]), builds()[0], {})
