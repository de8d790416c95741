"""Twin worlds: random games in which armies meet, sampled states, and reordered rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import CELL, ROW, SEAT, TYPE, StateLayout, as_records, copy_records, names_of
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.belief.decision import return_picks
from sackarmies_env.games.sack_armies.belief.erase import put_in_order
from sackarmies_env.games.sack_armies.state.actions import NUM_VERBS
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, NUM_SLOTS, Decision, Face, Verb, Zone
from sackarmies_env.games.sack_armies.state.record import STATE_FIELDS, Capacity, make_state_layout
from tests.sack_armies.builders.derived import rebuild_derived
from tests.sack_armies.builders.text_game import B1, at, field

States = NDArray[np.void]


def text(kind: str, token_id: str, use: str, effect: dict[str, Any], **values: Any) -> dict[str, Any]:
    """Return a spell or maneuver with one effect."""
    return {"id": token_id, "kind": kind, "use": use, "effects": [effect]} | values


def wild_unit(token_id: str, *abilities: dict[str, Any], **values: Any) -> dict[str, Any]:
    """Return a quick unit that takes attachments."""
    return {"id": token_id, "kind": "unit", "band": "green", "movement": 3, "abilities": list(abilities)} | values


AT_ENEMY: dict[str, Any] = {"target": "enemy_unit", "range": 4}
WILD_TOKENS = [
    wild_unit("blaster", {"kind": "range", "range": 4}, {"kind": "scatter", "damage": 3}, damage=3, armor=4),
    wild_unit("guard", {"kind": "defend"}, {"kind": "flying"}, damage=2, armor=3, movement=4),
    wild_unit("mage", *({"kind": kind, "range": 4} for kind in ("dispel", "counter", "dismiss")), armor=2),
    wild_unit("captor", {"kind": "capture"}, {"kind": "raise"}, {"kind": "move_and_attack"}, armor=2),
    wild_unit("leader", {"kind": "augment", "stat": "armor", "amount": 2}, {"kind": "leadership"}, armor=2),
    text("spell", "charm", "free", {"kind": "modify", "stat": "armor", "amount": 3}),
    text("spell", "bless", "action", {"kind": "modify", "stat": "damage", "amount": 2}, target="own_unit", range=3),
    text("spell", "banish", "action", {"kind": "remove"}, **AT_ENEMY),
    text("spell", "unmake", "action", {"kind": "dispel"}, **AT_ENEMY),
    text("spell", "curse", "permanent", {"kind": "modify", "stat": "armor", "amount": -1}, **AT_ENEMY),
    text("spell", "recall", "action", {"kind": "raise"}, retain=True),
    text("maneuver", "break_ranks", "action", {"kind": "counter"}, **AT_ENEMY),
    text("maneuver", "step_back", "action", {"kind": "relocate", "distance": 2, "flip": "single"}),
    text("maneuver", "wings", "free", {"kind": "grant", "ability": {"kind": "flying"}}),
    text("maneuver", "scry", "action", {"kind": "reveal", "range": 3}),
]
WILD_ARMY = {
    "name": "wild",
    "tokens": {"plain": 5, "swamp": 2, "blaster": 3, "guard": 3, "mage": 3, "captor": 3, "leader": 2}
    | {token["id"]: 2 for token in WILD_TOKENS[5:9]}
    | {token["id"]: 1 for token in WILD_TOKENS[9:]},
    "token": WILD_TOKENS,
}


def battle() -> dict[str, Any]:
    """Return a position in the middle of a fight, with most units face down and with tokens that nobody knows."""

    def place(token_id: str, hex_text: str, face: str, *attached: str) -> dict[str, Any]:
        owner = int(int(hex_text.split(",", 1)[0]) > 0)
        under = [{"token": name, "face": "down", "owner": owner} for name in attached]
        return {"token": token_id, "at": at(hex_text), "owner": owner, "face": face, "attached": under}

    units = [
        place("blaster", "0,0", "up", "step_back", "charm"),
        place("captor", "-1,0", "down", "wings"),
        place("mage", "-1,1", "up", "banish", "unmake", "charm"),
        place("leader", "-2,1", "down"),
        place("guard", "-2,0", "down", "charm", "scry"),
        place("blaster", "2,0", "up", "bless", "wings"),
        place("guard", "3,0", "down", "charm"),
        place("mage", "3,-1", "up", "step_back", "break_ranks"),
        place("captor", "4,-1", "down", "charm", "curse"),
        place("leader", "4,0", "down", "recall"),
    ]
    pile = {
        "hand": ["blaster", "charm", "plain"],
        "sack": ["guard", "mage", "captor", "charm", "curse", "bless", "blaster"],
        "casualties": ["guard", "leader"],
        "removed": [],
    }
    fields = [field(cell, owner) for owner, cells in B1.items() for cell in cells]
    return {
        "game": "sack_armies",
        "generals": 2,
        "to_move": 0,
        "token": WILD_TOKENS,
        "battlefield": fields,
        "unit": units,
        "general": [pile, pile],
        "switches": {"auto_forced": False},
    }


def captivity() -> dict[str, Any]:
    """Return a position in which captors with hidden attachments meet, two of them with captives already."""
    position = battle()
    front = {"0,0": 0, "-1,1": 0, "1,0": 1, "2,0": 1}
    units = []
    for hex_text, owner in front.items():
        under = ("step_back", "wings", "charm") if owner == 0 else ("charm", "step_back", "scry")
        held = [("mage", "up"), ("charm", "down"), ("break_ranks", "down"), ("bless", "down")]
        captor = {"token": "captor", "at": at(hex_text), "owner": owner, "face": "up"}
        captor["attached"] = [{"token": name, "face": "down", "owner": owner} for name in under]
        if hex_text in ("0,0", "2,0"):
            captor["captives"] = [{"token": name, "owner": 1 - owner, "face": face} for name, face in held]
        units.append(captor)
    for seat, pile in enumerate(position["general"]):
        position["general"][seat] = pile | {"removed": ["mage", "charm"]}
    hidden = {"casualties_public": False, "auto_forced": False}
    return position | {"unit": units, "switches": hidden}


CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "standard": {"num_generals": 2, "armies": ["undead", "goblin_swarm"]},
    "open lists": {
        "num_generals": 2,
        "armies": ["monsters", "fey_court"],
        "switches": {"open_army_lists": True, "raise_zone": "any_legal_hex"},
    },
    "hidden piles": {
        "num_generals": 2,
        "armies": ["empire_siege", "shazari_marsh"],
        "switches": {"casualties_public": False, "sack_count_public": False, "flip_method": "deck_jokers"},
    },
    "all windows": {
        "num_generals": 2,
        "armies": ["scourge", "mongrels"],
        "switches": {"reaction_windows": "full", "auto_forced": False, "setup_pick": "any_at_placement"},
    },
    "wild": {"num_generals": 2, "armies": WILD_ARMY, "switches": {"draw_count": 6, "hand_limit": 6}},
    "battle": {"scenario": battle()},
    "captives": {"scenario": captivity()},
    "three": {"num_generals": 3, "armies": ["nether_sisters", "shazari", "fey_riders"]},
}
VERB_WEIGHTS = {Verb.DRAW: 0.2, Verb.REVEAL_UNIT: 0.2, Verb.SURPRISE: 4.0, Verb.PASS: 2.0}
PLIES = 12 if INTERPRETED else 900
ROW_LINKS = names_of(STATE_FIELDS, holds=ROW, part="tokens")  # token fields that hold rows
ROWS_IN_STATE = tuple(name for name in names_of(STATE_FIELDS, holds=ROW) if name not in ROW_LINKS)


def build(name: str) -> Game:
    """Return the game of a configuration."""
    return make_game(**CONFIGURATIONS[name])


def plain(states: States) -> Any:
    """Return the first record, to be read as `state["field"]`."""
    return states.view(np.ndarray)[0]


def copy_of(game: Game, states: States) -> States:
    """Return an independent copy."""
    copy = game.new_states(len(states))
    copy_records(states, copy)
    return copy


def layout_of(game: Game) -> StateLayout:
    """Return the declared fields of a game's record, with their lengths."""
    names = ("general_alive", "cell_unit", "unit_rows", "true_type", "legal")
    return layout_with(Capacity(*(game.state_dtype[name].shape[0] for name in names)))


