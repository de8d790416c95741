"""Many games of one kind side by side, on one or more threads: the basis of vector environments and training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sackarmies_env.core.arguments import (
    MIN_INTEGER,
    SEED_RANGE,
    integer,
    integers,
    read_only,
    rows_of,
    seats_of,
    seeds_of,
)
from sackarmies_env.core.checks import (
    ARGUMENT_NEGATIVE,
    ILLEGAL,
    NOT_CURRENT,
    PLAYER_UNKNOWN,
    ROW_TWICE,
    SEAT_OUTSIDE,
    Judge,
    row_twice,
)
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.kernels import exact_array
from sackarmies_env.core.legal import num_words
from sackarmies_env.core.rng import choice_stream
from sackarmies_env.core.state import ERROR_NONE, NO_PLAYER, alloc, copies_of, copy_records, engine_error
from sackarmies_env.core.step_batch import NO_OUTPUTS, Command, Outputs, new_commands
from sackarmies_env.core.workers import Workers, free_cores

CHUNK = 512  # most games that a thread takes at a time: asking for more costs some microseconds, see decision 9
SMALL_CHUNK = 16
TO_THE_END = 2**40  # decisions, more than any game has
STARTS = (Command.BEGIN, Command.READ, Command.AWAIT)  # a game that is only read was written by the caller

Rows = NDArray[np.int64]


class Batch:
    """`n` games of one kind; a step of all of them allocates nothing and overwrites all arrays in place.

    Rows are independent: a game depends on its seed and its actions, not on other games or the number of threads. With
    `restarts`, a game that is over is replaced in the same call by the game of `core.rng.following_seed`; masks and
    observations are then those of the new game, `returns` and `terminations` still those of the one that `ended`.

    A batch can be pickled, and copied by `copy.deepcopy`: the copy continues the same games in its own arrays.

    Args:
        game: the game to play.
        n: number of games.
        threads: number of threads, the calling one included; None for all cores that the process may use.
        restarts: whether games that are over are replaced by new ones.
        masks: whether `action_masks` are written.
        packed: whether `packed_masks` are written.
        observations: whether `observations` are written.
        checked: whether to check rows, seats, seeds, types and actions, whose legality is judged from the states, and
            to make outputs read-only. False is **unsafe**: a wrong value leads to wrong games, a process that hangs, or
            one that crashes. docs/benchmarks.md says what the checks cost.

    Attributes:
        states: `(n,)` records; may be written to, and the rules trust them.
        action_masks: `(n, num_actions)` int8, of the current players; zero in games that are over. `(0, 0)` if not
            requested, like the next two.
        packed_masks: `(n, words)` uint64, the same as bits.
        observations: `(n, size)` int8, of the current players; zero in games that are over, unless there is an
            observing seat.
        returns: `(n, num_players)` float32, earned so far.
        terminations: `(n, num_players)` float32, 1 for players whose game the rules have ended.
        players: `(n,)` int64, the current player; NO_PLAYER (-1) in games that are over.
        ended: `(n,)` int64, values of `Ending`: RUNNING (0), TERMINATED (1) or TRUNCATED (2); with `restarts`, of the
            last step.
        games: `(n,)` int64, number of games replaced so far, with `restarts`.
        seeds: `(n,)` int64, of the current games.
        seats: `(n,)` int64, may be written to: the observing seat, or -1 for none. The other players act at random in
            the same call until that seat decides or its game is over; observations, masks and `ended` are its own.

    Raises:
        ValueError: `n` or `threads` is not a positive integer. Checked methods raise it too, and then change nothing.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        *,
        threads: int | None = 1,
        restarts: bool = True,
        masks: bool = True,
        packed: bool = False,
        observations: bool = True,
        checked: bool = True,
    ) -> None:
        n = integer("n", n, 1)
        self.game = game
        self.threads = free_cores() if threads is None else integer("threads", threads, 1)
        self.checked = checked
        self._all_states = alloc(game.state_dtype, n + 1)  # the last one is copied to begin new games
        self.states: Records = self._all_states[:n]
        self._outputs = Outputs(
            np.zeros((n, game.num_actions) if masks else (0, 0), np.int8),
            np.zeros((n, num_words(game.num_actions)) if packed else (0, 0), np.uint64),
            np.zeros((n, game.observation_spec.size) if observations else (0, 0), np.int8),
            np.zeros((n, 2, game.num_players), np.float32),
        )
        self._slots = game.new_slots(n, restarts=restarts)
        self._show()
        self.seats, self._errors = self._slots["observing_seat"], self._slots["error"]
        self._judge = Judge(self._all_states, self._slots, game.num_actions, game.num_players)
        self._commands = new_commands(n)
        self._pieces = _cut(self._commands, self.threads)
        # At 1,024 games a decision takes 2,047 ns of processor time on two threads, 2,095 on one: sharing is free.
        # docs/benchmarks.md has the gain in decisions per second.
        self._workers = Workers(self.threads)
        self._is_ready = False
        self._begun = np.zeros(n, np.bool_)
        self._all_begun = False

    def __getstate__(self) -> tuple[dict[str, Any], list[NDArray[np.uint8]]]:
        """Return the constructor's arguments and the bytes of the arrays; copied views would be detached from them."""
        masks, packed, observations, _ = self._outputs
        made = {
            "game": self.game,
            "n": len(self),
            "threads": self.threads,
            "restarts": bool(self._slots["restarts"][0]),
            "masks": len(masks) > 0,
            "packed": len(packed) > 0,
            "observations": len(observations) > 0,
            "checked": self.checked,
        }
        return made, self._bytes()

    def __setstate__(self, state: tuple[dict[str, Any], list[NDArray[np.uint8]]]) -> None:
        made, content = state
        Batch.__init__(self, **made)
        for own, given in zip(self._bytes(), content, strict=True):
            own[...] = given
        self._all_begun = bool(self._begun.all())

    def _bytes(self) -> list[NDArray[np.uint8]]:
        """Return the arrays of which all others are views, as bytes."""
        owned: tuple[NDArray[Any], ...] = (self._all_states, self._slots, *self._outputs, self._begun)
        return [array.view(np.uint8, np.ndarray) for array in owned]

    def _show(self) -> None:
        """Set the attributes for outputs, as read-only views if checked."""
        columns = [self._slots[name] for name in ("current_player", "ended", "games", "seed")]
        shown: list[NDArray[Any]] = [*self._outputs, *columns]
        if self.checked:
            shown = [read_only(array) for array in shown]
        self.action_masks, self.packed_masks, self.observations, results = shown[:4]
        self.returns: NDArray[np.float32] = results[:, 0]
        self.terminations: NDArray[np.float32] = results[:, 1]
        self.players, self.ended, self.games, self.seeds = shown[4:]

    def __len__(self) -> int:
        return len(self.states)

    # --- play

    def reset(self, seeds: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Begin new games.

        Args:
            seeds: one per game, 0 to 2**63 - 1.
            rows: the games, `(k,)` int64, each at most once; None for all.

        Raises:
            ValueError: there is not one seed per game, or a seed or row is invalid.
        """
        chosen = self._rows_of(rows)
        count = len(self) if chosen is None else len(chosen)
        given = seeds_of(seeds, count) if self.checked else np.asarray(seeds, np.int64)
        self._dispatch(Command.BEGIN, chosen, given)

    def step(self, actions: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Apply one legal action to each game; a game that is over stays as it is.

        Args:
            actions: `(k,)` integers.
            rows: the games, `(k,)` int64, each at most once; None for all.

        Raises:
            ValueError: an action is not legal; no game is changed.
        """
        self._dispatch(Command.STEP, self._rows_of(rows), actions, name="actions")

    def step_random(self, steps: int = 1, rows: ArrayLike | None = None) -> None:
        """Take `steps` random decisions, each legal id equally likely; outputs are those after the last one."""
        self._dispatch(Command.RANDOM, self._rows_of(rows), integer("steps", steps, 0))

    def rollout(self, steps: int) -> None:
        """Do the same as `step_random`, with no outputs except `players`, `ended`, `games` and `seeds`.

        Each game plays all steps before the next one, so that it stays in the cache; `read` updates the outputs.
        """
        self._dispatch(Command.RANDOM, None, integer("steps", steps, 0), NO_OUTPUTS)

    def play_out(self, rows: ArrayLike | None = None) -> None:
        """Play games that do not restart to the end at random.

        Raises:
            ValueError: games restart.
        """
        if self._slots["restarts"][0]:
            raise ValueError("play_out() requires restarts=False: games that restart never end")
        self._dispatch(Command.RANDOM, self._rows_of(rows), TO_THE_END)

    def forfeit(self, players: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Make one player per game forfeit, whoever is the current player; NO_PLAYER (-1) for nobody."""
        chosen = self._rows_of(rows)
        given = self._seats_of("players", players, len(self) if chosen is None else len(chosen), NO_PLAYER)
        self._dispatch(np.where(given == NO_PLAYER, Command.AWAIT, Command.FORFEIT), chosen, given)

    def read(self, rows: ArrayLike | None = None) -> None:
        """Have other seats act until the observing seats decide, and write the outputs.

        It is called after a rollout, or after states or seats were written to. Without observing seats, nobody acts.
        """
        self._dispatch(Command.AWAIT, self._rows_of(rows))

    def forced_starts(self, seeds: ArrayLike, forced: Mapping[str, Any]) -> Records:
        """Return new games with forced results, `(n,)` records; the batch itself does not change.

        Raises:
            ValueError: the game cannot take them.
        """
        starts = self.game.new_states(len(self))
        for row, seed in enumerate(seeds_of(seeds, len(self)).tolist()):
            self.game.start(starts[row : row + 1], seed, forced)
            if fault := int(starts["error"][row]):
                raise engine_error(fault, f"in game {row}, of seed {seed}")
        return starts

    def begin_at(self, seeds: ArrayLike, starts: Records, rows: ArrayLike | None = None) -> None:
        """Begin games at given positions: first decisions, or any others, such as copies of a single one.

        Random choices follow from the seed of each game. Chance is part of the positions: copies of one position meet
        the same chance, unless `Game.clone` gave each its own.

        Args:
            seeds: one per game, 0 to 2**63 - 1.
            starts: `(k,)` records, see `forced_starts` and `Game.clone`.
            rows: the games, `(k,)` int64, each at most once; None for all.

        Raises:
            ValueError: seeds, rows, seats or positions are invalid; no game is changed.
        """
        chosen = self._rows_of(rows)
        count = len(self) if chosen is None else len(chosen)
        given = seeds_of(seeds, count)
        exact_array("starts", starts, self.game.state_dtype, (count,))
        self._commands_of(Command.AWAIT, chosen)  # refused, if at all, before positions are overwritten
        copy_records(starts, self.states, chosen)
        begun = slice(None) if chosen is None else chosen
        self._slots["seed"][begun] = given
        self._slots["stream"][begun] = [choice_stream(seed) for seed in given.tolist()]
        self._dispatch(Command.AWAIT, chosen)

    def observe(self, players: ArrayLike, rows: ArrayLike | None = None) -> NDArray[np.int8]:
        """Return what players see, whoever is the current player: a new array `(k, size)` int8.

        Args:
            players: `(k,)` seats.
            rows: the games, `(k,)` int64; None for all.

        Raises:
            ValueError: there is no such player or game, or the game has not begun.
        """
        chosen = self._rows_of(rows)
        states = self.states if chosen is None else copies_of(self.states, chosen)
        seats = self._seats_of("players", players, len(states), 0)
        if not self._all_begun:
            self._check_begun(np.arange(len(self)) if chosen is None else chosen)
        out = np.empty((len(states), self.game.observation_spec.size), np.int8)
        self.game.observe(self.game.params, states, seats, out)
        return out

    def information_sets(self, player: int, rows: ArrayLike | None = None) -> InformationSets:
        """Return a player's information sets in games, to sample states from, whoever is the current player.

        Args:
            player: a seat, the same in all of them.
            rows: the games, `(k,)` int64; None for all.

        Raises:
            ValueError: there is no such player or game, or the game has not begun.
        """
        chosen = np.arange(len(self)) if rows is None else rows_of(rows, len(self))
        if not self._all_begun:
            self._check_begun(chosen)
        return InformationSets.of(self.game, copies_of(self.states, chosen), player)

    def are_legal(self, actions: ArrayLike, rows: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Return whether actions are legal for the current players, `(k,)` bool, judged from the states.

        Args:
            actions: `(k,)` integers.
            rows: the games, `(k,)` int64, each at most once; None for all.

        Raises:
            ValueError: there is not one integer per game, there is no such game, it has not begun, or it is given
                twice.
        """
        chosen = np.arange(len(self)) if rows is None else rows_of(rows, len(self))
        if not self._all_begun:
            self._check_begun(chosen)
        return self._judge.are_legal(chosen, integers("actions", actions, len(chosen)))

    def refusal(self, row: int, action: int) -> str:
        """Return a sentence on why an action is refused, using only what the game's current player knows.

        Raises:
            ValueError: there is no such game, or it has not begun.
        """
        chosen = rows_of([row], len(self))
        if not self._all_begun:
            self._check_begun(chosen)
        decision, legal = self.game.describe_decision(self.states[row : row + 1]), self._judge.legal_ids(row)
        return f"illegal action {action} in game {row} at {decision}; legal are {legal}; no game was changed"

    def hide(self, rows: ArrayLike, players: ArrayLike | None = None) -> None:
        """Zero the masks of games, and set observations to what `players` `(k,)` see there, to zeros if None."""
        chosen = rows_of(rows, len(self))
        masks, packed, observations, _ = self._outputs
        seen = 0 if players is None else self.observe(players, chosen)
        for output, content in ((masks, 0), (packed, 0), (observations, seen)):
            if len(output):
                output[chosen] = content

    def _rows_of(self, rows: ArrayLike | None) -> Rows | None:
        if rows is None:
            return None
        return rows_of(rows, len(self)) if self.checked else np.asarray(rows, np.int64)

    def _seats_of(self, name: str, given: ArrayLike, count: int, smallest: int) -> NDArray[np.int64]:
        if not self.checked:
            return np.asarray(given, np.int64)
        return seats_of(name, given, count, smallest, self.game.num_players)

    # --- commands

    def dispatch(self, kinds: ArrayLike, rows: ArrayLike | None = None, arguments: ArrayLike = 0) -> None:
        """Give commands to games, see `core.step_batch`.

        Args:
            kinds: values of `Command`: one for all, or `(k,)` int64.
            rows: the games, `(k,)` int64, each at most once; None for all.
            arguments: one for all, or `(k,)` int64.

        Raises:
            RuntimeError: the rules engine reports an internal fault.
            ValueError: a command cannot be carried out, and no game is changed: an illegal action, an unknown command,
                a row, seat or player that does not exist, a game that has not begun. Or forced results were used up
                where nothing else decides.
        """
        self._dispatch(kinds, self._rows_of(rows), arguments)

    def _dispatch(
        self,
        kinds: ArrayLike,
        chosen: Rows | None,
        arguments: ArrayLike = 0,
        outputs: Outputs | None = None,
        name: str = "arguments",
    ) -> None:
        """Carry out `dispatch`.

        Args:
            kinds: as there.
            chosen: `(k,)` int64, checked; None for all.
            arguments: as there.
            outputs: arrays to write; None for those of this batch.
            name: name of the arguments, for messages.
        """
        commands = self._commands_of(kinds, chosen, arguments, name)
        if not self._all_begun:
            self._begun[commands["row"][np.isin(commands["kind"], STARTS)]] = True
            self._all_begun = bool(self._begun.all())
        pieces = self._pieces if chosen is None else _cut(commands, self.threads)
        self._run(commands, pieces, self._outputs if outputs is None else outputs)
        errors = self._errors if chosen is None else self._errors[chosen]
        if errors.any():
            self._report(np.flatnonzero(errors) if chosen is None else chosen[errors != ERROR_NONE])

    def _commands_of(
        self, kinds: ArrayLike, chosen: Rows | None, arguments: ArrayLike = 0, name: str = "arguments"
    ) -> Records:
        """Return commands that can be carried out; arguments are those of `_dispatch`."""
        commands = self._commands if chosen is None else new_commands(len(chosen))
        if chosen is not None:
            commands["row"] = chosen
        commands["kind"] = _one_or_many("kinds", kinds, len(commands)) if self.checked else kinds
        commands["argument"] = _one_or_many(name, arguments, len(commands)) if self.checked else arguments
        if not self._all_begun:
            self._check_begun(commands["row"][~np.isin(commands["kind"], (Command.SKIP, *STARTS))])
        if self.checked and (fault := self._judge.find_fault(commands)) is not None:
            raise ValueError(self._sentence(commands[fault[0]].tolist(), fault[1]))
        return commands

    def _check_begun(self, rows: Rows) -> None:
        """Refuse games that have not begun: their states are empty."""
        empty = rows[~self._begun[rows]]
        if len(empty):
            raise ValueError(f"game {empty[0]} has not begun: call reset first")

    def _sentence(self, command: tuple[int, int, int], verdict: int) -> str:
        """Return a sentence on what is wrong with a command."""
        row, kind, argument = command
        if verdict == ILLEGAL:
            return self.refusal(row, argument)
        if verdict == ROW_TWICE:
            return row_twice(row)
        last = self.game.num_players - 1
        seat = self.seats[row]
        if verdict == SEAT_OUTSIDE:
            return f"seats[{row}] is {seat}: it must be from -1 to {last}"
        if verdict == NOT_CURRENT:
            return (
                f"action {argument} in game {row}: the observing seat {seat} is not the current player; either its "
                "game is over, or seats was changed after the last decision, which requires a call of read()"
            )
        if verdict == ARGUMENT_NEGATIVE:
            is_seed = kind == Command.BEGIN
            return f"seeds contains {argument}: {SEED_RANGE}" if is_seed else f"steps={argument}: it must be at least 0"
        if verdict == PLAYER_UNKNOWN:
            return f"unknown player {argument} to forfeit game {row}: players are 0 to {last}"
        return f"unknown command {kind} for game {row}: commands are 0 to {max(Command)}, see core.step_batch.Command"

    def _run(self, commands: Records, pieces: list[Records], outputs: Outputs) -> None:
        if not self._is_ready:
            self._make_ready()
        step_batch, params, states, slots = self.game.step_batch, self.game.params, self._all_states, self._slots
        if len(pieces) < 2:
            step_batch(params, states, commands, slots, *outputs)
            return
        self._workers.share(lambda piece: step_batch(params, states, pieces[piece], slots, *outputs), len(pieces))

    def _make_ready(self) -> None:
        """Write the initial state; compile here, if need be, rather than in several threads at once."""
        game = self.game
        copy_records(game.initial, self._all_states[len(self) :])
        game.step_batch(game.params, self._all_states, self._commands[:0], self._slots, *self._outputs)
        self._is_ready = True

    def _report(self, rows: Rows) -> None:
        row = int(rows[0])
        raise engine_error(int(self._errors[row]), f"in game {row}, of seed {self.seeds[row]}")


def _one_or_many(name: str, given: Any, count: int) -> int | NDArray[np.int64]:
    return integer(name, given, MIN_INTEGER) if isinstance(given, int) else integers(name, given, count)


def _cut(commands: Records, threads: int) -> list[Records]:
    """Split commands into pieces for several threads; one piece, where splitting does not pay."""
    if threads == 1 or len(commands) < 2 * SMALL_CHUNK:
        return [commands]
    size = min(CHUNK, max(SMALL_CHUNK, len(commands) // (2 * threads)))
    return [commands[start : start + size] for start in range(0, len(commands), size)]
