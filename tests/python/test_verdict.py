# SPDX-License-Identifier: Apache-2.0
"""What `roundelay run` says in the end."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, compile_c
from roundelay.builds import builds
from roundelay.cannot_run import CannotRun
from roundelay.running import pick_build, subject_of
from roundelay.signals import Ended
from roundelay.verdict import Job, verdict

NO_MPI = "int main(void) { return 0; }"
OWN_MPI = "int MPI_Init(void) { return 0; } int main(void) { return MPI_Init(); }"
BCAST = {"collective": "bcast", "algorithm": "binomial", "reason": "forced"}
REPORT = {"event": "report", "mpi": "MPICH 4.0.2", "ranks": 2, "calls": [BCAST]}
LOADED = {"event": "loaded", "pid": 1, "exe": "/x", "launched": 0}


def why(
    command: list[str], *events: dict[str, Any], code: int = 0, forced: str = "", **ended: Any
) -> str:
    job = Job(subject_of(command), builds()[0], forced, events, Ended(code, **ended))
    return verdict(job) or "nothing to tell"


@pytest.fixture
def plain(one_build: Path, tmp_path: Path) -> str:
    """A program without MPI."""
    return str(compile_c(tmp_path, "plain", NO_MPI))


def test_nothing_to_tell(plain: str) -> None:
    assert why([plain], LOADED, REPORT) == "nothing to tell"
    assert why([plain], LOADED, REPORT, code=3) == "nothing to tell"


def test_nothing_was_intercepted(plain: str, tmp_path: Path) -> None:
    own = str(compile_c(tmp_path, "own", OWN_MPI))
    told = why([plain], {**REPORT, "calls": []})
    assert told == "nothing was intercepted: plain called no collective"
    assert "plain is not linked to an MPI library" in why([plain], LOADED)
    assert "no process on this machine loaded" in why([plain])
    told = why(["mpiexec.mpich", "--version"])
    assert "the command gives mpiexec.mpich no program" in told
    assert "own contains its MPI library" in why([own], LOADED)
    setuid = compile_c(tmp_path, "privileged", NO_MPI)
    setuid.chmod(0o4755)
    if os.access(setuid, os.X_OK):
        assert "setuid" in why([str(setuid)])


def test_a_static_program(one_build: Path, tmp_path: Path) -> None:
    static = compile_c(tmp_path, "static", NO_MPI, "-static")
    assert "static is statically linked" in why([str(static)])


def test_another_mpi(one_build: Path, tmp_path: Path) -> None:
    library = "libmpich.so.12"
    compile_c(
        tmp_path, library, "int f(void) { return 0; }", "-shared", "-fPIC", f"-Wl,-soname,{library}"
    )
    program = compile_c(
        tmp_path, "program", "int f(void); int main(void) { return f(); }",
        str(tmp_path / library), f"-Wl,-rpath,{tmp_path}",
    )  # fmt: skip
    subject = subject_of([str(program)])
    with pytest.raises(CannotRun, match=r"program is linked to libmpich\.so\.12"):
        pick_build(subject, builds(), None)
    told = "program is linked to libmpich.so.12, but the build in use is mpi40"
    assert told in why([str(program)], LOADED)
    assert told in why([str(program)], LOADED, code=134)
    # The same behind a script.
    assert told in why(["sh"], {**LOADED, "exe": str(program)}, code=134)


def test_a_launcher_of_another_mpi_than_the_build(launchers: Path, one_build: Path) -> None:
    told = why(["mpiexec.mpich", "-n", "2", "sh"], LOADED, code=1)
    assert "mpiexec.mpich belongs to MPICH, but the build in use is mpi40" in told


def test_roundelay_ended_the_job(plain: str) -> None:
    error = {"event": "error", "message": "ROUNDELAY=bcast=binomal: .."}
    told = why([plain], LOADED, error, code=1)
    assert told == "Roundelay ended the job: ROUNDELAY=bcast=binomal: .."


def test_the_job_ended_before_its_end(plain: str) -> None:
    told = why([plain], LOADED, code=139)
    assert told == "there is no report: the job ended with exit code 139 before MPI_Finalize"


def test_a_signal_ended_the_job(plain: str) -> None:
    assert why([plain], code=1, signal=signal.SIGTERM) == "SIGTERM ended the job"
    # A launcher may say that all is well; a program that ends by itself writes its report.
    assert why([plain], LOADED, signal=signal.SIGINT) == "SIGINT ended the job"
    assert why([plain], LOADED, REPORT, signal=signal.SIGINT) == "nothing to tell"


def test_the_launcher_started_nothing(
    launchers: Path, one_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["mpiexec.openmpi", "-n", "1"]
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    told = why([*command, "sh"], code=1)
    assert "mpiexec.openmpi did not start the job (exit code 1)" in told
    assert "its message above says why" in told
    elsewhere = why([*command, "-H", "other", "sh"], code=1)
    assert "did not start the job, or ranks on other machines failed" in elsewhere
    assert "there is no program './nosuch'" in why([*command, "./nosuch", "-v"], code=132)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.delenv("OMPI_ALLOW_RUN_AS_ROOT")
    assert "--allow-run-as-root" in why([*command, "sh"], code=1)
    assert "message above says why" in why([*command, "--allow-run-as-root", "sh"], code=1)


def test_too_few_slots(launchers: Path, one_build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMPI_MCA_rmaps_base_oversubscribe", "PRTE_MCA_rmaps_default_mapping_policy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        monkeypatch.setenv(name, "1")
    command = ["mpiexec.openmpi", "-n", "5000", "sh", ":", "-n", "1"]
    told = why([*command, "sh"], code=1)
    assert "5001 ranks are more than the slots of this machine, which are its cores" in told
    assert "mpiexec.openmpi --oversubscribe .. starts more ranks than slots" in told
    for allowed in (["--oversubscribe"], ["--map-by", ":OVERSUBSCRIBE"]):
        assert "slots" not in why([*command, *allowed, "sh"], code=1)
    assert "slots" not in why(["mpiexec.mpich", *command[1:], "sh"], code=1)


def test_ranks_that_do_not_know_of_each_other(launchers: Path, one_build: Path) -> None:
    loaded, report = {**LOADED, "launched": 3}, {**REPORT, "ranks": 1}
    told = why(["mpiexec.openmpi", "-n", "3", "sh"], loaded, report, report, report)
    assert "each of the 3 processes was a job of its own, with one rank" in told
    assert "mpiexec.openmpi, of Open MPI, does not start ranks of sh's MPICH 4.0.2" in told
    assert why(["mpiexec.openmpi", "-n", "2", "sh"], loaded, REPORT) == "nothing to tell"
    assert why(["sh"], LOADED, report, report) == "nothing to tell"


def test_what_was_forced_but_never_applied(plain: str) -> None:
    forced = "bcast=binomial; scan=chain; reduce=binomial"
    one_rank = {"collective": "reduce", "algorithm": "nothing", "reason": "one rank"}
    told = why([plain], LOADED, {**REPORT, "calls": [BCAST, one_rank]}, forced=forced)
    assert told == (
        "forced, but never applied: reduce=binomial (one rank), scan=chain (there was no such call)"
    )
    assert why([plain], LOADED, REPORT, forced="bcast=binomial") == "nothing to tell"
    assert why([plain], LOADED, REPORT, forced="bcast=nonesuch") == "nothing to tell"
    for call in ("ibcast", "bcast_init"):
        not_waiting = {**REPORT, "calls": [{**BCAST, "collective": call}]}
        assert why([plain], LOADED, not_waiting, forced="bcast=binomial") == "nothing to tell"


def test_what_was_forced_between_groups_but_never_applied(plain: str) -> None:
    forced = "allreduce=inter_root"
    row = {"collective": "allreduce", "algorithm": "ring", "reason": "model: two nodes"}
    told = why([plain], LOADED, {**REPORT, "calls": [row]}, forced=forced)
    assert told == (
        "forced, but never applied: allreduce=inter_root (it is for calls on an intercommunicator)"
    )
    told = why([plain], LOADED, REPORT, forced=forced)
    assert told == "forced, but never applied: allreduce=inter_root (there was no such call)"
    applied = {"collective": "allreduce", "algorithm": "inter_root", "reason": "forced"}
    report = {**REPORT, "calls": [applied]}
    assert why([plain], LOADED, report, forced=forced) == "nothing to tell"
    told = why([plain], LOADED, report, forced=f"{forced}; allreduce=ring")
    assert told == (
        "forced, but never applied: allreduce=ring (all such calls were on an intercommunicator)"
    )


BROKEN = {
    "bytes that are no UTF-8": (
        r'{"event": "loaded", "pid": 1, "exe": "/\377", "launched": 0}\n',
        0,
    ),
    "a line that is cut short": (r'{"event": "loaded", "pi', 0),
    "no line": ("", 5),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_status_file_that_cannot_be_read(cli: Cli, one_build: Path, name: str) -> None:
    """The result of the program is not lost."""
    text, code = BROKEN[name]
    script = f"printf '{text}' > \"$ROUNDELAY_STATUS\"; exit {code}"
    result = cli("run", "--", "sh", "-c", script)
    assert result.exit_code == code
    if name.startswith("bytes"):
        assert "nothing was intercepted" in result.stderr
    else:
        assert "cannot tell how the job ended" in result.stderr


def test_no_place_for_temporary_files(
    cli: Cli, one_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    result = cli("run", "--", "sh", "-c", "exit 7")
    assert result.exit_code == 7
    assert "cannot make a temporary file" in result.stderr
    assert "No space left on device" in result.stderr


def test_paths_that_are_no_utf_8(cli: Cli, one_build: Path, tmp_path: Path) -> None:
    program = compile_c(tmp_path, "program", NO_MPI)
    odd = program.with_name(os.fsdecode(b"pro\xffgram"))
    program.rename(odd)
    report = str(tmp_path / os.fsdecode(b"report\xff"))
    result = cli("run", "--report-file", report, "--", str(odd))
    assert result.exit_code == 0
    assert "nothing was intercepted" in result.stderr
    assert cli("run", "--", str(tmp_path / os.fsdecode(b"no\xff"))).exit_code == 1
    for option in ("--profile", "--force"):
        result = cli("run", option, os.fsdecode(b"/no\xff.json"), "--", "true")
        assert result.exit_code == 2
        assert "not UTF-8" in result.stderr


def test_a_program_that_cannot_be_started(cli: Cli, one_build: Path, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/shell\n")
    script.chmod(0o755)
    result = cli("run", "--", str(script))
    assert result.exit_code == 1
    assert "cannot start" in result.stderr
