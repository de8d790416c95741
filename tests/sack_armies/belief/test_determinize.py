"""Determinization: samples fit all that is public, are not biased toward the truth, and miss nothing possible."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, Band, Decision, Face, Kind, Zone
from tests.sack_armies.builders.derived import rebuild_derived
from tests.sack_armies.builders.fights import modify, scenario, text
from tests.sack_armies.builders.text_game import attachment, token, unit
from tests.sack_armies.builders.twin_worlds import (
    CONFIGURATIONS,
    act,
    build,
    copy_of,
    deal_rows,
    guess,
    in_order,
    legal_ids,
    plain,
    record,
    uncounted,
    unknown_to,
    wander,
    warlike,
)

FIXED = ("token_owner", "token_zone", "token_face", "token_hex", "token_host", "token_first", "token_next")
BANDS = {Band.GREEN: {Kind.SPELL, Kind.MANEUVER}, Band.BLUE: {Kind.SPELL}, Band.RED: {Kind.MANEUVER}}
GUESSES = 60 if INTERPRETED else 400


def sorted_types(state, rows):
    return sorted(state["token_type"][rows].tolist())


# --- what every sample must keep


def check_places(game, state, world, viewer):
    """Check that every sampled token may be where it is."""
    params = game.params[0]
    for row in np.flatnonzero(unknown_to(world, viewer)):
        kind = Kind(int(params["type_kind"][world["token_type"][row]]))
        zone = world["token_zone"][row]
        if zone == Zone.PICKED:
            assert kind == Kind.BATTLEFIELD
        elif zone == Zone.BATTLEGROUND:
            assert kind == Kind.UNIT
            assert params["type_movement"][world["token_type"][row]] >= state["token_min_movement"][row]
            assert params["type_armor"][world["token_type"][row]] >= state["token_min_armor"][row]
        elif zone == Zone.ATTACHED:
            host = world["token_host"][row]
            assert kind in BANDS[Band(int(params["type_band"][world["token_type"][host]]))]
            if state["token_kind_known"][row]:
                assert kind == params["type_kind"][state["token_type"][row]]
        elif zone == Zone.CAPTURED:
            assert kind in (Kind.SPELL, Kind.MANEUVER)
        elif zone in (Zone.CASUALTIES, Zone.REMOVED):
            assert kind != Kind.BATTLEFIELD


def check_army(game, world, player):
    """Check that a sampled army is legal (R4.2), and has a unit left unless its General is eliminated."""
    params = game.params[0]
    rows = np.flatnonzero((world["token_owner"] == player) & (world["token_zone"] != Zone.NONE))
    copies = Counter(world["token_type"][rows].tolist())
    ranks = {type_id: int(params["type_rank"][type_id]) for type_id in copies}
    assert sum(ranks[type_id] * count for type_id, count in copies.items()) <= params["max_ranks"]
    for type_id, count in copies.items():
        assert count <= params["copy_limits"][min(ranks[type_id], 3) - 1]
    kinds = params["type_kind"][world["token_type"][rows]]
    assert np.count_nonzero(kinds == Kind.BATTLEFIELD) >= params["min_battlefields"]
    lost = np.isin(world["token_zone"][rows], (Zone.CASUALTIES, Zone.REMOVED))
    assert not world["general_alive"][player] or ((kinds == Kind.UNIT) & ~lost).any()


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_guess_fits_all_that_is_public(name):
    game = build(name)
    for ply, states in enumerate(wander(game, seed=8)):
        viewer = ply % game.num_players
        world = guess(game, states, viewer, ply)
        ordered = in_order(game, states, viewer)
        counted = ~uncounted(game, ordered, viewer)
        state, believed = plain(ordered), plain(world)
        for field in FIXED:
            assert (state[field] == believed[field])[counted].all()
        hidden = unknown_to(state, viewer)
        assert (state["token_type"] == believed["token_type"])[~hidden & counted].all()
        check_places(game, state, believed, viewer)
        for player in range(game.num_players):
            own = hidden & (state["token_owner"] == player)
            seen = own & (state["token_seen"] > 0)
            guessed = unknown_to(believed, viewer) & (believed["token_owner"] == player)
            assert sorted_types(believed, guessed & (believed["token_seen"] > 0)) == sorted_types(state, seen)
            if game.params["open_army_lists"][0]:
                assert sorted_types(believed, own) == sorted_types(state, own)
            elif player != viewer:
                check_army(game, believed, player)


@pytest.mark.parametrize("name", ["standard", "all windows"])
def test_games_go_on_in_guessed_worlds(name):
    game = build(name)
    rng = np.random.default_rng(1)
    for ply, states in enumerate(wander(game, seed=9)):
        if ply % 10 == 0:
            world = guess(game, states, ply // 10 % 2, ply)
            for _ in range(4 if INTERPRETED else 60):
                if plain(world)["current_player"] < 0:
                    break
                assert plain(world)["num_legal"] == len(legal_ids(plain(world)["legal"])) > 0
                act(game, world, warlike(game, world, rng))
                assert plain(world)["error"] == 0


def test_equal_seeds_give_equal_guesses_and_other_seeds_others():
    game = build("standard")
    states = list(wander(game, 4, 12))[-1]
    first, again, other = (guess(game, states, 0, seed) for seed in (5, 5, 6))
    assert first.tobytes() == again.tobytes()
    assert (plain(first)["token_type"] != plain(other)["token_type"]).any()
    assert (plain(first)["flip_key"] != plain(other)["flip_key"]).any()


def guesses(plies):
    """Return a digest of samples along two games."""
    digest = hashlib.sha256()
    for name in ("battle", "standard"):
        game = build(name)
        for ply, states in enumerate(wander(game, 5, plies)):
            digest.update(guess(game, states, ply % 2, ply).tobytes())
    return digest.hexdigest()


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="one of the two sides must be compiled")
def test_guesses_are_the_same_interpreted_and_compiled():
    program = "from tests.sack_armies.belief.test_determinize import guesses; print(guesses(40))"
    root = Path(__file__).resolve().parents[3]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == guesses(40)


# --- small positions


TOKENS = [
    token("mage", movement=1, armor=2, band="blue"),
    token("fighter", movement=2, armor=4, band="red", rank=2),
    token("hero", movement=3, armor=6, band="green", rank=3),
    token("brute", movement=1, armor=5),
    text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4),
    text("spell", "charm", "free", [modify("armor", 1)]),
    text("maneuver", "drill", "free", [modify("damage", 1)]),
]
HIDDEN = [
    unit("fighter", "3,0", 1, face="down"),
    unit("mage", "4,0", 1, face="down", attached=[attachment("charm")]),
    unit("hero", "4,-1", 1, attached=[attachment("drill"), attachment("bolt")]),
]
GENERAL = [
    {"hand": [], "sack": ["spare"], "casualties": [], "removed": []},
    {"hand": ["brute", "plain"], "sack": ["spare", "bolt", "brute"], "casualties": ["brute"], "removed": []},
]


def start(units=HIDDEN, tokens=TOKENS, general=GENERAL, **keys):
    """Return a position in which General 1 hides something."""
    game = make_game(scenario=scenario(tokens, [unit("brute", "0,0"), *units], general=general, **keys))
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    return game, in_order(game, states, 0)


def names_of(game, states):
    """Return the ids of the inline types of this file by number."""
    first = int(game.params["num_types"][0]) - len(game.config["scenario"]["token"])
    return {first + i: entry["id"] for i, entry in enumerate(game.config["scenario"]["token"])}


def guessed_types(game, states, row, viewer=0, count=GUESSES):
    """Return how often a token is sampled to be of each type."""
    return Counter(int(plain(guess(game, states, viewer, seed))["token_type"][row]) for seed in range(count))


def rows_of(states, zone):
    """Return the rows of General 1's tokens in a zone."""
    state = plain(states)
    return np.flatnonzero((state["token_zone"] == zone) & (state["token_owner"] == 1)).tolist()


