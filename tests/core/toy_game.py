"""Duel: a small game of hidden cards in plain numpy, which shows that adapters and checks know no rules.

Each of two to six players holds three secret cards, worth 1 to 4, and two lives. In turn a player plays a card and
names an opponent. A card that beats the best card of that opponent costs him a life, a lower one costs the player a
life. The card played is shown to all and replaced by a secret draw. Who has no life left is out; the last one wins;
after `max_turns` turns the game is cut off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sackarmies_env.core.compose import ComposedAdvance
from sackarmies_env.core.game import Game
from sackarmies_env.core.observation import Block, Feature, ObservationSpec
from sackarmies_env.core.state import COMMON_FIELDS, NO_PLAYER, alloc, record_dtype

NUM_CARDS = 4  # values 1 to 4: the first ids
HAND = 3
LIVES = 2
MAX_DRAWS = 16
NO_CARD = 0

PARAMS_DTYPE = record_dtype([("num_players", np.int16), ("max_turns", np.int16)])


def make_duel(num_players: int = 2, max_turns: int = 60) -> Game:
    """Build the game for 2 to 6 players."""
    params = alloc(PARAMS_DTYPE, 1)
    params["num_players"] = num_players
    params["max_turns"] = max_turns
    dtype = record_dtype(
        COMMON_FIELDS,
        [
            ("cards", np.int8, (num_players, HAND)),  # hidden from the others
            ("lives", np.int8, (num_players,)),
            ("pending", np.int8),  # card chosen by the current player, before the opponent is named
            ("shown", np.int8),  # card played last
            ("forced_draws", np.int8, (num_players, MAX_DRAWS)),
            ("num_forced", np.int8, (num_players,)),
        ],
    )
    return Game(
        id="duel",
        num_players=num_players,
        num_actions=NUM_CARDS + num_players,
        state_dtype=dtype,
        observation_spec=_spec(num_players),
        params=params,
        config={"num_players": num_players, "max_turns": max_turns},
        build=make_duel,
        reset=reset,
        start=lambda states, seed, flips, draws: _start(params, states, seed, flips, draws),
        legal_actions=legal_actions,
        step=step,
        observe=observe,
        returns=returns,
        terminations=terminations,
        advance=make_advance(num_players),
        forfeit=forfeit,
        determinize=determinize,
        format_action=lambda states, action: format_action(action),
        parse_action=lambda states, text: _parse_action(params, states, text),
        describe_decision=lambda states: "OPPONENT" if states["pending"][0] else "CARD",
        to_scenario=to_scenario,
        zero_sum=True,
    )


def make_advance(num_players: int, **changes: Any) -> ComposedAdvance:
    """Return the game's `advance`, with some kernels replaced."""
    kernels = {
        "reset": reset,
        "step": step,
        "legal_actions": legal_actions,
        "observe": observe,
        "returns": returns,
        "terminations": terminations,
        "forfeit": forfeit,
    }
    return ComposedAdvance(**{**kernels, **changes}, num_actions=NUM_CARDS + num_players, num_players=num_players)


def _spec(num_players: int) -> ObservationSpec:
    own = tuple(Feature(f"card_{value}", 0, HAND, "cards of this value in hand") for value in range(1, NUM_CARDS + 1))
    table = (
        Feature("pending", 0, NUM_CARDS, "own card chosen, 0 for none"),
        Feature("shown", 0, NUM_CARDS, "card played last"),
        Feature("to_act", 0, num_players - 1, "seats from self to the current player"),
    )
    return ObservationSpec(
        [
            Block("hand", 1, own, "own cards"),
            Block("table", 1, table, "what all see"),
            Block("players", num_players, (Feature("lives", 0, LIVES, "lives left"),), "self first"),
        ]
    )


def reset(params: Any, states: Any, seeds: Any) -> None:
    for index, seed in enumerate(seeds.tolist()):
        _deal(states[index : index + 1], seed)


def _start(params: Any, states: Any, seed: int, flips: str, draws: Any) -> None:
    if flips:
        raise ValueError(f"flips {flips!r}: duel has no flips")
    _deal(states[:1], seed, draws)


def _deal(state: Any, seed: int, draws: Any = ()) -> None:
    state.view(np.ndarray).view(np.uint8)[...] = 0
    for player, cards in enumerate(draws):
        values = [int(card.removeprefix("card_")) for card in cards]
        state["forced_draws"][0, player, : len(values)] = values
        state["num_forced"][0, player] = len(values)
    state["draw_key"][0] = [seed & 0xFFFFFFFF, seed >> 32]
    state["winner"] = NO_PLAYER
    state["lives"] = LIVES
    for player in range(state["lives"].shape[1]):
        for slot in range(HAND):
            state["cards"][0, player, slot] = _draw(state, player)
    state["turn"] = 1


def _draw(state: Any, player: int) -> int:
    if state["num_forced"][0, player]:
        row = state["forced_draws"][0, player]
        card = int(row[0])
        row[:-1] = row[1:].copy()
        state["num_forced"][0, player] -= 1
        return card
    key = [*state["draw_key"][0].tolist(), int(state["draw_count"][0])]
    state["draw_count"] += 1
    return int(np.random.default_rng(key).integers(1, NUM_CARDS + 1))


