"""The structure of a game's folder in figures: `python -m benchmarks.structure [FOLDER]`.

Rooms are the subfolders and single modules directly in the folder. Floors are the modules, or rooms, on the longest
chain of imports. Arrows are pairs in which one imports the other.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

GAME = Path(__file__).resolve().parents[1] / "sackarmies_env" / "games" / "sack_armies"


def module_of(path: Path, folder: Path) -> str:
    """Return the name of a module relative to the folder, such as "rules.turn"."""
    return ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path: Path, prefix: str, modules: set[str]) -> set[str]:
    """Return the modules of the folder that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{prefix}."):
            base = str(node.module)[len(prefix) + 1 :]
            found |= {name if (name := f"{base}.{one.name}".strip(".")) in modules else base for one in node.names}
    return found & modules


def floors(arrows: Iterable[tuple[str, str]]) -> int:
    """Return the length of the longest chain of arrows, in names, 1 without any; arrows must not form a cycle."""
    below: dict[str, set[str]] = {}
    for upper, lower in arrows:
        below.setdefault(upper, set()).add(lower)

    @cache
    def height(name: str) -> int:
        return 1 + max((height(other) for other in below.get(name, ())), default=0)

    return max(map(height, below), default=1)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=GAME, metavar="FOLDER", help="of a game")
    folder = parser.parse_args().folder.resolve()
    prefix = "sackarmies_env.games." + folder.name
    paths = {module_of(path, folder): path for path in sorted(folder.rglob("*.py")) if path.stem != "__init__"}
    if not paths:
        parser.error(f"{folder}: there are no Python modules in this folder: give the folder of a game")
    arrows = {(name, other) for name, path in paths.items() for other in imports_of(path, prefix, set(paths))}
    between = {(one.split(".")[0], other.split(".")[0]) for one, other in arrows}
    between = {(one, other) for one, other in between if one != other}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    lines = {name: len(text.splitlines()) for name, text in texts.items()}
    rooms: dict[str, list[str]] = {}
    for name in paths:
        rooms.setdefault(name.split(".")[0], []).append(name)
    for room, names in rooms.items():
        print(f"{room}: {len(names)} modules, {sum(lines[name] for name in names)} lines")
    print(f"{len(paths)} modules in {len(rooms)} rooms, {sum(lines.values())} lines")
    print(
        f"modules: {floors(arrows)} floors, {len(arrows)} arrows; "
        f"rooms: {floors(between)} floors, {len(between)} arrows"
    )
    print("longest:", ", ".join(f"{name} {lines[name]}" for name in sorted(lines, key=lambda one: -lines[one])[:5]))
    print(f"casts np.int64(...): {sum(len(re.findall(r'np[.]int64[(]', text)) for text in texts.values())}")


if __name__ == "__main__":
    main()
