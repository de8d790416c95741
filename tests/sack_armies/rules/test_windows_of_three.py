"""Windows among three Generals: who is asked first, and who is asked at all (P-WINDOW, D-22)."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import able, play, text
from tests.sack_armies.builders.text_game import attachment, field, token, unit

FIELDS = [field("0,0"), field("-1,0"), field("2,0", 1), field("3,0", 1), field("0,2", 2), field("-1,3", 2)]
MAGE = token("mage", band="green", abilities=[able("dismiss", range=9), able("capture")])
BOLT = text("spell", "bolt", "action", [{"kind": "damage", "amount": 1}], target="enemy_unit", range=9)
LIGHT = text("spell", "light", "action", [{"kind": "reveal", "range": 0}], target="hex", range=9)
WIND = text("spell", "wind", "action", [{"kind": "draw", "count": 1}])


def asked_in_turn(t):
    """Pass until the window closes and return the seats asked, in order."""
    seats = []
    while t.decision == Decision.WINDOW:
        seats.append(t.player)
        t.do("pass")
    return seats


def three(*texts, windows="announce"):
    """Return a table of three Generals after General 0's mage has announced an action."""
    stack = [attachment("bolt"), attachment("light"), attachment("wind")]
    units = [unit("mage", "0,0", attached=stack), unit("foe", "2,0", 1), unit("foe", "0,2", 2), unit("foe", "0,1", 2)]
    tokens = [MAGE, BOLT, LIGHT, WIND, token("foe")]
    t = play(tokens, units, "H", {"reaction_windows": windows}, fields=FIELDS, generals=3)
    return t.do(*texts)


@pytest.mark.parametrize("active", [0, 1, 2])
def test_p_window_without_a_target_the_next_general_is_asked_first(active):
    units = [unit("mage", cell, seat, attached=[attachment("wind")]) for seat, cell in enumerate(("0,0", "2,0", "0,2"))]
    t = play([MAGE, WIND], units, fields=FIELDS, generals=3, to_move=active)
    t.do("cast", f"hex {('0,0', '2,0', '0,2')[active]}", "slot 0")
    assert asked_in_turn(t) == [(active + 1) % 3, (active + 2) % 3, active]


@pytest.mark.parametrize(
    ("texts", "seats", "targeted"),
    [
        (("dismiss", "hex 0,0", "hex 2,0"), [1, 2, 0], [1]),
        (("dismiss", "hex 0,0", "hex 0,2"), [2, 1, 0], [2]),
        (("capture", "hex 0,0", "hex 0,1"), [2, 1, 0], [2]),
        (("cast", "hex 0,0", "slot 0", "hex 2,0"), [1, 2, 0], [1]),
        (("cast", "hex 0,0", "slot 0", "hex 0,2"), [2, 1, 0], [2]),
        (("cast", "hex 0,0", "slot 1", "hex 0,2"), [2, 1, 0], [2]),
        (("cast", "hex 0,0", "slot 1", "hex -1,0"), [1, 2, 0], []),
        (("cast", "hex 0,0", "slot 2"), [1, 2, 0], []),
        (("melee", "hex 0,0", "hex 0,1"), [2, 1, 0], [2]),
    ],
)
def test_p_window__d_22_first_asked_is_the_general_targeted_last_the_active_one(texts, seats, targeted):
    assert asked_in_turn(three(*texts)) == seats
    assert asked_in_turn(three(*texts, windows="targeted_only")) == targeted


def test_d_22_eliminated_generals_are_skipped_and_all_others_are_asked():
    units = [unit("foe", "0,0"), unit("foe", "2,0", 1), unit("foe", "0,1", 2)]
    switches = {"allow_concede": "on"}
    t = play([token("foe")], units, "", switches, fields=FIELDS, generals=3, to_move=1).do("concede")
    assert [t.alive(general) for general in range(3)] == [True, False, True]
    assert asked_in_turn(t.do("melee", "hex 0,1", "hex 0,0")) == [0, 2]
