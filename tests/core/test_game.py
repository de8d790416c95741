"""The game contract, tested with a toy game."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import numpy as np
import pytest

from sackarmies_env.core.actions import ActionSpace, numbered_segment
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.chance import ForcedKind
from sackarmies_env.core.dump import load_record
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.record import state_digest
from sackarmies_env.core.state import COMMON_FIELDS, StateLayout
from sackarmies_env.core.step_batch import Command, Ending, dispatch
from sackarmies_env.envs.match import Match
from sackarmies_env.testing import RandomPlay, perft, perft_divide
from tests.core.toy_game import make_duel


def test_copies_of_a_game_are_the_game():
    game = make_duel(3)
    assert copy.copy(game) is game
    assert copy.deepcopy([game])[0] is game


def test_pickles_build_the_game_again():
    game = make_duel(3, max_turns=9)
    twin = pickle.loads(pickle.dumps(game))
    assert twin.digest == game.digest
    assert twin.config == {"num_players": 3, "max_turns": 9}


def test_digest_differs_between_configurations():
    assert make_duel(3).digest == make_duel(3).digest
    assert len({make_duel(3).digest, make_duel(2).digest, make_duel(3, 9).digest}) == 3


def test_random_play_is_repeatable():
    games = [RandomPlay(make_duel(3), seed, choice) for seed, choice in ((1, 1), (1, 1), (1, 2), (2, 1))]
    for game in games:
        assert game.play()["terminated"][0] == 1
        assert game.player == -1
    assert games[0].actions == games[1].actions
    assert games[0].actions != games[2].actions
    assert games[0].actions != games[3].actions
    short = RandomPlay(make_duel(3), 1, 1, max_plies=3)
    short.play()
    assert short.actions == games[0].actions[:3]


@pytest.mark.parametrize("opposing", ["card_1", "card_3", "card_4"])  # a win, a tie, a loss
def test_duel_replaces_the_card_that_was_played(opposing):
    game = make_duel()
    states = game.new_states(1)
    game.start(states, 0, {"draws": [["card_1", "card_3", "card_2", "card_4"], [opposing] * 3]})
    game.step(game.params, states, np.array([2]))
    assert states["cards"][0, 0].tolist() == [1, 4, 2]


def test_perft_counts_sequences():
    game = make_duel(3)
    states = game.new_states(1)
    game.start(states, 0, {"draws": [["card_1", "card_2", "card_2"], ["card_4"] * 3, ["card_4"] * 3]})
    before = states.tobytes()
    assert [perft(game, states, depth) for depth in range(4)] == [1, 2, 4, 4]  # player 1 holds a single value
    assert perft_divide(game, states, 3) == {"card 1": 2, "card 2": 2}
    assert states.tobytes() == before


# --- games that are refused


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"initial_state": None}, "^game 'duel': initial_state is None, but must be a function$"),
        ({"step_batch": None}, "^game 'duel': step_batch is None, but must be a function$"),
        ({"num_players": 0}, "^game 'duel': num_players is 0, but must be at least 1$"),
        ({"max_decisions": 0}, "^game 'duel': max_decisions is 0, but must be at least 1$"),
        (
            {"actions": ActionSpace([numbered_segment("card", 65)], "")},
            "^game 'duel': legal holds 1 words, but 65 actions need 2 of them$",
        ),
        (
            {"forced_kinds": (ForcedKind("coins", ({"H": 1},)),)},
            "^game 'duel': coins can be forced in 1 queues, but the state has 0: see core.chance.chance_fields$",
        ),
        (
            {"params": np.zeros(2, make_duel().params.dtype)},
            r"^game 'duel': params has the shape \(2,\), but must have",
        ),
        (
            {"state_layout": StateLayout(tuple(COMMON_FIELDS[1:2]), {})},
            "^game 'duel': the state lacks the fields current_player, dec",
        ),
    ],
)
def test_game_with_something_missing_is_refused(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        dataclasses.replace(make_duel(3), **changes)


def test_scenario_of_a_game_that_writes_none_holds_the_whole_position():
    play = RandomPlay(make_duel(3), 4, max_plies=5)
    play.play()
    game = play.game
    loaded = load_record(game.id, game.state_layout, json.loads(json.dumps(game.to_scenario(play.states))), {})
    dispatch(game.step_batch, game.params, loaded, Command.RESUME)
    assert state_digest(loaded) == state_digest(play.states)


def test_game_without_forced_results_refuses_them():
    game = dataclasses.replace(make_duel(), forced_kinds=())
    states = game.new_states(1)
    game.start(states, 5)
    with pytest.raises(ValueError, match=r'^unknown kind of forced results "draws": allowed are none in this game$'):
        game.start(states, 5, {"draws": []})


def test_unknown_kind_of_forced_results_is_refused_with_those_that_are_known():
    game = make_duel()
    for forced in ({"drws": []}, {"draws": [["card_1"]], "drws": []}):
        states = game.new_states(1)
        with pytest.raises(
            ValueError, match=r'^unknown kind of forced results "drws" \(did you mean "draws"\?\): allowed are "draws"$'
        ):
            game.start(states, 5, forced)
        assert not states.tobytes().strip(b"\0")
    with pytest.raises(ValueError, match=r'^forced results .draws.: they must be a dict; allowed keys: "draws"$'):
        game.start(states, 5, "draws")


# --- limit of decisions


@pytest.mark.parametrize(("num_players", "limit"), [(2, 4), (3, 8)])
def test_game_of_too_many_decisions_is_truncated(num_players, limit):
    limited = dataclasses.replace(make_duel(num_players), max_decisions=limit)
    plain, batch = make_duel(num_players), Batch(limited, 20, restarts=False)
    batch.reset(np.arange(20))
    batch.play_out()
    for seed in range(20):
        whole, short = RandomPlay(plain, seed), RandomPlay(limited, seed)
        whole.play()
        short.play()
        assert short.actions == whole.actions[:limit]
        assert (short.states["truncated"][0], short.player) == (len(whole.actions) > limit, -1)
        assert short.states["decisions"][0] == len(short.actions)
        assert legal_ids(short.states["legal"][0]) == []
    assert set(batch.ended) == {Ending.TERMINATED, Ending.TRUNCATED}
    assert (batch.states["decisions"] <= limit).all()
    assert (np.abs(batch.returns.sum(axis=1)) < 1e-6).all()  # also after eliminations


def test_each_game_of_a_restarting_batch_has_the_whole_limit():
    batch = Batch(dataclasses.replace(make_duel(3), max_decisions=2), 3)
    batch.reset([1, 2, 3])
    batch.step_random(21)
    assert (batch.states["decisions"] == 1).all()
    assert batch.games.tolist() == [10] * 3


def test_limit_holds_for_a_single_game():
    match = Match(dataclasses.replace(make_duel(3), max_decisions=3))
    match.begin(1)
    for _ in range(3):
        assert match.player >= 0
        match.play(match.legal_actions()[0])
    assert (match.player, match.truncated, match.out) == (-1, True, [0.0] * 3)
