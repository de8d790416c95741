"""Configurations of experiments: TOML files, validated before anything starts."""

from __future__ import annotations

import os
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sackarmies_agents.factory import KINDS, AgentSpec, checked_advice, parse_agent
from sackarmies_agents.limits import MOST_MEMORY, Isolation
from sackarmies_env.core.messages import quote
from sackarmies_env.core.safe_read import read_toml
from sackarmies_env.core.validation import StrictModel, read_model
from sackarmies_env.registry import DEFAULT_GAME, game_options
from sackarmies_training.seeds import MAX_SEED
from sackarmies_training.shaping import check_weights

LIMITS = ("time_limit", "time_bank", "turn_limit", "cpu_limit", "memory_limit")  # keys of `MatchSection`
UNSTOPPABLE = "an agent that runs in the same process as the games cannot be stopped"
MAX_POOL = 100  # snapshots of the learner's past, each as large as its network
MANIFEST = "submission.toml"  # of a folder that holds an agent and its files
LEARNER = "learner"  # in a tournament after training: the agent just trained


Model = TypeVar("Model", bound=StrictModel)


def check_agent(text: str) -> str:
    """Return the text form of an agent, or `learner`; raise ValueError for anything else."""
    if text != LEARNER:
        parse_agent(text)
    return text


def is_submission(text: str) -> bool:
    """Return whether a text names a folder with a manifest, and not an agent."""
    return not _is_plain_agent(text) and os.path.isfile(Path(text) / MANIFEST)


def _is_plain_agent(text: str) -> bool:
    return text in KINDS or text == LEARNER  # even if there is a folder of this name: write ./learner for that


def _check_entrant(text: str) -> str:
    if is_submission(text):
        return text
    if os.path.isdir(text) and not _is_plain_agent(text):
        raise ValueError(f"folder {quote(text)} holds no {MANIFEST}")
    if os.path.dirname(text) and ":" not in text:  # options, which may name files, follow a colon
        raise ValueError(f"there is no folder {quote(text)}")
    return check_agent(text)


def _entrant(text: str) -> str | AgentSpec | Path:
    """Return the entrant that a text names, the same for all spellings."""
    if is_submission(text):
        return Path(text).resolve()
    return text if text == LEARNER else parse_agent(text)


def _check_folder(text: str) -> str:
    """Refuse what cannot be the folder of a run or a contest: it is created, and numbered by its name."""
    if "\0" in text or Path(text).name in {"", ".."}:
        raise ValueError(f'{quote(text)} does not end in the name of a folder: give a path such as "runs/mine"')
    return text


