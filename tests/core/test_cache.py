"""The compile cache: never stale, warm the second time, safe between processes, and robust to damaged files."""

import shutil
import subprocess
import sys

import pytest

from sackarmies_env.core import cache
from tests.core.toy_kernels import CALL, INNER, entries, finish, lay_out, start
from tests.samples import many

needs_fork = pytest.mark.skipif(sys.platform == "win32", reason="children are forked")

# Damages a cached file repeatedly; each time, a new child process calls the kernel, which may crash.
DAMAGE = """
import os, pathlib, random, signal, sys
from sackarmies_env.core.notice import NOTICE
from sackarmies_env.games.toy.outer import outer

folder = pathlib.Path(os.environ["SACKARMIES_CACHE_DIR"])
whole = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
kernels = [path for path in sorted(whole) if path.suffix == ".kernel"]
draw = random.Random(1)

def flipped(content):
    damaged = bytearray(content)
    damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
    return bytes(damaged)

def compiled_after(damage):
    for path, content in damage.items():
        path.write_bytes(content)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        is_right = outer(1) == 20 and outer(1.5) == 25.0
        os._exit(NOTICE.num_compiled if is_right else 99)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for path, content in whole.items():
        path.write_bytes(content)
    return code

def check(damage, expected, what):
    found = compiled_after(damage)
    if found != expected:
        sys.exit(f"{what}: {found} instead of {expected}")

check({}, 0, "nothing")
for path, content in sorted(whole.items()):
    expected = 2 if path in kernels else 0
    for number in range(int(sys.argv[1]) if content else 0):
        check({path: flipped(content)}, expected, f"flip {number} in {path.name}")
    for size in {0, 1, 31, 32, 33, len(content) // 2, len(content) - 1}:
        if 0 <= size < len(content):
            check({path: content[:size]}, expected, f"{size} bytes of {path.name}")
    check({path: content + b"x"}, expected, f"one byte more in {path.name}")
    check({path: os.urandom(1000)}, expected, f"noise in {path.name}")
first, second = kernels
check({first: whole[second], second: whole[first]}, 4, "swapped")
print(len(whole))
"""

# The compiling process continues only once enough others have reported that they are waiting for it.
RACE = """
import pathlib, time
from numba.core import event
from sackarmies_env.core import cache, notice
from sackarmies_env.games.toy.outer import outer

def wait_for(files, count):
    deadline = time.monotonic() + 600  # nobody stays behind for ever, should the test be killed
    while len(list(pathlib.Path().glob(files))) < count and time.monotonic() < deadline:
        time.sleep(0.01)

class Slowness(event.Listener):
    def __init__(self, waiting):
        self.waiting = waiting
    def on_start(self, event):
        print("compiling", flush=True)
        wait_for("waiting-*", self.waiting)
    def on_end(self, event):
        pass

def race(number, of, waiting=None):
    notice.DELAY, cache.DELAY = 0.0, 0.2
    tell = cache.note_once
    def say_and_tell(text):
        pathlib.Path(f"waiting-{number}").touch()
        tell(text)
    cache.note_once = say_and_tell
    event.register("numba:compile", Slowness(of - 1 if waiting is None else waiting))
    pathlib.Path(f"ready-{number}").touch()
    wait_for("ready-*", of)
    return outer(1), notice.NOTICE.num_compiled
"""
SHORT_PATIENCE = "from sackarmies_env.core import cache\ncache.DELAY = cache.PATIENCE = 0.1"
# Calls `outer` and prints the kernels compiled and whether numba has got ready to compile.
LOADED = """
import sys
from sackarmies_env.core.notice import NOTICE
from sackarmies_env.games.toy.outer import outer
assert outer("some words") == (100, hash("some words"))[{part}]
print(NOTICE.num_compiled, "numba.np.linalg" in sys.modules)
"""
# Hangs while compiling.
STOP = "import race\nrace.race(0, 1, waiting=1000)"


@pytest.fixture
def toy(tmp_path):
    lay_out(tmp_path)
    (tmp_path / "race.py").write_text(RACE)
    return tmp_path


@pytest.mark.slow
def test_edit_in_a_callee_takes_effect_and_an_unchanged_source_is_not_compiled_again(toy):
    assert finish(start(toy, "1")) == (["20", "2", "theirs"], "")
    assert finish(start(toy, "1")) == (["20", "0", "theirs"], "")
    (toy / "sackarmies_env/games/toy/inner.py").write_text(INNER.replace("x + 1", "x + 100"))
    assert finish(start(toy, "1"))[0] == ["1010", "2", "theirs"]
    (toy / "sackarmies_env/games/toy/inner.py").write_text(INNER)
    assert finish(start(toy, "1"))[0] == ["20", "0", "theirs"]


