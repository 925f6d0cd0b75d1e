# SPDX-License-Identifier: Apache-2.0
"""The scripts that simulate what the papers measured, with few ranks and short messages."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from roundelay.cannot_run import CannotRun
from roundelay.simulation import smpi

REPRO = Path(__file__).resolve().parents[2] / "repro"

SMALL: dict[str, dict[str, object]] = {
    "bine": {"RANKS": 8, "SIZES": [2], "DRAWN": (2, 3)},
    "jeannot": {"PLACES": [(2, 3)], "BLOCKS": [64], "SCALED": [(2, 2)], "SCALED_BLOCKS": [64]},
    "kang": {"GROUPS": [(2, 2), (1, 3)], "BLOCKS": [64]},
    "pat": {"RANKS": 4},
    "swing": {"TORI": [(4,), (2, 2)]},
    "thakur": {"RANKS": (4,)},
    "tipparaju": {"RANKS": [4], "BLOCKS": [64]},
    "traff2410": {"RANKS": [5]},
    "tuna": {"RANKS": 4, "BLOCKS": [64]},
    "traff": {"RANKS": 5, "IRREGULAR": {5: [4096]}, "SIZES": [4096]},
}


@pytest.fixture(params=SMALL)
def script(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    try:
        smpi.program()
    except CannotRun as reason:
        pytest.skip(str(reason))
    monkeypatch.syspath_prepend(str(REPRO))
    module = importlib.import_module(request.param)
    for name, value in SMALL[request.param].items():
        monkeypatch.setattr(module, name, value)
    return module


def test_every_figure_is_there(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(script, "write", lambda _, *parts: written.extend(parts))
    if script.__name__ == "thakur":
        monkeypatch.setattr(script, "CASES", script.CASES[-2:])
    script.main()
    tables = [part.splitlines() for part in written if part.startswith("| ")]
    assert tables
    for head, _, *rows in tables:
        assert rows
        for row in rows:
            figures = [cell.strip() for cell in row.strip("|").split("|")][:-1]
            assert all(figures), (head, row)
