"""The folder of the compile cache: each relevant change leads to a new one; foreign folders are left alone."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

import sackarmies_agents
import sackarmies_training
from sackarmies_env.core import cache_folder
from sackarmies_env.core.cache_folder import FIRST_USE, KEPT_FOLDERS, MARKER, PRUNE_AGE, open_folder, prune

BUILD = {"owner": "toy", "rules": "a", "Python": "3.11.9", "numba": "0.68.1", "processor": ["x86_64"], "settings": {}}


def make_folder(base, name, age=0.0, marker=True):
    """Make a folder that was last used `age` seconds ago."""
    folder = base / name
    folder.mkdir()
    (folder / "content").write_text("")
    if marker:
        (folder / MARKER).write_text("{}")
    last_used = time.time() - age
    os.utime(folder, (last_used, last_used))
    return folder


def test_digest_changes_with_each_source_and_its_name_but_not_with_data(tmp_path):
    (tmp_path / "a.py").write_text("a = 1\n")
    seen = [cache_folder.source_digest([tmp_path])]
    (tmp_path / "tokens.toml").write_text("rank = 1\n")
    assert cache_folder.source_digest([tmp_path]) == seen[0]

    (tmp_path / "a.py").write_text("a = 2\n")
    seen.append(cache_folder.source_digest([tmp_path]))
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    seen.append(cache_folder.source_digest([tmp_path]))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/c.py").write_text("")
    seen.append(cache_folder.source_digest([tmp_path]))
    assert len(set(seen)) == len(seen)


def test_folder_changes_with_the_compiler_and_its_settings(tmp_path, monkeypatch):
    sources = cache_folder.Sources("toy", (tmp_path / "toy",))
    (tmp_path / "toy").mkdir()

    def path():
        return open_folder(tmp_path, cache_folder.build_identity(sources)).path

    seen = [path()]
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert path() == seen[0]
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "2")
    seen.append(path())
    for module, version in (("numba", "0.0"), ("llvmlite", "0.0"), ("np", "0.0")):
        monkeypatch.setattr(getattr(cache_folder, module), "__version__", version)
        seen.append(path())
    monkeypatch.setattr(cache_folder.platform, "machine", lambda: "another")
    seen.append(path())
    (tmp_path / "toy/rules.py").write_text("")
    seen.append(path())
    assert len(set(seen)) == len(seen) == 7


def test_kernels_depend_on_core_and_on_the_game_or_package_they_belong_to():
    core, games = cache_folder.CORE, cache_folder.GAMES
    assert cache_folder.sources_of(core / "legal.py") == ("core", (core,))
    assert cache_folder.sources_of(games / "chess/rules/moves.py") == ("chess", (core, games / "chess"))
    agents = Path(sackarmies_agents.__file__)
    assert cache_folder.sources_of(agents) == ("sackarmies_agents", (core, games, agents.parent))


def test_kernels_depend_on_the_packages_of_the_project_that_they_import():
    core, games = cache_folder.CORE, cache_folder.GAMES
    agents, training = Path(sackarmies_agents.__file__).parent, Path(sackarmies_training.__file__).parent
    here = Path(__file__)
    assert cache_folder.sources_of(training / "stats/luck.py") == (
        "sackarmies_training",
        (core, games, training, agents),
    )
    assert cache_folder.sources_of(here) == ("test_cache_folder", (core, games, here, agents, training))


def test_packages_that_are_not_installed_are_no_sources(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from sackarmies_env.core import jit\nfrom sackarmies_missing import kernel\n")
    assert cache_folder.sources_of(script).roots[2:] == (script,)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rules": "b"}, "first use since the rules changed"),
        ({"numba": "0.69.0"}, "first use with numba 0.69.0, after 0.68.1"),
        ({"Python": "3.12.1"}, "first use with Python 3.12.1, after 3.11.9"),
        ({"processor": ["arm64"]}, "first use on this processor"),
        ({"settings": {"NUMBA_OPT": "1"}}, "first use with these NUMBA_ settings"),
        ({"rules": "b", "numba": "0.69.0"}, "first use since the rules changed, with numba 0.69.0, after 0.68.1"),
    ],
)
def test_reason_says_what_differs_from_the_build_used_last(tmp_path, change, reason):
    assert open_folder(tmp_path, BUILD).reason == FIRST_USE
    assert open_folder(tmp_path, {**BUILD, **change}).reason == reason
    assert open_folder(tmp_path, {**BUILD, **change}).reason == reason  # the next process still says so
    assert open_folder(tmp_path, BUILD).reason == FIRST_USE
    assert open_folder(tmp_path, {**BUILD, "owner": "other"} | change).reason == FIRST_USE


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"identity": 1}', b"\xff\xfe", b"[" * 100_000])
def test_damaged_marker_is_written_again(tmp_path, content):
    folder = open_folder(tmp_path, BUILD).path
    whole = json.loads((folder / MARKER).read_bytes())
    (folder / MARKER).write_bytes(content)
    assert open_folder(tmp_path, {**BUILD, "rules": "b"}).reason == FIRST_USE  # the damaged marker gives no reason
    (folder / MARKER).write_bytes(content)
    assert open_folder(tmp_path, BUILD).path == folder
    assert json.loads((folder / MARKER).read_bytes())["identity"] == whole["identity"]


def test_reason_with_control_characters_is_not_printed(tmp_path):
    folder = open_folder(tmp_path, BUILD).path
    (folder / MARKER).write_text(json.dumps({"identity": BUILD, "reason": "\033[31m"}))
    assert open_folder(tmp_path, BUILD).reason == FIRST_USE


def test_pruning_keeps_the_newest_and_what_was_just_used(tmp_path):
    ages = [0.0] * (KEPT_FOLDERS + 1) + [0.5, 1.5, 9.0]  # in units of PRUNE_AGE
    names = [f"{number:024x}" for number in range(len(ages))]
    for name, age in zip(names, ages, strict=True):
        make_folder(tmp_path, name, age * PRUNE_AGE)
    prune(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == names[:-2]


def test_pruning_leaves_old_folders_while_they_are_few(tmp_path):
    for number in range(KEPT_FOLDERS):
        make_folder(tmp_path, f"{number:024x}", age=99 * PRUNE_AGE)
    prune(tmp_path)
    assert len(list(tmp_path.iterdir())) == KEPT_FOLDERS


def test_pruning_removes_nothing_that_is_not_its_own(tmp_path):
    for number in range(KEPT_FOLDERS):
        make_folder(tmp_path, f"{number:024x}")
    old = 99 * PRUNE_AGE
    foreign = [
        make_folder(tmp_path, "holiday-pictures-of-2024", age=old),  # a name as long as ours
        make_folder(tmp_path, "zzzzzzzzzzzzzzzzzzzzzzzz", age=old),
        make_folder(tmp_path, "ABCDEFABCDEFABCDEFABCDEF", age=old),
        make_folder(tmp_path, "a" * 23, age=old),
        make_folder(tmp_path, "a" * 25, age=old),
        make_folder(tmp_path, "b" * 24, age=old, marker=False),
    ]
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    linked = make_folder(elsewhere, "c" * 24, age=old)
    (tmp_path / ("c" * 24)).symlink_to(linked, target_is_directory=True)
    (tmp_path / ("d" * 24)).write_text("")
    prune(tmp_path)
    for path in [*foreign, linked]:
        assert (path / "content").exists()
    assert (tmp_path / ("c" * 24)).is_symlink()
    assert (tmp_path / ("d" * 24)).exists()
    make_folder(tmp_path, "e" * 24, age=old)
    prune(tmp_path)
    assert not (tmp_path / ("e" * 24)).exists()  # one of ours is pruned, so the check above is not vacuous


def test_new_folder_prunes_old_ones_and_has_a_marker(tmp_path):
    for number in range(KEPT_FOLDERS):
        make_folder(tmp_path, f"{number:024x}")
    old = make_folder(tmp_path, "e" * 24, age=9 * PRUNE_AGE)
    folder = open_folder(tmp_path, BUILD).path
    assert not old.exists()
    assert (folder / MARKER).is_file()
    assert cache_folder.FOLDER_NAME.fullmatch(folder.name)


@pytest.mark.skipif(sys.platform == "win32", reason="temporary folders are private there")
def test_temporary_directory_that_others_can_write_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_folder.tempfile, "tempdir", str(tmp_path))
    private = cache_folder.private_temporary_directory()
    assert private == tmp_path / f"sackarmies-env-{os.getuid()}"
    assert private.stat().st_mode & 0o777 == 0o700
    private.chmod(0o777)
    assert cache_folder.private_temporary_directory() != private


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
    assert cache_folder.base_directory() == Path(expected)
