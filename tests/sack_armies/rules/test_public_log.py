"""The log of public events: all Generals learn who did what, and where (V-17, V-18)."""

import pytest

from sackarmies_env.core.observation import DIGIT_BASE
from sackarmies_env.games.sack_armies.state.constants import Decision, Event, Kind, Verb, Victory
from sackarmies_env.games.sack_armies.state.layout import OFF_BOARD, Role, Shown
from tests.sack_armies.builders.fights import able, attack, coordinate, grant, modify, play, shot, text
from tests.sack_armies.builders.ground import FIELDS, move, piles, setup
from tests.sack_armies.builders.seen import Seen
from tests.sack_armies.builders.text_game import attachment, field, token, unit

A = token("a", band="green")
ARCHER = token("archer", abilities=[shot(4)])
TYPE_TOLD = {
    *(Event.PLACE, Event.REVEAL, Event.CASUALTY, Event.CAPTURE, Event.TO_SACK, Event.REMOVE, Event.CONTROL),
    *(Event.RAISE, Event.ATTACH),
}


def told(t):
    """Return the logged events as text, oldest first: kind, General, and hex and value where there is one.

    Asserts that General 0's observation shows each event as it must.
    """
    state = t.state
    shown = Seen(t, 0).rows("log")
    names = ("log_kind", "log_player", "log_hex", "log_value")
    lines = []
    for i, (kind, player, cell, value) in enumerate(zip(*(state[name].tolist() for name in names), strict=True)):
        if kind != Event.NONE:
            lines.append(line_of(t, Event(kind), player, cell, value))
            assert shown[i] == shown_line(t, Event(kind), player, cell, value)
    return lines[::-1]


