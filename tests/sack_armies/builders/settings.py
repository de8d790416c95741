"""Number of examples in the property tests, set by the environment.

Continuous integration tries the same examples each time. `SACKARMIES_EXAMPLES=20` tries twenty times as many,
new ones at each run; hypothesis prints how to reproduce a failure, and the case is written to `cases.FAILURES`.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, Verbosity, settings

from sackarmies_env.core.jit import INTERPRETED

TIMES = float(os.environ.get("SACKARMIES_EXAMPLES", "0"))
PHASES = (Phase.explicit, Phase.generate, Phase.target, Phase.shrink)


def examples(count: int, *, verbosity: Verbosity = Verbosity.normal) -> settings:
    """Return settings for `count` examples, or a multiple of them; a twentieth where kernels are interpreted."""
    wanted = max(1, count // 20) if INTERPRETED else count
    return settings(
        max_examples=max(1, int(wanted * TIMES)) if TIMES else wanted,
        derandomize=not TIMES,
        database=None,
        deadline=None,
        phases=PHASES,
        verbosity=verbosity,
        print_blob=bool(TIMES),
        suppress_health_check=list(HealthCheck),
    )
