# SPDX-License-Identifier: Apache-2.0
"""The agreement of a communicator's ranks, and the beginning and the end of its state."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from launching import (
    COLLECTIVES,
    HERE,
    Mpi,
    Outcome,
    compile_library,
    in_ranks,
    launch,
    ld_preload,
    mpiexec,
    run,
    settings_of,
    skip_what_ends_late,
)
from sanitizers import watched

Program = Callable[[str], Path]

OURS = (
    "allgather=ring; allgatherv=ring; allreduce=ring; alltoall=pairwise; alltoallv=pairwise; "
    "alltoallw=pairwise; barrier=dissemination; bcast=binomial; exscan=recursive_doubling; "
    "gather=binomial; gatherv=linear; reduce=binomial; reduce_scatter=circulant; "
    "reduce_scatter_block=circulant; scan=recursive_doubling; scatter=binomial; scatterv=linear"
)
APART = {"ROUNDELAY_NODES": "1+1+1"}
BEDS = {"default": {}, "forced": {"ROUNDELAY": OURS}, "apart": APART}


def finished(outcome: Outcome) -> Outcome:
    assert outcome.ok().stdout.count("finished") == 1, outcome.text
    return outcome


@pytest.mark.parametrize("scene", ["empty", "illegal"])
@pytest.mark.parametrize("bed", BEDS)
def test_what_one_rank_knows_does_not_keep_it_from_the_agreement(
    mpi: Mpi, program: Program, bed: str, scene: str
) -> None:
    argv = [program("traps/first_call.c"), scene]
    if scene == "illegal" and launch(mpi, 3, argv, preload=False).returncode != 0:
        pytest.skip("this MPI library does not refuse illegal arguments")
    finished(launch(mpi, 3, argv, env=BEDS[bed]))


# Each variable of docs/reference/using.md with a valid value and one that is not.
VARIABLES = {
    "ROUNDELAY": ("bcast=binomial", "bcast=nonsense"),
    "ROUNDELAY_PROFILE": ("thakur2005", "./missing.json"),
    "ROUNDELAY_DETERMINISTIC": ("1", "perhaps"),
    "ROUNDELAY_TRACE": ("1", "2"),
    "ROUNDELAY_REPORT": ("off", "loud"),
    "ROUNDELAY_REPORT_FILE": ("/dev/null", "/nowhere/at/all"),
    "ROUNDELAY_WAIT": ("sleep", "later"),
    "ROUNDELAY_TRANSPORT": ("messages", "pigeon"),
    "ROUNDELAY_SITES": ("1+2", "1+"),
    "ROUNDELAY_NODES": ("2+1", "1+1+1+1"),
    "ROUNDELAY_STATUS": ("/dev/null", "/nowhere/at/all"),
}


@pytest.mark.parametrize("elsewhere", [0, 1], ids=["at rank 0", "at others"])
@pytest.mark.parametrize("valid", [True, False], ids=["valid", "invalid"])
@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_that_only_some_ranks_have(
    mpi: Mpi, program: Program, variable: str, valid: bool, elsewhere: int
) -> None:
    value = VARIABLES[variable][0 if valid else 1]
    common = settings_of(mpi, preload=True, env=None)
    argv = [program("traps/first_call.c"), "empty"]
    with_it = in_ranks(mpi, {**common, variable: value}, argv)
    without = in_ranks(mpi, common, argv)
    groups = [(1, without), (2, with_it)] if elsewhere else [(1, with_it), (2, without)]
    outcome = finished(run(mpiexec(mpi, groups), env=mpi.root_env))
    differ = variable not in ("ROUNDELAY_TRACE", "ROUNDELAY_REPORT", "ROUNDELAY_WAIT")
    differ = (differ or not valid) and variable not in ("ROUNDELAY_REPORT_FILE", "ROUNDELAY_STATUS")
    assert ("the settings differ between the 3 ranks" in outcome.stderr) == differ, outcome.text


def test_callbacks_may_call_collectives_on_what_is_being_freed(mpi: Mpi, program: Program) -> None:
    for bed in BEDS.values():
        finished(launch(mpi, 3, [program("traps/callbacks.c")], env=bed))


@pytest.mark.parametrize("early", [(), ("early",)], ids=["first", "again"])
@pytest.mark.parametrize("bed", BEDS)
def test_collectives_in_handlers_at_the_end_of_the_process(
    mpi: Mpi, program: Program, bed: str, early: tuple[str, ...], tmp_path: Path
) -> None:
    skip_what_ends_late(mpi)
    report = tmp_path / "report"
    argv = [program("traps/at_the_end.c"), *early]
    outcome = finished(launch(mpi, 3, argv, env=BEDS[bed], report=report))
    assert outcome.calls.keys() == set(COLLECTIVES) & outcome.calls.keys()
    assert outcome.calls["allreduce"] > 2
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize("bed", BEDS)
def test_threads_make_use_and_free_communicators_at_once(
    mpi: Mpi, program: Program, bed: str
) -> None:
    finished(launch(mpi, 2, [program("traps/shared.c")], env={**BEDS[bed], **two(bed)}))


@pytest.mark.parametrize("transport", ["auto", "messages"])
@pytest.mark.parametrize("bed", BEDS)
def test_communicators_of_which_duplicates_are_being_made(
    mpi: Mpi, program: Program, bed: str, transport: str
) -> None:
    env = {**BEDS[bed], "ROUNDELAY_TRANSPORT": transport, "ROUNDELAY_NONBLOCKING": "on"}
    finished(launch(mpi, 3, [program("traps/duplicating.c")], env=env))


@pytest.mark.parametrize("bed", BEDS)
@pytest.mark.parametrize("what", ["within", "between", "neighbours"])
def test_other_communicators_are_being_duplicated(
    mpi: Mpi, program: Program, tmp_path: Path, bed: str, what: str
) -> None:
    forced = f"{OURS}; allgather=inter_full"
    env = {**BEDS[bed], **({"ROUNDELAY": forced} if bed == "forced" else {})}
    argv = [program("traps/duplicating_others.c"), what]
    outcome = finished(launch(mpi, 3, argv, env=env, report=tmp_path / "report"))
    assert outcome.report is not None
    waited = [row for row in outcome.report["calls"] if "being duplicated" in row["reason"]]
    # Not for ever: what the others have begun is over before the second half of the calls.
    assert all(row["calls"] < 80 for row in waited), outcome.text
    if what == "between" and bed == "forced":
        ours = [row for row in outcome.report["calls"] if row["algorithm"] == "inter_full"]
        assert sum(row["calls"] for row in ours) > 0, outcome.text


@pytest.mark.parametrize("what", ["within", "between", "neighbours"])
def test_duplicates_that_a_tool_begins(
    mpi: Mpi, program: Program, tmp_path: Path, what: str
) -> None:
    """Preloaded before the library, it hides them: between nodes all calls stay native."""
    if mpi.flavour != "openmpi":
        pytest.skip("MPICH does not make one communicator after the other")
    tool = compile_library(mpi, HERE / "traps" / "starting.c", tmp_path, "-DDUPLICATES")
    env = {**APART, **ld_preload(mpi, tool, mpi.library), "ROUNDELAY_NONBLOCKING": "on"}
    argv = [program("traps/duplicating_others.c"), what]
    outcome = finished(launch(mpi, 3, argv, env=env, report=tmp_path / "report"))
    assert outcome.report is not None
    assert {row["algorithm"] for row in outcome.report["calls"]} == {"native"}


@pytest.mark.parametrize("interface", ["mpif_h", "use_mpi_f08"])
def test_duplicates_are_being_made_in_fortran(mpi: Mpi, program: Program, interface: str) -> None:
    if mpi.mpifort is None:
        pytest.skip("this MPI has no Fortran")
    env = {"ROUNDELAY": "allreduce=ring", "ROUNDELAY_TRANSPORT": "messages"}
    finished(launch(mpi, 3, [program(f"fortran/duplicating_{interface}.F90")], env=env))


@pytest.mark.parametrize("calls", [1, 40])
@pytest.mark.parametrize("nodes", ["4", "2+2", "1+1+1+1"])
def test_threads_make_communicators_of_overlapping_groups(
    mpi: Mpi, program: Program, nodes: str, calls: int
) -> None:
    argv = [program("traps/makers.c"), 4, calls]
    finished(launch(mpi, 4, argv, env={"ROUNDELAY_NODES": nodes}))


def test_a_thread_alone_waits_for_others_only_a_few_calls(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    argv = [program("traps/makers.c"), 1, 40]
    variables = {"ROUNDELAY_NODES": "1+1+1+1", "ROUNDELAY_PROFILE": "thakur2005"}
    outcome = finished(launch(mpi, 4, argv, env=variables, report=tmp_path / "report"))
    assert outcome.report is not None
    calls = {row["algorithm"]: row["calls"] for row in outcome.report["calls"]}
    waited = 12 * 2 * 16 if mpi.flavour == "openmpi" else 0
    assert calls.get("native", 0) == waited, outcome.text
    assert sum(calls.values()) == 12 * 2 * 40, outcome.text


FEW = "few calls on the communicator"


def reasons_of_short_lived(
    mpi: Mpi, program: Program, report: Path, calls: int, **variables: str
) -> dict[str, dict[str, int]]:
    """The calls by collective and reason."""
    argv = [program("traps/short_lived.c"), calls]
    outcome = finished(launch(mpi, 3, argv, env={**APART, **variables}, report=report))
    assert outcome.report is not None
    found: dict[str, dict[str, int]] = {}
    for row in outcome.report["calls"]:
        of = found.setdefault(row["collective"], {})
        of[row["reason"]] = of.get(row["reason"], 0) + row["calls"]
    return found


def test_nothing_is_set_up_for_a_few_short_calls_between_nodes(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    reasons = reasons_of_short_lived(mpi, program, tmp_path / "report", 1)
    assert FEW not in reasons["barrier"]
    assert reasons["allreduce"] == {FEW: 3}
    assert reasons["bcast"] == {FEW: 1}


def test_long_calls_are_soon_worth_what_is_set_up(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    calls = 1000  # on a busy machine, a set-up takes as long as some hundreds
    reasons = reasons_of_short_lived(mpi, program, tmp_path / "report", calls)["bcast"]
    assert sum(reasons.values()) == calls
    assert 1 <= reasons[FEW] < calls, reasons


def preloaded_too(mpi: Mpi, source: str, where: Path, env: dict[str, str]) -> dict[str, str]:
    """What also preloads a library between Roundelay and the MPI library."""
    library = where / "between.so"
    path = Path(__file__).parent / "support" / source
    run([mpi.mpicc, "-shared", "-fPIC", path, "-o", library, "-ldl"], env=mpi.root_env).ok()
    common = settings_of(mpi, preload=True, env=env)
    return {**common, "LD_PRELOAD": f"{common['LD_PRELOAD']}:{library}"}


def test_long_calls_do_not_ask_each_time_whether_a_set_up_is_worth_it(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    calls = 100
    argv = [program("traps/short_lived.c"), calls]
    env = preloaded_too(mpi, "slow_set_up.c", tmp_path, APART)
    outcome = finished(launch(mpi, 3, argv, preload=False, env=env))
    asked = int(outcome.stdout.split("agreements: ")[1].split()[0])
    # MPI_COMM_WORLD, three short-lived communicators, and the last one: in its first call, in the
    # second one, and each time that it has seen as many calls as before.
    first, of_short_lived, of_last = 1, 3, 2 + calls.bit_length()
    assert first + of_short_lived < asked <= first + of_short_lived + of_last


WANTED = {
    "forced": {"ROUNDELAY": OURS},
    "profile": {"ROUNDELAY_PROFILE": "thakur2005"},
    "nonblocking": {"ROUNDELAY_NONBLOCKING": "on"},
    "deterministic": {"ROUNDELAY_DETERMINISTIC": "1"},
}


@pytest.mark.parametrize("wish", WANTED)
def test_what_is_wished_runs_from_the_first_call_on(
    mpi: Mpi, program: Program, tmp_path: Path, wish: str
) -> None:
    reasons = reasons_of_short_lived(mpi, program, tmp_path / "report", 1, **WANTED[wish])
    assert not any(FEW in of for of in reasons.values()), reasons


def two(bed: str) -> dict[str, str]:
    return {"ROUNDELAY_NODES": "1+1"} if bed == "apart" else {}


def test_a_thread_forces_for_itself(mpi: Mpi, program: Program) -> None:
    finished(launch(mpi, 3, [program("traps/forcing.c")]))


def test_what_was_forced_before_takes_no_memory(mpi: Mpi, program: Program) -> None:
    finished(launch(mpi, 2, [program("traps/forcing_often.c")]))


@pytest.mark.parametrize("source", ["shared", "threads", "forcing"])
@pytest.mark.parametrize("bed", ["forced", "apart"])
def test_threads_under_thread_sanitizer(mpi: Mpi, program: Program, bed: str, source: str) -> None:
    under_sanitizer = watched(mpi)
    # ThreadSanitizer does not know the addresses that newer kernels choose at random.
    argv = ["setarch", "-R", program(f"traps/{source}.c")]
    outcome = launch(under_sanitizer, 2, argv, env={**BEDS[bed], **two(bed)})
    assert "WARNING: ThreadSanitizer" not in finished(outcome).stderr, outcome.text


@pytest.mark.parametrize("bed", ["default", "forced"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_misuse_gives_the_error_of_the_mpi(
    mpi: Mpi, program: Program, ranks: int, bed: str
) -> None:
    argv = [program("traps/misuse.c")]
    natively = launch(mpi, ranks, argv, preload=False).ok()
    ours = launch(mpi, ranks, argv, env={"ROUNDELAY_REPORT": "off", **BEDS[bed]}).ok()
    assert sorted(ours.stdout.splitlines()) == sorted(natively.stdout.splitlines())


def test_a_failing_agreement_leaves_all_to_the_mpi(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    env = preloaded_too(mpi, "failing.c", tmp_path, BEDS["forced"])
    report = tmp_path / "report"
    argv = [program("traps/collectives.c"), "3"]
    outcome = launch(mpi, 3, argv, preload=False, env=env, report=report).ok()
    assert outcome.report is not None
    reasons = {row["reason"] for row in outcome.report["calls"]}
    assert reasons == {"the ranks could not agree"}, json.dumps(outcome.report)


def skip_unless_ranks_start_later(mpi: Mpi, argv: Sequence[object]) -> None:
    if launch(mpi, 2, argv, preload=False).returncode != 0:
        pytest.skip("this MPI cannot start ranks later")


@pytest.mark.parametrize("bed", ["default", "forced"])
def test_ranks_of_several_worlds_stay_with_the_mpi(
    mpi: Mpi, program: Program, bed: str, tmp_path: Path
) -> None:
    argv = [program("traps/spawned.c")]
    skip_unless_ranks_start_later(mpi, argv)
    outcome = launch(mpi, 2, argv, env=BEDS[bed], report=tmp_path / "report")
    assert "several worlds" in {row["reason"] for row in finished(outcome).report["calls"]}


@pytest.mark.parametrize("variable", ["ROUNDELAY_NODES", "ROUNDELAY_SITES"])
def test_a_spawned_world_ignores_where_ranks_of_the_first_are(
    mpi: Mpi, program: Program, variable: str
) -> None:
    argv = [program("traps/spawned_with_variables.c"), 3]
    skip_unless_ranks_start_later(mpi, argv)
    told = f"{variable}=1+1 is ignored in a world that MPI_Comm_spawn started"
    outcome = finished(launch(mpi, 2, argv, env={**BEDS["forced"], variable: "1+1"}))
    assert outcome.stderr.count(told) == 1, outcome.text
    by_hosts = finished(launch(mpi, 2, argv, env={**BEDS["forced"], variable: "one: *"}))
    assert "is ignored" not in by_hosts.text


def test_the_report_of_a_spawned_world_has_a_file_of_its_own(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    argv = [program("traps/spawned_with_variables.c"), 3]
    skip_unless_ranks_start_later(mpi, argv)
    file = tmp_path / "report.json"
    variables = {"ROUNDELAY_REPORT": "json", "ROUNDELAY_REPORT_FILE": str(file)}
    finished(launch(mpi, 2, argv, env={**BEDS["forced"], **variables}))
    (of_spawned,) = tmp_path.glob("report.json.spawned-*")
    assert json.loads(file.read_text())["ranks"] == 2
    assert json.loads(of_spawned.read_text())["ranks"] == 3


def test_most_communicators_are_left_for_the_program(
    mpi: Mpi, program: Program, tmp_path: Path
) -> None:
    report = tmp_path / "report"
    argv = [program("traps/many.c")]
    outcome = finished(launch(mpi, 2, argv, env=BEDS["forced"], report=report))
    assert outcome.report is not None
    reasons = {row["reason"] for row in outcome.report["calls"]}
    assert reasons == {"forced"} | (
        {"too many communicators"} if mpi.flavour == "mpich" else set()
    ), outcome.text
