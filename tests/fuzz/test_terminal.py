"""The command line with files of strangers: a sentence and an exit code, no traceback, nothing a terminal obeys."""

import json

import pytest
from typer.testing import CliRunner

from sackarmies_env.core.words import UNPRINTABLE
from sackarmies_training.cli import app
from tests.fuzz.checkpoints import checkpoint, with_table

REFUSED = 2
DEEP = "x = " + "[" * 5000
ARMY = 'name = "{name}"\ndescription = "{about}"\n[tokens]\nplain = 5\nold_witch = 1\n'
WITCH = '[[token]]\nid = "old_witch"\nkind = "unit"\nname = "{token}"\n'


def run(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    said = result.output + result.stderr
    assert "Traceback" not in said
    assert not UNPRINTABLE.search(said.replace("\n", ""))
    return result.exit_code, " ".join(said.split())


@pytest.mark.parametrize(
    ("command", "name", "content", "message"),
    [
        (["army", "check"], "a.toml", DEEP, "a.toml: lists or tables are nested too deeply"),
        (["army", "show"], "a.toml", b"\xff\xfe\x00", "a.toml: the file is not UTF-8 text (byte 0)"),
        (["army", "check"], "a.toml", ARMY.format(name="\\u001b[2J", about=""), "control characters are not allowed"),
        (["army", "check"], "a.toml", "x = 1\n" * 2, "a.toml: not valid TOML: Cannot overwrite a value"),
        (["army", "check"], "a.toml", " " * 300_000, "a.toml: the file is larger than 262144 bytes"),
        (["scenario", "check"], "s.toml", DEEP, "s.toml: lists or tables are nested too deeply"),
        (["scenario", "check"], "s.toml", '"\\u001b[31m" = 1', 's.toml: unknown key "\\x1b[31m"'),
        (["replay"], "r.json", "[" * 100_000, "r.json: lists or tables are nested too deeply"),
        (["replay"], "r.json", "9" * 5000, "r.json: not valid JSON: Exceeds the limit"),
        (["replay", "--check"], "r.json", '{"format": "\\u009b"}', 'the key "format" must say'),
        (["train"], "t.toml", "folder = 0x" + "f" * 9000, "folder: a whole number of about 10837 digits is given"),
        (["tournament"], "t.toml", "[[[", "t.toml: not valid TOML"),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(command, name, content, message, tmp_path):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    code, said = run(*command, path)
    assert code == REFUSED
    assert message in said
    assert [item.name for item in tmp_path.iterdir()] == [name]


def test_names_in_an_army_are_printed_as_they_are(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(ARMY.format(name="[/red]Mine", about="[bold] [/x]") + WITCH.format(token="Witch [/blue]"))
    code, said = run("army", "show", path)
    assert code == 0
    assert "[bold] [/x]" in said and "[/blue]" in said
    assert run("army", "check", path)[0] == 0


def test_a_damaged_checkpoint_is_refused(tmp_path):
    path = tmp_path / "general.safetensors"
    path.write_bytes(with_table(checkpoint(2), b"{}"))
    code, said = run("evaluate", f"ppo:path={path}", "--games", "2", "--workers", "1")
    assert code == REFUSED
    assert "general.safetensors" in said


def test_a_record_that_names_a_file_is_refused(tmp_path):
    path = tmp_path / "game.json"
    data = {"format": "sackarmies-record-1", "software": "0", "game": "sack_armies", "rules": "0", "seed": 1}
    data |= {"config": {"scenario": "/etc/passwd"}, "actions": [], "texts": [], "digests": ["00000000"]}
    data |= {"result": {"winner": -1, "terminated": False, "truncated": False, "turns": 0, "returns": [0.0, 0.0]}}
    path.write_text(json.dumps(data))
    code, said = run("replay", path)
    assert code == REFUSED
    assert 'scenario: "/etc/passwd" is given, but a table is wanted' in said
