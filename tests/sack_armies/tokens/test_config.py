"""Configuration: armies, capacity, refusals, and the parameters that kernels read, checked against their data."""

import numpy as np
import pytest

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.games.sack_armies.config import (
    build_params,
    capacity_for,
    make_config,
)
from sackarmies_env.games.sack_armies.state.constants import (
    NO_CLAUSE,
    NO_MATCH,
    NO_TYPE,
    Ability,
    Band,
    Effect,
    Flip,
    FlipMethod,
    Homeland,
    Kind,
    Stat,
    Target,
    UnitClass,
    Use,
    Who,
)
from sackarmies_env.games.sack_armies.state.record import LARGE, SMALL
from sackarmies_env.games.sack_armies.switches import CHOICES, SAME_NAME, Switches
from sackarmies_env.games.sack_armies.tokens.army import Army, check_army, load_army, read_army, resolve_army
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.games.sack_armies.tokens.passing import left_by_texts
from sackarmies_env.games.sack_armies.tokens.schema import read_tokens

TOKENS = load_catalogue()
NUMBER = {token_id: number for number, token_id in enumerate(TOKENS)}
FEW = Army("few", {"plain": 5, "imps": 1})


@pytest.fixture(scope="module")
def params():
    return build_params(make_config())[0]


def inline(token_id, **values):
    return {"id": token_id, "kind": "unit"} | values


