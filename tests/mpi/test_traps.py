# SPDX-License-Identifier: Apache-2.0
"""The traps of a library between a program and its MPI, by number; each has a test at least.

The first is in test_fortran.py, the sixth in test_settings.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from launching import (
    COLLECTIVES,
    HERE,
    NEIGHBOURHOOD,
    Mpi,
    Outcome,
    compile_library,
    launch,
    ld_preload,
    run,
)
from test_inside_a_node import FORCED

Program = Callable[[str], Path]
TRAPS = 22


def finished(outcome: Outcome) -> Outcome:
    """Every check of the program held, on every rank."""
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
    return outcome


def algorithms(outcome: Outcome) -> dict[str, set[str]]:
    assert outcome.report is not None, outcome.text
    ran: dict[str, set[str]] = {}
    for row in outcome.report["calls"]:
        ran.setdefault(row["collective"], set()).add(row["algorithm"])
    return ran


def symbols(file: Path, option: str) -> set[str]:
    """The dynamic symbols of a library, without their versions."""
    lines = run(["nm", "-D", option, file]).ok().stdout.splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines}


def c_names(suffix: str = "") -> set[str]:
    return {f"MPI_{name.capitalize()}{suffix}" for name in (*COLLECTIVES, *NEIGHBOURHOOD)}


def test_every_trap_has_a_test() -> None:
    sources = "".join(file.read_text() for file in HERE.glob("test_*.py"))
    numbers = set(map(int, re.findall(r"^def test_trap_(\d\d)_", sources, re.MULTILINE)))
    assert numbers == set(range(1, TRAPS + 1))


def test_trap_02_what_the_mpi_has_is_defined_and_nothing_else(mpi: Mpi) -> None:
    ours = symbols(mpi.library, "--defined-only")
    theirs = symbols(Path(mpi.libdir) / mpi.soname, "--defined-only")
    assert c_names() <= ours
    assert ours & c_names("_c") == theirs & (c_names("_c") - {"MPI_Barrier_c"})
    assert not [name for name in ours if name.startswith("_Z")], "C++"


@pytest.mark.parametrize("ranks", [1, 3])
def test_trap_09_absolute_addresses(mpi: Mpi, program: Program, ranks: int) -> None:
    forced = "bcast=binomial; gather=linear; scatter=linear; alltoall=pairwise; "
    forced += "alltoallw=pairwise; neighbor_alltoallw=direct"
    finished(launch(mpi, ranks, [program("traps/bottom.c")], env={"ROUNDELAY": forced}))


def test_trap_02_large_count_entry_points_are_intercepted(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    outcome = finished(launch(mpi, 3, [program("traps/large_count.c")], report=tmp_path / "report"))
    if "not provided" in outcome.stdout:
        pytest.skip("this MPI has no large-count entry points")
    expected = dict.fromkeys({*COLLECTIVES, *NEIGHBOURHOOD} - {"barrier"}, 1)
    assert outcome.calls == expected, outcome.text


@pytest.mark.parametrize(("forced", "seen"), [("native", "17"), ("ring", "0")])
def test_trap_03_a_profiler_sees_what_is_left_to_the_mpi_and_no_messages(
    mpi: Mpi, program: Program, forced: str, seen: str, tmp_path: Path
) -> None:
    profiler = compile_library(mpi, HERE / "traps" / "profiler.c", tmp_path)
    env = {**ld_preload(mpi, mpi.library, profiler), "ROUNDELAY": f"allreduce={forced}"}
    command = [program("traps/collectives.c"), "17"]
    outcome = launch(mpi, 2, command, env=env, report=tmp_path / "report")
    assert outcome.ok().stdout.splitlines()[-1] == f"profiler: {seen} allreduces, 0 messages"
    assert outcome.calls == dict.fromkeys(COLLECTIVES, 17)


@pytest.mark.parametrize("nodes", ["1+1", "1+1+1"])
def test_trap_04_where_no_rank_knows_the_length_all_agree_on_one(
    mpi: Mpi, program: Program, nodes: str
) -> None:
    if mpi.flavour == "mpich":
        pytest.skip("alltoallv stays native there, whatever the length")
    # Its communicators are set up in their first calls.
    apart = {"ROUNDELAY_NODES": nodes, "ROUNDELAY_NONBLOCKING": "on"}
    finished(launch(mpi, nodes.count("1"), [program("traps/agreed.c")], env=apart))


@pytest.mark.parametrize("algorithm", ["pairwise", "scattered", "in_place", "tuna", "padded"])
@pytest.mark.parametrize("discipline", ["early", "paced"])
def test_trap_04_a_receiver_may_have_more_room_than_it_is_sent(
    mpi: Mpi, program: Program, algorithm: str, discipline: str
) -> None:
    name = f"{algorithm}(discipline={discipline})"
    env = {"ROUNDELAY": f"alltoallv={name}; alltoallw={name}"}
    for ranks in (2, 3, 5):
        finished(launch(mpi, ranks, [program("traps/agreed.c"), "room"], env=env))


@pytest.mark.parametrize("ranks", [2, 3])
def test_trap_04_types_and_counts_may_differ_between_ranks(
    mpi: Mpi, program: Program, ranks: int
) -> None:
    finished(launch(mpi, ranks, [program("traps/datatypes.c"), "differing"]))


@pytest.mark.parametrize(
    "forced",
    [
        "bcast=scatter_allgather; gather=linear; scatter=linear; allgather=ring; alltoall=bruck",
        "bcast=binomial; gather=binomial; scatter=binomial; allgather=bruck; alltoall=pairwise",
    ],
)
def test_trap_05_messages_are_cut_anywhere_in_an_element(
    mpi: Mpi, program: Program, forced: str
) -> None:
    finished(launch(mpi, 3, [program("traps/datatypes.c"), "differing"], env={"ROUNDELAY": forced}))


def test_trap_07_in_place_other_arguments_may_be_anything(mpi: Mpi, program: Program) -> None:
    finished(launch(mpi, 3, [program("traps/ignored.c")]))


@pytest.mark.parametrize("forced", ["", FORCED], ids=["chosen", "forced"])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_trap_08_no_data(mpi: Mpi, program: Program, ranks: int, forced: str) -> None:
    argv = [program("traps/nothing.c"), *(["ours"] if forced and ranks > 1 else [])]
    finished(launch(mpi, ranks, argv, env={"ROUNDELAY": forced}))


@pytest.mark.parametrize(
    "forced", ["", "allreduce=ring; reduce=ring; reduce_scatter_block=circulant"]
)
def test_trap_09_gaps_and_negative_lower_bounds(mpi: Mpi, program: Program, forced: str) -> None:
    command = [program("traps/datatypes.c"), "combined"]
    finished(launch(mpi, 3, command, env={"ROUNDELAY": forced}))


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"ROUNDELAY_TRANSPORT": "memory"},
        {"ROUNDELAY_NODES": "1+1+1", "ROUNDELAY_NONBLOCKING": "on"},
        {"ROUNDELAY": "allreduce=recursive_doubling; reduce=linear; scan=chain; exscan=chain"},
    ],
    ids=["chosen", "memory", "nodes", "forced"],
)
def test_trap_09_elements_that_overlap_in_a_row(
    mpi: Mpi, program: Program, env: dict[str, str], tmp_path: Path
) -> None:
    report = tmp_path / "report"
    outcome = finished(launch(mpi, 3, [program("traps/columns.c")], env=env, report=report))
    assert outcome.report is not None, outcome.text
    reasons = {row["reason"] for row in outcome.report["calls"]}
    assert "elements of the datatype overlap" in reasons, outcome.text


@pytest.mark.parametrize(
    "forced", ["", "allreduce=rabenseifner; reduce=rabenseifner; reduce_scatter=ordered"]
)
def test_trap_10_operands_keep_their_order_and_elements_stay_whole(
    mpi: Mpi, program: Program, forced: str
) -> None:
    finished(launch(mpi, 3, [program("traps/ordered.c")], env={"ROUNDELAY": forced}))


def test_trap_11_all_ranks_get_the_same_bits(
    mpi: Mpi, program: Program, roundelay: str, tmp_path: Path
) -> None:
    listed = json.loads(run([roundelay, "list", "allreduce", "--json"]).ok().stdout)
    within = [row for row in listed if not row["native"] and row["groups"] == 1]
    for algorithm in (row["algorithm"] for row in within):
        env = {"ROUNDELAY": f"allreduce={algorithm}", "ROUNDELAY_NODES": "2+1"}
        report = tmp_path / algorithm
        outcome = launch(mpi, 3, [program("traps/same_bits.c")], env=env, report=report)
        assert algorithms(finished(outcome)) == {"allreduce": {algorithm}}


def test_trap_12_offsets_beyond_an_int(mpi: Mpi, program: Program) -> None:
    forced = {"ROUNDELAY": "allgather=ring; alltoall=in_place"}
    finished(launch(mpi, 3, [program("traps/datatypes.c"), "far"], env=forced))


@pytest.mark.long
@pytest.mark.parametrize(
    "forced",
    [
        "bcast=binomial",
        "bcast=binomial(discipline=paced)",
        "bcast=scatter_allgather",
        "allgather=ring",
        "allgather=bruck",
        "allreduce=recursive_doubling",
        "allreduce=ring",
        "allreduce=circulant",
    ],
)
def test_trap_12_more_bytes_than_an_int_counts(
    mpi: Mpi, program: Program, forced: str, tmp_path: Path
) -> None:
    collective, _, algorithm = forced.partition("=")
    command = [program("traps/huge.c"), collective]
    outcome = launch(mpi, 2, command, env={"ROUNDELAY": forced}, report=tmp_path / "report")
    assert algorithms(finished(outcome))[collective] == {algorithm}, outcome.text


@pytest.mark.parametrize("ranks", [2, 5])
def test_trap_13_receives_from_anywhere_do_not_match_our_messages(
    mpi: Mpi, program: Program, ranks: int
) -> None:
    finished(launch(mpi, ranks, [program("traps/wildcards.c")]))


@pytest.mark.parametrize("transport", ["auto", "memory", "messages"])
def test_trap_08_empty_blocks_at_displacements_from_null(
    mpi: Mpi, program: Program, transport: str
) -> None:
    env = {"ROUNDELAY_TRANSPORT": transport}
    finished(launch(mpi, 3, [program("traps/empty_blocks.c")], env=env))


def test_trap_09_types_that_are_made_in_rarer_ways(mpi: Mpi, program: Program) -> None:
    finished(launch(mpi, 3, [program("traps/made_types.c")]))


@pytest.mark.parametrize("transport", ["auto", "memory"])
def test_trap_16_what_an_error_handler_throws_comes_to_the_program(
    mpi: Mpi, program: Program, transport: str
) -> None:
    env = {"ROUNDELAY_TRANSPORT": transport}
    finished(launch(mpi, 2, [program("traps/throwing.cpp")], env=env))


@pytest.mark.parametrize(("ranks", "nodes"), [(1, "1"), (3, "3"), (3, "1+1+1")])
def test_trap_14_communicators_are_freed_in_any_order(
    mpi: Mpi, program: Program, ranks: int, nodes: str
) -> None:
    # Between nodes, ranks have asked each other something that they are not yet told.
    apart = {"ROUNDELAY_NODES": nodes}
    finished(launch(mpi, ranks, [program("traps/lifetimes.c"), "50"], env=apart))


def test_trap_14_communicators_are_freed_while_ranks_learn(mpi: Mpi, program: Program) -> None:
    finished(launch(mpi, 4, [program("traps/freed_while_learning.c")]))


def test_trap_14_communicators_are_freed_wholly(mpi: Mpi, program: Program) -> None:
    # More than any MPI has at a time.
    finished(launch(mpi, 2, [program("traps/lifetimes.c"), "5000"]))


@pytest.mark.parametrize("ranks", [1, 3])
def test_trap_14_finalize_may_still_communicate(mpi: Mpi, program: Program, ranks: int) -> None:
    outcome = finished(launch(mpi, ranks, [program("traps/finalize.c")]))
    assert outcome.stdout.count("deleted") == 2, outcome.text


@pytest.mark.parametrize("transport", ["memory", "messages"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_trap_14_sessions_outlive_finalize(
    mpi: Mpi, program: Program, ranks: int, transport: str
) -> None:
    env = {"ROUNDELAY_TRANSPORT": transport, "ROUNDELAY_NONBLOCKING": "on"}
    outcome = launch(mpi, ranks, [program("traps/sessions.c")], env=env).ok()
    if "not provided" in outcome.stdout:
        pytest.skip("this MPI has no sessions")
    finished(outcome)


@pytest.mark.parametrize("discipline", ["early", "paced"])
def test_trap_15_threads_on_communicators_of_their_own(
    mpi: Mpi, program: Program, discipline: str
) -> None:
    forced = {"ROUNDELAY": f"allreduce=recursive_doubling(discipline={discipline})"}
    outcome = finished(launch(mpi, 2, [program("traps/threads.c")], env=forced))
    if "not provided" in outcome.stdout:
        pytest.skip("this MPI has no MPI_THREAD_MULTIPLE")


@pytest.mark.parametrize("handling", ["handler", "return"])
def test_trap_16_illegal_arguments_give_the_error_of_the_mpi(
    mpi: Mpi, program: Program, handling: str
) -> None:
    command = [program("traps/errors.c"), "illegal", handling]
    native = finished(launch(mpi, 2, command, preload=False))
    ours = finished(launch(mpi, 2, command))
    assert ours.stdout == native.stdout


def test_trap_16_truncation_is_raised_once_on_the_users_communicator(
    mpi: Mpi, program: Program
) -> None:
    forced = {"ROUNDELAY": "bcast=binomial"}
    outcome = finished(
        launch(mpi, 2, [program("traps/errors.c"), "truncated", "handler"], env=forced)
    )
    lines = [line for line in outcome.stdout.splitlines() if line.startswith("bcast truncated")]
    # Not "by world": the handler was given the communicator of the call. MPICH 5 goes on after a
    # handler of the user's as if nothing had happened.
    handled = "handles TRUNCATE 1 times"
    assert lines in (
        [f"bcast truncated: returns {code}, {handled}"] for code in ("TRUNCATE", "SUCCESS")
    ), outcome.text


def test_trap_16_truncation_is_returned(mpi: Mpi, program: Program) -> None:
    forced = {"ROUNDELAY": "bcast=binomial"}
    outcome = finished(
        launch(mpi, 2, [program("traps/errors.c"), "truncated", "return"], env=forced)
    )
    assert "bcast truncated: returns TRUNCATE\n" in outcome.stdout, outcome.text


def test_trap_16_no_error_handler_hears_of_a_communicator_that_not_all_ranks_have(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    command = [program("traps/no_agreement.c")]
    env = {"ROUNDELAY": "bcast=binomial", "ROUNDELAY_TRANSPORT": "messages"}
    outcome = finished(launch(mpi, 2, command, env=env, report=tmp_path / "report"))
    assert algorithms(outcome)["bcast"] == {"native"}


@pytest.mark.parametrize("handling", ["fatal", "abort"])
@pytest.mark.parametrize("scene", ["illegal", "truncated", "later"])
def test_trap_16_errors_are_fatal(mpi: Mpi, program: Program, scene: str, handling: str) -> None:
    """By default, and by MPI_ERRORS_ABORT."""
    forced = {"ROUNDELAY": "bcast=binomial"}
    outcome = launch(mpi, 2, [program("traps/errors.c"), scene, handling], env=forced)
    assert outcome.returncode != 0, outcome.text
    assert "finished" not in outcome.stdout, outcome.text


@pytest.mark.parametrize("ranks", [2, 5])
def test_trap_17_intercommunicators_and_other_collectives_pass_untouched(
    mpi: Mpi, program: Program, ranks: int, tmp_path: Path
) -> None:
    outcome = launch(mpi, ranks, [program("traps/untouched.c")], report=tmp_path / "report")
    not_waiting = ("iallgather", "iallreduce", "ibarrier", "ibcast", "ineighbor_allgather")
    assert finished(outcome).calls == dict.fromkeys([*COLLECTIVES, *not_waiting], 1)


def test_trap_18_the_order_of_ranks_on_nodes_changes_nothing(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    # An algorithm knows a rank and a number of ranks; a choice only whether all share a node.
    ran = []
    for i, arguments in enumerate(([], ["shuffled"])):
        command = [program("traps/shuffled.c"), *arguments]
        outcome = finished(launch(mpi, 5, command, report=tmp_path / str(i)))
        ran.append(algorithms(outcome))
    assert ran[0] == ran[1]
    assert set(ran[0]) == set(COLLECTIVES)


def most_in_flight(rank: dict[str, Any], way: str) -> int:
    """Transfers of a trace, see docs/reference/trace-format.md."""
    deferred: list[int | None] = []
    most = 0
    for each in rank["rounds"]:
        if each["fence"] is not None:
            deferred = [fence for fence in deferred if fence is None or fence > each["fence"]]
        most = max(most, len(deferred) + len(each[way]))
        deferred += [transfer["fence"] for transfer in each[way] if transfer["deferred"]]
    return most


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("alltoall.scattered", "receives"),
        ("alltoall.scattered", "sends"),
        ("gather.linear", "receives"),
        ("gatherv.linear", "receives"),
        ("scatter.linear", "sends"),
        ("scatterv.linear", "sends"),
    ],
)
def test_trap_19_requests_are_bounded(roundelay: str, name: str, way: str) -> None:
    for throttle in (1, 3):
        command = [roundelay, "trace", f"{name}(throttle={throttle})", "-p", "9", "--json"]
        trace = json.loads(run(command).ok().stdout)
        assert most_in_flight(trace["ranks"][0], way) == throttle


@pytest.mark.parametrize("throttle", [1, 2])
def test_trap_19_a_late_root_is_not_flooded(mpi: Mpi, program: Program, throttle: int) -> None:
    forced = {"ROUNDELAY": f"gather=linear(throttle={throttle})"}
    finished(launch(mpi, 3, [program("traps/flood.c")], env=forced))


def test_trap_20_nothing_is_known_of_device_memory(mpi: Mpi) -> None:
    # So pointers to it must not be given to the library: docs/reference/using.md, "Limits". A test
    # of what happens would need a GPU.
    wanted = symbols(mpi.library, "--undefined-only")
    assert {"memcpy", "PMPI_Pack", "PMPI_Reduce_local"} <= wanted
    assert not [name for name in wanted if re.match(r"cu[A-Z]|cuda|hip|hsa|ze[A-Z]", name)]


def test_trap_21_collectives_within_the_mpi_are_not_seen(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    outcome = launch(mpi, 2, [program("traps/internal.c")], report=tmp_path / "report")
    assert finished(outcome).calls == {"bcast": 1}


def test_trap_22_there_are_no_variables_of_the_tools_interface(mpi: Mpi) -> None:
    # One definition of MPI_T_* would hide the MPI library's own; ours are to be asked for by name.
    ours = symbols(mpi.library, "--defined-only")
    others = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Op_free"}
    others |= {"MPI_Comm_free", "MPI_Comm_disconnect"}
    others |= {"MPI_Start", "MPI_Startall", "MPI_Request_free"}
    others |= {"MPI_Request_c2f", "MPI_Request_f2c"}
    others |= {"MPI_Comm_idup", "MPI_Comm_idup_with_info"}
    others |= {"MPI_Request_get_status_any", "MPI_Request_get_status_some"}
    others |= {f"MPI_{verb}{of}" for verb in ("Wait", "Test") for of in ("", "all", "any", "some")}
    calls = c_names() | {f"MPI_I{name}" for name in (*COLLECTIVES, *NEIGHBOURHOOD)}
    calls |= {f"{name}_init" for name in c_names()}
    assert {name for name in ours if name.startswith("MPI_") and name[4:5].isupper()} <= {
        *calls,
        *(f"{name}_c" for name in calls),
        *others,
        *(name.upper() for name in {*calls, *others}),
    }
    assert {"roundelay_last", "roundelay_force", "roundelay_version"} <= ours
