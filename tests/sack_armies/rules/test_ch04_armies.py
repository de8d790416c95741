"""Chapter 4, armies: ranks and recruiting limits, and what is printed on tokens (section 3.2.2, rulings on data)."""

import pytest

from sackarmies_env.games.sack_armies.config import build_params, make_config
from sackarmies_env.games.sack_armies.rules.stats import matches
from sackarmies_env.games.sack_armies.state.constants import NO_CLAUSE, Ability, Homeland, Stat, UnitClass
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.army import (
    Army,
    army_ids,
    check_army,
    load_army,
    read_army,
    resolve_army,
)
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.games.sack_armies.tokens.text import effect_text

FIELDS = {"plain": 5}  # five ranks in all
TOKENS = load_catalogue()


def army(**counts):
    return Army("test", FIELDS | counts)


def params_of(*tokens):
    """Return the params record of a configuration with inline tokens, and a function from token id to type number."""
    plain = army(orc_infantry=1)
    config = make_config(2, [plain, plain], tokens=tokens)
    return build_params(config)[0], config.type_ids.index


def inline(token_id, **values):
    return {"id": token_id, "kind": "unit"} | values


# --- 3.2.2 what is printed on a unit


def test_r3_2_2_8_type_symbols_and_none_is_other():
    params, number = params_of(inline("odd"))
    classes = {
        "elven_spearmen": UnitClass.INFANTRY,
        "wolf_riders": UnitClass.CAVALRY,
        "orc_archers": UnitClass.MISSILE,
        "catapult": UnitClass.ARTILLERY,
        "walking_tree": UnitClass.OTHER,
        "odd": UnitClass.OTHER,
    }
    assert {name: UnitClass(params["type_class"][number(name)]) for name in classes} == classes


def test_r3_2_2_9__r4_1_1_every_token_has_a_rank():
    params, number = params_of(inline("odd"), inline("grand", rank=7))
    assert [params["type_rank"][number(name)] for name in ("odd", "grand", "ruined_keep", "oblivion")] == [1, 7, 3, 3]
    assert all(token.rank >= 1 for token in TOKENS.values())


def test_r3_2_2_10_homelands_and_units_without():
    params, number = params_of()
    homelands = {
        "elf_archers": Homeland.FEY_COURT,
        "scourge_ogres": Homeland.SCOURGE,
        "gladiator": Homeland.EMPIRE,
        "imps": Homeland.NETHER_SISTERS,
        "spitter": Homeland.SHAZARI,
        "catapult": Homeland.NONE,
    }
    assert {name: Homeland(params["type_homeland"][number(name)]) for name in homelands} == homelands


# --- 4.1 rank


def test_r4_1_2_larger_armies_by_agreement():
    large = army(orc_infantry=6, goblin_infantry=6, bone_guard=6, imps=6, pixies=6, spitter=6)
    assert check_army(large) == ["its ranks sum to 41, but at most 40 are allowed: 1 too many"]
    assert check_army(large, switches=Switches(max_ranks=41)) == []


# --- 4.2 recruiting limits


def test_r4_2_1_a_general_plays_the_chosen_army():
    chosen = [{"name": "mine", "tokens": FIELDS | {"hill_giant": 2, "imps": 1}}, "undead"]
    config = make_config(2, chosen)
    params = build_params(config)[0]
    size = params["army_size"][0]
    types = sorted(config.type_ids[token_type] for token_type in params["army_type"][0, :size])
    assert types == ["hill_giant", "hill_giant", "imps", *["plain"] * 5]
    assert config.armies[1] == load_army("undead")


def test_r4_2_2__c_max_ranks_ranks_of_all_kinds_of_tokens_are_summed():
    # 5 battlefields (5), 2 hill giants (8), 2 pit demons (8), 4 gladiators (8), 4 banishments (8), 2 retreats (2) = 39
    full = {"hill_giant": 2, "pit_demon": 2, "gladiator": 4, "banishment": 4, "retreat": 2}
    assert check_army(army(**full)) == []
    assert check_army(army(**full, imps=1)) == []
    assert check_army(army(**full, imps=2)) == ["its ranks sum to 41, but at most 40 are allowed: 1 too many"]


