# SPDX-License-Identifier: Apache-2.0
"""Rules of Open MPI's component coll/tuned: profiles as its rule files, and back.

Open MPI reads two forms: the classic one, numbers in text, and JSON (version 3, from 6.0 on).
What a classic file says of communicator sizes changed its meaning: in 4.x and 5.0 the rules of the
last size that is at most p hold, later those of the first size that is more than p. classic() lists
each border twice, first with the rules that end there, so that both readings are right.

Sources: Open MPI's coll_tuned_dynamic_file.c, coll_tuned_*_decision.c and
docs/tuning-apps/collectives/tuned.rst, which has the names; the numbers of algorithms as ompi_info
prints them for 4.1.4 (--param coll tuned -l 9).
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from roundelay import _core
from roundelay.catalogue import algorithms
from roundelay.near import did_you_mean

TARGETS = {"openmpi@4.1": "classic", "openmpi@5.0": "classic", "openmpi@6.0": "json"}
# Open MPI's numbers of collectives in classic files.
NUMBERS = {
    "allgather": 0, "allgatherv": 1, "allreduce": 2, "alltoall": 3, "alltoallv": 4, "barrier": 6,
    "bcast": 7, "exscan": 8, "gather": 9, "reduce": 11, "reduce_scatter": 12,
    "reduce_scatter_block": 13, "scan": 14, "scatter": 15,
}  # fmt: skip
IN_JSON = {"reduce_scatter": "reducescatter", "reduce_scatter_block": "reducescatterblock"}
# Its algorithms that do what ours do, by number; all of them are in 4.1.
PIPELINE = 3
ALGORITHMS: Mapping[str, Mapping[str, int]] = {
    "allgather": {"bruck": 2, "recursive_doubling": 3, "ring": 4},
    "allgatherv": {"bruck": 2, "ring": 3},
    "allreduce": {"reduce_then_bcast": 2, "recursive_doubling": 3, "ring": 4, "rabenseifner": 6},
    "alltoall": {"scattered": 1, "pairwise": 2, "bruck": 3},
    "alltoallv": {"scattered": 1, "pairwise": 2},
    "barrier": {"linear": 1, "recursive_doubling": 3, "dissemination": 4},
    "bcast": {
        "linear": 1, "chain": PIPELINE, "binomial": 6,
        "scatter_allgather(allgather=recursive_doubling)": 8,
        "scatter_allgather(allgather=ring)": 9,
    },
    "exscan": {"chain": 1, "recursive_doubling": 2},
    "gather": {"linear": 1, "binomial": 2},
    "reduce": {"linear": 1, "binomial": 5, "rabenseifner": 7},
    "reduce_scatter": {"reduce_then_scatter": 1, "recursive_halving": 2},
    "reduce_scatter_block": {"recursive_doubling": 2, "recursive_halving": 3},
    "scan": {"chain": 1, "recursive_doubling": 2},
    "scatter": {"linear": 1, "binomial": 2},
}  # fmt: skip
OWN_RULES = 0  # Open MPI's number for what it would do without a file
# Its names of all its algorithms, from number 1 on, as files of version 3 may have them.
NAMES: Mapping[str, Sequence[str]] = {
    "allgather": (
        "linear", "bruck-k-fanout", "recursive_doubling", "ring", "neighbor", "two_proc",
        "sparbit", "direct-messaging",
    ),
    "allgatherv": ("default", "bruck", "ring", "neighbor", "two_proc", "sparbit"),
    "allreduce": (
        "basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring",
        "rabenseifner", "allgather_reduce",
    ),
    "alltoall": ("linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"),
    "alltoallv": ("basic_linear", "pairwise"),
    "barrier": ("linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"),
    "bcast": (
        "basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial",
        "knomial", "scatter_allgather", "scatter_allgather_ring",
    ),
    "exscan": ("linear", "recursive_doubling"),
    "gather": ("basic_linear", "binomial", "linear_sync"),
    "reduce": (
        "linear", "chain", "pipeline", "binary", "binomial", "in-order_binary", "rabenseifner",
        "knomial",
    ),
    "reduce_scatter": ("non-overlapping", "recursive_halving", "ring", "butterfly"),
    "reduce_scatter_block": (
        "basic_linear", "recursive_doubling", "recursive_halving", "butterfly",
    ),
    "scan": ("linear", "recursive_doubling"),
    "scatter": ("basic_linear", "binomial", "linear_nb"),
}  # fmt: skip
FORMER_NAMES = {("allgather", "bruck"): "bruck-k-fanout"}  # before version 6
# Which communicators an entry of version 3 is for, as a profile says it.
DISTRIBUTIONS: Mapping[str, Mapping[str, list[int]]] = {
    "any": {}, "one-per-node": {"ranks_per_node": [1, 1]}, "single-node": {"nodes": [1, 1]},
}  # fmt: skip
# No length counts there.
WITHOUT_LENGTH = frozenset({"alltoallv", "barrier"})
MOST_BYTES = 1 << 40


@dataclass(frozen=True, order=True)
class MessageRule:
    """From so many bytes on, as Open MPI counts them: this algorithm, in segments of so many bytes.

    Open MPI counts as profiles do, the whole message, but of scatter one block.
    """

    least: int
    algorithm: int
    segment: int = 0


@dataclass(frozen=True)
class SizeRules:
    """For communicators of least to most ranks; None: to any number."""

    least: int
    most: int | None
    rules: tuple[MessageRule, ...]  # of all lengths from 0 bytes on
    distribution: str = "any"  # one of DISTRIBUTIONS


Rules = dict[str, list[SizeRules]]


@dataclass
class Export:
    """Rules, and sentences about what of the profile Open MPI cannot do."""

    rules: Rules
    left_out: list[str] = field(default_factory=list)


class Lacking:
    """What an MPI library cannot follow of the rules for one collective."""

    def __init__(self) -> None:
        # (algorithm, why) -> ranks from and to, and from how many bytes on
        self._found: dict[tuple[str, str], tuple[int, int, int]] = {}

    def note(self, algorithm: str, ranks: int, least: int, why: str) -> None:
        """`ranks` must not be fewer than before."""
        first, _, before = self._found.get((algorithm, why), (ranks, ranks, least))
        self._found[algorithm, why] = first, ranks, min(least, before)

    def sentences(self, collective: str) -> list[str]:
        return [
            f"{collective}={algorithm}, {first} to {last} ranks, from {nbytes} bytes on: "
            f"{why}, its own rules stay"
            for (algorithm, why), (first, last, nbytes) in self._found.items()
        ]


class RuleFileError(ValueError):
    """What is wrong with a rule file, and where."""


def spelled(algorithm: str) -> str:
    """What profile_at() returns, with the one parameter that MPI libraries know, and no other.

    E.g. "scatter_allgather(allgather=ring)".
    """
    name, _, parameters = algorithm.partition("(")
    if name != "scatter_allgather":
        return name
    part = re.search(r"allgather=(\w+)", parameters)
    return f"{name}(allgather={part[1] if part is not None else _default_allgather()})"


@cache
def _default_allgather() -> str:
    (ours,) = (one for one in algorithms("bcast") if one.algorithm == "scatter_allgather")
    (default,) = (each.default for each in ours.parameters if each.name == "allgather")
    return default


def _number(collective: str, algorithm: str) -> int | None:
    """Open MPI's number of an algorithm as profiles spell it; None if it has none."""
    if algorithm in ("", "native"):
        return OWN_RULES
    return ALGORITHMS.get(collective, {}).get(spelled(algorithm))


