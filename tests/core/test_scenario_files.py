"""Sources of scenarios: tables, files and names, and invalid sources."""

from __future__ import annotations

import pytest

from sackarmies_env.core.scenario_files import built_in_names, name_of, read_source

LISTS = "sackarmies scenario list"


@pytest.fixture
def folder(tmp_path):
    """Return a folder with two built-in scenarios."""
    for name in ("two", "one"):
        (tmp_path / f"{name}.toml").write_text(f'title = "{name}"\n')
    (tmp_path / "notes.md").write_text("no scenario")
    return tmp_path


def test_built_in_scenarios_are_sorted(folder):
    assert built_in_names(folder) == ("one", "two")


def test_names_files_and_tables_are_read(folder):
    given = {"title": "mine"}
    assert read_source(given, folder, LISTS) == ("scenario", given)
    assert read_source(given, folder, LISTS)[1] is not given
    assert read_source("one", folder, LISTS) == ("one.toml", {"title": "one"})
    assert read_source(folder / "two.toml", folder, LISTS) == ("two.toml", {"title": "two"})
    assert read_source(str(folder / "two.toml"), folder, LISTS) == ("two.toml", {"title": "two"})
    assert (name_of({}), name_of("some/where.toml")) == ("scenario", "where.toml")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("onee", "unknown scenario 'onee' (did you mean \"one\"?); give the path of a TOML file or a built-in"),
        ("notes", f"see `{LISTS}`"),
        ("missing.toml", "missing.toml: there is no such file"),
        (3, "scenario: expected a name, a file path or a table, got 3"),
        (None, "a table, got None"),
        ("", "a table, got ''"),
    ],
)
def test_other_sources_are_refused(folder, source, words):
    with pytest.raises(ValueError) as error:
        read_source(source, folder, LISTS)
    assert words in str(error.value)
