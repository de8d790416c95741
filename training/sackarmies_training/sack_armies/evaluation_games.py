"""Positions that an evaluation of Sack Armies learns from: games of a General against itself, over all armies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents import conduct
from sackarmies_agents.agent import Agent, GameInfo, check_plays_many
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.factory import make_agent
from sackarmies_agents.search.agent import parts_of
from sackarmies_agents.search.rounds import derived_seed
from sackarmies_agents.search.sack_armies.evaluation import DRAW, LOSS, SHARED, WIN, Group, Inputs, inputs_of
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.jit import njit
from sackarmies_env.core.simulator import choose_next, is_over, list_legal, step
from sackarmies_env.core.state import copies_of
from sackarmies_env.core.step_batch import Ending
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_env.registry import load_game
from sackarmies_training.seeds import derive

PLAYERS = (2, 2, 2, 3, 2, 2, 2, 2, 4, 2)  # number of Generals, for one lot of games after another
SEATS = max(PLAYERS)
DUEL = 2  # number of Generals in games that another agent may play
LOT = 16  # games with the same armies
HELD_OUT = 10  # every tenth round of PLAYERS
MOST = 128  # positions kept of a game, at most
CERTAIN = 2**32  # kernels take chances as parts of this

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Plan:
    """What an evaluation learns from, and how.

    Attributes:
        weights: weights of `greedy`, which plays all seats: the name of a set, or the path of a file.
        agent: text form of the agent that plays all seats of games of two Generals instead; "" for `greedy`.
        games: number of games, at least.
        seed: random seed.
        noise: share of decisions that are random instead of the agent's, so that more positions are seen.
        rate: share of the starts of turns at which the position is kept.
        epochs: passes over all positions.
        learning_rate: of AdamW, at its highest.
        weight_decay: of AdamW.
        minibatch: positions per step.
        trust: how much the rest of a game counts in what its positions are taken to be worth, see `fit_evaluation`.
        unknown: share of positions in which half of the types are treated as unknown.
    """

    weights: str = "tuned"
    agent: str = ""
    games: int = 48_000
    seed: int = 1
    noise: float = 0.03
    rate: float = 0.1
    epochs: int = 4
    learning_rate: float = 4e-3
    weight_decay: float = 0.1
    minibatch: int = 1024
    trust: float = 0.5
    unknown: float = 0.3


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions and how their games ended; those of a game follow each other in order of play.

    Attributes:
        inputs: inputs of the network, for SEATS seats.
        outcomes: `(n, SEATS)` int64, WIN, DRAW or LOSS.
        games: `(n,)` int64, number of the game.
        lots: `(n,)` int64, number of the lot of games.
        players: `(n,)` int64, number of Generals in the game.
    """

    inputs: Inputs
    outcomes: NDArray[np.int64]
    games: NDArray[np.int64]
    lots: NDArray[np.int64]
    players: NDArray[np.int64]

    @property
    def rounds(self) -> NDArray[np.int64]:
        """The round of PLAYERS that each position comes from."""
        return self.lots // len(PLAYERS)

    def held_out(self) -> NDArray[np.bool_]:
        """Return which positions are held out: those of whole games, as positions of one game end alike."""
        held: NDArray[np.bool_] = self.rounds % HELD_OUT == 0
        return held