def _segment(ranks: int, nbytes: int, startup: int) -> int:
    """The best segment of a pipeline, rounded to a power of two from 1 KiB to 256 KiB.

    `startup`: the bytes that a link carries in the time of a start-up.
    """
    best = math.sqrt(nbytes * startup / max(1, ranks - 2))
    return 1 << min(max(round(math.log2(best)), 10), 18)


def _message_rules(
    collective: str, ranks: int, lengths: list[tuple[int, str]], startup: int
) -> tuple[tuple[MessageRule, ...], dict[str, int]]:
    """Of one number of ranks; and from which length on an algorithm is missing."""
    rules: list[MessageRule] = []
    missing: dict[str, int] = {}
    ends = [least for least, _ in lengths[1:]] + [MOST_BYTES]
    for (first, algorithm), end in zip(lengths, ends):
        number = _number(collective, algorithm)
        if number is None:
            missing.setdefault(algorithm, first)
            number = OWN_RULES
        starts = [first]
        pipeline = collective == "bcast" and number == PIPELINE
        if pipeline:  # segments for each factor of two
            starts += [2**i for i in range(10, 30) if first < 2**i < end]
        for start in starts:
            segment = _segment(ranks, 3 * max(start, 512) // 2, startup) if pipeline else 0
            least = -(-start // ranks) if collective == "scatter" else start
            rule = MessageRule(least, number, segment)
            if rules and rules[-1].least == least:
                rules.pop()
            if not rules or (rules[-1].algorithm, rules[-1].segment) != (number, segment):
                rules.append(rule)
    if collective in WITHOUT_LENGTH:
        rules = [MessageRule(0, rules[-1].algorithm)]
    return tuple(rules), missing


def export(name: str, *, most_ranks: int, ranks_per_node: int, startup: int) -> Export:
    """The rules of a profile for 2 to most_ranks ranks; beyond, those of most_ranks hold.

    The operation is taken to be one of MPI's own. Raises ValueError, as load_profile does.
    """
    found = Export({})
    used = {rule["collective"] for rule in _core.profile(name)["rules"]}
    for collective in sorted(used):
        if collective not in NUMBERS:
            found.left_out.append(f"{collective}: Open MPI has no rules for it")
            continue
        sizes: list[SizeRules] = []
        lacking = Lacking()
        for ranks in range(2, most_ranks + 1):
            lengths = _core.profile_at(name, collective, ranks, ranks_per_node)
            rules, missing = _message_rules(collective, ranks, lengths, startup)
            for algorithm, least in missing.items():
                lacking.note(algorithm, ranks, least, "Open MPI has no such algorithm")
            if sizes and sizes[-1].rules == rules:
                sizes[-1] = SizeRules(sizes[-1].least, ranks, rules)
            else:
                sizes.append(SizeRules(ranks, ranks, rules))
        sizes[-1] = SizeRules(sizes[-1].least, None, sizes[-1].rules)
        found.left_out += lacking.sentences(collective)
        if any(rule.algorithm != OWN_RULES for size in sizes for rule in size.rules):
            found.rules[collective] = sizes
    return found


def classic(rules: Rules) -> str:
    """The text of a file that all versions read alike."""
    lines = [f"{len(rules)}  # collectives"]
    for collective in sorted(rules, key=NUMBERS.__getitem__):
        sizes = rules[collective]
        entries: list[tuple[int, tuple[MessageRule, ...]]] = []
        for before, after in zip(sizes, sizes[1:]):
            entries += [(after.least, before.rules), (after.least, after.rules)]
        entries = entries or [(sizes[0].least, sizes[0].rules)]
        if len(sizes) > 1:  # the last reading needs a size at most p for the fewest ranks, too
            entries.insert(0, (sizes[0].least, sizes[0].rules))
        lines.append(f"{NUMBERS[collective]}  # {collective}")
        lines.append(f"{len(entries)}  # communicator sizes")
        for size, message_rules in entries:
            lines.append(f"{size} {len(message_rules)}  # size, rules: bytes algorithm fan segment")
            lines += [f"{rule.least} {rule.algorithm} 0 {rule.segment}" for rule in message_rules]
    return "\n".join(lines) + "\n"


def as_json(rules: Rules) -> str:
    """The text of a file of version 3."""
    collectives = {
        IN_JSON.get(collective, collective): [
            {
                "comm_size_min": size.least,
                "comm_size_max": "inf" if size.most is None else size.most,
                "comm_rank_distribution": "any",
                "rules": [
                    {
                        "msg_size_min": rule.least,
                        "msg_size_max": size.rules[i + 1].least - 1
                        if i + 1 < len(size.rules)
                        else "inf",
                        "alg": rule.algorithm,
                        **({"seg_size": rule.segment} if rule.segment else {}),
                    }
                    for i, rule in enumerate(size.rules)
                ],
            }
            for size in sizes
        ]
        for collective, sizes in rules.items()
    }
    document = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    return json.dumps(document, indent=1) + "\n"


Entries = dict[str, list[tuple[int, tuple[MessageRule, ...]]]]


def parse_classic(text: str) -> Entries:
    """Each communicator size with its rules, in the order of the file. Raises RuleFileError."""
    numbers: list[tuple[int, int]] = []  # with their lines
    version = 0
    by_line: dict[int, int] = {}
    for at, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].split():
            if match := re.fullmatch(r"rule-file-version-(\d+)", word):
                version = int(match[1])
            elif word.isdigit():
                numbers.append((at, int(word)))
                by_line[at] = by_line.get(at, 0) + 1
            else:
                raise RuleFileError(f"line {at}: '{word}' is not a whole number")
    if version > 2:
        raise RuleFileError(f"rule-file-version-{version}: only 1 and 2 are known")
    position = 0

    def take(what: str) -> tuple[int, int]:
        nonlocal position
        if position == len(numbers):
            raise RuleFileError(f"the file ends where {what} is expected")
        position += 1
        return numbers[position - 1]

    entries: Entries = {}
    names = {number: name for name, number in NUMBERS.items()}
    for _ in range(take("the number of collectives")[1]):
        at, number = take("the number of a collective")
        if number not in names:
            raise RuleFileError(
                f"line {at}: there is no collective {number}; "
                f"there are {', '.join(map(str, sorted(names)))}"
            )
        sizes = entries.setdefault(names[number], [])
        for _ in range(take("the number of communicator sizes")[1]):
            size = take("a communicator size")[1]
            rules: list[MessageRule] = []
            for _ in range(take("the number of rules")[1]):
                at, least = take("a number of bytes")
                algorithm, _fan, segment = (
                    take(what)[1] for what in ("an algorithm", "a fan", "a segment")
                )
                if version == 2 and by_line[at] == 5:
                    take("a number of requests")
                if not rules and least != 0:
                    raise RuleFileError(f"line {at}: the first rule must begin at 0 bytes")
                if rules and least <= rules[-1].least:
                    raise RuleFileError(
                        f"line {at}: the bytes of a rule must be more than those of the rule "
                        f"before, not {least}"
                    )
                rules.append(MessageRule(least, algorithm, segment))
            sizes.append((size, tuple(rules)))
    if position < len(numbers):
        raise RuleFileError(f"line {numbers[position][0]}: more numbers than the file announces")
    return entries


def parse_json(text: str) -> Rules:
    """The rules of a file of version 3. Raises RuleFileError."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise RuleFileError(f"line {error.lineno}: {error.msg}") from None
    if not isinstance(document, dict) or document.get("rule_file_version") != 3:
        raise RuleFileError("'rule_file_version' must be 3")
    collectives = document.get("collectives", {})
    if not isinstance(collectives, dict):
        raise RuleFileError(
            "'collectives' must be an object with a list of entries for each collective, not "
            f"{_shown(collectives)}"
        )
    names = {IN_JSON.get(name, name): name for name in NUMBERS}
    rules: Rules = {}
    for key in collectives:
        if key not in names:
            hint = did_you_mean(key, names)
            raise RuleFileError(
                f"there is no collective '{key}'{hint}; there are {', '.join(sorted(names))}"
            )
        rules[names[key]] = [
            SizeRules(
                _number_in({"comm_size_min": 0, **entry}, "comm_size_min", where),
                _limit_in({"comm_size_max": "inf", **entry}, "comm_size_max", where),
                _rules_of(names[key], _objects_in(entry, "rules", where)),
                _word_in(entry, "comm_rank_distribution", where, DISTRIBUTIONS),
            )
            for where, entry in _objects_in(collectives, key)
        ]
    return rules


def _rules_of(
    collective: str, rules: Sequence[tuple[str, Mapping[str, Any]]]
) -> tuple[MessageRule, ...]:
    """The first one that has a length counts; between them Open MPI follows its own rules."""
    ranges: list[tuple[MessageRule, int]] = []
    for where, rule in rules:
        least = _number_in({"msg_size_min": 0, **rule}, "msg_size_min", where)
        most = _limit_in({"msg_size_max": "inf", **rule}, "msg_size_max", where)
        segment = _number_in({"seg_size": 0, **rule}, "seg_size", where)
        one = MessageRule(least, _algorithm_in(rule, collective, where), segment)
        ranges.append((one, MOST_BYTES if most is None else most))
    ends = {0, *(one.least for one, _ in ranges), *(most + 1 for _, most in ranges)}
    found: list[MessageRule] = []
    for least in sorted(end for end in ends if end <= MOST_BYTES):
        matching = (one for one, most in ranges if one.least <= least <= most)
        one = next(matching, MessageRule(least, OWN_RULES))
        if not found or (found[-1].algorithm, found[-1].segment) != (one.algorithm, one.segment):
            found.append(replace(one, least=least))
    return tuple(found)


def _algorithm_in(rule: Mapping[str, Any], collective: str, where: str) -> int:
    """Its number, for which the file may have the name."""
    value = _value_in(rule, "alg", where)
    if not isinstance(value, str):
        return _number_in(rule, "alg", where, " or a name")
    names = ["ignore", *NAMES[collective]]
    name = FORMER_NAMES.get((collective, value), value)
    if name not in names:
        raise RuleFileError(
            f"{where}: {collective} has no algorithm '{value}'{did_you_mean(value, names)}; "
            f"there are {', '.join(names)}"
        )
    return names.index(name)


def _word_in(of: Mapping[str, Any], key: str, where: str, valid: Iterable[str]) -> str:
    """The first of those that are valid if it is not there. Raises RuleFileError."""
    words = list(valid)
    value = of.get(key, words[0])
    if value not in words:
        raise RuleFileError(
            f"{where}: '{key}' must be one of {', '.join(words)}, not {_shown(value)}"
        )
    return str(value)


def _shown(value: Any) -> str:
    """As it stands in the file, or how it begins."""
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}.."


def _value_in(of: Mapping[str, Any], key: str, where: str) -> Any:
    if key not in of:
        raise RuleFileError(f"{where}: there is no '{key}'")
    return of[key]


def _objects_in(
    of: Mapping[str, Any], key: str, where: str = ""
) -> list[tuple[str, Mapping[str, Any]]]:
    """Those of a list, each with its place, e.g. "bcast[0].rules[1]". Raises RuleFileError."""
    found = _value_in(of, key, where)
    place = f"{where}.{key}" if where else key
    if not isinstance(found, list):
        raise RuleFileError(f"{place}: must be a list of objects, not {_shown(found)}")
    for i, one in enumerate(found):
        if not isinstance(one, dict):
            raise RuleFileError(f"{place}[{i}]: must be an object, not {_shown(one)}")
    return [(f"{place}[{i}]", one) for i, one in enumerate(found)]


def _number_in(of: Mapping[str, Any], key: str, where: str, valid: str = "") -> int:
    """Raises RuleFileError. `valid`: what it may be besides."""
    value = _value_in(of, key, where)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise RuleFileError(
            f"{where}: '{key}' must be a number from 0 on{valid}, not {_shown(value)}"
        )
    return value


def _limit_in(of: Mapping[str, Any], key: str, where: str) -> int | None:
    if _value_in(of, key, where) == "inf":
        return None
    return _number_in(of, key, where, ' or "inf"')


def _at(rules: tuple[MessageRule, ...], nbytes: int) -> MessageRule:
    return rules[bisect_right([rule.least for rule in rules], nbytes) - 1]


def chosen_by_classic(
    entries: Entries, collective: str, ranks: int, nbytes: int, *, sizes_end: bool
) -> MessageRule:
    """What Open MPI does. `sizes_end`: a size ends its rules, as in versions after 5.0."""
    sizes = entries.get(collective, [])
    rules: tuple[MessageRule, ...] = ()
    if sizes_end:
        rules = next((of for size, of in sizes if ranks < size), sizes[-1][1] if sizes else ())
    else:
        for size, of in sizes:
            if size <= ranks:
                rules = of
    return _at(rules, nbytes) if rules else MessageRule(0, OWN_RULES)


def chosen_by_json(rules: Rules, collective: str, ranks: int, nbytes: int) -> MessageRule:
    """What Open MPI does: the first entry that has the number of ranks."""
    for size in rules.get(collective, []):
        if size.least <= ranks and (size.most is None or ranks <= size.most):
            return _at(size.rules, nbytes)
    return MessageRule(0, OWN_RULES)


def rules_of_classic(entries: Entries) -> Rules:
    """As Open MPI 4 and 5.0 read them: a size begins its rules."""
    rules: Rules = {}
    for collective, sizes in entries.items():
        ends = [size - 1 for size, _ in sizes[1:]] + [None]
        rules[collective] = [
            SizeRules(max(size, 1), most, of)
            for (size, of), most in zip(sizes, ends)
            if of and (most is None or most >= max(size, 1))
        ]
    return rules


def _that_matter(sizes: Iterable[SizeRules]) -> list[SizeRules]:
    """Without those that come after one for all their communicators: the first one counts."""
    found: list[SizeRules] = []
    for size in sizes:
        most = math.inf if size.most is None else size.most
        if not any(
            one.least <= size.least
            and (one.most is None or most <= one.most)
            and one.distribution in ("any", size.distribution)
            for one in found
        ):
            found.append(size)
    return found


def profile_of(rules: Rules, name: str) -> tuple[dict[str, Any], list[str]]:
    """A profile with the same rules, and sentences about what Roundelay has no algorithm for.

    There it says native: under Open MPI that is what its own rules, or this file, say.
    """
    collectives: dict[str, list[dict[str, Any]]] = {}
    missing: list[str] = []
    for collective, sizes in rules.items():
        ours = {number: algorithm for algorithm, number in ALGORITHMS[collective].items()}
        key = "block_bytes" if collective == "scatter" else "bytes"
        for size in _that_matter(sizes):
            for i, rule in enumerate(size.rules):
                last = i + 1 == len(size.rules)
                if rule.algorithm not in (OWN_RULES, *ours):
                    missing.append(
                        f"{collective}: Roundelay has no algorithm like Open MPI's "
                        f"{rule.algorithm}; native stays there"
                    )
                entry: dict[str, Any] = {"algorithm": ours.get(rule.algorithm, "native")}
                if collective not in WITHOUT_LENGTH and not (last and rule.least == 0):
                    most = "inf" if last else size.rules[i + 1].least - 1
                    entry[key] = [rule.least, most]
                entry["ranks"] = [max(size.least, 1), "inf" if size.most is None else size.most]
                entry |= DISTRIBUTIONS[size.distribution]
                collectives.setdefault(collective, []).append(entry)
    document = {"version": 1, "name": name, "collectives": collectives}
    return document, list(dict.fromkeys(missing))