def test_r4_2_3__c_min_battlefields_five_are_needed():
    few = Army("few", {"plain": 3, "moor": 1, "imps": 1})
    assert check_army(few) == ["it has 4 battlefields, but at least 5 are needed"]
    assert check_army(Army("five", {"plain": 3, "moor": 2, "imps": 1})) == []
    agreed = Switches(min_battlefields=6)
    assert check_army(army(imps=1), switches=agreed) == ["it has 5 battlefields, but at least 6 are needed"]


def test_r4_2_4_more_battlefields_are_welcome():
    assert check_army(Army("fields", {"plain": 6, "moor": 6, "hill": 6, "imps": 1})) == []


@pytest.mark.parametrize("token_id", ["walking_tree", "hill_giant", "ruined_keep", "oblivion"])
def test_r4_2_5__c_copy_limits_two_of_rank_three_and_higher(token_id):
    rank = TOKENS[token_id].rank
    assert check_army(army(imps=1, **{token_id: 2})) == []
    assert check_army(army(imps=1, **{token_id: 3})) == [
        f'it has 3 copies of "{token_id}", but at most 2 of a token of rank {rank} are allowed'
    ]


@pytest.mark.parametrize("token_id", ["gladiator", "woods", "fireball", "riposte"])
def test_r4_2_6_four_of_rank_two(token_id):
    assert check_army(army(imps=1, **{token_id: 4})) == []
    assert check_army(army(imps=1, **{token_id: 5})) == [
        f'it has 5 copies of "{token_id}", but at most 4 of a token of rank 2 are allowed'
    ]


@pytest.mark.parametrize("token_id", ["orc_infantry", "moor", "lightning_strike", "retreat"])
def test_r4_2_7_six_of_rank_one(token_id):
    assert check_army(army(imps=1, **{token_id: 6})) == []
    assert check_army(army(imps=1, **{token_id: 7})) == [
        f'it has 7 copies of "{token_id}", but at most 6 of a token of rank 1 are allowed'
    ]


def test_r4_2_8__c_copy_limits_other_limits_by_agreement():
    agreed = Switches(copy_limits={1: 7, 2: 5, "3+": 1})
    assert check_army(army(orc_infantry=7, gladiator=5, hill_giant=1), switches=agreed) == []
    assert check_army(army(hill_giant=2), switches=agreed) == [
        'it has 2 copies of "hill_giant", but at most 1 of a token of rank 4 are allowed'
    ]
    with pytest.raises(ValueError, match="it has 2 copies"):
        make_config(2, [army(hill_giant=2), army(imps=1)], {"copy_limits": {3: 1}})


def test_all_faults_of_an_army_are_reported_at_once():
    bad = Army("bad", {"plain": 3, "orc_infanty": 2, "hill_giant": 10, "oblivion": 1})
    assert check_army(bad) == [
        'there is no token "orc_infanty" (did you mean "orc_infantry"?)',
        "its ranks sum to 46, but at most 40 are allowed: 6 too many",
        'it has 10 copies of "hill_giant", but at most 2 of a token of rank 4 are allowed',
        "it has 3 battlefields, but at least 5 are needed",
    ]


def test_army_with_less_than_one_copy_of_a_token_is_refused():
    assert check_army(Army("bad", {"plain": 5, "hill_giant": 2, "imps": 0, "goblin_infantry": -30})) == [
        'it has 0 copies of "imps", but at least 1 is needed',
        'it has -30 copies of "goblin_infantry", but at least 1 is needed',
    ]


def test_faults_of_all_armies_of_a_configuration_are_reported_at_once():
    with pytest.raises(ValueError) as caught:
        make_config(2, [Army("first", {"plain": 5}), Army("second", {"plain": 4, "imps": 1})])
    assert str(caught.value).splitlines() == [
        "army 'first' of General 0: it has no unit, but at least one is needed",
        "army 'second' of General 1: it has 4 battlefields, but at least 5 are needed",
    ]


def test_an_army_that_no_game_can_hold_is_refused_whatever_is_agreed():
    crowd = army(**dict.fromkeys([name for name, token in TOKENS.items() if token.rank == 1][:11], 6))
    agreed = Switches(max_ranks=1000)
    assert crowd.size == 71
    assert check_army(crowd, switches=agreed) == ["it has 71 tokens, but at most 64 fit into a game"]