EntrantText = Annotated[str, AfterValidator(_check_entrant)]
Entrants = Annotated[list[EntrantText], Field(min_length=2)]
AgentText = Annotated[str, AfterValidator(check_agent)]
FolderText = Annotated[str, AfterValidator(_check_folder)]
AdviceText = Annotated[str, AfterValidator(checked_advice)]
Share = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]
Mebibytes = Annotated[int, Field(ge=1, le=MOST_MEMORY)]
Turns = Annotated[int, Field(ge=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
LogPlace = Literal["tensorboard", "wandb", "mlflow", "trackio"]


class GameSection(BaseModel):
    """The game to play: its id; all other keys are options that the game accepts in a configuration.

    Attributes:
        id: id of a registered game.
    """

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    id: str = DEFAULT_GAME

    @property
    def options(self) -> dict[str, Any]:
        """The options of the game's `make_game`.

        Raises:
            ValueError: for each key or value that the game refuses.
        """
        return game_options(self.id, {"id": self.id, **(self.model_extra or {})})

    @model_validator(mode="after")
    def _options_are_of_the_game(self) -> GameSection:
        _ = self.options
        return self


class NetworkSection(StrictModel):
    """Sizes of the network."""

    token: Annotated[int, Field(ge=1, le=1024)] = 48  # size of the vector of a token
    mark: Annotated[int, Field(ge=1, le=256)] = 16  # size of the part of it that is laid out on the board
    hidden: Annotated[int, Field(ge=2, le=4096)] = 128  # size of the vector of a decision
    patch: Annotated[int, Field(ge=0, le=5)] = 2  # how far the network sees around a hex
    early: Annotated[int, Field(ge=0, le=8)] = 0  # number of gains after fewer turns that are also learned


class PPOSection(StrictModel):
    """MaskablePPO."""

    decisions: Count  # total number of decisions of the learner
    max_minutes: Positive | None = None  # training stops after this time even if decisions are left
    envs: Count = 64  # games played side by side
    steps: Count = 64  # decisions in each game between two updates
    minibatch: Count = 1024  # decisions per optimizer step; must divide envs * steps
    epochs: Count = 2  # passes over the decisions of an update
    learning_rate: Positive = 5e-4  # initial learning rate
    final_learning_rate: Share = 5e-5  # final learning rate; it falls linearly
    gamma: Annotated[float, Field(gt=0, le=1)] = 0.997  # discount per decision
    gae_lambda: Annotated[float, Field(ge=0, le=1)] = 0.95  # lambda of advantages (GAE), per decision
    clip_range: Positive = 0.2  # clip range of the ratio of new to old probabilities
    entropy: Share = 0.01  # weight of the entropy
    device: str = "cpu"  # torch device: cpu, cuda, cuda:1, ...
    threads: Count = 1  # torch threads; more help on an idle machine and hurt badly on a busy one

    @model_validator(mode="after")
    def _minibatches_fit(self) -> PPOSection:
        if self.envs * self.steps % self.minibatch:
            raise ValueError(
                f"minibatch is {self.minibatch}: it must divide envs * steps, {self.envs} * {self.steps} = "
                f"{self.envs * self.steps}"
            )
        return self


class Place(StrEnum):
    """Where games are played and labels made: in processes of this machine, or on a Ray cluster."""

    LOCAL = "local"
    RAY = "ray"


class LearnSection(StrictModel):
    """The trainer of `learn.py`; each part of it can be switched off through its key."""

    decisions: Count  # total number of decisions, all seats counted
    max_minutes: Positive | None = None  # training stops after this time even if decisions are left
    games: Count = 512  # games played side by side by each process
    groups: Count = 1  # groups that games are split into; on a cluster, one core plays each group
    line_ups: Annotated[int, Field(ge=0)] = 0  # random line-ups that games are split among; 0: the armies of [game]
    steps: Count = 64  # decisions of each game between two updates
    minibatch: Count = 1024  # decisions that an optimizer step learns a choice from
    epochs: Count = 1  # passes over the decisions of an update
    learning_rate: Positive = 1e-3  # initial learning rate
    final_learning_rate: Share = 1e-4  # final learning rate; it falls linearly
    max_gradient: Positive = 0.5  # norm to which gradients are clipped
    clip_range: Share = 0.2  # clip range of the ratio of new to old probabilities; 0: no clipping
    old_policy: Share = 0.1  # weight of the divergence from the policy that played
    magnet: Share = 0.0  # initial weight of the divergence from the magnet, see `magnet_power`
    magnet_trust: Annotated[float, Field(ge=0, lt=1)] = 0.0  # share of the magnet on the choice of `advice` alone
    magnet_power: Share = 0.3  # the weight of the magnet falls as (updates + 1) ** -power
    magnet_least: Share = 0.001  # the weight of the magnet falls no lower
    entropy: Share = 0.05  # initial weight of the entropy
    final_entropy: Share = 0.0  # final weight of the entropy
    gae_lambda: Fraction = 0.8  # lambda of advantages (GAE), per turn
    value_lambda: Fraction = 0.9  # lambda of value targets, per turn
    value_weight: Share = 0.5  # weight of the value loss
    value_shapes: bool = True  # the value loss also trains the layers that it shares with the policy
    select: Literal["advantage", "doubt"] = "advantage"  # the policy learns where this is largest; see `learn.choose`
    largest: Annotated[float, Field(gt=0, le=1)] = 0.25  # share of the decisions that choices are learned from
    value_share: Annotated[float, Field(gt=0, le=1)] = 0.25  # share of the decisions that values are learned from
    average: Annotated[float, Field(ge=0, lt=1)] = 0.995  # decay of the averaged weights, those of the trained agent
    outcomes: bool = True  # values are chances of win, draw and loss; false: one number
    advice: AdviceText = ""  # agent whose choice is an input of the network
    worths: bool = False  # what each legal action is worth to that agent is also an input
    reasons: bool = False  # its reasons are inputs too: what actions lead to, what worths are made of, notes on tokens
    shaping_until: Fraction = 0.5  # fraction of the training by which shaping has faded to nothing
    start: str = ""  # checkpoint whose weights to start from; trained: that of the game's own trained agent
    start_temperature: Positive = 1.0  # divides the scores of `start`: games are played with what it thinks likely
    start_policy: Share = 0.0  # weight of the divergence from the policy of `start`
    device: str = "cpu"  # torch device: cpu, cuda, cuda:1, ...
    precision: Literal["float32", "bfloat16"] = "float32"  # precision of the network's computations
    threads: Count = 1  # torch threads

    @property
    def advice_level(self) -> int:
        """How much of the advisor's advice is an input of the network, see `NetworkSizes.advice`."""
        return bool(self.advice) + self.worths + self.reasons  # each needs those before

    @model_validator(mode="after")
    def _fits_together(self) -> LearnSection:
        if self.games % self.groups:
            raise ValueError(f"games is {self.games}: it must be a multiple of {self.groups}, the number of groups")
        if self.worths and not self.advice:
            raise ValueError("worths is true, but advice is empty: name the agent whose worths are inputs")
        if self.reasons and not self.worths:
            raise ValueError("reasons is true, but worths is not: reasons need worths = true")
        if self.magnet_trust and not self.advice:
            raise ValueError(
                f"magnet_trust is {self.magnet_trust}, but advice is empty: name the agent whose choice the magnet "
                "trusts, or set it to 0"
            )
        if not self.start and (self.start_policy or self.start_temperature != 1):
            raise ValueError("start_policy and start_temperature need a checkpoint, but start is empty")
        return self


class LabelSection(StrictModel):
    """How a network learns from labels."""

    softness: Fraction = 0.1  # share of each target that is spread evenly over all legal actions
    minibatch: Count = 512  # decisions per optimizer step
    learning_rate: Positive = 1e-3  # initial learning rate
    final_learning_rate: Share = 5e-5  # final learning rate; it falls linearly
    choices: Share = 1.0  # weight of the teacher's choices in the loss, where it does not say what they gain
    gains: Share = 0.0  # weight of squared errors of a search's gains; 0 here and in policy: its choices are learned
    early: Share = 0.0  # weight of squared errors of gains after fewer turns, as far as labels and network have them
    policy: Share = 0.0  # weight of the policy's expected gain, averaged over the numbers of turns
    unit: Positive = 0.02  # unit of gains: this much more return raises a score, which is a logit, by one
    margin: Share = 0.0  # what a choice other than the advisor's must gain to be preferred
    symmetries: bool = True  # each position is learned in a random rotation or reflection of its board

    @property
    def learns_gains(self) -> bool:
        """Whether the gains that a search finds are learned, instead of its choices."""
        return self.gains > 0 or self.policy > 0

    @model_validator(mode="after")
    def _early_gains_are_beside_gains(self) -> LabelSection:
        if self.early and not self.gains:
            raise ValueError(
                f"early is {self.early}, but gains is 0: gains after fewer turns are learned only beside gains; "
                "set early to 0 too"
            )
        return self


class TeacherSection(LabelSection):
    """A start from a teacher: its choices and results, from files or from its own play, are learned first."""

    agent: AgentText = "greedy"  # the teacher, which plays all seats; ignored if files are given
    files: list[str] = Field(default_factory=list)  # label files, see labels.py; a folder stands for all files in it
    decisions: Count  # total number of decisions to learn from
    noise: Fraction = 0.1  # share of random actions, so that more positions are seen; ignored if files are given
    games: Count = 100  # games played side by side for one lesson; ignored if files are given

    @model_validator(mode="after")
    def _teacher_exists(self) -> TeacherSection:
        if self.agent == LEARNER:
            raise ValueError(f"agent is {LEARNER!r}, the learner itself: name another agent")
        return self


class ExpertSection(LabelSection):
    """Expert iteration in place of self-play: rounds in which a search labels games of the learner, see expert.py.

    Keys of `[learn]` on games, steps, updates and exploration are then ignored, and its `decisions` counts labeled
    decisions. `[shaping]`, `every` in `[checkpoints]` and `every_minutes` in `[curve]` are ignored too: each round
    ends with a checkpoint and a point of the curve.
    """

    files: Count = 4  # label files that each process makes in the first round
    growth: Annotated[float, Field(ge=1, le=16)] = 1.0  # factor by which the number of files grows from round to round
    file_decisions: Count = 4_000  # decisions in a file, at least; its games, 32 at once, are played to their ends
    passes: Count = 1  # passes over all labels so far, in each round
    noise: Fraction = 0.05  # share of random actions in the games, so that more positions are seen
    share: Annotated[float, Field(ge=0.01, le=1)] = 0.4  # share of the decisions of the games that are labeled
    worlds: Count = 2  # number of worlds in which each action is played on
    most: Annotated[int, Field(ge=2)] = 4  # number of actions compared in a position
    horizons: list[Turns] = Field(default=[3, 5, 8], min_length=1)  # numbers of turns played on; the last one counts
    choices: Share = 0.1  # weight of the learner's own choices, where searching does not pay
    gains: Share = 5.0  # weight of squared errors of gains
    early: Share = 10.0  # weight of squared errors of gains after fewer turns
    margin: Share = 0.006  # what a choice other than the advisor's must gain to be preferred
    learning_rate: Positive = 1.5e-3  # initial learning rate of each round

    @model_validator(mode="after")
    def _horizons_rise(self) -> ExpertSection:
        if any(after <= before for before, after in pairwise(self.horizons)):
            raise ValueError(f"horizons is {self.horizons}: its numbers must increase")
        return self


class CurveSection(StrictModel):
    """Games of the averaged network during training, for its learning curve."""

    opponent: AgentText = "greedy"  # agent that it plays
    every_minutes: Positive = 1.0  # minutes between two points of the curve
    games: Count = 200  # games for each point
    deterministic: bool = True  # play the network's likeliest actions; false: draw them from its policy

    @model_validator(mode="after")
    def _opponent_exists(self) -> CurveSection:
        if self.opponent == LEARNER:
            raise ValueError(f"opponent is {LEARNER!r}, the learner itself: name another agent")
        return self


class SelfPlaySection(StrictModel):
    """Opponents of the learner: weights of the random choice made for each game and opposing seat."""

    scripted: dict[AgentText, Share] = Field(default_factory=lambda: {"random": 1.0})  # agents and their weights
    past: Share = 1.0  # weight of the learner's past selves
    snapshot_every: Count = 50_000  # decisions between two snapshots
    pool_size: Annotated[int, Field(ge=1, le=MAX_POOL)] = 8  # number of snapshots to keep

    @model_validator(mode="after")
    def _somebody_to_play(self) -> SelfPlaySection:
        if LEARNER in self.scripted:
            raise ValueError(f"scripted names {LEARNER!r}, the learner itself: its past has the weight `past`")
        if not any(self.scripted.values()):
            raise ValueError("scripted needs an agent of positive weight: the pool of the past starts empty")
        return self


class ImitationSection(StrictModel):
    """A head start: the learner first imitates a teacher."""

    teacher: AgentText  # agent to imitate
    decisions: Count  # total number of decisions of the teacher
    noise: Annotated[float, Field(ge=0, le=1)] = 0.1  # share of random actions, so that more positions are seen
    games: Count = 200  # games played side by side for one lesson
    learning_rate: Positive = 1e-3  # learning rate of the imitation

    @model_validator(mode="after")
    def _teacher_exists(self) -> ImitationSection:
        if self.teacher == LEARNER:
            raise ValueError(f"teacher is {LEARNER!r}, the learner itself: name another agent")
        return self


class CheckpointSection(StrictModel):
    """When to write checkpoints and how many of them to keep."""

    every: Count = 100_000  # decisions between two checkpoints
    keep: Count = 2  # checkpoints to keep; older ones are deleted


class LogSection(StrictModel):
    """Where a run logs to, besides `log.csv` and `log.jsonl`, see [Logs](logging.md)."""

    to: list[LogPlace] = Field(default=["tensorboard"])  # where, besides these files; an empty list: nowhere else
    project: Annotated[str, Field(min_length=1)] = "sackarmies"  # project of the run in services
    records: bool = True  # record a game of the learner at each checkpoint


class MatchSection(StrictModel):
    """A tournament: every line-up plays `seeds` seeds, each in all seatings."""

    agents: Entrants  # agents, or folders of submissions; `learner` is the one just trained
    seeds: Count = 20  # seeds of each line-up; each is played in all seatings
    seed: Annotated[int, Field(ge=0, lt=MAX_SEED)] | None = None  # random seed; by default drawn, secret until the end
    batch: Count = 10  # seeds played side by side; an interrupted tournament repeats at most one batch per worker
    workers: Count = 2  # number of processes
    ratings: Literal["bradley_terry", "openskill"] = "bradley_terry"  # how strength is computed from scores
    replays: bool = False  # at the end, make a page for each game, linked from the report; takes seconds per game
    isolate: bool = False  # run agents in separate processes
    time_limit: Positive | None = None  # seconds per decision, see `Isolation`
    time_bank: Positive | None = None  # seconds per game by which decisions may exceed the time limit, in total
    turn_limit: Positive | None = None  # seconds that all decisions of a seat in one turn may take in total
    cpu_limit: Positive | None = None  # seconds of processor time per game
    start_limit: Positive | None = None  # extra seconds for making an agent and for its first decision; 60 if left out
    memory_limit: Mebibytes | None = None  # MiB per process

    @model_validator(mode="after")
    def _limits_can_be_kept(self) -> MatchSection:
        for key in (*LIMITS, "start_limit"):
            if getattr(self, key) is not None and not self.isolate:
                raise ValueError(f"{key} needs isolate = true: {UNSTOPPABLE}")
        if self.start_limit is not None and self.time_limit is None and self.turn_limit is None:
            raise ValueError("start_limit needs time_limit or turn_limit: it is added to them")
        if self.isolation is not None:
            self.isolation.check()
        return self

    @property
    def isolation(self) -> Isolation | None:
        """Limits of agents in separate processes; None if they are not isolated."""
        limits = {key: getattr(self, key) for key in (*LIMITS, "start_limit") if getattr(self, key) is not None}
        return Isolation(**limits) if self.isolate else None

    @model_validator(mode="after")
    def _agents_differ(self) -> MatchSection:
        entrants = [_entrant(agent) for agent in self.agents]
        for agent, entrant in zip(self.agents, entrants, strict=True):
            if entrants.count(entrant) > 1:
                folder = "the folder " if isinstance(entrant, Path) else ""
                raise ValueError(f"agents names {folder}{agent!r} twice")
        return self


class RunConfig(StrictModel):
    """A training run, by either trainer, and the tournament that follows."""

    folder: FolderText  # for checkpoints, logs and results
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1  # random seed of the run, except for the tournament
    game: GameSection = Field(default_factory=GameSection)
    network: NetworkSection = NetworkSection()
    shaping: dict[str, Share] = Field(default_factory=dict)  # weights of the game's potential, see shaping.py
    checkpoints: CheckpointSection = CheckpointSection()
    log: LogSection = LogSection()
    tournament: MatchSection

    @model_validator(mode="after")
    def _weights_are_of_the_game(self) -> RunConfig:
        check_weights(self.game.id, self.shaping)
        return self


class TrainConfig(RunConfig):
    """A run of MaskablePPO, section `[ppo]`."""

    ppo: PPOSection
    selfplay: SelfPlaySection = SelfPlaySection()
    imitation: ImitationSection | None = None

    @model_validator(mode="after")
    def _no_gains_are_learned(self) -> TrainConfig:
        if self.network.early:
            raise ValueError(
                f"network.early is {self.network.early}, but MaskablePPO learns no gains: set it to 0, or train with a "
                "section [learn]"
            )
        return self


class LearnConfig(RunConfig):
    """A run of `learn.py`, section `[learn]`."""

    learn: LearnSection
    teacher: TeacherSection | None = None
    expert: ExpertSection | None = None
    curve: CurveSection | None = None

    @model_validator(mode="after")
    def _line_ups_have_games(self) -> LearnConfig:
        learn = self.learn
        if self.expert is None and learn.games // learn.groups < learn.line_ups:
            raise ValueError(
                f"learn.games is {learn.games}, in {learn.groups} groups, but each of the {learn.line_ups} line_ups "
                f"needs a game in each group: give at least {learn.line_ups * learn.groups}"
            )
        return self

    @model_validator(mode="after")
    def _early_gains_are_learned(self) -> LearnConfig:
        learned = any(section is not None and section.early for section in (self.teacher, self.expert))
        if self.network.early and not learned and not self.learn.start:  # the network of a start may have them already
            raise ValueError(
                f"network.early is {self.network.early}, but no gains after fewer turns are learned: set it to 0, or "
                "set early in [teacher] or [expert]"
            )
        has_others = bool(self.learn.start or (self.teacher is not None and self.teacher.early))
        horizons = 0 if self.expert is None else len(self.expert.horizons)
        if horizons and not has_others and self.network.early >= horizons:
            raise ValueError(
                f"network.early is {self.network.early}: at most {horizons - 1} is allowed with {horizons} horizons in "
                "[expert], since the last one is not early"
            )
        return self


class TournamentConfig(StrictModel):
    """A tournament on its own."""

    folder: FolderText  # for game records and results
    game: GameSection = Field(default_factory=GameSection)
    tournament: MatchSection

    @model_validator(mode="after")
    def _nobody_trained_here(self) -> TournamentConfig:
        if LEARNER in self.tournament.agents:
            raise ValueError(
                f"tournament.agents names {LEARNER!r}, which exists only after training: give ppo:path=CHECKPOINT"
            )
        return self


def load_config(path: Path, model: type[Model]) -> Model:
    """Read and validate a configuration file.

    Raises:
        ValueError: no such file, not TOML, or values that `model` refuses: a line for each fault, naming file and key.
    """
    return read_model(model, read_toml(path), str(path))


def load_run(path: Path) -> TrainConfig | LearnConfig:
    """Read and validate the configuration of a training run, which chooses its trainer by a section.

    Raises:
        ValueError: as for `load_config`, or not exactly one of the sections `[learn]` and `[ppo]` is given.
    """
    data = read_toml(path)
    if ("learn" in data) == ("ppo" in data):
        raise ValueError(f"{path}: give exactly one of the sections [learn] and [ppo], which choose the trainer")
    if "learn" in data:
        return read_model(LearnConfig, data, str(path))
    return read_model(TrainConfig, data, str(path))
