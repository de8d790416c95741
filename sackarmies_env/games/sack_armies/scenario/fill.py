"""Conversion of a position into a state: rows of tokens, and the point in the sequence of play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.chance import force_results
from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.messages import quote, suggestion
from sackarmies_env.core.rng import seed_streams
from sackarmies_env.core.state import NO_PLAYER, StateField
from sackarmies_env.games.sack_armies.config import Config
from sackarmies_env.games.sack_armies.scenario.flow import FEWEST_DRAWN
from sackarmies_env.games.sack_armies.scenario.names import Names, piece_names
from sackarmies_env.games.sack_armies.scenario.procedure import CHANCE, NOT_WRITTEN, PROCEDURE, ProcedureDump
from sackarmies_env.games.sack_armies.scenario.schema import NO_PIECE, Piece, Scenario
from sackarmies_env.games.sack_armies.state.chance import shuffle_deck
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Face, Frame, Victory, Zone
from sackarmies_env.games.sack_armies.state.record import IN_SIGHT, clear_states
from sackarmies_env.games.sack_armies.state.zones import rebuild

ROWS_KEY = (
    "rows"  # key in the procedure: each General's tokens in the order of their rows, if it is not the natural one
)


def assign_rows(params: NDArray[np.void], config: Config, pieces: Sequence[Piece], given: Any = None) -> list[int]:
    """Return the row of each token: a General's tokens are sorted by id, and copies by name.

    Draws depend on rows, so rows depend neither on the catalogue nor on the order in which tokens are listed.

    Args:
        params: `(1,)`; each General's army consists of their tokens.
        config: the configuration of `params`.
        pieces: the tokens.
        given: the names of each General's tokens, in an order of rows to use instead.

    Raises:
        ValueError: `given` does not fit the tokens.
    """
    per_general = int(params["tokens_per_general"][0])
    names = piece_names(pieces)
    owned: list[list[int]] = [[] for _ in range(config.num_generals)]
    for number, piece in enumerate(pieces):
        owned[piece.owner].append(number)
    if given is not None and (not isinstance(given, list | tuple) or len(given) != config.num_generals):
        raise ValueError(
            f"rows must be {config.num_generals} lists of tokens, one for each General, not {quote(given)}"
        )
    rows = [NO_TOKEN] * len(pieces)
    for owner, own in enumerate(owned):
        if given is None:
            order = sorted(own, key=lambda number: (pieces[number].token, names[number]))
        else:
            order = _in_order(owner, {names[number]: number for number in own}, given[owner])
        for place, number in enumerate(order):
            rows[number] = owner * per_general + place
    return rows


def _in_order(owner: int, numbers: Mapping[str, int], given: Any) -> list[int]:
    """Return the numbers of a General's tokens in the given order.

    Raises:
        ValueError: `given` is not an order of these tokens.
    """
    where = f"rows[{owner}]"
    if not isinstance(given, list | tuple) or len(given) != len(numbers):
        raise ValueError(f"{where} must name all {len(numbers)} tokens of General {owner}, not {quote(given)}")
    order = []
    for name in given:
        if not isinstance(name, str) or name not in numbers:
            raise ValueError(f"{where}: General {owner} has no token {quote(name)}{suggestion(name, numbers)}")
        if numbers[name] in order:
            raise ValueError(f"{where}: {quote(name)} is named twice")
        order.append(numbers[name])
    return order


def fill_state(
    params: NDArray[np.void],
    config: Config,
    scenario: Scenario,
    pieces: Sequence[Piece],
    rows: Sequence[int],
    states: NDArray[np.void],
) -> None:
    """Write the position to `states[0]`: a turn, Setup, or the end of a game; then procedure and chance on top of it.

    The stats of units are left out of date, since a procedure that has not been checked may name what does not exist.

    Raises:
        ValueError: procedure or chance hold what a state cannot hold.
    """
    clear_states(states[:1])
    shuffle_deck(params[0], states[0])
    seed_streams(states[0], np.int64(scenario.seed))
    _fill_tokens(params, config, pieces, rows, states)
    _fill_script(config, scenario, states)
    for seat in range(scenario.generals):
        states["general_alive"][0, seat] = scenario.general[seat].alive if scenario.general else True
    _fill_flow(scenario, states)
    dump = ProcedureDump(config, Names(config, pieces, rows))
    _decode(dump, states, scenario.chance, "chance", CHANCE)
    procedure = {name: value for name, value in scenario.procedure.items() if name != ROWS_KEY}
    _decode(dump, states, procedure, "procedure", PROCEDURE)
    rebuild(params[0], states[0])


def _fill_tokens(
    params: NDArray[np.void], config: Config, pieces: Sequence[Piece], rows: Sequence[int], states: NDArray[np.void]
) -> None:
    """Put every token in its place."""
    numbers = {token_id: number for number, token_id in enumerate(config.type_ids)}
    grid = config.grid
    last: dict[int, int] = {}  # of each stack
    latest: dict[int, int] = {}  # captive of each captor
    for piece, row in zip(pieces, rows, strict=True):
        is_lost = piece.zone in (Zone.CASUALTIES, Zone.REMOVED)
        is_shown = piece.face == Face.UP or (is_lost and config.switches.casualties_public)
        host = NO_TOKEN if piece.host == NO_PIECE else rows[piece.host]
        values: Mapping[str, int] = {
            "type": numbers[piece.token],
            "owner": piece.owner,
            "controller": piece.controller,
            "zone": piece.zone,
            "face": Face.UP if is_shown else Face.DOWN,
            "hex": NO_HEX if piece.at is None else grid.cell(*piece.at),
            "host": host,
            "active": piece.active,
            "seen": IN_SIGHT if is_shown else 0,
        }
        for name, value in values.items():
            states[f"token_{name}"][0, row] = value
        if piece.zone == Zone.ATTACHED:
            field, before = ("token_next", last[host]) if host in last else ("token_first", host)
            states[field][0, before] = row
            last[host] = row
        elif piece.zone == Zone.CAPTURED:
            if host in latest:
                states["token_next"][0, latest[host]] = row
            latest[host] = row


def _fill_script(config: Config, scenario: Scenario, states: NDArray[np.void]) -> None:
    """Write forced flips and draws."""
    flips = [letter == "H" for letter in scenario.flips.upper() if letter in "HT"]
    force_results(states, "flips", [flips])
    numbers = {token_id: number for number, token_id in enumerate(config.type_ids)}
    force_results(states, "draws", [[numbers[token_id] for token_id in draws] for draws in scenario.draws])


def _fill_flow(scenario: Scenario, states: NDArray[np.void]) -> None:
    """Write the beginning of a turn or of Setup, or the end of the game."""
    states["frame_top"] = 0
    states["frame_kind"][0, 0] = Frame.SETUP if scenario.setup else Frame.TURN
    states["active"] = NO_PLAYER if scenario.setup else scenario.to_move
    states["turn"] = 0 if scenario.setup else scenario.turn
    states["last_progress_turn"] = max(0, int(states["turn"][0]) - 1)
    if scenario.is_over:
        states["terminated"] = scenario.victory_type != "none"
        states["truncated"] = scenario.victory_type == "none"
        states["winner"] = NO_PLAYER if scenario.winner is None else scenario.winner
        states["victory_type"] = Victory[(scenario.victory_type or "standard").upper()]
        if scenario.victory_type == "draw" and scenario.generals == FEWEST_DRAWN:  # more must be told who was last
            states["general_drawn"][0, :FEWEST_DRAWN] = 1


def _decode(
    dump: ProcedureDump, states: NDArray[np.void], data: Mapping[str, Any], key: str, fields: Sequence[StateField]
) -> None:
    if told := [name for name in data if name in NOT_WRITTEN]:
        raise ValueError(f"{key}: {quote(told[0])} cannot be given here: it follows from the rest of the scenario")
    try:
        dump.decode(states, data, fields)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
