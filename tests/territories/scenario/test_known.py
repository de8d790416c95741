"""What players may know of a game from a scenario: nothing about other hands, the deck or forced results."""

from __future__ import annotations

import json
import pickle
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

import sackarmies_env
from sackarmies_agents import GameInfo
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.territories import make_game
from sackarmies_training.matches import Seating, play_games
from tests.territories.referee.random_play import RandomPlayers
from tests.training.test_pipe import Recorded, in_threads  # noqa: F401 - a fixture

BOARD = [
    {"number": 6, "owner": 0, "units": {"troop": 5, "rider": 2}},
    {"number": 1, "owner": 0, "units": {"troop": 2}},
    {"number": 2, "owner": 0, "units": {"troop": 2}},
    {"number": 11, "owner": 1, "units": {"troop": 4, "rider": 1}},
    {"number": 4, "owner": 1, "units": {"troop": 2}},
    {"number": 3, "owner": 1, "units": {"troop": 2}},
]
WORLDS = (  # one card each, so that no discard is ever due, which would show different cards in the two worlds
    {"player": [{"hand": ["Banner"]}, {"hand": ["Vanguard"]}], "draws": [[], ["Truce"]]},
    {"player": [{"hand": ["Banner"]}, {"hand": ["Mutiny"]}], "draws": [[], ["Oath"]]},
)
SWITCHES = {"max_rounds": 3, "exchange_pair": "per_turn"}
SECRETS = (b"Vanguard", b"Mutiny", b"Truce", b"Oath", b"hand", b"draws")
PLIES = 60


def twin_games(**more: object) -> list[Game]:
    """Return games from scenarios that player 0 cannot tell apart."""
    base = {"map": "small", "turn": 3, "step": "standard", "territory": BOARD, "switches": SWITCHES}
    return [make_game(scenario=base | world | more) for world in WORLDS]


def held(game: Game) -> bytes:
    """Return all bytes of a game, as its recipient gets them."""
    return pickle.dumps(game) + json.dumps(game.config).encode() + game.params.tobytes() + game.digest.encode()


def begun(game: Game) -> np.ndarray:
    states = game.new_states(1)
    game.start(states, 7)
    return states


def test_games_that_differ_in_hidden_cards_are_known_as_the_same():
    one, two = twin_games()
    assert one.digest != two.digest
    assert held(one.known_to(0)) == held(two.known_to(0))
    assert pickle.dumps(GameInfo.of(one)) == pickle.dumps(GameInfo.of(two))
    assert [secret for secret in SECRETS if secret not in held(one) + held(two)] == []
    assert [secret for secret in SECRETS if secret in held(one.known_to(0))] == []
    leaks = [replace(game, conceal=None).known_to(0) for game in (one, two)]
    assert held(leaks[0]) != held(leaks[1])  # so the comparison above can detect a leak


@pytest.mark.parametrize("seed", [None, 4])
def test_seed_of_a_scenario_is_not_known(seed):
    (game, *_), (other, *_) = twin_games(**{} if seed is None else {"seed": seed}), twin_games(seed=5)
    for player in range(2):
        assert held(game.known_to(player)) == held(other.known_to(player))
        assert game.known_to(player).config == {"num_players": 2, "map": "small", "switches": SWITCHES}


def test_known_game_plays_by_the_same_rules():
    game, _ = twin_games()
    known = pickle.loads(pickle.dumps(game.known_to(0)))
    states = begun(game)
    worlds = [game.clone(states), game.clone(states)]
    players = RandomPlayers(3, 2)
    for _ in range(PLIES):
        player = int(worlds[0]["current_player"][0])
        if player < 0:
            break
        action = players.next_move(player, legal_ids(worlds[0]["legal"][0]), [])
        for one, world in zip((game, known), worlds, strict=True):
            one.step(one.params, world, [action])
        assert worlds[0].tobytes() == worlds[1].tobytes()


def test_positions_of_twin_scenarios_have_the_same_information_set():
    games = twin_games()
    worlds = [begun(game) for game in games]
    compared = 0
    for _ in range(PLIES):
        if worlds[0]["current_player"][0] < 0:
            break
        sets = [InformationSets.of(game, states, 0) for game, states in zip(games, worlds, strict=True)]
        assert sets[0].states.tobytes() == sets[1].states.tobytes()
        assert held(sets[0].game) == held(sets[1].game)
        assert sets[0].observations().tobytes() == sets[1].observations().tobytes()
        legal = [legal_ids(states["legal"][0]) for states in worlds]
        if worlds[0]["current_player"][0] == 0:
            assert legal[0] == legal[1]
        for game, states in zip(games, worlds, strict=True):
            game.step(game.params, states, [legal[0][0]])
        compared += 1
    assert compared > 5


class Idle:
    """Takes the lowest legal id, which is not a card."""

    shares_batch = is_informed = False

    def reset(self, seed):
        """Do nothing."""

    def act_batch(self, observations, masks):
        return masks.argmax(axis=1)


@pytest.mark.parametrize("text", ["python:class=tests.agents.informed:Sampler", "random"])
def test_what_crosses_the_pipe_is_the_same_in_twin_scenarios(in_threads, monkeypatch, text):  # noqa: F811 - the fixture
    recorded, sent = Recorded(monkeypatch), []
    for game in twin_games():
        agents = {"ours": make_player(text, GameInfo.of(game), Isolation()), "theirs": Idle()}
        with closing(Seating([["ours", "theirs"]], agents.__getitem__, 1)) as seating:
            (played,) = play_games(game, [["ours", "theirs"]], [7], seating)
            sent.append((recorded.to(agents["ours"]), played.turns))
    assert sent[0] == sent[1]
    assert len(sent[0][0]) > 4


def test_errors_and_infos_of_environments_are_the_same_in_twin_scenarios():
    told = []
    for game in twin_games():
        env = sackarmies_env.env(game="territories", scenario=game.config["scenario"])
        env.reset(seed=3)
        observation, reward, termination, truncation, info = env.last()
        with pytest.raises(ValueError, match="illegal action") as error:
            env.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
        told.append(
            (observation["observation"].tobytes(), reward, termination, truncation, str(info), str(error.value))
        )
    assert told[0] == told[1]
