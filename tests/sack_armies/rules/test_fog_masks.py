"""Twin worlds: a General's decisions, legal actions and observations do not depend on what is hidden from them.

Each test sets up several copies of a position that differ only in tokens that General 0 cannot identify, and plays the
same actions in all of them. General 0's legal actions must agree at every decision, and the observations at the end.
"""

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.games.sack_armies.state.layout import make_observation_spec
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.fights import able, asked, modify, scenario, shot, text
from tests.sack_armies.builders.text_game import B1, TextGame, attachment, field, token, unit

TEXTS = [
    text("spell", "charm", "free", [modify("armor", 3)]),
    text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4),
    text("maneuver", "drill", "free", [modify("damage", 2)]),
    text("maneuver", "step_back", "action", [{"kind": "relocate", "distance": 1}]),
    text("maneuver", "brace", "action", [modify("armor", 2)]),
]
UNMAKE = text("spell", "unmake", "action", [{"kind": "dispel"}], target="enemy_unit", range=4)
BREAK = text("maneuver", "break_ranks", "action", [{"kind": "counter"}], target="enemy_unit", range=4)
HIDDEN_TEXTS = ["charm", "bolt", "drill", "step_back"]  # spells and maneuvers, free and action
HIDDEN_UNITS = {
    "soldier": {},
    "eagle": {"abilities": [able("flying")]},
    "archer": {"abilities": [shot(3), able("scatter")]},
    "newt": {"abilities": [able("aquatic"), able("augment", stat="armor", amount=2)]},
    "guard": {"abilities": [able("defend"), able("leadership"), able("draw")], "armor": 5, "movement": 4},
}
OWN = {
    "sage": {"abilities": [able("counter", range=4), able("dispel", range=4), able("dismiss", range=4)]},
    "rider": {"abilities": [able("move_and_attack"), able("capture"), able("raise")], "movement": 3},
    "bowman": {"abilities": [shot(4), able("ambush")]},
    "mage": {},
}
LAKE = {"id": "lake", "kind": "battlefield", "water": True, "favors_aquatic": True}


def twins(units, alternatives, flips="", **keys):
    """Return one table for each of `alternatives`, which `units` puts where General 0 cannot see it."""
    tokens = [token(name, band="green", **values) for name, values in {**HIDDEN_UNITS, **OWN}.items()]
    tokens += [token("d", band="green", armor=3), LAKE, UNMAKE, BREAK, *TEXTS]
    pile = {"hand": [], "sack": ["spare"], "casualties": ["mage"], "removed": []}
    keys = {"general": [pile, pile], **keys}
    return [TextGame(scenario(tokens, units(one), flips, **keys)) for one in alternatives]


def choice(t):
    """Return the current player and, if that is General 0, the decision and the legal actions."""
    return (t.player, t.decision, t.legal()) if t.player == 0 else (t.player, None, [])


def observation(t):
    """Return what General 0 observes."""
    spec = make_observation_spec(2, len(t.type_ids), int(t.params["tokens_per_general"][0]))
    out = np.zeros((1, len(spec.low)), np.int8)
    entry.observe(t.params, t.states, np.zeros(1, np.int64), out)
    return out.tobytes()


def play_alike(tables, *texts):
    """Play the texts in all worlds and return General 0's legal actions afterward.

    Asserts that the worlds agree on `choice` before and after each text, and on General 0's observation at the end.
    """
    for words in (*texts, None):
        choices = [choice(t) for t in tables]
        assert all(one == choices[0] for one in choices), words
        if words is not None:
            for t in tables:
                t.do(words)
    assert len({observation(t) for t in tables}) == 1, texts
    return choices[0][2]


# --- unknown attachments


def under_one_host(attached):
    """Return units: General 1's "d" on (2,0) with an unknown token between two known ones, on (3,0) with it alone."""
    return [
        unit("sage", "0,0"),
        unit("mage", "-1,0", attached=[attachment("unmake"), attachment("break_ranks")]),
        unit("d", "2,0", 1, attached=[attachment("drill", "up"), attachment(attached), attachment("charm", "up")]),
        unit("d", "3,0", 1, attached=[attachment(attached)]),
    ]


