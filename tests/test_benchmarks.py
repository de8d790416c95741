"""Arithmetic of the benchmarks, and the page of recorded results."""

from __future__ import annotations

import functools
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import bench, check_ratio, contest, curve_report, curves, hands, ours, page
from sackarmies_env.games.sack_armies.state.constants import Verb

ROOT = Path(__file__).resolve().parents[1]
PLAN = bench.Plan(rounds=3, windows=2, seconds=0.01, budget=60, seed=4)


class CountingEnv:
    """AEC environment whose games last three decisions, with actions 1 and 3 always legal."""

    def __init__(self) -> None:
        self.actions: list[int] = []
        self.seeds: list[int] = []
        self.plies = 0

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)
        self.plies = 0

    def last(self) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        observation = {"action_mask": np.array([0, 1, 0, 1], np.int8), "observation": np.zeros(5, np.float32)}
        return observation, 0.0, self.plies == 3, False, {}

    def step(self, action: int) -> None:
        self.actions.append(action)
        self.plies += 1


def test_each_contestant_runs_once_a_round_in_seeded_order() -> None:
    contestants = bench.load_contestants()
    order = bench.shuffled_rounds(contestants, PLAN)
    rounds = [[one for number, one in order if number == wanted] for wanted in range(3)]
    assert [sorted(one.key for one in turn) for turn in rounds] == [sorted(one.key for one in contestants)] * 3
    assert rounds[0] != rounds[1]
    assert order == bench.shuffled_rounds(contestants, PLAN)


def test_contestants_of_the_file_are_those_of_the_modules() -> None:
    by_module: dict[str, list[str]] = {}
    for contestant in bench.load_contestants():
        by_module.setdefault(contestant.module, []).append(contestant.name)
    assert sorted(by_module.pop("benchmarks.ours")) == sorted(ours.CONTESTANTS)
    for module, names in by_module.items():
        source = (ROOT / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8")
        assert [name for name in names if f'"{name}"' not in source] == []


def test_peers_have_exact_versions() -> None:
    lines = (ROOT / "benchmarks" / "peers.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    assert len(pins) == 26


def test_failing_contestant_reports_its_last_output() -> None:
    nobody = bench.Contestant("sackarmies", "Sack Armies", "benchmarks.peers.nobody", "x", "x")
    assert bench.run_process(nobody, PLAN, 0) == {
        "error": "ModuleNotFoundError: No module named 'benchmarks.peers.nobody'"
    }


def test_an_entry_is_the_median_of_all_windows_of_all_rounds() -> None:
    windows = [{"decisions": rate, "wall": 1.0, "cpu": 0.5, "load": (0.0, 1.0)} for rate in (10, 50, 20, 40, 30)]
    reports = [
        {"windows": windows[:3], "details": {"actions": 4}, "versions": {"x": "1"}},
        {"error": "took more than 300 s"},
        {"windows": windows[3:], "details": {"actions": 4}, "versions": {"x": "1"}},
    ]
    entry = bench.summarise(bench.Contestant("f", "F", "m", "n", "t"), reports)
    assert (entry["rate"], entry["lowest"], entry["highest"], entry["cores"]) == (30, 10, 50, 0.5)
    assert entry["by cpu"] == 60
    assert entry["load"] == [0.0, 1.0]
    assert entry["error"] == "took more than 300 s"


def test_the_loop_over_an_environment_counts_decisions_and_begins_games_anew() -> None:
    env = CountingEnv()
    player = contest.aec_player(env, seed=7)
    assert player.play(8) == 8
    assert len(env.actions) == 8
    assert set(env.actions) == {1, 3}
    assert env.seeds == [7, 8, 9]
    assert player.details["actions"] == 4
    assert player.details["observation bytes"] == 20


def test_windows_have_equal_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(contest.time, "perf_counter", lambda: clock.now)

    def play(decisions: int) -> int:
        clock.now += decisions / 1000
        return decisions

    windows = contest.measure(play, seconds=2.0, windows=3)
    assert [window.decisions for window in windows] == [2000] * 3
    assert [window.wall for window in windows] == pytest.approx([2.0] * 3)


def test_random_choices_over_masks_are_legal_and_reach_all() -> None:
    masks = np.array([[0, 1, 0, 1, 1], [1, 0, 0, 0, 0]], np.int8)
    chooser = ours.RandomChooser(2, seed=3)
    chosen = [tuple(chooser.choose(masks).tolist()) for _ in range(40)]
    assert set(chosen) == {(1, 0), (3, 0), (4, 0)}


def test_growth_is_time_by_cause_relative_to_the_first_point() -> None:
    points = [
        {"axis": "a", "nanoseconds": 100.0, "cause": 2},
        {"axis": "a", "nanoseconds": 150.0, "cause": 4},
        {"axis": "b", "nanoseconds": 60.0, "cause": 1},
    ]
    curves.add_growth(points)
    assert [point["growth"] for point in points] == [1.0, 0.75, 1.0]


@pytest.mark.parametrize("size", curves.TOKENS)
def test_armies_of_the_curve_have_their_size(size: int) -> None:
    assert sum(curves.army_of(size)["tokens"].values()) == size


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.24, "as recorded"), (1.26, "slower"), (0.81, "as recorded"), (0.79, "faster")]
)
def test_ratios_are_judged_by_the_tolerance(ratio: float, verdict: str) -> None:
    assert check_ratio.judge(ratio, 1.0, 0.25) == verdict


