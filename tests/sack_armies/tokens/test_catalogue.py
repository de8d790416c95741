"""The catalogue: its size and makeup, what the rulebook says of named tokens, fair ranks, texts from data."""

from collections import Counter
from pathlib import Path

import pytest

from sackarmies_env.games.sack_armies.tokens.army import DEFAULT_ARMIES, army_ids, built_in_armies
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.games.sack_armies.tokens.pricing import TOLERANCE, excess, price
from sackarmies_env.games.sack_armies.tokens.schema import Attachment, Battlefield, Unit, read_tokens
from sackarmies_env.games.sack_armies.tokens.text import effect_text
from sackarmies_env.games.sack_armies.words.docs import catalogue_markdown

TOKENS = load_catalogue()
UNITS = [token for token in TOKENS.values() if isinstance(token, Unit)]
FIELDS = [token for token in TOKENS.values() if isinstance(token, Battlefield)]
TEXTS = [token for token in TOKENS.values() if isinstance(token, Attachment)]
DOCS = Path(__file__).resolve().parents[3] / "docs"


def value(token_id, kind):
    """Return the range of an ability of a unit, 0 if it does not have it."""
    return next((ability.range for ability in TOKENS[token_id].abilities if ability.kind == kind), 0)


def abilities(token_id):
    return [ability.kind for ability in TOKENS[token_id].abilities]


# --- makeup


def test_the_catalogue_has_the_size_of_the_base_set():
    assert Counter(token.kind for token in TOKENS.values()) == {
        "unit": 75,
        "battlefield": 17,
        "spell": 16,
        "maneuver": 12,
    }
    homelands = Counter(unit.homeland for unit in UNITS)
    assert min(homelands[name] for name in ("fey_court", "scourge", "empire", "nether_sisters", "shazari")) >= 12
    assert len({token.name for token in TOKENS.values()}) == 120


def test_every_token_is_marked_as_reconstructed():
    assert all(token.reconstructed for token in TOKENS.values())


def test_every_ability_is_on_three_tokens_or_more():
    counts = Counter(ability.kind for unit in UNITS for ability in unit.abilities)
    assert len(counts) == 16
    assert min(counts.values()) >= 3, counts


def test_ranks_are_one_to_four_and_mostly_low():
    ranks = Counter(token.rank for token in TOKENS.values())
    assert set(ranks) == {1, 2, 3, 4}
    assert ranks[1] + ranks[2] > 100


def test_battlefields_of_every_kind_in_several_ranks():
    plain = TOKENS["plain"]
    assert (plain.rank, plain.halts, plain.water, plain.effects) == (1, False, False, ())
    ranks = {
        "water": {field.rank for field in FIELDS if field.water},
        "halting": {field.rank for field in FIELDS if field.halts},
        "defensive": {field.rank for field in FIELDS if any(e.stat == "armor" and e.amount > 0 for e in field.effects)},
        "offensive": {
            field.rank for field in FIELDS if any(e.stat == "damage" and e.amount > 0 for e in field.effects)
        },
    }
    assert ranks == {"water": {1, 2}, "halting": {1, 2, 3}, "defensive": {1, 2, 3}, "offensive": {1, 2, 3}}


def test_spells_and_maneuvers_of_every_use():
    uses = {(token.kind, token.use) for token in TEXTS}
    assert uses == {(kind, use) for kind in ("spell", "maneuver") for use in ("action", "free", "permanent")}


def test_effects_of_every_kind_are_in_use():
    assert {effect.kind for token in TEXTS for effect in token.effects} == {
        *("damage", "modify", "grant", "relocate", "swap", "dismiss", "dispel", "counter", "raise", "remove"),
        *("draw", "reveal"),
    }
    assert {token.aim for token in TEXTS} == {"host", "own_unit", "enemy_unit", "any_unit", "hex"}
    flips = {effect.flip for token in TEXTS for effect in token.effects if effect.kind in ("damage", "relocate")}
    assert flips == {"none", "single", "progressive"}


