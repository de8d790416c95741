"""Samples in twin worlds: the same record for the same seed wherever a General's knowledge is the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from sackarmies_env.core.game import Game
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision, Kind, Verb, Zone
from sackarmies_env.testing import check_game
from tests.sack_armies.builders.derived import rebuild_derived
from tests.sack_armies.builders.fights import able, modify, scenario, text
from tests.sack_armies.builders.text_game import attachment, field, token, unit
from tests.sack_armies.builders.twin_worlds import (
    CONFIGURATIONS,
    States,
    act,
    build,
    copy_of,
    deal_rows,
    guess,
    observe,
    other_world,
    plain,
    received,
    record,
    swap_copies,
    unknown_to,
    wander,
)

PLIES = 8 if INTERPRETED else 250
GUESSES = 20 if INTERPRETED else 200
GAMES: dict[str, dict[str, Any]] = CONFIGURATIONS | {
    "four": {"num_generals": 4, "armies": ["undead", "goblin_swarm", "mongrels", "fey_court"]},
    "four, uncounted": {
        "num_generals": 4,
        "switches": {"casualties_public": False, "sack_count_public": False, "setup_pick": "any_at_placement"},
    },
}


def twins(game: Game, states: States, viewer: int, seed: int) -> Iterator[States]:
    """Yield states that `viewer` cannot tell from `states`: other hidden tokens, other rows, and both."""
    other = other_world(game, states, viewer, seed + 1000)
    yield other
    yield deal_rows(game, states, viewer, seed)
    yield deal_rows(game, other, viewer, seed)
    yield swap_copies(game, states, viewer, seed)


def differences(game: Game, states: States, twin: States, viewer: int, seed: int) -> list[str]:
    """Return the fields in which the samples from two states differ."""
    one, other = guess(game, states, viewer, seed), guess(game, twin, viewer, seed)
    if one.tobytes() == other.tobytes():
        return []
    fields = game.state_dtype.names or ()
    differing = [name for name in fields if plain(one)[name].tobytes() != plain(other)[name].tobytes()]
    assert differing, "samples differ between their fields"
    return differing


def forfeited(game: Game, states: States, player: int) -> States:
    """Return the game after a General has forfeited."""
    world = copy_of(game, states)
    game.forfeit(game.params, world, np.array([player], np.int64))
    return world


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize("name", GAMES)
def test_states_that_look_alike_give_the_same_guess_to_the_byte(name, every):
    game = make_game(**GAMES[name])
    asked, met = Counter(), Counter()
    for ply, states in enumerate(wander(game, 6, PLIES)):
        if ply % every:
            continue
        state = plain(states)
        met["returned"] += bool(state["returns"].any())
        met["captured"] += bool((state["token_zone"] == Zone.CAPTURED).any())
        worlds = [states] + [forfeited(game, states, seat) for seat in range(game.num_players) if ply % 5 == 0]
        for world in worlds:
            for viewer in range(game.num_players):
                asked[Decision(int(state["decision"])).name, state["current_player"] == viewer] += 1
                for number, twin in enumerate(twins(game, world, viewer, ply)):
                    assert differences(game, world, twin, viewer, ply) == [], (ply, viewer, number)
    if not INTERPRETED:
        assert len({decision for decision, is_own in asked if is_own}) > 4
        assert met["returned"] or name not in ("wild", "battle")
        assert met["captured"] or name != "wild"


@pytest.mark.skipif(INTERPRETED, reason="many games")
@pytest.mark.parametrize("name", GAMES)
def test_the_game_keeps_the_contract(name):
    check_game(make_game(**GAMES[name]), num_games=2, max_plies=60, every=5)


# --- small positions


TOKENS = [
    token("mage", armor=2, band="blue"),
    token("fighter", movement=2, armor=4, band="red", rank=2),
    token("hero", movement=3, armor=6, band="green", rank=3),
    token("statue", movement=0, armor=5),
    text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4),
    text("maneuver", "drill", "free", [modify("damage", 1)]),
]


def pile(hand: str = "", sack: str = "") -> dict[str, list[str]]:
    """Return what a General has off the board."""
    return {"hand": hand.split(), "sack": sack.split(), "casualties": [], "removed": []}


def start(
    theirs: dict[str, list[str]], hidden: str = "hero", ours: dict[str, list[str]] | None = None, **keys: Any
) -> tuple[Game, States]:
    """Return a position in which General 1 has a face-down unit with an attachment, and tokens off the board."""
    units = [unit("mage", "0,0"), unit(hidden, "4,0", 1, face="down", attached=[attachment("bolt")])]
    game = make_game(scenario=scenario(TOKENS, units, general=[ours or pile(sack="spare"), theirs], **keys))
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    return game, states


def rows_in(states: States, zone: Zone, owner: int = 1) -> list[int]:
    """Return the rows of a General's tokens in a zone."""
    state = plain(states)
    return np.flatnonzero((state["token_zone"] == zone) & (state["token_owner"] == owner)).tolist()


