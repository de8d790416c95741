"""The evaluation of Sack Armies: its inputs, its values, and files of weights."""

import io
import os
import zipfile

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.search.sack_armies.evaluation import (
    DRAW,
    HIDDEN,
    LARGEST,
    TYPES,
    WEIGHTS,
    inputs_of,
    load_weights,
    make_evaluation,
)
from sackarmies_agents.search.sack_armies.features import (
    NUM_KNOWN,
    NUM_TYPES,
    FieldNumber,
    Place,
    UnitNumber,
)
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.games.sack_armies.state.constants import Kind, Zone
from sackarmies_env.games.sack_armies.tokens.army import load_army
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.games.sack_armies.tokens.schema import token_data
from sackarmies_env.registry import load_game
from tests.agents.simple import positions


def army_with_own(instead):
    """Return the data of the beginners' army with its own token in place of an equal one of the catalogue."""
    own = {**token_data(load_catalogue()[instead]), "id": "own_folk", "name": "Own Folk"}
    counts = {"own_folk" if name == instead else name: count for name, count in load_army("beginners").counts.items()}
    return {"name": "Own", "tokens": counts, "token": [own]}


def changed(path, **arrays):
    """Write the package's weights, with some of them changed, to a file and return its path."""
    weights = {name: array.copy() for name, array in load_weights().items()} | {TYPES: np.array([*load_catalogue()])}
    for name, change in arrays.items():
        weights[name][:] = change
    np.savez(path, **weights)
    return path


@pytest.mark.parametrize("num_generals", [2, 3])
def test_every_token_is_looked_at_once(num_generals):
    batch = positions(1, 300, num_generals=num_generals)
    inputs = inputs_of(batch.game.params, batch.states)
    zones = batch.states["token_zone"]
    assert inputs.tokens.counts.tolist() == (zones != Zone.NONE).sum(axis=1).tolist()
    is_placed, kinds = zones == Zone.BATTLEGROUND, batch.game.params[0]["type_kind"][batch.states["token_type"]]
    assert inputs.units.counts.tolist() == (is_placed & (kinds == Kind.UNIT)).sum(axis=1).tolist()
    assert inputs.fields.counts.tolist() == (is_placed & (kinds == Kind.BATTLEFIELD)).sum(axis=1).tolist()
    places = inputs.tokens.rows // NUM_TYPES
    assert (places == Place.SACK).sum() == (zones == Zone.SACK).sum()
    assert (places == Place.HAND).sum() == (zones == Zone.HAND).sum()


def test_numbers_of_units_and_battlefields_agree():
    batch = positions(2, 500, n=24)
    inputs = inputs_of(batch.game.params, batch.states)
    units, fields = inputs.units.numbers, inputs.fields.numbers
    on_fields = units[:, UnitNumber.ON_OWN].sum() + units[:, UnitNumber.ON_TAKEN].sum()
    assert on_fields == fields[:, FieldNumber.HELD].sum() > 0
    assert units[:, UnitNumber.MENACES].sum() == units[:, UnitNumber.TARGETS].sum() > 0
    assert units[:, UnitNumber.LETHAL_MENACES].sum() == units[:, UnitNumber.KILLABLE].sum()
    assert units[:, UnitNumber.STEP_FIELDS].sum() == fields[:, FieldNumber.STEP_ENEMIES].sum()


def test_types_of_the_catalogue_have_rows_of_their_own_and_others_share_them():
    own = army_with_own("mercenary_pikes")
    batch = positions(3, 60, armies=[own, "empire"])
    rows = inputs_of(batch.game.params, batch.states).tokens.rows % NUM_TYPES
    kinds = batch.states["token_type"][batch.states["token_zone"] != Zone.NONE]
    assert (rows[kinds < NUM_KNOWN] == kinds[kinds < NUM_KNOWN]).all()
    assert (kinds >= NUM_KNOWN).any()
    assert len(set(rows[kinds >= NUM_KNOWN].tolist())) == 1
    assert (rows[kinds >= NUM_KNOWN] >= NUM_KNOWN).all()


def test_unknown_types_are_worth_about_what_known_ones_of_the_same_numbers_are():
    own = army_with_own("mercenary_pikes")
    values = []
    for army in ("beginners", own):
        batch = positions(4, 200, n=24, armies=[army, "empire"])
        evaluation = make_evaluation(batch.game)
        states = [batch.states[i : i + 1] for i in range(24)]
        values.append([evaluation.evaluate(evaluation.model, batch.game.params, one, 0) for one in states])
    assert np.abs(np.subtract(*values)).mean() < 0.25


@pytest.mark.parametrize("num_generals", [2, 3, 6])
def test_values_are_returns_and_those_of_the_eliminated_are_losses(num_generals):
    batch = positions(5, 100, num_generals=num_generals)
    evaluation, states = make_evaluation(batch.game), batch.states[:1].copy()
    values = [evaluation.evaluate(evaluation.model, batch.game.params, states, seat) for seat in range(num_generals)]
    assert all(-1.0 / (num_generals - 1) < value < 1.0 for value in values)
    states["general_alive"][0, 1] = 0
    assert evaluation.evaluate(evaluation.model, batch.game.params, states, 1) == -1.0 / (num_generals - 1)


