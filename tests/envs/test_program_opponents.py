"""Opponents that cannot be copied, such as programs that play over stdin and stdout."""

from __future__ import annotations

import copy
import shlex
import sys
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import sackarmies_env
from sackarmies_agents import GameInfo, make_agent
from sackarmies_env.envs import opponents, varied_vector
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.vector_env import BatchEnv
from tests.core.toy_game import make_duel
from tests.envs.test_vector_resets import some_turns
from tests.second_game import GAME, registered

BOT = Path(__file__).resolve().parents[1] / "agents" / "line_bots.py"
PROGRAM = f"line:command={shlex.join([sys.executable, '-S', str(BOT), 'well-behaved'])}"
ROWS = {"gym": {}, "vector": {"num_envs": 2}}  # options of these environments

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs that play need Unix")


class Lowest:
    """Plays the same as the program: the lowest legal id."""

    def act(self, observation, action_mask):
        return int(np.flatnonzero(action_mask)[0])


class Locked(Lowest):
    """Holds a lock, which cannot be copied."""

    def __init__(self):
        self.lock = threading.Lock()


class Closable(Lowest):
    """Counts how often it was closed."""

    times_closed = 0

    def close(self):
        self.times_closed += 1


class SharedClosable(Closable):
    """Plays all games of a vector environment."""

    shares_batch = True

    def act_batch(self, observations, action_masks):
        return lowest(action_masks)


def make_by_name(monkeypatch, make):
    """Let `make(game)` make all opponents that are given by name."""
    monkeypatch.setattr(opponents, "_registered", [lambda name, game: make(game)])


def players_of(env):
    """Return the opponents in a single-seat or vector environment."""
    return (
        env.opponents if isinstance(env, SingleSeatEnv) else [one for games in env.opponents.opponents for one in games]
    )


def lowest(masks):
    return masks.argmax(axis=-1)


@pytest.mark.parametrize("as_object", [False, True])
def test_program_plays_each_game_of_a_vector_environment(as_object):
    game = make_duel(max_turns=4)
    choice = make_agent(PROGRAM, GameInfo.of(game)) if as_object else PROGRAM
    env, other = BatchEnv(game, 2, opponent=choice), BatchEnv(game, 2, opponent=Lowest())
    env.reset(seed=3)
    other.reset(seed=3)
    programs = env.opponents.opponents[0]
    assert len({one.pid for one in programs} | ({choice.pid} if as_object else set())) == 2 + as_object
    for _ in range(12):
        found, expected = (one.step(lowest(one.action_masks())) for one in (env, other))
        assert np.array_equal(found[0]["observation"], expected[0]["observation"])
        assert found[1].tolist() == expected[1].tolist()
    env.close()
    assert [one.pid for one in programs] == [None, None]
    if as_object:
        assert choice.pid is not None
        choice.close()


def test_clone_has_a_program_of_its_own_and_plays_on():
    env = SingleSeatEnv(make_duel(), opponent=PROGRAM, seat=1)
    with closing(env):
        env.reset(seed=3)
        with closing(env.clone()) as twin:
            assert twin.opponents[0].pid not in {None, env.opponents[0].pid}
            is_over = False
            while not is_over:
                mine, its = (one.step(one.legal_actions()[0]) for one in (env, twin))
                assert np.array_equal(mine[0]["observation"], its[0]["observation"])
                assert mine[1:4] == its[1:4]
                is_over = mine[2] or mine[3]


def test_copy_of_a_vector_environment_has_programs_of_its_own_and_plays_on():
    env = BatchEnv(make_duel(), 2, opponent=PROGRAM, seat=1)
    with closing(env):
        env.reset(seed=3)
        with closing(copy.deepcopy(env)) as twin:
            assert len({one.pid for each in (env, twin) for one in each.opponents.opponents[0]} - {None}) == 4
            for _ in range(12):
                mine, its = (one.step(lowest(one.action_masks())) for one in (env, twin))
                assert np.array_equal(mine[0]["observation"], its[0]["observation"])
                assert mine[1].tolist() == its[1].tolist()


def test_clone_keeps_one_copy_of_an_object_that_plays_all_seats():
    env = SingleSeatEnv(make_duel(3), opponent=Lowest())
    twin = env.clone()
    assert twin.opponents[0] is twin.opponents[1] is twin._opponent_choice
    assert twin.opponents[0] is not env.opponents[0]


def test_opponent_that_cannot_be_copied_is_refused_in_a_sentence():
    message = r"^opponent Locked cannot be copied: cannot pickle '_thread.lock' object$"
    with pytest.raises(ValueError, match=message):
        BatchEnv(make_duel(), 2, opponent=Locked())
    env = SingleSeatEnv(make_duel(), opponent=Locked())
    env.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        env.clone()


