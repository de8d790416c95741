"""Visibility (V-01 to V-23), item by item: a position as both sides observe it."""

import numpy as np
import pytest

from sackarmies_env.core.observation import NOBODY
from sackarmies_env.core.state import alloc
from sackarmies_env.games.sack_armies.belief.determinize import determinize_games
from sackarmies_env.games.sack_armies.config import build_params, capacity_for, make_config
from sackarmies_env.games.sack_armies.state.actions import make_action_space
from sackarmies_env.games.sack_armies.state.constants import Decision, Event, Face, Verb, Zone
from sackarmies_env.games.sack_armies.state.layout import UNTOLD, Place, Role, Shown, ShownFace
from sackarmies_env.games.sack_armies.state.record import IN_SIGHT, make_state_dtype
from sackarmies_env.games.sack_armies.state.zones import set_face, set_seen
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.fights import able, grant, modify, play, shot, text
from tests.sack_armies.builders.seen import Seen, observation
from tests.sack_armies.builders.text_game import TextGame, attachment, field, token, unit

TOKENS = [
    token("soldier", movement=2, damage=2, armor=3, band="green", homeland="empire", type="infantry", rank=2),
    token("archer", movement=1, damage=1, armor=1, abilities=[shot(3)]),
    token("sage", abilities=[able("dismiss", range=3), able("dispel", range=3)], band="green"),
    token("captor", abilities=[able("capture")], band="green"),
    token("leader", abilities=[able("augment", stat="armor", amount=2)], band="green"),
    text("spell", "charm", "free", [modify("armor", 3)]),
    text("spell", "curse", "permanent", [modify("armor", -1)], target="enemy_unit", range=4),
    text("spell", "bolt", "action", [{"kind": "damage", "amount": 5}], target="enemy_unit", range=4, retain=True),
    text("maneuver", "drill", "free", [grant("flying")]),
]
UNKNOWN = {"type": None, "rank": 0, "band": 0, "class": 0, "homeland": 0, "movement": 0, "damage": 0, "armor": 0}


def piles(**zones):
    """Return a General's entry; zones that are not given are empty, except for one unit in the sack."""
    return {"hand": [], "sack": ["spare"], "casualties": [], "removed": []} | zones


def seen_by_both(t: TextGame) -> tuple[Seen, Seen]:
    return Seen(t, 0), Seen(t, 1)


def known(row, *names):
    return {name: row[name] for name in names}


# --- armies, sacks, hands


def test_v_01_the_army_list_is_hidden_unless_lists_are_open():
    general = [piles(), piles(sack=["spare", "archer", "archer"], hand=["sage"])]
    closed = Seen(play(TOKENS, [unit("soldier", "3,0", 1, face="down")], general=general), 0)
    opened = Seen(
        play(TOKENS, [unit("soldier", "3,0", 1, face="down")], general=general, switches={"open_army_lists": True}), 0
    )
    assert closed.counts("known_1") == {}
    assert opened.counts("known_1") == {"spare": 1, "archer": 2, "sage": 1, "soldier": 1}


def dismissed_and_deployed(hand: list[str], sack: list[str], *texts: str) -> TextGame:
    """Return a table on which General 1's archer was dismissed and, after `texts`, an archer deployed beside a foe."""
    general = [piles(sack=["spare"] * 3), piles(sack=sack, hand=hand)]
    switches = {"draw_count": 1, "hand_limit": 3}
    units = [unit("sage", "0,0"), unit("archer", "2,0", 1)]
    t = play(TOKENS, units, switches=switches, general=general, draws=[[], ["archer"]])
    t.do("dismiss", "hex 0,0", "hex 2,0", "pass", "pass")
    assert Seen(t, 0).counts("known_1") == {"archer": 1}
    t.do(*texts, "deploy", "type archer", "hex 1,0")
    assert [row["type"] for row in Seen(t, 0).on("1,0", kind=Shown.UNIT)] == ["archer"]
    return t


def test_v_01_a_token_that_may_be_one_seen_before_is_not_counted_twice():
    t = dismissed_and_deployed([], ["spare"], "draw", "pass", "draw", "pass")
    assert Seen(t, 0).counts("known_1") == {}


