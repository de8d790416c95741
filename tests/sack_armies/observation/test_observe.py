"""Observations: sizes and ranges, the contents of their rows, and the same information as planes."""

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.state import alloc
from sackarmies_env.core.step_batch import Command, Outputs, dispatch
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.observation.planes import PLANES
from sackarmies_env.games.sack_armies.rules import stats
from sackarmies_env.games.sack_armies.state.constants import Ability, Band, Face, Homeland, UnitClass, Use, Zone
from sackarmies_env.games.sack_armies.state.layout import (
    ATTRIBUTE_FEATURES,
    FIRST_ATTRIBUTE,
    TOKEN_FEATURES,
    TOKEN_WIDTH,
    Attribute,
    Place,
    Shown,
    Token,
    make_observation_spec,
)
from sackarmies_env.games.sack_armies.state.record import SMALL
from sackarmies_env.games.sack_armies.tokens.attributes import fill_attributes
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.games.sack_armies.tokens.text import joined
from sackarmies_env.games.sack_armies.words.docs_interface import observation_markdown
from tests.sack_armies.builders.fights import able, grant, modify, play, shot, text
from tests.sack_armies.builders.seen import Seen
from tests.sack_armies.builders.text_game import attachment, field, token, unit
from tests.sack_armies.builders.twin_worlds import CONFIGURATIONS, act, build, copy_of, observe, plain, record, wander

KIBIBYTE = 1024


def view_of(game, states, viewer, block):
    return game.observation_spec.view(observe(game, states, viewer), block)


# --- the layout


def test_an_observation_of_two_generals_takes_six_kibibytes_at_most():
    spec = make_observation_spec(2, 120, SMALL.tokens)
    assert spec.size <= 6 * KIBIBYTE


def test_columns_that_kernels_use_are_those_of_the_declaration():
    assert [feature.name.upper() for feature in TOKEN_FEATURES] == list(Token._fields)
    assert TOKEN_WIDTH == len(Token._fields) == FIRST_ATTRIBUTE + len(ATTRIBUTE_FEATURES)
    for feature in ATTRIBUTE_FEATURES:
        name = feature.name.upper()
        assert getattr(Token, name) == FIRST_ATTRIBUTE + getattr(Attribute, name)
    assert [getattr(Attribute, ability.name) - Attribute.AMBUSH for ability in Ability] == list(Ability)


def test_page_lists_every_feature_and_plane():
    page = observation_markdown()
    for feature in (*TOKEN_FEATURES, *PLANES):
        assert f"| `{feature.name}` | {feature.low} to {feature.high}" in page


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_number_stays_within_its_range(name):
    game = build(name)
    spec = game.observation_spec
    for states in wander(game, 6):
        for viewer in range(game.num_players):
            shown = observe(game, states, viewer)
            outside = np.flatnonzero((shown < spec.low) | (shown > spec.high))
            assert [spec.names()[place] for place in outside] == []


# --- attributes of the catalogue


def attributes_of(token_id, game):
    row = list(load_catalogue()).index(token_id)
    return dict(zip([f.name for f in ATTRIBUTE_FEATURES], game.params["type_attributes"][0, row].tolist(), strict=True))


def test_attributes_are_what_is_printed_on_every_token_of_the_catalogue():
    game = make_game()
    for number, (token_id, entry) in enumerate(load_catalogue().items()):
        row = attributes_of(token_id, game)
        assert row["kind"] == Shown[entry.kind.upper()]
        assert (row["type_low"], row["type_high"]) == (number + 1, 0)
        assert row["rank"] == entry.rank
        if entry.kind != "unit":
            assert row["band"] == row["class"] == row["homeland"] == row["keyword"] == 0
            continue
        assert (row["movement"], row["damage"], row["armor"]) == (entry.movement, entry.damage, entry.armor)
        assert row["effective_armor"] == entry.armor
        assert row["class"] == UnitClass[entry.type.upper()]
        assert row["band"] == Band[entry.band.upper()]
        assert row["homeland"] == (Homeland[entry.homeland.upper()] if entry.homeland else Homeland.NONE)
        printed = {ability.kind for ability in entry.abilities}
        assert {ability.name.lower() for ability in Ability if row[ability.name.lower()]} >= printed
        assert row["limited"] == bool(entry.limits)