@pytest.mark.parametrize(("verb", "known"), [("counter_token", "slot 0"), ("dispel", "slot 2")])
def test_d_19__q_49_slots_of_counter_and_dispel_reveal_nothing(verb, known):
    tables = twins(under_one_host, HIDDEN_TEXTS)
    for t in tables:
        assert t.copy().do(verb, "hex 0,0").legal() == ["hex -1,0", "hex 2,0", "hex 3,0"]
    assert sorted(play_alike(tables, verb, "hex 0,0", "hex 2,0")) == sorted([known, "slot 1"])
    play_alike(tables, "slot 1")


@pytest.mark.parametrize(("slot", "known"), [("slot 0", "slot 2"), ("slot 1", "slot 0")])
def test_d_21__q_49_slots_of_texts_that_counter_or_dispel_reveal_nothing(slot, known):
    tables = twins(under_one_host, HIDDEN_TEXTS)
    for t in tables:
        assert t.copy().do("cast", "hex -1,0", slot).legal() == ["hex 2,0", "hex 3,0"]
    assert sorted(play_alike(tables, "cast", "hex -1,0", slot, "hex 2,0")) == sorted([known, "slot 1"])
    play_alike(tables, "slot 1")


@pytest.mark.parametrize("hidden", ["attachments", "hosts"])
@pytest.mark.parametrize("value", ["spend", "refuse_known_only"])
@pytest.mark.parametrize(("slot", "known"), [("slot 0", "slot 2"), ("slot 1", "slot 0")])
def test_d_21__q_49__r8_2_2_3_texts_aimed_at_hidden_hosts_reveal_nothing(slot, known, value, hidden):
    def units(unknown):
        host, under = ("guard", unknown) if hidden == "attachments" else (unknown, "bolt")
        stack = [attachment("drill", "up"), attachment(under), attachment("charm", "up")]
        return [
            unit("mage", "0,0", attached=[attachment("unmake"), attachment("break_ranks")]),
            unit(host, "2,0", 1, face="down", attached=stack),
            unit(host, "2,1", 1, face="down"),
            unit("d", "3,-1", 1, face="down", attached=[attachment(under)]),
        ]

    alternatives = HIDDEN_TEXTS if hidden == "attachments" else HIDDEN_UNITS
    tables = twins(units, alternatives, switches={"blind_target_wrong_kind": value})
    hosts, slots = (["hex 3,-1", "hex 2,0"], [known, "slot 1"]) if value == "spend" else (["hex 2,0"], [known])
    assert play_alike(tables, "cast", "hex 0,0", slot) == hosts  # nothing lies under the unit on (2,1)
    assert sorted(play_alike(tables, "hex 2,0")) == sorted(slots)
    play_alike(tables, slots[-1])
    assert {(t.decision, t.unit("2,0").face) for t in tables} == {(Decision.WINDOW, "down")}  # it is announced


@pytest.mark.parametrize(("verb", "slots"), [("dispel", ["slot 2"]), ("counter_token", ["slot 0", "slot 1"])])
def test_q_49_after_a_blind_choice_of_the_wrong_kind_the_kind_alone_is_known(verb, slots):
    tables = twins(under_one_host, ["drill", "step_back", "brace"])  # all maneuvers
    for t in tables:
        t.do("dispel", "hex 0,0", "hex 2,0", "slot 1", "pass", "pass", "draw", "done")
    assert play_alike(tables, verb, "hex 0,0", "hex 2,0") == slots


@pytest.mark.parametrize(("verb", "flips"), [("melee", "T | H T | T"), ("ranged", "H | T")])
def test_d_22__d_23__d_24_attack_does_not_reveal_attachments(verb, flips):
    def units(attached):
        stack = [attachment(attached), attachment(attached)]
        return [unit("bowman", "0,0"), unit("d", "1,0", 1, attached=stack), unit("d", "4,0", 1, face="down")]

    tables = twins(units, HIDDEN_TEXTS, flips)
    assert play_alike(tables, verb, "hex 0,0", "hex 1,0", "pass") == ["pass"]
    assert asked(tables[0]) == (0, Decision.WINDOW)
    play_alike(tables, "pass", *(["yes"] if verb == "melee" else []), "yes")
    assert {asked(t) for t in tables} == {(1, Decision.MENU)}


def test_d_14__d_15__d_26_coordinated_attack_does_not_reveal_attachments():
    def units(attached):
        stack = [attachment(attached)]
        return [unit("bowman", "0,0"), unit("bowman", "0,1"), unit("d", "1,0", 1, attached=stack)]

    tables = twins(units, HIDDEN_TEXTS, "H | H T | T")
    texts = ("coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done", "pass", "pass", "yes")
    assert play_alike(tables, *texts) == ["hex 0,0", "hex 0,1"]
    play_alike(tables, "hex 0,0")


