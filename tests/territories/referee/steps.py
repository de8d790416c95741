"""The steps of a turn apart from attacks: standard actions, exchange, free move, reduction of cards."""

from __future__ import annotations

from tests.territories.referee.rulebook import (
    CARD_TROOPS,
    CARDS,
    MARCH,
    REINFORCING,
    UNITS,
    named,
    number_of,
)
from tests.territories.referee.table import Asking, Table, move, quantities, total, types_in

# --- step 1: standard actions


def standard_actions(table: Table, player: int, number: int) -> Asking[None]:
    """Take up to two standard actions, with card 7 before each and after the last (TR-T2, TR-DP2, TR-Q36)."""
    left = number
    while left or (table.hand[player] and can_reinforce_by_card(table, player)):

        def answers(left: int = left) -> set[str]:
            legal = {"done"}
            if left:
                legal |= standard_choices(table, player)
            if table.has_card(player, REINFORCING) and can_reinforce_by_card(table, player):
                legal.add(f"card {REINFORCING}")
            return legal

        answer = yield from table.ask(player, answers, is_secret=not left)
        if answer == "done":
            return
        if answer == f"card {REINFORCING}":
            yield from reinforce_by_card(table, player)
            continue
        left -= 1
        if answer == "reinforce":
            yield from reinforce(table, player)
        elif answer == "draw":
            table.draw(player)
        elif answer == "extra move":
            yield from extra_free_move(table, player)
        else:
            yield from exchange(table, player)


def standard_choices(table: Table, player: int) -> set[str]:
    """Return the standard actions that can do anything (TR-Q47)."""
    is_possible = {
        "reinforce": table.garrison[player]["troop"] > 0,
        "draw": table.can_draw(),
        "extra move": bool(sources_of_move(table, player)),
        "extra exchange": bool(pairs_of_exchange(table, player)),
    }
    return {action for action, is_one in is_possible.items() if is_one}


def reinforce(table: Table, player: int) -> Asking[None]:
    """Roll a die per territory and place that many troops in own territories, in any split (TR-T3, TR-DP3, TR-Q40)."""
    own = table.territories(player)
    left = sum(table.chance.roll(len(own)))
    garrison = table.garrison[player]
    while left and garrison["troop"]:
        answer = yield from table.ask(player, {"done"} | named("territory", own))
        if answer == "done":
            return
        available = min(left, garrison["troop"])
        number = yield from ask_quantity(table, player, available)
        table.put(player, "troop", number, table.units[number_of(answer)])
        left -= number


def can_reinforce_by_card(table: Table, player: int) -> bool:
    return table.garrison[player]["troop"] > 0 and bool(table.territories(player))


def reinforce_by_card(table: Table, player: int) -> Asking[None]:
    """Play card 7: up to four troops in one own territory (TR-DP4)."""
    table.discard(player, REINFORCING)
    answer = yield from table.ask(player, named("territory", table.territories(player)))
    number = min(CARD_TROOPS, table.garrison[player]["troop"])
    table.put(player, "troop", number, table.units[number_of(answer)])


def ask_quantity(table: Table, player: int, available: int) -> Asking[int]:
    answer = yield from table.ask(player, quantities(available))
    return available if answer == "all" else number_of(answer)


# --- step 2, and each extra exchange


def units_needed(in_type: str, out_type: str) -> int:
    """Return the smallest number of units of `in_type` that covers the value of one `out_type` (TR-X3, TR-Q2)."""
    number = 1
    while number * UNITS[in_type].value < UNITS[out_type].value:
        number += 1
    return number


def places_of_exchange(table: Table, player: int, in_type: str, out_type: str) -> list[int]:
    """Return the territories where this exchange is possible (TR-X2, TR-Q31)."""
    if in_type == out_type or not table.garrison[player][out_type]:
        return []
    needed = units_needed(in_type, out_type)
    return [place for place in table.territories(player) if table.units[place][in_type] >= needed]


def pairs_of_exchange(table: Table, player: int) -> list[tuple[str, str]]:
    """Return the pairs of types for which some exchange is possible; one pair may bind the whole turn (TR-X1)."""
    pairs = [(in_type, out_type) for in_type in UNITS for out_type in UNITS]
    if table.pair_per_turn and table.pair:
        pairs = [table.pair]
    return [pair for pair in pairs if places_of_exchange(table, player, *pair)]


