"""The mutation tester, tested on toy functions: mutants that are killed, survive or are explained."""

from __future__ import annotations

import importlib
import re
from collections import Counter

import pytest

from tests.mutation import harness, toy
from tests.mutation.explained import as_toml, check_entries, read_entries
from tests.mutation.harness import Trial, Verdict, choose, in_child, verdicts
from tests.mutation.mutants import mutants_of
from tests.mutation.recording import Recorded
from tests.mutation.run import as_trials, path_of, place_of
from tests.mutation.subjects import SUBJECTS

MUTANTS = mutants_of(toy)
CHECKS = {
    "adult": lambda: [toy.is_adult(age) for age in (17, 18)] == [False, True],
    "greater": lambda: [toy.greater(2, 1), toy.greater(1, 2), toy.greater(3, 3)] == [2, 2, 3],
    "halvings": lambda: toy.halvings(9) == 3,
    "swapped": lambda: toy.swapped([5, 7]) == [7, 5, 5],
}
SECONDS = {"adult": 0.2, "greater": 0.1, "halvings": 0.3, "swapped": 0.4}


class Checks:
    """A stand-in for tests collected by pytest."""

    def run(self, test: str) -> bool:
        try:
            return CHECKS[test]()
        except (ArithmeticError, LookupError, TypeError):
            return False


def mutant(function, change):
    [found] = [mutant for mutant in MUTANTS if (mutant.function, mutant.change) == (function, change)]
    return found


def try_mutant(function, change, tests=frozenset(CHECKS)):
    found = mutant(function, change)
    recorded = Recorded(SECONDS, {path_of(found): {found.line: sorted(tests)}})
    [(_, verdict)] = verdicts(Checks(), as_trials([found], recorded, {}), SECONDS, share=2.0, workers=1)
    return verdict


def changes(function):
    return {mutant.change for mutant in MUTANTS if mutant.function == function}


def test_all_faults_of_a_function_are_found():
    assert changes("is_adult") == {
        "age >= 18  ->  age > 18",
        "age >= 18  ->  age < 18",
        "age >= 18  ->  age >= 17",
        "age >= 18  ->  age >= 19",
    }
    assert changes("halvings") == {
        "0  ->  1",
        "number > 1  ->  number >= 1",
        "number > 1  ->  number <= 1",
        "number > 1  ->  number > 0",
        "number > 1  ->  number > 2",
        "number > 1  ->  False",
        "without number //= 2",
        "number //= 2  ->  number *= 2",
        "2  ->  1",
        "2  ->  3",
        "without count += 1",
        "count += 1  ->  count -= 1",
        "1  ->  0",
        "1  ->  2",
    }


@pytest.mark.parametrize(
    "change",
    [
        "[Color.RED, 1]  ->  [Color.RED, 0]",
        "pair == [Color.RED, 1] or not pair  ->  pair == [Color.RED, 1] and (not pair)",
        "pair == [Color.RED, 1] or not pair  ->  not pair",
        "not pair  ->  pair",
        "[Color.RED, 1]  ->  [Color.BLUE, 1]",
        "without pair.append(min(pair[0], len(range(pair[1]))))",
        "min(pair[0], len(range(pair[1])))  ->  max(pair[0], len(range(pair[1])))",
        "range(pair[1])  ->  range(0 + 1, pair[1])",
        "range(pair[1])  ->  range(0, pair[1] - 1)",
    ],
)
def test_each_kind_of_fault_is_found(change):
    assert change in changes("swapped")


def test_a_fault_is_noticed_by_the_test_that_looks_at_it():
    assert try_mutant("is_adult", "age >= 18  ->  age > 18") == Verdict("adult", "failed", 4)
    assert toy.is_adult(18)  # this process is as it was


def test_a_fault_that_changes_nothing_survives():
    assert try_mutant("greater", "one > other  ->  one >= other") == Verdict("", "", 4)


def test_a_fault_that_no_chosen_test_looks_at_survives():
    assert try_mutant("is_adult", "age >= 18  ->  age > 18", {"greater"}) == Verdict("", "", 1)


def test_a_fault_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(harness, "TIME_EXTRA", 0.1)
    monkeypatch.setattr(harness, "TIME_FACTOR", 0.0)
    assert try_mutant("halvings", "without number //= 2", {"halvings"}) == Verdict("", "out of time", 0)


def test_error_of_the_harness_is_not_a_kill():
    trial = Trial(lambda: 1 / 0, {"adult"}, "")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(verdicts(Checks(), [trial], SECONDS, share=2.0, workers=1))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        in_child(lambda: 1 / 0)


