"""Memory of tokens that went to a sack: when they went there, and what may have been drawn since."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.state.constants import Zone
from sackarmies_env.games.sack_armies.state.record import IN_SIGHT, MAX_RETURNS
from sackarmies_env.games.sack_armies.state.transfer import to_captor, to_casualties
from tests.sack_armies.builders.fights import able, play, text
from tests.sack_armies.builders.text_game import TextGame, at, attachment, unit
from tests.sack_armies.builders.text_game import token as token_of

TOKENS = [
    token_of("ant"),
    token_of("bee", band="green"),
    token_of("cat"),
    token_of("raven"),
    token_of("banisher", abilities=[able("dismiss", range=9)]),
    token_of("jailer", abilities=[able("capture")]),
    text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4),
    text("maneuver", "drill", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4),
]
BANISHER = unit("banisher", "0,0")


def begin(
    units: list[dict[str, Any]], hand: str = "", sack: str = "", draws: str = "", switches: dict[str, Any] | None = None
) -> TextGame:
    """Return a table at which General 0 has a unit that dismisses, and General 1 has turns to spend."""
    own = {"hand": hand.split(), "sack": sack.split(), "casualties": [], "removed": []}
    idle = {"hand": [], "sack": ["spare"] * 12, "casualties": [], "removed": []}
    switches = {"draw_count": 1, "hand_limit": 9} | (switches or {})
    keys = {"general": [own, idle], "draws": [draws.split(), []], "switches": switches}
    return play(TOKENS, [BANISHER, unit("cat", "3,0", 1), *units], **keys)


def turn(t: TextGame, *texts: str) -> None:
    """Have General 0 take a turn, and General 1 draw."""
    t.do(*texts).pass_all()
    while t.player == 0:
        t.do("pass")
    t.do("draw")
    while t.player == 1:
        t.do(t.legal()[0])


def memory(t: TextGame, name: str, owner: int = 0) -> list[tuple[str, int, int]]:
    """Return zone, `token_seen` and `token_drawn` of the tokens of an id, sorted."""
    state = t.state
    rows = np.flatnonzero((state["token_type"] == t.type_ids.index(name)) & (state["token_owner"] == owner))
    return sorted(
        (Zone(int(state["token_zone"][row])).name, int(state["token_seen"][row]), int(state["token_drawn"][row]))
        for row in rows
        if state["token_zone"][row] != Zone.NONE
    )


def known_kinds(t: TextGame) -> list[str]:
    """Return the ids of the tokens in General 0's sack whose kind others know, sorted."""
    state = t.state
    known = (state["token_zone"] == Zone.SACK) & (state["token_owner"] == 0) & (state["token_kind_known"] == 1)
    return sorted(t.type_ids[int(type_id)] for type_id in state["token_type"][known])


def seen_at(t: TextGame, where: str) -> int:
    """Return the `token_seen` of the unit on a hex."""
    row = int(t.state["cell_unit"][t.config.grid.cell(*at(where))])
    return int(t.state["token_seen"][row])


def dismiss(t: TextGame, where: str) -> None:
    """Have General 0 dismiss a unit."""
    turn(t, "dismiss", "hex 0,0", f"hex {where}")


def test_a_dismissed_unit_is_in_the_sack_from_then_on():
    t = begin([unit("bee", "-1,0"), unit("ant", "-2,0")], sack="cat", draws="bee")
    assert memory(t, "bee") == [("BATTLEGROUND", IN_SIGHT, 0)]
    dismiss(t, "-1,0")
    assert memory(t, "bee") == [("SACK", 2, 0)]
    dismiss(t, "-2,0")
    assert memory(t, "ant") == [("SACK", 3, 0)]
    turn(t, "draw")
    assert memory(t, "bee") == [("HAND", 2, 2)]


