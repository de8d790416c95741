"""Readers of untrusted input, each with valid documents, a way to call it and a check of its results."""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from sackarmies_agents.factory import KINDS, AgentSpec, parse_agent
from sackarmies_env.core.game import Game, Records, forfeit_code
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.record import (
    Analysis,
    Belief,
    Candidate,
    GameRecord,
    load_record,
    make_record,
    replay,
    state_digest,
)
from sackarmies_env.core.state import ERROR_NONE, ERROR_SCRIPT_EXHAUSTED, ERROR_STUCK
from sackarmies_env.core.validation import StrictModel, read_model
from sackarmies_env.games.sack_armies.config import Config, make_config
from sackarmies_env.games.sack_armies.game import make_game, make_recorded_game
from sackarmies_env.games.sack_armies.scenario.document import (
    Position,
    load_scenario,
    scenario_toml,
    start_scenario,
    to_scenario,
)
from sackarmies_env.games.sack_armies.state.actions import make_action_space
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.army import Army, check_army, read_army, resolve_army
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, read_tokens, token_data
from sackarmies_env.registry import game_of
from sackarmies_training.config import TournamentConfig, TrainConfig, load_config
from tests.core.toy_game import make_duel
from tests.fuzz import checkpoints, contests, territories, territories_games
from tests.fuzz.mutators import mutate_bytes, mutate_data, places
from tests.sack_armies.builders import entry
from tests.sack_armies.fuzz.contradictions import check_consistency, contradict

ROOT = Path(__file__).parents[2]
GAME_DATA = ROOT / "sackarmies_env" / "games" / "sack_armies"
NO_FILE = (
    "there is no such file",
    "cannot be read",
    "this is not a valid file name",
    "this is a",
    "TOML",
)  # a text given as data names a file
REPLAYED = (
    *("record", "ply ", "flips", "draws", "configuration", "num_generals", "armies", "of General", "switches"),
    *("scenario: ", "unknown game", "army", "num_players", "map"),
)  # in messages about the recorded game, not about the file


@dataclass(frozen=True)
class Reader:
    """A reader of untrusted input.

    Attributes:
        name: used in test ids and as the beginning of the names of kept files.
        suffix: suffix of its files; empty if it reads no files.
        seeds: returns valid documents: plain data, text, or bytes.
        check: fails an assertion if a result is not valid.
        places: every message of a refusal contains one of these or the name of the file.
        read: reads a file.
        read_data: reads plain data, or text.
        damage: makes a damaged document from two valid ones, if these are bytes.
        damage_data: the same for plain data.
    """

    name: str
    suffix: str
    seeds: Callable[[], list[Any]]
    check: Callable[[Any], None]
    places: tuple[str, ...]
    read: Callable[[Path], Any] | None = None
    read_data: Callable[[Any], Any] | None = None
    damage: Callable[[Random, Any, Any], Any] = mutate_bytes
    damage_data: Callable[[Random, Any, Any], Any] = mutate_data


def tables(pattern: str) -> list[dict[str, Any]]:
    return [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob(pattern))]


# --- armies, tokens, switches


OWN_TOKENS: list[dict[str, Any]] = [
    {"id": "stone_thrower", "kind": "unit", "rank": 2, "type": "artillery", "damage": 3, "keywords": ["orc", "stone"]},
    {"id": "old_witch", "kind": "unit", "band": "green", "abilities": [{"kind": "raise", "match": {"keyword": "orc"}}]},
    {"id": "deep_bog", "kind": "battlefield", "halts": True, "water": True, "exempt": ["flying"]},
    {"id": "wall_of_fire", "kind": "spell", "use": "action", "target": "any_unit", "range": 3, "retain": True}
    | {"effects": [{"kind": "damage", "amount": 4, "flip": "progressive"}]},
    {"id": "wings", "kind": "maneuver", "use": "permanent", "target": "own_unit", "range": 2}
    | {"effects": [{"kind": "grant", "ability": {"kind": "flying"}}]},
]


def armies() -> list[Any]:
    own = {"name": "Mine", "description": "Two\nlines", "tokens": {"plain": 5, "stone_thrower": 2}, "token": OWN_TOKENS}
    return [*tables("sackarmies_env/games/sack_armies/tokens/armies/*.toml")[:4], own]


