"""Hooks of the registry entry: what Sack Armies offers to agents, training, the command line and documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from sackarmies_env.core.actions import ActionSpace
from sackarmies_env.core.arguments import is_integer
from sackarmies_env.core.game import Game
from sackarmies_env.core.hexgrid import make_hexgrid
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.core.validation import StrictModel
from sackarmies_env.games.sack_armies.game import OBSERVATIONS, make_game
from sackarmies_env.games.sack_armies.observation.planes import make_planes_spec
from sackarmies_env.games.sack_armies.scenario.document import scenario_ids
from sackarmies_env.games.sack_armies.state.actions import make_action_space
from sackarmies_env.games.sack_armies.state.constants import MAX_GENERALS, MAX_TYPES
from sackarmies_env.games.sack_armies.state.layout import make_observation_spec
from sackarmies_env.games.sack_armies.state.record import LARGE
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue

choices = {"armies": army_ids, "scenario": scenario_ids, "observation": lambda: OBSERVATIONS}

# Games that are compiled separately, by their smallest number of Generals: states have two sizes.
LAYOUTS = {2: "games of 2 Generals", 3: "games of 3 to 6 Generals"}
DEFAULT_GENERALS = 2
WARMUP_TURNS = 40  # enough for units to be on the board


class GameOptions(StrictModel):
    """The section `[game]` of a configuration.

    Attributes:
        id: which game is played.
        generals: number of Generals; by default as many as in the scenario, or 2 without one.
        armies: names of built-in armies or files, one per General; without them, each seat has its default army.
        switches: rule switches that override the defaults and those of the scenario, see [Switches](switches.md).
        scenario: a position to start from: the name of a built-in scenario or the path of a file.
    """

    id: str = "sack_armies"
    generals: Annotated[int, Field(ge=2, le=MAX_GENERALS)] | None = None
    armies: list[str] = Field(default_factory=list)
    switches: Switches = Switches()
    scenario: str | None = None

    @model_validator(mode="after")
    def _one_army_each(self) -> GameOptions:
        generals = self.generals or DEFAULT_GENERALS
        if self.armies and self.scenario is None and len(self.armies) != generals:
            raise ValueError(f"expected {generals} armies, one for each General, got {len(self.armies)}")
        return self

    @model_validator(mode="after")
    def _scenario_can_be_played(self) -> GameOptions:
        if self.scenario is not None:
            make_game(**self.given())
        return self

    def given(self) -> dict[str, Any]:
        """Return the arguments of `make_game`."""
        armies = self.armies or None
        if self.scenario is None:
            switches, generals = self.switches.changed(), self.generals or DEFAULT_GENERALS
            return {"num_generals": generals, "armies": armies, "switches": switches}
        given = self.switches.model_dump(mode="json", exclude_unset=True)  # defaults too: the scenario may have others
        return {"num_generals": self.generals, "armies": armies, "switches": given, "scenario": self.scenario}


def options(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `make_game` that a section asks for; `num_players` is an alias of `generals`.

    Raises:
        ValueError: naming each fault of the section.
    """
    names = {"num_players": "generals"} if "generals" not in section else {}
    return GameOptions.model_validate({names.get(key, key): value for key, value in section.items()}).given()


def hints(game: Game) -> dict[str, Any]:
    """Return what agents are told about a game besides its sizes."""
    return {
        "num_types": int(game.params["num_types"][0]),
        "radius": int(game.params["radius"][0]),
        "network": "board" if game.config["observation"] == "compact" else "plain",
    }


def padded(
    game: Game, pad_types: int | None = None, pad_generals: int | None = None
) -> tuple[ObservationSpec, ActionSpace]:
    """Return the layout of observations and actions for a number of types and of Generals.

    It depends only on these two and on the form of observations: each General has room for the largest army, and the
    board is the default one for that many Generals.

    Args:
        game: a game that must fit the layout.
        pad_types: number of types of tokens, including those of the catalogue; defaults to the game's.
        pad_generals: number of Generals; defaults to the game's, on its board.

    Raises:
        ValueError: the game does not fit.
    """
    params = game.params[0]
    types = _size("pad_types", pad_types, int(params["num_types"]), MAX_TYPES)
    generals = _size("pad_generals", pad_generals, game.num_players, MAX_GENERALS)
    radius = int(params["radius"])
    if pad_generals is not None:
        most = Switches().radius(generals)
        if radius > most:
            raise ValueError(
                f"pad_generals={generals} gives a board of radius {most}, but the game's board has radius {radius}"
            )
        radius = most
    if game.config["observation"] == "planes":
        spec = make_planes_spec(generals, types, LARGE.tokens, radius)
    else:
        spec = make_observation_spec(generals, types, LARGE.tokens)
    spare = [f"spare_{number}" for number in range(types - len(load_catalogue()))]
    return spec, make_action_space([*load_catalogue(), *spare], make_hexgrid(radius))


def _size(option: str, given: int | None, least: int, most: int) -> int:
    """Return the given size; None stands for the least one."""
    if given is None:
        return least
    if not is_integer(given) or not least <= given <= most:
        raise ValueError(f"{option} must be an integer from {least} to {most} for this game, not {short_repr(given)}")
    return int(given)


def docs() -> dict[str, str]:
    """Return the generated pages of documentation: file -> text."""
    from sackarmies_env.core.markdown import state_markdown
    from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS
    from sackarmies_env.games.sack_armies.words.docs import catalogue_markdown
    from sackarmies_env.games.sack_armies.words.docs_interface import actions_markdown, observation_markdown

    return {
        "observation.md": observation_markdown(),
        "actions.md": actions_markdown(),
        "catalogue.md": catalogue_markdown(),
        "state.md": state_markdown(STATE_FIELDS, "a seat, cell, row of tokens or type"),
    }


def warmup(num_players: int | None) -> dict[str, list[dict[str, Any]]]:
    """Return the games to compile for `num_players` Generals, or for any number if None: name -> options of games."""
    wanted = LAYOUTS if num_players is None else [min(num_players, max(LAYOUTS))]
    switches = {"max_turns": WARMUP_TURNS}
    return {
        LAYOUTS[smallest]: [
            {"num_generals": smallest, "observation": observation, "switches": switches}
            for observation in ("compact", "planes")
        ]
        for smallest in wanted
    }
