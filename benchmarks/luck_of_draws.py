"""Luck of draws by exact odds: tokens from a sack, cards from a deck. `benchmarks.luck` measures what it is worth.

This is `sackarmies_training.stats.luck` for draws; it is kept here because it narrows no interval. For each draw of a
step, the value of the position after the step is compared with its mean over everything that might have been drawn,
weighted by how often that is in the sack or deck. Earlier draws stay as they came, and so do the words of chance that
decide all later draws and flips.

Why a correction has mean 0, given all that happened before the draw: the word that decides the draw is independent of
all other words and, given the earlier draws, picks each token of the sack with equal probability. So what came has the
same distribution as what is tried, with the same words after it. Copies of a token are one result; which of them is
drawn first only changes what later words mean, not how likely anything is. All this holds for each draw by itself,
hence for their sum.

The sack is read from the state before the step. A draw is left uncorrected if that might not be the sack drawn from:
if, in any of the ways tried, another player draws in the step too, or the sack does not shrink by the number drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.checkpoint import POLICY, read_checkpoint
from sackarmies_agents.learned.network import Advice
from sackarmies_agents.learned.policy_agent import read_network
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_env.core.chance import NO_RESULT
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.rng import below, philox
from sackarmies_env.games.sack_armies.state.constants import Zone
from sackarmies_training.matches import PlayedGame
from sackarmies_training.stats.luck import replay

Values = Callable[[Records, NDArray[np.int64]], NDArray[np.float64]]  # of positions for players, each (n,)
GAMES = 100  # replayed side by side
POSITIONS = 2048  # per call of a network


def sack_of(state: Any, player: int) -> list[int]:
    """Return the types of the tokens in a player's sack, in the order in which chance counts them."""
    in_sack = (state["token_owner"] == player) & (state["token_zone"] == Zone.SACK)
    types: list[int] = state["token_type"][in_sack].tolist()
    return types


def deck_of(state: Any, player: int) -> list[int]:
    """Return the kinds of the cards in the deck, sorted; if it is empty, of the discards, which become the deck."""
    counts = state["deck" if state["deck_count"] > 0 else "discards"]
    kinds: list[int] = np.repeat(np.arange(len(counts)), counts).tolist()
    return kinds


POOLS = {"sack_armies": sack_of, "territories": deck_of}  # what a player draws from


class Way(NamedTuple):
    """One way in which a draw of a step might have gone.

    Attributes:
        step: index of the step.
        number: index of the draw in the step, from 0.
        player: who draws.
        drawn: everything drawn in the step up to and including this draw.
        chance: probability of this way, given the draws before.
    """

    step: int
    number: int
    player: int
    drawn: list[int]
    chance: float


