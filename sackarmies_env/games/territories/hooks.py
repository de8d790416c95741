"""Hooks of the registry entry: what Territories offers to training, the command line and documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from sackarmies_env.core.actions import ActionSpace
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.core.validation import StrictModel
from sackarmies_env.games.territories.game import make_game
from sackarmies_env.games.territories.state.actions import ACTIONS
from sackarmies_env.games.territories.state.constants import MAX_PLAYERS
from sackarmies_env.games.territories.state.layout import make_observation_spec
from sackarmies_env.games.territories.switches import Switches

WARMUP_ROUNDS = 2  # long enough that battles are fought


class GameOptions(StrictModel):
    """A section `[game]` of a configuration.

    Attributes:
        id: which game is played.
        num_players: how many play; on the small map 2. None: 2, or as many as the scenario says.
        map: "full", 20 territories, or "small", 7 of them. None: "full", or as the scenario says.
        switches: agreements on the rules that differ from their defaults, or from those of the scenario.
        scenario: a position to start from, the name of a built-in one or a file.
    """

    id: str = "territories"  # read before, to find this game
    num_players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)] | None = None
    map: str | None = None
    switches: Switches = Switches()
    scenario: str | None = None

    @model_validator(mode="after")
    def _game_can_be_made(self) -> GameOptions:
        make_game(**self.given())
        return self

    def given(self) -> dict[str, Any]:
        """Return the options of `make_game` that are given."""
        chosen = {
            "num_players": self.num_players,
            "map": self.map,
            "switches": self.switches.changed(),
            "scenario": self.scenario,
        }
        return {name: value for name, value in chosen.items() if value not in (None, {})}


def options(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `make_game` that a section asks for.

    Raises:
        ValueError: for each fault of the section.
    """
    return GameOptions.model_validate(section).given()


def padded(game: Game, pad_players: int | None = None) -> tuple[ObservationSpec, ActionSpace]:
    """Return the layout of observations and actions of games with so many players, the same on both maps.

    Args:
        game: what it must hold.
        pad_players: players; None: as many as the game has.

    Raises:
        ValueError: the game does not fit.
    """
    least, players = game.num_players, game.num_players if pad_players is None else pad_players
    if not isinstance(players, int) or isinstance(players, bool) or not least <= players <= MAX_PLAYERS:
        raise ValueError(
            f"pad_players={short_repr(pad_players)}: for this game it must be an integer from {least} to {MAX_PLAYERS}"
        )
    return make_observation_spec(players), ACTIONS


def warmup(num_players: int | None) -> dict[str, list[dict[str, Any]]]:
    """Return what is compiled separately, name -> list of options: one game, since the state has one size."""
    return {"all games": [{"num_players": num_players or 2, "switches": {"max_rounds": WARMUP_ROUNDS}}]}


def docs() -> dict[str, str]:
    """Return the generated pages of documentation: file -> text."""
    from sackarmies_env.core.markdown import state_markdown
    from sackarmies_env.games.territories.state.record import STATE
    from sackarmies_env.games.territories.words.docs import actions_markdown, cards_markdown, observation_markdown

    return {
        "actions.md": actions_markdown(),
        "cards.md": cards_markdown(),
        "observation.md": observation_markdown(),
        "state.md": state_markdown(STATE.fields, "a seat, territory, side, skirmish, type of units or kind of cards"),
    }
