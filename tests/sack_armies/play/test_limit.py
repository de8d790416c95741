"""The limit on decisions: a game that reaches it is truncated, at any point, with nothing left under way."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.testing import RandomPlay

SMALL = {"name": "small", "tokens": {"plain": 4, "swamp": 3, "goblin_infantry": 3}}
GAMES = {
    "setup": make_game(3, SMALL, switches={"auto_forced": "off"}),
    "fight": make_game(scenario="x03_walking_tree"),
    "windows": make_game(scenario="x16_weaken", switches={"reaction_windows": "full", "auto_forced": "off"}),
}
LIMITS = (1, 4, 9) if INTERPRETED else (*range(1, 40), 200)
UNDER_WAY = ("chain_length", "attack_announced", "act_announced", "decision")


@pytest.mark.parametrize("name", GAMES)
def test_game_is_truncated_at_any_decision_with_nothing_under_way(name):
    asked = set()
    for limit in LIMITS:
        game = dataclasses.replace(GAMES[name], max_decisions=limit)
        whole = RandomPlay(GAMES[name], limit, max_plies=limit)
        for _ in whole:
            decision = int(whole.states["decision"][0])
        play = RandomPlay(game, limit)
        states = play.play()
        assert play.actions == whole.actions
        if whole.player < 0:  # it was over before
            continue
        asked.add(decision)
        state = states.view(np.ndarray)[0]
        assert (state["truncated"], state["terminated"], state["current_player"]) == (1, 0, -1)
        assert [int(state[field]) for field in UNDER_WAY] == [0, 0, 0, Decision.NONE]
        assert legal_ids(state["legal"]) == []
        returns = np.zeros((1, game.num_players), np.float32)
        game.returns(game.params, states, returns)
        assert abs(returns.sum()) < 1e-6
        check_dump(game, states)
    assert INTERPRETED or len(asked) > 1


def check_dump(game, states):
    """Check that the dump of a truncated game loads to the same position, in the view of every seat."""
    dump = game.to_scenario(states)
    again = make_game(scenario=dump)
    resumed = again.new_states(1)
    again.reset(again.params, resumed, np.zeros(1, np.int64))
    assert again.to_scenario(resumed) == dump
    seen, there = (np.zeros((1, game.observation_spec.size), np.int8) for _ in range(2))
    for player in range(game.num_players):
        game.observe(game.params, states, np.array([player]), seen)
        assert (seen[0] >= game.observation_spec.low).all()
        assert (seen[0] <= game.observation_spec.high).all()
        again.observe(again.params, resumed, np.array([player]), there)
        assert np.array_equal(seen, there)


def test_limit_is_far_above_the_limit_of_turns():
    assert make_game().max_decisions == 400_000
    assert make_game(switches={"max_turns": 30_000}).max_decisions == 30_000_000 < 2**31
