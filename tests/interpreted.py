"""Function calls in a subprocess that runs the kernels as plain Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def interpreted(module: str, function: str, *arguments: object) -> Any:
    """Call a function in a subprocess that compiles nothing, and return its result, which must be JSON data.

    Args:
        module: dotted name of the module.
        function: name of a function of the module.
        arguments: values whose `repr` is valid Python.
    """
    program = f"import json; from {module} import {function}; print(json.dumps({function}(*{arguments!r})))"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)
