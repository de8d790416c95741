"""One game being played: its record, the decision at hand, and how it came about. All adapters but the batch use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.advance import (
    CODE,
    FAULT,
    FORFEIT,
    NO_ACTION,
    NO_OUTPUTS,
    PLAYER,
    new_orders,
    new_table,
)
from sackarmies_env.core.game import Game
from sackarmies_env.core.state import ERROR_NONE, NO_PLAYER, copy_records, engine_error
from sackarmies_env.core.words import short

MAX_LISTED = 40  # legal actions that an error message lists


@dataclass(frozen=True)
class InformationState:
    """All that one player has seen and done since the game began (perfect recall).

    Attributes:
        observations: `(k, size)` int8, in order; the last one is what the player sees now. What others do out of sight
            adds nothing, not even a repetition.
        actions: `(k,)` int64, what the player did at that observation; NO_ACTION (-1) where it was not theirs to act.
    """

    observations: NDArray[np.int8]
    actions: NDArray[np.int64]


class Match:
    """A game from its start to the present decision.

    Masks and observations are handed out as copies: whoever writes into one changes nothing here, neither what is legal
    nor what anybody sees later.

    Attributes:
        game: what is played.
        states: `(1,)` record, the whole truth.
        player: seat to act, NO_PLAYER once the game is over.
        returns: what each player has earned so far.
        out: for each player whether the game is over for them (1) by the rules.
        truncated: whether the game was cut off.
        seed: what chance comes from.
        flips: forced flips it began with.
        draws: forced draws it began with.
        history: actions so far; a forfeit of seat s is -1 - s.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.states = game.new_states(1)
        self.player = NO_PLAYER
        self.truncated = False
        self.seed = 0
        self.flips = ""
        self.draws: tuple[tuple[str, ...], ...] = ()
        self.history: list[int] = []
        self.returns: list[float] = [0.0] * game.num_players
        self.out: list[float] = [0.0] * game.num_players
        self._bind()

    def _bind(self) -> None:
        """Look up once what each action needs."""
        game, raw = self.game, self.states.view(np.ndarray)
        self._advance: Callable[..., None] = game.advance
        self._params = game.params
        self._truncated = raw["truncated"]
        self._orders = new_orders(np.zeros(1, np.int64))
        self._table = new_table(1)
        self._order, self._line = self._orders[0], self._table[0]
        self._no_bits = NO_OUTPUTS[1]
        self._masks = np.zeros((1, game.num_actions), np.int8)
        self._observations = np.zeros((1, game.observation_spec.size), np.int8)
        self._mask: NDArray[np.int8] = self._masks[0]
        self._seen: NDArray[np.int8] = self._observations[0]
        self._results = np.zeros((1, 2, game.num_players), np.float32)
        self._result = self._results[0]

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """A copy of the mask of the seat to act, `(num_actions,)` int8."""
        return self._mask.copy()

    @property
    def observation(self) -> NDArray[np.int8]:
        """A copy of what the seat to act sees, `(size,)` int8."""
        return self._seen.copy()

    def begin(self, seed: int, flips: str = "", draws: Sequence[Sequence[str]] = ()) -> None:
        """Start a new game.

        Args:
            seed: 0 to 2**63 - 1.
            flips: forced flips, used up before chance decides.
            draws: forced draws, token ids for each player.

        Raises:
            ValueError: forced results that the game does not take; nothing is changed.
        """
        if flips or draws:
            start = self.game.new_states(1)
            self.game.start(start, seed, flips, draws)
            if fault := int(start["error"][0]):
                raise engine_error(fault)
            copy_records(start, self.states)
        else:
            self.game.reset(self._params, self.states, np.array([seed], np.int64))
        self.seed, self.flips, self.draws = seed, flips, tuple(tuple(ids) for ids in draws)
        self.history = []
        self.truncated = False
        self._run(NO_ACTION)

    def play(self, action: int) -> None:
        """Apply a legal action of the seat to act."""
        self.history.append(action)
        self._run(action)

    def forfeit(self, seat: int) -> None:
        """Let a player give up."""
        self.history.append(-1 - seat)
        self._run(FORFEIT - seat)

    def _run(self, code: int) -> None:
        self._order[CODE] = code
        self._advance(
            self._params,
            self.states,
            self._orders,
            self._table,
            self._masks,
            self._no_bits,
            self._observations,
            self._results,
        )
        line = self._line.tolist()
        self.player = line[PLAYER]
        if self.player < 0:
            self.truncated = bool(self._truncated.item())
        self.returns, self.out = self._result.tolist()
        if line[FAULT] != ERROR_NONE:
            raise engine_error(line[FAULT])

    def observe(self, seat: int) -> NDArray[np.int8]:
        """Return what a player sees now, `(size,)` int8."""
        out = np.empty(self.game.observation_spec.size, np.int8)
        self.game.observe(self._params, self.states, np.array([seat], np.int64), out[np.newaxis])
        return out

    def legal_actions(self) -> list[int]:
        """Return the legal ids of the seat to act, ascending; none once the game is over."""
        legal: list[int] = np.flatnonzero(self._mask).tolist()
        return legal

    def is_legal(self, action: Any) -> bool:
        """Return whether `action` is an integer that the seat to act may choose."""
        try:
            number = index(action)
        except TypeError:
            return False
        return 0 <= number < self.game.num_actions and bool(self._mask[number])

    def refusal(self, agent: str, action: Any) -> str:
        """Return a sentence on why `action` is refused, from what `agent`, who is to act, knows."""
        legal = [f"{legal} ({self.game.format_action(self.states, legal)})" for legal in self.legal_actions()]
        listed = ", ".join(legal[:MAX_LISTED]) + (f" and {len(legal) - MAX_LISTED} more" * (len(legal) > MAX_LISTED))
        try:
            number = index(action)
        except TypeError:
            name = f"{short(action)}, which is no integer,"
        else:
            known = 0 <= number < self.game.num_actions
            name = f"{short(number)} ({self.game.format_action(self.states, number) if known else 'no such id'})"
        return f"illegal action {name} for {agent} at {self.game.describe_decision(self.states)}; legal are {listed}"

    def clone(self) -> Match:
        """Return an equal and independent game."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.states = self.game.new_states(1)
        copy_records(self.states, twin.states)
        twin._bind()
        twin._mask[...] = self._mask
        twin._seen[...] = self._seen
        twin.history = self.history.copy()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Match:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.game, self.states.tobytes(), self.seed, self.flips, self.draws, self.history)

    def restore(self, state: bytes, history: list[int]) -> None:
        """Go to a state saved as bytes, reached by `history`; `seed`, `flips` and `draws` are the caller's to set."""
        self.states.view(np.ndarray).view(np.uint8)[...] = np.frombuffer(state, np.uint8)
        self.history = history
        self.truncated = bool(self._truncated.item())
        if self.states.view(np.ndarray).view(np.uint8).any():  # else no game has begun
            self._run(NO_ACTION)

    def replay(self) -> Iterator[Match]:
        """Yield this game at its start and after each action; the same object each time, one step on."""
        again = Match(self.game)
        again.begin(self.seed, self.flips, self.draws)
        yield again
        for action in self.history:
            if action >= 0:
                again.play(action)
            else:
                again.forfeit(-1 - action)
            yield again

    def information_state(self, seat: int) -> InformationState:
        """Return all that a player has seen and done; it plays the game again, so its cost grows with the game."""
        observations: list[NDArray[np.int8]] = []
        actions: list[int] = []
        for ply, match in enumerate(self.replay()):
            seen = match.observe(seat)
            if not actions or actions[-1] != NO_ACTION or not np.array_equal(seen, observations[-1]):
                observations.append(seen)
                actions.append(NO_ACTION)
            if ply < len(self.history) and match.player == seat and self.history[ply] >= 0:
                actions[-1] = self.history[ply]
        return InformationState(np.stack(observations), np.array(actions, np.int64))

    def render(self, mode: str, viewer: int | None) -> str | NDArray[np.uint8] | None:
        """Draw the game as `viewer` sees it; None is the referee, who sees all.

        Args:
            mode: "ansi" returns text, "rgb_array" `(height, width, 3)` uint8, "human" prints the text.
            viewer: a seat or None.
        """
        from sackarmies_env import render

        if mode == "rgb_array":
            picture: NDArray[np.uint8] = render.rgb_array(self.game, self.states, viewer)
            return picture
        text: str = render.ansi(self.game, self.states, viewer)
        if mode == "ansi":
            return text
        print(text)
        return None


def _restore(
    game: Game, state: bytes, seed: int, flips: str, draws: tuple[tuple[str, ...], ...], history: list[int]
) -> Match:
    match = Match(game)
    match.seed, match.flips, match.draws = seed, flips, draws
    match.restore(state, history)
    return match
