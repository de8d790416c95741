"""Positions at the bounds of what scenarios may hold: one step further is refused, and play from them is not."""

from __future__ import annotations

from typing import Any, NamedTuple

Document = dict[str, Any]
WIDE = [{"number": number, "owner": number // 11, "units": {"troop": 2}} for number in range(1, 21)]
NEAR = [{"number": 6, "owner": 0, "units": {"troop": 2}}, {"number": 11, "owner": 1, "units": {"troop": 3}}]
FULL = [{"number": 6, "owner": 0, "units": {"troop": 29}}, {"number": 11, "owner": 1, "units": {"troop": 4}}]
HAND = ["Vanguard"] * 6 + ["Champion"] * 4 + ["Banner"] * 4 + ["Mutiny"] * 3 + ["Levy"] * 4 + ["March"] * 3
LAST_TURN = 30_000 - 2 * 40 + 1  # of the first player, with all rounds still to come


def turn(**changes: Any) -> Document:
    """Return a position of a turn on the standard map."""
    return {"game": "territories", "turn": 5, "territory": WIDE} | changes


def hand(count: int, **changes: Any) -> Document:
    """Return a turn in which player 0 holds some cards."""
    return turn(player=[{"hand": HAND[:count]}, {}], **changes)


def other_hand(count: int) -> Document:
    """Return a turn in which player 1 holds some cards."""
    return turn(player=[{}, {"hand": HAND[:count]}])


def battle(stage: str, skirmishes: list[Document], **changes: Any) -> Document:
    """Return an attack on the small map in which each side has three heroes on the board."""
    heroes = {"units": {"hero": 3}}
    attack = {"source": 6, "target": 11, "stage": stage, "attacker": heroes, "defender": heroes} | changes
    attack["skirmish"] = [{"attacker": [6], "defender": [5]} | each for each in skirmishes]
    return turn(map="small", step="attack", territory=NEAR, attack=attack)


def with_card(name: str, played: int, side: str, points: int) -> Document:
    """Return an attack in which a played card waits for its skirmish, in which a side has points by cards already."""
    cards = {"units": {"hero": 3}, "cards": [name] * played}
    return battle("attack_cards", [{f"{side}_cards": points}, {}], card=name, attacker=cards)


class Bound(NamedTuple):
    """A bound of scenarios.

    Attributes:
        at: a position at the bound.
        beyond: the same beyond the bound.
        message: part of the refusal.
    """

    at: Document
    beyond: Document
    message: str


DIE = {"attacker": [6] * 19, "defender": [5]}
BOUNDS = {
    "hand before two draws": Bound(hand(22), hand(23), "player[0].hand has 23 cards, but at most 22 fit"),
    "hand before a draw": Bound(hand(23, actions_left=1), hand(24, actions_left=1), "has 24 cards, but at most 23 fit"),
    "hand after step 1": Bound(
        hand(24, step="attack"),
        turn(player=[{"hand": [*HAND, "Truce"]}, {}], step="attack"),
        "player[0].hand has 25 cards, but at most 24 fit",
    ),
    "hand at the end": Bound(hand(22, step="end"), hand(23, step="end"), "has 23 cards, but at most 22 fit"),
    "hand of another": Bound(other_hand(22), other_hand(23), "player[1].hand has 23 cards, but at most 22 fit"),
    "card that adds": Bound(
        with_card("Vanguard", 2, "attacker", 2),
        with_card("Vanguard", 1, "attacker", 2),
        "attacker_cards is 2, but the cards played allow 0 to 0",
    ),
    "card that subtracts": Bound(
        with_card("Ambush", 2, "defender", -2),
        with_card("Ambush", 1, "defender", -2),
        "defender_cards is -2, but the cards played allow 0 to 0",
    ),
    "card that adds a die": Bound(
        battle("attack_cards", [DIE, {}], card="Reserves", attacker={"units": {"hero": 3}, "cards": ["Reserves"]}),
        battle(
            "attack_cards",
            [DIE | {"attacker": [6] * 20}, {}],
            card="Reserves",
            attacker={"units": {"hero": 3}, "cards": ["Reserves"]},
        ),
        "attacker.dice: there are 21 dice with those in skirmishes, but at most 20 are allowed",
    ),
    "counters of the attacker": Bound(
        battle("attack_counters", [{"attacker_counters": 22}, {}]),
        battle("attack_counters", [{"attacker_counters": 22}, {"attacker_counters": 1}]),
        "attacker.counters and those in skirmishes add up to 32, but a player's units bring only 31",
    ),
    "counters of the defender": Bound(
        battle("defense_counters", [{"defender_counters": 22}, {}]),
        battle("defense_counters", [{"defender_counters": 23}, {}]),
        "defender.counters and those in skirmishes add up to 32, but a player's units bring only 31",
    ),
    "free moves": Bound(
        hand(24, step="move", free_moves=7),
        hand(24, step="move", free_moves=8),
        "free_moves is 8, but must be at most 7, since cards may allow 3 more",
    ),
    "free moves before draws": Bound(
        turn(free_moves=8), turn(free_moves=9), "free_moves is 9, but must be at most 8, since cards may allow 2 more"
    ),
    "turn": Bound(
        turn(turn=LAST_TURN),
        turn(turn=LAST_TURN + 1),
        f"turn is {LAST_TURN + 1}, but must be at most {LAST_TURN}, since the game may reach 79 more",
    ),
    "turn of the second player": Bound(
        turn(turn=30_000, active=1, rounds=39, step="end"),
        turn(turn=30_000, active=0, rounds=39, step="end"),
        "turn is 30000, but must be at most 29999, since the game may reach 1 more",
    ),
    "cycle": Bound(
        turn(cycle=29_840, deck={}),
        turn(cycle=29_841, deck={}),
        "cycle is 29841, but must be at most 29840, since the game may reach 160 more",
    ),
    "troops to place": Bound(
        turn(map="small", territory=FULL, reinforcement={"left": 3, "territory": 6}),
        turn(
            map="small",
            territory=[FULL[0] | {"units": {"troop": 30}}, FULL[1]],
            reinforcement={"left": 3, "territory": 6},
        ),
        "reinforcement.territory is 6, but player 0 has no troops in the garrison",
    ),
    "card of an older deck": Bound(
        turn(cycle=2, player=[{"hand": ["Levy", "Truce"], "cycles": [1, 2], "taken": {"Levy": 1, "Truce": 2}}, {}]),
        turn(cycle=2, player=[{"hand": ["Levy", "Truce"], "cycles": [1, 2], "taken": {"Levy": 2}}, {}]),
        "player[0].taken.Levy is 2, but the hand has an older one, of the cycle 1, which would have been taken first",
    ),
    "deck that a card was taken from": Bound(
        turn(cycle=2, player=[{}, {"taken": {"Levy": 2}}]),
        turn(cycle=2, player=[{}, {"taken": {"Levy": 3}}]),
        "player[1].taken.Levy is 3, but the current cycle is 2",
    ),
    "winner": Bound(
        turn(winner=1, player=[{"alive": False}, {}], territory=WIDE[10:]),
        turn(winner=1, player=[{}, {"alive": False}], territory=WIDE[:10]),
        "winner is 1, but this player is out of the game",
    ),
}
