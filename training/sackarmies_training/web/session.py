"""The session of one page: the dialogue, the game that is played, and what is saved."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sackarmies_env.core.entries import entry_of, find_hook
from sackarmies_env.core.messages import quote, suggestion
from sackarmies_env.core.record import GameRecord, replay
from sackarmies_env.envs.match import Match
from sackarmies_env.registry import game_of, load_players
from sackarmies_training.analysis import Reports
from sackarmies_training.seats import PERSON, Seats
from sackarmies_training.table import table_class
from sackarmies_training.web import protocol
from sackarmies_training.web.played import PlayedGame
from sackarmies_training.web.protocol import Message, Request
from sackarmies_training.web.saves import Saves

UNFINISHED = "unfinished"  # name of a game that was left by closing its page; further ones are numbered


@dataclass(frozen=True)
class Offer:
    """What the dialogue offers.

    Attributes:
        text: as agents and armies are named elsewhere.
        label: for people.
        note: a sentence, may be empty.
    """

    text: str
    label: str
    note: str = ""


@dataclass(frozen=True)
class Offers:
    """What can be played.

    Attributes:
        game_id: which game.
        agents: who can be played against.
        armies: of the game; may be empty.
        players: what the dialogue proposes by seat.
        chosen_armies: likewise; the usual ones for seats beyond them.
        seed: likewise; None for one that nobody knows.
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
            raise ValueError(f"there is no player {quote(text)}{suggestion(text, known)}: {', '.join(known)} can play")

    def check_army(self, text: str) -> None:
        """Refuse an army that is not offered.

        Raises:
            ValueError: it is none of them.
        """
        known = [offer.text for offer in self.armies]
        if text not in known:
            raise ValueError(f"there is no army {quote(text)}{suggestion(text, known)}")


class Session:
    """What one page is about. Methods must be called from one thread at a time.

    Attributes:
        game: what is played; None while the dialogue is open.
    """

    def __init__(self, offers: Offers, saves: Saves, draw_seed: Callable[[], int] | None = None) -> None:
        """Begin with the dialogue.

        Args:
            offers: what can be played.
            saves: where games are saved.
            draw_seed: seeds of games that are given none; None for unpredictable ones.
        """
        self.offers = offers
        self.saves = saves
        self.game: PlayedGame | None = None
        self._saved_as: str | None = None  # the name that the game was continued from
        self._draw_seed = draw_seed or (lambda: secrets.randbelow(protocol.MAX_SEED + 1))

    def opened(self) -> Iterator[Message]:
        """Yield what a page needs that has just been opened, or loaded again."""
        if self.game is not None and self.game.is_stopped:
            self.game = None  # a page before has left it, and was closed before it was told so
        if self.game is None:
            yield self._lobby()
        else:
            yield from self.game.scene()

    def handle(self, request: Request) -> Iterator[Message]:
        """Do what a page says, and yield what it is told; a refusal is the only message, and changes nothing."""
        try:
            yield from self._answer(request)
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
                return self._begun(self._new_game(request), None)
            case protocol.Resume(name=name):
                return self._begun(self._saved_game(self.saves.read(name)), name)
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
            case protocol.Save(name=name):
                self.saves.save(name, game.record())
                return iter([{"kind": "saved", "name": name, "saves": self.saves.names()}])
        raise AssertionError(request)

    def _present_game(self) -> PlayedGame:
        if self.game is None:
            raise ValueError("there is no game: begin one")
        return self.game

    def _watched(self, game: PlayedGame) -> Iterator[Message]:
        if not game.is_watched:
            raise ValueError("this game is played, not watched")
        return game.watch()

    def _lobby(self) -> Message:
        entry = entry_of(self.offers.game_id)
        table = table_class(self.offers.game_id)
        usual = table.usual_armies
        return {
            "kind": "lobby",
            "title": entry.title,
            "noun": entry.player_noun,
            "counts": list(entry.players or (len(self.offers.players),) * 2),
            "agents": [asdict(offer) for offer in self.offers.agents],
            "armies": [asdict(offer) for offer in self.offers.armies],
            "players": list(self.offers.players),
            "proposed": [*self.offers.chosen_armies, *usual[len(self.offers.chosen_armies) :]],
            "seed": self.offers.seed,
            "saves": self.saves.names(),
            "advice": table.advice,
            "pictured": find_hook(self.offers.game_id, "picture") is not None,
        }

    # --- games

    def _new_game(self, request: protocol.Start) -> PlayedGame:
        """Begin a game.

        Raises:
            ValueError: players, armies or eyes that are not possible.
        """
        for player in request.players:
            self.offers.check_player(player)
        for army in request.armies:
            self.offers.check_army(army)
        if request.armies and len(request.armies) != len(request.players):
            raise ValueError(f"{len(request.players)} players and {len(request.armies)} armies are given: one for each")
        if isinstance(request.eyes, int) and request.eyes >= len(request.players):
            raise ValueError(f"eyes is {request.eyes}: seats run from 0 to {len(request.players) - 1}")
        options: dict[str, Any] = {"armies": list(request.armies)} if request.armies else {}
        if PERSON in request.players:
            options |= table_class(self.offers.game_id).asks_all
        game = load_players(self.offers.game_id, len(request.players), **options)
        seed = self._draw_seed() if request.seed is None else request.seed
        played = PlayedGame(game, Seats(game, request.players, seed, Reports()), request.eyes)
        played.begin(seed)
        return played

    def _saved_game(self, record: GameRecord) -> PlayedGame:
        """Continue a recorded game.

        Raises:
            ValueError: it is of another game, does not replay, or names players that are not offered.
        """
        if record.game != self.offers.game_id:
            raise ValueError(f"the record is of the game {quote(record.game)}, not of {quote(self.offers.game_id)}")
        game = game_of(record)
        players = [PERSON if player in (PERSON, "you") else player for player in record.players]
        if len(players) != game.num_players:
            raise ValueError("the record does not say who plays")
        for player in players:
            self.offers.check_player(player)
        match = Match(game)
        match.restore(replay(game, record).tobytes(), list(record.actions))
        match.seed, match.forced = record.seed, dict(record.forced)
        seed = record.seed + len(record.actions)
        played = PlayedGame(game, Seats(game, players, seed, Reports(record.analyses)))
        played.resume(record, match)
        return played

    def _begun(self, game: PlayedGame, saved_as: str | None) -> Iterator[Message]:
        """Yield a game from its beginning, or from where it was saved under a name."""
        self.game, self._saved_as = game, saved_as
        yield from game.opening()

    def keep(self) -> None:
        """Save a game that is not over, as the session ends.

        It takes the place of what it was continued from, if that was saved here too, and of no other game.
        """
        if self.game is None or self.game.is_over or self.game.is_watched:
            return
        if self._saved_as is not None and re.fullmatch(rf"{UNFINISHED}( \d+)?", self._saved_as):
            name = self._saved_as
        else:
            name = self.saves.free_name(UNFINISHED)
        self.saves.save(name, self.game.record())
