# SPDX-License-Identifier: Apache-2.0
"""An independent checker: knows docs/reference/trace-format.md and nothing else of Roundelay.

Contents are symbolic: a unit is the tuple of the ranks that contributed to it, from left to right,
and its index in what they contributed. A message's data leaves when its send starts and arrives
when its receive has to be complete; that nothing else happens to it meanwhile is what the memory
rules are for, which `verify` proves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

Unit = tuple[tuple[int, ...], int]  # contributors, index
Memory = dict[str, list[Any]]


class Network:
    """All messages, by sender and receiver, in the order in which they were sent."""

    def __init__(self) -> None:
        self.messages: defaultdict[tuple[int, int], list[Any]] = defaultdict(list)
        self.expected: Counter[tuple[int, int]] = Counter()
        self.events = 0

    def expect(self, sender: int, receiver: int) -> int:
        """Which of the sender's messages the next receive takes."""
        self.expected[sender, receiver] += 1
        return self.expected[sender, receiver] - 1


class Expected(NamedTuple):
    transfer: dict[str, Any]
    number: int


class Rank:
    """One rank's memory, and its play."""

    def __init__(self, description: dict[str, Any], network: Network, commutative: bool) -> None:
        self.number: int = description["rank"]
        self.rounds = description["rounds"]
        self.network = network
        self.commutative = commutative
        self.memory: Memory = {space: [None] * size for space, size in description["units"].items()}
        self.heard = {self.number}
        self.deferred: list[Expected] = []
        if description["given"] is not None:
            own = [((self.number,), i) for i in range(description["given"]["length"])]
            self.write([description["given"]], own)

    def read(self, slices: list[dict[str, Any]]) -> list[Any]:
        found = [
            unit
            for at in slices
            for unit in self.memory[at["space"]][at["offset"] : at["offset"] + at["length"]]
        ]
        assert len(found) == sum(at["length"] for at in slices), "outside its space"
        assert None not in found, "reads what is not there"
        return found

    def write(self, slices: list[dict[str, Any]], units: list[Any]) -> None:
        assert len(units) == sum(at["length"] for at in slices), "lengths differ"
        for at in slices:
            self.memory[at["space"]][at["offset"] : at["offset"] + at["length"]] = units[
                : at["length"]
            ]
            units = units[at["length"] :]

    def step(self, step: dict[str, Any]) -> None:
        units = self.read([step["from"]])
        if step["kind"] == "combine":
            into = self.read([step["into"]])
            units = [combine(a, b, self.commutative) for a, b in zip(units, into)]
        self.write([step["into"]], units)

    def send(self, transfer: dict[str, Any]) -> None:
        content = None if transfer["token"] else self.read(transfer["slices"])
        sent = self.network.messages[self.number, transfer["peer"]]
        sent.append((content, set(self.heard)))
        self.network.events += 1

    def complete(self, receives: list[Expected]) -> Iterator[None]:
        """Stops wherever a message is not there yet."""
        for transfer, number in receives:
            messages = self.network.messages[transfer["peer"], self.number]
            while len(messages) <= number:
                yield
            content, heard = messages[number]
            assert (content is None) == transfer["token"]
            self.heard |= heard
            if content is not None:
                self.write(transfer["slices"], content)
            self.network.events += 1

    def play(self) -> Iterator[None]:
        for round_ in self.rounds:
            if round_["fence"] is not None:
                fence = round_["fence"]
                yield from self.complete_deferred(fence if fence > 0 else None)
            for transfer in round_["sends"]:
                self.send(transfer)
            started = [
                Expected(transfer, self.network.expect(transfer["peer"], self.number))
                for transfer in round_["receives"]
            ]
            self.deferred += [one for one in started if one.transfer["deferred"]]
            yield from self.complete([one for one in started if not one.transfer["deferred"]])
            for step in round_["steps"]:
                self.step(step)
        yield from self.complete_deferred(None)

    def complete_deferred(self, fence: int | None) -> Iterator[None]:
        """What was deferred to this fence, and to no other; at the end (None) everything."""
        due, self.deferred = split(self.deferred, fence)
        yield from self.complete(due)


def split(deferred: list[Expected], fence: int | None) -> tuple[list[Expected], list[Expected]]:
    def due(one: Expected) -> bool:
        until = one.transfer["fence"]
        return fence is None or until == fence

    return [one for one in deferred if due(one)], [one for one in deferred if not due(one)]


