"""Hooks of the registry entry: what Sack Armies offers to agents, training, the command line and documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from sackarmies_env.core.game import Game
from sackarmies_env.core.validation import StrictModel
from sackarmies_env.games.sack_armies.scenario.document import scenario_ids
from sackarmies_env.games.sack_armies.state.constants import MAX_GENERALS
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.army import army_ids

choices = {"armies": army_ids, "scenario": scenario_ids}

# What is compiled separately, by its smallest number of Generals: their states have two sizes.
LAYOUTS = {2: "games of 2 Generals", 3: "games of 3 to 6 Generals"}
WARMUP_TURNS = 40  # long enough that units stand on the board


class GameOptions(StrictModel):
    """A section `[game]` of a configuration; without armies, the default one of each seat."""

    id: str = "sack_armies"  # read before, to find this game
    generals: Annotated[int, Field(ge=2, le=MAX_GENERALS)] = 2
    armies: list[str] = Field(default_factory=list)  # names of built-in armies or files, one a General
    switches: Switches = Switches()

    @model_validator(mode="after")
    def _one_army_each(self) -> GameOptions:
        if self.armies and len(self.armies) != self.generals:
            raise ValueError(f"armies names {len(self.armies)} armies for {self.generals} generals: give one each")
        return self


def options(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `make_game` that a section asks for; `num_players` is another name of `generals`.

    Raises:
        ValueError: for each fault of the section.
    """
    names = {"num_players": "generals"} if "generals" not in section else {}
    given = GameOptions.model_validate({names.get(key, key): value for key, value in section.items()})
    return {
        "num_generals": given.generals,
        "armies": given.armies or None,
        "switches": given.switches.changed(),
    }


def hints(game: Game) -> dict[str, Any]:
    """Return what agents are told of a game besides its sizes."""
    return {
        "num_types": int(game.params["num_types"][0]),
        "radius": int(game.params["radius"][0]),
        "network": "board" if game.config["observation"] == "compact" else "plain",
    }


def docs() -> dict[str, str]:
    """Return the generated pages of documentation: file -> text."""
    from sackarmies_env.games.sack_armies.words.docs import catalogue_markdown
    from sackarmies_env.games.sack_armies.words.docs_interface import (
        actions_markdown,
        observation_markdown,
        state_markdown,
    )

    return {
        "observation.md": observation_markdown(),
        "actions.md": actions_markdown(),
        "catalogue.md": catalogue_markdown(),
        "state.md": state_markdown(),
    }


def warmup(num_players: int | None) -> dict[str, list[dict[str, Any]]]:
    """Return what is compiled separately for games of so many Generals, None for all: name -> options of games."""
    wanted = LAYOUTS if num_players is None else [min(num_players, max(LAYOUTS))]
    switches = {"max_turns": WARMUP_TURNS}
    return {
        LAYOUTS[smallest]: [
            {"num_generals": smallest, "observation": observation, "switches": switches}
            for observation in ("compact", "planes")
        ]
        for smallest in wanted
    }
