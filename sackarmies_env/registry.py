"""Registry of games, and environments made by name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sackarmies_env.core.entries import GameEntry, add_entry, entry_of, environment_id_of, game_ids
from sackarmies_env.core.messages import short_repr, suggestion
from sackarmies_env.envs.keywords import refuse_unknown

if TYPE_CHECKING:
    from sackarmies_env.core.game import Game
    from sackarmies_env.core.record import GameRecord

DEFAULT_GAME = "sack_armies"
MADE_HERE = ("padding", "variety")  # options of adapters that `make` derives from others

SACK_ARMIES = GameEntry(
    id=DEFAULT_GAME,
    make_game="sackarmies_env.games.sack_armies:make_game",
    make_recorded_game="sackarmies_env.games.sack_armies:make_recorded_game",
    load_scenario="sackarmies_env.games.sack_armies:load_scenario",
    picture="sackarmies_env.render.sack_armies.picture:picture",
    narrate="sackarmies_env.games.sack_armies.words.narrate:narrate",
    log="sackarmies_env.render.sack_armies.log:log",
    table="sackarmies_training.sack_armies.table:Table",
    options="sackarmies_env.games.sack_armies.hooks:options",
    choices="sackarmies_env.games.sack_armies.hooks:choices",
    padded="sackarmies_env.games.sack_armies.hooks:padded",
    hints="sackarmies_env.games.sack_armies.hooks:hints",
    potential="sackarmies_env.games.sack_armies.observation.shaping:BoardPotential",
    warmup="sackarmies_env.games.sack_armies.hooks:warmup",
    legend="sackarmies_env.render.sack_armies.words:LEGEND",
    docs="sackarmies_env.games.sack_armies.hooks:docs",
    commands="sackarmies_training.sack_armies.commands:add_commands",
    responders="sackarmies_training.sack_armies.responders:responders",
    greedy="sackarmies_agents.scripted.sack_armies.agent:GreedyAgent",
    policy="sackarmies_agents.search.sack_armies.policy:make_policy",
    evaluation="sackarmies_agents.search.sack_armies.evaluation:make_evaluation",
    focus="sackarmies_agents.search.sack_armies.focus:focus",
    trained="sackarmies_agents.learned.sack_armies.trained:CHECKPOINT",
    title="Sack Armies",
    player_noun="General",
    players=(2, 6),
)
TERRITORIES = GameEntry(
    id="territories",
    make_game="sackarmies_env.games.territories:make_game",
    make_recorded_game="sackarmies_env.games.territories:make_recorded_game",
    load_scenario="sackarmies_env.games.territories:load_scenario",
    choices="sackarmies_env.games.territories.hooks:choices",
    picture="sackarmies_env.render.territories.picture:picture",
    narrate="sackarmies_env.games.territories.words.narrate:narrate",
    log="sackarmies_env.render.territories.log:log",
    table="sackarmies_training.territories.table:Table",
    legend="sackarmies_env.render.territories.text:LEGEND",
    greedy="sackarmies_agents.scripted.territories.agent:GreedyAgent",
    policy="sackarmies_agents.search.territories.policy:make_policy",
    evaluation="sackarmies_agents.search.territories.evaluation:make_evaluation",
    options="sackarmies_env.games.territories.hooks:options",
    padded="sackarmies_env.games.territories.hooks:padded",
    potential="sackarmies_env.games.territories.observation.shaping:MapPotential",
    warmup="sackarmies_env.games.territories.hooks:warmup",
    docs="sackarmies_env.games.territories.hooks:docs",
    title="Territories",
    players=(2, 4),
)
add_entry(SACK_ARMIES)
add_entry(TERRITORIES)


def register_game(game_id: str, make_game: str, **hooks: Any) -> None:
    """Register a game in this process, and its environments with Gymnasium and PettingZoo.

    An installed package should instead name a `GameEntry` as an entry point of the group "sackarmies_env.games": every
    process then knows the game, and it is imported only where it is used.

    Args:
        game_id: id of the game.
        make_game: `module:attribute` of the function that builds the game, `(**options) -> Game`.
        hooks: other fields of its `GameEntry`.

    Raises:
        ValueError: the id or a hook is malformed, there is no such hook, or the environments of another game have the
            id that those of this game would have; nothing is registered.
    """
    refuse_unknown(hooks, [field.name for field in fields(GameEntry)][2:], f"the entry of {short_repr(game_id)}")
    entry = GameEntry(game_id, make_game, **hooks)
    _refuse_taken_id(game_id)
    add_entry(entry)
    register_environments()


def list_games() -> list[str]:
    """Return the ids of all games."""
    return game_ids()


def list_armies(game_id: str = DEFAULT_GAME) -> list[str]:
    """Return the names of a game's built-in armies, for use as `armies=`; empty for a game without armies.

    Raises:
        ValueError: no such game.
    """
    return _built_in(game_id, "armies")


def list_scenarios(game_id: str = DEFAULT_GAME) -> list[str]:
    """Return the names of a game's built-in scenarios, for use as `scenario=`; empty for a game without any.

    Raises:
        ValueError: no such game.
    """
    return _built_in(game_id, "scenario")


def _built_in(game_id: str, option: str) -> list[str]:
    """Return the built-in values of an option of a game."""
    choices = entry_of(game_id).hook("choices") or {}
    return list(choices[option]()) if option in choices else []


def load_game(game_id: str, **config: Any) -> Game:
    """Build a game in one configuration.

    Args:
        game_id: see `list_games`.
        config: the options of the game's `make_game`.

    Raises:
        ValueError: no such game, an unknown option (which is a TypeError too), or a value that the game refuses.
    """
    build = entry_of(game_id).hook("make_game")
    refuse_unknown(config, inspect.signature(build).parameters, game_id)
    game: Game = build(**config)
    return game


def game_options(game_id: str, section: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `make_game` options that a configuration's section `[game]` asks for.

    Args:
        game_id: see `list_games`.
        section: the keys of the section, with or without `id`; every game with a choice of numbers of players
            understands `num_players`.

    Raises:
        ValueError: no such game, an unknown option, or a value that the game refuses.
    """
    entry = entry_of(game_id)
    read = entry.hook("options")
    if read is not None:
        options: dict[str, Any] = read(section)
        return options
    known = [*(["id"] if "id" in section else []), *inspect.signature(entry.hook("make_game")).parameters]
    _check_options(section, known, game_id)
    return {name: value for name, value in section.items() if name != "id"}


