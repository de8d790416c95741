"""Conversion of a position to a state: map, cards, battle board, and place in the sequence of play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.chance import force_results
from sackarmies_env.core.rng import chance_of
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.territories.config import Config
from sackarmies_env.games.territories.data.schema import load_rulebook
from sackarmies_env.games.territories.scenario.schema import AttackEntry, Scenario, SideEntry, card_names
from sackarmies_env.games.territories.scenario.sequence import attacks_of, chain_of, decision_of, frames_of
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    DIE_FACES,
    FIRST_FACE,
    NUM_CARDS,
    NUM_COUNTERS,
    NUM_FACES,
    NUM_UNITS,
    Event,
    Stage,
    Unit,
)
from sackarmies_env.games.territories.state.record import STATE

Counts = list[int]
DECLARED = (Stage.ANSWER, Stage.ATTACK_ROLL)  # from these stages on, a side's counters are on the board
ASSIGNED = (Stage.ATTACK_COUNTERS, Stage.DEFENSE_COUNTERS)  # up to these stages, they are unassigned


def kinds_of(names: Sequence[str]) -> list[int]:
    """Return the kinds of cards with these names."""
    return [card_names().index(name) for name in names]


def counted(numbers: Sequence[int], size: int) -> Counts:
    """Return how often each number from 0 to `size` - 1 occurs."""
    found = Counter(numbers)
    return [found[number] for number in range(size)]


def faces_of(dice: Sequence[int]) -> Counts:
    """Return how many dice show each face, from 2 on."""
    return counted([face - FIRST_FACE for face in dice], NUM_FACES)


# --- what is left out of a document


def sides_of(scenario: Scenario) -> list[tuple[int, SideEntry]]:
    """Return the seat of each side of an attack and what it has on the board; NO_PLAYER if nobody defends yet."""
    attack = scenario.attack
    if attack is None:
        return []
    seats = (NO_PLAYER if scenario.mover is None else scenario.mover, defender_of(scenario))
    return list(zip(seats, (attack.attacker, attack.defender), strict=True))


def defender_of(scenario: Scenario) -> int:
    """Return the seat that is attacked; NO_PLAYER before the attack is declared."""
    attack = scenario.attack
    if attack is None or attack.target is None or attack.at < Stage.ANSWER:
        return NO_PLAYER
    owners = {each.number: each.owner for each in scenario.territory}
    owner = owners.get(attack.target)
    return NO_PLAYER if owner is None else owner


def units_out(scenario: Scenario) -> NDArray[np.int64]:
    """Return the units of each player on the map and on the battle board, `(players, NUM_UNITS)`."""
    out = np.zeros((scenario.num_players, NUM_UNITS), np.int64)
    for each in scenario.territory:
        if each.owner is not None and each.owner < scenario.num_players:
            out[each.owner] += each.units.counts
    for seat, side in sides_of(scenario):
        if 0 <= seat < scenario.num_players:
            out[seat] += side.units.counts
    return out


def cards_out(scenario: Scenario) -> NDArray[np.int64]:
    """Return the numbers of cards in hands and on the table by kind, `(NUM_CARDS,)`."""
    names = [name for player in scenario.player for name in player.hand]
    names += [name for _, side in sides_of(scenario) for name in side.cards]
    return np.array(counted(kinds_of(names), NUM_CARDS), np.int64)


def piles_of(params: Any, scenario: Scenario) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return deck and discards; the one left out holds all cards that are nowhere else; if both are, the deck does."""
    names = card_names()
    given = [
        None if pile is None else np.array([pile.get(name, 0) for name in names], np.int64)
        for pile in (scenario.deck, scenario.discards)
    ]
    deck, discards = given
    rest = params["card_copies"][0].astype(np.int64) - cards_out(scenario)
    if deck is None:
        discards = np.zeros(NUM_CARDS, np.int64) if discards is None else discards
        return rest - discards, discards
    return deck, rest - deck if discards is None else discards


def counters_of(attack: AttackEntry, number: int, side: SideEntry) -> Counts:
    """Return the numbers of a side's unassigned counters, by bonus - 1."""
    if side.counters is not None:
        return counted([bonus - 1 for bonus in side.counters], NUM_COUNTERS)
    counts = [0] * NUM_COUNTERS
    if DECLARED[number] <= attack.at <= ASSIGNED[number]:
        for unit, count in zip(load_rulebook().unit, side.units.counts, strict=True):
            if unit.counter:
                counts[unit.counter - 1] += count
    return counts


# --- into a state