def test_returns_to_the_sack_are_kept_per_general():
    t = begin([unit("bee", "-1,0")])
    dismiss(t, "3,0")
    assert memory(t, "cat", owner=1) == [("SACK", 2, 0)]
    dismiss(t, "-1,0")
    assert memory(t, "bee") == [("SACK", 2, 0)]
    assert t.state["returns"].tolist()[:2] == [1, 1]


def test_a_token_leaving_the_hand_may_be_the_last_drawn():
    t = begin([unit("bee", "-1,0")], hand="ant", sack="cat spare", draws="cat")
    dismiss(t, "-1,0")
    turn(t, "draw")
    assert (memory(t, "ant"), memory(t, "cat")) == ([("HAND", 0, 0)], [("HAND", 0, 1)])
    turn(t, "deploy", "type ant", "hex -1,-1")
    assert (memory(t, "ant"), memory(t, "cat")) == ([("BATTLEGROUND", 0, 1)], [("HAND", 0, 1)])


def test_tokens_left_in_hand_may_exclude_the_first_drawn():
    t = begin([unit("bee", "-1,0"), unit("ant", "-2,0")], hand="spare", sack="cat jailer", draws="cat jailer")
    dismiss(t, "-1,0")
    turn(t, "draw")
    dismiss(t, "-2,0")
    turn(t, "draw")
    turn(t, "deploy", "type cat", "hex -1,-1")
    assert memory(t, "cat") == [("BATTLEGROUND", 0, 2)]
    assert (memory(t, "spare"), memory(t, "jailer")) == ([("HAND", 0, 1)], [("HAND", 0, 2)])


def test_a_discard_may_be_any_token_of_the_hand_and_is_no_return():
    t = begin([unit("bee", "-1,0")], hand="ant", sack="cat spare", draws="cat", switches={"hand_limit": 1})
    dismiss(t, "-1,0")
    turn(t, "draw", "type cat")
    assert memory(t, "ant") == [("HAND", 0, 1)]
    assert t.state["returns"][0] == 1
    assert known_kinds(t) == []


def test_a_copy_that_lay_there_before_is_not_the_dismissed_one():
    t = begin([unit("bee", "-1,0"), unit("bee", "-2,0", face="down")], sack="cat", draws="cat")
    dismiss(t, "-1,0")
    turn(t, "reveal_unit", "hex -2,0", "draw")
    assert memory(t, "bee") == [("BATTLEGROUND", IN_SIGHT, 0), ("SACK", 2, 0)]


def test_a_copy_that_came_later_may_be_the_dismissed_one():
    t = begin([unit("bee", "-1,0")], hand="bee", sack="cat ant", draws="cat ant")
    dismiss(t, "-1,0")
    turn(t, "draw")
    turn(t, "deploy", "type bee", "hex -1,-1")
    turn(t, "reveal_unit", "hex -1,-1", "draw")
    assert memory(t, "bee") == [("BATTLEGROUND", IN_SIGHT, 1), ("SACK", 0, 0)]


def test_revealed_copy_may_be_the_last_returned_and_others_keep_their_times():
    t = begin([unit("bee", "-1,0"), unit("bee", "-2,0")], sack="cat", draws="bee cat")
    dismiss(t, "-1,0")
    dismiss(t, "-2,0")
    assert memory(t, "bee") == [("SACK", 2, 0), ("SACK", 3, 0)]
    turn(t, "draw")
    drawn, other = (seen for _, seen, _ in memory(t, "bee"))
    assert {drawn, other} == {2, 3}
    turn(t, "deploy", "type bee", "hex -1,-1")
    turn(t, "reveal_unit", "hex -1,-1", "draw")
    assert memory(t, "bee") == [("BATTLEGROUND", IN_SIGHT, 2), ("SACK", 2, 0)]


def test_a_copy_drawn_between_two_dismissals_is_not_the_second():
    t = begin([unit("bee", "-1,0"), unit("bee", "-2,0")], sack="bee cat", draws="bee cat")
    dismiss(t, "-1,0")
    turn(t, "draw")
    turn(t, "deploy", "type bee", "hex -1,-1")
    dismiss(t, "-2,0")
    turn(t, "reveal_unit", "hex -1,-1", "draw")
    assert memory(t, "bee")[0] == ("BATTLEGROUND", IN_SIGHT, 1)
    assert sorted(seen for _, seen, _ in memory(t, "bee")[1:]) == [0, 3]


