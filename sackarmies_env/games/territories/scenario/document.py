"""Scenarios: positions as data, from which games start and to which any state can be dumped.

`schema` defines what a scenario may hold; `check`, `flow` and `battle` find its faults. `fill`, with the help of
`sequence`, converts a scenario to a state, and `dump` a state to a scenario.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.messages import join_faults
from sackarmies_env.core.scenario_files import ScenarioSource, built_in_names, read_source
from sackarmies_env.core.state import alloc
from sackarmies_env.core.validation import read_model
from sackarmies_env.games.territories.config import Config, build_params, make_config
from sackarmies_env.games.territories.scenario.check import problems_of
from sackarmies_env.games.territories.scenario.dump import to_scenario
from sackarmies_env.games.territories.scenario.fill import fill_state
from sackarmies_env.games.territories.scenario.flow import flow_faults
from sackarmies_env.games.territories.scenario.schema import Scenario
from sackarmies_env.games.territories.state.record import STATE
from sackarmies_env.games.territories.switches import Switches

__all__ = ["Position", "ScenarioSource", "initial_position", "load_scenario", "scenario_ids", "to_scenario"]

SCENARIOS_FOLDER = Path(__file__).parent / "built_in"


@dataclass(frozen=True, eq=False)
class Position:
    """A scenario ready to be played.

    Attributes:
        config: its configuration.
        params: `(1,)`, that configuration as parameters.
        states: `(1,)`, not yet advanced to the first decision.
        keeps_chance: whether the scenario fixes the state of chance.
    """

    config: Config
    params: NDArray[np.void]
    states: NDArray[np.void]
    keeps_chance: bool


@functools.cache
def scenario_ids() -> tuple[str, ...]:
    """Return the names of the built-in scenarios, sorted."""
    return built_in_names(SCENARIOS_FOLDER)


def load_scenario(source: ScenarioSource) -> dict[str, Any]:
    """Return a scenario as validated plain data, with the keys that were given.

    Args:
        source: the path of a TOML file, the name of a built-in scenario, or the equivalent dict.

    Raises:
        ValueError: with one line for each fault: in the file, in the form of an entry, or a position against the rules.
    """
    scenario, _, _ = _read(source)
    data: dict[str, Any] = scenario.model_dump(mode="json", exclude_unset=True)
    return {"game": scenario.game} | data


def initial_position(source: ScenarioSource) -> Position:
    """Return a scenario as a position that is not yet advanced, so that forced results can still be changed.

    Args:
        source: as for `load_scenario`.

    Raises:
        ValueError: as for `load_scenario`.
    """
    scenario, config, params = _read(source)
    states = alloc(STATE.dtype, 1)
    fill_state(config, params, scenario, states)
    return Position(config, params, states, scenario.keeps_chance)


def _read(source: ScenarioSource) -> tuple[Scenario, Config, NDArray[np.void]]:
    """Return a validated scenario, its configuration, and the configuration as parameters."""
    name, data = read_source(source, SCENARIOS_FOLDER, "sackarmies scenario list --game territories")
    scenario = read_model(Scenario, data, name)
    switches = Switches.read(scenario.switches, f"{name}: switches")
    try:
        config = make_config(scenario.num_players, scenario.map, switches)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    params = build_params(config)
    problems = problems_of(config, params, scenario) or flow_faults(config, params, scenario)
    if problems:
        raise ValueError(join_faults(problems, name))
    return scenario, config, params
