"""Twin worlds over whole games: a General receives the same in both until something hidden is revealed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.games.sack_armies.state.constants import Zone
from tests.sack_armies.builders.twin_worlds import (
    States,
    copy_of,
    follow,
    guess,
    in_order,
    leaks,
    plain,
    received,
    uncounted,
    unknown_to,
    warlike,
)
from tests.sack_armies.properties.bout import Bout, Look
from tests.sack_armies.properties.enumeration import Hidden, Piece


def no_leaks(bout: Bout) -> Look:
    """Return a `Look` that fails if anything a General receives depends on what is hidden from them."""

    def look() -> None:
        for viewer in range(bout.game.num_players):
            told = f"General {viewer} is shown hidden information at {bout.decision.name}"
            assert not leaks(bout.game, bout.states, viewer, received, seed=len(bout.actions)), told

    return look


def alike(bout: Bout, lengths: Counter[int] | None = None) -> Look:
    """Return a `Look` that fails if two worlds do not stay alike for the current player, whatever they do in both.

    `lengths` counts for how many choices they stayed alike.
    """

    def look() -> None:
        if bout.player >= 0:
            number = len(bout.actions)
            length = follow(bout.game, bout.states, bout.player, number, np.random.default_rng(number))
            if lengths is not None:
                lengths[length] += 1

    return look


def guesses(bout: Bout) -> Look:
    """Return a `Look` that fails if samples do not keep all that is public, and all that each General has seen."""

    def look() -> None:
        for viewer in range(bout.game.num_players):
            world = guess(bout.game, bout.states, viewer, len(bout.actions))
            check_guess(bout, in_order(bout.game, bout.states, viewer), plain(world), viewer)

    return look


KEPT_FIELDS = (
    *("token_owner", "token_controller", "token_zone", "token_face", "token_hex", "token_host", "token_first"),
    *("token_next", "token_active", "token_employed", "token_moved", "token_kind_known", "turn", "active"),
    *("general_alive", "current_player", "log_kind", "log_player", "log_hex", "log_value", "deck_red", "deck_black"),
)


def check_guess(bout: Bout, states: States, world: Any, viewer: int) -> None:
    """Check that a sample keeps the public facts and puts hidden tokens where they may be; rows are the same."""
    state = plain(states)
    counted = ~uncounted(bout.game, states, viewer)
    for name in KEPT_FIELDS:
        kept = counted if name.startswith("token_") else ...
        assert np.array_equal(state[name][kept], world[name][kept]), f"the sample changes {name}"
    known = ~unknown_to(state, viewer) & counted
    assert np.array_equal(state["token_type"][known], world["token_type"][known]), "the sample changes a known token"
    for owner in range(bout.game.num_players):
        if owner != viewer:
            hidden = Hidden(bout.game, with_zones(bout.game, states, world), viewer, owner)
            pieces = dict(zip(hidden.rows, hidden.read(world), strict=True))
            given = {row: type_id for row, (type_id, _) in pieces.items()}
            for row, (type_id, since) in pieces.items():
                told = f"{bout.config.type_ids[type_id]} in {Zone(int(state['token_zone'][row])).name}"
                assert hidden.may_be(row, type_id, since) and hidden.fits(row, given), (
                    f"General {owner} cannot have {told}"
                )
            before = Hidden(bout.game, states, viewer, owner)
            assert seen(before, state) == seen(hidden, world), "the sample lacks a token that was seen"
            if bout.config.switches.open_army_lists:
                assert sorted(given.values()) == sorted(state["token_type"][hidden.rows].tolist())


def with_zones(game: Game, states: States, world: Any) -> States:
    """Return `states` with the zones and owners of a sample, in which a sack that nobody can count has another size."""
    resized = copy_of(game, states)
    for name in ("token_zone", "token_owner"):
        resized[name][0] = world[name]
    return resized


def seen(hidden: Hidden, world: Any) -> Counter[Piece]:
    """Return the hidden tokens that have been seen, and when."""
    return Counter(piece for piece in hidden.read(world) if piece[1])


def play_whole(bout: Bout, look: Look, plies: int) -> None:
    """Play a whole game in which armies meet, and look at every decision, up to `plies` of them."""
    rng = np.random.default_rng(bout.seed)
    look()
    for _ in range(plies):
        if bout.player < 0:
            return
        bout.act(warlike(bout.game, bout.states, rng))
        look()
