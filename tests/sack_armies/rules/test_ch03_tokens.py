"""Chapter 3, tokens: sacks, ownership and control, battlefields, units, spells and maneuvers."""

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.state import chance
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from tests.sack_armies.builders.fights import able, alive, asked, attack, hexes, modify, play, text
from tests.sack_armies.builders.ground import around, deploy_room, legal_ground, move, piles, reach, setup, wait, within
from tests.sack_armies.builders.text_game import B1, attachment, field, token, unit

A = token("a")
CHARM = text("spell", "charm", "free", [modify("armor", 1)])
DRILL = text("maneuver", "drill", "free", [modify("damage", 1)])


def ground(token_id, **values):
    """Return an inline battlefield."""
    return {"id": token_id, "kind": "battlefield"} | values


# --- 3.1 sack


def test_r3_1_1_the_sack_holds_what_is_not_deployed():
    t = setup("H T", [["plain"] * 6 + ["a", "a"], ["plain"] * 5 + ["a"]])
    assert t.sack(0) == ["a", "a", *["plain"] * 6]
    t.do(*["type plain"] * 5)
    assert t.sack(0) == ["a", "a", "plain"]
    assert t.sack(1) == ["a"]


def test_r3_1_1_a_token_that_is_drawn_has_left_the_sack_of_its_owner_alone():
    general = [piles(sack=["a", "spare"]), piles(sack=["a", "spare"])]
    t = play([A], [], switches={"draw_count": 1}, general=general, draws=[["a"], []]).do("draw")
    assert (t.hand(0), t.sack(0)) == (["a"], ["spare"])
    assert (t.hand(1), t.sack(1)) == ([], ["a", "spare"])


def test_r3_1_2_every_token_in_the_sack_is_as_likely():
    general = [piles(sack=["a", "b", "c", "c"]), piles(sack=["spare"])]
    t = play([A, token("b"), token("c")], [], general=general)
    counts = dict.fromkeys("abc", 0)
    for _ in range(1200):
        other = t.copy()
        chance.draw_from_sack(t.params[0], other.states[0], np.int64(0))
        counts[other.hand(0)[0]] += 1
        t.state["draw_count"] += 1  # advances the draw stream by one random word
    assert abs(counts["a"] - 300) < 50
    assert abs(counts["b"] - 300) < 50
    assert abs(counts["c"] - 600) < 60


def test_r3_1_2_draws_are_without_replacement():
    general = [piles(sack=["a", "b", "c", "c"]), piles(sack=["spare"])]
    t = play([A, token("b"), token("c")], [], switches={"draw_count": 4}, general=general).do("draw")
    assert t.hand(0) == ["a", "b", "c", "c"]
    assert t.sack(0) == []


# --- 3.2 tokens


def test_r3_2_1_tokens_are_units_battlefields_spells_and_maneuvers():
    assert {token.kind for token in load_catalogue().values()} == {"unit", "battlefield", "spell", "maneuver"}
    with pytest.raises(ValueError, match="kind"):
        play([{"id": "trap", "kind": "trap"}], [unit("spare", "0,0")])


def test_r3_2_1_each_kind_is_deployed_in_its_own_way():
    hand = ["a", "plain", "charm", "drill"]
    general = [piles(hand=hand), piles(sack=["spare"])]
    t = play([A, token("g", band="green"), CHARM, DRILL], [unit("g", "0,0")], general=general)
    own = set(B1[0])
    assert deploy_room(t, "a") == sorted((own | set(around(B1[0]))) - {"0,0"})
    assert set(deploy_room(t, "plain")) <= set(around(B1[0]))
    assert deploy_room(t, "charm") == ["0,0"]
    assert deploy_room(t, "drill") == ["0,0"]


def test_r3_2_2_the_owner_of_a_token_never_changes():
    bane = text("spell", "bane", "permanent", [modify("armor", 1)], target="enemy_unit", range=3)
    units = [unit("g", "0,0", attached=[attachment("bane")]), unit("a", "2,1", 1)]
    t = play([A, token("g", band="green"), bane], units).do("cast", "hex 0,0", "slot 0", "hex 2,1").pass_all()
    assert t.unit("2,1").attachments == ("bane",)
    assert (t.field("2,0").owner, t.field("2,0").controller) == (1, 1)
    wait(move(wait(t), "0,0", "1,0"))
    move(t, "1,0", "2,0")
    assert (t.field("2,0").owner, t.field("2,0").controller) == (1, 0)
    row = int(t.state["token_first"][t.state["cell_unit"][t.config.grid.cell(2, 1)]])
    assert int(t.state["token_owner"][row]) == 0  # though it lies on another General's unit


