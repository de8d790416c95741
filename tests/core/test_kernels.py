"""Kernels as values: their types are fixed once; arguments of other types are converted or refused."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from operator import methodcaller

import numba
import numpy as np
import pytest

from examples.liars_dice import make_game as make_dice
from sackarmies_env.core import simulator as sim
from sackarmies_env.core.jit import INTERPRETED, njit
from sackarmies_env.core.kernels import Kernel, exact_array, make_kernel, type_of_plain_array
from sackarmies_env.games.sack_armies import make_game
from tests.core.toy_game import make_duel

REFUSED = "mismatch of argument types: array.* vs array"  # numba's own words
compiled = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


def begun(game, n=2):
    states = game.new_states(n)
    game.reset(game.params, states, np.arange(n))
    return states


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def signatures(game):
    """Return how often each kernel of a game has been compiled."""
    return [len(kernel.signatures) for kernel in (game.step_batch, game.determinize_batch)]


def call_all(game, states, integers):
    """Call each method that takes integers with integers of the given kind; return everything they write."""
    out = np.zeros((2, game.observation_spec.size), np.int8)
    game.observe(game.params, states, integers([0, 1]), out)
    worlds, stepped, forfeited = (game.clone(states) for _ in range(3))
    game.determinize(game.params, worlds, integers([0, 1]), integers([3, 4]))
    first = [int(word & -word).bit_length() - 1 for word in states["legal"][:, 0].tolist()]
    assert min(first) >= 0
    game.step(game.params, stepped, integers(first), checked=True)
    game.forfeit(game.params, forfeited, integers([-1, 1]))
    copies = game.clone(states, integers([1, 1, 0]), integers([5, 6, 7]))
    return [array.tobytes() for array in (out, worlds, stepped, forfeited, copies)]


GIVEN = {
    "list": list,
    "int8": lambda values: np.array(values, np.int8),
    "int32": lambda values: np.array(values, np.int32),
    "read-only": lambda values: read_only(np.array(values)),
    "with gaps": lambda values: np.repeat(np.array(values), 2)[::2],
    "big-endian": lambda values: np.array(values, ">i8"),
}


@compiled
def test_types_of_records_are_those_of_numba():
    packed = np.dtype([("small", np.int8), ("large", np.int64, (2, 3))])
    for dtype in (packed, np.dtype(packed.descr, align=True), make_game().params.dtype):
        plain = np.zeros(2, dtype)
        for array in (plain, plain[::2], read_only(plain), plain.reshape(1, 2)):
            assert numba.typeof(array) == type_of_plain_array(array, None)


@pytest.mark.parametrize("kind", GIVEN)
def test_integers_of_any_width_are_converted_and_compile_nothing(kind):
    game = make_duel()
    states = begun(game)
    wanted = call_all(game, states, np.array)
    before = None if INTERPRETED else signatures(game)
    assert call_all(game, states, GIVEN[kind]) == wanted
    assert INTERPRETED or signatures(game) == before


WRONG_STATES = {
    "read-only": (lambda game: read_only(begun(game)), "states is read-only or not contiguous, but must be"),
    "with gaps": (lambda game: begun(game, 4)[::2], "states is read-only or not contiguous, but must be a wr"),
    "of another game": (lambda game: begun(make_dice()), r"states is an array of records of \d+ fields and \d+ bytes"),
    "a list": (lambda game: [1, 2], "states is a list, but must be a writable C-contiguous array of records of"),
}
CALLS = {
    "step": lambda game, states: game.step(game.params, states, [0, 0]),
    "observe": lambda game, states: game.observe(
        game.params, states, [0, 1], np.zeros((2, game.observation_spec.size), np.int8)
    ),
    "legal_actions": lambda game, states: game.legal_actions(
        game.params, states, np.zeros((2, game.num_actions), np.int8)
    ),
    "determinize": lambda game, states: game.determinize(game.params, states, [0, 1], [0, 1]),
    "returns": lambda game, states: game.returns(game.params, states, np.zeros((2, 2), np.float32)),
    "terminations": lambda game, states: game.terminations(game.params, states, np.zeros((2, 2), np.int8)),
    "forfeit": lambda game, states: game.forfeit(game.params, states, [-1, -1]),
}


def test_states_with_gaps_cannot_be_cloned():
    game = make_duel()
    with pytest.raises(ValueError, match="states is not contiguous: give the whole array, and the rows to copy"):
        game.clone(begun(game, 4)[::2])


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", WRONG_STATES)
def test_states_that_kernels_do_not_know_are_refused_and_compile_nothing(kind, call):
    game = make_duel()
    make, sentence = WRONG_STATES[kind]
    states, before = make(game), None if INTERPRETED else signatures(game)
    with pytest.raises(ValueError, match=sentence):
        CALLS[call](game, states)
    assert INTERPRETED or signatures(game) == before


@pytest.mark.parametrize(
    ("method", "out", "sentence"),
    [
        ("legal_actions", np.zeros((2, 10), np.int32), "action_mask is an array of int32 of shape"),
        ("returns", np.zeros((2, 2), np.int64), r"out is an array of int64 of shape \(2, 2\), but must be a writable"),
        ("returns", np.zeros((2, 3), np.float32), r"out is an array of float32 of shape \(2, 3\), but must"),
        ("returns", np.zeros((4, 2), np.float32)[::2], "out is read-only or not contiguous, but must"),
    ],
)
def test_outputs_of_another_type_are_refused(method, out, sentence):
    game = make_duel()
    with pytest.raises(ValueError, match=sentence):
        methodcaller(method, game.params, begun(game), out)(game)


def test_players_that_do_not_exist_are_refused():
    game = make_duel()
    states, out = begun(game), np.zeros((2, game.observation_spec.size), np.int8)
    before = states.tobytes()
    for players in ([0, 2], [-1, 0]):
        with pytest.raises(ValueError, match=r"^players contains (2|-1): allowed are 0 to 1$"):
            game.observe(game.params, states, players, out)
        with pytest.raises(ValueError, match=r"^players contains (2|-1): allowed are 0 to 1$"):
            game.determinize(game.params, states, players, [0, 0])
    with pytest.raises(ValueError, match=r"^players contains 2: allowed are -1 to 1$"):
        game.forfeit(game.params, states, [0, 2])
    with pytest.raises(ValueError, match=r"^players of shape \(1,\) and dtype int64: expected a list of 2 integers$"):
        game.observe(game.params, states, [0], out)
    assert states.tobytes() == before


def test_worlds_of_negative_seeds_are_refused():
    game = make_duel()
    states = begun(game)
    before = states.tobytes()
    with pytest.raises(ValueError, match=r"^seeds contains -1: a seed is an integer from 0 to 2\*\*63 - 1$"):
        game.determinize(game.params, states, [0, 0], [0, -1])
    assert states.tobytes() == before


# --- kernels


@njit
def add(target, amount, times):
    for i in range(len(target)):
        target[i] += amount * times
    return target[0]


def make_add():
    return make_kernel(add, np.zeros(2, np.int64), np.int64(1), 1.5)


def test_kernel_called_from_python_converts_numbers():
    kernel, target = make_add(), np.zeros(2, np.int64)
    before = None if INTERPRETED else len(add.signatures)
    for amount, times in ((1, 2.0), (np.int32(1), np.float32(2)), (np.int8(1), 2)):
        kernel(target, amount, times)
    assert target.tolist() == [6, 6]
    assert INTERPRETED or len(add.signatures) == before


@compiled
@pytest.mark.parametrize(
    "array", [np.zeros(2, np.int32), np.zeros(4, np.int64)[::2], read_only(np.zeros(2, np.int64)), [1, 2], 3.5]
)
def test_kernel_called_with_another_array_refuses_it_and_compiles_nothing(array):
    kernel, before = make_add(), len(add.signatures)
    with pytest.raises(TypeError, match=r"^argument 0 of <kernel add> is .*, but must be array\(int64, 1d, C\)$"):
        kernel(array, 1, 1.0)
    assert len(add.signatures) == before


@compiled
def test_kernel_refuses_wrong_numbers_and_a_wrong_argument_count():
    kernel, target = make_add(), np.zeros(2, np.int64)
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        kernel(target, 1.5, 1.0)
    with pytest.raises(TypeError, match=r"^<kernel add> takes 3 arguments, but 2 are given$"):
        kernel(target, 1)


@compiled
def test_kernel_in_a_kernel_refuses_another_array_when_that_is_compiled():
    @numba.njit
    def twice(kernel, target):
        return kernel(target, 1, 1.0) + kernel(target, 1, 1.0)

    before, target = len(add.signatures), np.zeros(2, np.int64)
    assert twice(make_add(), target) == 3
    assert target.tolist() == [2, 2]
    with pytest.raises((ValueError, numba.core.errors.TypingError), match=REFUSED):
        twice(make_add(), np.zeros(2, np.int32))
    assert len(add.signatures) == before


@compiled
@pytest.mark.parametrize("change", [lambda states: states[::2], lambda states: states["turn"]])
def test_simulator_refuses_other_arrays_when_a_kernel_is_compiled(change):
    game = make_duel()
    simulator, states, before = game.simulator(), begun(game, 4), signatures(game)

    @numba.njit
    def first_step(simulator, states):
        sim.step(simulator, states, 0)

    with pytest.raises((ValueError, numba.core.errors.TypingError), match=REFUSED):
        first_step(simulator, change(states))
    assert signatures(game) == before


def test_copies_of_a_kernel_are_the_kernel():
    kernel = make_add()
    assert copy.copy(kernel) is kernel
    assert copy.deepcopy(kernel) is kernel
    simulator = make_duel().simulator()
    twin = copy.deepcopy(simulator)
    assert twin.rules is simulator.rules
    assert twin.seed is not simulator.seed
    assert INTERPRETED or numba.typeof(twin) == numba.typeof(simulator)


def added(kernel):
    target = np.zeros(2, np.int64)
    kernel(target, 1, 2.0)
    return target.tolist()


def test_pickled_kernel_is_compiled_in_the_process_that_reads_it():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(added, make_add()).result() == [2, 2]


@compiled
def test_pickled_kernel_has_the_same_function_and_types():
    kernel = make_add()
    twin = pickle.loads(pickle.dumps(kernel))
    assert twin.signature() == kernel.signature()
    assert twin._function is kernel._function


@compiled
def test_kernels_inside_functions_or_of_other_programs_are_not_pickled():
    @njit
    def local(number):
        return number

    with pytest.raises(TypeError, match=r"^<kernel local> cannot be pickled: only a kernel at the top level of a mod"):
        pickle.dumps(make_kernel(local, np.int64(1)))
    content = pickle.dumps(make_add(), protocol=0).replace(b"test_kernels:add", b"test_kernels:odd")
    with pytest.raises(ValueError, match=r"^there is no kernel 'tests\.core\.test_kernels:odd' for which"):
        pickle.loads(content)


def test_interpreted_kernel_is_the_function(monkeypatch):
    monkeypatch.setattr("sackarmies_env.core.kernels.INTERPRETED", True)
    assert make_add() is add


@compiled
def test_function_that_is_not_compiled_is_refused_with_a_sentence():
    assert isinstance(make_add(), Kernel)
    with pytest.raises(ValueError, match=r"^print is not compiled: kernels cannot call it$"):
        make_kernel(print, 1)
    with pytest.raises(ValueError, match=r"^Planes\.step_batch is not compiled: kernels cannot call it$"):
        make_game(observation="planes").simulator()


def test_exact_array_returns_the_array_itself():
    array = np.zeros((2, 3), np.int8)
    assert exact_array("mask", array, np.int8, (2, 3)) is array