@functools.cache
def layout_with(capacity: Capacity) -> StateLayout:
    """Return the layout of records with these lengths."""
    return make_state_layout(capacity)


def sizes_of(game: Game) -> dict[str, int]:
    """Return how many seats, cells and types a game has."""
    cells, types = (int(game.params[name][0]) for name in ("num_cells", "num_types"))
    return {SEAT: game.num_players, CELL: cells, TYPE: types}


def act(game: Game, states: States, action: int) -> None:
    """Apply one action."""
    game.step(game.params, states, np.array([action], np.int64))


def warlike(game: Game, states: States, rng: np.random.Generator) -> int:
    """Return a random legal action, chosen so that armies meet: few draws, and moves toward opponents."""
    state = plain(states)
    legal = legal_ids(state["legal"])
    if state["decision"] in (Decision.MENU, Decision.WINDOW, Decision.DISCARD):
        weights = np.array([VERB_WEIGHTS.get(action, 1.0) for action in legal])
        return int(rng.choice(legal, p=weights / weights.sum()))
    first_hex = NUM_VERBS + int(game.params["num_types"][0]) + NUM_SLOTS
    if state["decision"] == Decision.MOVE_TO and rng.random() < 0.7:
        return min(legal, key=lambda action: (gap_to_others(game, state, action - first_hex), rng.random()))
    return int(rng.choice(legal))


