"""The game put together: a configuration and the kernels as one `Game`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.rng import seed_streams
from sackarmies_env.core.state import as_records, copy_records
from sackarmies_env.core.tables import Several, Strict, read_model
from sackarmies_env.core.words import short, suggestion, told
from sackarmies_env.games.sack_armies import step
from sackarmies_env.games.sack_armies.actions import ActionText
from sackarmies_env.games.sack_armies.advance import (
    advance_games,
    forfeit_games,
    reset_games,
    resume_games,
    step_games,
)
from sackarmies_env.games.sack_armies.army import Army, ArmyChoice
from sackarmies_env.games.sack_armies.config import Config, build_params, capacity_for, make_config
from sackarmies_env.games.sack_armies.constants import MAX_GENERALS, Decision
from sackarmies_env.games.sack_armies.determinize import determinize_games
from sackarmies_env.games.sack_armies.layout import make_observation_spec
from sackarmies_env.games.sack_armies.observe import observe_games
from sackarmies_env.games.sack_armies.planes import PlaneKernels, make_planes_spec
from sackarmies_env.games.sack_armies.scenario import ScenarioSource, lay_out_scenario, load_scenario, to_scenario
from sackarmies_env.games.sack_armies.schema import token_data
from sackarmies_env.games.sack_armies.state import MAX_SCRIPT_DRAWS, MAX_SCRIPT_FLIPS, make_state_dtype
from sackarmies_env.games.sack_armies.switches import read_switches

OBSERVATIONS = ("compact", "planes")
FLIPS = re.compile(r"[HTht|\s]*")
STREAMS = ("flip_key", "flip_count", "draw_key", "draw_count")

Reset = Callable[[Records, Records, NDArray[np.int64]], None]


def make_game(
    num_generals: int | None = None,
    armies: ArmyChoice | Sequence[ArmyChoice] = None,
    scenario: ScenarioSource | None = None,
    switches: Mapping[str, Any] | None = None,
    observation: str = "compact",
) -> Game:
    """Build a game of Sack Armies.

    Args:
        num_generals: 2 to 6; None: 2, or as many as the scenario says.
        armies: one choice for each General, or one for all: the id of a built-in army, the path of a TOML file, or the
            equal dict. None: an army of its own for each seat.
        scenario: a position to start from, in place of Setup: the name of a built-in one, the path of a TOML file, or
            the equal dict. Seeds decide what its script does not force; but where it says itself where chance stands
            (`seed`, or streams under `chance`, as dumps of positions do), every game has that chance.
        switches: agreements on the rules that differ from the defaults, and from the scenario's.
        observation: "compact", entity rows and counts, or "planes", the board as planes over the hexes.

    Raises:
        ValueError: with a line for each fault.
    """
    if observation not in OBSERVATIONS:
        near = suggestion(observation, OBSERVATIONS)
        raise ValueError(f"observation={short(observation)}{near}: allowed are {', '.join(map(repr, OBSERVATIONS))}")
    if scenario is not None:
        return _from_scenario(num_generals, armies, load_scenario(scenario), switches, observation)
    config = make_config(2 if num_generals is None else num_generals, armies, switches)
    plain = {
        "num_generals": config.num_generals,
        "armies": [_army_data(army) for army in config.armies],
        "switches": config.switches.changed(),
        "observation": observation,
    }
    return _assemble(config, plain, reset_games, step.prepare_games)


class RecordedConfig(Strict):
    """What `make_game` is given, as records hold it: all of it plain data, nothing by name."""

    num_generals: int | None = None
    armies: Annotated[Several[dict[str, Any]], Field(max_length=MAX_GENERALS)] | None = None
    scenario: dict[str, Any] | None = None
    switches: dict[str, Any] | None = None
    observation: Literal["compact", "planes"] = "compact"


def make_recorded_game(**config: Any) -> Game:
    """Build a game from the configuration in a record; armies and scenarios by name or file are refused.

    Raises:
        ValueError: as `make_game`.
    """
    given = read_model(RecordedConfig, config, "configuration")
    return make_game(**{name: getattr(given, name) for name in given.model_fields_set})


def _from_scenario(
    num_generals: int | None,
    armies: Any,
    scenario: dict[str, Any],
    switches: Mapping[str, Any] | None,
    observation: str,
) -> Game:
    given = scenario.get("generals", 2)
    if num_generals is not None and num_generals != given:
        raise ValueError(f"num_generals is {short(num_generals)}, but the scenario is for {given} Generals")
    if armies is not None:
        raise ValueError("armies are given with a scenario, but a scenario says itself which tokens there are")
    if switches:
        changed = read_switches({**scenario.get("switches", {}), **switches}).changed()
        scenario = {**scenario, "switches": changed}
    position = lay_out_scenario(scenario)
    has_chance = "seed" in scenario or any(name in scenario.get("chance", {}) for name in STREAMS)
    prepare = functools.partial(_lay_out, position.states, has_chance)
    reset = functools.partial(_prepare_and_resume, prepare)
    plain = {"scenario": scenario, "observation": observation}
    return _assemble(position.config, plain, reset, prepare, keeps_chance=has_chance)


def _army_data(army: Army) -> dict[str, Any]:
    data: dict[str, Any] = {"name": army.name, "tokens": dict(army.counts)}
    return data | ({"token": [token_data(token) for token in army.inline]} if army.inline else {})


def _assemble(
    config: Config, plain: dict[str, Any], reset: Reset, prepare: Reset, *, keeps_chance: bool = False
) -> Game:
    """Return the game of a configuration.

    Args:
        config: the configuration.
        plain: the arguments of `make_game` that give it.
        reset: starts games.
        prepare: lays games out, up to the point where a script may be written.
        keeps_chance: as in `Game`.
    """
    params = build_params(config)
    sizes = (config.num_generals, len(config.tokens), int(params["tokens_per_general"][0]))
    spec, observe, advance = make_observation_spec(*sizes), observe_games, advance_games
    if plain["observation"] == "planes":
        kernels = PlaneKernels(spec)
        spec, observe, advance = make_planes_spec(*sizes, config.radius), kernels.observe, kernels.advance
    text = ActionText(config.type_ids, config.grid)
    return Game(
        id="sack_armies",
        num_players=config.num_generals,
        num_actions=config.num_actions,
        state_dtype=make_state_dtype(capacity_for(config)),
        observation_spec=spec,
        params=params,
        config=plain,
        build=make_game,
        reset=reset,
        start=Start(config, params, prepare),
        legal_actions=step.legal_games,
        step=step_games,
        observe=observe,
        returns=step.returns_games,
        terminations=step.terminations_games,
        advance=advance,
        forfeit=forfeit_games,
        determinize=determinize_games,
        format_action=text.format_action,
        parse_action=text.parse_action,
        describe_decision=_describe_decision,
        to_scenario=functools.partial(to_scenario, params, config),
        lay_out=lambda states: prepare(params, states[:1], np.zeros(1, np.int64)),
        keeps_chance=keeps_chance,
        zero_sum=config.switches.reward == "zero_sum",
    )


def _describe_decision(states: Records) -> str:
    return Decision(int(states["decision"][0])).name


def _lay_out(template: Records, has_chance: bool, params: Records, states: Records, seeds: NDArray[np.int64]) -> None:
    """Put the position of a scenario into all states; its own chance, where it has one, outranks seeds."""
    for row, seed in enumerate(seeds):
        copy_records(template, states[row : row + 1])
        if not has_chance:
            seed_streams(as_records(states)[row], seed)


def _prepare_and_resume(prepare: Reset, params: Records, states: Records, seeds: NDArray[np.int64]) -> None:
    prepare(params, states, seeds)
    resume_games(params, states)


@dataclass(frozen=True)
class Start:
    """Starts games with forced results, see `Game.start`."""

    config: Config
    params: Records
    prepare: Reset

    def __call__(self, states: Records, seed: int, flips: str, draws: Sequence[Sequence[str]]) -> None:
        """Start a game in `states[0]`; forced results given here take the place of a scenario's."""
        forced_flips = _read_flips(flips)
        forced_draws = _read_draws(self.config, draws)
        self.prepare(self.params, states[:1], np.array([seed], np.int64))
        if forced_flips:
            states["script_flips"][0, : len(forced_flips)] = forced_flips
            states["script_flips_end"][0] = len(forced_flips)
            states["script_flips_used"][0] = 0
        for player, types in enumerate(forced_draws):
            states["script_draws"][0, player, : len(types)] = types
            states["script_draws_end"][0, player] = len(types)
            states["script_draws_used"][0, player] = 0
        resume_games(self.params, states[:1])


