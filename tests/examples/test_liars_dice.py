"""The example game keeps the contract and its rules, and everything that takes registered games takes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from typer.testing import CliRunner

import sackarmies_env
from examples.liars_dice import ACTIONS, DICE, ENTRY, make_game
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.chance import forced_left
from sackarmies_env.core.entries import add_entry, environment_id_of
from sackarmies_env.core.record import load_record, make_record, replay, save_record, state_digest
from sackarmies_env.registry import game_of, register_environments
from sackarmies_env.testing import check_game, perft, perft_divide
from sackarmies_training.cli import app
from tests.second_game import kept_registries

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def registered() -> Iterator[None]:
    """Register the game for one test."""
    with kept_registries():
        add_entry(ENTRY)
        register_environments()
        yield


class Table:
    """A game with forced dice, played by the texts of actions; fields of the state are attributes."""

    def __init__(self, *dice, **config):
        self.game = make_game(num_players=len(dice), **config)
        self.states = self.game.new_states(1)
        self.game.start(self.states, 7, {"dice": [[int(face) for face in faces] for faces in dice]})

    def play(self, *texts):
        for text in texts:
            action = self.game.parse_action(self.states, text)
            self.game.step(self.game.params, self.states, np.array([action]))
        return self

    def forfeit(self, player):
        self.game.forfeit(self.game.params, self.states, np.array([player]))
        return self

    def see(self, player, block):
        out = np.zeros((1, self.game.observation_spec.size), np.int8)
        self.game.observe(self.game.params, self.states, np.array([player]), out)
        return self.game.observation_spec.view(out[0], block).tolist()

    def returns(self):
        out = np.zeros((1, self.game.num_players), np.float32)
        self.game.returns(self.game.params, self.states, out)
        return out[0].tolist()

    @property
    def legal(self):
        return ACTIONS.legal_texts(self.states)

    def __getattr__(self, field):
        return self.states[field][0].tolist()


# --- contract


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_example_keeps_the_contract(num_players):
    check_game(make_game(num_players))


def test_truncated_example_keeps_the_contract():
    check_game(make_game(3, max_turns=9))


@pytest.mark.parametrize(
    "config", [{"num_players": 1}, {"num_players": 5}, {"max_turns": 0}, {"max_turns": 10**5}], ids=str
)
def test_impossible_configuration_is_refused(config):
    with pytest.raises(ValueError, match="liar's dice is for 2 to 4 players and 1 to 10000 turns"):
        make_game(**config)


@pytest.mark.parametrize(
    ("forced", "sentence"),
    [
        ({"flips": "H"}, 'unknown kind of forced results "flips": allowed are "dice"'),
        ({"dice": [[7]]}, r"dice\[0\]: 7 is not a result for player 0; allowed are 1, 2, 3, 4, 5, 6"),
        ({"dice": [[], ["1"]]}, r'dice\[1\]: "1" is not a result'),
        ({"dice": [[True]]}, r"dice\[0\]: true is not a result"),
        ({"dice": [1]}, "it must be a list with one list per player"),
        ({"dice": [[], [1] * 33]}, "33 forced dice for player 1: at most 32 are allowed"),
        ({"dice": [[1]] * 3}, "forced dice for 3 players: the game has 2"),
    ],
)
def test_impossible_forced_results_are_refused(forced, sentence):
    game = make_game(2)
    with pytest.raises(ValueError, match=f"^{sentence}|{sentence}$"):
        game.start(game.new_states(1), 0, forced)


# --- rules


def test_round_begins_with_any_bid_and_no_call():
    table = Table("123", "456")
    assert table.legal == ["shake"] + [f"count {count}" for count in range(1, 7)]
    assert table.play("count 6").legal == [f"face {face}" for face in range(1, 7)]
    assert table.current_player == 0


def test_bid_must_be_higher_than_the_one_before():
    table = Table("123", "456").play("count 2", "face 5")
    assert table.current_player == 1
    assert table.legal == ["shake", "call"] + [f"count {count}" for count in range(2, 7)]
    assert table.play("count 2").legal == ["face 6"]
    assert table.play("face 6").legal == ["shake", "call"] + [f"count {count}" for count in range(3, 7)]
    assert table.play("count 6", "face 6").legal == ["shake", "call"]


def test_cup_is_shaken_once_a_round():
    table = Table("111622", "456").play("shake")
    assert (table.current_player, table.hand[0], table.turn) == (0, [0, 2, 0, 0, 0, 1], 1)
    assert "shake" not in table.legal
    assert "shake" not in table.play("count 1", "face 1", "count 1", "face 2").legal
    assert "shake" in table.play("call").legal


def test_bidder_of_a_lie_loses_a_die_and_begins():
    table = Table("112", "156").play("count 4", "face 1", "call")
    assert (table.num_dice[:2], table.current_player, table.bidder, table.bid_count) == ([2, 3], 0, -1, 0)
    assert table.legal == ["shake"] + [f"count {count}" for count in range(1, 6)]


def test_caller_of_a_true_bid_loses_a_die_and_begins():
    table = Table("112", "156").play("count 3", "face 1", "call")
    assert (table.num_dice[:2], table.current_player) == ([3, 2], 1)


def test_hands_are_rolled_anew_and_the_old_ones_known_to_all():
    table = Table("11233", "156444").play("count 4", "face 1", "call")
    assert table.see(0, "hand") == [[0, 0, 2, 0, 0, 0]]
    assert table.see(1, "hand") == [[0, 0, 0, 3, 0, 0]]
    assert [row[2:] for row in table.see(1, "players")] == [[1, 0, 0, 0, 1, 1], [2, 1, 0, 0, 0, 0]]


def test_observation_counts_seats_from_the_observer():
    table = Table("112", "156", "222").play("count 1", "face 4", "count 2")
    assert table.see(1, "table") == [[0, 2, 1, 4, 2]]
    assert table.see(2, "table") == [[2, 1, 1, 4, 2]]


def test_player_without_dice_is_eliminated_and_the_next_begins():
    table = Table("111" * 3, "666" * 3, "666" * 3)
    table.play(*["count 1", "face 2", "call"] * DICE)
    assert (table.num_dice[:3], table.current_player, table.returns()) == ([0, 3, 3], 1, [-0.5, 0, 0])
    assert table.play("count 1", "face 1").current_player == 2


def test_last_player_with_dice_wins():
    table = Table("111" * 3, "666" * 3).play(*["count 1", "face 2", "call"] * DICE)
    assert (table.terminated, table.truncated, table.winner, table.current_player) == (1, 0, 1, -1)
    assert (table.legal, table.returns()) == ([], [-1, 1])


def test_turn_limit_truncates():
    table = Table("111", "666", "222", max_turns=3).play(*["count 1", "face 1", "count 1", "face 2"])
    assert (table.turn, table.truncated) == (3, 0)
    assert table.play("count 1", "face 3").current_player == -1
    assert (table.terminated, table.truncated, table.winner, table.returns()) == (0, 1, -1, [0, 0, 0])


def test_survivors_of_a_truncated_game_share_what_others_lost():
    table = Table("111", "666", "222", max_turns=2).forfeit(1).play("shake", "count 1", "face 1")
    assert (table.truncated, table.returns()) == (1, [0.25, -0.5, 0.25])


@pytest.mark.parametrize(("player", "current", "winner"), [(0, 1, 2), (1, 2, 2), (2, 1, 1)])
def test_forfeit_begins_a_new_round(player, current, winner):
    table = Table("123", "456", "222").play("count 1", "face 4", "count 2").forfeit(player)
    assert (table.num_dice[player], table.said_count, table.bidder) == (0, 0, -1)
    assert (table.current_player, table.terminated) == (current, 0)
    assert table.forfeit(3 - winner - player).winner == winner


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("count 13", "counts run from 1 to 12"),
        ("face 7", "faces run from 1 to 6"),
        ("call", "'call' is not legal for player 0 now"),
        ("lie", "write 'shake', 'call', or a bid such as"),
    ],
)
def test_wrong_text_is_refused_with_what_is_right(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        Table("123", "456").play(text)


# --- hidden hands


def test_world_keeps_what_is_known_and_rolls_the_rest():
    table = Table("123" * 2, "456" + "1" * 9).play("shake", "count 2", "face 5")
    hands = set()
    for seed in range(20):
        world = table.states.copy()
        table.game.determinize(table.game.params, world, np.array([0]), np.array([seed]))
        assert world["hand"][0, 0].tolist() == table.hand[0]
        assert world["hand"][0, 1].sum() == DICE
        assert forced_left(world, "dice") == [[]] * 4
        assert not world["script_dice"].any()
        hands.add(world["hand"][0, 1].tobytes())
    assert len(hands) > 10


# --- whole games

DIGESTS = """
import sys
import numpy as np
from examples.liars_dice import make_game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.record import state_digest
from sackarmies_env.core.state import copy_records
from sackarmies_env.testing import RandomPlay
assert INTERPRETED == (sys.argv[1] == "1")
for players in (2, 3, 4):
    for seed in range(3):
        play = RandomPlay(make_game(players), seed)
        for action in play:
            world = play.game.new_states(1)
            copy_records(play.states, world)
            play.game.determinize(play.game.params, world, np.array([0]), np.array([seed]))
            print(action, state_digest(play.states), state_digest(world))
