"""Pictures of any game draw themselves: those of the registered games, and the smallest one that a game can have."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import sackarmies_env
from sackarmies_env.registry import load_players
from sackarmies_env.render import ansi, html, svg, theme
from sackarmies_env.render.frames import position_data
from sackarmies_env.render.log import news
from sackarmies_env.render.picture import OVER, Drawable, HexBoard, Pile, find_picture
from sackarmies_env.render.shapes import Text
from sackarmies_training.table.game_table import table_class
from sackarmies_training.web.feed import Feed
from tests.render.positions import SMALL, start
from tests.second_game import GAME, registered


@dataclass(frozen=True)
class Note:
    """A picture of the toy game: its number of decisions."""

    viewer: int | None
    turn: int
    log: tuple[str, ...] = ("a duel begins",)
    title: str = "Duel"
    hand: Pile | None = None

    def headline(self):
        return f"Decision {self.turn}"

    def scene(self, colors):
        return [Text(10, 10, self.headline(), 20, colors["ink"])]

    def lines(self, canvas):
        return canvas.wrapped(self.headline(), 2)

    def unasked(self):
        return self


def note(game, states, viewer):
    return Note(viewer, 7)


def position(game_id):
    game = load_players(game_id, 2)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([1]))
    return game, states


def test_smallest_picture_is_shown_in_every_form():
    with registered(picture="tests.render.test_drawable:note"):
        game, states = position(GAME)
        picture: Drawable | None = find_picture(game, states, 0)
        assert (picture, isinstance(picture, HexBoard)) == (Note(0, 7), False)
        assert ansi(game, states, 0) == "Decision 7\n"
        assert f'fill="{theme.LIGHT["ink"]}" text-anchor="middle">Decision 7</text>' in svg(game, states, 0)
        assert "Decision 7" in html(game, states, 0)
        (frame,) = position_data(game, states, 0)["views"][0]["frames"]
        assert frame["words"] == ["Decision 7"]
        assert 'fill="var(--ink)"' in frame["elements"][0]
        assert news(None, picture) == ["a duel begins"]
        feed = Feed(game, 0)
        assert feed.see(states)
        assert (feed.view["headline"], feed.log, feed.chosen(states)) == ("Decision 7", ["a duel begins"], [])


@pytest.mark.parametrize("game_id", sackarmies_env.list_games())
def test_page_explains_hexes_of_games_whose_board_is_made_of_them(game_id):
    picture = find_picture(*position(game_id), 0)
    assert table_class(game_id).has_hexes == isinstance(picture, HexBoard)


def test_unasked_picture_of_a_general_tells_neither_player_nor_question():
    game, states = start(SMALL)
    picture = find_picture(game, states, 0)
    hidden = picture.unasked()
    assert (picture.current, picture.asked != "") == (0, True)
    assert (hidden.current, hidden.asked, hidden.choices, hidden.chosen) == (OVER, "", (), ())
    asked = {name: getattr(picture, name) for name in ("current", "asked", "choices", "chosen")}
    assert replace(hidden, **asked) == picture


def test_view_of_a_page_has_no_log_as_it_comes_line_by_line():
    game, states = start(SMALL)
    feed = Feed(game, 0)
    feed.see(states)
    assert feed.view["log"] == []
    assert feed.log == list(reversed(find_picture(game, states, 0).log))
