"""Territories at a table, in the browser and in the terminal: questions and choices in words."""

from __future__ import annotations

from typing import Any, ClassVar

from sackarmies_env.core.game import Records
from sackarmies_env.games.territories.data.schema import load_rulebook
from sackarmies_env.games.territories.state.constants import Decision
from sackarmies_env.games.territories.words.sentences import ASKED, card_effect
from sackarmies_training.table.game_table import Choice, GameTable
from sackarmies_training.territories.choices import Speaker

ADVICE = """\
In your turn you take two standard actions, exchange units, attack as often as you like until you lose an attack, and \
move once. Five dice to one win at once; otherwise both sides roll, ones and twos cost units, and the defender sets \
dice against dice. The higher total wins a skirmish, a tie is the defender's, and who has more units left at the end \
wins the battle. The last player in play wins, or who controls most of the map at the end of a turn."""
PARTS = (  # further parts of a choice that others are shown as a whole
    *(Decision.REINFORCE_QUANTITY, Decision.PLACE_CARD, Decision.TRADE_OUT, Decision.ATTACK_TARGET),
    *(Decision.ATTACK_UNIT, Decision.ATTACK_QUANTITY, Decision.DEFENSE_QUANTITY, Decision.TRADE_DOWN, Decision.PAIR),
    *(Decision.RESERVE_LOSS, Decision.EXTRA_DIE, Decision.COUNTER_SKIRMISH, Decision.CARD_SKIRMISH, Decision.LOSS),
    *(Decision.ROUT, Decision.EXTRA_LOSS_UNIT, Decision.MOVE_TARGET, Decision.MOVE_UNIT, Decision.MOVE_QUANTITY),
)


class Table(GameTable):
    """What Territories says at a table."""

    advice: ClassVar[str] = ADVICE

    def is_public(self, states: Records) -> bool:
        """Return whether others are shown the position: all players know who is asked what (TR-Q33)."""
        return super().is_public(states) or int(states["decision"][0]) not in PARTS

    def active(self, states: Records) -> int:
        """Return whose turn it is."""
        return int(states["active"][0])

    def question(self, known: Records, legal: list[int]) -> str:
        """Return what the current player is asked."""
        return f"choose {ASKED[Decision(int(known['decision'][0]))]}"

    def about(self, known: Records, picture: Any) -> str:
        """Return what both sides have in a battle, and what is left to place."""
        return Speaker(self.game, known).about()

    def choices(self, known: Records, picture: Any, legal: list[int]) -> list[Choice]:
        """Return the legal choices."""
        speaker = Speaker(self.game, known)
        return [speaker.choice(action) for action in legal]

    def glossary(self) -> list[dict[str, Any]]:
        """Return what the cards do."""
        return [
            {"name": card.name, "kind": "card", "text": f"{card_effect(card)}.", "abilities": []}
            for card in load_rulebook().card
        ]
