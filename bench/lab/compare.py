# SPDX-License-Identifier: Apache-2.0
"""Algorithms against the MPI library's own, in turn in one job, by src/bench.

`measure` adds results to a file of JSON; `tables` writes what it holds as Markdown.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from roundelay import price, signals
from roundelay.builds import builds
from roundelay.simulation import cuts

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
ROUNDELAY = TOP / ".venv" / "bin" / "roundelay"

Result = dict[str, Any]

# Open MPI's launcher then gives a rank to each node in turn.
IN_TURN = {
    "OMPI_MCA_rmaps_base_mapping_policy": "node",
    "OMPI_MCA_rmaps_base_ranking_policy": "node",
}


def timing_program(mpi_id: str) -> Path:
    found = next((build for build in builds() if build.id == mpi_id), None)
    return found.collectives if found else sys.exit(f"there is no build {mpi_id}")


def launcher(mpi: dict[str, Any], ranks: int) -> list[str]:
    """What starts ranks on this machine, also more than it has cores."""
    return [mpi["mpiexec"], *mpi["oversubscribe_args"], "-n", str(ranks)]


def described(mpi_id: str) -> dict[str, Any]:
    """What build/mpis.json says of an MPI."""
    path = Path(os.environ.get("ROUNDELAY_MPIS", TOP / "build" / "mpis.json"))
    found: dict[str, Any] = {entry["id"]: entry for entry in json.loads(path.read_text())}[mpi_id]
    return found


def through(where: str, ranks: int, each: int, mpi: dict[str, Any], program: Path) -> list[str]:
    """The command before the program's own arguments."""
    if where == "memory":
        words = [*launcher(mpi, ranks), str(program)]
        return [str(ROUNDELAY), "run", "--report", "off", "--", *words]
    rate, *sites = where.removeprefix("lab:").split("/")
    shape = ["--rate", rate, "--ranks-per-node", str(each), "--mpiexec", mpi["mpiexec"]]
    if sites:
        shape += ["--sites", sites[0], "--wan-delay", sites[1], "--wan-rate", rate]
    else:
        shape += ["--nodes", str(ranks // each)]
    return [str(ROUNDELAY), "lab", *shape, "--preload", "--report", "off", "--", str(program)]


def bits(where: str) -> list[str]:
    rate = where.removeprefix("lab:").partition("/")[0]
    return ["-r", f"{rate.removesuffix('mbit')}e6"] if where.startswith("lab:") else []


def key(result: Result) -> tuple[Any, ...]:
    parts = ("where", "mpi", "ranks", "collective", "distribution", "bytes", "setting")
    groups = (
        result.get("ranks_per_node", 1), result.get("senders", 0), result.get("in_turn", False)
    )  # fmt: skip
    return (*groups, *(result[part] for part in parts))


def read(path: Path) -> list[Result]:
    return json.loads(path.read_text())["results"] if path.exists() else []


def write(path: Path, results: Iterable[Result]) -> None:
    text = ",\n".join(json.dumps(result) for result in sorted(results, key=key))
    path.write_text(f'{{"results": [\n{text}\n]}}\n')


def results_in(printed: str) -> Iterable[Result]:
    """Those that the program printed, a line for each, even if it was stopped in a line."""
    for line in printed.splitlines():
        if line.startswith('{"collective"'):
            with contextlib.suppress(json.JSONDecodeError):
                yield json.loads(line.rstrip(","))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measures settings of Roundelay and the native collectives in turn, and writes tables."""


def measured(
    where: str,
    mpi_id: str,
    ranks: int,
    settings: Iterable[str],
    cells: Iterable[str],
    output: Path,
    *,
    repetitions: int,
    each: int = 1,
    senders: int = 0,
    calls: int = 1,
    in_turn: bool = False,
) -> list[Result]:
    """Times the cells with each setting; prints what is found, returns it and adds it to output."""
    mpi = described(mpi_id)
    if in_turn and mpi["flavour"] != "openmpi":
        sys.exit("--in-turn is for Open MPI")
    environment = {**os.environ, **mpi["root_env"], **(IN_TURN if in_turn else {})}
    program = timing_program(mpi_id)
    options = ["-k", str(repetitions), "-n", str(calls), *bits(where), "-g", str(senders)]
    for setting in settings:
        options += ["-s", setting]
    command = [*through(where, ranks, each, mpi, program), *options, *cells]
    ended, printed = signals.output(command, environment)
    about = {"where": where, "mpi": f"{mpi['flavour']} {mpi['version']}", "ranks": ranks}
    if senders or each > 1:
        about |= {"ranks_per_node": each, "senders": senders}
    if in_turn:
        about["in_turn"] = True
    results = [{**about, **one} for one in results_in(printed)]
    for result in results:
        limit = f", {result['ratio']:.2f} of the limit" if "ratio" in result else ""
        click.echo(
            f"{result['collective']:20} {result['distribution']:10} {result['bytes']:>9} "
            f"{result['setting']:55} {result['median'] * 1e3:9.4f} ms{limit}"
        )
    write(output, {key(one): one for one in [*read(output), *results]}.values())
    kept = f"what was measured is in {output}" if results else "nothing was measured"
    if ended.signal is not None:
        click.echo(f"stopped by {ended.signal.name}; {kept}", err=True)
        sys.exit(128 + ended.signal)
    if ended.code != 0:
        sys.exit(f"{' '.join(command)} failed; {kept}")
    return results


@main.command()
@click.option(
    "--where", default="memory", show_default=True,
    help="memory, lab:RATE like lab:100mbit, or of two sites lab:RATE/NODES/DELAY like "
    "lab:100mbit/4+4/5ms.",
)  # fmt: skip
@click.option("--mpi", "mpi_id", required=True, help="An id in build/mpis.json.")
@click.option("--ranks", "-p", type=int, required=True)
@click.option("--ranks-per-node", "each", type=int, default=1, show_default=True, help="In a lab.")
@click.option("--in-turn", is_flag=True, help="A rank to each node in turn, not node by node.")
@click.option(
    "--senders",
    "-g",
    type=int,
    default=0,
    help="The ranks of the first group, for CELLS between two.",
)
@click.option("--setting", "-s", "settings", multiple=True, required=True)
@click.option("--repetitions", "-k", type=int, default=9, show_default=True)
@click.option(
    "--calls", "-n", type=int, default=1, show_default=True,
    help="In a row, of which the mean is one repetition.",
)  # fmt: skip
@click.option("--output", "-o", type=click.Path(path_type=Path), required=True)
@click.argument("cells", nargs=-1, required=True)
def measure(
    where: str,
    mpi_id: str,
    ranks: int,
    each: int,
    in_turn: bool,
    senders: int,
    settings: tuple[str, ...],
    repetitions: int,
    calls: int,
    output: Path,
    cells: tuple[str, ...],
) -> None:
    """Times CELLS (bcast:1M, allgatherv/irregular:64K ..) with each setting, in turn.

    A setting is native, chosen, or a text as ROUNDELAY takes it; results of the same cell and
    setting in the output are replaced.

    \b
    Example:
      compare.py measure --where lab:100mbit --mpi mpi40 -p 8 -s native -s bcast=circulant \\
        -o results.json bcast:64K bcast:1M
      compare.py measure --where lab:100mbit --mpi mpi40 -p 8 -g 2 -s native \\
        -s allgather=inter_full -o results.json allgather/between:1M
    """
    measured(
        where, mpi_id, ranks, settings, cells, output,
        repetitions=repetitions, each=each, senders=senders, in_turn=in_turn, calls=calls,
    )  # fmt: skip


def size(count: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit * 0.99:
            return f"{count / unit:.0f} {name}"
    return f"{count} B"


def name_of(setting: str, collective: str) -> str:
    return setting.removeprefix(f"{collective}=")


def markdown(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = ["| " + " | ".join(line) + " |" for line in [head, *rows]]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def table(results: list[Result], limit: bool) -> str:
    """One table: rows are messages, columns settings; medians over native's, or over the limit."""
    columns = list(dict.fromkeys(result["setting"] for result in results))
    columns.sort(key=lambda setting: (setting != "native", setting))
    rows: dict[tuple[Any, ...], dict[str, Result]] = {}
    for result in results:
        each = result.get("ranks_per_node", 1)
        row = (result["ranks"], each, result["distribution"], result["bytes"])
        rows.setdefault(row, {})[result["setting"]] = result
    irregular = any(result["distribution"] != "regular" for result in results)
    shared = any("ranks_per_node" in result for result in results)
    head = ["nodes x ranks" if shared else "p", "message", *(["blocks"] if irregular else [])]
    head.append("native")
    collective = results[0]["collective"]
    head += [name_of(column, collective) for column in columns if column != "native"]
    if shared:
        head.append("ran")
    lines = []
    for (ranks, each, distribution, count), cells in sorted(rows.items()):
        native = cells["native"]
        what = f"{native['ratio']:.2f}" if limit else f"{native['median'] * 1e3:.3g} ms"
        place = f"{ranks // each} x {each}" if shared else str(ranks)
        line = [place, size(count), *([distribution] if irregular else []), what]
        ratios = {
            column: cells[column]["ratio" if limit else "median"]
            / (1 if limit else native["median"])
            for column in columns
            if column != "native" and column in cells
        }
        best = min(ratios.values())
        for column in columns[1:]:
            text = f"{ratios[column]:.2f}" if column in ratios else ""
            line.append(f"**{text}**" if text and ratios[column] == best else text)
        if shared:
            ran = cells["chosen"]["ran"] if "chosen" in cells else ""
            line.append(ran.partition(": ")[0].removeprefix(f"{collective}."))
        lines.append(line)
    return markdown(head, lines)


@main.command()
@click.option("--limit", is_flag=True, help="Medians over what the links allow, not over native's.")
@click.option("--where", help="Only of this place, e.g. memory.")
@click.argument("results", type=click.Path(exists=True, path_type=Path))
def tables(limit: bool, where: str | None, results: Path) -> None:
    """Prints RESULTS as Markdown, a table for each MPI and collective."""
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for result in read(results):
        if where in (None, result["where"]) and (not limit or "ratio" in result):
            group = (result["where"], result["mpi"], result["collective"])
            groups.setdefault(group, []).append(result)
    for (place, mpi, collective), members in groups.items():
        click.echo(f"\n**{collective}**, {mpi}, {place}\n\n{table(members, limit)}")


def seconds_of_links(one: Result) -> float | None:
    """What must enter or leave the busiest node, over the rate of its link; None for nothing."""
    each = one.get("ranks_per_node", 1)
    count = one["ranks"] // each
    hosts = [
        f"node{rank % count if one.get('in_turn') else rank // each}"
        for rank in range(one["ranks"])
    ]
    rate = bits(one["where"])
    links = [cuts.each_host(list(dict.fromkeys(hosts)), float(rate[1]) / 8)] if rate else []
    bound = cuts.bound(links, hosts, one["collective"], one["bytes"])
    return bound.seconds if bound else None


def node_rows(cells: dict[tuple[str, int], dict[str, Result]]) -> Iterable[list[str]]:
    for (collective, count), by_setting in sorted(cells.items()):
        native, chosen = by_setting.get("native"), by_setting.get("chosen")
        if native is None or chosen is None:
            continue
        ran = chosen["ran"].partition(": ")[0].removeprefix(f"{collective}.")
        medians = [native["median"], chosen["median"]]
        row = [collective, size(count) if count else ""]
        row += [f"{median * 1e3:.3g}" for median in medians]
        least = [medians[0], seconds_of_links(chosen)]
        yield [*row, *(f"{medians[1] / one:.2f}" if one else "" for one in least), ran]


@main.command()
@click.argument("results", type=click.Path(exists=True, path_type=Path))
def nodes(results: Path) -> None:
    """Prints RESULTS of settings native and chosen as Markdown, a table for each MPI and shape.

    The limit is what must enter or leave the busiest node, over the rate of its link.
    """
    shapes: dict[tuple[str, int, int, str], dict[tuple[str, int], dict[str, Result]]] = {}
    for one in read(results):
        each = one.get("ranks_per_node", 1)
        turns = ", ranks placed in turn" if one.get("in_turn") else ""
        cells = shapes.setdefault((one["mpi"], one["ranks"] // each, each, turns), {})
        cells.setdefault((one["collective"], one["bytes"]), {})[one["setting"]] = one
    head = ["collective", "message", "native ms", "chosen ms"]
    head += ["over native", "over the limit", "ran"]
    for (mpi, count, each, turns), cells in shapes.items():
        click.echo(f"\n**{mpi}**, {count} nodes with {each} ranks each{turns}\n")
        click.echo(markdown(head, node_rows(cells)))


def between_row(cells: dict[str, Result], columns: list[str], startup: float) -> list[str]:
    native = cells["native"]
    m, p, q = native["bytes"], native["senders"], native["ranks"] - native["senders"]
    row = [str(native["ranks_per_node"]), f"{p} to {q}", size(m // p)]
    row += [f"{native['median'] * 1e3:.3g} ms", f"{native['ratio']:.2f}"]
    has = [cells.get(column) for column in ["native", *columns]]
    row += [f"{native['median'] / one['median']:.2f}" if one else "" for one in has[1:]]
    row += [f"{one['busiest'] / m:.2f}" if one else "" for one in has]
    least = native["median"] / native["ratio"]

    def model(name: str) -> float:
        return price(f"allgather.{name}", p, m, q=q, alpha=startup, beta=least / m).seconds

    return [*row, f"{model('inter_root') / model('inter_full'):.2f}"]


def between_table(rows: list[dict[str, Result]], columns: list[str], startup: float) -> str:
    names = [name_of(column, "allgather") for column in columns]
    head = ["ranks a node", "senders, receivers", "message", "native", "of the limit", *names]
    head += [*(f"port: {name}" for name in ["native", *names]), "model"]
    return markdown(head, (between_row(cells, columns, startup) for cells in rows))


@main.command()
@click.option("--startup", type=float, default=1e-4, show_default=True, help="Seconds a message.")
@click.argument("results", type=click.Path(exists=True, path_type=Path))
def between(startup: float, results: Path) -> None:
    """Prints RESULTS of allgather/between as Markdown: how many times faster than native.

    A table for each MPI. Then the bytes through the busiest port in parts of the whole message, and
    what the model says of inter_root and inter_full.
    """
    rows: dict[tuple[Any, ...], dict[str, Result]] = {}
    for one in read(results):
        if (one["distribution"], one["collective"]) == ("between", "allgather"):
            rows.setdefault(key(one)[:-1], {})[one["setting"]] = one
    columns = sorted({setting for cells in rows.values() for setting in cells} - {"native"})
    for mpi in sorted({cells["native"]["mpi"] for cells in rows.values()}):
        own = [cells for cells in rows.values() if cells["native"]["mpi"] == mpi]
        click.echo(f"\n**{mpi}**\n\n{between_table(own, columns, startup)}")


if __name__ == "__main__":
    main()
