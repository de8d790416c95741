"""Observations: what a player sees of a state, in the layout of `state/layout.py` (TR-H1, TR-H2).

Everything is public except the kinds of the cards in other players' hands and in the deck. For each cycle of the deck,
a player knows which cards are unseen: those left after subtracting own and open cards (TR-H3). Observations tell the
present cycle from earlier ones.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.encode import clamp, percent, relative_seat, relative_seat_or_nobody
from sackarmies_env.core.jit import njit
from sackarmies_env.core.step_batch import is_over
from sackarmies_env.games.territories.rules.movement import FREE_MOVES
from sackarmies_env.games.territories.rules.turn import ACTIONS_LEFT
from sackarmies_env.games.territories.state.constants import (
    ATTACKER,
    DEFENDER,
    DIE_FACES,
    MAX_SKIRMISHES,
    MAX_TERRITORIES,
    NUM_CARDS,
    NUM_COUNTERS,
    NUM_FACES,
    NUM_UNITS,
)
from sackarmies_env.games.territories.state.forces import num_controlled
from sackarmies_env.games.territories.state.layout import (
    CARD_START,
    LOG_SHOWN,
    LOG_START,
    PLAYER_START,
    SIDE_START,
    SKIRMISH_START,
    TERRITORY_START,
    Card,
    Global,
    Log,
    Player,
    Side,
    Skirmish,
    Territory,
)


@njit
def write_globals(params, state, viewer, out):
    """Write the decision, the turn, and the attack or move under way; all of it is public (TR-Q33, TR-Q48)."""
    players = params.num_players
    out[Global.IS_CURRENT] = np.int64(state.current_player == viewer)
    out[Global.DECISION] = state.decision
    out[Global.CURRENT_PLAYER] = relative_seat_or_nobody(viewer, state.current_player, players)
    out[Global.ACTIVE] = relative_seat_or_nobody(viewer, state.active, players)
    out[Global.FIRST_PLAYER] = relative_seat(viewer, state.first_player, players)
    out[Global.PROCEDURE] = state.frame_kind[state.frame_top]
    out[Global.STEP] = state.frame_step[state.frame_top]
    for i in range(state.frame_data.shape[1]):
        out[Global.NUMBER_0 + i] = clamp(state.frame_data[state.frame_top, i])
    out[Global.ACTIONS_LEFT] = clamp(state.frame_data[0, ACTIONS_LEFT])
    out[Global.FREE_MOVES] = clamp(state.frame_data[0, FREE_MOVES])
    out[Global.CHAIN] = state.chain[0]
    out[Global.TRADED_IN] = state.traded_in
    out[Global.TRADED_OUT] = state.traded_out
    out[Global.ATTACKS] = clamp(state.attacks)
    out[Global.VICTORIES] = clamp(state.victories)
    out[Global.BARRED] = state.barred
    out[Global.DEFENDER] = relative_seat_or_nobody(viewer, state.defender, players)
    out[Global.SOURCE] = state.source
    out[Global.TARGET] = state.target
    out[Global.NUM_SKIRMISHES] = state.num_skirmishes
    out[Global.DECK_COUNT] = state.deck_count
    out[Global.ROUND_PERCENT] = percent(state.rounds, params.max_rounds)
    out[Global.OVER] = np.int64(is_over(state))
    out[Global.WINNER] = relative_seat_or_nobody(viewer, state.winner, players)


@njit
def write_cards(params, state, viewer, out):
    """Write how many cards of each kind are in the viewer's hand, in the open and unseen (TR-H1, TR-H2, TR-H3)."""
    for kind in range(NUM_CARDS):
        row = out[CARD_START + kind * len(Card) : CARD_START + (kind + 1) * len(Card)]
        row[Card.HAND] = 0
        row[Card.DISCARDS] = state.discards[kind]
        row[Card.ATTACKER] = state.played[ATTACKER, kind]
        row[Card.DEFENDER] = state.played[DEFENDER, kind]
        row[Card.UNSEEN_NEW] = state.deck[kind]
        row[Card.UNSEEN_OLD] = 0
    for player in range(params.num_players):
        for slot in range(state.hand_count[player]):
            column = Card.HAND
            if player != viewer:
                column = Card.UNSEEN_NEW if state.hand_cycle[player, slot] == state.cycle else Card.UNSEEN_OLD
            out[CARD_START + np.int64(state.hand[player, slot]) * len(Card) + column] += 1