def army_data(army: Army) -> dict[str, Any]:
    tokens = {"token": [token_data(token) for token in army.inline]} if army.inline else {}
    return {"name": army.name, "description": army.description, "tokens": dict(army.counts), **tokens}


def check_army_result(army: Army) -> None:
    assert read_army(army_data(army), "again") == army
    for problem in check_army(army):
        assert problem.isprintable() and len(problem) < 400


def token_lists() -> list[Any]:
    catalogue = tomllib.loads((GAME_DATA / "tokens" / "catalogue.toml").read_text(encoding="utf-8"))["token"]
    return [OWN_TOKENS, catalogue[:3], catalogue[20:23], catalogue[60:63]]


def check_tokens(tokens: tuple[AnyToken, ...]) -> None:
    assert read_tokens([token_data(token) for token in tokens], "again") == tokens


def switch_tables() -> list[Any]:
    chosen = {"flip_method": "deck", "auto_ambush": True, "copy_limits": {"1": 5, "2": 3, "3+": 1}, "grid_radius": 9}
    return [chosen, Switches().model_dump(mode="json"), {"max_turns": 10, "reward": "win_only", "scatter_save": "off"}]


def check_switches(switches: Switches) -> None:
    assert Switches.read(switches.changed()) == switches


def options() -> list[Any]:
    return [
        {"num_generals": 3, "armies": ["empire", "undead", "scourge"], "switches": {"max_turns": 9}},
        {"num_generals": 2, "armies": armies()[:2], "tokens": OWN_TOKENS},
        {"num_generals": 2, "armies": "empire", "switches": {}, "tokens": []},
    ]


def read_options(given: Any) -> Config:
    if not isinstance(given, dict) or not set(given) <= {"num_generals", "armies", "switches", "tokens"}:
        raise ValueError("num_generals, armies, switches and tokens are options")
    return make_config(**given)


def check_config(config: Config) -> None:
    assert len(config.armies) == config.num_generals
    assert all(not check_army(army, {t.id: t for t in config.tokens}, config.switches) for army in config.armies)


# --- positions


def scenarios() -> list[Any]:
    built_in = tables("sackarmies_env/games/sack_armies/scenario/built_in/x*.toml")
    return [*built_in[::6], *dumps()[:4]]


@functools.cache
def _dumps() -> tuple[dict[str, Any], ...]:
    """Return dumped positions of random games, in which a procedure is in progress."""
    found = []
    for generals, seed, switches in ((2, 1, {}), (2, 2, {"reaction_windows": "full"}), (3, 3, {"flip_method": "deck"})):
        game = make_game(generals, switches=switches)
        states, mask = game.new_states(1), np.zeros((1, game.num_actions), np.int8)
        rng = Random(seed)
        game.start(states, seed)
        for ply in range(1500):
            if states["current_player"][0] < 0:
                break
            if ply % 61 == 0 or (states["frame_top"][0] > 0 and ply % 13 == 0):
                found.append(json.loads(json.dumps(game.to_scenario(states))))
            game.legal_actions(game.params, states, mask)
            game.step(game.params, states, np.array([rng.choice(np.flatnonzero(mask[0]).tolist())]))
    return tuple(one for one in found if "procedure" in one)


def dumps() -> list[Any]:
    return list(_dumps())


def check_scenario(scenario: dict[str, Any]) -> None:
    assert load_scenario(scenario) == scenario
    if all(node[key] is not None for node, key in places(scenario)):  # TOML has no word for nothing
        assert load_scenario(tomllib.loads(scenario_toml(scenario))) == scenario


def check_position(position: Position) -> None:
    """Check that a position is consistent, play on at random for a few plies, then dump it again."""
    check_consistency(position)
    game_text, states = position.text, position.states
    rng = Random(0)
    for _ in range(4):
        if states["current_player"][0] < 0:
            break
        legal = legal_ids(states["legal"][0])
        assert legal and max(legal) < game_text.num_actions
        entry.step(position.params, states, np.array([rng.choice(legal)]))
        assert states["error"][0] in (ERROR_NONE, ERROR_SCRIPT_EXHAUSTED, ERROR_STUCK)
    to_scenario(position.params, position.config, states)


