# SPDX-License-Identifier: Apache-2.0
"""`roundelay run` behind every launcher; scripts stand for the launchers, which start one rank."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import Cli, compile_c
from roundelay.builds import builds
from roundelay.cannot_run import CannotRun
from roundelay.running import pick_build, subject_of
from roundelay.wrapped_program import program_behind

# Takes options as the launcher does and starts the first program; `valued` are its options with a
# value.
STUB = """#!/bin/sh
if [ "$1" = --version ]; then echo "{says}"; exit; fi
while [ $# -gt 0 ]; do
  case $1 in
    run|submit) shift ;;
    -x) case $2 in *=*) export "$2" ;; esac; shift 2 ;;
    -genv) export "$2=$3"; shift 3 ;;
    {valued}) shift 2 ;;
    --) shift; exec "$@" ;;
    -*) shift ;;
    *) exec "$@" ;;
  esac
done
"""
SAYS = {"mpiexec": "mpiexec (OpenRTE) 4.1.4", "mpirun": "HYDRA build details:\nVersion: 4.0.2"}
SAYS["prterun"] = "prterun (PRRTE) 3.0.7"
VALUED = "-n|-f|-p|-c|-a|-N|-cc|-d|--mca|--map-by"
TOP = Path(__file__).resolve().parents[2]
LAUNCHERS = ("mpiexec", "mpirun", "prterun", "srun", "aprun", "jsrun", "flux")
# Writes what it was given into the file that is its first argument.
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  const char* force = getenv("ROUNDELAY");
  FILE* file = argc > 1 ? fopen(argv[1], "w") : stdout;
  fprintf(file, "%s\\n%s\\n", getenv("LD_PRELOAD"), force ? force : "");
  return fclose(file);
}
"""


def linked(folder: Path, name: str, soname: str) -> Path:
    """A program that is linked to an MPI library of that name, which does nothing."""
    compile_c(folder, soname, "", "-shared", "-fPIC", f"-Wl,-soname,{soname}")
    needed = ("-Wl,--no-as-needed", str(folder / soname), f"-Wl,-rpath,{folder}")
    return compile_c(folder, name, PROGRAM, *needed)


