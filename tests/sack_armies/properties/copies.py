"""Copies, texts, scenarios, records and guesses of a game: each is the same game, and leaves it alone."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

import numpy as np

from sackarmies_env.core.chance import force_results
from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.record import GameRecord, make_record, replay, state_digest
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.envs.aec import RawEnv
from tests.sack_armies.builders.twin_worlds import States, act, copy_of, guess, mask_of, observe, plain, received
from tests.sack_armies.properties.bout import Bout, Look
from tests.sack_armies.scenario.test_scenario import check_round_trip, differences

FUTURE = 6  # decisions that copies are played on
FORCED = [1, 0, 0, 1, 1, 1, 0, 1]  # flips forced upon both, to see that they count in both

Way = Callable[[RawEnv], RawEnv]


def restored(env: RawEnv) -> RawEnv:
    """Return another environment that is set to the same state."""
    twin = RawEnv(env.game)
    twin.set_state(env.get_state())
    return twin


WAYS: dict[str, Way] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "set_state": restored,
}


def advance_both(game: Game, one: States, other: States, number: int) -> None:
    """Play both on by the same actions; they must stay alike."""
    chance = random.Random(number)
    for ply in range(FUTURE):
        assert differences(one, other) == [], f"they differ {ply} decisions later"
        if plain(one)["current_player"] < 0:
            return
        legal = legal_ids(plain(one)["legal"])
        assert legal_ids(plain(other)["legal"]) == legal, f"other actions are legal {ply} decisions later"
        action = chance.choice(legal)
        act(game, one, action)
        act(game, other, action)


class Companion:
    """What is made of a game, decision by decision; each `check_` method may be called at any of them."""

    def __init__(self, bout: Bout) -> None:
        self.bout = bout
        self.env = RawEnv(bout.game)
        self.env.reset(seed=bout.seed)
        self.played = 0

    def keep_up(self) -> None:
        """Play the environment to where the game is."""
        for action in self.bout.actions[self.played :]:
            while self.env.terminations[self.env.agent_selection]:
                self.env.step(None)
            self.env.step(action)
        self.played = len(self.bout.actions)

    def check_env(self) -> None:
        """The environment is where the game is."""
        self.keep_up()
        assert self.env._match.states.tobytes() == self.bout.states.tobytes(), "the environment plays another game"

    def check_way(self, way: str) -> None:
        """A copy of the environment is equal, and independent: playing one changes nothing in the other."""
        self.keep_up()
        twin, before = WAYS[way](self.env), self.env.get_state()
        assert twin.get_state() == before, f"{way} gives another state"
        for agent in self.env.possible_agents:
            for name, value in self.env.observe(agent).items():
                assert np.array_equal(twin.observe(agent)[name], value), f"{way} gives another {name}"
        for _ in range(FUTURE):
            if not twin.agents or twin.terminations[twin.agent_selection] or twin.truncations[twin.agent_selection]:
                break
            twin.step(twin.legal_actions()[-1])
        assert self.env.get_state() == before, f"playing a copy made by {way} changes the original"
        third = WAYS[way](self.env)
        assert third.get_state() == before, f"{way} gives another state the second time"

    def check_texts(self) -> None:
        """Legal actions have texts of their own, which are read back."""
        bout = self.bout
        legal = bout.legal()
        texts = [bout.game.format_action(bout.states, action) for action in legal]
        assert len(set(texts)) == len(texts), f"legal actions share a text: {texts}"
        assert [bout.game.parse_action(bout.states, text) for text in texts] == legal

    def check_scenario(self) -> None:
        """A dump loads to the same state, the same sights and the same future, under forced flips too."""
        bout = self.bout
        here = bout.copy()
        there = check_round_trip(bout.game.params, bout.config, here).states
        for seat in range(bout.game.num_players):
            assert np.array_equal(observe(bout.game, here, seat), observe(bout.game, there, seat))
            assert np.array_equal(mask_of(bout.game, here, seat), mask_of(bout.game, there, seat))
        forced_here, forced_there = bout.copy(), copy_of(bout.game, there)
        for states in (forced_here, forced_there):
            force_results(states, "flips", [FORCED])
        advance_both(bout.game, here, there, len(bout.actions))
        advance_both(bout.game, forced_here, forced_there, len(bout.actions))

    def check_record(self) -> None:
        """The record of the game so far is replayed to the same bytes, state by state."""
        bout = self.bout
        record = GameRecord.model_validate_json(make_record(bout.game, bout.seed, bout.actions).model_dump_json())
        assert record.texts == tuple(bout.texts)
        assert record.digests[-1] == state_digest(bout.states)
        assert replay(bout.game, record).tobytes() == bout.states.tobytes()

    def check_batch(self) -> None:
        """Among other games of a batch the game takes the same course, and they take theirs."""
        bout, size = self.bout, 3
        together, alone = bout.game.new_states(size), bout.game.new_states(1)
        seeds = np.array([bout.seed + 1, bout.seed, bout.seed + 2], np.int64)
        bout.game.reset(bout.game.params, together, seeds)
        kinds = [Command.SKIP, Command.STEP, Command.SKIP]
        for action in bout.actions:
            dispatch(bout.game.step_batch, bout.game.params, together, kinds, action)
        assert together[1:2].tobytes() == bout.states.tobytes(), "in a batch the game is another one"
        for row in (0, 2):
            bout.game.reset(bout.game.params, alone, seeds[row : row + 1])
            assert together[row : row + 1].tobytes() == alone.tobytes(), "a neighbor in the batch has changed"

    def check_guess(self, viewer: int, number: int) -> None:
        """A guess leaves the game alone, shows its viewer the same, and can be played on."""
        bout, before = self.bout, self.bout.states.tobytes()
        world = guess(bout.game, bout.states, viewer, number)
        assert bout.states.tobytes() == before, "a guess changes the game"
        assert received(bout.game, world, viewer) == received(bout.game, bout.states, viewer)
        chance = random.Random(number)
        for _ in range(FUTURE):
            if plain(world)["current_player"] < 0:
                return
            act(bout.game, world, chance.choice(legal_ids(plain(world)["legal"])))
            assert plain(world)["error"] == 0, "a guess cannot be played on"

    def check_sight(self) -> None:
        """Looking changes nothing."""
        before = self.bout.states.tobytes()
        for seat in range(self.bout.game.num_players):
            received(self.bout.game, self.bout.states, seat)
        self.bout.game.to_scenario(self.bout.states)
        assert self.bout.states.tobytes() == before, "looking changes the state"

    def check_all(self) -> None:
        """Check everything."""
        self.check_env()
        for way in WAYS:
            self.check_way(way)
        for seat in range(self.bout.game.num_players):
            self.check_guess(seat, len(self.bout.actions))
        for check in (self.check_texts, self.check_scenario, self.check_record, self.check_batch, self.check_sight):
            check()


def copies(bout: Bout) -> Look:
    """Return a look at every decision of a game that makes everything of it that can be made."""
    return Companion(bout).check_all
