"""Best responses of Sack Armies: other weights for the scripted General, search that knows its opponent, a network."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import escaped
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.scripted.sack_armies.weights import MOST_DECAY, Weights, load_weights
from sackarmies_agents.scripted.weight_sets import LARGEST as LARGEST_WEIGHT
from sackarmies_agents.search.variants import variant_of
from sackarmies_training.ladder.exploit import Arena, Responder, Response
from sackarmies_training.ladder.learned import LearnedResponse
from sackarmies_training.ladder.units import Maker, maker_of

LARGEST, SMALLEST = 32, 4  # candidates of a generation, powers of two
FIRST_UNITS = 4  # units that all candidates of a generation play; those that remain play twice as many, and so on
CHANGED = 0.15  # share of the weights that a candidate changes
SPREAD, NARROWER = 0.7, 0.8  # standard deviation of the logarithm of a changed weight; its factor after a generation
Numbers = dict[str, float]


def make_weighted(weights: Mapping[str, float], info: GameInfo) -> GreedyAgent:
    """Return the scripted General with these weights."""
    return GreedyAgent(info, weights=Weights(**weights))


def weighted(weights: Mapping[str, float]) -> Maker:
    """Return a function that makes the scripted General with these weights."""
    return functools.partial(make_weighted, dict(weights))


def generation_units(candidates: int) -> int:
    """Return the number of units that a generation plays: its candidates, and the best of the generation before."""
    rounds = candidates.bit_length() - 1
    return rounds * candidates * FIRST_UNITS + FIRST_UNITS * ((1 << rounds) - 1)


class WeightSearch:
    """Changes weights of the scripted General at random, and keeps what wins.

    In each generation, some of the best weights so far are multiplied by random factors. The candidates play by
    successive halving (Jamieson and Talwalkar, "Non-stochastic best arm identification", 2016): the better half goes
    on, with twice as many units. The last one replaces the best so far if it did better on the same units by more than
    the standard error of the difference.
    """

    doc = "random search over the weights of the scripted General, which it starts from"

    def respond(self, arena: Arena) -> Response:
        """Return the best weights found within the budget."""
        state = arena.state or {"generation": 0, "next_unit": 0, "weights": load_weights().model_dump(), "adopted": 0}
        best: Numbers = state["weights"]
        while (candidates := affordable(arena.left)) >= SMALLEST:
            generation, first = state["generation"], state["next_unit"]
            rng = np.random.default_rng((arena.config.seed, generation))
            mutants = [mutated(best, SPREAD * NARROWER**generation, rng) for _ in range(candidates)]
            winner, gains = self._halve(arena, best, mutants, first)
            if gains.mean() > gains.std(ddof=1) / np.sqrt(len(gains)):
                best, state["adopted"] = winner, state["adopted"] + 1
            used = FIRST_UNITS * (2 ** (candidates.bit_length() - 1) - 1)
            state |= {"generation": generation + 1, "next_unit": first + used, "weights": best}
            arena.save(state)
        described: dict[str, Any] = {"weights": best, "generations": state["generation"], "adopted": state["adopted"]}
        return Response(weighted(best), described)

    def _halve(
        self, arena: Arena, best: Numbers, mutants: list[Numbers], first: int
    ) -> tuple[Numbers, NDArray[np.float64]]:
        """Return the last mutant, and its gain over the best so far on each unit that both played."""
        left, units = mutants, FIRST_UNITS
        gains = np.zeros((len(left), 0))
        while len(left) > 1:
            scores = arena.scores([weighted(one) for one in (best, *left)], range(first, first + units))
            gains = np.concatenate([gains, scores[1:] - scores[0]], axis=1)
            better = np.argsort(-gains.mean(axis=1), kind="stable")[: len(left) // 2]
            left, gains = [left[place] for place in better], gains[better]
            first, units = first + units, 2 * units
        return left[0], gains[0, FIRST_UNITS:]  # the first units chose it among many, and flatter it


class OpponentSearch:
    """Searches that play positions on with the fixed agent as the model of everybody, if it names a variant.

    Nothing else is learned: settings of the search play the same units, and the better half goes on.
    """

    doc = "search with the settings that win most; it models the fixed agent if that names weights or is trained"

    def respond(self, arena: Arena) -> Response:
        """Return the best settings found within the budget."""
        candidates = candidates_for(arena.text)
        units = max(FIRST_UNITS, arena.left // halving_games(len(candidates)))
        state = arena.state or {"left": candidates, "units": units, "next_unit": 0, "scores": {}}
        while len(left := state["left"]) > 1 and 2 * len(left) * state["units"] <= arena.left:
            numbers = range(state["next_unit"], state["next_unit"] + state["units"])
            scores = arena.scores([maker_of(text) for text in left], numbers).mean(axis=1)
            better = np.argsort(-scores, kind="stable")[: (len(left) + 1) // 2]
            state["scores"] |= {text: float(score) for text, score in zip(left, scores, strict=True)}
            state |= {"left": [left[place] for place in better]}
            state |= {"next_unit": numbers.stop, "units": 2 * state["units"]}
            arena.save(state)
        return Response(maker_of(state["left"][0]), {"agent": state["left"][0], "scores": state["scores"]})


def candidates_for(target: str) -> list[str]:
    """Return searches that may exploit an agent, in text form; the last one has more playouts."""
    model = variant_of(target)
    models = f",models={escaped(model)}" if model else ""
    fast = [f"level=fast,horizon={turns},caution={caution}" for turns in (3, 5, 7) for caution in (0.01, 0.05)]
    return [f"search:{options}{models}" for options in (*fast, "level=medium")]


def halving_games(candidates: int) -> int:
    """Return the games in which the better half goes on until one is left, for each unit of the first round."""
    games, units = 0, 1
    while candidates > 1:
        games += 2 * candidates * units
        candidates, units = (candidates + 1) // 2, 2 * units
    return games


def affordable(games: int) -> int:
    """Return how many candidates a generation can have with `games` games; 0 if these are too few."""
    candidates = LARGEST
    while candidates >= SMALLEST and 2 * generation_units(candidates) > games:
        candidates //= 2
    return candidates if candidates >= SMALLEST else 0


def mutated(weights: Mapping[str, float], spread: float, rng: np.random.Generator) -> Numbers:
    """Return weights of which some are multiplied by random factors; signs are kept."""
    factors = np.exp(spread * rng.standard_normal(len(weights))) ** (rng.random(len(weights)) < CHANGED)
    products = np.clip(np.array([*weights.values()]) * factors, -LARGEST_WEIGHT, LARGEST_WEIGHT)
    changed = dict(zip(weights, products.tolist(), strict=True))
    return changed | {"decay": min(MOST_DECAY, changed["decay"])}


def responders() -> dict[str, Responder]:
    """Return the responders of the game by name."""
    return {"weights": WeightSearch(), "search": OpponentSearch(), "learned": LearnedResponse()}
