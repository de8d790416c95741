"""Small ladders of the toy game, and units with given results."""

from __future__ import annotations

from sackarmies_training.ladder.config import LadderConfig
from sackarmies_training.ladder.units import UnitEntry
from sackarmies_training.tournament import seatings
from tests.second_game import GAME

RUNGS = {"random": "random", "high": "greedy"}


EDITED = """
from sackarmies_agents.scripted.random_agent import RandomAgent

class Edited(RandomAgent):
    def __init__(self, info):
        super().__init__()
"""


def write_edited(folder, number=0):
    """Write the file of an agent, which differs for each number, and return the agent."""
    source = folder / "edited.py"
    source.write_text(f"{EDITED}# version {number}\n")
    return f"python:file={source},class=Edited"


def make_config(folder, rungs=RUNGS, pools=((2, 6),), **changes):
    """Return the configuration of a ladder of the toy game; `pools` are pairs of players and units."""
    data = {
        "folder": str(folder),
        "workers": 1,
        "game": {"id": GAME, "max_turns": 20},
        "rung": [{"name": name, "agent": agent} for name, agent in rungs.items()],
        "pool": [{"players": players, "units": units} for players, units in pools],
    }
    return LadderConfig.model_validate({**data, **changes})


def make_entry(line_up, number, winners, luck=None):
    """Return a unit whose games these names won, in the order of seatings; None is a draw of all seats.

    `luck` holds, for each game, what luck added to the return of each name, such as `{"a": 0.5, "b": -0.5}`; None if
    it was not measured.
    """
    games = []
    for seating, winner in zip(seatings(line_up), winners, strict=True):
        returns = [0.0 if winner is None else 1.0 if name == winner else -1.0 for name in seating]
        games.append({"returns": returns, "turns": 1, "actions": 2, "truncated": winner is None})
    data = {"line_up": line_up, "number": number, "armies": (), "seed": number, "thinking": {}}
    if luck is not None:
        seated = zip(seatings(line_up), luck, strict=True)
        data["luck"] = [[of_game[name] for name in seating] for seating, of_game in seated]
    return UnitEntry.model_validate({"players": len(line_up), **data, "games": games})


def results_of(path):
    """Return the sorted lines of a file of units, without what depends on the clock."""
    entries = [UnitEntry.model_validate_json(line) for line in path.read_text().splitlines()]
    return sorted(entry.model_copy(update={"thinking": {}}).model_dump_json() for entry in entries)