class DrawMeter:
    """Measures the luck that a seat had with draws in finished games."""

    def __init__(self, game: Game, values: Values) -> None:
        """Take the game and a function that values positions for players."""
        self._game = game
        self._values = values
        self._pool = POOLS[game.id]
        self.num_left = 0  # draws left uncorrected

    def measure(self, games: Sequence[PlayedGame], seats: Sequence[int]) -> list[list[float]]:
        """Return the corrections of each game, as `LuckMeter.measure` does."""
        luck: list[list[float]] = []
        for start in range(0, len(games), GAMES):
            part = games[start : start + GAMES]
            found: list[list[float]] = [[] for _ in part]
            for ply in replay(self._game, part):
                met = ply.met("draw")
                players = np.array([seats[start + row] for row in ply.rows[met]], np.int64)
                steps = self.corrections(ply.before[met], ply.actions[met], ply.after[met], players)
                for row, step in zip(ply.rows[met].tolist(), steps, strict=True):
                    found[row] += step
            luck += found
        return luck

    def corrections(
        self, before: Records, actions: NDArray[np.int64], after: Records, players: NDArray[np.int64]
    ) -> list[list[float]]:
        """Return the corrections of the draws of each step, in order.

        Args:
            before: `(n,)`, states.
            actions: `(n,)`, ids of steps that draw.
            after: `(n,)`, states after the actions.
            players: `(n,)`, seats of interest.
        """
        counts, _ = self._step(before, actions, [])
        ways = [way for step in range(len(before)) for way in self._ways(step, before[step], counts[step])]
        found: list[list[float]] = [[] for _ in before]
        if not ways:
            return found
        steps = np.array([way.step for way in ways])
        counts, tried = self._step(self._game.clone(before, steps), actions[steps], ways)
        came = self._values(after, players)
        means: dict[tuple[int, int], float] = {}
        left = set()
        for way, count, state, value in zip(ways, counts, tried, self._values(tried, players[steps]), strict=True):
            draw = way.step, way.number
            means[draw] = means.get(draw, 0.0) + way.chance * value
            shrinks = len(self._pool(before[way.step], way.player)) - len(self._pool(state, way.player))
            if count.sum() != count[way.player] or shrinks != count[way.player]:
                left.add(draw)
        for (step, number), mean in means.items():
            if (step, number) not in left:
                found[step].append(float(came[step]) - mean)
        self.num_left += len(left)
        return found

    def _step(self, before: Records, actions: NDArray[np.int64], ways: Sequence[Way]) -> tuple[NDArray[Any], Records]:
        """Step with the draws of `ways` forced in the first rows; return each player's number of draws, and states."""
        states = self._game.clone(before)
        states["script_draws"] = NO_RESULT  # forces nothing, but is counted as used
        states["script_draws_end"] = states["script_draws"].shape[2]
        states["script_draws_used"] = 0
        for row, way in enumerate(ways):
            states["script_draws"][row, way.player, : len(way.drawn)] = way.drawn
            states["draw_count"][row] += len(way.drawn)  # the words after these stay as they came
        self._game.step(self._game.params, states, actions)
        return states["script_draws_used"].astype(np.int64), states

    def _ways(self, step: int, state: Any, counts: NDArray[np.int64]) -> Iterator[Way]:
        """Yield all ways of each draw of a step; nothing if more than one player draws."""
        player = int(counts.argmax())
        if counts.sum() != counts[player]:
            self.num_left += int(counts.sum())
            return
        pool, came = self._pool(state, player), list[int]()
        for number in range(min(int(counts[player]), len(pool))):
            for result, copies in sorted(Counter(pool).items()):
                yield Way(step, number, player, [*came, result], copies / len(pool))
            key, high = (np.uint64(word) for word in state["draw_key"])
            word = philox(key, high, np.uint64(int(state["draw_count"]) + number))
            came.append(pool.pop(int(below(word, len(pool)))))


class TrainedValues:
    """Values of Sack Armies positions by the trained General that comes with the game, who sees the player's hand.

    The position is valued from the view of each of the two players. Half of the difference counts, so values sum to 0.
    """

    def __init__(self, game: Game) -> None:
        """Load the network."""
        self._game = game
        self._network = read_network(read_checkpoint(CHECKPOINT), POLICY, GameInfo.of(game)).eval()

    def __call__(self, states: Records, players: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of positions `(n,)` for players `(n,)`; if a game is over, its returns."""
        states = self._game.clone(states)
        returns = np.zeros((len(states), self._game.num_players), np.float32)
        self._game.returns(self._game.params, states, returns)
        values: NDArray[np.float64] = returns[np.arange(len(states)), players].astype(np.float64)
        on = np.flatnonzero(states["current_player"] >= 0)
        for start in range(0, len(on), POSITIONS):
            rows = on[start : start + POSITIONS]
            part = self._game.clone(states, rows)
            values[rows] = (self._look(part, players[rows]) - self._look(part, 1 - players[rows])) / 2
        return values

    def _look(self, states: Records, seats: NDArray[np.int64]) -> NDArray[np.float64]:
        observations = np.zeros((len(states), self._game.observation_spec.size), np.int8)
        self._game.observe(self._game.params, states, seats, observations)
        advised = torch.zeros(len(states), dtype=torch.int64)  # the network knows no other case; any values will do
        with torch.inference_mode():
            values = self._network.values(torch.tensor(observations), Advice(advised, torch.zeros(0)))
        return values.double().numpy()