def test_v_01_a_token_that_cannot_be_the_one_seen_before_is_another():
    t = dismissed_and_deployed(["archer"], ["spare"])
    assert Seen(t, 0).counts("known_1") == {"archer": 1}


SMALL_ARMY = {"name": "small", "tokens": {"plain": 4, "swamp": 3, "goblin_infantry": 3}}


def new_game(seed=1, **options) -> TextGame:
    """Return a game at the start of Setup."""
    config = make_config(2, SMALL_ARMY, **options)
    t = object.__new__(TextGame)
    t.config, t.params = config, build_params(config)
    t.text = make_action_space(config.type_ids, config.grid)
    t.type_ids = config.type_ids
    t.states = alloc(make_state_dtype(capacity_for(config)), 1)
    entry.reset(t.params, t.states, np.array([seed], np.int64))
    return t


def test_v_02_of_the_picks_for_setup_others_see_only_how_many_are_left():
    t = new_game()
    assert (t.player, t.decision) == (0, Decision.SETUP_PICK)
    before = observation(t, 1)
    t.do("type plain", "type swamp")
    assert [row["type"] for row in Seen(t, 0).tokens(place=Place.PICKED)] == ["plain", "swamp"]
    assert known(Seen(t, 0).generals[0], "to_place", "sack") == {"to_place": 2, "sack": 8}
    assert (observation(t, 1) == before).all()  # not even how many have been picked so far
    assert known(Seen(t, 1).generals[1], "to_place", "sack") == {"to_place": 5, "sack": 5}
    t.do(*["type plain"] * 3, "type swamp", *["type plain"] * 4)
    assert t.decision == Decision.SETUP_TYPE
    for seat in (0, 1):
        assert known(Seen(t, seat).generals[1], "to_place", "sack") == {"to_place": 5, "sack": 5}
        assert Seen(t, seat).tokens(place=Place.PICKED, owner=1) == []
    first = t.player
    t.do("type plain")  # General one has no choice of hexes
    assert Seen(t, 1 - first).generals[1]["to_place"] == 4


def test_v_03_battlefields_are_public_with_type_owner_and_controller():
    fields = [field("0,0"), field("-1,0"), field("2,0", 1), field("3,0", 1, controller=0), field("4,0", 1, "swamp")]
    t = play(TOKENS, [unit("soldier", "0,0"), unit("soldier", "4,0", 1)], fields=fields)
    for viewer, owner, controller in ((0, 1, 0), (1, 0, 1)):
        (row,) = Seen(t, viewer).on("3,0", kind=Shown.BATTLEFIELD)
        assert known(row, "type", "owner", "controller", "face") == {
            "type": "plain",
            "owner": owner,
            "controller": controller,
            "face": ShownFace.UP,
        }
        (row,) = Seen(t, viewer).on("4,0", kind=Shown.BATTLEFIELD)
        assert known(row, "type", "water") == {"type": "swamp", "water": 1}
    own, other = Seen(t, 1).generals
    assert known(own, "fields_owned", "fields_controlled", "fields_kept") == {
        "fields_owned": 3,
        "fields_controlled": 2,
        "fields_kept": 2,
    }
    assert known(other, "fields_owned", "fields_controlled", "fields_kept") == {
        "fields_owned": 2,
        "fields_controlled": 3,
        "fields_kept": 2,
    }


def test_v_04_the_contents_of_a_sack_are_known_to_its_owner_but_not_their_order():
    general = [piles(sack=["archer", "sage", "archer"]), piles(sack=["captor"])]
    t = play(TOKENS, [unit("soldier", "0,0"), unit("soldier", "4,0", 1)], general=general)
    own, other = seen_by_both(t)
    assert own.counts("own_sack") == {"archer": 2, "sage": 1}
    assert other.counts("own_sack") == {"captor": 1}
    shuffled = t.copy()
    sack = np.flatnonzero((t.state["token_zone"] == Zone.SACK) & (t.state["token_owner"] == 0))
    shuffled.states["token_type"][0, sack] = t.states["token_type"][0, sack[::-1]]
    assert (shuffled.states["token_type"] != t.states["token_type"]).any()
    for viewer in (0, 1):
        assert (observation(shuffled, viewer) == observation(t, viewer)).all()


