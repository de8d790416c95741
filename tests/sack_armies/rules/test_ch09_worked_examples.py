"""Worked examples of the rules (X-01 to X-21), played from their scenario files."""

import numpy as np
import pytest

from sackarmies_env.core.rng import below, next_flip_word
from sackarmies_env.games.sack_armies.state import chance
from sackarmies_env.games.sack_armies.state.constants import Decision, Zone
from tests.sack_armies.builders.text_game import SCENARIOS, TextGame


def table(name):
    return TextGame(SCENARIOS / f"{name}.toml")


# ---


def test_x_01_discards_begin_after_a_draw_of_four():
    t = table("x01_draw_and_discard").do("draw")
    old, new = ["x_old_1", "x_old_2", "x_old_3"], ["x_new_1", "x_new_2", "x_new_3", "x_new_4"]
    assert t.decision == Decision.DISCARD
    assert t.hand(0) == sorted(old + new)
    for token in ("x_old_1", "x_new_1", "x_old_2"):
        t.do(f"type {token}")
        assert "pass" not in t.legal()
    t.do("type x_new_2")
    assert t.legal() == ["pass", "type x_old_3", "type x_new_3", "type x_new_4"]
    for token in ("x_new_3", "x_old_3", "x_new_4"):
        early = t.copy().do("done")
        assert (early.player, early.decision) == (1, Decision.MENU)
        t.do(f"type {token}")
        assert sorted(t.hand(0) + t.sack(0)) == sorted([*old, *new, "x_new_5"])
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert t.hand(0) == []
    assert early.hand(0) == ["x_new_4"]
    assert early.sack(0) == ["x_new_1", "x_new_2", "x_new_3", "x_new_5", "x_old_1", "x_old_2", "x_old_3"]


def test_x_01_a_face_down_unit_does_not_help_to_draw():
    t = table("x01_draw_unit_face_down").do("draw")
    assert t.hand(0) == ["x_new_1", "x_new_2", "x_new_3", "x_old_1", "x_old_2", "x_old_3"]
    t.do("type x_old_1", "type x_old_2")
    assert "pass" not in t.legal()
    t.do("type x_old_3", "done")
    assert t.player == 1


# ---


def test_x_02_the_spearmen_die_without_the_noble_horse():
    t = table("x02_unrevealed_noble_horse").do("melee", "hex 1,0", "hex 0,0")
    assert (t.player, t.decision) == (0, Decision.WINDOW)
    t.pass_all()
    assert (t.player, t.decision, t.legal()) == (0, Decision.COUNTER, ["pass", "yes"])
    t.do("no")
    assert t.casualties(0) == ["x_elven_spearmen"]
    assert (t.player, t.decision, t.legal()) == (1, Decision.ADVANCE, ["pass", "yes"])
    t.do("no")
    assert t.unit("-1,0").face == "down"
    assert t.flips_left() == 0


def test_x_02_the_spearmen_survive_beside_the_revealed_noble_horse():
    t = table("x02_unrevealed_noble_horse").do("melee", "hex 1,0", "hex 0,0", "reveal_unit", "hex -1,0")
    assert t.stat("0,0", "armor") == 3
    t.pass_all()
    assert (t.player, t.decision, t.legal()) == (0, Decision.COUNTER, ["pass", "yes"])
    t.do("no")
    assert (t.player, t.decision) == (0, Decision.MENU)
    assert t.casualties(0) == []
    assert t.unit("0,0").id == "x_elven_spearmen"
    assert t.flips_left() == 0


# ---


def test_x_03_the_walking_tree_kills_survives_and_advances():
    t = table("x03_walking_tree").do("melee", "hex 0,0", "hex 1,0").pass_all()
    assert (t.player, t.decision) == (1, Decision.COUNTER)
    t.do("yes")
    assert t.casualties(1) == ["x_wolf_riders"]
    assert t.casualties(0) == []
    assert (t.player, t.decision) == (0, Decision.ADVANCE)
    t.do("yes")
    assert t.unit("1,0").id == "x_walking_tree"
    assert t.unit("0,0") is None
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert t.flips_left() == 0


