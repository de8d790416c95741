"""Inference about a face-down unit: the least movement and armor that play has shown (V-08)."""

import numpy as np
import pytest

from tests.sack_armies.builders.fights import able, attack, modify, play, shot
from tests.sack_armies.builders.ground import move
from tests.sack_armies.builders.text_game import B1, field, token, unit

RUNNER = token("runner", movement=4)
POST = token("post", movement=0)


def least(t, cell, stat):
    """Return the lower bound on "movement" or "armor" that everybody knows of the unit on a hex."""
    row = int(t.state["cell_unit"][t.config.grid.cell(*(int(number) for number in cell.split(",")))])
    return int(t.state[f"token_min_{stat}"][row])


def hidden(units, tokens=(), fields=None):
    """Return a table with units of the types "runner", "post" and those in `tokens`."""
    return play([RUNNER, POST, *tokens], units, fields=fields)


@pytest.mark.parametrize(("target", "steps"), [("-1,0", 1), ("-2,0", 2), ("-3,0", 3), ("-3,1", 3), ("-4,1", 4)])
def test_v_08_a_hidden_unit_shows_how_far_it_can_go(target, steps):
    ground = [*B1[0], "-3,1"]
    t = hidden(
        [unit("runner", "0,0", face="down")],
        fields=[*(field(h) for h in ground), field("4,0", 1)],
    )
    move(t, "0,0", target)
    assert (t.unit(target).face, least(t, target, "movement")) == ("down", steps)


def test_v_08_steps_through_own_units_count_and_the_longest_move_is_kept():
    fields = [field("0,0"), field("2,0"), field("4,0", 1)]
    walls = [unit("post", "1,0"), unit("runner", "0,0", face="down"), unit("post", "4,0", 1)]
    t = move(hidden(walls, fields=fields), "0,0", "2,0")
    assert least(t, "2,0", "movement") == 2  # through an own unit
    t.do("draw")
    while t.player == 1:
        t.do(next(entry for entry in t.legal() if entry in ("done", "type spare")))
    move(t, "2,0", "1,1")
    assert least(t, "1,1", "movement") == 2


def test_v_08_ground_that_may_have_helped_does_not_count():
    road = {"id": "road", "kind": "battlefield", "effects": [{"stat": "movement", "amount": 2}]}
    fields = [field("0,0", token_id="road"), *(field(h) for h in B1[0][1:]), field("4,0", 1)]
    t = hidden([unit("runner", "0,0", face="down")], tokens=[road], fields=fields)
    move(t, "0,0", "-3,0")
    assert least(t, "-3,0", "movement") == 1  # the road may have given two of the three steps


def test_v_08_from_a_hex_without_a_battlefield_every_step_counts():
    wind = {
        "id": "wind",
        "kind": "maneuver",
        "use": "free",
        "effects": [{"kind": "modify", "stat": "movement", "amount": 1}],
    }
    t = hidden([unit("runner", "0,1", face="down")], tokens=[wind])  # the last of all types modifies movement
    move(t, "0,1", "-2,1")
    assert least(t, "-2,1", "movement") == 2


def test_v_08_a_move_of_a_face_up_unit_gives_no_lower_bound():
    t = move(hidden([unit("runner", "0,0")]), "0,0", "-2,0")
    assert (t.unit("-2,0").face, least(t, "-2,0", "movement")) == ("up", 0)


@pytest.mark.parametrize(("ground", "shown"), [(0, 3), (1, 2)])
def test_v_08_a_hidden_unit_that_survives_scatter_shows_its_armor(ground, shown):
    engine = token("engine", damage=1, abilities=[able("scatter", damage=2), shot(4)])
    tough = token("tough", armor=5)
    mound = {"id": "mound", "kind": "battlefield", "effects": [{"stat": "armor", "amount": 1}]}
    fields = [field("0,0"), field("2,0", 1), field("3,0", 1, token_id="mound" if ground else "plain")]
    units = [unit("engine", "0,0"), unit("tough", "2,0", 1), unit("tough", "3,0", 1, face="down")]
    t = attack(play([engine, tough, mound], units, "H H", fields=fields), "ranged", "0,0", "2,0")
    assert t.unit("3,0").face == "down"
    assert least(t, "3,0", "armor") == shown


def test_v_08_what_a_unit_has_shown_is_forgotten_when_it_leaves():
    exile = text_of_dismissal()
    t = play(
        [RUNNER, POST, exile, token("mage", band="green")],
        [
            unit("runner", "0,0", face="down"),
            unit("mage", "-1,0", attached=[{"token": "exile", "face": "down"}]),
        ],
    )
    move(t, "0,0", "-2,0")
    row = int(t.state["cell_unit"][t.config.grid.cell(-2, 0)])
    assert t.state["token_min_movement"][row] == 2
    t.states["token_min_armor"][0, row] = 3  # as if it had survived a hit
    t.do("draw")
    while t.player == 1:
        t.do(next(entry for entry in t.legal() if entry in ("done", "type spare")))
    t.do("cast", "hex -1,0", "slot 0", "hex -2,0").pass_all()
    assert t.sack(0) == ["runner", "spare"]
    assert np.all(t.state["token_min_movement"] == 0)
    assert np.all(t.state["token_min_armor"] == 0)


def text_of_dismissal():
    """Return a spell that dismisses an own unit."""
    return {
        "id": "exile",
        "kind": "spell",
        "use": "action",
        "effects": [{"kind": "dismiss"}],
        "target": "own_unit",
        "range": 4,
    }


def test_v_08_armor_that_a_text_may_have_lent_is_not_shown():
    ward = {"id": "ward", "kind": "spell", "use": "free", "effects": [modify("armor", 3)]}
    engine = token("engine", damage=1, abilities=[able("scatter", damage=2), shot(4)])
    tough = token("tough", armor=5, band="green")
    units = [
        unit("engine", "0,0"),
        unit("tough", "2,0", 1),
        unit("tough", "3,0", 1, face="down", attached=[{"token": "ward", "face": "down"}]),
    ]
    t = attack(play([engine, tough, ward], units, "H H"), "ranged", "0,0", "2,0")
    assert least(t, "3,0", "armor") == 3  # a face-down text has no effect
