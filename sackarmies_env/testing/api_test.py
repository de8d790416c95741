"""Does a game keep the contract of `core/game.py`? Checked over random play; a fault is an AssertionError in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.advance import NO_ACTION, SKIP, new_orders, new_table
from sackarmies_env.core.compose import pack_mask
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import num_words
from sackarmies_env.core.state import COMMON_FIELDS, NO_PLAYER
from sackarmies_env.testing.random_play import RandomPlay, copy_of

Check = Callable[[Game, RandomPlay, int], None]
FUTURE = 5  # decisions that a world somebody believes in is played on for


def check_game(game: Game, num_games: int = 5, seed: int = 0, max_plies: int = 2000, every: int = 7) -> None:
    """Play random games and check everything that adapters, search and records rely on.

    Args:
        game: what is checked.
        num_games: games to play.
        seed: of the first game.
        max_plies: decisions of a game at most.
        every: at each so-manieth decision the costly checks are made.

    Raises:
        AssertionError: naming the fault, the seed and the ply.
    """
    _check_layout(game)
    for number in range(num_games):
        play = RandomPlay(game, seed + number, max_plies=max_plies)
        settled = np.full(game.num_players, np.nan, np.float32)
        for action in play:
            _check_settled(game, play, settled)
            checks = PLY_CHECKS + (COSTLY_CHECKS if len(play.actions) % every == 0 else ())
            for check in checks:
                check(game, play, action)
        _check_settled(game, play, settled)
        if play.player == NO_PLAYER:
            _check_end(game, play)
        _check_replay(game, play)
    _check_batch(game, seed)


def require(condition: object, play: RandomPlay | Game, sentence: str) -> None:
    """Raise an AssertionError with `sentence` unless `condition` holds."""
    if not condition:
        raise AssertionError(f"{play.id if isinstance(play, Game) else play.where()}: {sentence}")


def _bytes(states: Records) -> bytes:
    return states.view(np.ndarray).tobytes()


def _mask(game: Game, states: Records) -> NDArray[np.int8]:
    mask = np.full((len(states), game.num_actions), 7, np.int8)
    game.legal_actions(game.params, states, mask)
    return mask


def _observation(game: Game, states: Records, player: int) -> NDArray[np.int8]:
    out = np.full((len(states), game.observation_spec.size), 99, np.int8)
    game.observe(game.params, states, np.full(len(states), player, np.int64), out)
    return out


def _outputs(game: Game, n: int) -> list[NDArray[Any]]:
    """Return the outputs of `advance`, filled with what no game writes, but for observations, which it may go by."""
    return [
        np.full((n, game.num_actions), 7, np.int8),
        np.full((n, num_words(game.num_actions)), 7, np.uint64),
        np.zeros((n, game.observation_spec.size), np.int8),
        np.full((n, 2, game.num_players), 9, np.float32),
    ]


def _advance(game: Game, states: Records, codes: list[int]) -> list[NDArray[Any]]:
    outputs = _outputs(game, len(codes))
    game.advance(game.params, states, new_orders(np.array(codes, np.int64)), new_table(len(codes)), *outputs)
    return outputs


def _results(game: Game, states: Records) -> NDArray[np.float32]:
    """Return what each player has earned and who is out, `(n, 2, num_players)`."""
    earned = np.full((len(states), game.num_players), 9, np.float32)
    out = np.full((len(states), game.num_players), 9, np.int8)
    game.returns(game.params, states, earned)
    game.terminations(game.params, states, out)
    return np.stack([earned, out.astype(np.float32)], axis=1)


# --- once


def _check_layout(game: Game) -> None:
    """Sizes make sense, the state has the common fields, and the configuration builds the same game."""
    names = game.state_dtype.names or ()
    missing = [field[0] for field in COMMON_FIELDS if field[0] not in names]
    require(not missing, game, f"the state lacks the common fields {missing}")
    require(game.params.shape == (1,), game, f"params has the shape {game.params.shape}, not (1,)")
    require(game.num_players > 0 and game.num_actions > 0, game, "there must be players and actions")
    require(game.observation_spec.size > 0, game, "the observation is empty")
    again = game.build(**json.loads(json.dumps(game.config)))
    require(again.digest == game.digest, game, "build(**config) gives another game")


# --- at each decision


def _check_mask(game: Game, play: RandomPlay, action: int) -> None:
    require(np.isin(play.action_mask, (0, 1)).all(), play, "the mask holds other values than 0 and 1")
    ended = play.states["terminated"][0] or play.states["truncated"][0]
    require(not ended, play, f"the game has ended, but player {play.player} is to act")


def _check_observations(game: Game, play: RandomPlay, action: int) -> None:
    """Observations lie in their ranges, for each player, and looking changes nothing."""
    before = _bytes(play.states)
    spec = game.observation_spec
    for player in range(game.num_players):
        seen = _observation(game, play.states, player)[0]
        wrong = np.flatnonzero((seen < spec.low) | (seen > spec.high))
        if len(wrong):
            place = int(wrong[0])
            allowed = f"{spec.low[place]} to {spec.high[place]}"
            require(False, play, f"{spec.names()[place]} is {seen[place]} for player {player}, not {allowed}")
    require(_bytes(play.states) == before, play, "observe changes the state")


def _check_settled(game: Game, play: RandomPlay, settled: NDArray[np.float32]) -> None:
    """What a player has earned who is out stays as it is; `settled` holds it, NaN for players still in the game."""
    earned, out = _results(game, play.states)[0]
    for player in np.flatnonzero(out).tolist():
        changed = not np.isnan(settled[player]) and settled[player] != earned[player]
        require(not changed, play, f"player {player} is out, but the returns of that player change")
        settled[player] = earned[player]


# --- at some decisions


def _check_texts(game: Game, play: RandomPlay, action: int) -> None:
    """Texts of legal actions differ, and are read back as what they say."""
    legal = np.flatnonzero(play.action_mask[0]).tolist()
    texts = [game.format_action(play.states, one) for one in legal]
    require(len(set(texts)) == len(texts), play, f"legal actions share a text: {texts}")
    for one, text in zip(legal, texts, strict=True):
        read = game.parse_action(play.states, text)
        require(read == one, play, f"action {one} reads {text!r}, which is read back as {read}")
    require(game.describe_decision(play.states), play, "the decision has no name")
    json.dumps(game.to_scenario(play.states))


def _check_advance(game: Game, play: RandomPlay, action: int) -> None:
    """`advance` does what `step` and the kernels that look do."""
    plain, fused = copy_of(game, play.states), copy_of(game, play.states)
    game.step(game.params, plain, np.array([action], np.int64))
    outputs = mask, bits, seen, results = _advance(game, fused, [action])
    require(_bytes(plain) == _bytes(fused), play, "advance leads to another state than step")
    require(np.array_equal(mask, _mask(game, plain)), play, "advance writes another mask than legal_actions")
    require(np.array_equal(bits[0], pack_mask(mask[0])), play, "advance writes another mask as bits than as bytes")
    player = int(plain["current_player"][0])
    view = _observation(game, plain, player) if player != NO_PLAYER else np.zeros_like(seen)
    require(np.array_equal(seen, view), play, "advance writes another observation than observe")
    expected = _results(game, plain)
    require(np.array_equal(results[0, 0], expected[0, 0]), play, "advance writes other returns than returns")
    require(np.array_equal(results[0, 1], expected[0, 1]), play, "advance writes other terminations than terminations")
    twice = _advance(game, fused, [NO_ACTION])
    require(_bytes(plain) == _bytes(fused), play, "advance changes a state without an action")
    same = all(np.array_equal(one, other) for one, other in zip(twice, outputs, strict=True))
    require(same, play, "advance without an action differs")
    _advance(game, fused, [SKIP])
    require(_bytes(plain) == _bytes(fused), play, "advance changes a state that is to be skipped")


def _world(game: Game, states: Records, player: int, seed: int) -> Records:
    """Return a state that `player` may believe to be the one of `states`."""
    world = copy_of(game, states)
    game.determinize(game.params, world, np.array([player], np.int64), np.array([seed], np.int64))
    return world


def _check_determinize(game: Game, play: RandomPlay, action: int) -> None:
    """A world that a player may believe in looks the same to that player, and can be played on."""
    for player in range(game.num_players):
        world = _world(game, play.states, player, len(play.actions))
        same = np.array_equal(_observation(game, world, player), _observation(game, play.states, player))
        require(same, play, f"determinize changes what player {player} sees")
        require(world["current_player"][0] == play.player, play, "determinize changes who is to act")
        if player == play.player:
            same = np.array_equal(_mask(game, world), play.action_mask)
            require(same, play, f"determinize changes the legal actions of player {player}")
        legal = np.flatnonzero(_mask(game, world)[0])
        require(len(legal), play, f"determinize for player {player} leaves nothing to do")
        game.step(game.params, world, legal[:1].astype(np.int64))


def _check_twins(game: Game, play: RandomPlay, action: int) -> None:
    """Nothing of the truth is left in a world that a player may believe in, nor has any influence on it.

    A player cannot tell the truth and two such worlds apart; with equal seeds all three must become the same world.
    This is asked here, where each player has forfeited, and some decisions later in one of the worlds.
    """
    rng = np.random.default_rng([play.seed, len(play.actions)])
    for player in range(game.num_players):
        _check_twin_worlds(game, play, play.states, player, "")
        gone = copy_of(game, play.states)
        game.forfeit(game.params, gone, np.array([player], np.int64))
        for viewer in range(game.num_players):
            _check_twin_worlds(game, play, gone, viewer, f" after player {player} has forfeited")
        future = _world(game, play.states, player, len(play.actions))
        for _ in range(FUTURE):
            if legal := np.flatnonzero(_mask(game, future)[0]).tolist():
                game.step(game.params, future, rng.choice(legal, 1).astype(np.int64))
        for viewer in range(game.num_players):
            _check_twin_worlds(game, play, future, viewer, f" in a world that player {player} believed in, played on")


def _check_twin_worlds(game: Game, play: RandomPlay, truth: Records, player: int, where: str) -> None:
    """Check that the world of a seed is the same, whichever of three worlds like `truth` it is made of."""
    seed = len(play.actions)
    expected = _world(game, truth, player, seed)
    twins = [_world(game, truth, player, seed + other) for other in (1, 2)]
    for twin in twins:
        found = _world(game, twin, player, seed)
        names = [name for name in game.state_dtype.names or () if found[name].tobytes() != expected[name].tobytes()]
        fault = f"determinize for player {player} depends on what that player does not know{where}: see {names}"
        require(_bytes(found) == _bytes(expected), play, fault)
    for name in ("flip_key", "draw_key"):
        is_used = truth[name].any() and all(np.array_equal(twin[name], truth[name]) for twin in twins)
        require(not is_used, play, f"determinize for player {player} leaves the true {name}{where}")


def _check_forfeit(game: Game, play: RandomPlay, action: int) -> None:
    """Whoever forfeits is out, whoever is to act, and the game goes on or ends."""
    for player in range(game.num_players):
        world = copy_of(game, play.states)
        game.forfeit(game.params, world, np.array([NO_PLAYER], np.int64))
        require(_bytes(world) == _bytes(play.states), play, "a forfeit of nobody changes the state")
        game.forfeit(game.params, world, np.array([player], np.int64))
        require(_results(game, world)[0, 1, player] == 1, play, f"player {player} forfeits but is not out")
        current = int(world["current_player"][0])
        require(current != player, play, f"player {player} forfeits but is to act")
        require(_mask(game, world).any() == (current != NO_PLAYER), play, "after a forfeit nothing is legal")


PLY_CHECKS: tuple[Check, ...] = (_check_mask, _check_observations)
COSTLY_CHECKS: tuple[Check, ...] = (
    _check_texts,
    _check_advance,
    _check_determinize,
    _check_twins,
    _check_forfeit,
)


# --- at the end


def _check_end(game: Game, play: RandomPlay) -> None:
    """A finished game offers nothing, says how it ended, and stays as it is."""
    states, before = play.states, _bytes(play.states)
    require(not _mask(game, states).any(), play, "the game is over, but there are legal actions")
    require(
        bool(states["terminated"][0]) != bool(states["truncated"][0]),
        play,
        "a game that is over must be one of terminated and truncated",
    )
    game.step(game.params, states, np.zeros(1, np.int64))
    require(_bytes(states) == before, play, "a step changes a game that is over")
    json.dumps(game.to_scenario(states))
    earned, out = _results(game, states)[0]
    if states["terminated"][0]:
        require(out.all(), play, "the game has ended, but not for everybody")
    require(np.isfinite(earned).all(), play, f"returns are {earned}")
    require(not game.zero_sum or abs(earned.sum()) < 1e-6, play, f"returns of a zero-sum game are {earned}")


def _check_replay(game: Game, play: RandomPlay) -> None:
    """The same seed and actions give the same bytes; `start` without forced results is `reset`."""
    again = game.new_states(1)
    game.start(again, play.seed, "", ())
    for action in play.actions:
        game.step(game.params, again, np.array([action], np.int64))
    require(_bytes(again) == _bytes(play.states), play, "the same seed and actions lead to another state")


def _check_batch(game: Game, seed: int, num_games: int = 4, plies: int = 20) -> None:
    """Games side by side play as they do alone."""
    alone = [RandomPlay(game, seed + number, max_plies=plies) for number in range(num_games)]
    for play in alone:
        play.play()
    together = game.new_states(num_games)
    game.reset(game.params, together, np.arange(seed, seed + num_games, dtype=np.int64))
    for ply in range(plies):
        _advance(game, together, [play.actions[ply] if ply < len(play.actions) else SKIP for play in alone])
    for number, play in enumerate(alone):
        same = _bytes(together[number : number + 1]) == _bytes(play.states)
        require(same, play, f"the game is another one in row {number} of a batch")
