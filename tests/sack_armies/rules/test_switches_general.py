"""Switches for decisions, knowledge, limits, rewards and chance: every value of each."""

import pytest

from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.games.sack_armies.state.layout import UNTOLD
from tests.sack_armies.builders.fights import able, asked, attack, flips_made, modify, play, text
from tests.sack_armies.builders.ground import move, piles, returns, setup, truncated, wait
from tests.sack_armies.builders.seen import Seen, observation
from tests.sack_armies.builders.text_game import attachment, field, token, unit

A = token("a")
OGRE = token("ogre", damage=9, armor=9)
SPARE = piles(sack=["spare"])
FIELDS = [
    *(field("0,0"), field("2,0", 1), field("0,2", 2)),
    *(field("2,2", 3), field("4,0", 4), field("0,4", 5)),
]


def table(units=(), switches=None, flips="", tokens=(), **keys):
    """Return a table with units of the types "a", "ogre" and those in `tokens`."""
    return play([A, OGRE, *tokens], list(units), flips, switches, **keys)


# --- decisions


@pytest.mark.parametrize(("value", "decision"), [("on", Decision.MOVE_TO), ("off", Decision.MOVE_UNIT)])
def test_c_auto_forced_single_choices_are_made_by_the_engine_or_asked(value, decision):
    t = table([unit("a", "0,0"), unit("a", "4,0", 1)], {"auto_forced": value}).do("move")
    assert asked(t) == (0, decision)


@pytest.mark.parametrize("value", ["on", "off"])
def test_c_auto_forced_passes_that_are_forced_are_taken_silently(value):
    t = table([unit("a", "0,0"), unit("a", "1,0", 1)], {"auto_forced": value}, "H T").do("melee")
    if value == "off":
        t.do("hex 0,0", "hex 1,0", "pass", "pass")
    assert asked(t) == (1, Decision.COUNTER)


def test_c_auto_forced_never_makes_a_real_choice():
    t = table([unit("a", "0,0"), unit("a", "-2,0")], {"auto_forced": "on"}).do("move")
    assert asked(t) == (0, Decision.MOVE_UNIT)
    t = setup("H T", auto_forced="on")
    assert asked(t) == (1, Decision.SETUP_HEX)  # the center and the types were forced, the ring is not


# --- what is public


@pytest.mark.parametrize("value", ["on", "off"])
def test_c_casualties_public_what_was_lost_face_down_is_seen_by_all_or_by_its_owner(value):
    charm = text("spell", "charm", "free", [modify("armor", 1)])
    drill = text("maneuver", "drill", "free", [modify("damage", 1)])
    views = []
    for held in ("charm", "drill"):
        units = [unit("ogre", "0,0"), unit("g", "1,0", 1, attached=[attachment(held)])]
        general = [SPARE, piles(sack=["spare", "drill" if held == "charm" else "charm"])]
        tokens = [token("g", band="green"), charm, drill]
        t = table(units, {"casualties_public": value}, "H T", tokens, general=general)
        attack(t, "melee", "0,0", "1,0", "no").do("no")
        assert t.casualties(1) == [held, "g"]
        shown = {"g": 1, held: 1} if value == "on" else {"g": 1}  # the unit itself was revealed
        assert Seen(t, 0).counts("casualties_1") == shown
        assert Seen(t, 1).counts("casualties_0") == {"g": 1, held: 1}
        views.append(observation(t, 0).tolist())
    assert (views[0] == views[1]) == (value == "off")


@pytest.mark.parametrize("value", ["on", "off"])
def test_c_sack_count_public_the_size_of_a_sack_is_seen_by_all_or_by_its_owner(value):
    general = [piles(sack=["a"] * 2), piles(sack=["a"] * 4)]
    t = table([], {"sack_count_public": value}, general=general)
    assert [row["sack"] for row in Seen(t, 0).generals] == [2, 4 if value == "on" else UNTOLD]
    assert [row["sack"] for row in Seen(t, 1).generals] == [4, 2 if value == "on" else UNTOLD]


