"""The registry: hooks of games, environments of any game, and options that are refused in plain words."""

import numpy as np
import pytest

import sackarmies_env
from sackarmies_env.environments import Environments
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.registry import SACK_ARMIES, TERRITORIES, list_games, load_game, load_players, register_game
from tests.second_game import kept_registries


@pytest.mark.parametrize(
    ("game_id", "section", "sentence"),
    [
        (
            "sack_armies",
            {"foo": 1},
            'the options of sack_armies: unknown key "foo"; allowed are "id", "generals", "armies", "switches", '
            '"scenario"',
        ),
        ("sack_armies", {"armies": 3}, "the options of sack_armies: armies: must be a list, not 3"),
        ("territories", {"scenario": 5}, "the options of territories: scenario: must be a string, not 5"),
        ("territories", {"map": "vast"}, 'the options of territories: unknown map "vast"; known maps: full, small'),
    ],
)
def test_options_of_a_game_are_refused_in_plain_words(game_id, section, sentence):
    with pytest.raises(ValueError) as caught:
        load_players(game_id, 2, **section)
    assert str(caught.value) == sentence


def test_a_game_has_a_range_of_players():
    with pytest.raises(ValueError, match="Sack Armies is for 2 to 6 players, not 7"):
        load_players("sack_armies", 7)


def test_numbers_of_players_may_be_integers_of_numpy():
    three = np.int64(3)
    for game_id, option, size in (
        ("sack_armies", "num_generals", "pad_generals"),
        ("territories", "num_players", "pad_players"),
    ):
        for game in (load_players(game_id, three), load_game(game_id, **{option: three})):
            assert (game.num_players, type(game.config[option])) == (3, int)
        padded, wanted = (sackarmies_env.raw_env(game_id, **{size: given}).padding for given in (three, 3))
        assert padded.spec == wanted.spec


@pytest.mark.parametrize("num_players", ["3", 2.0, True, 0])
def test_number_of_players_is_an_integer(num_players):
    with pytest.raises(ValueError, match=r"^num_players=.*: it must be an integer of at least 1$"):
        load_players("sack_armies", num_players)


def test_two_games_cannot_have_the_same_environment_id():
    with kept_registries():
        register_game("chess_960", SACK_ARMIES.make_game)
        register_game("chess_960", SACK_ARMIES.make_game)  # replaces itself
        with pytest.raises(ValueError) as caught:
            register_game("chess960", TERRITORIES.make_game)
        assert "chess960" not in list_games()
    sentence = "the games 'chess_960' and 'chess960' would have the same environment id 'sackarmies_env/Chess960-v0'"
    assert str(caught.value) == sentence


def module_of(entry, hook):
    """Return the module of a hook, with GAME for the id of the game; empty if there is none."""
    return (getattr(entry, hook) or "").partition(":")[0].replace(entry.id, "GAME")


def test_games_have_the_same_hook_in_the_same_place():
    for hook in ("make_game", "choices", "options", "padded", "potential", "greedy", "policy", "evaluation", "table"):
        assert module_of(TERRITORIES, hook) == module_of(SACK_ARMIES, hook) != "", hook


def test_functions_for_every_kind_of_environment_are_public():
    assert set(Environments._fields) <= set(sackarmies_env.__all__)
    assert isinstance(sackarmies_env.single_seat_env("territories"), SingleSeatEnv)
    envs = sackarmies_env.vector_env("territories", num_envs=2, num_players=3)
    assert isinstance(envs, BatchEnv)
    assert (envs.num_envs, envs.game.id, envs.game.num_players) == (2, "territories", 3)