# --- unknown units


def hidden_at(*cells):
    """Return a function from a type to units: face-down ones of General 1 with that type, among known ones of both."""

    def units(hidden):
        own = [unit("rider", "-1,0"), unit("sage", "-2,0"), unit("bowman", "-2,1"), unit("bowman", "-1,1")]
        own[1]["attached"] = [attachment("bolt")]
        return [*own, *(unit(hidden, cell, 1, face="down") for cell in cells), unit("d", "4,-1", 1)]

    return units


LAKES = [field(cell, g, "lake" if g == 1 else "plain") for g, cells in B1.items() for cell in cells]


@pytest.mark.parametrize("keys", [{}, {"fields": LAKES}])
def test_d_16__d_17_move_and_attack_does_not_reveal_an_unknown_target(keys):
    tables = twins(hidden_at("2,0", "3,0"), HIDDEN_UNITS, **keys)
    for t in tables:
        assert t.copy().do("move_attack", "hex -1,0").legal() == ["hex 2,0"]
    texts = ("move_attack", "hex -1,0", "hex 2,0", "pass", "pass")
    assert sorted(play_alike(tables, *texts)) == ["hex 1,0", "hex 1,1", "hex 2,-1"]


def test_d_16_reach_of_a_move_does_not_reveal_unknown_flyers():
    tables = twins(hidden_at("1,0", "1,1"), HIDDEN_UNITS)
    reached = play_alike(tables, "move", "hex -1,0")
    assert ("hex 0,0" in reached, "hex 2,0" in reached) == (True, False)  # known flyers could be passed


def test_d_13__d_18__d_19_unknown_units_are_in_no_choice():
    tables = twins(hidden_at("1,0", "2,0"), HIDDEN_UNITS)
    menu = ["draw", "move", "move_attack", "dispel", "dismiss", "raise"]
    assert play_alike(tables) == menu  # no melee, no shot, no capture; the bolt has no target
    for t in tables:
        assert sorted(t.copy().do("dismiss", "hex -2,0").legal()) == ["hex -1,0", "hex -1,1", "hex -2,1"]
        assert t.copy().do("dispel", "hex -2,0").legal() == ["hex -2,0"]


def test_d_20_hexes_of_a_raise_do_not_reveal_unknown_units():
    tables = twins(hidden_at("1,0"), HIDDEN_UNITS, "H")
    texts = ("raise", "hex -1,0", "type mage", "pass", "pass")
    assert sorted(play_alike(tables, *texts)) == ["hex -1,-1", "hex 0,-1", "hex 0,0"]


def test_d_22_windows_of_an_attack_do_not_reveal_unknown_units():
    def units(hidden):
        return [unit("bowman", "0,0"), unit("d", "1,0", 1), *(unit(hidden, c, 1, face="down") for c in ("2,0", "3,0"))]

    tables = twins(units, HIDDEN_UNITS, "H T | T")
    play_alike(tables, "melee", "hex 0,0", "hex 1,0", "pass", "pass", "no", "no")
    assert {asked(t) for t in tables} == {(1, Decision.MENU)}


@pytest.mark.parametrize("slots", [1, 2])
def test_d_28_scatter_that_does_not_kill_reveals_only_the_armor(slots):
    def units(attached):
        host = unit("guard", "3,0", 1, face="down", attached=[attachment(attached)] * slots)
        return [unit("archer", "0,0"), unit("d", "2,0", 1), host]

    tables = twins(units, HIDDEN_TEXTS, "H | H")
    play_alike(tables, "ranged", "hex 0,0", "hex 2,0", "pass", "pass")
    assert {asked(t) for t in tables} == {(1, Decision.MENU)}


def test_d_22_the_opponents_sack_and_hand_are_in_no_choice():
    own = {"hand": [], "sack": ["spare"], "casualties": ["mage"], "removed": []}
    tables = []
    for kind in HIDDEN_UNITS:
        general = [own, own | {"hand": [kind], "sack": [kind, "spare"]}]
        units = [unit("bowman", "0,0"), unit("sage", "-1,0"), unit("d", "3,0", 1)]
        tables += twins(lambda _, units=units: units, [kind], "T", general=general)
    play_alike(tables, "ranged", "hex 0,0", "hex 3,0", "pass", "pass")
    assert {asked(t) for t in tables} == {(1, Decision.MENU)}
