"""The compiled entry point of Territories, the only one into the sequence of play; see `core.step_batch`."""

from __future__ import annotations

from sackarmies_env.core.jit import njit
from sackarmies_env.core.step_batch import Rules, run_commands
from sackarmies_env.games.territories.observation.observe import observe
from sackarmies_env.games.territories.play.step import forfeit_one, is_eliminated, resume, step_one
from sackarmies_env.games.territories.rules.victory import write_returns

RULES = Rules(step_one, resume, forfeit_one, observe, write_returns, is_eliminated)


@njit
def step_batch(params, states, commands, slots, action_masks, packed_masks, observations, results):  # noqa: PLR0917 - contract
    """Run commands on many games in one call, see `core.step_batch`."""
    run_commands(RULES, params, states, commands, slots, action_masks, packed_masks, observations, results)
