# SPDX-License-Identifier: Apache-2.0
"""Profiles as rules of Open MPI: what is written is what both readings of the file find."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli
from roundelay import _core
from roundelay.profiles import load_profile
from roundelay.rule_files import classic, open_mpi, version3
from roundelay.rule_files.from_profile import export

RULES: dict[str, Any] = {
    "allreduce": [
        {"algorithm": "recursive_doubling", "bytes": [0, "16K"]},
        {"algorithm": "rabenseifner", "ranks": [2, 7]},
        {"algorithm": "circulant", "ranks": [8, 63]},
        {"algorithm": "ring"},
    ],
    "bcast": [
        {"algorithm": "binomial", "bytes": [0, 8191]},
        {"algorithm": "chain", "ranks": [4, "inf"]},
    ],
    "scatter": [{"algorithm": "binomial", "block_bytes": [0, 999]}, {"algorithm": "linear"}],
    "barrier": [{"algorithm": "dissemination"}],
}
LENGTHS = (0, 1, 8191, 8192, 16384, 16385, 65536, 1 << 20, 1 << 26)
RANKS = (2, 3, 4, 7, 8, 63, 64, 65, 100, 1000)


@pytest.fixture
def profile(tmp_path: Path) -> str:
    path = tmp_path / "site.json"
    path.write_text(json.dumps({"version": 1, "name": "site", "collectives": RULES}))
    return str(path)


def expected(profile: str, collective: str, ranks: int, nbytes: int) -> int:
    """Open MPI's number for what the library itself finds in the profile."""
    algorithm = ""
    for least, one in _core.profile_at(profile, collective, ranks, 1):
        algorithm = one if least <= nbytes else algorithm
    return open_mpi.ALGORITHMS[collective].get(algorithm, open_mpi.OWN_RULES)


@pytest.mark.parametrize("collective", sorted(RULES))
def test_both_readings_and_json_say_what_the_profile_says(profile: str, collective: str) -> None:
    rules = export(profile, most_ranks=128, ranks_per_node=1, startup=4096).rules
    entries = classic.parse(classic.text(rules))
    read = version3.rules_of(version3.parse(version3.text(rules)))
    assert read == rules
    for ranks in RANKS:
        for nbytes in LENGTHS:
            wanted = expected(profile, collective, ranks, nbytes)
            theirs = nbytes
            if collective == "scatter":  # they count one block
                if nbytes % ranks:
                    continue
                theirs = nbytes // ranks
            for sizes_end in (False, True):
                found = classic.chosen(entries, collective, ranks, theirs, sizes_end=sizes_end)
                assert found.algorithm == wanted, (ranks, nbytes, sizes_end)
            assert version3.chosen(read, collective, ranks, theirs).algorithm == wanted


def test_what_open_mpi_lacks_is_said_and_left_to_it(cli: Cli, profile: str) -> None:
    result = cli("profile", "export", profile, "--target", "openmpi@4.1")
    assert result.exit_code == 0
    assert result.stderr == (
        "allreduce=circulant, 8 to 63 ranks, from 16385 bytes on: "
        "Open MPI has no such algorithm, its own rules stay\n"
    )
    entries = classic.parse(result.stdout)
    found = classic.chosen(entries, "allreduce", 8, 1 << 20, sizes_end=False)
    assert found.algorithm == open_mpi.OWN_RULES


def test_pipelines_get_segments(profile: str) -> None:
    rules = export(profile, most_ranks=64, ranks_per_node=1, startup=4096).rules
    short = version3.chosen(rules, "bcast", 8, 16384)
    long = version3.chosen(rules, "bcast", 8, 1 << 24)
    assert 1024 <= short.segment < long.segment <= 1 << 18


@pytest.mark.parametrize("target", ["openmpi@5.0", "openmpi@6.0"])
def test_an_export_comes_back(cli: Cli, profile: str, tmp_path: Path, target: str) -> None:
    rules, back = tmp_path / "rules", tmp_path / "back.json"
    assert cli("profile", "export", profile, "--target", target, "-o", str(rules)).exit_code == 0
    result = cli("profile", "import", str(rules), "-o", str(back))
    assert result.exit_code == 0, result.output
    for collective in ("allreduce", "bcast", "barrier"):
        for ranks in RANKS:
            for nbytes in LENGTHS:
                wanted = expected(profile, collective, ranks, nbytes)
                assert expected(str(back), collective, ranks, nbytes) == wanted


