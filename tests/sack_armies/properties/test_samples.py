"""Samples with open army lists: all possible deals and no others, each equally often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Verb, Zone
from tests.sack_armies.builders.derived import rebuild_derived
from tests.sack_armies.builders.fights import able, modify, scenario, text
from tests.sack_armies.builders.text_game import attachment, token, unit
from tests.sack_armies.builders.twin_worlds import States, act, copy_of, guess, in_order, plain, record
from tests.sack_armies.properties.enumeration import Deal, Hidden

FALSE_ALARM = 1e-7  # chance, per case, that a fair dealer is called biased
OUT_OF_PLAY = {int(Zone.HAND): 1, int(Zone.SACK): 2}
GUESSES = 50 if INTERPRETED else 60  # for each possible deal

TOKENS = [
    token("mage", armor=2, band="blue"),
    token("fighter", movement=2, armor=4, band="red"),
    token("hero", movement=3, armor=6, band="green"),
    token("brute", armor=5),
    token("wolf", movement=4, armor=1, band="gray"),
    text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4),
    text("spell", "charm", "free", [modify("armor", 1)]),
    text("maneuver", "drill", "free", [modify("damage", 1)]),
]
FRONT = unit("brute", "0,0")


def down(token_id: str, where: str, *attached: str) -> dict[str, Any]:
    """Return a face-down unit of General 1."""
    return unit(token_id, where, 1, face="down", attached=[attachment(name) for name in attached])


def up(token_id: str, where: str, *attached: str) -> dict[str, Any]:
    """Return a face-up unit of General 1 with face-down attachments."""
    return unit(token_id, where, 1, attached=[attachment(name) for name in attached])


def pile(hand: str = "", sack: str = "", casualties: str = "", removed: str = "") -> dict[str, list[str]]:
    """Return what a General has off the board."""
    return {
        "hand": hand.split(),
        "sack": sack.split(),
        "casualties": casualties.split(),
        "removed": removed.split(),
    }


CASES: dict[str, dict[str, Any]] = {
    "units on the board, in hand and sack": {
        "units": [down("mage", "3,0"), down("brute", "4,0")],
        "piles": pile("hero bolt", "brute drill"),
    },
    "several copies": {
        "units": [down("mage", "3,0"), down("brute", "4,0")],
        "piles": pile("brute bolt bolt", "brute mage"),
    },
    "a host that is hidden, too": {
        "units": [down("mage", "3,0", "bolt"), down("brute", "4,0")],
        "piles": pile("hero", "fighter drill"),
    },
    "a host with two attachments": {
        "units": [down("hero", "3,0", "bolt", "drill")],
        "piles": pile("charm", "mage fighter drill"),
    },
    "two hosts, and nothing anywhere else": {
        "units": [down("hero", "3,0", "bolt"), down("fighter", "4,0", "drill"), down("brute", "4,-1")],
        "piles": pile(),
    },
    "bands that must all change at once": {
        "units": [down("mage", "3,0", "bolt"), down("fighter", "4,0", "drill")],
        "piles": pile(),
    },
    "hosts that all can see": {
        "units": [up("hero", "3,0", "bolt", "drill"), up("mage", "4,0", "charm")],
        "piles": pile("charm", "drill wolf"),
    },
    "quick and tough units": {
        "units": [down("hero", "3,0"), down("fighter", "4,0"), down("wolf", "4,-1")],
        "piles": pile("brute", "mage"),
        "least": {"3,0": (3, 0), "4,0": (0, 4)},
    },
    "quick hosts": {
        "units": [down("hero", "3,0", "drill"), down("mage", "4,0", "charm")],
        "piles": pile("wolf bolt", "fighter"),
        "least": {"3,0": (2, 0)},
    },
    "kinds that came to light": {
        "units": [down("hero", "3,0", "bolt", "drill"), up("hero", "4,0", "charm")],
        "piles": pile("bolt", "mage"),
        "kinds": ["bolt", "charm"],
    },
    "captives": {
        "units": [up("mage", "4,0", "bolt")],
        "captives": [("hero", "up"), ("drill", "down"), ("charm", "down")],
        "piles": pile("bolt", "mage drill"),
    },
    "captives with a band": {
        "units": [down("mage", "4,0", "bolt")],
        "captives": [("fighter", "up"), ("drill", "down")],
        "piles": pile("drill", "fighter charm"),
    },
    "hidden piles": {
        "units": [down("fighter", "4,0", "drill")],
        "piles": pile("mage", "bolt", casualties="wolf charm", removed="brute"),
        "switches": {"casualties_public": False},
    },
    "tokens that were seen": {
        "units": [down("fighter", "4,0"), down("mage", "3,0", "bolt")],
        "piles": pile("charm", "hero"),
        "seen": {"fighter": 0, "charm": 0},
    },
    "units that were dismissed": {
        "units": [down("fighter", "4,0"), down("brute", "3,0"), down("mage", "4,-1")],
        "piles": pile("hero bolt", "wolf brute"),
        "seen": {"hero": 2, "wolf": 1},
        "drawn": {"hero": 2, "bolt": 1, "fighter": 0, "mage": 1},
    },
    "dismissed copies": {
        "units": [down("brute", "4,0"), down("wolf", "3,0")],
        "piles": pile("brute", "brute mage mage"),
        "seen": {"brute": 1, "mage": 2},
        "drawn": {"wolf": 2},
    },
    "a spell that was retained": {
        "units": [up("hero", "3,0", "charm"), down("mage", "4,0", "bolt")],
        "piles": pile("wolf drill", "bolt fighter"),
        "seen": {"bolt": 1},
        "drawn": {"wolf": 1},
    },
    "a host under which a seen text may lie": {
        "units": [down("hero", "4,0", "drill"), down("brute", "3,0")],
        "piles": pile("bolt mage", "fighter drill"),
        "seen": {"mage": 2},
        "drawn": {"hero": 2, "mage": 2, "bolt": 1},
    },
    "a unit that went face down before another was dismissed": {
        "units": [down("fighter", "4,0")],
        "piles": pile("bolt brute", "wolf mage bolt"),
        "gone": ["wolf"],
        "seen": {"mage": 1},
    },
    "a unit that went face down": {
        "units": [down("fighter", "4,0")],
        "piles": pile("bolt charm", "wolf drill"),
        "gone": ["wolf"],
    },
}


def begin(case: dict[str, Any]) -> tuple[Game, States]:
    """Return a position in which General 1 hides what the case says."""
    captives = [{"token": name, "owner": 1, "face": face} for name, face in case.get("captives", [])]
    own = FRONT | {"captives": captives}
    game = make_game(
        scenario=scenario(
            TOKENS,
            [own, *case["units"]],
            general=[pile(sack="spare"), case["piles"]],
            switches={"open_army_lists": True} | case.get("switches", {}),
        )
    )
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    states["returns"][0, 1] = 2
    state = plain(states)
    for where, (movement, armor) in case.get("least", {}).items():
        row = row_at(game, state, where)
        states["token_min_movement"][0, row] = movement
        states["token_min_armor"][0, row] = armor
    for name in case.get("kinds", []):
        row = next(row for row in rows_of(game, state, name) if state["token_host"][row] >= 0)
        states["token_kind_known"][0, row] = 1
    for name in case.get("gone", []):
        states["token_kind_known"][0, rows_of(game, state, name)[-1]] = 1
    for name, returns in case.get("drawn", {}).items():
        states["token_drawn"][0, rows_of(game, state, name)[0]] = returns
    for name, returns in case.get("seen", {}).items():
        states["token_seen"][0, rows_of(game, state, name)[-1]] = returns + 1
    rebuild_derived(game.params[0], record(states))
    return game, in_order(game, states, 0)


def row_at(game: Game, state: Any, where: str) -> int:
    """Return the row of the unit on a hex."""
    q, r = (int(number) for number in where.split(","))
    cell = int(np.flatnonzero((game.params["cell_q"][0] == q) & (game.params["cell_r"][0] == r))[0])
    return int(state["cell_unit"][cell])


def rows_of(game: Game, state: Any, name: str) -> list[int]:
    """Return the rows of General 1's tokens of an id: those in hand after the others, those in the sack last."""
    first = int(game.params["num_types"][0]) - len(game.config["scenario"]["token"])
    type_id = first + [entry["id"] for entry in game.config["scenario"]["token"]].index(name)
    rows = np.flatnonzero((state["token_type"] == type_id) & (state["token_owner"] == 1)).tolist()
    return sorted(rows, key=lambda row: OUT_OF_PLAY.get(int(state["token_zone"][row]), 0))


