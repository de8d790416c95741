"""The greedy agent of Territories is legal, reproducible, blind to hidden information and far better than random."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.scripted.territories.agent import GreedyAgent
from sackarmies_agents.scripted.territories.weights import FOLDER, Weights, load_weights, weight_sets
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.state import copy_records
from sackarmies_env.games.territories.data.schema import map_names
from sackarmies_env.games.territories.game import make_game
from sackarmies_env.games.territories.state.constants import MAX_BORDERS, TurnStep
from sackarmies_env.registry import load_game
from tests.territories.builders import table as position_of

ROOT = Path(__file__).parents[2]
CONFIGURATIONS = [{"num_players": 2}, {"num_players": 3}, {"num_players": 4}, {"num_players": 2, "map": "small"}]
LONGEST = 20_000  # decisions per game; more would mean that it goes in circles


class Table:
    """Several games, side by side, with one agent per seat."""

    def __init__(self, game, agents, games, seed=0):
        self.game, self.agents = game, agents
        self.states = game.new_states(games)
        game.reset(game.params, self.states, np.arange(games, dtype=np.int64) + seed)
        self.actions = []

    def view(self, states, player):
        observations = np.zeros((len(states), self.game.observation_spec.size), np.int8)
        masks = np.zeros((len(states), self.game.num_actions), np.int8)
        self.game.observe(self.game.params, states, np.full(len(states), player), observations)
        self.game.legal_actions(self.game.params, states, masks)
        return observations, masks

    def choose(self, player, rows):
        states = self.game.new_states(len(rows))
        copy_records(self.states[rows], states)
        return states, self.agents[player].act_batch(*self.view(states, player))

    def step(self):
        """Have the current player of each running game choose; return whether any game was running."""
        running = np.flatnonzero(self.states["current_player"] >= 0)
        for player in range(self.game.num_players):
            rows = running[self.states["current_player"][running] == player]
            if len(rows):
                states, actions = self.choose(player, rows)
                self.game.step(self.game.params, states, actions, checked=True)  # raises on an illegal id
                self.states[rows] = states
                self.actions += actions.tolist()
        return len(running) > 0

    def play(self):
        for _ in range(LONGEST):
            if not self.step():
                return self
        raise AssertionError("a game does not end")

    def returns(self):
        out = np.zeros((len(self.states), self.game.num_players), np.float32)
        self.game.returns(self.game.params, self.states, out)
        return out


def agents_of(game, *names, seed=0):
    made = [make_agent(name, GameInfo.of(game)) for name in names]
    for number, agent in enumerate(made):
        agent.reset(seed + number)
    return made


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)
def test_plays_whole_games_legally(configuration):
    game = make_game(**configuration)
    table = Table(game, agents_of(game, *["greedy"] * game.num_players), 1 if INTERPRETED else 40).play()
    assert (table.states["terminated"] | table.states["truncated"]).all()


@pytest.mark.parametrize(
    "switches", [{"attacks_per_turn": 3, "max_rounds": 12}, {"exchange_pair": "per_turn"}], ids=str
)
def test_plays_legally_when_games_are_long(switches):
    game = make_game(switches={"domination": False} | switches)
    table = Table(game, agents_of(game, "greedy", "greedy"), 1 if INTERPRETED else 20).play()
    assert (table.states["terminated"] | table.states["truncated"]).all()


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)
def test_plays_legally_after_random_decisions(configuration):
    game = make_game(**configuration)
    rng = np.random.default_rng(4)
    table = Table(game, agents_of(game, *["greedy"] * game.num_players), 2 if INTERPRETED else 30)
    randoms = agents_of(game, *["random"] * game.num_players)
    greedy = table.agents
    for _ in range(40 if INTERPRETED else 600):
        table.agents = greedy if rng.random() < 0.6 else randoms
        table.step()
    assert table.actions


def test_same_seed_gives_the_same_game():
    game = make_game(3)
    games = 1 if INTERPRETED else 10
    first, again = (Table(game, agents_of(game, *["greedy"] * 3, seed=5), games).play() for _ in range(2))
    assert first.actions == again.actions
    assert first.states.tobytes() == again.states.tobytes()


def test_plays_the_same_in_worlds_that_look_the_same():
    game = make_game(3)
    table = Table(game, agents_of(game, *["random"] * 3), 1)
    agent = agents_of(game, "greedy")[0]
    compared = 0
    for step in range(60 if INTERPRETED else 400):
        player = int(table.states["current_player"][0])
        if player < 0:
            break
        worlds = game.new_states(4)
        for world in range(4):
            copy_records(table.states, worlds[world : world + 1])
        game.determinize(game.params, worlds, np.full(4, player), np.arange(4, dtype=np.int64) + step)
        true = agent.act_batch(*table.view(table.states, player))[0]
        assert (agent.act_batch(*table.view(worlds, player)) == true).all()
        compared += 1
        table.step()
    assert compared > 30


def chosen(position):
    """Return the agent's choice in a position, as text."""
    agent = GreedyAgent(GameInfo.of(position.game))
    mask = np.zeros((1, position.game.num_actions), np.int8)
    position.game.legal_actions(position.game.params, position.states, mask)
    return position.game.actions.texts[agent.act(position.observation(position.current_player), mask[0])]


