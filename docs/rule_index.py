"""Indexes of rules: the rule IDs of a game joined with the functions that claim them and the tests that check them.

A game with an index has a declaration, docs/rules/ids.toml (<game>.toml for games other than the default game): the IDs
with their subjects, their forms, and the folders of code and tests. A function claims an ID in parentheses at the end
of the first line of its docstring, or of a later line if the first is full. The name of a test opens with the ID, or
with several IDs, joined by two underscores.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sackarmies_env.registry import DEFAULT_GAME

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "docs" / "rules"
CLAIMS = re.compile(r"\(([^()]*)\)\.?$", re.MULTILINE)
SHOWN_TESTS = 3  # per row of an index
DECLARED = {  # keys of the section [index] -> what they may hold
    "title": str,  # of the page
    "rulings": str,  # a link to the rulings, which decide where the rulebook is silent
    "ids": str,  # regular expression of all IDs
    "names": str,  # regular expression of what looks like an ID at the start of a test's name
    "code": str,  # folder of the functions, from the root of the project
    "tests": str,  # folder of the tests
    "several_functions": bool,  # whether several functions may claim an ID, each a part of the rule
    "tests_alone": list,  # groups that no function claims, such as examples
}


@dataclass(frozen=True)
class Place:
    """A function, by file (relative to the project) and qualified name."""

    file: str
    name: str

    def __str__(self) -> str:
        """Return a link to the file, as seen from docs/rules/."""
        shown = self.name if self.file.startswith("tests/") else f"{Path(self.file).stem}.{self.name}"
        return f"[`{shown}`](../../{self.file})"


@dataclass(frozen=True)
class RuleList:
    """The declaration of an index, as in its file; see the head of ids.toml.

    Attributes:
        file: name of the file.
        index: the section `[index]`; see `DECLARED`.
        groups: prefix of IDs -> title of their part of the page.
        subjects: ID -> what it is about.
        background: IDs that need neither function nor test -> reason.
        no_code: IDs that need no function -> reason.
    """

    file: str
    index: dict[str, Any]
    groups: dict[str, str]
    subjects: dict[str, str]
    background: dict[str, str]
    no_code: dict[str, str]

    @cached_property
    def id_form(self) -> re.Pattern[str]:
        """The form of IDs."""
        return re.compile(self.index["ids"])

    def group_of(self, rule: str) -> str:
        """Return the prefix that names an ID's group, or "" if it has none."""
        return next((prefix for prefix in self.groups if re.match(f"{re.escape(prefix)}(?![A-Za-z])", rule)), "")

    def is_for_tests_alone(self, rule: str) -> bool:
        """Return whether an ID belongs to a group that no function claims."""
        return self.group_of(rule) in self.index["tests_alone"]

    def needs_function(self, rule: str) -> bool:
        """Return whether a function must claim `rule`."""
        return rule not in self.background and rule not in self.no_code and not self.is_for_tests_alone(rule)

    def needs_test(self, rule: str) -> bool:
        """Return whether a test must open with `rule`."""
        return rule not in self.background


def id_list(game_id: str) -> Path:
    """Return the path of the declaration of a game's index; not every game has the file."""
    return RULES / ("ids.toml" if game_id == DEFAULT_GAME else f"{game_id}.toml")


def index_page(game_id: str) -> Path:
    """Return the path of the page that joins the rule IDs of a game with its functions and tests."""
    return RULES / ("index.md" if game_id == DEFAULT_GAME else f"{game_id}.md")


def read_rules(path: Path | None = None) -> RuleList:
    """Read the declaration of an index; defaults to that of the default game.

    Raises:
        ValueError: a key of [index] is missing or of the wrong type, a subject is not a rule ID or is in no group, or
            [background] or [no_code] holds an ID without a subject.
    """
    path = path or id_list(DEFAULT_GAME)
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    index = tables.get("index", {})
    for key, kind in DECLARED.items():
        if not isinstance(index.get(key), kind):
            raise ValueError(f"{path}: [index] must have the key {key!r}, {kind.__name__}")
    rules = RuleList(path.name, index, tables["groups"], tables["subjects"], tables["background"], tables["no_code"])
    for rule in rules.subjects:
        if not rules.id_form.fullmatch(rule):
            raise ValueError(f"{path}: {rule!r} in [subjects] is not a rule ID")
        if not rules.group_of(rule):
            raise ValueError(f"{path}: {rule!r} in [subjects] belongs to none of [groups]")
    for table in ("background", "no_code"):
        for rule in tables[table]:
            if rule not in rules.subjects:
                raise ValueError(f"{path}: {rule!r} in [{table}] has no subject")
    return rules


