"""The layout of observations: blocks of rows with named features."""

from __future__ import annotations

from sackarmies_env.core.observation import Block, ObservationSpec, code, columns, flag, number, seat
from sackarmies_env.games.territories.state.constants import (
    DIE_FACES,
    FIRST_FACE,
    MAX_HAND,
    MAX_PLAYERS,
    MAX_SKIRMISHES,
    MAX_TERRITORIES,
    NUM_CARDS,
    NUM_COUNTERS,
    NUM_FACES,
    Decision,
    Event,
    Frame,
    Unit,
)

FACES = range(FIRST_FACE, FIRST_FACE + NUM_FACES)
UNITS = tuple(unit.name.lower() for unit in Unit)
LOG_SHOWN = 8  # the latest events

GLOBAL_FEATURES = (
    flag("is_current", "the observer decides"),
    code("decision", Decision, "What the current player is asked"),
    seat("current_player", "Seat that decides.", MAX_PLAYERS),
    seat("active", "Seat whose turn it is.", MAX_PLAYERS),
    seat(
        "first_player",
        "Seat that began; a round is a turn of each player from there on.",
        MAX_PLAYERS,
        may_be_nobody=False,
    ),
    code("procedure", Frame, "What is under way"),
    number("step", "step of it, see `TurnStep` and `Stage`; of an attack, its stage", high=31),
    *(number(f"number_{i}", f"number {i} of it, see there", low=-128) for i in range(4)),
    number("actions_left", "standard actions left in the turn; of a set-up, placements so far", high=127),
    number("free_moves", "free moves left for step 4, besides the one under way", high=127),
    number(
        "chain",
        "what has been chosen first: a territory, type, counter or card, or the troops of a card to place; -1: nothing",
        low=-1,
        high=127,
    ),
    number("traded_in", "type that exchanges trade in; -1: none yet", low=-1, high=3),
    number("traded_out", "type that exchanges trade out; -1: none yet", low=-1, high=3),
    number("attacks", "declared in this turn", high=127),
    number("victories", "attacks won in this turn", high=127),
    flag("barred", "no further attacks in this turn"),
    seat("defender", "Seat that is attacked.", MAX_PLAYERS),
    number(
        "source", "territory that an attack or move comes from, from 0 on; -1: none", low=-1, high=MAX_TERRITORIES - 1
    ),
    number("target", "territory that it goes to; -1: none", low=-1, high=MAX_TERRITORIES - 1),
    number("num_skirmishes", "skirmishes of the battle", high=MAX_SKIRMISHES),
    number("deck_count", "cards left in the deck", high=127),
    number("round_percent", "rounds that are over, of the limit", high=100),
    flag("over", "the game is over"),
    seat("winner", "Seat that has won.", MAX_PLAYERS),
)
PLAYER_FEATURES = (
    flag("alive", "in play"),
    number("territories", "territories under control", high=MAX_TERRITORIES),
    *(number(f"garrison_{unit}", f"{unit} units in the garrison") for unit in UNITS),
    number("cards", "cards in hand", high=MAX_HAND),
    number("new_cards", "of these, drawn from the present deck", high=MAX_HAND),
    *(
        number(f"rolled_{face}", f"dice that showed {face} in the latest roll in battle")
        for face in range(1, DIE_FACES + 1)
    ),
)
CARD_FEATURES = (
    number("hand", "in the observer's hand", high=MAX_HAND),
    number("discards", "on the pile of discards"),
    number("attacker", "played by the attacker in this battle"),
    number("defender", "played by the defender in this battle"),
    number("unseen_new", "unseen by the observer, drawn from the present deck or still in it"),
    number("unseen_old", "unseen by the observer, drawn from earlier decks"),
)
TERRITORY_FEATURES = (
    seat("owner", "Seat that controls it.", MAX_PLAYERS),
    *(number(unit, f"{unit} units there") for unit in UNITS),
    number("elevation", "height; -1: not on this map", low=-1, high=9),
    flag("safe", "cannot be attacked in this turn"),
)
SIDE_FEATURES = (
    *(number(unit, f"{unit} units on the battle board") for unit in UNITS),
    *(number(f"counter_{bonus}", f"counters of +{bonus} not yet assigned") for bonus in range(1, NUM_COUNTERS + 1)),
    *(number(f"loose_{face}", f"dice that show {face}, not in a skirmish") for face in FACES),
)
SKIRMISH_FEATURES = (
    *(number(f"attacker_{face}", f"attacker dice that show {face}") for face in FACES),
    *(number(f"defender_{face}", f"defender dice that show {face}") for face in FACES),
    number("attacker_counters", "sum of the attacker's counters"),
    number("defender_counters", "sum of the defender's counters"),
    number("attacker_cards", "what cards for it add to the attacker's total", low=-128),
    number("defender_cards", "what cards for it add to the defender's total", low=-128),
    flag("resolved", "resolved"),
)
EVENT_FEATURES = (
    code("kind", Event, "What has happened"),
    seat("player", "Seat that it concerns.", MAX_PLAYERS),
    number("place", "territory; -1: none", low=-1, high=MAX_TERRITORIES - 1),
    number("value", "a number that goes with the kind, see `Event`", low=-128),
)

Global = columns("Global", GLOBAL_FEATURES)
Player = columns("Player", PLAYER_FEATURES)
Card = columns("Card", CARD_FEATURES)
Territory = columns("Territory", TERRITORY_FEATURES)
Side = columns("Side", SIDE_FEATURES)
Skirmish = columns("Skirmish", SKIRMISH_FEATURES)
Log = columns("Log", EVENT_FEATURES)

# Players come last, since their number varies: all other blocks then begin at fixed places.
CARD_START = len(GLOBAL_FEATURES)
TERRITORY_START = CARD_START + NUM_CARDS * len(CARD_FEATURES)
SIDE_START = TERRITORY_START + MAX_TERRITORIES * len(TERRITORY_FEATURES)
SKIRMISH_START = SIDE_START + 2 * len(SIDE_FEATURES)
LOG_START = SKIRMISH_START + MAX_SKIRMISHES * len(SKIRMISH_FEATURES)
PLAYER_START = LOG_START + LOG_SHOWN * len(EVENT_FEATURES)


def make_observation_spec(num_players: int) -> ObservationSpec:
    """Return the layout of observations for `num_players` players."""
    return ObservationSpec(
        [
            Block("globals", 1, GLOBAL_FEATURES, "The decision, the turn, the attack or move under way."),
            Block("cards", NUM_CARDS, CARD_FEATURES, "One row a kind of cards."),
            Block("territories", MAX_TERRITORIES, TERRITORY_FEATURES, "One row a territory, by its number."),
            Block("sides", 2, SIDE_FEATURES, "The battle board: the attacker, then the defender."),
            Block("skirmishes", MAX_SKIRMISHES, SKIRMISH_FEATURES, "One row a skirmish, by its number; then zeros."),
            Block(
                "events", LOG_SHOWN, EVENT_FEATURES, "The latest public events, latest first; zeros before the first."
            ),
            Block("players", num_players, PLAYER_FEATURES, "One row a player, the observer first, in turn order."),
        ]
    )
