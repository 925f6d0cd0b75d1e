# SPDX-License-Identifier: Apache-2.0
"""verify, price, trace: the schedules of all ranks, run in this process without MPI.

In all of these, m and offsets count units: bytes where data is moved (allgather, bcast ..),
elements where it is reduced (allreduce, scan ..). m is the length of the whole message: of the
vector, of all blocks of a gather together, of what each rank has to send in an alltoall.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, TypedDict, TypeVar

from roundelay import _core
from roundelay._core import Mutants
from roundelay.catalogue import (
    REDUCING,
    algorithms,
    choices,
    is_between_groups,
    receivers_of,
    resolve,
)

TRACE_FORMAT = "roundelay-trace-1"
TRACE_FORMAT_OF_PARTS = "roundelay-trace-2"
THREADS = 2

Result = TypeVar("Result")


class Broken(RuntimeError):
    """The rounds of an algorithm cannot be run, since it is wrong: says which, where and why."""


@contextlib.contextmanager
def naming(what: str) -> Iterator[None]:
    """Raises Broken, which names `what`, if a schedule cannot be run."""
    try:
        yield
    except RuntimeError as error:
        raise Broken(f"{what} is broken: {error}; roundelay verify says more") from None


@dataclass
class Verdict:
    """What was proven of an algorithm with one choice of its parameters."""

    name: str
    ranks: list[int] = field(default_factory=list)  # for which there was something to prove
    cases: int = 0
    error: str = ""  # the first thing that is wrong, as a sentence; empty if all is proven

    @property
    def ok(self) -> bool:
        return not self.error


class Verdicts(list[Verdict]):
    """A verdict for each choice of an algorithm and its parameters."""

    @property
    def ok(self) -> bool:
        return all(verdict.ok for verdict in self)


BETWEEN_GROUPS = "algorithms between two groups of ranks, which take no --nodes and no --sites"


class Places(TypedDict, total=False):
    """The node and the site of each rank, by number."""

    nodes: list[int]
    sites: list[int]


def placements(name: str, p: int, nodes: str | None = None, sites: str | None = None) -> Places:
    """The node and site of each rank, from texts such as "4+3" or "abaab".

    Without a text they are two halves, if the algorithm asks for nodes or sites. Raises ValueError,
    also for a text and an algorithm between two groups.
    """
    found = Places()
    if is_between_groups(name) and (nodes is not None or sites is not None):
        raise ValueError(f"{name} is one of the {BETWEEN_GROUPS}")
    halves = [2 * rank // p for rank in range(p)]
    level = _core.level_of(name)
    if nodes is not None or level == "nodes":
        found["nodes"] = halves if nodes is None else _core.placement(nodes)
    if sites is not None or level == "sites":
        found["sites"] = halves if sites is None else _core.placement(sites)
    return found


def ranks_of(p: int | None, nodes: str | None, sites: str | None, q: int | None = None) -> int:
    """How many ranks these options say there are. Raises ValueError if they do not agree.

    `q`: the number of receivers where there are two groups, of which `p` counts the senders.
    """
    if q is not None and (nodes is not None or sites is not None):
        raise ValueError(f"-q (--receivers) is for {BETWEEN_GROUPS}")
    said = {} if p is None else {"p": p}
    for kind, text in (("nodes", nodes), ("sites", sites)):
        if text is not None:
            said[f"{kind} {text}"] = len(_core.placement(text))
    if not said:
        raise ValueError("give the number of ranks with -p, --nodes or --sites")
    if len(set(said.values())) > 1:
        told = ", ".join(f"{what} means {number} ranks" for what, number in said.items())
        raise ValueError(f"ranks, nodes and sites do not agree: {told}")
    return next(iter(said.values()))


MOST_RANKS_RUN = 2**18  # up to a gigabyte to price a call: a rank takes 1 to 4 kilobytes


def require_runnable(ranks: int, done: str = "a call is priced") -> None:
    """Raises ValueError if the schedules of so many ranks do not fit into memory.

    `done`: what they are run for, as the beginning of the message.
    """
    if ranks > MOST_RANKS_RUN:
        raise ValueError(
            f"{done} by running the schedules of all ranks, which can be 1 to {MOST_RANKS_RUN}, "
            f"not {ranks}"
        )


def _require_times(**times: float) -> None:
    """Raises ValueError for a time that is negative or not finite."""
    for name, value in times.items():
        if not (isfinite(value) and value >= 0):
            raise ValueError(f"{name} must be a finite number and at least 0, not {value}")


class ProofStopped(KeyboardInterrupt):
    """Raised at Ctrl-C; has what was proven until then."""

    def __init__(self, verdicts: Verdicts) -> None:
        super().__init__()
        self.verdicts = verdicts


def _ranks(
    ranks: Iterable[int] | None, root: int | None, nodes: str | None, sites: str | None
) -> list[int]:
    """The numbers of ranks to prove for. Raises ValueError if they do not fit the rest."""
    if isinstance(ranks, int):
        raise ValueError(f"ranks must be several numbers, e.g. [{ranks}] or range(1, 65)")
    if nodes is not None or sites is not None:
        placed = ranks_of(None, nodes, sites)
        wanted = {placed} if ranks is None else set(ranks)
        if wanted != {placed}:
            said = " and ".join(
                f"{name} {text}" for name, text in (("nodes", nodes), ("sites", sites)) if text
            )
            raise ValueError(
                f"{said} place {placed} ranks, so p can only be {placed},"
                f" not {', '.join(map(str, sorted(wanted - {placed})))}"
            )
    else:
        wanted = set(range(1, 65)) if ranks is None else set(ranks)
    if not wanted:
        raise ValueError("ranks is empty: give at least one number, e.g. [4]")
    if min(wanted) < 1:
        raise ValueError(f"numbers of ranks begin at 1, not {min(wanted)}")
    require_runnable(max(wanted), "an algorithm is proven")
    if root is not None and not 0 <= root < max(wanted):
        raise ValueError(
            f"root {root} is not a rank: with p = {max(wanted)} the ranks are 0 to "
            f"{max(wanted) - 1}"
        )
    return sorted(wanted)


def _shape(name: str, p: int, nodes: str | None, sites: str | None) -> _core.Case:
    receivers = receivers_of(name, p, None)
    return _core.Case(p, q=receivers, **placements(name, p, nodes, sites))


def verify(
    name: str | None = None,
    ranks: Iterable[int] | None = None,
    *,
    root: int | None = None,
    nodes: str | None = None,
    sites: str | None = None,
    threads: int = THREADS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Verdicts:
    """Proves algorithms for every number of ranks given; without any for 1 to 64.

    `name` as for choices(): None for all. `root`: only this one, and only where there are as many
    ranks (in both groups); else all roots up to 17 ranks, four of them beyond. `nodes`, `sites`:
    only with the ranks there, as "4+3" (consecutive ranks) or "abaab" (a letter for each); else
    algorithms that ask for them are proven for some, and of a collective those between two groups
    are left out. `progress` is called with how many choices
    and numbers of ranks are done, and of how many. Raises ValueError for what does not exist or
    does not fit together, and ProofStopped, with what is proven so far, at Ctrl-C.
    """
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    verdicts = {choice: Verdict(choice) for choice in choices(name)}
    if (nodes is not None or sites is not None) and (name is None or "." not in name):
        of_one_group = {one: verdicts[one] for one in verdicts if not is_between_groups(one)}
        verdicts = of_one_group or verdicts
    failed_at: dict[str, int] = {}
    stop = _core.Stop()

    def prove(task: tuple[int, str]) -> tuple[int, str, int, str]:
        p, choice = task
        if failed_at.get(choice, p) < p:
            return p, choice, 0, ""
        if nodes is None and sites is None:
            proof = _core.prove(choice, p, root, stop)
        else:
            proof = _core.prove_shape(choice, _shape(choice, p, nodes, sites), root, stop)
        if proof.error:
            failed_at[choice] = p
        return p, choice, proof.cases, proof.error

    tasks = [(p, choice) for p in _ranks(ranks, root, nodes, sites) for choice in verdicts]
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done, (p, choice, cases, error) in enumerate(pool.map(prove, tasks), 1):
                verdict = verdicts[choice]
                if cases:
                    verdict.ranks.append(p)
                verdict.cases += cases
                verdict.error = verdict.error or error
                progress(done, len(tasks))
        except KeyboardInterrupt:
            stop.request()
            pool.shutdown(cancel_futures=True)
            raise ProofStopped(Verdicts(verdicts.values())) from None
    return Verdicts(verdicts.values())


def mutants(
    name: str, p: int, *, root: int = 0, m: int | None = None, most: int = 1000, seed: int = 0
) -> Mutants:
    """Breaks the schedules in one place at a time and counts how often verify notices.

    At most `most` places, chosen with `seed`. Raises ValueError, and Broken.
    """
    full = resolve(name)
    length = _core.exact_length(full, p) if m is None else m
    receivers = receivers_of(full, p, None)
    case = _core.Case(p, root=root, m=length, q=receivers, **placements(full, p))
    with naming(full):
        return _core.mutants(full, case, most, seed)


def until_ctrl_c(work: Callable[[_core.Stop], Result]) -> Result:
    """Runs compiled code that takes long in another thread, so that Ctrl-C stops it."""
    stop = _core.Stop()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work, stop)
        try:
            return future.result()
        except KeyboardInterrupt:
            stop.request()
            raise


@dataclass(frozen=True)
class Price:
    """Seconds in the model, of the schedules as they run."""

    name: str
    seconds: float


def price(
    name: str,
    p: int,
    nbytes: int,
    *,
    alpha: float,
    beta: float,
    gamma: float = 0.0,
    root: int = 0,
    ports: int = 1,
    q: int | None = None,
    nodes: str | None = None,
    sites: str | None = None,
) -> Price:
    """What a call costs: alpha seconds a message, beta a byte, gamma a combined byte.

    `nodes` and `sites` say where the ranks are ("4+3"), for algorithms that ask for it; a message
    takes as long anywhere.

    Raises ValueError, also where a restriction does not hold for p ranks and where all ranks would
    not fit into memory, Broken, and KeyboardInterrupt soon after Ctrl-C.
    """
    _require_times(alpha=alpha, beta=beta, gamma=gamma)
    full = resolve(name)
    require_runnable(p + (q or 0))
    receivers = receivers_of(full, p, q)
    places = placements(full, p, nodes, sites)
    case = _core.Case(p, root=root, m=nbytes, ports=ports, q=receivers, **places)
    with naming(full):
        seconds = until_ctrl_c(
            lambda stop: _core.price(full, case, alpha, beta, gamma, ports, stop=stop)
        )
    return Price(full, seconds)


def _may_be_in_place(name: str) -> bool:
    return any(case.in_place for case in _core.cases(name, 1))


def _in_place_instead(full: str) -> str:
    """Names algorithms that run in place: of the same collective, else of which collectives."""
    able = [one for one in algorithms() if not one.native and _may_be_in_place(one.name)]
    collective = full.partition(".")[0]
    same = [one.name for one in able if one.collective == collective]
    if same:
        return f"of {collective} these do: {', '.join(same)}"
    names = sorted({one.collective for one in able})
    return f"algorithms of these collectives do: {', '.join(names)}"


def case_of(
    name: str,
    p: int,
    root: int,
    m: int | None,
    commutative: bool,
    in_place: bool,
    q: int | None,
    nodes: str | None,
    sites: str | None,
) -> tuple[str, _core.Case]:
    """The algorithm's full name, and the call that is to be looked at. Raises ValueError.

    The arguments are those of trace().
    """
    full = resolve(name)
    if in_place and not _may_be_in_place(full):
        raise ValueError(f"{full} does not run in place; {_in_place_instead(full)}")
    length = _core.exact_length(full, p) if m is None else m
    case = _core.Case(
        p,
        root=root,
        m=length,
        commutative=commutative,
        in_place=in_place,
        q=receivers_of(full, p, q),
        **placements(full, p, nodes, sites),
    )
    return full, case


def trace(
    name: str,
    p: int,
    *,
    root: int = 0,
    m: int | None = None,
    commutative: bool = True,
    in_place: bool = False,
    q: int | None = None,
    nodes: str | None = None,
    sites: str | None = None,
) -> dict[str, Any]:
    """What every rank does, as docs/reference/trace-format.md describes it.

    `m` is by default a length that all ranks can share evenly. `nodes` and `sites` say where the
    ranks are ("4+3", "abaab"). Raises ValueError, and Broken.
    """
    full, case = case_of(name, p, root, m, commutative, in_place, q, nodes, sites)
    with naming(full):
        ranks = _core.trace(full, case)
    collective, _, algorithm = full.partition(".")
    in_parts = case.q > 0 or case.nodes or case.sites
    return {
        "format": TRACE_FORMAT_OF_PARTS if in_parts else TRACE_FORMAT,
        "name": full,
        "collective": collective,
        "algorithm": algorithm,
        "p": case.p + case.q,
        **({"senders": case.p} if case.q else {}),
        "root": case.root,
        "count": case.m,
        "unit": "element" if collective in REDUCING else "byte",
        "commutative": case.commutative,
        "in_place": case.in_place,
        **({"nodes": case.nodes} if case.nodes else {}),
        **({"sites": case.sites} if case.sites else {}),
        "ranks": ranks,
    }


def goal(
    name: str,
    p: int,
    *,
    root: int = 0,
    m: int | None = None,
    commutative: bool = True,
    in_place: bool = False,
    nanoseconds_per_unit: float = 0.0,
    q: int | None = None,
    nodes: str | None = None,
    sites: str | None = None,
) -> str:
    """The schedules in GOAL, the language of LogGOPSim. Units are bytes.

    `nanoseconds_per_unit`: the time to combine a unit. Raises ValueError, and Broken.
    """
    _require_times(nanoseconds_per_unit=nanoseconds_per_unit)
    full, case = case_of(name, p, root, m, commutative, in_place, q, nodes, sites)
    with naming(full):
        return _core.goal(full, case, nanoseconds_per_unit)