def row_of(states, zone):
    """Return the first row of General 1's tokens in a zone."""
    return rows_of(states, zone)[0]


def down_units(states):
    """Return the rows of the face-down units of General 1, hex by hex."""
    state = plain(states)
    rows = [int(row) for row in state["cell_unit"] if row != NO_TOKEN]
    return [row for row in rows if state["token_owner"][row] == 1 and state["token_face"][row] == Face.DOWN]


def test_with_closed_lists_a_face_down_unit_may_be_any_unit_fast_and_tough_enough():
    game, states = start()
    row = down_units(states)[0]
    states["token_min_movement"][0, row] = 3
    states["token_min_armor"][0, row] = 3
    params = game.params[0]
    allowed = {
        type_id
        for type_id in range(int(params["num_types"]))
        if params["type_kind"][type_id] == Kind.UNIT
        and params["type_movement"][type_id] >= 3
        and params["type_armor"][type_id] >= 3
    }
    guessed = guessed_types(game, states, row, count=5 * GUESSES)
    assert len(allowed) > 3
    assert set(guessed) <= allowed
    assert set(guessed) == allowed or INTERPRETED


def test_with_closed_lists_everything_that_may_be_in_a_sack_is_guessed_at_times():
    game, states = start(units=[unit("mage", "3,0", 1)], general=[GENERAL[0], GENERAL[0]])
    row = row_of(states, Zone.SACK)
    params = game.params[0]
    guessed = guessed_types(game, states, row, count=100 * GUESSES)
    by_rank = Counter()
    for type_id, count in guessed.items():
        by_rank[int(params["type_rank"][type_id])] += count
    types_of_rank = Counter(params["type_rank"][: int(params["num_types"])].tolist())
    assert set(by_rank) == set(types_of_rank)
    if not INTERPRETED:
        assert set(guessed) == set(range(int(params["num_types"])))


