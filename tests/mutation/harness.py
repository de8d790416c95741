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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "sackarmies_env"
KEPT = ROOT / "build" / "mutation"  # what was recorded, by digest of the sources
TIME_FACTOR, TIME_EXTRA = 10.0, 5  # CPU seconds of a test: so many times the recorded ones, and some more
WALL_LIMIT = 300  # seconds for all tests of one fault, if it sleeps
MEMORY_EXTRA = 2 << 30  # bytes that a fault may take in addition

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


def record(laboratory: Laboratory, paths: Sequence[str], modules: Iterable[str]) -> Recorded:
    """Return what the tests do, from the last run if no source has changed.

    Raises:
        RuntimeError: a test fails on sound rules.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"tests-{source_digest([*paths, *modules])}.json"
    if not kept.exists():
        print(f"recording which lines {len(laboratory.items)} tests run ...", flush=True)
        failed = in_child(lambda: {"failed": record_here(laboratory, modules, kept)})["failed"]
        if failed:
            raise RuntimeError(f"{len(failed)} tests fail on sound rules: {', '.join(failed[:5])}")
    data = json.loads(kept.read_text())
    by_line = {path: {int(line): tests for line, tests in lines.items()} for path, lines in data["by_line"].items()}
    return Recorded(data["seconds"], by_line)


def record_here(laboratory: Laboratory, modules: Iterable[str], kept: Path) -> list[str]:
    """Run all tests and write what they do to `kept`; return those that fail, and write nothing if there are any."""
    tracer = coverage.Coverage(data_file=None, config_file=False, include=list(modules))
    seconds, failed = {}, []
    tracer.start()
    for test in laboratory.items:
        tracer.switch_context(test)
        begun = time.process_time()
        if not laboratory.run(test):
            failed.append(test)
        seconds[test] = round(time.process_time() - begun, 4)
    tracer.stop()
    data = tracer.get_data()
    by_line = {
        str(Path(path).relative_to(ROOT)): {line: [test for test in tests if test] for line, tests in lines.items()}
        for path in data.measured_files()
        for lines in [data.contexts_by_lineno(path)]
    }
    if not failed:
        part = kept.with_suffix(".part")
        part.write_text(json.dumps({"seconds": seconds, "by_line": by_line}))
        part.replace(kept)
    return failed


def source_digest(words: Iterable[str]) -> str:
    """Return a digest of `words`, the rules and the tests."""
    digest = hashlib.sha256(repr(sorted(words)).encode())
    for folder in (PACKAGE, ROOT / "tests"):
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
            if path.name != "explained.toml":
                digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


# --- processes


def in_child(work: Callable[[], Any]) -> Any:
    """Return what `work` returns in a process of its own."""
    told = next(iter(in_children([work], 1)))[1]
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


def choose(tests: Iterable[str], seconds: dict[str, float], kills: Counter[str], budget: float) -> list[str]:
    """Return tests in the order to run: what has killed before, then the quickest; as many as `budget` seconds hold."""
    chosen = []
    for test in sorted(tests, key=lambda test: (-kills[test], seconds[test], test)):
        budget -= seconds[test]
        if budget < 0:
            break
        chosen.append(test)
    return chosen


@dataclass(frozen=True)
class Trial:
    """A fault, the tests that may notice it, and what it is a fault of."""

    fault: Fault
    tests: set[str]
    place: str


def verdicts(
    laboratory: Laboratory, trials: Sequence[Trial], recorded: Recorded, budget: float, workers: int
) -> Iterator[tuple[int, Verdict]]:
    """Yield the index of each trial and its verdict, as they come."""
    kills: dict[str, Counter[str]] = defaultdict(Counter)

    def job(index: int) -> Callable[[], Any]:
        def work() -> Any:
            tests = choose(trials[index].tests, recorded.seconds, kills[trials[index].place], budget)
            return trial(laboratory, trials[index].fault, tests, recorded.seconds) | {"num_tests": len(tests)}

        return work

    for index, told in in_children([job(index) for index in range(len(trials))], workers):
        if isinstance(told, str):
            yield index, Verdict("", "out of time" if told in CLOCKS else "crashed", 0)
            continue
        if told["killer"]:
            kills[trials[index].place][told["killer"]] += 1
        yield index, Verdict(told["killer"], "failed" if told["killer"] else "", told["num_tests"])