def gap_to_others(game: Game, state: Any, cell: int) -> int:
    """Return the distance from a cell to the nearest battlefield of another General."""
    fields = state["token_hex"][(state["token_zone"] == Zone.BATTLEGROUND) & (state["token_owner"] != state["active"])]
    q, r = (game.params[name][0].astype(int) for name in ("cell_q", "cell_r"))
    dq, dr = q[fields] - q[cell], r[fields] - r[cell]
    return int(np.maximum(np.maximum(abs(dq), abs(dr)), abs(dq + dr)).min(initial=99))


def wander(game: Game, seed: int, plies: int = PLIES) -> Iterator[States]:
    """Yield the state at each decision of random games; it must not be changed."""
    rng = np.random.default_rng(seed)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([seed], np.int64))
    for ply in range(plies):
        is_old = "scenario" in game.config and ply % 80 == 79  # back to the fight
        if plain(states)["current_player"] < 0 or is_old:
            game.reset(game.params, states, rng.integers(1 << 40, size=1))
        assert plain(states)["error"] == 0
        yield states
        act(game, states, warlike(game, states, rng))


# --- what a General receives


def observe(game: Game, states: States, viewer: int) -> NDArray[np.int8]:
    """Return the observation of `viewer`."""
    out = np.zeros((1, game.observation_spec.size), np.int8)
    game.observe(game.params, states, np.array([viewer], np.int64), out)
    return out[0]


def mask_of(game: Game, states: States, viewer: int) -> NDArray[np.int8]:
    """Return the mask of `viewer`: zeros unless they are the current player."""
    out = np.zeros((1, game.num_actions), np.int8)
    if plain(states)["current_player"] == viewer:
        game.legal_actions(game.params, states, out)
    return out[0]


def received(game: Game, states: States, viewer: int) -> bytes:
    """Return all that `viewer` receives now: observation, mask, name of the decision, error messages."""
    told = ""
    if plain(states)["current_player"] == viewer:
        told = game.describe_decision(states) + complaints(game, states)
    return observe(game, states, viewer).tobytes() + mask_of(game, states, viewer).tobytes() + told.encode()


