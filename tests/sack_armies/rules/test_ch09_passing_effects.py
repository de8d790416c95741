"""Passing effects: texts that work until the end of the turn, augments of dead units, and how many a state holds."""

import numpy as np
import pytest

from sackarmies_env.core.state import ERROR_CAPACITY, ERROR_NONE
from sackarmies_env.games.sack_armies.rules.combat import leave_ghost
from sackarmies_env.games.sack_armies.rules.damage import add_damage
from sackarmies_env.games.sack_armies.rules.effects import add_modifier
from sackarmies_env.games.sack_armies.scenario.document import load_scenario, start_scenario
from sackarmies_env.games.sack_armies.scenario.names import piece_names
from sackarmies_env.games.sack_armies.scenario.schema import Scenario, pieces_of
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.games.sack_armies.state.record import MAX_INSTANCES, PASSING_LIMIT
from tests.sack_armies.builders.fights import able, alive, asked, grant, modify, play, scenario, shot, text, turn_over
from tests.sack_armies.builders.ground import around, piles
from tests.sack_armies.builders.text_game import B1, TextGame, attachment, field, token, unit

A = token("a")
MAGE = token("mage", band="green")
STRIKE = text("maneuver", "strike", "action", [{"kind": "damage", "amount": 99}], target="any_unit", range=40)
CALL = text("maneuver", "call", "action", [{"kind": "raise"}])


def surprised(first, texts, flips="", general=None, units=()):
    """Return a table on which G0's unit on (0,0) attacks G1's mage on (1,0), who answers with the first of `texts`."""
    stack = [attachment(one["id"]) for one in texts]
    keys = {} if general is None else {"general": general}
    host = unit("mage", "1,0", 1, attached=stack)
    own = {one["id"]: one for one in texts}.values()
    t = play([A, MAGE, *own], [unit("a", "0,0"), host, unit("a", "2,0", 1), *units], flips, **keys)
    t.do("melee", "hex 0,0", "hex 1,0")
    return t.do("surprise", "slot 0", *first)


# --- units that leave play and come back


@pytest.mark.parametrize("gift", [modify("armor", 3), grant("augment", stat="armor", amount=2)])
def test_r9_1_3__q_64_a_unit_raised_in_the_same_turn_is_as_printed(gift):
    bless = text("maneuver", "bless", "action", [gift], target="own_unit", range=4)
    t = surprised(["hex 2,0"], [bless, STRIKE, CALL], "H")
    t.do("pass", "surprise", "slot 0", "hex 2,0", "pass", "surprise", "slot 0", "type a", "hex 2,0")
    assert alive(t, "2,0") == ["a"]
    is_augment = gift["kind"] == "grant"
    assert (t.stat("2,0", "armor"), t.state["num_modifiers"], t.state["num_ghosts"]) == (1, 0, int(is_augment))
    # The mage is augmented only by the unit that died (RA-Augment-6), not also by the one that was raised.
    assert t.stat("1,0", "armor") == (3 if is_augment else 1)


@pytest.mark.parametrize(
    "effect", [{"kind": "damage", "amount": 2}, {"kind": "draw", "count": 2}, {"kind": "reveal", "range": 2}]
)
def test_r9_3_10_only_modifiers_change_a_stat(effect):
    rally = text("maneuver", "rally", "action", [effect, modify("armor", 3)], target="own_unit", range=4)
    wall = token("wall", armor=9)
    stack = [attachment("rally")]
    units = [unit("a", "0,0"), unit("mage", "1,0", 1, attached=stack), unit("wall", "3,0", 1)]
    t = play([A, MAGE, rally, wall], units).do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 3,0")
    assert [t.stat("3,0", stat) for stat in ("movement", "damage", "armor")] == [1, 1, 12]


