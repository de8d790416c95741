"""Variety: each reset and each row may have a new game, chosen or drawn from the seed; spaces never show which."""

from __future__ import annotations

import copy
import functools
import pickle
import re
from collections import Counter
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import sackarmies_env
from sackarmies_env import sack_armies_v0
from sackarmies_env.core.batch import Batch
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.options import PotentialShaping
from sackarmies_env.envs.variety import Variety
from sackarmies_env.games.sack_armies.scenario.document import SCENARIOS_FOLDER, scenario_ids
from sackarmies_env.games.sack_armies.tokens.army import built_in_armies
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from tests.core.toy_game import make_duel
from tests.envs.test_structured import same
from tests.second_game import GAME, registered

CURRICULUM = [name for name in scenario_ids() if name.startswith("c")]
OWN_TOKENS = "x06_augment_in_time"


def any_turns(generator):
    """Draw the turn limit of the toy game."""
    return {"max_turns": int(generator.integers(1, 9))}


def any_lesson(generator):
    """Draw a scenario of the curriculum."""
    return {"scenario": CURRICULUM[generator.integers(len(CURRICULUM))]}


@pytest.fixture
def duel():
    with registered():
        yield functools.partial(sackarmies_env.make, GAME)


def turns(env):
    return env.unwrapped.game.config["max_turns"]


# --- any game


@pytest.mark.parametrize("api", ["aec", "raw", "gym", "vector"])
def test_options_of_a_reset_choose_the_game_until_the_next_one(duel, api):
    env = duel(api, max_turns=20)
    for options, wanted in (
        (None, 20),
        ({"max_turns": 3}, 3),
        ({}, 20),
        ({"max_turns": 5, "draws": [["card_4"], []]}, 5),
    ):
        env.reset(seed=1, options=options)
        assert turns(env) == wanted
    with pytest.warns(UserWarning, match="reset ignores the unknown options"):
        env.reset(seed=1, options={"max_turns": 3, "weather": 1})
    assert turns(env) == 3
    with pytest.warns(
        UserWarning, match=r'did you mean "max_turns"\?\): known are "draws", "num_players", "max_turns"'
    ):
        env.reset(seed=1, options={"max_turn": 3})


@pytest.mark.parametrize("api", ["aec", "raw", "gym"])
def test_a_sampler_draws_from_the_seed_of_the_game(duel, api):
    env = duel(api, sampler=any_turns)
    drawn = []
    for seed in range(12):
        env.reset(seed=seed)
        drawn.append(turns(env))
    assert len(set(drawn)) > 4
    other = duel("raw", sampler=any_turns)
    for seed in (11, 3):
        other.reset(seed=seed)
        assert turns(other) == drawn[seed]
    env.reset(seed=0, options={"max_turns": 40})
    assert turns(env) == 40


def test_games_that_do_not_fit_change_nothing(duel):
    env = duel("raw", sampler=lambda generator: {"max_turn": 3})
    with pytest.raises(ValueError, match="the sampler returned 'max_turn'"):
        env.reset(seed=0)
    env = duel("raw", max_turns=7)
    env.reset(seed=0)
    before = env.observe("player_0")
    for options, fault in (
        ({"num_players": 3}, "this environment is for 2 players, not 3"),
        ({"max_turns": 3, "draws": [["card_9"], []]}, "draws"),
    ):
        with pytest.raises(ValueError, match=fault):
            env.reset(seed=1, options=options)
        assert turns(env) == 7
        assert same(env.observe("player_0"), before)
    with pytest.raises(ValueError, match="variety=3: it must be a Variety or None"):
        RawEnv(make_duel(), variety=3)
    with pytest.raises(ValueError, match="sampler=3: it must be a function of a random generator, or None"):
        duel("raw", sampler=3)
    with pytest.raises(ValueError, match="the sampler must return a dict of game options, not 3"):
        duel("raw", sampler=lambda generator: 3).reset(seed=0)