def test_attributes_of_texts_and_terrain_are_encoded_by_effect():
    tokens = [
        token("elf", keywords=["elf"], type="missile"),
        token("bard", abilities=[able("augment", stat="damage", amount=2, match=[{"keyword": "elf"}])]),
        token("thrower", abilities=[able("scatter", damage=2, flip="progressive"), shot(4)]),
        token("lord", limits=[{"kind": "requires_revealed", "match": [{"keyword": "elf"}]}], abilities=[able("draw")]),
        text(
            "spell", "bolt", "action", [{"kind": "damage", "amount": 5, "flip": "single"}], target="enemy_unit", range=3
        ),
        text("spell", "wings", "free", [grant("flying"), modify("armor", -1)]),
        text("spell", "recall", "action", [{"kind": "raise"}], retain=True),
        text("maneuver", "feint", "action", [{"kind": "swap", "distance": 2}], target="own_unit", range=2),
        text("maneuver", "flee", "action", [{"kind": "relocate", "distance": 3, "flip": "single"}]),
        text("maneuver", "scout", "action", [{"kind": "reveal", "range": 4}]),
        {
            "id": "reef",
            "kind": "battlefield",
            "water": True,
            "halts": True,
            "exempt": ["flying"],
            "effects": [{"stat": "armor", "amount": 1, "match": [{"type": "missile", "homeland": "empire"}]}],
        },
    ]
    t = play(tokens, [unit("elf", "0,0"), unit("elf", "4,0", 1)])
    first = t.type_ids.index("elf")
    names = [feature.name for feature in ATTRIBUTE_FEATURES]
    rows = {
        entry["id"]: dict(zip(names, t.params["type_attributes"][0, first + i].tolist(), strict=True))
        for i, entry in enumerate(tokens)
    }
    expected = {
        "elf": {"keyword": rows["bard"]["match_keyword"], "class": UnitClass.MISSILE},
        "bard": {"augment": 1, "augmented": 2, "augment_amount": 2, "match_class": 0},
        "thrower": {"scatter": 2, "flip": 2, "range": 4},
        "lord": {"limited": 1, "draw": 1},
        "bolt": {"strike": 5, "flip": 1, "use": Use.ACTION, "target": 2, "target_range": 3, "retain": 0},
        "wings": {"flying": 1, "armor": -1, "use": Use.FREE},
        "recall": {"raise": 1, "retain": 1},
        "feint": {"swap": 2, "target": 1},
        "flee": {"relocate": 3, "flip": 1, "target": 0},
        "scout": {"sight": 4},
        "reef": {"water": 1, "halts": 1, "flying": 1, "aquatic": 0, "armor": 1, "match_class": 4, "match_homeland": 4},
    }
    for token_id, values in expected.items():
        assert {name: rows[token_id][name] for name in values} == values, token_id
    assert rows["elf"]["keyword"] > 0


def test_attributes_follow_the_tables_alone():
    game = make_game()
    again = alloc(game.params.dtype, 1)
    again["type_attributes"] = 0
    for name in game.params.dtype.names:
        if name != "type_attributes":
            again[name] = game.params[name]
    fill_attributes(again)
    assert (again["type_attributes"] == game.params["type_attributes"]).all()


def values_of(key, data):
    """Yield the values of a key in nested data."""
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list | tuple) else ()
    for name, value in children:
        if name == key:
            yield value
        yield from values_of(key, value)


def test_page_names_the_tokens_of_whose_alternatives_the_first_is_shown():
    catalogue = load_catalogue()
    matches = {token_id: list(values_of("match", entry.model_dump())) for token_id, entry in catalogue.items()}
    concerned = [token_id for token_id, found in matches.items() if any(match and len(match) > 1 for match in found)]
    names = joined([catalogue[token_id].name for token_id in concerned], "and")
    assert f"Of the built-in tokens, this concerns {names}:" in observation_markdown()
    shown = [attributes_of(token_id, make_game()) for token_id in concerned]
    first = [UnitClass.CAVALRY, UnitClass.MISSILE, UnitClass.INFANTRY]
    assert [row["match_class"] - 1 for row in shown] == first
    assert [row["match_homeland"] for row in shown] == [0, 0, 0]


# --- rows


@pytest.mark.parametrize("name", ["standard", "three"])
def test_every_visible_token_has_a_row_and_no_other(name):
    game = build(name)
    for states in wander(game, 11):
        state = plain(states)
        for viewer in range(game.num_players):
            places = view_of(game, states, viewer, "tokens")[:, Token.PLACE]
            own = state["token_owner"] == viewer
            expected = {
                Place.HAND: own & (state["token_zone"] == Zone.HAND),
                Place.PICKED: own & (state["token_zone"] == Zone.PICKED),
                Place.BATTLEGROUND: state["token_zone"] == Zone.BATTLEGROUND,
                Place.ATTACHED: state["token_zone"] == Zone.ATTACHED,
                Place.CAPTURED: state["token_zone"] == Zone.CAPTURED,
                Place.REMOVED: state["token_zone"] == Zone.REMOVED,
            }
            for place, tokens in expected.items():
                assert np.count_nonzero(places == place) == np.count_nonzero(tokens)
            used = np.flatnonzero(places)
            assert used.tolist() == list(range(len(used)))  # no gaps


