import json
import os
import signal
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sackarmies_agents.factory import parse_agent
from sackarmies_env import __version__
from sackarmies_env.games.sack_armies.scenario.document import scenario_ids
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_training.cli import app
from sackarmies_training.config import GameSection
from sackarmies_training.evaluate import Plan
from sackarmies_training.locks import locked
from sackarmies_training.sack_armies.army_round_robin import RoundRobin
from tests.training.commands.terminals import command_words, shorten_games

BUILT_IN = Path(__file__).parents[3] / "sackarmies_env" / "games" / "sack_armies" / "scenario" / "built_in"

TRAIN = 'folder = "{folder}"\n[ppo]\ndecisions = 100\n[tournament]\nagents = ["learner", "random"]\n'
TOURNAMENT = 'folder = "{folder}"\n[tournament]\nagents = ["greedy", "random"]\n'


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setattr("sackarmies_training.terminal.console.width", 250)
    monkeypatch.setattr("sackarmies_training.terminal.console._color_system", None)


def run(*words, answers=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=answers)


def refused(*words):
    """Run a command that must be refused, and return its stderr."""
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return " ".join(result.stderr.split())


def test_help_lists_every_command():
    listed = [words for words in command_words() if words]
    assert ["train"] in listed
    assert ["army", "list"] in listed
    for *group, name in listed:
        assert f" {name} " in run(*group, "--help").output


def test_catalogue_lists_all_tokens_and_those_that_match():
    everything = run("catalogue").output
    assert f"{len(load_catalogue())} of {len(load_catalogue())} tokens" in everything
    assert "Walking Tree" in everything
    orcs = run("catalogue", "--homeland", "scourge", "--text", "orc", "--kind", "unit", "--rank", "1").output
    assert "Orc Infantry" in orcs
    assert "Walking Tree" not in orcs


def test_catalogue_filters_by_ability():
    wanted = {
        t.name for t in load_catalogue().values() if any(a.kind == "scatter" for a in getattr(t, "abilities", ()))
    }
    text = run("catalogue", "--ability", "scatter").output
    assert f"{len(wanted)} of " in text
    assert all(name in text for name in wanted)


def test_built_in_armies_are_listed_shown_and_legal():
    text = run("army", "list").output
    assert all(army_id in text for army_id in army_ids())
    assert "ranks" in run("army", "show", "empire").output
    result = run("army", "check", "empire")
    assert result.exit_code == 0
    assert "empire is legal" in result.output