def test_r3_2_3_the_controller_commands_the_token_whoever_owns_it():
    general = [piles(hand=["a"], sack=["spare"]), piles(hand=["a"], sack=["spare"])]
    fields = [field(h, 0) for h in B1[0]] + [field(h, 1) for h in B1[1][:4]] + [field("4,-1", 1, controller=0)]
    first = play([A], [], general=general, fields=fields)
    assert "4,-1" in deploy_room(first, "a")
    second = play([A], [], general=general, fields=fields, to_move=1)
    assert "4,-1" not in deploy_room(second, "a")
    assert "3,-1" in deploy_room(second, "a")


# --- 3.2.1 battlefields


@pytest.mark.parametrize("player", [0, 1])
def test_r3_2_1_1_a_battlefield_is_put_down_with_its_arrow(player):
    general = [piles(hand=["plain"], sack=["spare"])] * 2
    t = play([], [], general=general, to_move=player)
    cell = deploy_room(t, "plain")[0]
    t.do("deploy", "type plain", f"hex {cell}")
    assert (t.field(cell).owner, t.field(cell).controller) == (player, player)


def test_r3_2_1_2_battlefields_do_not_move():
    t = play([A], [unit("a", "0,0"), unit("a", "3,0", 1)])
    t.do("move")
    assert hexes(t) == ["0,0"]  # units only, no battlefields
    t.do("hex 0,0", "hex 1,0")
    assert [t.field(cell) is not None for cell in ("0,0", "1,0")] == [True, False]


def test_r3_2_1_3__r8_2_1_7_units_stand_on_battlefields_and_on_no_other_token():
    general = [piles(hand=["a"], sack=["spare"]), piles(sack=["spare"])]
    t = play([A], [unit("a", "0,0"), unit("a", "1,0")], general=general)
    room = deploy_room(t, "a")
    assert "-1,0" in room
    assert "0,0" not in room
    assert "1,0" not in room
    with pytest.raises(ValueError, match="the hex already holds a unit"):
        play([A], [unit("a", "0,0"), unit("a", "0,0")])


def test_r3_2_1_4_a_battlefield_holds_one_unit():
    t = play([A], [unit("a", "0,0"), unit("a", "-1,0")])
    assert "-1,0" not in reach(t, "0,0")
    assert "-1,0" in reach(play([A], [unit("a", "0,0")]), "0,0")


def test_r3_2_1_5_a_battlefield_with_a_unit_on_it_is_occupied():
    t = play([A], [unit("a", "1,0"), unit("a", "3,1")])
    move(t, "1,0", "2,0")
    assert t.field("2,0").controller == 0
    assert t.field("3,0").controller == 1  # a unit beside it does not occupy it


def test_r3_2_1_6_units_are_deployed_on_or_next_to_controlled_battlefields():
    general = [piles(hand=["a"], sack=["spare"])] * 2
    for player in (0, 1):
        t = play([A], [], general=general, to_move=player)
        expected = set(B1[player]) | set(around(B1[player]))
        assert deploy_room(t, "a") == sorted(expected - set(B1[1 - player]))


def test_r3_2_1_7_terrain_changes_combat_and_movement():
    knoll = ground("knoll", effects=[{"stat": "damage", "amount": 2}, {"stat": "movement", "amount": 1}])
    fields = [field("0,0", 0, "knoll"), field("-1,0"), field("2,0", 1)]
    t = play([A, knoll], [unit("a", "0,0"), unit("a", "-1,0"), unit("a", "2,0", 1)], fields=fields)
    assert [t.stat("0,0", name) for name in ("damage", "movement", "armor")] == [3, 2, 1]
    assert [t.stat("-1,0", name) for name in ("damage", "movement", "armor")] == [1, 1, 1]


def test_r3_2_1_7_terrain_for_a_class_of_units_does_nothing_for_others():
    knoll = ground("knoll", effects=[{"stat": "damage", "amount": 2, "match": {"keyword": "orc"}}])
    fields = [field("0,0", 0, "knoll"), field("-1,0", 0, "knoll"), field("2,0", 1)]
    tokens = [A, token("orc", keywords=["orc"]), knoll]
    t = play(tokens, [unit("a", "0,0"), unit("orc", "-1,0"), unit("a", "2,0", 1)], fields=fields)
    assert [t.stat(cell, "damage") for cell in ("0,0", "-1,0")] == [1, 3]


