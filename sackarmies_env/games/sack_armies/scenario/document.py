"""Scenarios: positions as data, from which games can start and as which any state can be written.

`schema` says what a scenario may hold, `check` what is wrong with one; `fill` turns a scenario into a state, `dump` a
state into a scenario; `procedure` handles what a plain position does not show.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import NDArray

from sackarmies_env.core.actions import ActionSpace
from sackarmies_env.core.messages import join_faults
from sackarmies_env.core.scenario_files import ScenarioSource, built_in_names, name_of, read_source
from sackarmies_env.core.state import ERROR_NONE, ERROR_SCRIPT_EXHAUSTED, ERROR_STUCK, alloc
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.core.validation import read_model
from sackarmies_env.games.sack_armies.config import Config, all_tokens, build_params, capacity_for, make_config
from sackarmies_env.games.sack_armies.play.step_batch import step_batch
from sackarmies_env.games.sack_armies.rules.stats import refresh_stats
from sackarmies_env.games.sack_armies.scenario.check import problems_of
from sackarmies_env.games.sack_armies.scenario.dump import to_scenario
from sackarmies_env.games.sack_armies.scenario.fill import ROWS_KEY, assign_rows, fill_state
from sackarmies_env.games.sack_armies.scenario.flow import flow_faults
from sackarmies_env.games.sack_armies.scenario.names import Names
from sackarmies_env.games.sack_armies.scenario.schema import Piece, Scenario, pieces_of
from sackarmies_env.games.sack_armies.state.actions import make_action_space
from sackarmies_env.games.sack_armies.state.record import make_state_dtype
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.army import Army
from sackarmies_env.games.sack_armies.tokens.catalogue import by_id
from sackarmies_env.games.sack_armies.tokens.passing import passing_faults
from sackarmies_env.games.sack_armies.tokens.schema import unique

__all__ = [
    "Position",
    "ScenarioSource",
    "initial_position",
    "load_scenario",
    "scenario_toml",
    "start_scenario",
    "to_scenario",
]

SCENARIOS_FOLDER = Path(__file__).parent / "built_in"
SHORT_LIST = re.compile(r"\[\n((?: ++[^][{}\n]++(?<=,)\n)++) *+\]")  # with no lists, tables or brackets inside
MAX_LINE = 100
ERRORS = {
    ERROR_SCRIPT_EXHAUSTED: "flips: the forced flips run out before the first decision",
    ERROR_STUCK: "procedure: no General has a legal action at its decision",
}


@dataclass(frozen=True, eq=False)
class Position:
    """A scenario made ready to play.

    Attributes:
        config: its configuration; a General's army consists of all tokens that they own in the scenario.
        params: `(1,)`, of that configuration.
        states: `(1,)`, at the first decision.
    """

    config: Config
    params: NDArray[np.void]
    states: NDArray[np.void]

    @functools.cached_property
    def text(self) -> ActionSpace:
        """Text forms of the actions."""
        return make_action_space(self.config.type_ids, self.config.grid)


@functools.cache
def scenario_ids() -> tuple[str, ...]:
    """Return the names of the built-in scenarios, sorted."""
    return built_in_names(SCENARIOS_FOLDER)


def load_scenario(source: ScenarioSource) -> dict[str, Any]:
    """Return a scenario as validated plain data, with the keys that were given.

    Args:
        source: the path of a TOML file, the name of a built-in scenario, or an equivalent dict.

    Raises:
        ValueError: with a line for each fault: in the file, the form of an entry, or a position that breaks the rules.
    """
    scenario, _, _ = _read(source)
    return _plain(scenario)


def start_scenario(source: ScenarioSource) -> Position:
    """Return a scenario ready to play, at its first decision.

    Args:
        source: as for `load_scenario`.

    Raises:
        ValueError: as for `load_scenario`; also if no first decision can be reached.
    """
    position = initial_position(source)
    dispatch(step_batch, position.params, position.states, Command.RESUME)
    error = int(position.states["error"][0])
    if error != ERROR_NONE:
        raise ValueError(f"{name_of(source)}: {ERRORS.get(error, f'engine error {error}')}")
    return position


def initial_position(source: ScenarioSource) -> Position:
    """Return a scenario not yet advanced to its first decision, so that forced results may still be changed.

    Args:
        source: as for `load_scenario`.

    Raises:
        ValueError: as for `load_scenario`.
    """
    scenario, config, name = _read(source)
    params = build_params(config)
    states = alloc(make_state_dtype(capacity_for(config)), 1)
    pieces = pieces_of(scenario)
    try:
        rows = assign_rows(params, config, pieces, scenario.procedure.get(ROWS_KEY))
        fill_state(params, config, scenario, pieces, rows, states)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    faults = [*flow_faults(params, states, Names(config, pieces, rows)), *passing_faults(config.tokens, states)]
    if faults:
        raise ValueError(join_faults(faults, f"{name}: procedure"))
    refresh_stats(params[0], states[0])
    return Position(config, params, states)


def scenario_toml(scenario: Mapping[str, Any]) -> str:
    """Return a scenario as the text of a TOML file, with short lists on one line."""
    return SHORT_LIST.sub(_on_one_line, tomli_w.dumps(dict(scenario)))


def _on_one_line(found: re.Match[str]) -> str:
    items = " ".join(line.strip() for line in found[1].split("\n")).strip().removesuffix(",")
    return f"[{items}]" if len(items) <= MAX_LINE else found[0]


def _read(source: ScenarioSource) -> tuple[Scenario, Config, str]:
    """Return a scenario, its configuration, and its name in error messages."""
    name, data = read_source(source, SCENARIOS_FOLDER, "sackarmies scenario list")
    scenario = read_model(Scenario, data, name)
    return scenario, _configure(scenario, name), name


def _configure(scenario: Scenario, name: str) -> Config:
    """Return the configuration of a scenario.

    Raises:
        ValueError: with a line for each problem of the position.
    """
    switches = Switches.read(scenario.switches, f"{name}: switches")
    pieces = pieces_of(scenario)
    try:
        tokens = by_id(all_tokens(unique(scenario.token, "token"), ()))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    problems = problems_of(scenario, pieces, tokens, switches)
    if problems:
        raise ValueError(join_faults(problems, name))
    armies = [Army("scenario", _counts(pieces, seat)) for seat in range(scenario.generals)]
    try:
        return make_config(scenario.generals, armies, switches, scenario.token, legal_armies=False)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _counts(pieces: list[Piece], seat: int) -> dict[str, int]:
    """Return the number of copies of each token that a General owns."""
    owned = [piece.token for piece in pieces if piece.owner == seat]
    return {token_id: owned.count(token_id) for token_id in dict.fromkeys(owned)}


def _plain(scenario: Scenario) -> dict[str, Any]:
    """Return the keys that were given, as JSON types."""
    data: dict[str, Any] = scenario.model_dump(mode="json", exclude_unset=True)
    return {"game": scenario.game} | data
