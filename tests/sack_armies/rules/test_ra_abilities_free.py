"""Free abilities and what they add to stats: Augment, Defend, Aquatic, Flying, Draw, Sight (appendix A)."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    attack,
    coordinate,
    grant,
    hexes,
    modify,
    play,
    shot,
    text,
    turn_over,
)
from tests.sack_armies.builders.text_game import B1, attachment, field, token, unit


def augmenter(stat="armor", amount=1, **match):
    """Return a unit that augments adjacent own units, or only those of them that fit `match`."""
    values = {"match": match} if match else {}
    return token("banner", abilities=[able("augment", stat=stat, amount=amount, **values)])


# --- Augment


@pytest.mark.parametrize("stat", ["armor", "damage"])
def test_ra_augment_1_adjacent_own_units_get_the_bonus(stat):
    cells = ["1,0", "1,-1", "0,-1", "-1,0", "-1,1", "0,1"]
    units = [unit("banner", "0,0"), *(unit("a", cell) for cell in cells[:5]), unit("a", "0,1", 1), unit("a", "-2,0")]
    t = play([token("a"), augmenter(stat, 2)], units)
    assert [t.stat(cell, stat) for cell in cells] == [3, 3, 3, 3, 3, 1]
    assert t.stat("-2,0", stat) == 1
    other = "damage" if stat == "armor" else "armor"
    assert [t.stat(cell, other) for cell in cells] == [1] * 6


@pytest.mark.parametrize(
    ("match", "helped"),
    [
        ({"type": "cavalry"}, ["horse", "stag"]),
        ({"keyword": "elf"}, ["elf", "stag"]),
        ({"homeland": "fey_court"}, ["elf", "horse"]),
        ({"homeland": "fey_court", "keyword": "elf"}, ["elf"]),
    ],
)
def test_ra_augment_2__ra_augment_3__ra_augment_4_a_class_a_name_or_a_homeland(match, helped):
    kinds = {
        "elf": {"homeland": "fey_court", "type": "infantry", "keywords": ["elf", "spear"]},
        "horse": {"homeland": "fey_court", "type": "cavalry", "keywords": ["elfin"]},
        "stag": {"type": "cavalry", "keywords": ["elf"]},
        "orc": {"homeland": "scourge", "type": "infantry", "keywords": ["orc"]},
    }
    tokens = [token(name, **values) for name, values in kinds.items()]
    places = dict(zip(kinds, ("1,-1", "0,-1", "-1,0", "-1,1"), strict=True))
    units = [unit("banner", "0,0"), *(unit(name, cell) for name, cell in places.items()), unit("orc", "3,0", 1)]
    t = play([*tokens, augmenter(**match)], units)
    assert [name for name, cell in places.items() if t.stat(cell, "armor") == 2] == helped
    assert [name for name, cell in places.items() if t.stat(cell, "armor") == 1] == [
        n for n in kinds if n not in helped
    ]


def test_ra_augment_5_no_unit_augments_itself_but_two_augment_each_other():
    units = [unit("banner", "0,0"), unit("banner", "-2,0"), unit("banner", "-2,1"), unit("banner", "3,0", 1)]
    t = play([augmenter()], units)
    assert [t.stat(cell, "armor") for cell in ("0,0", "-2,0", "-2,1")] == [1, 2, 2]


STAB = text("maneuver", "stab", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=2)
EXILE = text("maneuver", "exile", "action", [{"kind": "dismiss"}], target="enemy_unit", range=2)
LOAN = text("maneuver", "loan", "action", [grant("augment", stat="armor", amount=2)], target="own_unit", range=2)


@pytest.mark.parametrize(("maneuver", "damage"), [("stab", 2), ("exile", 1)])
def test_ra_augment_6__q_57_killed_augmenter_helps_this_turn_dismissed_one_not(maneuver, damage):
    defender = unit("d", "1,0", 1, attached=[attachment(maneuver)])
    tokens = [token("a"), token("d", band="red", armor=2), augmenter("damage"), STAB, EXILE]
    t = play(tokens, [unit("a", "0,0"), unit("a", "0,-1"), unit("banner", "-1,0"), defender], "H T")
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex -1,0")
    assert alive(t, "-1,0") == [None]
    assert [t.stat(cell, "damage") for cell in ("0,0", "0,-1")] == [damage, damage]
    t.pass_all().do("no")
    assert ("d" in t.casualties(1)) == (damage == 2)
    if damage == 2:
        t.do("no")  # decline the advance
    assert turn_over(t)
    assert t.stat("0,0", "damage") == 1


def test_ra_augment_6_a_lent_augment_of_a_killed_unit_goes_on_too():
    strike = text("maneuver", "strike", "action", [{"kind": "damage", "amount": 9}], target="any_unit", range=2)
    defender = unit("d", "1,0", 1, attached=[attachment("loan"), attachment("strike")])
    tokens = [token("a"), token("d", band="red"), LOAN, strike]
    t = play(tokens, [unit("a", "0,0"), defender, unit("d", "2,0", 1)], "H H T")
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,0", "pass")
    assert t.stat("1,0", "armor") == 3
    t.do("surprise", "slot 0", "hex 2,0")
    assert (alive(t, "2,0"), t.stat("1,0", "armor")) == ([None], 3)


def test_ra_augment_6_all_augments_of_a_killed_unit_go_on():
    banner = token("banner", abilities=[able("augment", stat=stat, amount=1) for stat in ("armor", "damage")])
    defender = unit("d", "1,0", 1, attached=[attachment("stab")])
    units = [unit("a", "0,0"), unit("banner", "-1,0"), defender]
    t = play([token("a"), token("d", band="red"), banner, STAB], units, "H T")
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex -1,0")
    assert alive(t, "-1,0") == [None]
    assert (t.stat("0,0", "armor"), t.stat("0,0", "damage")) == (2, 2)


def test_ra_augment_6_all_lent_augments_of_a_killed_unit_go_on():
    lent = [grant("augment", stat=stat, amount=2) for stat in ("armor", "damage")]
    loan = text("maneuver", "loan", "action", lent, target="own_unit", range=2)
    strike = text("maneuver", "strike", "action", [{"kind": "damage", "amount": 9}], target="any_unit", range=2)
    defender = unit("d", "1,0", 1, attached=[attachment("loan"), attachment("strike")])
    t = play([token("a"), token("d", band="red"), loan, strike], [unit("a", "0,0"), defender, unit("d", "2,0", 1)], "H")
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,0", "pass", "surprise", "slot 0", "hex 2,0")
    assert alive(t, "2,0") == [None]
    assert [t.stat("1,0", name) for name in ("armor", "damage")] == [3, 3]


def test_q_57_bonuses_of_different_augmenters_add_up():
    units = [unit("a", "0,0"), unit("banner", "-1,0"), unit("banner", "0,1"), unit("banner", "0,-1", face="down")]
    t = play([token("a"), augmenter(amount=2)], [*units, unit("a", "3,0", 1)])
    assert t.stat("0,0", "armor") == 5
    t.do("reveal_unit", "hex 0,-1")
    assert t.stat("0,0", "armor") == 7


@pytest.mark.parametrize(("where", "armor"), [("0,1", 4), ("2,0", 3), (None, 2)])
def test_q_57__ra_defend_1_an_augmenter_between_attacker_and_defender_counts_twice(where, armor):
    tokens = [token("a", damage=1), token("d", armor=2, abilities=[able("defend")]), augmenter()]
    units = [unit("a", "0,0"), unit("d", "1,0", 1), *([] if where is None else [unit("banner", where, 1)])]
    for successes in (armor - 1, armor):
        t = play(tokens, units, "H" * successes + "T")
        attack(t, "melee", "0,0", "1,0", "no")
        assert t.flips_left() == 0
        assert ("d" in t.casualties(1)) == (successes == armor)


# --- Defend


GUARD = token("guard", armor=1, abilities=[able("defend")])


@pytest.mark.parametrize(
    ("friends", "armor"), [([], 1), (["0,1"], 2), (["0,1", "1,-1"], 3), (["2,0", "1,1"], 1), (["0,1", "1,1"], 2)]
)
def test_ra_defend_1_each_unit_touching_defender_and_attacker_adds_one(friends, armor):
    units = [unit("a", "0,0"), unit("guard", "1,0", 1), *(unit("d", cell, 1) for cell in friends)]
    for successes in (armor - 1, armor):
        t = play([token("a"), GUARD, token("d")], units, "H" * successes + "T")
        attack(t, "melee", "0,0", "1,0", "no")
        assert t.flips_left() == 0
        assert ("guard" in t.casualties(1)) == (successes == armor)


def test_q_56_each_friend_counts_once_in_a_coordinated_attack():
    units = [unit("a", "0,0"), unit("a", "1,1"), unit("guard", "1,0", 1), unit("d", "0,1", 1)]  # touches both attackers
    t = play([token("a"), GUARD, token("d")], units, "H | H T")
    coordinate(t, "coord_melee", "1,0", "0,0", "1,1").pass_all().do("no")
    assert t.casualties(1) == ["guard"]  # damage 1 + 1 against armor 1 + 1
    t = play([token("a"), GUARD | {"armor": 2}, token("d")], units, "H | H T")
    coordinate(t, "coord_melee", "1,0", "0,0", "1,1").pass_all().do("no")
    assert turn_over(t)
    assert alive(t, "1,0") == ["guard"]


@pytest.mark.parametrize(("friend", "dies"), [("1,0", False), ("3,0", True)])
def test_q_56_defend_works_against_shots_by_who_touches_both(friend, dies):
    archer = token("archer", damage=1, abilities=[shot(2)])
    units = [unit("archer", "0,0"), unit("guard", "2,0", 1), unit("d", friend, 1)]
    t = attack(play([archer, GUARD, token("d")], units, "H"), "ranged", "0,0", "2,0")
    assert turn_over(t)
    assert ("guard" in t.casualties(1)) == dies


def test_q_56_defend_does_not_work_against_counters_and_scatter():
    scatterer = token("bomb", armor=9, abilities=[able("scatter")])
    units = [unit("guard", "0,0"), unit("d", "0,1"), unit("bomb", "1,0", 1)]  # (0,1) touches both
    t = attack(play([GUARD, token("d"), scatterer], units, "T | H T | T"), "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert t.casualties(0) == ["guard"]  # the counter meets armor 1
    units = [unit("bomb", "0,0"), unit("d", "1,0", 1), unit("guard", "2,0", 1), unit("d", "1,1", 1)]
    t = attack(play([GUARD, token("d", armor=3), scatterer], units, "H T | H"), "melee", "0,0", "1,0", "no")
    assert turn_over(t)
    assert t.casualties(1) == ["guard"]


# --- Aquatic and Flying: terrain and movement


def ground(token_id, *cells):
    """Return the battlefields of board B1, with `token_id` on `cells`."""
    return [field(cell, owner, token_id if cell in cells else "plain") for owner, own in B1.items() for cell in own]


def terrain(**values):
    """Return a battlefield token "mire"."""
    return {"id": "mire", "kind": "battlefield"} | values


NEWT = token("newt", movement=2, abilities=[able("aquatic")])
WALKER = token("walker", movement=2)
EAGLE = token("eagle", movement=2, abilities=[able("flying")])


@pytest.mark.parametrize(("water", "newt", "walker"), [(True, (1, 2), (0, 2)), (False, (0, 2), (0, 2))])
def test_ra_aquatic_1_water_does_not_harm_an_aquatic_unit(water, newt, walker):
    mire = terrain(water=water, effects=[{"stat": "armor", "amount": -1}, {"stat": "damage", "amount": 1}])
    fields = ground("mire", "0,0", "-1,0", "-2,0")
    units = [unit("newt", "0,0"), unit("walker", "-1,0"), unit("newt", "-2,0", face="down"), unit("walker", "3,0", 1)]
    t = play([mire, NEWT, WALKER], units, fields=fields)
    assert [(t.stat(cell, "armor"), t.stat(cell, "damage")) for cell in ("0,0", "-1,0")] == [newt, walker]
    assert t.stat("-2,0", "armor") == 0  # face down, its ability is off


@pytest.mark.parametrize("attacker", ["newt", "walker"])
@pytest.mark.parametrize(("amount", "dies"), [(1, False), (0, True)])
def test_q_93_water_that_shelters_its_unit_does_so_against_aquatic_attackers_too(attacker, amount, dies):
    effects = [{"stat": "armor", "amount": amount}] if amount else []
    tokens = [terrain(water=True, effects=effects), NEWT, WALKER, token("d", armor=1)]
    t = play(tokens, [unit(attacker, "0,0"), unit("d", "-1,0", 1)], "H T", fields=ground("mire", "-1,0"))
    attack(t, "melee", "0,0", "-1,0", "no")
    assert (t.casualties(1), t.flips_left()) == (["d"] if dies else [], 0)


def beyond(mover, mire, *more, face="up"):
    """Return whether `mover` can move from (0,0) through the mire on (-1,0) to (-2,0)."""
    units = [unit(mover, "0,0", face=face), unit("walker", "4,0", 1), *more]
    t = play([mire, NEWT, WALKER, EAGLE], units, fields=ground("mire", "-1,0"))
    return "-2,0" in hexes(t.do("move", "hex 0,0"))


def test_ra_aquatic_2_it_passes_enemies_on_water():
    enemy = unit("walker", "-1,0", 1)
    assert beyond("newt", terrain(water=True), enemy)
    assert not beyond("walker", terrain(water=True), enemy)
    assert not beyond("newt", terrain(), enemy)
    t = play([terrain(water=True), NEWT, WALKER], [unit("newt", "0,0"), enemy], fields=ground("mire", "-1,0"))
    assert "-1,0" not in hexes(t.do("move", "hex 0,0"))  # but it may not end there


@pytest.mark.parametrize(
    ("mire", "newt", "eagle"),
    [
        (terrain(halts=True, water=True), True, False),
        (terrain(halts=True, exempt=["aquatic"]), True, False),
        (terrain(halts=True), False, False),
        (terrain(halts=True, exempt=["flying"]), False, True),
        (terrain(halts=True, exempt=["flying", "aquatic"]), True, True),
        (terrain(halts=True, water=True, exempt=["flying"]), True, True),
    ],
)
def test_ra_aquatic_5__ra_flying_5_a_battlefield_halts_only_units_it_does_not_exempt(mire, newt, eagle):
    assert [beyond(mover, mire) for mover in ("newt", "eagle", "walker")] == [newt, eagle, False]
    assert not beyond("newt", mire, face="down")
    assert not beyond("eagle", mire, face="down")
    assert beyond("walker", terrain())


def test_ra_flying_1__ra_flying_2_flyers_pass_enemies_and_enemies_pass_flyers():
    plain = terrain()
    assert beyond("eagle", plain, unit("walker", "-1,0", 1))
    assert beyond("walker", plain, unit("eagle", "-1,0", 1))
    assert not beyond("walker", plain, unit("walker", "-1,0", 1))
    t = play([EAGLE, WALKER], [unit("eagle", "0,0"), unit("walker", "-1,0", 1)]).do("move", "hex 0,0")
    assert "-1,0" not in hexes(t)


LAKE = terrain(water=True, favors_aquatic=True)


@pytest.mark.parametrize(
    ("mire", "attacker", "verbs"),
    [
        (LAKE, [], []),
        (LAKE, [able("flying")], []),
        (LAKE, [able("aquatic")], ["melee"]),
        (LAKE, [shot(1)], ["ranged"]),
        (terrain(water=True), [], ["melee"]),
        (terrain(), [], ["melee"]),
    ],
)
def test_ra_aquatic_3_on_favoring_water_only_aquatic_units_melee_it(mire, attacker, verbs):
    tokens = [mire, NEWT, token("a", abilities=attacker)]
    t = play(tokens, [unit("a", "1,0"), unit("newt", "2,0", 1)], fields=ground("mire", "2,0"))
    assert [verb for verb in t.legal() if verb in ("melee", "ranged")] == verbs
    t = play(tokens, [unit("a", "1,0"), unit("a", "2,0", 1)], fields=ground("mire", "2,0"))
    assert "melee" in t.legal()  # the water favors no other units


@pytest.mark.parametrize(("favored", "ability"), [(LAKE, "aquatic"), (terrain(), "flying")])
def test_ra_aquatic_4__ra_flying_4_a_unit_immune_to_melee_can_still_be_countered(favored, ability):
    tokens = [favored, token("raider", abilities=[able(ability)]), token("a")]
    units = [unit("raider", "0,0"), unit("a", "1,0", 1)]
    t = attack(play(tokens, units, "T | H T", fields=ground("mire", "0,0")), "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert t.casualties(0) == ["raider"]
    assert "melee" not in play(tokens, units, fields=ground("mire", "0,0"), to_move=1).legal()


@pytest.mark.parametrize(("attacker", "legal"), [("walker", False), ("eagle", True)])
def test_ra_flying_3_only_flyers_melee_flyers(attacker, legal):
    t = play([WALKER, EAGLE], [unit(attacker, "0,0"), unit("eagle", "1,0", 1)])
    assert ("melee" in t.legal()) == legal


# --- Draw


def test_ra_draw_1__ra_draw_2_revealed_unit_adds_a_draw_not_to_the_hand_limit():
    scout = token("scout", abilities=[able("draw")])
    held = unit("a", "2,0", 1) | {"captives": [{"token": "scout", "owner": 0, "face": "up"}]}
    units = [unit("scout", "0,0"), unit("scout", "-1,0"), unit("scout", "-2,0", face="down"), held]
    piles = {"hand": [], "sack": ["spare"] * 9, "casualties": ["scout"], "removed": []}
    t = play([scout, token("a")], units, general=[piles, piles | {"casualties": []}]).do("draw")
    assert (len(t.hand(0)), asked(t), t.legal()) == (5, (0, Decision.DISCARD), ["type spare"])
    t.do("type spare")
    assert t.legal() == ["type spare"]
    t.do("type spare")
    assert t.legal() == ["pass", "type spare"]
    t.do("done", "draw")
    assert len(t.hand(1)) == 3


# --- Sight


def test_ra_sight_1_the_range_is_1_or_what_the_ability_says():
    watcher = token("watcher", movement=2, abilities=[able("sight", range=2)])
    hidden = [unit("walker", cell, 1, face="down") for cell in ("2,0", "3,0", "1,1")]
    t = play([watcher, WALKER], [unit("watcher", "-2,0"), *hidden]).do("move", "hex -2,0", "hex 0,0")
    assert [t.unit(cell).face for cell in ("2,0", "3,0", "1,1")] == ["up", "down", "up"]
    t = play([WALKER], [unit("walker", "-2,0"), *hidden]).do("move", "hex -2,0", "hex 0,0")
    assert [t.unit(cell).face for cell in ("2,0", "3,0", "1,1")] == ["down", "down", "down"]


def test_ra_sight_2_nothing_is_revealed_along_the_way():
    runner = token("runner", movement=3)
    t = play([runner, WALKER], [unit("runner", "-2,0"), unit("walker", "0,-1", 1, face="down")])
    t.do("move", "hex -2,0", "hex 1,0")  # in a straight line, past (0,-1) on two hexes
    assert t.unit("0,-1").face == "down"
    t = play([runner, WALKER], [unit("runner", "-2,0"), unit("walker", "0,-1", 1, face="down")])
    t.do("move", "hex -2,0", "hex 0,0")
    assert t.unit("0,-1").face == "up"


def test_ra_sight_1_a_free_effect_may_grant_sight():
    eye = text("spell", "eye", "free", [grant("sight", range=3), modify("armor", 1)])
    units = [unit("mage", "0,0", attached=[attachment("eye")]), unit("walker", "3,0", 1, face="down")]
    t = play([eye, token("mage", band="blue"), WALKER], units)
    t.do("reveal_token", "hex 0,0", "slot 0")  # its host is face up already
    assert t.unit("3,0").face == "up"
