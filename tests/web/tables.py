"""Browser games without a browser: sessions, players who click at random, and twin worlds."""

from __future__ import annotations

import copy
import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sackarmies_agents.agent import Report
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.core.game import Game
from sackarmies_env.core.record import Belief
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb
from sackarmies_training.analysis import Reports
from sackarmies_training.table.seats import PERSON, Seats
from sackarmies_training.web.played import InteractiveGame
from sackarmies_training.web.protocol import Message, Request, read_request, write
from sackarmies_training.web.saves import Saves
from sackarmies_training.web.session import Offer, Offers, Session
from tests.sack_armies.builders.twin_worlds import States, observe, other_world, plain

AGENTS = (Offer("greedy", "Greedy"), Offer("random", "Random"))
ARMIES = (Offer("undead", "Undead"), Offer("mongrels", "Mongrels"), Offer("scourge", "Scourge"))
CHANCE = ("flip_key", "flip_count", "draw_key", "draw_count", "script_flips_used", "script_draws_used")


def make_session(folder: Path, game_id: str = "sack_armies", **changes: Any) -> Session:
    """Return a session in which no game has begun."""
    given = {"agents": AGENTS, "armies": ARMIES, "players": (PERSON, "greedy")} | changes
    return Session(Offers(game_id, **given), Saves(folder), draw_seed=lambda: 11)


def say(session: Session, **message: Any) -> list[Message]:
    """Send a message as a page, and return the replies."""
    return list(session.handle(request(**message)))


def request(**message: Any) -> Request:
    """Return a message of a page as the server reads it."""
    return read_request(write(message))


def start(session: Session, *players: str, seed: int = 1, **more: Any) -> list[Message]:
    """Begin a game, and return the replies."""
    return say(session, kind="start", players=list(players), seed=seed, **more)


def latest(messages: Iterable[Message], kind: str) -> Message:
    """Return the last message of a kind."""
    return [message for message in messages if message["kind"] == kind][-1]


def kinds(messages: Iterable[Message]) -> list[str]:
    """Return the kinds of messages."""
    return [message["kind"] for message in messages]


def answer(last: Message, rng: random.Random, back: float = 0.1) -> dict[str, Any]:
    """Return the next message of a person who does anything possible, and takes choices back with chance `back`."""
    match last["kind"]:
        case "ask":
            if last["crumbs"] and rng.random() < back:
                return {"kind": "back", "number": last["number"], "count": rng.randint(1, len(last["crumbs"]))}
            choice = rng.choice(last["choices"])
            more = [rng.choice(choice["next"])["id"]] if choice.get("next") and rng.random() < 0.6 else []
            return {"kind": "choose", "number": last["number"], "actions": [choice["id"], *more]}
        case "handover":
            return {"kind": "cover"}
        case "curtain":
            return {"kind": "uncover", "seat": last["seat"]}
    return {"kind": "next"}


def play_out(session: Session, messages: list[Message], seed: int, most: int = 5000) -> list[Message]:
    """Play a game to its end, and return all messages to the page; a refusal fails the test."""
    rng, told = random.Random(seed), list(messages)
    for _ in range(most):
        if told[-1]["kind"] == "end":
            return told
        messages = say(session, **answer(told[-1], rng))
        assert messages, told[-1]
        assert "error" not in kinds(messages), messages[-1]
        told += messages
    raise AssertionError("the game does not end")


# --- twin worlds


class Betrayer(RandomAgent):
    """Agent that leaks a secret: what it reports, or that it fails, depends on the secret."""

    def __init__(self, secret: bytes) -> None:
        super().__init__()
        self._secret = hashlib.sha256(secret).hexdigest()

    def report(self) -> list[Report]:
        """Report the secret in many ways, including by the length of the report."""
        number = int(self._secret[:2], 16)
        if number == 255:
            raise RuntimeError(self._secret)
        beliefs = (Belief(subject=self._secret, contents={self._secret: 1.0}),) * (number % 5)
        return [Report(value=number / 256, beliefs=beliefs)]