def executable(file: Path, text: str) -> Path:
    file.write_text(text)
    file.chmod(0o755)
    return file


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A program that is linked to an Open MPI."""
    return linked(tmp_path, "app", "libmpi.so.40")


@pytest.fixture
def stubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on PATH with all launchers."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in LAUNCHERS:
        executable(folder / name, STUB.format(says=SAYS.get(name, ""), valued=VALUED))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        "mpiexec -n 2 --map-by :OVERSUBSCRIBE",
        "mpirun -n 2 --map-by :OVERSUBSCRIBE",
        "prterun -n 2",
        "srun -n4 -p test",
        "srun -l --mpi=pmix -N 2 --",
        "aprun -n 4 -cc cpu -d 1",
        "jsrun -n 2 -a 1 -c 1",
        "flux run -n 4 -o mpi=pmix",
        "env A=1 srun -n 4",
    ],
)
def test_the_program_gets_the_variables(
    cli: Cli, one_build: Path, stubs: Path, app: Path, tmp_path: Path, words: str
) -> None:
    output = tmp_path / "output"
    executable(stubs / "flux", STUB.format(says="", valued=f"{VALUED}|-o"))
    executable(stubs / "mpirun", (stubs / "mpiexec").read_text())  # here it is Open MPI's
    for way in ([], ["env", "B=2"], ["sh", "-c", '"$0" "$@"']):
        result = cli(
            "run", "--bcast", "binomial", "--", *words.split(), *way, str(app), str(output)
        )
        assert result.exit_code == 0, result.output
        assert output.read_text().split() == [
            str(one_build / "libroundelay-mpi40.so"),
            "bcast=binomial",
        ]
        output.unlink()


def test_each_program_of_a_launch(one_build: Path, stubs: Path, app: Path) -> None:
    command = ["srun", "-n", "1", str(app), "a", ":", "-n", "2", str(app), "b"]
    assert len(subject_of(command).programs) == 2


def test_programs_of_several_mpis(one_build: Path, stubs: Path, app: Path, tmp_path: Path) -> None:
    other = linked(tmp_path, "other", "libmpi.so.12")
    subject = subject_of(["srun", "-n", "1", str(app), ":", "-n", "2", str(other)])
    with pytest.raises(CannotRun, match="the programs of one job must use one MPI") as refused:
        pick_build(subject, builds(), None)
    linked_to = f"{app.name} is linked to libmpi.so.40 and other is linked to libmpi.so.12;"
    assert linked_to in str(refused.value)


def test_programs_that_srun_reads_from_a_file(one_build: Path, stubs: Path) -> None:
    with pytest.raises(CannotRun, match="roundelay env --mpi"):
        subject_of(["srun", "--multi-prog", "programs"])


@pytest.mark.parametrize(
    "words",
    [
        ["{app}"],
        ["env", "-u", "HOME", "A=1", "{app}"],
        ["numactl", "-N", "0", "-m0", "{app}"],
        ["taskset", "-c", "0-3", "{app}"],
        ["timeout", "-k", "5", "60", "nice", "{app}"],
        ["bash", "-lc", "exec {app} 1"],
        ["sh", "-c", "export A=1; exec numactl -l {app} 1"],
        ["{folder}/wrapper", "{app}", "2"],
        ["{folder}/own", "2"],
        ["bash", "{folder}/own", "2"],
    ],
)
def test_the_program_behind_others(
    app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    for runner in ("numactl", "taskset"):  # which are not on every machine
        executable(tmp_path / runner, "#!/bin/sh\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    executable(tmp_path / "wrapper", '#!/bin/bash\nexport A=$RANK\nexec taskset -c 1 "$@"\n')
    executable(tmp_path / "own", '#!/bin/sh\nif true; then\n  "$(dirname "$0")"/app "$@"\nfi\n')
    behind = program_behind([word.format(app=app, folder=tmp_path) for word in words])
    assert behind.mpi == "libmpi.so.40"


def test_mpi4py_tells_the_mpi_of_a_python_program(
    app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "packages" / "mpi4py"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    needed = ("-Wl,--no-as-needed", str(tmp_path / "libmpi.so.40"), f"-Wl,-rpath,{tmp_path}")
    compile_c(package, "MPI.cpython.so", "", "-shared", "-fPIC", *needed)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    behind = program_behind(["python3", "app.py"])
    assert behind.mpi == "libmpi.so.40"
    assert behind.program is not None
    assert behind.program.name.startswith("the mpi4py of ")
    compile_c(package, "MPI.other.so", "", "-shared", "-fPIC")
    assert "not linked to one MPI" in program_behind(["python3", "app.py"]).why


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("#!/usr/bin/perl\n", "is a script for perl, which may load any MPI"),
        ("#!/bin/sh\nexec $PROGRAM\n", "names no program that is linked to an MPI library"),
        ("no script\n", "names no program that is linked to an MPI library"),
    ],
)
def test_what_cannot_be_told_is_said(tmp_path: Path, script: str, why: str) -> None:
    assert why in program_behind([str(executable(tmp_path / "script", script))]).why


def test_the_mpi_must_be_named_where_it_cannot_be_told(
    cli: Cli, one_build: Path, stubs: Path, tmp_path: Path
) -> None:
    second = json.loads((one_build / "libroundelay-mpi40.json").read_text())
    second |= {"id": "mpi12", "soname": "libmpi.so.12", "flavour": "mpich"}
    (one_build / "libroundelay-mpi12.json").write_text(json.dumps(second))
    script = executable(tmp_path / "script", "#!/bin/sh\nexec $PROGRAM\n")
    result = cli("run", "--", "srun", "-n", "2", str(script))
    assert result.exit_code == 1
    assert f"cannot tell which MPI 'srun' uses (the script {script} names no program" in (
        result.stderr
    )
    assert "give --mpi and the name of a build; there are: mpi12" in result.stderr
    assert cli("run", "--mpi", "mpi40", "--", "srun", "-n", "2", str(script)).exit_code == 0


def test_a_launcher_of_another_mpi_is_noticed_before_the_start(
    cli: Cli, one_build: Path, stubs: Path, app: Path, tmp_path: Path
) -> None:
    output = tmp_path / "output"
    command = ("mpirun", "-n", "2", str(app), str(output))
    result = cli("run", "--", *command)
    assert result.exit_code == 1
    assert "mpirun belongs to MPICH, but app is linked to libmpi.so.40 of Open MPI" in result.stderr
    assert "each rank would be a job of its own" in result.stderr
    assert not output.exists()
    # Who knows better says so.
    assert cli("run", "--mpi", "mpi40", "--", *command).exit_code == 0
    assert output.exists()


def test_a_build_for_another_mpi_is_noticed_before_the_start(
    cli: Cli, one_build: Path, tmp_path: Path
) -> None:
    program = linked(tmp_path, "other", "libmpi.so.12")
    result = cli("run", "--mpi", "mpi40", "--", str(program))
    assert result.exit_code == 1
    assert (
        "other is linked to libmpi.so.12, but --mpi mpi40 is the build for libmpi.so.40: leave "
        "--mpi out"
    ) in result.stderr


def test_a_launcher_that_is_not_on_path(
    cli: Cli, one_build: Path, stubs: Path, app: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Then it is that of the environment or of the MPI that the build was made with."""
    monkeypatch.setattr("sys.executable", str(tmp_path / "nowhere" / "bin" / "python"))
    description = one_build / "libroundelay-mpi40.json"
    fields = {**json.loads(description.read_text()), "mpicc": str(stubs / "mpicc")}
    description.write_text(json.dumps(fields))
    monkeypatch.setenv("PATH", "/nowhere")
    result = cli("run", "--", "mpiexec", "-n", "2", str(app), str(tmp_path / "output"))
    assert f"there is no mpiexec on PATH; using {stubs / 'mpiexec'}" in result.stderr
    assert (tmp_path / "output").exists()
    result = cli("run", "--", "srun", "-n", "2", str(app))
    assert result.exit_code == 1
    assert "there is no program 'srun' on PATH: load the module" in result.stderr


