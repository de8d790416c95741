"""Compiling ahead of use: a short game through everything that commands and environments may ask of the rules.

Kernels are compiled for the types of their arguments, of which there are two sets: states of two Generals, and the
larger ones of three to six. Nothing else that a user can choose (armies, switches, scenarios, seeds) is compiled in.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_env import make, render
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.notation import make_record
from sackarmies_env.core.notation import replay as replay_record
from sackarmies_env.core.notice import NOTICE
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies.narrate import narrate
from sackarmies_env.registry import load_game

LAYOUTS = {2: "games of 2 Generals", 3: "games of 3 to 6 Generals"}  # by their smallest number
TURNS = 40  # of the short games: long enough that units stand on the board
GAMES_AT_ONCE = 4


def warm_up_all(generals: int | None) -> Iterator[str]:
    """Compile for games of so many Generals, None for all; yield a line when a part is done.

    Games of 3 to 6 Generals have their kernels in common.
    """
    if INTERPRETED:
        yield "NUMBA_DISABLE_JIT is set: the rules are interpreted, and there is nothing to compile."
        return
    NOTICE.hint = ""
    for smallest, name in LAYOUTS.items():
        if generals is not None and smallest != min(generals, max(LAYOUTS)):
            continue
        began, before = time.monotonic(), NOTICE.num_compiled
        warm_up(smallest)
        done = "compiled" if NOTICE.num_compiled > before else "all was compiled already"
        yield f"{name}: {done} ({time.monotonic() - began:.0f} s)"


def warm_up(generals: int) -> None:
    """Compile, or find in the cache, whatever games of so many Generals need."""
    for observation in ("compact", "planes"):
        options = {"num_generals": generals, "observation": observation, "switches": {"max_turns": TURNS}}
        game = load_game("sack_armies", **options)
        opponents = ("random", "greedy") if observation == "compact" else ("random",)  # greedy does not read planes
        _play_environments(options, opponents)
        _play_batch(game)
        _ask_everything(game)
        if observation == "compact":
            _play_match(game)


def _play_match(game: Game) -> None:
    """Play a game between greedy agents, look at it from all sides, record it and tell it."""
    match = Match(game)
    agent = make_agent("greedy", GameInfo.of(game))
    agent.reset(0)
    match.begin(0)
    while match.player >= 0:
        match.play(agent.act(match.observation, match.action_mask))
        if len(match.history) % 20 == 1:
            _look(match)
    _look(match)
    record = make_record(game, match.seed, match.history)
    replay_record(game, record)
    list(narrate(game, record))
    match.begin(1)
    match.forfeit(match.player)


def _look(match: Match) -> None:
    game, states = match.game, match.states
    for viewer in (None, 0):
        render.ansi(game, states, viewer)
        render.svg(game, states, viewer)
    match.observe(0)
    for action in match.legal_actions():
        game.parse_action(states, game.format_action(states, action))
    scenario = game.to_scenario(states)
    Match(load_game("sack_armies", scenario=scenario)).begin(0)


def _ask_everything(game: Game) -> None:
    """Call each kernel of the contract (`Game`) once."""
    states, n = game.new_states(1), game.num_players
    first = np.zeros(1, np.int64)
    game.reset(game.params, states, first)
    game.start(states, 0, "H T", [])
    mask = np.zeros((1, game.num_actions), np.int8)
    game.legal_actions(game.params, states, mask)
    game.step(game.params, states, mask.argmax(axis=1))
    game.observe(game.params, states, first, np.zeros((1, game.observation_spec.size), np.int8))
    game.returns(game.params, states, np.zeros((1, n), np.float32))
    game.terminations(game.params, states, np.zeros((1, n), np.int8))
    game.determinize(game.params, states, first, first)
    game.forfeit(game.params, states, first)


def _play_batch(game: Game) -> None:
    batch = Batch(game, GAMES_AT_ONCE, packed=True)
    batch.reset(np.arange(GAMES_AT_ONCE))
    batch.step_random(2)
    batch.rollout(2)
    batch.read()


def _play_environments(options: dict[str, Any], opponents: tuple[str, ...]) -> None:
    """Play games to their ends through each interface."""
    chance = np.random.default_rng(0)
    env = make("sack_armies", "aec", **options)
    env.reset(seed=0)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else _choose(chance, observation["action_mask"]))
    for opponent in opponents:
        _play_seat(make("sack_armies", "gym", opponent=opponent, **options), chance)
    for seat in (0, "all"):
        envs = make("sack_armies", "vector", num_envs=GAMES_AT_ONCE, seat=seat, **options)
        observations, _ = envs.reset(seed=0)
        ended = 0
        while ended < GAMES_AT_ONCE:
            actions = np.array([_choose(chance, mask) for mask in observations["action_mask"]])
            observations, _, terminations, truncations, _ = envs.step(actions)
            ended += int((terminations | truncations).sum())


def _play_seat(env: Any, chance: np.random.Generator) -> None:
    """Play two games, the second one without a seed."""
    for seed in (0, None):
        _, info = env.reset(seed=seed)
        is_over = False
        while not is_over:
            _, _, terminated, truncated, info = env.step(_choose(chance, info["action_mask"]))
            is_over = terminated or truncated


def _choose(chance: np.random.Generator, mask: NDArray[np.int8]) -> int:
    return int(chance.choice(np.flatnonzero(mask)))
