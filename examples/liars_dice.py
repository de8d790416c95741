"""Liar's dice: a game of hidden hands for two to four players, in one file. `docs/adding_a_game.md` walks through it.

Each player rolls three dice under a cup. In their turn, players may shake their cup, once a round; then they bid or
call. A bid says that at least a given number of all dice show a given face: first the count, then the face. It must be
higher than the last bid: more dice, or the same number of a higher face. A call lifts all cups: if the last bid was a
lie, the bidder loses a die, otherwise the caller does. Then all roll again, and the player who lost the die begins. A
player without dice is eliminated; the last one left wins. After `max_turns` turns the game is truncated.
"""

from __future__ import annotations

import numpy as np

from sackarmies_env.core.actions import ActionSpace, Segment, numbered_segment
from sackarmies_env.core.chance import NO_RESULT, ForcedKind, chance_fields, clear_forced, next_forced, sample_worlds
from sackarmies_env.core.encode import relative_seat, relative_seat_or_nobody
from sackarmies_env.core.entries import GameEntry
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.jit import njit
from sackarmies_env.core.legal import allow, clear_legal, make_layout
from sackarmies_env.core.observation import Block, ObservationSpec, columns, flag, number, seat
from sackarmies_env.core.rng import below, next_draw_word
from sackarmies_env.core.seats import next_left, share_losses
from sackarmies_env.core.state import COUNT, FLAG, NO_PLAYER, SEAT, Role, alloc, array, record_dtype, scalar
from sackarmies_env.core.step_batch import Rules, is_over, run_commands

MAX_PLAYERS = 4
DICE = 3  # per player at the beginning
FACES = 6  # 1 to 6
MAX_COUNT = MAX_PLAYERS * DICE

# --- actions

ACTIONS = ActionSpace(
    [
        Segment("cup", ("shake", "call")),
        numbered_segment("count", MAX_COUNT, first=1),
        numbered_segment("face", FACES, first=1),
    ],
    advice="write 'shake', 'call', or a bid such as 'count 3' and then 'face 5'",
)
SHAKE = ACTIONS.ids["shake"]
CALL = ACTIONS.ids["call"]
FIRST_COUNT = ACTIONS.ids["count 1"]  # count n is FIRST_COUNT + n - 1
FIRST_FACE = ACTIONS.ids["face 1"]

# --- records

PARAMS_DTYPE = record_dtype([("num_players", np.int64), ("max_turns", np.int64)])
STATE = make_layout(
    ACTIONS.num_actions,
    MAX_PLAYERS,
    array("num_dice", np.int8, (SEAT,), COUNT, "left; 0: eliminated"),
    array("hand", np.int8, (SEAT, FACES), COUNT, "dice under the cup that show face + 1", role=Role.HIDDEN),
    array("shaken", np.int8, (SEAT,), FLAG, "1: in this round"),
    scalar("bidder", SEAT, "of the last bid in this round"),
    scalar("bid_count", COUNT, "0: none yet"),
    scalar("bid_face", COUNT, "0: none yet"),
    scalar("said_count", COUNT, "by the current player, who says the face next; 0: none"),
    array("revealed", np.int8, (SEAT, FACES), COUNT, "hands at the last call"),
    *chance_fields("dice", SEAT, 32, np.int8, COUNT, "faces that players roll first"),
)


# --- rules


@njit
def roll_die(state, player):
    """Return the face of a rolled die: the next forced one of `player`, otherwise a random one."""
    face = next_forced(state.script_dice, state.script_dice_end, state.script_dice_used, player)
    return 1 + below(next_draw_word(state), FACES) if face == NO_RESULT else face


@njit
def roll_hand(state, player):
    """Roll all dice of `player`."""
    for i in range(FACES):
        state.hand[player, i] = 0
    for _ in range(state.num_dice[player]):
        state.hand[player, roll_die(state, player) - 1] += 1


@njit
def begin_turn(params, state, player):
    """Begin a turn of `player`, or truncate the game if it has had all its turns."""
    if state.turn >= params.max_turns:
        state.truncated = 1
        state.current_player = NO_PLAYER
    else:
        state.turn += 1
        state.current_player = player


