"""Every output draws Territories: environments, commands, pages of positions and of recorded games."""

from __future__ import annotations

import itertools

import gymnasium
import numpy as np
import pytest
from typer.testing import CliRunner

import sackarmies_env
from sackarmies_env.core.record import make_record, save_record
from sackarmies_env.games.territories import make_game
from sackarmies_env.render import Replay, theme
from sackarmies_env.render.frames import replay_data
from sackarmies_env.render.picture import find_picture
from sackarmies_env.render.svg import element, svg
from sackarmies_env.render.video import positions_of
from sackarmies_training.cli import app
from sackarmies_training.web.feed import Feed
from tests.territories.render.boards import table_of

ENVIRONMENT = "sackarmies_env/Territories-v0"
SIZE = (theme.HEIGHT, theme.WIDTH, 3)
DECISIONS = 30


def play_random(game, seed):
    """Return the record of a game whose first decisions are random."""
    rng, actions = np.random.default_rng(seed), []
    states, mask = game.new_states(1), np.zeros((1, game.num_actions), np.int8)
    game.start(states, seed)
    for _ in range(DECISIONS):
        game.legal_actions(game.params, states, mask)
        actions.append(int(rng.choice(np.flatnonzero(mask[0]))))
        game.step(game.params, states, np.array(actions[-1:]))
    return make_record(game, seed, actions)


@pytest.fixture(scope="module")
def recorded():
    """A game on the small map, played at random."""
    game = make_game(2, "small")
    return game, play_random(game, 3)


@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "html", "human"])
def test_environment_draws_the_map(mode, capsys):
    env = sackarmies_env.env(game="territories", render_mode=mode)
    env.reset(seed=1)
    drawn = env.render()
    if mode == "rgb_array":
        assert drawn.shape == SIZE
        assert len(np.unique(drawn.reshape(-1, 3), axis=0)) > 20
    else:
        told = capsys.readouterr().out if mode == "human" else drawn
        assert "which standard action" in told or "where the next troops are placed" in told
        assert "Garrison" in told or "garrison" in told


def test_gymnasium_environments_draw_what_their_player_sees():
    env = gymnasium.make(ENVIRONMENT, render_mode="ansi")
    env.reset(seed=1)
    assert "seen by Player " in env.render()
    many = gymnasium.make_vec(ENVIRONMENT, 2, "vector_entry_point", render_mode="rgb_array")
    many.reset(seed=1)
    assert [frame.shape for frame in many.render()] == [SIZE, SIZE]


def test_replay_holds_elements_in_the_colors_of_pages_and_words(recorded):
    game, record = recorded
    views = replay_data(game, record, [None, 0])["views"]
    for view in views:
        assert len(view["frames"]) == DECISIONS + 1
        for frame in view["frames"]:
            assert frame["viewer"] == view["viewer"]
            for name in ("paper", "panel", "faded", "open", "water", "rule"):  # they differ in dark mode
                assert not any(theme.PAGE[name] in each for each in frame["elements"])
    states = game.new_states(1)
    game.start(states, 3)
    drawable = find_picture(game, states, 0)
    assert views[1]["frames"][0]["elements"] == [element(shape) for shape in drawable.scene(theme.ON_PAGE)]
    assert Replay(game, record, [0]).html.count("the referee's view") == 0


def test_film_has_a_frame_per_visible_change():
    game = make_game(3)
    positions = positions_of(game, play_random(game, 2), 0)
    pictures = [svg(game, states, 0) for states in positions]
    assert all(one != other for one, other in itertools.pairwise(pictures))
    # An exchange that is declined twice looks the same after the first time, and of a choice of another player in three
    # parts, which all know of when it is made, only the last one is shown.
    assert len(positions) == DECISIONS + 1 - 1 - 2


def test_view_writes_a_page_of_a_record(recorded, tmp_path):
    _, record = recorded
    save_record(record, tmp_path / "game.json")
    page = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["view", str(tmp_path / "game.json"), "--html", str(page), "--viewer", "1"])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "view of Player 1" in text
    assert "view of Player 0" not in text
    assert "In the deck" not in text


def test_hand_of_the_viewer_alone_is_named():
    table = table_of(1)
    for viewer in range(table.game.num_players):
        drawable = find_picture(table.game, table.states, viewer)
        assert drawable.viewer == viewer
        named = [player.seat for player in drawable.players if player.hand is not None]
        assert named == [viewer]


def test_player_in_the_browser_is_sent_the_picture():
    table = table_of(2)
    views = []
    for viewer in (0, 1, None):
        feed = Feed(table.game, viewer)
        assert feed.see(table.states)
        assert not feed.see(table.states)
        views.append(feed.view)
    assert [view["viewer"] for view in views] == [0, 1, None]
    assert all(view["elements"] and view["words"] for view in views)
    assert views[0] != views[1]


def test_person_in_a_terminal_is_told_events_choices_and_cards():
    typed = "?\ninfo truce\n" + "1\n" * 6 + "log\nquit\n"
    done = CliRunner().invoke(app, ["play", "random", "--game", "territories", "--seed", "3"], input=typed)
    assert done.exit_code == 0, done.output
    assert "An asterisk after the number marks a territory" in " ".join(done.output.split())
    assert "Truce: defender: the attack is called off" in done.output
    assert "Choose where the next troops are placed" in done.output
    assert "Since your last choice:" in done.output
    assert "Player 1 places 3 troops in territory " in done.output


def test_replay_is_told_event_by_event(recorded, tmp_path):
    _, record = recorded
    save_record(record, tmp_path / "game.json")
    done = CliRunner().invoke(app, ["replay", str(tmp_path / "game.json")])
    assert done.exit_code == 0, done.output
    assert "Turn 1: player " in done.output
    (view,) = replay_data(recorded[0], record, [0])["views"]
    assert any(line["kind"] == "turn" for line in view["log"])