def collect(plan: Plan, progress: Progress) -> Positions:
    """Play games and return positions from them; `progress` is called with the number of games that ended.

    Raises:
        ValueError: the agent that plays raised an exception, or chose an illegal action.
    """
    parts: list[Positions] = []
    for lot in range(-(-plan.games // LOT)):
        parts.append(play_lot(plan, lot))
        progress(LOT)
    given = [part.inputs for part in parts]
    inputs = Inputs(
        _joined([one.tokens for one in given]),
        _joined([one.units for one in given]),
        _joined([one.fields for one in given]),
        np.concatenate([one.shared for one in given]),
        np.concatenate([one.alive for one in given]),
    )
    names = ("outcomes", "games", "lots", "players")
    return Positions(inputs, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _joined(groups: Sequence[Group]) -> Group:
    """Concatenate groups."""
    return Group(*(np.concatenate(columns) for columns in zip(*groups, strict=True)))


def play_lot(plan: Plan, lot: int) -> Positions:
    """Play one lot of games to their ends, and return positions from them.

    Raises:
        ValueError: the agent that plays raised an exception, or chose an illegal action.
    """
    rng = np.random.default_rng(derive(plan.seed, "lot", lot))
    players = PLAYERS[lot % len(PLAYERS)]
    armies = [army_ids()[number] for number in rng.integers(len(army_ids()), size=players)]
    game = load_game("sack_armies", num_generals=players, armies=armies)
    play = _play_agent if plan.agent and players == DUEL else _play
    try:
        states, counts, ends = play(game, plan, rng)
    except Misconduct as fault:
        raise ValueError(f"{plan.agent!r} cannot play the games of an evaluation: it {fault}") from None
    size, inputs = len(states), with_all_seats(inputs_of(game.params, states))
    outcomes = np.full((size, SEATS), LOSS)
    outcomes[:, :players] = np.repeat(outcomes_of(ends), counts, axis=0)
    games = lot * LOT + np.repeat(np.arange(LOT), counts)
    return Positions(inputs, outcomes, games, np.full(size, lot), np.full(size, players))


def with_all_seats(inputs: Inputs) -> Inputs:
    """Return inputs padded to SEATS seats: those that the game does not have are not alive."""
    size, players = inputs.alive.shape
    shared, alive = np.zeros((size, SEATS, SHARED), np.float32), np.zeros((size, SEATS), bool)
    shared[:, :players], alive[:, :players] = inputs.shared, inputs.alive
    return inputs._replace(shared=shared, alive=alive)


def _play(game: Game, plan: Plan, rng: np.random.Generator) -> tuple[Records, NDArray[np.int64], NDArray[np.float32]]:
    """Play a lot of games; return states from them, how many are from each game, and what each seat earned in each."""
    simulator, policy = game.simulator(), parts_of(GameInfo.of(game), (plan.weights,)).make_policy(game)
    states, kept, actions = game.new_states(LOT), game.new_states(MOST), np.zeros(game.num_actions, np.int64)
    game.reset(game.params, states, rng.integers(2**62, size=LOT))
    found, counts = [], []
    for number, seed in enumerate(rng.integers(2**62, size=LOT)):
        draw = int(seed), plan.noise * CERTAIN, plan.rate * CERTAIN
        count = play_game(simulator, policy, states[number : number + 1], actions, draw, kept)
        found.append(copies_of(kept, np.arange(count)))
        counts.append(count)
    return np.concatenate(found), np.array(counts), returns_of(game, states)


def player_of(text: str, game: Game) -> Agent:
    """Return an agent that plays all seats of a game.

    Raises:
        ValueError: there is no such agent, or it cannot play many games at once.
    """
    agent = make_agent(text, GameInfo.of(game))
    check_plays_many(agent, f"{text!r} cannot play the games of an evaluation")
    return agent


def _play_agent(
    game: Game, plan: Plan, rng: np.random.Generator
) -> tuple[Records, NDArray[np.int64], NDArray[np.float32]]:
    """Do what `_play` does, with an agent outside of kernels, which is asked for all games at once.

    Raises:
        Misconduct: the agent raised an exception, or chose an illegal action.
    """
    agent, batch = player_of(plan.agent, game), Batch(game, LOT, restarts=False)
    conduct.reset(agent, int(rng.integers(2**62)))
    batch.reset(rng.integers(2**62, size=LOT))
    kept: list[list[Records]] = [[] for _ in range(LOT)]
    turns = batch.states["turn"].copy()
    while len(running := np.flatnonzero(batch.ended == Ending.RUNNING)):
        begun = running[batch.states["turn"][running] != turns[running]]
        turns[begun] = batch.states["turn"][begun]
        for number in begun[rng.random(len(begun)) < plan.rate]:
            if len(kept[number]) < MOST:
                kept[number].append(game.clone(batch.states, [number]))
        masks = batch.action_masks[running]
        actions = conduct.ask(agent, batch.observations[running], masks)
        wrong = actions[~conduct.are_legal(masks, actions)]
        if len(wrong):
            raise Misconduct(f"chose action {wrong[0]}, which is not legal")
        for place in np.flatnonzero(rng.random(len(running)) < plan.noise):
            actions[place] = rng.choice(np.flatnonzero(masks[place]))
        batch.step(actions, running)
    found = [state for one in kept for state in one]
    states = np.concatenate(found) if found else game.new_states(0)
    return states, np.array([len(one) for one in kept]), returns_of(game, batch.states)


@njit
def play_game(simulator, policy, states, actions, draw, kept):
    """Play a game to its end, and keep positions at the starts of turns; return how many.

    Args:
        simulator: of the game.
        policy: plays all seats.
        states: (1,), overwritten.
        actions: (num_actions,) int64, overwritten.
        draw: a seed, and chances as parts of CERTAIN: that a decision is random, and that a position is kept.
        kept: (m,) states, overwritten from the first on.
    """
    seed, noise, rate = draw
    count = draws = np.int64(0)
    turn = states[0].turn
    while not is_over(states[0]):
        if states[0].turn != turn:
            turn = states[0].turn
            draws += 1
            if derived_seed(seed, draws) % CERTAIN < rate and count < len(kept):
                kept[count] = states[0]
                count += 1
        draws += 1
        drawn = derived_seed(seed, draws)
        if drawn % CERTAIN < noise:
            action = actions[drawn // CERTAIN % list_legal(states[0], actions)]
        else:
            action = choose_next(simulator, policy, states, np.int64(0))
        step(simulator, states, action)
    return count


def returns_of(game: Game, states: Records) -> NDArray[np.float32]:
    """Return what each seat earned in games that are over, `(n, num_players)`."""
    returns = np.zeros((len(states), game.num_players), np.float32)
    game.returns(game.params, states, returns)
    return returns


def outcomes_of(returns: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return how games ended for seats, from what they earned: a seat that is out of an undecided game has lost."""
    return np.where(returns == 1.0, WIN, np.where(returns < 0.0, LOSS, DRAW)).astype(np.int64)
