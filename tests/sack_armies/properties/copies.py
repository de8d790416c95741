"""Copies, texts, scenarios, records and samples of a game: each agrees with the game and leaves it unchanged."""

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

FUTURE = 6  # further decisions played in copies
FORCED = [1, 0, 0, 1, 1, 1, 0, 1]  # flips forced in both games, to check that both use them

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
    """Play the same actions in both games; they must stay alike."""
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
    """Checks of a game against what is made of it; each `check_` method may be called at any decision."""

    def __init__(self, bout: Bout) -> None:
        self.bout = bout
        self.env = RawEnv(bout.game)
        self.env.reset(seed=bout.seed)
        self.played = 0

    def keep_up(self) -> None:
        """Play the environment up to where the game is."""
        for action in self.bout.actions[self.played :]:
            while self.env.terminations[self.env.agent_selection]:
                self.env.step(None)
            self.env.step(action)
        self.played = len(self.bout.actions)

    def check_env(self) -> None:
        """Check that the environment is in the state of the game."""
        self.keep_up()
        assert self.env._match.states.tobytes() == self.bout.states.tobytes(), "the environment plays another game"

    def check_way(self, way: str) -> None:
        """Check that a copy of the environment is equal and independent: playing it leaves the original unchanged."""
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
        """Check that legal actions have distinct texts, which are read back as the same ids."""
        bout = self.bout
        legal = bout.legal()
        texts = [bout.game.format_action(bout.states, action) for action in legal]
        assert len(set(texts)) == len(texts), f"legal actions share a text: {texts}"
        assert [bout.game.parse_action(bout.states, text) for text in texts] == legal

    def check_scenario(self) -> None:
        """Check that a dump loads to the same state, with the same views and future, under forced flips too."""
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
        """Check that the record of the game so far replays to the same bytes, state by state."""
        bout = self.bout
        record = GameRecord.model_validate_json(make_record(bout.game, bout.seed, bout.actions).model_dump_json())
        assert record.texts == tuple(bout.texts)
        assert record.digests[-1] == state_digest(bout.states)
        assert replay(bout.game, record).tobytes() == bout.states.tobytes()

    def check_batch(self) -> None:
        """Check that games take the same course in a batch as alone: this one, one that is skipped, one at random."""
        bout, chance = self.bout, random.Random(self.bout.seed)
        game, together = bout.game, bout.game.new_states(3)
        seeds = np.array([bout.seed + 1, bout.seed, bout.seed + 2], np.int64)
        game.reset(game.params, together, seeds)
        played: list[int] = []
        for action in bout.actions:
            legal = legal_ids(plain(together[2:])["legal"])
            other = chance.choice(legal) if legal else 0
            kinds = [Command.SKIP, Command.STEP, Command.STEP if legal else Command.SKIP]
            dispatch(game.step_batch, game.params, together, kinds, [0, action, other])
            played += [other] if legal else []
        assert together[1:2].tobytes() == bout.states.tobytes(), "the game differs when played in a batch"
        for row, actions in ((0, []), (2, played)):
            alone = game.new_states(1)
            game.reset(game.params, alone, seeds[row : row + 1])
            for action in actions:
                act(game, alone, action)
            assert together[row : row + 1].tobytes() == alone.tobytes(), f"game {row} of the batch differs when alone"

    def check_guess(self, viewer: int, number: int) -> None:
        """Check that a sample leaves the game unchanged, shows its viewer the same, and can be played on."""
        bout, before = self.bout, self.bout.states.tobytes()
        world = guess(bout.game, bout.states, viewer, number)
        assert bout.states.tobytes() == before, "sampling changes the game"
        assert received(bout.game, world, viewer) == received(bout.game, bout.states, viewer)
        chance = random.Random(number)
        for _ in range(FUTURE):
            if plain(world)["current_player"] < 0:
                return
            act(bout.game, world, chance.choice(legal_ids(plain(world)["legal"])))
            assert plain(world)["error"] == 0, "a sample cannot be played on"

    def check_sight(self) -> None:
        """Check that observing and dumping a state change nothing."""
        before = self.bout.states.tobytes()
        for seat in range(self.bout.game.num_players):
            received(self.bout.game, self.bout.states, seat)
        self.bout.game.to_scenario(self.bout.states)
        assert self.bout.states.tobytes() == before, "observing changes the state"

    def check_all(self) -> None:
        """Run all checks."""
        self.check_env()
        for way in WAYS:
            self.check_way(way)
        for seat in range(self.bout.game.num_players):
            self.check_guess(seat, len(self.bout.actions))
        for check in (self.check_texts, self.check_scenario, self.check_record, self.check_batch, self.check_sight):
            check()


def copies(bout: Bout) -> Look:
    """Return a `Look` that runs all checks of a `Companion`."""
    return Companion(bout).check_all
