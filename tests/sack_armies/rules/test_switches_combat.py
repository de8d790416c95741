"""Switches for combat and effects: every value of each."""

import numpy as np
import pytest

from sackarmies_env.core.state import ERROR_SCRIPT_EXHAUSTED
from sackarmies_env.games.sack_armies.state import chance
from sackarmies_env.games.sack_armies.state.constants import Decision, Event
from tests.sack_armies.builders.fights import (
    able,
    alive,
    asked,
    attack,
    coordinate,
    duel,
    events,
    hexes,
    modify,
    play,
    shot,
    text,
    turn_over,
)
from tests.sack_armies.builders.text_game import TextGame, attachment, field, position, token, unit

THREE = [field("0,0"), field("-1,0"), field("2,0", 1), field("3,0", 1), field("0,2", 2), field("-1,3", 2)]
SHIELD = text("spell", "shield", "free", [modify("armor", 1)])


def windows(t, *texts):
    """Play the texts, passing in all windows before and after each; return the seats asked in windows, in order."""
    seats = []
    for words in (*texts, None):
        while t.decision == Decision.WINDOW:
            seats.append(t.player)
            t.do("pass")
        if words is not None:
            t.do(words)
    return seats


# --- windows


@pytest.mark.parametrize(
    ("value", "draw", "deploy", "move", "melee"),
    [
        ("announce", [], [], [], [1, 2, 0]),
        ("full", [1, 2, 0] * 2, [1, 2, 0] * 3, [1, 2, 0] * 3, [1, 2, 0] * 2),
        ("targeted_only", [], [], [], [1]),
    ],
)
def test_c_reaction_windows__d_30__q_46_when_windows_open_and_for_whom(value, draw, deploy, move, melee):
    piles = {"hand": ["a", "a"], "sack": ["spare"], "casualties": [], "removed": []}
    units = [unit("a", "0,0"), unit("a", "-1,0"), unit("a", "1,0", 1), unit("a", "0,2", 2)]

    def fresh():
        switches = {"reaction_windows": value, "max_turns": 1}
        return play([token("a")], units, "T", switches, generals=3, fields=THREE, general=[piles] * 3)

    assert windows(fresh(), "draw", "done") == draw
    assert windows(fresh(), "deploy", "type a", "hex -1,1", "type a", "hex -2,0") == deploy
    assert windows(fresh(), "move", "hex 0,0", "hex 0,1", "hex -1,0", "hex -2,0") == move
    assert windows(fresh(), "melee", "hex 0,0", "hex 1,0", "no") == melee


@pytest.mark.parametrize(("value", "seats"), [("announce", [1, 0]), ("full", [1, 0] * 2), ("targeted_only", [])])
def test_c_reaction_windows_an_announcement_that_targets_no_opponent(value, seats):
    bless = text("spell", "bless", "action", [modify("armor", 1)])
    mage = unit("mage", "0,0", attached=[attachment("bless")])
    switches = {"reaction_windows": value, "max_turns": 1}
    t = play([bless, token("mage", band="blue"), token("d")], [mage, unit("d", "3,0", 1)], "", switches)
    assert windows(t, "cast", "hex 0,0", "slot 0") == seats


def test_d_30_in_the_additional_windows_units_may_be_revealed():
    units = [unit("a", "0,0"), unit("d", "2,0", 1, face="down"), unit("d", "4,0", 1)]
    t = play([token("a"), token("d")], units, switches={"reaction_windows": "full"})
    assert (asked(t), t.legal()) == ((1, Decision.WINDOW), ["pass", "reveal_unit"])
    t.do("reveal_unit", "hex 2,0")
    assert (t.unit("2,0").face, asked(t)) == ("up", (0, Decision.WINDOW))
    t.pass_all()
    assert asked(t) == (0, Decision.MENU)


