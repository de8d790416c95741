"""Place of a position in the sequence of play: procedures with their numbers, the decision, the choice so far.

A decision that opens a step of play follows from the step. One that comes after the first part of a choice, such as how
many units of a type attack, follows from that part, which the document holds; here it is derived for the rules.
"""

from __future__ import annotations

from sackarmies_env.games.territories.rules.setup import SetupStep
from sackarmies_env.games.territories.scenario.schema import STANDARD, AttackEntry, Scenario, card_names
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    FIRST_FACE,
    Decision,
    Frame,
    Stage,
    TurnStep,
    Unit,
)

Procedure = tuple[Frame, int, list[int]]  # kind, step, numbers
FROM = {"board": 1, "territory": 2}  # where an extra unit is taken from -> its code in the frame's numbers
SIDES = ("attacker", "defender")


def unit_number(name: str) -> int:
    """Return the code of a unit type."""
    return int(Unit[name.upper()])


def frames_of(scenario: Scenario) -> list[Procedure]:
    """Return the procedures that are under way, from the bottom of the stack up."""
    if scenario.is_setup:
        return [(Frame.SETUP, SetupStep.PLACE, [scenario.placed])]
    step = TurnStep[scenario.step.upper()]
    if step == TurnStep.EXCHANGE and scenario.exchanging:
        step = TurnStep.ATTACK  # the turn continues there once the exchanges are over
    numbers = [actions_left(scenario), scenario.free_moves, int(scenario.licensed), scenario.penalty]
    turn: Procedure = (Frame.TURN, step, numbers)
    if scenario.reinforcement is not None:
        return [turn, (Frame.REINFORCE, 0, [scenario.reinforcement.left])]
    if scenario.exchanging:
        return [turn, (Frame.EXCHANGE, 0, [int(step == TurnStep.ATTACK)])]
    if scenario.move is not None:
        return [turn, (Frame.MOVE, 0, [int(step == TurnStep.MOVE), scenario.move.moved])]
    if scenario.attack is not None:
        return [turn, (Frame.BATTLE, scenario.attack.at, numbers_of(scenario.attack))]
    return [turn]


def actions_left(scenario: Scenario) -> int:
    """Return how many standard actions are left; if not given, as at the beginning of the turn, or 0 in later steps."""
    if scenario.actions_left is not None:
        return scenario.actions_left
    if scenario.step != STANDARD:
        return 0
    return 1 if scenario.turn in (None, 1) else 2


def attacks_of(scenario: Scenario) -> int:
    """Return how many attacks have been declared in the turn; if not given, as few as possible."""
    return fewest_attacks(scenario) if scenario.attacks is None else scenario.attacks


def fewest_attacks(scenario: Scenario) -> int:
    """Return the fewest attacks that can have been declared: those won, plus one declared and under way."""
    is_declared = scenario.attack is not None and scenario.attack.at > Stage.DECLARE
    return scenario.victories + int(is_declared and not scenario.is_over)


def numbers_of(attack: AttackEntry) -> list[int]:
    """Return the numbers of an attack, whose meanings depend on its stage."""
    if attack.at <= Stage.DEFENSE_TWOS:
        return [attack.ones, twos_of(attack)]
    if attack.at < Stage.ORDER:
        return [attack.reserve_losses]
    extra = attack.extra if attack.extra_from is None else FROM[attack.extra_from]
    return [SIDES.index(attack.loser), extra, int(attack.rout)]


def rolling_side(attack: AttackEntry) -> int:
    """Return the side that rolls or handles its dice."""
    return ATTACKER if attack.at < Stage.DEFENSE_ROLL else DEFENDER


def assigning_side(attack: AttackEntry) -> int:
    """Return the side that assigns counters or plays cards."""
    return ATTACKER if attack.at < Stage.DEFENSE_COUNTERS else DEFENDER


def twos_of(attack: AttackEntry) -> int:
    """Return how many twos are still to be handled; if not given, all twos of the side that has rolled."""
    if attack.twos is not None:
        return attack.twos
    if attack.at in (Stage.ATTACK_ONES, Stage.ATTACK_TWOS, Stage.DEFENSE_ONES, Stage.DEFENSE_TWOS):
        side = (attack.attacker, attack.defender)[rolling_side(attack)]
        return side.dice.count(FIRST_FACE)
    return 0


def chain_of(scenario: Scenario) -> list[int]:
    """Return the parts of a choice made so far."""
    move, attack, reinforcement = scenario.move, scenario.attack, scenario.reinforcement
    if scenario.placing is not None:
        return [scenario.placing]
    if reinforcement is not None and reinforcement.territory is not None:
        return [reinforcement.territory - 1]
    unit = move.unit if move is not None else attack.unit if attack is not None else None
    if unit is not None:
        return [unit_number(unit)]
    if attack is not None and attack.counter is not None:
        return [attack.counter - 1]
    if attack is not None and attack.card is not None:
        return [card_names().index(attack.card)]
    return []


def decision_of(scenario: Scenario) -> tuple[Decision, int]:
    """Return the decision that follows from the first part of a choice and the side asked; NONE without such a part."""
    if scenario.placing is not None:
        return Decision.PLACE_CARD, ATTACKER
    if scenario.reinforcement is not None and scenario.reinforcement.territory is not None:
        return Decision.REINFORCE_QUANTITY, ATTACKER
    if scenario.exchanging and scenario.traded_in is not None and scenario.traded_out is None:
        return Decision.TRADE_OUT, ATTACKER
    if scenario.move is not None and scenario.move.unit is not None:
        return Decision.MOVE_QUANTITY, ATTACKER
    if scenario.move is not None and scenario.move.source is not None and scenario.move.target is None:
        return Decision.MOVE_TARGET, ATTACKER
    return (Decision.NONE, ATTACKER) if scenario.attack is None else _decision_in(scenario.attack)


def _decision_in(attack: AttackEntry) -> tuple[Decision, int]:
    """Return the same as `decision_of` for an attack."""
    if attack.target is None:
        return Decision.ATTACK_TARGET, ATTACKER
    if attack.unit is not None:
        is_declared = attack.at == Stage.ANSWER
        return (Decision.DEFENSE_QUANTITY, DEFENDER) if is_declared else (Decision.ATTACK_QUANTITY, ATTACKER)
    if attack.trading:
        return Decision.TRADE_DOWN, rolling_side(attack)
    if attack.counter is not None:
        return Decision.COUNTER_SKIRMISH, assigning_side(attack)
    if attack.card is not None:
        return Decision.CARD_SKIRMISH, assigning_side(attack)
    if attack.extra_from is not None:
        return Decision.EXTRA_LOSS_UNIT, DEFENDER
    return Decision.NONE, ATTACKER