def test_face_down_copy_on_the_board_may_be_the_one_revealed_elsewhere():
    t = begin([unit("bee", "-1,0")], hand="bee", sack="cat ant spare", draws="bee cat ant spare")
    dismiss(t, "-1,0")
    turn(t, "draw")
    assert sorted(memory(t, "bee")) == [("HAND", 0, 0), ("HAND", 2, 1)]
    turn(t, "deploy", "type bee", "hex -1,-1", "type bee", "hex -2,-1")
    shown, other = ("-1,-1", "-2,-1") if seen_at(t, "-2,-1") else ("-2,-1", "-1,-1")
    assert (seen_at(t, shown), seen_at(t, other)) == (0, 2)
    turn(t, "reveal_unit", f"hex {shown}", "draw")
    assert (seen_at(t, shown), seen_at(t, other)) == (IN_SIGHT, 0)


def test_the_kind_of_a_unit_returned_face_down_is_known_until_a_draw():
    t = begin([unit("bee", "-1,0", face="down"), unit("ant", "-2,0", face="down")], sack="cat bolt", draws="bolt cat")
    dismiss(t, "-1,0")
    dismiss(t, "-2,0")
    assert known_kinds(t) == ["ant", "bee"]
    turn(t, "draw")
    assert len(known_kinds(t)) == 1
    turn(t, "draw")
    assert known_kinds(t) == []
    assert (memory(t, "ant"), memory(t, "bee")) == ([("SACK", 0, 0)], [("SACK", 0, 0)])


def test_if_the_unit_that_went_face_down_is_drawn_the_others_keep_their_kinds():
    t = begin([unit("bee", "-1,0", face="down"), unit("ant", "-2,0", face="down")], sack="cat", draws="ant")
    dismiss(t, "-1,0")
    dismiss(t, "-2,0")
    turn(t, "draw")
    assert known_kinds(t) == ["bee"]


def test_attachments_of_a_captive_go_back_face_down():
    held = [{"token": "bee", "owner": 0, "face": "up"}, {"token": "drill", "owner": 0, "face": "down"}]
    t = begin([unit("jailer", "4,0", 1, captives=held)], sack="cat spare", draws="cat")
    dismiss(t, "4,0")
    assert memory(t, "bee")[0][:2] in (("SACK", 2), ("SACK", 3))
    assert memory(t, "drill") == [("SACK", 0, 0)]
    assert known_kinds(t) == ["drill"]
    turn(t, "draw")
    assert known_kinds(t) == []


def test_a_draw_clears_one_known_kind_of_each_look():
    held = [{"token": name, "owner": 0, "face": "down"} for name in ("drill", "bolt")]
    held.append({"token": "bee", "owner": 0, "face": "up"})
    t = begin(
        [unit("ant", "-1,0", face="down"), unit("jailer", "4,0", 1, captives=held)], sack="cat spare", draws="cat spare"
    )
    dismiss(t, "-1,0")
    dismiss(t, "4,0")
    assert known_kinds(t) == ["ant", "bolt", "drill"]
    turn(t, "draw")
    assert known_kinds(t) in (["bolt"], ["drill"])


def test_a_raised_casualty_takes_no_mark_from_a_copy_in_the_sack():
    tokens = [*TOKENS, token_of("raiser", abilities=[able("raise")])]
    piles = {"hand": [], "sack": ["cat"], "casualties": ["bee"], "removed": []}
    idle = {"hand": [], "sack": ["spare"] * 12, "casualties": [], "removed": []}
    units = [BANISHER, unit("raiser", "0,-1"), unit("bee", "-1,0"), unit("cat", "3,0", 1)]
    t = play(tokens, units, "H", {"draw_count": 1, "hand_limit": 9}, general=[piles, idle])
    dismiss(t, "-1,0")
    t.do("raise", "hex 0,-1", "type bee").pass_all()
    t.do(next(text for text in t.legal() if text.startswith("hex")))
    assert memory(t, "bee") == [("BATTLEGROUND", IN_SIGHT, 0), ("SACK", 2, 0)]


