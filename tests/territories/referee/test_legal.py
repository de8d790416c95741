"""Engine and referee in lockstep: current player, legal actions and the whole table agree at every decision."""

from __future__ import annotations

from collections import Counter

import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.territories.state.actions import ACTIONS
from sackarmies_env.games.territories.state.constants import Decision
from tests.samples import many
from tests.territories.referee.lockstep import play_both
from tests.territories.referee.middle import play_both_from
from tests.territories.referee.random_play import options_of
from tests.territories.referee.rulebook import ACTION_IDS

QUICK_GAMES = range(20)
QUICK_DECISIONS = 60 if INTERPRETED else 400
LONG_CHUNKS = 8
LONG_GAMES = many(7)  # per chunk
FORFEITS = 0.002  # per decision, in every second game


def forfeits_of(seed: int) -> float:
    return FORFEITS if seed % 2 else 0.0


def test_actions_have_the_numbers_of_the_rules():
    assert {text: ACTIONS.ids[text] for text in ACTION_IDS} == ACTION_IDS


@pytest.mark.parametrize("seed", QUICK_GAMES)
def test_engine_agrees_with_the_referee(seed):
    assert play_both(seed, options_of(seed), decisions=QUICK_DECISIONS).total() > 0


@pytest.mark.parametrize("seed", range(10))
def test_engine_agrees_with_the_referee_on_forfeits(seed):
    assert play_both(100 + seed, options_of(seed), forfeits=0.05, decisions=QUICK_DECISIONS).total() > 0


@pytest.mark.parametrize("seed", range(4))
def test_engine_agrees_with_the_referee_on_forced_results(seed):
    options = options_of(seed)
    draws = {player: [9, 10, 7, 9, 9, 10, 12, 4] for player in range(options["num_players"])}
    forced = {"dice": [1, 2, 6, 5, 2, 2, 1, 6] * 5, "draws": draws}
    assert play_both(seed, options, forced=forced, likings=("scholar",), decisions=QUICK_DECISIONS).total() > 0


def test_the_sample_has_every_number_of_players_map_and_switch():
    options = [options_of(seed) for seed in QUICK_GAMES]
    assert {(each["num_players"], each["game_map"]) for each in options} == {
        *((players, "full") for players in (2, 3, 4)),
        (2, "small"),
    }
    switches = {"exchange_pair", "domination", "attacks_per_turn", "max_rounds"}
    for name in switches:
        assert {name in each["switches"] for each in options} == {False, True}


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_engine_agrees_with_the_referee_in_whole_games(chunk):
    for seed in range(1000 + chunk * LONG_GAMES, 1000 + (chunk + 1) * LONG_GAMES):
        play_both(seed, options_of(seed), forfeits=forfeits_of(seed))


@pytest.mark.slow
def test_every_decision_is_met():
    met: Counter[Decision] = Counter()
    wanted = set(Decision) - {Decision.NONE}
    for seed in range(200):
        met += play_both(seed, options_of(seed))
        if set(met) == wanted:
            return
    assert set(met) == wanted


@pytest.mark.parametrize("seed", range(QUICK_GAMES.stop))
def test_engine_agrees_with_the_referee_from_random_positions(seed):
    assert play_both_from(seed, QUICK_DECISIONS // 4, forfeits_of(seed)).total() > 0


@pytest.mark.slow
def test_engine_agrees_with_the_referee_from_many_positions():
    met: Counter[Decision] = Counter()
    for seed in range(1000, 1000 + many(100)):
        met += play_both_from(seed, 250, forfeits_of(seed))
    assert set(met) == set(Decision) - {Decision.NONE, Decision.PLACE}
