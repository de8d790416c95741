"""Agents that write into the arrays they are given change neither legality nor any later observation."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import sackarmies_env
from sackarmies_agents import Agent
from sackarmies_env.core.batch import Batch
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.vector_env import BatchEnv
from sackarmies_env.envs.wrapped import OrderEnforced
from tests.core.toy_game import make_duel

STEPS = 12
SEED = 5
GAMES = {
    "duel": functools.partial(make_duel, 3),
    "sack_armies": functools.cache(functools.partial(sackarmies_env.load_game, "sack_armies")),
}
games = pytest.mark.parametrize(
    "name",
    ["duel", pytest.param("sack_armies", marks=pytest.mark.skipif(INTERPRETED, reason="takes seconds a decision"))],
)


def scribble(value):
    """Write ones into all writable int8 arrays of a value."""
    if isinstance(value, dict):
        for inner in value.values():
            scribble(inner)
    elif isinstance(value, np.ndarray) and value.dtype == np.int8:
        try:
            value[...] = 1
        except ValueError as error:
            assert "read-only" in str(error)


def kept(value):
    """Return a value as text, for comparison after someone has written into it."""
    if isinstance(value, dict):
        return str({key: kept(inner) for key, inner in value.items()})
    return f"{value.dtype} {value.tolist()}" if isinstance(value, np.ndarray) else str(value)


# --- one class for each API: it returns what the agent is given and takes its actions


class Aec:
    """The PettingZoo API, used by the current player."""

    def __init__(self, game, wrap=lambda env: env):
        self.env = wrap(RawEnv(game))
        self.env.reset(seed=SEED)

    def show(self):
        env, agent = self.env, self.env.agent_selection
        return {"last": env.last(), "again": env.observe(agent), "infos": env.infos[agent]}

    def parts(self, shown):
        seen, *_, info = shown["last"]
        return [seen, info, shown["again"], shown["infos"]]

    def masks(self, shown):
        return [shown["last"][0]["action_mask"]]

    def step(self, actions):
        self.env.step(None if self.env.terminations[self.env.agent_selection] else actions[0])

    def state(self):
        return self.env.get_state()


class Gym:
    """The Gymnasium API with one seat."""

    def __init__(self, game, opponent="random"):
        self.env = SingleSeatEnv(game, seat=0, opponent=opponent)
        self.given = [*self.env.reset(seed=SEED)]

    def show(self):
        return [*self.given, self.env.action_masks()]

    def parts(self, shown):
        return shown

    def masks(self, shown):
        return [shown[-1]]

    def step(self, actions):
        if not self.masks(self.show())[0].any():
            self.given = [*self.env.reset()]
            return
        observation, reward, terminated, truncated, info = self.env.step(actions[0])
        self.given = [observation, info, {"ends": np.array([reward, terminated, truncated])}]

    def state(self):
        return self.env._match.states.tobytes()


class Vector:
    """The Gymnasium API with many games."""

    def __init__(self, game, **options):
        self.env = BatchEnv(game, 3, **options)
        self.given = [*self.env.reset(seed=SEED)]

    def show(self):
        return [*self.given, self.env.action_masks()]

    def parts(self, shown):
        return shown

    def masks(self, shown):
        return shown[-1]

    def step(self, actions):
        observations, rewards, terminations, truncations, infos = self.env.step(np.array(actions))
        self.given = [observations, infos, {"ends": np.stack([rewards, terminations, truncations])}]

    def state(self):
        return self.env.batch.states.tobytes()


class Plain:
    """A batch."""

    def __init__(self, game):
        self.env = Batch(game, 3, packed=True)
        self.env.reset([1, 2, 3])

    def show(self):
        batch = self.env
        return [batch.observations, batch.action_masks, batch.packed_masks.view(np.int8), batch.players, batch.returns]

    def parts(self, shown):
        return shown

    def masks(self, shown):
        return shown[1]

    def step(self, actions):
        self.env.step(np.array(actions))

    def state(self):
        return self.env.states.tobytes()


class Training:
    """The environment of self-play."""

    def __init__(self, game, opponent=None):
        env = pytest.importorskip("sackarmies_training.selfplay_env")
        opponents = pytest.importorskip("sackarmies_training.opponents")
        pool = opponents.OpponentPool({"agent": 1.0}, lambda text: opponent or Tidy(), past=0.0, size=1)
        self.env = env.SelfPlayEnv(game, 3, pool, SEED)
        self.seen = self.env.reset()

    def show(self):
        return [self.seen, self.env.action_masks()]

    def parts(self, shown):
        return shown

    def masks(self, shown):
        return shown[1]

    def step(self, actions):
        self.env.step_async(np.array(actions))
        self.seen = self.env.step_wait()[0]

    def state(self):
        return self.env.batch.states.tobytes()


class Tidy(Agent):
    """Takes the highest legal id."""

    tidy = True

    def __init__(self, answer=None):
        self.answer = answer

    def reset(self, seed):
        pass

    def act(self, observation, action_mask):
        legal = np.flatnonzero(action_mask)
        action = int(legal[-1] + observation.sum() * 0)
        if not self.tidy:
            scribble({"observation": observation, "mask": action_mask})
        return action if self.answer is None else self.answer(legal, len(action_mask))


class Scribbler(Tidy):
    """Like `Tidy`, but writes into what it is shown."""

    tidy = False


class Shared(Tidy):
    shares_batch = True


class SharedScribbler(Scribbler):
    shares_batch = True

    def act_batch(self, observations, action_masks):
        actions = super().act_batch(observations, action_masks)
        scribble({"observations": observations, "masks": action_masks})
        return actions


APIS = {
    "raw_env": Aec,
    "env": functools.partial(Aec, wrap=OrderEnforced),
    "gym": Gym,
    "vector": Vector,
    "vector of copies": functools.partial(Vector, copy=True),
    "vector of one's own": functools.partial(Vector, seat="all"),
    "vector, next step": functools.partial(Vector, autoreset_mode="NextStep", copy=True),
    "batch": Plain,
    "training": Training,
}
apis = pytest.mark.parametrize("api", APIS)
WITH_OPPONENTS = {
    "gym": Gym,
    "vector": functools.partial(Vector, seat=0),
    "training": Training,
}


def course(table, writes):
    """Play the lowest legal ids, scribbling if `writes`; return everything that the learner is given."""
    seen = []
    for _ in range(STEPS):
        shown = table.show()
        seen.append(kept({"all": str([kept(part) for part in table.parts(shown)])}))
        actions = [int(np.argmax(mask)) for mask in table.masks(shown)]
        if writes:
            for part in table.parts(shown):
                scribble(part)
        table.step(actions)
    return seen


@games
@apis
def test_scribbling_agent_changes_nothing(api, name):
    make = APIS[api]
    assert course(make(GAMES[name]()), writes=True) == course(make(GAMES[name]()), writes=False)


@games
@pytest.mark.parametrize("api", ["raw_env", "env"])
def test_scribbler_is_shown_the_same_again(api, name):
    env = APIS[api](GAMES[name]()).env
    for agent in env.agents:
        first = kept(env.observe(agent))
        for shown in (env.observe(agent), env.last()[0], env.last()[-1]):  # the info is the current player's
            scribble(shown)
        assert kept(env.observe(agent)) == first
        assert kept(env.observe(env.agent_selection)) == kept(env.last()[0])
    assert np.flatnonzero(env.last()[0]["action_mask"]).tolist() == env.legal_actions()


@games
@pytest.mark.parametrize("api", ["gym", "vector", "vector of copies", "training"])
def test_scribbler_is_given_the_same_masks_again(api, name):
    table = APIS[api](GAMES[name]())
    first = kept(table.env.action_masks())
    for part in table.parts(table.show()):
        scribble(part)
    assert kept(table.env.action_masks()) == first


@games
@apis
def test_invalid_actions_of_a_scribbler_are_refused(api, name):
    table = APIS[api](GAMES[name]())
    for _ in range(4):
        shown = table.show()
        legal = [np.flatnonzero(mask).tolist() for mask in table.masks(shown)]
        for part in table.parts(shown):
            scribble(part)
        before = table.state()
        rest = [ids[0] if ids else 0 for ids in legal]
        orders = set() if api == "batch" else {-1, -2, -3, -4, -5, -8}
        for wrong in (set(range(20)) | {2**62} | orders) - set(legal[0]) if legal[0] else ():
            with pytest.raises(ValueError, match=f"^illegal action {wrong} "):
                table.step([wrong, *rest[1:]])
        assert table.state() == before
        table.step(rest)


@games
@pytest.mark.parametrize("mode", ["penalize", "terminate"])
@pytest.mark.parametrize("api", ["raw", "gym"])
def test_scribbling_does_not_choose_what_is_played_instead(api, mode, name):
    make = {"raw": RawEnv, "gym": functools.partial(SingleSeatEnv, seat=0)}[api]
    scribbled, clean = make(GAMES[name](), illegal_action=mode), make(GAMES[name](), illegal_action=mode)
    for env in (scribbled, clean):
        env.reset(seed=SEED)
    for _ in range(5):
        if clean._match.player < 0 or (api == "gym" and clean._match.out[0]):
            break
        if api == "raw":
            seen, *_, info = scribbled.last()
            scribble(seen)
            scribble(info)
        else:
            scribble(scribbled.action_masks())
        for env in (scribbled, clean):
            env.step(-1)
        assert scribbled._match.history == clean._match.history
        if mode == "terminate":
            break


@games
@pytest.mark.parametrize("api", WITH_OPPONENTS)
@pytest.mark.parametrize(("tidy", "scribbler"), [(Tidy, Scribbler), (Shared, SharedScribbler)], ids=["own", "shared"])
def test_scribbling_opponent_changes_nothing(api, name, tidy, scribbler):
    make = WITH_OPPONENTS[api]
    first = course(make(GAMES[name](), opponent=tidy()), writes=False)
    assert course(make(GAMES[name](), opponent=scribbler()), writes=True) == first


def to_forbid(legal, num_actions):
    return next(action for action in range(num_actions) if action not in legal)


ANSWERS = {
    "not legal": to_forbid,
    "an order": lambda legal, num_actions: -4,
    "nothing": lambda legal, num_actions: -2,
    "too large": lambda legal, num_actions: num_actions,
}


@games
@pytest.mark.parametrize("api", WITH_OPPONENTS)
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("kind", [Scribbler, SharedScribbler])
def test_invalid_actions_of_a_scribbling_opponent_are_refused(api, answer, name, kind):
    with pytest.raises(ValueError, match=r"^the opponent \w*Scribbler chose |^illegal action "):
        course(WITH_OPPONENTS[api](GAMES[name](), opponent=kind(ANSWERS[answer])), writes=False)


@pytest.mark.parametrize("copy", [False, True])
def test_opponent_that_fails_shows_nothing_of_what_it_saw(copy):
    class Fails(Tidy):
        def act(self, observation, action_mask):
            raise RuntimeError("no idea")

    class Cheats(Tidy):
        def act(self, observation, action_mask):
            return to_forbid(np.flatnonzero(action_mask), len(action_mask))

    for opponent, error in ((Fails(), RuntimeError), (Cheats(), ValueError)):
        env = BatchEnv(make_duel(), 2, opponent=opponent, seat=0, copy=copy)
        given = [*env.reset(seed=0)]
        with pytest.raises(error) as raised:
            env.step(env.action_masks().argmax(axis=1))
        assert "legal are" not in str(raised.value)
        assert not env.action_masks().any()
        assert not env.batch.observations.any()
        assert copy == bool(given[0]["observation"].any())
        with pytest.raises(ValueError, match="no games are running: call reset"):
            env.step(np.zeros(2, np.int64))
    env = SingleSeatEnv(make_duel(), opponent=Cheats(), seat=0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"^the opponent Cheats chose an action that is not legal: call reset\(\)"):
        env.step(env.legal_actions()[0])
    with pytest.raises(ValueError, match="an opponent has not made its decision: call reset"):
        env.step(0)


@pytest.mark.parametrize("copy", [False, True])
def test_arrays_of_a_vector_can_be_written_to_where_they_are_copies(copy):
    env = BatchEnv(make_duel(), 2, copy=copy)
    observations, infos = env.reset(seed=0)
    for array in (observations["observation"], observations["action_mask"], infos["action_mask"], env.action_masks()):
        assert array.flags.writeable == copy
        if not copy:
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                array.flags.writeable = True


def test_a_batch_shows_outputs_that_can_only_be_read():
    batch = Batch(make_duel(), 2, packed=True)
    shown = (batch.action_masks, batch.packed_masks, batch.observations, batch.returns, batch.terminations)
    for array in (*shown, batch.players, batch.ended, batch.games, batch.seeds):
        assert not array.flags.writeable
    assert batch.seats.flags.writeable
    assert Batch(make_duel(), 2, checked=False).observations.flags.writeable