@pytest.mark.parametrize(("public", "shown"), [(True, 3), (False, UNTOLD)])
def test_v_05_the_size_of_a_sack_is_public_unless_agreed_otherwise(public, shown):
    general = [piles(sack=["archer", "sage"]), piles(sack=["captor", "archer", "sage"])]
    units = [unit("soldier", "0,0"), unit("soldier", "4,0", 1)]
    t = play(TOKENS, units, general=general, switches={"sack_count_public": public})
    assert [row["sack"] for row in Seen(t, 0).generals] == [2, shown]


def test_v_06_of_a_hand_others_see_only_the_size():
    units = [unit("soldier", "0,0"), unit("soldier", "4,0", 1)]
    general = [piles(), piles(hand=["bolt", "sage"])]
    own, other = Seen(play(TOKENS, units, general=general), 1), Seen(play(TOKENS, units, general=general), 0)
    assert sorted(row["type"] for row in own.tokens(place=Place.HAND)) == ["bolt", "sage"]
    assert other.tokens(place=Place.HAND) == []
    assert other.generals[1]["hand"] == own.generals[0]["hand"] == 2
    others = play(TOKENS, units, general=[piles(), piles(hand=["archer", "drill"])])
    assert (other.vector == observation(others, 0)).all()


def test_v_07_of_draws_and_discards_others_see_only_the_numbers():
    general = [piles(sack=["archer", "sage", "bolt", "drill"]), piles()]
    t = play(TOKENS, [unit("soldier", "0,0"), unit("soldier", "4,0", 1)], general=general, draws=[["sage", "bolt"], []])
    t.do("draw", "type sage", "done")
    own, other = seen_by_both(t)
    for seen, seat in ((own, 0), (other, 1)):
        (drawn,), (discarded,) = seen.events(Event.DRAW), seen.events(Event.DISCARD)
        assert known(drawn, "seat", "number", "type") == {"seat": seat, "number": 3, "type": None}
        assert known(discarded, "seat", "number", "type") == {"seat": seat, "number": 1, "type": None}
        assert known(seen.generals[seat], "hand", "sack") == {"hand": 2, "sack": 2}
    assert other.tokens(place=Place.HAND) == []
    assert other.counts("known_1") == {}


# --- units


def test_v_08_a_face_down_unit_is_followed_by_place_and_owner():
    general = [piles(), piles()]
    units = [unit("soldier", "-2,0", face="down"), unit("archer", "-2,1", face="down"), unit("soldier", "4,0", 1)]
    t = play(TOKENS, units, general=general)
    t.do("move", "hex -2,0", "hex 0,-1")
    assert t.decision == Decision.MOVE_UNIT  # the other may be moved too
    other = Seen(t, 1)
    (moved,) = other.on("0,-1")
    expected = {"kind": Shown.UNIT, "owner": 1, "controller": 1, "face": ShownFace.DOWN, "moved": 1}
    assert known(moved, *expected) == expected
    assert moved["public_movement"] == 2  # the same token is known to have moved two hexes
    (stayed,) = other.on("-2,1", kind=Shown.UNIT)
    assert known(stayed, "moved", "public_movement") == {"moved": 0, "public_movement": 0}
    (event,) = other.events(Event.MOVE)
    assert known(event, "seat", "from_q", "from_r", "q", "r") == {
        "seat": 1,
        "from_q": -2,
        "from_r": 0,
        "q": 0,
        "r": -1,
    }


