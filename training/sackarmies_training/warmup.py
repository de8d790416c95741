"""Warm-up: short games that compile every kernel that commands and environments may need.

Kernels are compiled for the types of their arguments; a game's hook `warmup` says which of its configurations differ
in them.
"""

from __future__ import annotations

import importlib.util
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.board_form import BOARD, board_form
from sackarmies_agents.learned.kernel_agent import KernelAgent
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_agents.learned.weights import shapes_of
from sackarmies_agents.scripted.compiled import CompiledAgent
from sackarmies_env import make, render
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.entries import GameEntry, entry_of, find_hook, game_ids
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.notice import NOTICE
from sackarmies_env.core.record import make_record
from sackarmies_env.core.record import replay as replay_record
from sackarmies_env.envs.match import Match
from sackarmies_env.registry import load_game, load_players
from sackarmies_env.render.picture import find_picture
from sackarmies_training.table.game_table import GameTable, known_states, table_of

GAMES_AT_ONCE = 4
TOLD = 8  # decisions of each kind that are put into words
SEARCHES = [
    f"search:playouts=8{who}{how}"
    for who in ("", ",prior=policy", ",models=trained")
    for how in ("", ",plans=1", ",threads=2")  # with several threads, Python plays the rounds, as with a time limit
]
SEARCHED = 200  # decisions, at most, until one is searched: those of setup are not

Options = dict[str, Any]  # of a game's `make_game`


def warm_up_all(game_id: str | None, num_players: int | None) -> Iterator[str]:
    """Compile a game (None: all games) for a number of players (None: all); yield a line after each part.

    Raises:
        ValueError: there is no such game, or none for that many players.
    """
    if INTERPRETED:
        yield "NUMBA_DISABLE_JIT is set: the rules are interpreted, and there is nothing to compile."
        return
    NOTICE.hint = ""
    for entry in entries_for(game_id, num_players):
        for name, configurations in layouts_of(entry, num_players).items():
            began, before = time.monotonic(), NOTICE.num_compiled
            for options in configurations:
                warm_up(entry.id, options)
            done = "compiled" if NOTICE.num_compiled > before else "all was compiled already"
            yield f"{entry.title}, {name}: {done} ({time.monotonic() - began:.0f} s)"


def entries_for(game_id: str | None, num_players: int | None) -> list[GameEntry]:
    """Return the requested games.

    Raises:
        ValueError: there is no such game, or none for that many players.
    """
    asked = [entry_of(one) for one in (game_ids() if game_id is None else [game_id])]
    fitting = [one for one in asked if num_players is None or _is_for(one, num_players)]
    if not fitting:
        known = ", ".join(f"{one.title} is for {one.players[0]} to {one.players[1]}" for one in asked if one.players)
        raise ValueError(f"no game supports {num_players} players: {known}")
    return fitting


def _is_for(entry: GameEntry, num_players: int) -> bool:
    return entry.players is None or entry.players[0] <= num_players <= entry.players[1]


def layouts_of(entry: GameEntry, num_players: int | None) -> dict[str, list[Options]]:
    """Return the parts of a game that are compiled separately: name -> options of the games to play."""
    layouts = entry.hook("warmup")
    if layouts is not None:
        named: dict[str, list[Options]] = layouts(num_players)
        return named
    if num_players is None:
        return {"all games": [{}]}
    return {f"games of {num_players} players": [load_players(entry.id, num_players).config]}


def warm_up(game_id: str, options: Options) -> None:
    """Compile, or find in the cache, whatever games of a configuration need."""
    game = load_game(game_id, **options)
    agents = [name for name in ("greedy", "random") if _plays(name, game)]
    _play_environments(game_id, options, agents)
    _play_batch(game)
    _ask_everything(game)
    _play_match(game, agents[0])
    _ask_network(game)
    for text in SEARCHES:
        if _plays(text, game):
            _search(text, game)


def _plays(name: str, game: Game) -> bool:
    """Return whether an agent can play the game in this configuration."""
    try:
        make_agent(name, GameInfo.of(game))
    except ValueError:
        return False
    return True


