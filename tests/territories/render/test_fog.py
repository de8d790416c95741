"""Pictures of Territories stay the same in every form when everything hidden from the viewer changes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sackarmies_env.render import ansi, html, rgb_array, svg
from sackarmies_env.render.territories import picture as pictures
from sackarmies_env.render.theme import DARK
from tests.territories.fog.twins import dealt_anew, with_other_chance
from tests.territories.render.boards import table_of

POSITIONS = 40
DRAWN = 3  # of them as pixels, which are slow
honest = pictures.picture


def forms(game, states, viewer):
    """Return everything drawn for a viewer except pixels."""
    dark = pictures.picture(game, states, viewer).scene(DARK)
    return {
        "svg": svg(game, states, viewer),
        "ansi": ansi(game, states, viewer, color=True, width=100),
        "html": html(game, states, viewer),
        "dark": dark,
    }


def compare(seed, *, with_pixels=False):
    """Compare drawings of a position and a twin world for each player; return for how many players the hands differ."""
    table, chance = table_of(seed), np.random.default_rng(seed)
    differing = 0
    for viewer in range(table.game.num_players):
        twin = dealt_anew(table.game, table.states, viewer, chance)
        differing += int((twin["hand"] != table.states["hand"]).any())
        twin = with_other_chance(table.game, twin, chance)
        drawn, again = (forms(table.game, states, viewer) for states in (table.states, twin))
        for form, content in drawn.items():
            assert content == again[form], f"{form} of seed {seed}, player {viewer}, tells what is hidden"
        if with_pixels:
            one, other = (rgb_array(table.game, states, viewer) for states in (table.states, twin))
            assert np.array_equal(one, other), f"rgb of seed {seed}, player {viewer}, tells what is hidden"
    return differing


def test_pictures_are_the_same_in_twin_worlds():
    assert sum(compare(seed) for seed in range(POSITIONS)) > POSITIONS


@pytest.mark.parametrize("seed", range(DRAWN))
def test_pixels_are_the_same_in_twin_worlds(seed):
    compare(seed, with_pixels=True)


def test_referee_sees_the_hands_and_the_deck_that_players_do_not():
    table = table_of(1)
    told = ansi(table.game, table.states, color=False)
    assert told.count("  cards: ") == table.game.num_players
    assert "Deck: " in told
    for viewer in range(table.game.num_players):
        own = ansi(table.game, table.states, viewer, color=False)
        assert own.count("  cards: ") == 1
        drawn = pictures.picture(table.game, table.states, viewer)
        assert [player.hand is None for player in drawn.players].count(False) == 1
        assert drawn.deck is None


# --- planted leaks


def hands_are_shown(game, states, viewer):
    return dataclasses.replace(honest(game, states, viewer), players=honest(game, states, None).players)


def deck_is_shown(game, states, viewer):
    return dataclasses.replace(honest(game, states, viewer), deck=honest(game, states, None).deck)


def next_card_is_shown(game, states, viewer):
    kinds = np.flatnonzero(states["deck"][0])
    return dataclasses.replace(honest(game, states, viewer), outcome=f"next {kinds[0] if len(kinds) else ''}")


def questions_tell_of_cards(game, states, viewer):
    current = int(states["current_player"][0])
    cards = honest(game, states, current if current >= 0 else None).cards
    shown = honest(game, states, viewer)
    offered = tuple(
        dataclasses.replace(own, is_offered=other.is_offered) for own, other in zip(shown.cards, cards, strict=True)
    )
    return dataclasses.replace(shown, cards=offered, asked=f"{[card.is_offered for card in offered]}")


def future_is_shown(game, states, viewer):
    return dataclasses.replace(honest(game, states, viewer), turn=int(states["flip_key"][0].flat[0]) % 97)


LEAKS = (hands_are_shown, deck_is_shown, next_card_is_shown, questions_tell_of_cards, future_is_shown)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_planted_leak_is_found(monkeypatch, leak):
    monkeypatch.setattr(pictures, "picture", leak)
    with pytest.raises(AssertionError, match="tells what is hidden"):
        for seed in range(POSITIONS):
            compare(seed)


@pytest.mark.parametrize("form", ["svg", "ansi", "html", "dark"])
def test_each_form_finds_a_leak(monkeypatch, form):
    monkeypatch.setattr(pictures, "picture", hands_are_shown)
    only = forms
    monkeypatch.setitem(globals(), "forms", lambda *given: {form: only(*given)[form]})
    with pytest.raises(AssertionError, match=f"{form} of seed"):
        for seed in range(POSITIONS):
            compare(seed)


def test_pixels_find_a_leak(monkeypatch):
    monkeypatch.setattr(pictures, "picture", hands_are_shown)
    monkeypatch.setitem(globals(), "forms", lambda *given: {})
    with pytest.raises(AssertionError, match="rgb of seed"):
        for seed in range(POSITIONS):
            compare(seed, with_pixels=True)
