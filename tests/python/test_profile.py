# SPDX-License-Identifier: Apache-2.0
"""Profiles: what is accepted and refused, by the library and by the schema alike."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import roundelay
from helpers import Cli
from hypothesis import given
from hypothesis import strategies as st
from roundelay.profiles import built_in_profiles, load_profile

TOP = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((Path(roundelay.__file__).parent / "profile.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
COLLECTIVES = sorted({one.collective for one in roundelay.algorithms()})


def written(folder: Path, document: Any) -> str:
    path = folder / "profile.json"
    path.write_text(json.dumps(document))
    return str(path)


def with_rule(collective: str, **rule: Any) -> dict[str, Any]:
    rules = [{"algorithm": "native", **rule}]
    return {"version": 1, "name": "test", "collectives": {collective: rules}}


def is_accepted(folder: Path, document: Any) -> bool:
    try:
        load_profile(written(folder, document))
    except ValueError:
        return False
    return True


def test_the_schema_is_one_and_knows_all_collectives() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert sorted(SCHEMA["properties"]["collectives"]["properties"]) == COLLECTIVES


@pytest.mark.parametrize("name", built_in_profiles())
def test_a_built_in_profile_is_the_file_that_is_shipped(name: str) -> None:
    path = TOP / "profiles" / f"{name}.json"
    one = load_profile(name)
    assert one.document == json.loads(path.read_text())
    assert one.name == name
    assert one.rules == load_profile(str(path)).rules
    VALIDATOR.validate(one.document)
    # A line is where the rule stands.
    lines = path.read_text().splitlines()
    for rule in one.rules:
        stem = rule.algorithm.partition("(")[0]
        assert f'"algorithm": "{stem}' in lines[rule.line - 1]


CONDITIONS: dict[str, tuple[Any, ...]] = {
    "bytes": ([0, 9], ["1K", "inf"], [1, "2G"], [3], 3, ["inf", 3], [1, "2T"], [-1, 2], ["", 2]),
    "block_bytes": ([1, 9], ["1M", "inf"], "all", ["1", "2"]),
    "ranks": ([2, 9], [3, "inf"], [0, 3], ["1K", "inf"], [2, 3, 4]),
    "power_of_two": (True, False, "yes", None),
    "nodes": ([1, 2], [0, 2]),
    "ranks_per_node": ([1, 2], 2),
    "sites": ([2, "inf"], 0),
    "operation": ("predefined", "user_defined", "commutative", "non_commutative", "sum"),
    "kind": ("intra", "inter", "both"),
    "byte": ([0, 1],),
}
ONE_CONDITION = [
    (collective, key, value)
    for collective in COLLECTIVES
    for key, values in CONDITIONS.items()
    for value in values
]


def test_the_library_and_the_schema_accept_the_same_conditions(tmp_path: Path) -> None:
    for collective, key, value in ONE_CONDITION:
        document = with_rule(collective, **{key: value})
        accepted = is_accepted(tmp_path, document)
        assert accepted == VALIDATOR.is_valid(document), (collective, key, value)


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"version": 1, "name": "x"},
        {"version": 1, "name": "", "collectives": {}},
        {"version": 1, "name": "a b", "collectives": {}},
        {"version": "1", "name": "x", "collectives": {}},
        {"version": 1, "name": "x", "collectives": []},
        {"version": 1, "name": "x", "collectives": {"gossip": []}},
        {"version": 1, "name": "x", "collectives": {"bcast": {}}},
        {"version": 1, "name": "x", "collectives": {"bcast": [{}]}},
        {"version": 1, "name": "x", "collectives": {"bcast": [{"algorithm": 1}]}},
        {"version": 1, "name": "x", "collectives": {}, "provenance": "by hand"},
        {"version": 1, "name": "x", "collectives": {}, "extra": 1},
    ],
)
def test_both_refuse_what_is_malformed(tmp_path: Path, document: Any) -> None:
    assert not VALIDATOR.is_valid(document)
    assert not is_accepted(tmp_path, document)


def test_both_accept_what_may_be_there(tmp_path: Path) -> None:
    free = {"deep": [{"er": None}, 1.5, True]}
    document = {
        "$schema": "profile.schema.json",
        "version": 1,
        "name": "a-b.c_1",
        "provenance": free,
        "machine": free,
        "collectives": {"bcast": []},
    }
    VALIDATOR.validate(document)
    assert is_accepted(tmp_path, document)


@given(st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace")) | st.binary())
def test_what_is_no_profile_is_an_error_with_a_line(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.json"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"profile\.json:\d+: "):
            load_profile(str(path))


def test_show(cli: Cli) -> None:
    shown = cli("profile", "show", "thakur2005").output
    assert "profiles/thakur2005.json" in shown
    assert "scatter_allgather" in shown
    again = json.loads(cli("profile", "show", "thakur2005", "--json").output)
    assert again == load_profile("thakur2005").document


def test_list(cli: Cli) -> None:
    assert cli("profile", "list").output.split() == built_in_profiles()
    assert json.loads(cli("profile", "list", "--json").output) == built_in_profiles()


def test_check(cli: Cli, tmp_path: Path) -> None:
    right = written(tmp_path, with_rule("bcast", bytes=[0, 9]))
    assert "rules: 1, for bcast" in cli("profile", "check", right).output
    (rule,) = json.loads(cli("profile", "check", right, "--json").output)["rules"]
    assert rule["conditions"] == "bytes 0 .. 9"
    wrong = written(tmp_path, with_rule("bcast", bytes=[9, 0]))
    result = cli("profile", "check", wrong)
    assert result.exit_code == 1
    assert f"{wrong}:1: " in result.stderr


def test_check_takes_a_file(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(written(tmp_path, with_rule("bcast"))).rename("mine")
    assert "./mine: profile " in cli("profile", "check", "mine").output
    assert "./thakur2005: cannot be read" in cli("profile", "check", "thakur2005").stderr


@pytest.mark.parametrize("command", ["import", "export"])
def test_the_output_never_takes_the_place_of_what_is_read(
    cli: Cli, tmp_path: Path, command: str
) -> None:
    file = written(tmp_path, with_rule("bcast"))
    before = Path(file).read_bytes()
    more = ("--target", "openmpi@4.1") if command == "export" else ()
    result = cli("profile", command, file, *more, "-o", file)
    assert result.exit_code == 2
    assert "give another one with -o" in " ".join(result.stderr.split())
    assert Path(file).read_bytes() == before


def test_run_passes_it_on(
    cli: Cli, one_build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, with_rule("bcast"))
    output = tmp_path / "output"

    def seen(*options: str) -> dict[str, str]:
        assert cli("run", *options, "--", "sh", "-c", f"env > {output}").exit_code == 0
        return dict(line.partition("=")[::2] for line in output.read_text().splitlines())

    # Ranks may be started in another folder.
    assert seen("--profile", "profile.json")["ROUNDELAY_PROFILE"] == str(tmp_path / "profile.json")
    variables = seen("--profile", "thakur2005", "--deterministic")
    assert variables["ROUNDELAY_PROFILE"] == "thakur2005"
    assert variables["ROUNDELAY_DETERMINISTIC"] == "1"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--profile", "nonesuch"), "the built-in profiles are: thakur2005"),
        (("--profile", "./nonesuch"), "./nonesuch: cannot be read"),
        (("--profile", "wrong.json"), "wrong.json:1: "),
        (("--machine", "wrong.json"), "wrong.json:1: "),
        (("--deterministic", "--force", "allreduce=ring"), "recursive_doubling"),
        (("--deterministic", "--reduce", "binomial"), "ordered"),
    ],
)
def test_run_refuses_mistakes_before_anything_starts(
    cli: Cli,
    one_build: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.json").write_text("{")
    started = tmp_path / "started"
    result = cli("run", *options, "--", "touch", str(started))
    assert result.exit_code == 2
    assert complaint in " ".join(result.stderr.split())
    assert not started.exists()