def combine(left: Unit, right: Unit, commutative: bool) -> Unit:
    assert left[1] == right[1], "combines different indices"
    assert not set(left[0]) & set(right[0]), "combines a contribution twice"
    if not commutative:
        assert left[0][-1] + 1 == right[0][0], "combines out of order"
    return (left[0] + right[0], left[1])


def check(trace: dict[str, Any]) -> None:
    """Runs the trace; an AssertionError says what is wrong."""
    network = Network()
    ranks = [Rank(each, network, trace["commutative"]) for each in trace["ranks"]]
    plays = [rank.play() for rank in ranks]
    events = -1
    while plays:
        assert network.events > events, "deadlock"
        events = network.events
        plays = [play for play in plays if next(play, "over") != "over"]
    sent = {pair: len(messages) for pair, messages in network.messages.items() if messages}
    assert sent == dict(network.expected), "a message is never received"
    for rank, description in zip(ranks, trace["ranks"]):
        check_result(trace, rank, description)


def contributors_of(trace: dict[str, Any]) -> int:
    """How many ranks contribute where all do; between two groups the first ones."""
    return int(trace.get("senders", trace["p"]))


def owners(trace: dict[str, Any]) -> int:
    """How many ranks have a block."""
    senders = contributors_of(trace)
    of_receivers = trace["collective"].startswith(("reduce_scatter", "scatter"))
    return int(trace["p"] - senders) if "senders" in trace and of_receivers else senders


def blocks(trace: dict[str, Any]) -> list[range]:
    """What units of the whole message are each rank's block."""
    p, m, collective = owners(trace), trace["count"], trace["collective"]
    irregular = collective in ("allgatherv", "gatherv", "reduce_scatter", "scatterv")
    longer = range(p - m % p, p) if irregular else range(m % p)
    found: list[range] = []
    for j in range(p):
        first = found[-1].stop if found else 0
        found.append(range(first, first + m // p + (j in longer)))
    return found


def moved(trace: dict[str, Any], rank: int) -> list[Unit] | None:
    """The result of a collective that moves data; None of one that combines it."""
    cut = blocks(trace)
    collective, root, m = trace["collective"], trace["root"], trace["count"]
    gathered: list[Unit] = [((j,), i) for j, block in enumerate(cut) for i in range(len(block))]
    receiver = rank - trace.get("senders", 0)
    if receiver < 0:  # who sends to another group gets nothing
        return []
    between = "senders" in trace
    own = cut[receiver] if receiver < len(cut) else range(0)
    lower, upper = range(m // len(cut)), range(m // len(cut), 2 * (m // len(cut)))
    before, after = (rank - 1) % trace["p"], (rank + 1) % trace["p"]
    results: dict[str, list[Unit]] = {
        "allgather": gathered,
        "alltoall": [((j,), i) for j in range(trace["p"]) for i in own],
        "barrier": [],
        "bcast": [((root,), i) for i in range(m)],
        "gather": gathered if receiver == root else [],
        # On a ring: what is sent upwards arrives from below.
        "neighbor_allgather": [((j,), i) for j in (before, after) for i in lower],
        "neighbor_alltoall": [
            ((j,), i) for j, sent in ((before, upper), (after, lower)) for i in sent
        ],
        # Within one group the root's own block stays where it is.
        "scatter": [((root,), i) for i in own] if between or rank != root else [],
    }
    return results.get(collective.rstrip("vw"))


def combined(trace: dict[str, Any], rank: int) -> tuple[list[int], range]:
    """Whose contributions, and which of their units, a rank's result is."""
    collective = trace["collective"]
    everybody = list(range(contributors_of(trace)))
    whole = range(trace["count"])
    receiver = rank - trace.get("senders", 0)
    if collective in ("scan", "exscan"):
        contributors = list(range(rank + (collective == "scan")))
        return contributors, whole if contributors else range(0)
    if collective in ("reduce_scatter", "reduce_scatter_block"):
        return everybody, blocks(trace)[receiver]
    return everybody, whole if collective != "reduce" or receiver == trace["root"] else range(0)


def check_result(trace: dict[str, Any], rank: Rank, description: dict[str, Any]) -> None:
    result = rank.read([description["wanted"]]) if description["wanted"] else []
    if trace["collective"] == "barrier":
        assert rank.heard == set(range(trace["p"])), "has not heard of all"
    expected = moved(trace, rank.number)
    if expected is None:
        contributors, units = combined(trace, rank.number)
        expected = [(tuple(contributors), i) for i in units]
        if trace["commutative"]:
            result = [(tuple(sorted(unit[0])), unit[1]) for unit in result]
    assert result == expected, "not what the collective gives"
