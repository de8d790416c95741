"""Lines of games in progress, in the browser and in the terminal: each event is told once, in order."""

from __future__ import annotations

import random
from types import SimpleNamespace

import numpy as np
import pytest

from sackarmies_env.core.observation import INT8_HIGH
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies.words import event_sentences
from sackarmies_env.games.sack_armies.words.narrate import decisions_of
from sackarmies_env.games.territories.state.constants import NUM_CARDS, NUM_UNITS, Event
from sackarmies_env.games.territories.words import narrate
from sackarmies_env.games.territories.words.sentences import event_words
from sackarmies_env.registry import load_players
from sackarmies_env.render.log import TOTAL, news
from sackarmies_env.render.sack_armies import words
from sackarmies_training.table.person import Person
from sackarmies_training.table.seats import PERSON, Seats
from sackarmies_training.web.feed import Feed
from sackarmies_training.web.shown import ShownGame
from tests.samples import many

CODES = {Event.UNIT_LOST: NUM_UNITS, Event.DISCARD: NUM_CARDS}  # equal events in a row become one with their number
GAINED = "Into your hand: "


# --- what has truly happened


def true_lines(match: Match) -> list[str]:
    """Return all events of a game in words, found ply by ply."""
    game, states = match.game, match.game.new_states(1)
    game.start(states, match.seed)
    told = TRUE[game.id]
    events = told.opening(states)
    for action in match.history:
        events += told.of_ply(game, states, action)
        game.step(game.params, states, np.array([action], np.int64))
    return told.words(game, events)


def merged(events):
    """Return events with equal ones in a row as one."""
    told = []
    for event in events:
        codes, last = CODES.get(event.kind), told[-1] if told else None
        if codes and last and last[:3] == event[:3] and last.value % codes == event.value % codes:
            total = last.value + event.value - event.value % codes + codes
            if total <= INT8_HIGH:
                told[-1] = event._replace(value=total)
                continue
        told.append(event)
    return told


def battle_words(game, events):
    return [event_words(each.kind, f"player {each.player}", each.place, each.value) for each in merged(events)]


def general_words(game, events):
    names = event_sentences.Names.of(game)
    return [words.event_words(each, names) for each in events]


def plain(states):
    return states.view(np.ndarray)[0]


TRUE = {
    "territories": SimpleNamespace(
        opening=lambda states: [each for each in narrate.log_of(states) if each.kind != Event.NONE],
        of_ply=narrate.new_events,
        words=battle_words,
    ),
    "sack_armies": SimpleNamespace(
        opening=lambda states: [each for each in event_sentences.log_of(plain(states))[::-1] if each.kind],
        of_ply=lambda game, states, action: [
            event
            for before, _, after in decisions_of(game, states, action)
            for event in event_sentences.new_events(plain(before), plain(after))
        ],
        words=general_words,
    ),
}


def told_once(lines):
    """Return the events that lines tell: a total stands for the line that it continues."""
    told = []
    for line in lines:
        if line.endswith(TOTAL):
            told[-1] = line.removesuffix(TOTAL)
        elif not line.startswith(GAINED):
            told.append(line)
    return told


# --- what is told


PLAYED = [("territories", "greedy"), ("sack_armies", "random")]


@pytest.mark.parametrize(("game_id", "agent"), PLAYED)
def test_browser_tells_each_event_once(game_id, agent):
    game, totals = load_players(game_id, 3), 0
    for seed in range(many(1)):
        shown = ShownGame(game, Seats(game, [agent] * 3, seed))
        shown.begin(seed)
        while not shown.is_over and len(shown.match.history) < 250:
            list(shown.watch())
        lines = shown._feeds[None].log
        assert told_once(lines) == true_lines(shown.match)
        totals += sum(line.endswith(TOTAL) for line in lines)
    assert (totals > 0) == (game_id == "territories")


@pytest.mark.parametrize(("game_id", "agent"), PLAYED)
def test_terminal_tells_each_event_once(game_id, agent, monkeypatch, capsys):
    game, rng = load_players(game_id, 2), random.Random(3)
    seats, match = Seats(game, [PERSON, agent], 3), Match(game)
    match.begin(3)
    person = Person(match, 0)
    monkeypatch.setattr("builtins.input", lambda prompt: str(rng.randint(1, len(person._choices))))
    while match.player >= 0 and len(match.history) < 300:
        if match.player == 0:
            person.decide()
        else:
            match.play(seats.decide(match))
            person.look()
    lines, true = told_once(person.log), true_lines(match)
    assert len(lines) > 40
    assert lines == true[: len(lines)]  # the latest ones may not be public yet
    assert len(lines) > len(true) - 5
    assert any(line.endswith(TOTAL) for line in person.log) == (game_id == "territories")


def test_message_of_a_step_tells_growth_as_a_total():
    feed, game = Feed(load_players("territories", 2), None), load_players("territories", 2)
    states = game.new_states(1)
    game.start(states, 0)
    for number in range(3):
        plain(states)["log_kind"][0], plain(states)["log_player"][0] = Event.UNIT_LOST, 1
        plain(states)["log_value"][0] = number * NUM_UNITS
        feed.see(states)
    lines = [step["lines"] for step in feed.take()]
    one, *more = (event_words(Event.UNIT_LOST, "player 1", 0, number * NUM_UNITS) for number in range(3))
    assert lines[0][-1] == one
    assert lines[1:] == [[f"{line}{TOTAL}"] for line in more]


def log(*lines):
    return SimpleNamespace(log=lines, hand=None)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (log("b", "a"), log("c", "b", "a"), ["c"]),
        (log("b", "a"), log("b", "a"), []),
        (log("2 b", "a"), log("3 b", "a"), ["3 b (in all)"]),
        (log("2 b", "a"), log("d", "c", "3 b", "a"), ["3 b (in all)", "c", "d"]),
        (log("a"), log("2 a"), ["2 a (in all)"]),
        (log(), log("b", "a"), ["a", "b"]),
        (log("d", "c", "b", "a"), log("h", "g", "f", "c"), ["c", "f", "g", "h"]),  # one alike is no overlap
    ],
)
def test_news_are_what_follows_the_overlap_of_two_logs(before, after, told):
    assert news(before, after) == told
