"""A submission to a tournament: a folder with a manifest, tried in isolation before it is accepted."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, StringConstraints, model_validator

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.conduct import Status
from sackarmies_agents.factory import AgentSpec, escaped, make_agent, parse_agent
from sackarmies_agents.isolated import IsolatedAgent, make_player
from sackarmies_agents.limits import Isolation, Usage, peak_memory_of
from sackarmies_agents.line_agent import LINE
from sackarmies_agents.separate import SeparateAgent
from sackarmies_env.core.game import Game
from sackarmies_env.core.safe_read import named, read_toml
from sackarmies_env.core.validation import StrictModel, one_line, read_model
from sackarmies_training.config import (
    LEARNER,
    MANIFEST,
    AgentText,
    MatchSection,
    Mebibytes,
    Positive,
    check_agent,
    is_submission,
)
from sackarmies_training.identity import named_files
from sackarmies_training.matches import PlayedGame, Progress, Seating, play_games
from sackarmies_training.seeds import agent_seed, game_seeds
from sackarmies_training.tournament import seatings

OPPONENT = "random"
NAME = "submission"  # its name in line-ups, as its text may be that of the opponent
SEED = 1  # seed of the games in which every submission is tried

# Not of a SingleLine, of which spaces would be removed only after its length is checked.
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60), AfterValidator(one_line)]


class Limits(StrictModel):
    """The limits of a submission, see [Tournaments](tournaments.md#misbehavior)."""

    time_limit: Positive | None = 10.0  # seconds per decision
    time_bank: Positive | None = None  # seconds per game by which decisions may exceed the time limit, in total
    turn_limit: Positive | None = None  # seconds that all decisions of a seat in one turn may take in total
    cpu_limit: Positive | None = None  # seconds of processor time per game
    start_limit: Positive = 60.0  # extra seconds for making an agent and for its first decision
    memory_limit: Mebibytes | None = None  # MiB per process


class Manifest(StrictModel):
    """The file that says what a submission is."""

    agent: AgentText  # its text form; files that it names are in the folder
    name: Name | None = None
    limits: Limits = Limits()  # used if the organizers give none

    @model_validator(mode="after")
    def _agent_can_be_submitted(self) -> Manifest:
        if self.agent == LEARNER:
            raise ValueError(f"agent is {LEARNER!r}, which exists only within a training run: give ppo:path=CHECKPOINT")
        return self


@dataclass(frozen=True)
class Trial:
    """The results of trying a submission.

    Attributes:
        start_seconds: seconds that it took to make the agent.
        games: the games it played.
        seats: its seat in each of them.
        usage: what it used in all games together.
        memory: most MiB that one of its processes held; None if that is unknown, or no process was left to ask.
        is_repeatable: whether it made the same choices when all games were played again with the same seeds.
        traces: tracebacks of the exceptions that it raised in them, each once; untrusted text.
    """

    start_seconds: float
    games: list[PlayedGame]
    seats: list[int]
    usage: Usage
    memory: float | None
    is_repeatable: bool
    traces: list[str]

    @property
    def statuses(self) -> Counter[Status]:
        """Number of games by how they ended for the submission."""
        return Counter(self._fault(number)[0] for number in range(len(self.games)))

    def faults(self) -> list[str]:
        """Return a sentence for each game that the submission lost by forfeit."""
        told = []
        for number, game in enumerate(self.games):
            status, reason = self._fault(number)
            if status != Status.DONE:
                told.append(f"Game {number + 1}, seed {game.seed}, seat {self.seats[number]}: {status}, it {reason}.")
        return told

    def _fault(self, number: int) -> tuple[Status, str]:
        for forfeit in self.games[number].forfeits:
            if forfeit.seat == self.seats[number]:
                return forfeit.status, forfeit.reason
        return Status.DONE, ""


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a submission.

    Raises:
        ValueError: there is no such folder, no manifest in it, or the manifest is invalid.
    """
    if not folder.is_dir():
        raise ValueError(f"there is no folder {named(folder)}")
    return read_model(Manifest, read_toml(folder / MANIFEST), str(folder / MANIFEST))


def entered(section: MatchSection) -> tuple[MatchSection, dict[str, str]]:
    """Replace folders of submissions in a tournament by the names in their manifests, or those of the folders.

    Returns:
        The section with these names, and for each of them the text form of the agent, as `located` gives it.

    Raises:
        ValueError: a manifest is invalid, a submission has the name of an agent, or two agents would have the same
            name, or names that differ only in case.
    """
    names, texts = [], {}
    for agent in section.agents:
        name = agent
        if is_submission(agent):
            folder = Path(agent)
            manifest = read_manifest(folder)
            name = name_of(manifest, folder)
            texts[name] = located(manifest.agent, folder)
        names.append(name)
    shown = [name.strip().casefold() for name in names]
    for name in texts:  # the other agents differ, see `MatchSection`
        if shown.count(name.strip().casefold()) > 1:
            raise ValueError(f"two agents of the tournament are called {name!r}: rename one in its {MANIFEST}")
    return section.model_copy(update={"agents": names}), texts


def name_of(manifest: Manifest, folder: Path) -> str:
    """Return the name under which a submission plays: that in its manifest, or that of its folder.

    Raises:
        ValueError: it is the text form of an agent, or stands for the one that is trained.
    """
    place = folder.resolve()
    name = manifest.name or place.name
    try:
        check_agent(name)
    except ValueError:
        return name
    raise ValueError(
        f"the submission {named(place)} is called {name!r}, which is the name of an agent: rename it in its {MANIFEST}"
    )


def located(text: str, folder: Path) -> str:
    """Return an agent's text form in which files of the folder are named by absolute paths.

    A program is run in the folder, and its log is there.
    """
    spec, place = parse_agent(text), folder.resolve()
    options = renamed(spec, place, lambda name: str(place / name))
    if spec.name == LINE:
        inner = options.get("folder", ".")
        options["folder"] = str(place / inner) if os.path.isdir(place / inner) else inner
        if "log" in options:
            options["log"] = str(place / options["log"])
    return text_of(spec.name, options)


def renamed(spec: AgentSpec, folder: Path, rename: Callable[[str], str]) -> dict[str, str]:
    """Return the options of an agent, with the files they name renamed.

    Args:
        spec: the agent.
        folder: folder that names are relative to.
        rename: returns the new name of a file.
    """
    options = {}
    for key, value in spec.options.items():
        names = {name: rename(name) for name in named_files(spec.name, key, value, folder)}
        parts = [value] if value in names else value.split("+")
        options[key] = "+".join(names.get(part, part) for part in parts)
    return options


def text_of(kind: str, options: Mapping[str, str]) -> str:
    """Return the text form of an agent."""
    parts = ",".join(f"{key}={escaped(value)}" for key, value in options.items())
    return f"{kind}:{parts}" if parts else kind


def try_agent(game: Game, text: str, isolation: Isolation, num_games: int, progress: Progress) -> Trial:
    """Have an agent in a separate process play games against the random agent, then all of them again.

    Args:
        game: the game to play.
        text: text form of the agent.
        isolation: its limits.
        num_games: number of games, at least; each seed is played from each seat.
        progress: called with the number of games that ended.

    Raises:
        ValueError: the agent cannot be made.
    """
    started = time.monotonic()
    with closing(_player(game, text, isolation)):
        start_seconds = time.monotonic() - started
    num_seeds = -(-num_games // game.num_players)
    games, memory, traces = _play(game, text, isolation, num_seeds, progress)
    again, _, _ = _play(game, text, isolation, num_seeds, progress)
    seats = [one.agents.index(NAME) for one in games]
    total = Usage()
    for one, seat in zip(games, seats, strict=True):
        used = one.usage[seat]
        assert used is not None  # it plays in a separate process
        total.decisions += used.decisions
        total.seconds += used.seconds
        total.longest = max(total.longest, used.longest)
        if used.cpu_seconds is not None:
            total.cpu_seconds = (total.cpu_seconds or 0.0) + used.cpu_seconds
    return Trial(start_seconds, games, seats, total, memory, games == again, traces)


def _player(game: Game, text: str, isolation: Isolation) -> SeparateAgent:
    player = make_player(text, GameInfo.of(game), isolation)
    assert isinstance(player, SeparateAgent)  # isolation is given
    return player


def _play(
    game: Game, text: str, isolation: Isolation, num_seeds: int, progress: Progress
) -> tuple[list[PlayedGame], float | None, list[str]]:
    """Play the games once; return them, the most MiB that a process of the agent has held, and its tracebacks."""
    info = GameInfo.of(game)
    places = [
        (seating, seed)
        for seed in game_seeds(SEED, num_seeds)
        for seating in seatings((NAME, *[OPPONENT] * (game.num_players - 1)))
    ]
    line_ups, seeds = [place[0] for place in places], [place[1] for place in places]

    def make(name: str) -> Agent:
        return _player(game, text, isolation) if name == NAME else make_agent(name, info)

    with closing(Seating(line_ups, make, agent_seed(SEED, 0), seeds)) as seating:
        games = play_games(game, line_ups, seeds, seating, progress)
        pids = [agent.pid for agent in seating.agents if isinstance(agent, SeparateAgent)]
        found = [agent.traces for agent in seating.agents if isinstance(agent, IsolatedAgent)]
        held = [peak_memory_of(pid) for pid in pids if pid is not None]
    traces = list(dict.fromkeys(trace for each in found for trace in each))
    return games, max((each for each in held if each is not None), default=None), traces
