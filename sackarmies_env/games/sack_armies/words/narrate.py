"""Narration of a game, move by move, with full information, as after a game.

A ply may hold more decisions than the one that was asked for, since forced ones are taken silently;
`Narrator.narrate_ply` separates them and describes each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, Records, forfeit_code
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.messages import printable, shorten
from sackarmies_env.core.record import GameRecord, replay
from sackarmies_env.core.state import copy_records
from sackarmies_env.games.sack_armies.state.actions import TYPE_BASE
from sackarmies_env.games.sack_armies.state.constants import NUM_SLOTS, Decision, Event, Face, Kind, Verb, Zone
from sackarmies_env.games.sack_armies.words.event_sentences import (
    Names,
    event_sentences,
    log_of,
    new_events,
    outcome_sentence,
)

ATTACKS = {
    Verb.MELEE: "attacks {target} with {source}, in melee",
    Verb.RANGED: "shoots at {target} with {source}",
    Verb.MOVE_ATTACK: "announces a Move and Attack of {source} against {target}",
    Verb.CAPTURE: "tries to capture {target} with {source}",
    Verb.DISMISS: "dismisses {target} with {source}",
}
TOGETHER = {Verb.COORD_MELEE: "in melee", Verb.COORD_RANGED: "at range"}
STRIPPING = {Verb.COUNTER_TOKEN: "Counter", Verb.DISPEL: "Dispel"}
CHOICES_OF_TEXTS = (
    *(Decision.SOURCE, Decision.CAST_SLOT, Decision.SURPRISE_SLOT),
    *(Decision.EFFECT_TARGET, Decision.EFFECT_SLOT, Decision.EFFECT_HEX, Decision.EFFECT_TYPE),
)
INDENT = "  "


class Step:
    """One decision: the state before it, what was chosen, the state after it."""

    def __init__(self, names: Names, before: Records, action: int, after: Records) -> None:
        self.names = names
        self.before: Any = before.view(np.ndarray)[0]
        self.after: Any = after.view(np.ndarray)[0]
        self.action = action
        self.player = int(self.before["current_player"])
        self.decision = Decision(int(self.before["decision"]))
        self.verb = Verb(int(self.before["chain_verb"]))
        self.events = new_events(self.before, self.after)

    # --- what the action names

    @property
    def type_id(self) -> int:
        """The type that the action names."""
        return self.action - TYPE_BASE

    @property
    def slot(self) -> int:
        """The slot that the action names."""
        return self.action - TYPE_BASE - self.names.num_types

    @property
    def cell(self) -> int:
        """The hex that the action names."""
        return self.slot - NUM_SLOTS

    # --- naming what is on the board, before the decision

    def unit(self, cell: int) -> str:
        """Return what to call the unit on a hex."""
        return self.names.unit(self.before, int(self.before["cell_unit"][cell]), self.player)

    def chained(self, place: int) -> int:
        """Return a part of the choice so far: a hex, or a type if the choice began with one."""
        return int(self.before["chain"][place])

    def attachment(self, unit: int, slot: int) -> int:
        """Return the row of an attachment of a unit."""
        row = int(self.before["token_first"][unit])
        for _ in range(slot):
            row = int(self.before["token_next"][row])
        return row

    # --- sentences

    def sentence(self) -> str | None:
        """Return what the player does; None if the events say it or nothing is decided yet."""
        sentences: dict[Decision, Callable[[], str | None]] = {
            Decision.SETUP_PICK: lambda: f"picks {self.names.types[self.type_id]} for Setup",
            Decision.MENU: lambda: "ends the turn without an action" if self.action == Verb.PASS else None,
            Decision.DISCARD: self.discard,
            Decision.DEPLOY_HEX: self.deployment,
            Decision.TARGET: self.single,
            Decision.COORD_MEMBER: self.together,
            Decision.TOKEN_SLOT: self.stripping,
            Decision.RAISE_TYPE: self.raising,
            Decision.AMBUSH: lambda: "tries an ambush" if self.action == Verb.YES else None,
            Decision.COUNTER: self.counter,
            Decision.DESIGNATE: lambda: f"lets {self.unit(self.cell)} take the counter-attack",
        }
        words = sentences[self.decision]() if self.decision in sentences else None
        if words is None and self.decision in CHOICES_OF_TEXTS and any(e.kind == Event.ANNOUNCE for e in self.events):
            words = self.text()
        return f"General {self.player} {words}" if words else None

    def discard(self) -> str | None:
        """Describe a discard."""
        return None if self.action == Verb.PASS else f"puts {self.names.types[self.type_id]} back into the sack"

    def deployment(self) -> str | None:
        """Describe where a token is deployed; for battlefields, an event says it."""
        type_id = self.chained(0)
        name = self.names.types[type_id]
        if self.names.kinds[type_id] == Kind.BATTLEFIELD:
            return None
        if self.names.kinds[type_id] != Kind.UNIT:
            return f"attaches {name} to {self.unit(self.cell)}"
        row = int(self.after["cell_unit"][self.cell])
        hidden = row >= 0 and self.after["token_face"][row] == Face.DOWN  # otherwise the next line tells of its reveal
        return f"deploys {name} at {self.names.hexes[self.cell]}" + (", face down" if hidden else "")

    def single(self) -> str | None:
        """Describe what one unit does to another."""
        return ATTACKS[self.verb].format(source=self.unit(self.chained(0)), target=self.unit(self.cell))

    def together(self) -> str | None:
        """Describe a coordinated attack, once all its members are named."""
        if self.action != Verb.PASS:
            return None
        rows = np.flatnonzero(self.before["token_member"]).tolist()
        rows.sort(key=lambda row: int(self.before["token_hex"][row]))
        members = [self.names.unit(self.before, row, self.player) for row in rows]
        listed = ", ".join(members[:-1]) + f" and {members[-1]}"
        return f"attacks {self.unit(self.chained(0))} with {listed} together, {TOGETHER[self.verb]}"

    def stripping(self) -> str | None:
        """Describe which attachment a Counter or Dispel is aimed at."""
        host = int(self.before["cell_unit"][self.chained(1)])
        token = self.names.token(self.before, self.attachment(host, self.slot))
        source = self.unit(self.chained(0))
        return f"aims the {STRIPPING[self.verb]} of {source} at {token} on {self.unit(self.chained(1))}"

    def raising(self) -> str | None:
        """Describe which token is to be raised."""
        return f"tries to raise {self.names.types[self.type_id]} with {self.unit(self.chained(0))}"

    def counter(self) -> str | None:
        """Say whether the defender counter-attacks."""
        defender = self.names.unit(self.before, int(self.before["attack_target"]), self.player)
        return f"counter-attacks with {defender}" if self.action == Verb.YES else "does not counter-attack"

    def text(self) -> str | None:
        """Describe which spell, maneuver or printed text is used, and on what, once everything is chosen."""
        unit, token = int(self.before["act_unit"]), int(self.before["act_token"])
        if self.decision in (Decision.CAST_SLOT, Decision.SURPRISE_SLOT):
            casts = self.decision == Decision.CAST_SLOT
            unit = int(self.before["cell_unit"][self.chained(0)] if casts else self.before["attack_target"])
            token = self.attachment(unit, self.slot)
        elif self.decision == Decision.SOURCE:
            unit = int(self.before["cell_unit"][self.cell])
        target = self.cell if self.decision == Decision.EFFECT_TARGET else int(self.before["act_hex"])
        aim = ""
        if target >= 0:
            aimed = int(self.before["cell_unit"][target]) >= 0
            aim = f" on {self.unit(target)}" if aimed else f" at {self.names.hexes[target]}"
        host = self.names.unit(self.before, unit, self.player)
        if token < 0:
            return f"uses the action text of {host}{aim}"
        name = self.names.token(self.before, token)
        if any(event.kind == Event.ANNOUNCE and event.value == Verb.SURPRISE for event in self.events):
            return f"answers with the surprise maneuver {name} of {host}{aim}"
        return f"activates {name} of {host}{aim}"

    def result(self) -> str | None:
        """Return the result of flips, if no event says it: a failed check, or an attack that killed nobody."""
        kinds = [event.kind for event in self.events]
        if Event.FLIP not in kinds or self.after["attack_verb"] != 0:
            return None
        if (self.after["token_employed"] > self.before["token_employed"]).any():
            return "the coordination check fails"
        ends_attack = self.before["attack_verb"] != 0 and Event.CASUALTY not in kinds
        return "nobody is killed" if ends_attack else None

    def drawn(self, player: int) -> list[str]:
        """Return the names of the tokens that came from a General's sack into their hand, in alphabetical order."""
        owned = self.before["token_owner"] == player
        came = (self.before["token_zone"] == Zone.SACK) & (self.after["token_zone"] == Zone.HAND) & owned
        return sorted(self.names.types[int(self.after["token_type"][row])] for row in np.flatnonzero(came))


