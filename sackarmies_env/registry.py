"""Games by name, and environments made of them."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sackarmies_env.core.words import short, suggestion

if TYPE_CHECKING:
    from sackarmies_env.core.game import Game
    from sackarmies_env.core.notation import GameRecord

GYMNASIUM_ID = "sackarmies_env/SackArmies-v0"

# id -> the module that exports `make_game` and `load_scenario`; imported when it is asked for.
_GAMES: dict[str, str] = {"sack_armies": "sackarmies_env.games.sack_armies"}


def register_game(game_id: str, module: str) -> None:
    """Make a game known to `load_game` and `make`.

    Args:
        game_id: its name.
        module: import path of a module with `make_game(**options) -> Game` and, where there are scenarios,
            `load_scenario(source) -> dict`; where options may name files, also `make_recorded_game(**options) -> Game`,
            which takes plain data alone and reads no file.
    """
    _GAMES[game_id] = module


def list_games() -> list[str]:
    """Return the ids of all games."""
    return sorted(_GAMES)


def _module(game_id: str) -> Any:
    if not isinstance(game_id, str) or game_id not in _GAMES:
        near = suggestion(game_id, _GAMES)
        raise ValueError(f"there is no game {short(game_id)}{near}: known are {', '.join(list_games())}")
    return importlib.import_module(_GAMES[game_id])


def load_game(game_id: str, **config: Any) -> Game:
    """Build a game in one configuration.

    Args:
        game_id: see `list_games`.
        config: the options of the game's `make_game`.

    Raises:
        ValueError: no such game, an unknown option, or a value that the game refuses.
    """
    build = _module(game_id).make_game
    _check_options(config, inspect.signature(build).parameters, game_id)
    game: Game = build(**config)
    return game


def game_of(record: GameRecord) -> Game:
    """Build the game that a record is of, from the data in the record alone: a file that it may name is not read.

    Args:
        record: of whatever origin.

    Raises:
        ValueError: no such game, or a configuration that the game refuses.
    """
    module = _module(record.game)
    build = getattr(module, "make_recorded_game", module.make_game)
    _check_options(record.config, inspect.signature(module.make_game).parameters, f"the configuration of {record.game}")
    game: Game = build(**record.config)
    return game


def load_scenario(source: Mapping[str, Any] | str | Path, game_id: str = "sack_armies") -> dict[str, Any]:
    """Return a scenario, checked, as plain data to be given as `scenario=` when a game or an environment is made.

    Args:
        source: the path of a TOML file, the name of a built-in scenario, or the equal dict.
        game_id: the game it is for.

    Raises:
        ValueError: no such game or file, or a line for each fault of the scenario.
    """
    scenario: dict[str, Any] = _module(game_id).load_scenario(source)
    return scenario


def make(game_id: str, api: str = "aec", **options: Any) -> Any:
    """Make an environment of a game.

    Args:
        game_id: see `list_games`.
        api: "aec" (PettingZoo, wrapped), "raw" (PettingZoo, bare), "gym" (Gymnasium, one seat against opponents) or
            "vector" (Gymnasium, many games at once).
        options: those of the game's `make_game` and those of the environment's class, together.

    Raises:
        ValueError: no such game or api, an unknown option, or a value that is refused.
    """
    if not isinstance(api, str) or api not in _APIS:
        raise ValueError(f"api={short(api)}{suggestion(api, _APIS)}: allowed are {', '.join(map(repr, _APIS))}")
    adapter, adapter_options = _APIS[api]()
    game_options = inspect.signature(_module(game_id).make_game).parameters
    _check_options(options, [*game_options, *adapter_options], f"{game_id} as {api!r}")
    game = load_game(game_id, **{name: value for name, value in options.items() if name in game_options})
    return adapter(game, **{name: value for name, value in options.items() if name not in game_options})


def _check_options(given: Mapping[str, Any], known: Any, whose: str) -> None:
    for name in given:
        if name not in known:
            near = suggestion(name, known)
            raise ValueError(f"unknown option {short(name)}{near} of {whose}: known are {', '.join(known)}")


# --- adapters, imported when asked for: each gives what makes an environment of a game, and its options

Adapter = tuple[Callable[..., Any], list[str]]


def _common_options() -> list[str]:
    from sackarmies_env.envs.options import Options

    return [field.name for field in fields(Options)]


def _keywords(adapter: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(adapter).parameters.values()
    return [one.name for one in parameters if one.kind is not one.VAR_KEYWORD and one.name != "game"]


def _raw() -> Adapter:
    from sackarmies_env.envs.aec import RawEnv

    return RawEnv, _common_options()


def _aec() -> Adapter:
    from sackarmies_env.envs.aec import RawEnv
    from sackarmies_env.envs.wrapped import OrderEnforced

    return lambda game, **options: OrderEnforced(RawEnv(game, **options)), _common_options()


def _gym() -> Adapter:
    from sackarmies_env.envs.gym_env import SingleSeatEnv

    return SingleSeatEnv, _keywords(SingleSeatEnv) + _common_options()


def _vector() -> Adapter:
    from sackarmies_env.envs.vector_env import BatchEnv

    return BatchEnv, _keywords(BatchEnv)


_APIS: dict[str, Callable[[], Adapter]] = {"aec": _aec, "raw": _raw, "gym": _gym, "vector": _vector}


def register_environments() -> None:
    """Tell Gymnasium, and PettingZoo where it keeps a registry, of the environments; once is enough."""
    import gymnasium
    import pettingzoo

    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            id=GYMNASIUM_ID,
            entry_point="sackarmies_env.sack_armies_v0:single_seat_env",
            vector_entry_point="sackarmies_env.sack_armies_v0:vector_env",
        )
    if hasattr(pettingzoo, "aec_registry") and GYMNASIUM_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", GYMNASIUM_ID, "sackarmies_env.sack_armies_v0:env")