def test_x_03_without_movement_there_is_no_advance():
    t = table("x03_without_movement").do("melee", "hex 0,0", "hex 1,0").pass_all().do("yes")
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert t.casualties(1) == ["x_wolf_riders"]
    assert t.unit("0,0").id == "x_walking_tree"
    assert t.unit("1,0") is None
    assert t.flips_left() == 0


def test_x_03_both_may_die_and_nobody_advances():
    t = table("x03_both_die").do("melee", "hex 0,0", "hex 1,0").pass_all().do("yes")
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert (t.casualties(0), t.casualties(1)) == (["x_walking_tree"], ["x_wolf_riders"])
    assert t.unit("0,0") is None
    assert t.unit("1,0") is None
    assert t.flips_left() == 0


# ---


def test_x_04_unit_that_cannot_reach_the_archers_may_not_counter():
    t = table("x04_elf_archers").do("ranged", "hex -2,0", "hex 3,0").pass_all()
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert t.casualties(1) == ["x_wisps"]
    assert t.unit("-2,0").id == "x_elf_archers"
    assert t.flips_left() == 0


def test_x_04_a_failed_shot_does_nothing():
    t = table("x04_miss").do("ranged", "hex -2,0", "hex 3,0").pass_all()
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert t.unit("3,0").id == "x_wisps"
    assert t.flips_left() == 0


def test_x_04_unit_that_reaches_the_archers_may_counter_with_one_flip():
    t = table("x04_wisps_in_range").do("ranged", "hex -2,0", "hex 3,0").pass_all()
    assert (t.player, t.decision) == (1, Decision.COUNTER)
    t.do("yes")
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert (t.casualties(0), t.casualties(1)) == (["x_elf_archers"], ["x_wisps"])
    assert t.flips_left() == 0


# ---

ARCHERS = ("hex -1,0", "hex -1,1", "hex -2,1")


def fail_the_check():
    t = table("x05_coordination").do("coord_ranged", "hex 1,0")
    assert sorted(t.legal()) == sorted(ARCHERS)
    return t.do(*ARCHERS, "done")


def test_x_05_a_failed_check_employs_the_archers_and_leaves_the_action():
    t = fail_the_check()
    assert (t.player, t.decision) == (0, Decision.MENU)
    assert t.flips_left() == 7
    assert [t.unit(h.removeprefix("hex ")).employed for h in ARCHERS] == [True, True, True]
    assert t.legal() == ["draw", "move", "melee", "coord_melee"]
    assert t.copy().do("move").legal() == ["hex 0,0", "hex 0,1"]
    assert t.copy().do("melee").legal() == ["hex 0,0", "hex 0,1"]
    assert t.copy().do("coord_melee", "hex 1,0").legal() == ["hex 0,0", "hex 0,1"]


def test_x_05_the_second_check_succeeds_and_the_counter_takes_the_goblins():
    t = fail_the_check().do("coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done")
    assert t.decision == Decision.WINDOW
    assert t.flips_left() == 6
    t.pass_all()
    assert (t.player, t.decision) == (1, Decision.COUNTER)
    assert t.flips_left() == 3
    t.do("yes")
    assert (t.player, t.decision, t.legal()) == (0, Decision.DESIGNATE, ["hex 0,0", "hex 0,1"])
    t.do("hex 0,1")
    assert t.casualties(1) == ["x_scourge_ogres"]
    assert t.casualties(0) == ["x_goblin_infantry"]
    assert (t.player, t.decision, t.legal()) == (0, Decision.ADVANCE, ["pass", "hex 0,0"])
    t.do("hex 0,0")
    assert t.unit("1,0").id == "x_orc_infantry"
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert t.flips_left() == 0


# ---


def test_x_06_the_noble_horse_revealed_in_time_saves_the_cavalry():
    t = table("x06_augment_in_time").do("melee", "hex 0,0", "hex 1,0")
    assert t.player == 1
    t.do("reveal_unit", "hex 2,0")
    assert t.stat("1,0", "armor") == 4
    t.pass_all().do("no")
    assert t.casualties(1) == []
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert t.flips_left() == 0


