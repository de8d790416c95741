"""Nim for two or more players, as small as a game of the contract can be: plain Python, no compiler.

Players take one to three from a heap; who takes the last one wins. The heap's size is drawn from the seed.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from sackarmies_env.core.game import Game, compose_advance
from sackarmies_env.core.observation import Block, Feature, ObservationSpec
from sackarmies_env.core.state import COMMON_FIELDS, NO_PLAYER, record_dtype

DTYPE = record_dtype(COMMON_FIELDS, [("heap", np.int16)])
SPEC = ObservationSpec([Block("heap", 1, (Feature("left", 0, 100, "stones left"),), "the heap")])


def make_nim(num_players=2, smallest=11, max_turns=100):
    kernels = {
        "reset": partial(_reset, smallest),
        "legal_actions": _legal_actions,
        "step": partial(_step, num_players, max_turns),
        "observe": _observe,
        "returns": partial(_returns, num_players),
        "terminations": _terminations,
    }
    order = ("step", "legal_actions", "observe", "returns", "terminations")
    return Game(
        id="nim",
        num_players=num_players,
        num_actions=3,
        state_dtype=DTYPE,
        observation_spec=SPEC,
        params=np.zeros(1, [("unused", np.int8)]),
        config={"num_players": num_players, "smallest": smallest, "max_turns": max_turns},
        build=make_nim,
        start=None,
        advance=compose_advance(*(kernels[name] for name in order)),
        forfeit=None,
        determinize=None,
        format_action=lambda states, action: f"take {action + 1}",
        parse_action=lambda states, text: int(text.removeprefix("take ")) - 1,
        describe_decision=lambda states: "take",
        to_scenario=lambda states: {"heap": int(states["heap"][0])},
        **kernels,
    )


def _reset(smallest, params, states, seeds):
    for i, seed in enumerate(seeds):
        states[i] = np.zeros(1, DTYPE)[0]
        states["heap"][i] = smallest + np.random.default_rng(int(seed)).integers(10)
        states["winner"][i] = NO_PLAYER


def _legal_actions(params, states, action_mask):
    for i, heap in enumerate(states["heap"]):
        over = states["terminated"][i] or states["truncated"][i]
        action_mask[i] = 0 if over else np.arange(3) < heap


def _step(num_players, max_turns, params, states, actions):
    for i, action in enumerate(actions):
        if states["terminated"][i] or states["truncated"][i]:
            continue
        states["heap"][i] -= action + 1
        states["turn"][i] += 1
        if states["heap"][i] == 0:
            states["winner"][i] = states["current_player"][i]
            states["terminated"][i] = 1
        elif states["turn"][i] == max_turns:
            states["truncated"][i] = 1
        over = states["terminated"][i] or states["truncated"][i]
        states["current_player"][i] = NO_PLAYER if over else (states["current_player"][i] + 1) % num_players


def _observe(params, states, players, out):
    out[:, 0] = states["heap"]


def _returns(num_players, params, states, out):
    for i, winner in enumerate(states["winner"]):
        out[i] = 0 if winner == NO_PLAYER else -1 / (num_players - 1)
        if winner != NO_PLAYER:
            out[i, winner] = 1


def _terminations(params, states, out):
    out[:] = states["terminated"][:, None]