@pytest.mark.parametrize("kind", ["dismiss", "remove"])
def test_r9_1_3__q_64_what_works_on_a_unit_ends_when_it_leaves_play(kind):
    bless = text("maneuver", "bless", "action", [modify("armor", 3)], target="own_unit", range=4)
    send = text("maneuver", "send", "action", [{"kind": kind}], target="own_unit", range=4)
    t = surprised(["hex 2,0"], [bless, bless, send], units=[unit("a", "3,0", 1)])
    t.do("pass", "surprise", "slot 0", "hex 3,0")
    assert t.state["num_modifiers"] == 2
    t.do("pass", "surprise", "slot 0", "hex 2,0")
    assert (t.state["num_modifiers"], t.stat("3,0", "armor")) == (1, 4)


@pytest.mark.parametrize("is_first", [True, False])
def test_r9_1_3__q_64_a_text_does_no_more_to_a_target_that_died_and_was_raised(is_first):
    effects = [modify("armor", 2), {"kind": "damage", "amount": 99}, {"kind": "raise"}, modify("damage", 2)]
    magic = text("spell", "magic", "action", effects, target="own_unit", range=4)
    units = [unit("mage", "0,0", attached=[attachment("magic")]), unit("a", "-1,0"), unit("a", "3,0", 1)]
    general = [piles(sack=["spare"], casualties=["a"], hand=["spare"] * 4), piles(sack=["spare"])]
    position = scenario([A, MAGE, magic], units, "H", general=general)
    names = piece_names(pieces_of(Scenario.model_validate(position)))
    own = [name for name in names if name not in piece_names_of(position, 1)]
    victim, copy = "unit -1,0", "casualties 0 a 0"
    order = [victim, copy] if is_first else [copy, victim]  # a raise takes the first row of the type
    rows = [order + [name for name in own if name not in order], piece_names_of(position, 1)]
    t = (
        TextGame(position | {"procedure": {"rows": rows}})
        .do("cast", "hex 0,0", "slot 0", "hex -1,0", "type a")
        .pass_all()
    )
    t.do("hex -1,0")
    assert (t.decision, alive(t, "-1,0"), t.casualties(0)) == (Decision.DISCARD, ["a"], ["a", "magic"])
    assert (t.stat("-1,0", "armor"), t.stat("-1,0", "damage"), t.state["num_modifiers"]) == (1, 1, 0)


def piece_names_of(position, owner):
    """Return the names of the tokens that a General owns."""
    pieces = pieces_of(Scenario.model_validate(position))
    return [name for name, piece in zip(piece_names(pieces), pieces, strict=True) if piece.owner == owner]


def test_r9_1_3_two_copies_of_a_text_work_on_one_unit():
    both = [modify("armor", 1), {"kind": "draw", "count": 1}, modify("armor", 2)]
    bless = text("maneuver", "bless", "action", both, target="own_unit", range=4)
    t = surprised(["hex 2,0"], [bless, bless, bless])
    assert (t.stat("2,0", "armor"), t.state["num_modifiers"]) == (4, 1)
    t.do("pass", "surprise", "slot 0", "hex 2,0", "pass", "surprise", "slot 0", "hex 1,0")
    assert (t.stat("2,0", "armor"), t.stat("1,0", "armor"), t.state["num_modifiers"]) == (7, 4, 3)


def test_ra_augment_6_only_what_had_been_granted_by_then_outlives_a_unit():
    gifts = [grant("augment", stat="armor", amount=2), {"kind": "damage", "amount": 99}]
    late = grant("augment", stat="armor", amount=4)
    martyr = text("maneuver", "martyr", "action", [*gifts, late], target="own_unit", range=2)
    t = surprised(["hex 2,0"], [martyr])
    assert (alive(t, "2,0"), t.stat("1,0", "armor")) == ([None], 3)