def test_with_open_lists_hidden_tokens_are_dealt_uniformly_among_the_places_that_fit():
    game, states = start(
        units=[unit("fighter", "3,0", 1, face="down"), unit("brute", "4,0", 1, face="down")],
        general=[GENERAL[0], {"hand": ["mage"], "sack": ["bolt"], "casualties": [], "removed": []}],
        switches={"open_army_lists": True},
    )
    names = names_of(game, states)
    rows = [*down_units(states), row_of(states, Zone.HAND), row_of(states, Zone.SACK)]
    dealt = Counter()
    for seed in range(5 * GUESSES):
        types = plain(guess(game, states, 0, seed))["token_type"]
        dealt[tuple(names[int(types[row])] for row in rows)] += 1
    # Two of three units lie on the board, the third and the spell in hand and sack: 6 x 2 ways.
    assert len(dealt) == 12
    mean = 5 * GUESSES / 12
    assert max(abs(count - mean) for count in dealt.values()) < 5 * np.sqrt(mean)


def test_what_hides_under_a_host_fits_its_band_though_the_host_is_guessed_too():
    game, states = start()
    params = game.params[0]
    host = down_units(states)[-1]
    attached = int(plain(states)["token_first"][host])
    pairs = Counter()
    for seed in range(GUESSES):
        types = plain(guess(game, states, 0, seed))["token_type"]
        band, kind = int(params["type_band"][types[host]]), int(params["type_kind"][types[attached]])
        pairs[Band(band), Kind(kind)] += 1
    assert set(pairs) == {
        (Band.BLUE, Kind.SPELL),
        (Band.RED, Kind.MANEUVER),
        (Band.GREEN, Kind.SPELL),
        (Band.GREEN, Kind.MANEUVER),
    }


def test_guess_is_not_biased_toward_the_truth():
    """Check that samples of two worlds that General 0 cannot tell apart differ only by chance."""
    counts = []
    for hidden in ("fighter", "brute"):
        game, states = start(units=[unit(hidden, "3,0", 1, face="down"), *HIDDEN[1:]])
        counts.append(guessed_types(game, states, down_units(states)[0], count=5 * GUESSES))
    for type_id in counts[0] | counts[1]:
        one, other = (count[type_id] for count in counts)
        assert abs(one - other) < 5 * np.sqrt(one + other + 1)


