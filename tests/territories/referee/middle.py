"""The referee at a random mid-game position, and engine and referee playing on from there."""

from __future__ import annotations

from collections import Counter

from sackarmies_env.games.territories.state.constants import Decision, TurnStep
from tests.territories.builders import SEED
from tests.territories.positions import Position, random_position, random_table
from tests.territories.referee.chance import Chance
from tests.territories.referee.game import Referee, game_from
from tests.territories.referee.lockstep import follow
from tests.territories.referee.random_play import RandomPlayers
from tests.territories.referee.rulebook import MAPS
from tests.territories.referee.table import Card, Table

STEPS = {  # as the rules number them
    TurnStep.STANDARD: 1,
    TurnStep.EXCHANGE: 2,
    TurnStep.ATTACK: 3,
    TurnStep.MOVE: 4,
    TurnStep.REDUCE: 5,
}


def referee_at(position: Position) -> Referee:
    """Return a referee at a position."""
    options = position.options
    players, game_map = options["num_players"], MAPS[options["game_map"]]
    table = Table(players, game_map, Chance(SEED), **options["switches"])
    table.chance.draw_stream.used = 1 + players * game_map.dealt[players]  # words that the engine's deal has used
    table.active = 0
    for number, (owner, units) in position.territories.items():
        table.owner[number] = owner
        for unit, count in units.items():
            table.put(owner, unit, count, table.units[number])
    for player, hand in position.hands.items():
        for kind, cycle in zip(hand, position.cycles[player], strict=True):
            table.hand[player].append(Card(kind, cycle))
            table.deck[kind] -= 1
    for kind in position.thrown:
        table.deck[kind] -= 1
        table.discards[kind] += 1
    table.cycle = position.cycle
    return Referee.at(table, game_from(table, STEPS[position.step], position.num_actions))


def play_both_from(seed: int, decisions: int | None, forfeits: float = 0.0) -> Counter[Decision]:
    """Play on from the position of a seed with engine and referee, and compare all that they know at each decision."""
    start, referee = random_table(seed), referee_at(random_position(seed))
    players = RandomPlayers(seed, start.game.num_players, forfeits)
    return follow(start.game, start.states, referee, players, f"position {seed}", decisions)
