"""Random games under random switches, with every decision checked by the referee."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import legal_ids as engine_ids
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.config import Config, make_config
from sackarmies_env.games.sack_armies.scenario.document import initial_position
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb
from sackarmies_env.games.sack_armies.switches import Switches
from tests.sack_armies.builders.random_battles import VOLLEY_TOKENS, random_battle, shelling
from tests.sack_armies.builders.random_tokens import Data, random_army, random_switches, random_tokens
from tests.sack_armies.builders.twin_worlds import States, act, plain, warlike
from tests.sack_armies.referee.asks import missed_question
from tests.sack_armies.referee.attacks import follow
from tests.sack_armies.referee.decisions import legal_ids
from tests.sack_armies.referee.position import Position, read_position

GENERALS = (2, 2, 3, 4, 6)  # number of them, by seed
NUM_TOKENS = 27  # inline tokens in a game that has any
NEW_GAME = -1  # in place of an action
LIKING = 50.0  # weight of preferred verbs
BATTLE = 60  # decisions after which a battle starts again
SHOOTING: tuple[Data, ...] = (  # switches for shots, scatter and counter-attacks
    {},
    {"ranged_coord_connected": True, "sum_simultaneous_damage": True},
    {"augment_stacks": False, "counter_timing_coord": "before_flips", "coord_window": "both"},
    {"auto_forced": False, "leadership_must_attack": True, "counter_timing_single": "after_attack_flips"},
)


def bout_options(seed: int) -> dict[str, Any]:
    """Return the arguments of `make_game` for a seed.

    Every second game begins in the middle of a battle of random tokens. The others begin in Setup, with armies of
    catalogue or random tokens. Every third uses the standard rules.
    """
    rng = np.random.default_rng(seed)
    num_generals = GENERALS[seed % len(GENERALS)]
    switches = random_switches(rng, 0.0 if seed % 3 == 0 else 0.4)
    tokens = random_tokens(rng, NUM_TOKENS)
    if seed % 2 == 0:
        return {"scenario": random_battle(rng, num_generals, tokens, switches)}
    inline = tokens if seed % 4 == 1 else []
    armies = [random_army(rng, inline, Switches.read(switches)) for _ in range(num_generals)]
    return {"num_generals": num_generals, "armies": armies, "switches": switches}


def switches_of(options: dict[str, Any]) -> Data:
    """Return the switches in the arguments of `make_game` that differ from the defaults."""
    return dict(options["scenario"]["switches"] if "scenario" in options else options["switches"])


def config_of(game: Game) -> Config:
    """Return the configuration of a game."""
    if "scenario" in game.config:
        return initial_position(game.config["scenario"]).config
    return make_config(game.config["num_generals"], game.config["armies"], game.config["switches"])


def referee_bout(options: dict[str, Any], seed: int, plies: int, liked: Collection[Verb] = ()) -> Counter[Decision]:
    """Play at random and compare every mask with the referee's ruling; return how often each decision was met.

    Args:
        options: arguments of `make_game`.
        seed: seed of the game and of the choices.
        plies: number of decisions; a game that ends is followed by another.
        liked: verbs to prefer strongly.

    Raises:
        AssertionError: a mask differs, or a question owed to a General was skipped; the position is printed as a
            scenario that starts at the decision in question.
    """
    game = make_game(**options)
    config = config_of(game)
    met: Counter[Decision] = Counter()
    before, done = None, NEW_GAME
    for states, action in random_play(game, seed, plies, liked):
        position = follow(before, read_position(config, states))
        faults = [missed_question(before, done, position)] if before is not None else []
        if action != NEW_GAME:
            met[position.decision] += 1
            faults.append(wrong_mask(game, states, position, offered_ids(game, states)))
        if any(faults):
            print(json.dumps(game.to_scenario(states)))
            told = "; ".join(fault for fault in faults if fault)
            raise AssertionError(f"seed {seed}, after {met.total()} decisions, player {position.player}: {told}")
        before, done = (None if action == NEW_GAME else position), action
    return met


def random_play(game: Game, seed: int, plies: int, liked: Collection[Verb] = ()) -> Iterator[tuple[States, int]]:
    """Yield states and actions of random games, with NEW_GAME between games; the states must not be changed.

    Each seed prefers some verbs and avoids others. Games that begin in a battle start again after `BATTLE` decisions.
    """
    rng = np.random.default_rng(seed)
    temper = {int(verb): float(rng.choice([0.1, 1.0, 1.0, 4.0])) for verb in Verb} | {int(Verb.DRAW): 0.2}
    temper |= {int(verb): min(1.0, temper[verb]) for verb in (Verb.REVEAL_UNIT, Verb.REVEAL_TOKEN, Verb.CONCEDE)}
    temper |= {int(verb): LIKING for verb in liked}
    states = game.new_states(1)
    game.reset(game.params, states, np.array([seed], np.int64))
    for ply in range(plies):
        is_old = "scenario" in game.config and ply % BATTLE == BATTLE - 1
        if plain(states)["current_player"] < 0 or is_old:
            yield states, NEW_GAME
            game.reset(game.params, states, rng.integers(1 << 40, size=1))
        assert plain(states)["error"] == 0
        action = warlike(game, states, rng)
        if plain(states)["decision"] in (Decision.MENU, Decision.WINDOW):
            legal = engine_ids(plain(states)["legal"])
            weights = np.array([temper[verb] for verb in legal])
            action = int(rng.choice(legal, p=weights / weights.sum()))
        yield states, action
        act(game, states, action)


def play_texts(game: Game, texts: Sequence[str]) -> Iterator[tuple[States, int]]:
    """Yield states and actions of the game that `texts` play, as `random_play` does; NEW_GAME comes last."""
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    for text in texts:
        action = game.parse_action(states, text)
        yield states, action
        act(game, states, action)
    assert plain(states)["error"] == 0
    yield states, NEW_GAME


def offered_ids(game: Game, states: States) -> set[int]:
    """Return the ids in the engine's mask of the current player."""
    mask = np.zeros((1, game.num_actions), np.int8)
    game.legal_actions(game.params, states, mask)
    return set(np.flatnonzero(mask[0]).tolist())


def wrong_mask(game: Game, states: States, position: Position, offered: set[int]) -> str:
    """Return a sentence on how the engine's mask differs from the referee's ruling; empty if it does not.

    With C-auto_forced, a General without a choice is not asked.
    """
    if position.switches.auto_forced and len(offered) < 2:
        return f"{position.decision.name} is asked though there is no choice"
    legal = legal_ids(position)
    if offered == legal:
        return ""
    missing, extra = (
        ", ".join(game.format_action(states, action) for action in sorted(ids)) or "nothing"
        for ids in (legal - offered, offered - legal)
    )
    asked = f"{position.decision.name} (after {game.format_action(states, position.verb)!r})"
    return f"at {asked} the mask lacks {missing}; it also offers {extra}"


def volley_options(seed: int) -> dict[str, Any]:
    """Return the arguments of `make_game` for a battle of shooters in groups."""
    switches = SHOOTING[seed % len(SHOOTING)]
    return {"scenario": random_battle(np.random.default_rng(seed), 2, VOLLEY_TOKENS, switches)}


def shelling_options(seed: int) -> dict[str, Any]:
    """Return the arguments of `make_game` for a position in which scatter occurs again and again."""
    return {"scenario": shelling(np.random.default_rng(seed), SHOOTING[seed % len(SHOOTING)])}