def test_closed_environment_ends_the_programs_that_it_has_started():
    """It does not end programs that it was given, and it can be reset afterwards."""
    game = make_duel(3)
    with closing(make_agent(PROGRAM, GameInfo.of(game))) as mine:
        env = SingleSeatEnv(game, opponent=[PROGRAM, mine])
        env.reset(seed=1)
        env.close()
        assert env.opponents[0].pid is None
        assert mine.pid is not None
        env.reset(seed=1)
        assert env.opponents[0].pid is not None
        env.close()


@pytest.mark.parametrize("api", ROWS)
def test_refused_switch_of_the_game_keeps_the_game_and_open_opponents(api, monkeypatch):
    def make(game):
        if game.config["max_turns"] == 3:
            raise ValueError("cannot play 3 turns")
        return Closable()

    make_by_name(monkeypatch, make)
    with registered():
        env = sackarmies_env.make(GAME, api, max_turns=20, opponent="mine", seat=0, **ROWS[api])
        env.reset(seed=1)
        game, before = env.game, players_of(env)
        for _ in range(2):  # the second one must not take the switch for done
            with pytest.raises(ValueError, match="cannot play 3 turns"):
                env.reset(seed=1, options={"max_turns": 3})
            assert env.game is game
            assert players_of(env) == before
            assert [one.times_closed for one in before] == [0] * len(before)
        env.step(lowest(env.action_masks()))


@pytest.mark.parametrize("agent", [Closable, SharedClosable])
@pytest.mark.parametrize("api", ROWS)
def test_opponents_made_from_names_are_closed_once(api, agent, monkeypatch):
    make_by_name(monkeypatch, lambda game: agent())
    with registered():
        env = sackarmies_env.make(GAME, api, opponent="mine", num_players=3, **ROWS[api])
        env.reset(seed=1)
        before = players_of(env)
        env.reset(seed=1, options={"max_turns": 3})
        assert {one.times_closed for one in before} == {1}
        after = players_of(env)
        assert {one.times_closed for one in after} == {0}
        env.close()
        assert {one.times_closed for one in after} == {1}


@pytest.mark.parametrize("api", ROWS)
def test_given_opponent_is_left_open_by_a_switch_and_by_close(api):
    mine = SharedClosable()
    with registered():
        env = sackarmies_env.make(GAME, api, opponent=mine, num_players=3, **ROWS[api])
        env.reset(seed=1)
        env.reset(seed=1, options={"max_turns": 3})
        env.close()
    assert mine.times_closed == 0


@pytest.mark.parametrize("way", [SingleSeatEnv.clone, copy.deepcopy])
def test_copy_closes_its_copies_of_given_opponents(way):
    mine = Closable()
    with registered():
        env = sackarmies_env.make(GAME, "gym", opponent=mine, num_players=3)
        env.reset(seed=1)
        twin = way(env)
        twin.reset(seed=1, options={"max_turns": 3})
        assert twin.opponents[0].times_closed == 0  # it plays the new game
        twin.close()
    assert (twin.opponents[0].times_closed, mine.times_closed) == (1, 0)


def pids(env):
    """Return the ids of all programs that play in a varied vector environment."""
    return [one.pid for _, group in env.groups for games in group.opponents.opponents for one in games]


def test_closed_varied_vector_ends_the_programs_of_all_its_groups():
    """This includes programs of games that a reset replaces and of the game that defines the spaces."""
    with registered():
        env = sackarmies_env.make(GAME, "vector", num_envs=4, sampler=some_turns, opponent=PROGRAM)
        started = []
        for seed in (1, 2):
            before = [one for _, group in env.groups for games in group.opponents.opponents for one in games]
            env.reset(seed=seed)
            assert len(env.groups) > 1
            assert None not in pids(env)
            assert [one.pid for one in before] == [None] * len(before)
            started += before
        assert len(started) == 4
        env.close()
        assert pids(env) == [None] * 4


def test_failed_reset_of_a_varied_vector_ends_the_programs_that_it_has_started(monkeypatch):
    made = []
    monkeypatch.setattr(
        varied_vector, "BatchEnv", lambda *args, **options: made.append(BatchEnv(*args, **options)) or made[-1]
    )
    with registered():
        env = sackarmies_env.make(GAME, "vector", num_envs=4, sampler=some_turns, opponent=PROGRAM)
        env.reset(seed=1)
        playing = pids(env)
        made.clear()
        with pytest.raises(ValueError, match="draws"):
            env.reset(seed=2, options={"draws": [["card_9"], []]})
        started = [one.pid for group in made for games in group.opponents.opponents for one in games]
        assert started == [None] * len(started) != []
        assert pids(env) == playing
        env.close()
