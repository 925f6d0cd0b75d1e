# SPDX-License-Identifier: Apache-2.0
"""What a picture shows, as data: what ranks hold, step by step, and what messages carry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from roundelay import _core
from roundelay.catalogue import receivers_of
from roundelay.drawing.pieces import Pieces, ranks_label
from roundelay.drawing.stacks import cells_in
from roundelay.interpreters import naming, placements, trace


@dataclass(frozen=True)
class Item:
    """A piece of what the ranks contribute; of a reduction, combined over `ranks`."""

    label: str
    piece: int
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Held(Item):
    """An item in a rank's memory."""

    needed: bool  # it will be sent or combined, or is part of the result
    space: str
    offset: int


@dataclass(frozen=True)
class State:
    """What a rank holds when so many steps and so many of its own rounds are over.

    Only rounds with a transfer count.
    """

    step: int
    round: int
    holds: tuple[Held, ...]


@dataclass(frozen=True)
class Message:
    """A message; a token (a message without data) carries the ranks that the sender heard of."""

    sender: int
    receiver: int
    sender_round: int
    receiver_round: int
    step: int
    token: bool
    exposed: bool
    label: str
    items: tuple[Item, ...]
    units: int
    combined: bool  # by the receiver, in the round in which it arrives


@dataclass(frozen=True)
class Story:
    """A call as a picture shows it. A step is the time of one message."""

    name: str
    p: int  # ranks
    senders: int | None  # how many of them, between two groups
    root: int | None
    count: int
    unit: str
    rounds: int  # with a transfer, of the rank that has most
    volume: int  # units sent or received, of the rank that moves most
    steps: int
    round_of_step: tuple[int, ...] | None  # None: the ranks do not keep in step
    pieces: int  # of a contribution
    origins: int  # ranks that contribute
    reduces: bool
    tokens: bool
    nodes: tuple[int, ...]  # of each rank, if the algorithm looks at them
    sites: tuple[int, ...]
    ranks: tuple[tuple[State, ...], ...]
    messages: tuple[Message, ...]


def _held(pieces: Pieces, part: dict[str, Any]) -> list[Held]:
    ranks = tuple(part["ranks"])
    return [
        Held(
            label=pieces.label(piece, ranks),
            piece=piece,
            ranks=ranks,
            needed=part["needed"],
            space=part["space"],
            offset=part["offset"] + distance,
        )
        for piece, distance in pieces.split(part)
    ]


def _heard(rank: int) -> Held:
    return Held(str(rank), 0, (rank,), needed=True, space="heard", offset=rank)


def _state(pieces: Pieces, number: int, state: dict[str, Any]) -> State:
    holds = [each for part in state["holds"] for each in _held(pieces, part)]
    return State(state["step"], number, (*holds, *map(_heard, state["heard"])))


def _rounds_before(rank: dict[str, Any]) -> list[int]:
    """How many rounds with a transfer are before each of a rank's rounds, and in all."""
    has_transfer = [bool(one["sends"] or one["receives"]) for one in rank["rounds"]]
    return [sum(has_transfer[:number]) for number in range(len(has_transfer) + 1)]


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(
        one["space"] == other["space"]
        and one["offset"] < other["offset"] + other["length"]
        and other["offset"] < one["offset"] + one["length"]
    )


def _is_combined(rank: dict[str, Any], each: dict[str, Any]) -> bool:
    """Whether the receiver combines a message in the round in which it arrives."""
    one = rank["rounds"][each["to_round"]]
    arrived = [
        at
        for transfer in one["receives"]
        if transfer["peer"] == each["from"]
        for at in transfer["slices"]
    ]
    return any(
        step["kind"] == "combine" and (_overlap(step["from"], at) or _overlap(step["into"], at))
        for step in one["steps"]
        for at in arrived
    )


def _message(
    pieces: Pieces,
    history: dict[str, Any],
    ranks: list[dict[str, Any]],
    rounds: list[list[int]],
    each: dict[str, Any],
) -> Message:
    items = [
        Item(pieces.label(piece, part["ranks"]), piece, tuple(part["ranks"]))
        for part in each["pieces"]
        for piece, _ in pieces.split(part)
    ]
    if each["token"]:
        heard = history["ranks"][each["from"]][each["from_round"]]["heard"]
        items = [Item(str(rank), 0, (rank,)) for rank in heard]
        label = ranks_label(heard, len(history["ranks"]))
    else:
        label = pieces.message_label([(item.piece, item.ranks) for item in items])
    return Message(
        sender=each["from"],
        receiver=each["to"],
        sender_round=rounds[each["from"]][each["from_round"]],
        receiver_round=rounds[each["to"]][each["to_round"]],
        step=each["step"],
        token=each["token"],
        exposed=each["exposed"],
        label=label,
        items=tuple(items),
        units=sum(part["length"] for part in each["pieces"]),
        combined=_is_combined(ranks[each["to"]], each),
    )


