"""A position becomes a state: tokens take their rows, and the game stands where the scenario says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.core.rng import seed_streams
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.words import told
from sackarmies_env.games.sack_armies.catalogue import catalogue_digest
from sackarmies_env.games.sack_armies.config import Config
from sackarmies_env.games.sack_armies.constants import NO_TOKEN, Face, Frame, Victory, Zone
from sackarmies_env.games.sack_armies.scenario_procedure import CHANCE, decode
from sackarmies_env.games.sack_armies.scenario_schema import NO_PIECE, Piece, Scenario
from sackarmies_env.games.sack_armies.state import IN_SIGHT
from sackarmies_env.games.sack_armies.step import clear_state
from sackarmies_env.games.sack_armies.zones import rebuild

ROWS_KEY = "rows"  # in the procedure: row of each token among its General's, where it is not the natural one
CATALOGUE_KEY = "catalogue"  # in the procedure: whose numbers of types, effects and abilities it uses
DIGEST_LENGTH = 12


def catalogue_mark() -> str:
    """Return what names the catalogue in a procedure."""
    return catalogue_digest()[:DIGEST_LENGTH]


def assign_rows(params: NDArray[np.void], config: Config, pieces: Sequence[Piece], given: Any = None) -> list[int]:
    """Return the row of each token: rows follow the types of the army, copies their order of appearance.

    Args:
        params: `(1,)`; each General's army consists of his tokens.
        config: the configuration of `params`.
        pieces: the tokens.
        given: numbers of the rows among the General's own, for each token, to be used instead.

    Raises:
        ValueError: `given` does not fit the tokens.
    """
    numbers = {token_id: number for number, token_id in enumerate(config.type_ids)}
    per_general = int(params["tokens_per_general"][0])
    if given is not None:
        _check_given(params, pieces, given)
        return [piece.owner * per_general + number for piece, number in zip(pieces, given, strict=True)]
    rows = [NO_TOKEN] * len(pieces)
    for owner in range(config.num_generals):
        own = [number for number, piece in enumerate(pieces) if piece.owner == owner]
        own.sort(key=lambda number: numbers[pieces[number].token])
        for place, number in enumerate(own):
            rows[number] = owner * per_general + place
    return rows


def _check_given(params: NDArray[np.void], pieces: Sequence[Piece], given: Any) -> None:
    """Refuse rows that do not fit the tokens."""
    if not isinstance(given, list | tuple) or len(given) != len(pieces):
        raise ValueError(
            f"rows: {told(given)} is given, but a list of {len(pieces)} numbers is wanted, one for each token"
        )
    taken: set[tuple[int, int]] = set()
    for number, (piece, row) in enumerate(zip(pieces, given, strict=True)):
        size = int(params["army_size"][0, piece.owner])
        if not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < size:
            raise ValueError(f"rows[{number}]: {told(row)} is given, but a whole number from 0 to {size - 1} is wanted")
        if (piece.owner, row) in taken:
            raise ValueError(f"rows[{number}]: row {row} of General {piece.owner} is taken already")
        taken.add((piece.owner, row))


def fill_state(
    params: NDArray[np.void],
    config: Config,
    scenario: Scenario,
    pieces: Sequence[Piece],
    rows: Sequence[int],
    states: NDArray[np.void],
) -> None:
    """Write the position to `states[0]`: a turn, Setup, or the end of a game; procedure and chance come on top.

    Raises:
        ValueError: procedure or chance hold what a state cannot.
    """
    states.view(np.ndarray)[:1].view(np.uint8)[...] = 0
    clear_state(params[0], states[0])
    seed_streams(states[0], np.int64(scenario.seed))
    _fill_tokens(params, config, pieces, rows, states)
    _fill_script(config, scenario, states)
    for seat in range(scenario.generals):
        states["general_alive"][0, seat] = scenario.general[seat].alive if scenario.general else True
    _fill_flow(scenario, states)
    _decode(params, states, rows, scenario.chance, "chance", CHANCE)
    written = scenario.procedure.get(CATALOGUE_KEY, catalogue_mark())
    if written != catalogue_mark():
        raise ValueError(
            f"procedure: it was written with another catalogue ({told(written)}, not {told(catalogue_mark())})"
        )
    procedure = {name: value for name, value in scenario.procedure.items() if name not in (ROWS_KEY, CATALOGUE_KEY)}
    _decode(params, states, rows, procedure, "procedure", None)
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
    states["script_flips"][0, : len(flips)] = flips
    states["script_flips_end"] = len(flips)
    numbers = {token_id: number for number, token_id in enumerate(config.type_ids)}
    for seat, draws in enumerate(scenario.draws):
        states["script_draws"][0, seat, : len(draws)] = [numbers[token_id] for token_id in draws]
        states["script_draws_end"][0, seat] = len(draws)


def _fill_flow(scenario: Scenario, states: NDArray[np.void]) -> None:
    """Let a turn begin, or Setup; or the game be over."""
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


def _decode(
    params: NDArray[np.void],
    states: NDArray[np.void],
    rows: Sequence[int],
    data: Mapping[str, Any],
    key: str,
    group: Sequence[str] | None,
) -> None:
    try:
        decode(params, states, rows, data, group)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