"""


def test_interpreted_and_compiled_games_are_the_same():
    printed = [
        subprocess.run(
            [sys.executable, "-c", DIGESTS, interpreted],
            env=os.environ | {"NUMBA_DISABLE_JIT": interpreted},
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        ).stdout
        for interpreted in ("0", "1")
    ]
    assert printed[0] == printed[1]
    assert printed[0].count("\n") > 100


def test_perft_counts_sequences():
    table = Table("123" + "1" * 20, "456" + "2" * 20)
    assert [perft(table.game, table.states, depth) for depth in range(4)] == [1, 7, 42, 228]
    assert perft_divide(table.game, table.states, 2)["count 6"] == 6


def test_game_is_recorded_and_replayed(tmp_path, registered):
    game = make_game(3)
    forced = {"dice": [[1, 2, 3], [], [6]]}
    actions = [ACTIONS.ids[text] for text in ("count 2", "face 6", "call")]
    record = make_record(game, 5, actions, forced=forced)
    save_record(record, tmp_path / "game.json")
    last = replay(game, load_record(tmp_path / "game.json"))
    assert state_digest(last) == record.digests[-1]
    assert record.texts == ("count 2", "face 6", "call")
    assert game.to_scenario(last)["state"]["num_dice"] == last["num_dice"][0, :3].tolist()
    assert game_of(record).digest == game.digest


def test_batch_plays_to_the_end():
    batch = Batch(make_game(4), 50, restarts=False)
    batch.reset(np.arange(50))
    batch.play_out()
    assert batch.states["terminated"].all()
    assert (np.abs(batch.returns.sum(axis=1)) < 1e-6).all()
    assert sorted(set(batch.states["winner"].tolist())) == [0, 1, 2, 3]


# --- uses of a registered game


@pytest.mark.parametrize("api", ["aec", "raw"])
def test_pettingzoo_environment_is_played(api, registered):
    env = sackarmies_env.make("liars_dice", api, num_players=3)
    env.reset(seed=3, options={"dice": [[1, 1, 1]]})
    earned = dict.fromkeys(env.possible_agents, 0.0)
    assert env.last()[0]["observation"][:6].tolist() == [3, 0, 0, 0, 0, 0]
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        earned[agent] += reward
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if terminated or truncated else int(legal[len(legal) // 2]))
    assert sorted(earned.values()) == [-0.5, -0.5, 1.0]


def test_gymnasium_environments_are_played(registered):
    single = gymnasium.make(environment_id_of("liars_dice"), num_players=4)
    _, info = single.reset(seed=0)
    assert single.observation_space.contains(single.step(int(info["action_mask"].argmax()))[0])
    many = sackarmies_env.make("liars_dice", "vector", num_players=2, num_envs=4)
    observations, _ = many.reset(seed=0)
    ended = 0
    for _ in range(100):
        observations, rewards, terminations, *_ = many.step(observations["action_mask"].argmax(axis=1))
        ended += int(terminations.sum())
        assert np.isin(rewards[terminations], (-1, 1)).all()
    assert ended


def test_game_is_watched_recorded_and_replayed_by_id(tmp_path, registered):
    path = tmp_path / "game.json"
    words = ["watch", "random", "random", "random", "--game", "liars_dice", "--record", str(path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "Liar's dice" in result.output
    assert json.loads(path.read_text())["config"]["num_players"] == 3
    replayed = CliRunner().invoke(app, ["replay", str(path), "--check"]).output
    assert "is intact" in " ".join(replayed.split())
