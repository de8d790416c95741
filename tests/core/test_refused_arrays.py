"""Arrays that `Game` does not take are refused with a sentence, and before anything is written."""

from __future__ import annotations

import copy
import io
import threading

import numpy as np
import pytest

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.chance import ForcedKind, plain_forced
from sackarmies_env.core.information import InformationSets
from tests.core.toy_game import make_duel

N = 3


@pytest.fixture
def game():
    return make_duel()


@pytest.fixture
def states(game):
    states = game.new_states(N)
    game.reset(game.params, states, np.arange(N))
    return states


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("actions", [[0], 0, [0.0] * N, ["0"] * N, [True] * N, np.full(N, 2**63, np.uint64)], ids=repr)
def test_actions_that_are_not_one_integer_a_state_are_refused(game, states, actions, checked):
    before = states.tobytes()
    with pytest.raises(ValueError, match=r"^actions "):
        game.step(game.params, states, actions, checked=checked)
    assert states.tobytes() == before


def saved_and_loaded(states):
    file = io.BytesIO()
    np.save(file, states.view(np.ndarray))
    file.seek(0)
    return np.load(file)


def test_states_from_a_file_are_refused_until_they_are_cloned(game, states):
    loaded = saved_and_loaded(states)
    for call in (
        lambda given: game.step(game.params, given, [0] * N),
        lambda given: game.determinize(game.params, given, [0] * N, [0] * N),
        lambda given: game.observe(game.params, given, [0] * N, np.zeros((N, game.observation_spec.size), np.int8)),
    ):
        with pytest.raises(ValueError, match=r"^states has records of another kind .* such as np\.load gives"):
            call(loaded)
        call(game.clone(loaded))
    assert game.clone(loaded).tobytes() == states.tobytes()


WRONG = {
    "read-only": lambda states: np.frombuffer(states.tobytes(), states.dtype),
    "other dtype": lambda states: np.zeros(N, np.int8),
    "list": lambda states: [0] * N,
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_states_are_refused_before_anything_is_written(game, states, wrong):
    given = WRONG[wrong](states)
    before = np.asarray(given).tobytes()
    out = np.full((N, game.observation_spec.size), 7, np.int8)
    for call in (
        lambda: game.reset(game.params, given, [0] * N),
        lambda: game.start(given, 0),
        lambda: game.observe(game.params, given, [0] * N, out),
    ):
        with pytest.raises(ValueError, match=r"^states is "):
            call()
    assert np.asarray(given).tobytes() == before
    assert (out == 7).all()


def test_states_with_gaps_are_refused_before_anything_is_written(game, states):
    whole = np.concatenate([states, states])
    before = whole.tobytes()
    with pytest.raises(ValueError, match=r"^states is read-only or not contiguous"):
        game.reset(game.params, whole[::2], [0] * N)
    assert whole.tobytes() == before


def test_wrong_params_are_refused_before_anything_is_written(game, states):
    before, out = states.tobytes(), np.full((N, game.observation_spec.size), 7, np.int8)
    params = np.zeros(1, np.int8)
    for call in (
        lambda: game.reset(params, states, [0] * N),
        lambda: game.observe(params, states, [0] * N, out),
    ):
        with pytest.raises(ValueError, match=r"^params is "):
            call()
    assert states.tobytes() == before
    assert (out == 7).all()


def test_no_state_to_start_in_is_refused(game):
    with pytest.raises(ValueError, match=r"^states is an array of .* of shape \(0,\)"):
        game.start(game.new_states(0), 1)


@pytest.mark.parametrize("given", [np.zeros(N, np.int64), [0], "states"], ids=repr)
def test_only_states_are_cloned(game, given):
    with pytest.raises(ValueError, match=r"^states is .*, but must be records of"):
        game.clone(given, seeds=[1] * N)
    with pytest.raises(ValueError, match=r"^states is .*, but must be records of"):
        game.clone(game.new_states(N)[None])


@pytest.mark.parametrize("name", ["returns", "terminations"])
@pytest.mark.parametrize("shape", [(1, 2), (5, N, 2), (N, 3)])
def test_outputs_of_another_shape_are_refused(game, states, name, shape):
    for dtype in (np.int8, np.float32):
        with pytest.raises(ValueError, match=r"^out is "):
            getattr(game, name)(game.params, states, np.zeros(shape, dtype))


def test_terminations_are_written_to_int8_alone(game, states):
    for dtype in (np.bool_, np.float64):
        with pytest.raises(ValueError, match=r"^out is "):
            game.terminations(game.params, states, np.zeros((N, game.num_players), dtype))


def test_deep_copies_of_information_sets_are_the_same_to_the_byte(game, states):
    sets = InformationSets.of(game, states, 0)
    copies = [copy.deepcopy(sets) for _ in range(20)]  # memory that is used again may hold anything between the fields
    for one in copies:
        assert one.states.tobytes() == sets.states.tobytes()
        assert one.sample([5] * N).tobytes() == sets.sample([5] * N).tobytes()
        assert not np.shares_memory(one.states, sets.states)


def test_forced_results_may_be_integers_of_numpy():
    kind = ForcedKind("draws", ({card: card for card in range(1, 7)},))
    assert kind.read([[np.int64(3), 1]]) == kind.read([[3, 1]]) == [[3, 1]]
    assert plain_forced({"draws": [[np.int64(3), 1]]}) == {"draws": [[3, 1]]}
    with pytest.raises(ValueError, match="is not a result"):
        kind.read([[np.int64(7)]])


def test_threads_that_write_one_file_do_not_mix_contents(tmp_path):
    path, contents, faults = tmp_path / "file", [b"a" * 300_000, b"b" * 100_000], []

    def write(content):
        try:
            for _ in range(30):
                write_safely(path, content)
                seen = path.read_bytes()
                assert seen in contents
        except BaseException as fault:  # the thread would only print it
            faults.append(fault)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
