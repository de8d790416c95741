"""The battle board: from the roll of the attacker to the last skirmish (TR-B to TR-E)."""

from __future__ import annotations

from tests.territories.referee.rulebook import (
    ATTACKER_CARDS,
    BATTLE_BONUS,
    DEFENDER_CARDS,
    ENEMY_BONUS,
    EXTRA_DIE,
    EXTRA_DIE_FACE,
    LEVEL_GROUND,
    ODDS,
    OWN_BONUS,
    ROUT,
    SKIRMISH_CARDS,
    STACK,
    UNITS,
    named,
    number_of,
)
from tests.territories.referee.table import (
    ATTACKER,
    DEFENDER,
    SIDES,
    Asking,
    Battle,
    Skirmish,
    Table,
    move,
    total,
    types_in,
)


class BattleOverError(Exception):
    """A battle has ended before its last skirmish; the argument says whether the attacker has won."""

    def __init__(self, attacker_won: bool):
        super().__init__(attacker_won)
        self.attacker_won = attacker_won


def fight(table: Table, battle: Battle) -> Asking[bool]:
    """Fight the battle whose units are on the board; return whether the attacker wins."""
    try:
        dice = {side: count_dice(battle, side) for side in SIDES}
        if dice[ATTACKER] >= ODDS * dice[DEFENDER]:  # TR-A5, TR-Q7 to TR-Q9
            return True
        for side in SIDES:
            yield from roll(table, battle, side, dice[side])
        yield from form_skirmishes(table, battle)
        for side in SIDES:
            yield from assign_counters(table, battle, side)
            yield from play_cards(table, battle, side)
        yield from resolve_skirmishes(table, battle)
    except BattleOverError as end:
        return end.attacker_won
    return total(battle.units[ATTACKER]) > total(battle.units[DEFENDER])  # TR-F2, TR-Q18


def count_dice(battle: Battle, side: str) -> int:
    return sum(UNITS[unit].dice * number for unit, number in battle.units[side].items())


def lay_out_counters(battle: Battle, side: str) -> None:
    """Put the counters of a side's units on the board (TR-A3, TR-A4, 4.1)."""
    for unit, number in battle.units[side].items():
        if UNITS[unit].counter:
            battle.counters[side] += [UNITS[unit].counter] * number


# --- losses


def lose_unit(table: Table, battle: Battle, side: str, unit: str) -> None:
    """Take a unit off the board; a side without units there has lost at that moment (TR-F1)."""
    table.destroy(battle.player(side), unit, battle.units[side])
    if not total(battle.units[side]):
        raise BattleOverError(side == DEFENDER)


def choose_loss(table: Table, battle: Battle, side: str, player: int) -> Asking[None]:
    """Have a player choose which unit of a side leaves the board."""
    unit = yield from table.ask(player, types_in(battle.units[side]))
    lose_unit(table, battle, side, unit)


# --- rolling


def roll(table: Table, battle: Battle, side: str, number: int) -> Asking[None]:
    """Roll the dice of a side: a one costs a die and a unit, a two a troop or a rank (TR-B1, TR-B2, TR-B3)."""
    faces = table.chance.roll(number)
    battle.dice[side] = sorted((face for face in faces if face > 1), reverse=True)
    for _ in range(faces.count(1)):
        yield from choose_loss(table, battle, side, battle.player(side))
    for _ in range(faces.count(2)):
        yield from suffer_two(table, battle, side)


def suffer_two(table: Table, battle: Battle, side: str) -> Asking[None]:
    """Remove a troop, or trade another unit for a troop (TR-B2, TR-Q11, TR-DP8)."""
    player, units = battle.player(side), battle.units[side]
    others = types_in(units) - {"troop"}
    ways = ({"remove"} if units["troop"] else set()) | ({"trade"} if others else set())
    way = yield from table.ask(player, ways)
    if way == "remove":
        lose_unit(table, battle, side, "troop")
        return
    unit = yield from table.ask(player, others)
    if not table.garrison[player]["troop"]:
        lose_unit(table, battle, side, unit)
        return
    table.destroy(player, unit, units)
    table.put(player, "troop", 1, units)


# --- skirmishes


def form_skirmishes(table: Table, battle: Battle) -> Asking[None]:
    """Have the defender pair dice, then add the extra dice of one side (TR-C1 to TR-C5)."""
    defender = battle.player(DEFENDER)
    dice = battle.dice
    if len(dice[DEFENDER]) >= len(dice[ATTACKER]):
        while dice[ATTACKER]:
            face = number_of((yield from table.ask(defender, named("die", dice[DEFENDER]))))
            pair(battle, dice[ATTACKER][0], face)
    else:
        while dice[DEFENDER]:
            face = number_of((yield from table.ask(defender, named("die", dice[ATTACKER]))))
            pair(battle, face, dice[DEFENDER][0])
        # Skirmishes are numbered by their attacker die in descending order, equal ones as they were paired.
        battle.skirmishes.sort(key=lambda skirmish: -skirmish.dice[ATTACKER][0])
        yield from lose_reserves(table, battle, len(dice[ATTACKER]))
    yield from add_extra_dice(table, battle)


def pair(battle: Battle, attacker_die: int, defender_die: int) -> None:
    """Make a skirmish of two dice."""
    battle.dice[ATTACKER].remove(attacker_die)
    battle.dice[DEFENDER].remove(defender_die)
    battle.skirmishes.append(Skirmish({ATTACKER: [attacker_die], DEFENDER: [defender_die]}))


