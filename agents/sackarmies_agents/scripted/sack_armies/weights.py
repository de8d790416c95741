"""Weights of the greedy General, in points; a plain soldier is worth about ten.

They are data: named sets are TOML files beside this module, and any file of the same form may take their place.
"""

from __future__ import annotations

from pathlib import Path

from sackarmies_agents.scripted.weight_sets import load_set, set_names
from sackarmies_env.core.validation import StrictModel

FOLDER = Path(__file__).parent / "weight_sets"
DEFAULT = "tuned"
MOST_DECAY = 0.95  # nearness that does not fade would never have been spread over the whole ground
LIMITS = {"decay": (0.0, MOST_DECAY)}


class Weights(StrictModel):
    """What the greedy General weighs, in points or as shares."""

    # tokens
    body: float  # a unit of any kind
    rank: float  # each rank of a unit
    guessed_rank: float  # of a unit that is face down
    scarce: float  # a General with fewer tokens left than this values each of them more
    attached: float  # each spell or maneuver under a unit
    caution: float  # own losses, as a share of equal ones of an enemy

    # battlefields
    take: float  # from the General who put it down, while they keep all five
    take_more: float  # more for each that they have lost
    win: float  # their last one
    regain: float  # one's own
    third: float  # any other that somebody else controls
    guard: float  # stay on one's own that an enemy could enter
    keep: float  # stay on an enemy's that they could enter again
    alarm: float  # what saves the last battlefields

    # ground
    pull: float  # nearness to what is wanted
    decay: float  # of this, a hex
    hunt: float  # enemy units as goals, as a share of their value
    prospect: float  # the best attack that a place offers next turn
    danger: float  # the best attack that enemies have on a place
    site_far: float  # a battlefield of one's own, a hex farther from enemies
    site_close: float  # the same, beside another of one's own
    second_move: float  # of the value of a second unit's move: the first may have spoilt it

    # actions
    draw: float  # a Draw that has three tokens to fill
    hand: float  # tokens that a Draw has room for with an empty hand
    held: float  # room that each token in hand takes that could be put to use
    need: float  # factor of a Draw with no unit on the board
    enough: float  # of this factor, what each unit on the board takes away
    need_least: float  # the least that this factor becomes
    need_most: float  # the most
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
        ValueError: there is no such set or file, or it has not just these weights as finite numbers.
    """
    return load_set(Weights, FOLDER, choice, LIMITS)
