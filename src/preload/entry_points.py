# SPDX-License-Identifier: Apache-2.0
"""python3 entry_points.py FOLDER: writes what C and Fortran programs call, from one list.

native.inc             the members of Native: the MPI library's own functions
c.inc                  MPI_X, MPI_Ix and MPI_X_init, and the same with _c where X has a count
fortran_open_mpi.inc   MPI_X as Fortran programs call it with Open MPI
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill
from typing import NamedTuple


class Kind(NamedTuple):
    """How an argument is declared and converted; {} is its name, {}_f that of Fortran's."""

    c: str
    large: str = ""  # in MPI_X_c, if it differs
    fortran: str = "MPI_Fint* {}_f"
    conversion: str = "const auto {} = *{}_f;"


SENT = Kind(
    "const void* {}", fortran="void* {}_f", conversion="const void* const {} = address_of({}_f);"
)
BUFFER = Kind("void* {}", fortran="void* {}_f", conversion="void* const {} = address_of({}_f);")
COUNT = Kind("int {}", "MPI_Count {}")
COUNTS = Kind("const int {}[]", "const MPI_Count {}[]", conversion="const auto* const {} = {}_f;")
ADDRESSES = Kind(
    "const MPI_Aint {}[]", fortran="MPI_Aint* {}_f", conversion="const auto* const {} = {}_f;"
)
PLACES = Kind("const int {}[]", "const MPI_Aint {}[]", conversion="const auto* const {} = {}_f;")
TYPE = Kind("MPI_Datatype {}", conversion="const MPI_Datatype {} = PMPI_Type_f2c(*{}_f);")
OP = Kind("MPI_Op {}", conversion="const MPI_Op {} = PMPI_Op_f2c(*{}_f);")
ROOT = Kind("int {}")
COMM = Kind("MPI_Comm {}", conversion="")  # before the others
INFO = Kind("MPI_Info {}", conversion="const MPI_Info {} = PMPI_Info_f2c(*{}_f);")
REQUEST = Kind(
    "MPI_Request* {}",
    conversion="""MPI_Request {}_c = MPI_REQUEST_NULL;
MPI_Request* const {} = &{}_c;""",
)


def types_of(buffer: str) -> Kind:
    """A list of types, one for each rank, which does not count if `buffer` is MPI_IN_PLACE."""
    return types(f"ranks_of(comm, {buffer})")


def types(count: str) -> Kind:
    """A list of so many types."""
    conversion = f"""const auto {{}}_c = types_of({{}}_f, {count});
if ({{}}_c == nullptr) return answer(ierror, no_memory(comm));
const MPI_Datatype* const {{}} = {{}}_c.get();"""
    return Kind("const MPI_Datatype {}[]", conversion=conversion)


# The MPI standard gives arguments of one kind the same names in every call.
KINDS = {
    "sendbuf": SENT,
    "recvbuf": BUFFER,
    "buffer": BUFFER,
    "count": COUNT,
    "sendcount": COUNT,
    "recvcount": COUNT,
    "sendcounts": COUNTS,
    "recvcounts": COUNTS,
    "displs": PLACES,
    "sdispls": PLACES,
    "rdispls": PLACES,
    "datatype": TYPE,
    "sendtype": TYPE,
    "recvtype": TYPE,
    "sendtypes": types_of("sendbuf"),
    "recvtypes": types_of("recvbuf"),
    # Of neighbours:
    "sendplaces": ADDRESSES,
    "recvplaces": ADDRESSES,
    "desttypes": types("mpi::count_neighbours(comm).destinations"),
    "sourcetypes": types("mpi::count_neighbours(comm).sources"),
    "op": OP,
    "root": ROOT,
    "comm": COMM,
    "info": INFO,
    "request": REQUEST,
}


class Call(NamedTuple):
    name: str  # without MPI_, in small letters
    arguments: str
    # The function template in interpose_*.hpp that runs it and its arguments, but for the last one;
    # empty: that of the same name with the same arguments.
    runs: str = ""
    form: str = "blocking"
    collective: str = ""  # if the name says more


