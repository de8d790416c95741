"""Odds shown before an attack: what the rules give, as far as the General knows the position."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.render.picture import find_picture
from sackarmies_training.sack_armies.preview import Preview, heads_needed, percent, reds_in_a_row
from sackarmies_training.sack_armies.table import Table
from sackarmies_training.table.game_table import known_states
from tests.sack_armies.builders.fights import able, scenario
from tests.sack_armies.builders.text_game import attachment, field, token, unit

TOKENS = [
    token("striker", damage=2, armor=3, band="green", movement=3),
    token("archer", damage=3, armor=2, band="green", abilities=[able("range", range=4)]),
    token("wall", damage=1, armor=5, band="green"),
    token("defender", damage=1, armor=2, band="green", abilities=[able("defend")]),
    token("rider", damage=2, armor=2, movement=4, abilities=[able("move_and_attack")]),
    token("ghost", damage=0, armor=2),
    token("herald", armor=2, abilities=[able("augment", stat="armor", amount=2)]),
    {"id": "ridge", "kind": "battlefield", "rank": 2, "effects": [{"stat": "damage", "amount": 3}]},
    {"id": "charm", "kind": "spell", "use": "free", "effects": [{"kind": "modify", "stat": "armor", "amount": 3}]},
]
FIELDS = [field(f"{q},0", int(q > 1)) for q in range(-1, 5)]
PILE = {"hand": [], "sack": ["wall"], "casualties": [], "removed": []}


def begun(units: list[dict[str, Any]], flips: str = "", fields: Any = FIELDS, **switches: Any) -> Match:
    given = scenario(TOKENS, units, flips, {"auto_forced": False} | switches, fields=fields, general=[PILE, PILE])
    match = Match(make_game(scenario=given))
    match.begin(0)
    return match


def do(match: Match, *texts: str) -> None:
    for text in texts:
        match.play(match.game.parse_action(match.states, text))


def choices(match: Match) -> dict[str, dict[str, Any]]:
    picture = find_picture(match.game, match.states, match.player)
    told = Table(match.game).choices(known_states(match), picture, match.legal_actions())
    return {choice["text"]: choice for choice in told}


def run_out(match: Match) -> None:
    """Take the first legal action, which is to pass where possible, until the turn ends."""
    turn = int(match.states["turn"][0])
    while match.player >= 0 and int(match.states["turn"][0]) == turn:
        match.play(match.legal_actions()[0])


def kills(units: list[dict[str, Any]], flips: str, *texts: str) -> bool:
    """Return whether an attack with these flips kills a unit of General 1."""
    match = begun(units, flips + "T" * 8)
    before = int((match.states["token_zone"][0] == 6).sum())
    do(match, *texts)
    run_out(match)
    return int((match.states["token_zone"][0] == 6).sum()) > before


@pytest.mark.parametrize(
    ("attacker", "target", "heads"), [("striker", "striker", 2), ("striker", "wall", 3), ("archer", "defender", 1)]
)
def test_heads_that_are_told_kill_and_one_less_does_not(attacker, target, heads):
    units = [unit(attacker, "0,0"), unit(target, "1,0", 1)]
    match = begun(units, flip_method="coin")
    do(match, "melee", "hex 0,0")
    choice = choices(match)["hex 1,0"]
    assert choice["odds"]["heads"] == heads
    assert choice["odds"]["chance"] == 0.5**heads
    assert str(heads) in choice["note"]
    attack = ("melee", "hex 0,0", "hex 1,0")
    assert kills(units, "H" * heads, *attack)
    assert not kills(units, "H" * (heads - 1) + "T", *attack)


def test_shot_takes_one_head_or_cannot_kill():
    units = [unit("archer", "0,0"), unit("striker", "2,0", 1), unit("wall", "3,0", 1)]
    match = begun(units, flip_method="coin")
    do(match, "ranged", "hex 0,0")
    told = choices(match)
    assert (told["hex 2,0"]["odds"]["heads"], told["hex 2,0"]["odds"]["chance"]) == (1, 0.5)
    assert (told["hex 3,0"]["odds"]["heads"], told["hex 3,0"]["odds"]["chance"]) == (None, 0.0)
    assert "cannot kill" in told["hex 3,0"]["note"]
    assert "counter" not in told["hex 2,0"]["odds"]  # it has no range


def test_bonus_of_defenders_beside_the_attacker_counts():
    lone = [unit("striker", "0,0"), unit("defender", "1,0", 1)]
    helped = [*lone, unit("wall", "0,1", 1)]
    for units, armor in ((lone, 2), (helped, 3)):
        match = begun(units, flip_method="coin")
        do(match, "melee", "hex 0,0")
        assert choices(match)["hex 1,0"]["odds"]["armor"] == armor


def test_counter_attack_is_told():
    match = begun([unit("striker", "0,0"), unit("wall", "1,0", 1)], flip_method="coin")
    do(match, "melee", "hex 0,0")
    choice = choices(match)["hex 1,0"]
    assert choice["odds"]["counter"]["heads"] == 3
    assert "strikes back" in choice["note"]
    do(match, "hex 1,0")
    while "counter" not in match.game.describe_decision(match.states).lower():
        do(match, "pass")
    assert choices(match)["yes"]["odds"]["heads"] == 3


def test_attack_that_may_be_answered_is_told_with_its_odds():
    match = begun([unit("striker", "0,0"), unit("wall", "1,0", 1)], flip_method="coin")
    do(match, "melee", "hex 0,0", "hex 1,0")
    while match.player != 1:
        do(match, "pass")
    told = Table(match.game).about(known_states(match), find_picture(match.game, match.states, 1))
    assert told == (
        "General 0's Striker against Wall: melee attack. Damage 2 against armor 5: 3 heads in a row kill (13%)."
    )


def test_hidden_target_has_an_unknown_armor_and_the_truth_makes_no_difference():
    told = []
    for hidden in ("wall", "striker"):
        match = begun([unit("rider", "0,0"), unit(hidden, "3,0", 1, face="down")], flip_method="coin")
        do(match, "move_attack", "hex 0,0")
        told.append(choices(match)["hex 3,0"])
    assert told[0] == told[1]
    assert told[0]["odds"]["armor"] is None
    assert told[0]["note"].startswith("Unknown armor")


# --- Move and Attack: the battlefield that counts is the one it attacks from

CHARGE = ("move_attack", "hex 0,0", "hex 3,0")


def ridged(*high: str) -> list[dict[str, Any]]:
    """Return the battlefields with ridges on the hexes `high`, which replace the fields there."""
    return [each for each in FIELDS if "{},{}".format(*each["at"]) not in high] + [field(at, 1, "ridge") for at in high]


def after_charges(match: Match) -> dict[str, dict[str, Any]]:
    """Return the odds that are announced after the move, by the hex that the General chooses."""
    found = {}
    for action in match.legal_actions():
        moved = match.clone()
        moved.play(action)
        assert int(moved.states["decision"][0]) == Decision.WINDOW
        text = match.game.format_action(match.states, action)
        found[text] = Preview(match.game).announced(known_states(moved), moved.player)
    return found


@pytest.mark.parametrize(
    ("high", "differ"), [((), False), (("0,0",), False), (("2,0",), True), (("0,0", "3,-1", "2,0"), True)]
)
@pytest.mark.parametrize("face", ["up", "down"])
def test_odds_of_a_move_and_attack_are_those_from_the_hexes_it_may_attack_from(high, differ, face):
    match = begun([unit("rider", "0,0", face=face), unit("wall", "3,0", 1)], flip_method="coin", fields=ridged(*high))
    do(match, *CHARGE[:2])
    choice = choices(match)[CHARGE[2]]
    do(match, CHARGE[2])
    told = [about(match)]
    do(match, "pass")
    told.append(about(match))
    asked(match, Decision.CHARGE_TO)
    by_hex = {text: each["odds"] for text, each in choices(match).items()}
    found = after_charges(match)
    assert len(found) > 2
    assert {text: odds["text"] for text, odds in by_hex.items()} == {text: odds["text"] for text, odds in found.items()}
    chances = {odds["chance"] for odds in found.values()}
    assert len(chances) == 1 + differ
    assert choice["odds"]["chance"] == (None if differ else chances.pop())
    for odds in found.values():
        assert odds["text"].lower() in choice["note"].lower()
        assert all(odds["text"].lower() in each.lower() for each in told)
    assert "If it strikes back: Damage 1 against armor 2: 2 heads in a row kill (25%)." in choice["note"]


def test_range_of_odds_is_told_from_the_lowest_to_the_highest():
    match = begun([unit("rider", "0,0"), unit("wall", "3,0", 1)], flip_method="coin", fields=ridged("2,0"))
    do(match, *CHARGE[:2])
    odds = choices(match)[CHARGE[2]]["odds"]
    assert (odds["damage"], odds["armor"], odds["heads"], odds["chance"]) == (None, 5, None, None)
    assert odds["text"] == (
        "It depends on the hex of the attacker. Lowest: damage 2 against armor 5: 3 heads in a row kill (13%). "
        "Highest: damage 5 against armor 5: 1 head kills (50%)."
    )


def test_defender_is_told_odds_with_what_the_move_will_turn_up():
    units = [unit("rider", "0,0"), unit("wall", "3,0", 1, face="down"), unit("herald", "3,1", 1, face="down")]
    match = begun(units, flip_method="coin")
    do(match, *CHARGE)
    assert match.player == 1
    told = about(match)
    found = after_charges(asked(match, Decision.CHARGE_TO))
    assert {odds["armor"] for odds in found.values()} == {5, 7}  # where the herald is seen it helps
    assert all(odds["text"].lower() in told.lower() for odds in found.values())


def test_hidden_token_under_the_target_is_told_as_a_doubt():
    units = [unit("striker", "0,0"), unit("wall", "1,0", 1, attached=[attachment("charm")])]
    match = begun(units, flip_method="coin")
    do(match, "melee", "hex 0,0")
    assert "Something hidden" in choices(match)["hex 1,0"]["note"]


def test_coordinated_attack_adds_damage_and_a_check():
    units = [unit("striker", "0,0"), unit("archer", "0,1"), unit("wall", "1,0", 1)]
    match = begun(units, flip_method="coin")
    do(match, "coord_melee", "hex 1,0", "hex 0,0", "hex 0,1")
    odds = choices(match)["pass"]["odds"]
    assert (odds["damage"], odds["armor"], odds["heads"], odds["chance"]) == (5, 5, 1, 0.25)
    assert odds["text"].startswith("A flip decides first")
    assert odds["text"].endswith("1 head kills (25% in all).")


def about(match: Match) -> str:
    return Table(match.game).about(known_states(match), find_picture(match.game, match.states, match.player))


def asked(match: Match, decision: Decision) -> Match:
    """Pass until a decision of this kind comes up."""
    while int(match.states["decision"][0]) != decision:
        do(match, "pass")
    return match


def test_check_to_come_is_part_of_the_odds_of_an_announced_attack():
    units = [unit("striker", "0,0"), unit("archer", "0,1"), unit("wall", "1,0", 1)]
    told = []
    for window in ("before_check", "after_check", "both"):
        match = begun(units, flip_method="coin", coord_window=window)
        match.begin(next(seed for seed in range(20) if passes_check(units, seed, window)))
        do(match, "coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "pass")
        told.append([])
        while int(match.states["decision"][0]) == Decision.WINDOW:
            told[-1].append(about(match).partition("(")[2])
            do(match, "pass")
    before, after = ["25% in all)."] * 2, ["50%)."] * 2
    assert told == [before, after, before + after]


def passes_check(units: list[dict[str, Any]], seed: int, window: str) -> bool:
    """Return whether two units that attack together get as far as a counter-attack."""
    match = begun(units, flip_method="coin", coord_window=window)
    match.begin(seed)
    do(match, "coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "pass")
    while int(match.states["decision"][0]) == Decision.WINDOW:
        do(match, "pass")
    return int(match.states["decision"][0]) == Decision.COUNTER


def test_odds_are_told_until_the_attack_is_flipped_for():
    alone = [unit("striker", "0,0"), unit("wall", "1,0", 1)]
    both = [*alone, unit("archer", "0,1")]
    attack, together = ("melee", "hex 0,0", "hex 1,0"), ("coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "pass")
    for units, texts, timing, is_told in (
        (alone, attack, {"counter_timing_single": "before_flips"}, True),
        (alone, attack, {"counter_timing_single": "after_attack_flips"}, False),
        (both, together, {"counter_timing_coord": "before_flips"}, True),
        (both, together, {"counter_timing_coord": "after_attack_flips"}, False),
    ):
        match = begun(units, "HTTTTT", **timing)
        do(match, *texts)
        told = about(asked(match, Decision.COUNTER))
        assert told.startswith("General 0's Striker")
        assert ("Damage" in told) == is_told, timing
        if units is both:
            do(match, "yes")
            assert "Damage" not in about(asked(match, Decision.DESIGNATE))


def test_odds_are_unknown_where_all_flips_are_forced():
    match = begun([unit("striker", "0,0"), unit("wall", "1,0", 1)], "HHH")
    do(match, "melee", "hex 0,0")
    assert choices(match)["hex 1,0"]["odds"]["chance"] is None


def test_cards_that_are_left_decide():
    match = begun([unit("striker", "0,0"), unit("wall", "1,0", 1)], flip_method="deck")
    match.states["deck_red"], match.states["deck_black"] = 3, 1
    do(match, "melee", "hex 0,0")
    assert choices(match)["hex 1,0"]["odds"]["chance"] == pytest.approx(3 / 4 * 2 / 3 * 1 / 2)


@pytest.mark.parametrize("cards", [(3, 2, 0), (3, 0, 0), (0, 3, 0), (2, 2, 0)])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_chance_of_red_cards_is_that_of_all_orders(cards, count):
    red, black, _ = cards
    orders = list(itertools.permutations("R" * red + "B" * black))
    wanted = sum(order[:count] == ("R",) * count for order in orders) / len(orders)
    assert reds_in_a_row(count, cards, 0) == pytest.approx(wanted)


def test_joker_shuffles_and_is_no_result():
    assert reds_in_a_row(1, (0, 0, 1), 2) == pytest.approx(0.5)
    assert reds_in_a_row(1, (26, 26, 2), 2) == pytest.approx(0.5)
    assert reds_in_a_row(2, (26, 26, 0), 0) == pytest.approx(26 / 52 * 25 / 51)
    assert reds_in_a_row(1, (0, 0, 0), 0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("damage", "armor", "progressive", "heads"),
    [
        (0, 0, True, None),
        (1, 0, True, 1),
        (2, -3, True, 1),
        (2, 4, True, 2),
        (2, 5, True, 3),
        (2, 5, False, None),
        (1, 65, True, None),
    ],
)
def test_heads_needed(damage, armor, progressive, heads):
    assert heads_needed(damage, armor, progressive, 64) == heads


def test_small_chances_are_not_rounded_to_none():
    assert [percent(chance) for chance in (None, 0.0, 0.004, 0.25, 1.0)] == [
        "",
        " (0%)",
        " (under 1%)",
        " (25%)",
        " (100%)",
    ]
