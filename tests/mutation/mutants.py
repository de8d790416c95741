"""Mutants of rule functions: small faults, inserted one at a time into the syntax tree of a function."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
PREDICATES = ("is_", "has_", "can_", "may_")  # prefixes of functions that return a truth value
SYMMETRIC = (
    "distance",
    "summed",
    "combined",
    "abs",
    "below",
)  # functions for which the order of arguments does not matter
RECORDS = ("params", "state")  # never swapped with other arguments: that could only crash
TRUE, FALSE = ast.Constant(True), ast.Constant(False)

Rule = Callable[..., Any]
Kept = tuple[str, str, str, str]


@dataclass(frozen=True)
class Mutant:
    """One fault in one function.

    Attributes:
        module: dotted name.
        function: name, at the top level of the module.
        line: line of the fault in the file.
        source: the text of that line.
        change: the original code and its replacement.
        lines: first and last line of the statement, without nested ones: a test that runs none of them cannot notice.
        branches: for a condition or a loop, the first lines of the statements that it controls.
        code: the faulty function, compiled.
    """

    module: str
    function: str
    line: int
    source: str
    change: str
    lines: tuple[int, int]
    branches: tuple[int, ...]
    code: CodeType = field(repr=False, compare=False)

    @property
    def key(self) -> Kept:
        """The name of the fault, which survives other changes in its file: module, function, source, change."""
        return self.module, self.function, self.source, self.change

    def __str__(self) -> str:
        return f"{self.module.replace('.', '/')}.py:{self.line} {self.function}: {self.change}"


@dataclass(frozen=True)
class Edit:
    """A replacement of one node: `parent.field` or, in a list, `parent.field[index]`."""

    parent: ast.AST
    name: str
    index: int | None
    old: ast.AST
    new: ast.AST
    statement: ast.stmt
    is_deletion: bool = False

    @property
    def change(self) -> str:
        """The edit in words; a number or an attribute is shown within its surrounding expression."""
        is_small = isinstance(self.old, (ast.Constant, ast.Attribute)) and isinstance(self.parent, ast.expr)
        shown = self.parent if is_small else self.old
        old = text_of(shown)
        if self.is_deletion:
            return f"without {old}"
        if not is_small:
            return f"{old}  ->  {text_of(self.new)}"
        self.put(self.new)
        new = text_of(shown)
        self.put(self.old)
        return f"{old}  ->  {new}"

    def put(self, node: ast.AST) -> None:
        """Write `node` to the place of the edit."""
        if self.index is None:
            setattr(self.parent, self.name, node)
        else:
            getattr(self.parent, self.name)[self.index] = node


def text_of(node: ast.AST) -> str:
    """Return the source of a node on one line."""
    return " ".join(ast.unparse(node).split())


def mutants_of(module: ModuleType) -> list[Mutant]:
    """Return all mutants of a module's functions, in source order.

    Declarations of fields are left out: they have taken effect before a mutant of them could.
    """
    path = Path(str(module.__file__))
    text = path.read_text()
    lines = text.splitlines()
    body = ast.parse(text).body
    imports = [statement for statement in body if isinstance(statement, (ast.Import, ast.ImportFrom))]
    found = []
    for tree in body:
        if isinstance(tree, ast.FunctionDef) and not is_declaration(tree):
            function = plain_function(getattr(module, tree.name), module)
            if function is not None:
                found += list(function_mutants(function, tree, imports, lines))
    return found


def is_declaration(tree: ast.FunctionDef) -> bool:
    """Return whether a function returns declarations of state fields."""
    return tree.returns is not None and "StateField" in ast.unparse(tree.returns)


def plain_function(value: object, module: ModuleType) -> FunctionType | None:
    """Return the unwrapped function if it is defined in `module`, else None."""
    function = inspect.unwrap(value) if callable(value) else None
    return function if isinstance(function, FunctionType) and function.__module__ == module.__name__ else None


def function_mutants(
    function: FunctionType, tree: ast.FunctionDef, imports: list[ast.stmt], lines: list[str]
) -> Iterator[Mutant]:
    """Yield the mutants of one function, except those that compile to the same code.

    Raises:
        ValueError: the source does not match the function.
    """
    filename = function.__code__.co_filename
    tree.decorator_list = []
    module = ast.Module(body=[*imports, tree], type_ignores=[])  # calls into imported modules compile differently
    same = compile_last(module, filename)
    if not is_same_code(same, function.__code__):
        raise ValueError(f"{function.__module__}.{function.__name__} does not match {filename}; reload the module")
    for edit in edits_of(tree, function):
        edit.put(ast.copy_location(edit.new, edit.old))
        ast.fix_missing_locations(tree)
        code = compile_last(module, filename)
        edit.put(edit.old)
        if not is_same_code(code, same):
            line = getattr(edit.old, "lineno", edit.statement.lineno)
            yield Mutant(
                module=function.__module__,
                function=function.__name__,
                line=line,
                source=lines[line - 1].strip(),
                change=edit.change,
                lines=header(edit.statement),
                branches=branches(edit.statement),
                code=code,
            )


def compile_last(module: ast.Module, filename: str) -> CodeType:
    """Return the code of the last function of a module."""
    code = compile(module, filename, "exec", dont_inherit=True)
    return next(value for value in reversed(code.co_consts) if isinstance(value, CodeType))


def is_same_code(code: CodeType, other: CodeType) -> bool:
    """Return whether two functions are the same, instruction by instruction."""
    names = ("co_code", "co_names", "co_varnames", "co_freevars", "co_argcount")
    if any(getattr(code, name) != getattr(other, name) for name in names) or len(code.co_consts) != len(
        other.co_consts
    ):
        return False
    for one, two in zip(code.co_consts, other.co_consts, strict=True):
        is_code = isinstance(one, CodeType) and isinstance(two, CodeType)
        if not (is_same_code(one, two) if is_code else repr(one) == repr(two)):  # 1 == True, and 0.0 == -0.0
            return False
    return True


def header(statement: ast.stmt) -> tuple[int, int]:
    """Return the first and last line of a statement, without nested statements."""
    last = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", [])
    return (statement.lineno, body[0].lineno - 1 if body and body[0].lineno > statement.lineno else last)


def branches(statement: ast.stmt) -> tuple[int, ...]:
    """Return the first lines of the body of a condition or a loop and of its else branch."""
    if not isinstance(statement, (ast.If, ast.While, ast.For)):
        return ()
    return tuple(part[0].lineno for part in (statement.body, statement.orelse) if part)


# --- where


def edits_of(tree: ast.FunctionDef, function: FunctionType) -> Iterator[Edit]:
    """Yield all edits of a function's body, except its docstring."""
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    start = len(tree.body) - len(body)
    for index, statement in enumerate(body):
        yield from statement_edits(Place(tree, "body", start + index, statement, function), statement)


