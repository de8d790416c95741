"""Odds of an attack before it is announced, from what its General knows."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.messages import counted
from sackarmies_env.games.sack_armies.rules.attack import AttackStep, is_led_throughout
from sackarmies_env.games.sack_armies.rules.combat import (
    can_counter,
    defending_armor,
    find_charge,
    is_charge_hex,
    is_counter_progressive,
)
from sackarmies_env.games.sack_armies.rules.damage import attack_rating
from sackarmies_env.games.sack_armies.rules.movement import is_sighted
from sackarmies_env.games.sack_armies.rules.stats import effective_armor, stat_if
from sackarmies_env.games.sack_armies.state.chance import CARDS_OF_A_COLOR, JOKERS
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Face, FlipMethod, Frame, Kind, Stat, Verb, Zone
from sackarmies_env.games.sack_armies.state.transfer import lift_unit, put_unit
from sackarmies_env.games.sack_armies.state.zones import set_face

Odds = dict[str, Any]
RANGED = (Verb.RANGED, Verb.COORD_RANGED)
HALF = 0.5
Cards = tuple[int, int, int]  # red, black, jokers


class Preview:
    """Odds of attacks in one configuration.

    Attributes:
        game: what is played.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._params = game.params[0]

    def single(self, known: Records, verb: int, unit: int, target: int) -> Odds:
        """Return the odds of an attack by one unit, see `spread` for those of a Move and Attack.

        Args:
            known: `(1,)`, from what the General knows.
            verb: MELEE, RANGED or MOVE_ATTACK.
            unit: row of the attacker.
            target: row of a unit of another General; if it is face down, its armor is unknown.
        """
        state = self._declared(known, verb, [unit], target)
        if verb != Verb.MOVE_ATTACK:
            return self._in_place(state, verb, unit, target)
        viewer = int(known["current_player"][0])
        return spread([self._in_place(each, verb, unit, target) for each in self._charges(state, viewer)])

    def charge_to(self, known: Records, cell: int) -> Odds:
        """Return the odds of the announced Move and Attack, for its General, if made from a given hex."""
        state = self._moved(known, cell, int(known["current_player"][0]))
        unit, target = int(state["attack_unit"][0]), int(state["attack_target"][0])
        return self._in_place(state, Verb.MOVE_ATTACK, unit, target)

    def _in_place(self, state: Records, verb: int, unit: int, target: int) -> Odds:
        """Return the odds of an attack from where its unit stands; arguments as in `single`."""
        damage = self._damage(state, unit)
        progressive = verb not in RANGED
        odds = self._odds(state, damage, self._armor(state, target), progressive)
        if self._is_up(state, target) and (verb == Verb.MOVE_ATTACK or self._can_counter(state, target, unit, verb)):
            odds["counter"] = self._counter(state, target, unit, verb)
        return odds

    def together(self, known: Records, verb: int, units: list[int], target: int) -> Odds:
        """Return the odds of a coordinated attack, its check included; arguments as in `single`."""
        state = self._declared(known, verb, units, target)
        damage = sum(self._damage(state, unit) for unit in units)
        is_checked = not is_led_throughout(self._params, state[0])
        return self._odds(state, damage, self._armor(state, target), verb not in RANGED, is_checked)

    def warm_up(self, states: Records) -> None:
        """Compile the kernels that only a Move and Attack needs."""
        state = states.copy()
        is_unit = self._params["type_kind"][state["token_type"][0]] == Kind.UNIT
        units = np.flatnonzero(is_unit & (state["token_owner"][0] == 0) & (state["token_zone"][0] == Zone.SACK))
        if len(units) < 2:
            return
        for cell, unit in enumerate(units[:2]):
            put_unit(self._params, state[0], unit, np.int64(cell))
        state["attack_unit"] = state["attack_target"] = units[0]
        self._charges(state, 0)
        self._moved(state, 2, 0)

    def flip(self, known: Records, what: str) -> Odds:
        """Return the odds of something that one flip decides."""
        chance = self._chance(known, 1)
        return {"heads": 1, "chance": chance, "text": f"One head {what}{percent(chance)}."}

    def _declared(self, known: Records, verb: int, units: list[int], target: int) -> Records:
        """Return the state as if an attack were under way; armor depends on who attacks from where."""
        state = known.copy()
        state["attack_verb"], state["attack_target"] = verb, target
        state["attack_unit"] = units[0] if len(units) == 1 else NO_TOKEN
        state["token_member"] = 0
        if len(units) > 1:
            state["token_member"][0, units] = 1
        return state

    def _charges(self, state: Records, viewer: int) -> list[Records]:
        """Return the states after a Move and Attack has moved, one for each hex that it may attack from."""
        state = state.copy()
        unit, target = np.int64(state["attack_unit"][0]), np.int64(state["attack_target"][0])
        find_charge(self._params, state[0], unit)
        neighbors = self._params["neighbors"][int(state["token_hex"][0, target])]
        cells = [cell for cell in map(np.int64, neighbors) if cell != NO_HEX]
        near = [cell for cell in cells if is_charge_hex(self._params, state[0], target, cell)]
        return [self._moved(state, int(cell), viewer) for cell in near]

    def _moved(self, state: Records, cell: int, viewer: int) -> Records:
        """Return the state after a Move and Attack has moved to a hex.

        What sight reveals there is turned up only if it belongs to `viewer`: nothing is known of other Generals' hidden
        units.
        """
        moved, unit = state.copy(), np.int64(state["attack_unit"][0])
        lift_unit(self._params, moved[0], unit)
        put_unit(self._params, moved[0], unit, np.int64(cell))
        set_face(self._params, moved[0], unit, np.int64(Face.UP))
        is_own = (moved["token_owner"][0] == viewer) & (moved["token_zone"][0] == Zone.BATTLEGROUND)
        for row in np.flatnonzero(is_own & (moved["token_face"][0] != Face.UP)):
            if is_sighted(self._params, moved[0], row):
                set_face(self._params, moved[0], row, np.int64(Face.UP))
        return moved

    def _is_up(self, state: Records, unit: int) -> bool:
        return int(state["token_face"][0, unit]) == Face.UP

    def _damage(self, state: Records, unit: int) -> int:
        """Return the damage of one's own unit, which an attack turns up."""
        return max(0, int(stat_if(self._params, state[0], np.int64(unit), np.int64(Stat.DAMAGE), True)))

    def _armor(self, state: Records, target: int) -> int | None:
        if not self._is_up(state, target):
            return None
        return int(defending_armor(self._params, state[0], np.int64(target)))

    def _can_counter(self, state: Records, target: int, unit: int, verb: int) -> bool:
        return bool(can_counter(self._params, state[0], np.int64(target), np.int64(unit), verb in RANGED))

    def _counter(self, state: Records, target: int, unit: int, verb: int) -> Odds:
        """Return the odds that the counter-attack kills the attacker."""
        armor = int(stat_if(self._params, state[0], np.int64(unit), np.int64(Stat.ARMOR), True))
        progressive = bool(is_counter_progressive(self._params, state[0], np.int64(target), verb in RANGED))
        return self._odds(state, self._damage(state, target), armor, progressive)

    def _odds(
        self, state: Records, damage: int, armor: int | None, progressive: bool, is_checked: bool = False
    ) -> Odds:
        """Return how many heads kill, and the chance of that; None where it cannot be known.

        Args:
            state: `(1,)`, with the cards that are left.
            damage: of one head.
            armor: None if it is unknown.
            progressive: whether flips go on until the first tail.
            is_checked: whether a coordination check comes first, which takes a head of its own.
        """
        first = "A flip decides first whether they can act together. " if is_checked else ""
        if armor is None:
            reached = f"one head does {damage}" + (f", two do {2 * damage}" if progressive else "")
            return {
                "damage": damage,
                "armor": None,
                "heads": None,
                "chance": None,
                "text": f"{first}Unknown armor: {reached}.",
            }
        heads = heads_needed(damage, armor, progressive, int(self._params["max_progressive"]))
        odds: Odds = {"damage": damage, "armor": armor, "heads": heads}
        if heads is None:
            return odds | {"chance": 0.0, "text": f"{first}Damage {damage} against armor {armor}: it cannot kill."}
        chance = self._chance(state, heads + is_checked)
        row = " in a row" if heads > 1 else ""
        wanted, kills = counted(heads, "head") + row, "kill" if heads > 1 else "kills"
        told = percent(chance, " in all" if is_checked else "")
        return odds | {
            "chance": chance,
            "text": f"{first}Damage {damage} against armor {armor}: {wanted} {kills}{told}.",
        }

    def _chance(self, state: Records, heads: int) -> float | None:
        """Return the chance of `heads` heads in a row; None if all flips are forced."""
        method = int(self._params["flip_method"])
        if method == FlipMethod.SCRIPTED:
            return None
        if method in (FlipMethod.DECK, FlipMethod.DECK_JOKERS):
            names = ("deck_red", "deck_black", "deck_jokers")
            red, black, jokers = (int(state[name][0]) for name in names)
            return reds_in_a_row(heads, (red, black, jokers), JOKERS if method == FlipMethod.DECK_JOKERS else 0)
        return float(HALF**heads)

    def announced(self, known: Records, viewer: int) -> Odds | None:
        """Return the odds of the announced attack, see `spread` for those of a Move and Attack before the move.

        None after its flips, if its target is hidden, or if tokens turned up since have made it impossible.
        """
        step = attack_step(known)
        if step > AttackStep.FLIPS:
            return None
        target = int(known["attack_target"][0])
        if not self._is_up(known, target) and known["token_owner"][0, target] != viewer:
            return None
        is_to_move = known["attack_verb"][0] == Verb.MOVE_ATTACK and step < AttackStep.CHARGED
        states = self._charges(known, viewer) if is_to_move else [known]
        is_checked = step == AttackStep.JUDGE_EARLY and not is_led_throughout(self._params, known[0])
        return spread([self._of_announced(state, is_checked) for state in states]) if states else None

    def _of_announced(self, state: Records, is_checked: bool) -> Odds:
        """Return the odds of the announced attack as the units stand."""
        damage = int(attack_rating(self._params, state[0]))
        armor = int(defending_armor(self._params, state[0], np.int64(state["attack_target"][0])))
        return self._odds(state, damage, armor, int(state["attack_verb"][0]) not in RANGED, is_checked)

    def counter_of(self, known: Records) -> Odds | None:
        """Return the odds of the counter-attack that the player may decide on; None in a coordinated attack."""
        unit, target = int(known["attack_unit"][0]), int(known["attack_target"][0])
        if unit < 0 or target < 0:
            return None
        armor = int(effective_armor(self._params, known[0], np.int64(unit)))
        ranged = int(known["attack_verb"][0]) in RANGED
        progressive = bool(is_counter_progressive(self._params, known[0], np.int64(target), ranged))
        return self._odds(known, self._damage(known, target), armor, progressive)