@pytest.mark.parametrize("is_drawn", [False, True])
@pytest.mark.parametrize("api", ["aec", "gym", "vector"])
def test_options_that_contain_themselves_are_refused(duel, api, is_drawn):
    circle = []
    circle.append(circle)
    given = {"max_turns": circle}
    env = duel(api, **({"sampler": lambda generator: given} if is_drawn else {}))
    with pytest.raises(ValueError, match=r"^max_turns: lists or tables are nested too deeply"):
        env.reset(seed=0, options={} if is_drawn else given)


def test_games_are_kept_and_not_built_twice():
    built = []
    variety = Variety(lambda **options: built.append(options) or make_duel(**options), ["max_turns"], {})
    one = variety.choose(0, {"max_turns": 3})
    assert variety.choose(9, {"max_turns": 3}) is one
    assert variety.choose(9, {}) is variety.first
    assert built == [{}, {"max_turns": 3}]


@pytest.mark.parametrize("wrap", [str, Path, lambda file: [str(file)]])
@pytest.mark.parametrize("is_drawn", [False, True])
def test_files_that_options_name_are_read_again_once_they_have_changed(tmp_path, wrap, is_drawn):
    file, built = tmp_path / "limit.txt", []

    def load(limit=None):
        built.append(limit)
        named = limit[0] if isinstance(limit, list) else limit
        return make_duel(max_turns=20 if limit is None else int(Path(named).read_text()))

    given = {"limit": wrap(file)}
    variety = Variety(load, ["limit"], {}, (lambda generator: given) if is_drawn else None)
    for limit in (3, 5, 5, 3):
        file.write_text(str(limit))
        assert variety.choose(1, {} if is_drawn else given).game.config["max_turns"] == limit
    assert len(built) == 3  # the first game, and one for each content


def test_scenario_that_is_edited_between_resets_is_the_new_one(tmp_path):
    lesson = (SCENARIOS_FOLDER / "c1_duel.toml").read_text()
    file, env = tmp_path / "lesson.toml", sackarmies_env.raw_env()
    for limit in (7, 9):
        file.write_text(re.sub(r"max_turns *= *\d+", f"max_turns = {limit}", lesson))
        env.reset(seed=0, options={"scenario": str(file)})
        assert env.game.config["scenario"]["switches"]["max_turns"] == limit


def test_copies_play_the_same_game_on(duel):
    env = duel("raw")
    env.reset(seed=2, options={"max_turns": 4})
    for twin in (env.clone(), pickle.loads(pickle.dumps(env))):
        assert turns(twin) == 4
        assert same(twin.last()[0], env.last()[0])


def test_each_row_of_a_vector_is_the_single_game_of_its_seed(duel):
    many, single = duel("vector", num_envs=6, sampler=any_turns), duel("gym", sampler=any_turns)
    assert many.single_observation_space == single.observation_space
    observations, infos = many.reset(seed=10)
    assert 1 < len(many.groups) <= 6
    assert many.observation_space.contains(observations)
    singles = [duel("gym", sampler=any_turns) for _ in range(6)]
    for row, env in enumerate(singles):
        seen, info = env.reset(seed=10 + row)
        assert same({key: observations[key][row] for key in seen}, seen)
        assert same(infos["action_mask"][row], info["action_mask"])
    over = np.zeros(6, np.bool_)
    for _ in range(12):
        actions = many.action_masks().argmax(axis=1)
        observations, rewards, terminated, truncated, infos = many.step(actions)
        for row in np.flatnonzero(~over):
            seen, reward, *ends, info = singles[row].step(actions[row])
            assert rewards[row] == pytest.approx(reward)
            assert ends == [terminated[row], truncated[row]]
            last = infos["final_obs"][row] if any(ends) else {key: observations[key][row] for key in seen}
            assert same(last, seen)
            if any(ends):
                assert infos["final_info"]["returns"][row] == pytest.approx(info["returns"])
            over[row] = any(ends)
    assert over.any()
    with pytest.raises(ValueError, match="illegal action 99 in game 0; legal are"):
        many.step([99] * 6)


def play_alike(env, other, steps=12):
    """Take the same actions in two vector environments and check that they return the same."""
    for _ in range(steps):
        actions = env.action_masks().argmax(axis=1)
        for one, wanted in zip(env.step(actions)[:4], other.step(actions)[:4], strict=True):
            assert same(one, wanted)