@njit
def begin_round(params, state, player):
    """Begin a round with `player`, or with the next player who has dice; if only one has dice, that player wins."""
    state.bidder, state.bid_count, state.bid_face, state.said_count = NO_PLAYER, 0, 0, 0
    first = player if state.num_dice[player] > 0 else next_left(state.num_dice, params.num_players, player)
    for one in range(params.num_players):
        state.shaken[one] = 0
        roll_hand(state, one)
    if next_left(state.num_dice, params.num_players, first) == first:
        state.terminated = 1
        state.winner = first
        state.current_player = NO_PLAYER
    else:
        begin_turn(params, state, first)


@njit
def is_higher(state, count, face):
    """Return whether a bid is higher than the last one: more dice, or as many of a higher face."""
    return count > state.bid_count or (count == state.bid_count and face > state.bid_face)


@njit
def bid(params, state, face):
    """Complete the bid of the current player."""
    state.bidder, state.bid_count, state.bid_face = state.current_player, state.said_count, face
    state.said_count = 0
    begin_turn(params, state, next_left(state.num_dice, params.num_players, state.current_player))


@njit
def call(params, state):
    """Lift all cups: the bidder loses a die if the last bid was a lie, otherwise the current player does."""
    shown = np.int64(0)
    for player in range(params.num_players):
        shown += state.hand[player, state.bid_face - 1]
        for i in range(FACES):
            state.revealed[player, i] = state.hand[player, i]
    loser = np.int64(state.bidder if shown < state.bid_count else state.current_player)
    state.num_dice[loser] -= 1
    begin_round(params, state, loser)


@njit
def offer(params, state):
    """Write the legal ids: what the current player may do, or the faces that go with the count said."""
    clear_legal(state)
    if state.said_count > 0:
        for face in range(1, FACES + 1):
            if is_higher(state, state.said_count, face):
                allow(state, FIRST_FACE + face - 1)
        return
    if state.shaken[state.current_player] == 0:
        allow(state, SHAKE)
    if state.bidder != NO_PLAYER:
        allow(state, CALL)
    for count in range(1, state.num_dice.sum() + 1):
        if is_higher(state, count, FACES):
            allow(state, FIRST_COUNT + count - 1)


# --- the kernels of the contract


@njit
def step(params, state, action):
    """Carry out an action of the current player."""
    if action == SHAKE:
        state.shaken[state.current_player] = 1
        roll_hand(state, state.current_player)
    elif action == CALL:
        call(params, state)
    elif action < FIRST_FACE:
        state.said_count = action - FIRST_COUNT + 1
    else:
        bid(params, state, action - FIRST_FACE + 1)


@njit
def resume(params, state):
    """Begin a game that has not begun."""
    if state.turn == 0:
        begin_round(params, state, 0)


@njit
def forfeit(params, state, player):
    """Take all dice of `player`; the others begin a new round."""
    state.num_dice[player] = 0
    begin_round(params, state, np.int64(state.current_player))


@njit
def is_eliminated(params, state, player):
    """Return whether `player` has no dice left."""
    return state.num_dice[player] == 0


@njit
def returns(params, state, out):
    """Write what eliminated players have lost; once the game is over, the others share it."""
    share_losses(state.num_dice, params.num_players, is_over(state), out)


# --- observation

HAND_FEATURES = tuple(number(f"face_{face}", "own dice that show it", high=DICE) for face in range(1, FACES + 1))
TABLE_FEATURES = (
    seat("current_player", "Seat that decides.", MAX_PLAYERS),
    seat("bidder", "Seat of the last bid in this round.", MAX_PLAYERS),
    number("bid_count", "count of the last bid; 0: none", high=MAX_COUNT),
    number("bid_face", "face of the last bid; 0: none", high=FACES),
    number("said_count", "count that the current player has said; 0: none", high=MAX_COUNT),
)
PLAYER_FEATURES = (
    number("num_dice", "dice left; 0: eliminated", high=DICE),
    flag("shaken", "has shaken the cup in this round"),
    *(number(f"revealed_{face}", "dice that showed it at the last call", high=DICE) for face in range(1, FACES + 1)),
)
TABLE = columns("Table", TABLE_FEATURES)
PLAYER = columns("Player", PLAYER_FEATURES)
TABLE_START = len(HAND_FEATURES)
PLAYERS_START = TABLE_START + len(TABLE_FEATURES)


