"""Two small kernels in a separate package, next to copies of the modules that compile and cache them."""

import os
import shutil
import subprocess
import sys

from sackarmies_env.core import atomic_write, cache, cache_folder, jit, linking, messages, notice, pipeline

INNER = "from sackarmies_env.core.jit import njit\n\n@njit\ndef inner(x):\n    return x + 1\n"
OUTER = """
from sackarmies_env.core.jit import njit
from sackarmies_env.games.toy.inner import inner

@njit
def outer(x):
    return 10 * inner(x)
"""
CALL = """
import sys
import numba
from sackarmies_env.core import jit
from sackarmies_env.core.notice import NOTICE
from sackarmies_env.games.toy.outer import outer
print(*[outer(eval(text)) for text in sys.argv[1:]], NOTICE.num_compiled, numba.config.CACHE_DIR)
"""


def lay_out(folder):
    """Write the package into `folder`; one kernel calls the other across modules."""
    for name in ("", "core", "games", "games/toy"):
        package = folder / "sackarmies_env" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
    for module in (cache, cache_folder, atomic_write, jit, linking, notice, messages, pipeline):
        shutil.copy(module.__file__, folder / "sackarmies_env/core")
    (folder / "sackarmies_env/games/toy/inner.py").write_text(INNER)
    (folder / "sackarmies_env/games/toy/outer.py").write_text(OUTER)


def entries(toy):
    """Return the files of compiled kernels in the cache."""
    return sorted((toy / "cache").rglob("*.kernel"))


def start(toy, *arguments, program=CALL, **variables):
    """Start a process that calls `outer` on each argument and prints results, kernels compiled and numba's setting."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": str(toy), "SACKARMIES_CACHE_DIR": str(toy / "cache"), "NUMBA_CACHE_DIR": "theirs"}
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment | variables, cwd=toy, text=True, **pipes)


def finish(process, timeout=120):
    """Wait for a process; return the words of its stdout, and its stderr."""
    output, errors = process.communicate(timeout=timeout)
    assert process.returncode == 0, errors
    return output.split(), errors