def test_each_fault_of_an_army_is_reported(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "Mine"\n[tokens]\nplain = 7\norc_infantri = 2\n')
    result = run("army", "check", path)
    assert result.exit_code == 1
    assert f'{path}: there is no token "orc_infantri" (did you mean "orc_infantry"?)' in result.output
    assert 'it has 7 copies of "plain", but at most 6' in result.output
    assert "it has no unit" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["catalogue", "--kind", "units"], '--kind "units" is not allowed (did you mean "unit"?); allowed are "unit"'),
        (["catalogue", "--ability", "fly"], '--ability "fly" is not allowed'),
        (["army", "check", "nowhere.toml"], "nowhere.toml: there is no such file"),
        (["army", "show", "scourg"], "unknown army 'scourg' (did you mean \"scourge\"?)"),
        (["army", "round-robin", "empire"], 'two or more different armies are needed, given: "empire"'),
        (["army", "round-robin", "--agent", "gredy"], "unknown agent 'gredy' (did you mean \"greedy\"?)"),
        (["scenario", "check", "nowhere.toml"], "nowhere.toml: there is no such file"),
        (["replay", "nowhere.json"], "nowhere.json: there is no such file"),
        (["train", "nowhere.toml"], "nowhere.toml: there is no such file"),
        (["tournament", "nowhere.toml"], "nowhere.toml: there is no such file"),
        (["watch", "random", "gredy"], "unknown agent 'gredy' (did you mean \"greedy\"?)"),
        (["watch", "--delay", "inf"], "Invalid value for '--delay': Input should be less than or equal to 3600"),
        (["watch", "--delay", "1e30"], "Invalid value for '--delay': Input should be less than or equal to 3600"),
        (["watch", "--delay", "nan"], "Invalid value for '--delay': Input should be"),
        (["watch", "--delay", "-1"], "Invalid value for '--delay': Input should be greater than or equal to 0"),
        (["watch", "--viewer", "5"], "--viewer 5 is not allowed; allowed are referee and the seats 0 to 1"),
        (
            ["watch", "random", "random", "--army", "empire"],
            "--army is given once, but 2 Generals play: give it once per General",
        ),
        (["play", "random", "--seat", "2"], "--seat 2 is not at the table: with 1 opponent, seats run from 0 to 1"),
        (["evaluate", "random", "random"], "'random' cannot be evaluated against itself"),
        (["evaluate", "ppo:path=nowhere.zip"], "there is no checkpoint nowhere.zip"),
        (
            ["evaluate", "random", "greedy", "--time-limit", "1"],
            "--time-limit needs --isolate: an agent that",
        ),
        (
            ["evaluate", "random", "greedy", "--memory-limit", "9"],
            "--memory-limit needs --isolate: an agent",
        ),
        (
            ["evaluate", "random", "greedy", "--isolate", "--time-limit", "0"],
            "--time-limit 0.0 is not allowed: give a number",
        ),
        (["watch", "greedy"], "a game needs 2 to 6 agents, not 1"),
        (["watch", *["random"] * 7], "a game needs 2 to 6 agents, not 7"),
        (["play", *["random"] * 6], "a game needs 1 to 5 opponents, not 6"),
        (["watch", "--seed", 2**63], "should be less than or equal to 9223372036854775807"),
        (["play", "--seed", 2**64], "should be less than or equal to 9223372036854775807"),
        (["army", "round-robin", "--seed", 2**128], "must be an integer from 0 to 2**128 - 1"),
        (["labels", "nowhere", "--seed", 2**128], "must be an integer from 0 to 2**128 - 1"),
        (["fit-evaluation", "nowhere.npz", "--seed", 2**128], "must be an integer from 0 to 2**128 - 1"),
        (["greedy", "tune", "--seed", 2**128], "must be an integer from 0 to 2**128 - 1"),
        (["greedy", "compare", "--seed", 2**128], "must be an integer from 0 to 2**128 - 1"),
        (["watch", "--record", "/"], "--record /: expected a file, not a folder"),
        (["play", "--record", "/dev/null"], "--record /dev/null: expected a file, not a device or a pipe"),
        (["watch", "--record", "/dev/null/game.json"], "--record /dev/null/game.json: /dev/null is not a folder"),
        (["fight"], "No such command 'fight'"),
        (["trian"], "No such command 'trian'. Did you mean 'train'?"),
        (["scenario", "lits"], "No such command 'lits'. Did you mean 'list'?"),
        (["evaluate", "random", "greedy", "--gmaes", "2"], "No such option: --gmaes (Possible options: --game, --gam"),
        (["scenario", "check", "x03_walking_tre"], "'x03_walking_tre' (did you mean \"x03_walking_tree\"?)"),
        (["catalogue", "--homeland", "scurge"], '--homeland "scurge" is not allowed (did you mean "scourge"?)'),
        (["watch", "--viewer", "refere"], '--viewer refere is not allowed (did you mean "referee"?)'),
        (
            ["evaluate", "greedy", "random", "--army", "fey_court"],
            "Error: --army is given once, but 2 Generals play: give it once per General, or not at all",
        ),
    ],
)
def test_wrong_input_is_a_sentence_and_exit_code_2(words, message):
    assert message in refused(*words).replace("│ ", "").replace(" │", "")


def test_wrong_configuration_names_file_and_key_and_leaves_nothing_behind(tmp_path):
    path = tmp_path / "quick.toml"
    path.write_text(TRAIN.format(folder=tmp_path / "runs").replace("decisions", "decision"))
    assert f'{path}: ppo: unknown key "decision"' in refused("train", path)
    assert not (tmp_path / "runs").exists()