@pytest.mark.parametrize("value", ["on", "off"])
def test_c_open_army_lists_types_of_hidden_tokens_are_listed_only_if_open(value):
    views = []
    for hidden in (["a", "ogre"], ["a", "a"]):
        t = table([], {"open_army_lists": value}, general=[SPARE, piles(sack=hidden)])
        views.append(observation(t, 0).tolist())
    assert (views[0] == views[1]) == (value == "off")
    assert Seen(t, 0).counts("known_1") == ({"a": 2} if value == "on" else {})


# --- limits


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_c_max_turns__q_70_game_is_truncated_after_the_turn_limit(limit):
    t = table([], {"max_turns": limit})
    for turn in range(1, limit + 1):
        assert (t.turn, truncated(t)) == (turn, False)
        wait(t)
    assert (truncated(t), t.terminated, t.winner, t.player, t.legal()) == (True, False, -1, -1, [])
    assert returns(t) == [0.0, 0.0]


def test_c_max_turns_a_victory_in_the_last_turn_counts():
    fields = [field("0,0"), field("2,0", 1)]
    t = move(table([unit("a", "1,0")], {"max_turns": 1}, fields=fields), "1,0", "2,0")
    assert (t.terminated, truncated(t), t.winner) == (True, False, 0)


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_c_no_progress_turns__q_70_game_without_progress_is_truncated(limit):
    t = table([], {"no_progress_turns": limit})
    for _ in range(limit):
        assert not truncated(t)
        wait(t)
    assert (truncated(t), t.terminated, t.winner) == (True, False, -1)


PROGRESS = {
    "death": ["melee", "hex 0,0", "hex 1,0"],
    "control": ["move", "hex 3,1", "hex 3,0"],
    "placement": ["deploy", "type plain", "hex 0,-1"],
    "deployment": ["deploy", "type a", "hex 0,-1", "done"],
    "move": ["move", "hex 0,0", "hex 0,-1"],
    "capture": ["capture", "hex 0,0", "hex 1,0"],
}


@pytest.mark.parametrize("way", list(PROGRESS))
def test_q_70_only_deaths_control_changes_and_placements_are_progress(way):
    jailer = token("jailer", damage=9, abilities=[able("capture")])
    units = [unit("jailer", "0,0"), unit("a", "1,0", 1), unit("post", "4,0", 1)]
    if way == "control":
        units[0] = unit("a", "3,1")
    general = [piles(hand=["plain", "a"], sack=["spare"]), SPARE]
    tokens = [jailer, token("post", movement=0)]
    t = table(units, {"no_progress_turns": 2}, "H T", tokens, general=general)
    t.do(*PROGRESS[way]).pass_all()
    for answer in (Decision.COUNTER, Decision.ADVANCE, Decision.MOVE_UNIT, Decision.DEPLOY_TYPE):
        if t.decision == answer:
            t.do("no")
    assert (t.turn, t.player) == (2, 1)
    wait(t)
    assert truncated(t) == (way in ("deployment", "move", "capture"))


# --- rewards