def test_a_file_with_names_gaps_and_placements(cli: Cli, tmp_path: Path) -> None:
    """The first rule that has a length counts, and only what is named must be there."""
    rules = [
        {"msg_size_min": 16, "msg_size_max": 1023, "alg": "recursive_doubling"},
        {"msg_size_min": 512, "msg_size_max": 8191, "alg": "ring"},
        {"msg_size_min": 65536, "alg": "rabenseifner"},
    ]
    allreduce = [
        {"comm_size_max": 8, "comm_rank_distribution": "single-node", "rules": [{"alg": "ring"}]},
        {"comm_size_min": 2, "comm_size_max": "inf", "rules": rules},
    ]
    allgather = [{"rules": [{"alg": "bruck-k-fanout"}]}, {"rules": [{"alg": "bruck"}]}]
    document = {"allreduce": allreduce, "allgather": allgather}
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"rule_file_version": 3, "collectives": document}))
    read = version3.rules_of(version3.parse(path.read_text()))
    assert [(one.least, one.algorithm) for one in read["allreduce"][1].rules] == [
        (0, 0), (16, 3), (1024, 4), (8192, 0), (65536, 6),
    ]  # fmt: skip
    assert {one.rules for one in read["allgather"]} == {(open_mpi.MessageRule(0, 2),)}
    assert version3.chosen(read, "allreduce", 4, 8) == open_mpi.MessageRule(0, open_mpi.OWN_RULES)
    assert version3.chosen(read, "allreduce", 4, 8, "single-node").algorithm == 4
    profile = tmp_path / "profile.json"
    result = cli("profile", "import", str(path), "-o", str(profile))
    assert result.exit_code == 0, result.output
    first, second, *_ = json.loads(profile.read_text())["collectives"]["allreduce"]
    assert first == {"algorithm": "ring", "ranks": [1, 8], "nodes": [1, 1]}
    assert second == {"algorithm": "native", "bytes": [0, 15], "ranks": [2, "inf"]}
    assert _core.profile_at(str(profile), "allgather", 4, 2) == [(0, "bruck")]


def test_names_are_those_of_the_numbers() -> None:
    assert open_mpi.NAMES.keys() == open_mpi.NUMBERS.keys()
    for collective, ours in open_mpi.ALGORITHMS.items():
        assert max(ours.values()) <= len(open_mpi.NAMES[collective])


