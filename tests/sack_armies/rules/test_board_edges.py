"""The edge of the board: hexes there have fewer neighbors, and hexes at the opposite edge are not among them."""

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision, Zone
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.fights import able, alive, asked, attack, coordinate, hexes, play, shot, turn_over
from tests.sack_armies.builders.ground import deploy_room, move, piles, reach
from tests.sack_armies.builders.text_game import field, token, unit

# The board for two Generals has radius 9. CORNER is its last hex, EDGE one of the first: both lack neighbors.
CORNER, EDGE = "0,9", "0,-9"
GROUND = [field("0,8"), field("0,0"), field("0,-8", 1), field("1,-8", 1)]
AROUND_EDGE = ["-1,-8", "0,-8", "1,-9"]
WALKER = token("walker", movement=1)
WARD = token("ward", armor=1, abilities=[able("defend")])


def edge(tokens, units, flips="", **keys):
    """Return a table with battlefields at both ends of the board."""
    return play([WALKER, *tokens], units, flips, fields=GROUND, **keys)


def test_q_74_units_at_opposite_ends_of_the_board_do_not_see_each_other():
    units = [unit("walker", CORNER, face="down"), unit("walker", EDGE, 1, face="down"), unit("walker", "0,0")]
    t = move(edge([], units), "0,0", "1,0")
    assert (t.unit(CORNER).face, t.unit(EDGE).face) == ("down", "down")


@pytest.mark.parametrize("attacker", [CORNER, EDGE])
def test_q_74__r8_4_1_1_a_unit_at_the_edge_attacks_whoever_stands_beside_it(attacker):
    enemy = "0,8" if attacker == CORNER else "0,-8"
    assert "melee" in edge([], [unit("walker", attacker), unit("walker", enemy, 1)]).legal()


@pytest.mark.parametrize(("leader", "flips"), [(CORNER, "T"), ("1,-9", "")])
def test_q_74__ra_leadership_2_a_leader_covers_nobody_across_the_board(leader, flips):
    tokens = [token("chief", abilities=[able("leadership")]), token("d", armor=9)]
    here, there = EDGE, "1,-8"
    units = [unit("walker", here), unit("walker", there), unit("d", "0,-8", 1), unit("chief", leader)]
    t = coordinate(edge(tokens, units, flips), "coord_melee", "0,-8", here, there)
    assert (asked(t), t.flips_left()) == ((0, Decision.MENU) if flips else (1, Decision.WINDOW), 0)


@pytest.mark.parametrize(
    ("walker", "leader", "target"),
    [
        (EDGE, "-1,-8", "0,-8"),
        (EDGE, "0,-8", "-1,-8"),
        (EDGE, "1,-9", "0,-8"),
        (CORNER, "0,8", "1,8"),
        (CORNER, "1,8", "0,8"),
        (CORNER, "-1,9", "0,8"),
    ],
)
def test_q_74__ra_leadership_2_a_leader_covers_the_unit_at_the_edge_beside_it(walker, leader, target):
    tokens = [token("chief", abilities=[able("leadership")]), token("d", armor=9)]
    units = [unit("walker", walker), unit("chief", leader), unit("d", target, 1)]
    t = coordinate(edge(tokens, units, ""), "coord_melee", target, walker, leader)
    assert asked(t) == (1, Decision.WINDOW)


@pytest.mark.parametrize(
    ("shooter", "friend", "bonus"),
    [
        ("0,8", CORNER, 0),  # touches the shooter, not the defender
        (CORNER, "1,-9", 0),  # touches the defender, not the shooter
        ("-1,-8", "0,-8", 1),
    ],
)
def test_q_74__ra_defend_1_a_friend_at_the_other_end_of_the_board_defends_nobody(shooter, friend, bonus):
    tokens = [WARD, token("archer", abilities=[shot(20)])]
    units = [unit("archer", shooter), unit("ward", EDGE, 1), unit("walker", friend, 1)]
    t = attack(edge(tokens, units, "H"), "ranged", shooter, EDGE, None if shooter != "-1,-8" else "no")
    if t.decision == Decision.COUNTER:
        t.do("no")
    assert t.casualties(1) == ([] if bonus else ["ward"])


