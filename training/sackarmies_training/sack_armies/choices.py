"""Words for the choices of one decision, as people are shown them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sackarmies_env.core.game import Records
from sackarmies_env.games.sack_armies.state.actions import TYPE_BASE
from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, NUM_VERBS, Decision, Verb
from sackarmies_env.games.sack_armies.words.event_sentences import verb_words
from sackarmies_env.render.picture import Hex
from sackarmies_env.render.sack_armies.model import UnitView
from sackarmies_env.render.sack_armies.picture import Picture
from sackarmies_training.sack_armies.preview import Odds
from sackarmies_training.table.game_table import Choice

if TYPE_CHECKING:
    from sackarmies_training.sack_armies.table import Table

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
AIMED = (Verb.MELEE, Verb.RANGED, Verb.MOVE_ATTACK)


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
        """Return a choice as it is sent to a page."""
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
        """Return a choice with its name alone."""
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
        if self.decision == Decision.CHARGE_TO:
            odds = self.table.preview.charge_to(self.known, cell)
            told = odds_text(odds, self.units.get(self.place(int(self.state["attack_hex"]))))
            words |= {"odds": odds, "note": " ".join(filter(None, (words.get("note"), told)))}
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
        """Return the row of the unit on a cell; negative if there is none."""
        return int(self.state["cell_unit"][cell]) if cell >= 0 else -1

    def odds(self, cell: int) -> Odds | None:
        """Return the odds of the chosen verb against the unit on a cell; None if there are none."""
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
