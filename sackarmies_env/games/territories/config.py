"""Configuration: players, map and switches, as validated data and as kernel parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.arguments import is_integer
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.state import alloc
from sackarmies_env.games.territories.data.schema import Map, load_map, load_rulebook
from sackarmies_env.games.territories.state.constants import NO_TERRITORY
from sackarmies_env.games.territories.state.params import PARAMS_DTYPE
from sackarmies_env.games.territories.switches import Switches

OFF_THE_MAP = -1  # elevation of a territory that is not on the map


@dataclass(frozen=True)
class Config:
    """One configuration of the game; `make_config` builds and validates it."""

    num_players: int
    board: Map
    switches: Switches


def make_config(
    num_players: int = 2, map_name: str = "full", switches: Mapping[str, Any] | Switches | None = None
) -> Config:
    """Return a validated configuration.

    Raises:
        ValueError: with one line for each fault.
    """
    board = load_map(map_name)
    least, most = board.players
    if not is_integer(num_players) or not least <= num_players <= most:
        allowed = str(least) if least == most else f"an integer from {least} to {most}"
        raise ValueError(f"num_players must be {allowed} on the map {board.name!r}, not {short_repr(num_players)}")
    return Config(int(num_players), board, Switches.read(switches))


def build_params(config: Config) -> NDArray[np.void]:
    """Return the configuration as a (1,) record of PARAMS_DTYPE, which is passed to every kernel.

    The id of a territory, also in actions, is its number on the map minus 1. A map with gaps in its numbers leaves
    gaps in the arrays that are indexed by territory.
    """
    params = alloc(PARAMS_DTYPE, 1)
    params["num_players"] = config.num_players
    _fill_map(params, config)
    _fill_rulebook(params)
    switches, limits = config.switches, config.board.limits
    params["pair_per_turn"] = switches.exchange_pair == "per_turn"
    params["domination"] = limits.domination if switches.domination else 0
    params["attacks_per_turn"] = switches.attacks_per_turn or limits.attacks_per_turn
    params["max_rounds"] = switches.max_rounds or limits.max_rounds
    return params


def _fill_map(params: NDArray[np.void], config: Config) -> None:
    board = config.board
    params["num_territories"] = len(board.territory)
    params["neighbors"] = NO_TERRITORY
    params["territories"] = NO_TERRITORY
    params["elevation"] = OFF_THE_MAP
    for place, each in enumerate(board.territory):
        params["territories"][0, place] = each.number - 1
        params["elevation"][0, each.number - 1] = each.elevation
        for border, other in enumerate(sorted(each.borders)):
            params["neighbors"][0, each.number - 1, border] = other - 1
    setup = board.setup
    params["dealt"] = setup.dealt[str(config.num_players)]
    params["dealt_troops"] = setup.dealt_troops
    params["placements"] = setup.placements
    params["placed_troops"] = setup.placed_troops
    params["first_actions"] = setup.first_actions
    params["garrison"][0] = board.garrison.units


def _fill_rulebook(params: NDArray[np.void]) -> None:
    rulebook = load_rulebook()
    for number, unit in enumerate(rulebook.unit):
        params["unit_value"][0, number] = unit.value
        params["unit_dice"][0, number] = unit.dice
        params["unit_counter"][0, number] = unit.counter
    for number, card in enumerate(rulebook.card):
        params["card_copies"][0, number] = card.copies
        params["card_effect"][0, number] = card.effect
        params["card_amount"][0, number] = card.amount
        params["card_penalty"][0, number] = card.penalty
