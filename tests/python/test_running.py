# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, compile_c
from roundelay.builds import builds
from roundelay.running import CannotRun, examine, pick_build, plan, why_nothing

NO_MPI = "int main(void) { return 0; }"
OWN_MPI = "int MPI_Init(void) { return 0; } int main(void) { return MPI_Init(); }"
REPORT = {"event": "report", "calls": [{"collective": "bcast"}]}
LOADED = {"event": "loaded", "pid": 1, "exe": "/x"}


def test_the_exit_code_is_the_programs(cli: Cli, one_build: Path) -> None:
    assert cli("run", "--", "sh", "-c", "exit 7").exit_code == 7
    assert cli("run", "sh", "-c", "kill -9 $$").exit_code == 128 + 9


def test_settings_reach_the_program(
    cli: Cli, one_build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDELAY_REPORT", "off")
    output = tmp_path / "output"
    words = ("--force", "bcast=binomial", "--allgather", "bruck", "--trace", "--wait", "spin")
    options = ("--report", "json", "--report-file", "r.json")
    result = cli("run", *words, *options, "--", "sh", "-c", f"env > {output}")
    assert result.exit_code == 0
    seen = dict(line.partition("=")[::2] for line in output.read_text().splitlines())
    assert seen["ROUNDELAY"] == "bcast=binomial; allgather=bruck"
    assert seen["ROUNDELAY_TRACE"] == "1"
    assert seen["ROUNDELAY_WAIT"] == "spin"
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
    assert "there is none" in result.stderr


def test_the_launchers_build_is_picked(one_build: Path, launchers: Path) -> None:
    subject = examine(["mpiexec.openmpi", "-n", "2", "sh"])
    build = pick_build(subject, builds(), None)
    assert build.id == "mpi40"
    planned = plan(subject, build, {})
    # The launcher's library is not the one that the build would load.
    assert planned.environment["LD_LIBRARY_PATH"] == str(launchers / "lib")
    assert "LD_PRELOAD" not in planned.environment


def test_a_library_that_is_preloaded_already_stays(
    one_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_PRELOAD", "libm.so.6")
    (build,) = builds()
    assert plan(examine(["true"]), build, {}).environment["LD_PRELOAD"] == (
        f"{build.library}:libm.so.6"
    )


def test_a_path_that_ld_preload_cannot_name(
    one_build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "with a space"
    one_build.rename(folder)
    monkeypatch.setenv("ROUNDELAY_LIBRARY_DIR", str(folder))
    with pytest.raises(CannotRun, match="space"):
        plan(examine(["true"]), builds()[0], {})


def why(command: list[str], *events: dict[str, Any]) -> str | None:
    return why_nothing(examine(command), builds()[0], events)


def test_why_nothing_was_intercepted(one_build: Path, tmp_path: Path) -> None:
    plain = str(compile_c(tmp_path, "plain", NO_MPI))
    own = str(compile_c(tmp_path, "own", OWN_MPI))
    assert why([plain], LOADED, REPORT) is None
    assert "called none of the collectives" in str(why([plain], {"event": "report", "calls": []}))
    assert "plain is not linked to an MPI library" in str(why([plain], LOADED))
    assert "no process on this machine loaded" in str(why([plain]))
    assert "own carries its MPI within itself" in str(why([own], LOADED))
    setuid = compile_c(tmp_path, "privileged", NO_MPI)
    setuid.chmod(0o4755)
    if os.access(setuid, os.X_OK):
        assert "setuid" in str(why([str(setuid)]))


def test_why_of_a_static_program(one_build: Path, tmp_path: Path) -> None:
    static = compile_c(tmp_path, "static", NO_MPI, "-static")
    assert "static is statically linked" in str(why([str(static)]))


def test_why_of_another_mpi(one_build: Path, tmp_path: Path) -> None:
    library = "libmpich.so.12"
    compile_c(
        tmp_path, library, "int f(void) { return 0; }", "-shared", "-fPIC", f"-Wl,-soname,{library}"
    )
    program = compile_c(
        tmp_path, "program", "int f(void); int main(void) { return f(); }",
        str(tmp_path / library), f"-Wl,-rpath,{tmp_path}",
    )  # fmt: skip
    subject = examine([str(program)])
    with pytest.raises(CannotRun, match=r"program is linked to libmpich\.so\.12"):
        pick_build(subject, builds(), None)
    assert "linked to libmpich.so.12, but the build in use is mpi40" in str(
        why([str(program)], LOADED)
    )
