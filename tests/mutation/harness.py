"""Runs chosen tests against chosen faults: a process forked for each fault, out of one that has imported all tests.

Interpreted, a rule is a plain function, and giving it other code reaches all that have imported it by name.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import resource
import selectors
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "sackarmies_env"
KEPT = ROOT / "build" / "mutation"  # what was recorded, by digest of the sources
KEPT_SECONDS = 86400.0  # after which what was recorded of other sources is removed
TIME_FACTOR, TIME_EXTRA = 10.0, 5  # CPU seconds of a test: so many times the recorded ones, and some more
WALL_LIMIT = 300  # seconds for all tests of one fault, if it sleeps
MEMORY_EXTRA = 2 << 30  # bytes that a fault may take in addition

PLAY = "tests/mutation/play.py::test_masks"
NUM_BEST = 30  # tests that are tried early since they have noticed most so far
MAX_PLAYS = 16  # for one fault
CLOCKS = ("SIGPROF", "SIGALRM")  # what a process is stopped by when its time is up

Fault = Callable[[], None]


@dataclass(frozen=True)
class Recorded:
    """What the tests do on sound rules.

    Attributes:
        seconds: CPU time by test.
        by_line: tests that run a line, by file and line.
    """

    seconds: dict[str, float]
    by_line: dict[str, dict[int, list[str]]]

    def rarer(self, path: str, lines: Iterable[int]) -> set[str]:
        """Return the tests that run that one of `lines` which the fewest run."""
        sets = [self.running(path, (line, line)) for line in lines]
        return min((found for found in sets if found), key=len, default=set())

    def richness(self, path: str) -> dict[str, float]:
        """Return how much of a file each test sees: a line that few tests run counts more, 1 / their number."""
        found: dict[str, float] = defaultdict(float)
        for tests in self.by_line.get(path, {}).values():
            for test in tests:
                found[test] += 1 / len(tests)
        return found

    def running(self, path: str, lines: tuple[int, int]) -> set[str]:
        """Return the tests that run any line from the first to the last of `lines`."""
        found = self.by_line.get(path, {})
        return {test for line in range(lines[0], lines[1] + 1) for test in found.get(line, ())}


@dataclass(frozen=True)
class Verdict:
    """What became of a fault.

    Attributes:
        killer: the test that noticed it; "" if none did.
        reason: "failed", "out of time" or "crashed"; "" if it survived.
        num_tests: how many were chosen.
    """

    killer: str
    reason: str
    num_tests: int


class Laboratory:
    """A pytest plugin: once the tests are collected, it hands them to `work` instead of running them."""

    def __init__(self, work: Callable[[Laboratory], None]) -> None:
        self.items: dict[str, pytest.Item] = {}
        self.failed = ""
        self._work = work
        self._error: BaseException | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Work, in place of running all tests."""
        if session.testsfailed:
            raise pytest.UsageError("the tests cannot be collected; `python -m pytest tests/rules` says why")
        self.items = {item.nodeid: item for item in session.items}
        gc.freeze()  # forked processes share what is there
        try:
            self._work(self)
        except BaseException as error:
            self._error = error
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice a failure."""
        if report.failed:
            self.failed = report.nodeid

    def run(self, test: str) -> bool:
        """Run a test with all hooks; return whether it passed."""
        item = self.items[test]
        self.failed = ""
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self.failed

    def raise_error(self) -> None:
        """Raise what went wrong in the work: pytest would only report it."""
        if self._error is not None:
            raise self._error


def with_tests(paths: Sequence[str], work: Callable[[Laboratory], None], *, select: str = "not slow") -> None:
    """Collect the tests of `paths` and let `work` use them.

    Raises:
        RuntimeError: pytest ended before the work began.
    """
    laboratory = Laboratory(work)
    quiet = ["-q", "-s", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:terminalreporter"]
    status = pytest.main([*quiet, "-m", select, "--rootdir", str(ROOT), *paths], plugins=[laboratory])
    laboratory.raise_error()
    if not laboratory.items:
        raise RuntimeError(f"pytest collected no tests in {', '.join(paths)} (exit status {status})")


# --- recording


def record(laboratory: Laboratory, workers: int) -> Recorded:
    """Return what the tests do; files of tests that have not changed since the last run are not run again.

    Args:
        laboratory: with the tests collected.
        workers: processes at a time.

    Raises:
        RuntimeError: a test fails on sound rules.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    files: dict[str, list[str]] = defaultdict(list)
    for test in laboratory.items:
        files[test.split("::", 1)[0]].append(test)
    base = source_digest()
    kept = {file: KEPT / f"{file_digest(base, file, tests)}.json" for file, tests in files.items()}
    stale = {file: files[file] for file, path in kept.items() if not path.exists()}
    if stale:
        print(f"recording which lines the tests of {len(stale)} files run ...", flush=True)
        shares = [dict(list(stale.items())[i::workers]) for i in range(workers)]
        jobs = [partial(record_here, laboratory, share, kept) for share in shares if share]
        failed = [test for _, told in in_children(jobs, workers) for test in require_answer(told)]
        if failed:
            raise RuntimeError(f"{len(failed)} tests fail on sound rules: {', '.join(failed[:5])}")
    for path in set(KEPT.glob("*.json")) - set(kept.values()):
        if time.time() - path.stat().st_mtime > KEPT_SECONDS:
            path.unlink(missing_ok=True)
    return merged([json.loads(path.read_text()) for path in kept.values()])


