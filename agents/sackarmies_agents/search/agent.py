"""The searching agent: plays on from every choice in states that may be the true one, and takes the best."""

from __future__ import annotations

import copy
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import Agent, GameInfo, InformedAgent, Report
from sackarmies_agents.conduct import are_legal
from sackarmies_agents.factory import make_agent
from sackarmies_agents.learned.board_form import BOARD
from sackarmies_agents.learned.load import plays
from sackarmies_agents.scripted.compiled import NO_TRAINED
from sackarmies_agents.search.flat import LIMITS, UNLIMITED, Finding, FlatSearch, Focus, Limits, Settings
from sackarmies_agents.search.variants import (
    CHECKPOINT_SUFFIX,
    JOINT,
    TRAINED,
    Learned,
    is_learned,
    learned_text,
    only_learned,
    read_learned,
    text_of,
)
from sackarmies_env.core.arguments import integer
from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.record import Candidate
from sackarmies_env.core.simulator import Evaluation, Policy
from sackarmies_env.core.workers import Workers
from sackarmies_env.registry import load_players


class Level(NamedTuple):
    """A preset of settings.

    Attributes:
        settings: used where the scripted agent plays on.
        learned: used where `LEARNED_MODELS` do, in games that `trained` plays; None: nowhere.
        several: used in games of more than two players; None: `settings` are.
    """

    settings: Settings
    learned: Settings | None = None
    several: Settings | None = None


LEVELS = {
    "fast": Level(Settings(playouts=100, horizon=4)),  # few worlds: the ends of long playouts are too noisy
    "medium": Level(Settings()),
    # More worlds need more trust: small gains from waiting add up to games that are never decided (decision 35).
    # Among several opponents, six turns are less than two for each player: there a longer horizon gains more.
    "strong": Level(
        Settings(playouts=950, plans=3, trust=48),
        learned=Settings(playouts=310),
        several=Settings(playouts=310, horizon=18),
    ),
}
# Milliseconds below which a search without a level looks fewer turns ahead: few worlds say little about distant turns.
HORIZONS = ((5.0, 2), (30.0, 4))
LEARNED_MODELS = (TRAINED, TRAINED, "tuned")  # first: the searching player's; opponents draw one each
POLICY = "policy"  # as a prior
KEPT_GAMES = 8  # whose searches are kept ready
OWN = ("_has_asked", "_ready", "_workers")  # what each copy of an agent has for itself, see `SearchAgent._prepare`
SEEDS = 2**63


