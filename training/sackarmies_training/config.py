"""Configurations of experiments: TOML files, checked before anything starts."""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sackarmies_agents.factory import checked_advice, parse_agent
from sackarmies_agents.limits import Isolation
from sackarmies_env.core.safe_read import read_toml
from sackarmies_env.core.validation import StrictModel, read_model
from sackarmies_env.registry import DEFAULT_GAME, game_options
from sackarmies_training.seeds import MAX_SEED
from sackarmies_training.shaping import check_weights

LIMITS = ("time_limit", "time_bank", "turn_limit", "cpu_limit", "memory_limit")  # keys of `MatchSection`
UNSTOPPABLE = "an agent that runs in the same process as the games cannot be stopped"
MAX_POOL = 100  # snapshots of the learner's past, each as large as its network
LEARNER = "learner"  # in a tournament after training: the General just trained


Model = TypeVar("Model", bound=StrictModel)


def _check_agent(text: str) -> str:
    if text != LEARNER:
        parse_agent(text)
    return text


AgentText = Annotated[str, AfterValidator(_check_agent)]
AdviceText = Annotated[str, AfterValidator(checked_advice)]
Share = Annotated[float, Field(ge=0)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]
Turns = Annotated[int, Field(ge=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
LogPlace = Literal["tensorboard", "wandb", "mlflow", "trackio"]


class GameSection(BaseModel):
    """Which game is played: its id; all other keys are options that the game takes in a configuration.

    Attributes:
        id: of a registered game.
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

    token: Annotated[int, Field(ge=1, le=1024)] = 48  # vector of a token
    mark: Annotated[int, Field(ge=1, le=256)] = 16  # what of it is laid out on the board
    hidden: Annotated[int, Field(ge=2, le=4096)] = 128  # vector of a decision
    patch: Annotated[int, Field(ge=0, le=5)] = 2  # how far around a hex is looked
    early: Annotated[int, Field(ge=0, le=8)] = 0  # gains after fewer turns that are learned beside what counts


class PPOSection(StrictModel):
    """MaskablePPO."""

    decisions: Count  # of the learner, in all
    max_minutes: Positive | None = None  # training stops after this time even if decisions are left
    envs: Count = 64  # games played side by side
    steps: Count = 64  # decisions in each game between two updates
    minibatch: Count = 1024  # decisions an optimizer step; it must divide envs * steps
    epochs: Count = 2  # passes over the decisions of an update
    learning_rate: Positive = 5e-4  # at first
    final_learning_rate: Share = 5e-5  # at the end; it falls evenly
    gamma: Annotated[float, Field(gt=0, le=1)] = 0.997  # discount of a decision
    gae_lambda: Annotated[float, Field(ge=0, le=1)] = 0.95  # of advantages, a decision
    clip_range: Positive = 0.2  # of the ratio of new to old probabilities
    entropy: Share = 0.01  # weight of the entropy
    threads: Count = 1  # of torch; more help on an idle machine and hurt badly on a busy one

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
    """The trainer of `learn.py`; each part of it can be switched off by its number."""

    decisions: Count  # of all seats, in all
    max_minutes: Positive | None = None  # training stops after this time even if decisions are left
    games: Count = 512  # played side by side by each process
    groups: Count = 1  # that they are played in; on a cluster each is played by one core
    line_ups: Annotated[int, Field(ge=0)] = 0  # draws of armies that games are shared among; 0: the armies of [game]
    steps: Count = 64  # decisions of each game between two updates
    minibatch: Count = 1024  # decisions that an optimizer step learns a choice from
    epochs: Count = 1  # passes over the decisions of an update
    learning_rate: Positive = 1e-3  # at first
    final_learning_rate: Share = 1e-4  # at the end; it falls evenly
    max_gradient: Positive = 0.5  # norm to which gradients are cut
    clip_range: Share = 0.2  # of the ratio of new to old probabilities; 0: not clipped
    old_policy: Share = 0.1  # weight of the divergence from the policy that played
    magnet: Share = 0.0  # weight of the divergence from the magnet at first, see `magnet_power`
    magnet_trust: Annotated[float, Field(ge=0, lt=1)] = 0.0  # the magnet gives so much to the advised id; rest: uniform
    magnet_power: Share = 0.3  # the weight of the magnet falls as (updates + 1) ** -power
    magnet_least: Share = 0.001  # it falls no lower
    entropy: Share = 0.05  # weight of the entropy at first
    final_entropy: Share = 0.0  # weight of the entropy at the end
    gae_lambda: Fraction = 0.8  # a turn, of advantages
    value_lambda: Fraction = 0.9  # a turn, of what values are trained to
    value_weight: Share = 0.5  # weight of the loss of values
    value_shapes: bool = True  # what values learn changes the layers that choices share; false: only layers of its own
    select: Literal["advantage", "doubt"] = "advantage"  # choices are learned where it is large; see `learn.choose`
    largest: Annotated[float, Field(gt=0, le=1)] = 0.25  # share of the decisions that choices are learned from
    value_share: Annotated[float, Field(gt=0, le=1)] = 0.25  # share of the decisions that values are learned from
    average: Annotated[float, Field(ge=0, lt=1)] = 0.995  # the General's weights: average over 1 / (1 - this) steps
    outcomes: bool = True  # values are chances of win, draw and loss; false: one number
    advice: AdviceText = ""  # the agent whose choice is an input of the network
    worths: bool = False  # what each legal action is worth to that agent is an input as well
    reasons: bool = False  # why is another one: what actions lead to, what their worths are made of, notes on tokens
    shaping_until: Fraction = 0.5  # fraction of the training at which shaping has faded to nothing
    start: str = ""  # a checkpoint whose weights to start from; trained: the General that comes with the game
    start_temperature: Positive = 1.0  # its scores are divided by this: games are played with what it holds likely
    start_policy: Share = 0.0  # weight of the divergence from the policy that it starts with
    device: str = "cpu"  # of torch: cpu, cuda, cuda:1, ...
    precision: Literal["float32", "bfloat16"] = "float32"  # that the network is computed with
    threads: Count = 1  # of torch

    @property
    def advice_level(self) -> int:
        """How much of what the agent that advises says is an input of the network, see `NetworkSizes.advice`."""
        return bool(self.advice) + self.worths + self.reasons  # each goes with those before

    @model_validator(mode="after")
    def _fits_together(self) -> LearnSection:
        if self.games % self.groups:
            raise ValueError(f"games is {self.games}: it must be a multiple of {self.groups}, the number of groups")
        if self.worths and not self.advice:
            raise ValueError("worths is true, but advice names nobody whose they are")
        if self.reasons and not self.worths:
            raise ValueError("reasons is true, but worths, of which they are the reasons, is not")
        if not self.start and (self.start_policy or self.start_temperature != 1):
            raise ValueError("start_policy and start_temperature are of the checkpoint that start names: it names none")
        return self


class LabelSection(StrictModel):
    """How a network learns from labels."""

    softness: Fraction = 0.1  # share of each target that goes to all legal actions alike
    minibatch: Count = 512  # decisions an optimizer step
    learning_rate: Positive = 1e-3  # at first
    final_learning_rate: Share = 5e-5  # at the end; it falls evenly
    choices: Share = 1.0  # weight of the teacher's choices in the loss, where it does not say what they gain
    gains: Share = 0.0  # weight of squared errors of gains that a search tells; 0: its choices are learned there too
    early: Share = 0.0  # likewise of gains after fewer turns, of which labels and network may have some
    policy: Share = 0.0  # weight of what choices of the policy are expected to gain, means over the numbers of turns
    unit: Positive = 0.02  # of gains: so much more of the return raises a score, which is a logit, by one
    margin: Share = 0.0  # what a choice other than the advisor's must gain to be preferred
    symmetries: bool = True  # each position is learned in a random rotation or reflection of its board

    @property
    def learns_gains(self) -> bool:
        """Whether what a search tells of gains is learned, and not its choices."""
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
    """A start from a teacher: choices and results, from files or from its own play, are learned first."""

    agent: AgentText = "greedy"  # plays all seats, where there are no files
    files: list[str] = Field(default_factory=list)  # labels, see labels.py; a folder stands for all files in it
    decisions: Count  # in all
    noise: Fraction = 0.1  # share of random actions, so that more is seen
    games: Count = 100  # played side by side, for one lesson

    @model_validator(mode="after")
    def _teacher_exists(self) -> TeacherSection:
        if self.agent == LEARNER:
            raise ValueError(f"agent is {LEARNER!r}, the learner itself: name another agent")
        return self


class ExpertSection(LabelSection):
    """Expert iteration in place of self-play: rounds in which a search labels games of the General, see expert.py.

    Of `[learn]`, what is said of games, steps, updates and exploration has no meaning then, and `decisions` are
    those that are labeled; nor have `[shaping]`, `every` in `[checkpoints]` and `every_minutes` in `[curve]`: each
    round ends with a checkpoint and a point of the curve.
    """

    files: Count = 4  # of labels that each process makes in a round
    file_decisions: Count = 4_000  # of a file, at least; its games are finished, 32 at once
    passes: Count = 1  # over all labels so far, in each round
    noise: Fraction = 0.05  # share of random actions in the games, so that more is seen
    share: Annotated[float, Field(ge=0.01, le=1)] = 0.4  # of the decisions of the games that are labeled
    worlds: Count = 2  # in which each action is played on
    most: Annotated[int, Field(ge=2)] = 4  # actions that are compared in a position
    horizons: list[Turns] = Field(default=[3, 5, 8], min_length=1)  # turns that are played on; the last one counts
    choices: Share = 0.1  # weight of the General's own choices, where searching does not pay
    gains: Share = 5.0  # weight of squared errors of what choices gain
    early: Share = 10.0  # likewise of gains after fewer turns
    margin: Share = 0.006  # what a choice other than the advisor's must gain to be preferred
    learning_rate: Positive = 1.5e-3  # of each round, at first

    @model_validator(mode="after")
    def _horizons_rise(self) -> ExpertSection:
        if any(after <= before for before, after in pairwise(self.horizons)):
            raise ValueError(f"horizons is {self.horizons}: its numbers must rise")
        return self


class CurveSection(StrictModel):
    """Games of the averaged network during training, for its learning curve."""

    opponent: AgentText = "greedy"  # whom it plays
    every_minutes: Positive = 1.0  # between two points of the curve
    games: Count = 200  # for each point
    deterministic: bool = True  # the network's likeliest action; false: drawn from its policy


class SelfPlaySection(StrictModel):
    """Opponents of the learner: weights of a random choice made for each game and opposing seat."""

    scripted: dict[AgentText, Share] = Field(default_factory=lambda: {"random": 1.0})  # agents and their weights
    past: Share = 1.0  # weight of the learner's own past
    snapshot_every: Count = 50_000  # decisions between two snapshots
    pool_size: Annotated[int, Field(ge=1, le=MAX_POOL)] = 8  # snapshots that are kept

    @model_validator(mode="after")
    def _somebody_to_play(self) -> SelfPlaySection:
        if LEARNER in self.scripted:
            raise ValueError(f"scripted names {LEARNER!r}, the learner itself: its past has the weight `past`")
        if not any(self.scripted.values()):
            raise ValueError("scripted needs an agent of positive weight: the pool of the past starts empty")
        return self


class ImitationSection(StrictModel):
    """A head start: the learner first imitates a General."""

    teacher: AgentText  # who is imitated
    decisions: Count  # of the teacher, in all
    noise: Annotated[float, Field(ge=0, le=1)] = 0.1  # share of random actions, so that more is seen
    games: Count = 200  # played side by side, for one lesson
    learning_rate: Positive = 1e-3  # of this start

    @model_validator(mode="after")
    def _teacher_exists(self) -> ImitationSection:
        if self.teacher == LEARNER:
            raise ValueError(f"teacher is {LEARNER!r}, the learner itself: name another agent")
        return self


class CheckpointSection(StrictModel):
    """When to write checkpoints and how many of them to keep."""

    every: Count = 100_000  # decisions between two checkpoints
    keep: Count = 2  # how many; older ones are deleted


class LogSection(StrictModel):
    """Where a run logs to, besides `log.csv` and `log.jsonl`, see [Logs](logging.md)."""

    to: list[LogPlace] = Field(default=["tensorboard"])  # besides these files; an empty list: nowhere else
    project: Annotated[str, Field(min_length=1)] = "sackarmies"  # what services keep the run under
    records: bool = True  # a recorded game of the General at each checkpoint


class MatchSection(StrictModel):
    """A tournament: every line-up plays `seeds` seeds, each in all seatings."""

    agents: Annotated[list[AgentText], Field(min_length=2)]  # who plays; `learner` is the General just trained
    seeds: Count = 20  # of each line-up; each is played in all seatings
    seed: Annotated[int, Field(ge=0, lt=MAX_SEED)] | None = None  # drawn and kept secret until the end if left out
    batch: Count = 10  # seeds played side by side; an interrupted tournament repeats no more than a batch a worker
    workers: Count = 2  # processes
    ratings: Literal["bradley_terry", "openskill"] = "bradley_terry"  # how strength is computed from scores
    replays: bool = False  # once all is over, make a page of each game, which the report links to; seconds a game
    isolate: bool = False  # agents run in separate processes
    time_limit: Positive | None = None  # seconds a decision, see `Isolation`
    time_bank: Positive | None = None  # seconds a game that decisions may take beyond it, all together
    turn_limit: Positive | None = None  # seconds that all decisions of a seat in one turn may take together
    cpu_limit: Positive | None = None  # seconds of processor time a game
    start_limit: Positive | None = None  # seconds more for making an agent and for its first decision; 60 if left out
    memory_limit: Count | None = None  # MiB a process

    @model_validator(mode="after")
    def _limits_can_be_kept(self) -> MatchSection:
        for key in (*LIMITS, "start_limit"):
            if getattr(self, key) is not None and not self.isolate:
                raise ValueError(f"{key} is given without isolate = true: {UNSTOPPABLE}")
        if self.start_limit is not None and self.time_limit is None and self.turn_limit is None:
            raise ValueError("start_limit is given without time_limit or turn_limit: it is added to what they allow")
        if self.isolation is not None:
            self.isolation.check()
        return self

    @property
    def isolation(self) -> Isolation | None:
        """What agents in separate processes may take; None where there are none."""
        limits = {key: getattr(self, key) for key in (*LIMITS, "start_limit") if getattr(self, key) is not None}
        return Isolation(**limits) if self.isolate else None

    @model_validator(mode="after")
    def _agents_differ(self) -> MatchSection:
        for agent in self.agents:
            if self.agents.count(agent) > 1:
                raise ValueError(f"agents names {agent!r} twice")
        return self


class RunConfig(StrictModel):
    """A training run and the tournament that follows, whatever the trainer."""

    folder: str  # for checkpoints, logs and results
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1  # of everything random in the run, the tournament aside
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
    """A run of MaskablePPO, the section `[ppo]`."""

    ppo: PPOSection
    selfplay: SelfPlaySection = SelfPlaySection()
    imitation: ImitationSection | None = None


class LearnConfig(RunConfig):
    """A run of `learn.py`, the section `[learn]`."""

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


class TournamentConfig(StrictModel):
    """A tournament by itself."""

    folder: str  # for game records and results
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
    """Read and check a configuration file.

    Raises:
        ValueError: no such file, not TOML, or values that `model` refuses: a line for each fault, naming file and key.
    """
    return read_model(model, read_toml(path), str(path))


def load_run(path: Path) -> TrainConfig | LearnConfig:
    """Read and check the configuration of a training run, which names its trainer by a section.

    Raises:
        ValueError: as for `load_config`, or there is not one of the sections `[learn]` and `[ppo]`.
    """
    data = read_toml(path)
    if ("learn" in data) == ("ppo" in data):
        raise ValueError(f"{path}: give one of the sections [learn] and [ppo], which choose the trainer")
    if "learn" in data:
        return read_model(LearnConfig, data, str(path))
    return read_model(TrainConfig, data, str(path))
