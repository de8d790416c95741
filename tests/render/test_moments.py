"""What seats are shown of a recorded game: never how often, or whether, somebody else had a hidden choice."""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.game import forfeit_code
from sackarmies_env.core.record import make_record
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb
from sackarmies_env.render import Replay, ansi, svg
from sackarmies_env.render.frames import replay_data
from sackarmies_env.render.picture import OVER
from sackarmies_env.render.video import positions_of
from tests.core.toy_game import make_duel
from tests.render.positions import SMALL, play
from tests.sack_armies.builders.twin_worlds import (
    ANSWERS,
    act,
    battle,
    in_order,
    other_world,
    plain,
    received,
    wander,
    warlike,
)
from tests.samples import many


def three_generals(attachment: str) -> dict[str, Any]:
    """Return a position of three Generals; General 2 may react to attacks if their hidden `attachment` is a Ward."""
    position = copy.deepcopy(SMALL)
    places = [[0, 0], [2, 0], [2, -1]]
    position["generals"] = 3
    position["battlefield"] = [
        {"token": "plain", "at": at, "owner": seat, "controller": seat} for seat, at in enumerate(places)
    ]
    position["unit"] = [
        {"token": "guard", "at": at, "owner": seat, "face": "up"} for seat, at in enumerate([[0, 0], [1, 0], [2, -1]])
    ]
    position["unit"][2]["attached"] = [{"token": attachment, "face": "down", "owner": 2}]
    rest = {"ward": "dash", "dash": "ward"}[attachment]
    sacks = ["guard"], ["ward"], ["guard", rest]
    position["general"] = [{"hand": ["guard"], "sack": sack, "casualties": [], "removed": []} for sack in sacks]
    return position


COURSE = ("pass", "pass", "draw")  # no counter-attack, no advance; then General 1 draws
COURSES = {"ward": ("melee", "pass", *COURSE), "dash": ("melee", *COURSE)}  # with a Dash, General 2 has no choice


def recorded(attachment):
    """Return a game in which General 0 attacks, and General 2 passes if they are asked."""
    game = make_game(scenario=three_generals(attachment))
    states, actions, asked = game.new_states(1), [], []
    game.start(states, 0)
    for text in COURSES[attachment]:
        asked.append(int(plain(states)["current_player"]))
        actions.append(game.parse_action(states, text))
        play(game, states, text)
    return game, make_record(game, 0, actions), asked


@pytest.fixture(scope="module")
def twins():
    return [recorded(attachment) for attachment in COURSES]


def film(game, record, viewer):
    return [svg(game, states, viewer) for states in positions_of(game, record, viewer)]


# --- twin worlds


def test_general_is_asked_only_in_one_of_the_twin_worlds(twins):
    assert [asked for _, _, asked in twins] == [[0, 2, 1, 0, 1], [0, 1, 0, 1]]


@pytest.mark.parametrize("viewers", [[0], [1], [0, 1]])
def test_page_does_not_tell_that_another_general_had_a_choice(twins, viewers):
    pages = [Replay(game, record, viewers).html for game, record, _ in twins]
    assert pages[0] == pages[1]


@pytest.mark.parametrize("viewer", [0, 1])
def test_film_does_not_tell_that_another_general_had_a_choice(twins, viewer):
    films = [film(game, record, viewer) for game, record, _ in twins]
    assert len(films[0]) > 3
    assert films[0] == films[1]


def test_general_with_the_choice_and_the_referee_are_shown_it(twins):
    for viewer in (2, None):
        pages = [replay_data(game, record, [viewer])["views"][0]["frames"] for game, record, _ in twins]
        assert [sum(frame["current"] == 2 for frame in frames) for frames in pages] == [1, 0]
        assert len(film(*twins[0][:2], viewer)) > len(film(*twins[1][:2], viewer))


def test_attack_is_shown_before_it_is_decided_though_nobody_was_asked(twins):
    """The window is a moment of its own: all know of it, whoever may react."""
    game, record, _ = twins[1]
    (view,) = replay_data(game, record, [0])["views"]
    announced = [frame["announced"] for frame in view["frames"]]
    assert announced[:2] == ["", "melee attack at 1,0"]
    assert next(line["ply"] for line in view["log"] if "attack" in line["text"]) == 1


