"""Imports between packages: they only point down, and only upper layers load heavy libraries."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from sackarmies_env.core.entries import GameEntry
from sackarmies_env.registry import entry_of

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (ROOT / "sackarmies_env", ROOT / "agents" / "sackarmies_agents", ROOT / "training" / "sackarmies_training")

# Parts of the project, and the parts whose modules each may import; a part may always import itself.
PARTS: dict[str, set[str]] = {
    "core": set(),
    "games": {"core"},
    "render": {"core", "games"},
    "testing": {"core", "games"},
    "envs": {"core", "render"},  # render inside functions only
    "registry": {"core", "games", "envs"},
    "public": {"core", "registry", "envs"},  # the package itself and its entry points
    "adapters": {"core", "registry", "public", "envs"},
    "agents": {"core", "registry", "public", "envs", "games", "render"},  # render inside functions only
    "training": {"core", "registry", "public", "envs", "games", "render", "agents"},
}
# Rooms of a game, from the bottom up: each may import itself and those before it. See docs/design.md.
ROOMS = (
    *("state", "rules", "switches", "tokens", "data", "observation", "play", "belief"),
    *("config", "scenario", "words", "game", "hooks"),
)
LIBRARIES: dict[str, set[str]] = {
    "core": {"numpy", "numba", "llvmlite", "pydantic", "pydantic_core", "filelock", "platformdirs"},
    "games": {"numpy", "numba", "pydantic", "tomli_w"},
    "render": {"numpy", "PIL", "imageio_ffmpeg"},
    "testing": {"numpy"},
    "envs": {"numpy", "gymnasium", "pettingzoo"},
    "registry": {"gymnasium", "pettingzoo"},
    "public": set(),
    "adapters": {"numpy", "gymnasium", "pufferlib", "pyspiel", "ray", "torch"},
    "agents": {"numpy", "gymnasium", "torch", "safetensors", "stable_baselines3", "sb3_contrib"},
}
TORCH = {"torch", "safetensors", "stable_baselines3", "sb3_contrib", "tensorboard"}


def part_of(module: str) -> str | None:
    """Return the part of the project that a module belongs to, or None if it is not ours."""
    names = module.split(".")
    if names[0] in {"sackarmies_agents", "sackarmies_training"}:
        return names[0].removeprefix("sackarmies_")
    if names[0] != "sackarmies_env":
        return None
    return names[1] if len(names) > 1 and names[1] in PARTS else "public"


def module_of(path: Path) -> str:
    folder = next(folder for folder in FOLDERS if path.is_relative_to(folder))
    return ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")


SOURCES = sorted(path for folder in FOLDERS for path in folder.rglob("*.py"))
MODULES = {module_of(path) for path in SOURCES}


@cache
def imports_of(path: Path) -> list[tuple[str, bool, int]]:
    """Return `(module, at the top, line)` of each import; imports only for type checkers do not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    in_functions = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            found += [(alias.name, node not in in_functions, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            assert node.names[0].name != "*", f"{path}:{node.lineno}: no star imports"
            longer = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in MODULES else str(node.module) for name in longer]
            found += [(name, node not in in_functions, node.lineno) for name in names]
    return found


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_point_down_between_layers(path):
    me = part_of(module_of(path))
    for module, _, line in imports_of(path):
        other = part_of(module)
        if other is not None and other != me:
            assert other in PARTS[me], f"{path}:{line}: {me} must not import {module}"


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_libraries_are_imported_only_where_allowed(path):
    me = part_of(module_of(path))
    for module, _, line in imports_of(path):
        library = module.split(".")[0]
        if part_of(module) is None and library not in sys.stdlib_module_names and me in LIBRARIES:
            assert library in LIBRARIES[me], f"{path}:{line}: {me} must not import {library}"
        if library in TORCH:
            learned = me in {"training", "adapters"} or "learned" in path.parts
            assert learned, f"{path}:{line}: {library} belongs to learned agents, to training and to adapters"


def test_environments_load_pictures_only_to_draw():
    for path in SOURCES:
        if part_of(module_of(path)) in {"envs", "agents"}:
            for module, at_the_top, line in imports_of(path):
                assert part_of(module) != "render" or not at_the_top, f"{path}:{line}: import render inside functions"


def room_of(module: str) -> str | None:
    """Return the room of a game's module: its folder, or the module itself if it is directly in the game's folder."""
    names = module.split(".")
    return names[3] if names[:2] == ["sackarmies_env", "games"] and len(names) > 3 else None


def test_rooms_of_a_game_import_downwards():
    for path in SOURCES:
        me = room_of(module_of(path))
        if me is None:
            continue
        assert me in ROOMS, f"{path}: {me} is not a room of a game; allowed are {', '.join(ROOMS)}"
        for module, _, line in imports_of(path):
            other = room_of(module)
            if other is not None:
                assert ROOMS.index(other) <= ROOMS.index(me), f"{path}:{line}: {me} must not import {module}"


def test_rules_need_the_state_alone():
    for path in SOURCES:
        if room_of(module_of(path)) == "rules":
            needed = {room_of(module) for module, _, _ in imports_of(path)}
            assert needed <= {None, "rules", "state"}, f"{path} needs {needed}"


def test_no_game_knows_another():
    for path in SOURCES:
        names = module_of(path).split(".")
        if names[1:2] == ["games"] and len(names) > 2:
            for module, _, line in imports_of(path):
                other = module.split(".")
                is_other = other[:2] == names[:2] and len(other) > 2 and other[2] != names[2]
                assert not is_other, f"{path}:{line}: games do not import each other"


GAMES = sorted(path.parent.name for path in (ROOT / "sackarmies_env" / "games").glob("*/__init__.py"))
GENERIC = {"render", "testing", "envs", "agents", "training"}  # parts that reach games only through the registry


def game_of(module: str) -> str | None:
    """Return the game that a module belongs to by name or folder, such as `render.sack_armies.words`, or None."""
    names = module.split(".")
    return next((game for game in GAMES for name in names if name == game or name.startswith(f"{game}_")), None)


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_only_a_games_own_modules_import_its_rules(path):
    me = module_of(path)
    for module, _, line in imports_of(path):
        is_entry_point = me == "sackarmies_env" and module.endswith("_v0")
        other = game_of(module)
        assert other in {None, game_of(me)} or is_entry_point, f"{path}:{line}: {me} must not import {module}"


@pytest.mark.parametrize("path", [path for path in SOURCES if part_of(module_of(path)) in GENERIC], ids=module_of)
def test_generic_modules_name_no_game(path):
    """The registry lists the games; elsewhere, only a game's own modules contain its name in strings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            named = [game for game in GAMES if game in node.value.lower().replace(" ", "_")]
            assert not named or game_of(module_of(path)) in named, f"{path}:{node.lineno}: {node.value!r} names {named}"


def test_modules_that_belong_to_a_game_are_found():
    assert "sack_armies" in GAMES
    assert game_of("sackarmies_env.render.sack_armies.words") == "sack_armies"
    assert game_of("sackarmies_agents.scripted.sack_armies.agent") == "sack_armies"
    assert game_of("sackarmies_env.render.picture") is None


RENDER = [path for path in SOURCES if part_of(module_of(path)) == "render"]
SHARED = [path for path in RENDER if game_of(module_of(path)) is None]


def test_pictures_of_a_game_are_in_its_folder():
    for path in RENDER:
        game = game_of(module_of(path))
        assert path.parent.name == (game or "render"), f"{path}: move it to render/{game or ''}"


@pytest.mark.parametrize("path", SHARED, ids=module_of)
def test_shared_pictures_call_no_players_by_a_games_word(path):
    """What players of a game are called is its hook; only its own folder contains the word."""
    nouns = {entry_of(game).player_noun for game in GAMES} - {GameEntry.player_noun}
    assert "General" in nouns
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        assert not any(re.search(rf"\b{noun}s?\b", line) for noun in nouns), f"{path}:{number}: {line}"


@pytest.mark.parametrize("path", RENDER, ids=module_of)
def test_pictures_import_each_other_at_the_top(path):
    """So it is seen where two modules need each other: what both need is then a module of its own."""
    for module, at_the_top, line in imports_of(path):
        assert at_the_top or part_of(module) is None, f"{path}:{line}: import {module} at the top"


def test_there_are_no_cycles():
    graph = {module_of(path): {module for module, at_the_top, _ in imports_of(path) if at_the_top} for path in SOURCES}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " imports ".join((*trail[trail.index(module) :], module))
        if module in done:
            return
        for other in sorted(graph[module] & graph.keys()):
            visit(other, (*trail, module))
        done.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize("path", [path for path in SOURCES if path.name == "__init__.py"], ids=module_of)
def test_package_init_files_only_reexport(path):
    """An `__init__.py` defines nothing; the top one also registers environments with Gymnasium and PettingZoo."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_name = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("__")
        is_registration = path == FOLDERS[0] / "__init__.py" and ast.unparse(node) == "register_environments()"
        is_import = isinstance(node, ast.Import | ast.ImportFrom)
        assert is_text or is_name or is_import or is_registration, f"{path}:{node.lineno}: {ast.unparse(node)}"


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_plain_use_loads_nothing_heavy():
    heavy = {"torch", "stable_baselines3", "matplotlib", "PIL", "tensorboard", "pandas", "scipy"}
    code = "import sys, sackarmies_env; sackarmies_env.make; print(' '.join(sys.modules))"
    assert not heavy & set(run(code).split())


def test_making_an_environment_loads_nothing_heavy():
    heavy = {"torch", "stable_baselines3", "matplotlib", "PIL", "tensorboard", "sackarmies_env.render"}
    code = "import sys, sackarmies_env; sackarmies_env.raw_env(); print(' '.join(sys.modules))"
    assert not heavy & set(run(code).split())


def test_importing_compiles_nothing():
    code = (
        "import sackarmies_env.games.sack_armies, sackarmies_env.envs.vector_env, sackarmies_env.envs.aec\n"
        "from sackarmies_env.core.notice import NOTICE\n"
        "print(NOTICE.num_compiled)"
    )
    assert run(code).strip() == "0"


def test_the_package_exports_what_it_says():
    import sackarmies_env

    for name in sackarmies_env.__all__:
        assert hasattr(sackarmies_env, name)
