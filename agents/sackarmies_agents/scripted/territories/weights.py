"""Weights of the greedy agent, in named sets beside this module; in points, where a territory is worth `take`."""

from __future__ import annotations

from pathlib import Path

from sackarmies_agents.scripted.weight_sets import load_set, set_names
from sackarmies_env.core.validation import StrictModel

FOLDER = Path(__file__).parent / "weight_sets"
DEFAULT = "usual"


class Weights(StrictModel):
    """Weights of the greedy agent."""

    # log-odds of an attack: the sum of these weights times their quantities
    odds_base: float
    odds_dice: float  # logarithm of attacker dice per defender die
    odds_units: float  # logarithm of attackers per defending unit
    odds_counters: float  # attacker's counters minus the defender's
    odds_height: float  # 1 if the attacker is higher, -1 if the defender is

    # targets
    take: float  # a territory
    enemy: float  # that a player controls
    destroy: float  # each point of exchange value there
    finish: float  # the last territory of a player; divided by the number they have
    win: float  # the territory that completes domination
    beyond: float  # each further territory that can be attacked from there
    sure: float  # an attack won without a roll
    fail: float  # a lost attack, which bars all others
    least: float  # value that an attack must exceed to be declared

    # troops
    pile: float  # where troops go: each unit already there
    prey: float  # each neighbor that could be taken with the troops
    border: float  # each neighbor that is not one's own
    mass: float  # size of a pile from which more troops do not help
    guard: float  # each unit that a border territory is short of `hold`
    hold: float  # units wanted in a border territory
    setup_pile: float  # like `pile`, in the set-up
    leave: float  # units that stay behind in a border territory after a victory

    # standard actions, in troops
    card: float  # a card
    march: float  # each unit that an extra move brings nearer to the border
    rearm: float  # each troop that an extra exchange frees for a short garrison

    # exchanges: of troops for another type
    keep: float  # troops that stay troops in a territory with exchanges
    reserve: float  # exchange only while the garrison has fewer troops than this
    rider: float  # worth of one
    engine: float
    hero: float

    # battles
    fodder: float  # troops among the attackers, for ones and twos
    margin: float  # dice that a defender uses beyond the attacker's number
    body: float  # a unit on the battle board, beyond its exchange value
    cancel: float  # a card cancels an attack if the attacker's chance is at least this
    spare: float  # expected final lead in units above which no cards are played


def weight_sets() -> list[str]:
    """Return the names of the sets that come with the agent, sorted."""
    return set_names(FOLDER)


def load_weights(choice: str | Path = DEFAULT) -> Weights:
    """Return a set of weights.

    Args:
        choice: the name of a set that comes with the agent, or the path of a TOML file.

    Raises:
        ValueError: there is no such set or file, or it does not hold exactly these weights as finite numbers.
    """
    return load_set(Weights, FOLDER, choice)
