"""What searches gain over the scripted choice in single decisions: `python -m benchmarks.search_gain --positions 1500`.

Positions are drawn from games of `greedy` against itself, between all armies, where searches spend playouts. Each
contestant, options of `search` with a budget of playouts, chooses in each position. Its choice and the scripted one are
then played on in `--worlds` other worlds. With the usual horizon, this measures how well playouts are spent, but not
how good the horizon and the evaluation are; played on to the end with `--horizon 10000 --valued 1`, it measures that
too. With `--whole`, positions are those of the menu, and contestants go on choosing until their action is complete.
`--models` says what opponents play when choices are judged. Gains are in points, hundredths of a win. Intervals treat
each game as one unit. Time is processor time.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from benchmarks.search_methods.guessing import POINTS, draw_positions, interval
from benchmarks.search_methods.play import SEATS, seed_of
from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import parse_agent
from sackarmies_agents.search.agent import make_search, parts_of
from sackarmies_agents.search.flat import Bench, Plans, Settings
from sackarmies_agents.search.rounds import goes_on, play_worlds, write_plans
from sackarmies_agents.search.sack_armies.focus import focus
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.legal import NO_ACTION
from sackarmies_env.core.simulator import choose_next, step
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.registry import DEFAULT_GAME, load_players

USUAL = ["level=fast", "level=medium"]
WHOLE = 6  # maximum number of choices in an action


class Contestant:
    """Options of `search`, and what the agent with them has spent and gained.

    Attributes:
        options: as in the text form of the agent.
        agent: the agent with these options.
        seconds: processor time spent.
        playouts: playouts spent, in all positions together.
        gains: mean gain of each game, in points.
    """

    def __init__(self, options: str, info: GameInfo) -> None:
        given = parse_agent(f"search:{options}").options
        self.options, self.agent = options, make_search(info, given)
        self.seconds, self.playouts = 0.0, 0
        self.gains: list[float] = []


def search_options(text: str) -> str:
    """Return options of `search` unchanged, if they are valid.

    Raises:
        argparse.ArgumentTypeError: they are not.
    """
    try:
        parse_agent(f"search:{text}")
    except ValueError as error:
        allowed = "give option=value, separated by commas, such as level=medium or playouts=160,horizon=8"
        raise argparse.ArgumentTypeError(f"{error}; {allowed}") from None
    return text


def variants_of(models: str) -> tuple[str, ...]:
    """Return the variants of the scripted agent that `models` joins by `+`."""
    return tuple(models.split("+")) if models else ()


@dataclass(frozen=True)
class Judge:
    """How choices are judged.

    Attributes:
        worlds: number of worlds in which choices are played on.
        horizon: number of turns for which they are played on.
        valued: number of turns at whose ends positions are valued.
        variants: variants of the scripted agent that opponents play; empty for the usual mixture.
    """

    worlds: int
    horizon: int
    valued: int
    variants: tuple[str, ...]


def is_menu(states: Records) -> NDArray[np.float64]:
    """Return 1 for positions in which an action begins, else 0: `(n,)`."""
    return (states["decision"] == Decision.MENU).astype(np.float64)


def scripted_plan(bench: Bench, states: Records, depth: int) -> tuple[int, ...]:
    """Return the scripted agent's next `depth` choices in `states` `(1,)`; NO_ACTION after the end of its action."""
    plans = np.zeros((bench.simulator.decision.action_masks.shape[1], depth), np.int64)
    nothing = np.zeros(depth, np.int64)
    count = write_plans(bench.simulator, bench.policy, states, bench.scratch, nothing, 0, plans)
    choice = choose_next(bench.simulator, bench.policy, states, 0)
    return tuple(plans[:count][plans[:count, 0] == choice][0].tolist())


def searched_plan(game: Game, bench: Bench, one: Contestant, states: Records, seed: int, depth: int) -> tuple[int, ...]:
    """Return a contestant's next `depth` choices in `states` `(1,)`; NO_ACTION after the end of its action."""
    plan, now = [NO_ACTION] * depth, game.clone(states)
    for place in range(depth):
        information = InformationSets.of(game, now, int(states["current_player"][0]))
        one.agent.reset(seed + place)
        begun = time.process_time()
        [finding] = one.agent.search(information)
        one.seconds += time.process_time() - begun
        one.playouts += int(finding.counts.sum())
        plan[place] = finding.action
        step(bench.simulator, now, finding.action)
        if not goes_on(now[0], states[0]):
            break
    return tuple(plan)


