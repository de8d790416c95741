"""The board in a terminal."""

import dataclasses
import re

import pytest

from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_env.core.hexgrid import make_hexgrid
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.registry import load_game
from sackarmies_env.render import ansi
from sackarmies_env.render.ansi import paint_ansi, paint_board
from sackarmies_env.render.picture import REFEREE, find_picture, reading_order
from sackarmies_env.render.sack_armies.model import FieldView, UnitCard, UnitView, codes_of
from sackarmies_env.render.sack_armies.picture import Picture
from tests.render.positions import SMALL, play, start

SEEN_BY_0 = """\
Sack Armies, turn 1, seen by General 0
General 0 (you) to decide: choose an action

                           .--' '--. .--' '--.
                          |   2,-2  |   3,-2  |
r -2                      |         |         |
                          |         |         |
            .--' '--. .--' '--. .--' '--. .--' '--.
           |   0,-1  |   1,-1  |   2,-1  |   3,-1  |
r -1       |         |         |         |  1:??+1 |
           |         |         | Plain 1 |         |
       .--' '--. .--' '--. .--' '--. .--' '--. .--' '--.
      |   -1,0  |   0,0   |   1,0   |   2,0   |   3,0   |
r  0  | 0:Scout?|0:Guard+2|         |         |         |
      |         | Plain 0 |         |Woods 1>0|         |
       '--. .--' '--. .--' '--. .--' '--. .--' '--. .--'
           |   -1,1  |   0,1   |   1,1   |   2,1   |
r  1       |         |         |         |         |
           |         |         |         |         |
            '--. .--' '--. .--' '--. .--' '--. .--'

General 0 (you) controls 2 battlefields, 1 of 1 own, hand 2, sack 3
  hand: Guard, Plain
  sack: 2 Guard, Ward
  casualties: Dash
  Sco -1,0   Scout                  M3 D1 A1  cavalry, green band, rank 1, face down
  Gua 0,0    Guard                  M1 D2 A5 (printed 1 2 3)  infantry, green band, rank 2
             0: Ward (spell). Free: the host has armor +2.
             1: Dash (maneuver), face down. Action: the host goes to an empty legal hex within 1 of where it is.
General 1 controls 1 battlefield, 1 of 2 own, hand 1, sack 2
  removed: Scout
  ??  3,-1   unrevealed unit
             0: ??, face down
Battlefields
  Pla Plain
  Woo Woods: Ends the move of a unit entering it, but not of flying units. Unit here: armor +1.
"""


def everywhere(radius):
    """Return a picture whose legal hexes fill a board of this radius, with a unit on a battlefield in four corners."""
    grid = make_hexgrid(radius)
    hexes = sorted(zip(grid.q.tolist(), grid.r.tolist(), strict=True), key=reading_order)
    corners = [(radius, 0), (-radius, 0), (0, radius), (0, -radius)]
    fields = tuple(FieldView(at, 0, 5, "Long Name of a Field", "LoF", 3, True, True, "text " * 40) for at in corners)
    units = tuple(UnitView(at, 5, False, None, employed=True) for at in corners)
    return Picture("Sack Armies", REFEREE, 1, 0, "", "", (), "", tuple(hexes), fields, units, (), (), ())


def test_small_board_as_one_general_sees_it():
    assert ansi(*start(SMALL), 0, color=False, width=120) == SEEN_BY_0


def test_the_other_general_sees_their_own_tokens_and_no_others():
    text = ansi(*start(SMALL), 1, color=False)
    assert "Another General to decide\n" in text
    assert "|    0:??   | 0:Guard+2 |" in text
    assert "|1:Scout?+1|" in text.replace(" ", "")
    assert "  ??  -1,0   unrevealed unit\n" in text
    assert "             1: ??, face down\n" in text
    assert "             0: Ward (spell), face down. Free: the host has armor +2.\n" in text
    assert [line for line in text.splitlines() if "hand:" in line or "sack:" in line] == [
        "  hand: Dash",
        "  sack: Guard, Ward",
    ]