def test_v_09_type_of_a_face_down_unit_is_seen_by_its_owner_alone():
    t = play(TOKENS, [unit("soldier", "0,0", face="down"), unit("soldier", "4,0", 1)])
    own, other = seen_by_both(t)
    (row,) = own.on("0,0", kind=Shown.UNIT)
    values = {
        "type": "soldier",
        "movement": 2,
        "damage": 2,
        "armor": 3,
        "rank": 2,
        "band": 3,
        "class": 1,
        "homeland": 3,
    }
    assert known(row, *values) == values
    assert known(row, "effective_movement", "effective_damage", "effective_armor") == {
        "effective_movement": 2,
        "effective_damage": 2,
        "effective_armor": 3,
    }
    (row,) = other.on("0,0", kind=Shown.UNIT)
    place = {"place": Place.BATTLEGROUND, "kind": Shown.UNIT, "owner": 1, "controller": 1}
    assert {name for name, value in row.items() if value} == {*place}
    assert known(row, *UNKNOWN) == UNKNOWN


def test_v_10_a_face_up_unit_is_public_with_stats_from_visible_effects():
    def units(face, charm):
        return [
            unit("soldier", "0,0", attached=[attachment("charm", charm)]),
            unit("leader", "-1,0", face=face),
            unit("soldier", "4,0", 1),
        ]

    for face, charm, armor in (("up", "up", 8), ("up", "down", 5), ("down", "up", 6), ("down", "down", 3)):
        t = play(TOKENS, units(face, charm))
        for viewer in (0, 1):
            (row,) = Seen(t, viewer).on("0,0", kind=Shown.UNIT)
            assert known(row, "type", "armor", "effective_armor") == {
                "type": "soldier",
                "armor": 3,
                "effective_armor": armor,
            }


def test_v_10_granted_abilities_show_and_printed_ones_keep_their_values():
    units = [
        unit("archer", "0,0"),
        unit("soldier", "-1,0", attached=[attachment("drill", "up")]),
        unit("sage", "4,0", 1),
    ]
    seen = Seen(play(TOKENS, units), 1)
    assert known(seen.on("0,0", kind=Shown.UNIT)[0], "range", "flying") == {"range": 3, "flying": 0}
    assert known(seen.on("-1,0", kind=Shown.UNIT)[0], "range", "flying") == {"range": 0, "flying": 1}


# --- attachments


def stacked(*attached):
    return [unit("soldier", "0,0", attached=list(attached)), unit("soldier", "4,0", 1)]


def test_v_11_number_and_order_of_attachments_are_public():
    attached = [attachment("drill"), attachment("charm", "up"), attachment("bolt")]
    t = play(TOKENS, stacked(*attached))
    for viewer, types in ((0, ["drill", "charm", "bolt"]), (1, [None, "charm", None])):
        seen = Seen(t, viewer)
        assert seen.on("0,0", kind=Shown.UNIT)[0]["attachments"] == 3
        rows = seen.on("0,0", place=Place.ATTACHED)
        assert [(row["slot"], row["type"]) for row in rows] == list(enumerate(types))
    turned = play(TOKENS, stacked(*attached[::-1]))
    assert [row["type"] for row in Seen(turned, 1).on("0,0", place=Place.ATTACHED)] == [None, "charm", None]


def test_v_12_type_and_kind_of_a_face_down_attachment_are_seen_by_its_owner_alone():
    seen = {name: seen_by_both(play(TOKENS, stacked(attachment(name)))) for name in ("drill", "charm", "bolt")}
    for name, (own, other) in seen.items():
        (row,) = own.on("0,0", place=Place.ATTACHED)
        assert known(row, "type", "face") == {"type": name, "face": ShownFace.DOWN}
        assert row["kind"] == (Shown.MANEUVER if name == "drill" else Shown.SPELL)
        (row,) = other.on("0,0", place=Place.ATTACHED)
        assert {feature for feature, value in row.items() if value} == {"place", "owner", "controller"}
        assert (other.vector == seen["drill"][1].vector).all()


def test_v_12_a_dispel_that_fails_reveals_only_the_kind():
    units = [unit("sage", "0,0"), unit("soldier", "2,0", 1, attached=[attachment("drill")])]
    t = play(TOKENS, units).do("dispel", "hex 0,0", "hex 2,0", "slot 0", "pass", "pass")
    (row,) = Seen(t, 0).on("2,0", place=Place.ATTACHED)
    assert known(row, "kind", "type", "face") == {"kind": Shown.MANEUVER, "type": None, "face": ShownFace.DOWN}
    (event,) = Seen(t, 0).events(Event.WRONG_KIND)
    assert known(event, "seat", "number") == {"seat": 1, "number": Shown.SPELL}


