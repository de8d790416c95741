"""Games without their own presentation, in the browser and in the terminal: played with the texts of their actions.

Liar's dice has neither its own picture nor its own table: a page is sent what its player observes, as lines of text.
"""

from __future__ import annotations

import copy
import hashlib
import random
from typing import Any

import httpx
import numpy as np
import pytest
from typer.testing import CliRunner

from examples.liars_dice import ENTRY, make_game
from sackarmies_env.core.entries import add_entry
from sackarmies_env.core.state import copy_records
from sackarmies_training.cli import app
from sackarmies_training.table.seats import PERSON, Seats
from sackarmies_training.web.command import offered_agents
from sackarmies_training.web.feed import Feed
from sackarmies_training.web.played import InteractiveGame
from tests.second_game import kept_registries
from tests.web.pages import Running, hear, tell
from tests.web.tables import answer, kinds, latest, make_session, play_out, say, sees_the_same, sent, start

GAME = ENTRY.id
CHANCE = ("draw_key", "draw_count", "flip_key", "flip_count")


@pytest.fixture(autouse=True)
def liars_dice():
    with kept_registries():
        add_entry(ENTRY)
        yield


def session_of(folder, *players):
    return make_session(folder, GAME, agents=offered_agents(GAME, []), armies=(), players=players or (PERSON, "random"))


# --- whole games


def test_whole_game_over_the_wire(tmp_path):
    server, rng, told = Running(session_of(tmp_path)), random.Random(2), []
    with server.page() as page:
        lobby = hear(page)
        assert (lobby["title"], lobby["noun"], lobby["counts"]) == ("Liar's dice", "Player", [2, 4])
        assert (lobby["armies"], lobby["pictured"]) == ([], False)
        tell(page, kind="start", players=[PERSON, "random", "random"], seed=4)
        while not told or told[-1]["kind"] != "end":
            told.append(hear(page))
            if told[-1]["kind"] == "ask":
                tell(page, **answer(told[-1], rng))
        replay = httpx.get(server.address + "replay.html")
    server.stop()
    assert {"game", "ask", "steps", "end"} <= set(kinds(told))
    end = told[-1]
    (winner,) = end["winners"]
    assert end["outcome"] == f"Player {winner} wins"
    assert "Observation of Player 2" in end["view"]["lines"]  # all is shown
    seen = [step["view"]["lines"] for message in told if message["kind"] == "steps" for step in message["steps"]]
    assert all(lines[0] == "Observation of Player 0" for lines in seen)
    assert not any("Observation of Player 1" in lines for lines in seen)
    assert replay.status_code == 200
    assert "Liar&#x27;s dice" in replay.text


def test_whole_game_in_the_terminal():
    done = CliRunner().invoke(app, ["play", "random", "--game", GAME], input="shake\n1\n" * 200)
    assert done.exit_code == 0, done.output
    assert "Player 0 to decide: TURN" in done.output
    assert " wins after " in done.output
    assert "General" not in done.output


def test_choice_that_rolled_dice_cannot_be_taken_back(tmp_path):
    session = session_of(tmp_path)
    ask = latest(start(session, PERSON, "random", seed=1), "ask")
    assert [choice["label"] for choice in ask["choices"]][:2] == ["shake", "count 1"]
    ask = say(session, kind="choose", number=ask["number"], actions=[ask["choices"][0]["id"]])[-1]
    assert ask["crumbs"] == []  # dice were rolled
    (told,) = say(session, kind="back", number=ask["number"])
    assert "left to chance" in told["text"]


def test_saved_game_is_continued(tmp_path):
    session = session_of(tmp_path)
    ask = start(session, PERSON, "random", seed=1)[-1]
    say(session, kind="choose", number=ask["number"], actions=[ask["choices"][1]["id"]])
    say(session, kind="save", name="dice")
    again = say(session_of(tmp_path), kind="resume", name="dice")
    assert latest(again, "ask")["choices"] == latest(say(session, kind="resume", name="dice"), "ask")["choices"]


def test_people_pass_the_device_on_by_their_names(tmp_path):
    session = session_of(tmp_path, PERSON, PERSON)
    told = play_out(session, start(session, PERSON, PERSON, seed=3), seed=1)
    names = {(message["seat"], message["name"]) for message in told if message["kind"] in {"handover", "curtain"}}
    assert names == {(0, "Player 0"), (1, "Player 1")}


@pytest.mark.parametrize("eyes", [1, "referee"])
def test_agents_are_watched(tmp_path, eyes):
    session = session_of(tmp_path)
    told = play_out(session, start(session, "random", "random", seed=5, eyes=eyes), seed=1)
    views = [step["view"] for message in told if message["kind"] == "steps" for step in message["steps"]]
    assert len(views) > 5  # not only the end
    assert {view["viewer"] for view in views} == {None if eyes == "referee" else eyes}


# --- what is hidden


class Bluffers(Seats):
    """Opponents whose choices depend only on what player 0 sees."""

    def decide(self, match: Any) -> int:
        """Return the legal action with the lowest hash of it and the view of player 0."""
        seen = match.observe(0).tobytes()
        return min(match.legal_actions(), key=lambda action: hashlib.sha256(seen + bytes([action])).digest())


def twin_of(played: InteractiveGame, seed: int) -> InteractiveGame:
    """Return a copy of the game with other dice under the cups of the others; future rolls stay the same."""
    match = played.match
    world = match.game.new_states(1)
    copy_records(match.states, world)
    match.game.determinize(match.game.params, world, np.array([0]), np.array([seed]))
    for name in CHANCE:
        world[name] = match.states[name]
    twin = copy.deepcopy(played)
    twin.match.restore(world.tobytes(), list(match.history))
    return twin


def compare(seed: int) -> int:
    """Play a game beside its twin worlds, and return how many replies of the server were compared."""
    game = make_game(num_players=3)
    played, rng, compared = (
        InteractiveGame(game, Bluffers(game, [PERSON, "random", "random"], 0)),
        random.Random(seed),
        0,
    )
    played.begin(seed)
    last = list(played.opening())[-1]
    while last["kind"] == "ask":
        twin, said = twin_of(played, compared), answer(last, rng, back=0.0)
        assert sent(twin.scene()) == sent(played.scene())
        wire = [list(each.choose(said["number"], said["actions"])) for each in (played, twin)]
        if sees_the_same(played, twin, 0):  # otherwise cups were lifted
            assert sent(wire[0]) == sent(wire[1])
            compared += 1
        last = wire[0][-1]
    return compared


def test_messages_are_the_same_in_twin_worlds():
    assert sum(compare(seed) for seed in range(4)) > 10


def test_planted_leak_is_found(monkeypatch):
    view_of = Feed._view_of
    monkeypatch.setattr(
        Feed,
        "_view_of",
        lambda feed, states, seen: view_of(feed, states, seen) | {"turn": int(states["hand"][0, 1].argmax())},
    )
    with pytest.raises(AssertionError):
        compare(1)