@pytest.mark.parametrize(("lost", "reward"), [(0, "zero_sum"), (1, "zero_sum"), (2, "zero_sum"), (2, "win_only")])
def test_certain_draws_are_worth_what_survivors_would_earn(tmp_path, lost, reward):
    is_draw = np.eye(3)[DRAW] * 1e4
    path = changed(tmp_path / "draw.npz", outcome_weight=0.0, outcome_bias=is_draw)
    batch = positions(5, 100, num_generals=4, switches={"reward": reward})
    evaluation, states = make_evaluation(batch.game, str(path)), batch.states[:1].copy()
    states["general_alive"][0, 1 : 1 + lost] = 0
    ended = states.copy()
    ended["current_player"], ended["truncated"] = NO_PLAYER, 1
    returns = np.zeros((1, 4), np.float32)
    batch.game.returns(batch.game.params, ended, returns)
    value = evaluation.evaluate(evaluation.model, batch.game.params, states, 0)
    assert value == pytest.approx(returns[0, 0])
    assert (value > 0) == (lost > 0 and reward != "win_only")


def test_the_shipped_weights_are_small():
    assert WEIGHTS.stat().st_size < 300_000


def test_weights_of_another_evaluation_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", offset=np.zeros(3, np.float32))
    fault = rf"other\.npz does not hold an evaluation for this catalogue of tokens, .* {HIDDEN} hidden units"
    with pytest.raises(ValueError, match=fault):
        make_agent(f"search:evaluation={tmp_path / 'other.npz'}", GameInfo.of(load_game("sack_armies")))


def test_weights_for_another_catalogue_are_refused(tmp_path):
    path = changed(tmp_path / "moved.npz", types=[*load_catalogue()][::-1])
    with pytest.raises(ValueError, match=r"moved\.npz does not hold an evaluation for this catalogue"):
        make_agent(f"search:evaluation={path}", GameInfo.of(load_game("sack_armies")))


@pytest.mark.parametrize("damage", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(tmp_path, damage):
    path = changed(tmp_path / "odd.npz", hidden_bias=damage)
    with pytest.raises(ValueError, match=r"odd\.npz holds weights that are not finite 16-bit numbers"):
        make_agent(f"search:evaluation={path}", GameInfo.of(load_game("sack_armies")))


def damaged(path):
    """Write a compressed file of weights whose first entry does not hold valid compressed data."""
    np.savez_compressed(path, **load_weights(), types=[*load_catalogue()])
    content = bytearray(path.read_bytes())
    name, extra = (int.from_bytes(content[place : place + 2], "little") for place in (26, 28))  # lengths
    content[30 + name + extra] = 255
    path.write_bytes(content)


def encrypted(path):
    """Write a file of weights whose first entry is marked as needing a password."""
    np.savez(path, **load_weights())
    content = bytearray(path.read_bytes())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(header) + flags] |= 1
    path.write_bytes(content)


def bomb(path):
    """Write a small file with an array that is large once it is unpacked."""
    np.savez_compressed(path, **load_weights(), more=np.zeros(LARGEST, np.int8))


def claim(path):
    """Write a file with an array that claims to be larger than any memory."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f2", "fortran_order": False, "shape": (2**50,)})
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("sum_bias.npy", header.getvalue())


@pytest.mark.parametrize(
    "write",
    [
        lambda path: np.save(path.open("wb"), np.zeros(3)),
        damaged,
        encrypted,
        lambda path: path.write_bytes(b""),
        bomb,
        claim,
    ],
    ids=["one array", "damaged", "encrypted", "empty", "bomb", "claim"],
)
def test_files_that_numpy_cannot_read_are_refused_with_a_sentence(tmp_path, write):
    write(tmp_path / "odd.npz")
    with pytest.raises(ValueError, match=r"odd\.npz is not a readable evaluation of sackarmies fit-evaluation"):
        load_weights(tmp_path / "odd.npz")


@pytest.mark.parametrize(
    ("write", "fault"),
    [
        (lambda path: path.mkdir(), "this is a folder, not an evaluation"),
        (os.mkfifo, "this is a device or a pipe, not an evaluation"),
        (
            lambda path: path.write_bytes(bytes(LARGEST + 1)),
            f"larger than {LARGEST} bytes, too large for an evaluation",
        ),
    ],
    ids=["folder", "pipe", "large"],
)
def test_what_is_no_file_or_too_large_is_not_read(tmp_path, write, fault):
    write(tmp_path / "odd.npz")
    with pytest.raises(ValueError, match=fault):
        load_weights(tmp_path / "odd.npz")


def test_files_with_other_entries_than_arrays_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "text.npz", "w") as file:
        file.writestr("notes.txt", "weights")
    with pytest.raises(ValueError, match=r"text\.npz does not hold an evaluation for this catalogue"):
        load_weights(tmp_path / "text.npz")


def test_an_evaluation_from_a_file_is_used(tmp_path):
    batch = positions(13, 60, n=1)
    sure = changed(tmp_path / "sure.npz", outcome_weight=0.0, outcome_bias=[50.0, 0.0, 0.0])  # everything is won
    evaluation = make_evaluation(batch.game, str(sure))
    assert evaluation.evaluate(evaluation.model, batch.game.params, batch.states, 0) == pytest.approx(1.0)