@pytest.mark.slow
@pytest.mark.parametrize(("part", "inner", "is_ready"), [(0, "return len(x)", "False"), (1, "return hash(x)", "True")])
def test_numba_gets_ready_to_compile_only_for_kernels_that_need_it(toy, part, inner, is_ready):
    (toy / "sackarmies_env/games/toy/inner.py").write_text(INNER.replace("return x + 1", inner))
    if part == 1:
        outer = toy / "sackarmies_env/games/toy/outer.py"
        outer.write_text(outer.read_text().replace("10 * inner(x)", "inner(x)"))
    program = LOADED.format(part=part)
    assert finish(start(toy, program=program))[0] == ["2", "True"]
    assert finish(start(toy, program=program)) == (["0", is_ready], "")


@pytest.mark.slow
def test_edit_in_one_game_does_not_compile_another_again(toy):
    shutil.copytree(toy / "sackarmies_env/games/toy", toy / "sackarmies_env/games/other")
    finish(start(toy, "1"))
    (toy / "sackarmies_env/games/other/inner.py").write_text(INNER.replace("x + 1", "x + 100"))
    assert finish(start(toy, "1")) == (["20", "0", "theirs"], "")
    (toy / "sackarmies_env/core/atomic_write.py").open("a").write("\n")
    assert finish(start(toy, "1")) == (["20", "2", "theirs"], "")


@pytest.mark.slow
def test_processes_that_compile_different_signatures_at_once_lose_nothing(toy):
    arguments = ["1", "1.5", "True", "2j"]
    for words, errors in [finish(process) for process in [start(toy, argument) for argument in arguments]]:
        assert words[1:] == ["2", "theirs"]
        assert errors == "" or errors.startswith("sackarmies-env: compiling toy.outer.outer (")  # on a busy machine
    assert finish(start(toy, *arguments))[0] == ["20", "25.0", "20", "(10+20j)", "0", "theirs"]


@pytest.mark.slow
def test_processes_that_start_at_once_compile_once_between_them(toy):
    program = "import sys, race\nprint(race.race(int(sys.argv[1]), 4))"
    ended = [finish(one) for one in [start(toy, str(number), program=program) for number in range(4)]]
    loaded = ["(20,", "0)"]
    assert sorted(words for words, _ in ended) == [loaded, loaded, loaded, ["compiling", "compiling", "(20,", "2)"]]
    for words, errors in ended:
        assert errors.count("\n") == 1
        assert ("waiting for it" in errors) == (words == loaded)


@pytest.mark.slow
def test_pool_of_processes_compiles_once_and_writes_nothing_to_stderr(toy):
    program = """
import multiprocessing, race
with multiprocessing.get_context("spawn").Pool(3) as pool:
    print(sorted(pool.starmap(race.race, [(number, 3) for number in range(3)], chunksize=1)))
"""
    words, errors = finish(start(toy, program=program))
    assert "".join(words) == "compilingcompiling[(20,0),(20,0),(20,2)]"
    assert errors == ""


@pytest.mark.slow
def test_lock_of_a_process_killed_while_compiling_is_released(toy):
    killed = start(toy, program=STOP)
    assert killed.stdout.readline() == "compiling\n"
    waiting = start(toy, "1")
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.communicate(timeout=3)
    killed.kill()
    killed.communicate()
    assert finish(waiting)[0] == ["20", "2", "theirs"]


@pytest.mark.slow
def test_process_compiles_itself_after_waiting_too_long(toy):
    stopped = start(toy, program=STOP)
    assert stopped.stdout.readline() == "compiling\n"
    words, errors = finish(start(toy, "1", program=f"{SHORT_PATIENCE}\n{CALL}"))
    stopped.kill()
    stopped.communicate()
    assert words == ["20", "2", "theirs"]
    assert "waiting for it" in errors


@pytest.mark.slow
def test_kernel_that_does_not_compile_leaves_no_lock(toy):
    program = """
from filelock import FileLock
from pathlib import Path
from sackarmies_env.core import cache
from sackarmies_env.games.toy.outer import outer
try:
    outer("text")
except Exception as error:
    print(type(error).__name__)
(lock,) = Path("cache").rglob("*.lock")
FileLock(lock).acquire(timeout=0)
"""
    assert finish(start(toy, program=program))[0] == ["TypingError"]