def test_illegal_army_in_a_configuration_is_refused_before_anything_starts(tmp_path):
    army = tmp_path / "mine.toml"
    army.write_text('name = "Mine"\n[tokens]\nplain = 5\n')
    path = tmp_path / "quick.toml"
    path.write_text(TRAIN.format(folder=tmp_path / "runs") + f'[game]\narmies = ["{army}", "empire"]\n')
    assert "army 'Mine' of General 0: it has no unit" in refused("train", path)
    assert not (tmp_path / "runs").exists()


def test_resume_without_a_run_is_refused(tmp_path):
    path = tmp_path / "quick.toml"
    path.write_text(TRAIN.format(folder=tmp_path / "runs"))
    assert f"there is no run in {tmp_path / 'runs'} to resume" in refused("train", path, "--resume")


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "not valid JSON"), ("[]", "not a game record"), ('{"format": "sackarmies-record-1"}', "the key is missing")],
)
def test_damaged_record_is_refused(tmp_path, content, message):
    path = tmp_path / "game.json"
    path.write_text(content)
    assert message in refused("replay", path)


def test_watched_game_is_recorded_checked_and_narrated(tmp_path, monkeypatch):
    shorten_games(monkeypatch)
    path = tmp_path / "game.json"
    result = run(
        "watch", "random", "random", "--army", "beginners", "--army", "scourge", "--seed", "3", "--record", path
    )
    assert result.exit_code == 0, result.output
    record = json.loads(path.read_text())
    assert record["players"] == ["random", "random"]
    assert f"after {record['result']['turns']} turns." in result.output
    assert "is intact" in run("replay", path, "--check").output
    assert len(run("replay", path).output.splitlines()) > record["result"]["turns"]
    record["actions"][10] = 0
    path.write_text(json.dumps(record))
    result = run("replay", path, "--check")
    assert result.exit_code == 1
    assert "ply 10" in result.stderr
    assert "ply 10" not in result.stdout
    assert "there is no such file" in refused("replay", tmp_path / "none.json", "--check")


def test_game_that_ctrl_c_ends_is_recorded(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    played, watched = tmp_path / "played.json", tmp_path / "watched.json"
    typed = iter(["1", "1"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed, None) or interrupt())
    result = run("play", "random", *FIGHT, "--record", played)
    assert result.exit_code == 130
    assert f"The record is in {played}" in result.output
    monkeypatch.setattr("sackarmies_training.commands.play.time.sleep", interrupt)  # at the board of the first turn
    assert run("watch", "random", "random", *FIGHT, "--record", watched).exit_code == 130
    assert run("play", "random", *FIGHT).exit_code == 130
    assert json.loads(played.read_text())["actions"]
    for path in (played, watched):
        assert "is intact" in run("replay", path, "--check").output


RAISES = "python:class=tests.agents.misbehaving:Raises"
FIGHT = ("--army", "beginners", "--army", "beginners")


@pytest.mark.slow
def test_recorded_game_is_made_into_films(tmp_path):
    path = tmp_path / "game.json"
    run("play", "random", *FIGHT, "--record", path, answers="1\n1\nquit\n")
    result = run("view", path, "--gif", tmp_path / "game.gif", "--mp4", tmp_path / "game.mp4", "--viewer", 0)
    assert result.exit_code == 0, result.output
    assert f"{tmp_path / 'game.gif'} shows " in result.output
    assert (tmp_path / "game.gif").read_bytes().startswith(b"GIF89a")
    assert b"ftyp" in (tmp_path / "game.mp4").read_bytes()[:16]


def test_page_that_cannot_be_written_is_refused_and_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "game.json"
    run("play", "random", *FIGHT, "--record", path, answers="quit\n")
    assert f"--html {tmp_path}: expected a file, not a folder" in refused("view", path, "--html", tmp_path)
    made = []
    monkeypatch.setattr("tempfile.mkdtemp", lambda **_: made.append(1) or str(tmp_path))
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"digests": ["00000000", *record["digests"][1:]]}))
    assert "differs" in refused("view", path)
    assert made == []


