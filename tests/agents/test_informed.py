"""Informed agents, wherever agents play and from every source."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from sackarmies_agents import GameInfo, make_agent, parse_agent
from sackarmies_agents.conduct import ask_reports
from sackarmies_agents.factory import read_value
from sackarmies_agents.isolated import make_player
from sackarmies_agents.limits import Isolation
from sackarmies_env.core.game import forfeit_code
from sackarmies_env.core.record import MAX_REASON
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.match import NO_ACTION, Match
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_training.identity import agent_identity
from sackarmies_training.matches import Seating, play_games
from sackarmies_training.table.seats import Seats
from tests.agents import informed
from tests.agents.simple import place
from tests.core.toy_game import make_duel

PLAIN = "python:class=tests.agents.misbehaving:Lowest"


def named(kind):
    return f"python:class=tests.agents.informed:{kind}"


def play(line_ups, isolation=None, *, seeds=None):
    game = make_duel(len(line_ups[0]))
    with closing(Seating(line_ups, lambda text: make_player(text, GameInfo.of(game), isolation), 1)) as seating:
        return play_games(game, line_ups, seeds or range(len(line_ups)), seating)


# --- tournaments


@pytest.mark.parametrize("kind", ["Lowest", "SharedLowest", "WritesStates"])
def test_informed_agents_play_as_others_do(kind):
    plain = play([[PLAIN] * 3] * 4)
    one = play([[named(kind), PLAIN, named(kind)]] * 4)
    assert [game.actions for game in one] == [game.actions for game in plain]
    assert not any(game.forfeits for game in one)


def test_sharing_a_batch_makes_no_difference_to_what_is_known():
    alone, shared = (play([[named(kind)] * 2] * 6) for kind in ("Sampler", "SharedSampler"))
    assert [game.actions for game in alone] == [game.actions for game in shared]


MISCONDUCT = [
    ("Raises", f"raised RuntimeError: no idea {place(informed, 'no idea')}"),
    ("WrongShape", "answered ndarray of shape (1, 2) and dtype int64, not integers of shape (1,)"),
    ("Floats", "answered ndarray of shape (1,) and dtype float64, not integers of shape (1,)"),
    ("Illegal", "chose action 1, which is not legal"),
    ("WritesRules", "modified the data of the game that it was given"),
    ("WritesInitial", f"raised ValueError: assignment destination is read-only {place(informed, 'initial[')}"),
    ("Forgetful", "raised TypeError: 'NoneType' object is not callable"),
]


@pytest.mark.parametrize(("kind", "reason"), MISCONDUCT)
def test_misbehaving_informed_agent_forfeits_with_the_reason(kind, reason):
    (played,) = play([[named(kind), PLAIN]])
    (forfeit,) = played.forfeits
    assert (forfeit.seat, forfeit.reason) == (0, reason)
    assert played.actions[-1] == forfeit_code(0)


def test_answer_with_records_is_refused_in_a_short_sentence():
    (played,) = play([[named("ReturnsStates"), PLAIN]])
    (forfeit,) = played.forfeits
    assert forfeit.reason.startswith("answered ndarray of shape (1,) and dtype ")
    assert len(forfeit.reason) == MAX_REASON


def test_agent_may_report_nothing_at_all():
    agent = make_agent(named("ReportsNothing"), GameInfo.of(make_duel()))
    assert ask_reports(agent, 2) == [None, None]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Lowest", "SharedSampler", *(kind for kind, _ in MISCONDUCT)])
def test_isolation_makes_no_difference_to_informed_agents(kind):
    line_ups = [[named(kind), PLAIN]] * 2
    assert play(line_ups, Isolation(time_limit=30.0)) == play(line_ups)


def test_informed_agent_refuses_a_mere_observation_with_a_sentence():
    agent = make_agent(named("Lowest"), GameInfo.of(make_duel()))
    with pytest.raises(ValueError, match=r"^Lowest chooses by information sets: call act_informed\(env\.information_"):
        agent.act(np.zeros(1, np.int8), np.ones(1, np.int8))


def test_informed_agents_play_where_games_are_watched():
    match = Match(make_duel())
    match.begin(1)
    playing, failing = (Seats(match.game, [named(kind)] * 2, 1) for kind in ("Lowest", "Forgetful"))
    assert playing.decide(match) == match.legal_actions()[0]
    assert not playing.reasons
    assert failing.decide(match) == NO_ACTION
    assert failing.reasons[0] == "raised TypeError: 'NoneType' object is not callable"


def test_agent_that_cannot_begin_a_watched_game_is_refused_with_its_reason():
    with pytest.raises(ValueError, match=r"BadReset.* cannot begin a game: raised KeyError"):
        Seats(make_duel(), ["python:class=tests.agents.misbehaving:BadReset"] * 2, 1)


# --- environments


def learner_course(env, steps=30):
    """Play the lowest legal ids; return all masks and rewards."""
    observation, info = env.reset(seed=5)
    seen = []
    for _ in range(steps):
        mask = info["action_mask"] if "action_mask" in info else observation["action_mask"]
        seen.append(np.asarray(mask).tobytes())
        observation, reward, terminated, truncated, info = env.step(np.asarray(mask).argmax(axis=-1))
        seen.append(np.asarray(reward).tobytes())
        if np.ndim(terminated) == 0 and (terminated or truncated):
            observation, info = env.reset()
    return seen


class PlainLowest:
    """Takes the lowest legal id of a mask."""

    def act(self, observation, action_mask):
        return int(action_mask.argmax())


@pytest.mark.parametrize("kind", [informed.Lowest, informed.SharedLowest])
@pytest.mark.parametrize("players", [2, 3])
def test_informed_opponents_of_environments_play_as_others_do(kind, players):
    game = make_duel(players)
    info = GameInfo.of(game)
    assert learner_course(SingleSeatEnv(game, opponent=kind(info))) == learner_course(
        SingleSeatEnv(game, opponent=PlainLowest())
    )
    assert learner_course(BatchEnv(game, 5, opponent=kind(info))) == learner_course(
        BatchEnv(game, 5, opponent=PlainLowest())
    )


@pytest.mark.parametrize(
    ("kind", "error", "sentence"),
    [
        ("Raises", RuntimeError, "no idea"),
        ("WrongShape", ValueError, r"the opponent WrongShape returned a value of type ndarray \(not an integer\)|"
         r"answers of the opponent WrongShape of shape \(1, 2\) and dtype int64: expected a list of 1 integer"),
        ("Floats", ValueError, r"the opponent Floats returned a value of type float64 \(not an integer\)|"
         r"answers of the opponent Floats of shape \(1,\) and dtype float64: expected a list of 1 integer"),
        ("Illegal", ValueError, "the opponent Illegal chose an action that is not legal"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [SingleSeatEnv, lambda game, **keys: BatchEnv(game, 3, **keys)])
def test_misbehaving_informed_opponents_are_reported(make, kind, error, sentence):
    game = make_duel()
    env = make(game, opponent=getattr(informed, kind)(GameInfo.of(game)))
    with pytest.raises(error, match=sentence):
        learner_course(env)


@pytest.mark.parametrize("kind", ["Lowest", "WritesRules", "WritesStates"])
def test_informed_opponents_cannot_write_into_the_game(kind):
    game = make_duel()
    before = game.params.tobytes()
    env = SingleSeatEnv(game, opponent=getattr(informed, kind)(GameInfo.of(game)))
    wanted = SingleSeatEnv(make_duel(), opponent=PlainLowest())
    assert learner_course(env) == learner_course(wanted)
    assert game.params.tobytes() == before


def test_environments_give_information_sets_to_those_who_ask():
    game = make_duel()
    env, single = RawEnv(game), SingleSeatEnv(game, seat=1)
    env.reset(seed=3)
    single.reset(seed=3)
    for agent in env.possible_agents:
        sets = env.information_set(agent)
        assert (len(sets), sets.player) == (1, env.possible_agents.index(agent))
        assert np.array_equal(sets.observations()[0], env.observe(agent)["observation"])
    own = single.information_set()
    assert own.player == 1
    assert np.array_equal(own.observations()[0], single.reset(seed=3)[0]["observation"])


# --- users' own agents: options and files

BOLD = """
from dataclasses import dataclass
from sackarmies_agents import Agent