class Puppets(Seats):
    """Opponents who make the same choices in twin worlds of `viewer`, where they can, and report what differs."""

    def __init__(self, game: Game, viewer: int) -> None:
        names = [PERSON if seat == viewer else "random" for seat in range(game.num_players)]
        super().__init__(game, names, 0, Reports())
        self.viewer = viewer

    def decide(self, match: Any) -> int:
        """Choose an action, and report everything that is hidden."""
        action = self._pick(match)
        self.reports.take(Betrayer(match.states.tobytes()), "random", match, action)
        return action

    def _pick(self, match: Any) -> int:
        """Return the legal action with the lowest hash of it and the viewer's view; draws and reactions are rarer."""
        seen = (
            observe(match.game, match.states, self.viewer).tobytes()
            + match.game.describe_decision(match.states).encode()
        )

        def rank(action: int) -> tuple[bool, bytes]:
            digest = hashlib.sha256(seen + match.game.format_action(match.states, action).encode()).digest()
            is_dull = action == Verb.DRAW or (action != Verb.PASS and self._asks(match, Decision.WINDOW))
            return is_dull and digest[0] > 60, digest

        return min(match.legal_actions(), key=rank)

    def _asks(self, match: Any, decision: Decision) -> bool:
        return int(plain(match.states)["decision"]) == decision


class Company(Puppets):
    """People who share a device; those other than the viewer choose as puppets do."""

    def __init__(self, game: Game, viewer: int) -> None:
        super().__init__(game, viewer)
        self.names = [PERSON] * game.num_players
        self._agents = {}


class Watched(Puppets):
    """Agents only, watched through the eyes of one of them; each chooses as a puppet does."""

    def __init__(self, game: Game, viewer: int) -> None:
        super().__init__(game, viewer)
        self.names = ["random"] * game.num_players


class Scripted(Puppets):
    """Opponents who take the first legal action of a list of texts, or the lowest legal id if there is none."""

    def __init__(self, game: Game, viewer: int, texts: Sequence[str]) -> None:
        super().__init__(game, viewer)
        self._texts = texts

    def _pick(self, match: Any) -> int:
        """Return the action of the first text that is legal, else the lowest legal one."""
        legal = {match.game.format_action(match.states, action): action for action in match.legal_actions()}
        return next((legal[text] for text in self._texts if text in legal), min(legal.values()))


def make_played(viewer: int, seed: int, **config: Any) -> InteractiveGame:
    """Return a game that a person plays against puppets."""
    game = make_game(**config)
    played = InteractiveGame(game, Puppets(game, viewer))
    played.begin(seed)
    return played


def twin_of(
    played: InteractiveGame, viewer: int, seed: int, make: Callable[..., States] = other_world
) -> InteractiveGame:
    """Return a copy of the game in a twin world of `viewer`, with the future chance of the true world."""
    world = make(played.match.game, played.match.states, viewer, seed)
    for name in CHANCE:
        if name in (world.dtype.names or ()):
            world[name] = played.match.states[name]
    game = played.match.game
    twin = copy.deepcopy(played, {id(game): game})  # a game never changes
    twin.match.restore(world.tobytes(), list(played.match.history))
    return twin


def sent(messages: Iterable[Message]) -> list[str]:
    """Return messages as they go over the wire."""
    return [write(message) for message in messages]


def sees_the_same(one: InteractiveGame, other: InteractiveGame, viewer: int) -> bool:
    """Return whether a person notices no difference: observations are equal, and both games ask them or neither."""
    asked = [played.match.player == viewer for played in (one, other)]
    views = [observe(played.match.game, played.match.states, viewer) for played in (one, other)]
    return asked[0] == asked[1] and np.array_equal(*views)


def choose(played: InteractiveGame, number: int, actions: Sequence[int]) -> list[str]:
    """Make a choice, and return what goes over the wire."""
    return sent(played.choose(number, actions))
