"""Agents in positions of known value: what their choices lose compared with the best ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.conduct import are_legal, ask, ask_informed
from sackarmies_agents.conduct import reset as reset_agent
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets
from sackarmies_env.registry import DEFAULT_GAME, load_game, load_scenario
from sackarmies_training.ladder.exact import MAX_NODES, NOTHING, ExactDecision, ExactValues
from sackarmies_training.seeds import derive

EVEN_FLIPS = {"coin", "die"}  # flip methods with equally likely heads and tails, whatever came before


@dataclass
class Regrets:
    """What an agent chose at the decisions of a position.

    Attributes:
        agent: text form.
        root: its choice in the position itself; None until it is asked.
        regrets: regrets of its choices at all decisions that matter, each decision once.
    """

    agent: str
    root: int | None = None
    regrets: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """Mean regret; 0 if no decision matters."""
        return float(np.mean(self.regrets)) if self.regrets else 0.0

    @property
    def worst(self) -> float:
        """Greatest regret."""
        return max(self.regrets, default=0.0)

    @property
    def best_share(self) -> float:
        """Share of decisions at which it chose one of the best; 1 if no decision matters."""
        return float(np.mean([regret <= NOTHING for regret in self.regrets])) if self.regrets else 1.0


@dataclass(frozen=True)
class Solved:
    """A position with its exact values, and what agents choose in it.

    Attributes:
        name: name of the position.
        player: who decides first.
        texts: that player's choices, in words.
        values: what the player can expect after each.
        nodes: number of different decisions in the whole tree.
        mattering: number of decisions at which some choice is worse than another.
        regrets: regrets of each agent.
        root_actions: ids of the choices.
    """

    name: str
    player: int
    texts: tuple[str, ...]
    values: tuple[float, ...]
    nodes: int
    mattering: int
    regrets: tuple[Regrets, ...]
    root_actions: tuple[int, ...]

    @property
    def value(self) -> float:
        """What the player can expect with best play."""
        return max(self.values)

    def root_text(self, one: Regrets) -> str:
        """Return an agent's choice in the position itself, in words."""
        return self.texts[self._root_place(one)]

    def root_regret(self, one: Regrets) -> float:
        """Return the regret of an agent's choice in the position itself."""
        return self.value - self.values[self._root_place(one)]

    def _root_place(self, one: Regrets) -> int:
        if one.root is None:
            raise ValueError(f"{one.agent!r} was not asked")
        return self.root_actions.index(one.root)


def load_position(source: str | Path, game_id: str = DEFAULT_GAME) -> Game:
    """Build the game of a scenario whose flips are even.

    Raises:
        ValueError: there is no such scenario, it has faults, or its flips depend on earlier ones.
    """
    scenario = load_scenario(source, game_id)
    method = scenario.get("switches", {}).get("flip_method", "coin")
    if method not in EVEN_FLIPS:
        raise ValueError(f"{source}: flip_method is {method!r}, but exact values need flips that are always even")
    return load_game(game_id, scenario=scenario)


def solve(name: str, game: Game, agents: Sequence[str], *, seed: int = 1, max_nodes: int = MAX_NODES) -> Solved:
    """Find the exact values of a position, and ask agents at every decision in it.

    Args:
        name: name of the position.
        game: a game that begins with the position.
        agents: text forms; each agent is reset and asked once at each decision that matters.
        seed: random seed of the agents.
        max_nodes: maximum number of decisions to look at.

    Raises:
        ValueError: see `exact.ExactValues`; or an agent cannot be made.
        Misconduct: an agent raised an exception.
    """
    info = GameInfo.of(game)
    asked = [(Regrets(text), make_agent(text, info)) for text in agents]
    mattering = 0

    def visit(decision: ExactDecision) -> None:
        nonlocal mattering
        if decision.matters:
            mattering += 1
            for regrets, agent in asked:
                action = choice_of(game, agent, decision, derive(seed, "exact", mattering))
                regrets.regrets.append(decision.regret(action))

    states = game.new_states(1)
    game.start(states, 0)
    exact = ExactValues(game, max_nodes, visit)
    exact.value(states)
    root = exact.decide(states)
    for regrets, agent in asked:
        regrets.root = choice_of(game, agent, root, derive(seed, "exact", 0))
    return Solved(
        name=name,
        player=root.player,
        texts=tuple(game.format_action(states, action) for action in root.actions),
        values=tuple(root.values.tolist()),
        nodes=exact.nodes,
        mattering=mattering,
        regrets=tuple(regrets for regrets, _ in asked),
        root_actions=root.actions,
    )


def choice_of(game: Game, agent: Agent, decision: ExactDecision, seed: int) -> int:
    """Return an agent's choice at a decision, from what its seat may know.

    Raises:
        Misconduct: it raised an exception.
        ValueError: its choice is not legal.
    """
    observations = np.zeros((1, game.observation_spec.size), np.int8)
    masks = np.zeros((1, game.num_actions), np.int8)
    game.observe(game.params, decision.states, np.array([decision.player], np.int64), observations)
    game.legal_actions(game.params, decision.states, masks)
    reset_agent(agent, seed)
    if agent.is_informed:
        actions = ask_informed(agent, InformationSets.of(game, decision.states, decision.player))
    else:
        actions = ask(agent, observations, masks)
    if not are_legal(masks, actions).all():
        raise ValueError(f"an agent chose action {int(actions[0])}, which is not legal")
    return int(actions[0])