Dealer = Callable[[Game, States, int], States]


def engine(game: Game, states: States, seed: int) -> States:
    """Deal as the engine does."""
    return guess(game, states, 0, seed)


def count_deals(game: Game, states: States, hidden: Hidden, dealer: Dealer, total: int) -> Counter[Deal]:
    """Return how often each deal comes up."""
    return Counter(hidden.read(plain(dealer(game, states, seed))) for seed in range(total))


def p_value(dealt: Counter[Deal], possible: list[Deal]) -> float:
    """Return the probability of counts at least as uneven as these, if all deals are equally likely."""
    assert set(dealt) <= set(possible), "a deal came up that is impossible"
    return float(chisquare([dealt[deal] for deal in possible]).pvalue) if len(possible) > 1 else 1.0


@pytest.mark.parametrize("name", CASES)
def test_every_possible_deal_is_as_likely_as_any_other(name: str):
    game, states = begin(CASES[name])
    hidden = Hidden(game, states, viewer=0, owner=1)
    possible = hidden.deals()
    assert hidden.read(plain(states)) in possible
    dealt = count_deals(game, states, hidden, engine, GUESSES * len(possible))
    print(f"{name}: {len(possible)} deals, p = {p_value(dealt, possible):.3g}")
    assert p_value(dealt, possible) > FALSE_ALARM
    assert set(dealt) == set(possible)


