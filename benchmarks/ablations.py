"""What each part of the trainer is worth: `python -m benchmarks.ablations --minutes 8 --seeds 3`.

Every variant changes one thing in `configs/train/quick.toml` and plays itself for as long as the others, from several
seeds. The clone of the teacher is made once per seed and kind of network, and its time does not count. The variant
without a teacher gets as much self-play as the others. The General of each run then plays `--games` games against
`greedy`, each seed from every seat. The table gives the mean number of decisions of self-play, the mean share of games
won with a Student's t interval over the seeds, which reflects the luck of training as well as that of the games, and
the pooled share with its Wilson interval, which reflects the luck of the games alone. Its first line is the clone.

With advice, a few minutes of self-play hardly change the likeliest choices, whatever the variant. `--without advice`
compares variants that begin with a clone and without advice, and with `--without advice teacher` everything learned
comes from self-play. Self-play improves a policy that draws its actions: `--sampled --opponent clone` measures that.

`--labels FOLDER` instead compares what is learned from search labels, in files as written by expert iteration or by
`sackarmies labels`: variants of `configs/train/expert.toml` learn from these alone, and then play with all armies.

Runs are kept in a folder. All variants run with one seed before the next, and an interrupted series resumes where it
was, unless the code or the configuration has changed. Time is wall-clock time: leave the machine alone meanwhile, or
limit decisions instead (`--decisions`, with more `--minutes` than they take). With `--labels` it is processor time.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats
import torch
from rich.console import Console

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import escaped, make_agent
from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_env.core.cache_folder import source_digest
from sackarmies_env.core.safe_read import read_json, read_toml
from sackarmies_env.core.validation import read_model
from sackarmies_env.registry import load_game
from sackarmies_training.config import LearnConfig
from sackarmies_training.curve import play_side_by_side
from sackarmies_training.evaluate import Plan, evaluate
from sackarmies_training.files import write_json
from sackarmies_training.identity import code_digest, training_digest
from sackarmies_training.labels import WIN, joined, read_labels
from sackarmies_training.learn import Team, learn, make_learner
from sackarmies_training.learn_files import agent_of, sizes_of
from sackarmies_training.line_ups import draw_games
from sackarmies_training.ratings import Rate
from sackarmies_training.teacher import LabelLesson, label_files, learn_labels

OWN_CLONE = "clone"  # as an opponent: the clone that a run began with, drawing its actions if the General does
NO_TIME = 1e-9  # minutes of self-play
CLONE = "the clone, without self-play"
PENDING = "the clone, once it is made"  # start of variants whose other keys need one
CONFIGS = Path(__file__).parents[1] / "configs" / "train"
BASE, EXPERT = CONFIGS / "quick.toml", CONFIGS / "expert.toml"
LESSON = 4  # label files mixed into a lesson
UNADVISED = {"advice": "", "worths": False, "reasons": False}
MAGNET = {"magnet": 0.05, "magnet_power": 0.15, "magnet_least": 0.01}
CONTINUED = {  # what continue.toml sets otherwise than quick.toml, but for sizes of batches
    **{"start": PENDING, "start_policy": 0.004, "select": "doubt", "largest": 0.22, "epochs": 1, "max_gradient": 1.0},
    **{"learning_rate": 4e-4, "final_learning_rate": 3e-5, "minibatch": 1024, "average": 0.997},
    **{"value_lambda": 0.95, "value_shapes": False, "value_share": 0.08},
}
VARIANTS: dict[str, Mapping[str, Any]] = {
    "as configured": {},
    "no clipping": {"learn": {"clip_range": 0.0}},
    "no divergence from the old policy": {"learn": {"old_policy": 0.0}},
    "uniform magnet that falls": {"learn": MAGNET},
    "magnet that trusts the advice": {"learn": MAGNET | {"magnet_trust": 0.8}},
    "entropy of 0.012 that falls": {"learn": {"entropy": 0.012, "final_entropy": 0.001}},
    "entropy of 0.05 that falls": {"learn": {"entropy": 0.05, "final_entropy": 0.001}},
    "values as one number": {"learn": {"outcomes": False}},
    "values of results alone (lambda 1)": {"learn": {"value_lambda": 1.0}},
    "advantages of results alone (lambda 1)": {"learn": {"gae_lambda": 1.0}},
    "advantages with lambda 0.6": {"learn": {"gae_lambda": 0.6}},
    "all advantages": {"learn": {"largest": 1.0}},
    "one epoch": {"learn": {"epochs": 1}},
    "weights not averaged": {"learn": {"average": 0.0}},
    "as in continue.toml": {"learn": CONTINUED},
    "advice without worths": {"learn": {"worths": False, "reasons": False}},
    "no advice": {"learn": UNADVISED},
    "no teacher": {"teacher": None},
    "shaping that fades": {"shaping": {"control": 0.1, "losses": 0.02}},
}
OF_ADVICE = ("magnet that trusts the advice", "advice without worths", "no advice")  # without any, refused or no change
OF_CLONES = ("as in continue.toml", "no teacher")  # without a teacher there is no clone to begin with
LEFT_OUT = {"advice": OF_ADVICE, "teacher": OF_CLONES}
OF_LABELS: dict[str, Mapping[str, Any]] = {
    "as configured": {},
    "advice and worths, without reasons": {"learn": {"reasons": False}},
    "advice alone": {"learn": {"worths": False, "reasons": False}},
    "no advice": {"learn": UNADVISED},
    "no gains of fewer turns": {"network": {"early": 0}, "expert": {"early": 0.0}},
    "choices in place of gains": {
        "network": {"early": 0},
        "expert": {"gains": 0.0, "early": 0.0, "policy": 0.0, "choices": 1.0},
    },
    "no margin": {"expert": {"margin": 0.0}},
    "boards not turned": {"expert": {"symmetries": False}},
    "no expected gains": {"expert": {"policy": 0.0}},
}


def configure(
    changes: Mapping[str, Any],
    folder: Path,
    seed: int,
    minutes: float,
    without: Sequence[str] = (),
    base: Path = BASE,
) -> LearnConfig:
    """Return the configuration of a run: `base` without a curve, with keys of sections or whole sections changed.

    Args:
        changes: new values by section and key; None for a section that is left out.
        folder: of the run.
        seed: of the run.
        minutes: of self-play.
        without: what all variants do without: "advice", "teacher" or both.
        base: file of a configuration.
    """
    data = read_toml(base) | {"folder": str(folder), "seed": seed, "curve": None}
    if "advice" in without:
        data["learn"] = data["learn"] | UNADVISED
    if "teacher" in without:
        data["teacher"] = None
    for key, value in changes.items():
        data[key] = data.get(key, {}) | value if value is not None else None
    data["learn"] = data["learn"] | {"max_minutes": minutes}
    return read_model(LearnConfig, {key: value for key, value in data.items() if value is not None}, str(base))


def limited(config: LearnConfig, decisions: int) -> LearnConfig:
    """Limit the decisions of self-play as well, unless `decisions` is 0."""
    if decisions == 0:
        return config
    return config.model_copy(update={"learn": config.learn.model_copy(update={"decisions": decisions})})


def train(config: LearnConfig, console: Console) -> Path:
    """Train a General, or resume its training, and return its path.

    Raises:
        SystemExit: training was stopped.
    """
    game = load_game(config.game.id, **config.game.options)
    path = learn(config, game, console, resume=Path(config.folder).exists())
    if path is None:
        raise SystemExit("stopped; the same command resumes it")
    return path


def with_clone(config: LearnConfig, folder: Path, lessons: int, console: Console) -> LearnConfig:
    """Return the configuration of a run that starts from a clone of its teacher; make the clone if there is none."""
    if config.teacher is None:
        return config
    sizes = sizes_of(config)
    name = f"clone-outcomes-{sizes.outcomes}-advice-{sizes.advice}-{config.seed}"
    teacher = config.teacher.model_copy(update={"decisions": lessons or config.teacher.decisions})
    alone = config.learn.model_copy(update={"max_minutes": NO_TIME, "start": "", "start_policy": 0.0})
    changed = {"folder": str(folder / name), "learn": alone, "teacher": teacher}
    start = str(train(config.model_copy(update=changed), console))
    return config.model_copy(update={"learn": config.learn.model_copy(update={"start": start}), "teacher": None})


def measure(path: str, config: LearnConfig, opponent: str, games: int, *, sampled: bool = False) -> list[int]:
    """Have the General at `path` play, drawing its actions if `sampled`.

    Returns:
        Games won, games played, and the decisions of self-play that it learned from.
    """
    game = load_game(config.game.id, **config.game.options)
    plan = Plan(-(-games // game.num_players), seed=config.seed)
    likeliest = str(not sampled).lower()
    agent, other = (f"ppo:path={escaped(one)},deterministic={likeliest}" for one in (path, config.learn.start))
    tally, _ = evaluate(game, agent, other if opponent == OWN_CLONE else opponent, plan, lambda _: None)
    return [tally.wins, tally.games, read_checkpoint(Path(path)).header.training["decisions"]]


def measure_taught(config: LearnConfig, labels: Path, minutes: float, opponent: str, games: int) -> list[int]:
    """Have a General learn from label files for `minutes` of processor time and play.

    Returns:
        Games won, games played, and the labeled decisions that it learned from.
    """
    torch.set_num_threads(config.learn.threads)
    game = load_game(config.game.id, **config.game.options)
    learner, info = make_learner(config, game, Team()), GameInfo.of(game)
    files, rng, began = label_files(labels), np.random.default_rng(config.seed), time.process_time()

    def lessons() -> Iterator[LabelLesson]:
        order: list[int] = []
        while (done := (time.process_time() - began) / (60 * minutes)) < 1:
            order = order if len(order) >= LESSON else [*order, *rng.permutation(len(files))]
            yield LabelLesson(done, joined([read_labels(files[place], info) for place in order[:LESSON]]))
            del order[:LESSON]

    assert config.expert is not None
    learned, _ = learn_labels(learner, config.expert, lessons(), game)
    agent = agent_of(learner.averaged, config, info, deterministic=True)
    line_ups = draw_games(config.game, game, config.learn.line_ups, config.seed)
    results = play_side_by_side(line_ups, agent, make_agent(opponent, info), games, config.seed)[:, 0]
    return [int((results == WIN).sum()), len(results), learned]


def interval(rates: list[float]) -> str:
    """Return the mean of shares, with a 95% Student's t interval if there are two or more."""
    mean = statistics.mean(rates)
    if len(rates) < 2:
        return f"{mean:.1%}"
    half = scipy.stats.t.ppf(0.975, len(rates) - 1) * statistics.stdev(rates) / math.sqrt(len(rates))
    return f"{mean:.1%} ({max(0.0, mean - half):.1%} to {min(1.0, mean + half):.1%})"