def legal_actions(params: Any, states: Any, action_mask: Any) -> None:
    action_mask[...] = 0
    for state, mask in zip(states, action_mask, strict=True):
        player = state["current_player"]
        if player == NO_PLAYER:
            continue
        if state["pending"] == NO_CARD:
            mask[state["cards"][player].astype(int) - 1] = 1
        else:
            mask[NUM_CARDS + np.flatnonzero(state["lives"])] = 1
            mask[NUM_CARDS + player] = 0


def step(params: Any, states: Any, actions: Any) -> None:
    for index, action in enumerate(actions.tolist()):
        state = states[index : index + 1]
        if state["current_player"][0] == NO_PLAYER:
            continue
        if action >= NUM_CARDS:
            _duel(params, state, action - NUM_CARDS)
            continue
        state["pending"] = action + 1
        others = [seat for seat in _alive(state) if seat != state["current_player"][0]]
        if len(others) == 1:  # forced, and taken silently
            _duel(params, state, others[0])


def _alive(state: Any) -> list[int]:
    return [int(seat) for seat in np.flatnonzero(state["lives"][0])]


def _duel(params: Any, state: Any, target: int) -> None:
    player, card = int(state["current_player"][0]), int(state["pending"][0])
    best = state["cards"][0, target].max()
    if card != best:
        state["lives"][0, target if card > best else player] -= 1
    hand = state["cards"][0, player]
    hand[hand.tolist().index(card)] = _draw(state, player)
    state["pending"] = NO_CARD
    state["shown"] = card
    _next_turn(params, state)


def _next_turn(params: Any, state: Any) -> None:
    alive = _alive(state)
    if len(alive) == 1:
        state["winner"] = alive[0]
        state["terminated"] = 1
    elif state["turn"][0] >= params["max_turns"][0]:
        state["truncated"] = 1
    else:
        state["turn"] += 1
        player = int(state["current_player"][0])
        state["current_player"] = min(alive, key=lambda seat: (seat - player - 1) % state["lives"].shape[1])
        return
    state["current_player"] = NO_PLAYER


def forfeit(params: Any, states: Any, players: Any) -> None:
    for index, player in enumerate(players.tolist()):
        state = states[index : index + 1]
        if player == NO_PLAYER or state["lives"][0, player] == 0 or state["current_player"][0] == NO_PLAYER:
            continue
        state["lives"][0, player] = 0
        if len(_alive(state)) == 1 or state["current_player"][0] == player:
            state["pending"] = NO_CARD
            _next_turn(params, state)


def observe(params: Any, states: Any, players: Any, out: Any) -> None:
    out[...] = 0
    for state, player, row in zip(states, players.tolist(), out, strict=True):
        num_players = len(state["lives"])
        for value in range(1, NUM_CARDS + 1):
            row[value - 1] = (state["cards"][player] == value).sum()
        is_current = state["current_player"] == player
        row[NUM_CARDS] = state["pending"] if is_current else NO_CARD
        row[NUM_CARDS + 1] = state["shown"]
        row[NUM_CARDS + 2] = (max(int(state["current_player"]), 0) - player) % num_players
        row[NUM_CARDS + 3 :] = np.roll(state["lives"], -player)


def returns(params: Any, states: Any, out: Any) -> None:
    for state, row in zip(states, out, strict=True):
        lost = state["lives"] == 0
        row[:] = np.where(lost, -1 / (len(row) - 1), 0)
        if state["terminated"] or state["truncated"]:
            row[~lost] = lost.sum() / (len(row) - 1) / (~lost).sum()


def terminations(params: Any, states: Any, out: Any) -> None:
    for state, row in zip(states, out, strict=True):
        row[:] = (state["lives"] == 0) | (state["terminated"] == 1)


def determinize(params: Any, states: Any, players: Any, seeds: Any) -> None:
    for index, (player, seed) in enumerate(zip(players.tolist(), seeds.tolist(), strict=True)):
        state = states[index : index + 1]
        rng = np.random.default_rng(seed)
        own = state["cards"][0, player].copy()
        state["cards"][0] = rng.integers(1, NUM_CARDS + 1, state["cards"].shape[1:])
        state["cards"][0, player] = own
        state["draw_key"][0] = rng.integers(0, 2**32, 2)
        state["num_forced"] = 0
        state["forced_draws"] = 0
        if state["current_player"][0] != player and state["pending"][0]:  # hidden, and one of the cards in hand
            state["pending"] = state["cards"][0, state["current_player"][0], 0]


def format_action(action: int) -> str:
    return f"card {action + 1}" if action < NUM_CARDS else f"player {action - NUM_CARDS}"


def _parse_action(params: Any, states: Any, text: str) -> int:
    mask = np.zeros((1, NUM_CARDS + int(params["num_players"][0])), np.int8)
    legal_actions(params, states[:1], mask)
    legal = {format_action(int(action)): int(action) for action in np.flatnonzero(mask[0])}
    if text.strip() not in legal:
        raise ValueError(f"{text!r} is no legal action: legal are {', '.join(legal)}")
    return legal[text.strip()]


def to_scenario(states: Any) -> dict[str, Any]:
    state = states[0]
    return {
        "game": "duel",
        "to_move": int(state["current_player"]),
        "cards": state["cards"].tolist(),
        "lives": state["lives"].tolist(),
        "pending": int(state["pending"]),
    }
