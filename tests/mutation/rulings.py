"""Mutation of rulings: `python -m tests.mutation.rulings`.

For each switch, the default is changed to each other value: a test about the ruling must notice; a test that only
recites the table of defaults does not count. For each ruling without a switch, faults are put into the function that
claims it.
"""

from __future__ import annotations

import argparse
import importlib
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

from sackarmies_env.games.sack_armies.switches import STANDARD_COPIES, Switches
from tests.docs.test_rule_index import load_index
from tests.mutation.explained import read_entries
from tests.mutation.harness import ROOT, Laboratory, Trial, Verdict, verdicts, with_tests
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.recording import Recorded, record
from tests.mutation.run import as_trials, interpreted_again, tests_about_functions
from tests.mutation.subjects import SACK_ARMIES

RULINGS_PAGE = ROOT / "docs" / "rules" / "rulings.md"
ROW = re.compile(r"^\| (Q-\d+) \|.*\| ([^|]*) \|$", re.MULTILINE)
SWITCH_NAME = re.compile(r"`(\w+)`")
DEFAULT_RADIUS = 9  # of a board for two Generals
RECITING = ("test_every_switch_has_its_default",)  # tests that only recite the table


@dataclass(frozen=True)
class Flip:
    """A changed default of a switch."""

    switch: str
    value: Any

    def __str__(self) -> str:
        return f"{self.switch} = {self.value!r}"

    def make(self) -> None:
        """Change the default in this process."""
        Switches.model_fields[self.switch].default = self.value
        Switches.model_rebuild(force=True)
        made = getattr(Switches(), self.switch)
        if made != self.value:
            raise RuntimeError(f"the default of {self.switch} is still {made!r}, not {self.value!r}")


def flips() -> Iterator[Flip]:
    """Yield every changed default: the other values of a choice, the neighbors of a number."""
    for name, field in Switches.model_fields.items():
        for value in other_values(name, field.annotation, field.default):
            yield Flip(name, value)


def other_values(name: str, annotation: Any, default: Any) -> list[Any]:
    """Return the values to try in place of a switch's default."""
    if name == "copy_limits":
        return [STANDARD_COPIES | {rank: copies + step} for rank, copies in STANDARD_COPIES.items() for step in (-1, 1)]
    if name == "grid_radius":
        return [DEFAULT_RADIUS - 1, DEFAULT_RADIUS + 1]
    if get_origin(annotation) is Literal:
        return [value for value in get_args(annotation) if value != default]
    if isinstance(default, bool):
        return [not default]
    return [value for value in (default - 1, default + 1) if is_allowed(name, value)]


def is_allowed(name: str, value: object) -> bool:
    """Return whether a switch may take a value."""
    try:
        Switches(**{name: value})
    except ValueError:
        return False
    return True


def switches_by_ruling() -> dict[str, list[str]]:
    """Return the switches of each ruling, from the page of rulings."""
    rows = {ruling: SWITCH_NAME.findall(cell) for ruling, cell in ROW.findall(RULINGS_PAGE.read_text())}
    unknown = {name for names in rows.values() for name in names} - set(Switches.model_fields)
    if unknown or not rows:
        raise ValueError(f"{RULINGS_PAGE.name} names unknown switches: {sorted(unknown)}")
    return rows