def refusal(call, *args, **kwargs):
    with pytest.raises(ValueError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


# --- choosing armies


def test_defaults_by_seat_and_one_choice_for_all():
    assert [army.name for army in make_config(3).armies] == [
        "Court of the Glade",
        "Tribes of the Black Swamp",
        "Second Legion",
    ]
    assert make_config(3, "undead").armies == (load_army("undead"),) * 3
    assert make_config(2, ["undead", None]).armies == (load_army("undead"), load_army("scourge"))


def test_armies_from_files_data_and_python(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "Mine"\n[tokens]\nplain = 5\nu = 1\n[[token]]\nid = "u"\nkind = "unit"\n', encoding="utf-8")
    config = make_config(2, [path, {"name": "Theirs", "tokens": {"moor": 5, "imps": 2}}])
    assert [army.name for army in config.armies] == ["Mine", "Theirs"]
    assert config.type_ids[120:] == ("u",)
    assert resolve_army(str(path)) == config.armies[0]
    assert resolve_army(FEW) is FEW


def test_unknown_armies_and_wrong_numbers_of_them_are_refused():
    assert refusal(resolve_army, "udead").startswith(
        'unknown army \'udead\' (did you mean "undead"?); built-in armies: "beginners", '
    )
    assert refusal(resolve_army, "nowhere/army.toml") == "nowhere/army.toml: there is no such file"
    assert refusal(make_config, 3, [FEW, FEW]) == "expected 3 armies, one for each General, got 2"
    assert refusal(resolve_army, {"tokens": {}}, 1) == "army of General 1: name: the key is missing"


# --- inline tokens


def test_inline_tokens_come_after_the_catalogue_each_once():
    brings = Army("a", {"plain": 5, "u": 1}, make_config(tokens=[inline("u")]).inline_tokens)
    config = make_config(2, [brings, brings], tokens=[inline("v"), inline("u")])
    assert config.type_ids[120:] == ("v", "u")
    assert config.num_actions == 24 + 122 + 8 + 271


def test_inline_tokens_with_an_id_in_use_are_refused():
    assert refusal(make_config, tokens=[inline("plain")]) == (
        'the catalogue already has a token "plain": give the inline token another id'
    )
    brings = Army("a", {"plain": 5, "u": 1}, make_config(tokens=[inline("u", rank=2)]).inline_tokens)
    assert refusal(make_config, 2, [brings, FEW], tokens=[inline("u")]) == (
        'two different inline tokens have the id "u": give one of them another id'
    )
    assert refusal(make_config, tokens=[inline("u"), inline("u")]) == 'inline tokens: the id "u" is given 2 times'


def test_types_are_limited():
    tokens = [inline(f"u{number}") for number in range(137)]
    assert len(make_config(tokens=tokens[:136]).tokens) == 256
    assert (
        refusal(make_config, tokens=tokens) == "there are 137 inline tokens, but the catalogue leaves room for only 136"
    )


# --- capacity


def test_capacity_is_the_smallest_that_holds_the_configuration():
    assert capacity_for(make_config(2)) == SMALL
    assert capacity_for(make_config(3)) == LARGE
    assert capacity_for(make_config(2, switches={"grid_radius": 10})) == LARGE
    # 32 + types + 271 cells must fit into 512 ids
    assert capacity_for(make_config(2, tokens=[inline(f"u{n}") for n in range(89)])) == SMALL
    assert capacity_for(make_config(2, tokens=[inline(f"u{n}") for n in range(90)])) == LARGE
    crowd = Army("crowd", {"plain": 6} | dict.fromkeys(["imps", "pixies", "spitter", "dryads", "newt_skirmishers"], 6))
    assert capacity_for(make_config(2, [crowd, FEW])) == SMALL
    big = Army("big", dict(crowd.counts) | {"cave_bats": 6})
    assert capacity_for(make_config(2, [big, FEW], {"max_ranks": 42})) == LARGE


def test_configuration_beyond_the_largest_capacity_is_refused():
    huge = Army("huge", {"plain": 65, "imps": 1})
    sentence = "an army has 66 tokens, but at most 64 fit into a game"
    assert refusal(make_config, 2, [huge, FEW], legal_armies=False) == sentence


def test_an_army_that_could_fill_a_table_of_a_turn_is_refused():
    augment = {"kind": "augment", "stat": "armor", "amount": 1}
    banners = [inline(f"banner{number}", abilities=[augment]) for number in range(6)]

    def army(last):
        copies = {token["id"]: 6 for token in banners[:5]}
        return read_army(
            {"name": "banners", "tokens": {"plain": 5, **copies, "banner5": last}, "token": banners}, "army"
        )

    assert check_army(army(2)) == []
    problem = (
        "its dead units can leave 33 augments behind in one turn (33 printed on units and 0 from texts that grant one "
        "or raise the dead), but a game has room for at most 32: use fewer of them"
    )
    assert check_army(army(3)) == [problem]
    assert refusal(make_config, 2, [FEW, army(3)]) == f"army 'banners' of General 1: {problem}"
    assert refusal(make_config, 2, [FEW, army(3)], legal_armies=False) == f"tokens of General 1: {problem}"


@pytest.mark.parametrize(("units", "maneuvers"), [(11, 33), (12, 33), (11, 40), (10, 33)])
def test_maneuvers_count_as_far_as_units_can_hold_them(units, maneuvers):
    drill = text("drill", [{"kind": "modify", "stat": "armor", "amount": 1}], kind="maneuver")
    counts = {"plain": 5, "host": units, "drill": maneuvers, "imps": 3}
    army = read_army({"name": "drilled", "tokens": counts, "token": [inline("host", band="red"), drill]}, "army")
    agreed = Switches(max_ranks=100, copy_limits={"1": 64, "2": 64, "3+": 64})
    problem = "its units can hold 33 maneuvers that change a unit, or grant it an ability, until the end of the turn"
    found = check_army(army, switches=agreed)
    assert [sentence.split(", but")[0] for sentence in found] == ([problem] if units > 10 else [])


def test_raising_lets_an_augment_die_again():
    augment = {"kind": "augment", "stat": "armor", "amount": 1}
    banner = inline("banner", abilities=[augment])
    loan = {"kind": "grant", "ability": augment}
    texts = [
        text("call", [{"kind": "raise"}, loan], kind="maneuver"),
        text("crown", [loan], "free"),
        text("mantle", [loan], "permanent"),
        text("wake", [{"kind": "raise"}, loan]),
    ]
    tokens = read_tokens([banner, *texts], "tokens")
    by_name = {token.id: token for token in tokens}

    def left(**copies):
        army = [by_name[name] for name, number in copies.items() for _ in range(number)]
        return left_by_texts(army, copies.get("banner", 0))

    assert left(banner=2, call=3) == 6
    assert left(banner=1, call=4) == 6  # a unit holds three
    assert left(banner=1, crown=3, call=2) == 2 * 2 + 1
    assert left(banner=1, mantle=4) == 4
    assert left(banner=1, wake=5) == 2  # one action a turn
    assert left(banner=0, call=1, wake=1, mantle=1) == 1 + 1


def test_armies_of_a_scenario_need_not_be_legal_but_must_exist():
    odd = Army("odd", {"imps": 9})
    assert refusal(make_config, 2, [odd, FEW]).startswith("army 'odd' of General 0: it has 9 copies")
    assert make_config(2, [odd, FEW], legal_armies=False).armies[0] == odd
    lost = Army("lost", {"imp": 1})
    assert refusal(make_config, 2, [lost, FEW], legal_armies=False) == (
        'army \'lost\': there is no token "imp" (did you mean "imps"?)'
    )


# --- parameters


def test_sizes_and_switches(params):
    assert (params["num_generals"], params["num_types"], params["num_actions"]) == (2, 120, 423)
    assert params["tokens_per_general"] == 40
    defaults = Switches()
    assert all(params[name] == getattr(defaults, name) for name in SAME_NAME)
    assert list(params["copy_limits"]) == [6, 4, 2]
    on = {field for field, _, _ in CHOICES if params[field]}
    assert on == {"coord_window_after"}
    assert params["flip_method"] == FlipMethod.COIN


@pytest.mark.parametrize(
    ("switches", "fields"),
    [
        ({"turn_direction": "cw_turns"}, {"clockwise_turns": 1}),
        ({"neutral_zone_basis": "owner"}, {"neutral_by_owner": 1}),
        ({"setup_pick": "any_at_placement"}, {"pick_at_placement": 1}),
        ({"flip_method": "deck_jokers"}, {"flip_method": FlipMethod.DECK_JOKERS}),
        ({"reaction_windows": "full"}, {"windows_full": 1, "windows_targeted_only": 0}),
        ({"reaction_windows": "targeted_only"}, {"windows_full": 0, "windows_targeted_only": 1}),
        ({"coord_window": "both"}, {"coord_window_before": 1, "coord_window_after": 1}),
        ({"coord_window": "before_check"}, {"coord_window_before": 1, "coord_window_after": 0}),
        ({"counter_timing_single": "after_attack_flips"}, {"single_counter_late": 1}),
        ({"counter_timing_coord": "before_flips"}, {"coord_counter_early": 1}),
        ({"raise_zone": "any_legal_hex"}, {"raise_any_legal_hex": 1}),
        ({"blind_target_wrong_kind": "refuse_known_only"}, {"blind_known_only": 1}),
        ({"allow_stop_after_failed_check": "on"}, {"stop_after_failed_check": 1}),
        ({"reward": "win_only"}, {"win_only": 1}),
        ({"auto_forced": False, "open_army_lists": True}, {"auto_forced": 0, "open_army_lists": 1}),
        ({"max_turns": 77, "initial_hand": 3}, {"max_turns": 77, "initial_hand": 3}),
    ],
)
def test_each_switch_reaches_the_record(switches, fields):
    record = build_params(make_config(switches=switches))[0]
    assert {name: int(record[name]) for name in fields} == fields


def test_every_field_of_the_switches_is_written(params):
    written = {*SAME_NAME, *(field for field, _, _ in CHOICES), "flip_method", "stop_after_failed_check", "copy_limits"}
    names = list(params.dtype.names)
    assert written == set(names[names.index("draw_count") : names.index("num_cells")])


def test_board_parameters_follow_the_configuration(params):
    assert (params["num_cells"], params["radius"]) == (271, 9)
    center = params["center"]
    east = params["neighbors"][center, 0]
    assert (params["cell_q"][east], params["cell_r"][east]) == (1, 0)
    assert (params["neighbors"][271:] == NO_HEX).all()
    assert (params["neighbors"][0] == NO_HEX).sum() == 3  # a corner
    assert params["cell_interior"].sum() == 271 - 6 * 9


def test_army_parameters_follow_the_configuration(params):
    army = load_army("fey_court")
    size = params["army_size"][0]
    assert size == army.size
    types = params["army_type"][0]
    assert {number: int((types == number).sum()) for number in set(types[:size].tolist())} == {
        NUMBER[token_id]: copies for token_id, copies in army.counts.items()
    }
    assert (types[size:] == NO_TYPE).all()
    assert list(params["army_size"][2:]) == [0, 0, 0, 0]


def test_unit_parameters_follow_the_catalogue(params):
    row = NUMBER["elven_silver_host"]
    values = {
        name: int(params[f"type_{name}"][row])
        for name in ("kind", "rank", "homeland", "class", "band", "movement", "damage", "armor", "use")
    }
    assert values == {
        "kind": Kind.UNIT,
        "rank": 3,
        "homeland": Homeland.FEY_COURT,
        "class": UnitClass.INFANTRY,
        "band": Band.GREEN,
        "movement": 1,
        "damage": 3,
        "armor": 4,
        "use": Use.NONE,
    }
    assert params["type_keywords"][row] == params["type_keywords"][NUMBER["elf_archers"]] != 0
    assert params["type_keywords"][row] & params["type_keywords"][NUMBER["orc_infantry"]] == 0


def test_printed_abilities_have_their_values(params):
    printed = params["type_ability"]
    assert printed[NUMBER["elf_archers"], Ability.RANGE] == 5
    assert printed[NUMBER["coven_witch"], Ability.DISMISS] == 3
    assert printed[NUMBER["siege_tortoise"], Ability.SCATTER] == 1
    assert printed[NUMBER["pixies"], Ability.FLYING] == 1
    assert printed[NUMBER["plain"]].sum() == 0
    for token in TOKENS.values():
        given = {ability.kind for ability in token.abilities} if token.kind == "unit" else set()
        assert {Ability(kind).name.lower() for kind in np.flatnonzero(printed[NUMBER[token.id]])} == given


def test_ability_rows(params):
    row = params["type_ability_start"][NUMBER["siege_tortoise"]]
    assert params["type_ability_end"][NUMBER["siege_tortoise"]] == row + 2
    assert [params["ability_kind"][row], params["ability_value"][row]] == [Ability.RANGE, 3]
    assert [params["ability_kind"][row + 1], params["ability_flip"][row + 1]] == [Ability.SCATTER, Flip.PROGRESSIVE]
    priest = params["type_ability_start"][NUMBER["nether_priestess"]]
    assert [params["ability_kind"][priest], params["ability_match"][priest]] == [Ability.RAISE, NO_MATCH]
    oracle = params["type_ability_start"][NUMBER["blood_oracle"]] + 1
    match = params["ability_match"][oracle]
    clause = params["match_start"][match]
    assert params["match_end"][match] == clause + 1
    assert params["clause_keywords"][clause] == params["type_keywords"][NUMBER["bone_guard"]]
    assert (params["clause_homeland"][clause], params["clause_class"][clause]) == (NO_CLAUSE, NO_CLAUSE)


def test_limit_rows(params):
    ballista = NUMBER["ballista"]
    row = params["type_limit_start"][ballista]
    assert params["type_limit_end"][ballista] == row + 1
    clause = params["match_start"][params["limit_match"][row]]
    assert params["clause_class"][clause] == UnitClass.INFANTRY
    assert params["type_limit_start"][NUMBER["imps"]] == params["type_limit_end"][NUMBER["imps"]]


def test_battlefield_parameters_follow_the_catalogue(params):
    row = NUMBER["deep_fen"]
    flags = ("halts", "water", "favors_aquatic", "exempts_flying", "exempts_aquatic")
    assert [params[f"type_{flag}"][row] for flag in flags] == [1, 1, 1, 1, 1]
    assert [params[f"type_{flag}"][NUMBER["woods"]] for flag in flags] == [1, 0, 0, 1, 0]
    effect = params["type_effect_start"][row]
    assert params["type_effect_end"][row] == effect + 1
    assert [params[f"effect_{name}"][effect] for name in ("kind", "stat", "amount", "match")] == [
        *(Effect.MODIFY, Stat.DAMAGE, -1, NO_MATCH),
    ]
    grove = params["type_effect_start"][NUMBER["moonlit_grove"]]
    clause = params["match_start"][params["effect_match"][grove]]
    assert params["clause_homeland"][clause] == Homeland.FEY_COURT


def text(token_id, effects, use="action", kind="spell", **values):
    return {"id": token_id, "kind": kind, "use": use, "effects": effects} | values


TEXTS = [  # (text, (use, target, range, retain), first effect)
    (
        text("bolt", [{"kind": "damage", "amount": 4}], target="enemy_unit", range=3),
        (Use.ACTION, Target.ENEMY_UNIT, 3, 0),
        {"kind": Effect.DAMAGE, "amount": 4, "flip": Flip.NONE},
    ),
    (
        text("hail", [{"kind": "damage", "amount": 2, "flip": "progressive"}], target="any_unit", range=4, retain=True),
        (Use.ACTION, Target.ANY_UNIT, 4, 1),
        {"kind": Effect.DAMAGE, "amount": 2, "flip": Flip.PROGRESSIVE},
    ),
    (
        text("curse", [{"kind": "modify", "stat": "armor", "amount": -2}], "permanent", target="enemy_unit", range=2),
        (Use.PERMANENT, Target.ENEMY_UNIT, 2, 0),
        {"kind": Effect.MODIFY, "stat": Stat.ARMOR, "amount": -2},
    ),
    (
        text("skin", [{"kind": "modify", "stat": "movement", "amount": 1}], "free", "maneuver"),
        (Use.FREE, Target.HOST, 0, 0),
        {"kind": Effect.MODIFY, "stat": Stat.MOVEMENT, "amount": 1},
    ),
    (
        text("screen", [{"kind": "swap", "distance": 3}], kind="maneuver"),
        (Use.ACTION, Target.OWN_UNIT, 3, 0),
        {"kind": Effect.SWAP, "distance": 3},
    ),
    (
        text("flight", [{"kind": "relocate", "distance": 5, "flip": "single"}], kind="maneuver"),
        (Use.ACTION, Target.HOST, 0, 0),
        {"kind": Effect.RELOCATE, "distance": 5, "flip": Flip.SINGLE, "who": Who.HOST},
    ),
    (
        text("gate", [{"kind": "relocate", "who": "target", "distance": 4}], target="own_unit", range=1),
        (Use.ACTION, Target.OWN_UNIT, 1, 0),
        {"kind": Effect.RELOCATE, "distance": 4, "flip": Flip.NONE, "who": Who.TARGET},
    ),
    (text("omen", [{"kind": "draw", "count": 2}]), (Use.ACTION, Target.HOST, 0, 0), {"kind": Effect.DRAW, "amount": 2}),
    (
        text("lights", [{"kind": "reveal", "range": 2}], target="hex", range=6),
        (Use.ACTION, Target.HEX, 6, 0),
        {"kind": Effect.REVEAL, "amount": 2},
    ),
    (
        text("void", [{"kind": "remove"}], target="enemy_unit", range=1),
        (Use.ACTION, Target.ENEMY_UNIT, 1, 0),
        {"kind": Effect.REMOVE},
    ),
    (text("call", [{"kind": "raise"}]), (Use.ACTION, Target.HOST, 0, 0), {"kind": Effect.RAISE, "match": NO_MATCH}),
    (
        inline("stoker", use="action", target="enemy_unit", range=2, effects=[{"kind": "dismiss"}]),
        (Use.ACTION, Target.ENEMY_UNIT, 2, 0),
        {"kind": Effect.DISMISS},
    ),
]


def test_text_parameters_follow_the_catalogue():
    config = make_config(tokens=[token for token, _, _ in TEXTS])
    record = build_params(config)[0]
    for token, head, effect in TEXTS:
        row = config.type_ids.index(token["id"])
        read = tuple(int(record[f"type_{name}"][row]) for name in ("use", "target", "target_range", "retain"))
        assert read == head, token
        first = record["type_effect_start"][row]
        assert {name: int(record[f"effect_{name}"][first]) for name in effect} == effect, token
        assert record["type_effect_end"][row] == first + 1, token


def test_granted_abilities_are_rows_of_the_ability_table(params):
    start = params["type_effect_start"][NUMBER["entrenchment"]]
    assert list(params["effect_kind"][start : start + 2]) == [Effect.MODIFY, Effect.GRANT]
    assert params["effect_ability"][start] == -1
    granted = params["effect_ability"][start + 1]
    assert params["ability_kind"][granted] == Ability.DEFEND
    bow = params["effect_ability"][params["type_effect_start"][NUMBER["spirit_bow"]]]
    reach = TOKENS["spirit_bow"].effects[0].ability.range
    assert (params["ability_kind"][bow], params["ability_value"][bow]) == (Ability.RANGE, reach)


def test_texts_and_keywords_that_overflow_the_tables_are_refused():
    ability = {"kind": "augment", "stat": "armor", "amount": 1}
    many = [inline(f"u{number}", abilities=[ability] * 5) for number in range(100)]
    assert refusal(make_config, tokens=many) == (
        "the tokens need more than 512 rows in the ability table: use fewer tokens or texts"
    )
    wordy = [inline(f"u{number}", keywords=[f"word_{number}"]) for number in range(60)]
    assert refusal(make_config, tokens=wordy).startswith("the tokens use more than 62 keywords; ")
