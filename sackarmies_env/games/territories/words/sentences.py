"""Texts in pictures, logs and narration of Territories: questions, steps, cards, public events."""

from __future__ import annotations

import functools
from collections.abc import Callable

from sackarmies_env.games.territories.data.schema import Card, load_rulebook
from sackarmies_env.games.territories.state.constants import (
    NUM_CARDS,
    Decision,
    Effect,
    Event,
    Frame,
    Stage,
    TurnStep,
    Unit,
)

EFFECTS = {
    Effect.NOTHING: "no use",
    Effect.SKIRMISH_BONUS: "+{} in one skirmish",
    Effect.BATTLE_BONUS: "+{} in every skirmish of a battle",
    Effect.ENEMY_PENALTY: "-{} for the enemy in one skirmish",
    Effect.LEVEL_GROUND: "defender: the attacker's height does not count",
    Effect.EXTRA_DIE: "one more die, a {}, in a skirmish",
    Effect.PLACE_TROOPS: "step 1: up to {} troops into one territory",
    Effect.FREE_MOVE: "step 4: one more free move",
    Effect.CANCEL_ATTACK: "defender: the attack is called off",
    Effect.EXTRA_ATTACK: "one more attack when barred, after a victory",
}
ASKED = {
    Decision.NONE: "nothing",
    Decision.PLACE: "where the next troops are placed",
    Decision.STANDARD: "which standard action",
    Decision.REINFORCE: "where to reinforce",
    Decision.REINFORCE_QUANTITY: "how many troops",
    Decision.PLACE_CARD: "where the card's troops go",
    Decision.TRADE_IN: "which type is traded in",
    Decision.TRADE_OUT: "which type is traded out",
    Decision.EXCHANGE: "where to exchange",
    Decision.ATTACK_SOURCE: "where to attack from",
    Decision.ATTACK_TARGET: "what to attack",
    Decision.ATTACK_UNIT: "which units attack",
    Decision.ATTACK_QUANTITY: "how many of them attack",
    Decision.DEFENSE_UNIT: "which units defend",
    Decision.DEFENSE_QUANTITY: "how many of them defend",
    Decision.ONE: "which unit is lost for a one",
    Decision.TWO: "what a two costs",
    Decision.TRADE_DOWN: "which unit becomes a troop",
    Decision.PAIR: "which dice are paired",
    Decision.RESERVE_LOSS: "which unit in the territory is lost",
    Decision.EXTRA_DIE: "where an extra die goes",
    Decision.COUNTER: "which counter comes next",
    Decision.COUNTER_SKIRMISH: "where the counter goes",
    Decision.CARD: "which card is played",
    Decision.CARD_SKIRMISH: "for which skirmish the card is",
    Decision.ORDER: "which skirmish comes next",
    Decision.LOSS: "which unit is lost",
    Decision.ROUT: "which routed unit is lost",
    Decision.EXTRA_LOSS: "where one more unit is lost",
    Decision.EXTRA_LOSS_UNIT: "which unit is lost as well",
    Decision.MOVE_SOURCE: "where to move from",
    Decision.MOVE_TARGET: "where to move to",
    Decision.MOVE_UNIT: "which units move",
    Decision.MOVE_QUANTITY: "how many of them move",
    Decision.REDUCE: "which card is discarded",
    Decision.PENALTY: "where a troop is lost for the card",
}
ACTIONS = ("", "reinforce", "draw", "an extra free move", "an extra exchange")


def words_of(member: Frame | Stage | TurnStep) -> str:
    """Return the name of a code as words in lower case."""
    return member.name.lower().replace("_", " ")


@functools.cache
def card_effect(card: Card) -> str:
    """Return what a card does, in words."""
    cost = f"; discarded it costs {card.penalty} troop{'s' if card.penalty > 1 else ''}" if card.penalty else ""
    return EFFECTS[card.effect].format(card.amount) + cost


def unit_name(unit: int, count: int = 1) -> str:
    """Return the name of a unit type, singular or plural by `count`."""
    name = Unit(unit).name.lower()
    return name if count == 1 else f"{name}es" if unit == Unit.HERO else f"{name}s"


def one_unit(unit: int) -> str:
    """Return the name of a unit type with its indefinite article."""
    return f"{'an' if unit == Unit.ENGINE else 'a'} {unit_name(unit)}"