@dataclass(frozen=True)
class Place:
    """The position of a node in the tree."""

    parent: ast.AST
    name: str
    index: int | None
    statement: ast.stmt
    function: FunctionType

    def edit(self, old: ast.AST, new: ast.AST, *, is_deletion: bool = False) -> Edit:
        """Return the edit that puts `new` here."""
        return Edit(self.parent, self.name, self.index, old, new, self.statement, is_deletion)


def statement_edits(place: Place, statement: ast.stmt) -> Iterator[Edit]:
    """Yield the edits of a statement and of everything in it."""
    for new in statement_faults(statement):
        yield place.edit(statement, new, is_deletion=isinstance(new, ast.Pass))
    for name, value in ast.iter_fields(statement):
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            inner = Place(statement, name, index, statement, place.function)
            if isinstance(node, ast.stmt):
                yield from statement_edits(Place(statement, name, index, node, place.function), node)
            elif isinstance(node, ast.expr):
                yield from expression_edits(inner, node)
    test = getattr(statement, "test", None)
    if isinstance(statement, (ast.If, ast.While)) and not isinstance(test, ast.Constant):
        constants = (TRUE, FALSE) if isinstance(statement, ast.If) else (FALSE,)
        for constant in constants:
            yield Place(statement, "test", None, statement, place.function).edit(statement.test, constant)
    if isinstance(statement, ast.Return) and is_plain_answer(statement.value, place.function.__name__):
        assert statement.value is not None
        negated = ast.UnaryOp(ast.Not(), statement.value)
        yield Place(statement, "value", None, statement, place.function).edit(statement.value, negated)