def test_v_13_revealed_attachments_and_permanents_are_public_on_whom_and_from_whom():
    units = [unit("soldier", "0,0", attached=[attachment("curse")]), unit("soldier", "2,0", 1)]
    t = play(TOKENS, units).do("cast", "hex 0,0", "slot 0", "hex 2,0", "pass", "pass")
    for viewer, owner in ((0, 0), (1, 1)):
        (row,) = Seen(t, viewer).on("2,0", place=Place.ATTACHED)
        expected = {"type": "curse", "owner": owner, "face": ShownFace.IN_EFFECT, "armor": -1, "slot": 0}
        assert known(row, *expected) == expected
        (host,) = Seen(t, viewer).on("2,0", kind=Shown.UNIT)
        assert known(host, "armor", "effective_armor") == {"armor": 3, "effective_armor": 2}


# --- piles and captives


@pytest.mark.parametrize("public", [True, False])
def test_v_14_casualties_and_removed_tokens_are_public_unless_agreed_otherwise(public):
    general = [piles(), piles(casualties=["archer", "archer"], removed=["sage"])]
    units = [unit("soldier", "0,0"), unit("soldier", "4,0", 1)]
    other, own = seen_by_both(play(TOKENS, units, general=general, switches={"casualties_public": public}))
    assert own.counts("casualties_0") == {"archer": 2}
    assert [row["type"] for row in own.tokens(place=Place.REMOVED)] == ["sage"]
    assert known(other.generals[1], "casualties", "removed") == {"casualties": 2, "removed": 1}
    assert other.counts("casualties_1") == ({"archer": 2} if public else {})
    assert [row["type"] for row in other.tokens(place=Place.REMOVED)] == (["sage"] if public else [])


@pytest.mark.parametrize(("public", "shown"), [(True, {"soldier": 1, "bolt": 1}), (False, {"soldier": 1})])
def test_v_14_face_down_tokens_lost_with_their_host_become_public_on_a_public_pile(public, shown):
    units = [unit("soldier", "0,0"), unit("soldier", "1,0", 1, attached=[attachment("bolt")]), unit("sage", "4,0", 1)]
    t = play(TOKENS, units, "H H T", switches={"casualties_public": public})
    t.do("melee", "hex 0,0", "hex 1,0", "pass", "pass", "no", "no")
    assert Seen(t, 0).counts("casualties_1") == shown
    assert Seen(t, 1).counts("casualties_0") == {"soldier": 1, "bolt": 1}


def test_v_15_a_captive_and_its_captor_are_public_its_face_down_attachments_are_not():
    held = [attachment("charm", "up"), attachment("bolt")]
    units = [unit("captor", "0,0"), unit("soldier", "1,0", 1, attached=held), unit("sage", "4,0", 1)]
    t = play(TOKENS, units, "H").do("capture", "hex 0,0", "hex 1,0", "pass", "pass")
    for viewer, types in ((0, ["charm", None, "soldier"]), (1, ["charm", "bolt", "soldier"])):
        seen = Seen(t, viewer)
        rows = seen.on("0,0", place=Place.CAPTURED)
        assert [row["type"] for row in rows] == types  # in the order of the stack, the unit last
        assert {row["owner"] for row in rows} == {1 - viewer}
        assert seen.on("0,0", kind=Shown.UNIT)[0]["captives"] == 3
        assert seen.generals[1 - viewer]["captured"] == 3


