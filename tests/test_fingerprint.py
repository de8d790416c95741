"""Comparison with kept digests of behavior: run `python -m tests.fingerprint --write` after a change of rules."""

from __future__ import annotations

import json

import pytest

from sackarmies_env.core.jit import INTERPRETED
from tests import fingerprint


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="takes a quarter of an hour interpreted")
def test_games_are_the_same_as_before():
    assert dict(fingerprint.lines()) == json.loads(fingerprint.KEPT.read_text(encoding="utf-8"))


@pytest.mark.skipif(INTERPRETED, reason="takes minutes interpreted")
def test_games_of_territories_are_the_same_as_before():
    kept = json.loads(fingerprint.KEPT.read_text(encoding="utf-8"))
    found = dict(fingerprint.territories_lines(brief=True))
    assert found == {name: kept[name] for name in found}


def test_every_scenario_has_a_kept_count():
    kept = json.loads(fingerprint.KEPT.read_text(encoding="utf-8"))
    counted = {name.removeprefix(f"perft {fingerprint.DEPTH} of ") for name in kept if name.startswith("perft")}
    assert counted == {path.stem for path in fingerprint.SCENARIOS}