def complaints(game: Game, states: States) -> str:
    """Return the answers to some action texts: ids, or error messages."""
    answers = []
    for text in ("melee", "slot 0", "hex 0,0", "type plain", "surprise"):
        try:
            answers.append(str(game.parse_action(states, text)))
        except ValueError as error:
            answers.append(str(error))
    return "\n".join(answers)


View = Callable[[Game, States, int], Any]

# --- worlds that look alike


def guess(game: Game, states: States, viewer: int, seed: int) -> States:
    """Return a state sampled for `viewer`."""
    world = copy_of(game, states)
    game.determinize(game.params, world, np.array([viewer], np.int64), np.array([seed], np.int64))
    return world


def without_lists(params: NDArray[np.void]) -> NDArray[np.void]:
    """Return a copy of `params` without the lists of built-in armies to sample from, if the game has any.

    Samples from lists mostly have the true army, but twin worlds should have another one.
    """
    free = params.copy()
    if "num_lists" in (params.dtype.names or ()):
        free["num_lists"] = 0
    return free


def other_world(game: Game, states: States, viewer: int, seed: int) -> States:
    """Return a state sampled for `viewer`, in which armies that they do not know are drawn token by token."""
    world = copy_of(game, states)
    game.determinize(without_lists(game.params), world, np.array([viewer], np.int64), np.array([seed], np.int64))
    return world


def in_order(game: Game, states: States, viewer: int) -> States:
    """Return the same game with rows ordered as in samples for `viewer`; picks that they cannot count are returned."""
    world = copy_of(game, states)
    if plain(states)["decision"] == Decision.SETUP_PICK and plain(states)["current_player"] != viewer:
        return_picks(record(world))
    put_in_order(game.params[0], record(world), np.int64(viewer))
    return world


def uncounted(game: Game, states: States, viewer: int) -> NDArray[np.bool_]:
    """Return which rows may or may not be in use, for all `viewer` knows: unused ones, and those in uncounted sacks."""
    state, size = plain(states), int(game.params["tokens_per_general"][0])
    known = game.params["sack_count_public"][0] or game.params["open_army_lists"][0]
    counted = np.repeat(
        (state["sack_emptied"] == 1) | bool(known) | (np.arange(len(state["sack_emptied"])) == viewer), size
    )
    in_sack = (state["token_zone"] == Zone.SACK) & (state["token_kind_known"] == 0)
    return ~counted & (in_sack | (state["token_zone"] == Zone.NONE))


def deal_rows(game: Game, states: States, viewer: int, seed: int) -> States:
    """Return the same game with the rows of all Generals but `viewer` in another order."""
    rng = np.random.default_rng(seed)
    size = int(game.params["tokens_per_general"][0])
    old_row = np.arange(len(plain(states)["token_type"]))
    for player in range(game.num_players):
        if player != viewer:
            rows = slice(player * size, (player + 1) * size)
            old_row[rows] = rng.permutation(old_row[rows])
    return with_rows(game, states, old_row)


def swap_copies(game: Game, states: States, viewer: int, seed: int) -> States:
    """Return the same game with `viewer`'s copies of each type swapped among their rows."""
    rng = np.random.default_rng(seed)
    state = plain(states)
    old_row = np.arange(len(state["token_type"]))
    own = old_row // int(game.params["tokens_per_general"][0]) == viewer
    for type_id in np.unique(state["token_type"][own]):
        rows = np.flatnonzero(own & (state["token_type"] == type_id))
        old_row[rows] = rng.permutation(rows)
    return with_rows(game, states, old_row)


def with_rows(game: Game, states: States, old_row: NDArray[np.int64]) -> States:
    """Return the same game with reordered rows: row `i` holds the token that was in row `old_row[i]`."""
    world = copy_of(game, states)
    state = plain(world)
    new_row = np.append(np.argsort(old_row), NO_TOKEN)  # the last entry stands for NO_TOKEN
    for name in state.dtype.names:
        if name.startswith("token_"):
            moved = world[name][0, old_row]
            world[name][0] = new_row[moved] if name in ROW_LINKS else moved
        elif name in ROWS_IN_STATE:
            world[name][0] = new_row[world[name][0]]
    rebuild_derived(game.params[0], record(world))
    return world