def test_film_that_cannot_be_made_is_refused_before_work_is_done(tmp_path):
    path = tmp_path / "game.json"
    run("play", "random", *FIGHT, "--record", path, answers="quit\n")
    assert "--gif film.mp4: the name must end in .gif" in refused("view", path, "--gif", "film.mp4")
    assert f"--mp4 {tmp_path}: expected a file, not a folder" in refused("view", path, "--mp4", tmp_path)
    message = "--viewer 2 is not allowed; allowed are referee and the seats 0 to 1"
    assert message in refused("view", path, "--gif", "film.gif", "--viewer", "2")
    two = ("--viewer", "0", "--viewer", "1")
    assert "--viewer is given 2 times: a film" in refused("view", path, "--gif", "film.gif", *two)


def test_speed_of_a_film_is_refused_where_none_is_written(tmp_path):
    page, sentence = tmp_path / "game.html", "--fps needs --gif or --mp4: only a film uses it"
    assert sentence in refused("view", "game.json", "--fps", "4")
    assert sentence in refused("view", "game.json", "--fps", "4", "--html", page)
    assert not page.exists()


def test_agent_that_misbehaves_while_watched_forfeits_and_the_record_says_why(tmp_path):
    path = tmp_path / "game.json"
    result = run("watch", "random", RAISES, *FIGHT, "--record", path)
    assert result.exit_code == 0, result.output
    reason = "the agent raised RuntimeError: no idea [31m"
    assert f"General 1 ({RAISES}) forfeits: {reason}" in result.output
    assert "General 0 (random) wins" in result.output
    assert "is intact" in run("replay", path, "--check").output
    assert f"General 1 lost by forfeit: {reason}" in run("replay", path).output


@pytest.mark.parametrize("name", ["person", "you"])
def test_people_are_no_agents(name):
    assert f"'{name}'" in refused("watch", name, "random")
    assert f"'{name}'" in refused("play", name)


def test_opponent_that_misbehaves_forfeits(tmp_path):
    result = run("play", RAISES, *FIGHT, answers="1\n" * 200)
    forfeit = f"General 1 ({RAISES}) forfeits\n"
    reason = f"General 1 ({RAISES}) lost by forfeit: the agent raised RuntimeError: no idea [31m"
    assert result.output.index(forfeit) < result.output.index(reason)
    assert "General 0 (you) wins" in result.output


def test_why_an_agent_forfeits_is_told_to_a_seat_after_the_game_alone(monkeypatch):
    shorten_games(monkeypatch)
    result = run("watch", "random", RAISES, "random", *FIGHT, "--army", "beginners", "--viewer", "0")
    assert result.exit_code == 0, result.output
    told = result.output.index("lost by forfeit: the agent raised RuntimeError")
    assert result.output.index(f"General 1 ({RAISES}) forfeits\n") < told
    assert "raised RuntimeError" not in result.output[:told].partition("forfeits\n")[2]


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--isolate", "--time-limit", "30", "--memory-limit", "4000"]])
def test_evaluation_reports_forfeits(options):
    result = run("evaluate", RAISES, "random", "--games", "2", "--workers", "1", *FIGHT, *options)
    assert result.exit_code == 0, result.output
    assert "won 0, drawn 0, lost 2" in result.output
    assert "Games lost by forfeit" in result.output
    assert "raised RuntimeError: no idea [31m" in result.output


@pytest.mark.parametrize(
    ("switch", "code", "played"),
    [('reward = "win_only"', 2, False), ('flip_method = "deck"', 0, True)],
)
def test_evaluation_without_measurable_luck_loses_no_results(tmp_path, switch, code, played):
    path = tmp_path / "position.toml"
    path.write_text(f"{(BUILT_IN / 'c4_sack.toml').read_text()}{switch}\n")
    result = run("evaluate", "greedy", "random", "--games", "2", "--workers", "1", "--luck", "--scenario", path)
    assert result.exit_code == code, result.output
    assert "luck cannot be measured" in result.output
    assert ("won 2, drawn 0, lost 0" in result.output) == played


@pytest.mark.slow
def test_evaluation_tells_pairs_luck_and_the_test():
    options = ["--games", "6", "--workers", "1", "--sprt", "--luck", "--seed", "1"]
    result = run("evaluate", "greedy", "random", *options)
    assert result.exit_code == 0, result.output
    for words in (
        "by Wilson's formula over 3 pairs, which all have the same result",
        "pairs with 0, 1/2, 1, 3/2, 2 points: ",
        "with luck taken out: ",
        "of -20 against",
    ):
        assert words in " ".join(result.output.split())


