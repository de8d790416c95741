"""Digests of behavior, which stay the same unless a change is meant to alter behavior.

`python -m tests.fingerprint` compares current digests with the kept ones; `--write` replaces those. Each line is a hash
of random games (agent order, masks and observations of all seats, rewards, endings, sampled states and dumped
positions) or a count of sequences of decisions. State records are left out: their layout is internal to the engine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from sackarmies_env.games import sack_armies
from sackarmies_env.registry import load_game, make
from sackarmies_env.testing import RandomPlay, perft
from tests.sack_armies.builders.configurations import STARTS, Configuration
from tests.territories.positions import random_table

KEPT = Path(__file__).parent / "kept" / "fingerprint.json"
SCENARIOS = sorted((Path(sack_armies.__file__).parent / "scenario" / "built_in").glob("*.toml"))
GENERALS = (2, 3, 6)
SWITCHES: dict[str, dict[str, Any]] = {
    "standard": {},
    "asks": {"auto_forced": "off", "reaction_windows": "full"},
    "deck": {"flip_method": "deck_jokers", "reward": "win_only", "max_turns": 30},
}
GAMES = 2
PLIES = 300
DEPTH = 2
EVERY = 29  # decisions between two samples ("guesses")
TABLES = ((2, "small"), (2, "full"), (3, "full"), (4, "full"))  # (players, map) of Territories
TERRITORIES_SWITCHES: dict[str, dict[str, Any]] = {
    "standard": {},
    "bound": {"exchange_pair": "per_turn", "domination": False, "attacks_per_turn": 2, "max_rounds": 5},
}
POSITIONS, POSITION_DEPTH = 12, 4
Line = tuple[str, str | int]


def games_of(game_id: str, options: dict[str, Any]) -> str:
    """Return a digest of what every seat receives in random games."""
    told = hashlib.sha256()
    env = make(game_id, "raw", **options)
    for seed in range(GAMES):
        env.reset(seed)
        rng = np.random.default_rng(seed)
        for _ in range(PLIES):
            if not env.agents:
                break
            agent = env.agent_selection
            ended = env.terminations[agent] or env.truncations[agent]
            told.update(repr([agent, env.terminations, env.truncations, env.rewards]).encode())
            for one in env.agents:
                seen = env.observe(one)
                told.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
            mask = env.observe(agent)["action_mask"]
            env.step(None if ended else int(rng.choice(np.flatnonzero(mask))))
    return told.hexdigest()[:16]


def samples_of(play: RandomPlay) -> str:
    """Return a digest of a game's dumped positions, and of states sampled from each player's view of them."""
    told, game = hashlib.sha256(), play.game
    for _ in play:
        if len(play.actions) % EVERY == 0:
            told.update(json.dumps(game.to_scenario(play.states), sort_keys=True).encode())
            for player in range(game.num_players):
                world = game.clone(play.states)
                game.determinize(game.params, world, np.array([player], np.int64), np.array([3], np.int64))
                told.update(json.dumps(game.to_scenario(world), sort_keys=True).encode())
    return told.hexdigest()[:16]


def sequences(path: Path) -> int:
    """Return the number of sequences of `DEPTH` decisions from a built-in scenario of Sack Armies."""
    game = load_game("sack_armies", scenario=str(path))
    return perft(game, RandomPlay(game, 1).states, DEPTH)


def sack_armies_lines(brief: bool) -> Iterator[Line]:
    """Yield the lines of Sack Armies."""
    for number, start in enumerate(STARTS):
        for generals in GENERALS if start != "shelling" and not brief else (2,):
            for name, switches in SWITCHES.items():
                options = Configuration(start, generals, switches, number).options()
                title = f"{start}, {generals} generals, {name}"
                yield title, games_of("sack_armies", options)
                if not brief:
                    game = load_game("sack_armies", **options)
                    yield f"{title}: guesses", samples_of(RandomPlay(game, 7, max_plies=PLIES))
    for path in SCENARIOS:
        yield f"perft {DEPTH} of {path.stem}", sequences(path)


def territories_lines(brief: bool) -> Iterator[Line]:
    """Yield the lines of Territories: random games, games from random positions, and counts."""
    for (players, board), (name, switches) in product(TABLES, TERRITORIES_SWITCHES.items()):
        options = {"num_players": players, "map": board, "switches": switches}
        yield f"territories, {players} players, {board} map, {name}", games_of("territories", options)
    for number in range(POSITIONS):
        start, title = random_table(number), f"territories, position {number}"
        yield f"{title}: perft {POSITION_DEPTH}", perft(start.game, start.states, POSITION_DEPTH)
        if not brief:
            play = RandomPlay(start.game, number, max_plies=PLIES)
            play.states = start.states
            yield f"{title}: guesses", samples_of(play)


GAME_LINES: dict[str, Callable[[bool], Iterator[Line]]] = {
    "sack_armies": sack_armies_lines,
    "territories": territories_lines,
}


def lines(brief: bool = False) -> Iterator[Line]:
    """Yield the name and the digest or count of each line; if `brief`, only those that need little compilation."""
    for lines_of in GAME_LINES.values():
        yield from lines_of(brief)


def main() -> int:
    """Compare or write the digests; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help="replace the kept digests with the current ones")
    brief = "compare only games of few Generals and counts, without sampled states"
    what.add_argument("--brief", action="store_true", help=brief)
    options = parser.parse_args()
    found = dict(lines(options.brief))
    if options.write:
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    names = found.keys() if options.brief else found.keys() | kept.keys()
    changed = [name for name in names if found.get(name) != kept.get(name)]
    print(*(f"changed: {name}" for name in sorted(changed)), f"{len(found)} digests, {len(changed)} changed", sep="\n")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
