"""The game put together: a configuration and the kernels as one `Game`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from sackarmies_env.core.chance import ForcedKind
from sackarmies_env.core.game import Game, Records
from sackarmies_env.games.territories.belief.determinize import determinize_games
from sackarmies_env.games.territories.config import build_params, make_config
from sackarmies_env.games.territories.data.schema import map_names
from sackarmies_env.games.territories.play.step import write_initial
from sackarmies_env.games.territories.play.step_batch import step_batch
from sackarmies_env.games.territories.state.actions import ACTIONS
from sackarmies_env.games.territories.state.constants import DIE_FACES, NUM_CARDS, Decision
from sackarmies_env.games.territories.state.layout import make_observation_spec
from sackarmies_env.games.territories.state.record import STATE

DICE = {str(face): face for face in range(1, DIE_FACES + 1)}
choices = {"map": map_names}
CARDS = {f"card {kind + 1}": kind for kind in range(NUM_CARDS)}


def make_game(
    num_players: int = 2,
    map: str = "full",  # noqa: A002 - what users call it
    switches: Mapping[str, Any] | None = None,
) -> Game:
    """Build a game of Territories.

    Args:
        num_players: 2 to 4; on the small map 2.
        map: "full", 20 territories, or "small", 7 of them.
        switches: agreements on the rules that differ from the defaults, see `Switches`.

    Raises:
        ValueError: with a line for each fault.
    """
    config = make_config(num_players, map, switches)
    params = build_params(config)
    plain = {"num_players": num_players, "map": map, "switches": config.switches.changed()}
    return Game(
        id="territories",
        num_players=num_players,
        actions=ACTIONS,
        state_layout=STATE,
        observation_spec=make_observation_spec(num_players),
        params=params,
        config=plain,
        build=make_game,
        step_batch=step_batch,
        initial_state=functools.partial(write_initial, params),
        determinize_batch=determinize_games,
        describe_decision=_describe_decision,
        forced_kinds=(ForcedKind("dice", (DICE,), is_shared=True), ForcedKind("draws", (CARDS,) * num_players)),
        zero_sum=True,
    )


def _describe_decision(states: Records) -> str:
    return Decision(int(states["decision"][0])).name
