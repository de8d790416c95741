"""Positions of Territories for rule tests, played by the texts of actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.chance import write_forced
from sackarmies_env.core.game import Game
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.constants import Decision, Event, Frame, TurnStep, Unit

UNITS = [unit.name.lower() for unit in Unit]
NEUTRAL = -1
SEED = 1  # random seed of positions
TROOPS = {"troop": 2}
FAR = {20: (1, TROOPS)}  # keeps the other player in the game


class Table:
    """A game at a given position, played by the texts of actions.

    Attributes:
        game: the game.
        states: `(1,)`.
    """

    def __init__(self, game: Game, states: NDArray[np.void]) -> None:
        self.game, self.states = game, states

    def play(self, *texts: str) -> Table:
        """Take actions, each of which must be legal."""
        for text in texts:
            action = self.game.parse_action(self.states, text)
            assert text in self.legal(), (text, self.legal())
            self.game.step(self.game.params, self.states, np.array([action]))
        return self

    def legal(self) -> list[str]:
        """Return the texts of all legal actions."""
        return list(self.game.actions.legal_texts(self.states))

    def resume(self, **fields: Any) -> Table:
        """Set fields of the state, then resume until the next decision."""
        for name, value in {"decision": Decision.NONE, **fields}.items():
            self.states[name][0] = value
        dispatch(self.game.step_batch, self.game.params, self.states, Command.RESUME)
        return self

    def forfeit(self, player: int) -> Table:
        """Make a player forfeit."""
        dispatch(self.game.step_batch, self.game.params, self.states, Command.FORFEIT, player)
        return self

    def observation(self, viewer: int) -> NDArray[np.int8]:
        """Return a player's observation."""
        seen = np.zeros((1, self.game.observation_spec.size), np.int8)
        self.game.observe(self.game.params, self.states, [viewer], seen)
        return seen[0]

    def returns(self) -> list[float]:
        """Return the returns of all players, rounded to 4 decimals."""
        earned = np.zeros((1, self.game.num_players), np.float32)
        self.game.returns(self.game.params, self.states, earned)
        return [round(float(one), 4) for one in earned[0]]

    def events(self, *names: str) -> list[tuple[str, int, int, int]]:
        """Return public events, all or those named, latest first: name, player, territory (0: none), value."""
        logged = zip(self.log_kind, self.log_player, self.log_place, self.log_value, strict=True)
        rows = [(Event(int(row[0])).name, int(row[1]), int(row[2]) + 1, int(row[3])) for row in logged if row[0]]
        return [row for row in rows if not names or row[0] in names]

    def force_dice(self, faces: str) -> Table:
        """Make the next dice show these faces."""
        write_forced(self.states, self.game.forced_kinds, {"dice": faces})
        return self

    def force_draws(self, *kinds: int) -> Table:
        """Make player 0 draw these cards next, numbered from 1."""
        write_forced(self.states, self.game.forced_kinds, {"draws": [[f"card {kind}" for kind in kinds]]})
        return self

    def __getattr__(self, name: str) -> Any:
        """Return a field of the state."""
        value = self.states[name][0]
        return value if np.ndim(value) else int(value)

    @property
    def asked(self) -> str:
        """The decision that the current player must make."""
        return Decision(self.decision).name

    def units(self, territory: int) -> dict[str, int]:
        """Return the units in a territory, by type."""
        return _named(self.territory_units[territory - 1])

    def board(self, side: int) -> dict[str, int]:
        """Return the units of a side on the battle board."""
        return _named(self.board_units[side])

    def owner(self, territory: int) -> int:
        """Return who controls a territory."""
        return int(self.territory_owner[territory - 1])

    def cards(self, player: int) -> list[int]:
        """Return the cards in a hand, numbered from 1."""
        return [int(kind) + 1 for kind in self.hand[player][: self.hand_count[player]]]