def spread(odds: Sequence[Odds]) -> Odds:
    """Return the odds of an attack from any of several hexes: the common odds if all agree, else their range.

    Args:
        odds: by hex, one or more.

    Returns:
        What the hexes have in common, and None where they differ; the text then tells the lowest and highest odds.
    """

    def difficulty(each: Odds) -> tuple[float, int, int]:
        return (math.inf if each["heads"] is None else each["heads"], -each["damage"], each["armor"] or 0)

    lowest, highest = max(odds, key=difficulty), min(odds, key=difficulty)
    common = lowest
    if lowest["text"] != highest["text"]:
        keys = ("damage", "armor", "heads", "chance")
        told = [f"{text[0].lower()}{text[1:]}" for text in (lowest["text"], highest["text"])]
        common = {key: lowest[key] if all(each[key] == lowest[key] for each in odds) else None for key in keys}
        common["text"] = f"It depends on the hex of the attacker. Lowest: {told[0]} Highest: {told[1]}"
    counters = [each["counter"] for each in odds if "counter" in each]
    return {**common, "counter": spread(counters)} if counters else common


def attack_step(known: Records) -> int:
    """Return how the attack in progress goes on after the current decision, as an AttackStep."""
    (frames,) = np.nonzero(known["frame_kind"][0] == Frame.ATTACK)
    return int(known["frame_step"][0, frames[-1]])


