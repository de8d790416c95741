"""A trained General as a policy of simulations, beside variants of the greedy General.

Its network is asked only at those decisions where it departs from the greedy General most often; the greedy General
chooses at all others. A playout has many decisions, and asking takes several times as long as a greedy choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.advice import Advisor
from sackarmies_agents.learned.board_form import BoardForm
from sackarmies_agents.learned.forward_kernels import likeliest, list_legal
from sackarmies_agents.learned.forward_model import Floats, Integers, Model, Scratch, scratch_for
from sackarmies_agents.learned.kernel_agent import KernelAgent
from sackarmies_agents.learned.sizes import REASONS
from sackarmies_agents.scripted.compiled import (
    NUM_NOTES,
    NUM_PARTS,
    PLAN_IDS,
    CompiledAgent,
    boards_of,
    policy_of,
)
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.scripted.sack_armies.board import make_board
from sackarmies_agents.scripted.sack_armies.choose import choose_batch
from sackarmies_agents.scripted.sack_armies.reasons import advise, advise_with_reasons
from sackarmies_agents.scripted.sack_armies.weights import DEFAULT, load_weights
from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import njit
from sackarmies_env.core.kernels import make_kernel
from sackarmies_env.core.simulator import Policy
from sackarmies_env.games.sack_armies.state.constants import NUM_DECISIONS, Decision
from sackarmies_env.games.sack_armies.state.layout import GLOBAL_START, Global

DECISION = GLOBAL_START + Global.DECISION
LEARNED = -1
ASKED = (Decision.MENU, Decision.DEPLOY_HEX, Decision.MOVE_UNIT)


class Answers(NamedTuple):
    """What the greedy General says of one position, as the network is told it.

    Attributes:
        chosen: `(1,)`, its choice.
        worths: `(num_actions,)` float64, see `CompiledAgent.weigh`; of the legal ids in order, like the next three.
        rounded: the same as float32.
        plans: `(num_actions, PLAN_IDS)`, see `Explanation`, like `parts` and `notes`.
        parts: `(num_actions, NUM_PARTS)`.
        notes: `(1, rows, NUM_NOTES)`.
    """

    chosen: Integers
    worths: NDArray[np.float64]
    rounded: Floats
    plans: Integers
    parts: Floats
    notes: Floats


class Models(NamedTuple):
    """What the variants are made of.

    Attributes:
        choose: the greedy General's `choose_batch`, as a `core.kernels.Kernel`: compiling it here would take a minute.
        advise: likewise `advise`, or `advise_with_reasons` if the network is told reasons.
        places: `(num_models,)` int64, the board that each variant plays by; `LEARNED`: the network chooses.
        boards: `(b,)` BOARD_DTYPE; the first is that of the General who advises the network.
        asks: `(NUM_DECISIONS,)` bool, the decisions at which the network is asked.
        level: how much advice it takes, see `NetworkSizes`.
        model: its weights.
        scratch: overwritten, like `answers`.
        answers: see above.
    """

    choose: Any
    advise: Any
    places: Integers
    boards: NDArray[np.void]
    asks: NDArray[np.bool_]
    level: int
    model: Model
    scratch: Scratch
    answers: Answers


@njit(counted=True)
def ask_network(models, observations, masks):
    """Return the id that the network prefers in one position."""
    answers, count = models.answers, list_legal(masks[0], models.scratch.legal)
    legal = models.scratch.legal[:count]
    if count == 1:
        return legal[0]
    if models.level == REASONS:
        answers.parts[:count] = 0
        answers.notes[:] = 0
    told = answers.chosen, answers.worths[:count], answers.plans[:count], answers.parts[:count], answers.notes
    models.advise(models.boards[:1], observations, legal, told)
    for i in range(count):
        answers.rounded[i] = answers.worths[i]
    advice = models.level, answers.chosen, answers.rounded, answers.plans, answers.parts, answers.notes
    return likeliest(models.model, models.scratch, observations[0], count, advice)


@njit(counted=True)
def choose_by(models, model, observations, masks, actions):
    """Choose as one of the variants, the way a `Policy` does."""
    place = models.places[model]
    for i in range(len(observations)):
        if place == LEARNED and models.asks[observations[i, DECISION]]:
            actions[i] = ask_network(models, observations[i : i + 1], masks[i : i + 1])
        else:
            board = max(np.int64(0), place)
            boards = models.boards[board : board + 1]
            models.choose(boards, observations[i : i + 1], masks[i : i + 1], actions[i : i + 1])


def make_mixed_policy(game: Game, variants: Sequence[str | CompiledAgent | None], agent: KernelAgent) -> Policy:
    """Make a policy of a trained General and variants of the greedy one, for kernels and for one thread.

    Args:
        game: the game that is played.
        variants: the greedy General with given weights, see `scripted.sack_armies.policy.make_policy`; None for the
            trained one.
        agent: the trained one; it may be shared, since only its weights are used.

    Raises:
        ValueError: there are no such weights, or the trained one plays another game.
    """
    info = GameInfo.of(game)
    if (agent.form.spec, agent.form.num_actions) != (info.observation_spec, info.num_actions):
        raise ValueError("the trained General was made for another game")
    scripted = [_advisor_of(agent.advisor), *(variant for variant in variants if variant is not None)]
    boards = boards_of(scripted, lambda variant: make_board(info, load_weights(variant)))
    places = np.full(len(variants), LEARNED)
    places[[variant is not None for variant in variants]] = np.arange(1, len(boards))
    answers, level = _answers_for(agent.form), agent.sizes.advice
    observations, masks = np.zeros((1, game.observation_spec.size), np.int8), np.zeros((1, game.num_actions), np.int8)
    ids = answers.plans[:, 0].copy()
    told = answers.chosen, answers.worths, answers.plans, answers.parts, answers.notes
    models = Models(
        choose=make_kernel(choose_batch, boards[:1], observations, masks, ids),
        advise=make_kernel(advise_with_reasons if level == REASONS else advise, boards[:1], observations, ids, told),
        places=places,
        boards=boards,
        asks=np.isin(np.arange(NUM_DECISIONS), ASKED),
        level=level,
        model=agent.model,
        scratch=scratch_for(agent.form, agent.sizes),
        answers=answers,
    )
    return policy_of(game, choose_by, models, len(variants))


def _advisor_of(advisor: Advisor | None) -> str | CompiledAgent:
    """Return the greedy General who advises a network, or the default weights if there is no advisor."""
    if advisor is None:
        return DEFAULT
    assert isinstance(advisor.agent, GreedyAgent)  # checkpoints may name no other
    return advisor.agent


def _answers_for(form: BoardForm) -> Answers:
    """Allocate the arrays that answers are written into."""
    ids, rows = form.num_actions, form.spec.block("tokens").rows
    return Answers(
        chosen=np.zeros(1, np.int64),
        worths=np.zeros(ids),
        rounded=np.zeros(ids, np.float32),
        plans=np.full((ids, PLAN_IDS), -1),
        parts=np.zeros((ids, NUM_PARTS), np.float32),
        notes=np.zeros((1, rows, NUM_NOTES), np.float32),
    )