def _round_of_step(steps: int, messages: tuple[Message, ...]) -> tuple[int, ...] | None:
    rounds: list[set[int]] = [set() for _ in range(steps)]
    for message in messages:
        rounds[message.step] |= {message.sender_round, message.receiver_round}
    if any(len(each) != 1 for each in rounds):
        return None
    return tuple(each.pop() for each in rounds)


def _moved(rank: dict[str, Any], word: str) -> int:
    return sum(
        at["length"] for one in rank["rounds"] for each in one[word] for at in each["slices"]
    )


def _root(traced: dict[str, Any]) -> int | None:
    """The root, if that rank alone contributes or alone gets a result."""
    number: int = traced["root"]
    places = {"given": number, "wanted": number + int(traced.get("senders", 0))}
    for side, root in places.items():
        ranks: list[int] = [rank["rank"] for rank in traced["ranks"] if rank[side] is not None]
        if ranks == [root] and traced["p"] > 1:
            return root
    return None


class _Part(NamedTuple):
    piece: int
    ranks: tuple[int, ...]
    needed: bool


class Draft:
    """What is known of a story before it is made. Raises ValueError for what does not exist.

    `m` is by default a length that all ranks can share evenly; `nodes` and `sites` say where the
    ranks are ("4+3", "abaab").
    """

    def __init__(
        self,
        name: str,
        p: int,
        *,
        root: int = 0,
        m: int | None = None,
        q: int | None = None,
        nodes: str | None = None,
        sites: str | None = None,
    ) -> None:
        self._traced = trace(name, p, root=root, m=m, q=q, nodes=nodes, sites=sites)
        self._senders = p
        self._receivers = receivers_of(self._traced["name"], p, q)
        case = _core.Case(
            p,
            root=root,
            m=self._traced["count"],
            q=self._receivers,
            **placements(self._traced["name"], p, nodes, sites),
        )
        with naming(self._traced["name"]):
            self._history = _core.history(self._traced["name"], case)
        self._pieces = Pieces(self._history)

    def _parts(self, state: dict[str, Any]) -> Iterator[_Part]:
        for part in state["holds"]:
            for piece, _ in self._pieces.split(part):
                yield _Part(piece, tuple(part["ranks"]), part["needed"])
        for rank in state["heard"]:
            yield _Part(0, (rank,), needed=True)

    def cells(self) -> int:
        """How many cells the picture of the story has, see cells_in()."""
        ranks = (
            [(state["step"], self._parts(state)) for state in states]
            for states in self._history["ranks"]
        )
        return cells_in(ranks, self._history["steps"], self._pieces.reduces)

    def story(self) -> Story:
        """The story, told by the trace."""
        traced, history, pieces = self._traced, self._history, self._pieces
        ranks = traced["ranks"]
        rounds = [_rounds_before(rank) for rank in ranks]
        messages = tuple(
            _message(pieces, history, ranks, rounds, each) for each in history["deliveries"]
        )
        return Story(
            name=traced["name"],
            p=self._senders + self._receivers,
            senders=self._senders if self._receivers else None,
            root=_root(traced),
            count=traced["count"],
            unit=traced["unit"],
            rounds=max(its[-1] for its in rounds),
            volume=max(max(_moved(rank, "sends"), _moved(rank, "receives")) for rank in ranks),
            steps=history["steps"],
            round_of_step=_round_of_step(history["steps"], messages),
            pieces=pieces.most,
            origins=pieces.origins,
            reduces=pieces.reduces,
            tokens=any(message.token for message in messages),
            nodes=tuple(traced.get("nodes", ())),
            sites=tuple(traced.get("sites", ())),
            ranks=tuple(
                tuple(_state(pieces, number, state) for number, state in zip(its, states))
                for its, states in zip(rounds, history["ranks"])
            ),
            messages=messages,
        )


def tell(
    name: str,
    p: int,
    *,
    root: int = 0,
    m: int | None = None,
    q: int | None = None,
    nodes: str | None = None,
    sites: str | None = None,
) -> Story:
    """The story of a call, see Draft. Raises ValueError for what does not exist."""
    return Draft(name, p, root=root, m=m, q=q, nodes=nodes, sites=sites).story()
