"""Recorded games in words: narrated by the game's own narrator, or as the texts of their actions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sackarmies_env.core.entries import find_hook, player_name
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.messages import printable, shorten
from sackarmies_env.core.record import GameRecord, ply_text, replay


def narrate(game: Game, record: GameRecord) -> Iterator[str]:
    """Yield a recorded game, line by line.

    Args:
        game: built from `record.config`.
        record: the game.

    Raises:
        ValueError: the record does not replay.
    """
    narrate_game = find_hook(game.id, "narrate")
    yield from (narrate_game or _plain_lines)(game, record)


def _plain_lines(game: Game, record: GameRecord) -> Iterator[str]:
    name, lines = partial(player_name, game.id), list[str]()

    def listen(ply: int, before: Records, action: int, after: Records) -> None:
        text = ply_text(game, before, action)
        lines.append(f"{name(int(before['current_player'][0]))}: {text}" if action >= 0 else text)

    replay(game, record, listen)
    if record.players:
        yield "; ".join(f"{name(seat)}: {shorten(printable(player))}" for seat, player in enumerate(record.players))
    yield from lines