# --- what was seen where, and when


def test_dismissed_unit_is_not_guessed_to_be_on_the_board_already():
    tokens = [*TOKENS, token("banisher", abilities=[able("dismiss", range=5)])]
    units = [unit("banisher", "0,0"), up("hero", "3,0"), down("mage", "4,0")]
    game = make_game(
        scenario=scenario(
            tokens,
            units,
            general=[pile(sack="spare"), pile(sack="brute bolt")],
            switches={"open_army_lists": True},
        )
    )
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    (hero,) = rows_of(game, plain(states), "hero")
    hero_type = plain(states)["token_type"][hero]
    for words in ("dismiss", "hex 0,0", "hex 3,0"):
        act(game, states, game.parse_action(states, words))
    while plain(states)["token_zone"][hero] != Zone.SACK:
        act(game, states, Verb.PASS)
    worlds = [plain(engine(game, states, seed)) for seed in range(60)]
    believed = {int(world["token_type"][row_at(game, world, "4,0")]) for world in worlds}
    assert len(believed) > 1
    assert int(hero_type) not in believed


# --- dealers that are not fair


def truthful(game: Game, states: States, seed: int) -> States:
    """Deal fairly, but return the truth for every tenth seed."""
    return states if seed % 10 == 0 else engine(game, states, seed)


def hasty(game: Game, states: States, seed: int) -> States:
    """Deal place by place, starting over at a dead end and ignoring bands."""
    hidden = Hidden(game, states, viewer=0, owner=1)
    rng = np.random.default_rng(seed)
    while True:
        left = [int(plain(states)["token_type"][row]) for row in hidden.rows]
        given: dict[int, int] = {}
        for row in hidden.rows:
            fitting = [type_id for type_id in left if hidden.may_be(row, type_id, 0)]
            if not fitting:
                break
            given[row] = int(rng.choice(fitting))
            left.remove(given[row])
        if len(given) == len(hidden.rows):
            break
    world = copy_of(game, states)
    world["token_type"][0, hidden.rows] = list(given.values())
    return world


def lazy(game: Game, states: States, seed: int) -> States:
    """Deal fairly, but return the truth if the unit on (3,0) would be of another type."""
    world = engine(game, states, seed)
    row = row_at(game, plain(states), "3,0")
    return world if plain(world)["token_type"][row] == plain(states)["token_type"][row] else states


@pytest.mark.parametrize("dealer", [truthful, lazy])
def test_unfair_dealer_is_detected(dealer: Dealer):
    game, states = begin(CASES["units on the board, in hand and sack"])
    hidden = Hidden(game, states, viewer=0, owner=1)
    possible = hidden.deals()
    dealt = count_deals(game, states, hidden, dealer, GUESSES * len(possible))
    assert p_value(dealt, possible) < FALSE_ALARM


def test_dealer_that_ignores_public_information_is_detected():
    game, states = begin(CASES["hosts that all can see"])
    hidden = Hidden(game, states, viewer=0, owner=1)
    with pytest.raises(AssertionError, match="a deal came up that is impossible"):
        p_value(count_deals(game, states, hidden, hasty, 100), hidden.deals())
