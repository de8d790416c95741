"""Units of a ladder, see `stats.units`: what is drawn for them, and how they are played and stored."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.game import Game
from sackarmies_env.core.record import GameRecord, save_record
from sackarmies_env.core.validation import StrictModel, TupleOf
from sackarmies_env.registry import load_players
from sackarmies_training.ladder.config import ContestConfig, LadderConfig, Pool
from sackarmies_training.ladder.thinking import Thinking, Watch
from sackarmies_training.matches import PlayedGame, Seating, play_games, rehearse
from sackarmies_training.ratings import Outcome
from sackarmies_training.seeds import SEED_BITS, derive
from sackarmies_training.stats.luck import LuckMeter, NotMeasurableError
from sackarmies_training.stats.units import PlayedUnit
from sackarmies_training.tournament import RECORDS, GameResult, GameSummary, line_ups, record_of, seatings

KEPT_GAMES = 64  # built games that a process keeps
NAME_DIGITS = 10  # hexadecimal, for the line-up in file names

Maker = Callable[[GameInfo], Agent]  # makes an agent; can be pickled


def maker_of(text: str) -> Maker:
    """Return a function that makes an agent from its text form."""
    return functools.partial(make_agent, text)


@dataclass(frozen=True)
class Unit:
    """A unit before it is played.

    Attributes:
        players: number of seats.
        line_up: names by seat in the first seating.
        number: its number among the units of this line-up.
        armies: by seat; none in a game without armies.
        seed: seed of the chance in all its games.
    """

    players: int
    line_up: tuple[str, ...]
    number: int
    armies: tuple[str, ...]
    seed: int

    @property
    def num_games(self) -> int:
        """Number of games: one for each seating."""
        return len(seatings(self.line_up))


class UnitEntry(StrictModel):
    """A finished unit, one line of the file of results; games are in the order of `tournament.seatings`.

    `luck` is what flips or dice brought each seat in each game beyond expectation, in units of returns; empty if it was
    not measured.
    """

    players: int
    line_up: TupleOf[str]
    number: int
    armies: TupleOf[str]
    seed: int
    games: TupleOf[GameResult]
    thinking: dict[str, Thinking]
    luck: TupleOf[TupleOf[Annotated[float, Field(allow_inf_nan=False)]]] = ()

    @property
    def unit(self) -> Unit:
        """The unit that was played."""
        return Unit(self.players, self.line_up, self.number, self.armies, self.seed)

    @property
    def played(self) -> PlayedUnit:
        """The unit as statistics see it."""
        outcomes = [
            Outcome(seating, game.returns, {forfeit.seat: forfeit.reason for forfeit in game.forfeits}, game.out)
            for seating, game in zip(seatings(self.line_up), self.games, strict=True)
        ]
        return PlayedUnit(self.line_up, self.seed, tuple(outcomes), self.luck)

    def points(self, name: str) -> float:
        """Return an agent's points in all games of the unit: one point per game, shared by those who draw."""
        return self.played.points(name)

    @property
    def named_games(self) -> dict[str, GameSummary]:
        """The games as reports of all contests see them, by file name."""
        names = game_names(self.unit)
        return {
            name: GameSummary(seed=self.seed, agents=seating, record=f"{RECORDS}/{name}.json", **dict(game))
            for name, seating, game in zip(names, seatings(self.line_up), self.games, strict=True)
        }


def game_names(unit: Unit) -> list[str]:
    """Return the file names of a unit's games, which depend on its line-up and number only."""
    line_up = hashlib.sha256(json.dumps(unit.line_up).encode()).hexdigest()[:NAME_DIGITS]
    return [f"{line_up}-{unit.number:04d}-{place}" for place in range(unit.num_games)]


# --- what is played


def pool_line_ups(names: Sequence[str], pool: Pool) -> list[tuple[str, ...]]:
    """Return the line-ups of a pool; neither their order nor that within a pair depends on the order of `names`."""
    ordered = sorted(names)
    if pool.line_ups == "mixed":
        return line_ups(ordered, pool.players)
    return [tuple(pair[seat % 2] for seat in range(pool.players)) for pair in combinations(ordered, 2)]


def armies_of(armies: Sequence[str], players: int, number: int, seed: int) -> tuple[str, ...]:
    """Return the armies of unit `number`, by seat.

    In each block of as many units as there are armies, every seat holds every army once. The seats hold different
    armies as far as there are enough. Who meets whom changes from block to block: over one block fewer than there are
    armies, the first two seats meet in all pairs.
    """
    count = len(armies)
    if count < 2:
        return tuple(armies) * players
    block, place = divmod(number, count)
    era, turn = divmod(block, count - 1)
    rng = np.random.default_rng(derive(seed, "armies", players, era))
    shifts = (rng.permutation(count - 1) + 1).tolist()
    ahead = [0, *(shifts[(turn + seat) % (count - 1)] for seat in range(players - 1))]
    return tuple(armies[(place + shift) % count] for shift in ahead)


def make_unit(config: LadderConfig, line_up: tuple[str, ...], number: int) -> Unit:
    """Make a unit, whose armies and seed follow from the ladder's seed, its line-up and its number."""
    players = len(line_up)
    armies = armies_of(config.army_list, players, number, config.seed)
    return Unit(players, line_up, number, armies, derive(config.seed, f"unit {json.dumps(line_up)}", number))