def _read_flips(flips: str) -> list[bool]:
    """Return forced flips, heads true.

    Raises:
        ValueError: other letters than H and T, or more of them than a state holds.
    """
    if not FLIPS.fullmatch(flips):
        raise ValueError(f"flips {short(flips)}: forced flips are written with H and T, blanks and bars between them")
    forced = [letter == "H" for letter in flips.upper() if letter in "HT"]
    if len(forced) > MAX_SCRIPT_FLIPS:
        raise ValueError(f"{len(forced)} flips are forced, but at most {MAX_SCRIPT_FLIPS} can be")
    return forced


def _read_draws(config: Config, draws: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return forced draws as types, a list for each General.

    Raises:
        ValueError: more lists than Generals, tokens that are not in the General's army, or more than a state holds.
    """
    if len(draws) > config.num_generals:
        raise ValueError(f"draws are forced for {len(draws)} Generals, but {config.num_generals} play")
    numbers = {token_id: number for number, token_id in enumerate(config.type_ids)}
    for player, ids in enumerate(draws):
        owned = config.armies[player].counts
        if len(ids) > MAX_SCRIPT_DRAWS:
            raise ValueError(f"{len(ids)} draws are forced for General {player}, but at most {MAX_SCRIPT_DRAWS} can be")
        for token_id in ids:
            if token_id not in owned:
                near = suggestion(token_id, owned)
                raise ValueError(f"draws[{player}]: General {player} has no token {told(token_id)}{near}")
    return [[numbers[token_id] for token_id in ids] for ids in draws]
