"""Misbehaving agents for duel, a game in which the first legal id is as good as any."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import time

import numpy as np

from sackarmies_agents import Agent
from sackarmies_agents.channel import Channel


class Lowest(Agent):
    """Behaves well: takes the lowest legal id."""

    def __init__(self, info):
        self.info = info
        self.decisions = 0

    def reset(self, seed):
        self.decisions = 0

    def act(self, observation, action_mask):
        self.decisions += 1
        return self.choose(observation, action_mask)

    def choose(self, observation, action_mask):
        return int(np.flatnonzero(action_mask)[0])


class Scarce(Lowest):
    """Can be made only a few times in a process."""

    left = 0  # set by the test

    def __init__(self, info):
        if type(self).left == 0:
            raise OSError("no license left")
        type(self).left -= 1
        super().__init__(info)


class Late(Lowest):
    """Behaves at the first decision of a game and misbehaves at the second."""

    def choose(self, observation, action_mask):
        return super().choose(observation, action_mask) if self.decisions == 1 else self.misbehave(action_mask)

    def misbehave(self, action_mask):
        raise NotImplementedError


class Raises(Late):
    def misbehave(self, action_mask):
        raise RuntimeError("no\nidea\x1b[31m")


class RaisesLong(Late):
    def misbehave(self, action_mask):
        raise ValueError("x" * 500)


class RaisesCtrlC(Late):
    def misbehave(self, action_mask):
        raise KeyboardInterrupt


class Unusual(BaseException):
    """An exception that `except Exception` does not catch."""


class RaisesInBatch(Raises):
    shares_batch = True


class RaisesUnusual(Late):
    def misbehave(self, action_mask):
        raise Unusual


class Exits(Late):
    def misbehave(self, action_mask):
        sys.exit("enough")


class Illegal(Late):
    def misbehave(self, action_mask):
        return int(np.flatnonzero(action_mask == 0)[0])


class IllegalInBatch(Illegal):
    shares_batch = True


class Huge(Late):
    def misbehave(self, action_mask):
        return 2**70


class Nothing(Late):
    def misbehave(self, action_mask):
        return None


class Text(Late):
    def misbehave(self, action_mask):
        return "x"


class NotANumber(Late):
    def misbehave(self, action_mask):
        return float("nan")


class Fraction(Late):
    def misbehave(self, action_mask):
        return float(np.flatnonzero(action_mask)[0])


class Scribbles(Late):
    def misbehave(self, action_mask):
        action_mask[:] = 1
        return 0


class Hangs(Late):
    def misbehave(self, action_mask):
        while True:
            time.sleep(1)


class Leaks(Late):
    def misbehave(self, action_mask):
        kept = []
        while True:
            kept.append(np.ones(2**20))


class Leaves(Late):
    def misbehave(self, action_mask):
        os._exit(3)


class Leaves255(Late):
    def misbehave(self, action_mask):
        os._exit(255)


class Crashes(Late):
    def misbehave(self, action_mask):
        return ctypes.string_at(0)


class Dies(Late):
    def misbehave(self, action_mask):
        os.kill(os.getpid(), signal.SIGKILL)


class DiesUnnamed(Late):
    """Is killed by a real-time signal, which has no name in Python."""

    def misbehave(self, action_mask):
        os.kill(os.getpid(), 40)


class Chatters(Lowest):
    """Behaves well in the game, but prints a lot and forks its process."""

    def choose(self, observation, action_mask):
        print("\x1b[31mrubbish" * 10_000)
        os.write(1, b"\0" * 100_000)
        os.fork()  # the copy continues as if nothing had happened
        return super().choose(observation, action_mask)


class Floods(Late):
    """Sends answers to questions that nobody asked, without end."""

    def misbehave(self, action_mask):
        channel = next(found for found in gc.get_objects() if isinstance(found, Channel))
        while True:
            channel.send(b'{"number": -1}', None)


class HangsUp(Late):
    """Closes its connection and goes on."""

    def misbehave(self, action_mask):
        next(found for found in gc.get_objects() if isinstance(found, Channel)).close()
        time.sleep(600)


class WritesEverywhere(Late):
    """Writes to all that is open in its process, apart from the standard streams."""

    def misbehave(self, action_mask):
        for handle in range(3, 100):
            with contextlib.suppress(OSError):
                os.write(handle, b"x")
        time.sleep(1)
        return 0


class DiesYoung(Lowest):
    """Plays many games at once and ends its process at its second call if that is for four games."""

    shares_batch = True

    def act_batch(self, observations, action_masks):
        self.decisions += 1
        if self.decisions == 2 and len(observations) == 4:
            os._exit(7)
        return action_masks.argmax(axis=1)


class Shared(Lowest):
    """Plays many games at once; misbehaves in games in which it holds two cards of value 4."""

    shares_batch = True

    def act_batch(self, observations, action_masks):
        answers = action_masks.argmax(axis=1)
        guilty = observations[:, 3] >= 2
        return self.answer(answers, guilty, action_masks)


class SharedRaises(Shared):
    def answer(self, answers, guilty, action_masks):
        if guilty.any():
            raise ValueError("two fours")
        return answers


class SharedTooLong(Shared):
    def answer(self, answers, guilty, action_masks):
        return np.append(answers, 0) if guilty.any() else answers


class SharedFloats(Shared):
    def answer(self, answers, guilty, action_masks):
        return answers.astype(float) if guilty.any() else answers


class SharedIllegal(Shared):
    def answer(self, answers, guilty, action_masks):
        return np.where(guilty, -1, answers)


class BadReset(Lowest):
    def reset(self, seed):
        raise KeyError("seed")


class BadLongReset(Lowest):
    def reset(self, seed):
        raise ValueError("x" * 500)


class BadStart(Lowest):
    def __init__(self, info):
        raise OSError("no weights")


class DeadStart(Lowest):
    def __init__(self, info):
        os._exit(4)


class HangsAtOnce(Hangs):
    def choose(self, observation, action_mask):
        return self.misbehave(action_mask)


class SharedSlow(Lowest):
    """Needs 0.2 s per decision in its second call."""

    shares_batch = True

    def act_batch(self, observations, action_masks):
        self.decisions += 1
        time.sleep(0.2 * len(action_masks) if self.decisions == 2 else 0)
        return action_masks.argmax(axis=1)


class LeavesChild(Leaves):
    """Ends its process, unless it is the one that runs the tests."""

    def misbehave(self, action_mask):
        return super().misbehave(action_mask) if multiprocessing.parent_process() else 0


class Thinks(Lowest):
    """Takes a moment for each decision."""

    def act(self, observation, action_mask):
        time.sleep(0.5)
        return super().act(observation, action_mask)


class Breeds(Lowest):
    """Starts a program and a copy of itself, which both hang."""

    def reset(self, seed):
        super().reset(seed)
        subprocess.Popen(["sleep", "600"])
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)


class BreedsAndDies(Breeds):
    def choose(self, observation, action_mask):
        os._exit(5)


class BreedsAndHangs(Breeds):
    def choose(self, observation, action_mask):
        time.sleep(600)


class Reader(Lowest):
    """Answers whether it can read the memory of processes; observations hold their ids, 0 for its own parent."""

    shares_batch = True

    def act_batch(self, observations, action_masks):
        return [self.can_read(pid or os.getppid()) for pid in observations[:, 0].tolist()]

    def can_read(self, pid):
        try:
            with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
                places = [line.split()[:2] for line in maps]
            with open(f"/proc/{pid}/mem", "rb") as memory:
                memory.seek(next(int(place.split("-")[0], 16) for place, flags in places if flags.startswith("rw")))
                return int(len(memory.read(16)) == 16)
        except OSError:
            return 0
