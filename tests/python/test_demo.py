# SPDX-License-Identifier: Apache-2.0
"""What the demo shows for made-up measurements, and which bed it takes."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))

import demo  # type: ignore[import-not-found, unused-ignore]

ROWS = [
    demo.Row("bcast 1 MiB", "default", (0.6, 0.598, 0.61)),
    demo.Row("bcast 1 MiB", "own best", (0.098,)),
    demo.Row("bcast 1 MiB", "Roundelay", (0.092, 0.093, 0.094)),
    demo.Row("alltoall 1 MiB", "default", (0.1,)),
    demo.Row("alltoall 1 MiB", "own best", (0.1,)),
    demo.Row("alltoall 1 MiB", "Roundelay", (0.08,)),
]


def test_the_longest_bar_is_the_slowest() -> None:
    assert demo.picture(ROWS, width=10).splitlines() == [
        "bcast 1 MiB",
        "  default      600 ms  ██████████  598 ms .. 610 ms",
        "  own best      98 ms  ██",
        "  Roundelay     93 ms  ██          92 ms .. 94 ms",
        "alltoall 1 MiB",
        "  default      100 ms  ██████████",
        "  own best     100 ms  ██████████",
        "  Roundelay     80 ms  ████████",
    ]


def test_the_meaning_names_the_largest_gain_and_that_over_the_best() -> None:
    meaning = demo.meaning_of_lab(ROWS)
    assert "bcast 1 MiB is 6.5 times as fast as Open MPI's default" in meaning
    assert "1.1 times as fast as the best of its own" in meaning
    assert "nothing is gained" in meaning
    assert "With a core for each rank this gain is gone" in demo.meaning_of_cores(ROWS)


def test_the_meaning_names_what_took_longer() -> None:
    meaning = demo.meaning_of_lab([*ROWS[:-1], replace(ROWS[-1], seconds=(0.12,))])
    assert "In this run alltoall 1 MiB took longer than by default" in meaning
    assert "bcast 1 MiB is 6.5 times" in meaning


def unusable() -> None:
    raise demo.Unusable("the kernel forbids namespaces")


def test_the_first_bed_that_works_is_taken_and_the_reasons_are_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lab, cores = demo.BEDS
    monkeypatch.setattr(demo, "compiler_of", lambda flavour: f"mpicc.{flavour}")
    free = replace(cores, check=lambda: None)
    free_lab = replace(lab, check=lambda: None)
    assert demo.pick([free_lab, free]) == (free_lab, "mpicc.openmpi")
    assert demo.pick([replace(lab, check=unusable), free]) == (free, "mpicc.mpich")
    assert "Mbit/s, Open MPI: the kernel forbids namespaces" in capsys.readouterr().out
    assert demo.pick([replace(lab, check=unusable), replace(cores, check=unusable)]) is None


def test_where_nothing_can_be_measured_there_is_a_simulation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[list[str]] = []

    def run(words: list[object], check: bool, env: dict[str, str]) -> None:
        assert "PYTHONPATH" not in env  # the sources have no compiled part
        ran.append(list(map(str, words)))

    monkeypatch.setattr("mpis.wrappers", list)
    monkeypatch.setattr(sys, "argv", ["demo.py"])
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr("subprocess.run", run)
    monkeypatch.setenv("PYTHONPATH", "python")
    demo.main()
    told = capsys.readouterr().out
    assert "there is no openmpi on PATH" in told
    assert "A SIMULATION" in told
    assert "Your own program" in told
    assert [words[1:] for words in ran][-1][-3:] == ["allreduce", "64K", "1M"]
    ran.clear()
    monkeypatch.setattr(sys, "argv", ["demo.py", "simulation"])
    demo.main()
    assert len(ran) == 3
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(SystemExit, match="apt-get install libsimgrid-dev"):
        demo.main()


def test_a_bed_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["demo.py", "labs"])
    with pytest.raises(
        SystemExit, match="there is no bed 'labs'; there are: lab, cores, simulation"
    ):
        demo.main()