@pytest.mark.parametrize("seat", [0, "all"])
def test_options_of_a_reset_choose_the_game_of_all_rows_of_a_vector(duel, seat):
    """The games are those of an environment made with these options."""
    options = {"num_envs": 4, "seat": seat, "opponent": "random", "decision_infos": True}
    env, other = duel("vector", max_turns=20, **options), duel("vector", max_turns=3, **options)
    env.reset(seed=1)
    env.step(env.action_masks().argmax(axis=1))
    seen, infos = env.reset(seed=5, options={"max_turns": 3})
    wanted = other.reset(seed=5)
    assert same(seen, wanted[0])
    assert same(infos, wanted[1])
    play_alike(env, other)
    assert same(env.state(), other.state())
    mask = np.array([True, False, True, False])
    seen, wanted = (one.reset(options={"reset_mask": mask})[0] for one in (env, other))
    assert same(seen, wanted)
    assert turns(env) == 3
    play_alike(env, other)
    env.reset()
    assert turns(env) == 20


def test_vector_refuses_options_that_would_give_rows_different_games(duel):
    env = duel("vector", num_envs=2, max_turns=20)
    seen = copy.deepcopy(env.reset(seed=0)[0])
    some = np.array([True, False])
    for options, fault in (
        ({"max_turns": 3, "reset_mask": some}, "reset_mask and max_turns cannot be combined: all games of"),
        ({"num_players": 3}, "this environment is for 2 players, not 3"),
        ({"max_turns": 3, "draws": [["card_9"], []]}, "draws"),
    ):
        with pytest.raises(ValueError, match=fault):
            env.reset(seed=1, options=options)
        assert turns(env) == 20
        assert same(env.observed()[0], seen)
    env = sack_armies_v0.vector_env(num_envs=2)
    with pytest.raises(ValueError, match="make it with armies='random' or with a sampler, or name the armies"):
        env.reset(options={"armies": ["empire", "random"]})


LIMITS = [3, 9, 3, 9, 9, 3]


def varied(duel, **options):
    """Return a vector environment whose rows have the turn limits `LIMITS`, and one environment per limit."""
    limits = iter(LIMITS)
    env = duel("vector", num_envs=len(LIMITS), sampler=lambda _: {"max_turns": next(limits)}, **options)
    return env, [duel("vector", max_turns=limit, **options) for limit in LIMITS]


def row_of(content, row):
    return {key: one[row] for key, one in content.items()}


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_reset_mask_begins_rows_of_a_varied_vector_anew(duel, mode):
    """Each row behaves as in a vector environment of its game alone."""
    env, single = varied(duel, autoreset_mode=mode)
    with pytest.raises(ValueError, match="no games are running: call reset"):
        env.reset(options={"reset_mask": np.arange(6) > 0})
    with pytest.raises(ValueError, match=r"no games are running: call reset\(\) before action_masks\(\)"):
        env.action_masks()
    env.reset(seed=10)
    for row, one in enumerate(single):
        one.reset(seed=10 + row)
    for mask, seed in (([0, 1, 1, 0, 0, 1], 40), ([1, 0, 1, 0, 0, 1], None), ([0, 1, 0, 0, 0, 0], 7)):
        chosen = np.array(mask, np.bool_)
        seen, infos = env.reset(seed=seed, options={"reset_mask": chosen})
        assert infos["_action_mask"].tolist() == chosen.tolist()
        for row in np.flatnonzero(chosen).tolist():
            one, info = single[row].reset(seed=None if seed is None else seed + row)
            assert same(row_of(seen, row), row_of(one, 0))
            assert same(infos["action_mask"][row], info["action_mask"][0])
        for _ in range(3):
            actions = env.action_masks().argmax(axis=1)
            seen, rewards, *ends, _ = env.step(actions)
            for row, one in enumerate(single):
                own, reward, *own_ends, _ = one.step(actions[[row]])
                assert same(row_of(seen, row), row_of(own, 0))
                assert rewards[row] == reward[0]
                assert [end[row] for end in ends] == [end[0] for end in own_ends]
    with pytest.raises(ValueError, match="reset_mask and max_turns cannot be combined: rows keep their kinds of games"):
        env.reset(options={"reset_mask": chosen, "max_turns": 4})
    before = env.state()
    with pytest.raises(ValueError, match="draws"):
        env.reset(options={"reset_mask": chosen, "draws": [["card_9"], []]})
    assert same(env.state(), before)


