"""OpenSpiel adapter: importing this module registers `python_sackarmies`, which plays any registered game.

    import pyspiel
    from sackarmies_env.adapters import open_spiel  # registers the game

    game = pyspiel.load_game("python_sackarmies(game=sack_armies(num_generals=3),seeds=100)")

The root of the tree is a chance node that draws one of `seeds` seeds, which no player sees; all other chance comes from
the seed. With `explicit_chance`, the name of a kind of forced results, each of those results is a separate chance node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sackarmies_env.adapters.positions import CHANCE, Node, Position, Table
from sackarmies_env.core.chance import ForcedKind, named
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import quote, short_repr, suggestion
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.registry import DEFAULT_GAME, load_game

try:
    import pyspiel  # type: ignore[import-not-found]
except ImportError as error:
    raise ImportError("the adapter needs OpenSpiel: pip install 'sackarmies-env[libraries]'") from error

SHORT_NAME = "python_sackarmies"
PARAMETERS = {"game": {"name": DEFAULT_GAME}, "seeds": 1000, "first_seed": 0, "explicit_chance": ""}
LARGEST_SEED_BITS = 53  # precision of a random float
MAX_PLAYERS = 10  # that the game type allows; each game has its own number


def _game_type(*, zero_sum: bool) -> Any:
    kinds = pyspiel.GameType
    return pyspiel.GameType(
        short_name=SHORT_NAME,
        long_name="Games of sackarmies-env",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=MAX_PLAYERS,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


class SackArmiesGame(pyspiel.Game):
    """A registered game as an OpenSpiel game.

    Args:
        params: values for `PARAMETERS`: `game`, the id of a registered game with the options of its `make_game`;
            `seeds`, how many seeds the root draws from; `first_seed`, the smallest of them; `explicit_chance`, the
            name of a kind of forced results that become chance nodes.

    Raises:
        ValueError: a parameter is not allowed, or as for `load_game`.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**PARAMETERS, **(params or {})}
        for name, least in (("seeds", 1), ("first_seed", 0)):
            if given[name] < least:
                raise ValueError(f"{name}={given[name]}: it must be at least {least}")
        options = dict(given["game"])
        played = load_game(options.pop("name"), **{name: _plain(value) for name, value in options.items()})
        self._root = Table(played, _explicit(played, given["explicit_chance"])).deal(
            given["seeds"], given["first_seed"]
        )
        super().__init__(_game_type(zero_sum=played.zero_sum), _game_info(self._root.table, given["seeds"]), given)

    def new_initial_state(self) -> SackArmiesState:
        """Return the root state."""
        return SackArmiesState(self, self._root)

    def max_chance_nodes_in_history(self) -> int:
        """Return how many chance nodes a game may have."""
        explicit = self._root.table.explicit
        return 1 if explicit is None else 1 + int(self.max_game_length())

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return an observer of what a player knows, with perfect recall, or else of what they see now."""
        return Observer(self._root.table.game, iig_obs_type, params)


def _plain(value: Any) -> Any:
    """Return an option as it was meant: `(a=1)` is a dict and `(0=x,1=y)` a list, which OpenSpiel cannot express."""
    if not isinstance(value, Mapping):
        return value
    content = {name: _plain(one) for name, one in value.items() if name != "name"}
    if value.get("name"):
        raise ValueError(
            f"{quote(value['name'])} before a bracket is not allowed: dicts are written (a=1), lists (0=x,1=y)"
        )
    places = [str(place) for place in range(len(content))]
    return [content[place] for place in places] if content and sorted(content) == sorted(places) else content


def _explicit(game: Game, name: str) -> ForcedKind | None:
    kinds = {kind.name: kind for kind in game.forced_kinds if not kind.has_memory}
    if name and name not in kinds:
        is_known = name in {kind.name for kind in game.forced_kinds}
        why = ", whose odds depend on what came before" if is_known else suggestion(name, kinds)
        allowed = named(list(kinds.values()))
        raise ValueError(f"explicit_chance={short_repr(name)}{why}: allowed are {allowed}, or nothing")
    return kinds[name] if name else None


def _game_info(table: Table, seeds: int) -> Any:
    game = table.game
    return pyspiel.GameInfo(
        num_distinct_actions=game.num_actions,
        max_chance_outcomes=max(seeds, *(len(results) for results in table.results), 1),
        num_players=game.num_players,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0 if game.zero_sum else None,
        max_game_length=game.max_decisions,
    )


class SackArmiesState(pyspiel.State):
    """An OpenSpiel state: a node of the tree. Copies share the node, which never changes."""

    def __init__(self, game: SackArmiesGame, node: Node) -> None:
        super().__init__(game)
        self._node = node

    def current_player(self) -> int:
        """Return who decides: a seat, chance, or nobody once the game is over."""
        player = self._node.player
        if player == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if player == NO_PLAYER else player

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return bool(self._node.player == NO_PLAYER)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._node.legal) if isinstance(self._node, Position) else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a chance node with their probabilities; empty at other nodes."""
        return [] if isinstance(self._node, Position) else list(self._node.outcomes)

    def _apply_action(self, action: int) -> None:
        self._node = self._node.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self._node.describe(action)

    def returns(self) -> list[float]:
        """Return what each player has earned at the end; zeros before."""
        node = self._node
        return list(node.returns) if isinstance(node, Position) and self.is_terminal() else [0.0] * self.num_players()

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> SackArmiesState:
        """Sample a state that is possible for all a player knows; its history is empty: much of the true one is hidden.

        Raises:
            ValueError: this is a chance node.
        """
        if not isinstance(self._node, Position):
            raise ValueError("a chance node cannot be resampled: apply an outcome first")
        seed = int(probability_sampler() * 2**LARGEST_SEED_BITS)
        return SackArmiesState(self.get_game(), self._node.resample(player_id, seed))

    def __str__(self) -> str:
        node = self._node
        now = node.table.describe_decision(node.state) if isinstance(node, Position) else "chance"
        return f"{now}, player {self.current_player()}, after: {self.history_str()}"


class Observer:
    """Observer of states for a player, with the interface of `open_spiel.python.observation`.

    Attributes:
        tensor: `(size,)` float32, what the player sees; None with perfect recall, which is available as text only.
        dict: views of the blocks of `tensor`, by their names in the layout of observations.

    Raises:
        ValueError: parameters are given, or there is no such kind of observation.
    """

    def __init__(self, game: Game, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers take no parameters, not {short_repr(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(
                f"unsupported {kind}: observations hold all that one player may know, public and private together"
            )
        self._recalls = bool(kind.perfect_recall)
        self.tensor = None if self._recalls else np.zeros(game.observation_spec.size, np.float32)
        self.dict = {}
        if self.tensor is not None:
            spec = game.observation_spec
            self.dict = {block.name: spec.view(self.tensor, block.name) for block in spec.blocks}

    def set_from(self, state: SackArmiesState, player: int) -> None:
        """Write what a player sees to `tensor`."""
        if self.tensor is None:
            raise ValueError("with perfect recall there is no tensor: use information_state_string()")
        self.tensor[...] = state._node.observe(player)

    def string_from(self, state: SackArmiesState, player: int) -> str:
        """Return the key of what a player knows, with perfect recall, or else of what they see now."""
        key = state._node.keys[player]
        return f"{player}:{(key.known if self._recalls else key.seen).hex()}"


pyspiel.register_game(_game_type(zero_sum=True), SackArmiesGame)
