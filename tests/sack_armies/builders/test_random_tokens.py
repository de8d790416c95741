"""Random tokens, armies, switches and battles: every kind occurs, and all are valid."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.scenario.document import initial_position
from sackarmies_env.games.sack_armies.state.constants import Ability, Effect
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.army import check_army, read_army
from sackarmies_env.games.sack_armies.tokens.schema import TargetName
from tests.sack_armies.builders.random_battles import random_battle
from tests.sack_armies.builders.random_tokens import Random, random_army, random_switches, random_tokens, switch_values

NUM_TOKENS = 27


def rng_of(seed: int) -> Random:
    return np.random.default_rng(seed)


def made(count: int) -> list[dict[str, Any]]:
    """Return the tokens of `count` seeds."""
    return [token for seed in range(count) for token in random_tokens(rng_of(seed), NUM_TOKENS)]


def effects_of(tokens: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [effect for token in tokens if token["kind"] != "battlefield" for effect in token.get("effects", [])]


def test_tokens_have_all_kinds_uses_and_targets():
    tokens = made(20)
    assert {token["kind"] for token in tokens} == {"unit", "battlefield", "spell", "maneuver"}
    uses = {(token["kind"], token["use"]) for token in tokens if "use" in token}
    attachments = {(kind, use) for kind in ("spell", "maneuver") for use in ("action", "free", "permanent")}
    assert uses == {("unit", "action")} | attachments
    assert {token["target"] for token in tokens if "target" in token} == set(get_args(TargetName))


def test_tokens_have_all_effects_and_abilities():
    tokens = made(20)
    assert {effect["kind"] for effect in effects_of(tokens)} == {effect.name.lower() for effect in Effect}
    printed = {ability["kind"] for token in tokens for ability in token.get("abilities", [])}
    granted = {effect["ability"]["kind"] for effect in effects_of(tokens) if effect["kind"] == "grant"}
    assert printed == granted == {ability.name.lower() for ability in Ability}
    assert any(token.get("limits") for token in tokens)


def test_the_same_seed_makes_the_same():
    assert random_tokens(rng_of(7), NUM_TOKENS) == random_tokens(rng_of(7), NUM_TOKENS)
    assert random_army(rng_of(7)) == random_army(rng_of(7))
    assert random_switches(rng_of(7)) == random_switches(rng_of(7))


@pytest.mark.parametrize("with_tokens", [False, True])
def test_armies_are_legal(with_tokens):
    for seed in range(30):
        rng = rng_of(seed)
        army = read_army(random_army(rng, random_tokens(rng, NUM_TOKENS) if with_tokens else ()), "random army")
        assert check_army(army) == []
        assert bool(army.inline) == with_tokens


def test_armies_keep_agreed_limits():
    agreed = Switches(max_ranks=20, min_battlefields=7, copy_limits={"1": 2, "2": 1})
    for seed in range(30):
        army = read_army(random_army(rng_of(seed), switches=agreed), "random army")
        assert check_army(army, switches=agreed) == []


def test_switches_take_every_value():
    taken = [Switches.read(random_switches(rng_of(seed))) for seed in range(30)]
    for name, values in switch_values().items():
        assert {getattr(switches, name) for switches in taken} == set(values), name
    assert random_switches(rng_of(0), chance=0.0) == {}


@pytest.mark.parametrize("num_generals", [2, 3, 4, 5, 6])
def test_battles_are_positions_that_can_be_played(num_generals):
    for seed in range(6):
        rng = rng_of(seed)
        battle = random_battle(rng, num_generals, random_tokens(rng, NUM_TOKENS), random_switches(rng))
        assert initial_position(battle).config.num_generals == num_generals
        assert {unit["owner"] for unit in battle["unit"]} == set(range(num_generals))