def step_lines(step: Step) -> list[str]:
    """Return the narration of one decision, line by line."""
    sentence = step.sentence()
    lines = [sentence] if sentence else []
    lines += event_sentences(step.names, step.before, step.after, step.events, step.drawn)
    if result := step.result():
        lines.insert(_end_of_action(lines), result)
    outcome = outcome_sentence(step.before, step.after)
    return [*lines, outcome] if outcome else lines


def _end_of_action(lines: list[str]) -> int:
    """Return the index of the first line on the end of the turn, or the length of `lines` if there is none."""
    ends = [place for place, line in enumerate(lines) if line.startswith("Turn ") or " takes control " in line]
    return ends[0] if ends else len(lines)


class Narrator:
    """A narrator for games of one configuration.

    Attributes:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.names = Names.of(game)

    def describe(self, states_before: Records, action: int, states_after: Records) -> str | None:
        """Return the narration of one decision, as lines; None if there is nothing to tell yet.

        Args:
            states_before: `(1,)`.
            action: action id, or the code of a forfeit.
            states_after: `(1,)`, after this decision and no other.
        """
        if action < 0:
            player = forfeit_code(action)
            lines = [f"General {player} forfeits"]
            step = Step(self.names, states_before, int(Verb.PASS), states_after)
            lines += event_sentences(self.names, step.before, step.after, step.events, step.drawn)
            outcome = outcome_sentence(step.before, step.after)
            lines += [outcome] if outcome else []
        else:
            lines = step_lines(Step(self.names, states_before, action, states_after))
        return "\n".join(lines) if lines else None

    def opening(self, states: Records) -> list[str]:
        """Return what happened before the first decision, line by line: initiative, or the turn that begins."""
        state: Any = states.view(np.ndarray)[0]
        events = [event for event in log_of(state)[::-1] if event.kind != Event.NONE]
        return event_sentences(self.names, state, state, events, lambda player: [])

    def narrate_ply(self, states_before: Records, action: int, states_after: Records) -> Iterator[str]:
        """Yield the narration of one ply, including the forced decisions that followed, line by line.

        Args:
            states_before: `(1,)`.
            action: action id, or the code of a forfeit.
            states_after: `(1,)`, after the ply.
        """
        if action < 0 or not self.game.params["auto_forced"][0]:
            yield from (self.describe(states_before, action, states_after) or "").splitlines()
            return
        for before, each, after in decisions_of(self.game, states_before, action):
            yield from (self.describe(before, each, after) or "").splitlines()


def decisions_of(game: Game, states_before: Records, action: int) -> Iterator[tuple[Records, int, Records]]:
    """Yield the decisions of one ply, including the forced ones, as (before, action, after).

    Args:
        game: the game, with `auto_forced`.
        states_before: `(1,)`.
        action: action id of the first decision.
    """
    slow = game.params.copy()  # the same game, but each forced decision takes its own step
    slow["auto_forced"] = 0
    before, after = states_before.copy(), states_before.copy()
    while True:
        game.step(slow, after, np.array([action], np.int64))
        yield before, action, after
        if after["num_legal"][0] != 1 or after["error"][0]:
            return
        action = legal_ids(after["legal"][0])[0]
        copy_records(after, before)


def narrate(game: Game, record: GameRecord) -> Iterator[str]:
    """Yield the narration of a recorded game, line by line: turns as headings, what happens in them indented.

    Args:
        game: built from `record.config`.
        record: the game.

    Raises:
        ValueError: the record does not replay.
    """
    narrator = Narrator(game)
    lines: list[str] = []

    def listen(ply: int, before: Records, action: int, after: Records) -> None:
        if ply == 0:
            lines.extend(narrator.opening(before))
        lines.extend(narrator.narrate_ply(before, action, after))

    replay(game, record, listen)
    if record.players:
        yield "; ".join(f"General {seat}: {shorten(printable(name))}" for seat, name in enumerate(record.players))
    yield "Setup" if not record.config.get("scenario") else "From a scenario"
    for line in lines:
        yield line if line.startswith("Turn ") else f"{INDENT}{line[0].upper()}{line[1:]}."
