"""Videos of recorded games."""

import io
import itertools
import sys

import numpy as np
import pytest

from sackarmies_env.core.record import make_record
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.render.rgb import rgb_array
from sackarmies_env.render.svg import svg
from sackarmies_env.render.video import FPS, LAST, check_video, positions_of, write_video
from sackarmies_training.sack_armies.table import Table
from tests.core.toy_game import make_duel

Image = pytest.importorskip("PIL.Image")
ffmpeg = pytest.importorskip("imageio_ffmpeg")


def recorded(game, plies, seed=0):
    match, rng = Match(game), np.random.default_rng(seed)
    match.begin(seed)
    for _ in range(plies):
        if match.player >= 0:
            match.play(int(rng.choice(match.legal_actions())))
    return make_record(game, seed, match.history)


@pytest.fixture(scope="module")
def game():
    return make_game(2)


@pytest.fixture(scope="module")
def short(game):
    return recorded(game, 14)


def test_film_has_a_position_for_all_that_its_viewer_sees_change(game, short):
    for viewer in (0, 1, None):
        positions = positions_of(game, short, viewer)
        pictures = [svg(game, states, viewer) for states in positions]
        assert all(one != other for one, other in itertools.pairwise(pictures))
        match = Match(game)
        match.begin(short.seed)
        everything, table = [svg(game, match.states, viewer)], Table(game)
        for action in short.actions:
            match.play(action)
            if viewer in {None, match.player} or table.is_public(match.states):
                everything.append(svg(game, match.states, viewer))
        everything.append(svg(game, match.states, viewer))
        changes = [everything[0], *(b for a, b in itertools.pairwise(everything) if a != b)]
        assert pictures == changes
    assert len(positions_of(game, short, 1)) < len(positions_of(game, short))  # some choices are out of sight


def test_number_of_positions_does_not_depend_on_what_is_hidden():
    """Twin worlds: General 0 picks one or the other battlefield for Setup, and General 1 gets the same film."""
    game = make_game(2, armies={"name": "Surplus", "tokens": {"plain": 4, "hill": 3, "legionaries": 4}})
    films = []
    for choice in ("type hill", "type plain"):
        match = Match(game)
        match.begin(0)
        match.play(game.parse_action(match.states, choice))
        record = make_record(game, 0, match.history)
        films.append([svg(game, states, 1) for states in positions_of(game, record, 1)])
    assert films[0] == films[1]
    assert len(films[0]) == 1


@pytest.mark.slow
def test_gif_shows_each_position_and_stores_only_what_changes(game, short, tmp_path):
    positions = positions_of(game, short, 0)
    drawn = []
    write_video(tmp_path / "game.gif", game, positions, 0, progress=drawn.append)
    assert drawn == [1] * len(positions)
    content = (tmp_path / "game.gif").read_bytes()
    film = Image.open(io.BytesIO(content))
    assert (film.size, film.n_frames) == ((1280, 800), len(positions))
    assert film.info["duration"] == 1000 / FPS
    film.seek(film.n_frames - 1)
    assert film.info["duration"] == 1000 * LAST
    shown = np.asarray(film.convert("RGB"), np.int64)
    assert np.abs(shown - rgb_array(game, positions[-1], 0)).mean() < 8
    write_video(tmp_path / "still.gif", game, positions[:1], 0)
    still = (tmp_path / "still.gif").stat().st_size
    assert len(content) < still + 0.6 * still * (len(positions) - 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.gif", "still.gif"]


@pytest.mark.slow
def test_mp4_is_as_long_as_its_positions(game, short, tmp_path):
    positions = positions_of(game, short, None)
    write_video(tmp_path / "game.mp4", game, positions, fps=4)
    frames, seconds = ffmpeg.count_frames_and_secs(str(tmp_path / "game.mp4"))
    assert frames == len(positions) + 4 * LAST
    assert seconds == pytest.approx(frames / 4, abs=0.3)
    reader = ffmpeg.read_frames(str(tmp_path / "game.mp4"))
    assert next(reader)["size"] == (1280, 800)
    first = np.frombuffer(next(reader), np.uint8).reshape(800, 1280, 3).astype(np.int64)
    assert np.abs(first - rgb_array(game, positions[0])).mean() < 4
    reader.close()
    assert [path.name for path in tmp_path.iterdir()] == ["game.mp4"]


@pytest.mark.slow
def test_game_without_a_picture_is_shown_as_text(tmp_path):
    game = make_duel(2)
    positions = positions_of(game, recorded(game, 4), 0)
    write_video(tmp_path / "game.gif", game, positions, 0)
    assert Image.open(tmp_path / "game.gif").n_frames == len(positions)


@pytest.mark.parametrize(("name", "module"), [("game.gif", "PIL"), ("game.mp4", "PIL"), ("game.mp4", "imageio_ffmpeg")])
def test_missing_library_is_an_error_that_names_the_extra(game, short, tmp_path, monkeypatch, name, module):
    for loaded in [*sys.modules]:
        if loaded.partition(".")[0] == module:
            monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)
    positions = positions_of(game, short, 0)
    install = r"which is not installed: pip install 'sackarmies-env\[video\]'"
    with pytest.raises(ValueError, match=rf"^a film \({name[4:]}\) needs [\w-]+, {install}$"):
        write_video(tmp_path / name, game, positions, 0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "fps", "message"),
    [
        ("game.avi", 2, "game.avi: the name of a video must end in .gif or .mp4"),
        ("game.gif", 0, "fps must be greater than 0 and at most 50, not 0"),
    ],
)
def test_unknown_format_and_speed_are_refused(tmp_path, name, fps, message):
    with pytest.raises(ValueError, match=message):
        check_video(tmp_path / name, fps)


def test_interrupted_film_leaves_the_old_file(game, short, tmp_path):
    path = tmp_path / "game.mp4"
    path.write_bytes(b"old")
    positions = positions_of(game, short, 0)

    def stop(frames):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_video(path, game, positions, 0, progress=stop)
    assert path.read_bytes() == b"old"
