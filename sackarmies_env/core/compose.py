"""`Game.advance` for games without a fused kernel: the same orders, obeyed by calling the game's other kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.advance import (
    BEGIN,
    ENDED,
    FAULT,
    FORFEIT,
    GAMES,
    MAX_RESTARTS,
    MODE,
    ORDER_COLUMNS,
    PLAYER,
    RANDOM,
    RESTARTS,
    RUNNING,
    SEAT,
    SEED,
    SKIP,
    STREAM,
    TERMINATED,
    TRUNCATED,
)
from sackarmies_env.core.bits import WORD_BITS
from sackarmies_env.core.legal import choose_from_mask, num_words
from sackarmies_env.core.rng import choice_stream, following_seed
from sackarmies_env.core.state import NO_PLAYER

if TYPE_CHECKING:
    from sackarmies_env.core.game import Kernel, Records


@dataclass(frozen=True)
class ComposedAdvance:
    """An `advance` made of a game's other kernels, see `core.advance`; one fused kernel is faster.

    Attributes:
        reset: as in `Game`, and so are the others.
        step: applies decisions.
        legal_actions: writes masks.
        observe: writes observations.
        returns: writes what each player has earned.
        terminations: writes who is out of the game.
        forfeit: lets players give up.
        num_actions: size of the action space.
        num_players: seats.
    """

    reset: Kernel
    step: Kernel
    legal_actions: Kernel
    observe: Kernel
    returns: Kernel
    terminations: Kernel
    forfeit: Kernel
    num_actions: int
    num_players: int

    def __call__(
        self,
        params: Records,
        states: Records,
        orders: NDArray[np.int64],
        table: NDArray[np.int64],
        *outputs: NDArray[Any],
    ) -> None:
        """Do what `core.advance` says."""
        for row, code, argument in orders.reshape(-1, ORDER_COLUMNS).tolist():
            if code == SKIP:
                continue
            play, finished = _Play(self, params, states[row : row + 1], table[row]), None
            for _ in range(argument if code == RANDOM else 1):
                play.obey(code, argument)
                finished = play.settle()
                if table[row, ENDED] != RUNNING and not play.restarts:
                    break
            play.write(row, finished, *outputs)


class _Play:
    """One game while its order is obeyed: its state `(1,)` and its line of the table."""

    def __init__(self, kernels: ComposedAdvance, params: Records, state: Records, line: NDArray[np.int64]) -> None:
        self.kernels = kernels
        self.params = params
        self.state = state
        self.line = line
        self.restarts = bool(line[MODE] & RESTARTS)

    @property
    def player(self) -> int:
        return int(self.state["current_player"][0])

    def mask(self) -> NDArray[np.int8]:
        mask = np.zeros((1, self.kernels.num_actions), np.int8)
        self.kernels.legal_actions(self.params, self.state, mask)
        row: NDArray[np.int8] = mask[0]
        return row

    def results(self) -> NDArray[np.float32]:
        """Return what each player has earned and who is out, `(2, num_players)`."""
        returns = np.zeros((1, self.kernels.num_players), np.float32)
        out = np.zeros((1, self.kernels.num_players), np.int8)
        self.kernels.returns(self.params, self.state, returns)
        self.kernels.terminations(self.params, self.state, out)
        return np.concatenate([returns, out.astype(np.float32)])

    def obey(self, code: int, argument: int) -> None:
        """Do what an order says, once; there is nothing to resume."""
        one = np.array([code], np.int64)
        if code >= 0:
            self.kernels.step(self.params, self.state, one)
        elif code == RANDOM and (self.restarts or self.line[ENDED] == RUNNING):
            self.play_choice()
        elif code == BEGIN:
            self.begin(argument)
        elif code <= FORFEIT:
            self.kernels.forfeit(self.params, self.state, FORFEIT - one)

    def begin(self, seed: int) -> None:
        self.kernels.reset(self.params, self.state, np.array([seed], np.int64))
        self.line[SEED] = seed
        self.line[STREAM] = choice_stream(np.int64(seed))

    def play_choice(self) -> None:
        action = choose_from_mask(self.line[STREAM : STREAM + 1], self.mask())
        self.kernels.step(self.params, self.state, np.array([action], np.int64))

    def ending(self) -> int:
        """Return a value of ENDED for whoever watches."""
        seat = int(self.line[SEAT])
        if self.state["terminated"][0] or (seat != NO_PLAYER and self.results()[1, seat]):
            return TERMINATED
        return TRUNCATED if self.state["truncated"][0] else RUNNING

    def play_others(self) -> int:
        seat, ending = int(self.line[SEAT]), self.ending()
        while ending == RUNNING and seat not in {NO_PLAYER, self.player}:
            self.play_choice()
            ending = self.ending()
        return ending

    def settle(self) -> NDArray[np.float32] | None:
        """Play on to the decision of whoever watches; return the results of a game that gave way to another."""
        self.line[ENDED] = ending = self.play_others()
        if ending == RUNNING or not self.restarts:
            return None
        results = self.results()
        self.line[GAMES] += 1
        for _ in range(MAX_RESTARTS):
            self.begin(int(following_seed(self.line[SEED])))
            if self.play_others() == RUNNING:
                break
        return results

    def write(
        self,
        row: int,
        finished: NDArray[np.float32] | None,
        action_masks: NDArray[np.int8],
        packed_masks: NDArray[np.uint64],
        observations: NDArray[np.int8],
        results: NDArray[np.float32],
    ) -> None:
        """Write the outputs of the game in `row`; `finished` are the results of a game that gave way to it."""
        self.line[PLAYER] = self.player
        self.line[FAULT] = self.state["error"][0]
        is_over = self.line[ENDED] != RUNNING and not self.restarts
        mask = np.zeros(self.kernels.num_actions, np.int8) if is_over else self.mask()
        if len(action_masks):
            action_masks[row] = mask
        if len(packed_masks):
            packed_masks[row] = pack_mask(mask)
        if len(observations):
            viewer = self.player if self.line[SEAT] == NO_PLAYER else int(self.line[SEAT])
            observations[row] = 0
            if viewer != NO_PLAYER:
                one = slice(row, row + 1)
                self.kernels.observe(self.params, self.state, np.array([viewer], np.int64), observations[one])
        if len(results):
            results[row] = self.results() if finished is None else finished


def pack_mask(mask: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Return a mask `(num_actions,)` as bits, `(words,)` uint64, the least significant first."""
    packed: NDArray[np.uint64] = pack_masks(mask[np.newaxis])[0]
    return packed


def pack_masks(masks: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Return masks `(n, num_actions)` as bits, `(n, words)` uint64."""
    n, num_actions = masks.shape
    padded = np.zeros((n, num_words(num_actions) * WORD_BITS), np.uint8)
    padded[:, :num_actions] = masks
    packed: NDArray[np.uint64] = np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
    return packed
