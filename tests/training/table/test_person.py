"""A person who plays in a terminal: what is shown, and what may be typed."""

import random
import re

import numpy as np
import pytest

from sackarmies_env.core.state import copy_records
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.render.log import news
from sackarmies_training.table.person import CLEAR, Person
from sackarmies_training.terminal import in_columns
from tests.core.toy_game import make_duel
from tests.render.positions import SMALL, twin
from tests.sack_armies.builders.twin_worlds import other_world
from tests.web.tables import Puppets, sees_the_same, twin_of
from tests.web.test_wire import asking_all

HORSE = "x02_unrevealed_noble_horse"


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("sackarmies_training.terminal.console.width", 100)


def begun(game, seed=0):
    match = Match(game)
    match.begin(seed)
    return match


def said(person, capsys, monkeypatch, *answers, others=None):
    """Have a person type answers and then leave; return what is printed.

    Args:
        person: person who types.
        capsys: fixture of pytest.
        monkeypatch: fixture of pytest.
        answers: what is typed, or an error of reading it.
        others: `Seats` that play for the opponents; without it, typing stops at the first of their decisions.
    """
    rest, match = iter(answers), person.match

    def answer(prompt):
        typed = next(rest, EOFError())
        if isinstance(typed, Exception):
            raise typed
        return typed

    monkeypatch.setattr("builtins.input", answer)
    capsys.readouterr()
    while match.player >= 0:
        if match.player == person.seat:
            if not person.decide():
                break
        elif others is None:
            break
        else:
            match.play(others.decide(match))
            person.look()
    return capsys.readouterr().out


def texts_of(match):
    """Return the texts of the choices so far, as in records."""
    return [match.game.format_action(match.states, action) for action in match.history]


def after(text, question):
    return text[text.rindex(question) :]


def test_choices_are_numbered_on_the_board_as_in_the_list(capsys, monkeypatch):
    person = Person(begun(make_game(scenario=SMALL)), 0)
    text = said(person, capsys, monkeypatch, "move")
    board, _, listed = text[text.rindex("r -2") :].partition("Choose a unit to move")
    numbers = dict(re.findall(r"\[(\d+)\] ?(-?\d+,-?\d+)", board))
    assert numbers
    for number, at in numbers.items():
        assert re.search(rf"\[{number}\] [\w' ()]+ at {at}", listed) or f"[{number}] {at}" in listed
    assert "Move > Choose a unit to move\n" in text


@pytest.mark.parametrize("answer", ["0,0", "hex 0,0", "Hex 0, 0", "guard", "Guard at 0,0", "uard"])
def test_hexes_are_chosen_by_number_coordinates_or_the_name_of_what_is_there(capsys, monkeypatch, answer):
    match = begun(make_game(scenario=SMALL))
    said(Person(match, 0), capsys, monkeypatch, "move", answer)
    assert texts_of(match) == ["move", "hex 0,0"]


def test_tokens_are_offered_by_name(capsys, monkeypatch):
    person = Person(begun(make_game(scenario=SMALL)), 0)
    text = after(said(person, capsys, monkeypatch, "deploy"), "Deploy")
    assert "Guard" in text
    assert "type " not in text.partition("Type a number")[0]


def test_wrong_answers_are_told_in_a_sentence(capsys, monkeypatch):
    person = Person(begun(make_game(scenario=HORSE)), 1)
    text = said(person, capsys, monkeypatch, "0", "999", "mele atack", "1" * 5000, "\x1b[2J")
    assert '"0" is not one of the choices: type a number from 1 to ' in text
    assert '"999" is not one of the choices' in text
    assert '(did you mean "Melee attack"?)' in text
    assert "\x1b" not in text
    assert person.match.history == []


def test_input_in_another_encoding_is_told_and_does_not_end_the_game(capsys, monkeypatch):
    person = Person(begun(make_game(2)), 0)
    text = said(person, capsys, monkeypatch, UnicodeDecodeError("utf-8", b"\xe9", 0, 1, "invalid"), "help")
    assert "What you typed is not text in the encoding of this terminal." in text
    assert "quit" in after(text, "encoding")


def test_name_that_fits_several_choices_is_not_taken(capsys, monkeypatch):
    game = make_game(2)
    match = begun(game, seed=5)
    person = Person(match, match.player)
    said(person, capsys, monkeypatch)
    person._choices = [{"id": n, "text": f"hex {n},0", "label": f"Guard at {n},0", "part": "hex"} for n in range(3)]
    assert person._find("guard") is None
    assert "could be [1] Guard at 0,0, [2] Guard at 1,0, [3] Guard at 2,0" in capsys.readouterr().out
    assert person._find("guard at 1,0")["id"] == 1


