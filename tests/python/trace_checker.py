# SPDX-License-Identifier: Apache-2.0
"""An independent checker: knows docs/trace-format.md and nothing else of Roundelay.

Contents are symbolic: a unit is the tuple of the ranks that contributed to it, from left to right,
and its index in the message. Data moves when a message is matched; that this is early enough and
nothing else happens to it meanwhile is what the memory rules are for, which `verify` proves.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

Unit = tuple[tuple[int, ...], int]  # contributors, index
Memory = dict[str, list[Any]]


class Rank:
    """One rank's memory and how far it is."""

    def __init__(self, trace: dict[str, Any], description: dict[str, Any]) -> None:
        self.number: int = description["rank"]
        self.rounds = description["rounds"]
        self.memory: Memory = {space: [None] * size for space, size in description["units"].items()}
        self.heard = {self.number}
        self.next = 0
        self.open: list[tuple[int, int | None]] = []  # undone transfers: round, fence or None
        if description["given"] is not None:
            first = description["given"]["offset"] if trace["collective"] == "allgather" else 0
            self.write(
                [description["given"]],
                [((self.number,), first + i) for i in range(description["given"]["length"])],
            )

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

    def step(self, step: dict[str, Any], commutative: bool) -> None:
        units = self.read([step["from"]])
        if step["kind"] == "combine":
            into = self.read([step["into"]])
            units = [combine(a, b, commutative) for a, b in zip(units, into)]
        self.write([step["into"]], units)


def combine(left: Unit, right: Unit, commutative: bool) -> Unit:
    assert left[1] == right[1], "combines different indices"
    assert not set(left[0]) & set(right[0]), "combines a contribution twice"
    if not commutative:
        assert left[0][-1] + 1 == right[0][0], "combines out of order"
    return (left[0] + right[0], left[1])


def check(trace: dict[str, Any]) -> None:
    """Runs the trace; an AssertionError says what is wrong."""
    ranks = [Rank(trace, description) for description in trace["ranks"]]
    messages: dict[tuple[int, int], deque[Any]] = defaultdict(deque)
    posted = [False] * len(ranks)
    progress = True
    while progress:
        progress = False
        for rank in ranks:
            if rank.next == len(rank.rounds):
                continue
            round_ = rank.rounds[rank.next]
            if not posted[rank.number]:
                for transfer in round_["sends"]:
                    content = None if transfer["token"] else rank.read(transfer["slices"])
                    messages[rank.number, transfer["peer"]].append((content, set(rank.heard)))
                posted[rank.number] = progress = True
            if all(messages[transfer["peer"], rank.number] for transfer in round_["receives"]):
                for transfer in round_["receives"]:
                    content, heard = messages[transfer["peer"], rank.number].popleft()
                    assert (content is None) == transfer["token"]
                    rank.heard |= heard
                    if content is not None:
                        rank.write(transfer["slices"], content)
                for step in round_["steps"]:
                    rank.step(step, trace["commutative"])
                rank.next += 1
                posted[rank.number] = False
                progress = True
    assert all(rank.next == len(rank.rounds) for rank in ranks), "deadlock"
    assert not any(messages.values()), "a message is never received"
    for rank, description in zip(ranks, trace["ranks"]):
        check_result(trace, rank, description)


def check_result(trace: dict[str, Any], rank: Rank, description: dict[str, Any]) -> None:
    p, m, collective = trace["p"], trace["count"], trace["collective"]
    result = rank.read([description["wanted"]]) if description["wanted"] else []
    if collective == "barrier":
        assert rank.heard == set(range(p)), "has not heard of all"
    elif collective == "bcast":
        assert result == [((trace["root"],), i) for i in range(m)]
    elif collective == "allgather":
        owners = [rank for rank in range(p) for _ in range(m // p + (rank < m % p))]
        assert result == [((owner,), i) for i, owner in enumerate(owners)]
    elif collective == "allreduce" or rank.number == trace["root"]:
        everybody = list(range(p))
        assert [(sorted(unit[0]), unit[1]) for unit in result] == [(everybody, i) for i in range(m)]
        if not trace["commutative"]:
            assert all(list(unit[0]) == everybody for unit in result)