@pytest.mark.parametrize(
    ("value", "early", "late"), [("after_check", [], [1, 0]), ("before_check", [1, 0], []), ("both", [1, 0], [1, 0])]
)
def test_c_coord_window__q_47_before_or_after_the_check(value, early, late):
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)]
    t = play([token("a"), token("d", armor=9)], units, "H | T", {"coord_window": value})
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1")
    seen = {2: [], 1: []}
    while t.decision == Decision.WINDOW:
        seen[t.flips_left()].append(t.player)
        t.do("pass")
    assert (seen[2], seen[1]) == (early, late)
    assert (asked(t), t.flips_left()) == ((1, Decision.COUNTER), 0)


def test_c_coord_window_a_leader_revealed_before_the_check_spares_it():
    chief = token("chief", abilities=[able("leadership")])
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("chief", "-1,1", face="down"), unit("d", "1,0", 1)]
    tokens = [token("a"), token("d", armor=9), chief]
    t = play(tokens, units, "T", {"coord_window": "before_check"})
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1").do("pass", "reveal_unit", "hex -1,1").pass_all()
    assert (asked(t), t.flips_left()) == ((1, Decision.COUNTER), 0)  # the only flip was the attack's


@pytest.mark.parametrize("value", ["before_check", "both"])
def test_c_coord_window_what_happens_before_the_check_can_cancel_or_miss(value):
    wings = text("spell", "wings", "free", [{"kind": "grant", "ability": able("flying")}])
    step = text("maneuver", "step_back", "action", [{"kind": "relocate", "distance": 1}])
    stack = [attachment("wings"), attachment("step_back")]
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1, attached=stack)]
    t = play([token("a"), token("d", band="green"), wings, step], units, "", {"coord_window": value})
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1")
    cancelled = t.copy().do("reveal_token", "hex 1,0", "slot 0")
    assert (cancelled.turn, *asked(cancelled)) == (1, 0, Decision.MENU)
    assert cancelled.unit("0,0").employed is False
    assert turn_over(t.do("surprise", "slot 1", "hex 2,0"))


@pytest.mark.parametrize("value", ["before_check", "both"])
def test_c_coord_window__r8_4_5_11_who_drops_out_before_a_failed_check_is_employed_too(value):
    away = {"kind": "relocate", "who": "target", "distance": 2}
    shove = text("maneuver", "shove", "action", [away], target="enemy_unit", range=1)
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("a", "-2,0"), unit("d", "1,0", 1, attached=[attachment("shove")])]
    t = play([token("a"), token("d", band="red"), shove], units, "T", {"coord_window": value})
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1").do("surprise", "slot 0", "hex 0,1", "hex -1,1").pass_all()
    assert (*asked(t), t.flips_left()) == (0, Decision.MENU, 0)
    assert [t.unit(cell).employed for cell in ("0,0", "-1,1", "-2,0")] == [True, True, False]


def test_c_coord_window__q_84_who_drops_out_before_a_passed_check_does_not_attack():
    away = {"kind": "relocate", "who": "target", "distance": 2}
    shove = text("maneuver", "shove", "action", [away], target="enemy_unit", range=1)
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1, attached=[attachment("shove")])]
    tokens = [token("a"), token("d", armor=2, band="red"), shove]
    t = play(tokens, units, "H | H T", {"coord_window": "before_check"})
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1").do("surprise", "slot 0", "hex 0,1", "hex -1,1").pass_all()
    t.do("no")
    assert turn_over(t)
    assert alive(t, "1,0") == ["d"]  # one damage rating counts, not two


@pytest.mark.parametrize(("value", "left"), [("before_flips", 2), ("after_attack_flips", 0)])
def test_c_counter_timing_single__q_31_counter_before_or_after_the_flips(value, left):
    t = duel({"armor": 9}, {"armor": 9}, "H T", {"counter_timing_single": value})
    attack(t, "melee", "0,0", "1,0")
    assert (asked(t), t.flips_left()) == ((1, Decision.COUNTER), left)
    t.do("no")
    assert turn_over(t)