@pytest.mark.parametrize("raised", ["-2,0", "-2,1"])
def test_which_of_those_lost_face_down_is_raised_does_not_show(raised):
    tokens = [*TOKENS, token_of("raiser", abilities=[able("raise")])]
    own = {"hand": [], "sack": ["cat"], "casualties": [], "removed": []}
    idle = {"hand": [], "sack": ["spare"] * 12, "casualties": [], "removed": []}
    names = {"-2,0": "ant", "-2,1": "ant"} | {raised: "bee"}
    units = [unit(name, cell, face="down") for cell, name in names.items()]
    units += [BANISHER, unit("raiser", "0,-1"), unit("bee", "-1,0"), unit("cat", "3,0", 1)]
    switches = {"draw_count": 1, "hand_limit": 9, "casualties_public": False}
    t = play(tokens, units, "H", switches, general=[own, idle], draws=[["cat"], []])
    dismiss(t, "-1,0")
    for number, cell in enumerate(names):
        row = t.state["cell_unit"][t.config.grid.cell(*at(cell))]
        t.state["token_drawn"][row] = number  # as if one was drawn before the dismissal, the other after it
        to_casualties(t.params[0], t.states[0], np.int64(row))
    turn(t, "draw")
    t.do("raise", "hex 0,-1", "type bee").pass_all()
    t.do(next(text for text in t.legal() if text.startswith("hex")))
    assert memory(t, "bee") == [("BATTLEGROUND", IN_SIGHT, 1), ("SACK", 0, 0)]
    assert memory(t, "ant") == [("CASUALTIES", 0, 1)]


def test_kinds_that_are_known_stay_known_of_captives():
    t = begin([unit("jailer", "1,0", 1), unit("bee", "0,1", attached=[attachment("drill")])])
    row = np.flatnonzero(t.state["token_type"] == t.type_ids.index("drill"))[0]
    t.state["token_kind_known"][row] = 1
    to_captor(t.params[0], t.states[0], np.int64(row), np.int64(t.state["cell_unit"][t.config.grid.cell(1, 0)]))
    assert t.state["token_kind_known"][row] == 1


def test_a_draw_clears_the_known_kind_of_the_face_down_unit_drawn_first():
    for drawn in ("ant", "bee", "cat"):
        units = [unit("bee", "-1,0", face="down"), unit("ant", "-2,0", face="down"), unit("raven", "-1,1")]
        t = begin(units, sack="cat", draws=drawn)
        dismiss(t, "-1,1")
        for number, name in enumerate(("bee", "ant")):
            t.state["token_drawn"][t.state["token_type"] == t.type_ids.index(name)] = number
        dismiss(t, "-1,0")
        dismiss(t, "-2,0")
        turn(t, "draw")
        state = t.state
        known = (state["token_zone"] == Zone.SACK) & (state["token_kind_known"] == 1)
        assert state["token_drawn"][known].tolist() == [1]


def test_returns_beyond_the_limit_count_as_one():
    t = begin([unit("bee", "-1,0"), unit("ant", "-2,0")], sack="cat", draws="bee")
    t.states["returns"][0, 0] = MAX_RETURNS - 1
    dismiss(t, "-1,0")
    dismiss(t, "-2,0")
    assert t.state["returns"][0] == MAX_RETURNS
    assert (memory(t, "bee"), memory(t, "ant")) == ([("SACK", MAX_RETURNS + 1, 0)], [("SACK", MAX_RETURNS + 1, 0)])
    turn(t, "draw")
    assert memory(t, "bee") == [("HAND", MAX_RETURNS + 1, MAX_RETURNS)]
