"""The contract between a game and everything that uses it."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sackarmies_env.core.actions import ActionSpace
from sackarmies_env.core.arguments import MIN_INTEGER, integer, integers, rows_of, seats_of, seeds_of
from sackarmies_env.core.chance import ForcedKind, write_forced
from sackarmies_env.core.dump import dump_record
from sackarmies_env.core.kernels import dtype_name, exact_array, make_kernel
from sackarmies_env.core.legal import legal_ids, num_words
from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.core.rng import chance_of
from sackarmies_env.core.simulator import Simulator
from sackarmies_env.core.state import COMMON_FIELDS, NO_PLAYER, StateLayout, alloc, copies_of, copy_records
from sackarmies_env.core.step_batch import NO_OUTPUTS, Command, Outputs, StepBatch, dispatch, new_commands, new_slots

Records = NDArray[np.void]
MAX_DECISIONS = 1_000_000


@dataclass(frozen=True, eq=False)
class Game:
    """One game in one configuration: its sizes, its data, the kernels that play it, and its texts.

    A game is immutable: copies are the game itself, and unpickling builds it again from its configuration. Methods that
    play it take `params`, the game's own, and `states`, an `(n,)` array made by `new_states`, and work in place. Each
    does part of what `step_batch` does: adapters that need several of them in each step call it directly.

    Attributes:
        id: name in the registry.
        num_players: seats.
        actions: the flat action space, with the text of each action.
        state_layout: the layout of the whole truth: `core.state.COMMON_FIELDS`, `core.legal.legal_fields` and its own.
        observation_spec: the layout of an observation, an int8 vector.
        params: `(1,)` record array, the configuration as data.
        config: the configuration as plain data (JSON types); `build(**config)` gives the same game.
        build: the module-level function that builds such games.
        step_batch: plays many games in one call, see `core.step_batch`.
        initial_state: `(states)`; turns the empty record `states[0]`, see `StateLayout.empty`, into a new game, up to
            where chance first decides: `Rules.resume` does the rest, when a game begins as a copy.
        determinize_batch: `(params, states, players, seeds)`, the kernel of `determinize`.
        describe_decision: `(states) -> str`, the name of the decision in `states[0]`, from what the current player
            knows.
        write_scenario: `(states) -> dict`, `states[0]` as a scenario: the referee's full truth, hidden fields
            included. None: all fields that are kept, by name (`core.dump.dump_record`).
        forced_kinds: kinds of chance whose first results can be forced; the state has the `core.chance.chance_fields`
            of each.
        keeps_chance: whether every game has the chance of the initial state, whatever its seed.
        zero_sum: whether the returns of all players add up to zero whenever a game is over, truncated ones included.
        all_seeing: seats from which nothing is hidden but future chance; all of them in a game of perfect information.
        conceal: `(player) -> Game`, this game without what its configuration hides from a player: the same rules, sizes
            and ids, and a configuration that is the same in all games that the player cannot tell apart. None: the
            configuration hides nothing.
        max_decisions: a game is truncated after this many decisions. Limits of turns belong to the rules; this one ends
            games whose turns do not end.

    Raises:
        ValueError: something is missing or inconsistent.
    """

    id: str
    num_players: int
    actions: ActionSpace
    state_layout: StateLayout
    observation_spec: ObservationSpec
    params: Records
    config: dict[str, Any]
    build: Callable[..., Game]
    step_batch: StepBatch
    initial_state: Callable[[Records], None]
    determinize_batch: Callable[[Records, Records, NDArray[np.int64], NDArray[np.int64]], None]
    describe_decision: Callable[[Records], str]
    write_scenario: Callable[[Records], dict[str, Any]] | None = None
    forced_kinds: tuple[ForcedKind, ...] = ()
    keeps_chance: bool = False
    zero_sum: bool = False
    all_seeing: tuple[int, ...] = ()
    conceal: Callable[[int], Game] | None = None
    max_decisions: int = MAX_DECISIONS

    def __post_init__(self) -> None:
        """Refuse a game that could not be played."""
        for name in ("step_batch", "initial_state", "determinize_batch", "build"):
            if not callable(getattr(self, name)):
                raise ValueError(f"game {self.id!r}: {name} is {getattr(self, name)!r}, but must be a function")
        for name in ("num_players", "num_actions", "max_decisions"):
            if not getattr(self, name) > 0:
                raise ValueError(f"game {self.id!r}: {name} is {getattr(self, name)}, but must be at least 1")
        if self.params.shape != (1,):
            raise ValueError(f"game {self.id!r}: params has the shape {self.params.shape}, but must have (1,)")
        fields: Mapping[str, Any] = self.state_dtype.fields or {}
        wanted = [*(field.name for field in COMMON_FIELDS), "legal", "num_legal"]
        missing = [name for name in wanted if name not in fields]
        if missing:
            raise ValueError(f"game {self.id!r}: the state lacks the fields {', '.join(missing)}")
        words, needed = fields["legal"][0].shape[0], num_words(self.num_actions)
        if words < needed:
            raise ValueError(
                f"game {self.id!r}: legal holds {words} words, but {self.num_actions} actions need {needed} of them"
            )
        for kind in self.forced_kinds:
            queues = fields[f"script_{kind.name}"][0].shape[0] if f"script_{kind.name}" in fields else 0
            if queues < len(kind.results):
                raise ValueError(
                    f"game {self.id!r}: {kind.name} can be forced in {len(kind.results)} queues, but the state has "
                    f"{queues}: see core.chance.chance_fields"
                )

    @cached_property
    def num_actions(self) -> int:
        """Size of the action space."""
        return self.actions.num_actions

    @property
    def state_dtype(self) -> np.dtype[np.void]:
        """The dtype of states."""
        return self.state_layout.dtype

    # --- one state as text

    def format_action(self, states: Records, action: int) -> str:
        """Return the text of an action for the decision in `states[0]`."""
        return self.actions.format_action(states, action)

    def parse_action(self, states: Records, text: str) -> int:
        """Return the action legal in `states[0]` that a text names.

        Raises:
            ValueError: it names no legal action.
        """
        return self.actions.parse_action(states, text)

    def to_scenario(self, states: Records) -> dict[str, Any]:
        """Return `states[0]` as a scenario: the referee's full truth as plain data (JSON types)."""
        if self.write_scenario is None:
            return dump_record(self.id, self.state_layout, states)
        return self.write_scenario(states)

    # --- many states

    def new_states(self, n: int) -> Records:
        """Return `(n,)` zeroed records; `reset` starts games in them."""
        return alloc(self.state_dtype, n)

    def new_slots(self, n: int, *, restarts: bool = False) -> Records:
        """Return the slots of `n` games for `step_batch`; with `restarts`, games that are over are replaced."""
        return new_slots(n, self.max_decisions, restarts=restarts, keeps_chance=self.keeps_chance)

    @cached_property
    def initial(self) -> Records:
        """The state that every game begins as, `(1,)`; read-only, since it is shared."""
        states = self.new_states(1)
        copy_records(self.state_layout.empty, states)
        self.initial_state(states)
        states.setflags(write=False)
        return states

    def reset(self, params: Records, states: Records, seeds: ArrayLike) -> None:
        """Start new games and advance them to the first decision.

        Args:
            params: `(1,)`.
            states: `(n,)`.
            seeds: `(n,)` integers, 0 to 2**63 - 1.

        Raises:
            ValueError: there is not one seed per state, one is out of range, or an array is not one that kernels take.
        """
        seeds = seeds_of(seeds, len(states))
        self._check_records(params, states)
        if len(states):
            copy_records(self.initial, states[-1:])
            self._run(params, states, Command.BEGIN, seeds)  # the last record is copied, and begins last

    def start(self, states: Records, seed: int, forced: Mapping[str, Any] | None = None) -> None:
        """Start a game in `states[0]` with forced results, which are used up before `seed` decides.

        Args:
            states: `(n,)`.
            seed: -2**63 to 2**63 - 1; records may have negative ones.
            forced: what each `ForcedKind` takes, by its name; None for nothing.

        Raises:
            ValueError: the seed is not such an integer, results are of an unknown kind or not what it takes, or there
                is no state that kernels take.
        """
        seed = integer("seed", seed, MIN_INTEGER)
        exact_array("states", states[:1], self.state_dtype, (1,))
        first = self.new_states(1)  # not `initial.copy()`, which would leave bytes between the fields undefined
        copy_records(self.initial, first)
        write_forced(first, self.forced_kinds, {} if forced is None else forced)
        copy_records(first, states[:1])
        self._run(self.params, states[:1], Command.BEGIN, seed)

    def clone(self, states: Records, rows: ArrayLike | None = None, seeds: ArrayLike | None = None) -> Records:
        """Return copies of states, `(k,)` records.

        Args:
            states: `(n,)`; they may come from `np.load`.
            rows: those to copy, `(k,)` integers, repeats allowed; None for all.
            seeds: `(k,)`, 0 to 2**63 - 1, of the chance that each copy meets from here on, once its forced results are
                used up; None: the chance that the original meets.

        Raises:
            ValueError: they are no states of this game or not contiguous, there is no such row, or not one seed per
                copy.
        """
        if not isinstance(states, np.ndarray) or states.dtype != self.state_dtype or states.ndim != 1:
            kind = type(states).__name__
            given = f"{dtype_name(states.dtype)} of shape {states.shape}" if isinstance(states, np.ndarray) else kind
            raise ValueError(f"states is {given}, but must be {dtype_name(self.state_dtype)} of shape (n,)")
        if not states.flags.c_contiguous:
            raise ValueError("states is not contiguous: give the whole array, and the rows to copy")
        raw = states.view(np.ndarray).view(self.state_dtype)
        copies = copies_of(raw, np.arange(len(raw)) if rows is None else rows_of(rows, len(raw)))
        if seeds is not None:
            for name, values in chance_of(seeds_of(seeds, len(copies))).items():
                copies[name] = values
        return copies

    def step(self, params: Records, states: Records, actions: ArrayLike, *, checked: bool = False) -> None:
        """Apply one action to each state, and advance to the next decision or the end; actions `(n,)` integers.

        A game that is over stays as it is.

        Args:
            params: `(1,)`.
            states: `(n,)`.
            actions: `(n,)` integers. An illegal one is undefined behavior, unless `checked`: adapters check against the
                mask.
            checked: whether illegal actions are refused.

        Raises:
            ValueError: there is not one integer per state, an array is not one that kernels take, or with `checked` an
                action is not legal; no state is changed.
        """
        given = integers("actions", actions, len(states))
        if checked:
            self._check_legal(states, given)
        self._run(params, states, Command.STEP, given)

    def _check_legal(self, states: Records, actions: NDArray[np.int64]) -> None:
        for row, action in enumerate(actions.tolist()):
            legal = legal_ids(states["legal"][row])
            if states["current_player"][row] != NO_PLAYER and action not in legal:
                decision = self.describe_decision(states[row : row + 1])
                raise ValueError(f"illegal action {action} in state {row} at {decision}; legal are {legal}")

    def determinize(self, params: Records, states: Records, players: ArrayLike, seeds: ArrayLike) -> None:
        """Resample in place what is hidden from players, future chance included, consistent with what they know.

        The result depends on what they know and on the seed alone: states that the player cannot tell apart become the
        same record, to the byte. `decisions` becomes 0: how many of them others have made is hidden.

        Args:
            params: `(1,)`.
            states: `(n,)`.
            players: `(n,)` integers.
            seeds: `(n,)` integers, 0 to 2**63 - 1.

        Raises:
            ValueError: there is no such player, there is not one player and seed per state, a seed is out of range, or
                an array is not one that kernels take.
        """
        self._check_records(params, states)
        given = (seats_of("players", players, len(states), 0, self.num_players), seeds_of(seeds, len(states)))
        self.determinize_batch(params, states, *(np.require(values, requirements=["C", "W"]) for values in given))

    def forfeit(self, params: Records, states: Records, players: ArrayLike) -> None:
        """Make players forfeit, whoever is the current player, and advance to the next decision or the end.

        Args:
            params: `(1,)`.
            states: `(n,)`.
            players: `(n,)` integers; NO_PLAYER (-1) for nobody.

        Raises:
            ValueError: there is no such player, or not one per state.
        """
        seats = seats_of("players", players, len(states), NO_PLAYER, self.num_players)
        self._run(params, states, np.where(seats == NO_PLAYER, Command.SKIP, Command.FORFEIT), seats)

    def legal_actions(self, params: Records, states: Records, action_mask: NDArray[np.int8]) -> None:
        """Write the masks of the current players, `(n, num_actions)` int8; all zero once a game is over."""
        out = exact_array("action_mask", action_mask, np.int8, (len(states), self.num_actions))
        self._run(params, states, Command.READ, 0, Outputs(action_masks=out))

    def observe(self, params: Records, states: Records, players: ArrayLike, out: NDArray[np.int8]) -> None:
        """Write what players see, whoever is the current player; players `(n,)` integers, out `(n, size)` int8."""
        seats = seats_of("players", players, len(states), 0, self.num_players)
        self._check_records(params, states)
        exact_array("out", out, np.int8, (len(states), self.observation_spec.size))[...] = 0
        self._run(params, states, Command.READ, 0, Outputs(observations=out), seats)

    def returns(self, params: Records, states: Records, out: NDArray[np.float32]) -> None:
        """Write what each player has earned so far, `(n, num_players)` float32.

        It no longer changes for a player who is out of the game.
        """
        exact_array("out", out, np.float32, (len(states), self.num_players))
        out[...] = self._results(params, states)[:, 0]

    def terminations(self, params: Records, states: Records, out: NDArray[np.int8]) -> None:
        """Write 1 for each player who is out of the game, `(n, num_players)` int8.

        A player is out if eliminated, or if the rules have ended the game. Truncation is a field of the state.
        """
        exact_array("out", out, np.int8, (len(states), self.num_players))
        out[...] = self._results(params, states)[:, 1]

    def _results(self, params: Records, states: Records) -> NDArray[np.float32]:
        results = np.zeros((len(states), 2, self.num_players), np.float32)
        self._run(params, states, Command.READ, 0, Outputs(results=results))
        return results

    def _run(
        self,
        params: Records,
        states: Records,
        kinds: ArrayLike,
        arguments: ArrayLike,
        outputs: Outputs = NO_OUTPUTS,
        observing_seats: ArrayLike = NO_PLAYER,
    ) -> None:
        """Give each state one command, with a temporary slot."""
        self._check_records(params, states)
        slots = self.new_slots(len(states))
        slots["observing_seat"] = observing_seats
        dispatch(self.step_batch, params, states, kinds, arguments, slots=slots, outputs=outputs)

    def _check_records(self, params: Records, states: Records) -> None:
        """Refuse arrays for which numba would compile the rules again."""
        exact_array("params", params, self.params.dtype, (1,))
        exact_array("states", states, self.state_dtype, (len(states),))

    # --- for agents and kernels

    def known_to(self, player: int) -> Game:
        """Return this game as a player may know it: nothing in its configuration is hidden from them.

        It is the same object each time, with a configuration and `params` of its own: writing to those does not change
        this game.

        Raises:
            ValueError: there is no such player.
        """
        seat = integer("player", player, MIN_INTEGER)
        if not 0 <= seat < self.num_players:
            raise ValueError(f"player {seat} does not exist: players are 0 to {self.num_players - 1}")
        if seat not in self._known:
            self._known[seat] = self._copy() if self.conceal is None else self.conceal(seat)
        return self._known[seat]

    @cached_property
    def _known(self) -> dict[int, Game]:
        """The games that `known_to` has returned, by player: building one takes milliseconds."""
        return {}

    def _copy(self) -> Game:
        return replace(self, params=copies_of(self.params, np.zeros(1, np.int64)), config=copy.deepcopy(self.config))

    def simulator(self) -> Simulator:
        """Return what a user's own kernels need to play this game, see `core.simulator`; each thread needs its own.

        Raises:
            ValueError: `step_batch` is not compiled, as in Sack Armies with observations as planes.
        """
        state, commands, slots, seats = self.new_states(1), new_commands(1), self.new_slots(1), np.zeros(1, np.int64)
        mask, observation = np.zeros((1, self.num_actions), np.int8), np.zeros((1, self.observation_spec.size), np.int8)
        score = Outputs(results=np.zeros((1, 2, self.num_players), np.float32))
        return Simulator(
            rules=make_kernel(self.step_batch, self.params, state, commands, slots, *NO_OUTPUTS),
            sampler=make_kernel(self.determinize_batch, self.params, state, seats, seats),
            params=self.params,
            commands=commands,
            slots=slots,
            nothing=NO_OUTPUTS,
            decision=Outputs(action_masks=mask, observations=observation),
            sight=Outputs(observations=observation.copy()),
            score=score,
            player=seats,
            seed=seats.copy(),
        )

    # --- identity

    @cached_property
    def digest(self) -> str:
        """A hash of the configuration with its data, and of the layouts of state and observation.

        Saved bytes depend on all of these.
        """
        layout = [self.num_actions, self.state_dtype.descr, self.observation_spec.names()]
        content = json.dumps([self.id, self.config, layout], sort_keys=True)
        return hashlib.sha256(content.encode() + self.params.tobytes()).hexdigest()[:16]

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Callable[..., Game], dict[str, Any]]]:
        return _rebuild, (self.build, self.config)


def forfeit_code(player: int) -> int:
    """Return the code that stands for a forfeit of `player` among actions; given the code, return the player."""
    return -1 - player


def _rebuild(build: Callable[..., Game], config: dict[str, Any]) -> Game:
    return build(**config)
