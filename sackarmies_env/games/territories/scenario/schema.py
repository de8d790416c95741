"""The schema of scenarios: what a position as data may hold."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from enum import IntEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from sackarmies_env.core.messages import join, quote, suggestion
from sackarmies_env.core.validation import SingleLine, StrictModel, TupleOf
from sackarmies_env.games.territories.data.schema import load_rulebook
from sackarmies_env.games.territories.state.constants import (
    DIE_FACES,
    FIRST_FACE,
    MAX_PLAYERS,
    MAX_SKIRMISHES,
    MAX_TERRITORIES,
    NUM_CARDS,
    NUM_COUNTERS,
    Event,
    Stage,
    TurnStep,
    Unit,
)
from sackarmies_env.games.territories.state.record import MAX_LOG, MAX_SCRIPT_DICE, MAX_SCRIPT_DRAWS

SETUP, STANDARD, END = "setup", "standard", "end"  # steps
MOST_CARDS = 40
MOST_UNITS = 100  # of a type
MOST_DICE = 120  # of a side
MOST_TURNS = 30_000  # at the end of a game, like the number of the last cycle
MOST_FREE_MOVES = 10


def names_of(codes: Iterable[IntEnum]) -> tuple[str, ...]:
    """Return the names of codes as they are written: in lower case."""
    return tuple(code.name.lower() for code in codes)


def one_of(noun: str, known: Iterable[str], text: str) -> str:
    """Return `text` unchanged if it is among those known.

    Raises:
        ValueError: it is not among them.
    """
    words = tuple(known)
    if text not in words:
        raise ValueError(f"unknown {noun} {quote(text)}{suggestion(text, words)}; allowed are {join(words)}")
    return text


def card_names() -> tuple[str, ...]:
    """Return the names of cards, indexed by kind."""
    return tuple(card.name for card in load_rulebook().card)


def known_card(text: str) -> str:
    """Return `text` unchanged if it is the name of a card; errors as for `one_of`."""
    return one_of("card", card_names(), text)


STAGES = names_of(stage for stage in Stage if stage < Stage.COUNT)  # an attack never pauses at later ones
STEPS = (SETUP, *names_of(TurnStep))

Seat = Annotated[int, Field(ge=0, lt=MAX_PLAYERS)]
Count = Annotated[int, Field(ge=0, le=MOST_UNITS)]
Number = Annotated[int, Field(ge=1, le=MAX_TERRITORIES)]  # of a territory
Word = Annotated[int, Field(ge=0, lt=2**32)]
Place = Annotated[int, Field(ge=0, lt=2**31)]  # in a stream of chance
Small = Annotated[int, Field(ge=-(2**15), lt=2**15)]
Face = Annotated[int, Field(ge=FIRST_FACE, le=DIE_FACES)]
Dice = Annotated[TupleOf[Face], Field(max_length=MOST_DICE)]
UnitName = Annotated[str, AfterValidator(functools.partial(one_of, "type of unit", names_of(Unit)))]
CardName = Annotated[str, AfterValidator(known_card)]
Cards = Annotated[TupleOf[CardName], Field(max_length=MOST_CARDS)]
Pile = Annotated[dict[CardName, Annotated[int, Field(ge=0, le=MOST_CARDS)]], Field(max_length=NUM_CARDS)]
Counter = Annotated[int, Field(ge=1, le=NUM_COUNTERS)]
Turn = Annotated[int, Field(ge=0, le=MOST_TURNS)]
Bonus = Annotated[int, Field(ge=-40, le=40)]
Counters = Annotated[int, Field(ge=0, le=MOST_UNITS)]  # their sum


class Units(StrictModel):
    """Numbers of units, by type."""

    troop: Count = 0
    rider: Count = 0
    engine: Count = 0
    hero: Count = 0

    @property
    def counts(self) -> list[int]:
        """Numbers of units in the order of their types."""
        return [self.troop, self.rider, self.engine, self.hero]


class TerritoryEntry(StrictModel):
    """A territory; territories left out are uncontrolled.

    Attributes:
        number: as on the map.
        owner: seat that controls it; left out: nobody.
        units: units there, without those on the battle board.
        safe: whether it cannot be attacked again in this turn.
    """

    number: Number
    owner: Seat | None = None
    units: Units = Units()
    safe: bool = False


class PlayerEntry(StrictModel):
    """What a player has off the map.

    Attributes:
        hand: cards in drawing order.
        cycles: cycle of the deck that each card was drawn from; left out: the present one for all.
        taken: for kinds that have left the hand, the cycle of the last such card; none in hand is older. Left out: 0.
        rolled: faces of the latest roll in battle.
        garrison: left out: all units that are neither on the map nor on the battle board.
        alive: whether the player is in play.
    """

    hand: Cards = ()
    cycles: Annotated[TupleOf[Turn], Field(max_length=MOST_CARDS)] | None = None
    taken: Annotated[dict[CardName, Turn], Field(max_length=NUM_CARDS)] = Field(default_factory=dict)
    rolled: Annotated[TupleOf[Annotated[int, Field(ge=1, le=DIE_FACES)]], Field(max_length=MOST_DICE)] = ()
    garrison: Units | None = None
    alive: bool = True


class ReinforcementEntry(StrictModel):
    """A reinforcement that is under way.

    Attributes:
        left: troops that may still be placed.
        territory: named for the next troops; how many is asked.
    """

    left: Annotated[int, Field(ge=0, le=DIE_FACES * MAX_TERRITORIES)]
    territory: Number | None = None


class MoveEntry(StrictModel):
    """A free move or, in the attack step, the occupation of a target.

    Attributes:
        source: left out: it is asked.
        target: left out: it is asked.
        moved: number of units moved so far.
        unit: type named; how many is asked.
    """

    source: Number | None = None
    target: Number | None = None
    moved: Count = 0
    unit: UnitName | None = None


class SideEntry(StrictModel):
    """What a side has on the battle board.

    Attributes:
        units: units on the board, without those in the territory.
        counters: bonuses of unassigned counters; left out: what the units bring, up to the stage that assigns them.
        dice: faces of the dice that are in no skirmish.
        cards: cards played in this battle.
    """

    units: Units = Units()
    counters: Annotated[TupleOf[Counter], Field(max_length=2 * MOST_UNITS)] | None = None
    dice: Dice = ()
    cards: Cards = ()


class SkirmishEntry(StrictModel):
    """A skirmish; skirmishes are listed in the order of their numbers.

    Attributes:
        attacker: faces of the attacker's dice.
        defender: faces of the defender's dice.
        attacker_counters: sum of the counters that the attacker has assigned.
        defender_counters: the same for the defender.
        attacker_cards: what cards for this skirmish add to the attacker's total.
        defender_cards: the same for the defender.
        resolved: whether it is over.
    """

    attacker: Dice
    defender: Dice
    attacker_counters: Counters = 0
    defender_counters: Counters = 0
    attacker_cards: Bonus = 0
    defender_cards: Bonus = 0
    resolved: bool = False


class AttackEntry(StrictModel):
    """An attack that is under way.

    Attributes:
        source: territory of the attacker.
        target: left out: it is asked.
        stage: what comes next, see `Stage`.
        unit: type named; how many is asked.
        attacker: side of the active player.
        defender: side of the player who controls the target.
        skirmish: skirmishes formed so far.
        ones: dice that showed a one and still cost a unit.
        twos: dice that show a two and are still to be handled; left out: all twos of the side that has rolled.
        trading: whether a unit is to be traded for a two; which type is asked.
        reserve_losses: units in the target that the attacker's extra dice still cost.
        counter: bonus of the counter to be assigned; to which skirmish is asked.
        card: card played for one skirmish; for which one is asked.
        loser: who lost the latest skirmish; left out: the attacker.
        extra: units lost besides the first.
        rout: whether the defender was ahead by ten or more.
        extra_from: where the extra unit comes from; which type is asked.
    """

    source: Number | None = None
    target: Number | None = None
    stage: Annotated[str, AfterValidator(functools.partial(one_of, "stage of an attack", STAGES))] = "declare"
    unit: UnitName | None = None
    attacker: SideEntry = SideEntry()
    defender: SideEntry = SideEntry()
    skirmish: Annotated[TupleOf[SkirmishEntry], Field(max_length=MAX_SKIRMISHES)] = ()
    ones: Annotated[int, Field(ge=0, le=MOST_DICE)] = 0
    twos: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = None
    trading: bool = False
    reserve_losses: Annotated[int, Field(ge=0, le=MAX_SKIRMISHES)] = 0
    counter: Counter | None = None
    card: CardName | None = None
    loser: Literal["attacker", "defender"] = "attacker"
    extra: Annotated[int, Field(ge=0, le=2)] = 0
    rout: bool = False
    extra_from: Literal["board", "territory"] | None = None

    @property
    def at(self) -> Stage:
        """The stage as a code."""
        return Stage[self.stage.upper()]


class EventEntry(StrictModel):
    """A public event, see `Event`."""

    kind: Annotated[str, AfterValidator(functools.partial(one_of, "event", names_of(Event)[1:]))]
    player: Seat | None = None
    territory: Number | None = None
    value: Small = 0


class ChanceEntry(StrictModel):
    """State of the streams of chance, in a dump."""

    flip_key: Annotated[TupleOf[Word], Field(min_length=2, max_length=2)]
    flip_count: Place
    draw_key: Annotated[TupleOf[Word], Field(min_length=2, max_length=2)]
    draw_count: Place


class Scenario(StrictModel):
    """A position, and the results of chance forced from there on.

    Attributes:
        game: always "territories".
        title: for readers.
        num_players: 2 to 4.
        map: as in `make_game`.
        switches: those that differ from the defaults.
        first_player: seat that began.
        active: seat whose turn it is; left out: player 0. In the set-up it must be left out.
        turn: number of the turn, counted over all players; left out: 1, or 0 in the set-up.
        rounds: rounds that are over.
        step: step of the turn, see `TurnStep`, or "setup".
        placed: placements made so far in the set-up.
        actions_left: standard actions left; left out: as at the beginning of the turn, or 0 in later steps.
        free_moves: free moves left for step 4.
        attacks: attacks declared in this turn; left out: those won, plus one that is declared and under way.
        victories: attacks won in this turn.
        barred: whether further attacks are barred in this turn.
        licensed: whether a card allows one all the same.
        penalty: troops that a discard still costs, in the step of that name.
        placing: troops of a card that has been played; their territory is asked.
        traded_in: type that exchanges trade in.
        traded_out: type that exchanges trade out; left out with `exchanging`: it is asked.
        exchanging: whether an exchange step is under way, that of step 2 or an extra exchange.
        reinforcement: the reinforcement under way.
        move: the move under way.
        attack: the attack under way.
        territory: what is on the map.
        player: one entry for each player, in seat order; left out: nobody has cards.
        deck: cards left in the deck; left out: all that are nowhere else.
        discards: discarded cards; left out: none, or with a `deck` all that are nowhere else.
        cycle: how often the discards have become the deck.
        seed: seed of the chance that is not forced.
        dice: forced faces in order, with blanks and bars for the reader.
        draws: forced draws, a list of cards for each player.
        chance: state of the streams of chance, in a dump.
        winner: seat that has won, if the game is over.
        truncated: whether the game was ended by a limit.
        event: the latest public events, latest first.
    """

    game: Literal["territories"] = "territories"
    title: Annotated[SingleLine, Field(max_length=200)] = ""
    num_players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)] = 2
    map: Annotated[SingleLine, Field(max_length=100)] = "full"
    switches: dict[str, Any] = Field(default_factory=dict)
    first_player: Seat = 0
    active: Seat | None = None
    turn: Turn | None = None
    rounds: Annotated[int, Field(ge=0, le=1000)] = 0
    step: Annotated[str, AfterValidator(functools.partial(one_of, "step", STEPS))] = STANDARD
    placed: Annotated[int, Field(ge=0, le=MAX_PLAYERS * 20)] = 0
    actions_left: Annotated[int, Field(ge=0, le=2)] | None = None
    free_moves: Annotated[int, Field(ge=0, le=MOST_FREE_MOVES)] = 1
    attacks: Count | None = None
    victories: Count = 0
    barred: bool = False
    licensed: bool = False
    penalty: Annotated[int, Field(ge=0, le=9)] = 0
    placing: Annotated[int, Field(ge=1, le=6)] | None = None
    traded_in: UnitName | None = None
    traded_out: UnitName | None = None
    exchanging: bool = False
    reinforcement: ReinforcementEntry | None = None
    move: MoveEntry | None = None
    attack: AttackEntry | None = None
    territory: Annotated[TupleOf[TerritoryEntry], Field(max_length=MAX_TERRITORIES)] = ()
    player: Annotated[TupleOf[PlayerEntry], Field(max_length=MAX_PLAYERS)] = ()
    deck: Pile | None = None
    discards: Pile | None = None
    cycle: Turn = 0
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    dice: Annotated[SingleLine, Field(max_length=4 * MAX_SCRIPT_DICE)] = ""
    draws: Annotated[
        TupleOf[Annotated[TupleOf[CardName], Field(max_length=MAX_SCRIPT_DRAWS)]], Field(max_length=MAX_PLAYERS)
    ] = ()
    chance: ChanceEntry | None = None
    winner: Seat | None = None
    truncated: bool = False
    event: Annotated[TupleOf[EventEntry], Field(max_length=MAX_LOG)] = ()

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.winner is not None or self.truncated

    @property
    def is_setup(self) -> bool:
        """Whether the players are still placing their troops."""
        return self.step == SETUP

    @property
    def mover(self) -> int | None:
        """The seat whose turn it is; None in the set-up."""
        return None if self.is_setup else self.active or 0

    @property
    def players(self) -> tuple[PlayerEntry, ...]:
        """One entry per player, defaults if none are given."""
        return self.player or (PlayerEntry(),) * self.num_players

    @property
    def keeps_chance(self) -> bool:
        """Whether the scenario fixes the state of chance."""
        return self.seed is not None or self.chance is not None
