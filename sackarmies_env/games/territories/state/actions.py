"""The action space: one flat range of ids, the same on both maps."""

from __future__ import annotations

from sackarmies_env.core.actions import ActionSpace, Segment, numbered_segment
from sackarmies_env.games.territories.state.constants import (
    DIE_FACES,
    FIRST_FACE,
    MAX_QUANTITY,
    MAX_SKIRMISHES,
    MAX_TERRITORIES,
    NUM_CARDS,
    NUM_COUNTERS,
    Unit,
)

NUM_ACTIONS = 160

_SEGMENTS = (
    Segment("done", ("done",)),
    Segment("standard action", ("reinforce", "draw", "extra move", "extra exchange")),
    numbered_segment("quantity", MAX_QUANTITY, first=1),
    Segment("all", ("all",)),
    Segment("unit", tuple(unit.name.lower() for unit in Unit)),
    numbered_segment("die", DIE_FACES - FIRST_FACE + 1, first=FIRST_FACE),
    numbered_segment("skirmish", MAX_SKIRMISHES),
    numbered_segment("territory", MAX_TERRITORIES, first=1),
    numbered_segment("card", NUM_CARDS, first=1),
    numbered_segment("counter", NUM_COUNTERS, first=1),
    Segment("two", ("remove", "trade")),
    Segment("extra loss", ("from board", "from territory")),
)
_USED = sum(len(segment.texts) for segment in _SEGMENTS)

ACTIONS = ActionSpace(
    [*_SEGMENTS, numbered_segment("spare", NUM_ACTIONS - _USED)],
    advice="write what is asked, such as 'reinforce', 'territory 5', 'troop', 'quantity 3', 'card 1' or 'done'",
)

DONE = ACTIONS.ids["done"]
REINFORCE = ACTIONS.ids["reinforce"]
DRAW = ACTIONS.ids["draw"]
EXTRA_MOVE = ACTIONS.ids["extra move"]
EXTRA_EXCHANGE = ACTIONS.ids["extra exchange"]
FIRST_QUANTITY = ACTIONS.ids["quantity 1"]  # quantity q is FIRST_QUANTITY + q - 1
ALL = ACTIONS.ids["all"]
FIRST_UNIT = ACTIONS.start("unit")
FIRST_DIE = ACTIONS.ids["die 2"]  # plus the place of the face: face - FIRST_FACE
FIRST_SKIRMISH = ACTIONS.ids["skirmish 0"]
FIRST_TERRITORY = ACTIONS.ids["territory 1"]
FIRST_CARD = ACTIONS.ids["card 1"]
FIRST_COUNTER = ACTIONS.ids["counter 1"]
REMOVE = ACTIONS.ids["remove"]
TRADE = ACTIONS.ids["trade"]
FROM_BOARD = ACTIONS.ids["from board"]
FROM_TERRITORY = ACTIONS.ids["from territory"]