@pytest.mark.parametrize("army_id", army_ids())
def test_built_in_armies_are_legal_and_of_the_size_of_real_ones(army_id):
    built_in = load_army(army_id)
    assert check_army(built_in) == []
    assert 16 <= built_in.size <= 36
    assert built_in.ranks(TOKENS) == 40
    assert resolve_army(army_id) == built_in


# --- rulings on data


def test_q_12_an_army_needs_a_unit():
    assert check_army(army(retreat=2, fireball=1)) == ["it has no unit, but at least one is needed"]
    assert check_army(army(retreat=2, imps=1)) == []


def test_q_58_the_noble_horse_augments_cavalry_and_the_fey_court():
    params, number = params_of()
    horse = number("noble_horse")
    start, end = params["type_ability_start"][horse], params["type_ability_end"][horse]
    assert end - start == 1
    assert params["ability_kind"][start] == Ability.AUGMENT
    assert (params["ability_stat"][start], params["ability_amount"][start]) == (Stat.ARMOR, 1)
    match = params["ability_match"][start]
    clauses = range(params["match_start"][match], params["match_end"][match])
    assert [(params["clause_class"][c], params["clause_homeland"][c]) for c in clauses] == [
        (UnitClass.CAVALRY, NO_CLAUSE),
        (NO_CLAUSE, Homeland.FEY_COURT),
    ]
    fits = {name: bool(matches(params, int(match), number(name))) for name in ("wolf_riders", "elven_spearmen", "imps")}
    assert fits == {"wolf_riders": True, "elven_spearmen": True, "imps": False}


def test_q_59_names_match_by_keywords_and_not_by_letters():
    elf = {"kind": "augment", "match": {"keyword": "elf"}, "stat": "damage", "amount": 1}
    params, number = params_of(
        inline("singer", abilities=[elf]),
        inline("shelf_keepers", name="Shelf Keepers"),
        inline("woodland_kin", name="Woodland Kin", keywords=["elf"]),
    )
    match = int(params["ability_match"][params["type_ability_start"][number("singer")]])
    names = ("elf_archers", "elven_spearmen", "shelf_keepers", "woodland_kin", "orc_infantry")
    assert [bool(matches(params, match, number(name))) for name in names] == [True, True, False, True, False]


def test_q_73_the_sum_of_ranks_limits_an_army_and_not_the_number_of_its_tokens():
    forty = army(orc_infantry=6, goblin_infantry=6, bone_guard=6, imps=6, pixies=6, spitter=5)
    assert forty.size == 40
    assert check_army(forty) == []
    assert check_army(Army("few", {"plain": 5, "hill_giant": 2})) == []


def test_r9_1_9_texts_say_whether_an_effect_is_an_action_or_free():
    opening = {name: effect_text(TOKENS[name]).split()[0] for name in ("fireball", "weaken", "stone_skin")}
    assert opening == {"fireball": "Action:", "weaken": "Permanent:", "stone_skin": "Free:"}
    own = inline("stoker", use="action", target="enemy_unit", range=1, effects=[{"kind": "damage", "amount": 1}])
    stoker = read_army({"name": "x", "tokens": {}, "token": [own]}, "x").inline[0]
    assert effect_text(stoker) == "Action: a revealed enemy unit within 1 takes 1 damage."


# --- switches of the configuration


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6])
def test_c_num_generals_two_to_six(number):
    config = make_config(number)
    assert len(config.armies) == number
    assert build_params(config)["num_generals"][0] == number


@pytest.mark.parametrize("number", [1, 7, "2", 2.0])
def test_c_num_generals_others_are_refused(number):
    with pytest.raises(ValueError) as caught:
        make_config(number)
    assert str(caught.value) == f"num_generals must be an integer from 2 to 6, not {number!r}"


@pytest.mark.parametrize(("generals", "radius", "cells"), [(2, None, 271), (3, None, 397), (6, None, 919), (2, 7, 169)])
def test_c_grid_radius_gives_the_board(generals, radius, cells):
    params = build_params(make_config(generals, switches={"grid_radius": radius}))[0]
    assert params["num_cells"] == cells
    center = params["center"]
    assert (params["cell_q"][center], params["cell_r"][center]) == (0, 0)
    rim = 6 * params["radius"]
    assert params["cell_interior"].sum() == cells - rim
