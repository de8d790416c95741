"""The log of public events (TR-EV1 to TR-EV22)."""

from __future__ import annotations

from sackarmies_env.core.events import NO_PLACE, push_event
from sackarmies_env.core.jit import njit
from sackarmies_env.core.observation import INT8_HIGH
from sackarmies_env.games.territories.state.constants import NUM_CARDS, NUM_UNITS, Event


@njit
def log(state, kind, player, value):
    """Log a public event that has no place on the map."""
    push_event(state, state.log_place, kind, player, NO_PLACE, value)


@njit
def log_at(state, kind, player, territory, value):
    """Log a public event in a territory."""
    push_event(state, state.log_place, kind, player, territory, value)


@njit
def log_loss(state, player, unit):
    """Log that a player has lost a unit in battle."""
    log_one_more(state, Event.UNIT_LOST, player, NO_PLACE, unit, NUM_UNITS)


@njit
def log_loss_at(state, player, territory, unit):
    """Log that a player has lost a unit in a territory, as the penalty of a card."""
    log_one_more(state, Event.UNIT_LOST, player, territory, unit, NUM_UNITS)


@njit
def log_discard(state, player, kind):
    """Log that a player has discarded a card."""
    log_one_more(state, Event.DISCARD, player, NO_PLACE, kind, NUM_CARDS)


@njit
def log_one_more(state, kind, player, place, code, num_codes):
    """Log a public event of which many may occur in a row; equal ones in a row become one event with their number.

    The value is `code + num_codes * (number - 1)`. Observations show values up to INT8_HIGH, so a new event begins
    before that is exceeded. Without merging, one action could cause so many events that the first ones leave the log.
    """
    is_same = state.log_kind[0] == kind and state.log_player[0] == player and state.log_place[0] == place
    if is_same and state.log_value[0] % num_codes == code and state.log_value[0] + num_codes <= INT8_HIGH:
        state.log_value[0] += num_codes
    else:
        push_event(state, state.log_place, kind, player, place, code)