def test_the_referee_sees_all():
    text = ansi(*start(SMALL), color=False)
    assert text.startswith("Sack Armies, turn 1, seen by the referee\nGeneral 0 to decide: choose an action\n")
    assert "??" not in text
    assert text.count("  hand: ") == text.count("  sack: ") == 2
    assert "General 0 controls" in text


def test_an_announcement_is_shown_to_all_and_an_unfinished_choice_to_its_player():
    game, states = start("x02_unrevealed_noble_horse")
    play(game, states, "melee")
    assert "to decide: melee attack: choose the unit that acts\n" in ansi(game, states, 1, color=False)
    assert "Another General to decide\n" in ansi(game, states, 0, color=False)
    play(game, states, "hex 1,0", "hex 0,0")
    for viewer in (0, 1, None):
        assert "Announced: melee attack at 0,0\n" in ansi(game, states, viewer, color=False)


def without_codes(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_color_codes_change_nothing_else():
    game, states = start(SMALL)
    colored = ansi(game, states, 0, color=True, width=120)
    assert "\x1b[94;1m" in colored
    assert without_codes(colored) == SEEN_BY_0


@pytest.mark.parametrize(
    ("terminal", "variables", "colored"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {}, False),
    ],
)
def test_colors_are_for_terminals_whose_user_has_not_refused_them(monkeypatch, terminal, variables, colored):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", Stdout(terminal))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b" in ansi(*start(SMALL), 0)) == colored


class Stdout:
    """A stdout that says whether it is a terminal."""

    def __init__(self, terminal):
        self.isatty = lambda: terminal