def functions_of(path: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions and methods of a module with their qualified names."""

    def walk(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                yield prefix + child.name, child
                yield from walk(child, f"{prefix}{child.name}.")
            elif isinstance(child, ast.ClassDef):
                yield from walk(child, f"{prefix}{child.name}.")

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), "")


def claims_in(docstring: str, id_form: re.Pattern[str]) -> list[str]:
    """Return the IDs in parentheses that end a line of a docstring and hold only IDs; they may span lines."""
    lists = [[item.strip() for item in match[1].split(",")] for match in CLAIMS.finditer(docstring)]
    return [item for items in lists if all(id_form.fullmatch(item) for item in items) for item in items]


def find_claims(rules: RuleList | None = None, root: Path = ROOT) -> dict[str, list[Place]]:
    """Return, by ID, the functions in a game's folder that claim it; defaults to the default game."""
    rules = rules or read_rules()
    claims: dict[str, list[Place]] = {}
    for path in sorted((root / rules.index["code"]).rglob("*.py")):
        for name, function in functions_of(path):
            for rule in claims_in(ast.get_docstring(function) or "", rules.id_form):
                claims.setdefault(rule, []).append(Place(path.relative_to(root).as_posix(), name))
    return claims


def test_form(rule: str) -> str:
    """Return how an ID is written in the name of a test: R8.4.3-1 as r8_4_3_1."""
    return re.sub(r"\W", "_", rule).lower()


def opening_rules(test_name: str, forms: dict[str, str], like_id: str) -> tuple[list[str], str]:
    """Return the IDs that a test's name opens with, and the part that looks like an ID but is not one.

    Args:
        test_name: for example `test_r8_0_2__q_18_must_act_after_a_failed_check`.
        forms: IDs by their form in test names.
        like_id: regular expression of what looks like such a form.
    """
    found = []
    for segment in test_name.removeprefix("test_").split("__"):
        words = segment.split("_")
        heads = ["_".join(words[:end]) for end in range(len(words), 0, -1)]
        form = next((head for head in heads if head in forms), None)
        if form is None or re.match(r"_\d", segment[len(form) :]):  # r8_4_3_12 is not R8.4-3 and the word 12
            return found, segment if re.match(like_id, segment) else ""
        found.append(forms[form])
        if form != segment:
            break
    return found, ""


def find_tests(rules: RuleList, root: Path = ROOT) -> tuple[dict[str, list[Place]], list[str]]:
    """Return, by ID, the tests that open with it, and a sentence for each name that opens with an unknown ID."""
    forms = {test_form(rule): rule for rule in rules.subjects}
    tests: dict[str, list[Place]] = {}
    faults = []
    for path in sorted((root / rules.index["tests"]).rglob("test_*.py")):
        file = path.relative_to(root).as_posix()
        for name, function in functions_of(path):
            if not function.name.startswith("test_"):
                continue
            found, unknown = opening_rules(function.name, forms, rules.index["names"])
            for rule in found:
                tests.setdefault(rule, []).append(Place(file, name))
            if unknown:
                faults.append(f"{file}: {name} opens with {unknown.split('_')[0]}..., which is no rule of {rules.file}")
    return tests, faults


def find_faults(rules: RuleList, claims: dict[str, list[Place]], tests: dict[str, list[Place]]) -> list[str]:
    """Return a sentence for each gap and each contradiction between the list, the functions and the tests."""
    faults = []
    for rule, places in claims.items():
        where = " and ".join(f"{place.file}: {place.name}" for place in places)
        if rule not in rules.subjects:
            faults.append(f"{rule} is claimed by {where}, but is no rule of {rules.file}")
        elif len(places) > 1 and not rules.index["several_functions"]:
            faults.append(f"{rule} is claimed {len(places)} times: by {where}")
        elif not rules.needs_function(rule):
            faults.append(f"{rule} is claimed by {where}, but {rules.file} says that it needs no code")
    for rule in rules.subjects:
        if rules.needs_function(rule) and rule not in claims:
            faults.append(f"{rule} ({rules.subjects[rule]}) is claimed by no function")
        if rules.needs_test(rule) and rule not in tests:
            faults.append(f"{rule} ({rules.subjects[rule]}) opens the name of no test")
    return faults


def index_markdown(rules: RuleList, claims: dict[str, list[Place]], tests: dict[str, list[Place]]) -> str:
    """Return the page of an index as Markdown."""
    sources = f"`{rules.file}`, the docstrings of functions and the names of tests"
    lines = [
        f"# {rules.index['title']}",
        "",
        f"Generated by `make docs` from {sources}; do not edit.",
        f"A function claims a rule by its ID in parentheses in its docstring. Rulings: {rules.index['rulings']}.",
    ]
    for group, title in rules.groups.items():
        lines += ["", f"## {title}", "", "| ID | subject | function | tests |", "| --- | --- | --- | --- |"]
        for rule, subject in rules.subjects.items():
            if group != rules.group_of(rule):
                continue
            reason = rules.background.get(rule) or rules.no_code.get(rule)
            function = f"none: {reason}" if reason else ", ".join(map(str, claims.get(rule, []))) or "none: tests alone"
            places = tests.get(rule, [])
            shown = ", ".join(map(str, places[:SHOWN_TESTS]))
            more = f" and {len(places) - SHOWN_TESTS} more" if len(places) > SHOWN_TESTS else ""
            lines.append(f"| {rule} | {subject} | {function} | {shown}{more} |")
    return "\n".join(lines) + "\n"


def rules_index(game_id: str) -> str:
    """Return the current index of a game as Markdown."""
    rules = read_rules(id_list(game_id))
    return index_markdown(rules, find_claims(rules, ROOT), find_tests(rules, ROOT)[0])
