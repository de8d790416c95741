"""Configuration of a ladder: its rungs, the games they play and the armies they play with."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import join, suggestion
from sackarmies_env.core.validation import SingleLine, StrictModel
from sackarmies_env.registry import load_players
from sackarmies_training.config import LEARNER, AgentText, Count, FolderText, GameSection
from sackarmies_training.seeds import MAX_SEED, check_games_differ

MAX_NAME = 24  # characters in the name of a rung
NOT_OF_THE_GAME = ("armies", "generals", "num_players")  # keys of [game] that the contest decides itself


class Rung(StrictModel):
    """A frozen agent and its short name.

    Attributes:
        name: short, for tables.
        agent: as commands name it.
    """

    name: Annotated[SingleLine, Field(min_length=1, max_length=MAX_NAME)]
    agent: AgentText


class Pool(StrictModel):
    """Games at tables of one size.

    Attributes:
        players: number of seats.
        units: units of each line-up; a unit is one draw of armies and chance, played in all seatings.
        line_ups: "pairs", every two rungs, alternating around the table; or "mixed", all choices of as many different
            rungs as there are seats.
        rungs: names of the rungs that play; if omitted, all.
    """

    players: Annotated[int, Field(ge=2)]
    units: Count
    line_ups: Literal["pairs", "mixed"] = "pairs"
    rungs: Annotated[list[str], Field(min_length=2)] | None = None


class ContestConfig(StrictModel):
    """Common settings of contests of units: the game and its armies, but not the number of players.

    Attributes:
        seed: seed of armies and chance; frozen, so that anybody can play the same games.
        workers: number of processes.
        armies: armies that seats hold in equal shares; if omitted, all built-in ones.
        replays: keep a record of each game that is played, and make a page of it, linked from the report.
        game: id and options, except armies and number of players.
    """

    seed: Annotated[int, Field(ge=0, lt=MAX_SEED)] = 1
    workers: Count = 2
    armies: Annotated[list[str], Field(min_length=1)] | None = None
    replays: bool = False
    game: GameSection = Field(default_factory=GameSection)

    @property
    def army_list(self) -> tuple[str, ...]:
        """The armies; none in a game without armies, and none in a scenario, which has tokens of its own."""
        if self.armies is not None:
            return tuple(self.armies)
        choices = find_hook(self.game.id, "choices") or {}
        if "scenario" in (self.game.model_extra or {}):
            return ()
        return tuple(choices["armies"]()) if "armies" in choices else ()

    def make_game(self, players: int, armies: tuple[str, ...]) -> Game:
        """Build a game for `players` players, with an army for each, or none in a game without armies.

        Raises:
            ValueError: the game cannot be built so, or all games would be the same, see `check_games_differ`.
        """
        section = {name: value for name, value in (self.game.model_extra or {}).items() if value is not None}
        game = load_players(self.game.id, players, **section, **({"armies": list(armies)} if armies else {}))
        check_games_differ(game)
        return game

    @model_validator(mode="after")
    def _armies_and_players_are_not_of_the_game(self) -> Self:
        for key in NOT_OF_THE_GAME:
            if key in (self.game.model_extra or {}):
                raise ValueError(f"game.{key} is not allowed: {self.taken_from}")
        if len(self.army_list) != len(set(self.army_list)):
            raise ValueError(f"armies names an army twice: {join(self.army_list)}")
        return self

    @property
    def taken_from(self) -> str:
        """Where armies and the number of players come from, in words."""
        return "a ladder takes it from `armies` and from each [[pool]]"


class LadderConfig(ContestConfig):
    """A ladder.

    Attributes:
        folder: folder for results.
        anchor: the rung with rating 0; if omitted, or in a pool without it, the mean of the rungs connected by games
            is 0.
        rung: the rungs, weakest first as far as is known.
        pool: the pools, one for each table size.
    """

    folder: FolderText
    anchor: str | None = None
    rung: Annotated[list[Rung], Field(min_length=2)]
    pool: Annotated[list[Pool], Field(min_length=1)]

    @property
    def agents(self) -> dict[str, str]:
        """Text forms of the rungs by name."""
        return {rung.name: rung.agent for rung in self.rung}

    def rungs_of(self, pool: Pool) -> list[str]:
        """Return the names of the rungs that play in a pool, in their order."""
        return [name for name in self.agents if pool.rungs is None or name in pool.rungs]

    @model_validator(mode="after")
    def _rungs_differ(self) -> LadderConfig:
        names = [rung.name for rung in self.rung]
        shown = [name.strip() for name in names]  # tables show no spaces around them
        for rung in self.rung:
            if shown.count(rung.name.strip()) > 1:
                raise ValueError(f"rung: the name {rung.name!r} is given twice")
            if rung.agent == LEARNER:
                raise ValueError(f"rung {rung.name!r}: {LEARNER!r} exists only within a training run: name its file")
        if self.anchor is not None and self.anchor not in names:
            raise ValueError(
                f"anchor is {self.anchor!r}{suggestion(self.anchor, names)}, which is not a rung: "
                f"the rungs are {join(names)}"
            )
        return self

    @model_validator(mode="after")
    def _pools_are_possible(self) -> LadderConfig:
        sizes = [pool.players for pool in self.pool]
        armies, names = self.army_list, list(self.agents)
        for pool in self.pool:
            given = pool.rungs or []
            for name in given:
                if given.count(name) > 1:
                    raise ValueError(f"pool of {pool.players} players: rungs names {name!r} twice")
                if name not in names:
                    raise ValueError(
                        f"pool of {pool.players} players: {name!r}{suggestion(name, names)} is not a rung: "
                        f"the rungs are {join(names)}"
                    )
            if sizes.count(pool.players) > 1:
                raise ValueError(f"pool: two pools are for {pool.players} players, only one is allowed")
            if pool.line_ups == "pairs" and pool.players % 2:
                raise ValueError(
                    f'pool of {pool.players} players: two rungs cannot share the seats equally; give line_ups = "mixed"'
                )
            if armies and pool.units % len(armies):
                raise ValueError(
                    f"pool of {pool.players} players: units is {pool.units}, but must be a multiple of {len(armies)}, "
                    "the number of armies, so that all have equal shares"
                )
            self.make_game(pool.players, armies[:1] * pool.players)
        return self
