"""Sack Armies in words."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Event, Kind, Verb, Victory
from sackarmies_env.games.sack_armies.words.event_sentences import (
    SAID_BY_DECISION,
    SENTENCES,
    LogEvent,
    Names,
    event_sentences,
    verb_words,
)
from sackarmies_env.render.sack_armies.words import event_words, outcome_words, question

NAMES = Names(("Plain", "Orc Imps"), (Kind.BATTLEFIELD, Kind.UNIT), ("0,0", "2,-1"))

TOLD = {
    (Event.FLIP, 1): "General 1 flips heads",
    (Event.FLIP, 0): "General 1 flips tails",
    (Event.ANNOUNCE, Verb.MELEE): "General 1 announces: melee attack at 2,-1",
    (Event.DRAW, 3): "General 1 draws 3 tokens",
    (Event.DISCARD, 1): "General 1 discards 1 token",
    (Event.PLACE, 0): "General 1 puts down Plain at 2,-1",
    (Event.DEPLOY, Kind.UNIT): "General 1 deploys a unit at 2,-1",
    (Event.DEPLOY, Kind.BATTLEFIELD): "General 1 deploys a battlefield at 2,-1",
    (Event.DEPLOY, -1): "General 1 deploys an attachment at 2,-1",
    (Event.MOVE, 0): "General 1 moves a unit from 0,0 to 2,-1",
    (Event.REVEAL, 1): "Revealed: General 1's Orc Imps at 2,-1",
    (Event.CASUALTY, 1): "General 1 loses Orc Imps at 2,-1",
    (Event.CASUALTY, -1): "General 1 loses a face-down token at 2,-1",
    (Event.CAPTURE, 1): "Captured: General 1's Orc Imps at 2,-1",
    (Event.TO_SACK, 1): "Back to the sack: General 1's Orc Imps at 2,-1",
    (Event.REMOVE, 1): "Removed from play: General 1's Orc Imps at 2,-1",
    (Event.CONTROL, 0): "General 1 takes control of Plain at 2,-1",
    (Event.ELIMINATE, Victory.STANDARD): "General 1 controls none of their battlefields and is eliminated",
    (Event.ELIMINATE, Victory.DECISIVE): "General 1 can fight no more and is eliminated",
    (Event.ELIMINATE, Victory.CONCESSION): "General 1 concedes and is eliminated",
    (Event.CANCEL, 0): "What General 1 announced is cancelled",
    (Event.MISS, 0): "The attack of General 1 misses",
    (Event.TURN, 0): "The turn of General 1 begins",
    (Event.RAISE, 1): "General 1 raises Orc Imps at 2,-1",
    (Event.ATTACH, 1): "General 1 lays Orc Imps on the unit at 2,-1",
    (Event.WRONG_KIND, Kind.SPELL): "The face-down attachment of General 1 at 2,-1 is no spell",
}


@pytest.mark.parametrize(("kind", "value"), TOLD)
def test_each_event_is_a_sentence(kind, value):
    assert event_words(LogEvent(kind, 1, 1, int(value)), NAMES) == TOLD[kind, value]


def test_no_event_is_left_out():
    assert {kind for kind, _ in TOLD} | {Event.NONE} == set(SENTENCES) | {Event.NONE} == set(Event)


def test_a_game_told_afterwards_uses_the_sentences_of_the_viewer():
    state = {"turn": 4, "cell_unit": [-1, -1]}
    own = {Event.TURN, Event.FLIP} | SAID_BY_DECISION  # told in other words, or by the decision
    events = [LogEvent(kind, 1, 1, int(value)) for kind, value in TOLD if kind not in own]
    lines = event_sentences(NAMES, state, state, events, lambda player: [])
    assert [line[0].upper() + line[1:] for line in lines] == [event_words(event, NAMES) for event in events]
    drawn = event_sentences(NAMES, state, state, [LogEvent(Event.DRAW, 1, -1, 2)], lambda player: ["Guard", "Mage"])
    assert drawn == ["General 1 draws Guard, Mage"]


def test_every_decision_and_verb_has_its_words():
    assert question(Decision.NONE, Verb.PASS) == ""
    assert question(Decision.TARGET, Verb.MOVE_ATTACK) == "Move and Attack: choose the target"
    assert question(Decision.MENU, 0, True) == "choose an action, or pass"
    assert question(Decision.DISCARD, 0, True) == "discard a token, or done"
    assert question(Decision.DISCARD, 0) == "discard a token"
    questions = [question(decision, Verb.PASS) for decision in Decision if decision != Decision.NONE]
    assert all(questions)
    assert all(verb_words(verb) for verb in Verb if verb not in (Verb.PASS, Verb.YES))


@pytest.mark.parametrize(
    ("winner", "victory", "truncated", "words"),
    [
        (1, Victory.STANDARD, False, "General 1 wins in turn 9: a Standard Victory"),
        (0, Victory.DECISIVE, False, "General 0 wins in turn 9: a Decisive Victory"),
        (2, Victory.CONCESSION, False, "General 2 wins in turn 9: by concession"),
        (-1, Victory.DRAW, False, "A draw in turn 9"),
        (-1, Victory.NONE, True, "Truncated in turn 9: a draw"),
    ],
)
def test_each_end_of_a_game_has_its_sentence(winner, victory, truncated, words):
    assert outcome_words(winner, victory, truncated, 9) == words