def test_c_counter_timing_single_a_late_counter_counts_like_an_early_one():
    t = duel(flips="H T | H T", switches={"counter_timing_single": "after_attack_flips"})
    attack(t, "melee", "0,0", "1,0", "yes")
    assert turn_over(t)
    assert (t.casualties(0), t.casualties(1)) == (["attacker"], ["defender"])


@pytest.mark.parametrize(("value", "left"), [("after_attack_flips", 0), ("before_flips", 2)])
def test_c_counter_timing_coord__q_31_the_same_in_coordinated_attacks(value, left):
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)]
    t = play([token("a"), token("d", armor=9)], units, "H | H T | H T", {"counter_timing_coord": value})
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1").pass_all()
    assert (asked(t), t.flips_left()) == ((1, Decision.COUNTER), left + 2)
    t.do("yes")
    assert (asked(t), t.flips_left()) == ((0, Decision.DESIGNATE), 2)
    t.do("hex 0,0")
    assert turn_over(t)
    assert alive(t, "0,0", "0,1") == [None, "a"]


# --- coordination


@pytest.mark.parametrize(("value", "offered"), [("off", ["0,1", "4,-1", "4,-2"]), ("on", ["0,1"])])
def test_c_ranged_coord_connected__q_29_all_in_one_group_or_nobody_isolated(value, offered):
    tokens = [token("a", abilities=[shot(3)]), token("d")]
    units = [*(unit("a", cell) for cell in ("0,0", "0,1", "4,-1", "4,-2")), unit("d", "1,0", 1)]
    t = play(tokens, units, switches={"ranged_coord_connected": value}).do("coord_ranged", "hex 1,0")
    assert hexes(t) == ["0,0", "0,1", "4,-1", "4,-2"]
    assert hexes(t.do("hex 0,0")) == offered
    assert ("pass" in t.do("hex 0,1").legal(), hexes(t)) == (True, [cell for cell in offered if cell != "0,1"])


@pytest.mark.parametrize(("value", "attackers", "flips"), [
    ("off", ["0,1", "1,-1"], ""), ("on", ["0,1", "1,-1"], "T"), ("on", ["0,0", "0,1", "1,-1"], ""),
    ("on", ["0,0", "0,1", "1,1"], "T"),
])  # fmt: skip
def test_c_leadership_must_attack__q_30_only_attacking_leaders_cover(value, attackers, flips):
    chief = token("chief", abilities=[able("leadership")])
    units = [unit("chief", "0,0"), *(unit("a", cell) for cell in ("0,1", "1,-1", "1,1")), unit("d", "1,0", 1)]
    t = play([token("a"), token("d"), chief], units, flips, {"leadership_must_attack": value})
    coordinate(t, "coord_melee", "1,0", *attackers)
    assert t.flips_left() == 0
    assert t.decision == (Decision.MENU if flips else Decision.WINDOW)


@pytest.mark.parametrize(("value", "after"), [("on", (0, Decision.ADVANCE)), ("off", (1, Decision.MENU))])
def test_c_advance_after_coord__q_37_one_may_advance_or_nobody(value, after):
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)]
    t = play([token("a"), token("d")], units, "H | H T", {"advance_after_coord": value})
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1").pass_all().do("no")
    assert (asked(t), t.casualties(1), t.flips_left()) == (after, ["d"], 0)
    alone = duel(flips="H T", switches={"advance_after_coord": value})
    assert asked(attack(alone, "melee", "0,0", "1,0", "no")) == (0, Decision.ADVANCE)


@pytest.mark.parametrize("value", ["off", "on"])
def test_c_allow_stop_after_failed_check__q_18_the_turn_may_be_ended(value):
    units = [unit("a", "0,0"), unit("a", "0,1"), unit("d", "1,0", 1)]
    t = play([token("a"), token("d")], units, "T", {"allow_stop_after_failed_check": value})
    assert "pass" not in t.legal()
    coordinate(t, "coord_melee", "1,0", "0,0", "0,1")
    assert t.legal() == (["pass", "draw"] if value == "on" else ["draw"])
    if value == "on":
        assert turn_over(t.do("pass"))


# --- combat


