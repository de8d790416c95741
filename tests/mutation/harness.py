"""Harness of mutation testing: a process that has imported all tests forks a child for each fault.

When interpreted, a rule is a plain function, so replacing its code affects all modules that have imported it by name.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import selectors
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TIME_FACTOR, TIME_EXTRA = 10.0, 5  # CPU seconds of a test: this many times the recorded ones, plus these
WALL_LIMIT = 300  # seconds for all tests of one fault, if it sleeps
MEMORY_EXTRA = 2 << 30  # additional bytes that a fault may use

PLAYS = ("tests/mutation/play.py::test_masks", "tests/mutation/play_territories.py::test_masks")
NUM_BEST = 30  # tests that run early because they have noticed most faults so far
MAX_PLAYS = 16  # for one fault
CLOCKS = ("SIGPROF", "SIGALRM")  # signals that stop a process whose time is up

Fault = Callable[[], None]


@dataclass(frozen=True)
class Verdict:
    """The outcome of a fault.

    Attributes:
        killer: the test that noticed it; "" if none did.
        reason: "failed", "out of time" or "crashed"; "" if it survived.
        num_tests: number of tests chosen.
    """

    killer: str
    reason: str
    num_tests: int


class Laboratory:
    """A pytest plugin that passes the collected tests to `work` instead of running them."""

    def __init__(self, work: Callable[[Laboratory], None]) -> None:
        self.items: dict[str, pytest.Item] = {}
        self.failed = ""
        self._work = work
        self._error: BaseException | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Call `work` instead of running all tests."""
        if session.testsfailed:
            raise pytest.UsageError("the tests cannot be collected; `python -m pytest --collect-only tests` says why")
        self.items = {item.nodeid: item for item in session.items}
        gc.freeze()  # forked processes share the objects that exist now
        try:
            self._work(self)
        except BaseException as error:
            self._error = error
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure."""
        if report.failed:
            self.failed = report.nodeid

    def run(self, test: str) -> bool:
        """Run a test with all hooks; return whether it passed."""
        item = self.items[test]
        self.failed = ""
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self.failed

    def raise_error(self) -> None:
        """Raise the error of `work`, if any: pytest would only report it."""
        if self._error is not None:
            raise self._error


def with_tests(paths: Sequence[str], work: Callable[[Laboratory], None], *, select: str = "not slow") -> None:
    """Collect the tests of `paths` and pass them to `work`.

    Raises:
        RuntimeError: pytest ended before the work began.
    """
    laboratory = Laboratory(work)
    quiet = ["-q", "-s", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:terminalreporter"]
    status = pytest.main([*quiet, "-m", select, "--rootdir", str(ROOT), *paths], plugins=[laboratory])
    laboratory.raise_error()
    if not laboratory.items:
        raise RuntimeError(f"pytest collected no tests in {', '.join(paths)} (exit status {status})")


# --- processes


def in_child(work: Callable[[], Any]) -> Any:
    """Run `work` in a separate process and return its result."""
    return require_answer(next(iter(in_children([work], 1)))[1])


def require_answer(told: Any) -> Any:
    """Return the result of a process.

    Raises:
        RuntimeError: it was stopped by a signal.
    """
    if isinstance(told, str):
        raise RuntimeError(f"a process of the laboratory was stopped by {told}")
    return told


def in_children(jobs: Sequence[Callable[[], Any]], workers: int) -> Iterator[tuple[int, Any]]:
    """Yield the index and result of each job as it ends; the name of the signal for a job that one stopped.

    Raises:
        RuntimeError: a job raised.
    """
    waiting = list(enumerate(jobs))[::-1]
    running: dict[int, tuple[int, int, bytes]] = {}  # read end -> index, process, what was read
    with selectors.DefaultSelector() as selector:
        while waiting or running:
            while waiting and len(running) < workers:
                index, job = waiting.pop()
                end, process = start(job)
                running[end] = (index, process, b"")
                selector.register(end, selectors.EVENT_READ)
            for key, _ in selector.select():
                index, process, text = running[key.fd]
                more = os.read(key.fd, 1 << 16)
                running[key.fd] = (index, process, text + more)
                if not more:
                    selector.unregister(key.fd)
                    os.close(key.fd)
                    del running[key.fd]
                    _, status = os.waitpid(process, 0)
                    yield index, answer(text, status)


def answer(text: bytes, status: int) -> Any:
    """Return what a process wrote, or the name of the signal that stopped it."""
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    told = json.loads(text)
    if told["error"]:
        raise RuntimeError(f"a process of the laboratory failed: {told['error']}")
    return told["result"]


def start(job: Callable[[], Any]) -> tuple[int, int]:
    """Run `job` in a forked process that writes its result as JSON; return its pipe and its process id."""
    read_end, write_end = os.pipe()
    process = os.fork()
    if process:
        os.close(write_end)
        return read_end, process
    told = {"result": None, "error": "it left no answer"}
    try:
        os.close(read_end)
        silence()
        told = {"result": job(), "error": ""}
    except BaseException as error:
        told["error"] = repr(error)
    finally:
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(json.dumps(told).encode())
        os._exit(0)


def silence() -> None:
    """Discard everything that the process prints."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


