"""A recorded game of the learner at each checkpoint of a run, to watch with `sackarmies view`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sackarmies_agents.agent import Agent
from sackarmies_env.core.game import Game
from sackarmies_env.core.record import make_record, save_record
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.envs.match import Match
from sackarmies_training.analysis import Reports
from sackarmies_training.checkpoints import DIGITS
from sackarmies_training.config import LEARNER
from sackarmies_training.seeds import derive

RECORDS = "records"  # folder of the records, in that of the run
LONGEST = 5_000  # decisions; a longer game is recorded up to there


def record_game(games: Sequence[Game], agent: Agent, seed: int, folder: Path, decisions: int) -> Path:
    """Have an agent play all seats of a game, and save the record with what it reports.

    Args:
        games: games of the run, one for each line-up; each checkpoint takes the next one.
        agent: the agent of the checkpoint.
        seed: seed of the run.
        folder: folder of the run.
        decisions: number of decisions at the checkpoint.

    Returns:
        Path of the record.
    """
    path = folder / RECORDS / f"{decisions:0{DIGITS}d}.json"
    if path.exists():  # the run was resumed from this checkpoint
        return path
    game = games[len(list(path.parent.glob("*.json"))) % len(games)]
    match, reports = Match(game), Reports()
    match.begin(derive(seed, RECORDS, decisions))
    agent.reset(match.seed)
    while match.player != NO_PLAYER and len(match.history) < LONGEST:
        action = int(agent.act(match.observation, match.action_mask))
        reports.take(agent, LEARNER, match, action)
        match.play(action)
    players = [LEARNER] * game.num_players
    save_record(make_record(game, match.seed, match.history, players=players, analyses=reports.analyses), path)
    return path


def remove_later(folder: Path, decisions: int) -> None:
    """Remove the records of checkpoints after more than `decisions` decisions: a resumed run makes new ones."""
    for path in (folder / RECORDS).glob("*.json"):
        if path.stem.isdecimal() and int(path.stem) > decisions:
            path.unlink()