def test_version_option_prints_the_version():
    assert run("--version").output == f"sackarmies-env {__version__}\n"


def test_commands_to_copy_quote_their_paths(tmp_path):
    path = tmp_path / "a game.json"
    result = run("watch", "random", "random", *FIGHT, "--record", path)
    assert f"sackarmies replay '{path}' retells the game." in " ".join(result.output.split())


def test_catalogue_without_a_match_says_so():
    result = run("catalogue", "--text", "no such words")
    assert result.output == f"None of the {len(load_catalogue())} tokens in the catalogue match.\n"


def test_scenarios_are_listed_with_titles():
    text = run("scenario", "list").output
    assert all(scenario_id in text for scenario_id in scenario_ids())
    assert "The Walking Tree kills the Wolf Riders, survives their counter-attack and advances" in text


def test_validation_error_is_reported_without_a_web_address(monkeypatch):
    monkeypatch.setattr("sackarmies_training.sack_armies.commands.load_catalogue", lambda: GameSection(generals=9))
    message = refused("catalogue")
    assert message == "Error: GameSection: must be at most 6, not 9"


@pytest.mark.parametrize(
    ("library", "extra", "words"),
    [
        ("torch", "train", ["train", "CONFIG"]),
        ("scipy", "train", ["tournament", "CONFIG"]),
        ("openskill", "train", ["evaluate", "random", "greedy"]),
        ("scipy", "train", ["army", "round-robin"]),
    ],
)
def test_missing_library_is_named_with_its_extra(library, extra, words, tmp_path, monkeypatch):
    content = TRAIN if words[0] == "train" else TOURNAMENT
    (tmp_path / "config.toml").write_text(content.format(folder=tmp_path / "runs"))
    block(monkeypatch, library)
    message = refused(*[tmp_path / "config.toml" if word == "CONFIG" else word for word in words])
    assert f"Error: `sackarmies {words[0]}` needs {library}, which is not installed: pip install" in message
    assert f"'sackarmies-env[{extra}]'" in message
    assert not (tmp_path / "runs").exists()


def block(monkeypatch, library):
    """Make a library look as if it were not installed, also to modules that are imported from now on."""
    kept = ("cli", "commands", "commands.data", "commands.options", "commands.output", "commands.play")
    kept += ("config", "fitting", "files", "shaping", "sack_armies", "sack_armies.commands")
    for name in sorted(sys.modules, reverse=True):  # modules before the packages that hold them
        package, _, module = name.partition(".")
        if package == "sackarmies_training" and module and module not in kept:
            parent, _, attribute = name.rpartition(".")
            monkeypatch.delattr(sys.modules[parent], attribute)
        if package == library or (package == "sackarmies_training" and module and module not in kept):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)


def test_player_may_ask_for_help(tmp_path):
    answers = "?\nhelp\nboard\nlist\n\nquti\nquit\n"
    text = run("play", "random", "--army", "beginners", "--army", "beginners", answers=answers).output
    assert text.count("Type the number of a choice") == 2
    assert text.count("seen by General 0") == 3  # at first, when asked for, at the end
    assert text.count("[1] ") == 3  # on the board, in the list, and in the list asked for
    assert "(? for help)" in text
    assert "You left the game." in text


def test_player_may_answer_by_number_or_text_and_leave(tmp_path):
    path = tmp_path / "game.json"
    result = run(
        "play", "random", "--army", "beginners", "--army", "beginners", "--record", path, answers="0\n1\nquit\n"
    )
    assert result.exit_code == 0, result.output
    assert "You left the game." in result.output
    assert json.loads(path.read_text())["players"] == ["you", "random"]


def test_scenario_is_shown_or_refused(tmp_path):
    result = run("scenario", "check", "x03_walking_tree")
    assert result.exit_code == 0
    assert "x03_walking_tree is a legal position." in result.output
    path = tmp_path / "wrong.toml"
    path.write_text('game = "sack_armies"\ngenerals = 9\n')
    assert "wrong.toml: generals: must be at most 6, not 9" in refused("scenario", "check", path)


