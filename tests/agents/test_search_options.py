"""Options and settings of the searching General: what is refused, and with what sentence."""

import dataclasses

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import KINDS, make_agent
from sackarmies_agents.search.agent import LEVELS, parts_of
from sackarmies_agents.search.flat import LIMITS, Settings
from sackarmies_env.registry import load_game


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("search:level=weak", "level='weak': allowed are fast, medium, strong$"),
        ("search:playouts=1", "playouts='1': must be an integer of at least 2"),
        ("search:playouts=many", "playouts='many': must be an integer"),
        ("search:ms=0", "ms='0': must be a number of at least 0.1"),
        ("search:ms=nan", "ms='nan': must be a number"),
        ("search:gate=-1", "gate='-1': must be a number of at least 0"),
        ("search:optimism=-1", "optimism='-1': must be a number of at least 0"),
        ("search:trust=10001", "trust='10001': must be an integer from 0 to 10000"),
        ("search:caution=x", "caution='x': must be a number of at least 0"),
        ("search:threads=0", "threads='0': must be an integer from 1 to 64"),
        ("search:threads=65", "threads='65': must be an integer from 1 to 64"),
        ("search:playouts=2000000000", r"playouts='2000000000': must be an integer from 2 to 1e\+09"),
        ("search:ms=inf", r"ms='inf': must be a number from 0.1 to 1e\+09"),
        ("search:models=tuned+", r"option models='tuned\+': must be names joined by \+"),
        ("search:models=+tuned", r"option models='\+tuned': must be names joined by \+"),
        (r"search:models=a\,b.safetensors", "there is no checkpoint a,b.safetensors"),
        (r"search:models=a\,b.toml", "a,b.toml: there is no such file"),
        (r"search:prior=a\,b.safetensors", "there is no checkpoint a,b.safetensors"),
        ("search:models=nowhere", "nowhere"),
        ("search:models=nowhere.safetensors", "there is no checkpoint nowhere.safetensors"),
        ("search:evaluation=nowhere.npz", "nowhere.npz: there is no such file"),
        ("search:prior=traned", r"option prior='traned': must be policy, trained or a checkpoint, \*.safetensors$"),
        ("search:prior=nowhere.safetensors", "there is no checkpoint nowhere.safetensors"),
        ("search:depth=3", "has no option 'depth'"),
    ],
)
def test_wrong_options_are_refused_with_a_sentence(text, fault):
    info = GameInfo.of(load_game("sack_armies"))
    with pytest.raises(ValueError, match=fault):  # when made, not at the first decision, where it would be a forfeit
        make_agent(text, info)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("playouts", 1),
        ("playouts", 2.5),
        ("milliseconds", 0.0),
        ("milliseconds", np.nan),
        ("horizon", -1),
        ("valued", 0),
        ("gate", np.nan),
        ("optimism", np.inf),
        ("trust", 1.5),
        ("caution", "much"),
        ("unit", -0.1),
        ("plans", True),
        ("threads", 0),
    ],
)
def test_settings_outside_their_limits_are_refused(setting, value):
    with pytest.raises(ValueError, match=f"setting {setting}=.*: must be an? (integer|number) (of at least|from)"):
        Settings(**{setting: value})


def test_all_settings_have_limits_and_are_options_of_the_text_form():
    options = KINDS["search"].options
    assert {one.name for one in dataclasses.fields(Settings)} == set(LIMITS)
    assert {one.name for one in dataclasses.fields(Settings)} - {"milliseconds"} <= set(options)
    for level in LEVELS.values():
        assert str(level.settings.playouts) in options["level"]
        for others in (level.learned, level.several):
            assert others is None or str(others.playouts) in options["level"]


def test_levels_are_budgets_of_playouts():
    assert {name: level.settings.playouts for name, level in LEVELS.items()} == {
        "fast": 100,
        "medium": 310,
        "strong": 950,
    }


@pytest.mark.parametrize(
    ("text", "horizon"),
    [
        ("search:ms=2", 2),
        ("search:ms=5", 4),
        ("search:ms=29.9", 4),
        ("search:ms=30", 6),
        ("search:ms=2,horizon=6", 6),
        ("search:level=fast,ms=2", 4),
        ("search:playouts=10", 6),
    ],
)
def test_short_time_limits_shorten_the_horizon(text, horizon):
    assert make_agent(text, GameInfo.of(load_game("sack_armies"))).settings.horizon == horizon


def test_games_without_a_policy_for_playouts_are_refused():
    info = GameInfo.of(load_game("sack_armies"))
    with pytest.raises(ValueError, match="the game 'chess' cannot be searched"):
        parts_of(dataclasses.replace(info, game_id="chess"), ())


@pytest.mark.parametrize("text", ["greedy", "search:level=fast"])
def test_observations_that_its_policy_cannot_read_are_refused(text):
    with pytest.raises(ValueError, match=r"^greedy and search need compact observations"):
        make_agent(text, GameInfo.of(load_game("sack_armies", observation="planes")))