def recorded_forfeit(attachment):
    """Return a game of four in which General 2 forfeits when asked about an attack; General 3 may be asked next."""
    position = three_generals("ward")
    position["generals"] = 4
    position["battlefield"].append({"token": "plain", "at": [0, 2], "owner": 3, "controller": 3})
    hidden = {"token": attachment, "face": "down", "owner": 3}
    position["unit"].append({"token": "guard", "at": [0, 2], "owner": 3, "face": "up", "attached": [hidden]})
    sack = ["guard", {"ward": "dash", "dash": "ward"}[attachment]]
    position["general"].append({"hand": ["guard"], "sack": sack, "casualties": [], "removed": []})
    game = make_game(scenario=position)
    states, actions, asked = game.new_states(1), [], []
    game.start(states, 0)
    for text in ("melee", None, *(["pass"] if attachment == "ward" else []), *COURSE):
        asked.append(int(plain(states)["current_player"]))
        actions.append(forfeit_code(2) if text is None else game.parse_action(states, text))
        if text is None:
            game.forfeit(game.params, states, [2])
        else:
            play(game, states, text)
    return game, make_record(game, 0, actions), asked


def test_forfeit_does_not_tell_that_another_general_had_a_choice():
    ward, dash = (recorded_forfeit(attachment) for attachment in ("ward", "dash"))
    assert ward[2] == [0, 2, 3, 1, 0, 1]
    assert dash[2] == [0, 2, 1, 0, 1]
    for viewer in (0, 1):
        assert Replay(*ward[:2], [viewer]).html == Replay(*dash[:2], [viewer]).html
        assert film(*ward[:2], viewer) == film(*dash[:2], viewer)


# --- the current player


def test_frames_name_the_current_player_only_if_it_is_their_viewer(twins):
    game, record, _ = twins[0]
    views = replay_data(game, record, [0, 1])["views"]
    for view in views:
        assert {frame["current"] for frame in view["frames"]} == {view["viewer"], OVER}
    for view in views:
        for ply, choice in enumerate(view["choices"]):
            assert not choice or view["frames"][ply - 1]["current"] == view["viewer"]


def test_pictures_of_others_do_not_change_while_one_is_asked_after_another():
    game = make_game(scenario=three_generals("ward"))
    states = game.new_states(1)
    game.start(states, 0)
    play(game, states, "melee")
    shown = [[draw(game, states, 0) for draw in (ansi, svg)]]
    play(game, states, "pass")
    shown.append([draw(game, states, 0) for draw in (ansi, svg)])
    assert shown[0] == shown[1]
    assert "Another General to decide" in shown[0][0]


def test_games_without_a_table_are_shown_at_every_decision():
    game = make_duel(2)
    states = game.new_states(1)
    game.start(states, 0)
    actions, seen = [], [ansi(game, states, 0)]
    while plain(states)["current_player"] >= 0:
        actions.append(int(np.flatnonzero(legal_mask(game, states))[0]))
        game.step(game.params, states, np.array(actions[-1:], np.int64))
        seen.append(ansi(game, states, 0))
    frames = replay_data(game, make_record(game, 0, actions), [0])["views"][0]["frames"]
    assert len(frames) == 1 + sum(one != other for one, other in itertools.pairwise(seen))


def legal_mask(game, states):
    mask = np.zeros((1, game.num_actions), np.int8)
    game.legal_actions(game.params, states, mask)
    return mask[0]


# --- random games


@pytest.mark.slow
def test_pages_and_films_of_random_battles_are_the_same_in_twin_worlds():
    position = battle()
    position["switches"] = {**position["switches"], "auto_forced": True}
    game, met = make_game(scenario=position), Counter()
    for ply, states in enumerate(wander(game, 0, plies=many(400))):
        viewer = int(plain(states)["current_player"])
        if viewer < 0 or plain(states)["decision"] != Decision.MENU or plain(states)["active"] != viewer:
            continue
        worlds = [in_order(game, states, viewer), other_world(game, states, viewer, ply)]
        courses = [course(make_game(scenario=game.write_scenario(world)), viewer, ply) for world in worlds]
        if courses[0].received != courses[1].received:  # something has come to light
            continue
        met["same"] += 1
        met["asked"] += courses[0].record.actions != courses[1].record.actions
        pages, films = [], []
        for each in courses:
            pages.append(Replay(each.game, each.record, [viewer]).html)
            films.append(film(each.game, each.record, viewer))
        assert pages[0] == pages[1], ply
        assert films[0] == films[1], ply
    assert met["asked"]


def course(game, viewer, seed):
    """Play at random for a General, while others pass, and return the record with all that the General received."""
    rng, states = np.random.default_rng(seed), game.new_states(1)
    game.start(states, 5)
    actions, told = [], []
    for _ in range(14):
        if plain(states)["current_player"] == viewer:
            told.append(received(game, states, viewer))
            actions.append(warlike(game, states, rng))
        elif plain(states)["decision"] in ANSWERS:
            actions.append(int(Verb.PASS))
        else:
            break
        act(game, states, actions[-1])
    told.append(received(game, states, viewer) + bytes([plain(states)["current_player"] + 1]))
    return SimpleNamespace(game=game, record=make_record(game, 5, actions), received=told)
