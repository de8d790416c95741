"""The site, which `make site` builds: its extension, its check, and that generated pages leave nothing out."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import typer
from pydantic import BaseModel, Field

from sackarmies_env.core.entries import find_hook
from sackarmies_env.core.record import load_record, replay
from sackarmies_env.games.sack_armies.state.constants import Ability
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.registry import game_of
from sackarmies_training.cli import app
from tests.training.commands.terminals import command_words

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ROW = re.compile(r"^\| (.+) \|$", re.MULTILINE)


@pytest.fixture(autouse=True)
def docs_on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))


def module(name):
    """Import a module from docs/, which is not a package."""
    return importlib.import_module(name)


def cells(page):
    """Return the rows of a page's tables as lists of cells."""
    return [row.split(" | ") for row in ROW.findall((DOCS / page).read_text(encoding="utf-8"))]


# --- generated pages


def test_page_of_abilities_has_all_of_the_engine_each_with_units():
    rows = [row for row in cells("abilities.md") if row[0].startswith("**")]
    assert list(module("rules_pages").ABILITIES) == list(Ability)
    assert len(rows) == len(Ability)
    assert all(kind in {"action", "free"} and len(said) > 40 and holders for _, kind, said, holders in rows)


def test_page_for_players_tells_every_ability_in_a_sentence():
    page = (DOCS / "how_to_play.md").read_text(encoding="utf-8")
    assert all(
        f"- **{name}** (*{kind}*): {said}\n" in page for name, kind, said in module("rules_pages").ABILITIES.values()
    )


def test_page_of_switches_has_all_each_with_a_meaning():
    rows = {row[0].strip("`"): row for row in cells("switches.md")}
    assert set(Switches.model_fields) <= set(rows)
    assert all(len(rows[name][1]) > 10 for name in Switches.model_fields)


def test_every_value_of_a_switch_that_is_no_number_says_what_it_changes():
    schemas = Switches.model_json_schema()["properties"].items()
    values = {
        name: {"on", "off"} - {"on" if schema["default"] else "off"}
        for name, schema in schemas
        if schema.get("type") == "boolean"
    }
    values |= {name: set(schema["enum"]) - {schema["default"]} for name, schema in schemas if "enum" in schema}
    assert {name: set(texts) for name, texts in module("rules_pages").OTHERWISE.items()} == values


def test_rulings_name_only_switches_that_exist():
    assert set(module("rules_pages").rulings_by_switch()) <= set(Switches.model_fields)


def test_every_key_of_a_configuration_has_a_meaning():
    pages = module("reference_pages")
    models = [model for _, _, model, _ in pages.FILES] + list(pages.SHARED.values())
    models += [model for *_, sections in pages.FILES for model in sections.values()]
    sections = {name.strip("[]") for *_, inner in pages.FILES for name in inner} | set(pages.SHARED)
    missing = [
        f"{model.__name__}.{name}"
        for model in models
        for name in model.model_fields
        if name not in pages.key_meanings(model) and name not in sections
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 0, "exclusiveMaximum": 2**128}, "integer, at least 0, below 2^128"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "number, above 0, at most 1"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text"),
        ({"enum": ["pairs", "mixed"], "type": "string"}, '`"pairs"` or `"mixed"`'),
        ({"type": "array", "items": {"type": "string"}}, "list of texts"),
        ({"type": "array", "items": {"type": "integer", "minimum": 0}}, "list of integers, each at least 0"),
        ({"type": "array", "items": {"enum": ["a", "b"], "type": "string"}}, 'list of `"a"` or `"b"`'),
        ({"type": "boolean"}, "true or false"),
    ],
)
def test_allowed_values_are_described_in_words(schema, words):
    assert module("reference_pages").allowed(schema, {}) == words


def test_defaults_are_written_as_in_configurations():
    class Section(BaseModel):
        needed: int
        missing: int | None = None
        names: list[str] = ["a", "b"]
        weights: dict[str, float] = Field(default_factory=lambda: {"random": 1.0})
        files: list[str] = Field(default_factory=list)
        on: bool = True
        rate: float = 0.5

    told = [module("reference_pages").default(Section, name) for name in Section.model_fields]
    assert told == ["needed", "", '`["a", "b"]`', "`{random = 1.0}`", "", "true", "`0.5`"]


