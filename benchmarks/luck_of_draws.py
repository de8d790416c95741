"""Luck of draws by exact odds: tokens from a sack, cards from a deck. `benchmarks.luck` tells what it is worth.

It is `sackarmies_training.stats.luck` for draws, and stands here because it narrows no interval. For each draw of a
step, the value of the position after the step is compared with its mean over all that might have been drawn, weighted
by how often that is in the sack or deck. Draws before it are as they came, and so are the words of chance that decide
all later draws and flips.

Why a correction has the mean 0 given all that happened before the draw: the word that decides it is independent of all
other words, and given the draws before it picks each token of the sack alike. So what came is distributed as what is
tried, with the same words after it. Copies of a token are one result; which of them is drawn first only changes what
later words mean, not how likely anything is. All this holds for each draw by itself, hence for their sum.

The sack is read from the state before the step. A draw is left as it is where that might not be the sack drawn from:
where, in any of the ways tried, another player draws in the step too, or the sack does not shrink by what is drawn.
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
GAMES = 100  # that are played again side by side
POSITIONS = 2048  # that a network looks at together


def sack_of(state: Any, player: int) -> list[int]:
    """Return the types of the tokens in a sack, in the order in which chance counts them."""
    in_sack = (state["token_owner"] == player) & (state["token_zone"] == Zone.SACK)
    types: list[int] = state["token_type"][in_sack].tolist()
    return types


def deck_of(state: Any, player: int) -> list[int]:
    """Return the kinds of the cards in the deck, sorted; of the discards, which become the deck, where it is empty."""
    counts = state["deck" if state["deck_count"] > 0 else "discards"]
    kinds: list[int] = np.repeat(np.arange(len(counts)), counts).tolist()
    return kinds


POOLS = {"sack_armies": sack_of, "territories": deck_of}  # what a player draws from


class Way(NamedTuple):
    """One way in which a draw of a step might have gone.

    Attributes:
        step: which one.
        number: of the draw in the step, from 0.
        player: who draws.
        drawn: what is drawn in the step up to this draw.
        chance: of this way, given the draws before.
    """

    step: int
    number: int
    player: int
    drawn: list[int]
    chance: float


class DrawMeter:
    """Measures the luck that a seat had with draws in finished games."""

    def __init__(self, game: Game, values: Values) -> None:
        """Take the game, and what positions are worth to players."""
        self._game = game
        self._values = values
        self._pool = POOLS[game.id]
        self.num_left = 0  # draws that were left as they are

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
            after: `(n,)`, states that they led to.
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
        """Return how many draws each player makes in steps, and where these lead; with draws of ways in the first."""
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
        """Yield all ways for each draw of a step, where one player alone draws."""
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
    """What positions of Sack Armies are worth by the trained General that comes with it, who sees the player's hand.

    Each of two players looks at the position by its own eyes, and half of the difference is the value: 0 in sum.
    """

    def __init__(self, game: Game) -> None:
        """Load the network."""
        self._game = game
        self._network = read_network(read_checkpoint(CHECKPOINT), POLICY, GameInfo.of(game)).eval()

    def __call__(self, states: Records, players: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of positions `(n,)` for players `(n,)`; returns where the game is over."""
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
