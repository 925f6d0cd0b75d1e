# SPDX-License-Identifier: Apache-2.0
"""The launcher of an MPI in a lab: which one it is, and what it has to be told."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from roundelay.cannot_run import CannotRun
from roundelay.elf import MPI_NAMES, STANDARD, flavour_of, read_program
from roundelay.lab.description import HEAD, SUBNET, Lab, address
from roundelay.launcher import (
    ANY,
    LAUNCHERS,
    Launcher,
    contexts,
    find_launcher,
    launcher_position,
)

# Launchers take it for ssh. It stands in a folder that only the lab sees; nodes, which have a
# /dev/shm of their own, see it through the lab's first process.
WRAPPER = Path("/proc/1/root/dev/shm/roundelay-enter")
ROOT = {
    f"{name}_ALLOW_RUN_AS_ROOT{suffix}": "1"
    for name in ("OMPI", "PRTE")
    for suffix in ("", "_CONFIRM")
}


def wrapper(pids: Mapping[int, int]) -> str:
    """The script that is called with the address of a node and a command, and runs it there."""
    cases = "\n".join(f"  {address(node)}) node={pid} ;;" for node, pid in pids.items())
    return f"""#!/bin/sh
case $1 in
{cases}
  *) echo "the lab has no node $1" >&2; exit 1 ;;
esac
shift
exec nsenter --target $node --net --uts --ipc --mount -- sh -c 'cd "$0" && eval "$1"' "$PWD" "$*"
"""


def require_no_launcher(command: Sequence[str]) -> None:
    """Raises CannotRun where the command starts ranks itself."""
    position = launcher_position(command)
    if position is None:
        return
    launcher = find_launcher(command)
    program = contexts(launcher, command)[0].program if launcher is not None else None
    end = program if program is not None else position + 1
    raise CannotRun(
        f"leave '{' '.join(command[position:end])}' out: roundelay lab starts the ranks itself "
        "(--nodes, --ranks-per-node)"
    )


def pick_launcher(program: str, flavour: str | None = None, mpiexec: str | None = None) -> Launcher:
    """The one that is wanted; by default that of the program's MPI. Raises CannotRun."""
    if mpiexec is not None:
        launcher = find_launcher([mpiexec])
        if launcher is None or launcher.flavour == ANY:
            raise CannotRun(f"'{mpiexec}' is not a launcher of Open MPI or MPICH")
        if flavour not in (None, launcher.flavour):
            raise CannotRun(
                f"{mpiexec} is a launcher of {MPI_NAMES[launcher.flavour]}, but --mpi is "
                f"{flavour}: leave --mpi out"
            )
        return _fit(launcher)
    path = shutil.which(program)
    if path is None:
        raise CannotRun(f"there is no program '{program}'")
    elf = read_program(Path(path))
    soname = elf.mpi if elf is not None else None
    if soname is not None and flavour_of(soname) not in (STANDARD, flavour or flavour_of(soname)):
        raise CannotRun(
            f"{program} is linked to {soname} of {MPI_NAMES[flavour_of(soname)]}, but --mpi is "
            f"{flavour}: leave --mpi out"
        )
    names = list(LAUNCHERS)
    if elf is not None and elf.mpi is not None:
        names.insert(0, str(elf.libraries[elf.mpi].parent.parent / "bin" / "mpiexec"))
    there = [launcher for name in names if (launcher := find_launcher([name])) is not None]
    fitting = [
        launcher
        for launcher in there
        if launcher.flavour != ANY
        and flavour in (None, launcher.flavour)
        and (elf is None or elf.mpi is None or elf.mpi in launcher.libraries)
    ]
    if not fitting:
        raise CannotRun(
            f"there is no launcher of {flavour or 'an MPI'}"
            + (f" with {elf.mpi}, to which {program} is linked" if elf and elf.mpi else "")
            + "; give --mpiexec; there are: "
            + (", ".join(f"{each.path} ({each.flavour})" for each in there) or "none")
        )
    return _fit(fitting[0])


def _fit(launcher: Launcher) -> Launcher:
    if launcher.flavour == "mpich" and launcher.major in (3, 4):
        raise CannotRun(
            f"{launcher.path} is MPICH {launcher.version}, which over TCP with 8 ranks or more "
            "hangs in its own MPI_Finalize; take MPICH 5, e.g. with python3 -m venv V; "
            "V/bin/pip install mpich; roundelay lab --mpiexec V/bin/mpiexec .., and compile the "
            "program by V/bin/mpicc"
        )
    return launcher


def command(lab: Lab, launcher: Launcher, program: Sequence[str]) -> list[str]:
    """What starts the program's ranks on the nodes."""
    words = _mpich(lab) if launcher.flavour == "mpich" else _open_mpi(lab, launcher.major)
    return [str(launcher.path), *words, "-n", str(lab.ranks), *program]


def _mpich(lab: Lab) -> list[str]:
    hosts = ",".join(address(node + 1) for node in range(lab.nodes))
    shared = ",sm" if lab.ranks_per_node > 1 else ""
    return [
        "-localhost", HEAD, "-launcher", "rsh", "-launcher-exec", str(WRAPPER),
        "-hosts", hosts, "-ppn", str(lab.ranks_per_node),
        "-genv", "UCX_TLS", f"tcp,self{shared}", "-genv", "UCX_NET_DEVICES", "eth0",
    ]  # fmt: skip


def _open_mpi(lab: Lab, major: int) -> list[str]:
    hosts = ",".join(f"{address(node + 1)}:{lab.ranks_per_node}" for node in range(lab.nodes))
    if major >= 5:
        start = ["--prtemca", "plm_ssh_agent", str(WRAPPER), "--prtemca", "prte_if_include", SUBNET]
    else:
        start = ["--mca", "plm_rsh_agent", str(WRAPPER), "--mca", "oob_tcp_if_include", SUBNET]
    shared = ("sm" if major >= 5 else "vader") if lab.ranks_per_node > 1 else ""
    transports = ",".join(filter(None, ["tcp", "self", shared]))
    # There osc/rdma takes windows for itself, and then cannot have them over TCP.
    windows = [] if major >= 5 else ["--mca", "osc", "^rdma"]
    return [
        *start, *windows, "--mca", "btl_tcp_if_include", SUBNET, "--mca", "btl", transports,
        "--mca", "pml", "ob1", "--mca", "mpi_yield_when_idle", "1",
        # All nodes have the same cores, and each would bind its ranks to the first.
        "--bind-to", "none", "-H", hosts,
    ]  # fmt: skip


def variables(launcher: Launcher) -> dict[str, str]:
    """What the launcher needs in its environment."""
    return ROOT if launcher.flavour == "openmpi" else {}


def places(lab: Lab) -> dict[str, str]:
    """What says Roundelay which ranks are at a site."""
    if len(lab.sites) == 1 or os.environ.get("ROUNDELAY_SITES"):
        return {}
    sizes = (nodes * lab.ranks_per_node for nodes in lab.sites)
    return {"ROUNDELAY_SITES": "+".join(map(str, sizes))}


def waiting() -> dict[str, str]:
    """How Roundelay is to wait: a node's ranks take the whole machine's cores for theirs."""
    return {} if os.environ.get("ROUNDELAY_WAIT") else {"ROUNDELAY_WAIT": "sleep"}
