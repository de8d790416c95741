"""Generated documentation of Territories, from its declarations and data: actions, cards, observations."""

from __future__ import annotations

from sackarmies_env.core.markdown import table
from sackarmies_env.games.territories.data.schema import Card, load_map, load_rulebook, map_names
from sackarmies_env.games.territories.state.actions import ACTIONS, NUM_ACTIONS
from sackarmies_env.games.territories.state.constants import MAX_PLAYERS, Decision, Effect, Event
from sackarmies_env.games.territories.state.layout import make_observation_spec

SHOWN_PLAYERS = 2  # number of players whose sizes the pages give

DECISIONS = {  # decision points, what is asked, what answers it
    Decision.NONE: ("", "nothing: the game is over", ""),
    Decision.PLACE: ("TR-DP1", "where troops of the set-up go", "territory"),
    Decision.STANDARD: ("TR-DP2", "a standard action, or card 7", "standard action, card, `done`"),
    Decision.REINFORCE: ("TR-DP3", "where troops go, or no more", "territory, `done`"),
    Decision.REINFORCE_QUANTITY: ("TR-DP3", "how many", "quantity"),
    Decision.PLACE_CARD: ("TR-DP4", "where the troops of card 7 go", "territory"),
    Decision.TRADE_IN: ("TR-DP5", "the type to give, or none", "unit, `done`"),
    Decision.TRADE_OUT: ("TR-DP5", "the type to take", "unit"),
    Decision.EXCHANGE: ("TR-DP5", "where one exchange is made, or no more", "territory, `done`"),
    Decision.ATTACK_SOURCE: ("TR-DP6", "where an attack comes from, card 10, or no more", "territory, card, `done`"),
    Decision.ATTACK_TARGET: ("TR-DP6", "what is attacked", "territory"),
    Decision.ATTACK_UNIT: ("TR-DP6", "a type to attack with, or no more", "unit, `done`"),
    Decision.ATTACK_QUANTITY: ("TR-DP6", "how many", "quantity"),
    Decision.DEFENSE_UNIT: ("TR-DP7", "a type to defend with, card 9, or no more", "unit, card, `done`"),
    Decision.DEFENSE_QUANTITY: ("TR-DP7", "how many", "quantity"),
    Decision.ONE: ("TR-DP8", "the unit that a 1 takes", "unit"),
    Decision.TWO: ("TR-DP8", "what a 2 takes", "`remove`, `trade`"),
    Decision.TRADE_DOWN: ("TR-DP8", "the unit that becomes a troop", "unit"),
    Decision.PAIR: ("TR-DP9", "the die to set against the highest one that waits", "die"),
    Decision.RESERVE_LOSS: ("TR-DP10", "a unit of the territory, for an extra attacker die", "unit"),
    Decision.EXTRA_DIE: ("TR-DP11", "where the highest extra die goes", "skirmish"),
    Decision.COUNTER: ("TR-DP12", "a counter to assign", "counter"),
    Decision.COUNTER_SKIRMISH: ("TR-DP12", "where it goes", "skirmish"),
    Decision.CARD: ("TR-DP13", "a card to play, or to pass", "card, `done`"),
    Decision.CARD_SKIRMISH: ("TR-DP13", "where it counts", "skirmish"),
    Decision.ORDER: ("TR-DP14", "the next skirmish", "skirmish"),
    Decision.LOSS: ("TR-DP15", "the unit that a lost skirmish takes", "unit"),
    Decision.ROUT: ("TR-DP15", "an attacker that a rout takes", "unit"),
    Decision.EXTRA_LOSS: ("TR-DP15", "where the extra unit is taken from", "`from board`, `from territory`"),
    Decision.EXTRA_LOSS_UNIT: ("TR-DP15", "the extra unit", "unit"),
    Decision.MOVE_SOURCE: ("TR-DP17", "where a free move begins, card 8, or none", "territory, card, `done`"),
    Decision.MOVE_TARGET: ("TR-DP17", "where it goes", "territory"),
    Decision.MOVE_UNIT: ("TR-DP16, TR-DP17", "a type to move, or no more", "unit, `done`"),
    Decision.MOVE_QUANTITY: ("TR-DP16, TR-DP17", "how many", "quantity"),
    Decision.REDUCE: ("TR-DP18", "a card to discard", "card"),
    Decision.PENALTY: ("TR-DP19", "where the penalty takes a troop", "territory"),
}
MEANINGS = {  # of the segments of the action space
    "done": "no, no more, pass",
    "standard action": "Reinforce, Draw, Extra Free Move, Extra Exchange",
    "quantity": "how many units",
    "all": "as many as are there and allowed",
    "unit": "a type of units",
    "die": "a die that shows this face",
    "skirmish": "by its number, from the highest attacker die down",
    "territory": "by its number on the map",
    "card": "a kind of cards, see [Cards, units and maps](cards.md)",
    "counter": "+1, +2 or +3 in a skirmish",
    "two": "for a 2: remove a troop, or trade a unit for a troop",
    "extra loss": "where an extra unit is taken from",
    "spare": "never legal: a checkpoint keeps its shape when a choice is added",
}
EFFECTS = {  # what a card does; {} is its amount
    Effect.NOTHING: "nothing",
    Effect.SKIRMISH_BONUS: "+{} to your total in one skirmish",
    Effect.BATTLE_BONUS: "+{} to your total in every skirmish of a battle",
    Effect.ENEMY_PENALTY: "-{} to the enemy's total in one skirmish",
    Effect.LEVEL_GROUND: "as defender: the attacker's higher ground does not count in this battle",
    Effect.EXTRA_DIE: "one die of face {} more for you in one skirmish",
    Effect.PLACE_TROOPS: "step 1, besides standard actions: up to {} troops into one territory of yours",
    Effect.FREE_MOVE: "step 4: one more free move",
    Effect.CANCEL_ATTACK: "as defender, before you name units: the attack is called off, and the territory is safe in "
    "this turn",
    Effect.EXTRA_ATTACK: "one attack although you are barred, if you have won one in this turn",
}