def test_tests_are_ordered_by_kills_then_place_then_coverage_per_second():
    sees = dict.fromkeys(CHECKS, 1.0)
    trial = Trial(lambda: None, set(CHECKS), "", richness=sees)
    assert choose(trial, SECONDS, Counter(), 9.0) == ["greater", "adult", "halvings", "swapped"]
    assert choose(trial, SECONDS, Counter(halvings=2, adult=1), 0.7) == ["halvings", "adult", "greater"]
    about = Trial(lambda: None, set(CHECKS), "", frozenset(["swapped", "halvings"]), sees | {"swapped": 3.0})
    assert choose(about, SECONDS, Counter(adult=1), 1.1) == ["adult", "swapped", "halvings", "greater"]


def test_games_of_random_play_do_not_take_all_the_time():
    plays = [f"{harness.PLAYS[0]}[{seed}]" for seed in range(30)]
    trial = Trial(lambda: None, {*CHECKS, *plays}, "", richness=dict.fromkeys(plays, 9.0))
    chosen = choose(trial, SECONDS | dict.fromkeys(plays, 0.8), Counter(), 99.0)
    assert all(test in plays for test in chosen[: harness.MAX_PLAYS])
    assert sorted(chosen[harness.MAX_PLAYS :]) == sorted(CHECKS)


def test_a_line_that_few_tests_run_counts_more():
    recorded = Recorded(SECONDS, {"toy.py": {18: ["adult"], 24: ["greater"], 25: ["greater", "swapped"]}})
    assert recorded.richness("toy.py") == {"adult": 1.0, "greater": 1.5, "swapped": 0.5}


def test_only_tests_that_run_the_statement_are_tried():
    recorded = Recorded(SECONDS, {"toy.py": {18: ["adult"], 24: ["greater"], 25: ["greater", "swapped"]}})
    assert recorded.running("toy.py", (24, 25)) == {"greater", "swapped"}
    assert recorded.running("other.py", (24, 25)) == set()
    assert mutant("greater", "one > other  ->  one >= other").lines == (22, 22)


def test_tests_that_run_the_rarer_branch_of_a_condition_come_first():
    found = mutant("greater", "one > other  ->  one >= other")
    lines = {22: ["adult", "greater", "halvings"], 23: ["halvings"]}
    about = {place_of(found): frozenset(["swapped", "greater"])}
    [trial] = as_trials([found], Recorded(SECONDS, {path_of(found): lines}), about)
    assert trial.tests == {"adult", "greater", "halvings"}
    assert trial.about == {"halvings", "greater"}
    assert found.branches == (23,)


# --- explanations

EQUAL = mutant("greater", "one > other  ->  one >= other")


def test_explanations_are_found_by_what_they_say_of_the_source(tmp_path):
    path = tmp_path / "explained.toml"
    path.write_text(f'{as_toml(EQUAL)}\nreason = "of equal numbers either will do"\n')
    reasons = read_entries(path)
    assert reasons == {EQUAL.key: "of equal numbers either will do"}
    check_entries(reasons, MUTANTS, [toy.__name__])


@pytest.mark.parametrize("change", ["function = 'lesser'", "source = 'if one < other:'", "change = 'one  ->  two'"])
def test_an_explanation_of_what_is_not_there_is_refused(tmp_path, change):
    path = tmp_path / "explained.toml"
    name = change.split(" = ", maxsplit=1)[0]
    lines = [line for line in as_toml(EQUAL).splitlines() if not line.startswith(name)]
    path.write_text("\n".join([*lines, change, 'reason = "r"']))
    with pytest.raises(ValueError, match="explains mutants that no longer exist"):
        check_entries(read_entries(path), MUTANTS, [toy.__name__])
    check_entries(read_entries(path), MUTANTS, ["another.module"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (as_toml(EQUAL), "reason"),
        (f'{as_toml(EQUAL)}\nreason = ""', "reason"),
        (f'{as_toml(EQUAL)}\nreason = "r"\nline = 3', "line"),
        (f'{as_toml(EQUAL)}\nreason = "r"\n' * 2, "greater, .* is explained twice"),
        ("[[mutant]", "explained.toml"),
    ],
)
def test_a_faulty_explanation_is_refused(tmp_path, text, message):
    path = tmp_path / "explained.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_entries(path)


def test_the_explanations_of_the_project_can_be_read():
    assert all(reason.strip() for reason in read_entries().values())


def test_every_explanation_is_of_a_fault_that_can_still_be_made():
    names = [name for subject in SUBJECTS.values() for name in subject.modules.values()]
    mutants = [mutant for name in names for mutant in mutants_of(importlib.import_module(name))]
    check_entries(read_entries(), mutants, names)


def test_every_shortcut_that_is_explained_has_its_figure():
    reasons = {reason for reason in read_entries().values() if re.search("shortcut|quick|spare", reason)}
    assert len(reasons) > 5
    assert [reason for reason in reasons if not re.search(r"a rollout takes [\d.]+%? (to \d+% )?longer", reason)] == []


def test_declarations_of_fields_have_no_mutants():
    named = {mutant.function for mutant in mutants_of(importlib.import_module("sackarmies_env.core.events"))}
    assert "push_event" in named
    assert "event_fields" not in named
