"""The schema of data files: what is refused, and with which message."""

import pytest

from sackarmies_env.core.safe_read import read_toml
from sackarmies_env.core.validation import read_model
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.army import read_army
from sackarmies_env.games.sack_armies.tokens.schema import Battlefield, read_tokens, token_data

ABILITY_KINDS = (
    '"ambush", "aquatic", "capture", "defend", "draw", "flying", "leadership", "move_and_attack", '
    '"counter", "dismiss", "dispel", "range", "sight", "augment", "raise", "scatter"'
)
UNIT_KEYS = (
    '"id", "name", "rank", "reconstructed", "range", "target", "effects", "kind", "homeland", "type", "band", '
    '"movement", "damage", "armor", "keywords", "abilities", "limits", "use"'
)


def faults(*tokens):
    """Return the lines of the error that refuses the tokens."""
    with pytest.raises(ValueError) as caught:
        read_tokens(list(tokens), "x.toml")
    return str(caught.value).splitlines()


def unit(**values):
    return {"id": "u", "kind": "unit"} | values


def spell(**values):
    return {"id": "s", "kind": "spell", "use": "action"} | values


# --- forms of values


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        (unit(movement="2"), 'movement: must be an integer, not "2"'),
        (unit(movement=2.0), "movement: must be an integer, not 2.0"),
        (unit(damage=True), "damage: must be an integer, not true"),
        (unit(armor=100), "armor: must be at most 99, not 100"),
        (unit(rank=0), "rank: must be at least 1, not 0"),
        (unit(abilities={"kind": "flying"}), "abilities: must be a list, not {'kind': 'flying'}"),
        (unit(keywords=["elf", 3]), "keywords[1]: must be a string, not 3"),
        (
            unit(band="pink"),
            'band: "pink" is not allowed; allowed are "black", "blue", "red", "green", "gray"',
        ),
        (
            unit(type="infantrie"),
            'type: "infantrie" is not allowed (did you mean "infantry"?); '
            'allowed are "other", "infantry", "cavalry", "missile", "artillery"',
        ),
        (unit(armour=2), f'unknown key "armour" (did you mean "armor"?); allowed are {UNIT_KEYS}'),
        (
            {"id": "u", "kind": "units"},
            'kind: "units" is not allowed (did you mean "unit"?); '
            'allowed are "unit", "battlefield", "spell", "maneuver"',
        ),
        ({"id": "u"}, "kind: the key is missing"),
        (
            unit(abilities=[{"kind": "fly"}]),
            f'abilities[0].kind: "fly" is not allowed (did you mean "flying"?); allowed are {ABILITY_KINDS}',
        ),
        (unit(abilities=[{"kind": "sight"}]), "abilities[0].range: the key is missing"),
        (
            unit(abilities=[{"kind": "range", "range": 41}]),
            "abilities[0].range: must be at most 40, not 41",
        ),
        (
            unit(abilities=[{"kind": "range", "range": 4, "damage": 2}]),
            'abilities[0]: unknown key "damage"; allowed are "kind", "range"',
        ),
        (
            unit(abilities=[{"kind": "augment", "stat": "movement", "amount": 1}]),
            'abilities[0].stat: "movement" is not allowed; allowed are "armor", "damage"',
        ),
        (
            unit(abilities=[{"kind": "raise", "match": [{"type": "infantry"}, {}]}]),
            'abilities[0].match[1]: a match needs a condition: "keyword", "homeland" or "type"',
        ),
        (
            unit(abilities=[{"kind": "raise", "match": []}]),
            'abilities[0].match: an empty list matches nothing; leave "match" out to mean all',
        ),
        (unit(limits=[{"kind": "requires_revealed"}]), "limits[0].match: the key is missing"),
    ],
)
def test_a_wrong_value_is_named_with_its_place_and_what_is_allowed(token, sentence):
    assert faults(token) == [f'x.toml: token "u": {sentence}']


def test_every_fault_of_every_token_is_reported():
    assert faults(
        unit(armor=-1, homeland="fey"),
        {"id": "Bad Id", "kind": "battlefield", "effects": [{"stat": "armor", "amount": 50}]},
        7,
        {"kind": "unit"},
    ) == [
        'x.toml: token "u": homeland: "fey" is not allowed; '
        'allowed are "", "fey_court", "scourge", "empire", "nether_sisters", "shazari"',
        'x.toml: token "u": armor: must be at least 0, not -1',
        'x.toml: token "Bad Id": id: "Bad Id" is not allowed: it must match ^[a-z][a-z0-9_]*$',
        'x.toml: token "Bad Id": effects[0].amount: must be at most 20, not 50',
        "x.toml: token[2]: must be a table, not 7",
        "x.toml: token[3].id: the key is missing",
    ]