def leaks(game: Game, states: States, viewer: int, view: View, seed: int) -> bool:
    """Return whether what `view` shows to `viewer` differs between worlds that they cannot tell apart."""
    shown = view(game, states, viewer)
    dealt = deal_rows(game, states, viewer, seed)
    return any(view(game, other_world(game, world, viewer, seed), viewer) != shown for world in (states, dealt)) or (
        view(game, dealt, viewer) != shown
    )


def unknown_to(state: Any, viewer: int) -> NDArray[np.bool_]:
    """Return which tokens `viewer` cannot identify."""
    return (state["token_zone"] != Zone.NONE) & (state["token_owner"] != viewer) & (state["token_face"] == Face.DOWN)


def unit_rows(states: States) -> list[int]:
    """Return the rows of the units on the board, hex by hex."""
    return [int(row) for row in plain(states)["cell_unit"] if row != NO_TOKEN]


def record(states: States) -> Any:
    """Return the record that kernels take."""
    return as_records(states)[0]


# --- worlds that stay alike

STREAMS = ("flip_key", "flip_count", "draw_key", "draw_count", "script_flips", "script_flips_end", "script_flips_used")
PARTS = (Decision.DEPLOY_TYPE, Decision.MOVE_UNIT, Decision.DISCARD)  # parts of an action that end when nothing is left
ANSWERS = (Decision.WINDOW, Decision.COUNTER, Decision.SAVE)  # others may be asked these on the viewer's turn


def answer(game: Game, states: States, viewer: int) -> None:
    """Pass for the others, until `viewer` or somebody with a real choice is the current player."""
    while plain(states)["current_player"] not in (viewer, -1) and plain(states)["decision"] in ANSWERS:
        act(game, states, Verb.PASS)


def is_telling(before: Any, after: Any, viewer: int) -> bool:
    """Return whether something hidden from `viewer` has come to light, or a General has been eliminated."""
    hidden = unknown_to(before, viewer)
    fields = ("token_zone", "token_face", "token_kind_known", "token_min_armor", "token_min_movement")
    return (
        any((before[name][hidden] != after[name][hidden]).any() for name in fields)
        or (before["general_alive"] != after["general_alive"]).any()
    )


def follow(game: Game, states: States, viewer: int, seed: int, rng: np.random.Generator) -> int:
    """Play the same choices of `viewer` in two worlds with the same chance, until something comes to light.

    Returns how many choices were alike. The worlds also part when another General, who has other tokens in each, has a
    real choice.
    """
    worlds = [in_order(game, states, viewer), other_world(game, states, viewer, seed)]
    for name in (*STREAMS, "script_draws", "script_draws_end", "script_draws_used"):
        worlds[1][name] = worlds[0][name]
    played = 0
    while True:
        before = [plain(copy_of(game, world)) for world in worlds]
        if before[0]["current_player"] != viewer:
            return played
        action = warlike(game, worlds[0], rng)
        for world in worlds:
            act(game, world, action)
            answer(game, world, viewer)
        if any(is_telling(old, plain(world), viewer) for old, world in zip(before, worlds, strict=True)):
            return played
        to_act = [plain(world)["current_player"] == viewer for world in worlds]
        if to_act[0] != to_act[1]:  # whether another General's action is over depends on their tokens, and all see it
            other = plain(worlds[to_act.index(False)])
            assert other["decision"] in PARTS or (other["decision"] == Decision.MENU and other["check_failed"] == 1)
            assert other["active"] != viewer
            return played
        assert received(game, worlds[0], viewer) == received(game, worlds[1], viewer), (played, action)
        assert len({guess(game, world, viewer, played).tobytes() for world in worlds}) == 1, (played, action)
        played += 1
