"""Corner cases that random play seldom reaches: mask and referee agree, and give the expected answer."""

from __future__ import annotations

from typing import Any

import pytest

from sackarmies_env.games.sack_armies import make_game
from tests.sack_armies.builders.random_games import NEW_GAME, config_of, offered_ids, play_texts
from tests.sack_armies.builders.text_game import B1, attachment, field, position, token, unit
from tests.sack_armies.referee.asks import missed_question
from tests.sack_armies.referee.attacks import follow
from tests.sack_armies.referee.decisions import legal_ids
from tests.sack_armies.referee.position import read_position
from tests.sack_armies.referee.stats import effective_armor

ASK_ALWAYS = {"auto_forced": False}
PILE: dict[str, Any] = {"hand": [], "sack": ["spare"], "casualties": [], "removed": []}


def text(token_id: str, use: str, effect: dict[str, Any], **values: Any) -> dict[str, Any]:
    """Return a spell with one effect."""
    return {"id": token_id, "kind": "spell", "use": use, "effects": [effect]} | values


def maneuver(token_id: str, effect: dict[str, Any], **values: Any) -> dict[str, Any]:
    """Return an action maneuver with one effect."""
    return {"id": token_id, "kind": "maneuver", "use": "action", "effects": [effect]} | values


def legal_after(scenario: dict[str, Any], *texts: str) -> set[str]:
    """Play actions and return the texts of what is legal then; mask and referee must agree at each decision."""
    game = make_game(scenario=scenario)
    config = config_of(game)
    before, done, offered = None, NEW_GAME, set()
    for states, action in play_texts(game, texts):
        now = follow(before, read_position(config, states))
        offered = offered_ids(game, states)
        assert offered == legal_ids(now)
        assert before is None or missed_question(before, done, now) == ""
        before, done = now, action
    return {game.format_action(states, action) for action in offered}


# --- spells and maneuvers


BLESS = text("bless", "permanent", {"kind": "modify", "stat": "armor", "amount": 1}, target="any_unit", range=4)
MAGE = token("mage", band="green")


def test_a_permanent_on_an_own_unit_counts_to_its_three():  # Q-65
    full = unit("mage", "-1,0", attached=[attachment("bless") for _ in range(3)])
    caster = unit("mage", "0,0", attached=[attachment("bless"), attachment("bless", face="up", active=True)])
    scenario = position([MAGE, BLESS], [full, caster, unit("mage", "2,0", owner=1)], switches=ASK_ALWAYS)
    assert legal_after(scenario, "cast", "hex 0,0", "slot 0") == {"hex 0,0", "hex 2,0"}
    assert legal_after(scenario, "cast", "hex -1,0", "slot 0") == {"hex -1,0", "hex 0,0", "hex 2,0"}


def test_slots_end_with_the_eighth_attachment():
    permanents = [attachment("bless", face="up", owner=0, active=True) for _ in range(5)]
    own = [attachment("bless") for _ in range(3)]
    target = unit("mage", "2,0", owner=1, attached=[*own, *permanents])
    caster = unit("mage", "0,0", attached=[attachment("bless")])
    scenario = position([MAGE, BLESS], [caster, target], switches=ASK_ALWAYS)
    assert legal_after(scenario, "cast", "hex 0,0", "slot 0") == {"hex 0,0"}
    target["attached"].pop()
    assert legal_after(scenario, "cast", "hex 0,0", "slot 0") == {"hex 0,0", "hex 2,0"}


def test_a_relocation_needs_an_empty_legal_hex_in_reach():
    leap = text("leap", "action", {"kind": "relocate", "distance": 1})
    around = ["0,0", "0,-1", "-1,-1", "-2,0", "-2,1"]
    units = [unit("mage", "-1,0", attached=[attachment("leap")]), *(unit("mage", hex_) for hex_ in around)]
    enemy = unit("mage", "4,0", owner=1)
    free = position([MAGE, leap], [*units, enemy], switches=ASK_ALWAYS)
    assert legal_after(free, "cast", "hex -1,0", "slot 0") == {"hex -1,1"}
    hemmed_in = position([MAGE, leap], [*units, unit("mage", "-1,1"), enemy], switches=ASK_ALWAYS)
    assert "cast" not in legal_after(hemmed_in)


def test_an_employed_unit_has_no_action_text():  # Q-90
    text_of_its_own = {"use": "action", "effects": [{"kind": "draw", "count": 1}]}
    drummer = token("drummer", abilities=[{"kind": "range", "range": 3}], **text_of_its_own)
    scenario = position(
        [drummer],
        [unit("drummer", "0,0"), unit("drummer", "-1,0"), unit("drummer", "2,0", owner=1)],
        flips="T",
        switches=ASK_ALWAYS,
    )
    assert "custom" in legal_after(scenario)
    failed = ["coord_ranged", "hex 2,0", "hex 0,0", "hex -1,0", "pass"]
    assert legal_after(scenario, *failed) == {"draw"}


