"""Generated pages of the documentation: those of the registered games, their indexes of rules, reference, pictures.

`python docs/build.py` (or `make docs`) writes them; `--check` only tells which ones are out of date.

An index joins the list of rule IDs of a game (docs/rules/ids.toml; <game>.toml of other games), the functions that
claim them (the ID stands in parentheses that end the first line of a docstring, or a later line where the first is
full) and the tests that check them (their names open with the ID, or with several, joined by two underscores).
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
if __name__ == "__main__":
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # some positions: quicker interpreted than compiled

from pictures import pictures
from reference_pages import reference_pages
from rules_pages import rules_pages

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.entries import find_hook
from sackarmies_env.registry import DEFAULT_GAME, list_games

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
RULES = DOCS / "rules"
ID_LIST = RULES / "ids.toml"  # of the default game
GAMES_FOLDER = ROOT / "sackarmies_env" / "games"
TESTS_FOLDER = ROOT / "tests"

ID = re.compile(r"R\d+(?:\.\d+)+-\d+|RA-\w+-\d+|RB-\d+|P-[A-Z]+|[DVQX]-\d\d[a-z]?|C-\w+")
CLAIMS = re.compile(r"\(([^()]*)\)\.?$", re.MULTILINE)
TEST_LIKE_ID = re.compile(r"r\d+_\d+|ra_[a-z0-9]+_\d+|rb_\d+|p_[a-z]+|[dvqx]_\d\d|c_[a-z]")
SHOWN_TESTS = 3  # in a row of the index

GROUPS = (
    ("R", "Rules by section"),
    ("RA", "Special abilities"),
    ("RB", "Glossary"),
    ("P", "Procedures"),
    ("D", "Decisions"),
    ("V", "What a General sees"),
    ("Q", "Rulings"),
    ("C", "Switches"),
    ("X", "Worked examples"),
)


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
    """The IDs and what is said of them; see the head of ids.toml."""

    subjects: dict[str, str]
    background: dict[str, str]
    no_code: dict[str, str]

    def needs_function(self, rule: str) -> bool:
        """Return whether a function must claim `rule`."""
        return rule not in self.background and rule not in self.no_code and not rule.startswith("X-")

    def needs_test(self, rule: str) -> bool:
        """Return whether a test must open with `rule`."""
        return rule not in self.background


def id_list(game_id: str) -> Path:
    """Return the file with the rule IDs of a game, which a game need not have."""
    return ID_LIST if game_id == DEFAULT_GAME else RULES / f"{game_id}.toml"


def index_page(game_id: str) -> Path:
    """Return the page that joins the rule IDs of a game with its functions and tests."""
    return RULES / ("index.md" if game_id == DEFAULT_GAME else f"{game_id}.md")


def read_rules(path: Path = ID_LIST) -> RuleList:
    """Read the list of IDs.

    Raises:
        ValueError: a key is no ID, or an entry without subject is classified.
    """
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    rules = RuleList(tables["subjects"], tables["background"], tables["no_code"])
    for rule in rules.subjects:
        if not ID.fullmatch(rule):
            raise ValueError(f"{path}: {rule!r} in [subjects] is not a rule ID")
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


def claims_in(docstring: str) -> list[str]:
    """Return the IDs in parentheses that end a line of a docstring and hold nothing but IDs; they may span lines."""
    lists = [[item.strip() for item in match[1].split(",")] for match in CLAIMS.finditer(docstring)]
    return [item for items in lists if all(ID.fullmatch(item) for item in items) for item in items]


def find_claims(folder: Path = GAMES_FOLDER / DEFAULT_GAME, root: Path = ROOT) -> dict[str, list[Place]]:
    """Return by ID the functions in the folder of a game that claim it."""
    claims: dict[str, list[Place]] = {}
    for path in sorted(folder.rglob("*.py")):
        for name, function in functions_of(path):
            for rule in claims_in(ast.get_docstring(function) or ""):
                claims.setdefault(rule, []).append(Place(path.relative_to(root).as_posix(), name))
    return claims


def test_form(rule: str) -> str:
    """Return how an ID is written in the name of a test: R8.4.3-1 as r8_4_3_1."""
    return re.sub(r"\W", "_", rule).lower()


def opening_rules(test_name: str, forms: dict[str, str]) -> tuple[list[str], str]:
    """Return the IDs that a test's name opens with, and what of the name looks like an ID but is none.

    Args:
        test_name: for example `test_r8_0_2__q_18_must_act_after_a_failed_check`.
        forms: IDs by their form in test names.
    """
    found = []
    for segment in test_name.removeprefix("test_").split("__"):
        words = segment.split("_")
        heads = ["_".join(words[:end]) for end in range(len(words), 0, -1)]
        form = next((head for head in heads if head in forms), None)
        if form is None or re.match(r"_\d", segment[len(form) :]):  # r8_4_3_12 is not R8.4-3 and the word 12
            return found, segment if TEST_LIKE_ID.match(segment) else ""
        found.append(forms[form])
        if form != segment:
            break
    return found, ""


def find_tests(
    rules: RuleList, folder: Path = TESTS_FOLDER, root: Path = ROOT
) -> tuple[dict[str, list[Place]], list[str]]:
    """Return by ID the tests that open with it, and a sentence for each name that opens with an unknown ID."""
    forms = {test_form(rule): rule for rule in rules.subjects}
    tests: dict[str, list[Place]] = {}
    faults = []
    for path in sorted(folder.rglob("test_*.py")):
        file = path.relative_to(root).as_posix()
        for name, function in functions_of(path):
            if not function.name.startswith("test_"):
                continue
            found, unknown = opening_rules(function.name, forms)
            for rule in found:
                tests.setdefault(rule, []).append(Place(file, name))
            if unknown:
                faults.append(f"{file}: {name} opens with {unknown.split('_')[0]}..., which is no rule of ids.toml")
    return tests, faults


def find_faults(rules: RuleList, claims: dict[str, list[Place]], tests: dict[str, list[Place]]) -> list[str]:
    """Return a sentence for each gap and each contradiction between list, functions and tests."""
    faults = []
    for rule, places in claims.items():
        where = " and ".join(f"{place.file}: {place.name}" for place in places)
        if rule not in rules.subjects:
            faults.append(f"{rule} is claimed by {where}, but is no rule of ids.toml")
        elif len(places) > 1:
            faults.append(f"{rule} is claimed {len(places)} times: by {where}")
        elif not rules.needs_function(rule):
            faults.append(f"{rule} is claimed by {where}, but ids.toml says that it needs no code")
    for rule in rules.subjects:
        if rules.needs_function(rule) and rule not in claims:
            faults.append(f"{rule} ({rules.subjects[rule]}) is claimed by no function")
        if rules.needs_test(rule) and rule not in tests:
            faults.append(f"{rule} ({rules.subjects[rule]}) opens the name of no test")
    return faults


def index_markdown(rules: RuleList, claims: dict[str, list[Place]], tests: dict[str, list[Place]]) -> str:
    """Return the page docs/rules/index.md."""
    lines = [
        "# Index of rules",
        "",
        "Generated by `make docs` from `ids.toml`, the docstrings of functions and the names of tests; do not edit.",
        "A function claims a rule by its ID in parentheses in its docstring. Rulings: [rulings.md](rulings.md).",
    ]
    for prefix, title in GROUPS:
        lines += ["", f"## {title}", "", "| ID | subject | function | tests |", "| --- | --- | --- | --- |"]
        for rule, subject in rules.subjects.items():
            if prefix != re.match(r"[A-Z]+", rule)[0]:  # type: ignore[index]  # every ID begins with letters
                continue
            reason = rules.background.get(rule) or rules.no_code.get(rule)
            function = f"none: {reason}" if reason else ", ".join(map(str, claims.get(rule, []))) or "none: tests alone"
            places = tests.get(rule, [])
            shown = ", ".join(map(str, places[:SHOWN_TESTS]))
            more = f" and {len(places) - SHOWN_TESTS} more" if len(places) > SHOWN_TESTS else ""
            lines.append(f"| {rule} | {subject} | {function} | {shown}{more} |")
    return "\n".join(lines) + "\n"


def rules_index(game_id: str) -> str:
    """Return the index of a game as it is; tests of games other than the first stand in tests/<game>."""
    rules = read_rules(id_list(game_id))
    folder = TESTS_FOLDER if game_id == DEFAULT_GAME else TESTS_FOLDER / game_id
    return index_markdown(rules, find_claims(GAMES_FOLDER / game_id), find_tests(rules, folder)[0])


def pages() -> dict[Path, str]:
    """Return the text of every generated page by its path; those of the default game stand at the top of docs/."""
    texts = pictures() | {DOCS / name: text for name, text in (rules_pages() | reference_pages()).items()}
    for game_id in list_games():
        texts |= game_pages(game_id)
    return texts


def game_pages(game_id: str) -> dict[Path, str]:
    """Return the pages of a game: those that it offers, and the index of its rules if there is a list of them."""
    folder = DOCS if game_id == DEFAULT_GAME else DOCS / game_id
    write_pages = find_hook(game_id, "docs") or dict
    texts = {folder / name: text for name, text in write_pages().items()}
    if id_list(game_id).exists():
        texts[index_page(game_id)] = rules_index(game_id)
    return texts


def outdated() -> dict[Path, str]:
    """Return the pages that differ from what would be written now, with that text."""
    texts = pages().items()
    return {path: text for path, text in texts if not path.exists() or path.read_text(encoding="utf-8") != text}


def main() -> int:
    """Write the pages, or with --check tell which ones are out of date."""
    parser = argparse.ArgumentParser(description="Write the generated pages of the documentation.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    arguments = parser.parse_args()
    stale = outdated()
    if arguments.check:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run `make docs`")
        return bool(stale)
    for path, text in stale.items():
        write_safely(path, text.encode())
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
