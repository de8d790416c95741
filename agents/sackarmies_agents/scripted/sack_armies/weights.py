"""Weights of the greedy General, in points; a plain soldier is worth about ten.

They are data: named sets are TOML files beside this module, and any file of the same form may take their place.
"""

from __future__ import annotations

from pathlib import Path

from sackarmies_agents.scripted.weight_sets import load_set, set_names
from sackarmies_env.core.validation import StrictModel

FOLDER = Path(__file__).parent / "weight_sets"
DEFAULT = "tuned"
MOST_DECAY = 0.95  # nearness that does not fade would never finish spreading over the ground
LIMITS = {"decay": (0.0, MOST_DECAY)}


class Weights(StrictModel):
    """Weights of the greedy General, in points or as shares."""

    # tokens
    body: float  # a unit of any kind
    rank: float  # each rank of a unit
    guessed_rank: float  # of a unit that is face down
    scarce: float  # a General with fewer tokens left than this values each of them more
    attached: float  # each spell or maneuver under a unit
    caution: float  # own losses, as a share of equal losses of an enemy

    # battlefields
    take: float  # take one from the General who put it down, while they keep all five
    take_more: float  # added for each that they have lost
    win: float  # take their last one
    regain: float  # take back one's own
    third: float  # take any other that somebody else controls
    guard: float  # stay on one's own that an enemy could enter
    keep: float  # stay on an enemy's that they could enter again
    alarm: float  # what saves the last battlefields

    # ground
    pull: float  # nearness to what is wanted
    decay: float  # share of this nearness that is left a hex farther away
    hunt: float  # enemy units as goals, as a share of their value
    prospect: float  # the best attack that a place offers next turn
    danger: float  # the best attack that enemies have on a place
    site_far: float  # a battlefield of one's own, for each hex of distance to enemies
    site_close: float  # the same, for each other battlefield of one's own beside it
    second_move: float  # share of the value of a second unit's move, which the first may have spoiled

    # actions
    draw: float  # a Draw that has room for three tokens
    hand: float  # tokens that a Draw has room for with an empty hand
    held: float  # room taken by each token in hand that could be put to use
    need: float  # factor of a Draw with no unit on the board
    enough: float  # reduction of this factor for each unit on the board
    need_least: float  # lower limit of this factor
    need_most: float  # upper limit
    deploy: float  # a unit put down, as a share of its value
    field: float  # a battlefield put down
    attach: float  # a spell or maneuver put down
    dismiss: float  # an enemy back in its sack, as a share of its value
    raising: float  # a casualty back in play, flip included
    strip: float  # an enemy spell or maneuver destroyed
    uncover: float  # each enemy unit revealed
    spend: float  # a spell or maneuver used up
    reveal: float  # an own unit turned face up
    employ: float  # each attacker barred by a failed check


def weight_sets() -> list[str]:
    """Return the names of the sets that come with the General, sorted."""
    return set_names(FOLDER)


def load_weights(choice: str | Path = DEFAULT) -> Weights:
    """Return a set of weights.

    Args:
        choice: the name of a set that comes with the General, or the path of a TOML file.

    Raises:
        ValueError: there is no such set or file, or it does not hold exactly these weights as finite numbers in range.
    """
    return load_set(Weights, FOLDER, choice, LIMITS)