def test_a_ratio_is_that_of_the_fastest_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(check_ratio.time, "process_time", lambda: clock.now)
    turns = {"ours": itertools.cycle([6.0, 4.0, 5.0]), "reference": itertools.cycle([2.0, 2.0, 1.0, 3.0])}

    def play(name: str, count: int) -> int:
        clock.now += count * next(turns[name])
        return count

    plays = [functools.partial(play, name) for name in turns]
    assert check_ratio.fastest_slices(*plays, slices=12) == (4.0, 1.0)


def test_a_ratio_too_high_is_measured_again_in_other_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    made = itertools.count()
    measured = iter([(19.0, 10.0), (15.0, 11.0), (12.1, 12.0), (1.0, 1.0)])
    monkeypatch.setattr(check_ratio, "fastest_slices", lambda play, beside: next(measured))
    assert check_ratio.check(lambda: make_idle(made), 1.0, 0.25) == (1.21, "as recorded")
    assert next(made) == 3
    measured = iter([(19.0, 10.0), (14.0, 11.0), *[(13.0, 10.0)] * 4])
    assert check_ratio.check(lambda: make_idle(made), 1.0, 0.25) == (1.3, "slower")


def make_idle(made: Iterator[int]) -> contest.Play:
    """Return a `Play` that does nothing, and advance the count of those made."""
    next(made)
    return lambda count: count


def test_generated_parts_replace_what_stood_between_their_comments() -> None:
    text = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n"
    assert page.rendered(text, {"x": "new \\1"}) == "a\n<!-- begin x -->\n\nnew \\1\n\n<!-- end x -->\nb\n"
    with pytest.raises(ValueError, match="must hold '<!-- begin y -->' with '<!-- end y -->' behind it exactly once"):
        page.rendered(text, {"y": "new"})


def test_the_page_shows_the_recorded_results() -> None:
    parts = page.recorded_parts()
    assert sorted(parts) == ["contest", "curves", "figures", "profile"]
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.rendered(text, parts) == text


def test_curves_without_matplotlib_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit, match=r"needs matplotlib, which is not installed: pip install '.*\[render\]'"):
        curve_report.draw_curves({"points": []}, tmp_path)


class Drawer:
    """Agent that draws, or does not draw, wherever it has the choice; else it plays at random."""

    def __init__(self, draws: bool) -> None:
        self.draws = draws
        self.rng = np.random.default_rng(1)

    def reset(self, seed: int) -> None:
        """Do nothing."""

    def act_batch(self, observations: Any, masks: Any) -> Any:
        """Return the ids."""
        others = masks.copy()
        others[others.sum(axis=1) > 1, Verb.DRAW] = 0
        chosen = np.array([self.rng.choice(np.flatnonzero(row)) for row in others])
        return np.where(masks[:, Verb.DRAW] & self.draws, int(Verb.DRAW), chosen)


@pytest.mark.parametrize("draws", [True, False])
def test_draws_are_counted_by_tokens_in_hand(monkeypatch: pytest.MonkeyPatch, draws: bool) -> None:
    monkeypatch.setattr(hands, "make_agent", lambda text, info: Drawer(draws))
    menus, drawn = hands.count_draws("", line_ups=1, games=2, seed=3)
    assert menus.sum() > 10
    assert drawn.tolist() == (menus.tolist() if draws else [0] * len(menus))


def test_row_of_draws_says_shares_of_menus() -> None:
    counts = np.array([[1000, 20, 0, 5, 0], [100, 10, 0, 0, 0]])
    assert hands.row("greedy", counts) == "| `greedy` | 110 | 90.9% | 10.0% of 1,000 | 50.0% of 20 |  | 0.0% of 5 |  |"
