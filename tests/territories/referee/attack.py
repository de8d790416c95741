"""Step 3: attacks, from the declaration to the occupation (TR-A, TR-F, TR-Q25, TR-Q30)."""

from __future__ import annotations

from tests.territories.referee.battle import fight, lay_out_counters, take_back
from tests.territories.referee.rulebook import CANCELLATION, MAX_ATTACKERS, ONE_MORE_ATTACK, named, number_of
from tests.territories.referee.steps import ask_quantity, move_units
from tests.territories.referee.table import (
    ATTACKER,
    DEFENDER,
    SIDES,
    Asking,
    Battle,
    ForfeitError,
    Table,
    move,
    total,
    types_in,
)


def sources_of_attack(table: Table, player: int) -> list[int]:
    return [place for place in table.territories(player) if targets_of_attack(table, player, place)]


def targets_of_attack(table: Table, player: int, source: int) -> list[int]:
    return [place for place in table.neighbors(source) if table.owner[place] != player and place not in table.safe]


def attacks(table: Table, player: int) -> Asking[None]:
    """Play as many attacks as the player likes, while nothing bars them (TR-A1, TR-A6, TR-DP6)."""
    while table.is_alive[player] and table.attacks < table.max_attacks:
        sources = sources_of_attack(table, player)
        if not sources:
            return
        if table.is_barred:  # card 10 allows one attack in spite of the bar, which stays (TR-Q33, TR-Q34, TR-Q53)
            if not table.victories or not table.hand[player]:
                return
            card = {f"card {ONE_MORE_ATTACK}"} if table.has_card(player, ONE_MORE_ATTACK) else set()
            if (yield from table.ask(player, {"done"} | card, is_secret=True)) == "done":
                return
            table.discard(player, ONE_MORE_ATTACK)
        answer = yield from table.ask(player, {"done"} | named("territory", sources))
        if answer == "done":
            return
        yield from attack(table, player, number_of(answer))


def attack(table: Table, player: int, source: int) -> Asking[None]:
    """Play one attack and resolve it fully."""
    battle = table.battle = Battle(player, source)
    yield from declare(table, battle)
    forfeiter = None
    try:
        battle.defender = table.owner[target_of(battle)]
        if battle.defender is None:
            has_won = True  # TR-Q30
        else:
            if (yield from answer_attack(table, battle)):
                call_off(table)
                table.safe.add(target_of(battle))
                return
            lay_out_counters(battle, DEFENDER)
            has_won = yield from fight(table, battle)
    except ForfeitError as forfeit:
        if forfeit.player != battle.defender:
            raise
        has_won, forfeiter = True, forfeit.player  # TR-G6
    yield from finish(table, battle, has_won, forfeiter)


def target_of(battle: Battle) -> int:
    assert battle.target is not None
    return battle.target


def declare(table: Table, battle: Battle) -> Asking[None]:
    """Have the attacker name the target and up to ten units of the source (TR-A2, TR-DP6, TR-Q43)."""
    player, source = battle.attacker, battle.source
    targets = targets_of_attack(table, player, source)
    battle.target = number_of((yield from table.ask(player, named("territory", targets))))
    here, board = table.units[source], battle.units[ATTACKER]
    while total(here) and total(board) < MAX_ATTACKERS:
        unit = yield from table.ask(player, types_in(here) | ({"done"} if total(board) else set()))
        if unit == "done":
            break
        number = yield from ask_quantity(table, player, min(here[unit], MAX_ATTACKERS - total(board)))
        move(here, board, unit, number)
    lay_out_counters(battle, ATTACKER)
    table.attacks += 1


def answer_attack(table: Table, battle: Battle) -> Asking[bool]:
    """Have the defender name any units (TR-A4); return whether card 9 cancels the attack (TR-DP7, TR-Q35, TR-Q44)."""
    defender = battle.player(DEFENDER)
    here, board = table.units[target_of(battle)], battle.units[DEFENDER]
    while total(here):
        may_cancel = not total(board) and table.has_card(defender, CANCELLATION)
        card = {f"card {CANCELLATION}"} if may_cancel else set()
        answer = yield from table.ask(defender, {"done"} | types_in(here) | card)
        if answer in card:
            table.discard(defender, CANCELLATION)
            return True
        if answer == "done":
            return False
        number = yield from ask_quantity(table, defender, here[answer])
        move(here, board, answer, number)
    return False


def finish(table: Table, battle: Battle, has_won: bool, forfeiter: int | None) -> Asking[None]:
    """Return or destroy the units on the board, eliminate who is out, and have the winner occupy (TR-F3, TR-F4)."""
    attacker, source, target = battle.attacker, battle.source, target_of(battle)
    if has_won:
        table.victories += 1
        if battle.defender is not None:
            for place in (battle.units[DEFENDER], table.units[target]):
                table.destroy_all(battle.defender, place)
        table.owner[target] = None
    else:
        table.is_barred = True
    call_off(table)
    if forfeiter is not None:
        table.eliminate(forfeiter)
    for player in (battle.defender, attacker):
        if player is not None and table.is_alive[player] and not table.territories(player):
            table.eliminate(player)  # TR-G4
    if has_won:
        yield from move_units(table, attacker, source, target)  # TR-DP16, TR-Q22


def call_off(table: Table) -> None:
    """Clear the battle board: units go back to their territories, played cards to the discards."""
    battle = table.battle
    if battle is None:
        return
    table.battle = None
    take_back(table, battle, ATTACKER, battle.source)
    table.leave_if_empty(battle.source)
    if battle.target is not None:
        take_back(table, battle, DEFENDER, battle.target)
        table.leave_if_empty(battle.target)
    for side in SIDES:
        for kind in battle.played[side]:
            table.discards[kind] += 1