def test_x_06_after_the_flips_it_is_too_late():
    t = table("x06_augment_in_time").do("melee", "hex 0,0", "hex 1,0").pass_all().do("no")
    assert t.casualties(1) == ["x_cavalry"]
    assert (t.player, t.decision, t.legal()) == (0, Decision.ADVANCE, ["pass", "yes"])
    assert t.unit("2,0").face == "down"
    assert t.flips_left() == 0


# ---


def test_x_07_a_charge_at_a_hidden_flyer_is_cancelled_and_spent():
    t = table("x07_charge_at_hidden_flyer").do("move_attack", "hex -1,0", "hex 2,0").pass_all()
    assert (t.player, t.decision, t.legal()) == (0, Decision.CHARGE_TO, ["hex 1,0"])
    t.do("hex 1,0")
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert (t.unit("1,0").id, t.unit("2,0").face) == ("x_cavalry", "up")
    assert t.casualties(0) == t.casualties(1) == []


def test_x_07_cancelled_before_the_move_the_action_is_not_spent():
    t = table("x07_charge_at_hidden_flyer").do("move_attack", "hex -1,0", "hex 2,0", "reveal_unit", "hex 2,0")
    assert (t.player, t.decision) == (0, Decision.MENU)
    assert t.unit("-1,0").employed is False
    assert t.legal() == ["draw", "move"]


# ---


@pytest.mark.parametrize("refuge", ["2,-1", "1,-1"])  # the second is still next to the Gladiator
def test_x_08_unit_that_retreats_takes_no_damage(refuge):
    t = table("x08_retreat").do("melee", "hex 0,0", "hex 1,0")
    assert (t.player, t.decision) == (1, Decision.WINDOW)
    t.do("surprise", "slot 0", f"hex {refuge}")
    assert (t.player, t.decision, t.turn) == (1, Decision.MENU, 2)
    assert t.unit(refuge).id == "x_orc_war_priest"
    assert t.unit("1,0") is None
    assert t.casualties(1) == ["x_retreat"]
    assert t.unit("0,0").id == "x_gladiator"


# ---


def test_x_09_counter_never_answers_a_surprise_maneuver():
    t = table("x09_no_counter_in_response")
    assert "counter_token" in t.legal()
    t.do("melee", "hex 0,0", "hex 1,0")
    for text in ("surprise", "slot 0", "hex 2,-1"):
        assert "counter_token" not in t.legal()
        t.do(text)
    assert (t.player, t.turn) == (1, 2)


def test_x_09_counter_is_in_no_frame_of_the_attack():
    t = table("x09_no_counter_in_response").do("melee", "hex 0,0", "hex 1,0")
    asked = []
    while t.turn == 1:
        assert "counter_token" not in t.legal()
        asked.append((t.player, t.decision))
        t.do("pass")
    assert asked == [(1, Decision.WINDOW), (0, Decision.WINDOW), (1, Decision.COUNTER)]
    assert t.flips_left() == 0


# ---


def test_x_10_augment_elf_helps_adjacent_own_elves_alone():
    t = table("x10_augment_by_name")
    assert {h: t.stat(h, "damage") for h in ("-1,0", "-1,1", "0,1", "-2,0", "1,0", "0,0")} == {
        "-1,0": 3,
        "-1,1": 3,
        "0,1": 2,
        "-2,0": 2,
        "1,0": 2,
        "0,0": 2,
    }


def test_x_10_two_augmenters_help_each_other():
    t = table("x10_two_augmenters")
    assert (t.stat("0,0", "damage"), t.stat("-1,0", "damage")) == (3, 3)


# ---


def test_x_11_a_leader_makes_the_check_unnecessary():
    t = table("x11_leadership")
    assert t.legal() == ["draw", "move", "melee", "ranged", "coord_melee"]
    t.do("coord_melee", "hex 1,0", "hex 0,0", "hex 1,-1", "hex 0,1")
    t.do("done")
    assert t.decision == Decision.WINDOW
    assert t.flips_left() == 3
    t.pass_all()
    assert (t.player, t.decision) == (1, Decision.COUNTER)
    assert t.flips_left() == 0
    t.do("no")
    assert t.casualties(1) == ["x_scourge_ogres"]
    assert (t.decision, t.legal()) == (Decision.ADVANCE, ["pass", "hex 1,-1", "hex 0,0", "hex 0,1"])


