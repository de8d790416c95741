"""Recording of the tests on sound rules: which lines each one runs, and how long it takes."""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import coverage

from tests.mutation.harness import ROOT, Laboratory, in_children, require_answer

PACKAGE = ROOT / "sackarmies_env"
KEPT = ROOT / "build" / "mutation"  # recordings, by digest of the sources
KEPT_SECONDS = 86400.0  # age at which recordings of other sources are removed


@dataclass(frozen=True)
class Recorded:
    """What the tests do with sound rules.

    Attributes:
        seconds: CPU time by test.
        by_line: file -> line -> tests that run the line.
    """

    seconds: dict[str, float]
    by_line: dict[str, dict[int, list[str]]]

    def rarer(self, path: str, lines: Iterable[int]) -> set[str]:
        """Return the tests that run the line of `lines` that the fewest tests run."""
        sets = [self.running(path, (line, line)) for line in lines]
        return min((found for found in sets if found), key=len, default=set())

    def richness(self, path: str) -> dict[str, float]:
        """Return how much of a file each test runs; a line counts 1 / the number of tests that run it."""
        found: dict[str, float] = defaultdict(float)
        for tests in self.by_line.get(path, {}).values():
            for test in tests:
                found[test] += 1 / len(tests)
        return found

    def running(self, path: str, lines: tuple[int, int]) -> set[str]:
        """Return the tests that run any line from the first to the last of `lines`."""
        found = self.by_line.get(path, {})
        return {test for line in range(lines[0], lines[1] + 1) for test in found.get(line, ())}


def record(laboratory: Laboratory, workers: int) -> Recorded:
    """Return what the tests do; test files that have not changed since the last run are not run again.

    Args:
        laboratory: holds the collected tests.
        workers: number of processes at a time.

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
    """Merge the recordings of all test files."""
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
    """Run the tests of some files and write what they do; if any fail, return them and write nothing."""
    tracer = coverage.Coverage(
        data_file=None, config_file=False, include=[f"{PACKAGE}/{part}/*" for part in ("core", "games")]
    )
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
    """Return a digest of the package and of the modules that tests share."""
    digest = hashlib.sha256()
    shared = [path for path in sorted((ROOT / "tests").rglob("*.py")) if not path.name.startswith("test_")]
    for path in [*sorted(PACKAGE.rglob("*.py")), *sorted(PACKAGE.rglob("*.toml")), *shared]:
        if path.parent != Path(__file__).parent:
            digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def file_digest(base: str, file: str, tests: list[str]) -> str:
    """Return a digest of a test file and the tests collected from it."""
    return hashlib.sha256(base.encode() + repr(tests).encode() + (ROOT / file).read_bytes()).hexdigest()[:24]