@pytest.mark.slow
def test_kernels_that_are_compiled_one_by_one_are_locked_one_by_one(toy):
    program = """
import sys
from sackarmies_env.core import linking
linking.TESTED_VERSIONS = ("none",)
import race
print(race.race(int(sys.argv[1]), 3))
"""
    ended = [finish(one)[0][-1] for one in [start(toy, str(number), program=program) for number in range(3)]]
    assert sorted(ended) == ["0)", "0)", "2)"]
    assert len(entries(toy)) == 2


@needs_fork
@pytest.mark.slow
def test_damaged_cache_files_are_compiled_again_and_crash_nothing(toy):
    finish(start(toy, "1", "1.5"))
    assert finish(start(toy, str(many(5)), program=DAMAGE), timeout=600) == (["5"], "")


@pytest.mark.slow
def test_damaged_entry_is_replaced_and_the_reason_is_reported(toy):
    finish(start(toy, "1"))
    (entry,) = entries(toy)
    entry.write_bytes(entry.read_bytes()[:50])
    program = CALL.replace("print", "from sackarmies_env.core import notice; notice.DELAY = 0.0\nprint", 1)
    words, errors = finish(start(toy, "1", program=program))
    assert words == ["20", "2", "theirs"]
    assert errors.startswith("sackarmies-env: compiling toy.outer.outer (its cache entry was damaged)")
    assert finish(start(toy, "1")) == (["20", "0", "theirs"], "")


@pytest.mark.slow
def test_notice_of_a_kernel_in_use_says_that_the_types_are_others(toy):
    finish(start(toy, "1"))
    program = CALL.replace("print", "from sackarmies_env.core import notice; notice.DELAY = 0.0\nprint", 1)
    words, errors = finish(start(toy, "1", "1.5", program=program))
    assert words == ["20", "25.0", "2", "theirs"]
    assert errors.startswith("sackarmies-env: compiling toy.outer.outer (for other types of arguments)")


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"no pickle", b"cno_such_module\nname\n.", b"N."])
def test_entry_that_is_whole_and_cannot_be_used_is_compiled_again(toy, content):
    finish(start(toy, "1"))
    (entry,) = entries(toy)
    entry.write_bytes(cache.seal(entry, content))
    assert finish(start(toy, "1")) == (["20", "2", "theirs"], "")
    assert finish(start(toy, "1")) == (["20", "0", "theirs"], "")


@pytest.mark.slow
def test_unwritable_cache_directory_is_replaced_by_a_temporary_one_with_a_note(toy):
    (toy / "file").write_text("")
    variables = {"SACKARMIES_CACHE_DIR": str(toy / "file/cache"), "TMPDIR": str(toy)}
    words, errors = finish(start(toy, "1", **variables))
    assert words == ["20", "2", "theirs"]
    assert errors.startswith(f"sackarmies-env: cannot keep compiled rules in {toy}/file/cache")
    assert errors.count("\n") == 1
    assert finish(start(toy, "1", **variables))[0] == ["20", "0", "theirs"]


@pytest.mark.slow
def test_cache_that_vanishes_while_in_use_costs_nothing_but_time(toy):
    vanish = "import shutil; from sackarmies_env.games.toy.outer import outer; shutil.rmtree(outer._cache.cache_path)"
    finish(start(toy, "1"))
    assert finish(start(toy, "1", program=CALL.replace("print", f"{vanish}\nprint", 1))) == (["20", "2", "theirs"], "")
    assert finish(start(toy, "1")) == (["20", "0", "theirs"], "")


@pytest.mark.slow
def test_flushed_kernel_is_compiled_again(toy):
    finish(start(toy, "1", "1.5"))
    assert len(entries(toy)) == 2
    finish(start(toy, program="from sackarmies_env.games.toy.outer import outer; outer._cache.flush()"))
    assert entries(toy) == []


def test_seal_binds_content_to_its_place(tmp_path):
    entry, other = tmp_path / "a/b/one.kernel", tmp_path / "a/b/two.kernel"
    sealed = cache.seal(entry, b"content")
    assert cache.unseal(entry, sealed) == b"content"
    assert cache.unseal(other, sealed) is None
    assert cache.unseal(tmp_path / "a/c/one.kernel", sealed) is None
    assert cache.unseal(entry, b"") is None
    moved = tmp_path / "elsewhere" / "a/b/one.kernel"  # the whole cache may be moved
    assert cache.unseal(moved, sealed) == b"content"
    assert cache.unseal(entry, cache.seal(entry, b"")) == b""
