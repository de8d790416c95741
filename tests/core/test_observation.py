"""The layout of observations: places, views, bounds, the generated page."""

import numpy as np
import pytest

from sackarmies_env.core.observation import Block, Feature, ObservationSpec

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


def test_declarations_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="must rise and lie within -128 to 127"):
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