def test_page_of_commands_has_every_command():
    page = (DOCS / "command_reference.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert titles == [" ".join(["sackarmies", *words]) for words in command_words()]


def test_page_of_the_command_line_names_the_commands_of_games():
    page = " ".join((DOCS / "command_line.md").read_text(encoding="utf-8").split())
    commands = typer.main.get_command(app).commands
    own = typer.Typer()
    find_hook("sack_armies", "commands")(own)
    sentences = {
        "another registered one; (.*?) take this option": {name for name, one in commands.items() if takes_game(one)},
        "from the record. (.*?) are commands of Sack Armies": set(typer.main.get_command(own).commands),
    }
    for sentence, names in sentences.items():
        assert set(re.findall(r"`([\w-]+)`", re.search(sentence, page)[1])) == names


def takes_game(command):
    """Return whether a command, or one of its subcommands, has the option --game."""
    parts = command.commands.values() if hasattr(command, "commands") else ()
    return any("--game" in one.opts for one in command.params) or any(map(takes_game, parts))


# --- the extension


def test_tree_of_contents_is_what_the_front_page_lists():
    text = "# Site\n\n- [no](no.md)\n\n## Train\n\n- [A](a.md): first\n- [B](deep/b.md)\n\n## Words\n\nNo list.\n"
    assert module("site_pages").toctrees(text) == ("\n```{toctree}\n:hidden:\n:caption: Train\n\na\ndeep/b\n```\n")


def test_no_page_has_the_name_of_a_page_that_sphinx_makes():
    names = {path.stem for path in DOCS.glob("*.md")}
    assert not names & {"search", "genindex", "modindex", "py-modindex"}  # one would overwrite the other


@pytest.mark.parametrize(
    ("link", "page", "leads_to"),
    [
        ("results.md#armies", "rewards", "results.md#armies"),
        ("../results.md", "notebooks/search", "../results.md"),
        ("../CHANGELOG.md", "design", "changelog.md"),
        ("../../SECURITY.md#reporting", "notebooks/search", "../security.md#reporting"),
        ("../README.md", "design", "index.md"),
        ("decisions/", "design", "decisions/index.md"),
        ("../sackarmies_env/core/game.py", "design", "source:sackarmies_env/core/game.py"),
        ("images/attack.toml", "how_to_play", "images/attack.toml"),
        ("https://semver.org/", "changelog", "https://semver.org/"),
        ("#a-turn", "how_to_play", "#a-turn"),
    ],
)
def test_links_of_pages_lead_to_pages_of_the_site(link, page, leads_to):
    assert module("site_pages").site_link(link, (DOCS / page).parent, page) == leads_to


def test_link_to_nothing_is_refused():
    with pytest.raises(ValueError, match=r"design: the link \.\./none\.py does not point to a file of the repository"):
        module("site_pages").site_link("../none.py", DOCS, "design")
    with pytest.raises(ValueError, match=r"the link \.\./agents does not point to a file"):  # the site shows no folders
        module("site_pages").site_link("../agents", DOCS, "design")


def test_every_link_of_a_page_leads_to_a_file_that_the_site_shows():
    pages = module("site_pages")
    links = 0
    for path in sorted(DOCS.rglob("*.md")):
        name = path.relative_to(DOCS).with_suffix("").as_posix()
        for part in pages.FENCED.split(path.read_text(encoding="utf-8"))[::2]:
            for link in pages.LINK.findall(part):
                pages.site_link(link, path.parent, name)
                links += 1
    assert links > 500


def test_objects_are_found_in_the_source():
    link = module("site_pages").source_of("sackarmies_env.core.game", "Game.clone")
    path, _, line = link.removeprefix("source:").partition("#L-")
    assert "def clone" in (ROOT / path).read_text(encoding="utf-8").splitlines()[int(line) - 1]


# --- replays of the gallery


@pytest.mark.slow
def test_records_of_the_gallery_replay_to_the_byte():
    replays = module("replays")
    assert list(replays.TITLES) == list(replays.RECORDS)
    assert set((ROOT / "docs" / "records").glob("*.json")) < set(replays.RECORDS.values())
    for path in replays.RECORDS.values():
        record = load_record(path)
        replay(game_of(record), record)


def test_gallery_shows_replays_where_they_can_be_made(monkeypatch):
    replays = module("replays")
    monkeypatch.setattr(replays, "can_view", lambda: False)
    assert replays.section() == ""
    monkeypatch.setattr(replays, "can_view", lambda: True)
    assert all(f'src="replays/{name}.html#ply=' in replays.section() for name in replays.TITLES)


# --- the check of the built site


def faults_of(folder, **pages):
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return module("check_site").faults_of(folder)


def test_what_a_page_loads_from_elsewhere_is_found(tmp_path):
    page = """
    <link rel="stylesheet" href="https://cdn.example/a.css"><link rel="license" href="https://example.org/mit">
    <script src="//cdn.example/b.js"></script><img src="data:image/png;base64,AA"><a href="https://example.org">out</a>
    <style>@import "https://fonts.example/c.css"; p { background: url(https://img.example/d.png) }</style>
    """
    assert sorted(faults_of(tmp_path, page=page)) == [
        "page.html loads //cdn.example/b.js",
        "page.html loads https://cdn.example/a.css",
        "page.html loads https://fonts.example/c.css",
        "page.html loads https://img.example/d.png",
    ]


def test_links_that_lead_nowhere_are_found(tmp_path):
    first = '<h1 id="top">A</h1><a href="#top">1</a><a href="second.html#here">2</a><a href="none.html">3</a>'
    first += '<a href="second.html#ply=3">a replay at a decision</a>'
    second = '<p id="here"><a href="first.html#gone">4</a><img src="none.png"></p>'
    assert faults_of(tmp_path, first=first, second=second) == [
        "first.html: none.html is broken",
        "second.html: first.html#gone is broken",
        "second.html: none.png is broken",
    ]


def test_folder_without_pages_is_a_fault(tmp_path):
    assert faults_of(tmp_path) == [f"{tmp_path} has no pages"]
