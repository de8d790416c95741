"""What a search method is given: a game with its sampler, and the state that it samples from.

Fair methods get what agents get: the game as the player may know it, and a state of their information set. Oracles get
the true state and a game whose sampler leaves part of it unchanged. They measure what hidden information costs. They
are not agents: `sackarmies_agents` has no name for them, and no agent name can reach anything here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sackarmies_env.core.bits import NO_BITS, count_bits, has_bit, nth_bit
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.jit import njit
from sackarmies_env.core.rng import below, next_draw_word, seed_streams
from sackarmies_env.core.state import copies_of
from sackarmies_env.games.sack_armies.belief.determinize import determinize_games, lock_hidden_armor
from sackarmies_env.games.sack_armies.belief.erase import exchange, hidden_tokens, note_backs
from sackarmies_env.games.sack_armies.belief.plausible import may_be
from sackarmies_env.games.sack_armies.rules.stats import refresh_stats
from sackarmies_env.games.sack_armies.state.constants import Zone
from sackarmies_env.games.sack_armies.state.zones import clear_stats, first_token

EXCHANGES = 16  # attempts per hidden token: enough to mix those of one army


# --- samplers of oracles, in place of `determinize_games` and with its arguments


@njit
def keep_truth(params, states, players, seeds):
    """Resample only future chance; everything else stays as it is."""
    for i in range(len(states)):
        seed_streams(states[i], seeds[i])


@njit
def keep_armies(params, states, players, seeds):
    """Resample what is hidden as if army lists were open."""
    is_open = params[0].open_army_lists
    params[0].open_army_lists = 1
    determinize_games(params, states, players, seeds)
    params[0].open_army_lists = is_open


@njit
def mix_zones(params, state, player, zones):
    """Exchange the identities of random pairs of a General's hidden tokens in `zones`, a bit set."""
    note_backs(params, state, player)
    state.sample_done = ~NO_BITS
    start = first_token(params, player)
    pool = NO_BITS
    for zone in range(state.zone_tokens.shape[1]):
        if has_bit(zones, zone):
            pool |= np.uint64(state.zone_tokens[player, zone])
    pool &= hidden_tokens(state, player)
    count = count_bits(pool)
    for _ in range(count * EXCHANGES):
        token = start + nth_bit(pool, below(next_draw_word(state), count))
        other = start + nth_bit(pool, below(next_draw_word(state), count))
        if may_be(params, state, token, other) and may_be(params, state, other, token):
            exchange(state, token, other)


@njit
def mix_states(params, states, players, seeds, zones):
    """Resample future chance, and the identities of the tokens that opponents hide in `zones`."""
    for i in range(len(states)):
        state = states[i]
        seed_streams(state, seeds[i])
        state.sample_lax = 0
        for player in range(params[0].num_generals):
            if player != players[i]:
                mix_zones(params[0], state, np.int64(player), zones)
        lock_hidden_armor(params[0], state, np.int64(players[i]))
        clear_stats(state)
        refresh_stats(params[0], state)


OUT_OF_SIGHT = np.uint64(1 << Zone.SACK | 1 << Zone.HAND | 1 << Zone.PICKED)
OUT_OF_HAND = np.uint64(1 << Zone.SACK | 1 << Zone.BATTLEGROUND | 1 << Zone.ATTACHED | 1 << Zone.CAPTURED)


@njit
def keep_battleground(params, states, players, seeds):
    """Keep what lies on the battleground; mix hands and sacks."""
    mix_states(params, states, players, seeds, OUT_OF_SIGHT)


@njit
def keep_hands(params, states, players, seeds):
    """Keep what is in hands; mix sacks and what is face down on the battleground."""
    mix_states(params, states, players, seeds, OUT_OF_HAND)


# --- what a method is given


@dataclass(frozen=True)
class View:
    """What a search method knows of the positions of a game.

    Attributes:
        sampler: replaces the game's own; None if the method knows only what its player may know.
        keeps: what the sampler leaves as it truly is.
    """

    sampler: Callable[..., Any] | None
    keeps: str

    @property
    def is_oracle(self) -> bool:
        """Whether the method knows something that is hidden from its player."""
        return self.sampler is not None

    def game(self, game: Game, player: int) -> Game:
        """Return the game that a player searches in."""
        if self.sampler is None:
            return game.known_to(player)
        return doctored(game, self.sampler)

    def root(self, game: Game, states: Records, player: int) -> Records:
        """Return the state `(1,)` to sample from, for the current player of the true `states[:1]`."""
        if self.sampler is None:
            return InformationSets.of(game, states[:1], player).states
        return states[:1]


@functools.lru_cache(maxsize=4)
def doctored(game: Game, sampler: Callable[..., Any]) -> Game:
    """Return a copy of a game with another sampler, and with its own params, which samplers may write to."""
    return replace(game, params=copies_of(game.params, np.zeros(1, np.int64)), determinize_batch=sampler)


VIEWS = {
    "fair": View(None, "nothing"),
    "armies": View(keep_armies, "armies"),
    "battleground": View(keep_battleground, "armies and the battleground"),
    "hands": View(keep_hands, "armies and hands"),
    "truth": View(keep_truth, "all but chance"),
}