def test_an_unknown_key_hides_no_other_fault():
    assert faults(unit(colour="red", rank=99)) == [
        f'x.toml: token "u": unknown key "colour"; allowed are {UNIT_KEYS}',
        'x.toml: token "u": rank: must be at most 20, not 99',
    ]


def test_duplicate_ids_are_refused():
    assert faults(unit(), unit(rank=2)) == ['x.toml: the id "u" is given 2 times']


# --- combinations that make no sense


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        (unit(abilities=[{"kind": "flying"}, {"kind": "flying"}]), 'the ability "flying" is given 2 times'),
        (unit(keywords=["orc", "orc"]), 'the keyword "orc" is given 2 times'),
        (
            unit(range=3),
            'a printed action text needs use = "action"; a shooting range is an ability of kind "range"',
        ),
        (unit(use="action"), "a text needs at least one effect"),
        (
            spell(effects=[{"kind": "draw", "count": 1}] * 2),
            'a text may have only one effect of kind "draw"',
        ),
        (
            spell(target="any_unit", range=2, effects=[{"kind": "dispel"}, {"kind": "counter"}]),
            '"dispel" and "counter" cannot be combined in a text',
        ),
        (
            spell(effects=[{"kind": "relocate", "distance": 1}, {"kind": "raise"}]),
            '"relocate" and "raise" cannot be combined in a text',
        ),
        (
            spell(use="free", effects=[{"kind": "damage", "amount": 1}]),
            '"damage" requires use = "action"; use = "free" allows only "modify", "grant"',
        ),
        (
            spell(use="free", range=2, effects=[{"kind": "modify", "stat": "armor", "amount": 1}]),
            'a text with use = "free" applies to its host and cannot have a target or range',
        ),
        (
            spell(use="permanent", target="hex", range=2, effects=[{"kind": "grant", "ability": {"kind": "flying"}}]),
            '"grant" needs a unit as target, not a hex; a permanent text needs a unit as target, not a hex',
        ),
        (
            spell(effects=[{"kind": "modify", "stat": "armor", "amount": 1, "duration": "permanent"}]),
            'the duration must be "turn" with use = "action", not "permanent"',
        ),
        (
            spell(use="permanent", effects=[{"kind": "modify", "stat": "armor", "amount": 1, "duration": "turn"}]),
            'the duration must be "permanent" with use = "permanent", not "turn"',
        ),
        (
            spell(effects=[{"kind": "modify", "stat": "armor", "amount": 0}]),
            "the effect on armor has amount 0; use another amount or remove it",
        ),
        (spell(range=3, effects=[{"kind": "draw", "count": 1}]), "a text aimed at its host cannot have a range"),
        (
            spell(target="enemy_unit", effects=[{"kind": "damage", "amount": 1}]),
            'target "enemy_unit" needs a range',
        ),
        (
            spell(target="enemy_unit", range=2, effects=[{"kind": "swap", "distance": 2}]),
            '"swap" needs target = "own_unit"',
        ),
        (spell(effects=[{"kind": "dismiss"}]), '"dismiss" cannot be aimed at the host itself'),
        (
            spell(effects=[{"kind": "relocate", "who": "target", "distance": 1}]),
            '"relocate" with who = "target" needs a unit as target',
        ),
        (
            spell(use="permanent", retain=True, effects=[{"kind": "modify", "stat": "armor", "amount": 1}]),
            'retain = true needs use = "action", since "permanent" tokens stay on the battleground',
        ),
        (
            {"id": "s", "kind": "battlefield", "exempt": ["flying"]},
            '"exempt" requires halts = true',
        ),
        ({"id": "s", "kind": "battlefield", "favors_aquatic": True}, "favors_aquatic = true needs water = true"),
        (
            {"id": "s", "kind": "battlefield", "effects": [{"stat": "damage", "amount": 0}]},
            "the effect on damage has amount 0; use another amount or remove it",
        ),
    ],
)
def test_a_token_that_cannot_work_is_refused(token, sentence):
    assert faults(token) == [f'x.toml: token "{token["id"]}": {sentence}']


# --- what is accepted


def test_fields_left_out_take_harmless_defaults():
    token = read_tokens([{"id": "stone_men", "kind": "unit"}], "x")[0]
    assert (token.name, token.rank, token.band, token.type, token.homeland) == ("Stone Men", 1, "black", "other", "")
    assert (token.movement, token.damage, token.armor) == (1, 1, 1)
    assert (token.keywords, token.abilities, token.limits, token.use) == ((), (), (), None)
    assert not token.reconstructed