def last_field(**keys):
    """Return a table on which General 1 owns only (2,0) and a unit of General 0 stands next to it."""
    fields = [field(h, 0) for h in B1[0]] + [field("2,0", 1)]
    return play([A], [unit("a", "1,0"), unit("a", "3,0", 1)], fields=fields, **keys)


def test_r3_2_1_8__r3_2_1_11_general_without_own_battlefields_is_eliminated():
    t = move(last_field(), "1,0", "2,0")
    assert (t.terminated, t.winner, t.alive(1)) == (True, 0, False)
    t = move(last_field(), "1,0", "1,-1")
    assert (t.terminated, t.player, t.alive(1)) == (False, 1, True)


def test_r3_2_1_11_the_test_comes_at_the_end_of_the_turn_not_before():
    t = last_field().do("move", "hex 1,0", "hex 2,0")
    assert t.terminated  # no other unit can move, so the turn ends
    t = play(
        [A],
        [unit("a", "1,0"), unit("a", "-1,0"), unit("a", "3,0", 1)],
        fields=[field("0,0"), field("-1,0"), field("2,0", 1)],
    ).do("move", "hex 1,0", "hex 2,0")
    assert (t.terminated, t.decision, t.field("2,0").controller) == (False, Decision.MOVE_UNIT, 1)
    assert t.do("done").terminated


def test_r3_2_1_9_a_unit_at_the_end_of_a_turn_gives_control():
    t = play([A], [unit("a", "1,0")])
    t.do("move", "hex 1,0", "hex 2,0")
    assert t.field("2,0").controller == 0
    t = play([token("a", movement=2)], [unit("a", "1,0")])
    t.do("move", "hex 1,0", "hex 2,1")  # past the battlefield
    assert t.field("2,0").controller == 1


def test_r3_2_1_10_the_arrow_keeps_the_last_who_was_there_at_the_end_of_a_turn():
    t = play([A], [unit("a", "1,0"), unit("a", "4,0", 1)])
    assert t.field("2,0").controller == 1  # at first, the placer
    wait(move(t, "1,0", "2,0"))
    move(t, "2,0", "1,0")
    assert t.field("2,0").controller == 0  # although no unit is there anymore


# --- 3.2.2 units


@pytest.mark.parametrize("movement", [1, 2, 3])
def test_r3_2_2_1_movement_is_the_number_of_spaces(movement):
    t = play([token("a", movement=movement)], [unit("a", "0,0")])
    assert reach(t, "0,0") == sorted((set(within("0,0", movement)) & legal_ground()) - {"0,0"})


def test_r3_2_2_1_without_movement_there_is_no_move():
    t = play([token("a", movement=0)], [unit("a", "0,0")])
    assert "move" not in t.legal()


@pytest.mark.parametrize(("face", "damage", "dies"), [("up", 3, True), ("down", 2, False)])
def test_r3_2_2_2_damage_counts_with_its_modifiers(face, damage, dies):
    units = [unit("g", "0,0", attached=[attachment("drill", face)]), unit("b", "1,0", 1)]
    t = play([token("g", band="green", damage=2), token("b", armor=3), DRILL], units, "H T")
    assert t.stat("0,0", "damage") == damage
    attack(t, "melee", "0,0", "1,0", "no")
    assert (t.unit("1,0") is None) == dies


def test_r3_2_2_3_spells_and_abilities_inflict_damage_too():
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=3)
    units = [unit("g", "0,0", attached=[attachment("bolt")]), unit("b", "2,0", 1)]
    t = play([token("g", band="green"), token("b", armor=2), bolt], units)
    t.do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert t.casualties(1) == ["b"]
    catapult = token("g", damage=1, abilities=[able("scatter", damage=2)])
    units = [unit("g", "0,0"), unit("b", "1,0", 1), unit("b", "2,0", 1)]
    t = attack(play([catapult, token("b", armor=2)], units, "H T H"), "melee", "0,0", "1,0", "no")
    assert alive(t, "1,0", "2,0") == ["b", None]


@pytest.mark.parametrize(("armor", "dies"), [(2, True), (3, True), (4, False)])
def test_r3_2_2_4_damage_of_at_least_the_armor_kills(armor, dies):
    units = [unit("a", "0,0"), unit("b", "1,0", 1)]
    t = attack(play([token("a", damage=3), token("b", armor=armor)], units, "H T"), "melee", "0,0", "1,0", "no")
    assert t.casualties(1) == (["b"] if dies else [])