def test_rows_do_not_matter_to_a_guess():
    game, states = start()
    row = down_units(states)[0]
    world = deal_rows(game, states, 0, 3)
    assert plain(world)["cell_unit"][plain(states)["token_hex"][row]] != row
    assert guessed_types(game, world, row) == guessed_types(game, states, row)


def test_tokens_seen_before_are_in_every_guess():
    game, states = start()
    names, types = names_of(game, states), plain(states)["token_type"]
    (hidden,) = (row for row in rows_of(states, Zone.SACK) if names.get(int(types[row])) == "brute")
    states["token_seen"][0, hidden] = 1
    rebuild_derived(game.params[0], record(states))
    known = int(plain(states)["token_type"][hidden])
    places = set()
    for seed in range(GUESSES):
        believed = plain(guess(game, states, 0, seed))
        (row,) = np.flatnonzero((believed["token_seen"] > 0) & unknown_to(plain(states), 0))
        assert believed["token_type"][row] == known
        places.add(Zone(int(believed["token_zone"][row])))
    assert places == {Zone.SACK, Zone.HAND, Zone.BATTLEGROUND}


def test_a_kind_that_came_to_light_is_kept():
    game, states = start()
    attached = unknown_to(plain(states), 0) & (plain(states)["token_zone"] == Zone.ATTACHED)
    assert attached.any()
    for row in np.flatnonzero(attached):
        states["token_kind_known"][0, row] = 1
        kind = game.params["type_kind"][0, plain(states)["token_type"][row]]
        guessed = {int(game.params["type_kind"][0, type_id]) for type_id in guessed_types(game, states, row)}
        assert guessed == {int(kind)}


def test_an_army_beyond_the_limits_does_not_fail():
    rich = {"hand": ["hero"] * 12, "sack": ["hero"] * 8, "casualties": [], "removed": []}
    game, states = start(general=[GENERAL[0], rich])
    total = sum(int(game.params["type_rank"][0, t]) for t in plain(states)["token_type"][40:80] if t >= 0)
    assert total > 40
    for seed in range(20):
        believed = plain(guess(game, states, 0, seed))
        ranks = sum(int(game.params["type_rank"][0, t]) for t in believed["token_type"][40:80] if t >= 0)
        assert ranks <= total
        check_places(game, plain(states), believed, 0)


# --- somebody else is the current player


def test_an_unannounced_choice_of_somebody_else_is_taken_back():
    game, states = start(to_move=1)
    for texts, decision in (
        (("move",), Decision.MENU),
        (("move", "hex 4,-1"), Decision.MENU),
        (("deploy", "type plain"), Decision.MENU),
        (("reveal_unit",), Decision.MENU),
        (("draw",), Decision.DISCARD),
    ):
        begun = copy_of(game, states)
        for words in texts:
            act(game, begun, game.parse_action(begun, words))
        believed = plain(guess(game, begun, 0, 3))
        assert believed["current_player"] == 1
        assert Decision(int(believed["decision"])) == decision
        assert believed["chain_verb"] == 0
        assert legal_ids(believed["legal"])


def test_own_choice_stays_as_it_is():
    game, states = start()
    act(game, states, game.parse_action(states, "move"))
    believed = plain(guess(game, states, 0, 3))
    assert believed["decision"] == plain(states)["decision"] == Decision.MOVE_UNIT
    assert (believed["legal"] == plain(states)["legal"]).all()


def test_samples_of_a_game_with_an_eliminated_general():
    game = build("standard")
    states = list(wander(game, 2, 12))[-1]
    game.forfeit(game.params, states, np.array([1], np.int64))
    assert plain(states)["terminated"] == 1
    believed = plain(guess(game, states, 0, 1))
    assert believed["winner"] == 0
    assert believed["decision"] == Decision.NONE
    assert (believed["token_type"] != plain(states)["token_type"]).any()