def load_players(game_id: str, num_players: int | None, **section: Any) -> Game:
    """Build a game for a number of players.

    Args:
        game_id: see `list_games`.
        num_players: number of players; None: as many as the other keys ask for.
        section: other keys of a section `[game]`, see `game_options`.

    Raises:
        ValueError: the game does not take that many players, or as for `game_options`.
    """
    from sackarmies_env.core.arguments import integer
    from sackarmies_env.core.validation import plain_faults

    entry = entry_of(game_id)
    if num_players is None:
        with plain_faults(section, f"the options of {game_id}"):
            return load_game(game_id, **game_options(game_id, section))
    num_players = integer("num_players", num_players, 1)
    least, most = entry.players or (num_players, num_players)
    has_choice = entry.options is not None or "num_players" in inspect.signature(entry.hook("make_game")).parameters
    if least <= num_players <= most:
        section |= {"num_players": num_players} if has_choice else {}
        with plain_faults(section, f"the options of {game_id}"):
            options = game_options(game_id, section)
        game = load_game(game_id, **options)
        if game.num_players == num_players:
            return game
        least = most = game.num_players
    allowed = str(least) if least == most else f"{least} to {most}"
    raise ValueError(f"{entry.title} is for {allowed} players, not {num_players}")


def game_of(record: GameRecord) -> Game:
    """Build the game of a record from the data in the record alone: files that it may name are not read.

    Args:
        record: may be untrusted.

    Raises:
        ValueError: no such game, or a configuration that the game refuses.
    """
    entry = entry_of(record.game)
    options = inspect.signature(entry.hook("make_game")).parameters
    _check_options(record.config, options, f"the configuration of {record.game}")
    build = entry.hook("make_recorded_game") or entry.hook("make_game")
    game: Game = build(**record.config)
    return game


def load_scenario(source: Mapping[str, Any] | str | Path, game_id: str = DEFAULT_GAME) -> dict[str, Any]:
    """Return a validated scenario as plain data, for use as `scenario=` when making a game or an environment.

    Args:
        source: the path of a TOML file, the name of a built-in scenario, or an equivalent dict.
        game_id: the game it is for.

    Raises:
        ValueError: no such game or file, a game without scenarios, or an invalid scenario, with a line for each fault.
    """
    read = entry_of(game_id).hook("load_scenario")
    if read is None:
        raise ValueError(f"the game {game_id!r} has no scenarios")
    scenario: dict[str, Any] = read(source)
    return scenario