@pytest.mark.parametrize(("banner", "armor"), [(CORNER, 1), ("0,-8", 3)])
def test_q_74__ra_augment_1_an_augmenter_serves_nobody_across_the_board(banner, armor):
    tokens = [token("banner", abilities=[able("augment", stat="armor", amount=2)])]
    t = edge(tokens, [unit("walker", EDGE), unit("banner", banner)])
    assert t.stat(EDGE, "armor") == armor


def test_q_74__ra_scatter_2_scatter_does_not_cross_the_board():
    engine = token("engine", abilities=[able("scatter"), shot(4)])
    frail = token("frail")
    units = [unit("engine", "0,-7"), unit("frail", EDGE, 1), unit("frail", CORNER, 1), unit("frail", "1,-9", 1)]
    t = attack(edge([engine, frail], units, "H H"), "ranged", "0,-7", EDGE)
    assert turn_over(t)
    assert alive(t, EDGE, "1,-9", CORNER) == [None, None, "frail"]


def test_q_74__q_29_shooters_at_opposite_ends_are_not_beside_each_other():
    archer = token("archer", abilities=[shot(18)])
    target = unit("walker", "1,0", 1)
    apart = edge([archer], [unit("archer", EDGE), unit("archer", CORNER), target])
    assert "ranged" in apart.legal()
    assert "coord_ranged" not in apart.legal()
    pairs = [unit("archer", EDGE), unit("archer", CORNER), unit("archer", "0,8"), target]
    t = edge([archer], pairs).do("coord_ranged", "hex 1,0")
    assert hexes(t) == ["0,8", CORNER]
    linked = [unit("archer", EDGE), unit("archer", "1,-9"), *pairs[1:]]
    t = edge([archer], linked, switches={"ranged_coord_connected": "on"}).do("coord_ranged", "hex 1,0", f"hex {EDGE}")
    assert hexes(t) == ["1,-9"]


def test_q_74_a_unit_at_the_edge_that_is_hemmed_in_cannot_move():
    hemmed = [unit("walker", EDGE), *(unit("post", cell) for cell in AROUND_EDGE)]
    t = edge([token("post", movement=0)], hemmed)
    assert "move" not in t.legal()
    t = edge([token("post", movement=0)], hemmed[:-1])
    assert reach(t, EDGE) == ["1,-9"]


@pytest.mark.parametrize("zone", ["deploy", "any_legal_hex"])
def test_q_53__ra_raise_3_a_unit_is_raised_next_to_a_raiser_at_the_edge(zone):
    raiser = token("raiser", abilities=[able("raise")])
    general = [piles(sack=["spare"], casualties=["walker"]), piles(sack=["spare"])]
    fields = [field("0,-8"), field("0,0"), field("0,8", 1)]

    def raised(cells):
        units = [unit("raiser", EDGE), *(unit("post", cell) for cell in cells)]
        tokens = [WALKER, raiser, token("post", movement=0)]
        keys = {"fields": fields, "general": general, "switches": {"raise_zone": zone}}
        return play(tokens, units, "H", **keys).do("raise", f"hex {EDGE}", "type walker").pass_all()

    assert raised([]).legal() == [f"hex {cell}" for cell in ["1,-9", "-1,-8", "0,-8"]]
    full = raised(AROUND_EDGE)
    assert (full.turn, full.casualties(0)) == (2, ["walker"])


