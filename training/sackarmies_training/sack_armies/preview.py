"""Odds of an attack before it is announced, from what its General knows."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.messages import counted
from sackarmies_env.games.sack_armies.rules.attack import AttackStep, is_led_throughout
from sackarmies_env.games.sack_armies.rules.combat import can_counter, defending_armor, is_counter_progressive
from sackarmies_env.games.sack_armies.rules.damage import attack_rating
from sackarmies_env.games.sack_armies.rules.stats import effective_armor, stat_if
from sackarmies_env.games.sack_armies.state.chance import CARDS_OF_A_COLOR, JOKERS
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Face, FlipMethod, Frame, Stat, Verb

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
        """Return the odds of an attack by one unit.

        Args:
            known: `(1,)`, from what the General knows.
            verb: MELEE, RANGED or MOVE_ATTACK.
            unit: row of the attacker.
            target: row of a unit of another General; if it is face down, its armor is unknown.
        """
        state = self._declared(known, verb, [unit], target)
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

    def _is_up(self, state: Records, unit: int) -> bool:
        return int(state["token_face"][0, unit]) == Face.UP

    def _damage(self, state: Records, unit: int) -> int:
        """Return the damage of an own unit, which an attack turns up."""
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
            progressive: whether heads are flipped for until the first tail.
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
        """Return the chance of so many heads in a row; None where all flips are forced."""
        method = int(self._params["flip_method"])
        if method == FlipMethod.SCRIPTED:
            return None
        if method in (FlipMethod.DECK, FlipMethod.DECK_JOKERS):
            names = ("deck_red", "deck_black", "deck_jokers")
            red, black, jokers = (int(state[name][0]) for name in names)
            return reds_in_a_row(heads, (red, black, jokers), JOKERS if method == FlipMethod.DECK_JOKERS else 0)
        return float(HALF**heads)

    def announced(self, known: Records, viewer: int) -> Odds | None:
        """Return the odds of the announced attack; None once it was flipped for, or if its target is hidden."""
        step = attack_step(known)
        if step > AttackStep.FLIPS:
            return None
        target = int(known["attack_target"][0])
        if not self._is_up(known, target) and known["token_owner"][0, target] != viewer:
            return None
        armor = int(defending_armor(self._params, known[0], np.int64(target)))
        progressive = int(known["attack_verb"][0]) not in RANGED
        is_checked = step == AttackStep.JUDGE_EARLY and not is_led_throughout(self._params, known[0])
        return self._odds(known, int(attack_rating(self._params, known[0])), armor, progressive, is_checked)

    def counter_of(self, known: Records) -> Odds | None:
        """Return the odds of the counter-attack that the player may decide on; None in a coordinated attack."""
        unit, target = int(known["attack_unit"][0]), int(known["attack_target"][0])
        if unit < 0 or target < 0:
            return None
        armor = int(effective_armor(self._params, known[0], np.int64(unit)))
        ranged = int(known["attack_verb"][0]) in RANGED
        progressive = bool(is_counter_progressive(self._params, known[0], np.int64(target), ranged))
        return self._odds(known, self._damage(known, target), armor, progressive)


def attack_step(known: Records) -> int:
    """Return how the attack that is under way goes on after the present decision, as an AttackStep."""
    (frames,) = np.nonzero(known["frame_kind"][0] == Frame.ATTACK)
    return int(known["frame_step"][0, frames[-1]])


def heads_needed(damage: int, armor: int, progressive: bool, most: int) -> int | None:
    """Return how many heads in a row kill; None if no number does. Zero or less armor takes one head, too."""
    if damage <= 0:
        return None
    heads = max(1, -(-armor // damage))
    return heads if heads <= (most if progressive else 1) else None


@functools.cache
def reds_in_a_row(count: int, cards: Cards, jokers: int) -> float:
    """Return the chance that the next cards are red, `count` of them; an empty deck and a joker shuffle all anew."""
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
    """Return a chance for a sentence, ` (25%)` or with more words in the brackets; nothing if it is unknown."""
    if chance is None:
        return ""
    return f" ({int(100 * chance + 0.5)}%{more})" if chance == 0 or chance >= 0.01 else f" (under 1%{more})"
