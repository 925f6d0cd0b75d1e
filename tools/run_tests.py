# SPDX-License-Identifier: Apache-2.0
"""Runs lint and every ring of tests, to the end even if some fail; the last line sums up."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO

TOP = Path(__file__).resolve().parent.parent
BUILD = TOP / "build"

# Tests of the command that only compute.
COMPUTING = [f"tests/python/test_{name}.py" for name in ("draw", "trace", "verify")]


class Tally:
    """What passed and what failed so far."""

    def __init__(self, output: IO[str] | None = None) -> None:
        self.output = output
        self.passed = 0
        self.failed = 0
        self.broken: list[str] = []

    def add(self, other: Tally) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.broken += other.broken

    def run(self, title: str, *command: str) -> bool:
        """Runs a command that passes or fails as a whole."""
        print(f"== {title}: {' '.join(command)}", file=self.output, flush=True)
        good = subprocess.run(command, cwd=TOP, check=False, stdout=self.output).returncode == 0
        if not good:
            self.broken.append(title)
        return good

    def step(self, title: str, *command: str) -> bool:
        good = self.run(title, *command)
        self.passed += good
        self.failed += not good
        return good

    def tests(self, title: str, report: Path, *command: str) -> None:
        """Runs tests that write a JUnit report and counts them one by one."""
        report.unlink(missing_ok=True)
        good = self.run(title, *command)
        failed = 0
        for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
            outcomes = {child.tag for child in case}
            if outcomes & {"failure", "error"}:
                failed += 1
            elif "skipped" not in outcomes:
                self.passed += 1
        # A runner that breaks without naming a test has failed all the same.
        self.failed += failed if good or failed else 1

    def ctest(self, preset: str, title: str, *options: str) -> None:
        """Runs tests of one build."""
        report = BUILD / f"ctest-{preset}-{title}.xml"
        command = ["ctest", "--preset", preset, *options, "--output-junit", str(report)]
        self.tests(f"ctest, {preset}, {title}", report, *command)

    def pytest(self, title: str, *where: str) -> None:
        report = BUILD / f"pytest-{title}.xml"
        options = [f"--junitxml={report}", *sys.argv[1:]]
        self.tests(f"pytest, {title}", report, sys.executable, "-m", "pytest", *where, *options)


@contextmanager
def beside(tally: Tally, title: str, job: Callable[[Tally], None]) -> Iterator[None]:
    """Meanwhile does one thing with what is left of the processors; then prints what it said."""
    kept = BUILD / f"{title}.log"
    with kept.open("w") as output:
        other = Tally(output)
        thread = Thread(target=with_what_is_left, args=[job, other])
        thread.start()
        yield
        thread.join()
    print(kept.read_text(), end="", flush=True)
    tally.add(other)


def with_what_is_left(job: Callable[[Tally], None], tally: Tally) -> None:
    # On Linux a policy is that of a thread, and of what it starts.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    # MPI programs of tests have sessions of their own, which come before this one.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text("19")
    job(tally)


def prove(tally: Tally) -> None:
    tally.ctest("release", "proofs", "-R", "core_tests")


def compute(tally: Tally) -> None:
    tally.pytest("computing", "-n", "auto", *COMPUTING)


def build(tally: Tally, preset: str, mpis: list[str], *target: str) -> bool:
    """Configures and builds a preset for these MPIs, named by their compiler wrappers."""
    # The tests take each library that is there. An earlier run may have built more of them.
    for library in (BUILD / preset / "lib" / "roundelay").glob("libroundelay-*.so"):
        library.unlink()
    configure = ["cmake", "--preset", preset, f"-DROUNDELAY_MPI={';'.join(mpis)}"]
    return tally.step(f"{preset}, configure", *configure) and tally.step(
        f"{preset}, build", "cmake", "--build", f"build/{preset}", *target
    )


def main() -> int:
    tally = Tally()
    wrappers = subprocess.check_output([sys.executable, "tools/mpis.py", "wrappers"], text=True)
    mpis = wrappers.strip().split(";")
    tally.step("lint", "tools/lint.sh")
    tally.step("site", "tools/site.sh")
    built = tally.step("release, build", "cmake", "--build", "build/release")
    long = "--long" in sys.argv
    if long:
        build(tally, "lto", mpis, "--target", "one_definition")
    # Builds under sanitizers take long: one MPI has one kind of them, another the other kind.
    # Proofs of schedules take long there as well. transport_tests runs every schedule.
    target = "all" if long else "carrying_out"
    if build(tally, "sanitizers", mpis if long else mpis[:1], "--target", target):
        tally.ctest("sanitizers", target, *([] if long else ["-E", "core_tests"]))
    build(tally, "threads", mpis if long else mpis[-1:], "--target", "roundelay")
    if built:
        tally.ctest("release", "carrying_out", "-E", "core_tests")
    # Tests of the command use one core each.
    tally.pytest("command", "-n", "auto", "tests/python", *(f"--ignore={one}" for one in COMPUTING))
    # MPI programs use all cores, but often wait: proofs, traces and pictures take what they leave.
    with ExitStack() as meanwhile:
        if built:
            meanwhile.enter_context(beside(tally, "proofs", prove))
        meanwhile.enter_context(beside(tally, "computing", compute))
        tally.pytest("MPI", "tests/mpi", "tests/transport", "tests/packaging")
    if tally.broken:
        print("== failed:", ", ".join(tally.broken))
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