@pytest.mark.parametrize(("value", "bonus"), [("on", 2 + 1 + 4), ("off", 4)])
def test_ra_augment_6__c_augment_stacks_a_dead_augmenter_gives_all_that_it_gave(value, bonus):
    banner = token("banner", band="blue", abilities=[able("augment", stat="armor", amount=2)])
    crown = text("spell", "crown", "free", [grant("augment", stat="armor", amount=1)])
    tall = token("tall", abilities=[able("augment", stat="armor", amount=4)])
    host = unit("mage", "1,0", 1, attached=[attachment("strike")] * 2)
    crowned = unit("banner", "2,0", 1, attached=[attachment("crown", "up")])
    units = [unit("a", "0,0"), host, crowned, unit("tall", "1,1", 1)]
    t = play([A, MAGE, STRIKE, banner, crown, tall], units, switches={"augment_stacks": value})
    assert t.stat("1,0", "armor") == 1 + bonus
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 1,1")
    assert (alive(t, "1,1"), t.stat("1,0", "armor")) == ([None], 1 + bonus)
    t.do("pass", "surprise", "slot 0", "hex 2,0")
    assert (alive(t, "2,0"), t.stat("1,0", "armor")) == ([None], 1 + bonus)


def test_ra_augment_6__c_augment_stacks_what_one_dead_augmenter_gives_adds_up():
    banner = token("banner", band="blue", abilities=[able("augment", stat="armor", amount=2)])
    crown = text("spell", "crown", "free", [grant("augment", stat="armor", amount=1)])
    host = unit("mage", "1,0", 1, attached=[attachment("strike")])
    crowned = unit("banner", "2,0", 1, attached=[attachment("crown", "up")])
    t = play([A, MAGE, STRIKE, banner, crown], [unit("a", "0,0"), host, crowned], switches={"augment_stacks": "off"})
    assert t.stat("1,0", "armor") == 1 + 3
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,0")
    assert (alive(t, "2,0"), t.stat("1,0", "armor")) == ([None], 1 + 3)


# --- the most that there can be


SHIFT = [
    *[modify(stat, 1) for stat in ("armor", "damage", "movement", "armor", "armor")],
    {"kind": "swap", "distance": 40},
]
WINGS = grant("flying")
HOLDERS = ["1,0", *[cell for cell in B1[1] if cell != "3,-1"], "5,0", "5,-1", "4,1", "3,1", "2,1", "5,-2"]


def crowd(stacks):
    """Return a position with G1's mages, each with one of `stacks` attached, and with G0's attacker and caster."""
    blessing = [modify("armor", 1), {"kind": "raise"}]
    tokens = [
        *(A, MAGE, text("maneuver", "shift", "action", SHIFT)),
        text("maneuver", "wings", "free", [WINGS]),
        text("spell", "blessing", "action", blessing, target="own_unit", range=9),
    ]
    mages = [
        unit("mage", cell, 1, attached=[attachment(one) for one in stack])
        for cell, stack in zip(HOLDERS, stacks, strict=True)
    ]
    own = [unit("a", "0,0"), unit("mage", "-2,0", attached=[attachment("blessing")])]
    general = [piles(sack=["spare"], casualties=["a"]), piles(sack=["spare"])]
    return scenario(tokens, [*own, *mages], "H", general=general)


def test_r9_3_3__q_41_every_surprise_of_a_full_army_works_in_one_turn():
    t = TextGame(crowd([["shift"] * 3] * 10 + [["shift", "shift", "wings"]]))
    t.do("melee", "hex 0,0", "hex 1,0")
    cells = list(HOLDERS)  # of the mages, which take turns on the attacked hex
    for turn in range(PASSING_LIMIT):
        here, there = turn % len(cells), (turn + 1) % len(cells)
        t.do("surprise", "slot 0", f"hex {cells[there]}", "pass")
        cells[here], cells[there] = cells[there], cells[here]
    assert t.state["num_modifiers"] == PASSING_LIMIT
    assert [t.stat(cell, "armor") - 1 for cell in cells] == [6, *[9] * 10]
    assert [t.stat(cell, "damage") - 1 for cell in cells] == [2, *[3] * 10]
    t.do("reveal_token", "hex 1,0", "slot 0")  # a flyer cannot be attacked: the action is not spent
    t.do("cast", "hex -2,0", "slot 0", "hex 0,0", "type a").pass_all()
    assert (asked(t), t.state["num_modifiers"]) == ((0, Decision.RAISE_HEX), PASSING_LIMIT + 1)
    assert start_scenario(t.dump()).states["num_modifiers"][0] == PASSING_LIMIT + 1
    assert turn_over(t.do("hex -2,1"))
    assert (t.state["num_modifiers"], t.stat("1,0", "armor")) == (0, 1)


