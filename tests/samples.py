"""Sizes of the random samples in tests, set by the environment.

Continuous integration tries the same examples each time, few enough for its 50 minutes. `SACKARMIES_EXAMPLES=4` tries
four times as many, and those of Hypothesis are new at each run; it prints how to reproduce a failure, and the case is
written to `cases.FAILURES`. Samples in docs/trust.md are that large.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, Verbosity, settings

from sackarmies_env.core.jit import INTERPRETED

TIMES = float(os.environ.get("SACKARMIES_EXAMPLES", "0"))
PHASES = (Phase.explicit, Phase.generate, Phase.target, Phase.shrink)


def many(count: int) -> int:
    """Return `count`, or a multiple of it: for games, decisions and cases, and for what is required of their number."""
    return max(1, round(count * TIMES)) if TIMES else count


def examples(count: int, *, verbosity: Verbosity = Verbosity.normal) -> settings:
    """Return settings for `count` examples, or a multiple of them; a twentieth where kernels are interpreted."""
    return settings(
        max_examples=many(max(1, count // 20) if INTERPRETED else count),
        derandomize=not TIMES,
        database=None,
        deadline=None,
        phases=PHASES,
        verbosity=verbosity,
        print_blob=bool(TIMES),
        suppress_health_check=list(HealthCheck),
    )
