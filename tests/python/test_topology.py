# SPDX-License-Identifier: Apache-2.0
"""`roundelay doctor --topology` where a script stands in for the ranks."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers import Cli
from roundelay.signals import Ended

HOSTS = ("n3", "n1", "n2", "n1")
NEAR, FAR = 20e-6, 5e-3


@pytest.fixture
def measured(one_build: Path) -> Path:
    """Ranks on three hosts, of which n1 and n2 are near each other."""
    rows = [
        {"rank": rank, "host": host, "seconds": [_way(host, other) for other in HOSTS[rank + 1 :]]}
        for rank, host in enumerate(HOSTS)
    ]
    return prints(one_build, ["# a word of the launcher", *map(json.dumps, rows)])


def _way(host: str, other: str) -> float:
    return FAR if "n3" in (host, other) else NEAR


def prints(build: Path, lines: Sequence[str]) -> Path:
    program = build / "latencies-mpi40"
    program.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n")
    program.chmod(0o755)
    return program


def test_the_matrix_and_the_sites(cli: Cli, measured: Path) -> None:
    found = json.loads(cli("doctor", "--topology", "--json", "--", "env").stdout)
    assert found["hosts"] == list(HOSTS)
    assert found["latencies"][1] == [FAR, 0, NEAR, NEAR]
    assert found["divided"] == [["n3"], ["n1", "n2"]]
    assert found["ratio"] == pytest.approx(FAR / NEAR)
    assert found["sites"] == "site1: n3; site2: n1 n2"


def test_for_people(cli: Cli, measured: Path) -> None:
    shown = cli("doctor", "--topology", "--", "env").stdout
    assert "4 ranks on 3 hosts" in shown
    assert "2 sites: n3 | n1 n2" in shown
    assert "250 times as long" in shown
    assert shown.splitlines()[-1] == 'ROUNDELAY_SITES="site1: n3; site2: n1 n2"'


def test_a_line_for_each_of_many_hosts(cli: Cli, one_build: Path) -> None:
    ranks = 30
    rows = [
        {"rank": rank, "host": f"host{rank // 2}", "seconds": [NEAR] * (ranks - rank - 1)}
        for rank in range(ranks)
    ]
    prints(one_build, list(map(json.dumps, rows)))
    shown = cli("doctor", "--topology", "--", "env").stdout
    assert [line.split()[:2] for line in shown.splitlines() if line.startswith("host")][1:] == [
        [f"host{i}", "2"] for i in range(ranks // 2)
    ]
    assert "No sites found" in shown


def test_a_file_for_the_setting(cli: Cli, measured: Path, tmp_path: Path) -> None:
    file = tmp_path / "sites"
    shown = cli("doctor", "--topology", "-o", str(file), "--", "env").stdout
    assert file.read_text() == "site1: n3\nsite2: n1 n2\n"
    assert shown.splitlines()[-1] == f"ROUNDELAY_SITES={file}"


def test_a_file_that_cannot_be_written(cli: Cli, measured: Path, tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "sites"
    outcome = cli("doctor", "--topology", "-o", str(file), "--", "env")
    assert outcome.exit_code == 1
    assert f"cannot write {file}: there is no folder {file.parent}" in outcome.stderr
    assert outcome.stdout.splitlines()[-1] == 'ROUNDELAY_SITES="site1: n3; site2: n1 n2"'


def test_ctrl_c_is_no_failure_of_the_launcher(
    cli: Cli, measured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = Ended(1, signal=signal.SIGINT)
    monkeypatch.setattr("roundelay.latencies.output", lambda words, environment: (stopped, ""))
    outcome = cli("doctor", "--topology", "--", "env")
    assert outcome.exit_code == 130
    assert outcome.stderr.splitlines()[-1] == "stopped by SIGINT"


def test_no_file_without_sites(cli: Cli, one_build: Path, tmp_path: Path) -> None:
    prints(one_build, ['{"rank": 0, "host": "n1", "seconds": []}'])
    file = tmp_path / "sites"
    outcome = cli("doctor", "--topology", "-o", str(file), "--", "env")
    assert outcome.exit_code == 1
    assert not file.exists()
    assert "No sites found: this needs at least three hosts, not 1." in outcome.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--topology"], "together with the command"),
        (["--", "mpiexec"], "together with the command"),
        (["-o", "sites"], "is only for --topology"),
        (
            ["--topology", "--", "mpiexec.mpich", "-n", "4", "ls"],
            "leave 'ls' out of the launcher's command",
        ),
        (["--topology", "--", "true"], "measured nothing"),
        (["--topology", "--", "sh", "-c", "env $0; env $0"], "more than one job"),
        (["--topology", "--", "nonesuch"], "there is no program 'nonesuch'"),
    ],
)
def test_what_cannot_be_meant(
    cli: Cli, measured: Path, launchers: Path, words: list[str], told: str
) -> None:
    outcome = cli("doctor", *words)
    assert outcome.exit_code != 0
    assert told in " ".join(outcome.output.split())
