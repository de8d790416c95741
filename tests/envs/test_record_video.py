"""Gymnasium's RecordVideo records single-seat and vector environments."""

import gymnasium
import pytest
from gymnasium.wrappers import RecordVideo
from gymnasium.wrappers.vector import RecordVideo as RecordVideos

import sackarmies_env  # noqa: F401 - registers the environments

pytest.importorskip("PIL")
pytest.importorskip("moviepy")
ffmpeg = pytest.importorskip("imageio_ffmpeg")


@pytest.mark.slow
def test_record_video_films_a_game(tmp_path):
    env = gymnasium.make("sackarmies_env/SackArmies-v0", opponent="random", render_mode="rgb_array")
    env = RecordVideo(env, str(tmp_path / "films"), episode_trigger=lambda episode: True, fps=2, disable_logger=True)
    _, info = env.reset(seed=0)
    for _ in range(8):
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        assert not terminated
        assert not truncated
    env.close()
    (film,) = (tmp_path / "films").glob("*.mp4")
    frames, _ = ffmpeg.count_frames_and_secs(str(film))
    assert frames == 9  # the start, and the position after each step
    reader = ffmpeg.read_frames(str(film))
    assert next(reader)["size"] == (1280, 800)
    reader.close()


@pytest.mark.slow
def test_record_video_films_all_games_of_a_vector(tmp_path):
    envs = gymnasium.make_vec(
        "sackarmies_env/SackArmies-v0", num_envs=2, render_mode="rgb_array", autoreset_mode="NextStep"
    )
    envs = RecordVideos(envs, str(tmp_path / "films"), episode_trigger=lambda episode: True, fps=2, disable_logger=True)
    _, infos = envs.reset(seed=0)
    for _ in range(3):
        _, _, terminations, truncations, infos = envs.step(infos["action_mask"].argmax(axis=1))
        assert not (terminations | truncations).any()
    envs.close()
    (film,) = (tmp_path / "films").glob("*.mp4")
    frames, _ = ffmpeg.count_frames_and_secs(str(film))
    assert frames == 4  # the start, and the positions after each step
    reader = ffmpeg.read_frames(str(film))
    assert next(reader)["size"] == (2 * 1280, 800)
    reader.close()
