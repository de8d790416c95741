"""Cases: files of shrunk failures, which can be kept as regression tests.

A failing property writes its case to `FAILURES` and names the file. Moved to `kept/`, it is replayed by every test run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.sack_armies.builders.configurations import Configuration
from tests.sack_armies.properties.bout import Bout, Check, play

ROOT = Path(__file__).resolve().parents[3]
FAILURES = ROOT / ".hypothesis" / "failures"
KEPT = Path(__file__).parent / "kept"


def hold(name: str, check: Check, configuration: Configuration, seed: int, chosen: Iterable[int]) -> Bout:
    """Play a game and look at every decision; a failure is written to a file as a case.

    Args:
        name: name of the property in `test_kept.CHECKS`.
        check: the property.
        configuration: how the game begins.
        seed: seed of the game.
        chosen: choices to play.

    Raises:
        AssertionError: the property does not hold; its notes give the game as texts, and the file.
    """
    bout = Bout(configuration.options(), seed)
    with told(name, bout):
        play(bout, check, chosen)
    return bout


@contextmanager
def told(name: str, bout: Bout) -> Iterator[None]:
    """Write a failure to a file as a case of the property `name`; add the game as texts, and the file, to its notes."""
    try:
        yield
    except Exception as error:
        path = write_case(name, bout, str(error))
        error.add_note(f"seed {bout.seed}, actions: {', '.join(bout.texts) or 'none'}")
        error.add_note(f"written to {path}; move it to {KEPT} to keep it as a test")
        raise


def write_case(name: str, bout: Bout, fault: str) -> Path:
    """Write the game so far as a case, which overwrites an earlier one of the same property."""
    FAILURES.mkdir(parents=True, exist_ok=True)
    path = FAILURES / f"{name}.json"
    case = {"check": name, "fault": fault, "seed": bout.seed, "actions": bout.texts, "options": bout.options}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in case.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return path


def replay_case(path: Path, checks: dict[str, Check]) -> Bout:
    """Replay a case and look at every decision; return the game at its end.

    Raises:
        AssertionError: the property still does not hold.
        ValueError: the file names an unknown property, or an action that is not legal any more.
    """
    case = json.loads(path.read_text(encoding="utf-8"))
    if case["check"] not in checks:
        raise ValueError(f"{path}: unknown property {case['check']!r}; known are {', '.join(checks)}")
    bout = Bout(case["options"], case["seed"])
    look = checks[case["check"]](bout)
    look()
    for text in case["actions"]:
        bout.act(bout.game.parse_action(bout.states, re.sub(r"\s+", " ", text)))
        look()
    return bout