def test_r3_2_2_5_armor_of_zero_does_not_kill_but_the_next_damage_does():
    frailty = text("spell", "frailty", "permanent", [modify("armor", -1)], target="enemy_unit", range=3)
    units = [unit("g", "0,0", attached=[attachment("frailty")]), unit("b", "1,0", 1)]
    t = play([token("g", band="green"), token("b", armor=1), frailty], units, "T | H T")
    t.do("cast", "hex 0,0", "slot 0", "hex 1,0").pass_all()
    assert t.stat("1,0", "armor") == 0
    assert t.unit("1,0").id == "b"
    wait(attack(wait(t), "melee", "0,0", "1,0", "no"))
    assert t.unit("1,0").id == "b"  # tails: no damage
    attack(t, "melee", "0,0", "1,0", "no")
    assert t.casualties(1) == ["b"]


BANDS = [("blue", ["charm"]), ("red", ["drill"]), ("green", ["charm", "drill"]), ("black", []), ("gray", [])]


@pytest.mark.parametrize(("band", "taken"), BANDS)
def test_r3_2_2_6__r3_2_3_4__r8_2_1_13__r8_2_1_14__r8_2_1_15_band_limits_attachments(band, taken):
    general = [piles(hand=["charm", "drill"], sack=["spare"]), piles(sack=["spare"])]
    t = play([token("a", band=band), CHARM, DRILL], [unit("a", "0,0")], general=general)
    assert [kind for kind in ("charm", "drill") if deploy_room(t, kind) == ["0,0"]] == taken
    assert [kind for kind in ("charm", "drill") if deploy_room(t, kind)] == taken


@pytest.mark.parametrize(("held", "takes"), [(["charm"] * 2, True), (["charm", "charm", "drill"], False)])
def test_r3_2_2_7__r3_2_3_6_three_spells_and_maneuvers_together(held, takes):
    general = [piles(hand=["charm", "drill"], sack=["spare"]), piles(sack=["spare"])]
    host = unit("a", "0,0", attached=[attachment(name) for name in held])
    t = play([token("a", band="green"), CHARM, DRILL], [host], general=general)
    for kind in ("charm", "drill"):
        assert deploy_room(t, kind) == (["0,0"] if takes else [])


def test_q_65_permanents_of_others_do_not_count_to_the_three_but_own_ones_do():
    curse = text("spell", "curse", "permanent", [modify("armor", -1)], target="any_unit", range=3)
    general = [piles(hand=["charm"], sack=["spare"]), piles(sack=["spare"])]
    tokens = [token("a", band="green", armor=5), CHARM, curse]
    foreign = [attachment("charm"), attachment("charm"), attachment("curse", "up", owner=1)]
    assert deploy_room(play(tokens, [unit("a", "0,0", attached=foreign)], general=general), "charm") == ["0,0"]
    own = [attachment("charm"), attachment("charm"), attachment("curse", "up", active=True)]
    assert deploy_room(play(tokens, [unit("a", "0,0", attached=own)], general=general), "charm") == []


def test_r3_2_2_11_effect_text_overrides_the_standard_rules():
    line = [field("-1,0"), field("0,0"), field("1,0"), field("5,0", 1)]
    wall = unit("b", "1,0", 1)

    def crossing(abilities):
        flyer = token("f", movement=3, abilities=abilities)
        return reach(play([flyer, token("b")], [unit("f", "0,0"), wall], fields=line), "0,0")

    assert "2,0" in crossing([able("flying")])
    assert "1,0" not in crossing([able("flying")])
    walking = crossing([])
    assert "1,0" not in walking
    assert "2,-1" in walking  # around the enemy, over legal hexes


def test_r3_2_2_12__r6_0_7_what_is_removed_from_play_cannot_be_raised():
    shaman = token("shaman", abilities=[able("raise")])
    general = [piles(casualties=["b"], removed=["a"]), piles(sack=["spare"])]
    t = play([shaman, A, token("b")], [unit("shaman", "0,0")], "H", general=general).do("raise", "hex 0,0")
    assert t.legal() == ["type b"]
    general = [piles(removed=["a"]), piles(sack=["spare"])]
    t = play([shaman, A], [unit("shaman", "0,0")], "H", general=general)
    assert "raise" not in t.legal()


