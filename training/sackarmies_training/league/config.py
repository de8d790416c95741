"""Configuration of a league: its game, its anchors, the limits of agents, and how units are paired."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from sackarmies_agents.limits import Isolation
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import join, suggestion
from sackarmies_env.core.validation import StrictModel
from sackarmies_training.config import LEARNER, AgentText, Count
from sackarmies_training.ladder.config import ContestConfig
from sackarmies_training.submission import Limits

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,23}$"  # of an anchor or a submission; also the name of a folder

AgentName = Annotated[str, Field(pattern=NAME)]


class Anchor(StrictModel):
    """A frozen baseline agent that plays as long as the league lasts.

    Attributes:
        name: at most 24 letters, digits, dots, hyphens and underscores.
        agent: as commands name it; files that it names are copied into the folder of the league.
    """

    name: AgentName
    agent: AgentText


class PairingSection(StrictModel):
    """Who plays next."""

    first_units: Count = 6  # of a newcomer, before uncertainty alone decides; anchors that it has not met come first
    patience: Count = 4  # nobody waits longer than this many units for each agent that plays


class SuspensionSection(StrictModel):
    """When an agent is suspended automatically."""

    forfeits: Count = 6  # games lost by forfeit...
    games: Count = 20  # ...among this many of its latest games


class RetentionSection(StrictModel):
    """How long records of games and their pages are kept; results are kept forever."""

    rounds: Count | None = None  # number of latest rounds; if omitted, all


class LeagueConfig(ContestConfig):
    """A league.

    Attributes:
        seed: seed of armies, and of the choice among equal pairings; the chance of games has secret seeds.
        replays: make a page of each game, linked from the report.
        players: seats at a table, an even number; with more than two, the two agents of a unit sit alternately.
        zero: the anchor with rating 0; if omitted, the first one.
        round: units that are planned at once; their seeds are secret until the last of them has been played.
        anchor: the anchors.
        limits: limits of each agent; all agents run in separate processes.
        pairing: who plays next.
        suspension: when an agent is suspended automatically.
        retention: how long records of games are kept.
    """

    players: Annotated[int, Field(ge=2)] = 2
    zero: str | None = None
    round: Count = 20
    anchor: Annotated[list[Anchor], Field(min_length=1)]
    limits: Limits = Limits()
    pairing: PairingSection = PairingSection()
    suspension: SuspensionSection = SuspensionSection()
    retention: RetentionSection = RetentionSection()

    @property
    def anchors(self) -> dict[str, str]:
        """Text forms of the anchors by name."""
        return {anchor.name: anchor.agent for anchor in self.anchor}

    @property
    def zero_name(self) -> str:
        """The anchor with rating 0."""
        return self.zero or self.anchor[0].name

    @property
    def isolation(self) -> Isolation:
        """Limits of each agent."""
        return Isolation(**self.limits.model_dump())

    @property
    def taken_from(self) -> str:
        """Where armies and the number of players come from, in words."""
        return "a league takes it from `armies` and `players`"

    def trial_game(self) -> Game:
        """Return the game in which submissions are tried: with the first armies, repeated if there are too few."""
        armies = self.army_list
        return self.make_game(self.players, tuple(armies[seat % len(armies)] for seat in range(self.players) if armies))

    @model_validator(mode="after")
    def _anchors_differ(self) -> LeagueConfig:
        names = [anchor.name.casefold() for anchor in self.anchor]
        for anchor in self.anchor:
            if names.count(anchor.name.casefold()) > 1:
                raise ValueError(f"anchor: the name {anchor.name!r} is given twice, or differs only in capitalization")
            if anchor.agent == LEARNER:
                raise ValueError(f"anchor {anchor.name!r}: {LEARNER!r} exists only within a training run")
        if self.zero is not None and self.zero not in self.anchors:
            near = suggestion(self.zero, self.anchors)
            raise ValueError(
                f"zero is {self.zero!r}{near}, which is not an anchor: the anchors are {join(self.anchors)}"
            )
        return self

    @model_validator(mode="after")
    def _games_are_possible(self) -> LeagueConfig:
        if self.players % 2:
            raise ValueError(f"players is {self.players}: the two agents of a unit cannot share the seats equally")
        self.isolation.check("limits.{}")
        self.trial_game()
        return self
