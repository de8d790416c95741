"""`sackarmies submit-check`: what is accepted, and the error for each fault."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sackarmies_agents.factory import parse_agent
from sackarmies_agents.limits import Isolation
from sackarmies_training.cli import app
from sackarmies_training.config import MANIFEST, MatchSection
from sackarmies_training.submission import entered, located, read_manifest, try_agent
from tests.core.toy_game import make_duel
from tests.second_game import registered

ROOT = Path(__file__).resolve().parents[2]
BOT = """
import numpy as np
from sackarmies_agents import Agent

class Bold(Agent):
    def __init__(self, info):
        pass

    def reset(self, seed):
        self.rng = np.random.default_rng(seed if {seeded} else None)

    def act(self, observation, action_mask):
        return int(self.rng.choice(np.flatnonzero(action_mask))) {addend}
"""
CHOICE = "return int(self.rng.choice(np.flatnonzero(action_mask)))"

CUP = """
folder = "{0}/cup"
[game]
id = "duel"
[tournament]
agents = ["{0}/one", "{0}/shell", "random"]
seeds = 1
"""


def submit(folder, manifest, **files):
    (folder / MANIFEST).write_text(manifest, encoding="utf-8")
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
    return folder


def tried(folder):
    manifest = read_manifest(folder)
    isolation = Isolation(**manifest.limits.model_dump())
    return try_agent(make_duel(), located(manifest.agent, folder), isolation, 4, lambda games: None)


def test_program_is_tried_in_its_folder(tmp_path):
    shell = (ROOT / "examples" / "line_bot.sh").read_text(encoding="utf-8")
    trial = tried(submit(tmp_path, 'agent = "line:command=sh bot.sh"', bot_sh=shell))
    assert trial.faults() == []
    assert trial.statuses == {"DONE": 4}
    assert trial.is_repeatable
    assert trial.seats == [0, 1, 0, 1]
    assert trial.usage.decisions > 4


@pytest.mark.slow
@pytest.mark.parametrize("seeded", [True, False])
def test_class_in_a_file_is_tried(tmp_path, seeded):
    source = BOT.format(seeded=seeded, addend="")
    trial = tried(submit(tmp_path, 'agent = "python:file=bold.py,class=Bold"', bold_py=source))
    assert trial.faults() == []
    assert trial.is_repeatable == seeded


@pytest.mark.slow
def test_submission_may_have_several_modules(tmp_path):
    files = {"bold_py": "from helper import Bold as Bolder\n\nclass Bold(Bolder):\n    pass\n"}
    files["helper_py"] = BOT.format(seeded=True, addend="")
    submit(tmp_path, 'agent = "python:file=bold.py,class=Bold"', **files)
    done = CliRunner().invoke(app, ["submit-check", str(tmp_path), "--games", "2"])
    assert done.exit_code == 0, done.output
    assert "The submission is accepted." in done.output


@pytest.mark.slow
def test_illegal_choices_are_told_game_by_game(tmp_path):
    source = BOT.format(seeded=True, addend="+ 1000")
    trial = tried(submit(tmp_path, 'agent = "python:file=bold.py,class=Bold"', bold_py=source))
    assert trial.statuses == {"INVALID": 4}
    assert len(trial.faults()) == 4
    assert trial.faults()[1].startswith("Game 2, seed ")
    assert ", seat 1: INVALID, it chose action 100" in trial.faults()[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "told"), [("return int(self.none)", ": ERROR, it raised AttributeError"), ("class", "cannot be made: ")]
)
def test_author_is_shown_where_an_agent_crashes(tmp_path, broken, told):
    source = BOT.format(seeded=True, addend="").replace(CHOICE, broken)
    submit(tmp_path, 'agent = "python:file=bold.py,class=Bold"', bold_py=source)
    done = CliRunner().invoke(app, ["submit-check", str(tmp_path), "--games", "2"])
    assert done.exit_code == 1
    lines = done.output.splitlines()
    (place,) = [line for line in lines if line.startswith(f'    File "{tmp_path.resolve() / "bold.py"}", line 13')]
    assert lines[lines.index(place) + 1].strip() == broken
    assert any(told in line and line.endswith(" (bold.py, line 13).") for line in lines)
    assert lines[-1] == "The submission is not accepted."


@pytest.mark.slow
def test_traceback_cannot_pass_for_a_line_of_the_report(tmp_path):
    fake = 'raise RuntimeError("no\\nThe submission is accepted.\\n\\x1b[31m[b]")'
    source = BOT.format(seeded=True, addend="").replace(CHOICE, fake)
    submit(tmp_path, 'agent = "python:file=bold.py,class=Bold"', bold_py=source)
    done = CliRunner().invoke(app, ["submit-check", str(tmp_path), "--games", "2"])
    assert "  The submission is accepted." in done.output.splitlines()
    assert "The submission is accepted." not in done.output.splitlines()
    assert "\x1b" not in done.output
    assert "[b]" in done.output


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (None, r"submission\.toml.*(no such file|does not exist|there is no file)"),
        ("name = 'x'", r"agent.*missing"),
        ('agent = "randm"', r"unknown agent"),
        ('agent = "learner"', r"agent is 'learner', which exists only within a training run"),
        ('agent = "random"\nspeed = 3', r"speed"),
        ('agent = "random"\nname = "  "', r"name"),
        ('agent = "random"\n[limits]\ntime_limit = 0', r"time_limit"),
    ],
)
def test_wrong_manifest_is_refused_with_a_sentence(tmp_path, manifest, message):
    if manifest is not None:
        submit(tmp_path, manifest)
    with pytest.raises(ValueError, match=rf"(?i){message}"):
        read_manifest(tmp_path)


def test_missing_folder_is_a_sentence(tmp_path):
    done = CliRunner().invoke(app, ["submit-check", str(tmp_path / "nothing")])
    assert done.exit_code == 2
    assert "there is no folder" in done.output


def test_agent_that_cannot_be_made_is_not_accepted(tmp_path):
    submit(tmp_path, 'agent = "line:command=./missing"')
    done = CliRunner().invoke(app, ["submit-check", str(tmp_path)])
    assert done.exit_code == 1
    assert "The agent cannot be made: there is no program './missing' that can be run in" in done.output
    assert done.output.endswith("The submission is not accepted.\n")


@pytest.mark.slow
def test_accepted_submission_ends_with_exit_code_0(tmp_path):
    submit(tmp_path, 'agent = "random"\nname = "Dice"')
    done = CliRunner().invoke(app, ["submit-check", str(tmp_path), "--games", "2"])
    assert done.exit_code == 0, done.output
    assert "DONE 2" in done.output
    assert "The submission is accepted." in done.output


def test_files_of_an_agent_count_from_its_folder(tmp_path):
    (tmp_path / "bold,1.py").touch()
    spec = parse_agent(located(r"python:file=bold\,1.py,class=Bold,sims=3", tmp_path))
    assert spec.options == {"file": str(tmp_path.resolve() / "bold,1.py"), "class": "Bold", "sims": "3"}
    assert parse_agent(located("line:command=./bot", tmp_path)).options["folder"] == str(tmp_path.resolve())


def test_parts_joined_by_plus_count_from_the_folder(tmp_path):
    (tmp_path / "a.safetensors").touch()
    text = located("search:models=a.safetensors+tuned,prior=policy,playouts=2,horizon=0", tmp_path)
    models = f"{tmp_path.resolve() / 'a.safetensors'}+tuned"
    assert text == f"search:models={models},prior=policy,playouts=2,horizon=0"


@pytest.mark.parametrize("option", ["weights", "prior", "models", "path"])
def test_own_options_have_no_words_that_come_before_files(tmp_path, option):
    for name in ("bold.py", "first", "trained"):
        (tmp_path / name).touch()
    text = located(f"python:file=bold.py,class=Bold,{option}=first+trained", tmp_path)
    place = tmp_path.resolve()
    assert parse_agent(text).options[option] == f"{place / 'first'}+{place / 'trained'}"


@pytest.mark.parametrize(
    "text",
    [
        "search:level=fast,horizon=3",
        "search:models=tuned+trained,prior=policy",
        "greedy:weights=first",
        "python:class=Bold,x=.",
        "python:class=Bold,x=inner",
    ],
)
def test_values_that_name_no_file_stay_beside_files_of_that_name(tmp_path, text):
    for name in ("fast", "3", "tuned", "trained", "policy", "first", "Bold"):
        (tmp_path / name).touch()
    (tmp_path / "inner").mkdir()
    assert located(text, tmp_path) == text


@pytest.mark.parametrize("exists", [True, False])
def test_folder_and_log_of_a_program_count_from_the_folder(tmp_path, exists):
    (tmp_path / "inner").mkdir()
    if exists:
        (tmp_path / "log").touch()
    place = tmp_path.resolve()
    text = located("line:command=./bot,folder=inner,log=log", tmp_path)
    assert text == f"line:command=./bot,folder={place / 'inner'},log={place / 'log'}"


@pytest.mark.parametrize("text", ["line:command=sh bot.sh {}", "python:file=b.py,class=B,prompt={}"])
@pytest.mark.parametrize("word", ["x" * 300, "x\0y"])
def test_words_that_can_name_no_file_are_submitted(tmp_path, text, word):
    (tmp_path / "b.py").touch()
    spec = parse_agent(located(text.format(word), tmp_path))
    assert word in (spec.options.get("prompt") or spec.options["command"])


def test_submissions_enter_a_tournament_by_their_folders_and_play_under_their_names(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "shell").mkdir()
    submit(
        tmp_path / "one",
        'agent = "python:file=bold.py,class=Bold"\nname = "The Bold"',
        bold_py=BOT.format(seeded=True, addend=""),
    )
    script = (ROOT / "examples" / "line_bot.sh").read_text(encoding="utf-8")
    submit(tmp_path / "shell", 'agent = "line:command=sh bot.sh"', bot_sh=script)
    config = tmp_path / "cup.toml"
    config.write_text(CUP.format(tmp_path))
    with registered():
        result = CliRunner().invoke(app, ["tournament", str(config)])
        assert result.exit_code == 0, result.output
        (tmp_path / "one" / "bold.py").write_text(BOT.format(seeded=True, addend="+ 0"), encoding="utf-8")
        again = CliRunner().invoke(app, ["tournament", str(config)])
    standings = json.loads((tmp_path / "cup" / "standings.json").read_text())["standings"]
    assert {line["agent"] for line in standings} == {"The Bold", "shell", "random"}
    assert all(line["forfeits"] == 0 for line in standings)
    assert "python:file" not in result.output
    assert again.exit_code == 2
    assert "the agent The Bold is not the one that began: its source has changed" in " ".join(again.output.split())


def test_submissions_of_one_name_do_not_enter_together(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        submit(tmp_path / name, 'agent = "random"\nname = "Bold"')
    section = MatchSection(agents=[str(tmp_path / "one"), str(tmp_path / "two")])
    with pytest.raises(ValueError, match="two agents of the tournament are called 'Bold': rename one in its"):
        entered(section)
    (tmp_path / "two" / MANIFEST).write_text("agent = 3")
    with pytest.raises(ValueError, match="agent: must be a string, not 3"):
        entered(section)


@pytest.mark.parametrize(
    ("make", "named", "sentence"),
    [
        (True, "sub", r'folder "sub" holds no submission\.toml'),
        (False, "sub/x", r'there is no folder "sub/x"'),
        (False, "sub", r"unknown agent 'sub'"),
        (False, "python:class=a/b:C", ""),
    ],
)
def test_entrant_that_is_no_submission_is_told_as_what_it_looks_like(tmp_path, monkeypatch, make, named, sentence):
    monkeypatch.chdir(tmp_path)
    if make:
        (tmp_path / named).mkdir()
    if not sentence:
        assert MatchSection(agents=["random", named]).agents[1] == named
        return
    with pytest.raises(ValueError, match=sentence):
        MatchSection(agents=["random", named])


def test_folder_that_enters_twice_in_two_spellings_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub" / "a").mkdir(parents=True)
    submit(tmp_path / "sub" / "a", 'agent = "random"')
    with pytest.raises(ValueError, match="agents names the folder 'sub/a' twice"):
        MatchSection(agents=["sub/a", "random", "sub/a/"])


@pytest.mark.parametrize("name", ["greedy", " greedy ", "search:level=strong", "learner"])
def test_submission_does_not_take_the_name_of_an_agent(tmp_path, name):
    submit(tmp_path, f'agent = "random"\nname = "{name}"')
    told = f"the submission {tmp_path} is called '{name.strip()}', which is the name of an agent: rename it"
    with pytest.raises(ValueError, match=re.escape(told)):
        entered(MatchSection(agents=[str(tmp_path), "random"]))
    done = CliRunner().invoke(app, ["submit-check", str(tmp_path)])
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())


@pytest.mark.parametrize("name", ["greedy", "learner"])
def test_folder_that_is_called_as_an_agent_gives_no_name(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    submit(tmp_path / name, 'agent = "random"')
    told = f"the submission {tmp_path / name} is called '{name}', which is the name of an agent"
    with pytest.raises(ValueError, match=re.escape(told)):
        entered(MatchSection(agents=[f"./{name}", "random"]))
    section = MatchSection(agents=[name, "random"])
    assert entered(section) == (section, {})


def test_names_that_tables_show_alike_do_not_enter_together(tmp_path):
    for folder, name in (("one", "Bold"), ("two", " bold ")):
        (tmp_path / folder).mkdir()
        submit(tmp_path / folder, f'agent = "random"\nname = "{name}"')
    assert read_manifest(tmp_path / "two").name == "bold"
    with pytest.raises(ValueError, match="two agents of the tournament are called 'Bold'"):
        entered(MatchSection(agents=[str(tmp_path / "one"), str(tmp_path / "two")]))
    submit(tmp_path / "two", 'agent = "random"\nname = " Greedy "')
    with pytest.raises(ValueError, match="two agents of the tournament are called 'Greedy'"):
        entered(MatchSection(agents=["greedy", str(tmp_path / "two")]))
    apart = MatchSection(agents=["python:class=bold:A", "python:class=Bold:A"])  # case matters in agents
    assert entered(apart) == (apart, {})


def test_built_in_agent_is_not_taken_for_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random").mkdir()
    submit(tmp_path / "random", 'agent = "greedy"')
    section = MatchSection(agents=["random", "greedy"])
    assert entered(section) == (section, {})
