"""Style of the kernels: commands return nothing, no two are alike, and nothing depends on the order of an enum."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path

import numpy as np

from sackarmies_env import core
from sackarmies_env.core.bits import count_bits, has_bit
from sackarmies_env.games import sack_armies
from sackarmies_env.games.sack_armies.belief import rows
from sackarmies_env.games.sack_armies.state import constants
from sackarmies_env.games.sack_armies.state.constants import Decision

CORE, GAME = Path(core.__file__).parent, Path(sack_armies.__file__).parent
UNORDERED = {
    name
    for module in (constants, rows)
    for name, value in vars(module).items()
    if isinstance(value, type) and issubclass(value, IntEnum)
}
GROUPS = (
    constants.SETUP_DECISIONS,
    constants.ACTION_DECISIONS,
    constants.EFFECT_DECISIONS,
    constants.COMBAT_DECISIONS,
)
COMMANDS = ("run", "apply", "offer", "begin", "resolve", "finish", "ask")  # prefixes of functions that change the state


def kernels(*folders: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield (module name, function) for each compiled function in `folders`."""
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(it) for it in node.decorator_list):
                yield path.stem, node


def returns_value(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))


def test_what_changes_the_state_returns_nothing():
    commands = [(module, node) for module, node in kernels(GAME) if node.name.split("_")[0] in COMMANDS]
    assert len(commands) > 100
    assert [f"{module}.{node.name}" for module, node in commands if returns_value(node)] == []


def test_no_two_kernels_have_one_signature_or_one_body():
    found = [node for _, node in kernels(CORE, GAME)]
    assert len(found) > 500
    signatures = Counter(f"{node.name}({ast.unparse(node.args)})" for node in found)
    bodies = Counter("; ".join(map(ast.unparse, node.body[1:])) for node in found)
    assert [signature for signature, count in signatures.items() if count > 1] == []
    assert [body for body, count in bodies.items() if count > 1] == []


def test_each_decision_is_in_one_group():
    for decision in Decision:
        assert sum(bool(has_bit(group, np.int64(decision))) for group in GROUPS) == (decision != Decision.NONE)
    assert sum(int(count_bits(group)) for group in GROUPS) == len(Decision) - 1


def test_nothing_depends_on_the_order_of_an_enum():
    found, seen = [], 0
    for path in sorted(GAME.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare):
                names = {ast.unparse(side).split(".")[0] for side in (node.left, *node.comparators)}
                seen += not names.isdisjoint(UNORDERED)
                by_order = any(isinstance(how, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for how in node.ops)
                if by_order and not names.isdisjoint(UNORDERED):
                    found.append(f"{path.stem}: {ast.unparse(node)}")
    assert seen > 300
    assert found == []