@njit
def observe(params, state, viewer, out):
    """Write the viewer's hand, the last bid, and what everyone knows about each player."""
    for i in range(FACES):
        out[i] = state.hand[viewer, i]
    table = out[TABLE_START:PLAYERS_START]
    table[TABLE.CURRENT_PLAYER] = relative_seat_or_nobody(viewer, state.current_player, params.num_players)
    table[TABLE.BIDDER] = relative_seat_or_nobody(viewer, state.bidder, params.num_players)
    table[TABLE.BID_COUNT] = state.bid_count
    table[TABLE.BID_FACE] = state.bid_face
    table[TABLE.SAID_COUNT] = state.said_count
    for player in range(params.num_players):
        start = PLAYERS_START + relative_seat(viewer, player, params.num_players) * len(PLAYER)
        row = out[start : start + len(PLAYER)]
        row[PLAYER.NUM_DICE] = state.num_dice[player]
        row[PLAYER.SHAKEN] = state.shaken[player]
        for i in range(FACES):
            row[PLAYER.REVEALED_1 + i] = state.revealed[player, i]


# --- entries

RULES = Rules(step, resume, forfeit, observe, returns, is_eliminated, offer)


@njit
def step_batch(params, states, commands, slots, action_masks, packed_masks, observations, results):
    """Play many games in one call, as `core.step_batch` says."""
    run_commands(RULES, params, states, commands, slots, action_masks, packed_masks, observations, results)


@njit
def sample_hidden(params, state, viewer):
    """Roll the hands of the others anew."""
    clear_forced(state.script_dice, state.script_dice_end, state.script_dice_used)
    for player in range(params.num_players):
        if player != viewer:
            roll_hand(state, player)


@njit
def determinize(params, states, players, seeds):
    """Make worlds that players may believe in, as `Game` says."""
    sample_worlds(sample_hidden, params, states, players, seeds)


# --- the game


def make_game(num_players: int = 2, max_turns: int = 200) -> Game:
    """Build the game for 2 to 4 players.

    Raises:
        ValueError: a number is out of range.
    """
    if not 2 <= num_players <= MAX_PLAYERS or not 1 <= max_turns <= 10_000:
        given = f"num_players={num_players!r}, max_turns={max_turns!r}"
        raise ValueError(f"{given}: liar's dice is for 2 to {MAX_PLAYERS} players and 1 to 10000 turns")
    params = alloc(PARAMS_DTYPE, 1)
    params["num_players"], params["max_turns"] = num_players, max_turns
    blocks = [
        Block("hand", 1, HAND_FEATURES, "Own dice under the cup."),
        Block("table", 1, TABLE_FEATURES, "Seats count from the observer."),
        Block("players", num_players, PLAYER_FEATURES, "One row a player, the observer first, in turn order."),
    ]

    def initial_state(states: Records) -> None:
        states["num_dice"][0, :num_players] = DICE

    return Game(
        id="liars_dice",
        num_players=num_players,
        actions=ACTIONS,
        state_layout=STATE,
        observation_spec=ObservationSpec(blocks),
        params=params,
        config={"num_players": num_players, "max_turns": max_turns},
        build=make_game,
        step_batch=step_batch,
        initial_state=initial_state,
        determinize_batch=determinize,
        describe_decision=lambda states: "FACE" if states["said_count"][0] > 0 else "TURN",
        forced_kinds=(ForcedKind("dice", ({face: face for face in range(1, FACES + 1)},) * num_players),),
        zero_sum=True,
    )


ENTRY = GameEntry("liars_dice", "examples.liars_dice:make_game", title="Liar's dice", players=(2, MAX_PLAYERS))