@pytest.mark.parametrize("command", ["watch", "play"])
def test_unwritable_record_is_reported_before_the_game(tmp_path, monkeypatch, command):
    monkeypatch.setattr("sackarmies_training.commands.options.os.access", lambda path, mode: path != tmp_path)
    result = run(command, "random", "random", "--record", tmp_path / "new" / "game.json")
    assert result.exit_code == 1
    assert result.stderr == f"Error: {tmp_path}: Permission denied\n"
    assert result.stdout == ""


def test_games_are_watched_with_the_largest_seed(monkeypatch):
    shorten_games(monkeypatch)
    assert run("watch", "random", "random", *FIGHT, "--seed", 2**63 - 1).exit_code == 0


def test_stopped_training_has_the_exit_code_of_an_interruption(tmp_path, monkeypatch):
    path = tmp_path / "config.toml"
    path.write_text(TRAIN.format(folder=tmp_path / "runs"))
    consoles = []
    monkeypatch.setattr(
        "sackarmies_training.train_ppo.train", lambda settings, game, console, resume: consoles.append(console)
    )
    result = run("train", path)
    assert result.exit_code == 130
    assert [console.stderr for console in consoles] == [True]


@pytest.fixture
def trainer(tmp_path, monkeypatch):
    """Return a function that runs `sackarmies train` with stand-ins for the trainer and the tournament after it."""

    def train(train_in_its_place, agents='["learner", "random"]'):
        ranked = []
        path = tmp_path / "config.toml"
        path.write_text(TRAIN.format(folder=tmp_path / "runs").replace('["learner", "random"]', agents))
        monkeypatch.setattr("sackarmies_training.train_ppo.train", train_in_its_place)
        monkeypatch.setattr("sackarmies_training.cli.run_tournament", lambda *given: ranked.append(given))
        return run("train", path), ranked

    return train


def test_sigterm_ends_training_as_ctrl_c_does_wherever_it_is(trainer):
    before = signal.getsignal(signal.SIGTERM)
    result, ranked = trainer(lambda *given, resume: os.kill(os.getpid(), signal.SIGTERM))
    assert result.exit_code == 130
    assert "Stopped." in result.stderr
    assert not ranked
    assert signal.getsignal(signal.SIGTERM) == before


def test_agents_of_the_tournament_are_made_before_training(trainer, tmp_path):
    path = tmp_path / "nowhere.safetensors"
    result, _ = trainer(lambda *given, resume: pytest.fail("it trains"), f'["learner", "ppo:path={path}"]')
    assert result.exit_code == 2
    assert f"there is no checkpoint {path}" in " ".join(result.stderr.split())


def test_trained_general_plays_from_a_folder_with_a_comma(trainer):
    path = Path("runs/one,two/checkpoint.safetensors")
    _, ranked = trainer(lambda *given, resume: path)
    aliases = ranked[0][3]
    assert parse_agent(aliases["learner"]).options["path"] == str(path)


def test_second_round_robin_in_a_folder_is_refused(tmp_path):
    contest = RoundRobin.make(["beginners", "scourge"], "random", Plan(1, seed=1), tmp_path)
    words = ("army", "round-robin", "beginners", "scourge", "--agent", "random", "--seeds", "1", "--folder", tmp_path)
    with locked(contest.folder):
        assert f"Error: {contest.folder} is in use by process {os.getpid()} on " in refused(*words)


def test_round_robin_that_cannot_be_played_leaves_no_folder(tmp_path):
    (tmp_path / "agent.py").write_text("")
    agent = f"python:file={tmp_path / 'agent.py'},class=Missing"
    words = ("army", "round-robin", "beginners", "scourge", "--agent", agent, "--folder", tmp_path / "results")
    assert "Missing" in refused(*words)
    assert not list((tmp_path / "results").rglob("*"))


def test_stopped_by_ctrl_c_says_so(monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("sackarmies_training.sack_armies.commands.load_catalogue", interrupt)
    result = run("catalogue")
    assert result.exit_code == 130
    assert "Stopped." in result.stderr
