"""The action space and its texts: each id has one text and back; refusals of illegal texts list the legal ones."""

import numpy as np
import pytest

from sackarmies_env.core.hexgrid import make_hexgrid
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.sack_armies.config import build_params, make_config
from sackarmies_env.games.sack_armies.state import actions
from sackarmies_env.games.sack_armies.state.actions import make_action_space, num_actions
from sackarmies_env.games.sack_armies.state.constants import NUM_VERBS, Verb
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.text_game import SCENARIOS, TextGame, position, token, unit

TEXT = make_action_space(("plain", "walking_tree", "ogre"), make_hexgrid(2))


def test_the_ranges_follow_each_other():
    assert num_actions(3, 19) == TEXT.num_actions == 24 + 3 + 8 + 19
    assert TEXT.texts[:4] == ("pass", "yes", "draw", "deploy")
    assert TEXT.texts[24:27] == ("type plain", "type walking_tree", "type ogre")
    assert TEXT.texts[27:35] == tuple(f"slot {slot}" for slot in range(8))
    assert (TEXT.texts[35], TEXT.texts[44], TEXT.texts[53]) == ("hex 0,-2", "hex 0,0", "hex 0,2")


def test_every_verb_has_its_name():
    assert [TEXT.format(int(verb)) for verb in Verb] == [verb.name.lower() for verb in Verb]
    assert TEXT.format(Verb.COUNTER_TOKEN) == "counter_token"


def test_two_generals_with_the_catalogue_have_423_actions():
    config = make_config(2)
    assert len(config.type_ids) == 120
    assert config.num_actions == 423
    assert int(build_params(config)["num_actions"][0]) == 423


def test_every_text_is_read_as_its_id():
    assert len(set(TEXT.texts)) == TEXT.num_actions
    for action, text in enumerate(TEXT.texts):
        assert TEXT.format(action) == text
        assert TEXT.parse(text, [action], 0) == action


def test_kernels_and_texts_agree_on_the_layout():
    config = make_config(2)
    record = build_params(config)[0]
    text = make_action_space(config.type_ids, config.grid)
    for number in (0, 17, 119):
        action = actions.type_action(record, number)
        assert text.format(action) == f"type {config.type_ids[number]}"
        assert actions.decode_type(record, action) == number
    for slot in (0, 7):
        action = actions.slot_action(record, slot)
        assert text.format(action) == f"slot {slot}"
        assert actions.decode_slot(record, action) == slot
    for cell in (0, 135, 270):
        action = actions.hex_action(record, cell)
        assert text.format(action) == f"hex {config.grid.q[cell]},{config.grid.r[cell]}"
        assert actions.decode_hex(record, action) == cell


def test_each_id_is_a_verb_a_type_a_slot_or_a_hex():
    record = build_params(make_config(2))[0]
    sorts = (
        lambda record, action: 0 <= action < NUM_VERBS,
        actions.is_type,
        actions.is_slot,
        actions.is_hex,
    )
    counts = np.zeros(4, int)
    for action in range(423):
        held = [bool(sort(record, action)) for sort in sorts]
        assert sum(held) == 1
        counts += held
    assert counts.tolist() == [24, 120, 8, 271]


@pytest.mark.parametrize(
    ("spelled", "text"),
    [
        ("done", "pass"),
        ("no", "pass"),
        ("  PASS ", "pass"),
        ("Type Walking_Tree", "type walking_tree"),
        ("hex  1, -1", "hex 1,-1"),
        ("HEX +1 ,-1", "hex 1,-1"),
        ("slot  3", "slot 3"),
    ],
)
def test_equivalent_spellings_are_read_as_one_action(spelled, text):
    everything = range(TEXT.num_actions)
    assert TEXT.format(TEXT.parse(spelled, everything, 0)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("attack", "'attack' is not an action: write a verb such as 'draw'"),
        ("drwa", "'drwa' is not an action (did you mean \"draw\"?)"),
        ("", "'' is not an action"),
        ("hex 9,9", "the hex is off the board, whose hexes lie within 2 of 0,0"),
        ("slot 8", "slots run from 0 to 7"),
        ("type dragon", "there is no token with the id 'dragon'"),
        ("deploy", "'deploy' is not legal for player 1 now; legal are: draw, hex 0,-2"),
        ("option_a", "'option_a' is not legal"),
    ],
)
def test_text_without_a_legal_action_is_refused(text, message):
    with pytest.raises(ValueError, match="legal are: draw, hex 0,-2") as error:
        TEXT.parse(text, [2, 35], 1)
    assert message in str(error.value)


def test_long_lists_of_legal_actions_are_cut():
    wide = make_action_space(("plain",), make_hexgrid(5))
    with pytest.raises(ValueError, match=r"hex 0,0.* and 31 more$"):
        wide.parse("draw", range(33, 124), 0)


def test_after_the_end_nothing_is_legal():
    with pytest.raises(ValueError, match="legal actions: none, the game is over"):
        TEXT.parse("draw", [], -1)


@pytest.mark.parametrize("action", [-1, 54])
def test_an_id_out_of_range_has_no_text(action):
    with pytest.raises(ValueError, match=f"action {action} is out of range: ids run from 0 to 53"):
        TEXT.format(action)


def test_texts_and_mask_agree_in_a_game():
    t = TextGame(SCENARIOS / "x16_weaken.toml")
    rng = np.random.default_rng(4)
    mask = np.zeros((1, t.text.num_actions), np.int8)
    for _ in range(60):
        entry.legal_actions(t.params, t.states, mask)
        legal = np.flatnonzero(mask[0]).tolist()
        assert legal_ids(t.states["legal"][0]) == legal
        assert [t.text.parse_action(t.states, text) for text in t.text.legal_texts(t.states)] == legal
        assert t.legal() == t.text.legal_texts(t.states)
        if not legal:
            break
        t.do(t.text.format_action(t.states, int(rng.choice(legal))))


def test_message_lists_only_legal_actions_of_the_current_player():
    walker, spy = token("walker"), token("spy")
    t = TextGame(position([walker, spy], [unit("walker", "0,0")], general=[{"hand": ["walker"]}, {"hand": ["spy"]}]))
    t.do("deploy")
    with pytest.raises(ValueError, match="legal are") as error:
        t.do("type spy")
    assert str(error.value).count("spy") == 1  # the player's own word
