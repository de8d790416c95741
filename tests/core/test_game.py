"""The contract, kept by a toy game."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from sackarmies_env.testing import RandomPlay, check_game, perft, perft_divide
from tests.core import toy_game
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


def test_the_digest_tells_configurations_apart():
    assert make_duel(3).digest == make_duel(3).digest
    assert len({make_duel(3).digest, make_duel(2).digest, make_duel(3, 9).digest}) == 3


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_the_toy_keeps_the_contract(num_players):
    check_game(make_duel(num_players), num_games=3, every=3)


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


def test_perft_counts_sequences():
    game = make_duel(3)
    states = game.new_states(1)
    game.start(states, 0, "", [["card_1", "card_2", "card_2"], ["card_4"] * 3, ["card_4"] * 3])
    before = states.tobytes()
    assert [perft(game, states, depth) for depth in range(4)] == [1, 2, 4, 4]  # player 1 holds one value only
    assert perft_divide(game, states, 3) == {"card 1": 2, "card 2": 2}
    assert states.tobytes() == before


# --- faults that the checks must find


KERNELS = ("reset", "step", "legal_actions", "observe", "returns", "forfeit")


def broken(**changes):
    """Return the game with other members, of which its `advance` consists too."""
    kernels = {name: kernel for name, kernel in changes.items() if name in KERNELS}
    advance = toy_game.make_advance(3, **kernels)
    return dataclasses.replace(make_duel(3), **({"advance": advance} | changes))


def leaky_observe(params, states, players, out):
    toy_game.observe(params, states, players, out)
    out[:, -1] = states["cards"][:, 0, 0] % 3  # the last number is a count of lives: 0 to 2


def blind_legal(params, states, mask):
    toy_game.legal_actions(params, states, mask)
    mask[:, :4] = 0


def far_observe(params, states, players, out):
    toy_game.observe(params, states, players, out)
    out[:, 5] = 99


def moody_reset(params, states, seeds):
    toy_game.reset(params, states, seeds)
    states["turn"] = len(states)


def half_forfeit(params, states, players):
    pass


def other_advance(params, states, orders, table, *outputs):
    make_duel(3).advance(params, states, orders, table, *outputs)
    outputs[3][:] = 0.25


def stingy_returns(params, states, out):
    toy_game.returns(params, states, out)
    out[states["terminated"] == 1] = np.minimum(out[states["terminated"] == 1], 0.5)


def late_returns(params, states, out):
    toy_game.returns(params, states, out)
    out[states["terminated"] == 1] = 0


def untidy_determinize(params, states, players, seeds):
    truth = states["cards"].copy()
    toy_game.determinize(params, states, players, seeds)
    states["forced_draws"][:, :, : truth.shape[2]] = truth  # scratch: nobody is forced to draw


def biased_determinize(params, states, players, seeds):
    biased = seeds + states["cards"].sum(axis=(1, 2))
    toy_game.determinize(params, states, players, biased)


def loyal_determinize(params, states, players, seeds):
    """Resample all but the cards of those who are out."""
    cards, is_out = states["cards"].copy(), states["lives"] == 0
    toy_game.determinize(params, states, players, seeds)
    states["forced_draws"][:, :, :3] = np.where(is_out[..., None], cards, 0)


def prescient_determinize(params, states, players, seeds):
    key = states["draw_key"].copy()
    toy_game.determinize(params, states, players, seeds)
    states["draw_key"] = key


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"returns": stingy_returns}, r"returns of a zero-sum game are \["),
        ({"returns": late_returns}, "is out, but the returns of that player change"),
        ({"observe": leaky_observe}, "determinize changes what player"),
        ({"determinize": untidy_determinize}, r"depends on what that player does not know: see \['forced_draws'\]"),
        ({"determinize": biased_determinize}, "determinize for player 0 depends on what that player does not know"),
        ({"determinize": loyal_determinize}, "does not know after player 0 has forfeited"),
        ({"determinize": prescient_determinize}, "determinize for player 0 leaves the true draw_key"),
        ({"observe": far_observe}, r"table\[0\]\.shown is 99 for player 0, not 0 to 4"),
        ({"legal_actions": blind_legal}, "has no legal action"),
        ({"reset": moody_reset}, "the game is another one in row 0 of a batch"),
        ({"forfeit": half_forfeit}, "player 0 forfeits but is not out"),
        ({"advance": other_advance}, "advance writes other returns than returns"),
        ({"format_action": lambda states, action: "card"}, "legal actions share a text"),
        ({"parse_action": lambda states, text: 0}, "which is read back as 0"),
        ({"describe_decision": lambda states: ""}, "the decision has no name"),
        ({"config": {"num_players": 2}}, r"build\(\*\*config\) gives another game"),
        ({"params": np.zeros(2, make_duel().params.dtype)}, r"params has the shape \(2,\)"),
    ],
)
def test_the_checks_find(changes, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_game(broken(**changes), every=1)
