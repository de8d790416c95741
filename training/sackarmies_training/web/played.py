"""A game that people play in the browser: it goes on until a person is asked, and takes their answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sackarmies_env.core.entries import player_name
from sackarmies_env.core.game import Game
from sackarmies_env.envs.takeback import Takebacks
from sackarmies_training.table.choices import label_of
from sackarmies_training.table.game_table import known_states
from sackarmies_training.table.seats import Seats
from sackarmies_training.table.standing_orders import Orders
from sackarmies_training.web.protocol import REFEREE, Message
from sackarmies_training.web.shown import ShownGame


class InteractiveGame(ShownGame):
    """One game with the questions to the people who play it.

    What its generators yield depends only on the feed of the person who has the device, on their own choices and, if
    several people share the device, on who is asked.
    """

    def __init__(self, game: Game, seats: Seats, eyes: int | str = REFEREE) -> None:
        """Prepare a game; arguments as in `ShownGame`."""
        super().__init__(game, seats, eyes)
        self._takebacks = Takebacks(self.match)
        self._crumbs: list[str] = []  # of the choices that may be taken back, "" for what was taken silently
        self._numbers = dict.fromkeys(self._persons, 0)  # of the latest question to each person
        self._orders = {seat: Orders(self._rules) for seat in self._persons}
        self._question: Message | None = None

    # --- the page

    def opening(self) -> Iterator[Message]:
        """Yield who plays, then everything up to the first question; a watched game waits for requests to go on."""
        yield self._introduction()
        if self.is_watched:
            yield from self._flush()
        else:
            yield from self.play_on()

    def scene(self) -> Iterator[Message]:
        """Yield what a fresh page needs: everything that the person with the device has been shown."""
        yield self._introduction()
        feed = self._feed
        if feed is None:
            yield from self._curtain()
            return
        yield {"kind": "scene", **feed.scene()}
        yield from self._flush()
        if self.is_over:
            yield self._ending()
        elif self._question is not None:
            yield self._question
        elif not self.is_watched:
            yield self._handover()

    def _curtain(self) -> Iterator[Message]:
        yield {"kind": "curtain", **self._next_person()}

    def _handover(self) -> Message:
        return {"kind": "handover", **self._next_person()}

    def _next_person(self) -> Message:
        seat = self.match.player
        return {"seat": seat, "name": player_name(self.match.game.id, seat)}

    # --- playing

    def play_on(self) -> Iterator[Message]:
        """Have agents play until a person must be asked or the game is over; then ask, or show the end."""
        while not self.is_over and not self.is_stopped:
            if not self.seats.is_person(self.match.player):
                yield from self._apply(self.seats.decide(self.match))
                continue
            action = self._orders[self.match.player].silent_choice(self.match, shares_device=len(self._persons) > 1)
            if action is None:
                break
            yield from self._play(action, "")
        if self.is_stopped:
            return
        if self.is_over:
            yield from self._end()
        else:
            yield from self._ask()

    def _apply(self, action: int) -> Iterator[Message]:
        """Apply the choice of an agent, or its forfeit."""
        self._takebacks.clear()
        self._crumbs.clear()
        yield from super()._apply(action)

    def _end(self) -> Iterator[Message]:
        if self.has_device is None and self._persons:
            self.has_device = self._persons[0]
            yield from self.scene()
            return
        yield from self._flush()
        yield self._ending()

    # --- people

    def _ask(self) -> Iterator[Message]:
        """Ask the person who decides, or hand the device over to them."""
        seat = self.match.player
        self._feeds[seat].see(self.match.states)
        self._question = None
        if self.has_device != seat:
            yield from self._flush()
            yield from self._curtain() if self.has_device is None else [self._handover()]
            return
        yield from self._flush()
        self._question = self._make_question(seat)
        yield self._question

    def _make_question(self, seat: int) -> Message:
        match = self.match
        known, legal = known_states(match), match.legal_actions()
        picture = self._feeds[seat].picture(match.states)
        self._numbers[seat] += 1
        return {
            "kind": "ask",
            "seat": seat,
            "number": self._numbers[seat],
            "question": self._rules.question(known, legal),
            "about": self._rules.about(known, picture),
            "choices": self._rules.choices(known, picture, legal),
            "crumbs": self._open_crumbs(),
            "chosen": self._feeds[seat].chosen(match.states),
            "pass": self._rules.pass_of(known, legal),
            "until": self._orders[seat].until,
        }

    def _open_crumbs(self) -> list[str]:
        """Return the choices that may be taken back; what was taken silently belongs to the choice before it."""
        return [label for label in self._crumbs if label]

    def _asked(self, number: int) -> int:
        """Return the seat that is asked question `number`.

        Raises:
            ValueError: nobody is, or another question is open by now.
        """
        if self._question is None or self._question["number"] != number:
            raise ValueError("this question is no longer open")
        return int(self._question["seat"])

    def choose(self, number: int, actions: Sequence[int]) -> Iterator[Message]:
        """Make a choice, or the first parts of one.

        Args:
            number: of the question.
            actions: ids; those after the first are made as long as they are asked for and legal.

        Raises:
            ValueError: the question is no longer open, or the first one is not legal; nothing is changed.
        """
        seat, match = self._asked(number), self.match
        if not match.is_legal(actions[0]):
            known = ", ".join(choice["label"] for choice in (self._question or {})["choices"][:8])
            raise ValueError(f"{actions[0]} is not among the choices: {known} ...")
        return self._choose(seat, list(actions))

    def _choose(self, seat: int, actions: list[int]) -> Iterator[Message]:
        match = self.match
        self._question = None
        while actions and match.player == seat and match.is_legal(actions[0]):
            action = actions.pop(0)
            yield from self._play(action, label_of(self._rules, match, action))
            for taken in self._forced:
                if actions and taken == (seat, actions[0]):
                    actions.pop(0)
        yield from self.play_on()

    def _play(self, action: int, label: str) -> Iterator[Message]:
        """Apply a choice of a person; what nobody has learned of yet may be taken back."""
        before = self.match.states.copy()
        self._takebacks.play(action)
        self._crumbs = [*self._crumbs, label][-self._takebacks.num_choices :] if self._takebacks.num_choices else []
        yield from self._show(before)

    def back(self, number: int, count: int) -> Iterator[Message]:
        """Take back choices.

        Raises:
            ValueError: the question is no longer open, or that many cannot be taken back; nothing is changed.
        """
        seat = self._asked(number)
        if count > len(self._open_crumbs()):
            raise ValueError(
                "this cannot be taken back: what was chosen before is known to others, or was left to chance"
            )
        return self._back(seat, count)

    def _back(self, seat: int, count: int) -> Iterator[Message]:
        while count:
            self._takebacks.take_back()
            count -= self._crumbs.pop() != ""
        feed = self._feeds[seat]
        if feed.see(self.match.states, is_quiet=True):
            yield {"kind": "scene", **feed.scene()}
        yield from self._ask()

    def set_passing(self, until: str) -> Iterator[Message]:
        """Set whether a person passes in all reactions from now on, and until when.

        Raises:
            ValueError: nobody is asked anything.
        """
        if self._question is None or self.has_device is None:
            raise ValueError("you can choose to pass reactions only while a question is open")
        return self._set_passing(self.has_device, until)

    def _set_passing(self, seat: int, until: str) -> Iterator[Message]:
        self._orders[seat].until = until
        if self._question is not None:
            self._question = {**self._question, "until": until}
        yield {"kind": "passing", "until": until}
        if until != "off" and self._question is not None and self._question["pass"] is not None:
            yield from self.choose(self._question["number"], [self._question["pass"]])

    def cover(self) -> Iterator[Message]:
        """Lower the curtain.

        Raises:
            ValueError: fewer than two people play, or the person with the device is asked something.
        """
        if len(self._persons) < 2 or self.is_over:
            raise ValueError("there is no curtain: only one person plays, or the game is over")
        if self._question is not None:
            raise ValueError("answer the open question before you pass the device on")
        return self._cover()

    def _cover(self) -> Iterator[Message]:
        self.has_device = None
        yield from self._curtain()

    def uncover(self, seat: int) -> Iterator[Message]:
        """Raise the curtain for the person who is asked.

        Raises:
            ValueError: the curtain is up, or it is for somebody else.
        """
        if self.has_device is not None or seat not in self._persons or seat != self.match.player:
            raise ValueError(f"the curtain does not wait for player {seat}")
        return self._uncover(seat)

    def _uncover(self, seat: int) -> Iterator[Message]:
        self.has_device = seat
        self._question = self._make_question(seat)
        yield from self.scene()
