"""Kernels of many games on CUDA: compiled to PTX without a device, and run where there is one.

`make cuda` sets up an environment with numba-cuda and runs `python -m benchmarks.cuda` there. Each thread plays or
observes one game, with the unchanged kernels of the rules. `adapted` adds what numba-cuda 0.30 needs for that but does
not do by itself.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numba
import numpy as np

from sackarmies_env import load_game
from sackarmies_env.core.game import Game
from sackarmies_env.core.state import alloc, copy_records
from sackarmies_env.core.step_batch import Command, dispatch, play_on, write_observation

OBSERVE, PLAY = "observe", "play"
KERNELS = (OBSERVE, PLAY)
CAPABILITY = (9, 0)  # compute capability to compile for, without a device to ask
THREADS = 64  # per block
STEPS = 8  # random decisions of each game in one call
MISSING = "numba-cuda is not installed: run `make cuda`"


def is_installed() -> bool:
    """Return whether kernels can be compiled for CUDA."""
    return find_spec("numba_cuda") is not None


@contextlib.contextmanager
def adapted(capability: tuple[int, int] | None = None) -> Iterator[None]:
    """Make numba-cuda able to compile our kernels while the block runs.

    Values of enumerations count as integers, both as arguments of kernels and as indices. If `capability` is given,
    functions that a kernel calls are compiled for it, without a device.
    """
    from numba.core import types
    from numba.cuda import dispatcher
    from numba.cuda.typing import arraydecl

    kernels, index_type = dispatcher.CUDADispatcher, arraydecl.get_array_index_type
    template = kernels.get_call_template

    def plain(given: Any) -> Any:
        if isinstance(given, types.IntegerLiteral | types.BooleanLiteral):
            return types.unliteral(given)
        return given.dtype if isinstance(given, types.IntEnumMember) else given

    def plain_index(index: Any) -> Any:
        return types.Tuple([plain(one) for one in index]) if isinstance(index, types.BaseTuple) else plain(index)

    def index_type_of(array: Any, index: Any) -> Any:
        return index_type(array, plain_index(index))

    def call_template(self: Any, args: Any, kws: Any) -> Any:
        return template(self, tuple(plain(one) for one in args), {name: plain(one) for name, one in kws.items()})

    with contextlib.ExitStack() as patches:
        patches.enter_context(mock.patch.object(kernels, "get_call_template", call_template))
        patches.enter_context(mock.patch.object(arraydecl, "get_array_index_type", index_type_of))
        if capability is not None:
            device = SimpleNamespace(compute_capability=capability)
            patches.enter_context(mock.patch.object(dispatcher, "get_current_device", lambda: device))
        yield


def make_kernel(game: Game, name: str) -> Callable[..., None]:
    """Return a function for `numba.cuda` that takes what `arguments_of` returns, with one thread per game.

    Args:
        game: the game to play.
        name: "observe" writes what current players see; "play" takes decisions at random, up to the end of the game.
    """
    from numba import cuda
    from numba.cuda.dispatcher import CUDADispatcher

    # A tuple of kernels is not itself a kernel, so numba-cuda does not see that they must be compiled for the device.
    rules = game.step_batch.py_func.__globals__["RULES"]  # type: ignore[attr-defined]
    options = {"device": True, "debug": False, "opt": True}
    rules = type(rules)(*(CUDADispatcher(kernel.py_func, options) for kernel in rules))

    def observe(params, states, slots, steps, observations):  # type: ignore[no-untyped-def]  # a kernel
        row = cuda.grid(1)
        if row < len(slots):
            write_observation(rules, params[0], states[row], row, states[row].current_player, observations)

    def play(params, states, slots, steps, observations):  # type: ignore[no-untyped-def]  # a kernel
        row = cuda.grid(1)
        if row < len(slots):
            play_on(rules, params[0], states[row], slots[row], (Command.RANDOM, 1), steps)

    return {OBSERVE: observe, PLAY: play}[name]


def arguments_of(game: Game, games: int) -> list[Any]:
    """Return new games as the arguments of a kernel: params, states, slots, number of decisions, observations."""
    states = alloc(game.state_dtype, games + 1)  # the last one is the state from which new games begin
    slots = game.new_slots(games + 1)
    copy_records(game.initial, states[-1:])
    dispatch(game.step_batch, game.params, states, Command.BEGIN, np.arange(games + 1), slots=slots)
    return [game.params, states, slots[:games], STEPS, np.zeros((games, game.observation_spec.size), np.int8)]


def compile_ptx(game: Game, name: str, capability: tuple[int, int] = CAPABILITY) -> str:
    """Return a kernel as PTX; needs no device.

    Raises:
        ModuleNotFoundError: numba-cuda is not installed.
    """
    if not is_installed():
        raise ModuleNotFoundError(MISSING)
    from numba import cuda

    signature = numba.types.void(*(numba.typeof(one) for one in arguments_of(game, 1)))
    with adapted(capability):
        kernel = make_kernel(game, name)
        ptx, _ = cuda.compile(kernel, signature, device=False, abi="numba", cc=capability, output="ptx")
    return str(ptx)


def assemble(ptx: str) -> str:
    """Return what the CUDA assembler says about a kernel: its registers, or why it cannot be assembled."""
    import nvidia

    found = [path for folder in nvidia.__path__ for path in Path(folder).glob("cuda_nvcc/bin/ptxas*")]
    if not found:
        return "ptxas is not installed"
    target = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(ptx, encoding="utf-8")
        command = [found[0], "-v", f"-arch={target[1] if target else ''}", source, "-o", source.with_suffix(".cubin")]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    used = re.search(r"Used \d+ registers", said)
    return used[0].lower() if used else said.strip()


def run_on_device(game: Game, name: str, games: int) -> str:
    """Run a kernel on the device; return games a second, and whether the results are the same as the CPU's."""
    from numba import cuda

    here, there = arguments_of(game, games), arguments_of(game, games)
    params, states, slots, steps, observations = there
    on_device = [cuda.to_device(one) for one in (params, states, slots)]
    seen = cuda.to_device(observations)
    with adapted():
        kernel = cuda.jit(make_kernel(game, name))[-(-games // THREADS), THREADS]
        kernel(*on_device, steps, seen)  # compiles
    cuda.synchronize()
    same = _is_same(game, name, here, on_device[1].copy_to_host(), seen.copy_to_host())
    began = time.perf_counter()
    kernel(*on_device, steps, seen)
    cuda.synchronize()
    rate = games / (time.perf_counter() - began)
    return f"{rate:,.0f} games a second on {cuda.get_current_device().name}, results {'the same' if same else 'DIFFER'}"


def _is_same(game: Game, name: str, here: list[Any], states: Any, seen: Any) -> bool:
    params, expected, slots, steps, _ = here
    games = len(slots)
    if name == PLAY:
        dispatch(game.step_batch, params, expected[:games], Command.RANDOM, steps, slots=slots)
        return expected[:games].tobytes() == states[:games].tobytes()
    wanted = np.zeros_like(seen)
    for row in range(games):
        game.observe(params, expected[row : row + 1], expected["current_player"][row : row + 1], wanted[row : row + 1])
    return bool((wanted == seen).all())


def main() -> None:
    """Compile kernels, and run them where there is a device."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", default="territories", help="id of a game")
    parser.add_argument("--kernel", choices=KERNELS, default=OBSERVE)
    parser.add_argument("--games", type=int, default=65_536, help="on the device")
    chosen = parser.parse_args()
    if not is_installed():
        raise SystemExit(MISSING)
    from numba import cuda

    game, began = load_game(chosen.game), time.perf_counter()
    ptx = compile_ptx(game, chosen.kernel)
    took = time.perf_counter() - began
    print(f"{chosen.game}, {chosen.kernel}: {len(ptx):,} bytes of PTX in {took:.0f} s, {assemble(ptx)}")
    print(run_on_device(game, chosen.kernel, chosen.games) if cuda.is_available() else "no device: nothing was run")


if __name__ == "__main__":
    main()
