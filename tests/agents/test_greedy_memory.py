"""The greedy General's memory between decisions never changes a choice; the frozen weights choose as ever."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.scripted.sack_armies.board import BOARD_DTYPE, make_board
from sackarmies_agents.scripted.sack_armies.choose import choose_batch
from sackarmies_agents.scripted.sack_armies.weights import MOST_DECAY, load_weights
from sackarmies_agents.scripted.weight_sets import LARGEST
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.state import copy_records
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.state.layout import TOKEN_WIDTH, Place, Shown, Token
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from tests.samples import many

KEPT = Path(__file__).parents[1] / "kept" / "greedy_first.json"
STEPS = 6 if INTERPRETED else 150  # per game that one board plays
GAMES = 2 if INTERPRETED else 8
compiled_only = pytest.mark.skipif(INTERPRETED, reason="takes minutes without the compiler")


def line_up(seed, num_players):
    """Return armies that differ from seed to seed."""
    ids = army_ids()
    return [ids[(seed * 5 + seat * 3 + seed * seat) % len(ids)] for seat in range(num_players)]


def batch_of(seed, num_players, n, **switches):
    game = make_game(num_players, armies=line_up(seed, num_players), switches=switches)
    batch = Batch(game, n)
    batch.reset(np.arange(n) + 1000 * seed)
    return game, batch


def count_differences(boards, batch, rng, noise, steps):
    """Play on with one board for all games; count the choices that differ from those of a fresh board."""
    board, empty, fresh = boards
    wrong = 0
    actions, again = np.zeros(len(batch), np.int64), np.zeros(1, np.int64)
    for _ in range(steps):
        running = np.flatnonzero(batch.players >= 0)
        for row in running.tolist():
            view = batch.observations[row : row + 1].copy(), batch.action_masks[row : row + 1].copy()
            choose_batch(board, *view, again)
            actions[row] = again[0]
            choose_batch(board, *view, again)  # now that everything has been computed
            copy_records(empty, fresh)
            wrong += again[0] != actions[row]
            choose_batch(fresh, *view, again)
            wrong += again[0] != actions[row]
            if rng.random() < noise:
                actions[row] = rng.choice(np.flatnonzero(view[1][0]))
        batch.step(actions[running], running)
    return wrong


def play_with_one_board(num_players, line_ups, games, steps, weights):
    """Play different line-ups with one board, from greedy to random play; return the number of differences."""
    rng = np.random.default_rng(num_players)
    board = None
    wrong = 0
    for seed in range(line_ups):
        game, batch = batch_of(seed, num_players, games, auto_forced=seed % 3 != 2)
        if board is None:
            board = make_board(GameInfo.of(game), weights)
            empty, fresh = board.copy(), board.copy()
        noise = (0.0, 0.1, 1.0)[seed % 3]
        batch.rollout(int(rng.integers(0, 4)) * steps // 2)
        batch.read()
        wrong += count_differences((board, empty, fresh), batch, rng, noise, steps)
    return wrong


@compiled_only
@pytest.mark.parametrize("num_players", [2, 4])
def test_choice_does_not_depend_on_decisions_and_games_before(num_players):
    assert play_with_one_board(num_players, line_ups=3, games=3, steps=40, weights=load_weights()) == 0


@compiled_only
def test_choice_does_not_depend_on_games_before_however_strong_the_pull():
    """Regression: a pull above that of closed hexes opened these for good."""
    largest = dict.fromkeys(("hunt", "body", "rank", "scarce"), LARGEST) | {"decay": MOST_DECAY}
    weights = load_weights().model_copy(update=largest)
    assert play_with_one_board(2, line_ups=3, games=3, steps=40, weights=weights) == 0


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
def test_choice_never_depends_on_many_games_before(num_players):
    assert play_with_one_board(num_players, line_ups=many(6), games=6, steps=300, weights=load_weights()) == 0


def test_board_is_as_wide_as_the_largest_game():
    game = make_game(6)
    board = make_board(GameInfo.of(game), load_weights())
    assert board["seen"].shape[1] >= game.observation_spec.size
    assert board.dtype == BOARD_DTYPE


@compiled_only
def test_unit_on_no_battlefield_and_beside_none_leaves_nothing_behind():
    """Regression: its hex stayed open to all units in later decisions and games."""
    game, batch = batch_of(1, 2, 6)
    batch.rollout(STEPS)
    batch.read()
    spec = game.observation_spec
    first = spec.slice("tokens").start
    board = make_board(GameInfo.of(game), load_weights())
    empty, actions, again = board.copy(), np.zeros(1, np.int64), np.zeros(1, np.int64)
    for row in np.flatnonzero(batch.players >= 0).tolist():
        seen, mask = batch.observations[row : row + 1].copy(), batch.action_masks[row : row + 1].copy()
        mangled = seen.copy()
        tokens = mangled[0, first:].reshape(-1, TOKEN_WIDTH)
        tokens[tokens[:, Token.KIND] == Shown.BATTLEFIELD, Token.PLACE] = Place.REMOVED
        choose_batch(board, mangled, np.where(np.arange(mask.shape[1]) < 5, 1, mask).astype(np.int8), actions)
        choose_batch(board, seen, mask, actions)
        choose_batch(empty.copy(), seen, mask, again)
        assert actions[0] == again[0]
        tables = ("cell_steps", "cell_unit", "cell_field", "cell_guard", "cell_pull")
        clean = empty.copy()
        choose_batch(clean, seen, mask, again)
        assert [name for name in tables if not np.array_equal(board[name], clean[name])] == []


# --- the frozen rung


def digest_of_games(text, num_players, n=6, steps=200):
    """Return a digest of the choices of an agent in games against itself."""
    game, batch = batch_of(num_players, num_players, n)
    agent = make_agent(text, GameInfo.of(game))
    agent.reset(5)
    digest = hashlib.sha256()
    for _ in range(steps):
        running = np.flatnonzero(batch.players >= 0)
        if not len(running):
            break
        actions = agent.act_batch(batch.observations[running], batch.action_masks[running])
        digest.update(running.astype("<i8").tobytes() + np.asarray(actions).astype("<i8").tobytes())
        batch.step(actions, running)
    return digest.hexdigest()


@compiled_only
@pytest.mark.parametrize("num_players", [2, 4])
def test_first_weights_choose_what_they_always_chose(num_players):
    """The kept digests date from before the General's weights became data; they change only with the rules."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert digest_of_games("greedy:weights=first", num_players) == kept[str(num_players)]