def test_an_army_with_more_surprises_than_a_state_holds_is_refused():
    stacks = [["shift"] * 3] * 11
    start_scenario(crowd([*stacks[1:], ["shift", "shift", "wings"]]))
    with pytest.raises(ValueError, match="tokens of General 1: its units can hold 33 maneuvers") as error:
        load_scenario(crowd(stacks))
    assert "until the end of the turn, but a game has room for at most 32" in str(error.value)


BOMB = [able("scatter", damage=20), shot(9), able("augment", stat="damage", amount=1)]
CROWN = text("spell", "crown", "free", [grant("augment", stat="damage", amount=1)])
BANNER = token("banner", band="blue", abilities=[able("augment", stat="damage", amount=1)])


def massacre(crowns=(3, 2)):
    """Return a position where surprises, a shot at G1's bomber, its counter and their scatter kill every augmenter."""
    crowned = {"attached": [attachment("crown", "up")] * 3}
    own = [unit("bomber", "-3,0", **crowned), *[unit("banner", cell, **crowned) for cell in around(["-3,0"])]]
    units = [
        *own,
        unit("bomber", "3,0", 1, attached=[attachment("strike")] * 3),
        *[unit("banner", cell, 1, **crowned) for cell in around(["3,0"])],
        unit("banner", "-2,4", **crowned),
        *[
            unit("banner", at, 1, attached=[attachment("crown", "up")] * n)
            for at, n in zip(("2,4", "3,4"), crowns, strict=True)
        ],
    ]
    return scenario(
        [token("bomber", band="green", abilities=BOMB), BANNER, CROWN, STRIKE],
        units,
        "H H H H",
        fields=[field("-3,0"), field("3,0", 1), field("-2,4"), field("2,4", 1)],
        general=[piles(hand=["spare"] * 4), piles(sack=["spare"])],
    )


def test_ra_augment_6_a_turn_in_which_every_augmenter_dies():
    t = TextGame(massacre()).do("ranged", "hex -3,0", "hex 3,0")
    for cell in ("-2,4", "2,4", "3,4"):
        t.do("surprise", "slot 0", f"hex {cell}", "pass")
    t.do("pass", "yes")
    assert (asked(t), len(t.casualties(0)), len(t.casualties(1))) == ((0, Decision.DISCARD), 8 + 24, 9 + 26)
    assert t.state["num_ghosts"] == 2 * PASSING_LIMIT
    assert len(start_scenario(t.dump()).states["ghost_hex"][0]) == 2 * PASSING_LIMIT + 2


def test_an_army_with_more_augments_than_a_state_holds_is_refused():
    with pytest.raises(ValueError, match="tokens of General 1: its dead units can leave 33 augments behind") as e:
        load_scenario(massacre(crowns=(3, 3)))
    assert "(9 printed on units and 24 from texts that grant one or raise the dead), but a game" in str(e.value)


def test_r3_2_2_4_armor_of_any_size_meets_a_hit():
    wall = token("wall", abilities=[able("augment", stat="armor", amount=20)] * 300)
    units = [unit("a", "0,0"), unit("a", "3,0", 1), *[unit("wall", cell, 1) for cell in around(["3,0"])]]
    t = play([token("a", abilities=[shot(4)]), wall], units, "H T")
    assert t.stat("3,0", "armor") == 1 + 6 * 300 * 20
    t.do("ranged", "hex 0,0", "hex 3,0").pass_all().do("yes")
    assert (turn_over(t), alive(t, "3,0")) == (True, ["a"])


# --- no position exceeds what a state holds, and nothing is lost silently


