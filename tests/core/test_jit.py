"""The compile cache: never stale, warm the second time, safe among processes, silent unless something is compiled."""

import io
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sackarmies_env.core import jit, linking

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
from sackarmies_env.games.toy.outer import outer
print(*[outer(eval(text)) for text in sys.argv[1:]], jit.NOTICE.num_compiled, numba.config.CACHE_DIR)
"""


@pytest.fixture
def toy(tmp_path):
    """A copy of jit.py in a package with two kernels, one calling the other from another module."""
    for name, text in {"core": "", "games": "", "games/toy": ""}.items():
        folder = tmp_path / "sackarmies_env" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(text)
    (tmp_path / "sackarmies_env/__init__.py").write_text("")
    for module in (jit, linking):
        shutil.copy(module.__file__, tmp_path / "sackarmies_env/core")
    (tmp_path / "sackarmies_env/games/toy/inner.py").write_text(INNER)
    (tmp_path / "sackarmies_env/games/toy/outer.py").write_text(OUTER)
    return tmp_path


def start(toy, *arguments, program=CALL, **variables):
    """Start a process that calls `outer` on each argument, prints results, kernels compiled, numba's setting."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": str(toy), "SACKARMIES_CACHE_DIR": str(toy / "cache"), "NUMBA_CACHE_DIR": "theirs"}
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment | variables, cwd=toy, text=True, **pipes)


def finish(process):
    """Return a process's words on stdout, and its stderr."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output.split(), errors


@pytest.mark.slow
def test_edit_in_a_callee_takes_effect_and_an_unchanged_source_is_not_compiled_again(toy):
    assert finish(start(toy, "1")) == (["20", "2", "theirs"], "")
    assert finish(start(toy, "1")) == (["20", "0", "theirs"], "")
    (toy / "sackarmies_env/games/toy/inner.py").write_text(INNER.replace("x + 1", "x + 100"))
    assert finish(start(toy, "1"))[0] == ["1010", "2", "theirs"]
    (toy / "sackarmies_env/games/toy/inner.py").write_text(INNER)
    assert finish(start(toy, "1"))[0] == ["20", "0", "theirs"]


@pytest.mark.slow
def test_processes_that_compile_different_signatures_at_once_lose_nothing(toy):
    arguments = ["1", "1.5", "True", "2j"]
    for words, errors in [finish(process) for process in [start(toy, argument) for argument in arguments]]:
        assert words[1:] == ["2", "theirs"]
        assert errors == "" or errors.startswith("sackarmies-env: compiling the rules")  # told on a busy machine
    assert finish(start(toy, *arguments))[0] == ["20", "25.0", "20", "(10+20j)", "0", "theirs"]


@pytest.mark.slow
def test_damaged_cache_files_are_compiled_again(toy):
    finish(start(toy, "1"))
    for path in (toy / "cache").rglob("*.nb*"):
        path.write_bytes(path.read_bytes()[:50])
    assert finish(start(toy, "1")) == (["20", "2", "theirs"], "")
    assert finish(start(toy, "1")) == (["20", "0", "theirs"], "")


@pytest.mark.slow
def test_cache_directory_that_cannot_be_written_gives_way_to_a_temporary_one_with_a_note(toy):
    (toy / "file").write_text("")
    variables = {"SACKARMIES_CACHE_DIR": str(toy / "file/cache"), "TMPDIR": str(toy)}
    words, errors = finish(start(toy, "1", **variables))
    assert words == ["20", "2", "theirs"]
    assert errors.startswith(f"sackarmies-env: cannot keep compiled rules in {toy}/file/cache")
    assert errors.count("\n") == 1
    assert finish(start(toy, "1", **variables))[0] == ["20", "0", "theirs"]


@pytest.mark.slow
def test_cache_that_vanishes_while_in_use_costs_nothing_but_time(toy):
    program = CALL.replace("print", "import shutil; shutil.rmtree(jit.cache_directory())\nprint", 1)
    finish(start(toy, "1"))
    assert finish(start(toy, "1", program=program)) == (["20", "2", "theirs"], "")
    assert finish(start(toy, "1")) == (["20", "0", "theirs"], "")


def test_interpreted_kernels_are_plain_functions_and_wrap_without_a_warning(toy):
    program = """
import numpy as np
from sackarmies_env.core.jit import INTERPRETED, njit, wrapping_arithmetic
@njit
@wrapping_arithmetic
def triple(x):
    return x * np.uint64(3)