RUNS = []

@dataclass
class Options:
    sims: int

class Bold(Agent):
    def __init__(self, info, sims=1, name="nobody", **others):
        RUNS.append(len(RUNS))
        self.options = Options(sims)
        self.name = name
        self.others = others

    def reset(self, seed):
        pass

    def act(self, observation, action_mask):
        return int(action_mask.argmax())

class NoAgent:
    pass
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "bold.py").write_text(BOLD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(text):
    return make_agent(text, GameInfo.of(make_duel()))


def test_custom_options_are_passed_as_values():
    agent = make(named("Lowest") + ",sims=64,rate=0.5,fast=true,name=a/b")
    assert agent.options == {"sims": 64, "rate": 0.5, "fast": True, "name": "a/b"}
    assert type(agent.options["sims"]) is int
    assert [read_value(text) for text in ("False", "-3", "1e3", "x1")] == [False, -3, 1000.0, "x1"]


def test_agent_in_a_file_of_the_working_directory_is_found_and_run_once(folder):
    agent = make("python:file=bold.py,class=Bold,sims=64,name=b")
    again = make("python:file=./bold.py,class=Bold")
    assert (agent.options.sims, agent.name, again.options.sims) == (64, "b", 1)
    assert type(agent) is type(again)
    assert (folder / "bold.py").rename(folder / "moved.py").exists()
    assert type(make("python:file=moved.py,class=Bold")) is not type(agent)


def test_files_of_the_same_name_are_different_modules(folder):
    (folder / "other").mkdir()
    (folder / "other" / "bold.py").write_text(BOLD.replace("sims=1", "sims=2"), encoding="utf-8")
    first, second = make("python:file=bold.py,class=Bold"), make("python:file=other/bold.py,class=Bold")
    assert (first.options.sims, second.options.sims) == (1, 2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "python:file=bald.py,class=Bold",
            r"^class='Bold': there is no file 'bald\.py'$",
        ),
        (
            "python:file=bold.txt,class=Bold",
            r"^class='Bold': 'bold\.txt' is not a Python file: its name must end in \.py$",
        ),
        (
            "python:file=broken.py,class=Bold",
            r"^class='Bold': importing 'broken\.py' raised RuntimeError: half a file \(broken\.py, line 1\)$",
        ),
        (
            "python:file=bold.py,class=Bald",
            r"not a subclass of sackarmies_agents\.Agent; expected the form Class,",
        ),
        ("python:file=bold.py,class=NoAgent", "^class='NoAgent': not a subclass of sackarmies_agents.Agent"),
        ("python:file=bold.py,class=bold:Bold", "^class='bold:Bold': .* expected the form Class, with file=FILE.py$"),
        ("python:class=Bold", "^class='Bold': not a subclass of .*; expected the form module:Class$"),
        (f"python:class={'x' * 99}:Bold", r"^class='x+\.\.\.x+:Bold': importing 'x+\.\.\.x+' raised"),
        ("python:class=\u202ebold:Bold", r"^class='\\u202ebold:Bold': importing '\\u202ebold' raised"),
        ("python:file=bold.py", r"needs the option 'class'"),
        ("python:class=tests.agents.misbehaving:Lowest,sims=3", "raised TypeError: .* unexpected keyword argument 'si"),
    ],
)
def test_agents_of_ones_own_that_cannot_be_made_are_reported(folder, text, sentence):
    (folder / "bold.txt").write_text(BOLD, encoding="utf-8")
    (folder / "broken.py").write_text("raise RuntimeError('half a file')", encoding="utf-8")
    for _ in range(2):  # a failure is not remembered
        with pytest.raises(ValueError, match=sentence):
            make(text)