def _named(counts: NDArray[np.int8]) -> dict[str, int]:
    return {unit: int(count) for unit, count in zip(UNITS, counts, strict=True) if count}


def table(
    territories: Mapping[int, tuple[int, Mapping[str, int]]],
    step: TurnStep = TurnStep.ATTACK,
    hands: Mapping[int, list[int]] | None = None,
    actions_left: int = 0,
    garrison: Mapping[int, Mapping[str, int]] | None = None,
    fields: Mapping[str, Any] | None = None,
    **options: Any,
) -> Table:
    """Return a game in which player 0 is at a step of the turn.

    Args:
        territories: number -> owner and units; all others are empty.
        step: step of the turn.
        hands: player -> cards in hand, numbered from 1.
        actions_left: standard actions left.
        garrison: player -> units in the garrison, where these are not what the map leaves.
        fields: fields of the state that differ from the usual third turn.
        options: passed to `make_game`.
    """
    game = make_game(**options)
    states = game.new_states(1)
    game.start(states, SEED)
    state = states[0]
    for field in ("territory_units", "hand_count", "hand_cycle", "frame_data", "decision"):
        state[field] = 0
    state["territory_owner"], state["hand"], state["log_kind"] = NEUTRAL, -1, 0
    state["garrison"][: game.num_players] = game.params["garrison"][0]
    for number, (owner, units) in territories.items():
        state["territory_owner"][number - 1] = owner
        for name, count in units.items():
            state["territory_units"][number - 1, UNITS.index(name)] = count
            state["garrison"][owner, UNITS.index(name)] -= count
    for player, units in (garrison or {}).items():
        for name, count in units.items():
            state["garrison"][player, UNITS.index(name)] = count
    deck = game.params["card_copies"][0].copy()
    for player, kinds in (hands or {}).items():
        for slot, kind in enumerate(kinds):
            state["hand"][player, slot] = kind - 1
            deck[kind - 1] -= 1
        state["hand_count"][player] = len(kinds)
    state["deck"], state["deck_count"] = deck, deck.sum()
    state["active"], state["first_player"], state["turn"] = 0, 0, 3
    state["frame_top"] = 0
    state["frame_kind"], state["frame_step"] = 0, 0
    state["frame_kind"][0], state["frame_step"][0] = Frame.TURN, step
    state["frame_data"][0] = [actions_left, 1, 0, 0]
    return Table(game, states).resume(**(fields or {}))


def attack(
    attackers: Mapping[str, int],
    defenders: Mapping[str, int],
    dice: str,
    *,
    source: int = 6,
    target: int = 1,
    reserve: Mapping[str, int] | None = None,
    **options: Any,
) -> Table:
    """Return a battle in which all of `attackers` and `defenders` stand on the board; T06 is higher than T01.

    A hero stays in the source, and `reserve` in the target.
    """
    there = dict(defenders)
    camp = {6: 11, 1: 2, 2: 3}[source]  # a free move is possible after the attack, so the turn goes on
    for unit, count in (reserve or {}).items():
        there[unit] = there.get(unit, 0) + count
    here = {**attackers, "hero": attackers.get("hero", 0) + 1}
    game = table({camp: (0, {"troop": 1}), source: (0, here), target: (1, there), **FAR}, **options)
    game.force_dice(dice).play(f"territory {source}")
    if game.asked == "ATTACK_TARGET":
        game.play(f"territory {target}")
    for unit, count in attackers.items():
        if game.asked == "ATTACK_UNIT":
            game.play(unit)
        if game.asked == "ATTACK_QUANTITY":
            game.play(f"quantity {count}")
    if game.asked == "ATTACK_UNIT":
        game.play("done")
    for unit, count in defenders.items():
        if game.asked == "DEFENSE_UNIT":
            game.play(unit)
        if game.asked == "DEFENSE_QUANTITY":
            game.play(f"quantity {count}")
    if game.asked == "DEFENSE_UNIT":
        game.play("done")
    return game