@pytest.mark.parametrize("first", [0, 1])
def test_v_12__v_15_order_of_captives_does_not_reveal_their_types(first):
    views = set()
    for hidden in ("aegis", "jinx"):  # before and after "drill" in the order of types
        tokens = [text("maneuver", "aegis", "free", [grant("flying")]), *TOKENS]
        tokens.append(text("maneuver", "jinx", "free", [grant("flying")]))
        stack = [attachment(name) for name in (("drill", hidden), (hidden, "drill"))[first]]
        units = [unit("sage", "2,0"), unit("captor", "0,0"), unit("soldier", "1,0", 1, attached=stack)]
        t = play(tokens, [*units, unit("soldier", "4,0", 1)], "H")
        t.do("dispel", "hex 2,0", "hex 1,0", f"slot {first}", "pass", "pass")  # its kind is known now
        t.do("move", "hex 4,0", "hex 4,1", "pass")
        t.do("capture", "hex 0,0", "hex 1,0", "pass", "pass")
        assert [row["kind"] for row in Seen(t, 0).on("0,0", place=Place.CAPTURED)].count(Shown.MANEUVER) == 1
        views.add(Seen(t, 0).vector.tobytes())
    assert len(views) == 1


def test_v_14_which_of_several_lost_copies_is_raised_does_not_depend_on_rows():
    views = set()
    for place in (0, 1):
        general = [piles(casualties=["soldier", "soldier"]), piles()]
        units = [unit("necromancer", "0,0"), unit("soldier", "4,0", 1)]
        tokens = [*TOKENS, token("necromancer", abilities=[able("raise")])]
        t = play(tokens, units, "H", general=general, switches={"casualties_public": False})
        rows = np.flatnonzero(t.state["token_zone"] == Zone.CASUALTIES)
        set_face(
            t.params[0], t.states[0], rows[place], Face.UP
        )  # all saw this copy when it was lost, but not the other
        set_seen(t.states[0], rows[place], IN_SIGHT)
        t.do("raise", "hex 0,0", "type soldier", "pass", "pass", "hex -1,0")
        assert Seen(t, 1).counts("casualties_1") == {}
        views.add(Seen(t, 1).vector.tobytes())
    assert len(views) == 1


def test_v_15_of_captives_that_return_to_the_sack_nothing_more_is_shown():
    held = [{"token": "soldier", "owner": 1}, {"token": "bolt", "owner": 1, "face": "down"}]
    units = [unit("captor", "0,0", captives=held), unit("sage", "-2,0"), unit("soldier", "1,0", 1)]
    t = play(TOKENS, units, "H T", to_move=1).do("melee", "hex 1,0", "hex 0,0", "pass", "pass", "no", "no")
    assert t.sack(1) == ["bolt", "soldier", "spare"]
    own, other = Seen(t, 1), Seen(t, 0)
    assert own.counts("own_sack") == {"bolt": 1, "soldier": 1, "spare": 1}
    assert other.counts("known_1") == {"soldier": 1}
    assert "bolt" not in [row["type"] for row in other.log]
    assert other.generals[1]["sack"] == 3


# --- choices, events, turns


def test_v_16_decision_is_shown_to_the_current_player_alone():
    t = play(TOKENS, [unit("soldier", "0,0"), unit("soldier", "4,0", 1)]).do("move")
    own, other = seen_by_both(t)
    assert known(own.globals, "is_current", "decision") == {"is_current": 1, "decision": Decision.MOVE_UNIT}
    assert known(other.globals, "is_current", "decision") == {"is_current": 0, "decision": 0}


def test_v_16_a_partial_choice_is_seen_only_by_its_player():
    units = [unit("soldier", "0,0"), unit("soldier", "0,1"), unit("soldier", "1,0", 1)]
    t = play(TOKENS, units, general=[piles(hand=["archer"]), piles()])
    before = observation(t, 1)
    for texts in (("move", "hex 0,0"), ("deploy", "type archer"), ("coord_melee", "hex 1,0", "hex 0,0")):
        begun = t.copy().do(*texts)
        assert (observation(begun, 1) == before).all()
        assert (observation(begun, 0) != observation(t, 0)).any()
    begun = Seen(t.copy().do("coord_melee", "hex 1,0", "hex 0,0"), 0)
    assert known(begun.globals, "chain_verb", "chain_q", "chain_r") == {
        "chain_verb": Verb.COORD_MELEE,
        "chain_q": 1,
        "chain_r": 0,
    }
    assert begun.on("0,0", kind=Shown.UNIT)[0]["attack_role"] == Role.ACTS