def test_parts_of_a_choice_are_taken_back(capsys, monkeypatch):
    match = begun(make_game(scenario=SMALL))
    person = Person(match, 0)
    text = said(person, capsys, monkeypatch, "back", "move", "guard", "back", "back", "back")
    assert match.history == []
    assert text.count("Nothing can be taken back: ") == 2
    assert "Move > Guard at 0,0 > Choose" in text
    assert text.count("? for help, info NAME, back") == 3  # after the verb, after the unit, and back at the verb


def test_single_unit_is_taken_silently_but_its_target_is_asked(capsys, monkeypatch):
    """Only the choice of the target announces an attack, and so confirms it; back leads to the verb."""
    match = begun(make_game(scenario=HORSE))
    text = said(Person(match, 1), capsys, monkeypatch, "melee")
    assert texts_of(match) == ["melee", "hex 1,0"]
    assert "Melee attack > Attacker at 1,0 > Choose the target\n[1] General 0's" in text
    match = begun(make_game(scenario=HORSE))
    text = said(Person(match, 1), capsys, monkeypatch, "melee", "back")
    assert texts_of(match) == []
    assert after(text, "Choose an action").count("Type a number") == 1


def test_info_tells_of_tokens_hexes_and_choices(capsys, monkeypatch):
    person = Person(begun(make_game(scenario=SMALL)), 0)
    known = ("info ward", "info 0,0", "info hex 2,0", "info 9,9", "info", "info nobody", "info 1")
    text = after(said(person, capsys, monkeypatch, *known), "Type a number or a name")
    assert "Ward: Spell, rank 1." in text
    assert "A unit of General 0:" in text
    assert "Guard" in text
    assert "Woods, rank 2, of General 1, controlled by General 0. Ends the move of a unit entering it" in text
    assert "There is nothing at 9,9." in text
    assert "Type info and a name" in text
    assert 'There is no token called "nobody".' in text


def test_info_explains_abilities_and_help_the_game(capsys, monkeypatch):
    text = said(Person(begun(make_game(2), seed=5), 0), capsys, monkeypatch, "info goblin sappers", "info spurs", "?")
    flat = " ".join(text.split())
    assert "Ambush. Scatter. Ambush: When it starts a melee attack on its own, it may flip first." in flat
    assert "Scatter: When it does damage on its own, it flips once more" in flat
    assert "Move and Attack: Moves next to a target and attacks it in melee" in flat
    assert "In your turn you take one action" in flat
    assert "On the board, 0:Orc Infantry is a unit of General 0" in flat
    assert flat.count("the last one wins") == 1


def test_odds_of_an_attack_are_told_with_its_target(capsys, monkeypatch):
    person = Person(begun(make_game(scenario=HORSE)), 1)
    text = said(person, capsys, monkeypatch, "melee", "info 1")
    assert re.search(r"\[1\] General 0's Elven Spearmen at 0,0, damage 2 against armor 2: .*\(\d+%\)\n", text)
    assert "General 0's Elven Spearmen at 0,0: Damage 2 against armor 2" in text


def test_log_tells_all_that_has_happened(capsys, monkeypatch):
    match = begun(make_game(2), seed=5)
    person = Person(match, match.player)
    rng = np.random.default_rng(0)
    for _ in range(60):
        match.play(int(rng.choice(match.legal_actions())))
        person.look()
    assert len(person.log) > 30
    assert person.log[0].startswith("General ")
    while match.player != person.seat:
        match.play(match.legal_actions()[0])
        person.look()
    text = said(person, capsys, monkeypatch, "log")
    assert re.search(r"\d+ events \(type log to see them\), then", text)
    listed = after(text, "Type a number or a name")
    flat = " ".join(listed.split())
    assert all(" ".join(event.split()) in flat for event in person.log)


