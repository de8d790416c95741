"""Narration and logs of Territories: every public event is told, but cards are named only to who may know them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sackarmies_env.core.game import forfeit_code
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.record import make_record
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.actions import FIRST_CARD
from sackarmies_env.games.territories.state.constants import NUM_CARDS, NUM_UNITS, Event, TurnStep
from sackarmies_env.games.territories.state.record import MAX_LOG
from sackarmies_env.games.territories.words.narrate import log_of, new_events
from sackarmies_env.render.log import log_lines
from sackarmies_env.render.narrate import narrate
from tests.territories.builders import FAR, attack, table
from tests.territories.fog.twins import dealt_anew
from tests.territories.positions import random_table
from tests.territories.referee.random_play import LIKINGS, choose

CARDS = range(FIRST_CARD, FIRST_CARD + NUM_CARDS)
IN_A_ROW = {Event.UNIT_LOST: NUM_UNITS, Event.DISCARD: NUM_CARDS}
HOME = {6: (0, {"troop": 2}), 20: (1, {"troop": 2})}


def told(game, action_text, viewer):
    """Take an action; return what a viewer is told about it."""
    before, action = game.states.copy(), game.game.parse_action(game.states, action_text)
    game.play(action_text)
    (lines,) = log_lines(game.game, before, action, game.states, [viewer])
    return [line.text for line in lines]


def plies(seed, most=150):
    """Play on from a random position; yield the game, the state before each ply, the action and the state after."""
    start, rng = random_table(seed), random.Random(seed)
    game, states = start.game, start.states
    liking = rng.choice(list(LIKINGS))
    for _ in range(most):
        if states["current_player"][0] < 0:
            return
        before, action = states.copy(), choose(rng, legal_ids(states["legal"][0]), liking)
        game.step(game.params, states, np.array([action]))
        yield game, before, action, states


def joined(log, events):
    """Return a log with the events of one more ply; consecutive losses of a type or discards of a kind are merged."""
    if log and events and log[-1][:3] == events[0][:3] and (codes := IN_A_ROW.get(log[-1].kind)):
        code, number = log[-1].value % codes, log[-1].value // codes + events[0].value // codes + 2
        if code == events[0].value % codes:
            log, events = log[:-1], [log[-1]._replace(value=code + codes * (number - 1)), *events[1:]]
    return log + events


def test_log_of_a_state_is_what_the_plies_brought():
    kinds, longest = set(), 0
    for seed in range(20):
        for game, before, action, after in plies(seed):
            events = new_events(game, before, action)
            assert joined(log_of(before), events)[-MAX_LOG:] == log_of(after)
            kinds |= {event.kind for event in events}
            longest = max(longest, len(events))
    assert kinds >= set(Event) - {Event.NONE, Event.OVER, Event.OUT, Event.STACKED, Event.RESHUFFLE}
    assert longest < MAX_LOG  # none was pushed out


def test_drawn_card_is_named_to_its_owner_and_the_referee():
    for viewer, words in ((0, "Champion"), (1, "a card"), (None, "Champion")):
        game = table(HOME, TurnStep.STANDARD, actions_left=1).force_draws(2)
        assert told(game, "draw", viewer) == ["Player 0 chooses: draw", f"Player 0 draws {words} and holds 1 card"]


def test_what_is_taken_silently_is_told():
    game = attack({"troop": 3}, {"troop": 2}, "13644")
    assert [line.text for line in log_lines(game.game, None, 0, game.states, [1])[0]] == [
        "Player 0 attacks territory 1 with 3 units",
        "They come from territory 6 with 3 dice",
        "Player 1 defends with 2 units",
        "Player 0 rolls 3 dice: 6 3 1",
        "Player 0 loses a troop",
        "Player 1 rolls 2 dice: 4 4",
        "2 skirmishes",
        "Player 0 plays no more cards",
        "Player 1 plays no more cards",
    ]


def test_battle_that_is_fought_silently_is_told_from_its_beginning():
    game = table({11: (0, {"troop": 1}), 6: (0, {"troop": 12}), 1: (1, {"troop": 40}), **FAR})
    game.force_dice("6" * 7 + "112" + "1" * 9 + "2" * 5 + "3" * 26)
    game.play("territory 6", "territory 1", "quantity 10", "troop")
    assert told(game, "all", None) == [
        "Player 1 defends with 40 units",
        "Player 0 rolls 10 dice: 6 6 6 6 6 6 6 2 1 1",
        "Player 0 loses 3 troops",
        f"Player 1 rolls 40 dice: {' '.join('3' * 26 + '2' * 5 + '1' * 9)}",
        "Player 1 loses 14 troops",
    ]
    assert game.asked == "PAIR"


def test_longest_ply_is_told_from_its_beginning():
    hand = [*range(1, 13), 1, 1, 1, 1, 1, 2, 2, 2, 3, 3]  # all kinds, and as many cards as can be held
    game = table({11: (0, {"troop": 1}), 6: (0, {"rider": 2}), 1: (1, {"troop": 40})}, hands={1: hand})
    game.force_dice("12" + "1" * 40).play("territory 6", "territory 1", "all", "troop")
    lines = told(game, "all", 0)
    assert lines[:9] == [
        "Player 1 defends with 40 units",
        "Player 0 rolls 2 dice: 2 1",
        "Player 0 loses a rider",
        "Player 0 trades a rider down to a troop",
        f"Player 1 rolls 40 dice: {' '.join('1' * 40)}",
        "Player 1 loses 32 troops",
        "Player 1 loses 8 troops",
        "Player 0 wins the battle for territory 1",
        "Player 1 is out of the game",
    ]
    assert len(lines) == 9 + NUM_CARDS + 1
    assert (lines[9], lines[-1]) == ("Player 1 discards 6 Vanguard cards", "Player 0 wins the game")


def test_no_ply_has_more_events_than_this_one():
    units = {1: (0, {"troop": 1}), 6: (0, {"troop": 1, "hero": 2}), 11: (1, {"hero": 2})}
    game = table(units, hands={1: [*range(1, 13)]}).force_dice("1266" + "1226")
    game.play("territory 6", "territory 11", "hero", "quantity 2", "done", "hero")
    before, action = game.states.copy(), game.game.parse_action(game.states, "all")
    events = new_events(game.game, before, action)
    assert len(events) == 23 < MAX_LOG
    assert [event.kind for event in events[:10]] == [
        Event.DEFENSE,
        *(Event.ROLL, Event.UNIT_LOST, Event.UNIT_TRADED),
        *(Event.ROLL, Event.UNIT_LOST, Event.UNIT_TRADED, Event.UNIT_LOST),
        *(Event.VICTORY, Event.OUT),
    ]
    assert [event.kind for event in events[10:]] == [Event.DISCARD] * NUM_CARDS + [Event.OVER]


def test_dice_of_an_earlier_roll_are_not_told_as_those_of_a_later_one():
    game = table(HOME)
    game.states["rolled"][0, 0] = [0, 0, 1, 0, 0, 1]
    assert logged(game, (Event.ROLL, 0, 2), (Event.ROLL, 0, 2)) == [
        "Player 0 rolls 2 dice",
        "Player 0 rolls 2 dice: 6 3",
    ]


@pytest.mark.parametrize(("value", "words"), [(1, "Champion"), (2, "a card")])
def test_card_that_was_drawn_before_a_scenario_is_named_while_it_is_the_last_in_hand(value, words):
    game = table(HOME, TurnStep.STANDARD, {0: [2]}, actions_left=1)
    game.states["log_kind"][0, 0], game.states["log_player"][0, 0] = Event.DRAW, 0
    game.states["log_value"][0, 0] = value
    ((line,),) = log_lines(game.game, None, 0, game.states, [0])
    assert line.text.startswith(f"Player 0 draws {words} and holds")


def logged(game, *events):
    """Return what player 0 is told of a state with these events in its log, oldest first: kind, player and value."""
    for place, (kind, player, value) in enumerate(reversed(events)):
        game.states["log_kind"][0, place] = kind
        game.states["log_player"][0, place], game.states["log_value"][0, place] = player, value
    (lines,) = log_lines(game.game, None, 0, game.states, [0])
    return [line.text for line in lines]


def test_card_drawn_before_another_left_the_hand_is_not_named():
    game = table(HOME, TurnStep.STANDARD, {0: [1, 2]}, actions_left=1)
    events = (Event.DRAW, 0, 2), (Event.DISCARD, 0, 3), (Event.DRAW, 0, 2)
    assert logged(game, *events) == [
        "Player 0 draws a card and holds 2 cards",
        "Player 0 discards Oath",
        "Player 0 draws Champion and holds 2 cards",
    ]


def test_cards_drawn_one_after_another_are_all_named():
    game = table(HOME, TurnStep.STANDARD, {0: [1, 2]}, actions_left=1)
    assert logged(game, (Event.DRAW, 0, 1), (Event.DRAW, 1, 1), (Event.DRAW, 0, 2)) == [
        "Player 0 draws Vanguard and holds 1 card",
        "Player 1 draws a card and holds 1 card",
        "Player 0 draws Champion and holds 2 cards",
    ]


def test_turns_are_counted():
    game = table({**HOME, 2: (0, {"troop": 3})}, TurnStep.MOVE)
    assert told(game, "done", 1) == ["Turn 4: player 1"]


def test_lines_of_others_are_the_same_whatever_cards_are_hidden():
    chance, compared = np.random.default_rng(1), 0
    for seed in range(12):
        for game, before, action, after in plies(seed, 60):
            player = int(before["current_player"][0])
            viewers = [seat for seat in range(game.num_players) if seat != player]
            for viewer in viewers:
                twin = dealt_anew(game, before, viewer, chance)
                if action in CARDS or action not in legal_ids(twin["legal"][0]):
                    continue
                later = twin.copy()
                game.step(game.params, later, np.array([action]))
                worlds = (before, action, after), (twin, action, later)
                lines = [log_lines(game, *world, [viewer]) for world in worlds]
                if any(line.kind == "elimination" for line in lines[0][0]):
                    continue  # a hand is shown
                assert lines[0] == lines[1]
                compared += 1
    assert compared > 500


def recorded(seed, forfeits_at=None):
    game = make_game(3, switches={"max_rounds": 2})
    states, rng, actions = game.new_states(1), random.Random(seed), []
    game.start(states, seed)
    while states["current_player"][0] >= 0:
        if len(actions) == forfeits_at:
            player = int(states["current_player"][0])
            actions.append(forfeit_code(player))
            game.forfeit(game.params, states, [player])
        else:
            actions.append(choose(rng, legal_ids(states["legal"][0]), "warlike"))
            game.step(game.params, states, np.array(actions[-1:]))
    return game, make_record(game, seed, actions, players=["ann", "bob", "cid"]), states


def test_narration_of_a_game():
    game, record, states = recorded(1)
    lines = list(narrate(game, record))
    assert lines[:2] == ["Player 0: ann; Player 1: bob; Player 2: cid", "Set-up"]
    turns = [line for line in lines if line.startswith("Turn ")]
    assert [line.split(":")[0] for line in turns] == [
        f"Turn {number}" for number in range(1, int(states["turn"][0]) + 1)
    ]
    assert all(line.startswith("  ") and line.endswith(".") for line in lines[2:] if line not in turns)
    assert lines[-1].strip() in {"The last round is over.", f"Player {states['winner'][0]} wins the game."}
    assert not any("draws a card" in line for line in lines)


def test_forfeit_is_narrated():
    game, record, _ = recorded(2, forfeits_at=20)
    lines = [line.strip() for line in narrate(game, record)]
    place = next(place for place, line in enumerate(lines) if line.endswith(" forfeits."))
    assert lines[place + 1] == lines[place].replace("forfeits", "is out of the game")


@pytest.mark.parametrize("viewer", [0, 1, None])
def test_game_from_a_scenario_is_narrated(viewer):
    game = make_game(scenario="v03_five_to_one")
    states = game.new_states(1)
    game.start(states, 1)
    record = make_record(game, 1, [])
    assert next(iter(narrate(game, record))) == "From a scenario"
    assert log_lines(game, None, 0, states, [viewer]) == [()]