def test_games_that_are_over_in_a_varied_vector_must_be_reset(duel):
    """The error names rows of the whole environment, and no game has been played on."""
    env, _ = varied(duel, autoreset_mode="Disabled")
    env.reset(seed=3)
    over = np.zeros(6, np.bool_)
    while not over.any():
        _, _, terminated, truncated, _ = env.step(env.action_masks().argmax(axis=1))
        over = terminated | truncated
    assert not over.all()
    before = env.state()
    with pytest.raises(ValueError, match=re.escape(f"the games {np.flatnonzero(over).tolist()} are over")):
        env.step(env.action_masks().argmax(axis=1))
    assert same(env.state(), before)
    env.reset(options={"reset_mask": over})
    env.step(env.action_masks().argmax(axis=1))


# --- Sack Armies


def test_random_armies_are_built_in_ones_drawn_for_each_general():
    env = sackarmies_env.raw_env(armies="random")
    names = {army.name for army in built_in_armies().values()}
    drawn = []
    for seed in range(8):
        env.reset(seed=seed)
        drawn += [army["name"] for army in env.game.config["armies"]]
    assert names.issuperset(drawn)
    assert len(set(drawn)) > 4
    env = sackarmies_env.raw_env(armies=["empire", "random"])
    armies = Counter()
    for seed in range(6):
        env.reset(seed=seed)
        own, other = (army["name"] for army in env.game.config["armies"])
        assert own == built_in_armies()["empire"].name
        armies[other] += 1
    assert len(armies) > 2


def test_a_scenario_takes_the_place_of_armies_that_would_be_drawn():
    for armies in ("random", ["random", "random"]):
        env = sackarmies_env.raw_env(armies=armies)
        env.reset(seed=1, options={"scenario": "c1_duel"})
        assert env.game.config["scenario"]["title"].startswith("Curriculum 1")
        env.reset(seed=1)
        assert "armies" in env.game.config
        with pytest.raises(ValueError, match="armies and scenario cannot be combined"):
            env.reset(seed=1, options={"scenario": "c1_duel", "armies": "random"})
    rows = sack_armies_v0.vector_env(num_envs=2, armies="random", sampler=lambda generator: {"scenario": "c2_line"})
    rows.reset(seed=1)
    assert rows.groups[0][1].game.config["scenario"]["title"].startswith("Curriculum 2")
    for named in (["empire", "random"], "empire"):
        with pytest.raises(ValueError, match="armies and scenario cannot be combined"):
            sackarmies_env.raw_env(armies=named).reset(seed=1, options={"scenario": "c1_duel"})


@pytest.mark.parametrize("armies", ["random", ["empire", "random"]])
@pytest.mark.parametrize("api", ["aec", "gym", "vector"])
def test_a_scenario_and_random_armies_are_refused_when_made(api, armies):
    with pytest.raises(ValueError, match=r"^armies and scenario cannot be combined"):
        sackarmies_env.make("sack_armies", api, scenario="c1_duel", armies=armies)


def test_observations_masks_and_spaces_do_not_tell_which_army_was_drawn_for_others():
    sizes = Counter(army.size for army in built_in_armies().values())
    size = sizes.most_common(1)[0][0]  # how many tokens a sack holds is public
    alike = [name for name, army in built_in_armies().items() if army.size == size][:2]
    env = sackarmies_env.raw_env()
    shown = []
    for other in alike:
        env.reset(seed=3, options={"armies": ["beginners", other]})
        space = env.observation_space("player_0")
        shown.append((env.observe("player_0"), space, env.action_space("player_0"), env.agent_selection))
    assert len(shown) == 2
    assert same(shown[0][0], shown[1][0])
    assert shown[0][1:] == shown[1][1:]


