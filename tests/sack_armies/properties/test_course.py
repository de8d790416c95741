"""The course of random games: choices are completed, turns are bounded, games end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.step_batch import Command, dispatch, new_slots
from sackarmies_env.games.sack_armies import make_game
from tests.sack_armies.builders.configurations import Configuration, choices, configurations, seeds
from tests.sack_armies.properties.bout import Bout
from tests.sack_armies.properties.cases import hold
from tests.sack_armies.properties.course import Turns, completions, turn_bound
from tests.sack_armies.properties.view import View
from tests.samples import examples

GAMES = 2 if INTERPRETED else 8  # per configuration, side by side
STRETCH = 64 if INTERPRETED else 1 << 16  # decisions in one call; no game is as long


@examples(4)
@given(configuration=configurations(), seed=seeds(), chosen=choices(5))
def test_every_choice_that_is_offered_can_be_completed(configuration: Configuration, seed: int, chosen: list[int]):
    hold("completions", completions, configuration, seed, chosen)


@pytest.mark.slow
@examples(75)
@given(configuration=configurations(), seed=seeds(), chosen=choices(60))
def test_every_choice_in_many_games_can_be_completed(configuration: Configuration, seed: int, chosen: list[int]):
    hold("completions", completions, configuration, seed, chosen)


@examples(12)
@given(configuration=configurations(), seed=seeds(), chosen=choices(60))
def test_turns_have_a_bound(configuration: Configuration, seed: int, chosen: list[int]):
    hold("turns", Turns(), configuration, seed, chosen)


@pytest.mark.slow
def test_turns_of_many_games_have_a_bound():
    turns = Turns()

    @examples(50)
    @given(
        configuration=configurations(), seed=seeds(), chosen=choices(250), windows=st.sampled_from(["full", "announce"])
    )
    def bouts(configuration: Configuration, seed: int, chosen: list[int], windows: str) -> None:
        configuration = replace(configuration, switches=configuration.switches | {"reaction_windows": windows})
        hold("turns", turns, configuration, seed, chosen)

    bouts()
    print(f"longest turn: {turns.longest} decisions; at most {turns.closest:.0%} of the bound")
    assert turns.longest > 20


def test_the_bound_of_a_turn_grows_with_what_it_may_use_up():
    few, many = (turn_bound(View(Bout(Configuration("battle", generals).options(), 0))) for generals in (2, 6))
    assert 0 < few < many


@examples(6)
@given(configuration=configurations(), seed=seeds())
def test_every_game_ends(configuration: Configuration, seed: int):
    play_to_the_end(configuration, seed)


@pytest.mark.slow
@examples(75)
@given(configuration=configurations(), seed=seeds())
def test_every_game_of_many_configurations_ends(configuration: Configuration, seed: int):
    play_to_the_end(configuration, seed)


def play_to_the_end(configuration: Configuration, seed: int) -> None:
    """Play some games at random in one call; each must then be over, by the rules or by a limit on turns."""
    game = make_game(**configuration.options())
    states = game.new_states(GAMES)
    game.reset(game.params, states, np.arange(seed, seed + GAMES, dtype=np.int64))
    slots = new_slots(GAMES)
    slots["stream"] = np.arange(seed, seed + GAMES)
    dispatch(game.step_batch, game.params, states, Command.RANDOM, STRETCH, slots=slots)
    plain = states.view(np.ndarray)
    assert (plain["error"] == 0).all()
    if INTERPRETED:
        return
    assert (plain["terminated"] + plain["truncated"] == 1).all(), f"{configuration}: a game did not end"
    assert (plain["turn"] <= game.params["max_turns"]).all()
    assert (plain["turn"] - plain["last_progress_turn"] <= game.params["no_progress_turns"]).all()
