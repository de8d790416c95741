"""Output of commands in terminals of 80 and 140 columns, and in pipes."""

import re

import pytest
from typer.testing import CliRunner

from sackarmies_env.games.sack_armies.scenario.document import scenario_ids
from sackarmies_env.games.sack_armies.tokens.army import army_ids
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_training.cli import app
from tests.training.commands.terminals import command_words, in_pipe, in_terminal, shorten_games

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLORS = re.compile(r"\x1b\[(?:[0-9]+;)*(?:3[0-7]|38|4[0-7]|9[0-7])(?:;[0-9]+)*m")
WIDTHS = [80, 140]
EVALUATE = [
    "evaluate",
    "random",
    "greedy",
    "--army",
    "beginners",
    "--army",
    "beginners",
    "--games",
    "2",
    "--workers",
    "1",
]
HELP = command_words()


def lines_of(output):
    """Return what is left on the screen, without codes and without compiler notices."""
    lines = [CODES.sub("", line.rsplit("\r", 1)[-1]).rstrip() for line in output.splitlines()]
    return [line for line in lines if not line.startswith("sackarmies-env: ")]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("words", HELP, ids=[" ".join(words) or "sackarmies" for words in HELP])
def test_help_fits_and_names_no_types(words, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    text = CliRunner().invoke(app, [*words, "--help"], prog_name="sackarmies").output
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    assert "Usage: sackarmies" in text
    assert not re.search(r"<\w+|…|INTEGER", text)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (["catalogue"], [token.name for token in load_catalogue().values()]),
        (["army", "list"], army_ids()),
        (["scenario", "list"], scenario_ids()),
        (["scenario", "check", "x03_walking_tree"], ["x03_walking_tree is a legal position."]),
        (EVALUATE, ["random against greedy: won 0, drawn 0, lost 2", "2/2"]),
    ],
    ids=["catalogue", "army list", "scenario list", "scenario check", "evaluate"],
)
def test_output_fits_and_cuts_no_name(words, whole, width):
    lines = lines_of(in_terminal(words, width))
    assert max(map(len, lines)) <= width
    assert "…" not in "\n".join(lines)
    for word in whole:
        assert any(word in line for line in lines), word
    if words[0] == "catalogue":
        assert max(map(len, lines)) > width - 10  # a wider terminal is used


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_watched_boards_fit(width):
    lines = lines_of(in_terminal(["watch", "greedy", "random", "random", "--seed", "2", "--delay", "0"], width))
    assert max(map(len, lines)) <= width
    assert any("seen by the referee" in line for line in lines)
    coordinates = re.findall(r"\| *-?\d+,-?\d+ *(?=\|)", "\n".join(lines))
    assert coordinates  # hexes show them at this width, too


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [["--help"], ["catalogue", "--text", "orc"], ["army", "list"], ["scenario", "check", "x03_walking_tree"], EVALUATE],
    ids=["help", "catalogue", "army list", "scenario check", "evaluate"],
)
def test_pipes_get_no_codes(words):
    for stream in in_pipe(words):
        assert "\x1b" not in stream


@pytest.mark.slow
def test_progress_and_results_go_to_different_pipes():
    out, err = in_pipe(EVALUATE)
    assert "won 0, drawn 0, lost 2" in out
    assert "games played" not in out
    assert "2 of 2 games played" in err


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--help"], ["scenario", "check", "x03_walking_tree"]], ids=["help", "board"])
def test_no_color_is_honored_in_terminals(words):
    assert COLORS.search(in_terminal(words, 80))
    assert not COLORS.search(in_terminal(words, 80, NO_COLOR="1"))


PLAY = ["play", "random", "--army", "beginners", "--army", "beginners"]
TYPED = "1\ninfo plain\n?\nboard\nlog\nquit\n"
CLEARED = "\x1b[2J\x1b[H"


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_game_is_played_on_one_screen_of_the_terminal(width):
    output = in_terminal(PLAY, width, TYPED)
    assert output.count(CLEARED) == 2  # before each choice
    assert COLORS.search(output)
    lines = lines_of(output)
    assert max(map(len, lines)) <= width
    assert any("Plain: Battlefield" in line for line in lines)
    assert any("You left the game." in line for line in lines)
    assert not COLORS.search(in_terminal(PLAY, width, TYPED, NO_COLOR="1"))


@pytest.mark.slow
def test_screen_is_neither_cleared_nor_colored_in_pipes_and_dumb_terminals():
    assert "\x1b" not in in_pipe(PLAY)[0]
    assert "\x1b" not in in_terminal(PLAY, 80, TYPED, TERM="dumb")


@pytest.mark.parametrize(
    ("terminal", "options", "pauses"), [(True, [], {1.0}), (False, [], {0.0}), (True, ["--delay", "0.5"], {0.5})]
)
def test_watching_pauses_between_boards_in_a_terminal(monkeypatch, terminal, options, pauses):
    shorten_games(monkeypatch)
    slept = []
    monkeypatch.setattr("sackarmies_training.commands.play.clears_screen", lambda: terminal)
    monkeypatch.setattr("sackarmies_training.commands.play.time.sleep", slept.append)
    words = ["watch", "random", "random", "--army", "beginners", "--army", "beginners", *options]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert set(slept) == pauses
    assert len(slept) > 3


@pytest.mark.slow
def test_shell_completion_knows_commands_armies_scenarios_and_agents():
    def complete(line):
        words = line.split(" ")
        variables = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        return in_pipe([], _SACKARMIES_COMPLETE="complete_bash", **variables)[0].split()

    assert complete("sackarmies wat") == ["watch"]
    assert complete("sackarmies army show fey") == ["fey_court", "fey_riders"]
    assert complete("sackarmies scenario check x03_wa") == ["x03_walking_tree"]
    assert complete("sackarmies evaluate gr") == ["greedy"]