def same_guesses(game: Game, *worlds: States, viewer: int = 0) -> bool:
    """Return whether samples from all worlds are the same, seed by seed."""
    return all(len({guess(game, world, viewer, seed).tobytes() for world in worlds}) == 1 for seed in range(8))


def test_ranks_of_an_army_beyond_the_limits_are_not_revealed():
    rich, poor = "hero " * 20, "statue " * 20
    game, states = start(pile("drill", rich))
    _, other = start(pile("drill", poor))
    assert same_guesses(game, states, other)


def test_a_sample_falls_back_to_kinds_if_no_deal_fits():
    game, states = start(pile("statue", "drill fighter"), switches={"open_army_lists": True})
    worlds = [states, other_world(game, states, 0, 77)]
    for world in worlds:
        row = int(np.flatnonzero(unknown_to(plain(world), 0) & (plain(world)["token_zone"] == Zone.BATTLEGROUND))[0])
        world["token_min_armor"][0, row] = 99
    assert same_guesses(game, *worlds)
    kinds, guessed = game.params["type_kind"][0], Counter()
    for seed in range(GUESSES):
        believed = plain(guess(game, states, 0, seed))
        (row,) = rows_in(guess(game, states, 0, seed), Zone.ATTACHED)
        assert kinds[believed["token_type"][row]] in (Kind.SPELL, Kind.MANEUVER)
        assert kinds[believed["token_type"][believed["token_host"][row]]] == Kind.UNIT
        guessed[int(believed["token_type"][believed["token_host"][row]])] += 1
    assert len(guessed) == 3


def saving(switches: dict[str, Any], sack: str) -> tuple[Game, States]:
    """Return a position in which General 1 must name the text that saves a unit from scatter."""
    tokens = [
        *TOKENS,
        token("scout", armor=2, band="green"),
        token("blaster", damage=3, armor=9, abilities=[able("range", range=4), able("scatter", damage=3)]),
        text("spell", "charm", "free", [modify("armor", 3)]),
        *(text("maneuver", f"ruse_{number}", "free", [modify("damage", 1)]) for number in range(20)),
    ]
    target = unit("statue", "3,0", 1)
    saved = unit("scout", "4,0", 1, face="down", attached=[attachment("charm")])
    piles = [pile(sack="spare"), pile(sack=sack)]
    game = make_game(
        scenario=scenario(tokens, [unit("blaster", "0,0"), target, saved], "HHHHHH", switches, general=piles)
    )
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    for words in ("ranged", "hex 0,0", "hex 3,0"):
        act(game, states, game.parse_action(states, words))
    while plain(states)["decision"] != Decision.SAVE:
        act(game, states, Verb.PASS)
    act(game, states, Verb.YES)
    assert plain(states)["decision"] == Decision.SAVE_SLOT
    return game, states


@pytest.mark.parametrize("lists", ["open", "closed"])
def test_current_player_has_a_legal_action_in_every_guess(lists):
    ruses = " ".join(f"ruse_{number}" for number in range(20))
    game, states = saving({"open_army_lists": lists == "open"}, ruses if lists == "open" else "mage")
    for seed in range(GUESSES):
        believed = guess(game, states, 0, seed)
        assert plain(believed)["decision"] == Decision.SAVE_SLOT
        assert plain(believed)["num_legal"] == 1
    assert same_guesses(game, states, other_world(game, states, 0, 99), deal_rows(game, states, 0, 3))


# --- sacks that nobody can count


