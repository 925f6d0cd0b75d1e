# SPDX-License-Identifier: Apache-2.0
"""Open MPI's classic rule files: numbers in text.

What such a file says of communicator sizes changed its meaning: in 4.x and 5.0 the rules of the
last size that is at most p hold, later those of the first size that is more than p. text() lists
each border twice, first with the rules that end there, so that both readings are right.
"""

from __future__ import annotations

import re
from collections import Counter

from roundelay.rule_files.open_mpi import (
    MOST_NUMBER,
    MOST_RANKS,
    NUMBERS,
    OWN_RULES,
    MessageRule,
    RuleFileError,
    Rules,
    SizeRules,
    rule_at,
)

Entries = dict[str, list[tuple[int, tuple[MessageRule, ...]]]]


def text(rules: Rules) -> str:
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


class _Numbers:
    """The numbers of a file, which are taken one after the other. Raises RuleFileError."""

    def __init__(self, text: str) -> None:
        self._numbers: list[tuple[int, int]] = []  # with their lines
        self._position = 0
        self._of_line: Counter[int] = Counter()
        version = 0
        for at, line in enumerate(text.splitlines(), 1):
            for word in line.partition("#")[0].split():
                if match := re.fullmatch(r"rule-file-version-([0-9]{1,9})", word):
                    version = int(match[1])
                elif not re.fullmatch("[0-9]+", word):
                    raise RuleFileError(f"line {at}: '{word}' is not a whole number")
                elif len(word) > len(str(MOST_NUMBER)) or int(word) > MOST_NUMBER:
                    raise RuleFileError(f"line {at}: '{word}' is more than {MOST_NUMBER}")
                else:
                    self._numbers.append((at, int(word)))
                    self._of_line[at] += 1
        if version > 2:
            raise RuleFileError(f"rule-file-version-{version}: only 1 and 2 are known")
        self._has_requests = version == 2

    def take(self, what: str) -> tuple[int, int]:
        """The line of the next number, and the number."""
        if self._position == len(self._numbers):
            raise RuleFileError(f"the file ends where {what} is expected")
        self._position += 1
        return self._numbers[self._position - 1]

    def rule(self) -> tuple[int, MessageRule]:
        """A rule, and its line."""
        at, least = self.take("a number of bytes")
        algorithm, _fan, segment = (
            self.take(what)[1] for what in ("an algorithm", "a fan", "a segment")
        )
        if self._has_requests and self._of_line[at] == 5:
            self.take("a number of requests")
        return at, MessageRule(least, algorithm, segment)

    def require_end(self) -> None:
        if self._position < len(self._numbers):
            at = self._numbers[self._position][0]
            raise RuleFileError(f"line {at}: more numbers than the file announces")


def parse(text: str) -> Entries:
    """Each communicator size with its rules, in the order of the file. Raises RuleFileError."""
    numbers = _Numbers(text)
    entries: Entries = {}
    names = {number: name for name, number in NUMBERS.items()}
    for _ in range(numbers.take("the number of collectives")[1]):
        at, number = numbers.take("the number of a collective")
        if number not in names:
            raise RuleFileError(
                f"line {at}: there is no collective {number}; "
                f"there are {', '.join(map(str, sorted(names)))}"
            )
        sizes = entries.setdefault(names[number], [])
        for _ in range(numbers.take("the number of communicator sizes")[1]):
            at, size = numbers.take("a communicator size")
            if size > MOST_RANKS:
                raise RuleFileError(f"line {at}: no communicator has {size} ranks")
            sizes.append((size, _message_rules(numbers)))
    numbers.require_end()
    return entries


def _message_rules(numbers: _Numbers) -> tuple[MessageRule, ...]:
    """Of one communicator size, in the order of their bytes."""
    rules: list[MessageRule] = []
    for _ in range(numbers.take("the number of rules")[1]):
        at, rule = numbers.rule()
        if not rules and rule.least != 0:
            raise RuleFileError(f"line {at}: the first rule must begin at 0 bytes")
        if rules and rule.least <= rules[-1].least:
            raise RuleFileError(
                f"line {at}: the bytes of a rule must be more than those of the rule "
                f"before, not {rule.least}"
            )
        rules.append(rule)
    return tuple(rules)


def chosen(
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
    return rule_at(rules, nbytes) if rules else MessageRule(0, OWN_RULES)


def rules_of(entries: Entries) -> Rules:
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