print(INTERPRETED, type(triple).__name__, triple(np.uint64(2**63)))
"""
    words, errors = finish(start(toy, program=program, NUMBA_DISABLE_JIT="1"))
    assert words == ["True", "function", str(2**63)]
    assert errors == ""


def test_digest_changes_with_each_source_its_name_and_the_compiler_but_not_with_data(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("a = 1\n")
    seen = [jit.source_digest([tmp_path])]
    (tmp_path / "tokens.toml").write_text("rank = 1\n")
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert jit.source_digest([tmp_path]) == seen[0]

    (tmp_path / "a.py").write_text("a = 2\n")
    seen.append(jit.source_digest([tmp_path]))
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    seen.append(jit.source_digest([tmp_path]))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/c.py").write_text("")
    seen.append(jit.source_digest([tmp_path]))
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "2")
    seen.append(jit.source_digest([tmp_path]))
    monkeypatch.setattr(jit.numba, "__version__", "0.0")
    seen.append(jit.source_digest([tmp_path]))
    assert len(set(seen)) == len(seen)


def test_pruning_keeps_the_newest_what_was_just_used_and_what_is_not_its_own(tmp_path):
    names = [f"{age:024d}" for age in range(jit.KEPT_DIGESTS + 4)]
    ages = [0.0] * (jit.KEPT_DIGESTS + 1) + [0.5, 1.5, 9.0]  # in units of PRUNE_AGE
    for name, age in [*zip(names, ages, strict=True), ("somebody else's", 99.0)]:
        (tmp_path / name).mkdir()
        last_used = time.time() - age * jit.PRUNE_AGE
        os.utime(tmp_path / name, (last_used, last_used))
    jit.prune(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [*names[:-2], "somebody else's"]


def test_pruning_leaves_old_directories_while_they_are_few(tmp_path):
    for age in range(jit.KEPT_DIGESTS):
        (tmp_path / f"{age:024d}").mkdir()
        os.utime(tmp_path / f"{age:024d}", (age, age))
    jit.prune(tmp_path)
    assert len(list(tmp_path.iterdir())) == jit.KEPT_DIGESTS


@pytest.mark.skipif(sys.platform == "win32", reason="temporary folders are private there")
def test_temporary_directory_that_others_can_write_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(jit.tempfile, "tempdir", str(tmp_path))
    private = jit._private_temporary_directory()
    assert private == tmp_path / f"sackarmies-env-{os.getuid()}"
    assert private.stat().st_mode & 0o777 == 0o700
    private.chmod(0o777)
    assert jit._private_temporary_directory() != private


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"SACKARMIES_CACHE_DIR": "/chosen", "XDG_CACHE_HOME": "/xdg"}, "/chosen"),
        ({"XDG_CACHE_HOME": "/xdg"}, "/xdg/sackarmies-env"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/sackarmies-env"),
        ({}, "/home/me/.cache/sackarmies-env"),
    ],
)
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the rules of XDG")
def test_base_directory_follows_the_users_choice_then_the_platform(variables, expected, monkeypatch):
    for name in ("SACKARMIES_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **variables}.items():
        monkeypatch.setenv(name, value)
    assert jit._base_directory() == Path(expected)


class Terminal(io.StringIO):
    """A stderr that is a terminal or not."""

    def __init__(self, is_terminal):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal


def compile_for(seconds, notice):
    """Tell `notice` what the compiler tells when an entry point that calls one kernel is compiled."""
    ours = SimpleNamespace(data={"dispatcher": SimpleNamespace(_cache=object.__new__(jit.SharedCache))})
    notice.on_start(ours)
    notice.on_start(ours)
    notice.on_end(ours)
    time.sleep(seconds)
    notice.on_end(ours)


def test_notice_is_one_line_where_stderr_is_not_a_terminal(monkeypatch):
    monkeypatch.setattr(jit, "NOTICE_DELAY", 0.05)
    monkeypatch.setattr(sys, "stderr", Terminal(False))
    notice = jit.CompileNotice()
    compile_for(0.2, notice)
    compile_for(0.2, notice)
    assert sys.stderr.getvalue() == (
        "sackarmies-env: compiling the rules for this machine, once; this takes about a minute ...\n"
    )
    assert notice.num_compiled == 4


def test_notice_counts_on_a_terminal_and_leaves_a_clean_line(monkeypatch):
    monkeypatch.setattr(jit, "NOTICE_DELAY", 0.05)
    monkeypatch.setattr(sys, "stderr", Terminal(True))
    notice = jit.CompileNotice()
    notice.num_kernels = 7
    compile_for(0.4, notice)
    assert "\rCompiling the rules for this machine, once: 1 of 7 functions, 0 s " in sys.stderr.getvalue()
    assert sys.stderr.getvalue().endswith("\r\033[K")


def test_notice_is_silent_for_short_compilations_and_for_other_peoples_kernels(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal(False))
    notice = jit.CompileNotice()
    compile_for(0.01, notice)
    monkeypatch.setattr(jit, "NOTICE_DELAY", 0.0)
    theirs = SimpleNamespace(data={"dispatcher": SimpleNamespace(_cache=None)})
    notice.on_start(theirs)
    time.sleep(0.05)
    notice.on_end(theirs)
    assert sys.stderr.getvalue() == ""
    assert notice.num_compiled == 2


def test_wrapping_arithmetic_wraps():
    product = jit.wrapping_arithmetic(lambda x: x * np.uint64(3))
    with np.errstate(over="warn" if jit.INTERPRETED else "ignore"):
        assert product(np.uint64(2**63)) == 2**63


def test_inlined_kernels_do_what_they_say():
    @jit.njit(inlined=True)
    def double(x):
        return x + x

    @jit.njit
    def quadruple(x):
        return double(double(x))

    assert quadruple(3) == 12
    assert jit.INTERPRETED or double.targetoptions["forceinline"]