def expression_edits(place: Place, node: ast.expr) -> Iterator[Edit]:
    """Yield the edits of an expression and of everything in it."""
    for new in expression_faults(node, place.function):
        yield place.edit(node, new)
    for name, value in ast.iter_fields(node):
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.expr):
                yield from expression_edits(Place(node, name, index, place.statement, place.function), child)


def is_plain_answer(value: ast.expr | None, name: str) -> bool:
    """Return whether a predicate returns a value that no other edit negates."""
    return name.startswith(PREDICATES) and isinstance(value, (ast.Name, ast.Call, ast.BoolOp))


# --- what


def statement_faults(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield faulty replacements of a statement."""
    if isinstance(statement, ast.Break):
        yield ast.Continue()
    if isinstance(statement, ast.Continue):
        yield ast.Break()
    if isinstance(statement, ast.AugAssign) and type(statement.op) in ARITHMETIC:
        yield ast.AugAssign(statement.target, ARITHMETIC[type(statement.op)](), statement.value)
    if can_be_left_out(statement):
        yield ast.Pass()


def can_be_left_out(statement: ast.stmt) -> bool:
    """Return whether a function can run without a statement; one that only names a value is needed."""
    if isinstance(statement, ast.Assign):
        return not isinstance(statement.targets[0], (ast.Name, ast.Tuple))
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    if isinstance(statement, ast.Return):
        return statement.value is None
    return isinstance(statement, (ast.AugAssign, ast.Continue))


def expression_faults(node: ast.expr, function: FunctionType) -> Iterator[ast.expr]:
    """Yield faulty replacements of an expression."""
    if isinstance(node, ast.Compare):
        yield from compared_otherwise(node)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        for i in range(len(node.values)):
            rest = node.values[:i] + node.values[i + 1 :]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    elif isinstance(node, ast.Constant):
        yield from other_constants(node.value)
    elif isinstance(node, ast.Attribute):
        yield from enum_neighbor(node, function)
    elif isinstance(node, ast.Call):
        yield from called_otherwise(node)


def compared_otherwise(node: ast.Compare) -> Iterator[ast.expr]:
    """Yield the comparison with its boundary moved, and negated."""
    for i, operator in enumerate(node.ops):
        for other in COMPARISONS.get(type(operator), ()):
            yield ast.Compare(node.left, [*node.ops[:i], other(), *node.ops[i + 1 :]], node.comparators)


def other_constants(value: object) -> Iterator[ast.expr]:
    """Yield the neighbors of a number (0 only becomes 1), or the negation of a bool."""
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        for other in {0: (1,), 1: (0, 2)}.get(value, (value - 1, value + 1)):
            yield ast.Constant(other)


def enum_neighbor(node: ast.Attribute, function: FunctionType) -> Iterator[ast.expr]:
    """Yield the next member of an enumeration."""
    kind = function.__globals__.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        members = list(kind)
        following = members[(members.index(kind[node.attr]) + 1) % len(members)]
        yield ast.Attribute(node.value, following.name, node.ctx)


def called_otherwise(node: ast.Call) -> Iterator[ast.expr]:
    """Yield the call with neighboring arguments swapped, `min` and `max` exchanged, or a range shortened by one."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in ("min", "max"):
        yield ast.Call(ast.Name("max" if name == "min" else "min", ast.Load()), node.args, [])
    elif name == "range":
        last = node.args[min(1, len(node.args) - 1)]
        first = ast.Constant(0) if len(node.args) == 1 else node.args[0]
        yield ast.Call(node.func, [ast.BinOp(first, ast.Add(), ast.Constant(1)), last, *node.args[2:]], [])
        yield ast.Call(node.func, [first, ast.BinOp(last, ast.Sub(), ast.Constant(1)), *node.args[2:]], [])
    elif name not in SYMMETRIC:
        for i in range(len(node.args) - 1):
            pair = node.args[i : i + 2]
            if not any(isinstance(argument, ast.Name) and argument.id in RECORDS for argument in pair):
                yield ast.Call(node.func, [*node.args[:i], pair[1], pair[0], *node.args[i + 2 :]], node.keywords)