def test_a_position_with_more_passing_effects_than_may_come_is_refused():
    position = crowd([["shift"] * 3] * 10 + [["shift", "shift", "wings"]])
    size = len(start_scenario(position).states["modifier_token"][0])
    for given, fits in ((size - PASSING_LIMIT - 1, True), (size - PASSING_LIMIT, False)):
        effects = {
            "num_modifiers": given,
            "modifier_token": ["unit 0,0"] * given,
            "modifier_type": ["shift"] * given,
            "modifier_rows": [1] * given,
        }
        if fits:
            start_scenario(position | {"procedure": effects})
        else:
            with pytest.raises(
                ValueError, match=f"num_modifiers: {given} passing effects and 33 still possible exceed"
            ):
                start_scenario(position | {"procedure": effects})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"modifier_token": ["-"]}, "modifier_token: a passing effect must be on a unit in play"),
        ({"modifier_token": ["sack 0 spare 0"]}, "modifier_token: a passing effect must be on a unit in play"),
        ({"modifier_token": ["battlefield 0,0"]}, "modifier_token: a passing effect must be on a unit in play"),
        ({"modifier_type": ["wings"]}, "modifier_type: a passing effect must come from an action text"),
        ({"modifier_rows": [0]}, "modifier_rows: 0 is out of range; allowed for shift are 1 to 6"),
        ({"modifier_rows": [7]}, "modifier_rows: 7 is out of range; allowed for shift are 1 to 6"),
        ({"num_ghosts": 1}, "ghost_type: the augment of a dead unit must be printed on a unit or granted by a text"),
        ({"num_ghosts": 1, "ghost_hex": ["-"]}, "ghost_hex must be the hex on which the augmenter died"),
        ({"num_ghosts": 1, "ghost_type": ["crown"]}, "ghost_type: the augment of a dead unit"),
        (
            {"num_ghosts": 1, "ghost_type": ["crown"], "ghost_rows": [2]},
            "ghost_rows: 2 is out of range; allowed for crown are 0 to 1",
        ),
        ({"num_ghosts": 61, "ghost_type": ["banner"] * 61}, "num_ghosts: 61 augments of the dead and 6 still possible"),
    ],
)
def test_a_position_with_passing_effects_that_cannot_be_is_refused(changes, message):
    units = [unit("a", "0,0"), unit("a", "3,0", 1), *[unit("banner", cell, 1) for cell in around(["3,0"])]]
    tokens = [A, BANNER, CROWN, text("maneuver", "shift", "action", SHIFT), text("maneuver", "wings", "free", [WINGS])]
    general = [piles(sack=["spare", "shift"]), piles(sack=["spare", "wings", "crown"])]
    effects = {"num_modifiers": 1, "modifier_token": ["unit 0,0"], "modifier_type": ["shift"], "modifier_rows": [6]}
    position = scenario(tokens, units, general=general)
    most = effects | {"num_ghosts": 60, "ghost_type": ["banner"] * 60}
    assert start_scenario(position | {"procedure": most}).states["num_ghosts"][0] == 60
    with pytest.raises(ValueError, match="scenario: procedure: ") as error:
        start_scenario(position | {"procedure": effects | changes})
    assert message in str(error.value)


def test_a_full_table_is_an_error_and_nothing_is_written_beyond_it():
    t = play([A], [unit("a", "0,0"), unit("a", "3,0", 1)])
    state, row = t.states[0], np.int64(t.state["cell_unit"].max())
    tables = (
        ("num_modifiers", "modifier_token", lambda: add_modifier(t.params[0], state, row, np.int64(0), np.int64(0))),
        ("num_ghosts", "ghost_hex", lambda: leave_ghost(state, row, np.int64(0), np.int64(0), np.int64(0))),
        ("num_damages", "damage_target", lambda: add_damage(state, row, np.int64(1), np.int64(1), np.int64(0))),
    )
    for counter, first, add in tables:
        size = len(t.state[first])
        for _ in range(size):
            add()
        assert (t.state[counter], t.state["error"]) == (size, ERROR_NONE)
        add()
        assert (t.state[counter], t.state["error"]) == (size, ERROR_CAPACITY)
        state["error"] = ERROR_NONE


def test_no_exchange_has_more_hits_than_two_with_scatter_around_both():
    assert 2 + 2 * len(around(["0,0"])) == MAX_INSTANCES
