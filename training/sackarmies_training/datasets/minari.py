"""Recorded games as a Minari data set: each episode is one seat's game, as `SingleSeatEnv` would have shown it."""

from __future__ import annotations

import copy
import importlib.metadata
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from minari.data_collector import EpisodeBuffer
from minari.dataset.minari_dataset import DATASET_ID_RE
from minari.dataset.minari_storage import MinariStorage
from minari.storage.datasets_root_dir import get_dataset_path
from numpy.typing import NDArray

from sackarmies_env.core.entries import environment_id_of
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.messages import printable
from sackarmies_env.core.record import GameRecord, load_record, replay, software_version
from sackarmies_env.core.safe_read import named
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.envs.presentation import Presentation
from sackarmies_env.envs.spaces import ACTION_MASK, OBSERVATION, action_space, observation_space
from sackarmies_env.envs.structured import FLAT, Form
from sackarmies_env.registry import content_and_form
from sackarmies_training.datasets.files import Games, written_whole

LOT = 64  # records whose episodes are written together


@dataclass
class Episode:
    """The decisions of one seat in one game.

    Attributes:
        observations: before each decision and after the last one.
        masks: likewise.
        actions: the decisions.
        earned: what the seat had earned before each decision and after the last one.
        is_over: whether the game is over for the seat.
        terminated: whether it ended by the rules.
    """

    observations: list[NDArray[np.int8]] = field(default_factory=list)
    masks: list[NDArray[np.int8]] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    earned: list[float] = field(default_factory=list)
    is_over: bool = False
    terminated: bool = False

    def buffer(self, seed: int, form: Form) -> EpisodeBuffer:
        """Return the episode as Minari writes it, with observations in the given form."""
        ends = np.zeros((2, len(self.actions)), np.bool_)
        ends[:, -1] = self.terminated, not self.terminated
        return EpisodeBuffer(
            seed=seed,
            observations={OBSERVATION: form(np.stack(self.observations)), ACTION_MASK: np.stack(self.masks)},
            actions=np.array(self.actions, np.int64),
            rewards=np.diff(np.array(self.earned)),
            terminations=ends[0],
            truncations=ends[1],
            infos={},
        )


def write_minari(
    records: Sequence[Path],
    target: Path,
    *,
    seats: Iterable[int] | None = None,
    progress: Callable[[int], None] = lambda records: None,
) -> tuple[str, int]:
    """Write recorded games as a Minari data set; memory use does not grow with their number.

    Args:
        records: record files of games with one layout.
        target: folder of the data set, which must not exist; its name is the id, as in `greedy-v0`.
        seats: seats whose decisions are written; None for all.
        progress: called with 1 after each record.

    Returns:
        The id, and the number of episodes.

    Raises:
        ValueError: a record is damaged, does not replay or has another layout than the first; the id is not allowed or
            taken; there is no such seat, or no decision. Nothing is written then.
        OSError: the folder cannot be written.
    """
    dataset_id = id_of(target)
    games = Games()
    storage: MinariStorage | None = None
    presentation: Presentation | None = None
    configs: dict[str, Game] = {}
    whose: set[int] = set()  # seats of the episodes
    with written_whole(target) as temporary:
        for start in range(0, len(records), LOT):
            episodes: list[EpisodeBuffer] = []
            told: list[dict[str, Any]] = []
            for path in records[start : start + LOT]:
                record = load_record(path)
                game = games.of(record, path)
                presentation = presentation or presentation_of(game)
                if len(configs) < 2:
                    configs[json.dumps(record.config, sort_keys=True)] = game
                for seat, episode in episodes_of(game, record, path, _checked(seats, game)):
                    episodes.append(episode.buffer(record.seed, presentation.form))
                    told.append(_metadata(record, path, seat))
                    whose.add(seat)
                progress(1)
            if storage is None:
                temporary.mkdir(parents=True)
                data = temporary.absolute() / "data"  # Minari joins relative paths of its files twice
                storage = MinariStorage.new(data, observation_space(game, presentation), action_space(game))
            first = storage.total_episodes
            storage.update_episodes(episodes)
            storage.update_episode_metadata(told, range(first, first + len(told)))
        if storage is None or storage.total_episodes == 0:
            raise ValueError("there are no decisions in these records")
        about = {
            "dataset_id": dataset_id,
            "minari_version": importlib.metadata.version("minari"),
            "layout_sha256": games.layout,
            "sackarmies_env": software_version(),
        }
        if len(configs) == 1:  # else no single environment fits all episodes
            about["env_spec"] = _spec(game, whose).to_json()
        storage.update_metadata(about)
        episodes_written = int(storage.total_episodes)
    return dataset_id, episodes_written


