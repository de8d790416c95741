"""Pictures and replays as plain data for programs that draw them elsewhere: in a browser, the modules in `web/`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import Any

from sackarmies_env.core.entries import find_entry, player_name, player_noun
from sackarmies_env.core.game import Game, Records, forfeit_code
from sackarmies_env.core.messages import printable, shorten
from sackarmies_env.core.record import GameRecord, ply_text, replay
from sackarmies_env.render import theme
from sackarmies_env.render.analyses import analysis_data
from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.log import LogLine, log_lines
from sackarmies_env.render.moments import Moments
from sackarmies_env.render.picture import Drawable, HexBoard, find_picture
from sackarmies_env.render.plain import COLUMNS, observation_lines
from sackarmies_env.render.svg import element

SCALARS = (int, str, float, NoneType)
LIST = 0  # shape of a list in a table; the shapes of dicts start at 1


def picture_data(picture: Drawable) -> dict[str, Any]:
    """Return a picture as JSON data, from which pages draw it.

    A board of hexes is told by its fields, by name, with tuples as lists: the modules in `web/` draw it. Any other is
    told as it draws itself: as SVG elements in the colors of pages, and the same as text.
    """
    if isinstance(picture, HexBoard):
        data: dict[str, Any] = plain(picture)
        return data
    return {
        "title": picture.title,
        "viewer": picture.viewer,
        "turn": picture.turn,
        "headline": picture.headline(),
        "elements": [element(shape) for shape in picture.scene(theme.ON_PAGE)],
        "words": picture.lines(Canvas(False, COLUMNS)),
    }


def plain(value: Any) -> Any:
    """Return dataclasses as dicts and tuples as lists, at any depth; scalars are returned unchanged."""
    if isinstance(value, SCALARS):  # most are: a replay has millions of them
        return value
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return [plain(item) for item in value]


def frame_of(game: Game, states: Records, viewer: int | None) -> dict[str, Any]:
    """Return what `viewer` may see of `states[0]` as JSON data: a picture, or `lines` of text if there is none."""
    picture = find_picture(game, states, viewer)
    if picture is not None:
        return picture_data(picture)
    entry = find_entry(game.id)
    return {
        "title": game.id if entry is None else entry.title,
        "viewer": viewer,
        "turn": int(states["turn"][0]),
        "lines": observation_lines(game, states, viewer, COLUMNS),
    }


# --- one position


def position_data(game: Game, states: Records, viewer: int | None) -> dict[str, Any]:
    """Return the data of a page with one position for `viewer`: one frame, with the latest public events as its log."""
    frame = frame_of(game, states, viewer)
    log = [{"ply": 0, "kind": "", "text": text, "at": None} for text in reversed(frame.get("log", ()))]
    view = {"viewer": viewer, "frames": [frame], "choices": [""], "log": log, "analyses": []}
    return {"title": frame["title"], "noun": player_noun(game.id), "players": [], "views": [view]}


# --- a recorded game


def replay_data(game: Game, record: GameRecord, viewers: Sequence[int | None]) -> dict[str, Any]:
    """Return a recorded game frame by frame, as each of `viewers` saw it, with a log for each.

    Unless the referee is among them, a frame is added only at moments that all players know of and at decisions of the
    viewers, and only if one of them sees or learns something new. So the number of decisions that others made stays
    hidden. What an agent reported about a decision is shown to the referee and to the player who made it.

    Args:
        game: built from `record.config`.
        record: the game.
        viewers: seats, or None for the referee.

    Raises:
        ValueError: the record does not replay, an analysis in it does not fit the game, or a viewer is not a seat.
    """
    analyses = {analysis.ply: analysis for analysis in record.analyses}
    seen, moments = _Replay(game, viewers), Moments(game, viewers)
    states = game.new_states(1)
    game.start(states, record.seed, record.forced)
    seen.tell(log_lines(game, None, 0, states, viewers), [""] * len(viewers))
    seen.show(states)

    def listen(ply: int, before: Records, action: int, after: Records) -> None:
        player, text = int(before["current_player"][0]), ply_text(game, before, action)
        choices = [text if viewer in {None, player} else "" for viewer in viewers]
        if ply in analyses:
            seen.add_analysis(player, analysis_data(game, before, analyses[ply], action))
        for moment in moments.of_ply(before, action, after):
            lines = log_lines(game, moment.before, moment.action, moment.after, viewers)
            seen.tell(lines, choices if moment.is_chosen else [""] * len(viewers))
            if moment.is_shown:
                seen.show(moment.after)

    seen.show(replay(game, record, listen))  # a game that was left may end where no moment is
    for forfeit in record.forfeits:
        player = player_name(game.id, forfeit_code(record.actions[forfeit.ply]))
        seen.add_reason(forfeit.ply + 1, f"{player} lost by forfeit: the agent {forfeit.reason}")
    entry = find_entry(game.id)
    title = game.id if entry is None else entry.title
    players = [shorten(printable(name)) for name in record.players]
    return {"title": title, "noun": player_noun(game.id), "players": players, "views": seen.views}


class _Replay:
    """Frames and logs of a replay, built up ply by ply."""

    def __init__(self, game: Game, viewers: Sequence[int | None]) -> None:
        self.game = game
        self.views: list[dict[str, Any]] = [
            {"viewer": viewer, "frames": [], "choices": [], "log": [], "analyses": []} for viewer in viewers
        ]
        self._choices = [""] * len(viewers)  # that lead to the next frame
        self._is_told = False  # whether anything is told with the next frame

    def tell(self, lines: Sequence[Sequence[LogLine]], choices: Sequence[str]) -> None:
        """Note, for each view, log lines and the choice that lead to the next frame."""
        self._is_told |= any(lines) or any(choices) or any(view["viewer"] is None for view in self.views)
        self._choices = [old or new for old, new in zip(self._choices, choices, strict=True)]
        for view, told in zip(self.views, lines, strict=True):
            view["log"] += [{"ply": len(view["frames"]), **plain(line)} for line in told]

    def show(self, states: Records) -> None:
        """Add a frame if it shows anything new, or anything was told; every ply is told to the referee."""
        frames = [frame_of(self.game, states, view["viewer"]) for view in self.views]
        for frame in frames:
            if "log" in frame:
                frame["log"] = []  # the replay has the whole log
        if not self._is_told and [view["frames"][-1:] for view in self.views] == [[frame] for frame in frames]:
            return
        for view, frame, choice in zip(self.views, frames, self._choices, strict=True):
            view["frames"].append(frame)
            view["choices"].append(choice)
        self._choices, self._is_told = [""] * len(self.views), False

    def add_analysis(self, player: int, data: dict[str, Any]) -> None:
        """Add the report on a player's decision in the latest frame, for the viewers who may know it."""
        for view in self.views:
            if view["viewer"] in {None, player}:
                view["analyses"].append({"ply": len(view["frames"]) - 1, **data})

    def add_reason(self, ply: int, text: str) -> None:
        """Tell the referee why a player forfeited."""
        for view in self.views:
            if view["viewer"] is None:
                place = sum(line["ply"] <= ply for line in view["log"])
                view["log"].insert(place, {"ply": ply, "kind": "", "text": text, "at": None})


# --- compact form


def pack(data: Any) -> dict[str, Any]:
    """Return JSON data as a table that holds equal parts only once; `unpack` in web/frames.js restores the data.

    A part is a scalar, or a list of a shape and the numbers of its own parts, which come before it. The last part is
    the whole. Shape 0 is a list; the other shapes are dicts, whose keys are in `shapes`.
    """
    numbers: dict[Any, int] = {}
    parts: list[Any] = []
    shapes: dict[tuple[str, ...], int] = {}

    def number_of(key: Any, part: Any) -> int:
        if key not in numbers:
            numbers[key] = len(parts)
            parts.append(part)
        return numbers[key]

    def add(value: Any) -> int:
        if isinstance(value, dict):
            shape = shapes.setdefault(tuple(value), len(shapes) + 1)
            part = (shape, *map(add, value.values()))
        elif isinstance(value, list):
            part = (LIST, *map(add, value))
        else:
            return number_of((type(value), value), value)
        return number_of(part, list(part))

    add(data)
    return {"shapes": [list(keys) for keys in shapes], "parts": parts}


def all_viewers(game: Game) -> list[int | None]:
    """Return the referee and all seats."""
    return [None, *range(game.num_players)]
