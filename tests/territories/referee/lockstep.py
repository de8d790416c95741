"""Random games of engine and referee side by side, compared in full at every decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.constants import Decision
from tests.territories.referee.game import Referee
from tests.territories.referee.position import Snapshot, engine_snapshot, referee_snapshot
from tests.territories.referee.random_play import LIKINGS, RandomPlayers


class DisagreementError(AssertionError):
    """Engine and referee differ."""


def engine_of(options: dict[str, Any]) -> Game:
    """Return the game of a referee's options."""
    return make_game(num_players=options["num_players"], map=options["game_map"], switches=options["switches"])


def differences(engine: Any, referee: Any, where: str = "") -> list[str]:
    """Return the differences between two snapshots, one line each."""
    if engine == referee:
        return []
    if isinstance(engine, dict) and isinstance(referee, dict):
        keys = sorted(engine.keys() | referee.keys(), key=str)
        return [line for key in keys for line in differences(engine.get(key), referee.get(key), f"{where} {key}")]
    return [f"{where.strip()}: engine {engine}, referee {referee}"]


def play_both(
    seed: int,
    options: dict[str, Any],
    *,
    forfeits: float = 0.0,
    likings: Sequence[str] = tuple(LIKINGS),
    decisions: int | None = None,
    game: Game | None = None,
    forced: dict[str, Any] | None = None,
) -> Counter[Decision]:
    """Play a random game and compare all that engine and referee know at each decision and at the end.

    Args:
        seed: random seed of the game and of the choices.
        options: arguments of a referee.
        forfeits: probability of a forfeit at each decision.
        likings: likings from which each player gets one at random.
        decisions: maximum number of decisions; None for no limit.
        game: game with these options; created if left out.
        forced: `dice` and `draws` of a referee.

    Returns:
        How often each decision was met.

    Raises:
        DisagreementError: they differ; the message lists the moves so far.
    """
    game = game or engine_of(options)
    states = game.new_states(1)
    game.start(states, seed, written(forced or {}))
    referee = Referee(seed, **options, **(forced or {}))
    players = RandomPlayers(seed, options["num_players"], forfeits, likings)
    return follow(game, states, referee, players, f"seed {seed}, {options}", decisions)


def follow(
    game: Game, states: Records, referee: Referee, players: RandomPlayers, title: str, decisions: int | None
) -> Counter[Decision]:
    """Play on from the same position with both, as in `play_both`; `title` names the game in error messages."""
    moves: list[int] = []
    met: Counter[Decision] = Counter()
    territories = sorted(referee.table.map.borders)
    while True:
        compare(engine_snapshot(game, states, territories), referee_snapshot(referee), title, moves)
        if referee.player is None or len(moves) == decisions:
            return met
        met[Decision(int(states["decision"][0]))] += 1
        moves.append(players.next_move(referee.player, sorted(referee.legal), referee.table.in_play()))
        if moves[-1] < 0:
            game.forfeit(game.params, states, np.array([-1 - moves[-1]], np.int64))
            referee.forfeit(-1 - moves[-1])
        else:
            game.step(game.params, states, np.array([moves[-1]], np.int64))
            referee.act(moves[-1])


def written(forced: dict[str, Any]) -> dict[str, Any]:
    """Return the forced results of a referee in the form that the engine reads."""
    draws = forced.get("draws", {})
    return {
        "dice": "".join(str(face) for face in forced.get("dice", ())),
        "draws": [[f"card {kind}" for kind in draws[player]] for player in sorted(draws)],
    }


def compare(engine: Snapshot, referee: Snapshot, title: str, moves: list[int]) -> None:
    """Raise if two snapshots differ."""
    found = differences(engine, referee)
    if found:
        told = "\n".join(found)
        raise DisagreementError(f"after {len(moves)} moves of {title}:\n{told}\nmoves: {moves}")