ACTIONS_HEAD = """# Actions of Territories

Generated by `make docs` from `actions.py` and `constants.py`; do not edit.

An action is one number, and a move of the game is a chain of them: a source, a target, a type of units, how many. The
mask marks what is legal now. Ids are the same for all numbers of players and both maps; their texts are the same in
records, in the terminal, and for agents that read.

| ids | choice | texts | meaning |
| --- | --- | --- | --- |
"""
DECISIONS_HEAD = """
## Decisions

Points are decision points of the [index of rules](../rules/territories.md). A decision with one answer is taken
silently, unless that would tell of cards in hand.

"""
OBSERVATION_HEAD = """# Observations of Territories

Generated by `make docs` from the declaration in `layout.py`, where kernels take their columns from; do not edit.

An observation is what one player may know, as a vector of small integers (int8). Seat 0 is the observer, the others
follow in turn order. Units, dice, counters, cards played and discarded, and numbers of cards are public; hidden are the
kinds of cards in other hands, and the deck. Of these an observer knows how many of each kind are unseen, and which
cards were drawn before the discards last became the deck: both are there. A number above 127 is shown as 127.

`ObservationSpec` finds numbers by name: `game.observation_spec.index("globals", 0, "decision")`. The sizes are those
of {players} players; each further one adds a row to the last block, so that all other numbers keep their places, up to
{most} players. `pad_players={most}` gives games of fewer players the same size.

## Layout

"""
CARDS_HEAD = """# Cards, units and maps of Territories

Generated by `make docs` from `rulebook.toml` and `maps/*.toml`; do not edit. The source text names these things and
lists none: all are our own, marked `reconstructed` in the data with a reason each.

## Units

| type | exchange value | dice | counter |
| --- | --- | --- | --- |
"""


def actions_markdown() -> str:
    """Return docs/territories/actions.md."""
    rows = []
    for segment in ACTIONS.segments:
        start, last = ACTIONS.start(segment.name), ACTIONS.start(segment.name) + len(segment.texts) - 1
        ids = str(start) if start == last else f"{start} to {last}"
        shown = segment.texts if len(segment.texts) <= 4 else (segment.texts[0], "...", segment.texts[-1])
        texts = ", ".join(text if text == "..." else f"`{text}`" for text in shown)
        rows.append(f"| {ids} | {segment.name} | {texts} | {MEANINGS[segment.name]} |\n")
    total = f"\nThese are {NUM_ACTIONS} ids.\n"
    return ACTIONS_HEAD + "".join(rows) + total + DECISIONS_HEAD + decision_table()


def decision_table() -> str:
    """Return a table of decisions, with the numbers that observations show."""
    head = ("number", "decision", "points", "asks for", "answered by")
    return table(head, ((each.value, f"`{each.name.lower()}`", *DECISIONS[each]) for each in Decision))


def observation_markdown() -> str:
    """Return docs/territories/observation.md."""
    layout = make_observation_spec(SHOWN_PLAYERS).to_markdown()
    events = table(("number", "event"), ((each.value, f"`{each.name.lower()}`") for each in Event))
    return (
        OBSERVATION_HEAD.format(players=SHOWN_PLAYERS, most=MAX_PLAYERS)
        + layout
        + "\n## Events\n\nWhat the value of each holds is said in `constants.py`.\n\n"
        + events
        + DECISIONS_HEAD
        + decision_table()
    )


def cards_markdown() -> str:
    """Return docs/territories/cards.md."""
    rulebook = load_rulebook()
    units = [f"| {unit.id} | {unit.value} | {unit.dice} | {counter(unit.counter)} |\n" for unit in rulebook.unit]
    rows = [
        (number, card.name, card.copies, effect_text(card), card.penalty or "")
        for number, card in enumerate(rulebook.card, start=1)
    ]
    cards = table(("card", "name", "copies", "effect", "troops that its discard costs"), rows)
    parts = [CARDS_HEAD, *units, "\n## Cards\n\n", cards]
    parts += [map_markdown(name) for name in map_names()]
    return "".join(parts)


def counter(bonus: int) -> str:
    """Return the counter that a unit brings, in words."""
    return f"+{bonus}" if bonus else "none"


def effect_text(card: Card) -> str:
    """Return what a card does, in words."""
    return EFFECTS[card.effect].format(card.amount)


def map_markdown(name: str) -> str:
    """Return the section on a map."""
    board, rulebook = load_map(name), load_rulebook()
    least, most = board.players
    setup = board.setup
    rows = [
        ("players", least if least == most else f"{least} to {most}"),
        ("territories", len(board.territory)),
        ("dealt to each", ", ".join(f"{count} with {players} players" for players, count in setup.dealt.items())),
        ("troops in each of them", setup.dealt_troops),
        ("placements of each player", f"{setup.placements} of {setup.placed_troops} troops"),
        *((f"units of type {unit.id}", count) for unit, count in zip(rulebook.unit, board.garrison.units, strict=True)),
        ("standard actions in the first turn", setup.first_actions),
        ("territories that dominate", board.limits.domination),
        ("attacks a turn, at most", board.limits.attacks_per_turn),
        ("rounds, at most", board.limits.max_rounds),
    ]
    lands = [(each.number, each.elevation, ", ".join(map(str, each.borders))) for each in board.territory]
    head = f"\n## Map `{name}`\n\n{table(('of each player, and of the game', 'number'), rows)}\n"
    return head + table(("territory", "height", "borders on"), lands)