@pytest.mark.parametrize(
    ("partner", "works"),
    [
        (unit("orc", "-2,0"), True),
        (unit("orc", "-2,0", face="down"), False),
        (unit("orc", "4,0", 1), False),
        (unit("elf", "-2,0"), False),
        (None, False),
    ],
)
def test_r3_2_2_13_a_limit_counts_revealed_own_units_in_play(partner, works):
    limit = {"kind": "requires_revealed", "match": {"keyword": "orc"}}
    chief = token("chief", keywords=["orc"], abilities=[able("draw")], limits=[limit])
    units = [unit("chief", "0,0"), *([] if partner is None else [partner])]
    general = [piles(hand=["orc"], sack=["spare"] * 6, casualties=["orc"]), piles(sack=["spare"])]
    t = play([chief, token("orc", keywords=["orc"]), token("elf")], units, general=general).do("draw")
    assert len(t.hand(0)) == (5 if works else 4)


def test_r3_2_2_13_the_first_token_of_the_list_counts_towards_a_limit():
    limit = {"kind": "requires_revealed", "match": {"keyword": "orc"}}
    chief = token("chief", abilities=[able("draw")], limits=[limit])
    bare = {"id": "bare", "kind": "battlefield"}
    fields = [field("0,0", token_id="bare"), field("-1,0", token_id="bare"), field("2,0", 1)]
    general = [piles(sack=["chief"] * 6), piles(sack=["spare"])]
    units = [unit("chief", "0,0"), unit("orc", "-1,0")]  # the orc is the first token that General 0 owns
    t = play([token("orc", keywords=["orc"]), chief, bare], units, general=general, fields=fields).do("draw")
    assert len(t.hand(0)) == 4


# --- 3.2.3 spells and maneuvers


def test_r3_2_3_1_spells_go_with_blue_and_maneuvers_with_red():
    general = [piles(hand=["charm", "drill"], sack=["spare"]), piles(sack=["spare"])]
    tokens = [token("b", band="blue"), token("r", band="red"), CHARM, DRILL]
    t = play(tokens, [unit("b", "0,0"), unit("r", "-1,0")], general=general)
    assert deploy_room(t, "charm") == ["0,0"]
    assert deploy_room(t, "drill") == ["-1,0"]


def test_r3_2_3_2_attachments_come_in_by_deploy_under_a_unit_on_the_battleground():
    general = [piles(hand=["charm"], sack=["spare"]), piles(sack=["spare"])]
    tokens = [token("b", band="blue"), CHARM]
    empty = play(tokens, [], general=general)
    assert empty.legal() == ["draw"]  # no unit to slide it under, and spells are never played from the hand
    t = play(tokens, [unit("b", "0,0")], general=general)
    assert "cast" not in t.legal()
    t.do("deploy", "type charm", "hex 0,0")
    assert t.unit("0,0").attachments == ("charm",)
    assert (t.hand(0), t.turn) == ([], 2)


@pytest.mark.parametrize("face", ["up", "down"])
def test_r3_2_3_3__r8_2_1_3_attachments_come_in_face_down(face):
    general = [piles(hand=["charm", "drill"], sack=["spare"]), piles(sack=["spare"])]
    t = play([token("g", band="green"), CHARM, DRILL], [unit("g", "0,0", face=face)], general=general)
    t.do("deploy", "type charm", "hex 0,0", "type drill", "hex 0,0")
    assert t.unit("0,0").attachments == ("charm", "drill")
    assert t.unit("0,0").attachment_faces == ("down", "down")
    assert t.unit("0,0").face == face


def test_r3_2_3_5_only_the_host_activates_its_attachment():
    ward = text("spell", "ward", "action", [modify("armor", 1)])
    units = [unit("g", "0,0", attached=[attachment("ward")]), unit("g", "-1,0"), unit("g", "3,0", 1)]
    t = play([token("g", band="green"), ward], units).do("cast")
    assert hexes(t) == ["0,0"]
    t.do("hex 0,0", "slot 0").pass_all()
    assert asked(t) == (1, Decision.MENU)
    assert "cast" not in t.legal()


def test_r3_2_3_5_attachments_of_a_lost_host_serve_nobody():
    units = [unit("g", "0,0", attached=[attachment("drill", "up")]), unit("g", "-1,0"), unit("k", "1,0", 1)]
    t = play([token("g", band="green"), token("k", damage=9), DRILL], units, "H T", to_move=1)
    attack(t, "melee", "1,0", "0,0", "no")
    assert t.casualties(0) == ["drill", "g"]
    assert t.stat("-1,0", "damage") == 1
