"""Decisions that others cannot see: a sample does not depend on what the current player has chosen in secret so far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb
from tests.sack_armies.builders.fights import able, scenario, text
from tests.sack_armies.builders.text_game import attachment, field, token, unit
from tests.sack_armies.builders.twin_worlds import (
    CONFIGURATIONS,
    States,
    act,
    battle,
    copy_of,
    guess,
    observe,
    other_world,
    plain,
    wander,
)

PLIES = [6] if INTERPRETED else [200, pytest.param(400, marks=pytest.mark.slow)]
MOST = 12  # states checked that one position leads to in secret
CHOICES = 4  # legal actions tried at a decision
DUEL = {"num_generals": 2, "armies": ["scourge", "mongrels"]}
GAMES: dict[str, dict[str, Any]] = CONFIGURATIONS | {
    "four": {"num_generals": 4, "armies": ["undead", "goblin_swarm", "mongrels", "fey_court"]},
    "windows everywhere": DUEL | {"switches": {"reaction_windows": "full"}},
    "three, windows everywhere": {"num_generals": 3, "switches": {"reaction_windows": "full"}},
    "hands beyond the limit": DUEL | {"switches": {"initial_hand": 6}},
    "forced battle": {"scenario": battle() | {"switches": {"auto_forced": True}}},
    "full battle": {"scenario": battle() | {"switches": {"auto_forced": True, "reaction_windows": "full"}}},
    "early counters": {
        "scenario": battle() | {"switches": {"coord_window": "before_check", "counter_timing_coord": "before_flips"}}
    },
    "the General targeted alone": {"scenario": battle() | {"switches": {"reaction_windows": "targeted_only"}}},
}


def name_of(states: States) -> str:
    """Return what the current player is asked."""
    return Decision(int(plain(states)["decision"])).name


def secret_states(game: Game, states: States, viewer: int, rng: np.random.Generator) -> Iterator[States]:
    """Yield states that the current player may lead to while `viewer` sees nothing change."""
    player, seen = int(plain(states)["current_player"]), observe(game, states, viewer).tobytes()
    found, todo = {plain(states).tobytes()}, [states]
    while todo and len(found) <= MOST:
        origin = todo.pop(0)
        legal = legal_ids(plain(origin)["legal"])
        for action in {*rng.permutation(legal)[:CHOICES].tolist(), *(legal[:1] if legal[0] == Verb.PASS else [])}:
            world = copy_of(game, origin)
            act(game, world, action)
            is_secret = plain(world)["current_player"] == player and observe(game, world, viewer).tobytes() == seen
            if is_secret and plain(world).tobytes() not in found:
                found.add(plain(world).tobytes())
                todo.append(world)
                yield world


@pytest.mark.parametrize("plies", PLIES)
@pytest.mark.parametrize("name", GAMES)
def test_sample_does_not_depend_on_secret_choices_of_the_current_player(name, plies):
    game = make_game(**GAMES[name])
    num_secret = 0
    for ply, states in enumerate(wander(game, 6, plies)):
        rng = np.random.default_rng(ply)
        for viewer in set(range(game.num_players)) - {int(plain(states)["current_player"])}:
            expected = guess(game, states, viewer, ply)
            for origin in (states, other_world(game, states, viewer, ply + 1)):
                for world in secret_states(game, origin, viewer, rng):
                    found = guess(game, world, viewer, ply)
                    where = (ply, viewer, name_of(origin), name_of(world), name_of(expected), name_of(found))
                    assert found.tobytes() == expected.tobytes(), where
                    num_secret += 1
    assert INTERPRETED or num_secret > plies


# --- windows, seen from the other side

TOKENS = [
    token("rider", movement=4, damage=2, armor=3, band="green", abilities=[able("move_and_attack")]),
    token("lurker", damage=2, armor=3, band="green", abilities=[able("ambush")]),
    token("guard", damage=2, armor=4, band="green"),
    text("spell", "charm", "free", [{"kind": "modify", "stat": "armor", "amount": 1}]),
    text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4),
]


def attack(attacker: str, verb: str, hides: dict[int, str], third: str = "") -> tuple[Game, States]:
    """Return an announced attack of General 0 on General 1.

    `hides` names what the unit of each General hides; `third`, if given, adds General 2 with a unit of that face.
    """

    def hidden(owner: int) -> dict[str, Any]:
        return {"attached": [attachment(hides[owner])] if owner in hides else []}

    gap = 3 if verb == "move_attack" else 1
    units = [unit(attacker, "0,0", **hidden(0)), unit("guard", f"{gap},0", 1, **hidden(1))]
    fields = [field(f"{q},0", 0 if q < gap else 1) for q in range(-1, gap + 2)]
    if third:
        units.append(unit("guard", "0,4", 2, face=third))
        fields.append(field("0,4", 2))
    piles = [{"hand": [], "sack": ["guard", "charm", "bolt"], "casualties": [], "removed": []}] * (3 if third else 2)
    position = scenario(
        TOKENS, units, fields=fields, general=piles, switches={"auto_forced": True}, generals=3 if third else 2
    )
    game = make_game(scenario=position)
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    act(game, states, game.parse_action(states, verb))  # there is only one source and one target
    return game, states


def samples(game: Game, states: States, viewer: int) -> list[bytes]:
    """Return samples for `viewer`, for some seeds."""
    return [guess(game, states, viewer, seed).tobytes() for seed in range(8)]


@pytest.mark.parametrize(
    ("attacker", "verb", "side", "asked"),
    [("rider", "move_attack", 0, "CHARGE_TO"), ("lurker", "melee", 0, "AMBUSH"), ("guard", "melee", 1, "COUNTER")],
)
def test_whether_a_window_was_passed_silently_does_not_show_in_a_sample(attacker, verb, side, asked):
    game, without = attack(attacker, verb, {side: "bolt"})
    _, with_choice = attack(attacker, verb, {side: "charm"})
    assert (name_of(without), name_of(with_choice)) == (asked, "WINDOW")
    viewer = 1 - side
    assert observe(game, without, viewer).tobytes() == observe(game, with_choice, viewer).tobytes()
    assert samples(game, without, viewer) == samples(game, with_choice, viewer)
    act(game, with_choice, Verb.PASS)
    assert name_of(with_choice) == asked
    assert samples(game, without, viewer) == samples(game, with_choice, viewer)


def test_a_pass_stays_made_once_another_general_has_been_asked():
    game, states = attack("guard", "melee", {1: "charm"}, third="down")
    assert (name_of(states), plain(states)["current_player"]) == ("WINDOW", 1)
    act(game, states, Verb.PASS)
    assert (name_of(states), plain(states)["current_player"]) == ("WINDOW", 2)
    act(game, states, Verb.PASS)
    assert (name_of(states), plain(states)["current_player"]) == ("COUNTER", 1)
    assert {name_of(guess(game, states, viewer, seed)) for viewer in (0, 2) for seed in range(8)} == {"COUNTER"}


def test_a_sample_returns_to_the_window_if_a_third_general_passed_silently():
    game, states = attack("guard", "melee", {1: "charm"}, third="up")
    act(game, states, Verb.PASS)
    assert (name_of(states), plain(states)["current_player"]) == ("COUNTER", 1)
    assert {name_of(guess(game, states, viewer, seed)) for viewer in (0, 2) for seed in range(8)} == {"WINDOW"}
