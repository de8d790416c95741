"""Configurations of ladders: which ones are refused, and what the others play."""

from collections import Counter
from pathlib import Path

import pytest

from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_training.config import load_config
from sackarmies_training.ladder.config import LadderConfig, Pool
from sackarmies_training.ladder.units import armies_of, pool_line_ups, schedule
from tests.second_game import registered
from tests.training.ladders import make_config

CONFIGS = Path(__file__).parents[2] / "configs" / "ladder"
LADDER = """
folder = "{folder}"
{more}
[game]
id = "sack_armies"
{game}
[[rung]]
name = "random"
agent = "random"
[[rung]]
name = "{name}"
agent = "{agent}"
[[pool]]
players = {players}
units = {units}
{pool}
"""
SOUND = {
    "folder": "f",
    "more": "",
    "game": "",
    "name": "greedy",
    "agent": "greedy",
    "players": 2,
    "units": 13,
    "pool": "",
}


@pytest.fixture(autouse=True)
def duel():
    with registered(greedy="tests.second_game:HighestCard"):
        yield


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "random"}, "rung: the name 'random' is given twice"),
        ({"name": " random "}, "rung: the name 'random' is given twice"),
        ({"agent": "gredy"}, "unknown agent 'gredy' (did you mean \"greedy\"?)"),
        ({"agent": "learner"}, "rung 'greedy': 'learner' exists only within a training run"),
        ({"name": "a\\nb"}, "control characters, which are not allowed"),
        ({"more": 'anchor = "gredy"'}, "anchor is 'gredy' (did you mean \"greedy\"?), which is not a rung"),
        ({"units": 20}, "units is 20, but must be a multiple of 13, the number of armies, so that all have equal"),
        (
            {"game": "generals = 2"},
            "game.generals is not allowed: a ladder takes it from `armies` and from each [[pool]]",
        ),
        ({"players": 3}, 'two rungs cannot share the seats equally; give line_ups = "mixed"'),
        ({"players": 8}, "Sack Armies is for 2 to 6 players, not 8"),
        ({"players": 1}, "must be at least 2, not 1"),
        ({"more": 'armies = ["empire", "empire"]', "units": 2}, "armies names an army twice"),
        ({"more": 'armies = ["empyre"]', "units": 1}, "unknown army 'empyre' (did you mean \"empire\"?)"),
        ({"pool": 'line_ups = "all"'}, '"all" is not allowed'),
        (
            {"pool": 'rungs = ["random", "gredy"]'},
            "pool of 2 players: 'gredy' (did you mean \"greedy\"?) is not a rung",
        ),
        ({"pool": 'rungs = ["random", "random"]'}, "pool of 2 players: rungs names 'random' twice"),
        ({"more": "speed = 1"}, 'unknown key "speed"'),
        ({"folder": ""}, 'folder: "" does not end in the name of a folder'),
        ({"pool": "[[pool]]\nplayers = 2\nunits = 13"}, "two pools are for 2 players, only one is allowed"),
    ],
)
def test_faults_of_a_ladder_are_told_in_a_sentence(tmp_path, change, sentence):
    path = tmp_path / "ladder.toml"
    path.write_text(LADDER.format(**{**SOUND, **change}))
    with pytest.raises(ValueError) as caught:
        load_config(path, LadderConfig)
    assert sentence in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.name)
def test_shipped_ladders_are_sound(path):
    config = load_config(path, LadderConfig)
    assert set(config.army_list) == set(army_ids())
    assert {pool.players for pool in config.pool} == {2, 4}


@pytest.mark.parametrize("players", [2, 4])
def test_each_seat_holds_each_army_equally_often(players):
    armies = army_ids()
    drawn = [armies_of(armies, players, number, 1) for number in range(3 * len(armies))]
    for seat in range(players):
        assert Counter(units[seat] for units in drawn) == dict.fromkeys(armies, 3)
    assert all(len(set(units)) == players for units in drawn)


def test_first_two_seats_meet_in_all_pairs_of_armies_equally_often():
    armies = army_ids()
    drawn = Counter(armies_of(armies, 2, number, 5) for number in range(len(armies) * (len(armies) - 1)))
    assert drawn == {(one, other): 1 for one in armies for other in armies if one != other}


def test_one_army_is_held_by_all_seats():
    assert armies_of(["empire"], 4, 7, 1) == ("empire",) * 4
    assert armies_of([], 2, 7, 1) == ()


def test_pairs_sit_by_turns_and_mixtures_hold_different_rungs():
    pairs = Pool(players=4, units=1)
    assert pool_line_ups(["c", "a", "b"], pairs) == [("a", "b", "a", "b"), ("a", "c", "a", "c"), ("b", "c", "b", "c")]
    mixed = Pool(players=3, units=1, line_ups="mixed")
    assert pool_line_ups(["d", "a", "b", "c"], mixed) == [
        ("a", "b", "c"),
        ("a", "b", "d"),
        ("a", "c", "d"),
        ("b", "c", "d"),
    ]


def test_units_stay_the_same_when_a_rung_is_added(tmp_path):
    before = schedule(make_config(tmp_path, pools=((2, 3), (4, 2))))
    after = schedule(make_config(tmp_path, {"other": "random", "random": "random", "high": "greedy"}, ((2, 3), (4, 2))))
    assert set(before) < set(after)
    assert len(after) == 3 * len(before)


def test_pool_may_leave_rungs_out(tmp_path):
    rungs = {"a": "random", "b": "random", "c": "random"}
    pool = {"players": 2, "units": 3, "rungs": ["c", "a"]}
    units = schedule(make_config(tmp_path, rungs, pool=[pool, {"players": 4, "units": 1}]))
    assert {unit.line_up for unit in units if len(unit.line_up) == 2} == {("a", "c")}
    assert {name for unit in units if len(unit.line_up) == 4 for name in unit.line_up} == {"a", "b", "c"}


def test_line_ups_and_numbers_have_seeds_of_their_own(tmp_path):
    units = schedule(make_config(tmp_path, {"a": "random", "b": "random", "c": "random"}, ((2, 30), (4, 30))))
    assert len({unit.seed for unit in units}) == len(units) == 180
    other = schedule(make_config(tmp_path, {"a": "random", "b": "random", "c": "random"}, ((2, 30), (4, 30)), seed=2))
    assert not {unit.seed for unit in units} & {unit.seed for unit in other}
