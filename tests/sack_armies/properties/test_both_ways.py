"""Compiled and interpreted kernels: the same bytes in random configurations."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from tests.sack_armies.builders.configurations import GENERALS, STARTS, Configuration
from tests.sack_armies.builders.random_tokens import random_switches
from tests.sack_armies.builders.twin_worlds import guess, received, warlike
from tests.sack_armies.properties.bout import Bout
from tests.sack_armies.properties.cases import ROOT
from tests.samples import many

SHELLING_GENERALS = 2
SAMPLE = many(5)
PLIES = 12


def configuration(number: int) -> Configuration:
    """Return a different configuration for each number."""
    start = STARTS[number % len(STARTS)]
    generals = SHELLING_GENERALS if start == "shelling" else GENERALS[number % len(GENERALS)]
    return Configuration(start, generals, random_switches(np.random.default_rng(number)), number)


def trace(number: int) -> str:
    """Return a digest of one game: its states, what Generals receive, and samples, decision by decision."""
    bout, rng, digest = Bout(configuration(number).options(), number), np.random.default_rng(number), hashlib.sha256()
    for ply in range(PLIES):
        digest.update(bout.states.tobytes())
        if bout.player < 0:
            break
        viewer = ply % bout.game.num_players
        digest.update(received(bout.game, bout.states, viewer))
        digest.update(guess(bout.game, bout.states, viewer, ply).tobytes())
        bout.act(warlike(bout.game, bout.states, rng))
    return digest.hexdigest()


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="one of the two sides must be compiled")
def test_random_configurations_have_the_same_bytes_both_ways():
    program = (
        "import json; from tests.sack_armies.properties.test_both_ways import SAMPLE, trace; "
        "print(json.dumps([trace(number) for number in range(SAMPLE)]))"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    interpreted = json.loads(done.stdout.strip().splitlines()[-1])
    assert [trace(number) for number in range(SAMPLE)] == interpreted
    assert len(set(interpreted)) == SAMPLE
