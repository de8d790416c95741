"""Assembly of the game: a configuration and the kernels as one `Game`."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from sackarmies_env.core.chance import ForcedKind
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.messages import short_repr, suggestion
from sackarmies_env.core.state import copy_records
from sackarmies_env.core.validation import StrictModel, TupleOf, read_model
from sackarmies_env.games.sack_armies.belief.determinize import determinize_games
from sackarmies_env.games.sack_armies.config import Config, build_params, capacity_for, make_config
from sackarmies_env.games.sack_armies.observation.planes import make_planes_spec
from sackarmies_env.games.sack_armies.play.planes import Planes
from sackarmies_env.games.sack_armies.play.step import write_initial
from sackarmies_env.games.sack_armies.play.step_batch import step_batch
from sackarmies_env.games.sack_armies.scenario.document import (
    ScenarioSource,
    initial_position,
    load_scenario,
    to_scenario,
)
from sackarmies_env.games.sack_armies.scenario.procedure import STREAMS
from sackarmies_env.games.sack_armies.state.actions import make_action_space
from sackarmies_env.games.sack_armies.state.constants import MAX_GENERALS, Decision
from sackarmies_env.games.sack_armies.state.layout import make_observation_spec
from sackarmies_env.games.sack_armies.state.record import make_state_layout
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.army import Army, ArmyChoice
from sackarmies_env.games.sack_armies.tokens.schema import token_data

DECISIONS_A_TURN = 1000  # at most, on average, including Setup; random play needs 4
OBSERVATIONS = ("compact", "planes")
COIN = {"H": 1, "T": 0}
DECKS = ("deck", "deck_jokers")  # flip methods in which each card comes once

InitialState = Callable[[Records], None]


def make_game(
    num_generals: int | None = None,
    armies: ArmyChoice | Sequence[ArmyChoice] = None,
    scenario: ScenarioSource | None = None,
    switches: Mapping[str, Any] | Switches | None = None,
    observation: str = "compact",
) -> Game:
    """Build a game of Sack Armies.

    Args:
        num_generals: 2 to 6; defaults to 2, or to the number in the scenario.
        armies: one choice for each General, or one for all: the id of a built-in army, the path of a TOML file, or an
            equivalent dict. If None, each seat has its own default army.
        scenario: a position to start from instead of Setup: the name of a built-in one, the path of a TOML file, or an
            equivalent dict. Seeds decide what its script does not force; but if it fixes chance itself (`seed`, or
            streams under `chance`, as in dumps of positions), every game has that chance.
        switches: agreements on the rules that differ from the defaults, or from the scenario's.
        observation: "compact" (entity rows and counts) or "planes" (the board as planes over the hexes).

    Raises:
        ValueError: with a line for each fault.
    """
    if observation not in OBSERVATIONS:
        near = suggestion(observation, OBSERVATIONS)
        raise ValueError(
            f"observation={short_repr(observation)}{near}: allowed are {', '.join(map(repr, OBSERVATIONS))}"
        )
    if scenario is not None:
        return _from_scenario(num_generals, armies, load_scenario(scenario), switches, observation)
    config = make_config(2 if num_generals is None else num_generals, armies, switches)
    plain = {
        "num_generals": config.num_generals,
        "armies": [_army_data(army) for army in config.armies],
        "switches": config.switches.changed(),
        "observation": observation,
    }
    params = build_params(config)
    return _assemble(config, params, plain, functools.partial(write_initial, params))


class RecordedConfig(StrictModel):
    """The arguments of `make_game` as held in records: all of it plain data, nothing by name."""

    num_generals: int | None = None
    armies: Annotated[TupleOf[dict[str, Any]], Field(max_length=MAX_GENERALS)] | None = None
    scenario: dict[str, Any] | None = None
    switches: dict[str, Any] | None = None
    observation: Literal["compact", "planes"] = "compact"


def make_recorded_game(**config: Any) -> Game:
    """Build a game from the configuration in a record; armies and scenarios by name or file are refused.

    Raises:
        ValueError: as for `make_game`.
    """
    given = read_model(RecordedConfig, config, "configuration")
    return make_game(**{name: getattr(given, name) for name in given.model_fields_set})


def _from_scenario(
    num_generals: int | None,
    armies: Any,
    scenario: dict[str, Any],
    switches: Mapping[str, Any] | Switches | None,
    observation: str,
) -> Game:
    given = scenario.get("generals", 2)
    if num_generals is not None and num_generals != given:
        raise ValueError(f"num_generals is {short_repr(num_generals)}, but the scenario is for {given} Generals")
    if armies is not None:
        raise ValueError("armies and scenario cannot be combined: a scenario defines its own tokens")
    if switches:
        changes = Switches.read(switches).model_dump(mode="json", exclude_unset=True)  # defaults too, if given
        scenario = {**scenario, "switches": Switches.read({**scenario.get("switches", {}), **changes}).changed()}
    position = initial_position(scenario)
    has_chance = "seed" in scenario or any(name in scenario.get("chance", {}) for name in STREAMS)
    initial_state = functools.partial(copy_records, position.states)
    plain = {"scenario": scenario, "observation": observation}
    return _assemble(position.config, position.params, plain, initial_state, keeps_chance=has_chance)


def make_known_game(
    num_generals: int,
    armies: Sequence[Mapping[str, Any]],
    tokens: Sequence[Mapping[str, Any]],
    switches: Mapping[str, Any],
    room: int,
    observation: str,
) -> Game:
    """Build a game as a General may know it; see `Game.known_to`.

    Args:
        num_generals: 2 to 6.
        armies: plain data, one for each General, as far as they are known.
        tokens: all inline tokens of the game.
        switches: those that differ from the defaults.
        room: number of tokens per General that states have room for.
        observation: as in `make_game`.
    """
    config = replace(make_config(num_generals, armies, switches, tokens, legal_armies=False), room=room)
    plain = {
        "num_generals": num_generals,
        "armies": list(armies),
        "tokens": list(tokens),
        "switches": dict(switches),
        "room": room,
        "observation": observation,
    }
    params = build_params(config)
    game = _assemble(config, params, plain, functools.partial(write_initial, params))
    return replace(game, build=make_known_game)


def _conceal(config: Config, observation: str, player: int) -> Game:
    """Return a game as a General may know it: unless army lists are open, their own army stands in for all others."""
    is_open = config.switches.open_army_lists
    armies = [config.armies[seat if is_open else player] for seat in range(config.num_generals)]
    known = {
        "num_generals": config.num_generals,
        "armies": [{"name": f"army {seat}", "tokens": dict(army.counts)} for seat, army in enumerate(armies)],
        "tokens": [token_data(token) for token in config.inline_tokens],
        "switches": config.switches.changed(),
        "room": capacity_for(config).tokens,
        "observation": observation,
    }
    # Sorted, since a scenario's tokens are counted in the order in which they are placed. And parsed anew, since a
    # pickle shows which of its strings are the same object.
    return make_known_game(**json.loads(json.dumps(known, sort_keys=True)))


def _army_data(army: Army) -> dict[str, Any]:
    data: dict[str, Any] = {"name": army.name, "tokens": dict(army.counts)}
    return data | ({"token": [token_data(token) for token in army.inline]} if army.inline else {})


def _assemble(
    config: Config, params: Records, plain: dict[str, Any], initial_state: InitialState, *, keeps_chance: bool = False
) -> Game:
    """Return the game of a configuration.

    Args:
        config: the configuration.
        params: `(1,)`, the configuration as parameters for kernels.
        plain: the arguments that rebuild the game.
        initial_state: as in `Game`.
        keeps_chance: as in `Game`.
    """
    sizes = (config.num_generals, len(config.tokens), int(params["tokens_per_general"][0]))
    spec, entry = make_observation_spec(*sizes), step_batch
    if plain["observation"] == "planes":
        entry = Planes(spec).step_batch
        spec = make_planes_spec(*sizes, config.radius)
    return Game(
        id="sack_armies",
        num_players=config.num_generals,
        actions=make_action_space(config.type_ids, config.grid),
        state_layout=make_state_layout(capacity_for(config)),
        observation_spec=spec,
        params=params,
        config=plain,
        build=make_game,
        step_batch=entry,
        initial_state=initial_state,
        determinize_batch=determinize_games,
        describe_decision=_describe_decision,
        write_scenario=functools.partial(to_scenario, params, config),
        forced_kinds=forced_kinds(config),
        keeps_chance=keeps_chance,
        zero_sum=config.switches.reward == "zero_sum",
        conceal=functools.partial(_conceal, config, plain["observation"]),
        max_decisions=DECISIONS_A_TURN * config.switches.max_turns,
    )


def _describe_decision(states: Records) -> str:
    return Decision(int(states["decision"][0])).name


def forced_kinds(config: Config) -> tuple[ForcedKind, ...]:
    """Return what can be forced: flips (heads or tails), and draws from the army of each General."""
    numbers = {token_id: number for number, token_id in enumerate(config.type_ids)}
    armies = tuple({token_id: numbers[token_id] for token_id in army.counts} for army in config.armies)
    are_cards = config.switches.flip_method in DECKS
    flips = ForcedKind("flips", (COIN,), is_shared=True, has_memory=are_cards)
    return flips, ForcedKind("draws", armies, has_memory=True)
