"""Masks checked against the independent referee, in configurations that hypothesis draws."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.random_games import NEW_GAME, wrong_mask
from tests.sack_armies.properties.bout import Bout, Look
from tests.sack_armies.referee.asks import missed_question
from tests.sack_armies.referee.attacks import follow
from tests.sack_armies.referee.position import Position, read_position


def rulings(bout: Bout) -> Look:
    """Return a `Look` that fails if the mask is not what the referee rules, or a question was skipped (V-16)."""
    before: Position | None = None

    def look() -> None:
        nonlocal before
        now = follow(before, read_position(bout.config, bout.states))
        done = bout.actions[-1] if bout.actions else NEW_GAME
        faults = [missed_question(before, done, now)] if before is not None else []
        if now.decision != Decision.NONE:
            faults.append(wrong_mask(bout.game, bout.states, now, set(bout.legal())))
        assert not any(faults), "; ".join(fault for fault in faults if fault)
        before = now

    return look