# ---


def shoot_and_counter(name, target):
    t = table(name).do("ranged", "hex 0,0", f"hex {target}").pass_all()
    assert (t.player, t.decision) == (1, Decision.COUNTER)
    return t.do("yes")


def test_x_12_the_catapult_scatters_though_it_dies():
    t = shoot_and_counter("x12_scatter", "2,0")
    assert t.casualties(0) == ["x_orc_archers", "x_u2"]
    assert t.casualties(1) == ["x_catapult", "x_u1"]
    assert t.unit("-1,0").id == "x_u3"
    assert t.flips_left() == 0


def test_x_12_without_scatter_only_the_two_die():
    t = shoot_and_counter("x12_no_scatter", "2,0")
    assert (t.casualties(0), t.casualties(1)) == (["x_orc_archers"], ["x_catapult"])
    assert [t.unit(h).id for h in ("1,0", "0,1", "-1,0")] == ["x_u1", "x_u2", "x_u3"]
    assert t.flips_left() == 0


def test_x_13_the_catapult_kills_itself():
    t = shoot_and_counter("x13_catapult", "1,0")
    assert (t.casualties(0), t.casualties(1)) == (["x_orc_archers"], ["x_catapult"])
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert t.flips_left() == 0


def test_x_13_without_a_counter_there_is_no_scatter():
    t = table("x13_no_counter").do("ranged", "hex 0,0", "hex 1,0").pass_all()
    assert (t.player, t.decision) == (1, Decision.COUNTER)
    t.do("no")
    assert (t.unit("0,0").id, t.unit("1,0").id) == ("x_orc_archers", "x_catapult")
    assert (t.player, t.decision) == (1, Decision.MENU)
    assert t.flips_left() == 0


# ---


def test_x_14_armor_zero_does_not_kill():
    t = table("x14_armor_zero_no_success")
    assert t.stat("1,0", "armor") == 0
    t.do("melee", "hex 0,0", "hex 1,0").pass_all().do("no")
    assert t.unit("1,0").id == "x_victim"
    assert t.flips_left() == 0


def test_x_14_one_damage_kills_at_armor_zero():
    t = table("x14_armor_zero_one_success").do("melee", "hex 0,0", "hex 1,0").pass_all().do("no")
    assert t.casualties(1) == ["x_victim"]
    assert t.casualties(0) == ["x_frailty"]
    assert t.flips_left() == 0


# ---


def test_x_15_a_spell_may_target_any_band_but_no_face_down_unit():
    t = table("x15_any_band_is_a_target").do("cast", "hex 0,0", "slot 0")
    assert sorted(t.legal()) == sorted(["hex 1,0", "hex 2,0", "hex 3,0", "hex 3,-1", "hex 2,-1"])
    t.do("hex 2,0").pass_all()
    assert t.casualties(1) == ["x_gray_unit"]
    assert t.casualties(0) == ["x_lightning_strike"]
    assert t.player == 1


# ---


def test_x_16_weaken_stays_on_its_target_until_it_is_dispelled():
    t = table("x16_weaken").do("cast", "hex 0,0", "slot 0", "hex 2,0").pass_all()
    assert (t.player, t.decision, t.turn) == (1, Decision.MENU, 2)
    target = t.unit("2,0")
    assert target.attachments == ("x_charm", "x_charm", "x_weaken")
    assert target.attachment_faces == ("down", "down", "up")
    assert t.unit("0,0").attachments == ()
    assert t.casualties(0) == []
    assert t.stat("2,0", "armor") == 0

    t.do("deploy", "type x_charm", "hex 2,0")  # a third attachment of its own General
    assert t.unit("2,0").attachments == ("x_charm", "x_charm", "x_weaken", "x_charm")
    assert t.player == 0
    t.do("draw", "done")
    assert t.stat("2,0", "armor") == 0

    t.do("dispel", "hex 3,0", "hex 2,0", "slot 2").pass_all()
    assert t.unit("2,0").attachments == ("x_charm", "x_charm", "x_charm")
    assert t.casualties(0) == ["x_weaken"]
    assert t.casualties(1) == []
    assert t.stat("2,0", "armor") == 1


