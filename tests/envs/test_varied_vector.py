"""Vectors whose rows play different games: failing opponents, infos of rows reset by a mask, the central state."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

import sackarmies_env
from sackarmies_env.core.rng import following_seed
from tests.envs.test_variety import LIMITS, row_of, turns, varied
from tests.envs.test_vector_env import equal, lowest
from tests.second_game import GAME, registered

SOME = np.array([True, True, False, True, False, False])  # rows of both groups


@pytest.fixture
def duel():
    with registered():
        yield functools.partial(sackarmies_env.make, GAME)


# --- opponents that fail


class Failing:
    """Plays the lowest legal id; all copies together give `answers` answers and fail after that."""

    answers = 10**6

    def __init__(self, fault):
        self.fault = fault

    def act(self, observation, action_mask):
        Failing.answers -= 1
        if Failing.answers >= 0:
            return int(np.flatnonzero(action_mask)[0])
        if self.fault == "raises":
            raise RuntimeError("out of order")
        return -5 if self.fault == "no id" else int(np.flatnonzero(action_mask == 0)[0])


FAULTS = {
    "no id": r"the opponent Failing chose -5 \(not an action id\) in game {}$",
    "illegal": "the opponent Failing chose an action that is not legal in game {}$",
    "raises": "out of order",
}


def check_that_nothing_runs(env):
    """Check that nothing can be played or read until a reset without a mask."""
    asked = [
        lambda: env.step([0] * 6),
        env.action_masks,
        env.state,
        lambda: env.reset(options={"reset_mask": SOME}),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match="no games are running: call reset"):
            ask()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("answers", "row"), [(0, 0), (1, 2), (3, 1), (5, 4)])
def test_no_games_run_after_an_opponent_fails(duel, monkeypatch, fault, answers, row):
    env, _ = varied(duel, opponent=Failing(fault), seat=0)
    env.reset(seed=3)
    assert [rows.tolist() for rows, _ in env.groups] == [[0, 2, 5], [1, 3, 4]]
    monkeypatch.setattr(Failing, "answers", answers)
    with pytest.raises((ValueError, RuntimeError), match=FAULTS[fault].format(row)):
        env.step(lowest(env.action_masks()))
    check_that_nothing_runs(env)
    monkeypatch.undo()
    env.reset(seed=3, options={"max_turns": 9})
    env.step(lowest(env.action_masks()))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("answers", "row"), [(0, 0), (2, 3)])
def test_no_games_run_after_an_opponent_fails_in_a_reset_by_mask(duel, monkeypatch, fault, answers, row):
    env, _ = varied(duel, opponent=Failing(fault), seat=1)
    env.reset(seed=3)
    monkeypatch.setattr(Failing, "answers", answers)
    with pytest.raises((ValueError, RuntimeError), match=FAULTS[fault].format(row)):
        env.reset(options={"reset_mask": SOME})
    check_that_nothing_runs(env)


def test_games_go_on_where_an_opponent_fails_in_a_reset_of_all(duel, monkeypatch):
    """The previous games are untouched."""
    env = duel("vector", num_envs=6, sampler=lambda generator: {"max_turns": 9}, opponent=Failing("no id"), seat=1)
    env.reset(seed=3)
    before = env.state()
    monkeypatch.setattr(Failing, "answers", 4)
    with pytest.raises(ValueError, match=FAULTS["no id"].format(4)):
        env.reset(seed=8)
    monkeypatch.undo()
    assert equal(env.state(), before)
    env.step(lowest(env.action_masks()))


# --- seeds


def short_or_long(generator):
    """Draw a turn limit; games of one turn are over before seat 1 decides."""
    return {"max_turns": int(generator.integers(1, 4))}


@pytest.mark.parametrize("seat", [1, "random"])
@pytest.mark.parametrize("options", [None, {"draws": [["card_4"] * 3, ["card_1"] * 3]}])
def test_seed_is_one_game_even_if_it_is_over_before_a_decision(duel, seat, options):
    """The game of the following seed, which may be of another kind, takes its place, as in the single environment."""
    single = duel("gym", sampler=short_or_long, seat=seat)
    many = duel("vector", num_envs=16, sampler=short_or_long, seat=seat, decision_infos=True)
    seen, infos = many.reset(seed=20, options=options)
    moved, limits = 0, np.zeros(16, np.int64)
    for rows, one in many.groups:
        moved += int((one.batch.seeds != 20 + rows).sum())
        limits[rows] = turns(one)
    assert moved > 2
    for row in range(16):
        own, info = single.reset(seed=20 + row, options=options)
        assert turns(single) == limits[row]
        assert equal(row_of(seen, row), own)
        assert equal(infos["action_mask"][row], info["action_mask"])
    many.step(lowest(many.action_masks()))


def test_kinds_of_games_without_decisions_are_refused(duel):
    env = duel("vector", num_envs=3, sampler=short_or_long, seat=1)
    env.reset(seed=0)
    before = env.state()
    with pytest.raises(ValueError, match="100 games in a row were over before the learner's first decision"):
        env.reset(options={"max_turns": 1})
    assert equal(env.state(), before)


def test_seeds_that_a_list_leaves_out_follow_from_earlier_ones(duel, monkeypatch):
    """None is the seed that follows, or one drawn from the generator of the last given seed if no games are running."""
    env, _ = varied(duel, opponent=Failing("no id"), seat=0)
    for fails in (False, True):
        given = []
        for _ in range(2):
            env.reset(seed=5, options={"max_turns": 9})
            if fails:
                monkeypatch.setattr(Failing, "answers", 0)
                with pytest.raises(ValueError, match="the opponent Failing"):
                    env.step(lowest(env.action_masks()))
                monkeypatch.undo()
            env.reset(seed=[1, None, 3, None, None, 6], options={"max_turns": 9})
            (_, one), *_ = env.groups
            given.append(one.batch.seeds.tolist())
        assert given[0] == given[1]
        assert given[0][::5] == [1, 6]
        assert (given[0][1] == following_seed(6)) == (not fails)


# --- unknown options


def test_unknown_options_are_reported_once(duel):
    env, _ = varied(duel)
    for some in ({}, {"reset_mask": SOME}):
        with pytest.warns(UserWarning, match="reset ignores the unknown options") as caught:
            env.reset(seed=1, options={"weather": 1, **some})
        assert len(caught) == 1
        assert "max_turns" in str(caught[0].message)
    assert len(env.groups) > 1


# --- frames, infos and the central state


def test_frames_are_in_the_order_of_the_rows(duel):
    options = {"render_mode": "ansi", "seat": 1}
    env, _ = varied(duel, **options)
    sync = SyncVectorEnv([functools.partial(duel, "gym", max_turns=limit, **options) for limit in LIMITS])
    with pytest.raises(ValueError, match="no games are running: call reset"):
        env.render()
    env.reset(seed=10)
    sync.reset(seed=10)
    assert len(set(env.render())) > 1
    assert env.render() == sync.render()


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_infos_of_rows_reset_by_a_mask_match_sync_vector_env(duel, mode):
    options = {"decision_infos": True, "seat": 1}
    env, _ = varied(duel, autoreset_mode=mode, **options)
    singles = [functools.partial(duel, "gym", max_turns=limit, **options) for limit in LIMITS]
    sync = SyncVectorEnv(singles, autoreset_mode=mode)
    assert equal(env.reset(seed=10), sync.reset(seed=10))
    for _ in range(8):
        mask, same = SOME.copy(), SOME.copy()
        mine, its = env.reset(options={"reset_mask": mask}), sync.reset(options={"reset_mask": same})
        assert equal(mine, its)
        assert mine[1]["turn_start"].tolist() == SOME.tolist()
        actions = lowest(env.action_masks())
        mine, its = env.step(actions), sync.step(actions)
        assert equal(mine[:4], its[:4])
        assert equal(mine[4]["turn_start"], its[4]["turn_start"])
        over = mine[2] | mine[3]
        if mode == "Disabled" and over.any():
            assert equal(
                env.reset(options={"reset_mask": over.copy()}), sync.reset(options={"reset_mask": over.copy()})
            )


@pytest.mark.parametrize("options", [{}, {"observation": "dict", "mask_in_observation": False}])
def test_central_states_lie_in_their_space(duel, options):
    env, single = varied(duel, **options)
    env.reset(seed=1)
    assert env.state_space == duel("vector", num_envs=6, **options).state_space
    assert env.state_space.contains(env.state())
    assert single[0].state_space.shape == (1, *env.state_space.shape[1:])


def test_space_of_central_states_is_that_of_the_padded_layout():
    env = sackarmies_env.sack_armies_v0.vector_env(num_envs=2, pad_types=140, armies="random")
    env.reset(seed=1)
    assert env.state_space.contains(env.state())
