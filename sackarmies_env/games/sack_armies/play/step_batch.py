"""The compiled entry point of Sack Armies, the only one into the sequence of play; see `core.step_batch`."""

from __future__ import annotations

from sackarmies_env.core.jit import njit
from sackarmies_env.core.step_batch import Rules, run_commands
from sackarmies_env.games.sack_armies.observation.observe import observe_again
from sackarmies_env.games.sack_armies.play.step import forfeit_one, is_eliminated, resume, returns_one, step_one

RULES = Rules(step_one, resume, forfeit_one, observe_again, returns_one, is_eliminated)


@njit
def step_batch(params, states, commands, slots, action_masks, packed_masks, observations, results):  # noqa: PLR0917 - contract
    """Do what `core.step_batch` says."""
    run_commands(RULES, params, states, commands, slots, action_masks, packed_masks, observations, results)