@pytest.mark.parametrize("generals", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("value", ["zero_sum", "win_only"])
def test_c_reward_losers_share_minus_one_or_get_nothing(generals, value):
    switches = {"reward": value, "allow_concede": "on"}
    t = table([], switches, fields=FIELDS[:generals], generals=generals)
    share = pytest.approx(-1 / (generals - 1)) if value == "zero_sum" else 0.0
    for eliminated in range(1, generals):
        t.do("concede")
        earned = returns(t)
        assert earned[:eliminated] == [share] * eliminated
        assert earned[eliminated:] == ([1.0] if eliminated == generals - 1 else [0.0] * (generals - eliminated))
    assert t.terminated
    if value == "zero_sum":
        assert sum(returns(t)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("generals", [3, 4, 5, 6])
@pytest.mark.parametrize("value", ["zero_sum", "win_only"])
def test_q_97__c_reward_survivors_of_a_truncated_game_share_what_the_others_lost(generals, value):
    for eliminated in range(1, generals - 1):
        switches = {"reward": value, "allow_concede": "on", "max_turns": eliminated + 1}
        t = table([], switches, fields=FIELDS[:generals], generals=generals)
        for _ in range(eliminated):
            t.do("concede")
        loss = -1 / (generals - 1) if value == "zero_sum" else 0.0
        left = generals - eliminated
        assert returns(t) == pytest.approx([loss] * eliminated + [0.0] * left)  # nobody gains before the end
        wait(t)
        assert (truncated(t), t.terminated) == (True, False)
        gain = -loss * eliminated / (generals - eliminated)
        assert returns(t) == pytest.approx([loss] * eliminated + [gain] * (generals - eliminated))
        assert sum(returns(t)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("value", "earned"), [("zero_sum", [0.25, 0.25, -0.5]), ("win_only", [0.0, 0.0, 0.0])])
def test_q_97__q_13_those_eliminated_last_together_share_what_the_others_lost(value, earned):
    units = [unit("a", "0,0"), unit("a", "1,0", 1)]
    general = [piles(), piles(), piles(casualties=["a"]) | {"alive": False}]
    t = table(units, {"reward": value}, "H T | H T", fields=FIELDS[:3], generals=3, general=general)
    assert returns(attack(t, "melee", "0,0", "1,0", "yes")) == earned


@pytest.mark.parametrize("value", ["zero_sum", "win_only"])
def test_c_reward_draw_and_truncation_without_eliminations_pay_nothing(value):
    units = [unit("a", "0,0"), unit("a", "1,0", 1)]
    t = table(units, {"reward": value}, "H T | H T", general=[piles(), piles()])
    assert returns(attack(t, "melee", "0,0", "1,0", "yes")) == [0.0, 0.0]
    assert returns(wait(table([], {"reward": value, "max_turns": 1}))) == [0.0, 0.0]


# --- chance


def drawn(seed, flips_first):
    """Return General 1's hand after their first Draw, and the flips of the turn before it."""
    general = [piles(sack=["spare"]), piles(sack=[f"t{number}" for number in range(12)])]
    tokens = [token(f"t{number}") for number in range(12)]
    units = [unit("ogre", "0,0"), unit("ogre", "1,0", 1)]
    t = table(units, {"flip_method": "coin"}, tokens=tokens, general=general, seed=seed)
    if flips_first:
        attack(t, "melee", "0,0", "1,0", "yes")
        if t.decision == Decision.ADVANCE:
            t.do("no")
    else:
        move(t, "0,0", "-1,0")
    return t.do("draw").hand(1), flips_made(t)


def test_c_seed_flips_and_draws_come_from_separate_streams():
    for seed in (0, 1, 2):
        with_flips, flips = drawn(seed, True)
        without, none = drawn(seed, False)
        assert flips
        assert none == []
        assert with_flips == without  # earlier flips do not change what is drawn


def test_c_seed_the_same_seed_gives_the_same_game_and_others_give_others():
    games = [drawn(seed, True) for seed in range(6)]
    assert games == [drawn(seed, True) for seed in range(6)]
    assert len({str(hand) for hand, _ in games}) > 3
    assert len({str(flips) for _, flips in games}) > 2


# --- values that are refused


@pytest.mark.parametrize("turn_limit", [0, 30001])
def test_c_max_turns__c_no_progress_turns_values_out_of_range_are_refused(turn_limit):
    for name in ("max_turns", "no_progress_turns"):
        with pytest.raises(ValueError, match=name):
            table([], {name: turn_limit})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("turn_direction", "cw"),
        ("neutral_zone_basis", "both"),
        ("setup_pick", "random"),
        ("auto_forced", "maybe"),
        ("reward", "shaped"),
        ("draw_count", 0),
        ("hand_limit", 0),
        ("initial_hand", -1),
        ("grid_radius", 4),
        ("grid_radius", 18),
        ("flip_method", "dice"),
        ("allow_concede", "perhaps"),
    ],
)
def test_switches_refuse_other_values_by_name(name, value):
    with pytest.raises(ValueError, match=name):
        table([], {name: value})