def test_lines_take_the_width_of_the_terminal_or_80_columns(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert ansi(*start(SMALL), 0, color=False) == ansi(*start(SMALL), 0, color=False, width=80)
    monkeypatch.setenv("COLUMNS", "120")
    assert ansi(*start(SMALL), 0, color=False) == SEEN_BY_0


@pytest.mark.parametrize("width", [40, 80, 140, 200])
@pytest.mark.parametrize("radius", [2, 9, 17])
def test_no_line_is_wider_than_asked_for_and_no_word_is_lost(radius, width):
    picture = everywhere(radius)
    text = paint_ansi(picture, color=False, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("text") == 40 * 1  # the fields are of one kind
    assert text.count("5:??") + text.count("5??") == len(picture.units)


@pytest.mark.parametrize(("radius", "width", "cell"), [(3, 80, "  5:??*  "), (4, 80, " 5:??* "), (5, 80, "5:??*")])
def test_hexes_are_as_wide_as_fits(radius, width, cell):
    text = paint_ansi(everywhere(radius), color=False, width=width)
    assert text.count(f"|{cell}|") == 4
    assert f"|{f'{-radius},0'.center(len(cell))}|" in text  # hexes show their coordinates
    assert text.count("LoF 0>5" if len(cell) >= 7 else "|LoF>5|") == 4  # and the controller of the battlefield


def test_key_tells_the_names_of_all_codes_and_breaks_none():
    names = [token.name for token in load_catalogue().values() if token.kind == "unit"]
    cards = [
        UnitCard(name, code, 1, 1, 1, 1, (1, 1, 1), 0, "other", "", "gray", "")
        for name, code in zip(names, codes_of(names), strict=True)
    ]
    units = tuple(UnitView((number, 0), 0, True, card) for number, card in enumerate(cards))
    picture = dataclasses.replace(everywhere(2), units=units, fields=())
    text = paint_ansi(picture, color=False, width=60)
    key = text[text.index("Key: ") :].splitlines()
    assert max(map(len, key)) <= 60
    for card in cards:
        assert sum(f"{card.code} {card.name}" in line for line in key) == 1


@pytest.mark.parametrize("radius", [2, 3, 4, 5])
def test_seats_are_digits_on_every_unit_and_battlefield(radius):
    text = paint_ansi(everywhere(radius), color=False, width=80)
    assert len(re.findall(r"\| *5:?\?\?\* *\|", text)) == 4
    assert len(re.findall(r"\| *LoF ?0?>5 *\|" if radius > 2 else r"\| *a Field 0>5 *\|", text)) == 4


ROOMY, NARROW = 110, 52


@pytest.mark.parametrize("seed", [3, 4])
def test_names_are_whole_where_there_is_room_and_in_the_key_where_there_is_none(seed):
    match, agent = Match(load_game("sack_armies")), RandomAgent(seed)
    match.begin(seed)
    while match.player >= 0 and match.states["turn"][0] < 12:
        match.play(agent.act(match.observation, match.action_mask))
    picture = find_picture(match.game, match.states, None)
    names = {unit.card.name for unit in picture.units} | {field.name for field in picture.fields}
    assert len(names) > 4
    for width in (ROOMY, 200):
        board = paint_board(picture, {}, color=False, width=width)
        assert max(map(len, board.splitlines())) <= width
        assert {word for name in names for word in name.split()} <= set(re.findall(r"[A-Za-z]+", board))
        assert "Key:" not in paint_ansi(picture, color=False, width=width)
    narrow = paint_ansi(picture, color=False, width=NARROW)
    key = narrow.partition("Key: ")[2].partition("General 0")[0]
    assert all(name in " ".join(key.split()) for name in names)


def test_names_give_way_where_lines_are_few():
    picture = everywhere(2)
    high, low = (paint_board(picture, {}, color=False, width=80, height=height) for height in (100, 25))
    assert "a Field" in high
    assert "a Field" not in low
    assert "LoF 0>5" in low


@pytest.mark.parametrize(("radius", "shown"), [(2, "[12] -2,0"), (4, "[12]"), (5, "[12]")])
def test_labels_stand_on_their_hexes(radius, shown):
    picture = everywhere(radius)
    at = (-radius, 0)
    before = paint_board(picture, {}, color=False, width=80)
    text = paint_board(picture, {at: "[12]"}, color=False, width=80)
    assert before.count("[") == 0
    assert text.count("[12]") == 1
    line = next(line for line in text.splitlines() if "[12]" in line)
    assert shown in line.split("|")[1]
    assert [len(line) for line in text.splitlines()] == [len(line) for line in before.splitlines()]


def test_low_board_tells_the_same_on_fewer_lines():
    game, states = start(SMALL)
    picture = find_picture(game, states, 0)
    high = paint_board(picture, {}, color=False, width=120)
    low = paint_board(picture, {(0, 0): "[1]"}, color=False, width=120, height=16)
    assert paint_board(picture, {}, color=False, width=120, height=17) == high
    assert (len(high.splitlines()), len(low.splitlines())) == (17, 13)
    assert all(
        re.search(rf"(?<![-\d]){q},{r}(?!\S)", low) for q, r in picture.hexes
    )  # no dash of an edge looks like a minus
    for text in ("0:Sco?", "0:Gua+2", "1:??+1", "Woo 1>0", "[1] 0,0"):
        assert text in low
    for text in ("0:Scout?", "0:Guard+2", "1:??+1", "Woods 1>0"):
        assert text in high


def test_board_that_is_too_wide_comes_in_parts_that_hold_each_hex_once():
    picture = everywhere(9)
    text = paint_ansi(picture, color=False, width=80)
    assert "Board, part 1 of 2 from west to east\n" in text
    assert "Board, part 2 of 2 from west to east\n" in text
    told = re.findall(r"\| *(-?\d+,-?\d+) *(?=\|)", text)
    assert sorted(told) == sorted(f"{q},{r}" for q, r in picture.hexes)


def test_viewer_that_is_no_seat_is_refused():
    game, states = start(SMALL)
    with pytest.raises(ValueError, match="viewer 2 is not a seat: use 0 to 1, or None for the referee"):
        ansi(game, states, 2)
