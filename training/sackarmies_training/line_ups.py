"""Training games: one for each line-up of armies, so that the learner meets all armies."""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.game import Game
from sackarmies_env.registry import load_players
from sackarmies_training.config import GameSection
from sackarmies_training.seeds import derive

PLAYERS = ("generals", "num_players")  # keys of [game] for the number of players


def draw_games(section: GameSection, game: Game, number: int, seed: int) -> list[Game]:
    """Draw line-ups in which every built-in army sits in each seat equally often; return a game for each.

    Args:
        section: section `[game]` of the configuration.
        game: the game it describes; returned alone if `number` is 0.
        number: number of line-ups: 0, or a multiple of the number of armies.
        seed: seed of the draw.

    Raises:
        ValueError: `number` is not 0, and the game has no armies, the section names some or a scenario, or shares
            cannot be equal.
    """
    if number == 0:
        return [game]
    choices = find_hook(section.id, "choices") or {}
    if "armies" not in choices:
        raise ValueError(f"line_ups is {number}, but the game {section.id!r} has no armies to choose from")
    if "armies" in (section.model_extra or {}):
        raise ValueError("line_ups draws armies, and game.armies names them: give one or the other")
    if "scenario" in (section.model_extra or {}):
        raise ValueError("line_ups draws armies, but game.scenario has tokens of its own: give one or the other")
    armies = list(choices["armies"]())
    if number % len(armies):
        raise ValueError(f"line_ups is {number}: it must be a multiple of {len(armies)}, the number of armies")
    rng = np.random.default_rng(derive(seed, "line_ups"))
    places = [np.concatenate([rng.permutation(len(armies)) for _ in range(number // len(armies))])]
    places += [rng.permutation(places[0]) for _ in range(game.num_players - 1)]
    line_ups = [[armies[place] for place in line_up] for line_up in np.stack(places, axis=1)]
    options = {name: value for name, value in (section.model_extra or {}).items() if name not in PLAYERS}
    return [load_players(section.id, game.num_players, **options, armies=line_up) for line_up in line_ups]
