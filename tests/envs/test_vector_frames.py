"""Frames of vector environments: one for each game, as its player sees it."""

import pytest
from gymnasium.vector import SyncVectorEnv

from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.match import draw
from tests.core.toy_game import make_duel
from tests.envs.test_vector_env import batch, lowest


@pytest.mark.parametrize("seat", ["all", 1])
def test_each_game_is_drawn_as_its_player_sees_it(seat):
    env = batch(3, seat=seat, render_mode="ansi")
    with pytest.raises(ValueError, match="no games are running: call reset"):
        env.render()
    env.reset(seed=5)
    viewers = env.batch.players.tolist()
    frames = env.render()
    assert len(frames) == 3
    for row, viewer in enumerate(viewers):
        assert frames[row] == draw(env.game, env.batch.states[row : row + 1], "ansi", viewer)
        assert frames[row] != draw(env.game, env.batch.states[row : row + 1], "ansi", 1 - viewer)


@pytest.mark.parametrize("viewpoint", ["own", "player_1", "referee"])
def test_frames_match_sync_vector_env(viewpoint):
    options = {"render_mode": "ansi", "render_viewpoint": viewpoint}
    env = batch(3, autoreset_mode="NextStep", **options)
    sync = SyncVectorEnv([lambda: SingleSeatEnv(make_duel(2, 60), **options)] * 3, autoreset_mode="NextStep")
    env.reset(seed=5)
    sync.reset(seed=5)
    ends = 0
    for _ in range(30):
        frames = env.render()
        assert frames == sync.render()
        assert len(set(frames)) > 1
        actions = lowest(env.action_masks())
        _, _, terminations, truncations, _ = env.step(actions)
        sync.step(actions)
        ends += int((terminations | truncations).sum())
    assert ends > 2


def test_pictures_and_pages_are_drawn_too():
    assert batch_frame("html").startswith("<!doctype html>")
    assert batch_frame("rgb_array").ndim == 3
    with pytest.raises(ValueError, match=r"render\(\) needs a render_mode"):
        batch().render()


def batch_frame(mode):
    env = batch(2, render_mode=mode)
    env.reset(seed=0)
    first, second = env.render()
    assert type(first) is type(second)
    return second
