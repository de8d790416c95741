"""Observations, checked feature by feature against the state in plain Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.territories.state.constants import (
    MAX_SKIRMISHES,
    MAX_TERRITORIES,
    NUM_CARDS,
    Frame,
    TurnStep,
)
from sackarmies_env.testing.probe import observation_of
from tests.territories.builders import FAR, TROOPS, Table, table
from tests.territories.properties.bout import Bout
from tests.territories.referee.rulebook import MAPS, UNITS

FACES = range(2, 7)
SHOWN = 8  # events
LEAST, GREATEST = -128, 127
GAMES, DECISIONS, EVERY = (6, 40, 4) if INTERPRETED else (24, 120, 3)


def within(number: Any) -> int:
    return max(LEAST, min(GREATEST, int(number)))


class Expected:
    """The expected observation of a state: for each block, a list of rows of named features."""

    def __init__(self, game: Game, states: Records, viewer: int) -> None:
        self.game, self.state, self.viewer = game, states.view(np.ndarray)[0], viewer
        self.is_over = bool(self.state["terminated"] or self.state["truncated"])

    def seat(self, player: Any) -> int:
        """Return how many seats after the viewer a player sits; -1 for nobody."""
        return -1 if player < 0 else (int(player) - self.viewer) % self.game.num_players

    def blocks(self) -> dict[str, list[dict[str, int]]]:
        return {
            "globals": [self.globals()],
            "cards": [self.card(kind) for kind in range(NUM_CARDS)],
            "territories": [self.territory(place) for place in range(MAX_TERRITORIES)],
            "sides": [self.side(side) for side in range(2)],
            "skirmishes": [self.skirmish(place) for place in range(MAX_SKIRMISHES)],
            "events": [self.event(place) for place in range(SHOWN)],
            "players": [
                self.player((self.viewer + step) % self.game.num_players) for step in range(self.game.num_players)
            ],
        }

    def globals(self) -> dict[str, int]:
        state, top = self.state, int(self.state["frame_top"])
        plain = ("decision", "traded_in", "traded_out", "attacks", "victories", "barred", "source", "target")
        seats = ("current_player", "active", "first_player", "defender", "winner")
        return {
            **{name: int(state[name]) for name in (*plain, "num_skirmishes", "deck_count")},
            **{name: self.seat(state[name]) for name in seats},
            **{f"number_{place}": within(number) for place, number in enumerate(state["frame_data"][top])},
            "is_current": int(state["current_player"] == self.viewer),
            "procedure": int(state["frame_kind"][top]),
            "step": int(state["frame_step"][top]),
            "actions_left": within(state["frame_data"][0][0]),
            "free_moves": within(state["frame_data"][0][1]),
            "chain": int(state["chain"][0]),
            "round_percent": 100 * int(state["rounds"]) // int(self.game.params["max_rounds"][0]),
            "over": int(self.is_over),
        }

    def card(self, kind: int) -> dict[str, int]:
        state = self.state
        cards = {"hand": 0, "unseen_new": int(state["deck"][kind]), "unseen_old": 0}
        for player, count in enumerate(state["hand_count"]):
            for held, cycle in zip(state["hand"][player][:count], state["hand_cycle"][player], strict=False):
                if held == kind:
                    others = "unseen_new" if cycle == state["cycle"] else "unseen_old"
                    cards["hand" if player == self.viewer else others] += 1
        played = {name: int(state["played"][side][kind]) for side, name in enumerate(("attacker", "defender"))}
        return cards | played | {"discards": int(state["discards"][kind])}

    def territory(self, place: int) -> dict[str, int]:
        state, heights = self.state, MAPS[self.game.config["map"]].elevation
        return {
            "owner": self.seat(state["territory_owner"][place]),
            **dict(zip(UNITS, state["territory_units"][place].tolist(), strict=True)),
            "elevation": heights.get(place + 1, -1),
            "safe": int(state["territory_safe"][place]),
        }

    def side(self, side: int) -> dict[str, int]:
        state = self.state
        return {
            **dict(zip(UNITS, state["board_units"][side].tolist(), strict=True)),
            **{f"counter_{place + 1}": int(number) for place, number in enumerate(state["board_counters"][side])},
            **{f"loose_{face}": int(number) for face, number in zip(FACES, state["loose_dice"][side], strict=True)},
        }

    def skirmish(self, place: int) -> dict[str, int]:
        row: dict[str, int] = {"resolved": int(self.state["skirmish_over"][place])}
        for side, name in enumerate(("attacker", "defender")):
            dice = self.state["skirmish_dice"][place][side]
            row |= {f"{name}_{face}": int(number) for face, number in zip(FACES, dice, strict=True)}
            row[f"{name}_counters"] = int(self.state["skirmish_counters"][place][side])
            row[f"{name}_cards"] = int(self.state["skirmish_cards"][place][side])
        return row

    def event(self, place: int) -> dict[str, int]:
        state = self.state
        return {
            "kind": int(state["log_kind"][place]),
            "player": self.seat(state["log_player"][place]),
            "place": int(state["log_place"][place]),
            "value": int(state["log_value"][place]),  # none is large enough to be clipped
        }

    def player(self, player: int) -> dict[str, int]:
        state, count = self.state, int(self.state["hand_count"][player])
        garrison = {
            f"garrison_{unit}": int(number) for unit, number in zip(UNITS, state["garrison"][player], strict=True)
        }
        rolled = {f"rolled_{face}": int(number) for face, number in enumerate(state["rolled"][player], 1)}
        return (
            garrison
            | rolled
            | {
                "alive": int(state["alive"][player]),
                "territories": int((state["territory_owner"] == player).sum()),
                "cards": count,
                "new_cards": int((state["hand_cycle"][player][:count] == state["cycle"]).sum()),
            }
        )


def check(game: Game, states: Records, viewer: int) -> None:
    seen = observation_of(game, states, viewer)
    expected = Expected(game, states, viewer).blocks()
    assert [block.name for block in game.observation_spec.blocks] == list(expected)
    for block in game.observation_spec.blocks:
        names = [feature.name for feature in block.features]
        rows = [dict(zip(names, row, strict=True)) for row in game.observation_spec.view(seen, block.name).tolist()]
        assert rows == expected[block.name], (block.name, viewer)


def shown(table: Table, *names: str) -> list[int]:
    """Return features of the globals as the current player sees them."""
    spec, seen = table.game.observation_spec, table.observation(table.current_player)
    return [int(spec.view(seen[None], "globals")[0, 0, spec.block("globals").column(name)]) for name in names]


def test_extra_exchange_is_told_from_that_of_step_2():
    game = table({1: (0, {"troop": 9}), 2: (0, TROOPS), **FAR}, TurnStep.STANDARD, actions_left=1)
    game.play("extra exchange")
    extra = game.observation(0)
    game.play("done")
    assert (game.asked, shown(game, "procedure", "number_0")) == ("TRADE_IN", [Frame.EXCHANGE, 1])
    assert not np.array_equal(extra, game.observation(0))


def test_free_moves_that_are_left_are_seen_during_a_move():
    own = {6: (0, {"troop": 3}), 1: (0, TROOPS), **FAR}
    game = table(own, TurnStep.MOVE, hands={0: [8]})
    told = [shown(game, "procedure", "free_moves")]
    game.play("card 8")
    told.append(shown(game, "procedure", "free_moves"))
    assert told == [[Frame.MOVE, 0], [Frame.MOVE, 1]]


def test_seat_that_began_is_seen():
    game = table({1: (0, TROOPS), **FAR, 19: (2, TROOPS)}, fields={"first_player": 2}, num_players=3)
    place = game.game.observation_spec.index("globals", 0, "first_player")
    assert [int(game.observation(viewer)[place]) for viewer in range(3)] == [2, 1, 0]


@pytest.mark.parametrize("seed", range(GAMES))
def test_observations_show_the_state(seed):
    bout = Bout(seed, is_new=seed % 4 == 3)
    met: Counter[int] = Counter()
    for ply in range(DECISIONS):
        if bout.is_over:
            break
        if ply % EVERY == 0:
            for viewer in range(bout.game.num_players):
                check(bout.game, bout.states, viewer)
                met[viewer] += 1
        bout.play_at_random(1, forfeits=0.01)
    for viewer in range(bout.game.num_players):
        check(bout.game, bout.states, viewer)
    assert met
