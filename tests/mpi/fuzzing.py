# SPDX-License-Identifier: Apache-2.0
"""Random collectives, algorithms, arguments and communicators of both kinds: fuzz.cpp, by seeds."""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from launching import HERE, Mpi, Outcome, chosen_mpis, command, compile_program, launch
from specs import Specs, catalogue_of

CASES_OF_SEED = 1000


def surroundings(dice: random.Random, ranks: int) -> dict[str, str]:
    """Where the ranks are, and what they use: half of the seeds leave all as it is by default.

    What the environment says stays.
    """
    if dice.random() < 1 / 2:
        return {}
    choices = {
        "ROUNDELAY_NODES": ["".join(dice.choices("abc", k=ranks))],
        "ROUNDELAY_SITES": ["".join(dice.choices("ab", k=ranks))],
        "ROUNDELAY_TRANSPORT": ["messages", "memory", "put"],
        "ROUNDELAY_WAIT": ["sleep", "spin"] if ranks <= 2 else ["sleep"],
        "ROUNDELAY_LEARN": ["off", "on"],
    }
    drawn = {name: dice.choice(of) for name, of in choices.items() if dice.random() < 1 / 2}
    return {name: value for name, value in drawn.items() if name not in os.environ}


@dataclass(frozen=True)
class Campaign:
    """What every seed on one MPI is run with."""

    mpi: Mpi
    catalogue: list[dict[str, Any]]
    folder: Path

    def run(
        self, seed: int, *, only: str = "", cases: int = CASES_OF_SEED, preload: bool = True,
        verbose: bool = False,
    ) -> Outcome:  # fmt: skip
        """One seed, or what `only` names of it. The seed says all that is random."""
        dice = random.Random(seed)
        ranks = dice.choice([1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 7, 8, 9])
        words: list[object] = [compile_program(self.mpi, HERE / "fuzz.cpp"), "--ranks", ranks]
        words += ["--seed", seed, "--cases", cases]
        # MPICH 4.0.2 dies in its own MPI_Comm_dup where threads make communicators at once.
        threads = dice.random() < 1 / 3 and self.mpi.id != "mpich12"
        words += ["--threads"] if threads else []
        variables = surroundings(dice, ranks)
        # Where a program has several threads, no MPICH makes progress for others. Calls that do not
        # wait are left to the MPI library where data is put, and it cannot do all.
        alone = threads and self.mpi.flavour == "mpich"
        puts = {**os.environ, **variables}.get("ROUNDELAY_TRANSPORT") == "put"
        nonblocking = self.mpi.id != "mpich12" and not (alone or puts)
        words += ["--nonblocking"] if nonblocking else []
        words += ["--only", only] if only else []
        words += ["--verbose"] if verbose else []
        drawn = Specs(self.catalogue, dice, neighbours=True).lines()
        # MPICH 4.0.2 and 5.0.2 hang, or find messages truncated, where threads of a rank merge
        # intercommunicators at once: meanwhile each has a number that is free in one group only.
        if not alone:
            drawn += Specs(self.catalogue, dice, groups=2).lines()
        lines = "".join(drawn)
        # The ranks of a communicator are anywhere.
        if {"ROUNDELAY_NODES", "ROUNDELAY_SITES"} & variables.keys():
            lines = lines.replace("ordered_parts", "commutative")
        specs = self.folder / f"specs-{seed}"
        specs.write_text(lines)
        variables["ROUNDELAY_NONBLOCKING"] = "on" if nonblocking else "off"
        if verbose:
            click.echo(" ".join(f"{name}={value}" for name, value in variables.items()))
        return launch(
            self.mpi,
            ranks,
            [*words, "--specs", specs],
            preload=preload,
            env={"ROUNDELAY_REPORT": "off", **variables},
        )

    def smallest(self, seed: int, outcome: Outcome) -> str:
        """The least of a failed seed that fails by itself: a case, a batch, or "" for all of it."""
        found = re.search(r"--only '((\d+)[.\d]*)'", outcome.stderr)
        if found is None:  # it died before it could say in which batch
            died = re.findall(r"^case (\d+):", self.run(seed, verbose=True).stderr, re.MULTILINE)
            candidates = died[-1:]
        else:
            candidates = [found[1], found[2]]
        for only in candidates:
            if passed(self.run(seed, only=only)) is None:
                return str(only)
        return ""

    def describe(self, seed: int, outcome: Outcome) -> str:
        """A failed seed: how to run it again, what happens, and whether the MPI does it alone."""
        only = self.smallest(seed, outcome)
        again = self.run(seed, only=only, verbose=bool(only)).text if only else outcome.text
        alone = passed(self.run(seed, only=only, preload=False)) is not None
        how = f"make fuzz SEED={seed} MPI={self.mpi.id}" + (f" ONLY={only}" if only else "")
        natively = "passes" if alone else "fails too"
        return f"{again}\nFAILED: {how}\n(natively it {natively})"


def passed(outcome: Outcome) -> int | None:
    """How many cases passed; None if anything failed."""
    found = re.search(r"^(\d+) passed, 0 failed$", outcome.stdout, re.MULTILINE)
    return int(found[1]) if found and outcome.returncode == 0 else None


def fuzz(campaign: Campaign, first: int, least_cases: int) -> tuple[int, list[int]]:
    """Runs seeds until there are so many cases. How many there were and which seeds failed."""
    cases, failed, seed = 0, list[int](), first
    while True:
        outcome = campaign.run(seed)
        count = passed(outcome)
        if count is None:
            failed.append(seed)
            click.echo(campaign.describe(seed, outcome))
        cases += CASES_OF_SEED if count is None else count
        seed += 1
        if cases >= least_cases:
            break
    click.echo(
        f"{campaign.mpi.id}: {cases} cases, seeds {first} to {seed - 1}, {len(failed)} seeds failed"
    )
    return cases, failed


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seed", type=click.IntRange(min=0), help="Where to start; else it is random.")
@click.option(
    "--cases", type=click.IntRange(min=1), help="Runs seeds until there are so many cases."
)
@click.option("--mpi", "mpi_id", help="Only the MPI of this id in build/mpis.json.")
@click.option("--only", default="", help="Only this batch, or case of it, of the seed.")
def main(seed: int | None, cases: int | None, mpi_id: str | None, only: str) -> None:
    """Fuzzes the library on every MPI at hand. A seed alone is one run of about 1000 cases.

    \b
    Examples:
      make fuzz CASES=100000
      make fuzz SEED=17 MPI=mpich12 ONLY=117.1
    """
    mpis = chosen_mpis(mpi_id)
    if only and (seed is None or cases is not None):
        raise click.UsageError("--only is of one seed: give --seed and no --cases")
    first = random.SystemRandom().randrange(10**9) if seed is None else seed
    least_cases = cases or (20000 if seed is None else 1)
    catalogue = catalogue_of(command())
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for mpi in mpis:
            campaign = Campaign(mpi, catalogue, Path(folder))
            if only:
                outcome = campaign.run(first, only=only, verbose=True)
                click.echo(outcome.text)
                failed |= passed(outcome) is None
            else:
                failed |= bool(fuzz(campaign, first, least_cases)[1])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