def fill_state(config: Config, params: NDArray[np.void], scenario: Scenario, states: NDArray[np.void]) -> None:
    """Write a validated position to `states[0]`, without advancing it to its first decision."""
    STATE.clear(states[:1])
    state: Any = states.view(np.ndarray)[0]
    _fill_map(config, params, scenario, state)
    _fill_cards(params, scenario, state)
    _fill_turn(scenario, state)
    _fill_battle(scenario, state)
    _fill_flow(scenario, state)
    for number, event in enumerate(scenario.event):
        state["log_kind"][number] = Event[event.kind.upper()]
        state["log_player"][number] = NO_PLAYER if event.player is None else event.player
        state["log_place"][number] = (event.territory or 0) - 1
        state["log_value"][number] = event.value
    force_results(states, "dice", [[int(letter) for letter in scenario.dice if letter.isdigit()]])
    force_results(states, "draws", [kinds_of(queue) for queue in scenario.draws])
    _fill_chance(scenario, state)


def _fill_map(config: Config, params: NDArray[np.void], scenario: Scenario, state: Any) -> None:
    for each in scenario.territory:
        place = each.number - 1
        state["territory_owner"][place] = NO_PLAYER if each.owner is None else each.owner
        state["territory_units"][place] = each.units.counts
        state["territory_safe"][place] = each.safe
    players = scenario.num_players
    state["alive"][:players] = [player.alive for player in scenario.players]
    state["garrison"][:players] = params["garrison"][0].astype(np.int64) - units_out(scenario)


def _fill_cards(params: NDArray[np.void], scenario: Scenario, state: Any) -> None:
    for seat, player in enumerate(scenario.player):
        count = len(player.hand)
        state["hand"][seat, :count] = kinds_of(player.hand)
        state["hand_cycle"][seat, :count] = scenario.cycle if player.cycles is None else player.cycles
        state["hand_count"][seat] = count
        for name, cycle in player.taken.items():
            state["taken_cycle"][seat, kinds_of([name])[0]] = cycle
        state["rolled"][seat] = counted([face - 1 for face in player.rolled], DIE_FACES)
    deck, discards = piles_of(params, scenario)
    state["deck"], state["discards"] = deck, discards
    state["deck_count"], state["cycle"] = deck.sum(), scenario.cycle


def _fill_turn(scenario: Scenario, state: Any) -> None:
    state["active"] = NO_PLAYER if scenario.mover is None else scenario.mover
    state["first_player"], state["rounds"] = scenario.first_player, scenario.rounds
    state["turn"] = scenario.turn if scenario.turn is not None else 0 if scenario.is_setup else 1
    state["attacks"], state["victories"] = attacks_of(scenario), scenario.victories
    state["barred"] = scenario.barred
    for name in ("traded_in", "traded_out"):
        unit = getattr(scenario, name)
        if unit is not None:
            state[name] = Unit[unit.upper()]
    state["truncated"] = scenario.truncated
    if scenario.winner is not None:
        state["terminated"], state["winner"] = 1, scenario.winner


def _fill_battle(scenario: Scenario, state: Any) -> None:
    place = scenario.attack or scenario.move
    if place is not None:
        state["source"], state["target"] = (place.source or 0) - 1, (place.target or 0) - 1
    attack = scenario.attack
    if attack is None:
        return
    state["defender"] = defender_of(scenario)
    for number, side in ((ATTACKER, attack.attacker), (DEFENDER, attack.defender)):
        state["board_units"][number] = side.units.counts
        state["board_counters"][number] = counters_of(attack, number, side)
        state["loose_dice"][number] = faces_of(side.dice)
        state["played"][number] = counted(kinds_of(side.cards), NUM_CARDS)
    state["num_skirmishes"] = len(attack.skirmish)
    for number, each in enumerate(attack.skirmish):
        state["skirmish_dice"][number] = [faces_of(each.attacker), faces_of(each.defender)]
        state["skirmish_counters"][number] = each.attacker_counters, each.defender_counters
        state["skirmish_cards"][number] = each.attacker_cards, each.defender_cards
        state["skirmish_over"][number] = each.resolved


def _fill_flow(scenario: Scenario, state: Any) -> None:
    frames = frames_of(scenario)
    state["frame_top"] = len(frames) - 1
    for place, (kind, step, numbers) in enumerate(frames):
        state["frame_kind"][place], state["frame_step"][place] = kind, step
        state["frame_data"][place, : len(numbers)] = numbers
    chain = chain_of(scenario)
    state["chain"][: len(chain)] = chain
    state["chain_length"] = len(chain)
    if not scenario.is_over:
        decision, side = decision_of(scenario)
        state["decision"] = decision
        state["current_player"] = state["defender"] if side == DEFENDER else state["active"]


def _fill_chance(scenario: Scenario, state: Any) -> None:
    for name, values in chance_of(np.array([scenario.seed or 0], np.int64)).items():
        state[name] = values[0]
    if scenario.chance is not None:
        for name, value in scenario.chance.model_dump().items():
            state[name] = value