def test_screen_is_cleared_in_a_terminal_alone(capsys, monkeypatch):
    match = begun(make_game(scenario=HORSE))
    assert "\x1b" not in said(Person(match, 1), capsys, monkeypatch)
    monkeypatch.setattr("sackarmies_training.table.person.clears_screen", lambda: True)
    assert said(Person(match, 1), capsys, monkeypatch).count(CLEAR) == 1


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_everything_fits_the_width(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    match = begun(make_game(2), seed=3)
    rng = np.random.default_rng(3)
    for _ in range(50):
        match.play(int(rng.choice(match.legal_actions())))
    person = Person(match, match.player)
    text = said(person, capsys, monkeypatch, "?", "list", "log", "board", "info plain", "info 0,0", "what")
    assert max(map(len, text.splitlines())) <= columns


def test_other_games_are_played_by_the_texts_of_their_actions(capsys, monkeypatch):
    match = begun(make_duel(2))
    person = Person(match, match.player)
    text = said(person, capsys, monkeypatch, "?", "log", "info x", "back", "board")
    assert "Observation of" in text
    assert "Nothing has happened yet." in text
    assert 'There is no token called "x".' in text
    said(person, capsys, monkeypatch, "1")
    assert len(match.history) == 1


def test_texts_are_listed_in_columns():
    assert in_columns(["[1] a", "[2] bb", "[3] c"], 20) == ["[1] a    [3] c", "[2] bb"]
    assert in_columns([], 20) == []
    assert in_columns(["x" * 50], 20) == ["x" * 50]


# --- fog of war


def everything(person, capsys, monkeypatch):
    """Return all that the terminal says at a decision."""
    names = [token["name"] for token in person._table.glossary()][:6]
    hexes = [f"info {q},{r}" for q in range(-4, 5) for r in range(-4, 5) if abs(q + r) <= 4]
    choices = [f"info {number}" for number in range(1, 60)]
    tokens = [f"info {name}" for name in names]
    return said(
        person, capsys, monkeypatch, "?", "list", "board", "log", "back", "no such", "a", *tokens, *hexes, *choices
    )


def test_terminal_says_the_same_in_two_worlds_that_look_the_same(capsys, monkeypatch):
    texts = []
    for scenario in (SMALL, twin()):
        texts.append(everything(Person(begun(make_game(scenario=scenario)), 0), capsys, monkeypatch))
    assert texts[0] == texts[1]
    assert "Guard" in texts[0]


@pytest.mark.slow
@pytest.mark.parametrize("num_generals", [2, 3])
def test_terminal_says_the_same_in_random_games_whatever_is_hidden(capsys, monkeypatch, num_generals):
    """Compare errors, prompts, choices and answers, at the decision and after each part of a choice."""
    game = make_game(num_generals)
    compared = 0
    for seed in range(4):
        match, rng = begun(game, seed), np.random.default_rng(seed)
        for ply in range(160):
            if match.player < 0:
                break
            if ply % 12 == 3:
                player, other = match.player, match.clone()
                copy_records(other_world(match.game, match.states, player, ply), other.states)
                other.restore(other.states.tobytes(), match.history.copy())
                assert other.states.tobytes() != match.states.tobytes()
                texts = [everything(Person(world, player), capsys, monkeypatch) for world in (match.clone(), other)]
                assert texts[0] == texts[1]
                compared += 1
            match.play(int(rng.choice(match.legal_actions())))
    assert compared > 20


@pytest.mark.slow
def test_terminal_says_the_same_while_others_choose_in_secret(capsys, monkeypatch):
    """How many decisions others make, and which ones, leaves no trace until this person may know.

    Each look at the game prints a line, so that the moments of looking are compared as well.
    """
    monkeypatch.setattr(
        "sackarmies_training.table.person.news", lambda before, after: [*news(before, after), "A look."]
    )
    game = make_game(**asking_all("hidden piles"))
    puppets, rng = Puppets(game, 0), random.Random(2)
    person = Person(begun(game, 5), 0)
    same = secret = more = 0
    said(person, capsys, monkeypatch, others=puppets)
    for number in range(40):
        if person.match.player < 0 or (same > 20 and more):
            break
        if number % 3 == 0:
            worlds = [twin_of(person, 0, number, lambda game, states, *_: states), twin_of(person, 0, number)]
            for _ in range(4):
                typed = str(rng.randrange(1, 1 + len(person.match.legal_actions())))
                length = len(worlds[0].match.history)
                texts = [said(world, capsys, monkeypatch, typed, others=puppets) for world in worlds]
                if not sees_the_same(*worlds, 0) or worlds[0].match.player < 0:
                    break
                assert texts[0] == texts[1]
                same += 1
                courses = [world.match.history[length:] for world in worlds]
                secret += courses[0] != courses[1]
                more += len(courses[0]) != len(courses[1])
        typed = str(rng.randrange(1, 1 + len(person.match.legal_actions())))
        said(person, capsys, monkeypatch, typed, others=puppets)
    assert same > 20
    assert secret > 0
    assert more > 0