def _one_rule(**changed: Any) -> str:
    """A file in which something is wrong: in the second rule, or the entry that it is in."""
    rule: dict[str, Any] = {"msg_size_min": 0, "alg": 6}
    other = {key: changed.pop(key) for key in ("alg", "msg_size_min", "seg_size") if key in changed}
    rules = [rule, {"msg_size_min": 8, "alg": 1, **other}]
    entry = {"comm_size_min": 2, "comm_size_max": "inf", "rules": rules, **changed}
    return json.dumps({"rule_file_version": 3, "collectives": {"bcast": [entry]}})


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1\n7\n1\n2 1\n0 6 0", "the file ends where a segment is expected"),
        ("1\n5\n1\n2 1\n0 6 0 0\n", "line 2: there is no collective 5; there are 0, 1, 2"),
        ("1\n7\n1\n2 1\n8 6 0 0\n", "line 5: the first rule must begin at 0 bytes"),
        (
            "1\n7\n1\n2 2\n0 6 0 0\n0 6 0 0\n",
            "line 6: the bytes of a rule must be more than those of the rule before, not 0",
        ),
        ("1\n7\n1\n2 1\n0 six 0 0\n", "line 5: 'six' is not a whole number"),
        ("1\n7\n1\n2 1\n0 6 0 0\n9\n", "line 6: more numbers than the file announces"),
        ("rule-file-version-9\n0\n", "rule-file-version-9: only 1 and 2 are known"),
        ('{"rule_file_version": 2}', "'rule_file_version' must be 3"),
        ('{"rule_file_version": 3, "collectives": {"bcst": []}}', "'bcst' (did you mean 'bcast'?)"),
        (
            '{"rule_file_version": 3, "collectives": {"bcast": [{}]}}',
            "bcast[0]: there is no 'rules'",
        ),
        (_one_rule(alg="binomal"), "no algorithm 'binomal' (did you mean 'binomial'?); there are"),
        (
            _one_rule(comm_rank_distribution="some"),
            "'comm_rank_distribution' must be one of any, one-per-node, single-node, not \"some\"",
        ),
        (
            '{"rule_file_version": 3, "collectives": {"bcast": 1}}',
            "bcast: must be a list of objects, not 1",
        ),
        (
            '{"rule_file_version": 3, "collectives": {"bcast": [{"comm_size_min": 2}, "x"]}}',
            'bcast[1]: must be an object, not "x"',
        ),
        ('{"rule_file_version": 3, "collectives": []}', "'collectives' must be an object with"),
        *(
            (_one_rule(**fields), f"bcast[0]{place}: '{key}' must be a number from 0 on{told}")
            for fields, place, key, told in (
                ({"alg": True}, ".rules[1]", "alg", " or a name, not true"),
                ({"msg_size_min": "1K"}, ".rules[1]", "msg_size_min", ', not "1K"'),
                ({"msg_size_min": -1}, ".rules[1]", "msg_size_min", ", not -1"),
                ({"seg_size": 1.5}, ".rules[1]", "seg_size", ", not 1.5"),
                ({"comm_size_min": None}, "", "comm_size_min", ", not null"),
                ({"comm_size_max": "many"}, "", "comm_size_max", ' or "inf", not "many"'),
                ({"comm_size_max": [0] * 99}, "", "comm_size_max", ' or "inf", not [0, 0, 0'),
            )
        ),
        ("1\n7\n1\n2 1\n0 ² 0 0\n", "line 5: '²' is not a whole number"),
        (f"1\n7\n1\n2 1\n0 6 0 {'9' * 5000}\n", f"9' is more than {2**63 - 1}"),
        (f"rule-file-version-{'9' * 5000}\n", "9' is not a whole number"),
        ("1\n7\n1\n3000000000 1\n0 6 0 0\n", "line 4: no communicator has 3000000000 ranks"),
        (_one_rule(comm_size_min=8, comm_size_max=4), "bcast[0]: 'comm_size_max' is less than"),
        (_one_rule(comm_size_max=2**31), "bcast[0]: 'comm_size_max' must be at most 2147483647,"),
        (_one_rule(msg_size_min=2**64), "rules[1]: 'msg_size_min' must be at most 922337203685"),
        (_one_rule(seg_size=123).replace("123", "9" * 5000), "a number is more than 922"),
        ('{"rule_file_version": 3, "module": "a", "module": "b"}', "'module' occurs twice"),
        ('{"a": ' * 100_000, "too many nested lists and objects"),
        (_one_rule(rules={"alg": 6}), 'bcast[0].rules: must be a list of objects, not {"alg": 6}'),
        ("{", "line 1: "),
    ],
)
def test_a_wrong_rule_file_is_refused(cli: Cli, tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "rules"
    path.write_text(text)
    result = cli("profile", "import", str(path))
    assert result.exit_code == 1
    assert str(path) in result.stderr
    assert error in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_name_of_the_profile_is_valid_whatever_the_file_is_called(
    cli: Cli, tmp_path: Path
) -> None:
    path, profile = tmp_path / "my rules, é.conf", tmp_path / "profile.json"
    path.write_text("1\n7\n1\n2 1\n0 6 0 0\n")
    assert cli("profile", "import", str(path), "-o", str(profile)).exit_code == 0
    assert load_profile(str(profile)).name == "my_rules___"


def test_what_means_nothing_to_open_mpi_is_said(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = {"segsize": 8, "alg": 6, "faninout": 2, "reqs": 0}
    entry = {"comment": "of us", "comm_size_mim": 2, "rules": [rule]}
    file = {"rule_file_version": 3, "module": "tuned", "collectives": {"bcast": [entry]}}
    path = tmp_path / "rules"
    path.write_text(json.dumps(file))
    parsed: list[str] = []
    parse = version3.parse

    def counted(text: str) -> dict[str, Any]:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(version3, "parse", counted)
    result = cli("profile", "import", str(path))
    assert result.exit_code == 0
    assert parsed == [path.read_text()]
    assert result.stderr.splitlines() == [
        "bcast[0]: 'comment' means nothing to Open MPI",
        "bcast[0]: 'comm_size_mim' means nothing to Open MPI (did you mean 'comm_size_min'?)",
        "bcast[0].rules[0]: 'segsize' means nothing to Open MPI (did you mean 'seg_size'?)",
    ]


def test_an_algorithm_that_roundelay_lacks_stays_native(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text("1\n7\n1\n2 1\n0 7 0 0\n")
    result = cli("profile", "import", str(path))
    assert result.exit_code == 0
    assert result.stderr == (
        "bcast: Roundelay has no algorithm like Open MPI's 7; native stays there\n"
    )
    (rule,) = json.loads(result.stdout)["collectives"]["bcast"]
    assert rule == {"algorithm": "native", "ranks": [2, "inf"]}


def test_a_profile_without_a_usable_rule_is_refused(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    rules = {"bcast": [{"algorithm": "circulant"}]}
    path.write_text(json.dumps({"version": 1, "name": "p", "collectives": rules}))
    result = cli("profile", "export", str(path), "--target", "openmpi@4.1")
    assert result.exit_code == 1
    assert f"no rule of {path} can be written for openmpi@4.1" in result.stderr
    result = cli("profile", "export", "missing.json", "--target", "openmpi@4.1")
    assert result.exit_code == 1
    assert "missing.json" in result.stderr
    result = cli("profile", "export", "thakur2005", "--target", "openmpi@3.0")
    assert result.exit_code == 2
    assert "'openmpi@3.0' is none of openmpi@4.1, openmpi@5.0" in result.stderr


def test_the_default_of_a_parameter_counts(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    rules = {"bcast": [{"algorithm": "scatter_allgather"}]}
    path.write_text(json.dumps({"version": 1, "name": "p", "collectives": rules}))
    found = export(str(path), most_ranks=4, ranks_per_node=1, startup=4096)
    assert not found.left_out
    assert version3.chosen(found.rules, "bcast", 4, 100).algorithm == 9
