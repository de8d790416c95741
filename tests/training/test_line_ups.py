"""Line-ups of armies in training."""

from __future__ import annotations

import pytest

from sackarmies_env.registry import load_players
from sackarmies_training import line_ups
from sackarmies_training.config import GameSection
from sackarmies_training.line_ups import draw_games
from tests.core.toy_game import make_duel


@pytest.mark.slow
def test_every_army_sits_in_each_seat_equally_often():
    section = GameSection(switches={"max_turns": 60})
    games = draw_games(section, load_players("sack_armies", 2), 13, seed=1)
    for seat in range(2):
        names = [game.config["armies"][seat]["name"] for game in games]
        assert sorted(names.count(name) for name in names) == [1] * 13
    assert {game.params["max_turns"][0] for game in games} == {60}


def test_seats_get_their_armies_independently(monkeypatch):
    monkeypatch.setattr(line_ups, "load_players", lambda game, players, *, armies: armies)
    for seed in range(5):
        drawn = draw_games(GameSection(), make_duel(), 26, seed)
        assert [len(set(seat)) for seat in zip(*drawn, strict=True)] == [13, 13]
        assert sum(one == other for one, other in drawn) < 10  # 2 are expected


def test_without_line_ups_the_game_of_the_configuration_is_played():
    game = make_duel()
    assert draw_games(GameSection(), game, 0, seed=1) == [game]


@pytest.mark.parametrize(
    ("section", "number", "message"),
    [
        ({}, 5, r"line_ups is 5: it must be a multiple of 13, the number of armies"),
        ({"armies": ["beginners", "beginners"]}, 13, r"line_ups draws armies, and game.armies names them"),
    ],
)
def test_impossible_line_ups_are_refused(section, number, message):
    with pytest.raises(ValueError, match=message):
        draw_games(GameSection(**section), make_duel(), number, seed=1)