def test_keywords_that_texts_ask_for_exist():
    worn = {word for unit in UNITS for word in unit.keywords}
    matches = [ability.match for unit in UNITS for ability in unit.abilities if ability.kind in ("augment", "raise")]
    matches += [limit.match for unit in UNITS for limit in unit.limits]
    matches += [effect.match for field in FIELDS for effect in field.effects]
    asked = {clause.keyword for match in matches for clause in match if clause.keyword}
    assert asked == {"elf", "orc", "undead"}
    assert asked <= worn


def test_a_few_units_have_limits_and_texts_of_their_own():
    assert {unit.id for unit in UNITS if unit.limits} == {"orc_warlord", "ballista", "pit_demon"}
    assert {unit.id for unit in UNITS if unit.use == "action"} == {
        "goblin_fire_throwers",
        "imperial_outriders",
        "fire_salamander",
    }


PATTERNS = (  # of printed texts; each on at least one token
    *("Range 5.", "Sight 3.", "Augment elf: damage +1.", "Augment cavalry or Fey Court: armor +1."),
    *("Scatter.", "Scatter: Progressive Flip 1.", "Counter 2.", "Dispel 3.", "Dismiss 2.", "Flip to retain."),
    *("Draw.", "Flying.", "Aquatic.", "Leadership.", "Defend.", "Ambush.", "Capture.", "Move and Attack."),
    *("Raise Dead.", "Raise Dead (undead).", "Limit: works only while another own unit (orc) is revealed in play."),
    *("Ends the move of a unit entering it.", "Ends the move of a unit entering it, but not of flying units."),
    *("but not of flying and aquatic units.", "Water.", "Only aquatic units can attack an aquatic unit here in melee."),
    *("Unit here: armor +1.", "Unit here: armor -1.", "Permanent: lies face up on a revealed enemy unit"),
    *("the host goes to an empty legal hex within 2 of where it is", "the host and an own unit within 2 change places"),
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_of_printed_texts_are_in_use(pattern):
    assert any(pattern in effect_text(token) for token in TOKENS.values())


# --- what the rulebook says


def test_named_units_keep_within_what_the_rulebook_tells():
    stats = {unit.id: (unit.movement, unit.damage, unit.armor) for unit in UNITS}
    movement, damage, armor = stats["walking_tree"]
    assert (damage, armor) == (6, 5)
    assert movement >= 1
    assert stats["wolf_riders"][1] == 2
    assert stats["wolf_riders"][2] <= 6
    assert stats["elf_archers"][1] == 2
    assert value("elf_archers", "range") >= 5
    assert stats["wisps"][2] <= 2
    assert value("wisps", "range") == 4
    assert stats["orc_archers"][1] >= stats["catapult"][2] == 1
    assert stats["orc_archers"][2] <= stats["catapult"][1]
    assert value("orc_archers", "range") >= 2
    assert stats["scourge_ogres"][1] == 3
    assert stats["scourge_ogres"][2] <= 6
    assert stats["orc_infantry"][1] == 2
    assert stats["goblin_infantry"][1] == 1
    assert stats["goblin_infantry"][2] <= 6
    assert value("catapult", "range") >= 2
    assert value("spitter", "range") >= 1


def test_named_units_have_the_abilities_that_the_rulebook_tells():
    assert "range" not in abilities("scourge_ogres")
    assert abilities("shazari_infantry") == ["leadership"]
    scatter = next(ability for ability in TOKENS["catapult"].abilities if ability.kind == "scatter")
    assert (scatter.damage, scatter.flip) == (1, "single")
    assert TOKENS["orc_war_priest"].band in ("red", "green")  # it holds a maneuver
    horse = TOKENS["noble_horse"].abilities[0]
    assert (horse.kind, horse.stat, horse.amount) == ("augment", "armor", 1)
    riders = [u for u in UNITS if u.type == "cavalry" and "move_and_attack" in abilities(u.id)]
    assert any(not {"range", "flying"} & set(abilities(unit.id)) for unit in riders)
    assert any("flying" in abilities(unit.id) for unit in UNITS)


def test_named_units_belong_where_the_rulebook_puts_them():
    places = {unit.id: (unit.homeland, unit.type, unit.keywords) for unit in UNITS}
    assert places["wolf_riders"][:2] == ("scourge", "cavalry")
    assert places["elf_archers"] == ("fey_court", "missile", ("elf",))
    assert places["orc_archers"] == ("scourge", "missile", ("orc",))
    assert places["scourge_ogres"][0] == "scourge"
    assert places["scourge_ogres"][2] == ("ogre",)
    assert places["orc_infantry"] == ("scourge", "infantry", ("orc",))
    assert places["goblin_infantry"] == ("scourge", "infantry", ("goblin",))
    assert places["noble_horse"][0] == "fey_court"
    assert places["elven_spearmen"] == ("fey_court", "infantry", ("elf",))
    assert places["gladiator"][0] == "empire"
    assert (places["orc_war_priest"][0], places["orc_war_priest"][2]) == ("scourge", ("orc",))
    assert places["shazari_infantry"][:2] == ("shazari", "infantry")
    assert places["spitter"][0] == "shazari"
    assert places["catapult"][1] == "artillery"


def test_named_spells_and_maneuvers_do_what_the_rulebook_tells():
    lightning = TOKENS["lightning_strike"]
    assert (lightning.kind, lightning.use, lightning.aim) == ("spell", "action", "enemy_unit")
    assert [effect.kind for effect in lightning.effects] == ["damage"]
    weaken = TOKENS["weaken"]
    assert (weaken.kind, weaken.use, weaken.aim) == ("spell", "permanent", "enemy_unit")
    assert {effect.kind for effect in weaken.effects} == {"modify"}
    assert all(effect.amount < 0 for effect in weaken.effects)
    retreat = TOKENS["retreat"]
    assert (retreat.kind, retreat.use, retreat.effects[0].kind) == ("maneuver", "action", "relocate")
    assert retreat.effects[0].who == "host"
    fronts = TOKENS["screening_fronts"]
    assert (fronts.kind, fronts.use, fronts.effects[0].kind) == ("maneuver", "action", "swap")
    assert {"moor", "swamp", "river_bank"} <= {field.id for field in FIELDS if field.water}


# --- fair ranks


@pytest.mark.parametrize("token_id", TOKENS)
def test_ranks_pay_for_what_a_token_is_worth(token_id):
    assert abs(excess(TOKENS[token_id])) <= TOLERANCE


def test_prices_are_sums_of_parts():
    # movement 3: 1.25, damage 2: 3, armor 3: 2.75, red band: 0.25, Move and Attack with movement 3: 1
    assert price(TOKENS["wolf_riders"]) == pytest.approx(8.25)
    # range 3: 0.75, damage 3: 3
    assert price(TOKENS["lightning_strike"]) == pytest.approx(3.75)
    # a field: 2.5, armor +2: 3, damage +1: 1, halting: 0.75
    assert price(TOKENS["ruined_keep"]) == pytest.approx(7.25)


def test_built_in_armies_cover_every_homeland_and_more():
    main = {
        army_id: Counter(
            TOKENS[token_id].homeland
            for token_id, copies in army.counts.items()
            for _ in range(copies)
            if TOKENS[token_id].kind == "unit"
        ).most_common(1)[0]
        for army_id, army in built_in_armies().items()
    }
    homelands = Counter(homeland for homeland, _ in main.values())
    assert len(main) >= 10
    assert all(homelands[name] >= 1 for name in ("fey_court", "scourge", "empire", "nether_sisters", "shazari"))
    assert {"beginners", "mongrels", "monsters"} <= set(main)
    assert set(DEFAULT_ARMIES) <= set(army_ids())


# --- texts and documents


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (
            {"kind": "unit", "abilities": [{"kind": "augment", "stat": "damage", "amount": 2}]},
            "Augment all units: damage +2.",
        ),
        (
            {
                "kind": "unit",
                "abilities": [
                    {"kind": "scatter", "damage": 2},
                    {"kind": "raise", "match": {"homeland": "empire", "type": "cavalry", "keyword": "horse"}},
                ],
            },
            "Scatter 2. Raise Dead (Empire cavalry horse).",
        ),
        (
            {
                "kind": "spell",
                "use": "action",
                "target": "enemy_unit",
                "range": 2,
                "effects": [
                    {"kind": "modify", "stat": "armor", "amount": -2},
                    {"kind": "grant", "ability": {"kind": "defend"}},
                    {"kind": "damage", "amount": 3, "flip": "single"},
                ],
            },
            "Action: a revealed enemy unit within 2 has armor -2 and Defend until the end of the turn; "
            "then flip; on heads it takes 3 damage.",
        ),
        (
            {"kind": "maneuver", "use": "action", "effects": [{"kind": "draw", "count": 1}], "retain": True},
            "Action: draw 1 token. Flip to retain.",
        ),
        (
            {"kind": "maneuver", "use": "action", "effects": [{"kind": "raise", "match": {"type": "infantry"}}]},
            "Action: choose a unit (infantry) in your casualties and flip; on heads it is deployed next to the host.",
        ),
        (
            {
                "kind": "unit",
                "use": "action",
                "target": "any_unit",
                "range": 1,
                "effects": [{"kind": "relocate", "who": "target", "distance": 2, "flip": "single"}],
            },
            "Action: flip; on heads a unit within 1 goes to an empty legal hex within 2 of where it is.",
        ),
        (
            {
                "kind": "maneuver",
                "use": "action",
                "effects": [{"kind": "raise"}, {"kind": "modify", "stat": "armor", "amount": 1}],
            },
            "Action: choose a unit in your casualties and flip; on heads it is deployed next to the host; "
            "then the host has armor +1 until the end of the turn.",
        ),
        (
            {
                "kind": "spell",
                "use": "action",
                "target": "enemy_unit",
                "range": 2,
                "effects": [
                    {"kind": "damage", "amount": 1},
                    {"kind": "dispel"},
                    {"kind": "relocate", "distance": 1},
                    {"kind": "modify", "stat": "armor", "amount": -1},
                ],
            },
            "Action: a revealed enemy unit within 2 takes 1 damage; then it loses one spell lying under or on it; "
            "then the host goes to an empty legal hex within 1 of where it is; "
            "then the target has armor -1 until the end of the turn.",
        ),
        (
            {"kind": "spell", "use": "action", "target": "enemy_unit", "range": 2, "effects": [{"kind": "dispel"}]},
            "Action: an enemy unit within 2 loses one spell lying under or on it.",
        ),
        (
            {"kind": "battlefield", "halts": True, "effects": [{"stat": "movement", "amount": -1}]},
            "Ends the move of a unit entering it. Unit here: movement -1.",
        ),
    ],
)
def test_texts_follow_from_the_data(token, text):
    assert effect_text(read_tokens([{"id": "x"} | token], "x")[0]) == text


def test_the_catalogue_page_is_up_to_date():
    assert (DOCS / "catalogue.md").read_text(encoding="utf-8") == catalogue_markdown()


def test_every_key_of_the_schema_is_explained():
    page = (DOCS / "adding_a_token.md").read_text(encoding="utf-8")
    keys = {key for model in (Unit, Battlefield, Attachment) for key in model.model_fields}
    kinds = {ability.kind for unit in UNITS for ability in unit.abilities}
    kinds |= {effect.kind for token in TEXTS for effect in token.effects}
    assert sorted(word for word in keys | kinds if f"`{word}`" not in page) == []
