"""Weights of the greedy General, in points; a plain soldier is worth about ten."""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    # tokens
    "body": 3.0,  # a unit of any kind
    "rank": 7.0,  # each rank of a unit
    "guessed_rank": 1.6,  # of a unit that is face down
    "scarce": 8.0,  # a General with fewer tokens left than this values each of them more
    "attached": 2.0,  # each spell or maneuver under a unit
    # battlefields
    "take": 14.0,  # from the General who put it down, while they keep all five
    "take_more": 4.0,  # more for each that they have lost
    "win": 2000.0,  # their last one
    "regain": 14.0,  # one's own
    "third": 4.0,  # any other that somebody else controls
    "guard": 8.0,  # stay on one's own that an enemy could enter
    "keep": 5.0,  # stay on an enemy's that they could enter again
    "alarm": 300.0,  # what saves the last battlefields
    # ground
    "pull": 0.35,  # nearness to what is wanted
    "decay": 0.75,  # of this, a hex
    "hunt": 0.4,  # enemy units as goals, as a share of their value
    "prospect": 0.5,  # the best attack that a place offers next turn
    "danger": 0.6,  # the best attack that enemies have on a place
    "site_far": -1.0,  # a battlefield of one's own, a hex farther from enemies
    "site_close": 0.3,  # the same, beside another of one's own
    # actions
    "draw": 12.0,  # three tokens into an empty hand
    "enough": 0.06,  # less of this, a unit on the board
    "deploy": 0.45,  # a unit put down, as a share of its value
    "field": 10.0,  # a battlefield put down
    "attach": 4.0,  # a spell or maneuver put down
    "dismiss": 0.45,  # an enemy back in its sack, as a share of its value
    "raise": 7.0,  # a casualty back in play, flip included
    "strip": 5.0,  # an enemy spell or maneuver destroyed
    "uncover": 0.7,  # each enemy unit revealed
    "spend": 3.0,  # a spell or maneuver used up
    "reveal": 0.7,  # an own unit turned face up
    "employ": 0.4,  # each attacker barred by a failed check
}