def counted(number: int, noun: str) -> str:
    """Return a number with a noun, which is plural unless the number is 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def dice_words(number: int) -> str:
    """Return a number of dice in words."""
    return f"{number} {'die' if number == 1 else 'dice'}"


# --- events: who, where and a number become a sentence, see `Event`


def told_skirmish(who: str, place: int, value: int) -> str:
    """Return who has won a skirmish; `value` is the attacker's total minus the defender's."""
    return f"the attacker wins a skirmish by {value}" if value > 0 else f"{who} wins a skirmish by {-value}"


def told_exchange(who: str, place: int, value: int) -> str:
    """Return an exchange in words; the number traded in follows from the values of the types, see `price`."""
    traded_in, traded_out = divmod(value, len(Unit))
    worth = [unit.value for unit in load_rulebook().unit]
    number = -(-worth[traded_out] // worth[traded_in])
    where = f" in territory {place}" if place else ""
    return f"{who} trades {number} {unit_name(traded_in, number)} for {one_unit(traded_out)}{where}"


def told_loss(who: str, place: int, value: int) -> str:
    """Return the loss of units of a type in words."""
    more, unit = divmod(value, len(Unit))
    lost = f"{more + 1} {unit_name(unit, more + 1)}" if more else one_unit(unit)
    return f"{who} loses {lost}" + (f" in territory {place}" if place else "")


def told_discard(who: str, place: int, value: int) -> str:
    """Return the discard of cards of a kind in words."""
    more, kind = divmod(value, NUM_CARDS)
    name = load_rulebook().card[kind].name
    return f"{who} discards {f'{more + 1} {name} cards' if more else name}"


def told_draw(who: str, value: int, card: str = "a card") -> str:
    """Return the draw of a card in words, with its name if that is known."""
    return f"{who} draws {card} and holds {counted(value, 'card')}"


EVENTS: dict[Event, Callable[[str, int, int], str]] = {
    Event.TURN: lambda who, place, value: f"{who} begins a turn",
    Event.STANDARD: lambda who, place, value: f"{who} chooses: {ACTIONS[value]}",
    Event.REINFORCEMENT: lambda who, place, value: f"{who} rolls {value} for reinforcements",
    Event.PLACEMENT: lambda who, place, value: f"{who} places {counted(value, 'troop')} in territory {place}",
    Event.DRAW: lambda who, place, value: told_draw(who, value),
    Event.RESHUFFLE: lambda who, place, value: f"the discards, {value}, become the deck",
    Event.EXCHANGE: told_exchange,
    Event.ATTACK: lambda who, place, value: f"{who} attacks territory {place} with {counted(value, 'unit')}",
    Event.CANCELLED: lambda who, place, value: f"the attack on territory {place} is called off",
    Event.DEFENSE: lambda who, place, value: f"{who} defends with {counted(value, 'unit')}",
    Event.OVERRUN: lambda who, place, value: f"{who} wins at once with {dice_words(value)}",
    Event.ROLL: lambda who, place, value: f"{who} rolls {dice_words(value)}",
    Event.UNIT_LOST: told_loss,
    Event.UNIT_TRADED: lambda who, place, value: f"{who} trades {one_unit(value)} down to a troop",
    Event.SKIRMISHES: lambda who, place, value: f"{value} skirmish{'' if value == 1 else 'es'}",
    Event.STACKED: lambda who, place, value: f"{who} stacks dice on skirmish {value} and wins the battle",
    Event.CARD: lambda who, place, value: f"{who} plays {load_rulebook().card[value].name}",
    Event.PASS: lambda who, place, value: f"{who} plays no more cards",
    Event.SKIRMISH: told_skirmish,
    Event.VICTORY: lambda who, place, value: f"{who} wins the battle for territory {place}",
    Event.MOVE: lambda who, place, value: f"{who} moves {counted(value, 'unit')} to territory {place}",
    Event.DISCARD: told_discard,
    Event.OUT: lambda who, place, value: f"{who} is out of the game",
    Event.SOURCE: lambda who, place, value: f"they come from territory {place} with {dice_words(value)}",
    Event.OVER: lambda who, place, value: "the last round is over" if value else f"{who} wins the game",
}


def event_words(event: Event, who: str, place: int, value: int) -> str:
    """Return a public event as a sentence.

    Args:
        event: what has happened.
        who: the player whom it concerns.
        place: number of a territory; 0 for none.
        value: the number that goes with the event.
    """
    return sentence(EVENTS[event](who, place, value))


def sentence(words: str) -> str:
    """Return `words` with a capital first letter."""
    return f"{words[:1].upper()}{words[1:]}"
