"""A person who plays in a terminal: what they are shown, what they may type, and what it means.

Everything printed, error messages included, comes from the picture of their seat and from a state that depends only on
what they know.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from sackarmies_env.core.entries import find_hook, player_name
from sackarmies_env.core.messages import printable, shorten, suggestion
from sackarmies_env.envs.match import Match
from sackarmies_env.envs.takeback import Takebacks
from sackarmies_env.render import ansi
from sackarmies_env.render.ansi import paint_board, paint_summary, text_columns
from sackarmies_env.render.log import news
from sackarmies_env.render.picture import Drawable, Hex, HexBoard, find_picture, reading_order
from sackarmies_training.table.choices import coordinates, hex_of, label_of, meant, odds_of, plain
from sackarmies_training.table.game_table import Choice, known_states, table_of
from sackarmies_training.table.help import ADVICE, HELP, HELP_COLUMN, INDENT, hex_lines, token_lines
from sackarmies_training.table.standing_orders import Orders
from sackarmies_training.terminal import clears_screen, console, in_columns
from sackarmies_training.terminal import write as write_wrapped

MAX_LISTED = 40  # choices listed without a request
MAX_NEWS = 12  # events told without a request
BELOW_BOARD = 5  # screen lines below the board, besides choices: what is announced, the question, the prompt
CLEAR = "\x1b[2J\x1b[H"  # clears the screen of a terminal and goes back to its first line

ORDERS = {  # what may be typed -> until when reactions are passed, see `Orders`
    "pass until turn": "turn",
    "pass until my turn": "turn",
    "pass until attacked": "attack",
    "pass until i am attacked": "attack",
    "stop passing": "off",
}
ORDERED = {
    "turn": "You pass until your turn; type stop passing to be asked again.",
    "attack": "You pass until you are attacked; type stop passing to be asked again.",
}


class Part(NamedTuple):
    """A part of a choice already made: its label, and whether it was taken silently."""

    label: str
    is_silent: bool = False


class Person:
    """A person at a seat.

    Args:
        match: the game, which has begun.
        seat: their seat.
    """

    def __init__(self, match: Match, seat: int) -> None:
        self.match = match
        self.seat = seat
        self.log: list[str] = []  # all that has happened, oldest first
        self._told = 0  # number of its events that were shown with a question
        self._table = table_of(match.game)
        self._orders = Orders(self._table)
        self._takebacks = Takebacks(match)
        self._chosen: list[Part] = []  # that may be taken back
        self._seen: Drawable | None = None  # the latest picture
        self._choices: list[Choice] = []
        self.look()

    def look(self) -> None:
        """Note what has happened, but only at moments that all players or this person know of.

        How many decisions others make in between is hidden, so nothing here may depend on it.
        """
        if self.match.player != self.seat and not self._table.is_public(self.match.states):
            return
        seen = find_picture(self.match.game, self.match.states, self.seat)
        self.log += news(self._seen, seen)
        self._seen = seen

    def decide(self) -> bool:
        """Show the position and make the choice that is typed; return False if the person leaves.

        Input that is not a choice is answered, and the question is asked again. Choices that the person need not be
        asked are made silently.
        """
        silent = self._orders.silent_choice(self.match)
        if silent is not None:
            self._play(silent, Part(label_of(self._table, self.match, silent), is_silent=True))
            return True
        self._open_question()
        self._show()
        while True:
            try:
                answer = input("> ").strip()
            except EOFError:
                return False
            except UnicodeDecodeError:
                write("What you typed is not text in the encoding of this terminal.")
                continue
            word, _, rest = answer.partition(" ")
            match word.lower():
                case "quit" | "q" | "exit":
                    return False
                case "":
                    continue
                case "back" | "b":
                    if self._take_back():
                        self._open_question()
                        self._show()
                case "pass" | "stop" if plain(answer) in ORDERS or plain(rest).startswith("until"):
                    if self._order(plain(answer)):
                        return True
                case name if name in WORDS and (not rest or name == "info"):
                    WORDS[name](self, rest)
                case _:
                    choice = self._find(answer)
                    if choice is not None:
                        self._choose(choice)
                        return True

    @property
    def _picture(self) -> HexBoard | None:
        """The latest picture of hexes; None for a game without hexes."""
        return self._seen if isinstance(self._seen, HexBoard) else None

    # --- what is shown

    def _open_question(self) -> None:
        known, legal = known_states(self.match), self.match.legal_actions()
        self._passing = self._table.pass_of(known, legal)
        self._about = self._table.about(known, self._picture)
        choices = self._table.choices(known, self._picture, legal)
        self._question = self._table.question(known, legal)
        self._choices = sorted(choices, key=lambda choice: ("hex" in choice, reading_order(hex_of(choice))))

    def _show(self) -> None:
        """Show the board with the numbers of choices, what is new, and the question."""
        if clears_screen():
            print(CLEAR, end="")
        summary = "" if self._picture is None else f"{paint_summary(self._picture)}\n"
        print(summary, end="")
        news_lines = self._tell_news()
        labels = {hex_of(each): f"[{number}]" for number, each in enumerate(self._choices, start=1) if "hex" in each}
        choices = self._listed(MAX_LISTED)
        above = summary.count("\n") + news_lines
        room = shutil.get_terminal_size().lines - above - len(choices) - BELOW_BOARD
        if self._picture is None:
            print(ansi(self.match.game, self.match.states, self.seat))
            if self._about:
                write(self._about)
        else:
            print(paint_board(self._picture, labels, height=room))
            if told := self._about or self._picture.announced:
                write(f"Announced: {told}")
        if self._orders.until in ORDERED:
            write(ORDERED[self._orders.until])
        asked = self._question
        if self._chosen:  # the question begins with the first part, which is printed before it
            first = self._chosen[0].label
            asked = asked.removeprefix(f"{first[:1].lower()}{first[1:]}: ")
        write(" > ".join([*(part.label for part in self._chosen), asked[:1].upper() + asked[1:]]))
        self._list(MAX_LISTED)

    def _tell_news(self) -> int:
        """Print what has happened since the last choice; return how many lines that takes if none is wrapped."""
        fresh = self.log[self._told :]
        if fresh:
            write("Since your last choice:" if self._told else "So far:")
            if len(fresh) > MAX_NEWS:
                write(f"  {len(fresh) - MAX_NEWS} events (type log to see them), then")
            for event in fresh[-MAX_NEWS:]:
                write(f"  {event}", "    ")
            write("")
        return 2 + min(len(fresh), MAX_NEWS) if fresh else 0

    def _listed(self, most: int) -> list[str]:
        """Return the choices in columns."""
        texts = [f"[{number}] {choice['label']}{odds_of(choice)}" for number, choice in enumerate(self._choices, 1)]
        more = [f"and {len(texts) - most} more: type list to see them"] if len(texts) > most else []
        return in_columns(texts[:most], text_columns(None)) + more

    def _list(self, most: int) -> None:
        """Print the choices."""
        for line in self._listed(most):
            write(line, "      ")
        words = ["? for help", "info NAME"]
        words += ["back"] if self._takebacks.num_choices else []
        words += ["pass until turn"] if self._passing is not None else []
        write(f"Type a number or a name. Also: {', '.join(words)}")

    # --- what may be typed

    def _choose(self, choice: Choice) -> None:
        self._told = len(self.log)
        self._play(choice["id"], Part(choice["label"]))

    def _play(self, action: int, part: Part) -> None:
        self._takebacks.play(action)
        kept = self._takebacks.num_choices
        self._chosen = [*self._chosen, part][-kept:] if kept else []
        if all(each.is_silent for each in self._chosen):  # there is no choice to return to
            self._takebacks.clear()
            self._chosen = []
        self.look()

    def _take_back(self) -> bool:
        """Take back the last typed part and what followed silently; if that is not possible, print why."""
        try:
            self._takebacks.take_back()
        except ValueError as error:
            write(f"{str(error)[0].upper()}{str(error)[1:]}.")
            return False
        while self._chosen.pop().is_silent:
            self._takebacks.take_back()
        self._seen = find_picture(self.match.game, self.match.states, self.seat)
        return True

    def _order(self, words: str) -> bool:
        """Follow an order about reactions; return whether it makes a choice."""
        until = ORDERS.get(words)
        if until is None:
            write("You can pass until turn, or pass until attacked.")
        elif until == "off":
            self._orders.until = until
            write("You are asked for every reaction.")
        elif self._passing is None:
            write('This is not a reaction: "pass until" works only when you may react to others.')
        else:
            self._orders.until = until
            self._choose(next(choice for choice in self._choices if choice["id"] == self._passing))
            return True
        return False

    def _find(self, answer: str) -> Choice | None:
        """Return the choice that is meant, by number, text or name; if none or several fit, print that."""
        if answer.isdecimal() and 1 <= int(answer[:9]) <= len(self._choices):
            return self._choices[int(answer[:9]) - 1]
        found = meant(answer, self._choices)
        if len({choice["label"] for choice in found}) == 1:
            return found[0]
        told = shorten(printable(answer))
        if found:
            names = ", ".join(f"[{self._choices.index(choice) + 1}] {choice['label']}" for choice in found[:8])
            write(f'"{told}" could be {names}{" and others" if len(found) > 8 else ""}')
        else:
            near = suggestion(answer, [choice["label"] for choice in self._choices])
            write(
                f'"{told}" is not one of the choices{near}: type a number from 1 to {len(self._choices)} (? for help)'
            )
        return None

    def _help(self, _: str) -> None:
        write(ADVICE)
        for word, meaning in HELP.items():
            write(word.ljust(HELP_COLUMN) + meaning, " " * HELP_COLUMN)
        for told in (self._table.advice, find_hook(self.match.game.id, "legend")):
            if told:
                write(told)

    def _tell_log(self, _: str) -> None:
        for event in self.log:
            write(f"  {event}", "    ")
        if not self.log:
            write("Nothing has happened yet.")

    def _tell_board(self, _: str) -> None:
        print(ansi(self.match.game, self.match.states, self.seat))

    def _list_all(self, _: str) -> None:
        self._list(len(self._choices))

    def _inform(self, rest: str) -> None:
        """Print what is known of a token, a hex or a choice."""
        wanted = plain(rest)
        if not wanted:
            write("Type info and a name, a hex such as 1,-1, or the number of a choice.")
        elif wanted.isdecimal() and 1 <= int(wanted[:9]) <= len(self._choices):
            choice = self._choices[int(wanted[:9]) - 1]
            write(": ".join(filter(None, (choice["label"], choice.get("note", "")))))
            if "hex" in choice:
                self._tell_hex(hex_of(choice))
        elif (at := coordinates(wanted)) is not None:
            self._tell_hex(at)
        else:
            for line in token_lines(self._table.glossary(), rest):
                write(line, "  ")

    def _tell_hex(self, at: Hex) -> None:
        """Print what is on a hex."""
        lines = [] if self._picture is None else hex_lines(self._picture, at, partial(player_name, self.match.game.id))
        for line in lines:
            write(f"{'':{INDENT}}{line}", "    ")
        if not lines:
            write(f"There is nothing at {at[0]},{at[1]}.")


WORDS: dict[str, Callable[[Person, str], None]] = {
    "?": Person._help,
    "help": Person._help,
    "info": Person._inform,
    "log": Person._tell_log,
    "board": Person._tell_board,
    "list": Person._list_all,
}


def write(text: str, indent: str = "") -> None:
    """Print untrusted text, wrapped at the width of the terminal."""
    write_wrapped(console, text, text_columns(None), indent)