@pytest.mark.parametrize(
    ("more", "is_reached"), [([], True), ([{"kind": "modify", "stat": "armor", "amount": -1}], False)]
)
def test_only_what_merely_dispels_reaches_under_a_face_down_enemy(more, is_reached):  # R8.2.2-3
    unmake = text("unmake", "action", {"kind": "dispel"}, target="enemy_unit", range=4)
    unmake["effects"] += more
    scenario = position(
        [MAGE, BLESS, unmake],
        [
            unit("mage", "0,0", attached=[attachment("unmake")]),
            unit("mage", "2,0", owner=1, face="down", attached=[attachment("bless")]),
            unit("mage", "3,0", owner=1, face="down"),
        ],
        switches=ASK_ALWAYS,
    )
    assert ("cast" in legal_after(scenario)) is is_reached
    if is_reached:
        assert legal_after(scenario, "cast", "hex 0,0", "slot 0") == {"hex 2,0"}
        assert "draw" in legal_after(scenario, "cast", "hex 0,0", "slot 0", "hex 2,0", "slot 0", "pass", "pass")


# --- abilities


def test_a_face_down_enemy_cannot_be_captured():  # Q-52
    captor = token("captor", abilities=[{"kind": "capture"}])
    units = [unit("captor", "1,0"), unit("captor", "2,0", owner=1, face="down")]
    scenario = position([captor], units, switches={"sight_on_reveal": False} | ASK_ALWAYS)
    assert "capture" not in legal_after(scenario)
    units[1]["face"] = "up"
    assert legal_after(scenario, "capture", "hex 1,0") == {"hex 2,0"}


@pytest.mark.parametrize(("zone", "others"), [("deploy", set()), ("any_legal_hex", {"hex 2,-1", "hex 2,0", "hex 1,1"})])
def test_raised_units_come_in_where_the_switch_allows(zone, others):  # Q-53
    priest = token("priest", abilities=[{"kind": "raise"}])
    scenario = position(
        [priest],
        [unit("priest", "1,0"), unit("priest", "4,0", owner=1)],
        flips="H",
        general=[PILE | {"casualties": ["priest"]}, PILE],
        switches={"raise_zone": zone} | ASK_ALWAYS,
    )
    raised = ["raise", "hex 1,0", "type priest", "pass", "pass"]
    assert legal_after(scenario, *raised) == {"hex 0,0", "hex 1,-1", "hex 0,1"} | others


# --- battlefields


def test_a_battlefield_needs_all_its_neighbors_on_the_board():  # Q-06
    fields = [field("4,0"), field("-4,0", 1)]
    scenario = position(
        [],
        [unit("spare", "4,0"), unit("spare", "-4,0", owner=1)],
        fields=fields,
        general=[PILE | {"hand": ["plain"]}, PILE],
        switches={"grid_radius": 5} | ASK_ALWAYS,
    )
    places = legal_after(scenario, "deploy", "type plain")
    assert places == {"hex 4,-1", "hex 3,0", "hex 3,1"}


@pytest.mark.parametrize(("basis", "is_legal"), [("control", False), ("owner", True)])
def test_neutral_zone_is_kept_by_control_or_by_ownership(basis, is_legal):  # Q-03
    fields = [field(hex_, owner) for owner, land in B1.items() for hex_ in land if hex_ != "-2,0"]
    fields.append(field("-2,0", 0, controller=1))
    scenario = position(
        [],
        [unit("spare", "0,0"), unit("spare", "3,0", owner=1)],
        fields=fields,
        general=[PILE | {"hand": ["plain"]}, PILE],
        switches={"neutral_zone_basis": basis} | ASK_ALWAYS,
    )
    assert ("hex -1,-1" in legal_after(scenario, "deploy", "type plain")) is is_legal


# --- Move and Attack


@pytest.mark.parametrize(
    ("halting", "abilities", "may_advance"),
    [
        ({"halts": True}, [], False),
        ({"halts": True, "exempt": ["flying"]}, [{"kind": "flying"}], True),
        ({"halts": True, "exempt": ["flying"]}, [{"kind": "aquatic"}], False),
        ({"halts": True, "water": True}, [{"kind": "aquatic"}], True),
        ({}, [], True),
    ],
)
def test_halted_unit_does_not_advance(halting, abilities, may_advance):  # RA-MoveAttack-6
    rider = token("rider", movement=2, damage=3, abilities=[{"kind": "move_and_attack"}, *abilities])
    gate = {"id": "gate", "kind": "battlefield"} | halting
    fields = [field(hex_, owner) for owner, land in B1.items() for hex_ in land if hex_ != "0,0"]
    scenario = position(
        [rider, gate],
        [unit("rider", "-1,0"), unit("spare", "1,0", owner=1)],
        fields=[*fields, field("0,0", token_id="gate")],
        flips="H T T",
        switches=ASK_ALWAYS,
    )
    charge = ["move_attack", "hex -1,0", "hex 1,0", "pass", "pass", "hex 0,0", "pass", "pass"]
    assert legal_after(scenario, *charge) == {"yes", "pass"}  # counter-attack?
    assert ("yes" in legal_after(scenario, *charge, "pass")) is may_advance


SHOVE = maneuver("shove", {"kind": "relocate", "who": "target", "distance": 2}, target="enemy_unit", range=1)