def test_v_17_a_dismissal_is_a_public_event_but_afterwards_the_unit_is_hidden():
    units = [unit("sage", "0,0"), unit("soldier", "2,0", 1), unit("archer", "4,0", 1)]
    t = play(TOKENS, units).do("dismiss", "hex 0,0", "hex 2,0", "pass", "pass")
    other = Seen(t, 0)
    (event,) = other.events(Event.TO_SACK)
    assert known(event, "type", "seat", "q", "r") == {"type": "soldier", "seat": 1, "q": 2, "r": 0}
    assert other.tokens(type="soldier") == []
    assert other.counts("known_1") == {"soldier": 1}
    assert Seen(t, 1).counts("own_sack") == {"soldier": 1, "spare": 1}


def test_v_17_a_retained_spell_is_a_public_event():
    units = [unit("sage", "0,0", attached=[attachment("bolt")]), unit("soldier", "2,0", 1), unit("archer", "4,0", 1)]
    t = play(TOKENS, units, "H").do("cast", "hex 0,0", "slot 0", "hex 2,0", "pass", "pass")
    (event,) = Seen(t, 1).events(Event.TO_SACK)
    assert known(event, "type", "seat") == {"type": "bolt", "seat": 1}
    assert Seen(t, 1).counts("known_1") == {"bolt": 1}


def test_v_18_announcements_targets_designated_units_and_flips_are_public():
    units = [unit("soldier", "0,0"), unit("soldier", "0,1"), unit("soldier", "1,0", 1)]
    t = play(TOKENS, units, "H | H T | T").do("coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done")
    for viewer in (0, 1):
        seen = Seen(t, viewer)
        assert known(seen.globals, "attack_verb", "attack_q", "attack_r") == {
            "attack_verb": Verb.COORD_MELEE,
            "attack_q": 1,
            "attack_r": 0,
        }
        roles = {cell: seen.on(cell, kind=Shown.UNIT)[0]["attack_role"] for cell in ("0,0", "0,1", "1,0")}
        assert roles == {"0,0": Role.ACTS, "0,1": Role.ACTS, "1,0": Role.TARGET}
        assert [row["number"] for row in seen.events(Event.FLIP)] == [1]
    t.do("pass", "pass", "yes")
    for viewer in (0, 1):
        assert known(Seen(t, viewer).globals, "attack_successes", "attack_countered") == {
            "attack_successes": 1,
            "attack_countered": 1,
        }
        assert [row["number"] for row in Seen(t, viewer).events(Event.FLIP)] == [0, 1, 1]


def test_v_19_employed_and_moved_are_public():
    units = [
        unit("soldier", "0,0"),
        unit("soldier", "0,1"),
        unit("soldier", "1,0", 1),
        unit("archer", "-1,0"),
        unit("sage", "-2,1"),
    ]
    t = play(TOKENS, units, "T").do(
        "coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done", "move", "hex -1,0", "hex -2,0"
    )
    for viewer in (0, 1):
        seen = Seen(t, viewer)
        marks = {
            cell: tuple(known(seen.on(cell, kind=Shown.UNIT)[0], "employed", "moved").values())
            for cell in ("0,0", "0,1", "-2,0", "1,0")
        }
        assert marks == {"0,0": (1, 0), "0,1": (1, 0), "-2,0": (0, 1), "1,0": (0, 0)}
        assert seen.globals["check_failed"] == 1


def test_v_20_whether_a_reaction_was_offered_is_not_shown():
    def units(face):
        return [unit("soldier", "0,0"), unit("soldier", "1,0", 1), unit("leader", "4,0", 1, face=face)]

    offered = play(TOKENS, units("down"), "H T | T", switches={"auto_forced": True})
    offered.do("melee")
    assert (offered.player, offered.decision) == (1, Decision.WINDOW)
    during = observation(offered, 0)
    offered.do("pass")
    assert (observation(offered, 0) == during).all()
    hidden = [attachment("drill"), attachment("bolt")]
    tables = []
    for name in hidden:  # one of the two can be revealed in the window, the other cannot
        units = [unit("soldier", "0,0"), unit("soldier", "1,0", 1, attached=[name]), unit("archer", "-1,1")]
        t = play(TOKENS, units, "H T | T", switches={"auto_forced": True}).do("melee")
        tables.append(t.pass_all())
    assert [t.player for t in tables] == [1, 1]
    assert (observation(tables[0], 0) == observation(tables[1], 0)).all()


