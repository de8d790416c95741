"""What one viewer sees of a game as it goes on: views and log lines, both made only from what the viewer observes."""

from __future__ import annotations

from typing import Any

from sackarmies_env.core.entries import entry_of
from sackarmies_env.core.game import Game, Records
from sackarmies_env.render.frames import picture_data
from sackarmies_env.render.log import news
from sackarmies_env.render.picture import Drawable, HexBoard, find_picture
from sackarmies_env.render.plain import seen_lines

TEXT_COLUMNS = 90  # of a game without a picture, beside the choices
View = dict[str, Any]  # a picture as plain data, or what is observed as lines of text


class Feed:
    """The steps of a game as one viewer sees them.

    Steps and lines depend only on what the viewer observes of the states that `see` is called with. Repetitions add
    nothing.

    Attributes:
        viewer: a seat; None for the referee.
        view: what the viewer sees now.
        log: all lines so far, oldest first.
    """

    def __init__(self, game: Game, viewer: int | None) -> None:
        self.viewer = viewer
        self.view: View = {}
        self.log: list[str] = []
        self._game = game
        self._seen: Drawable | None = None
        self._steps: list[dict[str, Any]] = []  # that have not been shown yet
        self._shown: tuple[View, int] = ({}, 0)  # the view, and lines of the log, before them

    def see(self, states: Records, *, is_quiet: bool = False) -> bool:
        """Look at the game; return whether something has changed.

        Args:
            states: `(1,)`.
            is_quiet: whether this is no step of the game, as when a choice is taken back: then only the view changes.
        """
        seen = self.picture(states)
        view = self._view_of(states, seen)
        if (seen, view) == (self._seen, self.view):
            return False
        lines = [] if is_quiet else news(self._seen, seen)
        self._seen, self.view = seen, view
        self.log += lines
        if is_quiet:
            self.take()
        else:
            self._steps.append({"view": self.view, "lines": lines})
        return True

    def picture(self, states: Records) -> Drawable | None:
        """Return the picture of what the viewer may know at any time: not of who is asked what, which may be hidden.

        None if the game has no picture.
        """
        picture = find_picture(self._game, states, self.viewer)
        return None if picture is None else picture.unasked()

    def _view_of(self, states: Records, seen: Drawable | None) -> View:
        """Return a picture as plain data; without one, only what the viewer observes of the state, as lines."""
        if seen is not None:
            return view_of(seen)
        lines = seen_lines(self._game, states, self.viewer, TEXT_COLUMNS)
        return {"title": entry_of(self._game.id).title, "viewer": self.viewer, "lines": lines}

    def chosen(self, states: Records) -> list[list[int]]:
        """Return the hexes that the viewer has chosen for the choice they are making."""
        picture = find_picture(self._game, states, self.viewer)
        return [list(at) for at in picture.chosen] if isinstance(picture, HexBoard) else []

    @property
    def turn(self) -> int:
        """The turn of the latest view; 0 if it shows none."""
        return int(self.view.get("turn", 0))

    @property
    def has_steps(self) -> bool:
        """Whether there are steps that have not been shown."""
        return bool(self._steps)

    def take(self) -> list[dict[str, Any]]:
        """Return the steps not shown yet, which now count as shown: each a `view` and the `lines` that led to it."""
        steps, self._steps = self._steps, []
        self._shown = (self.view, len(self.log))
        return steps

    def scene(self) -> dict[str, Any]:
        """Return what was shown last, as `view` and `log`: it stands for all steps shown before."""
        view, lines = self._shown
        return {"view": view, "log": self.log[:lines]}


def view_of(picture: Drawable) -> View:
    """Return a picture as plain data, without its log, which comes as lines."""
    data = picture_data(picture)
    return data | {"log": []} if "log" in data else data