# --- records


def thought(ply: int, action: int) -> Analysis:
    """Return an analysis that uses every key."""
    belief = Belief(subject="unit", at=(1, -2), contents={"Guard": 0.5})
    candidate = Candidate(action=action, probability=0.5, value=-1.0)
    return Analysis(ply=ply, agent="search", candidates=(candidate,), value=0.25, beliefs=(belief,))


@functools.cache
def _records() -> tuple[dict[str, Any], ...]:
    found = []
    for players, seed in ((2, 1), (3, 2)):
        game = make_duel(players)
        states, mask = game.new_states(1), np.zeros((1, game.num_actions), np.int8)
        game.start(states, seed)
        actions = []
        while states["current_player"][0] >= 0 and len(actions) < 12:
            game.legal_actions(game.params, states, mask)
            actions.append(int(np.flatnonzero(mask[0])[0]))
            game.step(game.params, states, np.array(actions[-1:]))
        names = [f"player {seat}" for seat in range(players)]
        record = make_record(game, seed, actions, players=names, analyses=[thought(2, actions[2])])
        found.append(record.model_dump(mode="json"))
    return tuple(found)


def records() -> list[Any]:
    return [json.loads(json.dumps(record)) for record in _records()]


def check_record(record: GameRecord) -> None:
    again = json.loads(json.dumps(record.model_dump(mode="json")))
    assert GameRecord.model_validate(again) == record
    assert len(record.actions) == len(record.texts) == len(record.digests) - 1


# --- replays


@functools.cache
def _replays() -> tuple[dict[str, Any], ...]:
    """Return records of random games of Sack Armies and Territories, some from positions; all end with a forfeit."""
    configs: tuple[dict[str, Any], ...] = ({"armies": armies()[:2]}, {"num_generals": 3}, {"scenario": dumps()[0]})
    games = [*(make_recorded_game(**config) for config in configs), *territories.recorded_games()]
    return tuple(random_record(game, seed) for seed, game in enumerate(games))


def random_record(game: Game, seed: int) -> dict[str, Any]:
    """Return the record of a game of 30 random plies, after which the current player forfeits."""
    states, mask = game.new_states(1), np.zeros((1, game.num_actions), np.int8)
    game.start(states, seed)
    rng, actions = Random(seed), []
    for _ in range(30):
        game.legal_actions(game.params, states, mask)
        actions.append(rng.choice(np.flatnonzero(mask[0]).tolist()))
        game.step(game.params, states, np.array(actions[-1:]))
    actions.append(forfeit_code(int(states["current_player"][0])))
    reasons, analyses = {len(actions) - 1: "no answer in 1 s"}, [thought(5, actions[5])]
    return make_record(game, seed, actions, reasons=reasons, analyses=analyses).model_dump(mode="json")


def replays() -> list[Any]:
    return [json.loads(json.dumps(record)) for record in _replays()]


def play_again(record: GameRecord) -> tuple[GameRecord, Records]:
    return record, replay(game_of(record), record)


def check_replay(played: tuple[GameRecord, Records]) -> None:
    record, states = played
    assert states["error"][0] == ERROR_NONE
    assert state_digest(states) == record.digests[-1]


# --- texts


@functools.cache
def action_text() -> Any:
    config = make_config(2)
    return make_action_space(config.type_ids, config.grid)


def parse_action(text: Any) -> int:
    texts = action_text()
    return int(texts.parse(text, range(0, texts.num_actions, 7), 0))


def check_action(action: int) -> None:
    texts = action_text()
    assert texts.parse(texts.format(action), [action], 0) == action


def action_texts() -> list[Any]:
    return ["draw", "pass", "type walking_tree", "type orc_infantry", "slot 0", "hex 1,-1", "hex -5, +3", "done"]


def agent_texts() -> list[Any]:
    return ["random", "greedy", "ppo:path=runs/quick/checkpoint.safetensors,deterministic=true", "ppo:path=a.zip"]


