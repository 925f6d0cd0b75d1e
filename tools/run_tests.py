# SPDX-License-Identifier: Apache-2.0
"""Runs lint and every ring of tests, to the end even if some fail; the last line sums up."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
BUILD = TOP / "build"


class Tally:
    """What passed and what failed so far."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.broken: list[str] = []

    def run(self, title: str, *command: str) -> bool:
        """Runs a command that passes or fails as a whole."""
        print(f"== {title}: {' '.join(command)}", flush=True)
        good = subprocess.run(command, cwd=TOP, check=False).returncode == 0
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

    def ctest(self, preset: str, *options: str) -> None:
        """Runs the tests of one build."""
        report = BUILD / f"ctest-{preset}.xml"
        command = ["ctest", "--preset", preset, *options, "--output-junit", str(report)]
        self.tests(f"ctest, {preset}", report, *command)


def main() -> int:
    tally = Tally()
    wrappers = subprocess.check_output([sys.executable, "tools/mpis.py", "wrappers"], text=True)
    tally.step("lint", "tools/lint.sh")
    tally.step("site", "tools/site.sh")
    mpis = f"-DROUNDELAY_MPI={wrappers.strip()}"
    if tally.step("release, build", "cmake", "--build", "build/release"):
        tally.ctest("release")
    long = "--long" in sys.argv
    if long and tally.step("lto, configure", "cmake", "--preset", "lto", mpis):
        tally.step("lto, build", "cmake", "--build", "--preset", "lto")
    # Proofs of schedules take long under sanitizers. transport_tests runs every schedule there.
    target = "all" if long else "carrying_out"
    if tally.step("sanitizers, configure", "cmake", "--preset", "sanitizers", mpis) and tally.step(
        "sanitizers, build", "cmake", "--build", "build/sanitizers", "--target", target
    ):
        tally.ctest("sanitizers", *([] if long else ["-E", "core_tests"]))
    if tally.step("threads, configure", "cmake", "--preset", "threads", mpis):
        tally.step("threads, build", "cmake", "--build", "build/threads", "--target", "roundelay")
    # Tests of the command use one core each; MPI programs use all of them.
    for title, *where in (
        ("command", "-n", "auto", "tests/python"),
        ("MPI", "tests/mpi", "tests/transport", "tests/packaging"),
    ):
        report = BUILD / f"pytest-{title}.xml"
        pytest = [sys.executable, "-m", "pytest", *where, f"--junitxml={report}", *sys.argv[1:]]
        tally.tests(f"pytest, {title}", report, *pytest)
    if tally.broken:
        print("== failed:", ", ".join(tally.broken))
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
