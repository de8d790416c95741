"""Sack Armies at a table in the browser: single steps, choices in words, reactions, odds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import ERROR_NONE
from sackarmies_env.games.sack_armies.state.actions import TYPE_BASE
from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, NUM_VERBS, Decision, Verb
from sackarmies_env.games.sack_armies.tokens.army import DEFAULT_ARMIES
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Battlefield, Unit
from sackarmies_env.games.sack_armies.tokens.text import effect_text
from sackarmies_env.games.sack_armies.words.event_sentences import Names, verb_words
from sackarmies_env.render.board import Hex, Picture, UnitView
from sackarmies_env.render.sack_armies import types_of
from sackarmies_env.render.sack_armies_words import question
from sackarmies_training.sack_armies.preview import Odds, Preview
from sackarmies_training.web.rules import Choice, GameTable, Step

ADVICE = """\
In your turn you take one action: draw tokens from your sack, deploy tokens of your hand, move units, attack, or use \
the text of a unit, spell or maneuver. What you deploy lies face down: the others see its back until it is \
revealed. Flips decide attacks; heads are successes. A General who controls none of their own battlefields, or has no \
unit left, is eliminated, and the last one wins."""
PASSES = {  # what PASS means; "Done" elsewhere
    Decision.MENU: "End the turn",
    Decision.WINDOW: "Pass",
    Decision.AMBUSH: "No ambush",
    Decision.COUNTER: "No counter-attack",
    Decision.ADVANCE: "Stay",
    Decision.SAVE: "Let it die",
}
AGREEMENTS = {
    Decision.AMBUSH: "Flip for the ambush",
    Decision.COUNTER: "Counter-attack",
    Decision.ADVANCE: "Advance",
    Decision.SAVE: "Reveal it and save it",
}
LABELS = {  # of verbs that are called otherwise in announcements
    Verb.CAST: "Spell or maneuver",
    Verb.CUSTOM: "Printed action",
    Verb.SURPRISE: "Surprise maneuver",
}
NOTES = {
    Verb.DRAW: "Draw tokens from your sack into your hand.",
    Verb.DEPLOY: "Bring tokens from your hand onto the board.",
    Verb.MOVE: "Move units over the board.",
    Verb.MELEE: "One unit attacks an adjacent unit.",
    Verb.RANGED: "One unit shoots at a unit within its range.",
    Verb.COORD_MELEE: "Several units attack one adjacent unit together.",
    Verb.COORD_RANGED: "Several units shoot at one unit together.",
    Verb.MOVE_ATTACK: "One unit moves next to a unit and attacks it.",
    Verb.CAPTURE: "One unit tries to take an adjacent unit captive: one flip decides.",
    Verb.COUNTER_TOKEN: "One unit strips a maneuver from a unit in its range.",
    Verb.DISPEL: "One unit strips a spell from a unit in its range.",
    Verb.DISMISS: "One unit sends a unit in its range back to the sack.",
    Verb.RAISE: "One unit brings back one of your casualties.",
    Verb.CAST: "Use one that lies under one of your units.",
    Verb.CUSTOM: "Use the action text of one of your units.",
    Verb.SURPRISE: "Answer with a maneuver of the unit that is attacked.",
    Verb.REVEAL_UNIT: "Turn one of your hidden units face up.",
    Verb.REVEAL_TOKEN: "Turn up a spell or maneuver under one of your units.",
    Verb.CONCEDE: "You leave the game: everything of yours is removed.",
}
WHOLE = (Verb.PASS, Verb.YES, Verb.DRAW, Verb.CONCEDE)  # verbs that are not the first part of a choice
HOST_IN_CHAIN = {  # decisions on a slot -> the part of the chain that names the host
    Decision.REVEAL_SLOT: 0,
    Decision.TOKEN_SLOT: 1,
    Decision.CAST_SLOT: 0,
}
# Decisions that everybody knows are asked, if each is asked on its own. Others are left out where there is nothing to
# choose, as only their General knows: a further token of a Deploy, a second unit of a Move, what saves from scatter.
PUBLIC = (
    *(Decision.MENU, Decision.WINDOW, Decision.CHARGE_TO, Decision.AMBUSH, Decision.COUNTER, Decision.DESIGNATE),
    Decision.ADVANCE,
)
AIMED = (Verb.MELEE, Verb.RANGED, Verb.MOVE_ATTACK)


class Table(GameTable):
    """What Sack Armies says at a table."""

    hot_seat: ClassVar[Mapping[str, Any]] = {"switches": {"auto_forced": False}}
    usual_armies: ClassVar[Sequence[str]] = DEFAULT_ARMIES
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
        """Yield the states that follow an action; forced decisions are steps like any other."""
        player = int(before["current_player"][0])
        states = before.copy()
        while action >= 0 and self.game.params["auto_forced"][0]:
            self.game.step(self._slow, states, np.array([action], np.int64))
            if states["num_legal"][0] != 1 or states["error"][0] != ERROR_NONE:
                break
            yield Step(states, player, action)
            player, action = int(states["current_player"][0]), legal_ids(states["legal"][0])[0]
        yield Step(after, player, action)

    def is_public(self, states: Records) -> bool:
        """Return whether all Generals know that something is asked here, or that the game is over."""
        return super().is_public(states) or int(states["decision"][0]) in PUBLIC

    def active(self, states: Records) -> int:
        """Return whose turn it is."""
        return int(states["active"][0])

    def question(self, known: Records, legal: list[int]) -> str:
        """Return what the current player is asked, and with what they have begun a choice."""
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

    def glossary(self) -> list[dict[str, str]]:
        """Return what the tokens do: their types are public."""
        tokens = sorted(self._types.values(), key=lambda data: data.name)
        return [{"name": data.name, "kind": data.kind, "text": self.prose(data.name)} for data in tokens]

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
        """Return what may be chosen after a verb that begins a choice, without notes."""
        states = known.copy()
        player = int(states["current_player"][0])
        self.game.step(self._slow, states, np.array([action], np.int64))
        if states["current_player"][0] != player or states["error"][0] != ERROR_NONE:
            return []
        speaker = Speaker(self, states, picture)
        return [speaker.name(each) for each in legal_ids(states["legal"][0])]


class Speaker:
    """Words for the choices of one decision."""

    def __init__(self, table: Table, known: Records, picture: Picture) -> None:
        self.table = table
        self.known = known
        self.state: Any = known.view(np.ndarray)[0]
        self.decision = Decision(int(self.state["decision"]))
        self.verb = Verb(int(self.state["chain_verb"]))
        self.picture = picture
        self.units: dict[Hex, UnitView] = {unit.at: unit for unit in picture.units}
        self.fields = {field.at: field for field in picture.fields}
        self.first_slot = TYPE_BASE + table.names.num_types
        self.first_hex = self.first_slot + NUM_SLOTS

    def choice(self, action: int) -> Choice:
        """Return a choice as a page is sent it."""
        text = self.table.game.format_action(self.known, action)
        if action < NUM_VERBS:
            part, words = "verb", self.verb_choice(Verb(action))
        elif action < self.first_slot:
            name = self.table.names.types[action - TYPE_BASE]
            part, words = "type", {"label": name, "note": self.table.prose(name)}
        elif action < self.first_hex:
            part, words = "slot", self.slot_choice(action - self.first_slot)
        else:
            part, words = "hex", self.hex_choice(action - self.first_hex)
        return {"id": action, "text": text, "part": part, **words}

    def name(self, action: int) -> Choice:
        """Return a choice by its name alone."""
        choice = self.choice(action)
        return {key: choice[key] for key in ("id", "part", "label", "hex") if key in choice}

    def verb_choice(self, verb: Verb) -> Choice:
        """Return what a verb means here."""
        if verb == Verb.PASS:
            words: Choice = {"label": PASSES.get(self.decision, "Done")}
            if self.decision == Decision.COORD_MEMBER and (odds := self.odds_together()):
                words |= {"label": "Attack", "odds": odds, "note": odds["text"]}
            return words
        if verb == Verb.YES:
            words = {"label": AGREEMENTS.get(self.decision, "Yes")}
            if self.decision == Decision.COUNTER and (odds := self.table.preview.counter_of(self.known)):
                words |= {"odds": odds, "note": odds["text"]}
            return words
        label = LABELS.get(verb, verb_words(verb))
        words = {"label": label[0].upper() + label[1:], "note": NOTES.get(verb, "")}
        if verb == Verb.REVEAL_UNIT:
            words["final"] = True
        if verb not in WHOLE:
            words["next"] = self.table.next_of(self.known, self.picture, int(verb))
        return words

    def slot_choice(self, slot: int) -> Choice:
        """Return which attachment a slot holds, as far as the player knows."""
        unit = self.host()
        held = unit.attachments[slot] if unit is not None and slot < len(unit.attachments) else None
        if held is None or held.name is None:
            kind = f" {held.kind}" if held is not None and held.kind else " attachment"
            return {"label": f"hidden{kind} {slot + 1}", "note": "You do not know what it is."}
        return {"label": held.name, "note": self.table.prose(held.name)}

    def host(self) -> UnitView | None:
        """Return the unit whose attachment is chosen."""
        if self.decision in HOST_IN_CHAIN:
            cell = int(self.state["chain"][HOST_IN_CHAIN[self.decision]])
        elif self.decision == Decision.SURPRISE_SLOT:
            cell = int(self.state["attack_hex"])
        elif self.decision == Decision.EFFECT_SLOT:
            cell = int(self.state["act_hex"])
        else:
            return None
        return self.units.get(self.place(cell)) if cell >= 0 else None

    def hex_choice(self, cell: int) -> Choice:
        """Return what a hex means here: the unit on it, or the place."""
        at = self.place(cell)
        unit, field = self.units.get(at), self.fields.get(at)
        where = "{},{}".format(*at)
        words: Choice = {"hex": list(at), "label": where}
        if unit is not None:
            words["label"] = f"{self.called(unit)} at {where}"
        elif field is not None:
            words["label"] = f"{field.name} at {where}"
            words["note"] = self.table.prose(field.name)
        if self.decision == Decision.TARGET and (odds := self.odds(cell)):
            words |= {"odds": odds, "note": odds_text(odds, unit)}
        return words

    def called(self, unit: UnitView) -> str:
        """Return what to call a unit."""
        name = unit.card.name if unit.card is not None else "hidden unit"
        if unit.owner == self.picture.viewer:
            return f"{name} (hidden)" if not unit.face_up else name
        return f"General {unit.owner}'s {name}"

    def place(self, cell: int) -> Hex:
        """Return the coordinates of a cell."""
        params = self.table.game.params
        return int(params["cell_q"][0][cell]), int(params["cell_r"][0][cell])

    # --- odds

    def row_on(self, cell: int) -> int:
        """Return the row of the unit on a cell, negative for none."""
        return int(self.state["cell_unit"][cell]) if cell >= 0 else -1

    def odds(self, cell: int) -> Odds | None:
        """Return the odds of what is chosen, against the unit on a cell."""
        unit, target = self.row_on(int(self.state["chain"][0])), self.row_on(cell)
        if unit < 0 or target < 0:
            return None
        if self.verb in AIMED:
            return self.table.preview.single(self.known, self.verb, unit, target)
        flips: dict[int, Callable[[], Odds]] = {
            Verb.CAPTURE: lambda: self.table.preview.flip(self.known, "captures it"),
        }
        return flips[self.verb]() if self.verb in flips else None

    def odds_together(self) -> Odds | None:
        """Return the odds of the coordinated attack by the units named so far."""
        units = [int(row) for row in np.flatnonzero(self.state["token_member"] == 1)]
        target = self.row_on(int(self.state["chain"][0]))
        if len(units) < 2 or target < 0:
            return None
        return self.table.preview.together(self.known, self.verb, units, target)


def odds_text(odds: Odds, target: UnitView | None) -> str:
    """Return odds as sentences."""
    told = [odds["text"]]
    if "counter" in odds:
        told.append(f"If it strikes back: {odds['counter']['text']}")
    hidden = 0 if target is None else sum(not each.face_up for each in target.attachments)
    if hidden:
        told.append("Something hidden lies under it, which may change this.")
    return " ".join(told)