class Tests:
    """The tests about each ID, which opens their names."""

    def __init__(self, laboratory: Laboratory) -> None:
        self.index: ModuleType = load_index()
        self.by_id, _ = self.index.find_tests(self.index.read_rules())
        self.claims = self.index.find_claims()
        self.items = [test for test in laboratory.items if not any(name in test for name in RECITING)]

    def about(self, ids: Sequence[str]) -> set[str]:
        """Return the tests whose names open with any of `ids`."""
        names = {f"{place.file}::{place.name}" for rule in ids for place in self.by_id.get(rule, [])}
        return {test for test in self.items if test.split("[", 1)[0] in names}

    def ids_of(self, switch: str, rulings: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the IDs of a switch, of its rulings, and of the rules claimed by the function that reads it."""
        name = f"C-{switch}"
        places = self.claims.get(name, [])
        rules = [rule for rule, claimed in self.claims.items() if any(place in places for place in claimed)]
        return list(dict.fromkeys([name, *(ruling for ruling in rulings if switch in rulings[ruling]), *rules]))


# --- switches


def examine_switches(laboratory: Laboratory, recorded: Recorded, options: argparse.Namespace) -> list[str]:
    """Change each default; return a sentence for each change that goes unnoticed."""
    tests, rulings = Tests(laboratory), switches_by_ruling()
    changes = list(flips())
    ids = [tests.ids_of(flip.switch, rulings) for flip in changes]
    about = [tests.about(names) for names in ids]
    first = try_all(
        laboratory,
        [Trial(flip.make, a, flip.switch) for flip, a in zip(changes, about, strict=True)],
        recorded,
        options,
    )
    missed = [i for i, verdict in enumerate(first) if not verdict.reason]
    others = [Trial(changes[i].make, set(tests.items) - about[i], changes[i].switch) for i in missed]
    second = dict(zip(missed, try_all(laboratory, others, recorded, options), strict=True))
    faults = []
    for i, flip in enumerate(changes):
        verdict = first[i] if first[i].reason else second[i]
        where = "about it" if first[i].reason else "elsewhere"
        print(f"{flip!s:52} {verdict.reason or 'UNNOTICED':9} {where if verdict.reason else '':10} {verdict.killer}")
        if not first[i].reason:
            faults.append(
                f"{flip} ({', '.join(ids[i])}): {'only ' + verdict.killer if verdict.reason else 'no test'} notices"
            )
    return faults


def try_all(
    laboratory: Laboratory, trials: Sequence[Trial], recorded: Recorded, options: argparse.Namespace
) -> list[Verdict]:
    """Return the verdicts in the order of the trials."""
    found = dict(verdicts(laboratory, trials, recorded.seconds, options.share, options.workers))
    return [found[i] for i in range(len(trials))]


# --- rulings without a switch


def examine_fixed_rulings(laboratory: Laboratory, recorded: Recorded, options: argparse.Namespace) -> list[str]:
    """Put faults into the functions that claim rulings; return a sentence for each that goes unnoticed."""
    tests, reasons = Tests(laboratory), read_entries()
    rulings = [ruling for ruling, switches in switches_by_ruling().items() if not switches]
    chosen: list[tuple[str, Mutant]] = []
    for ruling in rulings:
        mutants = claimed_mutants(tests.claims.get(ruling, []))
        chosen += [(ruling, mutant) for mutant in draw(mutants, options, ruling)]
    tried = [(ruling, mutant) for ruling, mutant in chosen if mutant.key not in reasons]
    trials = as_trials([mutant for _, mutant in tried], recorded, tests_about_functions(laboratory))
    found = try_all(laboratory, trials, recorded, options)
    faults = []
    for ruling in rulings:
        results = [(mutant, found[i]) for i, (name, mutant) in enumerate(tried) if name == ruling]
        places = ", ".join(f"{place.file.rsplit('/', 1)[-1]}: {place.name}" for place in tests.claims.get(ruling, []))
        killed = sum(bool(verdict.reason) for _, verdict in results)
        explained = sum(name == ruling for name, _ in chosen) - len(results)
        print(f"{ruling}  {killed} of {len(results)} noticed, {explained} explained  {places or 'no function'}")
        faults += [f"{ruling}: nobody notices {mutant}" for mutant, verdict in results if not verdict.reason]
    return faults


def claimed_mutants(places: Sequence[Any]) -> list[Mutant]:
    """Return the mutants of the functions that claim a ruling."""
    found = []
    for place in places:
        module = importlib.import_module(place.file.removesuffix(".py").replace("/", "."))
        found += [mutant for mutant in mutants_of(module) if mutant.function == place.name]
    return found


def draw(mutants: list[Mutant], options: argparse.Namespace, ruling: str) -> list[Mutant]:
    """Return a random sample of as many mutants as the options ask for."""
    chance = random.Random(f"{options.seed} {ruling}")
    return mutants if options.mutants >= len(mutants) else chance.sample(mutants, options.mutants)


# --- all


def read_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.rulings", description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=0, help="faults in the function of each ruling without a switch")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the sample of faults")
    parser.add_argument("--share", type=float, default=0.4, help="tests for one fault, as a share of the time of all")
    parser.add_argument("--workers", type=int, default=1, help="processes at a time")
    return parser.parse_args()


def main() -> int:
    """Run from the command line; return the exit status."""
    options = read_options()
    interpreted_again("tests.mutation.rulings")
    faults: list[str] = []

    def work(laboratory: Laboratory) -> None:
        recorded = record(laboratory, options.workers)
        faults.extend(examine_switches(laboratory, recorded, options))
        if options.mutants:
            faults.extend(examine_fixed_rulings(laboratory, recorded, options))

    with_tests(SACK_ARMIES.tests, work)
    print("\n".join(faults) or "every change of a ruling is noticed")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
