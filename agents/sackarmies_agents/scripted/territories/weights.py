"""Weights of the greedy agent: data, in named sets beside this module; points, where a territory is worth `take`."""

from __future__ import annotations

from pathlib import Path

from sackarmies_agents.scripted.weight_sets import load_set, set_names
from sackarmies_env.core.validation import StrictModel

FOLDER = Path(__file__).parent / "weight_sets"
DEFAULT = "usual"


class Weights(StrictModel):
    """What the greedy agent weighs."""

    # odds of an attack, as log-odds: a sum of these times what they are of
    odds_base: float
    odds_dice: float  # logarithm of attacker dice to a defender die
    odds_units: float  # logarithm of attackers to a defending unit
    odds_counters: float  # attacker's counters less the defender's
    odds_height: float  # 1 uphill for the defender, -1 for the attacker

    # targets
    take: float  # a territory
    enemy: float  # that somebody controls
    destroy: float  # each point of exchange value there
    finish: float  # the last territory of a player; divided by how many they have
    win: float  # the territory that dominates the map
    beyond: float  # each further territory that can be attacked from there
    sure: float  # an attack that is won without a roll
    fail: float  # a lost attack, which bars all others
    least: float  # an attack is declared from this value on

    # troops
    pile: float  # where troops go: each unit that stands there
    prey: float  # each neighbor that could be taken with the troops
    border: float  # each neighbor that is not one's own
    mass: float  # units of a pile that more troops do not help
    guard: float  # each unit that a border territory lacks of `hold`
    hold: float  # units of a border territory
    setup_pile: float  # as `pile`, in the set-up
    leave: float  # units that stay behind in a border territory after a victory

    # standard actions, in troops
    card: float  # a card
    march: float  # each unit that an extra move brings nearer
    rearm: float  # each troop that an extra exchange sets free for a short garrison

    # exchanges: of troops for another type
    keep: float  # units that stay troops where troops are exchanged
    reserve: float  # exchanges are made while the garrison has fewer troops
    rider: float  # worth of one
    engine: float
    hero: float

    # battles
    fodder: float  # troops among the attackers, for ones and twos
    margin: float  # dice beyond those of the attacker that a defender uses
    body: float  # a unit on the battle board, beyond its exchange value
    cancel: float  # chance of the attacker from which a card cancels the attack
    spare: float  # lead in units at the end of a battle from which no cards are played


def weight_sets() -> list[str]:
    """Return the names of the sets that come with the agent, sorted."""
    return set_names(FOLDER)


def load_weights(choice: str | Path = DEFAULT) -> Weights:
    """Return a set of weights.

    Args:
        choice: the name of a set that comes with the agent, or the path of a TOML file.

    Raises:
        ValueError: there is no such set or file, or it has not just these weights as finite numbers.
    """
    return load_set(Weights, FOLDER, choice)