def id_of(target: Path) -> str:
    """Return the id of the data set in a folder: its path in Minari's own folder, else its name.

    Raises:
        ValueError: Minari does not allow the id, or the folder exists.
    """
    root = get_dataset_path().resolve()
    folder = target.resolve()
    dataset_id = folder.relative_to(root).as_posix() if folder.is_relative_to(root) else folder.name
    match = DATASET_ID_RE.fullmatch(dataset_id)
    if match is None or match["version"] is None:
        raise ValueError(
            f"{named(target)}: a Minari name has letters, digits, - and _ and ends in a version: greedy-v0"
        )
    if target.exists():
        raise ValueError(f"{named(target)} exists: remove it, or give another name or version")
    return dataset_id


def _checked(seats: Iterable[int] | None, game: Game) -> list[int]:
    chosen = sorted(set(range(game.num_players) if seats is None else seats))
    for seat in chosen:
        if not 0 <= seat < game.num_players:
            raise ValueError(f"seat {seat} is not at the table: seats run from 0 to {game.num_players - 1}")
    return chosen


def _metadata(record: GameRecord, path: Path, seat: int) -> dict[str, Any]:
    agent = {"agent": record.players[seat]} if seat < len(record.players) else {}
    return {"seat": seat, "record": printable(path.name), "agents": json.dumps(record.players), **agent}


def presentation_of(game: Game) -> Presentation:
    """Return how an environment made from the configuration of a game presents it."""
    observation = game.config.get("observation")
    return Presentation(game, FLAT if observation is None else content_and_form(game.id, observation)[1], None)


def _spec(game: Game, seats: set[int]) -> EnvSpec:
    """Return the spec that `MinariDataset.recover_environment` makes an environment from.

    It is the registered one, with the configuration of the game, and the seat if all episodes are of the same one.
    """
    spec = copy.deepcopy(gymnasium.spec(environment_id_of(game.id)))
    spec.kwargs |= game.config
    if len(seats) == 1:
        spec.kwargs |= {"seat": min(seats)}
    return spec


def episodes_of(game: Game, record: GameRecord, path: Path, seats: Sequence[int]) -> Iterator[tuple[int, Episode]]:
    """Yield the episodes of some seats of a game, with their seats; a seat that decided nothing has none.

    An episode ends when the game is over for its seat, though others may play on. A game without an end in its record
    is truncated there.

    Args:
        game: game of the record.
        record: the record, which is replayed and checked.
        path: its file.
        seats: seats whose episodes are wanted.

    Raises:
        ValueError: the record does not replay.
    """
    episodes = {seat: Episode() for seat in seats}
    paid, out = np.zeros((1, game.num_players), np.float32), np.zeros((1, game.num_players), np.int8)
    seen, nothing = np.zeros((1, game.observation_spec.size), np.int8), np.zeros(game.num_actions, np.int8)

    def note(states: Records, seat: int, mask: NDArray[np.int8]) -> None:
        game.observe(game.params, states, [seat], seen)
        game.returns(game.params, states, paid)
        episodes[seat].observations.append(seen[0].copy())
        episodes[seat].masks.append(mask)
        episodes[seat].earned.append(float(paid[0, seat]))

    def close(states: Records, seat: int, terminated: bool) -> None:
        note(states, seat, nothing)
        episodes[seat].is_over, episodes[seat].terminated = True, terminated

    def listen(ply: int, before: Records, action: int, after: Records) -> None:
        seat = int(before["current_player"][0])
        if action >= 0 and seat in episodes and not episodes[seat].is_over:
            mask = nothing.copy()
            mask[legal_ids(before["legal"][0])] = 1
            note(before, seat, mask)
            episodes[seat].actions.append(action)
        game.terminations(game.params, after, out)
        is_over = int(after["current_player"][0]) == NO_PLAYER
        for one, episode in episodes.items():
            if not episode.is_over and (out[0, one] or is_over):
                close(after, one, bool(out[0, one]))

    try:
        last = replay(game, record, listen)
    except ValueError as error:
        raise ValueError(f"{named(path)}: {error}") from None
    for seat, episode in episodes.items():
        if not episode.is_over:
            close(last, seat, terminated=False)
        if episode.actions:
            yield seat, episode
