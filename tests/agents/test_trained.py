"""The trained General that comes with the package."""

from __future__ import annotations

import numpy as np
import pytest

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.layout import describe, layout_hash
from sackarmies_agents.learned.checkpoint import POLICY, read_checkpoint
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_players
from tests.core.toy_game import make_duel

MOST_BYTES = 3 * 10**6


@pytest.fixture(scope="module")
def game():
    return load_players("sack_armies", 2)


def test_checkpoint_is_small_and_of_this_version_of_the_game(game):
    info = GameInfo.of(game)
    checkpoint = read_checkpoint(CHECKPOINT)
    assert CHECKPOINT.stat().st_size <= MOST_BYTES
    assert set(checkpoint.parts) == {POLICY}
    assert checkpoint.header.game == describe(info)
    assert checkpoint.header.training["origin"]["layout_sha256"] == layout_hash(info)


def test_advisor_is_named_with_its_weights():
    assert read_checkpoint(CHECKPOINT).header.advice == "greedy:weights=tuned"


def test_model_card_tells_of_this_checkpoint():
    card = CHECKPOINT.with_suffix(".md").read_text(encoding="utf-8")
    training = read_checkpoint(CHECKPOINT).header.training
    assert f"{training['decisions']:,} labeled by a search" in card
    assert training["origin"]["layout_sha256"] in card


@pytest.mark.slow
def test_plays_by_name_and_always_the_same(game):
    info = GameInfo.of(game)
    answers = []
    for seed in (1, 2):
        agent = make_agent("trained", info)
        agent.reset(seed)
        batch = Batch(game, 16)
        batch.reset(np.arange(16))
        batch.step_random(100)
        answers.append(agent.act_batch(batch.observations, batch.action_masks))
    assert (answers[0] == answers[1]).all()
    assert batch.are_legal(answers[0]).all()


def test_tables_of_another_size_are_refused():
    info = GameInfo.of(load_players("sack_armies", 3))
    with pytest.raises(ValueError, match=r"was trained for another game: num_players 2, here it is 3"):
        make_agent("trained", info)


def test_game_without_one_is_refused():
    with pytest.raises(ValueError, match=r"no trained agent comes with the game 'duel': train one"):
        make_agent("trained", GameInfo.of(make_duel()))
