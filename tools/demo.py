# SPDX-License-Identifier: Apache-2.0
"""Shows what Roundelay gains on this machine, in about a minute and a half with the build.

python tools/demo.py            as `make demo` calls it: takes the first of the beds that works
python tools/demo.py lab        or one of them: lab, cores

    lab     8 nodes that are made on this machine, with links of 100 Mbit/s: Open MPI's default, the
            best of Open MPI's own algorithms, Roundelay, the limit of the links
    cores   4 ranks of stock MPICH on fewer cores: MPICH, Roundelay

Where neither can be had, it runs a simulation, which says that it is one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import mpis

TOP = Path(__file__).resolve().parent.parent
BUILD = TOP / "build" / "demo"
ROOT_ENV = {**os.environ, **mpis.ROOT_ENV}

NODES = 8
RATE = 100_000_000  # bits per second
# The fastest of three algorithms of Open MPI's `tuned` that were tried in this lab at 1 MiB:
# collective -> its number there and the bytes of a segment, 0 for none.
OWN_BEST = {
    "bcast": (3, 32768),  # pipeline
    "reduce": (3, 32768),  # pipeline
    "allreduce": (4, 0),  # ring
    "allgather": (4, 0),  # ring
    "alltoall": (2, 0),  # pairwise
}


Results = list[dict[str, Any]]  # of src/bench


class Unusable(Exception):
    """Why a bed cannot be had here."""


@dataclass(frozen=True)
class Row:
    """What was measured of one contender: seconds of each repetition."""

    what: str  # the collective and its length
    who: str
    seconds: tuple[float, ...]

    @property
    def middle(self) -> float:
        return median(self.seconds)


@dataclass(frozen=True)
class Bed:
    """Where the demo measures."""

    name: str
    title: str
    flavour: str
    check: Callable[[], None]  # raises Unusable
    measure: Callable[[str, Path], list[Row]]  # with this mpicc and this library
    meaning: Callable[[list[Row]], str]


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def compiler_of(flavour: str) -> str:
    for mpicc in mpis.wrappers():
        if mpis.flavour_of(mpicc) == flavour:
            return mpicc
    raise Unusable(f"there is no {flavour} on PATH")


def build(mpicc: str) -> Path:
    """The library for this MPI, and nothing else. Shows how far it is."""
    say("building the library for this MPI (once)")
    configure = ["cmake", "--preset", "demo", f"-DROUNDELAY_MPI={mpicc}",
                 f"-DPython_EXECUTABLE={sys.executable}"]  # fmt: skip
    subprocess.run(configure, cwd=TOP, check=True, stdout=subprocess.DEVNULL)
    (description,) = (BUILD / "lib" / "roundelay").glob("*.json")
    library = description.with_suffix(".so")
    target = library.stem.removeprefix("lib")
    subprocess.run(["cmake", "--build", BUILD, "--target", target], cwd=TOP, check=True)
    return library


def benchmark(mpicc: str) -> Path:
    program = BUILD / "collectives"
    sources = (TOP / "src" / "bench").glob("*.c")
    command = [mpicc, "-O2", *sources, "-o", program, "-ldl", "-lm"]
    subprocess.run(list(map(str, command)), check=True, env=ROOT_ENV)
    return program


def results(command: Sequence[object], **variables: str) -> Results:
    """What the program of src/bench printed."""
    done = subprocess.run(
        list(map(str, command)),
        env={**ROOT_ENV, **variables},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: Results = json.loads(done.stdout)["results"]
    return found


def size(count: int) -> str:
    if count == 0:
        return ""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit * 0.99:
            return f" {count / unit:.0f} {name}"
    return f" {count} B"


def row(result: dict[str, Any], who: str) -> Row:
    what = f"{result['collective']}{size(result['bytes'])}"
    return Row(what, who, tuple(result["seconds"]))


# The lab.


def check_lab() -> None:
    from roundelay.cannot_run import CannotRun
    from roundelay.lab import needs

    try:
        needs.check(wan=False)
    except CannotRun as reason:
        raise Unusable(str(reason)) from None


def in_lab(program: Path, library: Path | None, *options: str, **variables: str) -> Results:
    """Runs that program in a lab; in a process of its own, whose output can be read."""
    setting = [f"{name}={value}" for name, value in variables.items()]
    if library is not None:
        setting.append(f"LD_PRELOAD={library}")
        setting.append("ROUNDELAY_REPORT=off")
    command = ["env", *setting, str(program), "-r", str(RATE), *options]
    return results([sys.executable, __file__, "--in-lab", program, *command])


def run_in_lab(program: str, command: Sequence[str]) -> int:
    from roundelay.lab import launch, session
    from roundelay.lab.description import Lab

    lab = Lab((NODES,), RATE, 1)
    launcher = launch.pick_launcher(program, "openmpi", None)
    launched = launch.command(lab, launcher, command)
    return session.run(lab, launched, {**launch.waiting(), **launch.variables(launcher)}).code


def measure_lab(mpicc: str, library: Path) -> list[Row]:
    program = benchmark(mpicc)
    # alltoall first: it opens all connections.
    cells = [f"{collective}:1M" for collective in reversed(OWN_BEST)]
    say(f"measuring in a lab of {NODES} nodes: Open MPI's default and Roundelay in turn")
    rows: list[Row] = []
    limits: dict[str, float] = {}
    options = ("-k", "2", "-w", "0")  # a call before each that is timed is enough
    settings = ("-s", "native", "-s", "chosen")
    for result in in_lab(program, library, *options, *settings, *cells):
        rows.append(row(result, "Roundelay" if result["setting"] == "chosen" else "default"))
        limits[rows[-1].what] = result["median"] / result["ratio"]
    forced = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
    for collective, (number, segment) in OWN_BEST.items():
        forced[f"OMPI_MCA_coll_tuned_{collective}_algorithm"] = str(number)
        forced[f"OMPI_MCA_coll_tuned_{collective}_algorithm_segmentsize"] = str(segment)
    say("measuring the best of Open MPI's own algorithms")
    rows += [row(one, "own best") for one in in_lab(program, None, *options, *cells, **forced)]
    rows += [Row(what, "link limit", (seconds,)) for what, seconds in limits.items()]
    return rows


def gains(rows: Iterable[Row], who: str) -> dict[str, float]:
    """How many times faster Roundelay is than another, by collective."""
    middles = {(one.what, one.who): one.middle for one in rows}
    return {
        what: middles[what, who] / seconds
        for (what, name), seconds in middles.items()
        if name == "Roundelay"
    }


NOISE = 0.95  # times as fast: what takes only a little longer than the default is as fast


def meaning_of_lab(rows: list[Row]) -> str:
    gain, over_best = gains(rows, "default"), gains(rows, "own best")
    most = max(gain, key=lambda what: gain[what])
    slower = [what for what, times in gain.items() if times < NOISE]
    meaning = (
        f"Between nodes with one rank each, {most} is {gain[most]:.1f} times as fast as Open MPI's "
        f"default and {over_best[most]:.1f} times as fast as the best of its own algorithms. "
    )
    if slower:
        return meaning + (
            f"In this run {', '.join(slower)} took longer than by default. Other programs on the "
            "machine disturb such figures: repeat the demo when it is idle."
        )
    return meaning + "Where the default is good already, nothing is gained."


# More ranks than cores.


def check_cores() -> None:
    if len(os.sched_getaffinity(0)) >= 4:
        raise Unusable("this machine has a core for each of 4 ranks")


def measure_cores(mpicc: str, library: Path) -> list[Row]:
    program = benchmark(mpicc)
    launch = [mpis.sibling(mpicc, "mpiexec"), "-n", 4]
    cells = ("barrier:0", "allreduce:64", "allreduce:64K", "bcast:64K", "allgather:64K")
    say("measuring MPICH; its calls take long here")
    rows = [row(one, "default") for one in results([*launch, program, "-k", "3", *cells])]
    say("measuring Roundelay")
    through = ["env", f"LD_PRELOAD={library}", "ROUNDELAY_REPORT=off", program]
    options = ("-k", "5", "-n", "1000", "-s", "chosen")
    rows += [row(one, "Roundelay") for one in results([*launch, *through, *options, *cells])]
    return rows


def meaning_of_cores(rows: list[Row]) -> str:
    gain = gains(rows, "default")
    most = max(gain, key=lambda what: gain[what])
    return (
        f"{most} is {gain[most]:.0f} times as fast. MPICH waits without giving its core to the "
        "rank that it waits for; Roundelay gives it away. With a core for each rank this gain is "
        "gone."
    )


BEDS = (
    Bed("lab", f"{NODES} nodes made on this machine, links of {RATE // 10**6} Mbit/s, Open MPI",
        "openmpi", check_lab, measure_lab, meaning_of_lab),
    Bed("cores", "4 ranks on fewer cores, MPICH", "mpich", check_cores, measure_cores,
        meaning_of_cores),
)  # fmt: skip


SIMULATION = "simulation"  # where there is no bed


def pick(beds: Iterable[Bed]) -> tuple[Bed, str] | None:
    """The first bed that can be had, and its mpicc. Says why those before cannot."""
    for bed in beds:
        try:
            mpicc = compiler_of(bed.flavour)
            bed.check()
        except Unusable as reason:
            say(f"not {bed.title}: {reason}")
            continue
        return bed, mpicc
    return None


def simulate() -> None:
    """What is left where nothing can be measured."""
    if shutil.which("smpirun") is None:
        sys.exit(
            "nothing of the demo works here; a simulation needs SimGrid: on Debian or Ubuntu: "
            "apt-get install libsimgrid-dev"
        )
    say("A SIMULATION of 32 nodes by SimGrid; nothing is measured. Builds everything, some minutes")
    # The installed package, not that of PYTHONPATH, which has no compiled part.
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([TOP / "tools" / "build.sh"], check=True, env=env)
    for collective in ("bcast", "allreduce"):
        words = ["simulate", "--platform", "cluster:32", "--", collective, "64K", "1M"]
        subprocess.run([TOP / ".venv" / "bin" / "roundelay", *words], check=True, env=env)
    print(
        "\nThe row 'chosen' is Roundelay, 'as the library' is what other MPI libraries would run. "
        "Below 1 is faster than the best of those. This is a simulation, not a measurement."
    )


# The pictures.


def time_text(seconds: float) -> str:
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e9:.3g} ns"


def spread(row: Row) -> str:
    if len(row.seconds) == 1:
        return ""
    return f"{time_text(min(row.seconds))} .. {time_text(max(row.seconds))}"


def picture(rows: list[Row], width: int = 40) -> str:
    """A table with bars. In each collective the longest bar is that of the slowest."""
    lines = []
    for what in dict.fromkeys(one.what for one in rows):
        some = sorted((one for one in rows if one.what == what), key=lambda one: -one.middle)
        most = some[0].middle
        lines.append(what)
        for one in some:
            bar = "█" * max(1, round(width * one.middle / most))
            lines.append(f"  {one.who:10} {time_text(one.middle):>8}  {bar:{width}}  {spread(one)}")
    return "\n".join(line.rstrip() for line in lines)


def main() -> None:
    if sys.argv[1:2] == ["--in-lab"]:
        sys.exit(run_in_lab(sys.argv[2], sys.argv[3:]))
    by_name = {bed.name: bed for bed in BEDS}
    beds = [*by_name, SIMULATION]
    unknown = [name for name in sys.argv[1:] if name not in beds]
    if unknown:
        if unknown[0] in ("-h", "--help"):
            sys.exit(__doc__)
        sys.exit(f"there is no bed '{unknown[0]}'; there are: {', '.join(beds)}")
    named = [by_name[name] for name in sys.argv[1:] if name != SIMULATION]
    picked = None if SIMULATION in sys.argv[1:] else pick(named or BEDS)
    try:
        if picked is None:
            simulate()
            say_how_to_run_a_program()
            return
        bed, mpicc = picked
        say(f"the bed: {bed.title}")
        rows = bed.measure(mpicc, build(mpicc))
    except KeyboardInterrupt:
        sys.exit(130)
    except subprocess.CalledProcessError as error:
        sys.exit(f"failed with exit code {error.returncode}: {' '.join(map(str, error.cmd))}")
    print(f"\n{bed.title}\nmedian; least .. most\n\n{picture(rows)}\n\n{bed.meaning(rows)}\n")
    say_how_to_run_a_program()


def say_how_to_run_a_program() -> None:
    print(
        "Your own program:\n  make build && . .venv/bin/activate\n"
        "  roundelay run -- mpiexec -n 4 ./app"
    )


if __name__ == "__main__":
    main()