def lose_reserves(table: Table, battle: Battle, number: int) -> Asking[None]:
    """Have the defender lose a unit in the territory per extra attacker die, while there is one (TR-C3, TR-DP10)."""
    assert battle.target is not None
    defender, reserves = battle.player(DEFENDER), table.units[battle.target]
    for _ in range(number):
        if total(reserves):
            unit = yield from table.ask(defender, types_in(reserves))
            table.destroy(defender, unit, reserves)


def add_extra_dice(table: Table, battle: Battle) -> Asking[None]:
    """Have a side add its extra dice to skirmishes, highest first (TR-C3, TR-C4, TR-DP11, TR-Q13, TR-Q38)."""
    for side in SIDES:
        while battle.dice[side]:
            skirmish = yield from ask_skirmish(table, battle, side)
            skirmish.dice[side].append(battle.dice[side].pop(0))
            if len(skirmish.dice[DEFENDER]) >= STACK:
                table.destroy_all(battle.attacker, battle.units[ATTACKER])
                raise BattleOverError(False)


def ask_skirmish(table: Table, battle: Battle, side: str) -> Asking[Skirmish]:
    """Have a side choose a skirmish that is not over."""
    places = [place for place, skirmish in enumerate(battle.skirmishes) if not skirmish.is_over]
    answer = yield from table.ask(battle.player(side), named("skirmish", places))
    return battle.skirmishes[number_of(answer)]


# --- counters and cards


def assign_counters(table: Table, battle: Battle, side: str) -> Asking[None]:
    """Have a side assign all its counters (TR-D1, TR-DP12)."""
    counters = battle.counters[side]
    while counters:
        bonus = number_of((yield from table.ask(battle.player(side), named("counter", counters))))
        skirmish = yield from ask_skirmish(table, battle, side)
        counters.remove(bonus)
        skirmish.counters[side] += bonus


def play_cards(table: Table, battle: Battle, side: str) -> Asking[None]:
    """Have a side play cards until it says it is done (TR-D1, TR-D2, TR-DP13); asked of any player who holds a card."""
    player = battle.player(side)
    enemy = DEFENDER if side == ATTACKER else ATTACKER
    playable = ATTACKER_CARDS if side == ATTACKER else DEFENDER_CARDS
    while table.hand[player]:
        kinds = {card.kind for card in table.hand[player]} & playable
        answer = yield from table.ask(player, {"done"} | named("card", kinds), is_secret=True)
        if answer == "done":
            return
        kind = number_of(answer)
        table.take_from_hand(player, kind)
        battle.played[side].append(kind)
        if kind in SKIRMISH_CARDS:
            skirmish = yield from ask_skirmish(table, battle, side)
            skirmish.cards[side] += OWN_BONUS.get(kind, 0)
            skirmish.cards[enemy] += ENEMY_BONUS.get(kind, 0)
            if kind == EXTRA_DIE:
                skirmish.dice[side].append(EXTRA_DIE_FACE)


# --- damage


def resolve_skirmishes(table: Table, battle: Battle) -> Asking[None]:
    """Resolve the skirmishes one by one, in the order that the defender chooses (TR-E1, TR-DP14)."""
    for _ in battle.skirmishes:
        skirmish = yield from ask_skirmish(table, battle, DEFENDER)
        skirmish.is_over = True
        attacker, defender = totals(table, battle, skirmish)
        if defender - attacker >= ROUT:  # TR-E4, TR-Q16, TR-Q17
            table.is_barred = True
            for _ in range(2):
                yield from choose_loss(table, battle, ATTACKER, battle.player(DEFENDER))
            return
        loser = DEFENDER if attacker > defender else ATTACKER
        yield from choose_loss(table, battle, loser, battle.player(loser))
        if attacker > 0 and attacker >= 2 * defender:
            yield from lose_extra(table, battle)


def totals(table: Table, battle: Battle, skirmish: Skirmish) -> tuple[int, int]:
    """Return the totals of attacker and defender (TR-E2, TR-F5)."""
    assert battle.target is not None
    height = table.map.elevation
    above = {
        ATTACKER: height[battle.source] > height[battle.target],
        DEFENDER: height[battle.target] > height[battle.source],
    }
    if LEVEL_GROUND in battle.played[DEFENDER]:
        above[ATTACKER] = False
    sums = {
        side: sum(skirmish.dice[side])
        + above[side]
        + skirmish.counters[side]
        + skirmish.cards[side]
        + sum(BATTLE_BONUS.get(kind, 0) for kind in battle.played[side])
        for side in SIDES
    }
    return sums[ATTACKER], sums[DEFENDER] + max(1, len(skirmish.dice[DEFENDER]))


def lose_extra(table: Table, battle: Battle) -> Asking[None]:
    """Have the defender lose one more unit, from the board or the territory (TR-E5, TR-Q19, TR-DP15)."""
    assert battle.target is not None
    defender, reserves = battle.player(DEFENDER), table.units[battle.target]
    ways = {"from board"} | ({"from territory"} if total(reserves) else set())
    way = yield from table.ask(defender, ways)
    if way == "from board":
        yield from choose_loss(table, battle, DEFENDER, defender)
    else:
        unit = yield from table.ask(defender, types_in(reserves))
        table.destroy(defender, unit, reserves)


def take_back(table: Table, battle: Battle, side: str, territory: int) -> None:
    """Return the units of a side to a territory."""
    for unit, number in battle.units[side].items():
        move(battle.units[side], table.units[territory], unit, number)
