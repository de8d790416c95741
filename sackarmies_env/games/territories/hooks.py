"""Registry hooks: what Territories offers to training, the command line and the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from sackarmies_env.core.actions import ActionSpace
from sackarmies_env.core.arguments import is_integer
from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.core.validation import StrictModel
from sackarmies_env.games.territories.data.schema import map_names
from sackarmies_env.games.territories.game import make_game
from sackarmies_env.games.territories.scenario.document import scenario_ids
from sackarmies_env.games.territories.state.actions import ACTIONS
from sackarmies_env.games.territories.state.constants import MAX_PLAYERS
from sackarmies_env.games.territories.state.layout import make_observation_spec
from sackarmies_env.games.territories.switches import Switches

choices = {"map": map_names, "scenario": scenario_ids}

WARMUP_ROUNDS = 2  # long enough for battles to be fought


class GameOptions(StrictModel):
    """The section `[game]` of a configuration.

    Attributes:
        id: the game to play.
        num_players: number of players; 2 on the small map. By default as many as in the scenario, or 2 without one.
        map: "full", with 20 territories, or "small", with 7. By default the map of the scenario, or "full" without one.
        switches: rule switches that override the defaults and those of the scenario.
        scenario: a position to start from: the name of a built-in scenario or the path of a file.
    """

    id: str = "territories"  # already read, to find this game
    num_players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)] | None = None
    map: str | None = None
    switches: Switches = Switches()
    scenario: str | None = None

    @model_validator(mode="after")
    def _game_can_be_made(self) -> GameOptions:
        make_game(**self.given())
        return self

    def _switches(self) -> dict[str, Any]:
        if self.scenario is None:
            return self.switches.changed()
        return self.switches.model_dump(mode="json", exclude_unset=True)  # defaults too: the scenario may have others

    def given(self) -> dict[str, Any]:
        """Return the arguments of `make_game` that are given."""
        chosen = {
            "num_players": self.num_players,
            "map": self.map,
            "switches": self._switches(),
            "scenario": self.scenario,
        }
        return {name: value for name, value in chosen.items() if value not in (None, {})}


def options(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `make_game` that a section `[game]` asks for.

    Raises:
        ValueError: the section is invalid; each fault is listed.
    """
    return GameOptions.model_validate(section).given()


def padded(game: Game, pad_players: int | None = None) -> tuple[ObservationSpec, ActionSpace]:
    """Return the observation layout and the action space of games with `pad_players` players, the same on both maps.

    Args:
        game: the game that must fit.
        pad_players: number of players; None: as many as the game has.

    Raises:
        ValueError: `pad_players` is less than the game has, above MAX_PLAYERS, or not an integer.
    """
    least, players = game.num_players, game.num_players if pad_players is None else pad_players
    if not is_integer(players) or not least <= players <= MAX_PLAYERS:
        raise ValueError(
            f"pad_players must be an integer from {least} to {MAX_PLAYERS} for this game, not {short_repr(pad_players)}"
        )
    return make_observation_spec(int(players)), ACTIONS


def warmup(num_players: int | None) -> dict[str, list[dict[str, Any]]]:
    """Return the games to compile separately, name -> list of options: just one, since the state has one size."""
    return {"all games": [{"num_players": num_players or 2, "switches": {"max_rounds": WARMUP_ROUNDS}}]}


def docs() -> dict[str, str]:
    """Return the generated documentation pages: file -> text."""
    from sackarmies_env.core.markdown import state_markdown
    from sackarmies_env.games.territories.state.record import STATE
    from sackarmies_env.games.territories.words.docs import actions_markdown, cards_markdown, observation_markdown

    return {
        "actions.md": actions_markdown(),
        "cards.md": cards_markdown(),
        "observation.md": observation_markdown(),
        "state.md": state_markdown(STATE.fields, "a seat, territory, side, skirmish, type of units or kind of cards"),
    }