@pytest.mark.parametrize("name", ["standard", "open lists", "all windows"])
def test_effective_stats_and_abilities_of_known_units_are_those_of_the_rules(name):
    game = build(name)
    params = game.params[0] if not INTERPRETED else record(game.params)
    compared = 0
    for ply, states in enumerate(wander(game, 12)):
        if ply % 5:
            continue
        one, state = record(states), plain(states)
        rows = view_of(game, states, 0, "tokens")
        for row in rows[(rows[:, Token.PLACE] == Place.BATTLEGROUND) & (rows[:, Token.KIND] == Shown.UNIT)]:
            q, r = game.params["cell_q"][0], game.params["cell_r"][0]
            cell = int(np.flatnonzero((q == row[Token.Q]) & (r == row[Token.R]))[0])
            token_row = np.int64(state["cell_unit"][cell])
            if state["token_owner"][token_row] != 0 and state["token_face"][token_row] == Face.DOWN:
                assert not row[FIRST_ATTRIBUTE + 1 :].any()
                continue
            compared += 1
            assert row[Token.EFFECTIVE_MOVEMENT] == stats.effective_movement(params, one, token_row)
            assert row[Token.EFFECTIVE_DAMAGE] == stats.effective_damage(params, one, token_row)
            assert row[Token.EFFECTIVE_ARMOR] == stats.effective_armor(params, one, token_row)
            if state["token_face"][token_row] == Face.UP:
                for ability in Ability:
                    value = stats.ability_value(params, one, token_row, np.int64(ability))
                    assert row[getattr(Token, ability.name)] == value
    assert INTERPRETED or compared > 300


def test_each_general_sees_their_own_seat_first_then_counter_clockwise():
    units = [unit("a", "0,0"), unit("a", "2,0", 1), unit("a", "-2,2", 2)]
    fields = [field("0,0"), field("2,0", 1), field("-2,2", 2)]
    pile = {"hand": [], "casualties": [], "removed": []}
    general = [pile | {"sack": ["spare"] * (seat + 1)} for seat in range(3)]
    t = play([token("a")], units, fields=fields, generals=3, general=general)
    for viewer in range(3):
        seen = Seen(t, viewer)
        assert [row["sack"] for row in seen.generals] == [(viewer + seat) % 3 + 1 for seat in range(3)]
        owners = {cell: seen.on(cell, kind=Shown.UNIT)[0]["owner"] for cell in ("0,0", "2,0", "-2,2")}
        assert list(owners.values()) == [(seat - viewer) % 3 for seat in range(3)]


def test_a_unit_with_attachments_comes_before_them_and_its_captives():
    held = [{"token": "b", "owner": 1}, {"token": "bolt", "owner": 1, "face": "down"}]
    bolt = text("spell", "bolt", "action", [{"kind": "damage", "amount": 5}], target="enemy_unit", range=3)
    units = [unit("a", "0,0", attached=[attachment("bolt")], captives=held), unit("b", "4,0", 1)]
    t = play([token("a", band="green"), token("b", band="green"), bolt], units)
    rows = Seen(t, 0).on("0,0")
    assert [(row["place"], row["type"]) for row in rows] == [
        (Place.BATTLEGROUND, "plain"),
        (Place.BATTLEGROUND, "a"),
        (Place.ATTACHED, "bolt"),
        (Place.CAPTURED, "b"),
        (Place.CAPTURED, None),
    ]
    assert (rows[1]["attachments"], rows[1]["captives"]) == (1, 2)


# --- the kernel


def test_observe_is_read_only_and_a_batch_equals_single_games():
    game = build("standard")
    states = game.new_states(6)
    players = np.array([0, 1, 0, 1, 0, 1], np.int64)
    for row, one in enumerate(list_of(game, 6)):
        states[row : row + 1] = one
    before = states.tobytes()
    out = np.full((6, game.observation_spec.size), 99, np.int8)
    game.observe(game.params, states, players, out)
    assert states.tobytes() == before
    for row in range(6):
        assert (out[row] == observe(game, copy_of(game, states[row : row + 1]), int(players[row]))).all()