@pytest.mark.parametrize(("value", "answer"), [("off", "yes"), ("on", None)])
@pytest.mark.parametrize(("flip", "after"), [("H", (1, Decision.MENU)), ("T", (1, Decision.COUNTER))])
def test_c_auto_ambush__q_60_the_ambush_flip_is_asked_for_or_made(value, answer, flip, after):
    stalker = {"armor": 9, "abilities": [able("ambush")]}
    t = duel(stalker, {"armor": 9}, f"{flip} | T", {"auto_ambush": value})
    attack(t, "melee", "0,0", "1,0")
    assert (t.decision == Decision.AMBUSH) == (answer is not None)
    if answer is not None:
        t.do(answer)
    assert asked(t) == after
    if flip == "T":
        t.do("no")
    assert turn_over(t)


@pytest.mark.parametrize(("value", "countered"), [("off", True), ("on", False)])
def test_c_surprise_precludes_counter__q_40_surprise_or_counter_or_both(value, countered):
    brace = text("maneuver", "brace", "action", [modify("armor", 9)])
    units = [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment("brace")])]
    t = play([token("a"), token("d", band="red"), brace], units, "T", {"surprise_precludes_counter": value})
    t.do("melee", "hex 0,0", "hex 1,0")
    unused = t.copy().pass_all()
    assert asked(unused) == (1, Decision.COUNTER)
    t.do("surprise", "slot 0").pass_all()
    assert asked(t) == ((1, Decision.COUNTER) if countered else (1, Decision.MENU))


@pytest.mark.parametrize("value", ["off", "on"])
def test_c_surprise_precludes_counter__q_40__r9_3_6_the_replacement_may_counter(value):
    screen = text("maneuver", "screen", "action", [{"kind": "swap", "distance": 2}])
    brace = text("maneuver", "brace", "action", [modify("armor", 9)])
    tokens = [token("a"), token("d", band="red"), token("guard", band="red"), screen, brace]
    guard = unit("guard", "3,0", 1, attached=[attachment("brace")])
    units = [unit("a", "0,0"), unit("d", "1,0", 1, attached=[attachment("screen")]), guard]
    t = play(tokens, units, "T T", {"surprise_precludes_counter": value})
    t.do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 3,0")
    assert alive(t, "1,0", "3,0") == ["guard", "d"]
    braced = t.copy().do("pass", "surprise", "slot 0").pass_all()  # with a surprise of its own
    assert asked(braced) == (1, Decision.COUNTER if value == "off" else Decision.MENU)
    assert asked(t.pass_all()) == (1, Decision.COUNTER)


@pytest.mark.parametrize(("value", "armor", "dies"), [("off", 2, False), ("on", 2, True), ("on", 3, False)])
def test_c_sum_simultaneous_damage__q_35_hits_of_one_exchange_are_added_or_not(value, armor, dies):
    bomb = {"armor": armor, "abilities": [able("scatter")]}
    t = duel({"armor": 9}, bomb, "H T | H T | H", {"sum_simultaneous_damage": value})
    attack(t, "melee", "0,0", "1,0", "yes")  # one damage from the attack, one from its own scatter
    assert t.flips_left() == 0
    assert t.casualties(1) == (["defender"] if dies else [])
    assert asked(t) == (1, Decision.MENU)  # no advance: the attacker's own hit was not lethal (Q-38)


@pytest.mark.parametrize("value", ["off", "on"])
def test_c_sum_simultaneous_damage__q_35_a_unit_that_two_hits_kill_dies_once(value):
    bomb = {"armor": 1, "abilities": [able("scatter")]}
    t = duel({"armor": 9}, bomb, "H T | H T | H", {"sum_simultaneous_damage": value})
    attack(t, "melee", "0,0", "1,0", "yes")  # the attack and its own scatter are both lethal
    assert t.casualties(1) == ["defender"]
    assert [player for player, _ in events(t, Event.CASUALTY)] == [1]


