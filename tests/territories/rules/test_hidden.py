"""What players see of cards: TR-H1 to TR-H3, TR-Q33."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_env.core.step_batch import Command, Outputs, dispatch
from sackarmies_env.games.territories.state.constants import TurnStep
from tests.territories.builders import FAR, TROOPS, attack, table

OWN = {6: (0, {"troop": 4}), 11: (0, TROOPS), **FAR}


def block(game, viewer, name):
    """Return a block of a player's observation."""
    return game.game.observation_spec.view(game.observation(viewer)[None], name)[0]


def column(game, block_name, feature):
    return game.game.observation_spec.block(block_name).column(feature)


def test_tr_h1_map_board_and_numbers_of_cards_are_seen_by_all():
    game = attack({"rider": 2}, {"troop": 2}, "65" + "54", hands={0: [1, 2], 1: [3]})
    assert game.asked == "PAIR"
    for name in ("sides", "skirmishes"):
        assert np.array_equal(block(game, 0, name), block(game, 1, name))
    units = slice(1, 5)
    assert np.array_equal(block(game, 0, "territories")[:, units], block(game, 1, "territories")[:, units])
    cards = column(game, "players", "cards")
    assert [block(game, viewer, "players")[:, cards].tolist() for viewer in (0, 1)] == [[2, 1], [1, 2]]


def test_tr_h1_observation_leaves_nothing_of_an_earlier_one():
    game = attack({"rider": 2}, {"troop": 2}, "65" + "54")
    stale, slots = np.full((1, game.game.observation_spec.size), 99, np.int8), game.game.new_slots(1)
    slots["observing_seat"] = 0
    outputs = Outputs(observations=stale)
    dispatch(game.game.step_batch, game.game.params, game.states, Command.READ, outputs=outputs, slots=slots)
    assert np.array_equal(stale[0], game.observation(0))


def test_tr_ev13_counters_that_have_been_assigned_are_seen_by_all():
    game = attack({"rider": 2}, {"troop": 2}, "65" + "43").play("die 3", "skirmish 1")
    place = column(game, "skirmishes", "attacker_counters")
    for viewer in (0, 1):
        assert block(game, viewer, "skirmishes")[:2, place].tolist() == [0, 1]


def test_tr_h1_resolved_skirmishes_are_seen_by_all():
    game = attack({"troop": 3}, {"troop": 3}, "543" + "666").play("skirmish 1")
    place = column(game, "skirmishes", "resolved")
    for viewer in (0, 1):
        assert block(game, viewer, "skirmishes")[:3, place].tolist() == [0, 1, 0]


def test_tr_h2_kinds_in_hand_are_seen_by_their_owner_alone():
    game = table(OWN, hands={1: [1, 2]})
    seen = [game.observation(viewer) for viewer in (0, 1)]
    deck = game.deck.copy()
    deck[[0, 4]] += [1, -1]
    hand = game.hand.copy()
    hand[1, 0] = 4
    game.resume(hand=hand, deck=deck)
    assert np.array_equal(game.observation(0), seen[0])
    assert not np.array_equal(game.observation(1), seen[1])


def test_tr_h2_guesses_deal_the_cards_of_others_anew_and_keep_the_own_ones():
    game = table(OWN, hands={0: [1, 2], 1: [3, 4]})
    hands = set()
    for seed in range(20):
        world = game.game.clone(game.states)
        game.game.determinize(game.game.params, world, [0], [seed])
        assert world["hand"][0, 0].tolist() == game.hand[0].tolist()
        hands.add(tuple(world["hand"][0, 1, :2].tolist()))
    assert len(hands) > 5


@pytest.mark.parametrize("kinds", [[5, 6], [1, 12]])
def test_tr_h3_guesses_deal_the_cards_of_an_older_deck_among_its_slots_alone(kinds):
    cycles = np.zeros_like(table(OWN).hand_cycle)
    cycles[1:3, 1] = 1  # the second cards are from the current deck
    hands = {1: [kinds[0], 2], 2: [kinds[1], 3]}
    game = table({**OWN, 15: (2, TROOPS)}, hands=hands, num_players=3, fields={"cycle": 1, "hand_cycle": cycles})
    old, new = set(), set()
    for seed in range(30):
        world = game.game.clone(game.states)
        game.game.determinize(game.game.params, world, [0], [seed])
        hand = world["hand"][0]
        old.add((int(hand[1, 0]) + 1, int(hand[2, 0]) + 1))
        new.add((int(hand[1, 1]) + 1, int(hand[2, 1]) + 1))
        dealt = np.bincount(hand[1:3, :2].ravel(), minlength=12)
        assert (world["deck"][0] + dealt).tolist() == game.game.params["card_copies"][0].tolist()
    assert old == {tuple(kinds), tuple(kinds[::-1])}
    assert len(new) > 10