# ---


def test_x_17_a_ground_unit_in_the_defenders_place_is_the_defender():
    t = table("x17_screening_fronts").do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,0")
    assert (t.unit("1,0").id, t.unit("2,0").id) == ("x_replacement", "x_host")
    assert t.casualties(1) == ["x_screening_fronts"]
    while t.player != 1:
        t.do("pass")
    assert "surprise" in t.legal()
    t.pass_all()
    assert (t.player, t.decision) == (1, Decision.COUNTER)
    t.do("yes")
    assert t.casualties(1) == ["x_replacement", "x_retreat", "x_screening_fronts"]
    assert t.unit("2,0").id == "x_host"
    assert (t.player, t.decision) == (0, Decision.ADVANCE)
    assert t.flips_left() == 0


def test_x_17_a_flyer_in_the_defenders_place_makes_the_attack_miss():
    t = table("x17_flying_replacement").do("melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,0")
    assert (t.player, t.decision, t.turn) == (1, Decision.MENU, 2)
    assert (t.unit("1,0").id, t.unit("2,0").id) == ("x_flyer", "x_host")
    assert t.casualties(1) == ["x_screening_fronts"]


# ---


def flips(t, number):
    return [int(chance.flip(t.params[0], t.states[0], np.int64(0))) for _ in range(number)]


def test_x_18_even_dice_are_successes():
    t = table("x18_die")
    rolled = t.copy()
    sides = [int(below(next_flip_word(rolled.states[0]), np.int64(6))) + 1 for _ in range(200)]
    assert set(sides) == {1, 2, 3, 4, 5, 6}
    assert flips(t, 200) == [1 if side in (2, 4, 6) else 0 for side in sides]


def test_x_18_a_deck_holds_26_successes():
    t = table("x18_deck")
    for _ in range(4):
        assert sum(flips(t, 52)) == 26


def test_x_18_a_joker_reshuffles_and_is_no_result():
    t = table("x18_deck_jokers")
    lengths, run = [], []
    before = 54
    for _ in range(600):
        result = flips(t, 1)[0]
        left = [int(t.state[f"deck_{kind}"]) for kind in ("red", "black", "jokers")]
        assert left[2] == 2
        if sum(left) == 53:  # the first card of a fresh deck
            lengths.append(len(run))
            run = []
        else:
            assert sum(left) == before - 1
        run.append(result)
        assert (left[0], left[1]) == (26 - sum(run), 26 - len(run) + sum(run))
        before = sum(left)
    assert max(lengths) <= 52
    assert min(lengths[1:]) < 52


# ---


def test_x_19_initiative_goes_to_the_last_who_flips_heads():
    t = table("x19_initiative")
    assert (t.player, t.decision) == (0, Decision.SETUP_TYPE)
    flipped = [(int(t.state["log_player"][i]), int(t.state["log_value"][i])) for i in range(10)]
    assert flipped[::-1] == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 0), (2, 1), (0, 0), (2, 0), (0, 1), (2, 0)]
    assert t.flips_left() == 0
    assert t.zone(1, Zone.PICKED) == ["plain"] * 5


# ---


def occupy(name):
    return table(name).do("move", "hex 5,0", "hex 4,0")  # no second unit can move, so the turn ends


def test_x_20_an_unrevealed_unit_takes_a_battlefield_unseen():
    t = occupy("x20_unrevealed_occupation")
    assert (t.player, t.turn) == (1, 2)
    assert t.field("4,0").controller == 0
    assert t.field("4,0").owner == 1
    assert t.unit("4,0").face == "down"


def test_x_21_control_stays_until_the_other_general_ends_a_turn_there():
    t = occupy("x21_regaining_control").do("draw", "done")
    assert t.field("4,0").controller == 0
    t.do("move", "hex 4,0", "hex 5,0")
    assert (t.player, t.field("4,0").controller) == (1, 0)
    t.do("move", "hex 3,-1", "hex 4,0")
    assert (t.player, t.field("4,0").controller) == (0, 1)
