"""A game that is shown while it is played: each viewer is shown what they may know of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from sackarmies_env.core.entries import player_name, player_noun
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.record import GameRecord
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.envs.match import NO_ACTION, Match
from sackarmies_env.render.replay import Replay
from sackarmies_training.table.game_table import ending_words, table_of, winners_of
from sackarmies_training.table.seats import Seats
from sackarmies_training.web.feed import Feed
from sackarmies_training.web.protocol import REFEREE, Message


class ShownGame:
    """One game, with what people have seen of it; only agents can play it.

    Methods that play are generators of messages to whoever looks at the page. What they yield depends only on the feed
    of that viewer.

    Attributes:
        match: the game.
        seats: who plays.
        eyes: whose view is shown if no person plays: a seat; None for the referee.
        has_device: the seat of the person who looks at the page; None behind the curtain, and if no person plays.
        is_stopped: set from another thread to stop before the next decision of an agent.
    """

    def __init__(self, game: Game, seats: Seats, eyes: int | str = REFEREE) -> None:
        """Prepare a game.

        Args:
            game: what is played.
            seats: who plays.
            eyes: whose view is shown if no person plays: a seat, or REFEREE.
        """
        self.match = Match(game)
        self.seats = seats
        self.is_stopped = False
        self._rules = table_of(game)
        self._persons = seats.persons
        self.eyes = None if eyes == REFEREE else int(eyes)
        viewers: Sequence[int | None] = self._persons or [self.eyes]
        self._feeds = {viewer: Feed(game, viewer) for viewer in viewers}
        self.has_device = self._persons[0] if len(self._persons) == 1 else None
        self._forced: list[tuple[int, int]] = []  # players and actions that followed the last choice silently

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.match.player == NO_PLAYER

    @property
    def is_watched(self) -> bool:
        """Whether only agents play."""
        return not self._persons

    @property
    def _sees_all(self) -> bool:
        """Whether the referee watches: every stop is a step."""
        return self.is_watched and self.eyes is None

    @property
    def _feed(self) -> Feed | None:
        """The feed of whoever looks at the page; None behind the curtain."""
        if self.is_watched:
            return self._feeds[self.eyes]
        return None if self.has_device is None else self._feeds[self.has_device]

    def begin(self, seed: int) -> None:
        """Begin the game."""
        self.match.begin(seed)
        self._watch_stop()

    def resume(self, record: GameRecord, match: Match) -> None:
        """Continue a recorded game, which `match` has replayed."""
        self.match.seed, self.match.forced = match.seed, match.forced
        self.match.restore(match.states.tobytes(), match.history)
        self.seats.reasons |= {each.ply: each.reason for each in record.forfeits}
        self._watch_stop()

    # --- what is shown

    def _introduction(self) -> Message:
        name = partial(player_name, self.match.game.id)
        players = [{"seat": seat, "name": name(seat), "player": player} for seat, player in enumerate(self.seats.names)]
        return {
            "kind": "game",
            "noun": player_noun(self.match.game.id),
            "players": players,
            "viewer": self.has_device,
            "watched": self.is_watched,
            "persons": self._persons,
            "glossary": self._rules.glossary(),
        }

    def _flush(self) -> Iterator[Message]:
        feed = self._feed
        if feed is not None and feed.has_steps:
            yield {"kind": "steps", "steps": feed.take()}

    def _ending(self) -> Message:
        referee = Feed(self.match.game, None)
        referee.see(self.match.states)
        outcome = referee.view.get("outcome") or ending_words(self.match)
        return {
            "kind": "end",
            "outcome": outcome,
            "winners": winners_of(self.match),
            "view": {**referee.view, "outcome": outcome},
            "forfeits": list(self.seats.reasons.values()),
            "missing": self.seats.missing_analyses(self.match),
        }

    # --- playing

    def _apply(self, action: int) -> Iterator[Message]:
        """Apply the choice of an agent, or its forfeit."""
        match = self.match
        before = match.states.copy()
        if action == NO_ACTION:
            match.forfeit(match.player)
        else:
            match.play(action)
        yield from self._show(before)

    def watch(self) -> Iterator[Message]:
        """Have agents play until there is something to see."""
        feed = self._feed
        while feed is not None and not self.is_over and not self.is_stopped and not feed.has_steps:
            yield from self._apply(self.seats.decide(self.match))
            self._watch_stop()
        yield from self._flush()
        if self.is_over:
            yield self._ending()

    def _show(self, before: Records) -> Iterator[Message]:
        """Show all viewers the steps that the last action took; turns are sent one by one."""
        taken = []
        for step in self._rules.steps(before, self.match.history[-1], self.match.states):
            taken.append((step.player, step.action))
            feed = self._feed
            turn = 0 if feed is None else feed.turn
            if self._rules.is_public(step.states) or self._sees_all:
                self._look(step.states)
            if feed is not None and not self.is_watched and feed.turn != turn:
                yield from self._flush()
        self._forced = taken[1:]

    def _watch_stop(self) -> None:
        """Show watchers where the game has stopped: the referee at every stop, a seat only where it is asked."""
        if self._sees_all or (self.is_watched and self.match.player == self.eyes):
            self._look(self.match.states)

    def _look(self, states: Records) -> None:
        for feed in self._feeds.values():
            feed.see(states)

    # --- records

    def record(self) -> GameRecord:
        """Return the game so far as a record."""
        return self.seats.record(self.match, self.seats.names)

    def replay_page(self) -> bytes:
        """Return the record as a page that shows the game from all sides."""
        return Replay(self.match.game, self.record()).html.encode()