@pytest.mark.parametrize(("value", "asks"), [("on", True), ("off", False)])
def test_c_scatter_save__q_55_a_hidden_unit_may_be_saved_or_not(value, asks):
    engine = token("engine", abilities=[able("scatter"), shot(3)])
    mage = unit("mage", "3,0", 1, face="down", attached=[attachment("shield")])
    units = [unit("engine", "0,0"), unit("d", "2,0", 1), mage]
    tokens = [engine, token("d", armor=9), token("mage", band="blue"), SHIELD]
    t = attack(play(tokens, units, "H | H", {"scatter_save": value}), "ranged", "0,0", "2,0")
    assert t.decision == (Decision.SAVE if asks else Decision.MENU)
    if asks:
        t.do("yes", "slot 0")
    assert turn_over(t)
    assert t.casualties(1) == ([] if asks else ["mage", "shield"])


@pytest.mark.parametrize("stat", ["damage", "armor"])
@pytest.mark.parametrize(("value", "bonus"), [("on", 5), ("off", 3)])
def test_c_augment_stacks__q_57_bonuses_add_up_or_the_best_counts(value, bonus, stat):
    banners = [token(f"banner{n}", abilities=[able("augment", stat=stat, amount=n)]) for n in (2, 3)]
    units = [unit("a", "0,0"), unit("banner2", "-1,0"), unit("banner3", "0,1"), unit("a", "3,0", 1)]
    t = play([token("a"), *banners], units, switches={"augment_stacks": value})
    assert t.stat("0,0", stat) == t.stat("3,0", stat) + bonus


@pytest.mark.parametrize(("value", "armor"), [("on", 6), ("off", 4)])
def test_c_augment_stacks__q_57_bonuses_of_one_augmenter_always_add_up(value, armor):
    matches = [{"keyword": "elf"}, {"homeland": "fey_court"}]
    herald = token("herald", abilities=[able("augment", stat="armor", amount=n + 1, match=matches[n]) for n in (0, 1)])
    bard = token("bard", abilities=[able("augment", stat="armor", amount=2)])
    elf = token("elf", keywords=["elf"], homeland="fey_court")
    units = [unit("elf", "0,0"), unit("herald", "-1,0"), unit("bard", "0,1"), unit("elf", "3,0", 1)]
    assert play([elf, herald, bard], units, switches={"augment_stacks": value}).stat("0,0", "armor") == armor


@pytest.mark.parametrize("maximum", [1, 2, 5])
def test_c_max_progressive__q_72_progressive_flips_are_capped(maximum):
    for armor in (maximum, maximum + 1):
        t = duel({}, {"armor": armor}, "H" * maximum, {"max_progressive": maximum})
        attack(t, "melee", "0,0", "1,0", "no")
        assert t.flips_left() == 0  # and no flip beyond the cap was made
        assert t.casualties(1) == (["defender"] if armor == maximum else [])


# --- effects


@pytest.mark.parametrize(("value", "face"), [("on", "up"), ("off", "down")])
def test_c_sight_on_reveal__q_24_a_revealed_unit_sights_at_once_or_not(value, face):
    watcher = token("watcher", abilities=[able("sight", range=3)])
    units = [unit("watcher", "0,0", face="down"), unit("d", "3,0", 1, face="down"), unit("d", "4,0", 1)]
    t = play([watcher, token("d")], units, switches={"sight_on_reveal": value}).do("reveal_unit", "hex 0,0")
    assert t.unit("3,0").face == face
    t.do("move", "hex 0,0", "hex -1,1")
    assert t.unit("3,0").face == face  # (-1,1) is four away
    t = play([watcher, token("d")], units, switches={"sight_on_reveal": value}).do("reveal_unit", "hex 0,0")
    assert t.do("move", "hex 0,0", "hex 1,0").unit("3,0").face == "up"  # a completed move sights either way


