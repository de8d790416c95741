"""The sequence of play (set-up, turns, rounds, end) and the referee, which follows a game action by action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.territories.referee.attack import attacks, call_off
from tests.territories.referee.chance import Chance
from tests.territories.referee.rulebook import ACTION_IDS, MAPS, PLACED_TROOPS, named, number_of
from tests.territories.referee.steps import exchange, free_moves, reduce_cards, standard_actions
from tests.territories.referee.table import Asking, ForfeitError, GameOverError, Question, Table

TEXTS = {action: text for text, action in ACTION_IDS.items()}


def game_of(table: Table) -> Asking[None]:
    """Play a whole game."""
    yield from set_up(table)
    player = first_in_play(table)
    yield from turn(table, player, is_first_turn=True)
    yield from turns_after(table, player)


def turns_after(table: Table, player: int) -> Asking[None]:
    """Play all turns after one of `player`."""
    while True:
        player = end_turn(table, player)
        yield from turn(table, player)


def game_from(table: Table, step: int, num_actions: int) -> Asking[None]:
    """Play the rest of a game, from a step of the active player's turn."""
    assert table.active is not None
    yield from steps_from(table, table.active, step, num_actions)
    yield from turns_after(table, table.active)


def set_up(table: Table) -> Asking[None]:
    """Deal the territories, then have the players place troops in seat order (section 4, TR-DP1)."""
    seats = len(table.players)
    table.first_player = table.chance.seat(seats)
    left = sorted(table.map.borders)
    for place in range(seats * table.map.dealt[seats]):
        player = (table.first_player + place) % seats
        territory = table.chance.territory(left)
        left.remove(territory)
        table.owner[territory] = player
        table.put(player, "troop", table.map.dealt_troops, table.units[territory])
    for _ in range(table.map.placements):
        for player in seats_in_order(table):
            if table.is_alive[player]:
                yield from place_troops(table, player)


def place_troops(table: Table, player: int) -> Asking[None]:
    try:
        answer = yield from table.ask(player, named("territory", table.territories(player)))
    except ForfeitError as forfeit:
        table.eliminate(forfeit.player)
        return
    table.put(player, "troop", PLACED_TROOPS, table.units[number_of(answer)])


def seats_in_order(table: Table) -> list[int]:
    """Return the seats in the order of their turns in a round."""
    return sorted(table.players, key=lambda player: place_in_round(table, player))


def place_in_round(table: Table, player: int) -> int:
    return (player - table.first_player) % len(table.players)


def first_in_play(table: Table) -> int:
    return next(player for player in seats_in_order(table) if table.is_alive[player])


def turn(table: Table, player: int, *, is_first_turn: bool = False) -> Asking[None]:
    """Play one turn in six steps (TR-T1); the first turn of a game has only one standard action (TR-DP2)."""
    table.active = player
    table.attacks = table.victories = 0
    table.is_barred = False
    table.safe = set()
    table.pair = None
    yield from steps_from(table, player, 1, 1 if is_first_turn else 2)


def steps_from(table: Table, player: int, step: int, num_actions: int) -> Asking[None]:
    """Play the steps of a turn from `step`, with `num_actions` standard actions in step 1."""
    try:
        if step <= 1:
            yield from standard_actions(table, player, num_actions)
        if step <= 2:
            yield from exchange(table, player)
        if step <= 3:
            yield from attacks(table, player)
        if not table.is_alive[player]:
            return
        if step <= 4:
            yield from free_moves(table, player)
        yield from reduce_cards(table, player)
        if not table.territories(player):
            table.eliminate(player)  # TR-G4
    except ForfeitError as forfeit:
        assert forfeit.player == player
        call_off(table)
        table.eliminate(player)


def end_turn(table: Table, player: int) -> int:
    """Check for the end of the game and of the round; return whose turn is next (TR-G5, TR-G7, TR-Q45)."""
    if table.has_domination and len(table.territories(player)) >= table.map.domination:
        table.win(player)
    following = [(player + step) % len(table.players) for step in range(1, len(table.players))]
    next_player = next(seat for seat in following if table.is_alive[seat])
    if place_in_round(table, next_player) <= place_in_round(table, player):
        table.rounds += 1
        if table.rounds >= table.max_rounds:
            table.truncate()
    return next_player


class Referee:
    """Follows a game and knows the current player and the legal actions at each decision.

    Args:
        seed: random seed of all results that are not forced.
        num_players: 2 to 4.
        game_map: "full" or "small".
        switches: exchange_pair, domination, attacks_per_turn, max_rounds.
        dice: faces that are rolled first.
        draws: player -> kinds of cards drawn first.
    """

    def __init__(
        self,
        seed: int,
        num_players: int = 2,
        game_map: str = "full",
        switches: Mapping[str, Any] | None = None,
        *,
        dice: Sequence[int] = (),
        draws: Mapping[int, Sequence[int]] | None = None,
    ):
        self.table = Table(num_players, MAPS[game_map], Chance(seed, dice, draws), **(switches or {}))
        self.follow(game_of(self.table))

    @classmethod
    def at(cls, table: Table, play: Asking[Any]) -> Referee:
        """Return a referee that follows a part of the game on a table laid by hand."""
        referee = cls.__new__(cls)
        referee.table = table
        referee.follow(play)
        return referee

    def follow(self, play: Asking[Any]) -> None:
        self._play = play
        self.question: Question | None = None
        self._go_on(None)

    def _go_on(self, answer: str | ForfeitError | None) -> None:
        try:
            if isinstance(answer, ForfeitError):
                self.question = self._play.throw(answer)
            elif answer is None:
                self.question = next(self._play)
            else:
                self.question = self._play.send(answer)
        except StopIteration:
            self.question = None
        except GameOverError:
            self.question = None
            call_off(self.table)  # TR-G6, where a forfeit has ended the game in a declaration

    @property
    def legal(self) -> set[int]:
        """The ids of the legal actions."""
        return {ACTION_IDS[text] for text in self.question.answers} if self.question else set()

    @property
    def player(self) -> int | None:
        """The current player; None if nobody is asked."""
        return self.question.player if self.question else None

    def act(self, action: int) -> None:
        """Take an action for the current player."""
        assert action in self.legal, (action, self.legal)
        self._go_on(TEXTS[action])

    def answer(self, *texts: str) -> None:
        """Answer questions one after another, by the texts of actions."""
        for text in texts:
            self.act(ACTION_IDS[text])

    def forfeit(self, player: int) -> None:
        """Make a player in play forfeit, whoever is asked (TR-G6)."""
        self._go_on(ForfeitError(player))
