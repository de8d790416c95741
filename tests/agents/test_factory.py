import subprocess
import sys

import numpy as np
import pytest

from sackarmies_agents import GameInfo, make_agent, parse_agent
from sackarmies_agents.factory import checked_advice, escaped
from sackarmies_agents.layout import describe
from sackarmies_agents.learned.checkpoint import POLICY, Header, pack
from sackarmies_agents.learned.policy_agent import make_network
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_agents.learned.tensors import arrays_of
from sackarmies_env.registry import load_players
from tests.core.toy_game import make_duel


def test_name_alone_has_no_options():
    spec = parse_agent("random")
    assert (spec.name, dict(spec.options)) == ("random", {})


def test_options_follow_a_colon():
    spec = parse_agent("ppo:path=runs/a.zip, deterministic=true")
    assert dict(spec.options) == {"path": "runs/a.zip", "deterministic": "true"}


@pytest.mark.parametrize("value", ["a,b", ",", r"a\b", r"a\,b", "a=b"])
def test_escaped_values_are_read_as_they_were(value):
    assert dict(parse_agent(f"ppo:path={escaped(value)},device=cpu").options) == {"path": value, "device": "cpu"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("randm", r"unknown agent 'randm' \(did you mean \"random\"\?\): known are random, greedy, search"),
        ("", r"unknown agent ''"),
        ("ppo:paht=a", r"has no option 'paht' \(did you mean \"path\"\?\): ppo takes path, deterministic, device"),
        ("random:depth=3", r"agent 'random:depth=3' has no option 'depth': random takes none"),
        ("ppo", r"agent 'ppo' needs the option 'path': a checkpoint file"),
        ("ppo:path", r"agent 'ppo:path': 'path' is not of the form key=value"),
        ("ppo:path=", r"'path=' is not of the form key=value"),
        ("ppo:path=a,path=b", r"gives the option 'path' twice"),
    ],
)
def test_wrong_text_is_refused_with_what_is_allowed(text, message):
    with pytest.raises(ValueError, match=message):
        parse_agent(text)


def test_flag_must_be_true_or_false(tmp_path):
    info = GameInfo.of(make_duel())
    with pytest.raises(ValueError, match=r"deterministic='maybe': allowed are true and false"):
        make_agent(f"ppo:path={tmp_path},deterministic=maybe", info)


def test_info_holds_sizes_and_nothing_of_armies():
    info = GameInfo.of(make_duel(3))
    assert (info.game_id, info.num_players, info.num_actions) == ("duel", 3, 7)
    assert (info.num_types, info.radius) == (0, 0)
    assert not any(isinstance(value, np.ndarray) for value in vars(info).values())


def test_trained_agent_without_torch_says_what_to_install(tmp_path, monkeypatch):
    info, sizes = GameInfo.of(make_duel()), NetworkSizes(hidden=2)
    weights = arrays_of(make_network(info, sizes).state_dict())
    path = tmp_path / "plain.safetensors"
    path.write_bytes(pack(Header(describe(info), sizes, {}), {POLICY: weights}))
    make_agent(f"ppo:path={path}", info)
    for name in list(sys.modules):
        if name.startswith("sackarmies_agents.learned.") or name.partition(".")[0] == "torch":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    sentence = r"needs torch, which is not installed: pip install 'sackarmies-env\[train\]'"
    board = GameInfo.of(load_players("sack_armies", 2))
    for text, game in ((f"ppo:path={path}", info), ("trained:device=cuda", board)):
        with pytest.raises(ValueError, match=sentence):
            make_agent(text, game)


PLAY_WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import numpy as np
from sackarmies_agents import GameInfo, make_agent
from sackarmies_env.core.batch import Batch
from sackarmies_env.registry import load_players
game = load_players("sack_armies", 2)
batch = Batch(game, 1)
batch.reset(np.zeros(1, np.int64))
batch.step_random(100)
information = batch.information_sets(int(batch.players[0]))
trained, search, mixed = (
    make_agent(text, GameInfo.of(game)) for text in ("trained", "search:playouts=8", "search:playouts=8,models=trained")
)
print(trained.act_batch(batch.observations, batch.action_masks), search.act_informed(information))
print(mixed.act_informed(information))
"""


def test_shipped_general_and_searches_play_without_torch():
    done = subprocess.run([sys.executable, "-c", PLAY_WITHOUT_TORCH], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 3


def test_advice_may_only_come_from_a_scripted_agent():
    assert checked_advice("") == ""
    assert checked_advice("greedy") == "greedy"
    with pytest.raises(ValueError, match=r"advice is 'python:class=os:system', but it can only come from 'greedy'"):
        checked_advice("python:class=os:system")
