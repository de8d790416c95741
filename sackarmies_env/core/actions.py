"""Action spaces: ids in segments such as verbs, types and cells, and the text form of every action."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.messages import short_repr, suggestion

MAX_LISTED = 60  # legal texts that an error message lists in full
COMMA = re.compile(" ?, ?")
NUMBER = re.compile("(?<![^ ,])[+-]?[0-9]{1,9}(?![^ ,])")  # as a separate word


def normalized(text: str) -> str:
    """Return a text in lower case, without superfluous blanks, signs and zeros: `hex 1,-2` for ` Hex +1 ,-2`."""
    words = COMMA.sub(",", " ".join(text.lower().split()))
    return NUMBER.sub(lambda number: str(int(number[0])), words)


@dataclass(frozen=True)
class Segment:
    """Consecutive ids that mean the same kind of thing.

    Attributes:
        name: unique in the action space.
        texts: text of each id, in the form that `normalized` returns.
        pattern: regular expression for the texts meant for this segment; "" if every such text has an id.
        advice: message on a text that matches `pattern` but names no action; `{}` stands for what follows the name.
    """

    name: str
    texts: tuple[str, ...]
    pattern: str = ""
    advice: str = ""


def named_segment(name: str, words: Iterable[str], advice: str) -> Segment:
    """Return a segment of texts such as `type ogre`; `advice` as in `Segment`."""
    return Segment(name, tuple(f"{name} {word}" for word in words), f"{re.escape(name)} .+", advice)


def numbered_segment(name: str, count: int, first: int = 0) -> Segment:
    """Return a segment of `count` texts such as `slot 3`, numbered from `first`."""
    texts = tuple(f"{name} {number}" for number in range(first, first + count))
    return Segment(name, texts, f"{re.escape(name)} [0-9]+", f"{name}s run from {first} to {first + count - 1}")


def cell_segment(name: str, cells: Sequence[str], advice: str) -> Segment:
    """Return a segment of texts such as `hex 1,-1`; `advice` is the message on coordinates that no cell has."""
    coordinates = ",".join(["-?[0-9]{1,9}"] * (cells[0].count(",") + 1))
    return Segment(name, tuple(f"{name} {cell}" for cell in cells), f"{re.escape(name)} {coordinates}", advice)


class ActionSpace:
    """An action space: consecutive segments from id 0 on, and the texts of all ids.

    Attributes:
        segments: in the order of their ids.
        texts: text of every id.
        ids: id of every text, aliases included.
    """

    def __init__(self, segments: Sequence[Segment], advice: str, aliases: Mapping[str, str] | None = None) -> None:
        """Lay `segments` out one after the other.

        Args:
            segments: in the order of their ids.
            advice: message on a text that is meant for no segment, such as "write a verb such as 'draw'".
            aliases: other words for some texts: word -> text.

        Raises:
            ValueError: two segments or two actions share a name, a text is not as `normalized` returns it, or an alias
                stands for no text.
        """
        aliases = aliases or {}
        self.segments = tuple(segments)
        self.texts = tuple(text for segment in self.segments for text in segment.texts)
        self._advice = advice
        names = [segment.name for segment in self.segments]
        _refuse_twins("segment", names)
        _refuse_twins("action", [*self.texts, *aliases])
        for text in (*self.texts, *aliases):
            if normalized(text) != text:
                raise ValueError(f"the action {short_repr(text)} would be read as {short_repr(normalized(text))}")
        ids = {text: action for action, text in enumerate(self.texts)}
        unknown = [text for text in aliases.values() if text not in ids]
        if unknown:
            raise ValueError(f"an alias stands for {short_repr(unknown[0])}, which is not an action")
        self.ids = ids | {alias: ids[text] for alias, text in aliases.items()}
        ends = accumulate(len(segment.texts) for segment in self.segments)
        self._starts = dict(zip(names, [0, *ends], strict=False))

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return len(self.texts)

    def start(self, name: str) -> int:
        """Return the first id of a segment.

        Raises:
            ValueError: there is no such segment.
        """
        if name not in self._starts:
            raise ValueError(f"unknown action segment {short_repr(name)}: known are {', '.join(self._starts)}")
        return self._starts[name]

    def format(self, action: int) -> str:
        """Return the text of `action`.

        Raises:
            ValueError: `action` is not an id of this action space.
        """
        if not 0 <= action < self.num_actions:
            raise ValueError(f"action {action} is out of range: ids run from 0 to {self.num_actions - 1}")
        return self.texts[action]

    def parse(self, text: str, legal: Sequence[int], player: int) -> int:
        """Return the id of the legal action that `text` names.

        Args:
            text: a text form; case and extra blanks do not matter.
            legal: legal ids of the current player.
            player: seat of that player, for messages.

        Raises:
            ValueError: the text names no action, or one that is not legal now.
        """
        if not isinstance(text, str):
            raise ValueError(f"the text of an action must be a string, not {short_repr(text)}")
        words = normalized(text)
        action = self.ids.get(words)
        if action is not None and action in legal:
            return action
        if action is not None:
            fault = f"{short_repr(words)} is not legal for player {player} now"
        else:
            near = suggestion(words, [self.texts[one] for one in legal])
            fault = f"{short_repr(text)} is not an action{near}: {self._advice_on(words)}"
        raise ValueError(f"{fault}; legal {self._listed(legal)}")

    def _advice_on(self, words: str) -> str:
        """Return advice on a text that names no action."""
        for segment in self.segments:
            if segment.pattern and re.fullmatch(segment.pattern, words):
                return segment.advice.format(short_repr(words.removeprefix(f"{segment.name} ")))
        return self._advice

    def _listed(self, legal: Sequence[int]) -> str:
        """List legal texts for a message."""
        if not legal:
            return "actions: none, the game is over"
        shown = ", ".join(self.texts[action] for action in legal[:MAX_LISTED])
        rest = len(legal) - MAX_LISTED
        return f"are: {shown}" + (f" and {rest} more" if rest > 0 else "")

    # --- methods that a `Game` uses

    def format_action(self, states: NDArray[np.void], action: int) -> str:
        """Return the text of `action`, which is the same at every decision: `states` is ignored.

        Raises:
            ValueError: `action` is not an id of this action space.
        """
        return self.format(int(action))

    def parse_action(self, states: NDArray[np.void], text: str) -> int:
        """Return the id of the action legal in `states[0]` that `text` names; see `parse`.

        Raises:
            ValueError: the text names no action, or one that is not legal now.
        """
        return self.parse(text, legal_ids(states["legal"][0]), int(states["current_player"][0]))

    def legal_texts(self, states: NDArray[np.void]) -> list[str]:
        """Return the texts of the actions legal in `states[0]`, in the order of their ids."""
        return [self.texts[action] for action in legal_ids(states["legal"][0])]


def _refuse_twins(kind: str, names: list[str]) -> None:
    if len(set(names)) < len(names):
        twin = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two {kind}s have the name {short_repr(twin)}")
