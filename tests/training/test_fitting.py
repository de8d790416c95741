"""Tables in terminals of different widths: nothing is folded or truncated."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from sackarmies_training.fitting import fitted, plain_table, titled
from sackarmies_training.ratings import Outcome
from sackarmies_training.sack_armies.army_round_robin import ArmyResults, round_robin_table
from sackarmies_training.sack_armies.army_round_robin import pairings_table as army_pairings
from sackarmies_training.standings import (
    Tally,
    forfeits_table,
    pairings_table,
    rating_text,
    standings_of,
    standings_table,
)

TRAINED = "ppo:path=runs/quick/checkpoint.safetensors,deterministic=true"
LINE_UPS = [["greedy", "random"], ["greedy", "random", "trained"], [TRAINED, "greedy", "random"]]
LINE_UPS += [[f"python:class=my.bots:Bot{number}" for number in range(16)]]
WIDTHS = [80, 140]


def shown(renderable, width):
    console = Console(width=width, file=io.StringIO())
    console.print(renderable, highlight=False)
    return console.file.getvalue()


def outcomes_of(agents):
    """Return 100 outcomes for each pair of agents: the first one always wins, once by forfeit."""
    pairs = [(one, other) for place, one in enumerate(agents) for other in agents[place + 1 :]]
    return [
        Outcome(pair, (1.0, -1.0), {1: "raised RuntimeError: [/no] idea"} if number == 0 else {})
        for pair in pairs
        for number in range(100)
    ]


def check_whole(text, words, width):
    """Check that each of `words` is on a single line, that lines fit, and that nothing is shortened."""
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for word in words:
        assert any(word in line for line in text.splitlines()), word


@pytest.mark.parametrize("agents", LINE_UPS, ids=["two", "three", "long", "sixteen"])
@pytest.mark.parametrize("width", WIDTHS)
def test_standings_and_pairings_are_whole(agents, width):
    outcomes = outcomes_of(agents)
    standings = standings_of(agents, outcomes, "bradley_terry")
    text = shown(standings_table(standings, "bradley_terry", width), width)
    for line in standings:
        low, high = line.tally.win_rate.interval
        numbers = [f" {count} " for count in (line.tally.wins, line.tally.losses)]
        rating = [f"{line.rating.value:+.0f}", f"({line.rating.low:+.0f} to {line.rating.high:+.0f})"]
        check_whole(text, [line.agent, *numbers, *rating, f"({low:.1%} to {high:.1%})"], width)
    text = shown(pairings_table(standings, outcomes, width), width)
    check_whole(text, [*agents, *(str(number) for number in range(1, len(agents) + 1))], width)
    assert text.count("100") >= len(agents) * (len(agents) - 1) / 2  # each cell that was won


@pytest.mark.parametrize("name", ["greedy", "search:level=fast,seed=", "an_agent_with_a_long_name_of_its_own_"])
@pytest.mark.parametrize("method", ["bradley_terry", "openskill"])
@pytest.mark.parametrize("width", WIDTHS)
def test_standings_of_three_players_are_whole(name, method, width):
    agents = [f"{name}{number}" for number in range(1, 4)]
    forfeits = {2: "raised RuntimeError: no idea"}
    outcomes = [Outcome(tuple(agents), (1.0, 0.0, -1.0), forfeits if number < 11 else {}) for number in range(1200)]
    standings = standings_of(agents, outcomes, method)
    text = shown(standings_table(standings, method, width), width)
    for line in standings:
        low, high = line.tally.win_rate.interval
        numbers = [f" {count} " for count in (line.tally.wins, line.tally.losses, line.forfeits)]
        ratings = [rating_text(line.rating, method, "\n"), rating_text(line.skill, "openskill", "\n")]
        words = [part for rating in ratings for part in rating.split("\n")]
        places = [f"{line.share:.3f}", f"{line.mean_place:.2f}"]
        check_whole(text, [line.agent, *numbers, *words, *places, f"({low:.1%} to {high:.1%})"], width)


def test_intervals_stand_in_pairings_where_there_is_room():
    outcomes = outcomes_of(LINE_UPS[1])
    standings = standings_of(LINE_UPS[1], outcomes, "bradley_terry")
    assert "100.0% (96.3% to 100.0%)" in shown(pairings_table(standings, outcomes, 140), 140)
    narrow = shown(pairings_table(standings, outcomes, 80), 80)
    assert "96.3%" not in narrow
    assert "100.0%" in narrow and "100-0-0" in narrow


def test_column_of_forfeits_is_left_out_where_there_are_none():
    agents = ["greedy", "random"]
    outcomes = [Outcome(("greedy", "random"), (1.0, -1.0))]
    without = shown(standings_table(standings_of(agents, outcomes, "openskill"), "openskill", 80), 80)
    assert "forfeits" not in without
    outcomes = outcomes_of(agents)
    assert "forfeits" in shown(standings_table(standings_of(agents, outcomes, "openskill"), "openskill", 80), 80)


@pytest.mark.parametrize("width", WIDTHS)
def test_forfeits_are_whole_and_text_of_agents_is_no_markup(width):
    text = shown(forfeits_table(outcomes_of(["greedy", "random"])), width)
    check_whole(text, ["random", "raised RuntimeError: [/no] idea"], width)


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_of_armies_are_whole(width):
    armies = tuple(f"nether_sisters_{number}" for number in range(13))
    games = {(one, other): Tally(12, 3, 5) for one in armies for other in armies if one != other}
    results = ArmyResults(armies, games, 50.0)
    check_whole(shown(round_robin_table(results, width), width), [*armies, "(53.7% to 66.0%)"], width)
    text = shown(army_pairings(results, width), width)
    check_whole(text, armies, width)
    assert text.count(" 60") == 13 * 12


def test_first_style_that_fits_is_taken_with_full_names_first():
    def make(labels, wide):
        table = plain_table()
        table.add_column("", no_wrap=True)
        for label in labels:
            table.add_row(Text(label + "." * wide))
        return titled("Title", table)

    names = ["abc:def", "abc:ghi"]
    assert shown(fitted(make, (20, 5), names, 40), 40).splitlines()[3] == f"1 abc:def{'.' * 20} "
    assert shown(fitted(make, (20, 5), names, 20), 20).splitlines()[3] == f"1 abc:def{'.' * 5} "
    legend = shown(fitted(make, (20, 5), names, 26), 26).splitlines()
    assert legend[3] == f"1 abc{'.' * 20} "
    assert "2 abc:ghi" in legend
