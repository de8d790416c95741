"""Assembly of the game: a configuration and the kernels as one `Game`."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sackarmies_env.core.chance import ForcedKind
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.state import copy_records
from sackarmies_env.core.validation import StrictModel, read_model
from sackarmies_env.games.territories.belief.determinize import determinize_games
from sackarmies_env.games.territories.config import Config, build_params, make_config
from sackarmies_env.games.territories.play.step import write_initial
from sackarmies_env.games.territories.play.step_batch import step_batch
from sackarmies_env.games.territories.scenario.document import (
    ScenarioSource,
    initial_position,
    load_scenario,
    to_scenario,
)
from sackarmies_env.games.territories.scenario.schema import card_names
from sackarmies_env.games.territories.state.actions import ACTIONS
from sackarmies_env.games.territories.state.constants import DIE_FACES, NUM_CARDS, Decision
from sackarmies_env.games.territories.state.layout import make_observation_spec
from sackarmies_env.games.territories.state.record import STATE
from sackarmies_env.games.territories.switches import Switches

DICE = {str(face): face for face in range(1, DIE_FACES + 1)}
CARDS = {f"card {kind + 1}": kind for kind in range(NUM_CARDS)} | {name: kind for kind, name in enumerate(card_names())}


def make_game(
    num_players: int | None = None,
    map: str | None = None,  # noqa: A002 - what users call it
    switches: Mapping[str, Any] | None = None,
    scenario: ScenarioSource | None = None,
) -> Game:
    """Build a game of Territories.

    Args:
        num_players: 2 to 4, but 2 on the small map. None: as many as in the scenario, or 2 without one.
        map: "full", with 20 territories, or "small", with 7. None: the map of the scenario, or "full" without one.
        switches: rule switches that override the defaults and those of the scenario, see `Switches`.
        scenario: a position to start from instead of the set-up: the name of a built-in scenario, the path of a TOML
            file, or the equivalent dict. Seeds decide whatever it does not force. But if it fixes the state of chance
            (by `seed`, or by `chance`, as dumped positions do), every game starts with that state.

    Raises:
        ValueError: with one line for each fault.
    """
    if scenario is not None:
        return _from_scenario(num_players, map, switches, load_scenario(scenario))
    config = make_config(2 if num_players is None else num_players, "full" if map is None else map, switches)
    params = build_params(config)
    return _assemble(config, params, _plain(config), functools.partial(write_initial, params))


class RecordedConfig(StrictModel):
    """Arguments of `make_game` as records hold them: plain data only, no scenario by name."""

    num_players: int | None = None
    map: str | None = None
    switches: dict[str, Any] | None = None
    scenario: dict[str, Any] | None = None


def make_recorded_game(**config: Any) -> Game:
    """Build a game from the configuration in a record; scenarios by name or file are refused.

    Raises:
        ValueError: as for `make_game`.
    """
    given = read_model(RecordedConfig, config, "configuration")
    return make_game(**{name: getattr(given, name) for name in given.model_fields_set})


def _from_scenario(
    num_players: int | None, map_name: str | None, switches: Mapping[str, Any] | None, scenario: dict[str, Any]
) -> Game:
    for name, given, default in (("num_players", num_players, 2), ("map", map_name, "full")):
        said = scenario.get(name, default)
        if given is not None and given != said:
            raise ValueError(f"{name} is {short_repr(given)}, but the scenario has {short_repr(said)}")
    chosen = Switches.read(switches).model_dump(mode="json", exclude_unset=True)
    if chosen:
        changed = Switches.read({**scenario.get("switches", {}), **chosen}).changed()
        scenario = {**scenario, "switches": changed}
    position = initial_position(scenario)
    config, initial_state = position.config, functools.partial(copy_records, position.states)
    game = _assemble(config, position.params, _plain(config) | {"scenario": scenario}, initial_state)
    return replace(game, keeps_chance=position.keeps_chance, conceal=functools.partial(_conceal, _plain(config)))


def _conceal(plain: Mapping[str, Any], player: int) -> Game:
    """Return what a player may know of a game that starts from a scenario: its rules, but nothing of the position."""
    return make_game(**copy.deepcopy(dict(plain)))


def _plain(config: Config) -> dict[str, Any]:
    """Return players, map and switches as arguments of `make_game`."""
    return {"num_players": config.num_players, "map": config.board.name, "switches": config.switches.changed()}


def _assemble(config: Config, params: Records, plain: dict[str, Any], initial_state: Callable[[Records], None]) -> Game:
    return Game(
        id="territories",
        num_players=config.num_players,
        actions=ACTIONS,
        state_layout=STATE,
        observation_spec=make_observation_spec(config.num_players),
        params=params,
        config=plain,
        build=make_game,
        step_batch=step_batch,
        initial_state=initial_state,
        determinize_batch=determinize_games,
        describe_decision=_describe_decision,
        write_scenario=functools.partial(to_scenario, config),
        forced_kinds=(
            ForcedKind("dice", (DICE,), is_shared=True),
            ForcedKind("draws", (CARDS,) * config.num_players, has_memory=True),
        ),
        zero_sum=True,
    )


def _describe_decision(states: Records) -> str:
    return Decision(int(states["decision"][0])).name