def test_the_size_of_a_sack_that_nobody_can_count_is_guessed():
    known = {"casualties": ["mage"]}  # so that no listed army fits, whose size is known
    switches = {"sack_count_public": False}
    worlds = [start(pile("drill", sack) | known, switches=switches) for sack in ("", "mage", "hero " * 9)]
    game = worlds[0][0]
    assert same_guesses(game, *(states for _, states in worlds))
    sizes = set()
    for seed in range(GUESSES):
        world = guess(game, worlds[0][1], 0, seed)
        sizes.add(int(plain(world)["sack_count"][1]))
        assert len(rows_in(world, Zone.SACK)) == plain(world)["sack_count"][1]
        again = copy_of(game, world)
        rebuild_derived(game.params[0], record(again))
        assert again.tobytes() == world.tobytes()
    assert len(sizes) > 5
    assert INTERPRETED or {0, 1, 2} <= sizes


def uncounted(theirs: str, casualties: str = "") -> tuple[Game, States]:
    """Return a position in which General 1 has two face-down units and a sack that nobody can count."""
    units = [unit("mage", "0,0"), unit("mage", "4,0", 1, face="down"), unit("mage", "3,0", 1, face="down")]
    own, other = pile(sack="drill"), pile(sack=theirs) | {"casualties": casualties.split()}
    game = make_game(scenario=scenario(TOKENS, units, general=[own, other], switches={"sack_count_public": False}))
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    return game, states


def test_size_of_an_uncounted_sack_is_not_revealed_by_ranks_beyond_the_limit():
    worlds = [uncounted("mage " * size, "hero " * 14) for size in (1, 4, 9)]
    game = worlds[0][0]
    assert len({observe(game, states, 0).tobytes() for _, states in worlds}) == 1
    assert same_guesses(game, *(states for _, states in worlds))


def test_a_token_known_to_lie_in_an_uncounted_sack_has_room_in_every_guess():
    game, states = uncounted("bolt mage", "hero " * 14)
    in_sack = rows_in(states, Zone.SACK)
    (spell,) = [row for row in in_sack if game.params["type_kind"][0][plain(states)["token_type"][row]] == Kind.SPELL]
    states["returns"][0, 1] = 1
    states["token_seen"][0, spell] = 2  # it went to the sack after everything else had left it
    rebuild_derived(game.params[0], record(states))
    before = observe(game, states, 0)
    for seed in range(GUESSES):
        world = guess(game, states, 0, seed)
        in_use = plain(world)["token_zone"] != Zone.NONE
        assert (plain(world)["token_type"][in_use] >= 0).all(), seed
        assert np.array_equal(observe(game, world, 0), before), seed


@pytest.mark.parametrize("viewer", [0, 1])
def test_guesses_of_a_full_army_stay_within_its_rows(viewer):
    units = [unit("mage", "0,0"), unit("mage", "4,0", 1)]
    fields = [field("0,0"), field("4,0", 1)]
    full, small = pile(sack="mage") | {"casualties": ["mage"] * 37}, pile(sack="drill drill drill")
    general = [small, full] if viewer == 0 else [full, small]
    game = make_game(
        scenario=scenario(TOKENS, units, fields=fields, general=general, switches={"sack_count_public": False})
    )
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    own = slice(viewer * 40, viewer * 40 + 40)
    for seed in range(GUESSES):
        world = plain(guess(game, states, viewer, seed))
        for name in ("token_zone", "token_owner"):
            assert np.array_equal(np.sort(world[name][own]), np.sort(plain(states)[name][own])), (seed, name)


def test_captives_of_a_general_who_forfeits_return_in_a_public_order():
    tokens = [token("captor", abilities=[able("capture")]), token("jailer", abilities=[able("capture")])]
    tokens += [token("plainling"), token("guest")]
    fields = [field("0,0"), field("-1,0"), field("1,0", 1), field("2,0", 1), field("0,2", 2), field("1,2", 2)]
    units = [
        unit("captor", "0,0", captives=[{"token": "plainling", "owner": 1, "face": "up"}]),
        unit("jailer", "-1,0", captives=[{"token": "guest", "owner": 1, "face": "up"}]),
        unit("plainling", "2,0", 1),
        unit("plainling", "1,2", 2),
    ]
    general = [pile(sack="guest"), pile(sack="guest guest"), pile(sack="guest")]
    game = make_game(scenario=scenario(tokens, units, fields=fields, generals=3, general=general))
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    for viewer in (1, 2):
        for seed in range(12):
            worlds = [forfeited(game, world, 0) for world in (states, deal_rows(game, states, viewer, seed))]
            assert received(game, worlds[0], viewer) == received(game, worlds[1], viewer)
            assert same_guesses(game, *worlds, viewer=viewer)


