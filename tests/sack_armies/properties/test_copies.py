"""State machine of a game and its copies, made at any decision and in any order."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.testing import check_game
from tests.sack_armies.builders.configurations import MOST_CHOICES, Configuration, configurations, seeds
from tests.sack_armies.properties.bout import Bout
from tests.sack_armies.properties.cases import told
from tests.sack_armies.properties.copies import WAYS, Companion
from tests.samples import examples

SINGLE_SEAT_WAYS: dict[str, Any] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


class Copies(RuleBasedStateMachine):
    """One game that is played on, copied, dumped, recorded or sampled from."""

    def __init__(self) -> None:
        super().__init__()
        self.bout: Any = None

    @contextlib.contextmanager
    def tell(self) -> Iterator[None]:
        """Write a failure to a file as a case."""
        with told("copies", self.bout):
            yield

    @initialize(configuration=configurations(), seed=seeds())
    def begin(self, configuration: Configuration, seed: int) -> None:
        self.bout = Bout(configuration.options(), seed)
        self.companion = Companion(self.bout)

    @precondition(lambda self: self.bout.player >= 0)
    @rule(chosen=st.lists(st.integers(0, MOST_CHOICES), min_size=1, max_size=12))
    def play(self, chosen: list[int]) -> None:
        for choice in chosen:
            if self.bout.player >= 0:
                self.bout.choose(choice)

    @rule(way=st.sampled_from(sorted(WAYS)))
    def make_a_copy(self, way: str) -> None:
        with self.tell():
            self.companion.check_way(way)

    @rule()
    def compare_with_the_environment(self) -> None:
        with self.tell():
            self.companion.check_env()

    @rule()
    def write_and_read_texts(self) -> None:
        with self.tell():
            self.companion.check_texts()

    @rule()
    def dump_and_load(self) -> None:
        with self.tell():
            self.companion.check_scenario()

    @rule()
    def record_and_replay(self) -> None:
        with self.tell():
            self.companion.check_record()

    @rule()
    def play_in_a_batch(self) -> None:
        with self.tell():
            self.companion.check_batch()

    @rule(viewer=st.integers(0, 5), number=seeds())
    def determinize(self, viewer: int, number: int) -> None:
        with self.tell():
            self.companion.check_guess(viewer % self.bout.game.num_players, number)

    @rule()
    def look(self) -> None:
        with self.tell():
            self.companion.check_sight()


def test_copies_texts_scenarios_records_and_guesses_of_a_game_agree_with_it():
    run_state_machine_as_test(Copies, settings=settings(examples(3), stateful_step_count=8))


@pytest.mark.slow
def test_copies_texts_scenarios_records_and_guesses_of_many_games_agree():
    run_state_machine_as_test(Copies, settings=settings(examples(25), stateful_step_count=30))


@pytest.mark.slow
@examples(15)
@example(configuration=Configuration("battle", 4, {}, 17), seed=1)  # sacks hold few of an army's types
@given(configuration=configurations(), seed=seeds())
def test_the_contract_of_a_game_holds_in_every_configuration(configuration: Configuration, seed: int):
    game = make_game(**configuration.options())
    if configuration.start == "shelling":  # all units may be known to a General who has nothing to draw
        game = dataclasses.replace(game, all_seeing=tuple(range(game.num_players)))
    check_game(game, num_games=1, seed=seed, max_plies=80, every=5)


@examples(4)
@given(configuration=configurations(), seed=seeds(), way=st.sampled_from(sorted(SINGLE_SEAT_WAYS)))
def test_an_environment_of_one_seat_is_copied_with_its_opponents(configuration: Configuration, seed: int, way: str):
    env = SingleSeatEnv(make_game(**configuration.options()))
    env.reset(seed=seed)
    for _ in range(seed % 8):
        move_on(env)
    twin = SINGLE_SEAT_WAYS[way](env)
    for _ in range(8):
        assert move_on(twin) == move_on(env)


def move_on(env: SingleSeatEnv) -> list[Any]:
    """Take the last legal action, or begin a new game; return all that the environment answers."""
    if env._match.player != env.seat:
        observation, info = env.reset()
        return [observation["observation"].tolist(), str(info)]
    observation, reward, terminated, truncated, info = env.step(env.legal_actions()[-1])
    return [observation["observation"].tolist(), reward, terminated, truncated, str(info)]