@runtime_checkable
class Rater(Protocol):
    """An agent that scores legal ids."""

    def rate(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return its choices `(n,)` and its scores of ids `(n, num_actions)`; scores of illegal ids are meaningless."""
        ...


class Opinion(NamedTuple):
    """What the prior thinks of a position.

    Attributes:
        choice: the id that must be beaten; None: what the policy chooses.
        expected: `(num_actions,)`, see `FlatSearch.search`.
    """

    choice: int | None = None
    expected: NDArray[np.floating] | None = None


@dataclass(frozen=True)
class Parts:
    """Components of a search besides its settings.

    Attributes:
        make_policy: builds the policy that plays on, for one thread.
        make_evaluation: likewise builds the evaluation of positions where that stops.
        focus: where it pays to search, see `FlatSearch`.
    """

    make_policy: Callable[[Game], Policy]
    make_evaluation: Callable[[Game], Evaluation]
    focus: Focus | None = None


def parts_of(info: GameInfo, variants: tuple[str, ...], source: str | None = None) -> Parts:
    """Return what a game offers for searches: its scripted agent in some variants, and its evaluation.

    Args:
        info: the game.
        variants: variants of the scripted agent and, where the game offers them, trained agents, see `text_of`; if
            empty, the default variants of the scripted agent.
        source: file of the evaluation's weights; None for the default ones.

    Raises:
        ValueError: the game does not offer both, the scripted agent cannot play it in this configuration or variant,
            trained agents are named where they cannot play on, or several, or the file does not hold such weights.
    """
    policy, evaluation = (find_hook(info.game_id, name) for name in ("policy", "evaluation"))
    if policy is None or evaluation is None:
        raise ValueError(f"the game {info.game_id!r} cannot be searched: it has no policy and evaluation for it")
    # Files are read now: at the first decision it would be too late to refuse them, and they may have changed by then.
    make_agent("greedy", info)
    read = {name: _read_variant(name, info) for name in dict.fromkeys(variants)}
    given, held = [read[name] for name in variants], source
    only_learned(given)
    if source is not None:
        held = evaluation(load_players(info.game_id, info.num_players), source)
    return Parts(partial(_made, policy, given), partial(_made, evaluation, held), find_hook(info.game_id, "focus"))


def _made(hook: Callable[[Game, Any], Any], given: Any, game: Game) -> Any:
    """Return what a game's hook makes for searches; unlike a lambda, this can be pickled."""
    return hook(game, given)


def _read_variant(name: str, info: GameInfo) -> Agent | Learned:
    """Return what a game's `policy` hook makes a variant from.

    Raises:
        ValueError: there is no such variant, or it does not play the game.
    """
    agent = make_agent(text_of(name), info)
    if not is_learned(name):
        return agent
    if info.network != BOARD:
        raise ValueError(NO_TRAINED)
    return read_learned(find_hook(info.game_id, TRAINED) if name == TRAINED else Path(name), info)


class SearchAgent(InformedAgent):
    """An agent that searches, see `flat`; for any number of players, in every game that offers what it needs.

    Between decisions it keeps the latest findings, for reports, and with a time limit an estimate of how long playouts
    take. Without a time limit, a choice is a function of the agent's seed and of what the player may know; on one
    machine with the same versions, of nothing else.

    Args:
        info: the game.
        settings: see `Settings`.
        parts: policy and evaluation; None for those of the game.
        prior: the agent whose choice must be beaten; it shares batches and is not informed. None: the policy, in every
            game; the text form `search` uses `trained` in games that it plays.

    Raises:
        ValueError: the game does not offer them.
    """

    shares_batch = True

    def __init__(
        self,
        info: GameInfo,
        settings: Settings = LEVELS["medium"].settings,
        parts: Parts | None = None,
        prior: Agent | None = None,
    ) -> None:
        self.settings = settings
        self._prior = prior
        self._parts = parts_of(info, ()) if parts is None else parts
        self._seed = 0
        self._findings: list[Finding] = []
        self._prepare()

    def _prepare(self) -> None:
        """Create what each process and each copy has for itself."""
        self._has_asked = False  # whether the prior's kernels are loaded
        self._ready: OrderedDict[str, list[FlatSearch]] = OrderedDict()
        self._workers = Workers(self.settings.threads)

    def reset(self, seed: int) -> None:
        """Set the seed from which worlds are drawn.

        Raises:
            ValueError: `seed` is not an integer from 0 to 2**63 - 1.
        """
        self._seed = integer("seed", seed, 0)
        if self._prior is not None:
            self._prior.reset(self._seed)

    def act_informed(self, information: InformationSets) -> NDArray[np.int64]:
        """Choose the action that search finds best in each of `n` positions; see `search`."""
        self._findings = self.search(information)
        return np.array([finding.action for finding in self._findings], np.int64)

    def report(self) -> Sequence[Report | None]:
        """Report what the last searches found, see `report_of`."""
        return [report_of(finding) for finding in self._findings]

    def search(self, information: InformationSets) -> list[Finding]:
        """Search each of `n` positions and return the findings; several are searched at once, one per thread.

        Raises:
            ValueError: the player is not the current player in one of them, its game is over, or the prior chooses an
                illegal action.
        """
        if len(information) == 0:
            return []
        others = np.flatnonzero(information.states["current_player"] != information.player)
        if len(others):  # kernels would read beyond arrays
            raise ValueError(
                f"position {others[0]} is not a decision of player {information.player}, who cannot search it"
            )
        searches = self._searches(information.game, len(information))
        if len(information) == 1 or len(searches) == 1:
            lanes = [list(range(len(information)))]
        else:
            lanes = [list(range(lane, len(information), len(searches) - 1)) for lane in range(len(searches) - 1)]
            searches = searches[1:]
        findings: dict[int, Finding] = {}
        opinions, spent = self._ask_prior(information)

        def work(lane: int) -> None:
            for row in lanes[lane]:
                root = information.states[row : row + 1]
                seed = self._seed_of(root)
                findings[row] = searches[lane].search(root, information.player, seed, *opinions[row], spent=spent)

        self._workers.share(work, len(lanes))
        return [findings[row] for row in range(len(information))]

    def _ask_prior(self, information: InformationSets) -> tuple[list[Opinion], float]:
        """Return what the prior thinks of each position, and the seconds spent on each."""
        if self._prior is None:
            return [Opinion()] * len(information), 0.0
        observations, masks = information.observations(), information.action_masks()
        if self.settings.milliseconds is not None and not self._has_asked:
            self._opinions(observations[:1], masks[:1])  # loading and compiling kernels must not be timed
        self._has_asked = True
        begun = time.perf_counter()
        opinions = self._opinions(observations, masks)
        return opinions, (time.perf_counter() - begun) / len(information)

    def _opinions(self, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> list[Opinion]:
        """Return what the prior thinks of `n` positions.

        Raises:
            ValueError: it chooses an illegal action.
        """
        assert self._prior is not None
        scores = None
        if isinstance(self._prior, Rater):
            chosen, scores = self._prior.rate(observations, masks)
        else:
            chosen = self._prior.act_batch(observations, masks)
        illegal = np.flatnonzero(~are_legal(masks, chosen))
        if len(illegal):  # kernels would play them
            raise ValueError(f"the prior chose action {chosen[illegal[0]]}, which is not legal")
        if scores is None:
            return [Opinion(choice) for choice in chosen.tolist()]
        expected = self.settings.unit * np.where(masks == 1, scores, 0.0)  # scores of illegal ids may be infinite
        return [Opinion(*each) for each in zip(chosen.tolist(), expected, strict=True)]

    def _seed_of(self, root: NDArray[np.void]) -> int:
        """Return the seed of the worlds of a position, from the agent's seed and from what the agent may know."""
        digest = hashlib.blake2b(root.tobytes(), digest_size=8, key=self._seed.to_bytes(16, "little"))
        return int.from_bytes(digest.digest(), "little") % SEEDS

    def _searches(self, game: Game, count: int) -> list[FlatSearch]:
        """Return the searches for `count` positions of a game: one on all threads, then one per thread for several."""
        threads, parts = self.settings.threads, self._parts
        plans = [self.settings] + [replace(self.settings, threads=1)] * (threads if min(threads, count) > 1 else 0)
        searches = self._ready.setdefault(game.digest, [])
        searches += [
            FlatSearch(game, parts.make_policy, parts.make_evaluation, plan, parts.focus)
            for plan in plans[len(searches) :]
        ]
        self._ready.move_to_end(game.digest)
        if len(self._ready) > KEPT_GAMES:
            self._ready.popitem(last=False)
        return searches

    def __getstate__(self) -> dict[str, Any]:
        # Copies would write to the same arrays, and workers do one job at a time.
        return {name: value for name, value in self.__dict__.items() if name not in OWN}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __deepcopy__(self, memo: dict[int, Any]) -> SearchAgent:
        twin = object.__new__(type(self))
        twin.__setstate__(self.__getstate__())
        twin._prior = copy.deepcopy(self._prior, memo)
        return twin


def report_of(finding: Finding) -> Report | None:
    """Return a finding as a report; None if nothing was compared.

    The choice comes first; other actions are sorted by how long they stayed in the search, then by value: values of
    actions that were dropped early are means over fewer worlds. A search has no probabilities: it always takes its
    choice.
    """
    action, worlds, values = finding.action, finding.worlds, finding.values
    places = sorted(
        np.flatnonzero(worlds).tolist(), key=lambda i: (finding.actions[i] != action, -worlds[i], -values[i])
    )
    candidates = tuple(Candidate(action=int(finding.actions[i]), value=float(values[i])) for i in places)
    return Report(candidates, candidates[0].value) if candidates else None


def make_search(info: GameInfo, options: Mapping[str, str]) -> SearchAgent:
    """Make the agent from the options of its text form.

    Raises:
        ValueError: an option has an invalid value, or the game cannot be searched.
    """
    level = options.get("level", "medium")
    if level not in LEVELS:
        raise ValueError(f"option level={short_repr(level)}: allowed are {', '.join(LEVELS)}")
    prior = options.get("prior")
    models: tuple[str, ...] = ()
    usual, learned, several = LEVELS[level]
    if several is not None and info.num_players > 2:
        usual = several
    if learned is not None and prior != POLICY and "models" not in options and has_trained(info):
        usual, models = learned, LEARNED_MODELS
    names = {"ms" if name == "milliseconds" else name: name for name in LIMITS}
    given = {name: _read(options, key, LIMITS[name]) for key, name in names.items() if key in options}
    if "ms" in options:
        given.setdefault("playouts", UNLIMITED)
        if "level" not in options:
            short = (turns for limit, turns in HORIZONS if given["milliseconds"] < limit)
            given.setdefault("horizon", next(short, usual.horizon))
    settings = replace(usual, **given)
    variants = tuple(options["models"].split(JOINT)) if "models" in options else models
    if "" in variants:
        raise ValueError(f"option models={short_repr(options['models'])}: must be names joined by {JOINT}")
    parts = parts_of(info, variants, options.get("evaluation"))
    return SearchAgent(info, settings, parts, _prior_of(info, prior, has_models="models" in options))


def has_trained(info: GameInfo) -> bool:
    """Return whether `trained` plays the game without torch; a search is then equally strong on every installation."""
    shipped = find_hook(info.game_id, TRAINED)
    return shipped is not None and info.network == BOARD and plays(shipped, info)


def _prior_of(info: GameInfo, name: str | None, *, has_models: bool) -> Agent | None:
    """Return the agent whose choice must be beaten; None for the policy.

    Args:
        info: the game.
        name: `policy`, `trained`, or a checkpoint by its path. None: `trained` if it plays the game, see `has_trained`,
            and no models are given, else `policy`.
        has_models: whether models are given.

    Raises:
        ValueError: it is none of these, it cannot play the game, the checkpoint is missing or damaged, or torch, which
            it needs, is not installed.
    """
    if name is None and not has_models:
        name = TRAINED if has_trained(info) else POLICY
    if name is None or name == POLICY:
        return None
    if not is_learned(name):
        allowed = f"{POLICY}, {TRAINED} or a checkpoint, *{CHECKPOINT_SUFFIX}"
        raise ValueError(f"option prior={short_repr(name)}: must be {allowed}")
    return make_agent(learned_text(name), info)


def _read(options: Mapping[str, str], key: str, limits: Limits) -> Any:
    """Return the number that an option gives.

    Raises:
        ValueError: it is not a number, or is outside the limits.
    """
    value: float | None = None
    with suppress(ValueError):
        value = limits.kind(options[key])
    fault = limits.fault(value)
    if fault:
        raise ValueError(f"option {key}={short_repr(options[key])}: {fault}")
    return value