def test_a_sack_that_a_draw_has_emptied_can_be_counted_from_then_on():
    switches = {"sack_count_public": False, "hand_limit": 9}
    for sack, told in (("mage mage", 1), ("mage mage mage", 0)):
        game, states = start(pile("drill", sack), to_move=1, switches=switches)
        act(game, states, Verb.DRAW)
        assert plain(states)["sack_count"][1] == 0
        assert plain(states)["sack_emptied"].tolist() == [0, told]
        sizes = {int(plain(guess(game, states, 0, seed))["sack_count"][1]) for seed in range(GUESSES)}
        assert (sizes == {0}) == bool(told)


# --- what else is left


def test_nothing_of_a_script_or_of_earlier_exchanges_is_left():
    game, states = start(pile("statue", "drill fighter"))
    plain_guess = guess(game, states, 0, 4)
    other = copy_of(game, states)
    for name, value in (("script_draws", 3), ("damage_armor", 4), ("modifier_type", 2), ("ghost_type", 1)):
        other[name][0, ..., -1] = value
    for name in ("reach_rows", "reach_edge", "reach_open", "reach_halts", "true_type", "true_seen"):
        other[name][0] = 1
    other["sample_done"] = 1
    other["flip_key"], other["draw_key"], other["flip_count"], other["draw_count"] = 5, 6, 7, 8
    assert guess(game, other, 0, 4).tobytes() == plain_guess.tobytes()


def test_forced_flips_to_come_are_not_in_a_guess():
    worlds = []
    for flips in ("HTHT", "TTTTTTTH"):
        game, states = start(pile("statue"), flips=flips, switches={"flip_method": "scripted"})
        worlds.append(states)
    assert same_guesses(game, *worlds)
    assert plain(guess(game, worlds[0], 0, 1))["script_flips_end"] > 0


def test_others_cannot_tell_how_many_battlefields_a_general_has_picked_so_far():
    game = build("wild")
    worlds = [states for _, states in zip(range(3), map(partial(copy_of, game), wander(game, 1)), strict=False)]
    for number, states in enumerate(worlds):
        assert plain(states)["decision"] == Decision.SETUP_PICK
        assert len(rows_in(states, Zone.PICKED, 0)) == number
    assert same_guesses(game, *worlds, viewer=1)
    assert not same_guesses(game, *worlds, viewer=0)


def is_unit(game: Game, states: States, row: int) -> bool:
    """Return whether a token is a unit."""
    return bool(game.params["type_kind"][0, plain(states)["token_type"][row]] == Kind.UNIT)


def own_copies() -> tuple[Game, States]:
    """Return a position in which General 0 has a fighter in hand and one in the sack, and has drawn since a return."""
    game, states = start(pile("drill"), ours=pile("fighter", "fighter mage bolt"))
    states["returns"][0, 0] = 1
    states["token_drawn"][0, rows_in(states, Zone.HAND, 0)] = 1
    return game, states


def test_a_general_cannot_tell_which_of_two_copies_others_have_seen():
    game, states = own_copies()
    (drawn,) = rows_in(states, Zone.HAND, 0)
    types = plain(states)["token_type"]
    (left,) = (row for row in rows_in(states, Zone.SACK, 0) if types[row] == types[drawn])
    worlds = [copy_of(game, states) for _ in range(2)]
    for world, row in zip(worlds, (drawn, left), strict=True):
        world["token_seen"][0, row] = 2
        rebuild_derived(game.params[0], record(world))
    assert same_guesses(game, *worlds)
    believed = guess(game, worlds[0], 0, 1)
    assert plain(believed)["token_seen"][rows_in(believed, Zone.HAND, 0)].tolist() == [0]


def test_a_general_cannot_tell_of_which_copy_others_remember_the_kind():
    game, states = own_copies()
    worlds = [copy_of(game, states) for _ in range(2)]
    units = [row for row in rows_in(states, Zone.SACK, 0) if is_unit(game, states, row)]
    for world, row in zip(worlds, units, strict=True):
        world["token_kind_known"][0, row] = 1
        world["token_drawn"][0, row] = 1
    assert same_guesses(game, *worlds)
    assert plain(guess(game, worlds[1], 0, 1))["token_kind_known"].sum() == 1
