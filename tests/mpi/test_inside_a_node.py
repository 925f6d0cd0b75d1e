# SPDX-License-Identifier: Apache-2.0
"""Ranks of a node exchange through memory, if all of them can."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from launching import HANG_SECONDS, Mpi, Outcome, in_ranks, launch, mpiexec, run, settings_of

Program = Callable[[str], Path]
FORCED = (
    "allgather=ring; allgatherv=bruck; allreduce=rabenseifner; alltoall=pairwise; "
    "alltoallv=scattered; alltoallw=pairwise; barrier=dissemination; bcast=scatter_allgather; "
    "exscan=chain; gather=binomial; gatherv=linear; reduce=circulant; reduce_scatter=pairwise; "
    "reduce_scatter_block=circulant; scan=chain; scatter=binomial; scatterv=linear"
)


def inside_a_node(mpi: Mpi, program: Program, ranks: int, *what: str, **variables: str) -> Outcome:
    argv = [program("traps/inside_a_node.c"), *what]
    return launch(mpi, ranks, argv, env={"ROUNDELAY": FORCED, **variables})


@pytest.mark.parametrize("transport", ["auto", "memory", "messages", "put"])
@pytest.mark.parametrize("wait", ["spin", "sleep"])
def test_each_transport_gives_what_is_right(
    mpi: Mpi, program: Program, transport: str, wait: str
) -> None:
    settings = {"ROUNDELAY_TRANSPORT": transport, "ROUNDELAY_WAIT": wait}
    outcome = inside_a_node(mpi, program, 3, "nothing", **settings).ok()
    assert "finished" in outcome.stdout


@pytest.mark.parametrize("what", ["no-memory", "full", "limit"])
def test_if_one_rank_has_no_memory_all_use_messages(mpi: Mpi, program: Program, what: str) -> None:
    outcome = inside_a_node(mpi, program, 3, what)
    if "not provided" in outcome.stdout:
        pytest.skip("system calls cannot be forbidden here")
    assert "finished" in outcome.ok().stdout
    forced = inside_a_node(mpi, program, 3, what, ROUNDELAY_TRANSPORT="memory")
    assert forced.returncode != 0
    assert "ROUNDELAY_TRANSPORT=memory, but memory cannot be shared" in forced.stderr, forced.text


def test_without_nameless_memory_it_has_a_name_at_first(mpi: Mpi, program: Program) -> None:
    outcome = inside_a_node(mpi, program, 3, "no-memfd", ROUNDELAY_TRANSPORT="memory")
    assert "finished" in outcome.ok().stdout
    assert not files_in_memory()


def test_ranks_in_pid_namespaces_of_their_own(mpi: Mpi, program: Program) -> None:
    """There /proc/<pid> of another rank is another process, or none."""
    if mpi.flavour == "mpich":
        pytest.skip("there MPICH over UCX sometimes never ends MPI_Finalize")
    apart = ["unshare", "--pid", "--fork", "--kill-child"]
    if run([*apart, "true"]).returncode != 0:
        pytest.skip("there are no new pid namespaces here")
    # Open MPI cannot share memory there.
    env = {"ROUNDELAY": FORCED, "OMPI_MCA_btl": "self,tcp"}
    for variables in ({}, {"ROUNDELAY_TRANSPORT": "memory"}):
        argv = [*apart, program("traps/inside_a_node.c"), "nothing"]
        assert "finished" in launch(mpi, 3, argv, env={**env, **variables}).ok().stdout
    assert not files_in_memory()


def test_if_shared_memory_is_full_all_use_messages(mpi: Mpi, program: Program) -> None:
    small = ["unshare", "--mount", "sh", "-c"]
    small.append('mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "$@"')
    if run([*small, "sh", "true"]).returncode != 0:
        pytest.skip("nothing can be mounted here")
    for transport in ("auto", "memory"):
        # What Open MPI takes from /dev/shm it has not got before it writes there.
        env = {"ROUNDELAY_TRANSPORT": transport, "OMPI_MCA_btl": "self,tcp"}
        settings = settings_of(mpi, preload=True, env={"ROUNDELAY": FORCED, **env})
        argv = in_ranks(mpi, settings, [program("traps/inside_a_node.c"), "no-memfd-full"])
        outcome = run([*small, "sh", *mpiexec(mpi, [(3, argv)])], env=mpi.root_env)
        if transport == "auto":
            assert "finished" in outcome.ok().stdout
        else:
            assert "memory cannot be shared" in outcome.stderr, outcome.text


def test_another_transport_is_an_error(mpi: Mpi, program: Program) -> None:
    outcome = inside_a_node(mpi, program, 2, "nothing", ROUNDELAY_TRANSPORT="pigeon")
    assert outcome.returncode != 0
    wanted = "ROUNDELAY_TRANSPORT=pigeon: must be one of auto, messages, memory, put"
    assert wanted in outcome.stderr, outcome.text


@pytest.mark.parametrize("wait", ["spin", "sleep"])
@pytest.mark.parametrize("nodes", ["aa", "aab", "abab"])
def test_messages_of_the_program_go_on_while_a_rank_waits(
    mpi: Mpi, program: Program, wait: str, nodes: str
) -> None:
    settings = {"ROUNDELAY_WAIT": wait, "ROUNDELAY_NODES": nodes}
    inside_a_node(mpi, program, len(nodes), "across", **settings).ok()


def test_what_the_library_moves_is_not_held_up_while_ranks_sleep(
    mpi: Mpi, program: Program
) -> None:
    """A long message of the MPI library, copied twice, beside a barrier through memory."""
    env = {"ROUNDELAY_TRANSPORT": "memory", "ROUNDELAY_WAIT": "sleep"}
    for copies in ("btl_vader_single_copy_mechanism", "smsc"):
        env[f"OMPI_MCA_{copies}"] = "none" if "vader" in copies else "^cma,knem,xpmem"
    outcome = launch(mpi, 4, [program("traps/driving.c"), 4000000], env=env).ok()
    times = float(outcome.stdout.partition(" times")[0].split()[-1])
    assert times < 200, outcome.text  # 5 to 50; without steps of the library between sleeps, 3000


@pytest.mark.parametrize("memory", ["user", "secret"])
def test_memory_that_no_other_process_may_read(mpi: Mpi, program: Program, memory: str) -> None:
    """That of a rank that has changed its user, and what the system shows to no other process."""
    env = {"ROUNDELAY": "bcast=binomial", "ROUNDELAY_WAIT": "sleep"}
    command = [program("traps/unreadable.c"), memory]
    outcome = launch(mpi, 3, command, env={**env, "ROUNDELAY_TRANSPORT": "memory"}).ok()
    if "not provided" in outcome.stdout:
        pytest.skip("this system has no such memory")
    if mpi.flavour == "openmpi":  # MPICH 4.0.2 fails there, too, without Roundelay
        launch(mpi, 3, command, env={**env, "ROUNDELAY_TRANSPORT": "messages"}).ok()


def test_more_communicators_than_may_share_memory(mpi: Mpi, program: Program) -> None:
    inside_a_node(mpi, program, 2, "many").ok()


def test_many_calls_take_no_more_memory(mpi: Mpi, program: Program, long: bool) -> None:
    inside_a_node(mpi, program, 2, "often", "10000000" if long else "1000000").ok()


def files_in_memory() -> set[str]:
    return {path.name for path in Path("/dev/shm").glob("*roundelay*")}


@pytest.mark.parametrize(
    ("file", "what"), [("memfd:roundelay", "nothing"), ("/dev/shm/roundelay-", "no-memfd")]
)
def test_nothing_is_left_after_a_kill(mpi: Mpi, program: Program, file: str, what: str) -> None:
    """Of memory that has no name any more, nothing can be left but in a process."""
    settings = settings_of(mpi, preload=True, env={"ROUNDELAY": FORCED})
    argv = in_ranks(mpi, settings, [program("traps/inside_a_node.c"), "often", "2000000000", what])
    with subprocess.Popen(
        mpiexec(mpi, [(2, argv)]),
        env={**os.environ, **mpi.root_env},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as job:
        try:
            sharing: list[Path] = []
            while len(sharing) < 2 or files_in_memory():
                time.sleep(0.1)
                assert job.poll() is None
                sharing = [
                    process
                    for process in Path("/proc").glob("[0-9]*")
                    if is_rank_of(process, job.pid) and file in text_of(process / "maps")
                ]
            for process in sharing:
                # The launcher may have killed the second rank already, because the first is gone.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process.name), signal.SIGKILL)
            job.wait(HANG_SECONDS)
        finally:
            job.kill()
    assert not files_in_memory()


def text_of(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def is_rank_of(process: Path, launcher: int) -> bool:
    """Whether this is a rank that the launcher started; each may be in a session of its own."""
    while int(process.name) > 1:
        if int(process.name) == launcher:
            return True
        after_name = text_of(process / "stat").rpartition(")")[2].split()
        if not after_name:
            return False
        process = process.parent / after_name[1]
    return False


@pytest.mark.parametrize("transport", ["memory", "messages"])
@pytest.mark.parametrize("algorithm", ["pairwise", "recursive_doubling"])
def test_a_call_with_uneven_blocks_is_not_played_as_the_one_before(
    mpi: Mpi, program: Program, algorithm: str, transport: str
) -> None:
    """What is recorded of a call of the same length, with even blocks, is of no use for it."""
    settings = {"ROUNDELAY_REDUCE_SCATTER": algorithm, "ROUNDELAY_TRANSPORT": transport}
    launch(mpi, 3, [program("traps/uneven.c")], env=settings).ok()


@pytest.mark.parametrize("transport", ["memory", "messages"])
@pytest.mark.parametrize(
    ("to_all", "exchange"), [("bruck", "scattered"), ("linear", "pairwise"), ("ring", "tuna")]
)
def test_a_call_with_other_counts_is_not_played_as_the_one_before(
    mpi: Mpi, program: Program, to_all: str, exchange: str, transport: str
) -> None:
    """The counts change where they lie, and the root changes, too."""
    settings = {
        "ROUNDELAY": f"allgatherv={to_all};alltoallv={exchange};gatherv=linear;scatterv=linear",
        "ROUNDELAY_TRANSPORT": transport,
    }
    launch(mpi, 3, [program("traps/changing.c")], env=settings).ok()
