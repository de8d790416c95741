"""Configuration: Generals, armies, tokens and switches, as validated data and as parameters for kernels."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.arguments import is_integer
from sackarmies_env.core.hexgrid import NO_HEX, HexGrid, make_hexgrid, num_cells
from sackarmies_env.core.legal import num_words
from sackarmies_env.core.messages import join_faults, short_repr
from sackarmies_env.core.state import alloc, copy_records
from sackarmies_env.games.sack_armies.state.actions import num_actions
from sackarmies_env.games.sack_armies.state.constants import MAX_GENERALS, MAX_TYPES, NO_TYPE
from sackarmies_env.games.sack_armies.state.params import PARAMS_DTYPE
from sackarmies_env.games.sack_armies.state.record import LARGE, SMALL, Capacity
from sackarmies_env.games.sack_armies.switches import Switches, fill_switches
from sackarmies_env.games.sack_armies.tokens.army import (
    Army,
    ArmyChoice,
    built_in_armies,
    check_army,
    require_legal,
    require_room,
    resolve_army,
    unknown_tokens,
)
from sackarmies_env.games.sack_armies.tokens.attributes import fill_attributes
from sackarmies_env.games.sack_armies.tokens.catalogue import by_id, load_catalogue
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, BaseToken, read_tokens, token_data
from sackarmies_env.games.sack_armies.tokens.token_tables import TokenTables


@dataclass(frozen=True)
class Config:
    """One configuration of the game; `make_config` builds and checks it.

    Attributes:
        num_generals: 2 to 6.
        switches: agreements on the rules.
        tokens: all types in the order of their numbers: the catalogue, then inline tokens.
        armies: one for each General, by seat.
        room: number of tokens per General that states must at least have room for.
    """

    num_generals: int
    switches: Switches
    tokens: tuple[AnyToken, ...]
    armies: tuple[Army, ...]
    room: int = 0

    @functools.cached_property
    def type_ids(self) -> tuple[str, ...]:
        """Id of every type, by number."""
        return tuple(token.id for token in self.tokens)

    @property
    def inline_tokens(self) -> tuple[AnyToken, ...]:
        """Tokens that do not come from the catalogue."""
        return self.tokens[len(load_catalogue()) :]

    @property
    def radius(self) -> int:
        """Radius of the board."""
        return self.switches.radius(self.num_generals)

    @functools.cached_property
    def grid(self) -> HexGrid:
        """The board."""
        return make_hexgrid(self.radius)

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return num_actions(len(self.tokens), num_cells(self.radius))


def make_config(
    num_generals: int = 2,
    armies: ArmyChoice | Sequence[ArmyChoice] = None,
    switches: Mapping[str, Any] | Switches | None = None,
    tokens: Sequence[AnyToken | Mapping[str, Any]] = (),
    legal_armies: bool = True,
) -> Config:
    """Return a validated configuration (C-num_generals).

    Args:
        num_generals: 2 to 6.
        armies: one choice for each General, or one for all of them; see `resolve_army`. None: each seat's default army.
        switches: those that differ from the defaults.
        tokens: inline tokens besides those that the armies bring.
        legal_armies: whether armies must be legal; the position of a scenario need not come from legal armies.

    Raises:
        ValueError: with a line for each fault; also if the tokens do not fit into the tables of a game.
    """
    if not is_integer(num_generals) or not 2 <= num_generals <= MAX_GENERALS:
        raise ValueError(f"num_generals must be an integer from 2 to {MAX_GENERALS}, not {short_repr(num_generals)}")
    chosen = choose_armies(armies, num_generals)
    if not isinstance(tokens, list | tuple):
        raise ValueError(f"inline tokens must be a list of tables, not {short_repr(tokens)}")
    inline = read_tokens([as_data(token) for token in tokens], "inline tokens")
    config = Config(int(num_generals), Switches.read(switches), all_tokens(inline, chosen), chosen)
    if legal_armies:
        require_legal(chosen, by_id(config.tokens), config.switches)
    capacity_for(config)
    if not legal_armies:
        require_room(chosen, by_id(config.tokens))
    _token_params(config.inline_tokens)
    return config


def as_data(token: AnyToken | Mapping[str, Any]) -> dict[str, Any]:
    """Return a token as plain data."""
    if isinstance(token, Mapping):
        return dict(token)
    if not isinstance(token, BaseToken):
        raise ValueError(f"an inline token must be a table, not {short_repr(token)}")
    return token_data(token)


def choose_armies(choice: ArmyChoice | Sequence[ArmyChoice], num_generals: int) -> tuple[Army, ...]:
    """Return one army for each General.

    Raises:
        ValueError: there are more or fewer armies than Generals, or one of them cannot be read.
    """
    if isinstance(choice, Sequence) and not isinstance(choice, str):
        if len(choice) != num_generals:
            raise ValueError(f"expected {num_generals} armies, one for each General, got {len(choice)}")
        return tuple(resolve_army(one, seat) for seat, one in enumerate(choice))
    return tuple(resolve_army(choice, seat) for seat in range(num_generals))


def all_tokens(inline: Sequence[AnyToken], armies: Sequence[Army]) -> tuple[AnyToken, ...]:
    """Return the catalogue, then inline tokens in order of appearance.

    Raises:
        ValueError: one id stands for different tokens.
    """
    tokens = dict(load_catalogue())
    for token in [*inline, *(token for army in armies for token in army.inline)]:
        if token.id in load_catalogue():
            raise ValueError(f'the catalogue already has a token "{token.id}": give the inline token another id')
        if tokens.setdefault(token.id, token) != token:
            raise ValueError(f'two different inline tokens have the id "{token.id}": give one of them another id')
    return tuple(tokens.values())


def capacity_for(config: Config) -> Capacity:
    """Return the smallest layout of the state that holds the configuration.

    Raises:
        ValueError: no layout does; the message says which limit is exceeded.
    """
    largest = max(config.room, *(army.size for army in config.armies))
    cells = num_cells(config.radius)
    if len(config.tokens) > MAX_TYPES:
        own = len(config.inline_tokens)
        limit = MAX_TYPES - len(load_catalogue())
        raise ValueError(f"there are {own} inline tokens, but the catalogue leaves room for only {limit}")
    for army in config.armies:
        unknown = unknown_tokens(army, by_id(config.tokens))
        if unknown:
            raise ValueError(join_faults(unknown, f"army {short_repr(army.name)}"))
    for capacity in (SMALL, LARGE):
        if (
            config.num_generals <= capacity.generals
            and cells <= capacity.cells
            and largest <= capacity.tokens
            and num_words(config.num_actions) <= capacity.legal_words
        ):
            return capacity
    raise ValueError(f"an army has {largest} tokens, but at most {LARGE.tokens} fit into a game")


# --- parameters


def build_params(config: Config) -> NDArray[np.void]:
    """Return the configuration as the (1,) record of PARAMS_DTYPE that is passed to kernels."""
    params = alloc(PARAMS_DTYPE, 1)
    copy_records(_token_params(config.inline_tokens), params)  # as bytes, since digests include the padding
    params["num_generals"] = config.num_generals
    params["num_types"] = len(config.tokens)
    params["num_actions"] = config.num_actions
    params["tokens_per_general"] = capacity_for(config).tokens
    fill_switches(params, config.switches)
    fill_board(params, config.grid)
    fill_armies(params, config)
    fill_lists(params, config.switches)
    return params


@functools.lru_cache(maxsize=16)
def _token_params(inline: tuple[AnyToken, ...]) -> NDArray[np.void]:
    """Return parameters that hold only the catalogue and inline tokens; they are cached and must not be changed."""
    params = alloc(PARAMS_DTYPE, 1)
    params["num_types"] = len(load_catalogue()) + len(inline)
    TokenTables(params).fill((*load_catalogue().values(), *inline))
    fill_attributes(params)
    return params


def fill_board(params: NDArray[np.void], grid: HexGrid) -> None:
    """Write the tables of the board (C-grid_radius)."""
    cells = grid.num_cells
    params["num_cells"] = cells
    params["radius"] = grid.radius
    params["center"] = grid.cell(0, 0)
    params["neighbors"] = NO_HEX
    params["cell_q"][0, :cells] = grid.q
    params["cell_r"][0, :cells] = grid.r
    params["neighbors"][0, :cells] = grid.neighbors
    params["cell_interior"][0, :cells] = (grid.neighbors != NO_HEX).all(axis=1)
    _, first_cells = np.unique(grid.r, return_index=True)
    params["row_cell"][0, : len(first_cells)] = first_cells
    params["row_column"][0, : len(first_cells)] = grid.q[first_cells] + grid.radius


def fill_armies(params: NDArray[np.void], config: Config) -> None:
    """Write the type of each token of each army, in the order of the types."""
    numbers = {token_id: number for number, token_id in enumerate(config.type_ids)}
    params["army_type"] = NO_TYPE
    for seat, army in enumerate(config.armies):
        types = sorted(numbers[token_id] for token_id, copies in army.counts.items() for _ in range(copies))
        params["army_size"][0, seat] = len(types)
        params["army_type"][0, seat, : len(types)] = types


def fill_lists(params: NDArray[np.void], switches: Switches) -> None:
    """Write the built-in armies that are legal under the switches, in the order of their ids."""
    numbers = {token_id: number for number, token_id in enumerate(load_catalogue())}
    legal = [army for army in built_in_armies().values() if not check_army(army, load_catalogue(), switches)]
    params["num_lists"] = len(legal)
    for row, army in enumerate(legal):
        params["list_size"][0, row] = army.size
        for token_id, copies in army.counts.items():
            params["list_copies"][0, row, numbers[token_id]] = copies
