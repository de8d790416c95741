"""Mutation testing of the rules: `python -m tests.mutation.run --sample 200 --seed 1`.

Puts small faults into the rule functions, one at a time, and runs the tests that reach each one. A fault that no test
notices reveals a rule, or a case of one, that no test checks. docs/decisions/0011-mutation-testing.md explains the
design.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import FunctionType

from sackarmies_env.core.jit import INTERPRETED
from tests.docs.test_rule_index import load_index
from tests.mutation.explained import as_toml, check_entries, read_entries
from tests.mutation.harness import Laboratory, Trial, Verdict, verdicts, with_tests
from tests.mutation.mutants import Mutant, mutants_of, plain_function
from tests.mutation.recording import Recorded, record
from tests.mutation.subjects import SUBJECTS

REQUIRED = 0.9  # of the mutants that change behavior


def main() -> int:
    """Run from the command line; return the exit status."""
    options = read_options()
    interpreted_again("tests.mutation.run")
    status = 0

    def work(laboratory: Laboratory) -> None:
        nonlocal status
        status = examine(laboratory, options)

    with_tests(SUBJECTS[options.game].tests, work)
    return status


def interpreted_again(module: str) -> None:
    """Restart `module` interpreted, unless it is already: only plain functions can be given other code."""
    if not INTERPRETED:
        again = [sys.executable, "-m", module, *sys.argv[1:]]
        os.execve(sys.executable, again, os.environ | {"NUMBA_DISABLE_JIT": "1"})


def read_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.run", description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="sack_armies", choices=SUBJECTS)
    parser.add_argument("--sample", type=int, default=200, help="mutants to try, drawn at random from all")
    parser.add_argument("--all", action="store_true", help="try every mutant: hours")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the sample")
    parser.add_argument("--modules", nargs="+", metavar="NAME", help="rule modules of the game; default all")
    parser.add_argument("--function", default="", help="only mutants of this function")
    parser.add_argument("--share", type=float, default=0.4, help="tests for one mutant, as a share of the time of all")
    parser.add_argument("--workers", type=int, default=1, help="processes at a time")
    parser.add_argument("--explained", action="store_true", help="also try explained mutants")
    parser.add_argument("--only", type=Path, help="retry only the mutants in a file written by --toml")
    parser.add_argument("--toml", type=Path, help="write entries for the survivors to this file")
    options = parser.parse_args()
    known = SUBJECTS[options.game].modules
    options.modules = options.modules or list(known)
    if unknown := set(options.modules) - set(known):
        parser.error(f"no modules {', '.join(sorted(unknown))} in {options.game}: there are {', '.join(known)}")
    return options


def examine(laboratory: Laboratory, options: argparse.Namespace) -> int:
    """Try a sample of mutants and print the outcomes; return the exit status."""
    names = [SUBJECTS[options.game].modules[name] for name in options.modules]
    modules = {name: importlib.import_module(name) for name in names}
    mutants = [mutant for module in modules.values() for mutant in mutants_of(module)]
    reasons = read_entries()
    check_entries(reasons, mutants, names)
    sample = draw_sample(mutants, options)
    tried = [mutant for mutant in sample if options.explained or mutant.key not in reasons]
    recorded = record(laboratory, options.workers)
    about = tests_about_functions(laboratory, options.game)
    trials = as_trials(tried, recorded, about)
    print(f"trying {len(tried)} of {len(mutants)} mutants ...", flush=True)
    begun = time.monotonic()
    results = {}
    for index, verdict in verdicts(laboratory, trials, recorded.seconds, options.share, options.workers):
        results[index] = verdict
        if not verdict.reason:
            print(f"{len(results)}: survived {verdict.num_tests} tests: {tried[index]}", flush=True)
    told = [(mutant, results[index]) for index, mutant in enumerate(tried)]
    print(f"{time.monotonic() - begun:.0f} seconds")
    survivors = [mutant for mutant, verdict in told if not verdict.reason and mutant.key not in reasons]
    if options.toml:
        options.toml.write_text("\n\n".join(as_toml(mutant) for mutant in survivors) + "\n")
    return report(
        sample, told, survivors, [mutant for mutant, verdict in told if verdict.reason and mutant.key in reasons]
    )


def draw_sample(mutants: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    """Return the mutants that the options ask for."""
    if options.only:
        keys = [tuple(entry.values()) for entry in tomllib.loads(options.only.read_text()).get("mutant", [])]
        return [mutant for mutant in mutants if mutant.key in keys]
    if options.function:
        mutants = [mutant for mutant in mutants if mutant.function == options.function]
    if options.all or options.sample >= len(mutants):
        return mutants
    return sorted(mutants, key=partial(rank, seed=options.seed))[: options.sample]


def rank(mutant: Mutant, *, seed: int) -> bytes:
    """Return a key by which mutants are in a random order that stays the same when others come or go."""
    return hashlib.sha256(repr((seed, mutant.key)).encode()).digest()


def path_of(mutant: Mutant) -> str:
    """Return the file of a mutant, relative to the root of the project."""
    return mutant.module.replace(".", "/") + ".py"


def place_of(mutant: Mutant) -> tuple[str, str]:
    """Return the file and the function of a mutant."""
    return path_of(mutant), mutant.function


def tests_about_functions(
    laboratory: Laboratory, game_id: str = "sack_armies"
) -> dict[tuple[str, str], frozenset[str]]:
    """Return, by file and function, the tests whose names open with the ID of a rule that the function claims.

    A game without a list of its rules has none.
    """
    index = load_index()
    if not index.id_list(game_id).exists():
        return {}
    rules = index.read_rules(index.id_list(game_id))
    by_rule, _ = index.find_tests(rules)
    items: dict[str, list[str]] = defaultdict(list)
    for test in laboratory.items:
        items[test.split("[", 1)[0]].append(test)
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for rule, places in index.find_claims(rules).items():
        names = [f"{place.file}::{place.name}" for place in by_rule.get(rule, [])]
        tests = {test for name in names for test in items[name]}
        for place in places:
            found[place.file, place.name] |= tests
    return {place: frozenset(tests) for place, tests in found.items()}


def as_trials(
    mutants: Sequence[Mutant], recorded: Recorded, about: Mapping[tuple[str, str], frozenset[str]]
) -> list[Trial]:
    """Return the trials of mutants; `about` holds the tests about each function."""
    richness = {path: recorded.richness(path) for path in {path_of(mutant) for mutant in mutants}}
    trials = []
    for mutant in mutants:
        path = path_of(mutant)
        tests = recorded.running(path, mutant.lines)
        rare = recorded.rarer(path, mutant.branches)
        likely = about.get(place_of(mutant), frozenset()) | (rare if len(rare) < len(tests) / 2 else frozenset())
        trials.append(Trial(partial(make, mutant), tests, mutant.function, frozenset(likely & tests), richness[path]))
    return trials


def make(mutant: Mutant) -> None:
    """Give the function of a mutant its faulty code, in this process."""
    module = importlib.import_module(mutant.module)
    function = plain_function(getattr(module, mutant.function), module)
    assert isinstance(function, FunctionType)
    function.__code__ = mutant.code


def report(
    sample: Sequence[Mutant],
    told: Sequence[tuple[Mutant, Verdict]],
    survivors: Sequence[Mutant],
    wrongly_explained: Sequence[Mutant],
) -> int:
    """Print the score, by module and in total; return the exit status."""
    killed = [mutant for mutant, verdict in told if verdict.reason]
    print("\nmodule          sample  killed  survived  explained")
    for module in sorted({mutant.module for mutant in sample}):
        total, dead, alive = (sum(m.module == module for m in group) for group in (sample, killed, survivors))
        print(f"{module.rsplit('.', 1)[-1]:14}  {total:6}  {dead:6}  {alive:8}  {total - dead - alive:9}")
    reasons = Counter(verdict.reason for _, verdict in told if verdict.reason)
    print(f"noticed: {', '.join(f'{number} {reason}' for reason, number in reasons.most_common())}")
    for mutant in survivors:
        print(f"SURVIVED {mutant}\n    {mutant.source}")
    for mutant in wrongly_explained:
        print(f"EXPLAINED, yet noticed by a test: {mutant}")
    score = len(killed) / max(1, len(killed) + len(survivors))
    explained = len(sample) - len(killed) - len(survivors)
    counts = f"{len(killed)} killed, {len(survivors)} survived, {explained} explained"
    print(f"score {score:.1%} ({counts}); {REQUIRED:.0%} required")
    return int(score < REQUIRED or bool(wrongly_explained))


if __name__ == "__main__":
    sys.exit(main())
