# SPDX-License-Identifier: Apache-2.0
"""A profile as rules of Open MPI."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from roundelay import _core
from roundelay.rule_files.lacking import Lacking
from roundelay.rule_files.open_mpi import (
    ALGORITHMS,
    MOST_BYTES,
    NUMBERS,
    OWN_RULES,
    PIPELINE,
    WITHOUT_LENGTH,
    MessageRule,
    Rules,
    SizeRules,
)
from roundelay.rule_files.spelling import spelled


@dataclass
class Export:
    """Rules, and sentences about what of the profile Open MPI cannot do."""

    rules: Rules
    left_out: list[str] = field(default_factory=list)


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