@pytest.mark.parametrize(("end", "shoved_to", "may_advance"), [("0,0", "0,1", False), ("0,1", "0,0", True)])
def test_a_charge_is_halted_where_it_ended_not_where_a_surprise_put_it(end, shoved_to, may_advance):
    rider = token("rider", movement=3, damage=3, abilities=[{"kind": "move_and_attack"}])
    gate = {"id": "gate", "kind": "battlefield", "halts": True}
    scenario = position(
        [rider, token("host", band="red"), SHOVE, gate],
        [unit("rider", "-1,1"), unit("host", "1,0", owner=1, attached=[attachment("shove")])],
        fields=[field(hex_, g, "gate" if hex_ == "0,0" else "plain") for g, land in B1.items() for hex_ in land],
        flips="H T T",
        switches=ASK_ALWAYS,
    )
    charge = ["move_attack", "hex -1,1", "hex 1,0", "pass", "pass", f"hex {end}"]
    shoved = ["surprise", "slot 0", f"hex {end}", f"hex {shoved_to}", "pass", "pass", "no"]
    assert ("yes" in legal_after(scenario, *charge, *shoved)) is may_advance  # RA-MoveAttack-6


# --- augments

ELF = token("elf", keywords=["elf"], homeland="fey_court")
MATCHES = ({"keyword": "elf"}, {"homeland": "fey_court"})
AUGMENTS = [{"kind": "augment", "stat": "armor", "amount": 2, "match": match} for match in MATCHES]


@pytest.mark.parametrize(("stacks", "armor"), [(True, 8), (False, 5)])
@pytest.mark.parametrize("dead", [(), ("-1,0",), ("0,-1",), ("-1,0", "0,-1")])
def test_bonuses_of_one_augmenter_add_up_and_those_of_several_by_the_switch(stacks, armor, dead):  # Q-57
    slay = maneuver("slay", {"kind": "damage", "amount": 9}, target="enemy_unit", range=9)
    scenario = position(
        [
            ELF,
            token("herald", abilities=AUGMENTS),
            token("bard", abilities=[AUGMENTS[0] | {"amount": 3}]),
            slay,
            token("host", band="red", armor=9),
        ],
        [
            unit("elf", "0,0"),
            unit("herald", "-1,0"),
            unit("bard", "0,-1"),
            unit("host", "1,0", owner=1, attached=[attachment("slay"), attachment("slay")]),
        ],
        switches={"augment_stacks": stacks} | ASK_ALWAYS,
    )
    texts = ["melee", "hex 0,0", "hex 1,0"]
    for hex_ in dead:
        texts += ["surprise", "slot 0", f"hex {hex_}", "pass"]
    game = make_game(scenario=scenario)
    *_, (states, _) = play_texts(game, texts)
    now = read_position(config_of(game), states)
    elf = next(one for one in now.units if one.text.id == "elf")
    assert len(now.ghosts) == 2 * ("-1,0" in dead) + ("0,-1" in dead)
    assert effective_armor(now, elf) == armor


# --- surprise maneuvers


@pytest.mark.parametrize("precludes", [False, True])
def test_a_replacement_of_the_defender_may_counter_attack(precludes):  # R9.3-6, Q-40
    screen = maneuver("screen", {"kind": "swap", "distance": 2})
    host = unit("host", "1,0", owner=1, attached=[attachment("screen")])
    scenario = position(
        [token("host", band="red"), screen],
        [unit("spare", "0,0"), host, unit("spare", "2,0", owner=1)],
        flips="T T",
        switches={"surprise_precludes_counter": precludes} | ASK_ALWAYS,
    )
    screened = ["melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,0", "pass", "pass"]
    assert legal_after(scenario, *screened) == {"yes", "pass"}  # counter-attack?


# --- the turn


BOW = token("bow", movement=0, abilities=[{"kind": "range", "range": 3}])
ROCK = token("rock", movement=0)


def test_a_general_without_an_action_after_a_failed_check_may_reveal_or_pass():  # Q-18, Q-91
    scenario = position(
        [BOW, ROCK],
        [unit("bow", "0,0"), unit("bow", "-1,0"), unit("rock", "-2,0", face="down"), unit("bow", "2,0", owner=1)],
        flips="T",
        general=[PILE | {"sack": []}, PILE],
        switches=ASK_ALWAYS,
    )
    failed = ["coord_ranged", "hex 2,0", "hex 0,0", "hex -1,0", "pass"]
    assert legal_after(scenario, *failed) == {"pass", "reveal_unit"}
    assert legal_after(scenario, *failed, "reveal_unit", "hex -2,0") == {"pass"}
    assert legal_after(scenario, *failed, "pass") == {"draw", "ranged"}  # of the other General


def test_general_without_an_action_is_asked_for_reveals():  # Q-17
    scenario = position(
        [BOW, ROCK],
        [unit("rock", "-2,0", face="down"), unit("bow", "2,0", owner=1)],
        general=[PILE | {"sack": []}, PILE],
        switches=ASK_ALWAYS,
    )
    assert legal_after(scenario) == {"reveal_unit"}
    assert legal_after(scenario, "reveal_unit") == {"hex -2,0"}
