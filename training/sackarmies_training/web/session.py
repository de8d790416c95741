"""The session of one page: the dialogue, the game that is played, and what is saved."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import ValidationError

from sackarmies_env.core.entries import entry_of, player_name
from sackarmies_env.core.messages import join_faults, quote, suggestion
from sackarmies_env.core.record import GameRecord, replay
from sackarmies_env.core.validation import explain
from sackarmies_env.envs.match import Match
from sackarmies_env.registry import game_of, load_players
from sackarmies_training.analysis import Reports
from sackarmies_training.table.game_table import table_class
from sackarmies_training.table.seats import PERSON, Seats
from sackarmies_training.web import protocol
from sackarmies_training.web.played import InteractiveGame
from sackarmies_training.web.protocol import Message, Request
from sackarmies_training.web.saves import Saves

UNFINISHED = "unfinished"  # name of a game that was left by closing its page; further ones are numbered
PROPOSED = "game"  # name proposed for a game that is saved; likewise


@dataclass(frozen=True)
class Offer:
    """An agent or army that the dialogue offers.

    Attributes:
        text: its text form, as used elsewhere.
        label: its name for people.
        note: a sentence about it, may be empty.
    """

    text: str
    label: str
    note: str = ""


@dataclass(frozen=True)
class Offers:
    """What can be played.

    Attributes:
        game_id: id of the game.
        agents: agents that can be played against.
        armies: armies of the game; may be empty.
        players: players that the dialogue proposes, by seat.
        chosen_armies: armies that it proposes, by seat; the usual ones for seats beyond them.
        seed: seed that it proposes; None for one that nobody knows.
    """

    game_id: str
    agents: tuple[Offer, ...]
    armies: tuple[Offer, ...]
    players: tuple[str, ...]
    chosen_armies: tuple[str, ...] = ()
    seed: int | None = None

    def check_player(self, text: str) -> None:
        """Refuse a player that is not offered: a page names no files and no code.

        Raises:
            ValueError: it is neither PERSON nor one of the agents.
        """
        known = [PERSON, *(offer.text for offer in self.agents)]
        if text not in known:
            raise ValueError(f"unknown player {quote(text)}{suggestion(text, known)}: known are {', '.join(known)}")

    def check_army(self, text: str) -> None:
        """Refuse an army that is not offered.

        Raises:
            ValueError: it is none of the armies.
        """
        known = [offer.text for offer in self.armies]
        if text not in known:
            raise ValueError(f"there is no army {quote(text)}{suggestion(text, known)}")


class Session:
    """The dialogue and the games behind one page.

    Methods must be called from one thread at a time; `interrupt` and `keep` may be called while another one runs.

    Attributes:
        game: the game that is played; None while the dialogue is open.
    """

    def __init__(self, offers: Offers, saves: Saves, draw_seed: Callable[[], int] | None = None) -> None:
        """Begin with the dialogue.

        Args:
            offers: what can be played.
            saves: where games are saved.
            draw_seed: draws seeds for games that are given none; None for unpredictable ones.
        """
        self.offers = offers
        self.saves = saves
        self.game: InteractiveGame | None = None
        self._names: list[str] = []  # names that the game was continued from and saved as
        self._eyes: dict[str, int | None] = {}  # by name of a saved game, those that last watched it
        self._draw_seed = draw_seed or (lambda: secrets.randbelow(protocol.MAX_SEED + 1))

    def opened(self) -> Iterator[Message]:
        """Yield what a page needs that has just been opened or reloaded."""
        if self.game is not None and self.game.is_stopped:
            self.game = None  # an earlier page has left it, and was closed before it was told so
        if self.game is None:
            yield self._lobby()
        else:
            yield {"kind": "page", **self._page()}
            yield from self.game.scene()

    def handle(self, request: Request) -> Iterator[Message]:
        """Carry out a request and yield the messages to the page; a refusal is a single message and changes nothing."""
        try:
            yield from self._answer(request)
        except ValidationError as fault:
            yield protocol.error(join_faults(explain(fault.errors(include_url=False), None, fault.title)))
        except ValueError as fault:
            yield protocol.error(str(fault))
        except OSError as fault:
            yield protocol.error(f"this could not be done: {fault.strerror or fault}")

    def interrupt(self) -> None:
        """Stop before the next decision of an agent; may be called from any thread."""
        if self.game is not None:
            self.game.is_stopped = True

    # --- requests

    def _answer(self, request: Request) -> Iterator[Message]:
        match request:
            case protocol.Start():
                return self._begun(self._new_game(request))
            case protocol.Resume():
                return self._resumed(request)
            case protocol.Leave():
                self.game = None
                return iter([self._lobby()])
        game = self._present_game()
        match request:
            case protocol.Choose(number=number, actions=actions):
                return game.choose(number, actions)
            case protocol.Back(number=number, count=count):
                return game.back(number, count)
            case protocol.Passing(until=until):
                return game.set_passing(until)
            case protocol.Cover():
                return game.cover()
            case protocol.Uncover(seat=seat):
                return game.uncover(seat)
            case protocol.Next():
                return self._watched(game)
            case protocol.Save():
                return iter([self._save(game, request)])
        raise AssertionError(request)

    def _present_game(self) -> InteractiveGame:
        if self.game is None:
            raise ValueError("no game is in progress: start one")
        return self.game

    def _watched(self, game: InteractiveGame) -> Iterator[Message]:
        if not game.is_watched:
            raise ValueError("this game is played, not watched")
        return game.watch()

    def _page(self) -> Message:
        """Return what a page needs at all times, whether a game is played or not."""
        return {
            "title": entry_of(self.offers.game_id).title,
            "advice": table_class(self.offers.game_id).advice,
            "pictured": table_class(self.offers.game_id).has_hexes,
            "free_name": self.saves.free_name(PROPOSED),
        }

    def _lobby(self) -> Message:
        entry = entry_of(self.offers.game_id)
        usual = table_class(self.offers.game_id).usual_armies
        return {
            "kind": "lobby",
            **self._page(),
            "noun": entry.player_noun,
            "counts": list(entry.players or (len(self.offers.players),) * 2),
            "agents": [asdict(offer) for offer in self.offers.agents],
            "armies": [asdict(offer) for offer in self.offers.armies],
            "players": list(self.offers.players),
            "proposed": [*self.offers.chosen_armies, *usual[len(self.offers.chosen_armies) :]],
            "seed": self.offers.seed,
            "saves": self.saves.names(),
        }

    # --- games

    def _new_game(self, request: protocol.Start) -> InteractiveGame:
        """Begin a game.

        Raises:
            ValueError: players, armies or eyes are not possible.
        """
        for player in request.players:
            self.offers.check_player(player)
        for army in request.armies:
            self.offers.check_army(army)
        if request.armies and len(request.armies) != len(request.players):
            raise ValueError(
                f"the number of armies is {len(request.armies)}, but must be {len(request.players)}, one per player"
            )
        _check_eyes(request.eyes, len(request.players))
        options: dict[str, Any] = {"armies": list(request.armies)} if request.armies else {}
        if PERSON in request.players:
            options |= table_class(self.offers.game_id).asks_all
        game = load_players(self.offers.game_id, len(request.players), **options)
        seed = self._draw_seed() if request.seed is None else request.seed
        played = InteractiveGame(game, Seats(game, request.players, seed, Reports()), request.eyes)
        played.begin(seed)
        return played

    def _resumed(self, request: protocol.Resume) -> Iterator[Message]:
        """Continue a saved game; if only agents play it and it is not known whose view to show, ask for that first."""
        record = self.saves.read(request.name)
        players = self._players_of(record)
        eyes: int | str | None = request.eyes
        if PERSON not in players and eyes is None:
            if request.name not in self._eyes:
                names = [player_name(self.offers.game_id, seat) for seat in range(len(players))]
                return iter([{"kind": "eyes", "name": request.name, "names": names}])
            eyes = self._eyes[request.name]
        return self._begun(self._saved_game(record, players, protocol.REFEREE if eyes is None else eyes), request.name)

    def _players_of(self, record: GameRecord) -> list[str]:
        """Return who plays a recorded game, by seat.

        Raises:
            ValueError: it is of another game, or names players that are not offered.
        """
        if record.game != self.offers.game_id:
            raise ValueError(f"the record is of the game {quote(record.game)}, not of {quote(self.offers.game_id)}")
        players = [PERSON if player in (PERSON, "you") else player for player in record.players]
        for player in players:
            self.offers.check_player(player)
        return players

    def _saved_game(self, record: GameRecord, players: Sequence[str], eyes: int | str) -> InteractiveGame:
        """Continue a recorded game.

        Raises:
            ValueError: it does not replay, does not say who plays, or `eyes` is no seat.
        """
        game = game_of(record)
        if len(players) != game.num_players:
            raise ValueError("the record does not say who plays")
        _check_eyes(eyes, game.num_players)
        match = Match(game)
        match.restore(replay(game, record).tobytes(), list(record.actions))
        match.seed, match.forced = record.seed, dict(record.forced)
        seed = record.seed + len(record.actions)
        played = InteractiveGame(game, Seats(game, players, seed, Reports(record.analyses)), eyes)
        played.resume(record, match)
        return played

    def _begun(self, game: InteractiveGame, name: str | None = None) -> Iterator[Message]:
        """Yield a game from its beginning, or from where it was saved under a name."""
        self.game, self._names = game, []
        if name is not None:
            self._own(game, name)
        yield from game.opening()

    def _save(self, game: InteractiveGame, request: protocol.Save) -> Message:
        """Save a game, unless that would overwrite another one unasked; return the message to the page."""
        name = request.name
        if name not in self._names and self.saves.has(name) and not request.overwrite:
            return {"kind": "exists", "name": name}
        self.saves.save(name, game.record())
        self._own(game, name)
        return {"kind": "saved", "name": name, "free_name": self.saves.free_name(PROPOSED)}

    def _own(self, game: InteractiveGame, name: str) -> None:
        """Note that the game is saved under a name."""
        self._names.append(name)
        self._eyes[name] = game.eyes

    def keep(self) -> None:
        """Save a game that is not over, as the session ends.

        It replaces the game that it was continued from, if that was saved here too, and no other game.
        """
        if self.game is None or self.game.is_over or self.game.is_watched:
            return
        own = [name for name in self._names if re.fullmatch(rf"{UNFINISHED}( \d+)?", name)]
        self.saves.save(own[-1] if own else self.saves.free_name(UNFINISHED), self.game.record())


def _check_eyes(eyes: int | str, num_players: int) -> None:
    """Refuse a seat that nobody has.

    Raises:
        ValueError: the seat does not exist.
    """
    if isinstance(eyes, int) and eyes >= num_players:
        raise ValueError(f"eyes is {eyes}: seats run from 0 to {num_players - 1}")
