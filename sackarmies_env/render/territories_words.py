"""What pictures of Territories say: questions, stages of a battle, steps of a turn, cards; in words of our own."""

from __future__ import annotations

import functools

from sackarmies_env.games.territories.data.schema import Card
from sackarmies_env.games.territories.state.constants import Decision, Effect, Frame, Stage, TurnStep

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


def words_of(member: Frame | Stage | TurnStep) -> str:
    """Return a name of the rules in words."""
    return member.name.lower().replace("_", " ")


@functools.cache
def card_effect(card: Card) -> str:
    """Return what a card does, in words."""
    cost = f"; discarded it costs {card.penalty} troop{'s' if card.penalty > 1 else ''}" if card.penalty else ""
    return EFFECTS[card.effect].format(card.amount) + cost
