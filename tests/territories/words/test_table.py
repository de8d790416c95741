"""What people who play Territories are asked: decisions and choices in words, from what they know alone."""

from __future__ import annotations

import random

import numpy as np

from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.play.step import tells_of_cards
from sackarmies_env.games.territories.state.constants import Decision, TurnStep
from sackarmies_training.table.game_table import table_of
from sackarmies_training.territories.table import PARTS
from tests.territories.builders import FAR, attack, table
from tests.territories.fog.twins import dealt_anew
from tests.territories.positions import random_table
from tests.territories.referee.random_play import LIKINGS, choose


def labels(game):
    """Return the choices of the current player, text -> label."""
    legal = legal_ids(game.states["legal"][0])
    return {choice["text"]: choice["label"] for choice in table_of(game.game).choices(game.states, None, legal)}


def notes(game):
    legal = legal_ids(game.states["legal"][0])
    return {choice["text"]: choice.get("note", "") for choice in table_of(game.game).choices(game.states, None, legal)}


def positions(seeds, most=150):
    """Yield game and states at the decisions of random games."""
    for seed in seeds:
        start, rng = random_table(seed), random.Random(seed)
        game, states = start.game, start.states
        liking = rng.choice(list(LIKINGS))
        for _ in range(most):
            if states["current_player"][0] < 0:
                break
            yield game, states
            game.step(game.params, states, np.array([choose(rng, legal_ids(states["legal"][0]), liking)]))


def test_every_decision_and_choice_has_words():
    met = set()
    for game, states in positions(range(25)):
        rules, legal = table_of(game), legal_ids(states["legal"][0])
        met.add(Decision(int(states["decision"][0])))
        assert rules.question(states, legal).startswith("choose ")
        told = [choice["label"] for choice in rules.choices(states, None, legal)]
        assert all(told)
        assert len(set(told)) == len(told)
        assert rules.active(states) == states["active"][0]
    assert len(met) > 28  # the others are below


def test_words_are_the_same_whatever_cards_others_hold():
    chance, compared = np.random.default_rng(1), 0
    for game, states in positions(range(6), 80):
        rules, legal, player = table_of(game), legal_ids(states["legal"][0]), int(states["current_player"][0])
        twin = dealt_anew(game, states, player, chance)
        told = [
            (rules.question(each, legal), rules.about(each, None), rules.choices(each, None, legal))
            for each in (states, twin)
        ]
        assert told[0] == told[1]
        compared += (twin["hand"] != states["hand"]).any()
    assert compared > 100


def test_card_dependent_decisions_are_separate_steps():
    met = set()
    for game, states in positions(range(25)):
        if tells_of_cards(states[0]):
            met.add(Decision(int(states["decision"][0])))
            assert table_of(game).is_public(states)
    assert met == {Decision.STANDARD, Decision.ATTACK_SOURCE, Decision.CARD, Decision.MOVE_SOURCE, Decision.REDUCE}
    assert not met & set(PARTS)


def test_standard_actions_and_territories():
    game = table({6: (0, {"troop": 3}), 2: (1, {"rider": 1}), **FAR}, TurnStep.STANDARD, {0: [7]}, actions_left=1)
    assert labels(game) == {
        "done": "Go on to the exchange",
        "reinforce": "Reinforce",
        "draw": "Draw a card",
        "extra exchange": "Extra exchange",
        "card 7": "Levy",
    }
    assert notes(game)["card 7"] == "Step 1: up to 4 troops into one territory."
    game.force_dice("5").play("reinforce")
    rules = table_of(game.game)
    assert rules.question(game.states, []) == "choose where to reinforce"
    assert rules.about(game.states, None) == "Troops left to place: 5."
    assert notes(game)["territory 6"] == "Height 1, Player 0 (you): 3 troops."
    game.play("territory 6")
    assert labels(game)["quantity 1"] == "1 troop"
    assert labels(game)["all"] == "All"


def test_battle_in_words():
    game = attack({"troop": 3, "rider": 1}, {"troop": 2}, "634553")
    rules = table_of(game.game)
    assert game.asked == "PAIR"
    assert rules.about(game.states, None) == (
        "Attacker Player 0, territory 6: 3 troops, 1 rider, dice 6 5 4 3. "
        "Defender Player 1 (you), territory 1: 2 troops, dice 5 3. The defender's 5 waits for a die."
    )
    assert labels(game) == {"die 3": "A 3", "die 4": "A 4", "die 5": "A 5", "die 6": "A 6"}


def test_end_of_a_choice_says_what_it_means():
    game = table({6: (0, {"troop": 4}), 1: (1, {"troop": 2}), **FAR}, hands={1: [9]}).play("territory 6", "territory 1")
    game.play("quantity 3")
    assert labels(game)["done"] == "Attack with these"
    game.play("done")
    assert labels(game) == {"done": "Defend with nothing", "troop": "Troop", "card 9": "Truce"}
    game.play("troop", "quantity 1")
    assert labels(game) == {"done": "Defend with these", "troop": "Troop"}


def test_extra_unit_of_the_defender_comes_from_the_board_or_the_territory():
    game = attack({"rider": 2}, {"troop": 2}, "63" + "33", reserve={"troop": 3})
    assert notes(game)["skirmish 0"] == "6 (+1) = 7 against 3 (+1) = 4."
    game.play("skirmish 0", "skirmish 0")
    assert notes(game)["skirmish 0"] == "6 (+3) = 9 against 3 (+1) = 4."
    game.play("skirmish 0")
    assert labels(game) == {"from board": "From the battle board", "from territory": "From territory 1"}


def test_units_of_a_rout_and_of_a_penalty():
    game = attack({"troop": 2, "rider": 1}, {"hero": 2}, "333" + "6666", source=1, target=6)
    game.play("skirmish 0", "skirmish 2", "skirmish 1", "skirmish 1", "skirmish 0")
    assert labels(game) == {"troop": "Troop", "rider": "Rider"}
    game = table({6: (0, {"troop": 2}), 7: (0, {"troop": 2}), **FAR}, TurnStep.REDUCE, {0: [12, 12, 1]})
    game.play("card 12")
    assert table_of(game.game).question(game.states, []) == "choose where a troop is lost for the card"
    assert labels(game) == {"territory 6": "Territory 6", "territory 7": "Territory 7"}


def test_cards_are_explained():
    (truce,) = [card for card in table_of(make_game()).glossary() if card["name"] == "Truce"]
    assert truce["text"] == "defender: the attack is called off; discarded it costs 2 troops."