def heads_needed(damage: int, armor: int, progressive: bool, most: int) -> int | None:
    """Return how many heads in a row kill; None if no number does. Armor of zero or less also takes one head."""
    if damage <= 0:
        return None
    heads = max(1, -(-armor // damage))
    return heads if heads <= (most if progressive else 1) else None


@functools.cache
def reds_in_a_row(count: int, cards: Cards, jokers: int) -> float:
    """Return the chance that the next `count` cards are red; all are shuffled anew after a joker or the last card."""
    if count == 0:
        return 1.0
    fresh = (CARDS_OF_A_COLOR, CARDS_OF_A_COLOR, jokers)
    red, black, left = cards if sum(cards) else fresh
    total = red + black + left
    going_on = red / total * reds_in_a_row(count - 1, (red - 1, black, left), jokers) if red else 0.0
    if (red, black, left) == fresh:
        return going_on / (1 - left / total)  # a joker leads back to where we are
    return going_on + (left / total * reds_in_a_row(count, fresh, jokers) if left else 0.0)


def percent(chance: float | None, more: str = "") -> str:
    """Return a chance for a sentence: ` (25%)`, or with more words in the brackets; "" if it is unknown."""
    if chance is None:
        return ""
    return f" ({int(100 * chance + 0.5)}%{more})" if chance == 0 or chance >= 0.01 else f" (under 1%{more})"