def make(game_id: str, api: str = "aec", **options: Any) -> Any:
    """Make an environment of a game.

    Args:
        game_id: see `list_games`.
        api: "aec" (PettingZoo, wrapped), "raw" (PettingZoo, bare), "gym" (Gymnasium, one seat against opponents) or
            "vector" (Gymnasium, many games at once).
        options: options of the game's `make_game` and of the environment's class, the sizes of the game's hook
            `padded`, and `sampler`, see `envs.variety.Variety`.

    Raises:
        ValueError: no such game or api, an unknown option (which is a TypeError too), or a value that is refused.
    """
    if not isinstance(api, str) or api not in _APIS:
        raise ValueError(f"api={short_repr(api)}{suggestion(api, _APIS)}: allowed are {', '.join(map(repr, _APIS))}")
    adapter, adapter_options = _APIS[api]()
    game_options = inspect.signature(entry_of(game_id).hook("make_game")).parameters
    padded = entry_of(game_id).hook("padded")
    sizes = [] if padded is None else list(inspect.signature(padded).parameters)[1:]
    adapter_options = [name for name in adapter_options if name not in MADE_HERE]
    usual = dict.fromkeys([*game_options, *adapter_options])
    refuse_unknown(options, [*usual, *sizes, "sampler"], f"{game_id} as {api!r}", usual)
    sampler = options.pop("sampler", None)
    given_sizes = {name: size for name in sizes if (size := options.pop(name, None)) is not None}
    configuration = {name: value for name, value in options.items() if name in game_options}
    adapted = {name: value for name, value in options.items() if name not in game_options}
    if "observation" in options:
        content, adapted["observation"] = content_and_form(game_id, options["observation"])
        configuration.pop("observation", None)
        configuration |= {} if content is None else {"observation": content}
    from sackarmies_env.envs.variety import Variety

    names = [name for name in game_options if name != "observation"]
    variety = Variety(functools.partial(load_game, game_id), names, configuration, sampler, given_sizes)
    adapted = {"padding": variety.first.padding} | adapted
    if api != "vector" or not variety.draws:
        return adapter(variety.first.game, variety=variety, **adapted)
    from sackarmies_env.envs.varied_vector import VariedBatchEnv

    return VariedBatchEnv(variety.first.game, variety=variety, **adapted)


def content_and_form(game_id: str, observation: Any) -> tuple[str | None, str]:
    """Return the content (None: the game's default) and the form that an option `observation` asks for.

    A game may offer several contents. A content with the name of a form is presented in that form, any other one as
    vectors.

    Raises:
        ValueError: it is neither a form nor a content of the game.
    """
    from sackarmies_env.envs.options import check_choice
    from sackarmies_env.envs.structured import FLAT, FORMS

    contents = (entry_of(game_id).hook("choices") or {}).get("observation", tuple)()
    check_choice("observation", observation, (*FORMS, *(one for one in contents if one not in FORMS)))
    return observation if observation in contents else None, observation if observation in FORMS else FLAT


def _check_options(given: Mapping[str, Any], known: Any, whose: str) -> None:
    """Refuse unknown options in a file or record."""
    for name in given:
        if name not in known:
            near = suggestion(name, known)
            raise ValueError(f"unknown option {short_repr(name)}{near} of {whose}: known are {', '.join(known)}")


# --- adapters, imported on demand: each returns what makes an environment of a game, and the names of its options

Adapter = tuple[Callable[..., Any], list[str]]


def _common_options() -> list[str]:
    from sackarmies_env.envs.options import Options

    return [field.name for field in fields(Options)]


def _keywords(adapter: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(adapter).parameters.values()
    return [one.name for one in parameters if one.kind is not one.VAR_KEYWORD and one.name != "game"]


def _raw() -> Adapter:
    from sackarmies_env.envs.aec import RawEnv

    return RawEnv, _keywords(RawEnv) + _common_options()


def _aec() -> Adapter:
    from sackarmies_env.envs.aec import RawEnv
    from sackarmies_env.envs.wrapped import OrderEnforced

    return lambda game, **options: OrderEnforced(RawEnv(game, **options)), _keywords(RawEnv) + _common_options()


def _gym() -> Adapter:
    from sackarmies_env.envs.gym_env import SingleSeatEnv

    return SingleSeatEnv, _keywords(SingleSeatEnv) + _common_options()


def _vector() -> Adapter:
    from sackarmies_env.envs.vector_env import BatchEnv

    return BatchEnv, _keywords(BatchEnv) + _common_options()


_APIS: dict[str, Callable[[], Adapter]] = {"aec": _aec, "raw": _raw, "gym": _gym, "vector": _vector}


def _refuse_taken_id(game_id: str) -> None:
    """Refuse a game if environments of another game are registered with the id of its own."""
    import gymnasium

    environment_id = environment_id_of(game_id)
    spec = gymnasium.registry.get(environment_id)
    other = game_id if spec is None else spec.kwargs.get("game", game_id)
    if other != game_id:
        raise ValueError(f"the games {other!r} and {game_id!r} would have the same environment id {environment_id!r}")


def register_environments() -> None:
    """Register the environments of all games with Gymnasium, and with PettingZoo if it has a registry.

    Raises:
        ValueError: environments of two games would have the same id.
    """
    import gymnasium
    import pettingzoo

    for game_id in game_ids():
        _refuse_taken_id(game_id)
        environment_id, options = environment_id_of(game_id), {"game": game_id}
        if environment_id not in gymnasium.registry:
            gymnasium.register(
                id=environment_id,
                entry_point="sackarmies_env.environments:single_seat_env",
                vector_entry_point="sackarmies_env.environments:vector_env",
                kwargs=options,
                order_enforce=False,  # environments check the order of calls themselves: `make` returns them unwrapped,
                disable_env_checker=True,  # so that action_masks() and the like can be called on them
            )
        if hasattr(pettingzoo, "aec_registry") and environment_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", environment_id, "sackarmies_env.environments:env", kwargs=options)
