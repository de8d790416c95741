"""Strength of `search` by playouts, with all armies: `python -m benchmarks.search_strength --playouts 14 70 350`.

Pairs of armies are drawn, and each is played twice with the same chance, once in each seating. Time is processor time,
over all decisions of the searching General with more than one legal action. Budgets are maxima, so beside the time
stands the median of the playouts used in decisions where the agent searched. `--options` sets options of the agent
other than `playouts`, as in `gate=1,horizon=7`. `benchmarks.strength_picture` draws such tables.

The share of games won has a Wilson interval. Beside it stands the share of points with the luck of flips taken out by
exact odds (`sackarmies_training.stats.luck`), with a bootstrap interval over pairs, which is narrower.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from sackarmies_agents.agent import Agent, GameInfo, InformedAgent
from sackarmies_agents.factory import make_agent
from sackarmies_agents.search.agent import SearchAgent
from sackarmies_env.core.information import InformationSets
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_env.registry import load_game
from sackarmies_training.evaluate import outcome_of
from sackarmies_training.matches import PlayedGame, Seating, play_games
from sackarmies_training.seeds import derive
from sackarmies_training.standings import Tally, tally_of
from sackarmies_training.stats.luck import Adjusted, LuckMeter, unit_shares

SEATINGS = 2


@dataclass
class Clock:
    """What the decisions of a searching General took.

    Attributes:
        decisions: number of decisions with more than one legal action.
        seconds: processor time of all decisions.
        playouts: playouts of each decision where the agent searched.
    """

    decisions: int = 0
    seconds: float = 0.0
    playouts: list[int] = field(default_factory=list)


class Timed(InformedAgent):
    """A searching General whose decisions are counted and timed."""

    shares_batch = True

    def __init__(self, agent: SearchAgent, clock: Clock) -> None:
        self._agent = agent
        self._clock = clock

    def reset(self, seed: int) -> None:
        """Pass the seed on."""
        self._agent.reset(seed)

    def act_informed(self, information: InformationSets) -> NDArray[np.int64]:
        """Pass the question on, time it, and count decisions with a choice, and playouts."""
        begun = time.process_time()
        findings = self._agent.search(information)
        self._clock.seconds += time.process_time() - begun
        self._clock.decisions += int((information.states["num_legal"] > 1).sum())
        used = [int(finding.counts.sum()) for finding in findings]
        self._clock.playouts += [playouts for playouts in used if playouts > 0]
        return np.array([finding.action for finding in findings], np.int64)


@dataclass
class Point:
    """Games of one budget against one opponent.

    Attributes:
        agent: text form of the searching agent.
        opponent: text form of the opponent.
        played: the games.
        luck: corrections of each game; see `LuckMeter.measure`.
        clock: decisions of the agent and their time.
    """

    agent: str
    opponent: str
    played: list[PlayedGame] = field(default_factory=list)
    luck: list[list[float]] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        """Refuse an agent against itself.

        Raises:
            ValueError: both are the same.
        """
        if self.agent == self.opponent:
            raise ValueError(f"{self.agent!r} cannot be measured against itself: seats would be indistinguishable")

    def play(self, number: int, seed: int, draws_armies: bool = True) -> None:
        """Play a pair of games: both seatings of two armies, which are drawn or the default ones.

        Raises:
            RuntimeError: an agent failed; games that it forfeits say nothing about its strength.
        """
        rng = np.random.default_rng(derive(seed, "armies", number))
        armies = [army_ids()[i] for i in rng.integers(len(army_ids()), size=SEATINGS)]
        game = load_game("sack_armies", num_generals=SEATINGS, armies=armies if draws_armies else None)
        line_ups, seeds = [(self.agent, self.opponent), (self.opponent, self.agent)], [int(rng.integers(2**62))] * 2

        def make(text: str) -> Agent:
            agent = make_agent(text, GameInfo.of(game))
            return Timed(agent, self.clock) if text == self.agent and isinstance(agent, SearchAgent) else agent

        pair = play_games(game, line_ups, seeds, Seating(line_ups, make, derive(seed, "a", number), seeds))
        for played in pair:
            if played.forfeits:
                raise RuntimeError(f"{played.agents[played.forfeits[0].seat]} failed: {played.forfeits[0].reason}")
        self.played += pair
        self.luck += LuckMeter(game).measure(pair, [played.agents.index(self.agent) for played in pair])

    @property
    def tally(self) -> Tally:
        """Games won, drawn and lost."""
        return tally_of([outcome_of(played) for played in self.played], self.agent)

    @property
    def adjusted(self) -> str:
        """The share of points with luck taken out, and its interval."""
        score = Adjusted.of(unit_shares(self.agent, self.played, self.luck), len(self.played)).score
        return f"{score.value:.1%} ({score.low:.1%} to {score.high:.1%})"

    @property
    def milliseconds(self) -> float:
        """Processor time of a decision."""
        return 1e3 * self.clock.seconds / max(1, self.clock.decisions)

    @property
    def used(self) -> float:
        """The median of the playouts of a decision where the agent searched; 0 if it never did."""
        return float(np.median(self.clock.playouts or [0]))


def main() -> None:
    """Play the games and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--playouts", nargs="+", type=int, default=[14, 70, 350], help="budgets")
    parser.add_argument("--opponents", nargs="+", default=["greedy"], help="text forms of agents")
    parser.add_argument("--options", default="", help="of the agent, as in gate=1,horizon=7")
    parser.add_argument(
        "--pairs", nargs="+", type=int, default=[100], help="of games: for all budgets, or one for each"
    )
    parser.add_argument("--default-armies", action="store_true", help="always play these; drawn from all by default")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sizes = given.pairs * len(given.playouts) if len(given.pairs) == 1 else given.pairs
    if len(sizes) != len(given.playouts):
        parser.error(
            f"--pairs: {len(sizes)} numbers are given for {len(given.playouts)} budgets (--playouts): give one for "
            "all, or one for each"
        )
    options = f",{given.options}" if given.options else ""
    agents = [f"search:playouts={playouts}{options}" for playouts in given.playouts]
    try:
        points = [Point(agent, opponent) for opponent in given.opponents for agent in agents]
    except ValueError as error:
        parser.error(str(error))
    print(
        "| agent | against | games | won | drawn | luck taken out | ms a decision | playouts used, median |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        flush=True,
    )
    for point, pairs in zip(points, sizes * len(given.opponents), strict=True):
        for number in range(pairs):
            point.play(number, given.seed, not given.default_armies)
        tally = point.tally
        cells = [point.agent, point.opponent, str(tally.games), str(tally.win_rate), str(tally.draws), point.adjusted]
        print(f"| {' | '.join(cells)} | {point.milliseconds:.1f} | {point.used:g} |", flush=True)
    print(" ".join(map(str, describe_machine().values())))


if __name__ == "__main__":
    main()
