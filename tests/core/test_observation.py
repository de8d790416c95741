"""The layout of observations: indices, views, bounds and the generated page."""

from enum import IntEnum

import numpy as np
import pytest

from sackarmies_env.core.observation import (
    DIGIT_BASE,
    NOBODY,
    Block,
    Feature,
    ObservationSpec,
    code,
    columns,
    coordinates,
    digits,
    flag,
    number,
    seat,
)

SPEC = ObservationSpec(
    [
        Block("units", 3, (Feature("q", -9, 9, "Column."), Feature("kind", 0, 4, "What it is.", True)), "Units."),
        Block("globals", 1, (Feature("turn", 0, 127, "Turn."),), "The rest."),
    ]
)


def test_blocks_lie_one_after_the_other():
    assert SPEC.size == 7
    assert SPEC.slice("units") == slice(0, 6)
    assert SPEC.slice("globals") == slice(6, 7)
    assert SPEC.index("units", 2, "kind") == 5
    assert SPEC.names()[5] == "units[2].kind"
    assert len(SPEC.names()) == SPEC.size


def test_bounds_repeat_in_each_row_and_are_read_only():
    assert SPEC.low.tolist() == [-9, 0, -9, 0, -9, 0, 0]
    assert SPEC.high.tolist() == [9, 4, 9, 4, 9, 4, 127]
    assert SPEC.low.dtype == np.int8
    with pytest.raises(ValueError, match="read-only"):
        SPEC.low[0] = 1


def test_view_is_a_table_that_writes_through_for_one_and_for_many():
    single = np.arange(7, dtype=np.int8)
    assert SPEC.view(single, "units").tolist() == [[0, 1], [2, 3], [4, 5]]
    SPEC.view(single, "units")[1, 0] = 99
    assert single[2] == 99
    batch = np.arange(28, dtype=np.int8).reshape(2, 2, 7)[:, ::-1]
    assert SPEC.view(batch, "units").shape == (2, 2, 3, 2)
    assert np.shares_memory(SPEC.view(batch, "units"), batch)
    assert SPEC.view(batch, "globals")[1, 0].tolist() == [[27]]


def test_wrong_names_and_sizes_are_refused_with_what_there_is():
    with pytest.raises(ValueError, match="no block 'unit': it has units, globals"):
        SPEC.slice("unit")
    with pytest.raises(ValueError, match="no feature 'r': it has q, kind"):
        SPEC.index("units", 0, "r")
    with pytest.raises(ValueError, match="rows go from 0 to 2"):
        SPEC.index("units", 3, "q")
    with pytest.raises(ValueError, match="the observation has 8 numbers: this layout has 7"):
        SPEC.view(np.zeros(8, np.int8), "units")


def test_inconsistent_declarations_are_refused():
    with pytest.raises(ValueError, match="both must be from -128 to 127"):
        Feature("turn", 0, 128, "Turn.")
    with pytest.raises(ValueError, match="'q' twice"):
        Block("units", 1, (Feature("q", 0, 1, "."), Feature("q", 0, 1, ".")), ".")
    with pytest.raises(ValueError, match="both must be at least 1"):
        Block("units", 0, (Feature("q", 0, 1, "."),), ".")
    with pytest.raises(ValueError, match="'globals' twice"):
        ObservationSpec([SPEC.blocks[1], SPEC.blocks[1]])


def test_page_names_every_block_and_feature():
    page = SPEC.to_markdown()
    assert "| `units` | 0 | 3 | 2 | 6 |" in page
    assert "| 1 | `kind` | 0 to 4, code | What it is. |" in page
    assert "| 0 | `turn` | 0 to 127 | Turn. |" in page


def test_equal_declarations_are_equal():
    assert ObservationSpec(SPEC.blocks) == SPEC
    assert hash(ObservationSpec(SPEC.blocks)) == hash(SPEC)
    assert ObservationSpec(SPEC.blocks[:1]) != SPEC


# --- features of the usual kinds


class Weather(IntEnum):
    DRY = 0
    HEAVY_RAIN = 3


def test_a_flag_says_when_it_is_1():
    assert flag("open", "the door is open.") == Feature("open", 0, 1, "1: the door is open.")


def test_a_number_holds_what_fits_unless_it_has_bounds():
    assert number("cards", "Cards in hand.") == Feature("cards", 0, 127, "Cards in hand.")
    assert number("score", "Score.", -5, 20) == Feature("score", -5, 20, "Score.")


def test_a_code_lists_its_values_and_has_no_order():
    doc = "Weather: 0 dry, 3 heavy rain."
    assert code("weather", Weather, "Weather") == Feature("weather", 0, 3, doc, categorical=True)


def test_a_seat_may_be_nobody_unless_it_is_always_somebody():
    assert seat("winner", "Winner.", 3) == Feature("winner", NOBODY, 2, "Winner. -1: nobody.", categorical=True)
    assert seat("owner", "Owner.", 3, may_be_nobody=False) == Feature("owner", 0, 2, "Owner.", categorical=True)


def test_coordinates_are_one_feature_an_axis():
    assert coordinates("from_", "xy", "the start", -1, 7) == (
        Feature("from_x", -1, 7, "Coordinate x of the start; -1: none."),
        Feature("from_y", -1, 7, "Coordinate y of the start; -1: none."),
    )


@pytest.mark.parametrize(("most", "high"), [(126, 0), (127, 1), (255, 2), (DIGIT_BASE * 127 + 126, 127)])
def test_two_digits_hold_every_code_plus_1(most, high):
    low_digit, high_digit = digits("card", "Card", most)
    assert (low_digit.name, high_digit.name) == ("card_low", "card_high")
    assert (low_digit.low, low_digit.high, high_digit.low, high_digit.high) == (0, DIGIT_BASE - 1, 0, high)
    assert low_digit.categorical
    assert high_digit.categorical


def test_more_than_two_digits_can_hold_is_refused():
    with pytest.raises(ValueError, match="feature 'card_high' has the range 0 to 128"):
        digits("card", "Card", DIGIT_BASE * 128 - 1)


def test_columns_are_named_in_capitals_in_the_order_of_the_features():
    Unit = columns("UnitColumns", SPEC.blocks[0].features)  # noqa: N806 # as games name it
    assert (Unit.Q, Unit.KIND) == (0, 1)
    assert len(Unit) == 2