def _search(text: str, game: Game) -> None:
    """Have a search play until it has compared choices."""
    batch = Batch(game, 1)
    batch.reset(np.zeros(1, np.int64))
    agent: Any = make_agent(text, GameInfo.of(game))
    for _ in range(SEARCHED):
        actions = agent.act_informed(batch.information_sets(int(batch.players[0])))
        if agent.report()[0] is not None:
            return
        batch.step(actions)


def _ask_network(game: Game) -> None:
    """Have a small network choose: by its kernel and, if torch is installed, by torch, which calls other kernels."""
    info, sizes = GameInfo.of(game), NetworkSizes(token=1, mark=1, hidden=2, patch=0, message=1)
    batch = Batch(game, 1)
    batch.reset(np.zeros(1, np.int64))
    if info.network == BOARD:
        form = board_form(info, sizes.patch)
        weights = {name: np.zeros(shape, np.float32) for name, shape in shapes_of(form, sizes).items()}
        KernelAgent(form, sizes, weights).act_batch(batch.observations, batch.action_masks)
    if importlib.util.find_spec("torch") is None:
        return
    from sackarmies_agents.learned.policy_agent import PolicyAgent, make_network

    PolicyAgent(make_network(info, sizes)).act_batch(batch.observations, batch.action_masks)


def _play_match(game: Game, name: str) -> None:
    """Play a game, render it as several viewers see it, record it and narrate it."""
    match = Match(game)
    agent = make_agent(name, GameInfo.of(game))
    agent.reset(0)
    match.begin(0)
    if isinstance(agent, CompiledAgent):  # what trained agents are told
        legal = np.flatnonzero(match.action_mask)
        given = match.observation[None], np.array([len(legal)]), legal
        if agent.weighs:
            agent.weigh(*given)
        if agent.explains:
            agent.explain(*given, game.observation_spec.block("tokens").rows)
    table, told = table_of(game), Counter[str]()
    table.warm_up(match.states)
    while match.player >= 0:
        kind = game.describe_decision(match.states)
        told[kind] += 1
        if told[kind] <= TOLD:
            _tell(match, table)
        match.play(agent.act(match.observation, match.action_mask))
        if len(match.history) % 20 == 1:
            _look(match)
    _look(match)
    record = make_record(game, match.seed, match.history)
    replay_record(game, record)
    list(render.narrate(game, record))
    match.begin(1)
    match.forfeit(match.player)


def _tell(match: Match, table: GameTable) -> None:
    """Put a decision into words as for people, with the odds of attacks."""
    picture = find_picture(match.game, match.states, match.player)
    if picture is not None:
        known = known_states(match)
        table.about(known, picture)
        table.choices(known, picture, match.legal_actions())


def _look(match: Match) -> None:
    game, states = match.game, match.states
    for viewer in (None, 0):
        render.ansi(game, states, viewer)
        render.svg(game, states, viewer)
    match.observe(0)
    for action in match.legal_actions():
        game.parse_action(states, game.format_action(states, action))
    scenario = game.to_scenario(states)
    if find_hook(game.id, "load_scenario") is not None:
        Match(load_game(game.id, scenario=scenario)).begin(0)


def _ask_everything(game: Game) -> None:
    """Call each kernel of the contract (`Game`) once."""
    states, n = game.new_states(1), game.num_players
    first = np.zeros(1, np.int64)
    game.reset(game.params, states, first)
    game.start(states, 0)
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


def _play_environments(game_id: str, options: Options, opponents: list[str]) -> None:
    """Play games to their ends through each interface."""
    chance = np.random.default_rng(0)
    env = make(game_id, "aec", **options)
    env.reset(seed=0)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else _choose(chance, observation["action_mask"]))
    for opponent in opponents:
        _play_seat(make(game_id, "gym", opponent=opponent, **options), chance)
    for seat in (0, "all"):
        envs = make(game_id, "vector", num_envs=GAMES_AT_ONCE, seat=seat, **options)
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