# Those that wait; of each, also among neighbours, there is one that does not, and one that the
# program may start again and again.
CALLS = [
    Call("allgather", "sendbuf sendcount sendtype recvbuf recvcount recvtype comm"),
    Call("allgatherv", "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm"),
    Call("allreduce", "sendbuf recvbuf count datatype op comm"),
    Call("alltoall", "sendbuf sendcount sendtype recvbuf recvcount recvtype comm"),
    Call(
        "alltoallv",
        "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm",
        "alltoallv(Collective::alltoallv, Elements{sendbuf, sendcounts, sdispls, sendtype}, "
        "Elements{recvbuf, recvcounts, rdispls, recvtype}, comm",
    ),
    Call(
        "alltoallw",
        "sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm",
        "alltoallv(Collective::alltoallw, Bytes{sendbuf, sendcounts, sdispls, sendtypes}, "
        "Bytes{recvbuf, recvcounts, rdispls, recvtypes}, comm",
    ),
    Call("barrier", "comm"),
    Call("bcast", "buffer count datatype root comm"),
    Call(
        "exscan",
        "sendbuf recvbuf count datatype op comm",
        "scan(Collective::exscan, sendbuf, recvbuf, count, datatype, op, comm",
    ),
    Call("gather", "sendbuf sendcount sendtype recvbuf recvcount recvtype root comm"),
    Call("gatherv", "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm"),
    Call("reduce", "sendbuf recvbuf count datatype op root comm"),
    Call(
        "reduce_scatter",
        "sendbuf recvbuf recvcounts datatype op comm",
        "reduce_scatter(Collective::reduce_scatter, sendbuf, recvbuf, Listed{recvcounts}, "
        "datatype, op, comm",
    ),
    Call(
        "reduce_scatter_block",
        "sendbuf recvbuf recvcount datatype op comm",
        "reduce_scatter(Collective::reduce_scatter_block, sendbuf, recvbuf, Alike{recvcount}, "
        "datatype, op, comm",
    ),
    Call(
        "scan",
        "sendbuf recvbuf count datatype op comm",
        "scan(Collective::scan, sendbuf, recvbuf, count, datatype, op, comm",
    ),
    Call("scatter", "sendbuf sendcount sendtype recvbuf recvcount recvtype root comm"),
    Call("scatterv", "sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm"),
]


def among_neighbours(name: str, arguments: str, sent: str, received: str) -> Call:
    sides = f"{sent}, {received}"
    return Call(name, arguments, f"exchange_with_neighbours(Collective::{name}, {sides}, comm")


ONE_LENGTH = "sendbuf sendcount sendtype recvbuf recvcount recvtype comm"
SENT_ALIKE = "Consecutive{sendbuf, sendcount, sendtype}"
RECEIVED_ALIKE = "Consecutive{recvbuf, recvcount, recvtype}"
NEIGHBOUR_CALLS = [
    among_neighbours("neighbor_allgather", ONE_LENGTH, SENT_ALIKE, RECEIVED_ALIKE),
    among_neighbours(
        "neighbor_allgatherv",
        "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm",
        SENT_ALIKE,
        "Elements{recvbuf, recvcounts, displs, recvtype}",
    ),
    among_neighbours("neighbor_alltoall", ONE_LENGTH, SENT_ALIKE, RECEIVED_ALIKE),
    among_neighbours(
        "neighbor_alltoallv",
        "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm",
        "Elements{sendbuf, sendcounts, sdispls, sendtype}",
        "Elements{recvbuf, recvcounts, rdispls, recvtype}",
    ),
    among_neighbours(
        "neighbor_alltoallw",
        "sendbuf sendcounts sendplaces desttypes recvbuf recvcounts recvplaces sourcetypes comm",
        "Bytes{sendbuf, sendcounts, sendplaces, desttypes}",
        "Bytes{recvbuf, recvcounts, recvplaces, sourcetypes}",
    ),
]


def not_waiting(call: Call) -> Call:
    """The call of the same arguments that gives the program a request instead."""
    arguments = call.arguments + " request"
    return Call("i" + call.name, arguments, run_by(call), "nonblocking", call.name)


def persistent(call: Call) -> Call:
    """The call of the same arguments that gives the program a request that it may start."""
    arguments = call.arguments + " info request"
    return Call(call.name + "_init", arguments, run_by(call), "persistent", call.name)


def run_by(call: Call) -> str:
    return call.runs or f"{call.name}({listed(call)}"


def listed(call: Call) -> str:
    return ", ".join(call.arguments.split())


def kinds(call: Call) -> list[Kind]:
    return [KINDS[name] for name in call.arguments.split()]


def has_count(call: Call) -> bool:
    return COUNT in kinds(call) or COUNTS in kinds(call)


def declared(call: Call, forms: list[str]) -> str:
    return ", ".join(map(str.format, forms, call.arguments.split()))


def wrapped(text: str, indent: str = "") -> str:
    return fill(text, 100, initial_indent=indent, subsequent_indent=indent + "    ")