def merged(parts: Iterable[dict[str, Any]]) -> Recorded:
    """Return all that was kept, a part for each file of tests."""
    seconds: dict[str, float] = {}
    by_line: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for part in parts:
        tests = list(part["seconds"])
        seconds |= part["seconds"]
        for path, lines in part["lines"].items():
            for line, numbers in lines.items():
                by_line[path][int(line)] += [tests[number] for number in numbers]
    return Recorded(seconds, by_line)


def record_here(laboratory: Laboratory, files: dict[str, list[str]], kept: dict[str, Path]) -> list[str]:
    """Run the tests of some files and write what they do; return those that fail and, if any do, write nothing."""
    tracer = coverage.Coverage(data_file=None, config_file=False, include=[f"{PACKAGE}/games/*"])
    seconds, failed = {}, []
    tracer.start()
    for test in (test for tests in files.values() for test in tests):
        tracer.switch_context(test)
        begun = time.process_time()
        if not laboratory.run(test):
            failed.append(test)
        seconds[test] = round(time.process_time() - begun, 4)
    tracer.stop()
    if failed:
        return failed
    data = tracer.get_data()
    contexts = {str(Path(path).relative_to(ROOT)): data.contexts_by_lineno(path) for path in data.measured_files()}
    for file, tests in files.items():
        number = {test: i for i, test in enumerate(tests)}
        lines = {
            path: {line: [number[test] for test in found if test in number] for line, found in of_line.items()}
            for path, of_line in contexts.items()
        }
        part = kept[file].with_suffix(".part")
        part.write_text(json.dumps({"seconds": {test: seconds[test] for test in tests}, "lines": lines}))
        part.replace(kept[file])
    return []


def source_digest() -> str:
    """Return a digest of the rules and of what tests share."""
    digest = hashlib.sha256()
    shared = [path for path in sorted((ROOT / "tests").rglob("*.py")) if not path.name.startswith("test_")]
    for path in [*sorted(PACKAGE.rglob("*.py")), *sorted(PACKAGE.rglob("*.toml")), *shared]:
        if path.parent != Path(__file__).parent:
            digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def file_digest(base: str, file: str, tests: list[str]) -> str:
    """Return a digest of a file of tests and of those of its tests that were collected."""
    return hashlib.sha256(base.encode() + repr(tests).encode() + (ROOT / file).read_bytes()).hexdigest()[:24]


# --- processes


def in_child(work: Callable[[], Any]) -> Any:
    """Return what `work` returns in a process of its own."""
    return require_answer(next(iter(in_children([work], 1)))[1])


def require_answer(told: Any) -> Any:
    """Return what a process told.

    Raises:
        RuntimeError: it was stopped by a signal.
    """
    if isinstance(told, str):
        raise RuntimeError(f"a process of the laboratory was stopped by {told}")
    return told


def in_children(jobs: Sequence[Callable[[], Any]], workers: int) -> Iterator[tuple[int, Any]]:
    """Yield the index of each job and what it returned, as they end; a signal's name for one that was stopped by it.

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
    """Run `job` in a forked process that writes what it returns, as JSON; return its pipe and its id."""
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
    """Send what the process prints nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


# --- trials


def trial(laboratory: Laboratory, fault: Fault, tests: Sequence[str], seconds: dict[str, float]) -> dict[str, str]:
    """Make the fault, then run the tests until one fails; goes into a process of its own.

    Returns:
        dict: the killer, "" if there is none; one that is stopped for want of time writes nothing at all.
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
        fault: makes it, in a process of its own.
        tests: to choose from.
        place: what it is a fault of.
        about: tests that are likely to notice.
        richness: how much of the place and what is around it each test sees.
    """

    fault: Fault
    tests: set[str]
    place: str
    about: frozenset[str] = frozenset()
    richness: Mapping[str, float] = field(default_factory=dict)


def choose(
    trial: Trial, seconds: dict[str, float], kills: Counter[str], budget: float, best: Collection[str] = ()
) -> list[str]:
    """Return the tests of a trial in the order to run: as many as `budget` seconds hold.

    First comes what has killed faults of the same place (`kills`), then what is about it, then what has killed most
    anywhere (`best`), then what sees most in a second. Of the games of random play, which see much and are slow, only
    some are taken.
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
    return test.startswith(PLAY)


def verdicts(
    laboratory: Laboratory, trials: Sequence[Trial], recorded: Recorded, budget: float, workers: int
) -> Iterator[tuple[int, Verdict]]:
    """Yield the index of each trial and its verdict, as they come."""
    kills: dict[str, Counter[str]] = defaultdict(Counter)
    kills_anywhere: Counter[str] = Counter()

    def job(index: int) -> Callable[[], Any]:
        def work() -> Any:
            best = {test for test, _ in kills_anywhere.most_common(NUM_BEST)}
            tests = choose(trials[index], recorded.seconds, kills[trials[index].place], budget, best)
            return trial(laboratory, trials[index].fault, tests, recorded.seconds) | {"num_tests": len(tests)}

        return work

    for index, told in in_children([job(index) for index in range(len(trials))], workers):
        if isinstance(told, str):
            yield index, Verdict("", "out of time" if told in CLOCKS else "crashed", 0)
            continue
        if told["killer"]:
            kills[trials[index].place][told["killer"]] += 1
            kills_anywhere[told["killer"]] += 1
        yield index, Verdict(told["killer"], "failed" if told["killer"] else "", told["num_tests"])
