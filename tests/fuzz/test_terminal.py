"""The command line with untrusted files: clear messages and exit codes, no traceback, no control characters."""

import ast
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.layout import describe
from sackarmies_agents.learned.checkpoint import POLICY, Header, pack
from sackarmies_agents.learned.policy_agent import make_network
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_agents.learned.tensors import arrays_of
from sackarmies_env.core.messages import UNPRINTABLE
from sackarmies_env.registry import load_game
from sackarmies_training.cli import app, run_tournament
from sackarmies_training.terminal import PlainConsole
from sackarmies_training.train_ppo import train
from tests.core.toy_game import make_duel
from tests.fuzz.checkpoints import checkpoint, with_table
from tests.training.commands.terminals import shorten_games
from tests.training.test_tournament import make_tournament
from tests.training.test_train import ROUND, make_config

SOURCES = Path(__file__).parents[2] / "training" / "sackarmies_training"
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
        (["army", "check"], "a.toml", ARMY.format(name="\\u001b[2J", about=""), "contains control characters"),
        (["army", "check"], "a.toml", "x = 1\n" * 2, "a.toml: not valid TOML: Cannot overwrite a value"),
        (["army", "check"], "a.toml", " " * 300_000, "a.toml: the file is larger than 262144 bytes"),
        (["scenario", "check"], "s.toml", DEEP, "s.toml: lists or tables are nested too deeply"),
        (["scenario", "check"], "s.toml", '"\\u001b[31m" = 1', 's.toml: unknown key "\\x1b[31m"'),
        (["replay"], "r.json", "[" * 100_000, "r.json: lists or tables are nested too deeply"),
        (["replay"], "r.json", "9" * 5000, "r.json: not valid JSON: Exceeds the limit"),
        (["replay", "--check"], "r.json", '{"format": "\\u009b"}', 'the key "format" must be'),
        (
            ["train"],
            "t.toml",
            "folder = 0x" + "f" * 9000 + "\n[ppo]",
            "folder: must be a string, not an integer of about 10837 digits",
        ),
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
    assert 'scenario: must be a table, not "/etc/passwd"' in said


# --- text that looks like markup

ODD = "[/a] [red]x[/red] :smile:"  # a name for a folder


def printed(*things):
    """Return the output of a command-line console that prints these things."""
    out = io.StringIO()
    console = PlainConsole(file=out, width=200, highlight=False)
    for thing in things:
        console.print(thing)
    return out.getvalue()


def test_text_is_printed_as_it_is_wherever_it_stands():
    table = Table(ODD, title=ODD, caption=ODD)
    table.add_row(ODD)
    shown = printed(ODD, table, Text(ODD))
    assert shown.count(ODD) == 6


def test_no_control_or_invisible_characters_are_printed():
    evil = "a\x1b[2J\u202eb\u200b\U000e0041c"
    table = Table(evil, title=Text(evil))
    table.add_row(Text(evil, style="bold"))
    shown = printed(evil, table, Text(evil))
    assert not UNPRINTABLE.search(shown.replace("\n", ""))
    assert shown.count(r"a\x1b[2J\u202eb\u200b\U000e0041c") == 5


def test_styles_are_still_there():
    out = io.StringIO()
    console = PlainConsole(file=out, force_terminal=True, color_system="standard", highlight=False)
    console.print(Text.assemble(("bold", "bold"), " [bold]plain[/bold]"))
    assert out.getvalue() == "\x1b[1mbold\x1b[0m [bold]plain[/bold]\n"


def test_training_code_uses_one_console_and_no_markup():
    """Markup is off in the one console; progress bars have their own switch for it."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "rich.markup":
                found.append(f"{path.name}:{node.lineno}: imports rich.markup")
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Console", "Text.from_markup"}:
                found.append(f"{path.name}:{node.lineno}: {ast.unparse(node.func)}")
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "TextColumn":
                is_plain = any(key.arg == "markup" and ast.unparse(key.value) == "False" for key in node.keywords)
                if not is_plain and re.search(r"\{(?!task\.percentage|task\.fields\[\w+\]:\.0%)", ast.unparse(node)):
                    found.append(f"{path.name}:{node.lineno}: {ast.unparse(node)}")
    assert found == []


def test_evaluation_of_a_checkpoint_in_an_odd_folder_is_shown(tmp_path, monkeypatch):
    shorten_games(monkeypatch)
    path = tmp_path / ODD / "general.safetensors"
    path.parent.mkdir(parents=True)
    game = load_game("sack_armies", armies=["beginners", "beginners"])
    sizes = NetworkSizes(token=2, mark=1, hidden=2, patch=0)
    info = GameInfo.of(game)
    weights = arrays_of(make_network(info, sizes).state_dict())
    path.write_bytes(pack(Header(describe(info), sizes, {}), {POLICY: weights}))
    armies = ["--army", "beginners", "--army", "beginners"]
    code, said = run("evaluate", f"ppo:path={path}", "--games", "2", "--workers", "1", *armies)
    assert code == 0
    assert f"{ODD}/general.safetensors against random: won" in said.replace(str(tmp_path) + "/", "")


def test_tournament_in_an_odd_folder_is_shown(tmp_path, capsys):
    contest = make_tournament(tmp_path / ODD, agents=["random", "trained"], seeds=2)
    run_tournament(contest.game, contest.section, contest.folder, contest.aliases)
    assert ODD in " ".join(capsys.readouterr().out.split())


def test_training_in_an_odd_folder_is_shown(tmp_path):
    config = make_config(tmp_path / ODD / "x", ppo={"decisions": ROUND}, selfplay={"scripted": {"random": 1.0}})
    for console in (PlainConsole, Console):
        out = io.StringIO()
        train(config, make_duel(), console(file=out, width=300))
        assert f"Checkpoints and logs go to {config.folder}" in out.getvalue()


def test_error_about_an_odd_name_is_shown(tmp_path):
    code, said = run("army", "check", tmp_path / f"{ODD}\u200b.toml")
    assert code == REFUSED
    assert f"{ODD}\\u200b.toml: there is no such file" in said


def test_record_in_an_odd_place_is_reported(tmp_path, monkeypatch):
    shorten_games(monkeypatch)
    path = tmp_path / f"{ODD}.json"
    path.parent.mkdir(parents=True)
    words = ["watch", "random", "random", "--army", "beginners", "--army", "beginners", "--record", str(path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert f"{ODD}.json" in " ".join(result.output.rpartition("The record is in")[2].split())
    assert run("replay", "--check", path)[0] == 0
