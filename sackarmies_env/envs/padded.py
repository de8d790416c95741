"""Padding: observations, masks and actions of one game in a larger layout, which games of other sizes share.

Parts are matched by name alone: blocks and features of observations, segments and texts of actions. What the game does
not have is empty, and never legal. Padding depends only on the vector, the mask or the action.
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.actions import ActionSpace, Segment
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.observation import Block, ObservationSpec

NO_ACTION = -1  # for an action that the game does not have
Columns = slice | NDArray[np.int64]


class Padding:
    """A game in a larger layout.

    Rows of a block keep their positions; planes are centered in larger ones. Actions are matched by their texts. If the
    layout lacks a text of a segment, the actions of that segment are matched by position.

    Args:
        game: the game to pad.
        spec: the layout of observations; it must have all blocks and features of the game's.
        actions: the layout of actions; it must have all segments of the game's.

    Attributes:
        spec: as given.
        num_actions: size of the larger action space.

    Raises:
        ValueError: the layout has no room for a part of the game.
    """

    def __init__(self, game: Game, spec: ObservationSpec, actions: ActionSpace) -> None:
        self.spec = spec
        self.num_actions = actions.num_actions
        self._own_spec = game.observation_spec
        self._parts = {block.name: _part(block, spec.block(block.name)) for block in game.observation_spec.blocks}
        self._empty = np.clip(0, spec.low, spec.high)
        self._places = _places(game.actions, actions)
        self._own = np.full(self.num_actions, NO_ACTION, np.int64)
        self._own[self._places] = np.arange(game.num_actions)

    def observe(self, vectors: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return vectors `(..., size of the game)`, padded to new ones `(..., spec.size)`."""
        padded = np.empty((*vectors.shape[:-1], self.spec.size), np.int8)
        padded[...] = self._empty
        for block, (rows, columns) in self._parts.items():
            self.spec.view(padded, block)[..., rows, columns] = self._own_spec.view(vectors, block)
        return padded

    def mask(self, masks: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return masks `(..., num_actions of the game)`, padded to new ones `(..., num_actions)`."""
        padded = np.zeros((*masks.shape[:-1], self.num_actions), np.int8)
        padded[..., self._places] = masks
        return padded

    def own_action(self, action: Any) -> Any:
        """Return the game's id for a padded one, NO_ACTION (-1) if it has none; a non-integer is returned unchanged."""
        try:
            number = index(action)
        except TypeError:
            return action
        return int(self._own[number]) if 0 <= number < self.num_actions else NO_ACTION

    def own_actions(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the game's ids `(n,)` for padded ones, NO_ACTION (-1) where it has none."""
        is_id = (actions >= 0) & (actions < self.num_actions)
        return np.where(is_id, self._own[np.where(is_id, actions, 0)], NO_ACTION)

    def action(self, own: int) -> int:
        """Return the padded id for one of the game's ids."""
        return int(self._places[own])


def make_padding(game: Game, **sizes: Any) -> Padding | None:
    """Return a game padded to some sizes; None if all sizes are None.

    Args:
        game: the game to pad.
        sizes: keywords of the game's hook `padded`; None keeps a size as the game has it.

    Raises:
        ValueError: the game cannot be padded, or does not fit.
    """
    if all(size is None for size in sizes.values()):
        return None
    padded = find_hook(game.id, "padded")
    if padded is None:
        raise ValueError(f"{', '.join(sizes)}: observations and actions of the game {game.id!r} cannot be padded")
    return Padding(game, *padded(game, **sizes))


def _part(block: Block, larger: Block) -> tuple[slice, Columns]:
    """Return the rows and columns of a larger block that a block takes up."""
    spare = larger.rows - block.rows
    if spare < 0:
        raise ValueError(f"block {block.name!r} has {block.rows} rows, but the padding has room for {larger.rows}")
    first = spare // 2 if block.is_plane else 0
    columns = np.array([larger.column(feature.name) for feature in block.features])
    for feature, column in zip(block.features, columns.tolist(), strict=True):
        room = larger.features[column]
        if feature.low < room.low or feature.high > room.high:
            raise ValueError(
                f"feature {feature.name!r} of block {block.name!r} has the range {feature.low} to {feature.high}: "
                f"the padding allows {room.low} to {room.high}"
            )
    is_run = bool((np.diff(columns) == 1).all())
    return slice(first, first + block.rows), slice(columns[0], columns[-1] + 1) if is_run else columns


def _places(own: ActionSpace, larger: ActionSpace) -> NDArray[np.int64]:
    """Return the padded id of each action of a game."""
    segments = {segment.name: segment for segment in larger.segments}
    places: list[int] = []
    for segment in own.segments:
        if segment.name not in segments:
            known = ", ".join(segments)
            raise ValueError(f"the padding has no action segment {short_repr(segment.name)}: it has {known}")
        start = larger.start(segment.name)
        places += [start + place for place in _within(segment, segments[segment.name])]
    return np.array(places, np.int64)


def _within(segment: Segment, larger: Segment) -> list[int]:
    """Return the position in a larger segment of each action of a segment."""
    places = {text: place for place, text in enumerate(larger.texts)}
    if all(text in places for text in segment.texts):
        return [places[text] for text in segment.texts]
    if len(segment.texts) > len(larger.texts):
        raise ValueError(
            f"the action segment {short_repr(segment.name)} has {len(segment.texts)} actions, but the padding has room "
            f"for {len(larger.texts)}"
        )
    return list(range(len(segment.texts)))
