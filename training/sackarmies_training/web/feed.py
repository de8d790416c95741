"""What one viewer sees of a game as it goes on: views and lines of the log, both made from pictures of it alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from sackarmies_env.core.game import Records
from sackarmies_env.render.board import OVER, Picture
from sackarmies_env.render.frames import picture_data
from sackarmies_env.render.picture import find_picture
from sackarmies_training.table import GameTable

View = dict[str, Any]  # a picture as plain data


class Feed:
    """The steps of a game as one viewer sees them.

    Steps and lines are functions of the pictures that `see` is called with, and of nothing else. Repetitions add
    nothing.

    Attributes:
        viewer: a seat; None for the referee.
        view: what the viewer sees now.
        log: all lines so far, oldest first.
    """

    def __init__(self, rules: GameTable, viewer: int | None) -> None:
        self.viewer = viewer
        self.view: View = {}
        self.log: list[str] = []
        self._rules = rules
        self._picture: Picture | None = None
        self._steps: list[dict[str, Any]] = []  # that have not been shown yet
        self._shown: tuple[View, int] = ({}, 0)  # the view, and lines of the log, before them

    def see(self, states: Records, *, is_quiet: bool = False) -> bool:
        """Look at the game; return whether something has changed.

        Args:
            states: `(1,)`.
            is_quiet: this is no step of the game, as where a choice is taken back: only the view changes.
        """
        picture = self.picture(states)
        if self._picture is not None and picture == self._picture:
            return False
        lines = [] if is_quiet else news(self._picture, picture)
        self._picture, self.view = picture, view_of(picture)
        self.log += lines
        if is_quiet:
            self.take()
        else:
            self._steps.append({"view": self.view, "lines": lines})
        return True

    def picture(self, states: Records) -> Picture:
        """Return what the viewer may know at any time, no matter who is asked something: that may be hidden."""
        picture = find_picture(self._rules.game, states, self.viewer)
        if picture is None:
            raise ValueError(f"the game {self._rules.game.id!r} has no picture")
        return replace(picture, asked="", current=OVER, choices=(), chosen=())

    def chosen(self, states: Records) -> list[list[int]]:
        """Return the hexes that the viewer has chosen for the choice they are making."""
        picture = find_picture(self._rules.game, states, self.viewer)
        return [] if picture is None else [list(at) for at in picture.chosen]

    @property
    def turn(self) -> int:
        """The turn of the latest view."""
        return 0 if self._picture is None else self._picture.turn

    @property
    def has_steps(self) -> bool:
        """Whether there are steps that have not been shown."""
        return bool(self._steps)

    def take(self) -> list[dict[str, Any]]:
        """Return the steps that have not been shown: each a `view` and the `lines` that led to it."""
        steps, self._steps = self._steps, []
        self._shown = (self.view, len(self.log))
        return steps

    def scene(self) -> dict[str, Any]:
        """Return what was shown last: `view` and `log`. It stands for all steps that were shown before."""
        view, lines = self._shown
        return {"view": view, "log": self.log[:lines]}


def view_of(picture: Picture) -> View:
    """Return a picture as plain data, without its log, which comes as lines."""
    return picture_data(replace(picture, log=()))


def news(before: Picture | None, after: Picture) -> list[str]:
    """Return what has happened between two pictures of a viewer, oldest first."""
    if before is None:
        return list(reversed(after.log))
    old, new = before.log, after.log
    shift = next(shift for shift in range(len(new) + 1) if new[shift:] == old[: len(new) - shift])
    lines = list(reversed(new[:shift]))
    if gained := gain(before, after):
        lines.append(f"Into your hand: {', '.join(gained)}")
    return lines


def gain(before: Picture, after: Picture) -> list[str]:
    """Return the names of what has come into the viewer's own hand."""
    if after.viewer is None:
        return []
    hands = [Counter(dict(picture.seats[after.viewer].hand or ())) for picture in (before, after)]
    return sorted((hands[1] - hands[0]).elements())
