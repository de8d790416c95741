"""One game in progress: its state, current decision and history. All adapters but the vector ones use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.chance import plain_forced
from sackarmies_env.core.game import Game, Records, forfeit_code
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.state import NO_PLAYER, copy_records, engine_error
from sackarmies_env.core.step_batch import NO_OUTPUTS, Command, new_commands
from sackarmies_env.envs.padded import Padding

NO_ACTION = -1
READ, STEP, BEGIN, FORFEIT = (int(kind) for kind in (Command.READ, Command.STEP, Command.BEGIN, Command.FORFEIT))
MAX_LISTED = 40  # legal actions listed in an error message


@dataclass(frozen=True)
class InformationState:
    """All that one player has seen and done since the game began (perfect recall).

    Attributes:
        observations: `(k, size)` int8, in order; the last one is what the player sees now. What others do out of sight
            adds nothing, not even a repetition.
        actions: `(k,)` int64, the player's action at each observation; NO_ACTION (-1) where it was not their decision.
    """

    observations: NDArray[np.int8]
    actions: NDArray[np.int64]


class Match:
    """A game from its start to the current decision.

    Masks and observations are returned as copies: writing into one changes neither what is legal nor any later
    observation.

    Attributes:
        game: the game being played.
        states: `(1,)` record, the whole truth.
        player: the current player; NO_PLAYER once the game is over.
        returns: what each player has earned so far.
        out: for each player, 1 if the rules have ended the game for them, else 0.
        truncated: whether the game was truncated.
        seed: source of all chance.
        forced: forced results that the game began with, as plain data.
        history: actions so far; `forfeit_code(seat)` where a seat has forfeited.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.states = game.new_states(1)
        self.player = NO_PLAYER
        self.truncated = False
        self.seed = 0
        self.forced: dict[str, Any] = {}
        self.history: list[int] = []
        self.returns: list[float] = [0.0] * game.num_players
        self.out: list[float] = [0.0] * game.num_players
        self._bind()

    def _bind(self) -> None:
        """Create the arrays that all actions share."""
        game, raw = self.game, self.states.view(np.ndarray)
        self._step_batch: Callable[..., None] = game.step_batch
        self._params = game.params
        self._truncated = raw["truncated"]
        self._commands, self._slots = new_commands(1), game.new_slots(1)
        self._kind, self._argument = self._commands["kind"], self._commands["argument"]
        self._current_player, self._error = self._slots["current_player"], self._slots["error"]
        self._masks = np.zeros((1, game.num_actions), np.int8)
        self._observations = np.zeros((1, game.observation_spec.size), np.int8)
        self._mask: NDArray[np.int8] = self._masks[0]
        self._seen: NDArray[np.int8] = self._observations[0]
        self._results = np.zeros((1, 2, game.num_players), np.float32)
        self._result = self._results[0]
        outputs = (self._masks, NO_OUTPUTS.packed_masks, self._observations, self._results)
        self._arguments = (game.params, self.states, self._commands, self._slots, *outputs)

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """A copy of the mask of the current player, `(num_actions,)` int8."""
        return self._mask.copy()

    @property
    def observation(self) -> NDArray[np.int8]:
        """A copy of what the current player sees, `(size,)` int8."""
        return self._seen.copy()

    def begin(self, seed: int, forced: Mapping[str, Any] | None = None) -> None:
        """Start a new game.

        Args:
            seed: 0 to 2**63 - 1.
            forced: forced results as in `Game.start`, used up before chance decides, or None.

        Raises:
            ValueError: the game does not take the forced results; nothing is changed.
        """
        if forced:
            start = self.game.new_states(1)
            self.game.start(start, seed, forced)
            if error := int(start["error"][0]):
                raise engine_error(error)
            copy_records(start, self.states)
        else:
            copy_records(self.game.initial, self.states)
        self.seed, self.forced = seed, plain_forced(forced or {})
        self.history = []
        self.truncated = False
        self._run(*((READ, 0) if forced else (BEGIN, seed)))

    def play(self, action: int) -> None:
        """Apply a legal action of the current player."""
        self.history.append(action)
        self._run(STEP, action)

    def forfeit(self, seat: int) -> None:
        """Make a player forfeit."""
        self.history.append(forfeit_code(seat))
        self._run(FORFEIT, seat)

    def _run(self, kind: int, argument: int) -> None:
        self._kind[0] = kind
        self._argument[0] = argument
        self._step_batch(*self._arguments)
        self.player = self._current_player.item()
        if self.player < 0:
            self.truncated = bool(self._truncated.item())
        self.returns, self.out = self._result.tolist()
        if error := self._error.item():
            raise engine_error(error)

    def observe(self, seat: int) -> NDArray[np.int8]:
        """Return what a player sees now, `(size,)` int8."""
        out = np.empty(self.game.observation_spec.size, np.int8)
        self.game.observe(self._params, self.states, np.array([seat], np.int64), out[np.newaxis])
        return out

    def legal_actions(self) -> list[int]:
        """Return the legal ids of the current player in ascending order; empty once the game is over."""
        legal: list[int] = np.flatnonzero(self._mask).tolist()
        return legal

    def is_legal(self, action: Any) -> bool:
        """Return whether `action` is an integer that the current player may choose."""
        try:
            number = index(action)
        except TypeError:
            return False
        return 0 <= number < self.game.num_actions and bool(self._mask[number])

    def refusal(self, agent: str, action: Any, padding: Padding | None = None) -> str:
        """Return the message for an illegal padded id, made only of what `agent`, the current player, knows."""
        shown = int if padding is None else padding.action
        legal = [f"{shown(legal)} ({self.game.format_action(self.states, legal)})" for legal in self.legal_actions()]
        listed = ", ".join(legal[:MAX_LISTED]) + (f" and {len(legal) - MAX_LISTED} more" * (len(legal) > MAX_LISTED))
        try:
            number = index(action)
        except TypeError:
            name = f"{short_repr(action)} (not an integer)"
        else:
            own = number if padding is None else padding.own_action(number)
            known = 0 <= own < self.game.num_actions
            name = f"{short_repr(number)} ({self.game.format_action(self.states, own) if known else 'no such id'})"
        return f"illegal action {name} for {agent} at {self.game.describe_decision(self.states)}; legal are {listed}"

    def clone(self) -> Match:
        """Return an independent copy of this game."""
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
        return restore_match, (self.game, self.states.tobytes(), self.seed, self.forced, self.history)

    def restore(self, state: bytes, history: list[int]) -> None:
        """Restore a state saved as bytes and the `history` that led to it; the caller sets `seed` and `forced`."""
        self.states.view(np.ndarray).view(np.uint8)[...] = np.frombuffer(state, np.uint8)
        self.history = history
        self.truncated = bool(self._truncated.item())
        if self.states.view(np.ndarray).view(np.uint8).any():  # else no game has begun
            self._run(READ, 0)

    def replay(self) -> Iterator[Match]:
        """Yield this game at its start and after each action; always the same object, one step further."""
        again = Match(self.game)
        again.begin(self.seed, self.forced)
        yield again
        for action in self.history:
            if action >= 0:
                again.play(action)
            else:
                again.forfeit(forfeit_code(action))
            yield again

    def information_state(self, seat: int) -> InformationState:
        """Return all that a player has seen and done. The game is replayed, so the cost grows with its length."""
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

    def information_set(self, seat: int) -> InformationSets:
        """Return a player's information set, a single one, to sample states from."""
        return InformationSets.of(self.game, self.states, seat)

    def render(self, mode: str, viewer: int | None) -> str | NDArray[np.uint8] | None:
        """Render the game as `viewer` sees it.

        Args:
            mode: "ansi" returns text, "rgb_array" `(height, width, 3)` uint8, "html" the text of a page, "human" prints
                text.
            viewer: a seat, or None for the referee, who sees all.
        """
        drawn = draw(self.game, self.states, mode, viewer)
        if mode != "human":
            return drawn
        print(drawn)
        return None

    def notebook_html(self, viewer: int | None) -> str:
        """Return the game as `viewer` sees it, as an HTML frame for a notebook."""
        from sackarmies_env.render.page import frame_html

        return frame_html(str(self.render("html", viewer)))


def draw(game: Game, states: Records, mode: str, viewer: int | None) -> str | NDArray[np.uint8]:
    """Return a rendering of `states[0]`, with arguments as in `Match.render`; "human" gives the same text as "ansi"."""
    from sackarmies_env import render

    if mode == "rgb_array":
        picture: NDArray[np.uint8] = render.rgb_array(game, states, viewer)
        return picture
    text: str = (render.html if mode == "html" else render.ansi)(game, states, viewer)
    return text


def restore_match(game: Game, state: bytes, seed: int, forced: dict[str, Any], history: list[int]) -> Match:
    """Return the game that was saved as its state, how it began, and the `history` that led to the state."""
    match = Match(game)
    match.seed, match.forced = seed, forced
    match.restore(state, history)
    return match