def test_v_21_cards_left_in_the_deck_are_public():
    units = [unit("archer", "0,0"), unit("soldier", "2,0", 1)]
    t = play(TOKENS, units, switches={"flip_method": "deck_jokers"})
    for red, black in ((26, 26), (25, 26)):
        t.states["deck_red"], t.states["deck_black"] = red, black
        for viewer in (0, 1):
            cards = known(Seen(t, viewer).globals, "deck_red", "deck_black", "deck_jokers")
            assert cards == {"deck_red": red, "deck_black": black, "deck_jokers": 2}
    coins = play(TOKENS, units, switches={"flip_method": "coin"})
    assert set(known(Seen(coins, 0).globals, "deck_red", "deck_black", "deck_jokers").values()) == {0}


def test_v_22_results_of_future_chance_are_hidden_from_all():
    units = [unit("archer", "0,0"), unit("soldier", "2,0", 1)]
    t = play(TOKENS, units, "H T H", draws=[["spare"], []], switches={"flip_method": "coin"})
    other = t.copy()
    other.states["script_flips"][0, 0, :3] = [0, 1, 1]
    other.states["script_draws"][0, 0, 0] = 3
    other.states["flip_key"] += 5
    other.states["draw_key"] += 7
    other.states["flip_count"] += 2
    other.states["draw_count"] += 2
    for viewer in (0, 1):
        assert (observation(other, viewer) == observation(t, viewer)).all()
        guess = t.copy()
        determinize_games(guess.params, guess.states, np.array([viewer], np.int64), np.array([9], np.int64))
        assert guess.flips_left() == 0
        assert int(guess.state["script_draws_end"][0]) == 0
        assert (guess.state["flip_key"] != t.state["flip_key"]).any()
        assert (guess.state["draw_key"] != t.state["draw_key"]).any()


@pytest.mark.parametrize("viewer", [0, 1])
def test_a_sample_shows_the_stats_that_the_viewer_sees(viewer):
    t = play(TOKENS, [unit("sage", "0,0", attached=[attachment("charm", face="up")]), unit("soldier", "2,0", 1)])
    seen = [t.stat(cell, "armor") for cell in ("0,0", "2,0")]
    assert seen == [4, 3]
    determinize_games(t.params, t.states, np.array([viewer], np.int64), np.array([9], np.int64))
    assert [t.stat(cell, "armor") for cell in ("0,0", "2,0")] == seen


def test_v_23_turn_active_general_and_eliminations_are_public():
    fields = [field("0,0"), field("2,0", 1), field("-2,2", 2)]
    units = [unit("soldier", "0,0"), unit("soldier", "2,0", 1), unit("soldier", "-2,2", 2)]
    t = play(TOKENS, units, fields=fields, generals=3, general=[piles()] * 3, switches={"max_turns": 10})
    t.do("draw", "done")
    for viewer, active in ((0, 1), (1, 0), (2, 2)):
        seen = Seen(t, viewer)
        assert known(seen.globals, "active_seat", "turn_percent", "over", "winner") == {
            "active_seat": active,
            "turn_percent": 20,
            "over": 0,
            "winner": NOBODY,
        }
        assert [row["active"] for row in seen.generals] == [int(seat == active) for seat in range(3)]
        assert [row["alive"] for row in seen.generals] == [1, 1, 1]
    entry.forfeit(t.params, t.states, np.array([1], np.int64))
    for viewer in range(3):
        assert [row["alive"] for row in Seen(t, viewer).generals] == [
            int((viewer + seat) % 3 != 1) for seat in range(3)
        ]
        assert Seen(t, viewer).events(Event.ELIMINATE)[0]["seat"] == (1 - viewer) % 3