@pytest.mark.parametrize(
    ("value", "offered"), [("deploy", ["-1,1", "0,-1", "0,1"]), ("any_legal_hex", ["-1,0", "-1,1", "0,-1", "0,1"])]
)
def test_c_raise_zone__q_53_where_units_may_be_deployed_or_on_any_legal_hex(value, offered):
    priest = token("priest", abilities=[able("raise")])
    fields = [field("0,0"), field("-1,0", controller=1), field("2,0", 1), field("3,0", 1)]
    piles = {"hand": [], "sack": ["spare"], "casualties": ["d"], "removed": []}
    units = [unit("priest", "0,0"), unit("d", "1,0", 1), unit("d", "1,-1", 1)]
    keys = {"fields": fields, "general": [piles, piles | {"casualties": []}]}
    t = play([priest, token("d")], units, "H", {"raise_zone": value}, **keys)
    t.do("raise", "hex 0,0", "type d").pass_all()
    assert hexes(t) == offered


@pytest.mark.parametrize(
    ("value", "slots"), [("spend", ["slot 0", "slot 1", "slot 2"]), ("refuse_known_only", ["slot 1"])]
)
@pytest.mark.parametrize("known", ["charm", "drill"])
def test_c_blind_target_wrong_kind__q_49_unknown_tokens_may_be_chosen_or_not(value, slots, known):
    charm = text("spell", "charm", "free", [modify("damage", 1)])
    drill = text("maneuver", "drill", "free", [modify("damage", 1)])
    sage = token("sage", abilities=[able("dispel", range=3), able("counter", range=3)])
    stack = [attachment("charm"), attachment(known, "up"), attachment("drill")]
    units = [unit("sage", "0,0"), unit("host", "2,0", 1, attached=stack)]
    tokens = [charm, drill, sage, token("host", band="green")]
    t = play(tokens, units, switches={"blind_target_wrong_kind": value})
    verb, other = ("dispel", "counter_token") if known == "charm" else ("counter_token", "dispel")
    assert t.copy().do(verb, "hex 0,0", "hex 2,0").legal() == slots
    assert (other in t.legal()) == (value == "spend")


# --- chance


@pytest.mark.parametrize("value", ["coin", "die", "deck", "deck_jokers"])
def test_c_flip_method__q_68_coins_dice_and_decks_give_both_results(value):
    scenario = position([token("a")], [unit("a", "0,0"), unit("a", "3,0", 1)], switches={"flip_method": value})
    t = TextGame(scenario | {"seed": 7})
    flips = [int(chance.flip(t.params[0], t.states[0], np.int64(0))) for _ in range(104)]
    assert set(flips) == {0, 1}
    if value == "deck":  # one deck is used up before the next
        assert (sum(flips[:52]), sum(flips[52:])) == (26, 26)
    shown = 52 + (2 if value == "deck_jokers" else 0)
    left = [int(t.state[f"deck_{kind}"]) for kind in ("red", "black", "jokers")]
    assert (sum(left) == shown) == (value in ("coin", "die"))  # these two do not touch the deck
    assert left[2] == (2 if value == "deck_jokers" else 0)


def test_c_flip_method_scripted_flips_alone_or_an_error():
    t = play([token("a")], [unit("a", "0,0"), unit("a", "3,0", 1)], "H T")
    flips = [int(chance.flip(t.params[0], t.states[0], np.int64(0))) for _ in range(2)]
    assert (flips, int(t.state["error"])) == ([1, 0], 0)
    chance.flip(t.params[0], t.states[0], np.int64(0))
    assert int(t.state["error"]) == ERROR_SCRIPT_EXHAUSTED


# --- concession


@pytest.mark.parametrize("value", ["off", "on"])
def test_d_29_conceding_is_a_choice_of_the_menu_if_agreed(value):
    units = [unit("a", "0,0"), unit("d", "1,0", 1)]
    t = play([token("a"), token("d")], units, switches={"allow_concede": value})
    assert ("concede" in t.legal()) == (value == "on")
    if value == "on":
        inside = t.copy().do("melee", "hex 0,0", "hex 1,0")
        assert "concede" not in inside.legal()
        t.do("concede")
        assert (t.terminated, t.winner) == (True, 1)
