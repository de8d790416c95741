"""Kept regression cases; a planted fault is detected, shrunk to a few actions, and written as such a case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from sackarmies_env.games.sack_armies.rules import turn
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN
from tests.sack_armies.builders.configurations import Configuration, choices, configurations, seeds
from tests.sack_armies.properties import cases
from tests.sack_armies.properties.bout import Check
from tests.sack_armies.properties.cases import KEPT, ROOT, hold, replay_case
from tests.sack_armies.properties.copies import copies
from tests.sack_armies.properties.course import Turns, completions
from tests.sack_armies.properties.fog import alike, guesses, no_leaks
from tests.sack_armies.properties.invariants import each_legal_action, invariants
from tests.sack_armies.properties.rulings import rulings
from tests.samples import examples

CHECKS: dict[str, Check] = {
    "invariants": invariants,
    "each_legal_action": each_legal_action,
    "rulings": rulings,
    "copies": copies,
    "completions": completions,
    "turns": Turns(),
    "no_leaks": no_leaks,
    "alike": alike,
    "guesses": guesses,
}


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.json")), ids=lambda path: path.stem)
def test_kept_regression_cases_hold(path: Path):
    replay_case(path, CHECKS)


def test_a_case_of_an_unknown_property_is_refused(tmp_path: Path):
    path = tmp_path / "odd.json"
    path.write_text(json.dumps({"check": "odd"}))
    with pytest.raises(ValueError, match="unknown property 'odd'; known are invariants"):
        replay_case(path, CHECKS)


# --- a planted fault

sound_move = turn.move_unit


def faulty_move(params: Any, state: Any, unit: Any, cell: Any) -> None:
    """Move a unit, and make its first attachment lose its host."""
    sound_move(params, state, unit, cell)
    if state.token_first[unit] != NO_TOKEN:
        state.token_host[state.token_first[unit]] = NO_TOKEN


def find_the_planted_fault(folder: str) -> list[Any]:
    """Return the shrunk case of a planted fault, its notes, and the notes of replays with and without the fault."""

    @settings(examples(1), max_examples=40)
    @given(configuration=configurations(starts=("shelling",)), seed=seeds(), chosen=choices(16))
    def bouts(configuration: Configuration, seed: int, chosen: list[int]) -> None:
        hold("invariants", invariants, configuration, seed, chosen)

    path = Path(folder) / "invariants.json"
    with patch.object(cases, "FAILURES", Path(folder)), patch.object(turn, "move_unit", faulty_move):
        notes = notes_of(bouts)
        again = notes_of(lambda: replay_case(path, CHECKS))
    return [json.loads(path.read_text()), notes, again, notes_of(lambda: replay_case(path, CHECKS))]


def notes_of(run: Any) -> list[str]:
    """Return the message and the notes of the assertion that fails; an empty list if none does."""
    try:
        run()
    except AssertionError as error:
        return [str(error), *error.__notes__] if hasattr(error, "__notes__") else [str(error)]
    return []


@pytest.mark.slow
def test_a_planted_fault_is_shrunk_to_a_few_actions_and_kept(tmp_path: Path):
    program = (
        "import json; from tests.sack_armies.properties.test_kept import find_the_planted_fault; "
        f"print(json.dumps(find_the_planted_fault({str(tmp_path)!r})))"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    case, notes, again, mended = json.loads(done.stdout.strip().splitlines()[-1])
    assert len(case["actions"]) <= 5
    assert "move" in case["actions"]
    assert case["options"]["scenario"]["switches"] == {}
    assert "its host is -1" in case["fault"]
    assert f"actions: {', '.join(case['actions'])}" in "".join(notes)
    assert str(tmp_path / "invariants.json") in "".join(notes)
    assert again == [case["fault"]]
    assert mended == []