@pytest.mark.parametrize(("troops", "enemies", "choice"), [(9, 1, "card 10"), (9, 60, "done"), (1, 1, "done")])
def test_card_that_lifts_a_bar_is_played_for_an_attack_that_is_worth_it(troops, enemies, choice):
    territories = {1: (0, {"troop": troops}), 6: (1, {"troop": enemies}), 2: (0, {"troop": 1}), 3: (0, {"troop": 1})}
    barred = {"barred": 1, "victories": 1, "attacks": 2}
    position = position_of(territories | {20: (2, {"troop": 1})}, hands={0: [10]}, fields=barred, num_players=3)
    assert position.legal() == ["done", "card 10"]
    assert chosen(position) == choice


INNER = {number: (0, {"troop": 1}) for number in (1, 2, 7, 11, 12)} | {6: (0, {"troop": 9}), 20: (1, {"troop": 1})}


@pytest.mark.parametrize(
    ("own", "choice"),
    [
        ({}, "territory 6"),  # then all units are at the border
        ({1: (0, {"troop": 3})}, "card 8"),  # these can move, too
        ({number: (0, {"troop": 1}) for number in (3, 8, 13, 16, 17)}, "card 8"),  # a second move can lead further
    ],
)
def test_card_for_a_free_move_is_played_where_there_is_another_move(own, choice):
    assert chosen(position_of(INNER | own, TurnStep.MOVE, hands={0: [8]})) == choice


def test_card_for_a_free_move_is_kept_while_a_move_is_left():
    position = position_of(INNER | {1: (0, {"troop": 3})}, TurnStep.MOVE, hands={0: [8, 8]}).play("card 8")
    assert "card 8" in position.legal()
    assert chosen(position) == "territory 6"


def test_policy_of_simulations_chooses_as_the_agent():
    game = make_game()
    policy = find_hook("territories", "policy")(game, ())
    table = Table(game, agents_of(game, "greedy", "greedy"), 1)
    table.agents[1].reset(0)
    for _ in range(30 if INTERPRETED else 120):
        player = int(table.states["current_player"][0])
        if player < 0:
            break
        observations, masks = table.view(table.states, player)
        policy.choose(policy.models, np.int64(0), observations, masks, policy.actions)
        assert policy.actions[0] == table.agents[0].act(observations[0], masks[0])
        table.step()


def play_one_game(num_players):
    """Play a game between greedy agents and return its actions."""
    game = make_game(num_players)
    return Table(game, agents_of(game, *["greedy"] * num_players), 1, seed=3).play().actions


@pytest.mark.skipif(INTERPRETED, reason="compares with compiled kernels")
def test_interpreted_kernels_choose_as_compiled_ones():
    code = "from tests.agents.test_territories_greedy import play_one_game; print(play_one_game(3))"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert done.stdout.decode().strip() == str(play_one_game(3))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("board", ["full", "small"])
def test_beats_random_play(board, seat):
    game = make_game(map=board)
    names = ["random", "random"]
    names[seat] = "greedy"
    games = 3 if INTERPRETED else 50
    won = (Table(game, agents_of(game, *names), games).play().returns()[:, seat] > 0).sum()
    assert won >= games * 0.8


@pytest.mark.parametrize(("num_players", "seat"), [(3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2), (4, 3)])
def test_wins_more_than_its_share_among_random_players(num_players, seat):
    game = make_game(num_players)
    names = ["random"] * num_players
    names[seat] = "greedy"
    games = 2 if INTERPRETED else 40
    won = (Table(game, agents_of(game, *names), games).play().returns()[:, seat] > 0).sum()
    assert won >= games * 0.75


@pytest.mark.slow
def test_beats_random_play_in_95_percent_of_400_games():
    game = make_game()
    won = 0
    for seat in range(2):
        names = ["random", "random"]
        names[seat] = "greedy"
        won += (Table(game, agents_of(game, *names), 200, seed=1000).play().returns()[:, seat] > 0).sum()
    assert won >= 380


def test_search_plays_legally():
    game = make_game()
    agents = [make_agent("search:playouts=8", GameInfo.of(game)), agents_of(game, "random")[0]]
    assert agents[0].is_informed
    table = Table(game, agents, 1)
    for _ in range(5 if INTERPRETED else 40):
        player = int(table.states["current_player"][0])
        if player < 0:
            break
        action = agents[0].act_informed(InformationSets.of(game, table.states, player))
        game.step(game.params, table.states, action, checked=True)


def test_weights_are_named_sets_of_finite_numbers():
    assert all(isinstance(load_weights(name), Weights) for name in weight_sets())
    info = GameInfo.of(make_game())
    with pytest.raises(ValueError, match=r"unknown weights 'usul' \(did you mean \"usual\"\?\)"):
        make_agent("greedy:weights=usul", info)
    named, file = GreedyAgent(info, weights="usual"), GreedyAgent(info, weights=FOLDER / "usual.toml")
    assert named.board.tobytes() == file.board.tobytes()


def test_refuses_the_observations_of_another_game():
    with pytest.raises(ValueError, match="reads observations of 'territories', not these of 'sack_armies'"):
        GreedyAgent(GameInfo.of(load_game("sack_armies")))


@pytest.mark.parametrize("name", map_names())
def test_map_is_told_by_the_heights_that_are_observed(name):
    game = make_game(map=name)
    agent = GreedyAgent(GameInfo.of(game))
    table = Table(game, [agent, agent], 1)
    table.step()
    board, neighbors = agent.board[0], game.params["neighbors"][0]
    on_map = [place for place in game.params["territories"][0].tolist() if place >= 0]
    assert (board["neighbors"][on_map] == neighbors[on_map]).all()
    assert board["neighbors"].shape[1] == MAX_BORDERS
