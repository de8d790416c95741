"""Informed agents for tests: well-behaved ones, misbehaving ones, and one that looks for hidden data."""

from __future__ import annotations

import ctypes
import gc
import hashlib
import inspect
import json
import os
import sys
from pathlib import Path

import numpy as np

from sackarmies_agents import InformedAgent

PR_GET_DUMPABLE = 3


class Lowest(InformedAgent):
    """Takes the lowest legal id."""

    def __init__(self, info, **options):
        self.info = info
        self.options = options
        self.decisions = 0

    def reset(self, seed):
        self.decisions = 0
        self.seed = seed

    def act_informed(self, information):
        self.decisions += 1
        return self.choose(information)

    def choose(self, information):
        return information.action_masks().argmax(axis=1)


class SharedLowest(Lowest):
    shares_batch = True


class Sampler(Lowest):
    """Chooses by a digest of a few sampled states, so that equal information sets give equal choices."""

    def choose(self, information):
        chosen = []
        for row, mask in enumerate(information.action_masks()):
            states = information.sample(range(3), [row] * 3)
            number = int.from_bytes(hashlib.sha256(states.tobytes()).digest()[:4], "little")
            legal = np.flatnonzero(mask)
            chosen.append(legal[number % len(legal)])
        return np.array(chosen)


class SharedSampler(Sampler):
    shares_batch = True


class Late(Lowest):
    """Behaves at the first decision of a game and misbehaves at the second."""

    def choose(self, information):
        return super().choose(information) if self.decisions == 1 else self.misbehave(information)


class Raises(Late):
    def misbehave(self, information):
        raise RuntimeError("no idea")


class WrongShape(Late):
    def misbehave(self, information):
        return np.zeros((len(information), 2), np.int64)


class Floats(Late):
    def misbehave(self, information):
        return np.zeros(len(information))


class Illegal(Late):
    def misbehave(self, information):
        return information.action_masks().argmin(axis=1)


class WritesRules(Late):
    """Writes into the data of the game so that it would end at once."""

    def misbehave(self, information):
        information.game.params["max_turns"] = 0
        return Lowest.choose(self, information)


class WritesInitial(Late):
    """Writes into the initial state of its seat's games."""

    def misbehave(self, information):
        information.game.initial["turn"] = 7
        return Lowest.choose(self, information)


class ReturnsStates(Late):
    """Answers with records, whose fields would make a message long."""

    def misbehave(self, information):
        return information.states


class ReportsNothing(Lowest):
    """Forgets to return its reports."""

    def report(self):
        pass


class WritesStates(Lowest):
    """Writes into the states that it is given, which are its own copies."""

    def choose(self, information):
        answer = super().choose(information)
        information.states["turn"] = 99
        return answer


class Forgetful(Lowest):
    """Claims to be informed but lacks the method."""

    act_informed = None


class Prying(Lowest):
    """Looks for data that it must not have and writes what it finds to a file."""

    def __init__(self, info, report):
        super().__init__(info)
        self.report = Path(report)

    def choose(self, information):
        found = look_around(information)
        self.report.write_text(json.dumps(found), encoding="utf-8")
        return super().choose(information)


def holds_games(thing):
    """Return whether `thing` is one of our objects that hold true states; libraries also use these class names."""
    kind = type(thing)
    return kind.__name__ in ("Batch", "Match", "Seating") and kind.__module__.startswith("sackarmies")


def look_around(information):
    """Return everything of interest that can be reached from inside an agent's process."""
    size = information.game.state_dtype.itemsize
    parent = os.getppid()
    return {
        "pid": os.getpid(),
        "parent": parent,
        "dumpable": ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0),
        "modules": sorted({frame.f_globals["__name__"] for frame in frames()}),
        "batches": sum(map(holds_games, gc.get_objects())),
        "states": [
            hashlib.sha256(thing.tobytes()).hexdigest()
            for thing in reachable_arrays()
            if thing.dtype.names and thing.dtype.itemsize == size
        ],
        "handles": handles(),
        "shared": [line for line in Path("/proc/self/maps").read_text().splitlines() if line.split()[1][3] == "s"],
    }


def frames():
    """Yield the frames of all threads, from the innermost to the outermost."""
    for innermost in [inspect.currentframe(), *sys._current_frames().values()]:
        frame = innermost
        while frame is not None:
            yield frame
            frame = frame.f_back


def reachable_arrays():
    """Yield the arrays that can be reached through the garbage collector, frames and modules."""
    for thing in [*gc.get_objects(), *frames()]:
        for one in [thing, *gc.get_referents(thing)]:
            if isinstance(one, np.ndarray):
                yield one
        if inspect.isframe(thing):
            yield from (one for one in thing.f_locals.values() if isinstance(one, np.ndarray))


def handles():
    """Return the targets of the open file descriptors, by number."""
    found = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            found[number] = os.readlink(f"/proc/self/fd/{number}")
        except OSError:  # the descriptor of the listing itself
            continue
    return found