def table(found: Mapping[str, Mapping[str, list[int]]]) -> str:
    """Return the results as Markdown."""
    lines = ["| variant | decisions | games | won, by seed | mean over seeds | pooled |", "|---|---|---|---|---|---|"]
    for name, seeds in found.items():
        won, played, learned = (sum(one[place] for one in seeds.values()) for place in range(3))
        rates = [one[0] / one[1] for one in seeds.values()]
        single = ", ".join(f"{rate:.1%}" for rate in rates)
        lines.append(
            f"| {name} | {learned // len(seeds):,} | {played:,} | {single} | {interval(rates)} | {Rate(won, played)} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Do the missing runs, and print the table after each seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("runs/ablations"))
    parser.add_argument("--minutes", type=float, default=8.0, help="of learning in each run")
    parser.add_argument("--decisions", type=int, default=0, help="of self-play in each run; 0: time alone counts")
    parser.add_argument("--without", nargs="+", choices=LEFT_OUT, default=[], help="what no variant has")
    parser.add_argument("--lessons", type=int, default=0, help="decisions of the teacher; 0: as configured")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--games", type=int, default=1000, help="of each General after its training")
    parser.add_argument("--opponent", default="greedy", help=f"an agent, or {OWN_CLONE!r}: that of the same seed")
    parser.add_argument("--sampled", action="store_true", help="draw actions from policies, as in self-play")
    parser.add_argument("--only", nargs="*", help="variants; all by default")
    parser.add_argument("--labels", type=Path, help="files of labels, or a folder of them, to learn from instead")
    options = parser.parse_args()
    if options.opponent == OWN_CLONE and ("teacher" in options.without or options.labels):
        parser.error(f"--opponent {OWN_CLONE}: there is none, because nothing begins with a clone")
    if options.labels and (options.without or options.sampled):
        parser.error("--labels: --without and --sampled are for self-play")
    console, results = Console(), options.folder / "results.json"
    plan = {
        key: getattr(options, key)
        for key in ("minutes", "decisions", "without", "lessons", "games", "opponent", "sampled")
    }
    base, variants = (EXPERT, OF_LABELS) if options.labels else (BASE, VARIANTS)
    plan |= {"labels": str(options.labels or ""), "base": read_toml(base)}
    plan["code"] = [code_digest(), training_digest(), source_digest([Path(__file__)])]
    left_out = [name for part in options.without for name in LEFT_OUT[part]]
    left_out += ["no teacher"] * (options.opponent == OWN_CLONE)
    names = options.only or [name for name in variants if options.labels or name not in left_out]
    if unknown := [name for name in names if name not in variants]:
        raise SystemExit(f"--only {unknown[0]!r}: unknown variant; the variants are {', '.join(map(repr, variants))}")
    is_cloned = not options.labels and "teacher" not in options.without
    first = [CLONE] if is_cloned and options.opponent != OWN_CLONE else []
    kept = read_json(results) if results.exists() else {"plan": plan, "found": {}}
    if differing := [key for key, value in plan.items() if kept["plan"].get(key) != value]:
        raise SystemExit(f"{results} holds results with another {' and '.join(differing)}: choose another --folder")
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(1, options.seeds + 1):
        for name in [*first, *names]:
            seeds = kept["found"].setdefault(name, {})
            if str(seed) in seeds:
                continue
            folder = options.folder / f"{name.replace(' ', '-')}-{seed}"
            if options.labels:
                config = configure(variants[name], folder, seed, options.minutes, base=EXPERT)
                found = measure_taught(config, options.labels, options.minutes, options.opponent, options.games)
            else:
                config = configure(variants.get(name, {}), folder, seed, options.minutes, options.without)
                config = with_clone(limited(config, options.decisions), options.folder, options.lessons, console)
                path = config.learn.start if name == CLONE else str(train(config, console))
                found = measure(path, config, options.opponent, options.games, sampled=options.sampled)
            seeds[str(seed)] = found
            write_json(results, kept)
        print(table(kept["found"]), flush=True)


if __name__ == "__main__":
    main()
