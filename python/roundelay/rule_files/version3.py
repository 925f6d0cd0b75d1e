# SPDX-License-Identifier: Apache-2.0
"""Open MPI's rule files of version 3: JSON, from Open MPI 6.0 on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from roundelay.rule_files.open_mpi import (
    DISTRIBUTIONS,
    FORMER_NAMES,
    IN_JSON,
    MOST_BYTES,
    MOST_NUMBER,
    MOST_RANKS,
    NAMES,
    NUMBERS,
    OWN_RULES,
    MessageRule,
    RuleFileError,
    Rules,
    SizeRules,
    rule_at,
)
from roundelay.suggestions import did_you_mean


def text(rules: Rules) -> str:
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


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs. Raises RuleFileError if a key occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RuleFileError(f"'{next(key for key in keys if keys.count(key) > 1)}' occurs twice")
    return found


def parse(text: str) -> dict[str, Any]:
    """The object that a file of version 3 has. Raises RuleFileError."""
    document = _json(text)
    if not isinstance(document, dict) or document.get("rule_file_version") != 3:
        raise RuleFileError("'rule_file_version' must be 3")
    return document


def _json(text: str) -> Any:
    """Raises RuleFileError for what is not JSON."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise RuleFileError(f"line {error.lineno}: {error.msg}") from None
    except RecursionError:
        raise RuleFileError("too many nested lists and objects") from None
    except RuleFileError:
        raise
    except ValueError:  # int() takes no more than a few thousand digits
        raise RuleFileError(f"a number is more than {MOST_NUMBER}") from None


# Of the file, of an entry and of a rule; Open MPI passes over all others.
KEYS: tuple[tuple[str, ...], ...] = (
    ("rule_file_version", "module", "collectives"),
    ("comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"),
    ("msg_size_min", "msg_size_max", "alg", "faninout", "seg_size", "reqs"),
)


def without_meaning(document: Mapping[str, Any]) -> list[str]:
    """A sentence for each key that Open MPI passes over, of a file that rules_of() has taken."""
    of_file, of_entry, of_rule = KEYS
    places = [("the file", document, of_file)]
    for collective in document.get("collectives", {}):
        for where, entry in _objects_in(document["collectives"], collective):
            places.append((where, entry, of_entry))
            places += ((at, rule, of_rule) for at, rule in _objects_in(entry, "rules", where))
    return [
        f"{where}: '{key}' means nothing to Open MPI{did_you_mean(key, valid)}"
        for where, of, valid in places
        for key in of
        if key not in valid
    ]


def rules_of(document: Mapping[str, Any]) -> Rules:
    """The rules of a file that parse() has read. Raises RuleFileError."""
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
                *_range_in(entry, "comm_size", where, MOST_RANKS),
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
        least, most = _range_in(rule, "msg_size", where, MOST_NUMBER)
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
    """The value as it stands in the file; only the beginning of a long one."""
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


def _range_in(of: Mapping[str, Any], name: str, where: str, limit: int) -> tuple[int, int | None]:
    """The values of name_min and name_max; None: there is no limit. Raises RuleFileError."""
    least_key, most_key = f"{name}_min", f"{name}_max"
    least = _number_in({least_key: 0, **of}, least_key, where)
    most = _limit_in({most_key: "inf", **of}, most_key, where)
    for key, value in ((least_key, least), (most_key, most)):
        if value is not None and value > limit:
            raise RuleFileError(f"{where}: '{key}' must be at most {limit}, not {_shown(value)}")
    if most is not None and most < least:
        raise RuleFileError(f"{where}: '{most_key}' is less than '{least_key}', {least}")
    return least, most


def _limit_in(of: Mapping[str, Any], key: str, where: str) -> int | None:
    if _value_in(of, key, where) == "inf":
        return None
    return _number_in(of, key, where, ' or "inf"')


def chosen(
    rules: Rules, collective: str, ranks: int, nbytes: int, distribution: str = "any"
) -> MessageRule:
    """What Open MPI does: the first entry that has the number of ranks and is for where they are.

    `distribution`: that of DISTRIBUTIONS which the ranks have, or any.
    """
    for size in rules.get(collective, []):
        has_ranks = size.least <= ranks and (size.most is None or ranks <= size.most)
        if has_ranks and size.distribution in ("any", distribution):
            return rule_at(size.rules, nbytes)
    return MessageRule(0, OWN_RULES)