def check_agent(spec: AgentSpec) -> None:
    assert spec.name in KINDS
    assert set(KINDS[spec.name].required) <= set(spec.options) <= set(KINDS[spec.name].options)


# --- configurations


def check_settings(settings: StrictModel) -> None:
    assert type(settings).model_validate(settings.model_dump()) == settings


READERS = {
    reader.name: reader
    for reader in (
        Reader(
            *("army", ".toml", armies, check_army_result, ("army of General 0",)),
            read=lambda path: resolve_army(str(path)),
            read_data=lambda data: (
                resolve_army(data) if isinstance(data, dict) else read_army(data, "army of General 0")
            ),
        ),
        Reader(
            *("tokens", "", token_lists, check_tokens, ("tokens",)),
            read_data=lambda data: read_tokens(data, "tokens"),
        ),
        Reader("switches", "", switch_tables, check_switches, ("switches",), read_data=Switches.read),
        Reader(
            "options",
            "",
            options,
            check_config,
            ("armies", "army", "of General", "switches", "num_generals", "tokens", "inline token", *NO_FILE),
            read_data=read_options,
        ),
        Reader(
            *("scenario", ".toml", scenarios, check_scenario, ("scenario", *NO_FILE)),
            read=load_scenario,
            read_data=load_scenario,
        ),
        Reader(
            *("position", "", dumps, check_position, ("scenario", *NO_FILE)),
            read_data=start_scenario,
            damage_data=contradict,
        ),
        Reader(
            *("territories", ".toml", territories.scenarios, territories.check_scenario, ("scenario", *NO_FILE)),
            read=territories.read,
            read_data=territories.read,
        ),
        Reader(
            *("campaign", "", territories.dumps, territories.check_position, ("scenario", *NO_FILE)),
            read_data=territories.start,
        ),
        Reader("record", ".json", records, check_record, (), read=load_record),
        Reader(
            *("replay", ".json", replays, check_replay, REPLAYED),
            read=lambda path: play_again(load_record(path)),
            read_data=lambda data: play_again(read_model(GameRecord, data, "record")),
        ),
        Reader(
            *(
                "territories_options",
                "",
                territories_games.options,
                territories_games.check_options,
                territories_games.PLACES,
            ),
            read_data=territories_games.read_options,
        ),
        Reader(
            *("territories_replay", ".json", territories_games.replays, check_replay, territories_games.REPLAYED),
            read=lambda path: play_again(load_record(path)),
            read_data=lambda data: play_again(read_model(GameRecord, data, "record")),
        ),
        Reader(
            "action",
            "",
            action_texts,
            check_action,
            ("action", "is not legal for player 0 now"),
            read_data=parse_action,
        ),
        Reader("agent", "", agent_texts, check_agent, ("agent",), read_data=parse_agent),
        Reader(
            *("checkpoint", ".safetensors", checkpoints.seeds, checkpoints.check_agent, ()),
            read=checkpoints.read,
            damage=checkpoints.damage,
        ),
        Reader(
            *("resumed", ".safetensors", checkpoints.run_seeds, checkpoints.check_run, ()),
            read=checkpoints.read_run,
            damage=checkpoints.damage,
        ),
        Reader(
            *("snapshot", "", checkpoints.snapshot_seeds, checkpoints.check_snapshot, ("saved state",)),
            read_data=checkpoints.read_snapshot,
        ),
        Reader(
            *("training", ".toml", lambda: tables("configs/train/*.toml"), check_settings, ()),
            read=lambda path: load_config(path, TrainConfig),
        ),
        Reader(
            *("tournament", ".toml", lambda: tables("configs/tournament/*.toml"), check_settings, ()),
            read=lambda path: load_config(path, TournamentConfig),
        ),
        Reader(
            "identity",
            ".json",
            contests.identities,
            contests.check_batches,
            (contests.IDENTITY, "holds another tournament: "),
            read=contests.read_identity,
        ),
        Reader(
            *("seed", ".json", contests.seeds, contests.check_seed, (contests.SEED,)),
            read=contests.read_seed_file,
        ),
        Reader("batch", ".json", contests.results, contests.check_results, ("0000.json",), read=contests.read_results),
    )
}