def test_a_single_match_is_a_list_of_one():
    one, several = (
        read_tokens([unit(abilities=[{"kind": "raise", "match": match}])], "x")[0].abilities[0].match
        for match in ({"type": "cavalry"}, [{"type": "cavalry"}])
    )
    assert one == several
    assert one[0].type == "cavalry"


@pytest.mark.parametrize("match", [{}, {"keyword": None}, {"homeland": None, "type": None}])
def test_a_match_without_a_condition_is_refused(match):
    found = faults(unit(abilities=[{"kind": "raise", "match": match}]))
    assert len(found) == 1
    assert found[0].endswith('a match needs a condition: "keyword", "homeland" or "type"')


def test_a_swap_needs_neither_target_nor_range():
    swap = read_tokens([spell(effects=[{"kind": "swap", "distance": 2}])], "x")[0]
    assert (swap.aim, swap.reach) == ("own_unit", 2)
    shorter = read_tokens([spell(target="own_unit", range=1, effects=[{"kind": "swap", "distance": 2}])], "x")[0]
    assert shorter.reach == 1


def test_tokens_survive_as_plain_data():
    given = [
        unit(abilities=[{"kind": "augment", "match": {"keyword": "elf"}, "stat": "armor", "amount": 2}]),
        spell(target="hex", range=2, effects=[{"kind": "reveal", "range": 1}]),
    ]
    tokens = read_tokens(given, "x")
    assert read_tokens([token_data(token) for token in tokens], "x") == tokens


# --- files, armies, switches


def test_files_that_cannot_be_read(tmp_path):
    broken = tmp_path / "broken.toml"
    broken.write_text("[[token]\n", encoding="utf-8")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, words in (
        (tmp_path / "none.toml", "there is no such file"),
        (tmp_path, "this is a folder, not a TOML file"),
        (broken, "not valid TOML: "),
        (binary, "the file is not UTF-8 text (byte 0)"),
    ):
        with pytest.raises(ValueError) as caught:
            read_toml(path)
        assert str(caught.value).startswith(f"{path}: {words}")


def test_an_army_file_names_its_faults():
    with pytest.raises(ValueError) as caught:
        read_army({"tokens": {"plain": 0, "imps": "2"}, "nmae": "x", "token": [unit(rank="a")]}, "army.toml")
    assert str(caught.value).splitlines() == [
        'army.toml: unknown key "nmae" (did you mean "name"?); allowed are "name", "description", "tokens", "token"',
        "army.toml: name: the key is missing",
        "army.toml: tokens.plain: must be at least 1, not 0",
        'army.toml: tokens.imps: must be an integer, not "2"',
        'army.toml: token "u": rank: must be an integer, not "a"',
    ]
    with pytest.raises(ValueError, match=r'army\.toml: the id "u" is given 2 times'):
        read_army({"name": "x", "tokens": {}, "token": [unit(), unit()]}, "army.toml")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"auto_forced": "maybe"}, 'auto_forced: must be true or false, not "maybe"'),
        ({"copy_limits": {4: 1}}, 'copy_limits: unknown rank 4; allowed are "1", "2", "3+"'),
        ({"copy_limits": {"2": 0}}, "copy_limits.2: must be at least 1, not 0"),
        ({"grid_radius": 18}, "grid_radius: must be at most 17, not 18"),
        (
            {"flip_method": "coins"},
            'flip_method: "coins" is not allowed (did you mean "coin"?); '
            'allowed are "coin", "die", "deck", "deck_jokers", "scripted"',
        ),
        ({"max_turns": 0}, "max_turns: must be at least 1, not 0"),
    ],
)
def test_a_wrong_switch_is_refused(given, sentence):
    with pytest.raises(ValueError) as caught:
        Switches.read(given)
    assert str(caught.value) == f"switches: {sentence}"


def test_an_unknown_switch_is_answered_with_the_nearest():
    with pytest.raises(ValueError) as caught:
        Switches.read({"scatter_saves": True})
    assert str(caught.value).startswith(
        'switches: unknown key "scatter_saves" (did you mean "scatter_save"?); allowed are'
    )


def test_switches_take_words_and_short_ranks():
    switches = Switches.read({"scatter_save": "off", "allow_concede": "on", "copy_limits": {1: 9, 3: 1}})
    assert (switches.scatter_save, switches.allow_concede) == (False, True)
    assert [switches.copies(rank) for rank in (1, 2, 3, 7)] == [9, 4, 1, 1]
    assert switches.changed() == {
        "scatter_save": False,
        "allow_concede": True,
        "copy_limits": {"1": 9, "2": 4, "3+": 1},
    }
    assert Switches().changed() == {}


def test_missing_key_of_a_battlefield_is_reported_with_the_source():
    with pytest.raises(ValueError, match=r"^here: id: the key is missing$"):
        read_model(Battlefield, {"kind": "battlefield"}, "here")