def test_q_74_the_first_and_the_last_rows_are_ground_like_any_other():
    t = edge([], [unit("walker", CORNER), unit("walker", EDGE)])
    assert reach(t, CORNER) == ["-1,9", "0,8", "1,8"]
    assert reach(t, EDGE) == ["-1,-8", "0,-8", "1,-9"]
    hand = [piles(hand=["walker"], sack=["spare"]), piles(sack=["spare"])]
    t = edge([], [unit("walker", "0,0")], general=hand)
    assert {"-1,9", CORNER, "1,7", "0,8"} <= set(deploy_room(t, "walker"))
    t = edge([], [unit("walker", "0,-7", 1)], general=[hand[1], hand[0]], to_move=1)
    assert {EDGE, "1,-9", "2,-9", "0,-8"} <= set(deploy_room(t, "walker"))


@pytest.mark.parametrize(("owner", "origin", "target"), [(1, CORNER, "0,8"), (0, EDGE, "0,-8")])
def test_r5_0_7_control_is_taken_in_the_first_and_the_last_rows(owner, origin, target):
    t = move(edge([], [unit("walker", origin, owner)], to_move=owner), origin, target)
    assert t.field(target).controller == owner


@pytest.mark.parametrize(
    ("start", "enemy", "behind", "fields"),
    [
        (CORNER, "-1,9", "-2,9", ["0,8", "-2,8"]),
        (EDGE, "1,-9", "2,-9", ["0,-8", "2,-8"]),
    ],
)
def test_r8_3_9_enemies_may_not_be_passed_along_the_edge(start, enemy, behind, fields):
    tokens = [token("runner", movement=2), WALKER]
    ground = [*(field(cell) for cell in fields), field("0,0", 1)]
    units = [unit("runner", start), unit("walker", enemy, 1)]
    assert behind not in reach(play(tokens, units, fields=ground), start)
    assert behind in reach(play(tokens, units[:1], fields=ground), start)


def test_q_74__ra_scatter_2_all_around_a_target_at_the_edge_are_hit():
    tokens = [token("engine", abilities=[able("scatter"), shot(4)]), token("d", armor=9), token("frail")]
    victims = [unit("frail", hex_, 1) for hex_ in AROUND_EDGE]
    t = edge(tokens, [unit("engine", "0,-7"), unit("d", EDGE, 1), *victims, unit("walker", "0,8", 1)], "H H")
    attack(t, "ranged", "0,-7", EDGE)
    assert t.casualties(1) == ["frail"] * 3


def test_q_74__r8_3_10_a_unit_may_move_if_only_the_last_row_of_the_board_is_free():
    scout = token("scout", movement=2)
    friends = [unit("walker", cell) for cell in ("1,7", "-1,8", "0,8", "1,8")]
    ground = [field("0,8"), field("0,0", 1), field("1,0", 1)]
    t = play([WALKER, scout], [unit("scout", "0,7"), *friends, unit("walker", "0,0", 1)], fields=ground).do("move")
    assert "0,7" in hexes(t)
    assert hexes(t.do("hex 0,7")) == ["-1,9", "0,9"]


def test_q_74__q_15_an_eliminated_general_loses_the_unit_on_the_last_hex_as_well():
    t = edge([], [unit("walker", CORNER), unit("walker", "0,-8", 1)])
    entry.forfeit(t.params, t.states, np.array([0], np.int64))
    assert (alive(t, CORNER), t.casualties(0)) == ([None], ["walker"])


@pytest.mark.parametrize("order", [("walker", "chief"), ("chief", "walker")])
def test_ra_leadership_1_leadership_must_cover_the_unit_in_the_last_row(order):
    rest = piles(sack=["spare"] * 33)  # 40 tokens in all, of which the units come last
    tokens = [WALKER, token("chief", abilities=[able("leadership")]), token("d", armor=9)]
    attackers = [unit(name, cell, 1) for name, cell in zip(order, ("2,0", "0,0"), strict=True)]
    t = play(tokens, [unit("d", "1,0"), *attackers], "T", general=[rest, rest], to_move=1)
    assert t.state["token_zone"][-1] == Zone.BATTLEGROUND
    coordinate(t, "coord_melee", "1,0", "2,0", "0,0")
    assert (asked(t), t.flips_left()) == ((1, Decision.MENU), 0)