def play_on(bench: Bench, states: Records, plans: Plans, seed: int, judge: Judge) -> list[float]:
    """Return how much each of the plans `(k, depth)` gains over the first one, in points."""
    results = np.zeros((len(plans), judge.worlds))
    task = np.array([0, judge.worlds, int(states["current_player"][0]), judge.horizon, judge.valued, seed])
    play_worlds(*bench.tools, states, bench.scratch, bench.models, plans, np.arange(len(plans)), task, results)
    gains: list[float] = (POINTS * (results - results[0]).mean(axis=1)).tolist()
    return gains


def search_positions(
    game: Game, positions: list[Records], contestants: list[Contestant], seed: int, judge: Judge, depth: int
) -> None:
    """Have all contestants choose in positions of a game, and record their mean gains."""
    known = [game.conceal(player) for player in range(game.num_players)]
    parts = parts_of(GameInfo.of(game), judge.variants)
    benches = [Bench(one, parts.make_policy(one), parts.make_evaluation(one)) for one in known]
    found: list[list[float]] = [[] for _ in contestants]
    prepared: set[int] = set()
    for number, states in enumerate(positions):
        player = int(states["current_player"][0])
        if player not in prepared:  # untimed, because the first search for a player of a game prepares it
            prepared.add(player)
            for one in contestants:
                one.agent.search(InformationSets.of(game, states, player))
        bench, begins = benches[player], seed_of(seed, "search", number)
        chosen = [searched_plan(game, bench, one, states, begins, depth) for one in contestants]
        plans = list(dict.fromkeys([scripted_plan(bench, states, depth), *chosen]))
        worth = [0.0]
        if len(plans) > 1:
            worth = play_on(bench, states, np.array(plans), seed_of(seed, "judge", number), judge)
        for gains, plan in zip(found, chosen, strict=True):
            gains.append(worth[plans.index(plan)])
    for one, gains in zip(contestants, found, strict=True):
        one.gains.append(float(np.mean(gains)))


def main() -> None:
    """Search the positions and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--contestants",
        nargs="+",
        type=search_options,
        default=USUAL,
        help="options of search, with a budget of playouts",
    )
    parser.add_argument("--players", type=int, default=SEATS)
    parser.add_argument("--positions", type=int, default=1500)
    parser.add_argument("--each", type=int, default=30, help="of a game")
    parser.add_argument("--worlds", type=int, default=300, help="in which choices are played on")
    parser.add_argument("--horizon", type=int, default=Settings.horizon, help="turns for which choices are played on")
    parser.add_argument("--valued", type=int, default=Settings.valued, help="turns at whose ends positions are valued")
    parser.add_argument("--models", default="", help="variants of `greedy` that opponents are judged to play, as a+b")
    parser.add_argument("--whole", action="store_true", help="judge whole actions, from the menu on")
    parser.add_argument("--seed", type=int, default=2)
    given = parser.parse_args()
    judge = Judge(given.worlds, given.horizon, given.valued, variants_of(given.models))
    info = GameInfo.of(load_players(DEFAULT_GAME, given.players))
    try:
        contestants = [Contestant(options, info) for options in given.contestants]
    except ValueError as error:
        parser.error(f"argument --contestants: {error}")
    for number in range(-(-given.positions // given.each)):
        where = is_menu if given.whole else focus
        game, positions = draw_positions(given.seed, number, given.each, where, given.players)
        depth = WHOLE if given.whole else 1
        search_positions(game, positions, contestants, seed_of(given.seed, number), judge, depth)
    total = given.each * len(contestants[0].gains)
    print(" ".join(map(str, describe_machine().values())))
    print(f"{total} positions of {len(contestants[0].gains)} games")
    print("| search | playouts | ms | gain | more than the first |")
    print("| --- | --- | --- | --- | --- |")
    first = np.array(contestants[0].gains)
    for one in contestants:
        spent = f"{one.playouts / total:.1f} | {1e3 * one.seconds / total:.2f}"
        more = interval(np.array(one.gains) - first) if one is not contestants[0] else ""
        print(f"| `{one.options}` | {spent} | {interval(np.array(one.gains))} | {more} |")


if __name__ == "__main__":
    main()