# --- trials


def trial(laboratory: Laboratory, fault: Fault, tests: Sequence[str], seconds: dict[str, float]) -> dict[str, str]:
    """Make the fault, then run the tests until one fails; must run in a separate process.

    Returns:
        dict: the killer, "" if there is none. A process that runs out of time returns nothing at all.
    """
    memory = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (memory + MEMORY_EXTRA, memory + MEMORY_EXTRA))
    signal.setitimer(signal.ITIMER_REAL, WALL_LIMIT)
    fault()
    for test in tests:
        signal.setitimer(signal.ITIMER_PROF, TIME_FACTOR * seconds[test] + TIME_EXTRA)
        if not laboratory.run(test):
            return {"killer": test}
    return {"killer": ""}


@dataclass(frozen=True)
class Trial:
    """A fault and the tests that may notice it.

    Attributes:
        fault: makes the fault; called in a separate process.
        tests: tests to choose from.
        place: what the fault is in.
        about: tests that are likely to notice it.
        richness: how much of the place and its surroundings each test runs.
    """

    fault: Fault
    tests: set[str]
    place: str
    about: frozenset[str] = frozenset()
    richness: Mapping[str, float] = field(default_factory=dict)


def choose(
    trial: Trial, seconds: dict[str, float], kills: Counter[str], budget: float, best: Collection[str] = ()
) -> list[str]:
    """Return the tests of a trial in the order to run, as many as fit into `budget` seconds.

    Tests that have killed faults of the same place (`kills`) come first, then those that are about it, then those that
    have killed most anywhere (`best`), then those that see most per second. Of the games of random play, which see much
    but are slow, only some are taken.
    """

    def rank(test: str) -> tuple[int, bool, bool, float, str]:
        sees = trial.richness.get(test, 0.0) / (seconds[test] + 0.01)
        return -kills[test], test not in trial.about, test not in best, -sees, test

    chosen: list[str] = []
    num_plays = 0
    for test in sorted(trial.tests, key=rank):
        num_plays += is_play(test)
        if is_play(test) and num_plays > MAX_PLAYS:
            continue
        budget -= seconds[test]
        if budget < 0:
            break
        chosen.append(test)
    return chosen


def is_play(test: str) -> bool:
    """Return whether a test is a game of random play."""
    return test.startswith(PLAYS)


def verdicts(
    laboratory: Laboratory, trials: Sequence[Trial], seconds: dict[str, float], share: float, workers: int
) -> Iterator[tuple[int, Verdict]]:
    """Yield the index of each trial and its verdict as they arrive.

    Each trial may take `share` of the time of all tests, so that a slow machine makes no fewer.
    """
    budget = share * sum(seconds.values())
    kills: dict[str, Counter[str]] = defaultdict(Counter)
    kills_anywhere: Counter[str] = Counter()

    def job(index: int) -> Callable[[], Any]:
        def work() -> Any:
            best = {test for test, _ in kills_anywhere.most_common(NUM_BEST)}
            tests = choose(trials[index], seconds, kills[trials[index].place], budget, best)
            return trial(laboratory, trials[index].fault, tests, seconds) | {"num_tests": len(tests)}

        return work

    for index, told in in_children([job(index) for index in range(len(trials))], workers):
        if isinstance(told, str):
            yield index, Verdict("", "out of time" if told in CLOCKS else "crashed", 0)
            continue
        if told["killer"]:
            kills[trials[index].place][told["killer"]] += 1
            kills_anywhere[told["killer"]] += 1
        yield index, Verdict(told["killer"], "failed" if told["killer"] else "", told["num_tests"])