def shown_line(t, kind, player, cell, value):
    """Return an event as an observation must show it."""
    where, origin = (coordinates(t, spot) for spot in (cell, value if kind == Event.MOVE else -1))
    tells_type = kind in TYPE_TOLD and value != -1
    number = 0 if kind in TYPE_TOLD or kind == Event.MOVE else value
    if kind in (Event.DEPLOY, Event.WRONG_KIND):
        number = Shown.UNKNOWN if value == -1 else Shown[Kind(value).name]
    return {
        **{"kind": kind, "seat": player, "q": where[0], "r": where[1], "from_q": origin[0], "from_r": origin[1]},
        **{"type_low": (value + 1) % DIGIT_BASE if tells_type else 0},
        **{"type_high": (value + 1) // DIGIT_BASE if tells_type else 0},
        **{"number": number, "type": t.type_ids[value] if tells_type else None},
    }


def coordinates(t, cell):
    """Return the coordinates of a hex as observations show them."""
    if cell == -1:
        return OFF_BOARD, OFF_BOARD
    return int(t.params["cell_q"][0, cell]), int(t.params["cell_r"][0, cell])


def line_of(t, kind, player, cell, value):
    """Return an event as text."""
    where = "" if cell == -1 else f" {place(t, cell)}"
    if kind == Event.MOVE:
        what = f" from {place(t, value)}"
    elif kind in TYPE_TOLD:
        what = f" {t.type_ids[value]}" if value != -1 else " unknown"
    elif kind in (Event.ANNOUNCE, Event.CANCEL, Event.MISS):
        what = f" {Verb(value).name.lower()}"
    elif kind == Event.ELIMINATE:
        what = f" {Victory(value).name.lower()}"
    else:
        what = f" {value}"
    return f"{kind.name.lower()} {player}{where}{what}"


def place(t, cell):
    """Return the text of a hex."""
    return ",".join(str(number) for number in coordinates(t, cell))


def spell(effect, *texts, flips="", **keys):
    """Return what the log tells of a spell with one effect, cast by the "mage" on (0,0); "foe" is on (1,0)."""
    values = {name: keys.pop(name) for name in ("target", "range", "retain", "use") if name in keys}
    magic = text(
        "spell", "magic", values.pop("use", "action"), [effect], **{"target": "enemy_unit", "range": 4} | values
    )
    units = [unit("mage", "0,0", attached=[attachment("magic")]), unit("foe", "1,0", 1), unit("mage", "-1,0")]
    t = play([magic, token("mage", band="green"), token("foe"), *keys.pop("tokens", [])], units, flips, **keys)
    return told(t.do("cast", "hex 0,0", "slot 0", *texts).pass_all())


CAST = ["announce 0 0,0 cast", "reveal 0 magic"]
SPENT = [*CAST, "casualty 0 0,0 magic"]
NEXT = "turn 1 0"


def test_v_18_a_move_and_the_next_turn_are_logged():
    t = move(play([A], [unit("a", "0,0"), unit("a", "-1,0")]), "0,0", "1,0", "-1,0", "0,0")
    assert told(t) == ["move 0 1,0 from 0,0", "move 0 0,0 from -1,0", NEXT]


def test_v_07__v_18_numbers_of_tokens_drawn_and_discarded_are_logged():
    hands = [piles(sack=["a", "a", "a", "a"], hand=["a", "a"]), piles(sack=["spare"])]
    t = play([A], [unit("a", "0,0")], general=hands).do("draw", "type a", "type a", "done")
    assert told(t) == ["draw 0 3", "discard 0 2", NEXT]
    t = play([A], [unit("a", "0,0")], general=hands[::-1]).do("draw", "done")
    assert told(t) == ["draw 0 1", NEXT]


def test_v_07__v_18_discards_over_the_limit_at_the_end_of_a_turn_are_logged():
    hands = [piles(sack=["spare"], hand=["a"] * 5), piles(sack=["spare"])]
    t = move(play([A], [unit("a", "0,0")], general=hands), "0,0", "1,0").do("type a", "type a")
    assert told(t) == ["move 0 1,0 from 0,0", "discard 0 2", NEXT]


def test_v_18_deployments_are_logged_by_hex_and_whether_it_is_a_unit():
    charm = text("spell", "charm", "free", [modify("armor", 1)])
    hands = [piles(sack=["spare"], hand=["a", "charm", "plain"]), piles(sack=["spare"])]
    t = play([A, charm], [unit("a", "0,0")], general=hands)
    t.do("deploy", "type a", "hex -1,0", "type charm", "hex -1,0", "type plain", "hex -3,0")
    assert told(t) == ["deploy 0 -1,0 0", "deploy 0 -1,0 -1", "place 0 -3,0 plain", NEXT]


def test_v_18_a_melee_is_logged_from_the_announcement_to_the_advance():
    t = play([A], [unit("a", "0,0"), unit("a", "1,0", 1)], "H T | H T")
    attack(t, "melee", "0,0", "1,0", "yes")
    assert told(t) == [
        *("announce 0 1,0 melee", "flip 0 1", "flip 0 0", "flip 1 1", "flip 1 0"),
        *("casualty 1 1,0 a", "casualty 0 0,0 a", NEXT),
    ]
    t = attack(play([A], [unit("a", "0,0"), unit("a", "1,0", 1)], "H T"), "melee", "0,0", "1,0", "no").do("yes")
    assert told(t) == [
        *("announce 0 1,0 melee", "flip 0 1", "flip 0 0", "casualty 1 1,0 a", "move 0 1,0 from 0,0", NEXT),
    ]


def test_v_18_a_shooter_turns_up_after_the_announcement():
    t = play([A, ARCHER], [unit("archer", "0,0", face="down"), unit("a", "3,0", 1)], "T")
    assert told(attack(t, "ranged", "0,0", "3,0")) == ["announce 0 3,0 ranged", "reveal 0 0,0 archer", "flip 0 0", NEXT]


def test_v_18_shooters_turn_up_in_order_of_hexes_whatever_their_rows():
    for cells in (["0,0", "-1,1"], ["-1,1", "0,0"]):
        units = [*(unit("archer", cell, face="down") for cell in cells), unit("a", "2,0", 1)]
        t = coordinate(play([ARCHER, A], units, "T"), "coord_ranged", "2,0", *cells)
        assert told(t) == ["announce 0 2,0 coord_ranged", "reveal 0 0,0 archer", "reveal 0 -1,1 archer", "flip 0 0"]


def test_v_18_cancelled_attacks_and_misses_are_logged():
    wings = text("spell", "wings", "free", [grant("flying")])
    units = [unit("a", "0,0"), unit("a", "1,0", 1, attached=[attachment("wings")])]
    t = play([A, wings], units).do("melee", "hex 0,0", "hex 1,0", "reveal_token", "hex 1,0", "slot 0")
    assert told(t) == ["announce 0 1,0 melee", "reveal 1 wings", "cancel 0 1,0 melee"]
    dodge = text("maneuver", "dodge", "action", [{"kind": "relocate", "distance": 1}])
    units = [unit("a", "0,0"), unit("a", "1,0", 1, attached=[attachment("dodge")])]
    t = play([A, dodge], units).do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,0").pass_all()
    assert told(t) == [
        *("announce 0 1,0 melee", "announce 1 1,0 surprise", "reveal 1 dodge", "casualty 1 1,0 dodge"),
        *("move 1 2,0 from 1,0", "miss 0 1,0 melee", NEXT),
    ]


def test_v_18_a_cancelled_activation_is_logged():
    ward = text("spell", "ward", "free", [modify("armor", 1)])
    unmake = token("mage", band="green", abilities=[able("counter", range=4)])
    units = [unit("mage", "0,0"), unit("a", "1,0", 1, attached=[attachment("ward")])]
    t = play([A, ward, unmake], units).do("counter_token", "hex 0,0", "hex 1,0", "slot 0")
    t.do("reveal_token", "hex 1,0", "slot 0")
    assert told(t) == ["announce 0 0,0 counter_token", "reveal 1 ward", "cancel 0 0,0 counter_token"]


@pytest.mark.parametrize(
    ("effect", "texts", "lines", "flips"),
    [
        ({"kind": "damage", "amount": 1}, ["hex 1,0"], ["casualty 1 1,0 foe"], ""),
        ({"kind": "damage", "amount": 1, "flip": "single"}, ["hex 1,0"], ["flip 0 0"], "T"),
        ({"kind": "remove"}, ["hex 1,0"], ["remove 1 1,0 foe"], ""),
        ({"kind": "dismiss"}, ["hex 1,0"], ["to_sack 1 1,0 foe"], ""),
        ({"kind": "relocate", "distance": 2, "who": "target"}, ["hex 1,0", "hex 3,0"], ["move 1 3,0 from 1,0"], ""),
        ({"kind": "relocate", "distance": 1}, ["hex 1,0", "hex 0,1"], ["move 0 0,1 from 0,0"], ""),
        ({"kind": "draw", "count": 1}, ["hex 1,0"], ["draw 0 1"], ""),
        (modify("armor", 1), ["hex 1,0"], [], ""),
    ],
)
def test_v_18_what_a_spell_does_is_logged_after_its_announcement(effect, texts, lines, flips):
    assert spell(effect, *texts, flips=flips) == [*SPENT, *lines, NEXT]


@pytest.mark.parametrize(("target", "where"), [("host", ()), ("hex", ("hex 2,0",))])
def test_v_18_revealing_spell_shows_hidden_enemies_in_reach_only(target, where):
    look = text("spell", "look", "action", [{"kind": "reveal", "range": 2}], target=target)
    look |= {"range": 4} if target == "hex" else {}
    units = [unit("a", "0,0", attached=[attachment("look")]), unit("a", "-1,0", face="down"), unit("a", "4,0", 1)]
    hidden = [unit("a", cell, 1, face="down") for cell in ("2,0", "3,-1", "2,1")]
    t = play([A, look], [*units, *hidden]).do("cast", "hex 0,0", "slot 0", *where).pass_all()
    near = ["2,0"] if target == "host" else ["3,-1", "2,0", "2,1"]
    assert told(t) == [
        *("announce 0 0,0 cast", "reveal 0 look", "casualty 0 0,0 look"),
        *(f"reveal 1 {cell} a" for cell in near),
        NEXT,
    ]


def test_v_18_empty_hexes_reveal_nothing_whoever_looks():
    look = text("spell", "look", "action", [{"kind": "reveal", "range": 3}])
    units = [unit("a", "3,0", 1, attached=[attachment("look", owner=1)]), unit("a", "0,0", face="down")]
    t = play([A, look], units, to_move=1).do("cast", "hex 3,0", "slot 0").pass_all()
    lines = ["announce 1 3,0 cast", "reveal 1 look", "casualty 1 3,0 look", "reveal 0 0,0 a", "turn 0 0"]
    assert told(t) == lines


def test_v_18_an_own_unit_that_a_spell_is_aimed_at_turns_up_with_the_announcement():
    magic = text("spell", "magic", "action", [modify("armor", 1)], target="own_unit", range=2)
    units = [unit("mage", "0,0", attached=[attachment("magic")]), unit("a", "-1,0", face="down"), unit("a", "3,0", 1)]
    t = play([A, token("mage", band="green"), magic], units).do("cast", "hex 0,0", "slot 0", "hex -1,0")
    assert (t.decision, t.unit("-1,0").face) == (Decision.WINDOW, "up")
    assert told(t) == [*CAST, "reveal 0 -1,0 a"]


def test_v_18_both_moves_of_a_swap_are_logged():
    lines = spell({"kind": "swap", "distance": 4}, "hex -1,0", target="own_unit")
    assert lines == [*SPENT, "move 0 -1,0 from 0,0", "move 0 0,0 from -1,0", NEXT]


def test_v_17__v_18_a_spell_that_is_retained_returns_to_the_sack_in_public():
    assert spell(modify("armor", 1), "hex 1,0", flips="H", retain=True) == [*SPENT, "flip 0 1", "to_sack 0 magic", NEXT]
    assert spell(modify("armor", 1), "hex 1,0", flips="T", retain=True) == [*SPENT, "flip 0 0", NEXT]


def test_v_13__v_18_a_permanent_is_logged_with_its_target():
    lines = spell(modify("armor", -1), "hex 1,0", use="permanent")
    assert lines == [*CAST, "attach 0 1,0 magic", NEXT]


def test_v_17__v_18_captures_dismissals_and_raises_are_logged():
    tokens = [
        token(
            "captor",
            abilities=[
                able(kind, **({"range": 2} if kind == "dismiss" else {})) for kind in ("capture", "dismiss", "raise")
            ],
        ),
        A,
    ]
    units = [unit("captor", "0,0"), unit("a", "1,0", 1)]
    general = [piles(sack=["spare"], casualties=["a"]), piles(sack=["spare"])]

    def done(*texts, flips=""):
        return told(play(tokens, units, flips, general=general).do(*texts).pass_all())

    assert done("capture", "hex 0,0", "hex 1,0", flips="H") == [
        "announce 0 0,0 capture",
        "flip 0 1",
        "capture 1 1,0 a",
        NEXT,
    ]
    assert done("capture", "hex 0,0", "hex 1,0", flips="T") == ["announce 0 0,0 capture", "flip 0 0", NEXT]
    assert done("dismiss", "hex 0,0", "hex 1,0") == ["announce 0 0,0 dismiss", "to_sack 1 1,0 a", NEXT]
    assert done("raise", "hex 0,0", "type a", flips="H")[:2] == ["announce 0 0,0 raise", "flip 0 1"]
    t = play(tokens, units, "H", general=general).do("raise", "hex 0,0", "type a").pass_all().do("hex 0,1")
    assert told(t) == ["announce 0 0,0 raise", "flip 0 1", "raise 0 0,1 a", "reveal 0 0,1 a", NEXT]


@pytest.mark.parametrize(
    ("verb", "kind", "lines"),
    [
        ("dispel", "spell", ["casualty 1 1,0 thing"]),
        ("dispel", "maneuver", ["wrong_kind 1 1,0 2"]),
        ("counter_token", "maneuver", ["casualty 1 1,0 thing"]),
        ("counter_token", "spell", ["wrong_kind 1 1,0 3"]),
    ],
)
def test_v_12__v_18_log_names_a_removed_attachment_or_the_kind_it_is_not(verb, kind, lines):
    mage = token("mage", band="green", abilities=[able("dispel", range=3), able("counter", range=3)])
    thing = text(kind, "thing", "action", [modify("armor", 1)])
    units = [unit("mage", "0,0"), unit("a", "1,0", 1, attached=[attachment("thing")])]
    t = play([mage, A, thing], units).do(verb, "hex 0,0", "hex 1,0", "slot 0").pass_all()
    assert told(t) == [f"announce 0 0,0 {verb}", *lines, NEXT]


def test_v_18_control_and_elimination_are_logged():
    fields = [field("0,0"), field("2,0", 1), field("3,0", 1)]
    t = move(play([A], [unit("a", "1,0")], fields=fields), "1,0", "2,0")
    assert told(t) == ["move 0 2,0 from 1,0", "control 0 2,0 plain", NEXT]
    t = move(play([A], [unit("a", "1,0")], fields=fields[:2]), "1,0", "2,0")
    assert told(t) == ["move 0 2,0 from 1,0", "control 0 2,0 plain", "eliminate 1 standard"]


def test_v_18_a_shot_and_its_scatter_are_logged_hex_by_hex():
    engine = token("engine", abilities=[able("scatter"), shot(4)])
    units = [unit("engine", "0,0"), unit("a", "2,0", 1), unit("a", "3,0", 1), unit("a", "1,0")]
    t = attack(play([engine, A], units, "H H"), "ranged", "0,0", "2,0")
    assert told(t)[:3] == ["announce 0 2,0 ranged", "flip 0 1", "flip 0 1"]
    assert sorted(told(t)[3:]) == ["casualty 0 1,0 a", "casualty 1 2,0 a", "casualty 1 3,0 a", NEXT]


def test_v_18_a_full_log_forgets_the_oldest_events():
    t = play([A], [unit("a", "0,0"), unit("a", "4,0", 1)])
    moves = [("0,0", "-1,0"), ("4,0", "3,0"), ("-1,0", "0,0"), ("3,0", "4,0")]
    expected = []
    for ply in range(24):
        origin, target = moves[ply % 4]
        move(t, origin, target)
        expected += [f"move {ply % 2} {target} from {origin}", f"turn {1 - ply % 2} 0"]
        size = len(t.state["log_kind"])
        assert told(t) == expected[-size:]
    assert len(expected) > size


@pytest.mark.parametrize(("public", "shown"), [("on", "a"), ("off", "unknown")])
def test_v_14__v_18_log_names_a_unit_that_dies_face_down_if_piles_are_public(public, shown):
    engine = token("engine", abilities=[able("scatter"), shot(4)])
    units = [unit("engine", "0,0"), unit("wall", "2,0", 1), unit("a", "3,0", 1, face="down")]
    switches = {"casualties_public": public}
    t = attack(play([engine, A, token("wall", armor=9)], units, "H H", switches), "ranged", "0,0", "2,0")
    t.do(*(["pass"] if "yes" in t.legal() else []))
    assert told(t) == ["announce 0 2,0 ranged", "flip 0 1", "flip 0 1", f"casualty 1 3,0 {shown}", NEXT]


def test_v_17__v_18_a_hidden_unit_that_is_dismissed_is_not_named():
    mage = token("mage", abilities=[able("dismiss", range=3)])
    for face, shown in (("down", "unknown"), ("up", "a")):
        t = play([mage, A], [unit("mage", "0,0"), unit("a", "-1,0", face=face)])
        t.do("dismiss", "hex 0,0", "hex -1,0").pass_all()
        assert told(t) == ["announce 0 0,0 dismiss", f"to_sack 0 -1,0 {shown}", NEXT]


def test_v_18_an_announced_activation_shows_its_target_and_its_end_to_all():
    shove = text("spell", "shove", "action", [{"kind": "relocate", "distance": 2, "who": "target"}])
    shove |= {"target": "enemy_unit", "range": 4}
    units = [unit("a", "0,0", attached=[attachment("shove")]), unit("a", "1,0", 1)]
    t = play([A, shove], units).do("cast", "hex 0,0", "slot 0", "hex 1,0")
    assert Seen(t, 0).globals["act_verb"] == Verb.CAST
    assert (Seen(t, 1).globals["act_verb"], Seen(t, 1).globals["act_q"]) == (0, OFF_BOARD)  # not announced yet
    t.do("hex 3,0")
    for viewer in (0, 1):
        seen = Seen(t, viewer).globals
        names = ("act_verb", "act_q", "act_r", "act_to_q", "act_to_r")
        assert [seen[name] for name in names] == [Verb.CAST, 1, 0, 3, 0]
        roles = {cell: Seen(t, viewer).on(cell, kind=Shown.UNIT)[0]["act_role"] for cell in ("0,0", "1,0")}
        assert roles == {"0,0": Role.ACTS, "1,0": Role.TARGET}


@pytest.mark.parametrize(("hand", "lines"), [(0, []), (2, ["draw 0 2", "draw 1 2"])])
def test_c_initial_hand__v_07_an_opening_hand_is_logged(hand, lines):
    t = place_fields(setup("H T", initial_hand=hand, sacks=[[*FIELDS, "a", "a", "a"]] * 2))
    assert [line for line in told(t) if line.startswith(("draw", "turn"))] == [*lines, "turn 0 0"]


def place_fields(t):
    """Play Setup to its end, always with the first legal action."""
    while t.decision in (Decision.SETUP_PICK, Decision.SETUP_TYPE, Decision.SETUP_HEX):
        t.do(t.legal()[0])
    return t
