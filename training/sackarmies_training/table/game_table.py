"""What a game says to people who play it: single steps, choices in words, and which reactions they may pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sackarmies_env.core.entries import find_hook, player_name
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.state import NO_PLAYER, copy_records
from sackarmies_env.envs.match import Match

Choice = dict[str, Any]  # as sent to a page, see `GameTable.choices`


@dataclass(frozen=True, eq=False)
class Step:
    """A state on the way from one decision to the next.

    Attributes:
        states: `(1,)`, after the action; must not be kept, since the next step may overwrite it.
        player: the player who took the action.
        action: what led to the state: the choice itself, or a forced one that was taken silently.
    """

    states: Records
    player: int
    action: int


class GameTable:
    """What any game can say; a game says more with its own subclass, through the hook `table`.

    What a method takes as `known` is a state that depends only on what the player knows, so nothing hidden can be in
    what is made from it.

    Attributes:
        game: the game that is played.
        asks_all: options for games that people play, in which a forced choice is a decision like any other. People can
            then be asked all the same, see `is_final`, and what several people on one device are asked does not reveal
            who has a choice.
        usual_armies: armies by seat, if the game has armies.
        has_hexes: whether people choose on a board of hexes, `render.picture.HexBoard`, whose signs pages then explain.
        ending: field of the state that holds the kind of victory, as a code; "" if the game has none.
        advice: the game in a few sentences, for people who do not know it; the game's hook `legend` says how to read
            its board in the terminal.
    """

    asks_all: ClassVar[Mapping[str, Any]] = {}
    usual_armies: ClassVar[Sequence[str]] = ()
    has_hexes: ClassVar[bool] = False
    ending: ClassVar[str] = ""
    advice: ClassVar[str] = ""

    def __init__(self, game: Game) -> None:
        self.game = game

    def steps(self, before: Records, action: int, after: Records) -> Iterator[Step]:
        """Yield the states that follow an action one by one; the last one is `after`.

        A forced choice that is taken silently is a step like any other.

        Args:
            before: `(1,)`, at a decision.
            action: id, or the code of a forfeit.
            after: `(1,)`, at the next decision that is asked.
        """
        yield Step(after, int(before["current_player"][0]), action)

    def is_public(self, states: Records) -> bool:
        """Return whether all players know that the game stops here: the position is then a step of their replays.

        Others must not learn from the number of steps that a player had a choice, so the game must stop here in every
        game that looks the same to them.
        """
        return int(states["current_player"][0]) == NO_PLAYER

    def is_final(self, states: Records) -> bool:
        """Return whether the current player is asked even about a forced choice, as it ends what can be taken back.

        Must depend only on what the player knows.
        """
        return False

    def active(self, states: Records) -> int:
        """Return whose turn it is, which all players know; NO_PLAYER if the game has no turns."""
        return NO_PLAYER

    def choices(self, known: Records, picture: Any, legal: list[int]) -> list[Choice]:
        """Return the legal choices of the current player.

        Args:
            known: `(1,)`, the decision.
            picture: what the player sees; None if the game has no picture.
            legal: ids, ascending.

        Returns:
            For each: `id`; `text` as in records; `label` for people; `part`, what it names: "verb", "type", "slot" or
            "hex"; `hex` as [q, r] if it is a hex; `note`, what it leads to; `next`, the choices that can follow it, by
            `id`, `part`, `label` and `hex`; `final`, whether one of these can no longer be taken back; `odds`, see
            `sack_armies.preview`. The last four may be missing.
        """
        texts = ((action, self.game.format_action(known, action)) for action in legal)
        return [{"id": action, "text": text, "label": text, "part": "verb"} for action, text in texts]

    def question(self, known: Records, legal: list[int]) -> str:
        """Return what the current player is asked."""
        return self.game.describe_decision(known)

    def about(self, known: Records, picture: Any) -> str:
        """Return what the decision is about, in sentences; "" if there is nothing to say."""
        return ""

    def pass_of(self, known: Records, legal: list[int]) -> int | None:
        """Return the id that passes if the player is asked for a reaction, else None."""
        return None

    def is_attacked(self, picture: Any, seat: int) -> bool:
        """Return whether what has been announced targets something of a player."""
        return False

    def warm_up(self, states: Records) -> None:
        """Compile the kernels that are called so rarely that a game or two may not need them."""

    def glossary(self) -> list[dict[str, Any]]:
        """Return what the pieces of the game do, for people; this is public.

        For each: `name`, `kind`, `text`, and `abilities`, sentences that explain what the text only names.
        """
        return []


def known_states(match: Match) -> Records:
    """Return a state that depends only on what the current player knows, `(1,)`; what it samples must not be shown."""
    known = match.game.new_states(1)
    copy_records(match.states, known)
    match.game.determinize(match.game.params, known, np.array([match.player]), np.zeros(1, np.int64))
    return known


def winners_of(match: Match) -> list[int]:
    """Return the seats that earned the most in a game that is over."""
    best = max(match.returns)
    return [seat for seat, earned in enumerate(match.returns) if earned == best]


def ending_words(match: Match) -> str:
    """Return how a game ended."""
    winners = winners_of(match)
    return f"{player_name(match.game.id, winners[0])} wins" if len(winners) == 1 else "The game is drawn"


def table_class(game_id: str) -> type[GameTable]:
    """Return the class for a game at a table: its hook `table`, or else `GameTable`."""
    table: type[GameTable] | None = find_hook(game_id, "table")
    return GameTable if table is None else table


def table_of(game: Game) -> GameTable:
    """Return the table of a game in one configuration."""
    return table_class(game.id)(game)
