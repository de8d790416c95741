"""Territories in the browser: whole games, questions in words, and no leak of hidden cards."""

from __future__ import annotations

import copy
import hashlib
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.state import copy_records
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.actions import FIRST_CARD
from sackarmies_env.games.territories.state.constants import NUM_CARDS, Decision
from sackarmies_env.render.territories.picture import picture as picture_of
from sackarmies_training.table.seats import PERSON, Seats
from sackarmies_training.territories.table import Table
from sackarmies_training.web.command import offered_agents
from sackarmies_training.web.feed import Feed
from sackarmies_training.web.played import InteractiveGame
from tests.samples import many
from tests.territories.fog.twins import dealt_anew
from tests.web.tables import answer, latest, make_session, play_out, sees_the_same, sent, start
from tests.web.test_wire import answered, do

GAME = "territories"
CARDS = range(FIRST_CARD, FIRST_CARD + NUM_CARDS)
RESERVE = 40  # of 256: how often an opponent may play a card
QUESTIONS = 120


def session_of(folder, *players):
    return make_session(folder, GAME, agents=offered_agents(GAME, []), armies=(), players=players or (PERSON, "random"))


def steps_of(told):
    return [step for message in told if message["kind"] == "steps" for step in message["steps"]]


# --- whole games


@pytest.mark.slow
def test_whole_game_is_played_and_told(tmp_path):
    session = session_of(tmp_path)
    told = play_out(session, start(session, PERSON, "random", seed=2), seed=1)
    asked = [message for message in told if message["kind"] == "ask"]
    assert {message["seat"] for message in asked} == {0}
    assert all(message["question"].startswith("choose ") for message in asked)
    lines = [line for step in steps_of(told) for line in step["lines"]]
    assert any(line.startswith("Player 1 attacks territory ") for line in lines)
    assert any(line.startswith("Into your hand: ") for line in lines)
    assert all(step["view"]["viewer"] == 0 for step in steps_of(told))
    end = latest(told, "end")
    assert end["view"]["viewer"] is None
    assert end["outcome"] == f"Player {end['winners'][0]} wins"


def test_moves_of_others_are_shown_one_by_one(tmp_path):
    session = session_of(tmp_path)
    told = play_out(session, start(session, PERSON, "greedy", seed=1), seed=1)
    turns = [message["steps"] for message in told if message["kind"] == "steps"]
    longest = max(turns, key=len)
    assert len(longest) > 10
    assert sum(bool(step["lines"]) for step in longest) > 8


@pytest.mark.slow
@pytest.mark.parametrize("eyes", [1, "referee"])
def test_agents_are_watched(tmp_path, eyes):
    session = session_of(tmp_path)
    told = play_out(session, start(session, "random", "random", seed=5, eyes=eyes), seed=1)
    assert {step["view"]["viewer"] for step in steps_of(told)} == {None if eyes == "referee" else eyes}
    assert any(step["lines"] for step in steps_of(told))


# --- what is hidden


class Opponents(Seats):
    """Opponents whose choices depend only on what player 0 sees; they seldom play cards."""

    def decide(self, match: Any) -> int:
        """Return the legal action with the lowest hash of it and the view of player 0."""
        seen = match.observe(0).tobytes()

        def rank(action: int) -> tuple[bool, bytes]:
            digest = hashlib.sha256(seen + bytes([action])).digest()
            return action in CARDS and digest[0] > RESERVE, digest

        return min(match.legal_actions(), key=rank)


def begun(seed: int, num_persons: int) -> InteractiveGame:
    game = make_game(num_players=3, switches={"domination": False})
    seats = Opponents(game, [PERSON] * num_persons + ["random"] * (3 - num_persons), 0)
    played = InteractiveGame(game, seats)
    played.begin(seed)
    return played


def twin_of(played: InteractiveGame, seed: int) -> InteractiveGame:
    """Return a copy of the game in which the cards that player 0 cannot see are dealt anew."""
    match = played.match
    world = match.game.new_states(1)
    copy_records(dealt_anew(match.game, match.states, 0, np.random.default_rng(seed)), world)
    twin = copy.deepcopy(played)
    twin.match.restore(world.tobytes(), list(match.history))
    return twin


def has_other_cards(one: InteractiveGame, other: InteractiveGame) -> bool:
    return bool((one.match.states["hand"] != other.match.states["hand"]).any())


def compare(seed: int, num_persons: int = 1, questions: int = QUESTIONS) -> Counter[str]:
    """Play a game beside twin worlds of player 0; compare every message, including their sizes and number."""
    played, rng, met = begun(seed, num_persons), random.Random(seed), Counter[str]()
    told = answered(played, list(played.opening()), 0)
    for number in range(questions):
        if told[-1]["kind"] != "ask":
            break
        twin, said = twin_of(played, number), answer(told[-1], rng, back=0.1)
        is_other = has_other_cards(played, twin)
        assert sent(twin.scene()) == sent(played.scene())
        worlds = [answered(each, do(each, said), 0) for each in (played, twin)]
        if sees_the_same(played, twin, 0):
            assert sent(worlds[0]) == sent(worlds[1])
            met["same"] += 1
            met["other cards"] += is_other
        told = worlds[0]
    return met


@pytest.mark.slow
@pytest.mark.parametrize("num_persons", [1, 3], ids=["one person", "three people on one device"])
def test_messages_are_the_same_in_twin_worlds(num_persons):
    met = sum((compare(seed, num_persons) for seed in range(many(1))), Counter[str]())
    print(dict(met))
    assert met["other cards"] > many(20)


def test_messages_are_the_same_in_twin_worlds_of_a_few_turns():
    assert compare(0, questions=30)["same"] > 20


def hands_are_shown(monkeypatch):
    monkeypatch.setattr(
        "sackarmies_training.web.feed.find_picture", lambda game, states, viewer: everything(game, states)
    )


def everything(game, states):
    return picture_of(game, states, None)


def draws_are_told(monkeypatch):
    see = Feed.see

    def leak(feed, states):
        changed = see(feed, states)
        if changed and feed._steps:
            feed._steps[-1]["lines"] = [*feed._steps[-1]["lines"], str(states["hand"][0, 1].max())]
        return changed

    monkeypatch.setattr(Feed, "see", leak)


@pytest.mark.parametrize("leak", [hands_are_shown, draws_are_told])
def test_planted_leak_is_found(monkeypatch, leak):
    leak(monkeypatch)
    with pytest.raises(AssertionError):
        for seed in range(3):
            compare(seed)


@pytest.mark.slow
def test_decisions_that_depend_on_cards_are_not_left_out_where_people_share_a_device(monkeypatch):
    """A person without a card to play would not get the device: its path around the table would reveal hands."""
    monkeypatch.setattr(Table, "is_public", lambda table, states: int(states["decision"][0]) == Decision.NONE)
    with pytest.raises(AssertionError):
        for seed in (14, 20, 24, 25):  # in most games of other seeds, the others have no such choice
            compare(seed, num_persons=3)