def test_the_launcher_of_the_environment(
    one_build: Path, stubs: Path, app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two, the one whose MPI the program uses."""
    for flavour, launcher in (("mpich", "mpirun"), ("openmpi", "mpiexec")):
        folder = tmp_path / f".venv-{flavour}" / "bin"
        folder.mkdir(parents=True)
        executable(folder / "mpiexec", (stubs / launcher).read_text())
    monkeypatch.setattr("sys.executable", str(tmp_path / ".venv" / "bin" / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    subject = subject_of(["mpiexec", "-n", "2", str(app)])
    assert subject.command[0] == str(tmp_path / ".venv-openmpi" / "bin" / "mpiexec")


def test_a_program_here_that_is_not_on_path(
    cli: Cli, one_build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executable(tmp_path / "solver", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    result = cli("run", "--", "solver")
    assert "there is no program 'solver' that can be run" in result.stderr
    assert "./solver" in result.stderr


def test_the_variables_for_a_batch_script(
    cli: Cli, one_build: Path, app: Path, tmp_path: Path
) -> None:
    options = ("--mpi", "mpi40", "--force", "bcast=binomial; allgather=ring", "--sites", "a: n*")
    output = cli("env", *options).output
    assert "-x LD_PRELOAD -x ROUNDELAY -x ROUNDELAY_SITES" in output
    script = f'{output}\nexec "$@"\n'
    environment = {**os.environ, "LD_PRELOAD": "libm.so.6"}
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(app)], capture_output=True, text=True, check=True,
        env=environment,
    )  # fmt: skip
    library = str(one_build / "libroundelay-mpi40.so")
    assert done.stdout.splitlines() == [f"{library}:libm.so.6", "bcast=binomial; allgather=ring"]
    assert json.loads(cli("env", *options, "--json").output) == {
        "LD_PRELOAD": library,
        "ROUNDELAY": "bcast=binomial; allgather=ring",
        "ROUNDELAY_SITES": "a: n*",
    }


def test_variables_of_a_build_that_is_not_there(cli: Cli, one_build: Path) -> None:
    result = cli("env", "--mpi", "mpi4")
    assert result.exit_code == 1
    assert "there is no build 'mpi4' (did you mean 'mpi40'?)" in result.stderr


def scripts() -> list[tuple[str, str]]:
    pages = [TOP / "docs" / "how-to" / f"{name}.md" for name in ("slurm", "pbs", "flux")]
    blocks = [(page.stem, page.read_text(encoding="utf-8")) for page in pages]
    return [
        (name, text) for name, page in blocks for text in re.findall(r"```sh\n(.*?)```", page, re.S)
    ]


@pytest.mark.parametrize(("page", "text"), scripts())
def test_the_scripts_of_the_pages(
    one_build: Path, stubs: Path, app: Path, tmp_path: Path, page: str, text: str
) -> None:
    fields = json.loads((one_build / "libroundelay-mpi40.json").read_text())
    fields |= {"id": "mpi12", "soname": "libmpi.so.12", "flavour": "mpich"}
    (one_build / "libroundelay-mpi12.json").write_text(json.dumps(fields))
    executable(stubs / "programs.conf", "exec ./app\n")
    executable(stubs / "module", "#!/bin/sh\n")
    (stubs / "roundelay").symlink_to(Path(sys.executable).with_name("roundelay"))
    done = subprocess.run(
        ["bash", "-eu", "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "SLURM_SUBMIT_DIR": ".", "PBS_O_WORKDIR": ".", "PBS_NODEFILE": "nodes"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    written = tmp_path / "input.nml"
    seen = written.read_text() if written.exists() else done.stdout
    assert seen.startswith(str(one_build / "libroundelay-mpi40.so")), done.stderr