def test_other_agents_take_no_options_of_ones_own():
    with pytest.raises(ValueError, match="agent 'greedy:sims=3' has no option 'sims'"):
        parse_agent("greedy:sims=3")


def test_identity_of_an_agent_in_a_file_is_its_content(folder):
    text = "python:file=bold.py,class=Bold,sims=3"
    before = agent_identity(text)
    assert agent_identity(text) == before
    (folder / "bold.py").write_text(BOLD + "\n", encoding="utf-8")
    assert agent_identity(text) != before
    assert agent_identity(text.replace("=3", "=4")) != agent_identity(text)
    named, renamed = (agent_identity(f"python:file=bold.py,class=Bold,source={name}") for name in ("here", "there"))
    assert named != renamed


@pytest.mark.slow
def test_isolated_agent_in_a_file_is_found_from_the_working_directory(folder):
    """It must be found even if an earlier test has started the process server in another folder."""
    info = GameInfo.of(make_duel())
    with closing(make_player("python:file=bold.py,class=Bold", info, Isolation())) as agent:
        agent.reset(1)
        assert agent.act(np.zeros(info.observation_spec.size, np.int8), np.ones(info.num_actions, np.int8)) == 0
    with pytest.raises(ValueError, match=r"^class='Bold': there is no file 'bald\.py'$"):
        make_player("python:file=bald.py,class=Bold", info, Isolation())