def run(call: Call, native: str, indent: str, use: str = "return") -> str:
    """The statement that runs the call; `native` is what it would have been without us."""
    form = "Blocking{"
    if call.form != "blocking":
        form = f"WithRequest{{Form::{call.form}, Collective::{call.collective}, request, "
    passed_on = f"native.{native}({listed(call)})"
    if call.form == "persistent":
        passed_on = f"pass_on(native.{native}, comm, {listed(call)})"
    first = f"{use} guarded(comm, {form}[&] {{ return {passed_on}; }}}},"
    body = f"[&](const auto& call) {{ return {run_by(call)}, call); }});"
    return wrapped(first, indent) + "\n" + wrapped(body, indent + "    ")


def native_member(name: str) -> str:
    mpi = f"MPI_{name.capitalize()}"
    return wrapped(f'decltype(&{mpi}) {name} = next_definition("{mpi}", P{mpi});')


def weak_member(name: str) -> str:
    """Of a function that an older MPI of the same SONAME may lack: there it is null."""
    return f"#pragma weak PMPI_{name.capitalize()}\n{native_member(name)}"


def member_if_any(call: Call, large: bool) -> str:
    name = named(call, large)
    parameters = declared(call, c_forms(call, large))
    return wrapped(f'int (*{name})({parameters}) = IfAny("{name.capitalize()}");')


def named(call: Call, large: bool) -> str:
    return call.name + ("_c" if large else "")


def c_forms(call: Call, large: bool) -> list[str]:
    return [kind.large or kind.c if large else kind.c for kind in kinds(call)]


def c_function(call: Call, large: bool) -> str:
    name = named(call, large)
    function = f"MPI_{name.capitalize()}({declared(call, c_forms(call, large))})"
    return "\n".join([wrapped(f"ROUNDELAY_EXPORT int {function} {{"), run(call, name, "  "), "}\n"])


def older_name(call: Call) -> str:
    """What Open MPI calls it, too; before version 5 that is its only name."""
    name = call.name.capitalize()
    function = f"MPIX_{name}({declared(call, c_forms(call, large=False))})"
    return wrapped(f'ROUNDELAY_EXPORT int {function} __attribute__((alias("MPI_{name}")));')


def fortran_arguments(call: Call) -> str:
    return declared(call, [kind.fortran for kind in kinds(call)]) + ", MPI_Fint* ierror"


def older_procedure(call: Call) -> str:
    """As older_name()."""
    names = f"mpix_{call.name}, MPIX_{call.name.upper()}, ompix_{call.name}_f"
    parameters = f"({fortran_arguments(call)})"
    return wrapped(f"ROUNDELAY_FORTRAN_ALSO(mpi_{call.name}, {names}, {parameters});")


def fortran_procedure(call: Call) -> str:
    names = f"mpi_{call.name}, MPI_{call.name.upper()}, ompi_{call.name}_f"
    lines = [
        wrapped(f"ROUNDELAY_FORTRAN({names}, ({fortran_arguments(call)})) {{"),
        "  const MPI_Comm comm = PMPI_Comm_f2c(*comm_f);",
    ]
    for name, kind in zip(call.arguments.split(), kinds(call)):
        lines += [f"  {line}" for line in kind.conversion.replace("{}", name).splitlines()]
    lines.append(run(call, call.name, "  ", "const int error ="))
    if call.form != "blocking":
        lines.append("  if (error == MPI_SUCCESS) *request_f = PMPI_Request_c2f(request_c);")
    lines += ["  answer(ierror, error);", "}\n"]
    return "\n".join(lines)


def if_large(lines: list[str]) -> list[str]:
    return ["#if ROUNDELAY_HAVE_LARGE_COUNT", *lines, "#endif"]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    waiting = [*CALLS, *NEIGHBOUR_CALLS]
    always_there = [*waiting, *map(not_waiting, waiting)]
    started = list(map(persistent, waiting))
    calls = [*always_there, *started]
    counting = [call for call in calls if has_count(call)]
    large_members = [
        member_if_any(call, large=True) if call in started else weak_member(call.name + "_c")
        for call in counting
    ]
    files = {
        "native.inc": [native_member(call.name) for call in always_there]
        + [member_if_any(call, large=False) for call in started]
        + if_large(large_members),
        "c.inc": [c_function(call, large=False) for call in calls]
        + if_large([c_function(call, large=True) for call in counting])
        + ["#if ROUNDELAY_OPEN_MPI", *map(older_name, started), "#endif"],
        "fortran_open_mpi.inc": [fortran_procedure(call) for call in calls]
        + list(map(older_procedure, started)),
    }
    for name, parts in files.items():
        first = f"// {name}: written by src/preload/entry_points.py, which has the list.\n"
        (folder / name).write_text("\n".join([first, *parts]) + "\n")


if __name__ == "__main__":
    main()
