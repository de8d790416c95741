"""Leaks planted in the entry point of the game are noticed in twin worlds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.state.actions import FIRST_CARD, FIRST_TERRITORY
from sackarmies_env.games.territories.state.constants import NUM_CARDS, Decision, Event
from sackarmies_env.games.territories.state.layout import CARD_START, Card
from tests.territories.fog.twins import Course
from tests.territories.positions import random_table

GAMES = 40
DECISIONS = 100
CANCELLATION = 8  # kind of card 9, from 0 on
Look = Callable[[Any, int, Any, Any, Any], None]  # state, viewer, mask, observation, results


def showing(look: Look) -> Callable[[Game], Game]:
    """Return a fault: `look` changes what the game gives to a viewer, with access to the full state."""

    def plant(game: Game) -> Game:
        def step_batch(params, states, commands, slots, *outputs):
            game.step_batch(params, states, commands, slots, *outputs)
            masks, _, observations, results = outputs
            for command in commands:
                row, state = int(command["row"]), states.view(np.ndarray)[int(command["row"])]
                seat = int(slots[row]["observing_seat"])
                viewer = int(state["current_player"]) if seat == NO_PLAYER else seat
                given = [array[row] if len(array) else None for array in (masks, observations, results)]
                if viewer != NO_PLAYER:
                    look(state, viewer, *given)

        return dataclasses.replace(game, step_batch=step_batch)

    return plant


def silent(is_taken: Callable[[Any], bool]) -> Callable[[Game], Game]:
    """Return a fault: decisions with a single option are taken silently although they depend on cards in hand."""

    def plant(game: Game) -> Game:
        def step_batch(params, states, commands, slots, *outputs):
            game.step_batch(params, states, commands, slots, *outputs)
            state = states.view(np.ndarray)[0]
            while commands["kind"][0] in (Command.STEP, Command.RESUME) and state["current_player"] != NO_PLAYER:
                legal = legal_ids(state["legal"])
                if len(legal) > 1 or not is_taken(state):
                    break
                dispatch(game.step_batch, params, states, Command.STEP, legal[0])
            game.step_batch(params, states, *reading(commands), slots, *outputs)

        return dataclasses.replace(game, step_batch=step_batch)

    return plant


def reading(commands: Any) -> tuple[Any]:
    """Return the commands with all but SKIP replaced by READ."""
    read = commands.copy()
    read["kind"] = np.where(commands["kind"] == Command.SKIP, Command.SKIP, Command.READ)
    return (read,)


def others_cards(state: Any, viewer: int) -> list[int]:
    """Return the kinds of the cards in other hands."""
    hands = zip(state["hand"].tolist(), state["hand_count"].tolist(), strict=True)
    return [kind for player, (hand, count) in enumerate(hands) if player != viewer for kind in hand[:count]]


def deck_is_shown(state, viewer, mask, observation, results):
    if observation is not None:
        for kind in range(NUM_CARDS):
            observation[CARD_START + kind * len(Card) + Card.UNSEEN_NEW] = state["deck"][kind]


def next_card_is_shown(state, viewer, mask, observation, results):
    if observation is not None:
        observation[-1] = int(np.flatnonzero(state["deck"])[0]) if state["deck_count"] else 0


def future_is_shown(state, viewer, mask, observation, results):
    if observation is not None:
        observation[-1] = int(state["flip_key"][0]) % 7


def mask_spares_who_can_cancel(state, viewer, mask, observation, results):
    is_asked = state["current_player"] == viewer and state["decision"] == Decision.ATTACK_SOURCE
    if mask is not None and is_asked and CANCELLATION in others_cards(state, viewer):
        mask[FIRST_TERRITORY:FIRST_CARD] = 0


def rewards_count_cards(state, viewer, mask, observation, results):
    if results is not None:
        results[0, 0] += 0.001 * sum(others_cards(state, 0))


def draws_are_logged(state, viewer, mask, observation, results):
    drawn = (state["log_kind"] == Event.DRAW) & (state["log_player"] != NO_PLAYER)
    for place in np.flatnonzero(drawn):
        player = int(state["log_player"][place])
        if state["hand_count"][player]:
            state["log_value"][place] = state["hand"][player, state["hand_count"][player] - 1]


def description_counts_bonuses(game: Game) -> Game:
    def describe(states):
        state = states.view(np.ndarray)[0]
        return f"{Decision(int(state['decision'])).name} {len(set(others_cards(state, int(state['current_player']))))}"

    return dataclasses.replace(game, describe_decision=describe)


def guesses_keep_hands(game: Game) -> Game:
    def determinize(params, states, players, seeds):
        hands, decks = states["hand"].copy(), states["deck"].copy()
        game.determinize_batch(params, states, players, seeds)
        states["hand"], states["deck"] = hands, decks

    return dataclasses.replace(game, determinize_batch=determinize)


PLANTED: dict[str, Callable[[Game], Game]] = {
    "observations tell the deck from hands": showing(deck_is_shown),
    "observations tell of the next card": showing(next_card_is_shown),
    "observations tell of future dice": showing(future_is_shown),
    "masks tell who can cancel an attack": showing(mask_spares_who_can_cancel),
    "rewards tell of hands": showing(rewards_count_cards),
    "events tell what others draw": showing(draws_are_logged),
    "names of decisions tell of hands": description_counts_bonuses,
    "guesses keep hands": guesses_keep_hands,
    "battle cards: who has none that fits passes": silent(lambda state: state["decision"] == Decision.CARD),
    "discards: who has one kind is not asked": silent(lambda state: state["decision"] == Decision.REDUCE),
    "free moves: who has no card for it is not asked": silent(lambda state: state["decision"] == Decision.MOVE_SOURCE),
    "attacks under a bar are asked only with the card": silent(
        lambda state: state["decision"] == Decision.ATTACK_SOURCE
    ),
    "step 1 goes on unless there is a card for it": silent(lambda state: state["decision"] == Decision.STANDARD),
}
RARE = {name for name in PLANTED if name.startswith(("discards", "attacks", "free moves"))}  # take seconds to find


def find_leak(plant: Callable[[Game], Game], seed: int) -> None:
    """Play a game with a fault; raise if anything leaks."""
    options = random_table(seed).game.config
    course = Course(seed, plant(make_game(**options)))
    for number in course.decisions(DECISIONS):
        course.look(number, is_thorough=number % 10 == 0)
        course.follow(number, 12)


@pytest.mark.skipif(INTERPRETED, reason="takes minutes without the compiler")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in RARE else ()) for name in PLANTED]
)
def test_planted_leak_is_noticed(name):
    with pytest.raises(AssertionError, match=r"is shown what is hidden|decide on more than"):
        for seed in range(GAMES):
            find_leak(PLANTED[name], seed)