def schedule(config: LadderConfig) -> list[Unit]:
    """Return all units of a ladder, ordered so that an interrupted one has played all line-ups about equally often."""
    most = max(pool.units for pool in config.pool)
    return [
        make_unit(config, line_up, number)
        for number in range(most)
        for pool in config.pool
        if number < pool.units
        for line_up in pool_line_ups(config.rungs_of(pool), pool)
    ]


# --- playing


@dataclass(frozen=True)
class UnitJob:
    """A unit with everything that a process needs to play it.

    Attributes:
        unit: the unit to play.
        game_id: id of the game.
        options: options of the game, except armies and players, as JSON.
        makers: name -> function that makes the agent.
        seed: random seed of the agents.
        is_recorded: whether records of the games are made.
        measures_luck: whether luck is measured in them, where possible.
    """

    unit: Unit
    game_id: str
    options: str
    makers: Mapping[str, Maker]
    seed: int
    is_recorded: bool = False
    measures_luck: bool = False


@dataclass(frozen=True)
class Finished:
    """Result of a job: the unit, and the records of its games if they are wanted."""

    entry: UnitEntry
    records: tuple[GameRecord, ...] = ()

    def save_records(self, folder: Path) -> None:
        """Write the records into the folder of a contest.

        Raises:
            OSError: they cannot be written.
        """
        for name, record in zip(game_names(self.entry.unit), self.records, strict=False):
            save_record(record, folder / RECORDS / f"{name}.json")


def make_job(config: ContestConfig, unit: Unit, makers: Mapping[str, Maker]) -> UnitJob:
    """Make the job of playing a unit."""
    purpose = f"agents {json.dumps(unit.line_up)}"
    seed = derive(config.seed, purpose, unit.number, bits=SEED_BITS)
    options = json.dumps(config.game.model_extra or {}, sort_keys=True)
    return UnitJob(unit, config.game.id, options, {name: makers[name] for name in unit.line_up}, seed)


@functools.lru_cache(KEPT_GAMES)
def built_game(game_id: str, options: str, players: int, armies: tuple[str, ...]) -> Game:
    """Build a game, or return the one that this process has already built."""
    return load_players(game_id, players, **json.loads(options), **({"armies": list(armies)} if armies else {}))


_rehearsed: set[tuple[str, int, str]] = set()  # of this process: game, players, agent


def play_unit(job: UnitJob) -> Finished:
    """Play all seatings of a unit side by side, and measure how long its agents think."""
    unit = job.unit
    game = built_game(job.game_id, job.options, unit.players, unit.armies)
    _rehearse(job, game)
    line_up_list = seatings(unit.line_up)
    seeds = [unit.seed] * len(line_up_list)
    watch = Watch()
    info = GameInfo.of(game)
    with closing(Seating(line_up_list, lambda name: job.makers[name](info), job.seed, seeds, watch.add)) as seating:
        games = play_games(game, line_up_list, seeds, seating)
    records = tuple(record_of(game, played) for played in games) if job.is_recorded else ()
    luck = luck_of(game, games) if job.measures_luck else []
    return Finished(entry_of(unit, games, luck, watch.thinking), records)


def luck_of(game: Game, games: Sequence[PlayedGame]) -> list[list[float]]:
    """Return the luck of each seat in each game, in units of returns; empty if it cannot be measured."""
    try:
        luck: list[list[float]] = _meter_of(game).measure_all(games).tolist()
    except NotMeasurableError:
        return []
    return luck


@functools.lru_cache(KEPT_GAMES)
def _meter_of(game: Game) -> LuckMeter:
    """Return the luck meter of a game.

    Raises:
        NotMeasurableError: the game has no such chance, or no evaluation.
    """
    return LuckMeter(game)


def _rehearse(job: UnitJob, game: Game) -> None:
    """Have each agent decide in this process before anything is measured: loading and compiling are not thinking.

    Agents are identified by their makers, since a name may stand for another agent in another contest.
    """
    info = GameInfo.of(game)
    for name, maker in job.makers.items():
        key = (job.game_id, job.unit.players, repr(maker))
        if key not in _rehearsed:
            rehearse(game, [name], lambda name: job.makers[name](info))
            _rehearsed.add(key)


def check_agents_exist(config: ContestConfig, units: Iterable[Unit], makers: Mapping[str, Maker]) -> None:
    """Make each agent of some units once for each number of players, before anything is written or played.

    Raises:
        ValueError: one cannot be made.
    """
    units_of = {(unit.players, name): unit for unit in units for name in unit.line_up}
    for (_, name), unit in units_of.items():
        _make_agent(make_job(config, unit, makers), name)


def _make_agent(job: UnitJob, name: str) -> None:
    info = GameInfo.of(built_game(job.game_id, job.options, job.unit.players, job.unit.armies))
    Seating([[name]], lambda name: job.makers[name](info), seed=0).close()


def entry_of(
    unit: Unit, games: Sequence[PlayedGame], luck: Sequence[Sequence[float]], thinking: Mapping[str, Thinking]
) -> UnitEntry:
    """Return what is stored of a finished unit."""
    entries: list[dict[str, Any]] = [
        {
            "returns": game.returns,
            "turns": game.turns,
            "actions": len(game.actions),
            "truncated": game.truncated,
            "forfeits": [asdict(one) for one in game.forfeits],
            "out": game.out,
            "usage": [one and asdict(one) for one in game.usage] if any(game.usage) else (),
        }
        for game in games
    ]
    data: dict[str, Any] = {"line_up": unit.line_up, "number": unit.number, "armies": unit.armies, "seed": unit.seed}
    return UnitEntry.model_validate(
        {"players": unit.players, **data, "games": entries, "thinking": dict(thinking), "luck": luck}
    )
