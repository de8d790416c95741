"""Scenarios that fix their chance are for single games: games that are all the same are not counted as many."""

from __future__ import annotations

import pytest

from sackarmies_env.games.sack_armies.scenario.document import scenario_toml
from tests.training.test_starting_positions import DUEL, LADDER, TOURNAMENT, TRAIN, run, write

REFUSAL = "the scenario fixes its chance (`seed` or `chance`), so all games would be the same: remove it"


@pytest.fixture
def fixed(tmp_path):
    path = tmp_path / "fixed.toml"
    path.write_text(scenario_toml({**DUEL, "seed": 3}))
    return path


@pytest.mark.parametrize(
    ("words", "text"),
    [(["tournament"], TOURNAMENT), (["ladder", "--config"], LADDER), (["train"], TRAIN)],
    ids=["tournament", "ladder", "train"],
)
def test_contest_of_games_that_are_all_the_same_is_refused(tmp_path, fixed, words, text):
    config = write(tmp_path, text, f'[game]\nscenario = "{fixed}"\n')
    assert REFUSAL in run(*words, config, code=2)
    assert not (tmp_path / "f").exists()  # a training is refused before it begins


def test_evaluation_by_games_that_are_all_the_same_is_refused(fixed):
    words = ("greedy", "random", "--scenario", fixed, "--games", 2, "--workers", 1)
    assert REFUSAL in run("evaluate", *words, code=2)


def test_scenario_that_fixes_its_chance_can_be_watched(fixed):
    run("watch", "greedy", "random", "--scenario", fixed)