@njit
def write_territories(params, state, viewer, out):
    """Write the owner and units of each territory, its elevation, and whether it is safe."""
    for territory in range(MAX_TERRITORIES):
        start = TERRITORY_START + territory * len(Territory)
        row = out[start : start + len(Territory)]
        row[Territory.OWNER] = relative_seat_or_nobody(viewer, state.territory_owner[territory], params.num_players)
        for unit in range(NUM_UNITS):
            row[Territory.TROOP + unit] = state.territory_units[territory, unit]
        row[Territory.ELEVATION] = params.elevation[territory]
        row[Territory.SAFE] = state.territory_safe[territory]


@njit
def write_board(state, out):
    """Write both sides of the battle board, and the skirmishes."""
    for side in range(2):
        row = out[SIDE_START + side * len(Side) : SIDE_START + (side + 1) * len(Side)]
        for unit in range(NUM_UNITS):
            row[Side.TROOP + unit] = state.board_units[side, unit]
        for counter in range(NUM_COUNTERS):
            row[Side.COUNTER_1 + counter] = state.board_counters[side, counter]
        for place in range(NUM_FACES):
            row[Side.LOOSE_2 + place] = state.loose_dice[side, place]
    skirmishes = out[SKIRMISH_START : SKIRMISH_START + MAX_SKIRMISHES * len(Skirmish)]
    for i in range(state.num_skirmishes * len(Skirmish), len(skirmishes)):
        skirmishes[i] = 0
    for skirmish in range(state.num_skirmishes):
        row = skirmishes[skirmish * len(Skirmish) : (skirmish + 1) * len(Skirmish)]
        for place in range(NUM_FACES):
            row[Skirmish.ATTACKER_2 + place] = state.skirmish_dice[skirmish, ATTACKER, place]
            row[Skirmish.DEFENDER_2 + place] = state.skirmish_dice[skirmish, DEFENDER, place]
        for side in range(2):
            row[Skirmish.ATTACKER_COUNTERS + side] = state.skirmish_counters[skirmish, side]
            row[Skirmish.ATTACKER_CARDS + side] = state.skirmish_cards[skirmish, side]
        row[Skirmish.RESOLVED] = state.skirmish_over[skirmish]


@njit
def write_events(params, state, viewer, out):
    """Write the latest public events."""
    for i in range(LOG_SHOWN):
        row = out[LOG_START + i * len(Log) : LOG_START + (i + 1) * len(Log)]
        row[Log.KIND] = state.log_kind[i]
        row[Log.PLAYER] = relative_seat_or_nobody(viewer, state.log_player[i], params.num_players)
        row[Log.PLACE] = state.log_place[i]
        row[Log.VALUE] = clamp(state.log_value[i])


@njit
def write_players(params, state, viewer, out):
    """Write the public data of each player."""
    for player in range(params.num_players):
        start = PLAYER_START + relative_seat(viewer, player, params.num_players) * len(Player)
        row = out[start : start + len(Player)]
        row[Player.ALIVE] = state.alive[player]
        row[Player.TERRITORIES] = num_controlled(state, player)
        for unit in range(NUM_UNITS):
            row[Player.GARRISON_TROOP + unit] = state.garrison[player, unit]
        row[Player.CARDS] = state.hand_count[player]
        new = np.int64(0)
        for slot in range(state.hand_count[player]):
            new += np.int64(state.hand_cycle[player, slot] == state.cycle)
        row[Player.NEW_CARDS] = new
        for place in range(DIE_FACES):
            row[Player.ROLLED_1 + place] = state.rolled[player, place]


@njit
def observe(params, state, viewer, out):
    """Write what a player sees into `out`, (size,) int8 (TR-H1, TR-H2)."""
    write_globals(params, state, viewer, out)
    write_cards(params, state, viewer, out)
    write_territories(params, state, viewer, out)
    write_board(state, out)
    write_events(params, state, viewer, out)
    write_players(params, state, viewer, out)