def test_scenarios_with_their_own_types_need_room():
    env = sackarmies_env.env()
    with pytest.raises(ValueError, match=r"not fit the spaces of this environment: make .* with larger pad_types"):
        env.reset(options={"scenario": OWN_TOKENS})
    env = sackarmies_env.env(pad_types=140)
    for options in ({"scenario": OWN_TOKENS}, {"armies": "random"}, None):
        env.reset(seed=0, options=options)
        assert env.observation_space("player_0").contains(env.observe("player_0"))


def test_gymnasium_passes_options_of_the_game_on():
    single = gymnasium.make("sackarmies_env/SackArmies-v0", armies="random")
    single.reset(seed=1, options={"scenario": "c1_duel", "armies": None})
    assert single.unwrapped.game.config["scenario"]["title"].startswith("Curriculum 1")
    rows = sack_armies_v0.vector_env(num_envs=4, sampler=any_lesson, observation="dict", mask_in_observation=False)
    observations, infos = rows.reset(seed=5)
    assert rows.observation_space.contains(observations)
    for _ in range(5):
        observations, *_, infos = rows.step(infos["action_mask"].argmax(axis=1))
    assert rows.observation_space.contains(observations)


def test_potential_refuses_observations_of_another_layout():
    shaping = PotentialShaping(lambda vectors: vectors[:, 0].astype(float))
    for make in (sackarmies_env.raw_env, sack_armies_v0.single_seat_env):
        env = make(pad_types=140, shaping=shaping)
        env.reset(seed=0, options={"armies": "random"})
        with pytest.raises(ValueError, match="shaping: the potential reads observations of another layout"):
            env.reset(seed=0, options={"scenario": OWN_TOKENS})


def test_vector_potential_refuses_observations_of_another_layout():
    options = {
        "num_envs": 2,
        "pad_types": 140,
        "shaping": PotentialShaping(lambda vectors: vectors[:, 0].astype(float)),
    }
    for more in ({}, {"armies": "random"}):
        env = sack_armies_v0.vector_env(**options, **more)
        seen = copy.deepcopy(env.reset(seed=0)[0])
        with pytest.raises(ValueError, match="shaping: the potential reads observations of another layout"):
            env.reset(seed=0, options={"scenario": OWN_TOKENS, "armies": None})
        assert same(env.reset(seed=0)[0], seen)


def test_scenarios_and_armies_are_chosen_in_a_vector_of_padded_layout():
    env = sack_armies_v0.vector_env(num_envs=3, pad_types=140, observation="dict")
    for chosen in ({"scenario": OWN_TOKENS}, {"armies": ["empire", "undead"]}, {}):
        seen, infos = env.reset(seed=2, options=chosen)
        wanted, _ = sack_armies_v0.vector_env(num_envs=3, pad_types=140, observation="dict", **chosen).reset(seed=2)
        assert same(seen, wanted)
        assert env.observation_space.contains(seen)
        assert env.observation_space.contains(env.step(infos["action_mask"].argmax(axis=1))[0])


# --- the curriculum


def test_lessons_have_catalogue_tokens_alone_and_the_spaces_of_the_game():
    game = sackarmies_env.load_game("sack_armies")
    assert len(CURRICULUM) == 6
    for name in CURRICULUM:
        lesson = sackarmies_env.load_scenario(name)
        assert "token" not in lesson
        made = sackarmies_env.load_game("sack_armies", scenario=lesson)
        assert made.observation_spec == game.observation_spec
        assert made.actions.texts == game.actions.texts
        assert made.forced_kinds[1].results[0].keys() <= load_catalogue().keys()


@pytest.mark.parametrize("name", CURRICULUM)
def test_both_players_win_lessons_at_random(name):
    batch = Batch(sackarmies_env.load_game("sack_armies", scenario=name), 32, restarts=False)
    batch.reset(np.arange(32))
    batch.play_out()
    assert set(np.sign(batch.returns[:, 0]).astype(int)) >= {-1, 1}
