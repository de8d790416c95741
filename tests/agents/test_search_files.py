"""Files named by options of a search: read once, when the search is made, and refused then if unsuitable."""

import shutil

import numpy as np
import pytest

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.layout import describe
from sackarmies_agents.learned.checkpoint import POLICY, Header, pack
from sackarmies_agents.learned.policy_agent import make_network
from sackarmies_agents.learned.sack_armies.trained import CHECKPOINT
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_agents.learned.tensors import arrays_of
from sackarmies_agents.scripted.sack_armies.weights import FOLDER
from sackarmies_agents.search.sack_armies.evaluation import WEIGHTS, load_weights
from sackarmies_env.core.information import InformationSets
from sackarmies_env.registry import load_game
from tests.agents.simple import positions


@pytest.fixture(scope="module")
def information():
    """Return positions of seat 0 in which searching pays off."""
    batch = positions(7, 80, n=24)
    rows = np.flatnonzero((batch.players == 0) & (batch.states["num_legal"] > 3))[:3]
    return InformationSets.of(batch.game, batch.states[rows], 0)


def values(agent, information):
    agent.reset(3)
    return [finding.values.tolist() for finding in agent.search(information)]


FILES = {
    "models": ("mine.toml", FOLDER / "tuned.toml", FOLDER / "first.toml"),
    "evaluation": ("mine.npz", WEIGHTS, None),
}


@pytest.mark.parametrize("option", FILES)
def test_files_hold_what_they_held_when_the_search_was_made(information, tmp_path, option):
    name, before, after = FILES[option]
    path = tmp_path / name
    shutil.copy(before, path)
    text, info = f"search:playouts=40,{option}={path}", GameInfo.of(information.game)
    first, second, third = (make_agent(text, info) for _ in range(3))
    wanted = values(first, information)
    if after is None:
        flat = {weight: np.zeros_like(array) for weight, array in load_weights(before).items()}
        with np.load(before) as file:
            np.savez(path, types=file["types"], **flat)
    else:
        shutil.copy(after, path)
    assert values(second, information) == wanted
    assert values(make_agent(text, info), information) != wanted
    path.unlink()
    assert values(third, information) == wanted


def test_a_checkpoint_is_not_read_again_for_another_game(information, tmp_path):
    path = tmp_path / "mine.safetensors"
    shutil.copy(CHECKPOINT, path)
    agent = make_agent(f"search:playouts=8,models={path}+tuned", GameInfo.of(information.game))
    path.unlink()
    assert any(agent.search(information)[0].counts)


def test_the_advisor_of_a_checkpoint_is_not_read_again_either(information, tmp_path):
    info, sizes = GameInfo.of(information.game), NetworkSizes(token=8, mark=4, hidden=16, advice=1)
    weights = arrays_of(make_network(info, sizes).state_dict())
    advice = shutil.copy(FOLDER / "first.toml", tmp_path / "advice.toml")
    header = Header(game=describe(info), network=sizes, advice=f"greedy:weights={advice}", training={})
    path = tmp_path / "mine.safetensors"
    path.write_bytes(pack(header, {POLICY: weights}))
    agent = make_agent(f"search:playouts=8,models={path}+tuned", info)
    advice.unlink()
    assert any(agent.search(information)[0].counts)


def test_no_trained_general_plays_positions_of_territories_on(tmp_path):
    info, sizes = GameInfo.of(load_game("territories")), NetworkSizes(hidden=8)
    weights = arrays_of(make_network(info, sizes).state_dict())
    path = tmp_path / "mine.safetensors"
    path.write_bytes(pack(Header(game=describe(info), network=sizes, training={}), {POLICY: weights}))
    make_agent(f"ppo:path={path}", info)
    for models in (str(path), f"usual+{path}"):
        with pytest.raises(ValueError, match=r"trained agents cannot play on in this game: name weights"):
            make_agent(f"search:models={models}", info)