def test_tr_h3_oldest_of_several_equal_cards_goes():
    cycles = np.zeros_like(table(OWN).hand_cycle)
    cycles[0, :3] = [0, 1, 2]
    game = table({1: (0, TROOPS), 2: (0, TROOPS), **FAR}, TurnStep.REDUCE, {0: [5, 1, 5]}, fields={"cycle": 2})
    game.resume(hand_cycle=cycles, decision=game.decision).play("card 5")
    assert (game.cards(0), game.hand_cycle[0, :3].tolist()) == ([1, 5], [1, 2, 0])


def test_tr_h3_cycle_of_the_latest_card_taken_of_a_kind_is_noted():
    cycles = np.zeros_like(table(OWN).hand_cycle)
    cycles[0, :3] = [0, 1, 2]
    game = table({1: (0, TROOPS), **FAR}, TurnStep.REDUCE, {0: [1, 5, 5]}, fields={"cycle": 2})
    game.resume(hand_cycle=cycles, decision=game.decision).play("card 5")
    assert (game.taken_cycle[0, 4], game.taken_cycle.sum()) == (1, 1)
    assert game.play("card 5").taken_cycle[0, 4] == 2


def test_tr_h3_card_is_marked_with_the_deck_that_it_was_drawn_from():
    game = table({1: (0, TROOPS), **FAR}, TurnStep.STANDARD, {0: [5]}, actions_left=2)
    game.states["deck"], game.states["deck_count"], game.states["cycle"] = 0, 1, 2
    game.states["deck"][0, 2], game.states["discards"][0, 3] = 1, 1
    game.play("draw", "draw")  # the last card of the deck, and the first of the next one
    assert (game.cards(0), game.hand_cycle[0, :3].tolist()) == ([5, 3, 4], [0, 2, 3])


def test_tr_h3_cards_of_the_present_deck_are_told_from_older_ones():
    cycles = np.zeros_like(table(OWN).hand_cycle)
    cycles[1, 1] = 1
    game = table(OWN, hands={1: [5, 6]}, fields={"cycle": 1, "hand_cycle": cycles})
    assert block(game, 0, "players")[1, column(game, "players", "new_cards")] == 1
    old = block(game, 0, "cards")[:, column(game, "cards", "unseen_old")]
    assert (old[4], old.sum()) == (1, 1)


@pytest.mark.parametrize("kind", [1, 7, 8, 10])
def test_tr_q33_who_is_asked_does_not_depend_on_the_kinds_in_hand(kind):
    fields = {"barred": 1, "victories": 1, "attacks": 1}
    asked = [
        table(OWN, TurnStep.STANDARD, {0: [kind]}).asked,
        table(OWN, TurnStep.ATTACK, {0: [kind]}, fields=fields).asked,
        table({1: (0, TROOPS), **FAR}, TurnStep.MOVE, {0: [kind]}).asked,
        attack({"troop": 1}, {"troop": 1}, "5" + "4", hands={0: [kind]}).asked,
        table({1: (0, TROOPS), **FAR}, TurnStep.REDUCE, {0: [kind, kind]}).asked,
    ]
    assert asked == ["STANDARD", "ATTACK_SOURCE", "MOVE_SOURCE", "CARD", "REDUCE"]


def test_tr_q33_without_cards_in_hand_nobody_is_asked_for_one():
    fields = {"barred": 1, "victories": 1, "attacks": 1}
    asked = [
        table(OWN, TurnStep.STANDARD).asked,
        table(OWN, TurnStep.ATTACK, fields=fields).asked,
        table({1: (0, TROOPS), **FAR}, TurnStep.MOVE).active,
        attack({"troop": 2}, {"troop": 2}, "54" + "44").asked,
    ]
    assert asked == ["TRADE_IN", "MOVE_SOURCE", 1, "ORDER"]


def test_tr_dp19_penalty_is_observed():
    own = {number: (0, TROOPS) for number in (1, 2, 3, 4)}
    game = table({**own, **FAR}, TurnStep.REDUCE, {0: [1, 2, 3, 5, 12]}).play("card 12", "territory 1")
    seen = game.game.observation_spec.view(game.observation(1), "globals")[0]
    names = [feature.name for feature in game.game.observation_spec.blocks[0].features]
    assert dict(zip(names, seen.tolist(), strict=True))["number_3"] == 2
