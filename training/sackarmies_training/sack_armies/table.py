"""Sack Armies at a table, in the browser and in the terminal: single steps, choices in words, reactions, odds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from sackarmies_env.core.game import Game, Records, forfeit_code
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import ERROR_NONE
from sackarmies_env.games.sack_armies.rules.attack import is_led_throughout
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb
from sackarmies_env.games.sack_armies.tokens.army import DEFAULT_ARMIES
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Battlefield, Unit
from sackarmies_env.games.sack_armies.tokens.text import effect_text
from sackarmies_env.games.sack_armies.words.event_sentences import Names, verb_words
from sackarmies_env.render.sack_armies.abilities import ability_sentences
from sackarmies_env.render.sack_armies.picture import Picture, types_of
from sackarmies_env.render.sack_armies.words import question
from sackarmies_training.sack_armies.choices import Speaker
from sackarmies_training.sack_armies.preview import Preview
from sackarmies_training.table.game_table import Choice, GameTable, Step

ADVICE = """\
In your turn you take one action: draw tokens from your sack, deploy tokens of your hand, move units, attack, or use \
the text of a unit, spell or maneuver. What you deploy lies face down: the others see its back until it is \
revealed. Flips decide attacks; heads are successes. A General who controls none of their own battlefields, or has no \
unit left, is eliminated, and the last one wins."""
# Decisions that everybody knows are asked, if each is asked on its own. Others are left out if there is nothing to
# choose, which only their General knows: a further token of a Deploy, a second unit of a Move, what saves from scatter.
PUBLIC = (
    *(Decision.MENU, Decision.WINDOW, Decision.CHARGE_TO, Decision.AMBUSH, Decision.COUNTER, Decision.DESIGNATE),
    Decision.ADVANCE,
)


class Table(GameTable):
    """What Sack Armies says at a table."""

    asks_all: ClassVar[Mapping[str, Any]] = {"switches": {"auto_forced": False}}
    usual_armies: ClassVar[Sequence[str]] = DEFAULT_ARMIES
    has_hexes: ClassVar[bool] = True
    ending: ClassVar[str] = "victory_type"
    advice: ClassVar[str] = ADVICE

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.names = Names.of(game)
        self.preview = Preview(game)
        self._slow = game.params.copy()  # the same game, but every forced decision is taken on its own
        self._slow["auto_forced"] = 0
        self._types: dict[str, AnyToken] = {data.name: data for data, _ in types_of(game)}

    # --- the course of the game

    def steps(self, before: Records, action: int, after: Records) -> Iterator[Step]:
        """Yield the states that follow an action or a forfeit; forced decisions are steps like any other."""
        player = int(before["current_player"][0])
        states = before.copy()
        while self.game.params["auto_forced"][0]:
            if action >= 0:
                self.game.step(self._slow, states, np.array([action], np.int64))
            else:
                self.game.forfeit(self._slow, states, [forfeit_code(action)])
            if states["num_legal"][0] != 1 or states["error"][0] != ERROR_NONE:
                break
            yield Step(states, player, action)
            player, action = int(states["current_player"][0]), legal_ids(states["legal"][0])[0]
        yield Step(after, player, action)

    def is_public(self, states: Records) -> bool:
        """Return whether all Generals know that something is asked here, or that the game is over."""
        return super().is_public(states) or int(states["decision"][0]) in PUBLIC

    def is_final(self, states: Records) -> bool:
        """Return whether an attack is announced next, or could be."""
        return int(states["decision"][0]) in (Decision.TARGET, Decision.COORD_MEMBER)

    def active(self, states: Records) -> int:
        """Return whose turn it is."""
        return int(states["active"][0])

    def question(self, known: Records, legal: list[int]) -> str:
        """Return what the current player is asked, and how they have begun the choice."""
        return question(int(known["decision"][0]), int(known["chain_verb"][0]), Verb.PASS in legal)

    def about(self, known: Records, picture: Picture) -> str:
        """Return which attack the player may answer, and its odds."""
        state: Any = known.view(np.ndarray)[0]
        answers = (Decision.WINDOW, Decision.AMBUSH, Decision.COUNTER, Decision.DESIGNATE)
        if int(state["decision"]) not in answers or state["attack_announced"] == 0:
            return ""
        speaker = Speaker(self, known, picture)
        sources = {source for source, target in picture.aim if target == speaker.place(int(state["attack_hex"]))}
        attackers = [speaker.called(unit) for unit in picture.units if unit.at in sources]
        target = speaker.units.get(speaker.place(int(state["attack_hex"])))
        if target is None or not attackers:
            return ""
        verb = verb_words(int(state["attack_verb"]))
        told = f"{' and '.join(attackers)} against {speaker.called(target)}: {verb}."
        odds = self.preview.announced(known, int(state["current_player"]))
        return f"{told} {odds['text']}" if odds else told

    def pass_of(self, known: Records, legal: list[int]) -> int | None:
        """Return PASS in a reaction window."""
        return int(Verb.PASS) if known["decision"][0] == Decision.WINDOW and Verb.PASS in legal else None

    def is_attacked(self, picture: Picture, seat: int) -> bool:
        """Return whether the announced attack or effect is aimed at a unit of a General."""
        targets = {target for _, target in picture.aim}
        return any(unit.at in targets and unit.owner == seat for unit in picture.units)

    # --- choices

    def choices(self, known: Records, picture: Picture, legal: list[int]) -> list[Choice]:
        """Return the legal choices."""
        speaker = Speaker(self, known, picture)
        return [speaker.choice(action) for action in legal]

    def warm_up(self, states: Records) -> None:
        """Compile the kernels that judge coordinated attacks, and those that preview a Move and Attack."""
        is_led_throughout(self.game.params[0], states[0])
        self.preview.warm_up(states)

    def glossary(self) -> list[dict[str, Any]]:
        """Return what the tokens do: their types are public."""
        tokens = sorted(self._types.values(), key=lambda data: data.name)
        return [
            {
                "name": data.name,
                "kind": data.kind,
                "text": self.prose(data.name),
                "abilities": ability_sentences(data),
            }
            for data in tokens
        ]

    def prose(self, name: str) -> str:
        """Return what a type of token is and does."""
        data = self._types[name]
        told = f"rank {data.rank}"
        if isinstance(data, Unit):
            kind = f"{data.type} unit" if data.type != "other" else "unit"
            band = {"blue": ", takes spells", "red": ", takes maneuvers", "green": ", takes spells and maneuvers"}
            stats = f"movement {data.movement}, damage {data.damage}, armor {data.armor}"
            words = f"{kind.capitalize()}, {told}{band.get(data.band, '')}: {stats}."
        elif isinstance(data, Battlefield):
            terrain = "".join([", water" if data.water else "", ", halts movement" if data.halts else ""])
            words = f"Battlefield, {told}{terrain}."
        else:
            words = f"{data.kind.capitalize()}, {told}."
        return f"{words} {effect_text(data)}".strip()

    def next_of(self, known: Records, picture: Picture, action: int) -> list[Choice]:
        """Return the choices that may follow a verb that begins a choice, without notes."""
        states = known.copy()
        player = int(states["current_player"][0])
        self.game.step(self._slow, states, np.array([action], np.int64))
        if states["current_player"][0] != player or states["error"][0] != ERROR_NONE:
            return []
        speaker = Speaker(self, states, picture)
        return [speaker.name(each) for each in legal_ids(states["legal"][0])]
