"""Words for the choices of one decision of Territories, as people are shown them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import NO_PLAYER, as_records
from sackarmies_env.games.territories.data.schema import load_rulebook
from sackarmies_env.games.territories.rules.reinforce import troops_to_place
from sackarmies_env.games.territories.rules.skirmishes import extra_side, pairing_side
from sackarmies_env.games.territories.state.actions import (
    ALL,
    DONE,
    DRAW,
    EXTRA_EXCHANGE,
    EXTRA_MOVE,
    FIRST_CARD,
    FIRST_COUNTER,
    FIRST_DIE,
    FIRST_QUANTITY,
    FIRST_SKIRMISH,
    FIRST_TERRITORY,
    FIRST_UNIT,
    FROM_BOARD,
    FROM_TERRITORY,
    REINFORCE,
    REMOVE,
    TRADE,
)
from sackarmies_env.games.territories.state.constants import DEFENDER, FIRST_FACE, Decision, Unit
from sackarmies_env.games.territories.words.sentences import card_effect, counted, sentence, unit_name
from sackarmies_env.render.territories.model import SIDES, SideView
from sackarmies_env.render.territories.picture import picture
from sackarmies_env.render.territories.text import dice_words, skirmish_words, unit_words
from sackarmies_training.table.game_table import Choice

LABELS = {
    REINFORCE: ("Reinforce", "Roll a die for each of your territories: that many troops come from your garrison."),
    DRAW: ("Draw a card", "The others see that you draw, but not what."),
    EXTRA_MOVE: ("Extra free move", "Move units from a territory to an adjacent one, at once."),
    EXTRA_EXCHANGE: ("Extra exchange", "Exchange units at once, in addition to step 2."),
    ALL: ("All", ""),
    REMOVE: ("Lose a troop", ""),
    TRADE: ("Trade another unit down to a troop", ""),
    FROM_BOARD: ("From the battle board", ""),
}
ENDS = {  # what `done` means; "Done" elsewhere
    Decision.STANDARD: "Go on to the exchange",
    Decision.REINFORCE: "Place no more troops",
    Decision.TRADE_IN: "Exchange nothing",
    Decision.EXCHANGE: "Exchange no more",
    Decision.ATTACK_SOURCE: "No more attacks",
    Decision.ATTACK_UNIT: "Attack with these",
    Decision.CARD: "Play no more cards",
    Decision.MOVE_SOURCE: "No free move",
    Decision.MOVE_UNIT: "Move no more",
}
BATTLES = range(Decision.DEFENSE_UNIT, Decision.MOVE_SOURCE)  # decisions with both sides on the battle board


class Speaker:
    """Words for the choices of one decision, by what the current player knows."""

    def __init__(self, game: Game, known: Records) -> None:
        self.game = game
        self.known = known
        self.state: Any = known.view(np.ndarray)[0]
        self.decision = Decision(int(self.state["decision"]))
        self.picture = picture(game, known, int(self.state["current_player"]))
        self.battle = self.picture.battle

    def choice(self, action: int) -> Choice:
        """Return a choice as it is sent to a page."""
        label, note = self._words(action)
        told = {"id": action, "text": self.game.format_action(self.known, action), "part": "verb", "label": label}
        return told | ({"note": note} if note else {})

    def _words(self, action: int) -> tuple[str, str]:
        """Return the label of a choice, and a note on it."""
        if action in LABELS:
            return LABELS[action]
        if action == DONE:
            return self._end(), ""
        if action == FROM_TERRITORY:
            return f"From territory {self.picture.move[1]}", ""
        for first, words in self._segments():
            if action >= first:
                return words(action - first)
        raise ValueError(f"action {action} has no words")

    def _segments(self) -> Iterator[tuple[int, Callable[[int], tuple[str, str]]]]:
        """Yield the first id of each segment and a function for the words of a place in it, last segment first."""
        yield FIRST_COUNTER, lambda place: (f"Counter +{place + 1}", "")
        yield FIRST_CARD, self._card
        yield FIRST_TERRITORY, self._territory
        yield FIRST_SKIRMISH, self._skirmish
        yield FIRST_DIE, lambda place: (f"A {place + FIRST_FACE}", "")
        yield FIRST_UNIT, lambda place: (sentence(unit_name(place)), "")
        yield FIRST_QUANTITY, lambda place: (counted(place + 1, unit_name(self._named())), "")

    def _end(self) -> str:
        """Return what `done` means here."""
        if self.decision == Decision.DEFENSE_UNIT and self.battle is not None:
            return "Defend with these" if any(self.battle.sides[DEFENDER].units) else "Defend with nothing"
        return ENDS.get(self.decision, "Done")

    def _named(self) -> int:
        """Return the type of the units whose number is asked for."""
        return Unit.TROOP if self.decision == Decision.REINFORCE_QUANTITY else int(self.state["chain"][0])

    def _territory(self, place: int) -> tuple[str, str]:
        """Return a territory with what is in it."""
        (found,) = (each for each in self.picture.territories if each.number == place + 1)
        owner = "nobody" if found.owner == NO_PLAYER else self.picture.player_name(found.owner)
        return f"Territory {found.number}", f"Height {found.elevation}, {owner}: {unit_words(found.units)}."

    def _skirmish(self, number: int) -> tuple[str, str]:
        """Return a skirmish with its dice and totals."""
        assert self.battle is not None, "skirmishes are asked for in battles"
        label, _, told = skirmish_words(self.battle.skirmishes[number]).partition(": ")
        return label, f"{told}."

    def _card(self, kind: int) -> tuple[str, str]:
        """Return a card with what it does."""
        card = load_rulebook().card[kind]
        return card.name, f"{sentence(card_effect(card))}."

    # --- what a decision is about

    def about(self) -> str:
        """Return what both sides have in a battle, and what is left to place."""
        state = as_records(self.known[:1].copy())[0]
        if self.decision in {Decision.REINFORCE, Decision.REINFORCE_QUANTITY}:
            return f"Troops left to place: {int(troops_to_place(state))}."
        if self.battle is None or self.decision not in BATTLES:
            return ""
        told = [self._side(*named) for named in zip(SIDES, self.battle.sides, strict=True)]
        if self.decision == Decision.PAIR:
            side = int(pairing_side(state))
            told.append(f"The {SIDES[side]}'s {self._highest(side)} waits for a die.")
        elif self.decision == Decision.EXTRA_DIE:
            told.append(f"The extra die is a {self._highest(int(extra_side(state)))}.")
        return " ".join(told)

    def _side(self, name: str, side: SideView) -> str:
        """Return what a side has on the battle board."""
        dice = f", dice {dice_words(side.dice)}" if any(side.dice) else ""
        who = self.picture.player_name(side.seat)
        return f"{name.capitalize()} {who}, territory {side.territory}: {unit_words(side.units)}{dice}."

    def _highest(self, side: int) -> int:
        """Return the highest face among the loose dice of a side."""
        return FIRST_FACE + int(np.flatnonzero(self.state["loose_dice"][side])[-1])