def exchange(table: Table, player: int) -> Asking[None]:
    """Play an exchange step: one pair of types, any number of exchanges (TR-X1, TR-DP5, TR-Q42)."""
    pairs = pairs_of_exchange(table, player)
    if not pairs:
        return
    if not (table.pair_per_turn and table.pair):
        in_type = yield from table.ask(player, {"done"} | {in_type for in_type, _ in pairs})
        if in_type == "done":
            return
        out_type = yield from table.ask(player, {out_type for given, out_type in pairs if given == in_type})
        table.pair = in_type, out_type
    assert table.pair
    in_type, out_type = table.pair
    while places := places_of_exchange(table, player, in_type, out_type):
        answer = yield from table.ask(player, {"done"} | named("territory", places))
        if answer == "done":
            return
        here = table.units[number_of(answer)]
        table.destroy(player, in_type, here, units_needed(in_type, out_type))
        table.put(player, out_type, 1, here)


# --- step 4, and each extra free move


def sources_of_move(table: Table, player: int) -> list[int]:
    """Return the player's territories that are adjacent to another of theirs (TR-G1)."""
    return [place for place in table.territories(player) if targets_of_move(table, player, place)]


def targets_of_move(table: Table, player: int, source: int) -> list[int]:
    return [place for place in table.neighbors(source) if table.owner[place] == player]


def extra_free_move(table: Table, player: int) -> Asking[None]:
    answer = yield from table.ask(player, {"done"} | named("territory", sources_of_move(table, player)))
    if answer != "done":
        yield from free_move(table, player, number_of(answer))


def free_moves(table: Table, player: int) -> Asking[None]:
    """Play step 4: one free move, and one more for each card 8 played before it (TR-DP17, TR-Q41)."""
    left = 1
    while left and (sources_of_move(table, player) or table.hand[player]):

        def answers() -> set[str]:
            card = {f"card {MARCH}"} if table.has_card(player, MARCH) else set()
            return {"done"} | named("territory", sources_of_move(table, player)) | card

        answer = yield from table.ask(player, answers, is_secret=bool(table.hand[player]))
        if answer == f"card {MARCH}":
            table.discard(player, MARCH)
            left += 1
            continue
        left -= 1
        if answer != "done":
            yield from free_move(table, player, number_of(answer))


def free_move(table: Table, player: int, source: int) -> Asking[None]:
    """Move any units from one own territory to an adjacent one (TR-G1)."""
    targets = targets_of_move(table, player, source)
    target = number_of((yield from table.ask(player, named("territory", targets))))
    yield from move_units(table, player, source, target)


def move_units(table: Table, player: int, source: int, target: int) -> Asking[None]:
    """Have the player name a type and a quantity, repeatedly; these units move to the target at once (TR-Q41)."""
    origin = table.units[source]
    while total(origin):
        unit = yield from table.ask(player, {"done"} | types_in(origin))
        if unit == "done":
            return
        number = yield from ask_quantity(table, player, origin[unit])
        move(origin, table.units[target], unit, number)
        table.owner[target] = player
        table.leave_if_empty(source)


# --- step 5: reduce cards


def reduce_cards(table: Table, player: int) -> Asking[None]:
    """Discard down to the number of territories, each card with its penalty (TR-G2, TR-DP18, TR-DP19, TR-Q46)."""
    hand = table.hand[player]
    while len(hand) > len(table.territories(player)):
        answer = yield from table.ask(player, named("card", {card.kind for card in hand}), is_secret=len(hand) > 1)
        kind = number_of(answer)
        table.discard(player, kind)
        yield from pay_penalty(table, player, CARDS[kind].penalty)
        if not table.territories(player):
            return


def pay_penalty(table: Table, player: int, troops: int) -> Asking[None]:
    """Have the player lose troops one by one, in territories of their choice (TR-DP19)."""
    for _ in range(troops):
        places = [place for place in table.territories(player) if table.units[place]["troop"]]
        if not places:
            return
        place = number_of((yield from table.ask(player, named("territory", places))))
        table.destroy(player, "troop", table.units[place])
        table.leave_if_empty(place)
