"""Fog of war in vector environments: everything that a seat is told is determined by what it has seen.

The rows of an environment become twin worlds of one seat. As long as that seat sees the same in two rows, everything
else that it is told must be the same too: the keys of infos and their order, decisions, starts of turns, rewards and
the steps at which it gets them.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from examples.liars_dice import make_game as make_dice
from sackarmies_env import sack_armies_v0
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.state import copies_of, copy_records
from sackarmies_env.envs.decision_infos import DecisionInfos
from sackarmies_env.envs.options import PotentialShaping
from sackarmies_env.envs.varied_vector import VariedBatchEnv
from sackarmies_env.envs.variety import Variety
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.games.sack_armies.tokens.army import built_in_armies
from tests.core.toy_game import make_duel
from tests.envs.twins import Told, choose, compare, make_twins, row_of
from tests.sack_armies.builders.twin_worlds import build

GAMES = {
    "duel": lambda: make_duel(3, max_turns=30),
    "liars_dice": lambda: make_dice(num_players=3, max_turns=40),
    "sack_armies": lambda: build("battle"),
}
ROWS = 6
games = pytest.mark.parametrize("name", GAMES)
modes = pytest.mark.parametrize("mode", ["SameStep", "NextStep"])


def weigh(observations):
    """Return a potential that depends on every observed number; its sums of integers are exact."""
    return observations @ (np.arange(observations.shape[1]) % 7 + 1) / 8


MISTAKES = 6  # one in this many decisions is illegal and costs a penalty
OPTIONS = {
    "decision_infos": True,
    "shaping": PotentialShaping(weigh, 0.5),
    "mask_in_observation": False,
    "illegal_action": "penalize",
    "illegal_penalty": 0.25,
}


def plies_of(name):
    """Return the number of decisions for which twin worlds are played on."""
    return 4 if INTERPRETED else 25 if name == "sack_armies" else 40


# --- all seats


def follow(env, seat, seen, infos, plies):
    """Play on; return what a seat is told in each row until the game is over, view by view."""
    worlds, is_first, over = [[] for _ in range(ROWS)], np.ones(ROWS, np.bool_), np.zeros(ROWS, np.bool_)
    for _ in range(plies):
        views = env.batch.observe(np.full(ROWS, seat))
        for row in np.flatnonzero(is_first):
            if over[row] and env.autoreset_mode is AutoresetMode.SAME_STEP:
                worlds[row].append(Told(b"", []))  # the final view is not shown: another game has begun
                continue
            view = views[row].tobytes()
            if not worlds[row] or worlds[row][-1].seen != view:
                worlds[row].append(Told(view, []))
            worlds[row][-1].rest.extend(told_now(infos, row, seat, over[row]))
            assert infos["player"][row] != seat or over[row] or np.array_equal(seen[row], views[row])
        is_first &= ~over
        seen, _, terminated, truncated, infos = env.step(choose(seen, infos["action_mask"], MISTAKES))
        over = terminated | truncated
    return [world[:-1] if first else world for world, first in zip(worlds, is_first, strict=True)]  # may be cut off


def told_now(infos, row, seat, is_over):
    """Return what an environment for all seats tells one seat after a step."""
    given = row_of(infos, row)
    earned, rewards = (float(given.pop(key, np.zeros(9))[seat]) for key in ("earned", "rewards"))
    told = [earned, rewards] if earned or rewards else []
    return [*told, given] if infos["player"][row] == seat or is_over else told


@games
@modes
def test_each_of_all_seats_is_told_what_follows_from_what_it_sees(name, mode):
    game = GAMES[name]()
    differing = alike = 0
    for seat in range(game.num_players):
        env = BatchEnv(game, ROWS, seat="all", autoreset_mode=mode, **OPTIONS)
        seen, infos = env.reset(seed=[9] * ROWS)
        played = 0
        while played < 6 or infos["player"][0] != seat:  # until the environment shows the view of this seat
            seen, *_, infos = env.step(choose(seen, infos["action_mask"], MISTAKES))
            played += 1
        differing += make_twins([env.batch], seat, seed=7)
        alike += compare(follow(env, seat, seen, infos, plies_of(name)))
    assert differing > 5
    assert alike > 20


def test_a_turn_begins_for_a_seat_whoever_else_was_asked_before():
    batch = Batch(make_duel(3), 2)
    batch.reset([1, 1])
    infos, both = DecisionInfos(batch), np.ones(2, np.bool_)
    infos.decisions(np.array([1, 1]), np.array([True, False]))  # out of sight of player 0, in one of two games
    for turn_start in (True, False):
        assert infos.decisions(np.array([0, 0]), both)["turn_start"].tolist() == [turn_start] * 2


@games
def test_the_part_of_a_seat_in_the_central_state_is_what_it_may_know(name):
    game = GAMES[name]()
    differing = 0
    for seat in range(game.num_players):
        env = BatchEnv(game, ROWS, seat="all", **OPTIONS)
        seen, infos = env.reset(seed=[8] * ROWS)
        for ply in range(plies_of(name)):
            before = env.state()[0].reshape(game.num_players, -1)[seat]
            differing += make_twins([env.batch], seat, seed=ply)
            parts = env.state().reshape(ROWS, game.num_players, -1)[:, seat]
            assert (parts == before).all()
            same = np.zeros(ROWS, np.int64)
            copy_records(copies_of(env.batch.states, same), env.batch.states)
            env.batch.read()
            seen, *_, infos = env.step(choose(seen, infos["action_mask"], MISTAKES))
    assert differing > 10


# --- one seat


def follow_learner(env, seen, infos, plies):
    """Play on; return what the learner is told in each row until its game is over."""
    worlds, rewards, is_first = [[] for _ in range(ROWS)], np.zeros(ROWS), np.ones(ROWS, np.bool_)
    terminated = truncated = np.zeros(ROWS, np.bool_)
    for _ in range(plies):
        for row in np.flatnonzero(is_first):
            given = row_of(infos, row)
            shown = given.pop("final_obs", seen[row])
            if "final_info" in given:
                given = {"final_info": given["final_info"]}  # the rest belongs to the next game
            told = [given, float(rewards[row]), bool(terminated[row]), bool(truncated[row])]
            worlds[row].append(Told(np.asarray(shown, np.int8).tobytes(), told))
        is_first &= ~(terminated | truncated)
        seen, rewards, terminated, truncated, infos = env.step(choose(seen, infos["action_mask"], MISTAKES))
    return worlds


class Lowest:
    """Plays the lowest legal id, outside the kernel."""

    def act(self, observation, action_mask):
        return int(action_mask.argmax())


@games
@modes
@pytest.mark.parametrize("opponent", ["random", "own"])
def test_a_learner_is_told_what_follows_from_what_it_sees(name, mode, opponent):
    game = GAMES[name]()
    differing = alike = 0
    for seat, seed in itertools.product(range(game.num_players), (1, 2)):
        others = Lowest() if opponent == "own" else opponent
        env = BatchEnv(game, ROWS, seat=seat, opponent=others, autoreset_mode=mode, **OPTIONS)
        seen, infos = env.reset(seed=[seed] * ROWS)
        for _ in range(3):
            seen, *_, infos = env.step(choose(seen, infos["action_mask"], MISTAKES))
        differing += make_twins([env.batch], seat, seed=7)
        alike += compare(follow_learner(env, seen, infos, plies_of(name)))
    assert differing > 10
    assert alike > 20


@modes
def test_what_a_learner_is_told_follows_from_what_it_sees_in_varied_rows(mode):
    differing = alike = 0
    for seat, seed in itertools.product(range(3), range(3)):
        limits = itertools.cycle([30, 9])  # no observation of this game says when it is truncated
        variety = Variety(
            functools.partial(make_duel, 3), ["max_turns"], {}, lambda _, turns=limits: {"max_turns": next(turns)}
        )
        env = VariedBatchEnv(variety.first.game, ROWS, variety=variety, seat=seat, autoreset_mode=mode, **OPTIONS)
        seen, infos = env.reset(seed=[seed] * ROWS)
        assert len(env.groups) == 2
        seen, *_, infos = env.step(choose(seen, infos["action_mask"], MISTAKES))
        differing += make_twins([one.batch for _, one in env.groups], seat, seed=7)
        seen = np.concatenate([one.batch.observations for _, one in env.groups])
        assert (seen == seen[0]).all()
        alike += compare(follow_learner(env, seen, infos, plies_of("duel")))
    assert differing > 10
    assert alike > 20


def test_nothing_tells_which_army_was_drawn_for_the_other_player():
    armies = built_in_armies()
    sizes = Counter(army.size for army in armies.values())  # how many tokens a sack holds is public
    alike = itertools.cycle([name for name, army in armies.items() if army.size == sizes.most_common(1)[0][0]][:2])
    env = sack_armies_v0.vector_env(
        num_envs=ROWS, seat=0, sampler=lambda generator: {"armies": ["beginners", next(alike)]}, **OPTIONS
    )
    seen, infos = env.reset(seed=[3] * ROWS)
    assert len(env.groups) == 2
    assert compare(follow_learner(env, seen, infos, plies_of("sack_armies"))) > 20