def list_of(game, count, seed=13):
    """Return copies of `count` states of a random game, some plies apart."""
    step = 2 if INTERPRETED else 40
    return [copy_of(game, s) for ply, s in enumerate(wander(game, seed, step * count)) if ply % step == 0]


def test_an_eliminated_general_still_sees_what_is_public():
    game = build("three")
    states = list_of(game, 2)[-1]
    game.forfeit(game.params, states, np.array([2], np.int64))
    generals = view_of(game, states, 2, "generals")
    assert generals[:, 0].tolist() == [0, 1, 1]  # the column `alive`
    assert view_of(game, states, 2, "globals")[0, 0] == 0  # nothing is asked of them


# --- planes


def test_planes_show_on_each_hex_what_the_compact_form_lists_there():
    compact = build("standard")
    planes = make_game(**CONFIGURATIONS["standard"], observation="planes")
    names = [plane.name for plane in PLANES]
    radius = int(compact.params["radius"][0])
    for states in list_of(compact, 8):
        shown = observe(planes, states, 0)
        assert (shown >= planes.observation_spec.low).all()
        assert (shown <= planes.observation_spec.high).all()
        grid = planes.observation_spec.planes_view(shown)
        assert grid.shape == (len(PLANES), 2 * radius + 1, 2 * radius + 1)
        expected = np.zeros_like(grid)
        expected[0, compact.params["cell_r"][0, :271] + radius, compact.params["cell_q"][0, :271] + radius] = 1
        for row in view_of(compact, states, 0, "tokens"):
            prefix = {Shown.UNIT: "unit", Shown.BATTLEFIELD: "field"}.get(row[Token.KIND], "")
            if row[Token.PLACE] == Place.ATTACHED:
                prefix = ""
                up = names.index("attached_up" if row[Token.FACE] else "attached_down")
                expected[up, row[Token.R] + radius, row[Token.Q] + radius] += 1
            if row[Token.PLACE] != Place.BATTLEGROUND:
                continue
            for number, name in enumerate(names):
                if prefix and name.startswith(f"{prefix}_"):
                    feature = name.removeprefix(f"{prefix}_")
                    value = row[getattr(Token, feature.upper())] + (feature in ("owner", "controller"))
                    expected[number, row[Token.R] + radius, row[Token.Q] + radius] = value
        first_mark = names.index("chosen")
        assert (grid[:first_mark] == expected[:first_mark]).all()
        for block in ("globals", "log", "generals", "types"):
            assert (planes.observation_spec.view(shown, block) == view_of(compact, states, 0, block)).all()


def test_planes_mark_the_hexes_of_choice_and_attack():
    game = make_game(
        scenario=play([token("a"), token("b")], [unit("a", "0,0"), unit("b", "1,0", 1)]).dump(), observation="planes"
    )
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    spec, radius = game.observation_spec, int(game.params["radius"][0])
    for texts, plane, q in ((("melee", "hex 0,0"), "chosen", 0), (("hex 1,0",), "attacked", 1)):
        for words in texts:
            act(game, states, game.parse_action(states, words))
        marked = spec.view(observe(game, states, 0), plane)
        assert np.argwhere(marked).tolist() == [[radius, radius + q]]


def test_the_hand_is_counted_by_type_beside_the_planes():
    compact = build("standard")
    planes = make_game(**CONFIGURATIONS["standard"], observation="planes")
    for states in list_of(compact, 6):
        state = plain(states)
        for column, zone in enumerate((Zone.HAND, Zone.PICKED)):
            own = (state["token_owner"] == 0) & (state["token_zone"] == zone)
            expected = np.bincount(state["token_type"][own], minlength=len(load_catalogue()))
            assert (planes.observation_spec.view(observe(planes, states, 0), "aside")[:, column] == expected).all()


def test_step_batch_with_planes_writes_what_observe_does():
    game = make_game(**CONFIGURATIONS["standard"], observation="planes")
    states = list_of(game, 3)[-1]
    batch = game.new_states(3)
    for row in range(3):
        batch[row : row + 1] = states
    seen = np.full((3, game.observation_spec.size), 99, np.int8)
    game.forfeit(game.params, batch[2:], np.array([0], np.int64))
    kinds = [Command.READ, Command.SKIP, Command.READ]
    dispatch(game.step_batch, game.params, batch, kinds, outputs=Outputs(observations=seen))
    assert (seen[0] == observe(game, states, int(plain(states)["current_player"]))).all()
    assert (seen[1] == 99).all()
    assert not seen[2].any()
