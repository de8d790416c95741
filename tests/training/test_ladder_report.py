"""Reports of a ladder: sentences with games and intervals, tables that programs can read, a self-contained page."""

import csv
import json
import re

import pytest

from sackarmies_env.core.record import load_record
from sackarmies_env.registry import game_of
from sackarmies_env.render import Replay
from sackarmies_training.ladder.contest import Ladder
from sackarmies_training.ladder.picture import draw
from sackarmies_training.ladder.report import (
    csv_text,
    design_sentences,
    make_reports,
    markdown,
    missing_replays,
    report_data,
    write_replays,
    write_reports,
)
from sackarmies_training.ladder.units import UnitEntry
from tests.second_game import registered
from tests.training.ladders import make_config, make_entry
from tests.training.reports.test_tournament import Page

RUNGS = {"z|1": "random", "mid": "random", "top": "greedy"}
PLAIN_UNITS = ["share of games drawn", "decisions/s", "ms a decision, median", "ms a decision, 99%"]


@pytest.fixture(autouse=True)
def duel():
    with registered(greedy="tests.second_game:HighestCard"):
        yield


def played(four=False):
    """Return units in which top beats mid three times in four, and both always beat z."""
    entries = [make_entry(("mid", "top"), number, ("top", "mid" if number % 2 else "top")) for number in range(40)]
    entries += [make_entry((one, "z|1"), number, (one, one)) for one in ("mid", "top") for number in range(20)]
    if four:
        entries += [make_entry((one, other) * 2, number, (one, None)) for number in range(6) for one, other in PAIRS]
    return entries


PAIRS = [("mid", "top"), ("mid", "z|1"), ("top", "z|1")]


def make(tmp_path, four=False):
    config = make_config(tmp_path, RUNGS, ((2, 40), (4, 6)))
    return config, make_reports(config, played(four))


def test_pool_that_has_not_been_played_is_left_out(tmp_path):
    assert [report.pool.players for report in make(tmp_path)[1]] == [2]
    assert [report.pool.players for report in make(tmp_path, four=True)[1]] == [2, 4]


def test_sentences_tell_games_intervals_and_what_is_not_known(tmp_path):
    config, reports = make(tmp_path, four=True)
    two, four = (design_sentences(config, report) for report in reports)
    assert two[0].startswith("80 units, 160 games. A unit is one draw of armies and chance, played in all seatings")
    assert re.search(
        r"top stands 1\d\d Elo \(\d+ to \d+\) above mid\. It took 75\.0% \(.*\) of their points in 80", two[1]
    )
    assert "top stands above" not in two[2]
    assert "mid stands above z|1, and the games set no upper limit to how far" in two[2]
    assert "100.0% (83.9% to 100.0%) of their points in 40 games" in two[2]
    assert "With 4 players, a rating says who is strong against this pool, and no more." in four


def test_forfeits_are_told(tmp_path):
    config = make_config(tmp_path, {"a": "random", "b": "random"}, ((2, 1),))
    entry = make_entry(("a", "b"), 0, ("a", "a")).model_dump()
    entry["games"][0]["forfeits"] = [{"seat": 1, "ply": 3, "reason": "raised ValueError", "status": "ERROR"}]
    report = make_reports(config, [type(make_entry(("a", "b"), 0, ("a", "a"))).model_validate(entry)])[0]
    assert "b lost 1 of its 2 games by forfeit." in design_sentences(config, report)


def test_game_with_two_forfeits_of_a_rung_is_told_once(tmp_path):
    config = make_config(tmp_path, {"a": "random", "b": "random"}, ((4, 1),))
    entry = make_entry(("a", "b") * 2, 0, ("a", "b")).model_dump()
    for game in entry["games"]:
        game["forfeits"] = [{"seat": seat, "ply": 3, "reason": "raised", "status": "ERROR"} for seat in range(4)]
    report = make_reports(config, [UnitEntry.model_validate(entry)])[0]
    told = [line for line in design_sentences(config, report) if "forfeit" in line]
    assert sorted(told) == [f"{name} lost 1 of its 2 games by forfeit." for name in "ab"]


@pytest.mark.parametrize(
    ("armies", "told"), [(["empire"], ""), (["empire", "undead"], " All 2 armies have equal shares.")]
)
def test_equal_shares_of_armies_are_told_if_there_are_several(tmp_path, armies, told):
    config = make_config(tmp_path, pools=((2, 2),), game={"id": "sack_armies"}, armies=armies)
    entries = [make_entry(("high", "random"), number, ("high", "random")) for number in range(2)]
    report = make_reports(config, entries)[0]
    assert f"played in all seatings of its line-up.{told} Intervals are 95%" in design_sentences(config, report)[0]


def test_markdown_marks_what_is_order_only_and_escapes_names(tmp_path):
    config, reports = make(tmp_path)
    text = markdown(config, reports)
    assert "| z\\|1 | random | -" in text
    assert "| order only |" in text
    assert "* Between this rung and those without a mark, points went one way only, or none were" in text
    rows = [line for line in text.splitlines() if line.startswith("| top ")]
    assert "| top | greedy | +" in rows[0]
    assert "100.0%" in rows[1]
    assert "Draws: the share of games in which several rungs shared the point." in text


def test_csv_holds_each_rung_and_each_pair(tmp_path):
    config, reports = make(tmp_path)
    rows = list(csv.DictReader(csv_text(config, reports).splitlines()))
    assert len(rows) == 3 * 6 + 6
    pair = next(row for row in rows if (row["rung"], row["against"]) == ("top", "mid"))
    assert (pair["value"], pair["unit"], pair["units"], pair["games"]) == ("0.75", "share of points", "40", "80")
    lowest = next(row for row in rows if (row["rung"], row["unit"]) == ("z|1", "Elo"))
    assert lowest["value"] == lowest["low"] == ""  # its rating is the prior's, and not measured
    assert {row["unit"] for row in rows} == {"Elo", "share of points", *PLAIN_UNITS}


def test_csv_holds_draws_and_times_of_each_rung(tmp_path):
    config = make_config(tmp_path, {"mid": "random", "top": "greedy"}, ((2, 8),))
    thinking = {"top": {"decisions": 200, "seconds": 0.25, "classes": {"100": 197, "150": 3}}}
    entry = make_entry(("mid", "top"), 0, ("top", None))
    entry = UnitEntry.model_validate({**entry.model_dump(), "thinking": thinking})
    rows = list(csv.DictReader(csv_text(config, make_reports(config, [entry])).splitlines()))
    plain = [row for row in rows if row["unit"] in PLAIN_UNITS]
    assert {(row["low"], row["high"], row["against"]) for row in plain} == {("", "", "")}
    told = {row["unit"]: row["value"] for row in plain if row["rung"] == "top"}
    assert [told[unit] for unit in PLAIN_UNITS[:2]] == ["0.5", "800.0"]
    median, most = (float(told[unit]) for unit in PLAIN_UNITS[2:])
    assert median == pytest.approx(1e-4 * 1.05**100.5, rel=1e-3)
    assert most == pytest.approx(1e-4 * 1.05**150.5, rel=1e-3)
    assert [row["value"] for row in plain if row["rung"] == "mid"] == ["0.5", "", "", ""]


def test_luck_is_taken_out_where_it_was_measured(tmp_path):
    config = make_config(tmp_path, {"mid": "random", "top": "greedy"}, ((2, 8),))
    luck = {"top": 0.2, "mid": -0.2}, {"top": -0.4, "mid": 0.4}
    entries = [make_entry(("mid", "top"), number, ("top", "mid" if number % 2 else "top"), luck) for number in range(8)]
    reports = make_reports(config, entries)
    text = markdown(config, reports)
    assert "Elo, luck taken out | 95% interval |" in text
    assert re.search(r"top stands 1\d\d Elo .* of their points in 16 games\. With luck taken out: 2\d\d Elo \(", text)
    assert "Luck taken out: wherever flips or dice decided" in text
    assert "Intervals are narrower where the evaluation of positions knows something about the game." in text
    rows = [row for row in csv.DictReader(csv_text(config, reports).splitlines()) if "luck" in row["unit"]]
    assert [row["rung"] for row in rows] == ["top", "mid"]
    rung = report_data(config, reports)["pools"][0]["rungs"][0]
    assert rung["elo_luck_taken_out"]["value"] > rung["elo"]["value"]  # it had bad luck


def test_units_that_are_all_alike_are_told_from_a_single_one_of_each_line_up(tmp_path):
    config = make_config(tmp_path, {"a": "random", "b": "random", "c": "random"}, ((2, 2),))
    winners = {("a", "b"): ("a", "b"), ("a", "c"): ("a", None), ("b", "c"): ("b", None)}
    entries = [make_entry(pair, number, won) for pair, won in winners.items() for number in range(2)]
    assert "| all units alike |" in markdown(config, make_reports(config, entries))
    single = markdown(config, make_reports(config, entries[::2]))
    assert "| too few units |" in single
    assert "all units alike" not in single


def test_rung_left_with_less_than_no_point_is_order_only_with_luck_taken_out(tmp_path):
    config = make_config(tmp_path, {"low": "random", "mid": "random", "top": "greedy"}, ((2, 4),))
    none, lucky = {"low": 0.0, "mid": 0.0, "top": 0.0}, {"low": 2.4, "mid": -2.4}
    entries = [make_entry(("mid", "top"), number, ("mid", "top"), [none] * 2) for number in range(4)]
    entries += [make_entry(("low", "top"), number, ("top", "top"), [none] * 2) for number in range(4)]
    entries += [make_entry(("low", "mid"), number, ("mid", "mid"), [none] * 2) for number in range(3)]
    entries.append(make_entry(("low", "mid"), 3, ("low", "mid"), [lucky, none]))
    reports = make_reports(config, entries)
    text = markdown(config, reports)
    cells = next(line for line in text.splitlines() if line.startswith("| low | random ")).split(" | ")
    assert not cells[2].endswith("*")
    assert cells[-2].endswith("*")
    assert cells[-1] == "order only |"
    assert "With luck taken out, the games set no upper limit to how far." in text
    assert "* beside a rating with luck taken out: this rung, or a group that it belongs to, is left with" in text
    rows = [row for row in csv.DictReader(csv_text(config, reports).splitlines()) if "luck" in row["unit"]]
    assert [(row["rung"], row["value"] == "") for row in rows] == [("top", False), ("mid", False), ("low", True)]
    rungs = report_data(config, reports)["pools"][0]["rungs"]
    assert [rung["is_measured_luck_taken_out"] for rung in rungs] == [True, True, False]


def test_rungs_that_both_took_no_point_are_not_ordered(tmp_path):
    config = make_config(tmp_path, dict.fromkeys(("a", "b", "y", "z"), "random"), ((2, 2),))
    entries = [make_entry(("a", "b"), number, ("a", "b")) for number in range(2)]
    entries += [make_entry((one, other), 0, (one, one)) for one in "ab" for other in "yz"]
    sentences = design_sentences(config, make_reports(config, entries)[0])
    assert re.fullmatch(
        "The games do not place ([yz]) above ([yz]): it took no point from [yz], directly or through others.",
        sentences[3],
    )
    assert re.match("[ab] stands above [yz], and the games set no upper limit to how far: ", sentences[2])


def test_note_on_marks_does_not_speak_of_rungs_without_one_if_there_are_none(tmp_path):
    entries = [make_entry(("high", "random"), 0, ("high", "high"))]
    for anchor, others in ((None, "any other one"), ("high", "high")):
        config = make_config(tmp_path, pools=((2, 1),), anchor=anchor)
        assert f"* Between this rung and {others}, points went" in markdown(config, make_reports(config, entries))


def test_rung_with_rating_zero_is_told(tmp_path):
    rungs = {"a": "random", "b": "random", "c": "random"}
    entries = [make_entry(("a", "b"), number, ("a", "b")) for number in range(2)]
    for anchor, told in (
        ("a", "a has the rating 0."),
        (None, "The mean rating of the rungs that games compare is 0."),
        ("c", "The mean rating of the rungs that games compare is 0. The anchor, c, does not play here."),
    ):
        config = make_config(tmp_path, rungs, pool=[{"players": 2, "units": 2, "rungs": ["a", "b"]}], anchor=anchor)
        assert design_sentences(config, make_reports(config, entries)[0])[0].endswith(f" the same result. {told}")


def test_dollar_signs_in_names_are_drawn_as_they_are(tmp_path):
    config = make_config(tmp_path, {r"$\foo$": "random", "b": "random"}, ((2, 2),))
    entries = [make_entry((r"$\foo$", "b"), number, ("b", None)) for number in range(2)]
    assert rb"$\foo$" in draw(make_reports(config, entries), "svg")


def test_rating_of_units_that_are_all_alike_has_no_interval(tmp_path):
    config = make_config(tmp_path, {"mid": "random", "top": "greedy"}, ((2, 1),))
    luck = {"top": 0.2, "mid": -0.2}, {"top": -0.4, "mid": 0.4}
    reports = make_reports(config, [make_entry(("mid", "top"), 0, ("top", None), luck)])
    write_reports(config, reports, tmp_path)
    row = next(line for line in (tmp_path / "ladder.md").read_text().splitlines() if line.startswith("| top |"))
    assert row.count("| too few units |") == 2  # as measured, and with luck taken out
    assert design_sentences(config, reports[0])[1].startswith("top is not shown to stand above mid: 180 Elo (-350 to")
    rows = [row for row in csv.DictReader((tmp_path / "results.csv").open()) if row["unit"].startswith("Elo")]
    assert [(row["low"], row["high"]) for row in rows] == [("", "")] * 4
    assert "NaN" not in (tmp_path / "results.json").read_text()
    rungs = json.loads((tmp_path / "results.json").read_text())["pools"][0]["rungs"]
    assert [rung["elo"]["low"] for rung in rungs] == [None, None]


def test_infinite_interval_of_a_step_is_null_in_the_data(tmp_path):
    config = make_config(tmp_path, {"a": "random", "b": "random", "c": "random"}, ((2, 1),))
    entries = [make_entry(pair, 0, (pair[0], None)) for pair in (("a", "b"), ("c", "b"))]  # a and c have not met
    text = json.dumps(report_data(config, make_reports(config, entries)), allow_nan=False)
    difference = json.loads(text)["pools"][0]["steps"][0]["difference"]
    assert (difference["low"], difference["high"]) == (None, None)


def test_page_is_complete_in_itself(tmp_path):
    config, reports = make(tmp_path)
    write_reports(config, reports, tmp_path)
    page = (tmp_path / "ladder.html").read_text()
    assert "<svg" in page
    assert "<td>z|1</td>" in page
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!#)", page)  # except for places within the picture
    assert not re.search(r"@import|url\((?!#)|<script|<link", page)
    assert (tmp_path / "ladder.png").read_bytes().startswith(b"\x89PNG")


def test_equal_results_give_equal_files(tmp_path):
    for name in ("one", "other"):
        config, reports = make(tmp_path)
        write_reports(config, reports, tmp_path / name)
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert sorted(files) == ["ladder.html", "ladder.md", "ladder.png", "results.csv", "results.json"]
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "other").iterdir()}


def test_data_say_what_the_tables_say(tmp_path):
    config, reports = make(tmp_path)
    data = json.loads(json.dumps(report_data(config, reports)))["pools"][0]
    assert [rung["rung"] for rung in data["rungs"]] == ["top", "mid", "z|1"]
    assert [rung["is_measured"] for rung in data["rungs"]] == [True, True, False]
    assert data["rungs"][0]["points"]["games"] == 120
    assert {(cell["rung"], cell["against"]) for cell in data["payoff"]} == {
        (one, other) for one in RUNGS for other in RUNGS if one != other
    }


def test_games_of_a_ladder_have_records_and_replays_that_the_report_links_to(tmp_path):
    config = make_config(tmp_path, pools=((2, 2),), replays=True)
    ladder = Ladder(config, tmp_path)
    ladder.play(ladder.open(), lambda games: None)
    reports = make_reports(config, ladder.entries())
    wanted = missing_replays(reports, tmp_path)
    assert len(wanted) == 4
    assert write_replays(config, reports, tmp_path, wanted, lambda games: None) == []
    assert missing_replays(reports, tmp_path) == []
    page = Page((tmp_path / "ladder.html").read_text())
    for name in wanted:
        record = load_record(tmp_path / "records" / f"{name}.json")
        assert sorted(record.players) == ["high", "random"]
        assert {f"replays/{name}.html", f"records/{name}.json"} <= set(page.links)
        assert Replay(game_of(record), record).html == (tmp_path / "replays" / f"{name}.html").read_text()


def test_games_that_were_played_without_records_are_not_listed(tmp_path):
    config = make_config(tmp_path, pools=((2, 2),))
    ladder = Ladder(config, tmp_path)
    ladder.play(ladder.open(), lambda games: None)
    reports = make_reports(config, ladder.entries())
    write_reports(config, reports, tmp_path)
    assert not (tmp_path / "records").exists()
    assert Page((tmp_path / "ladder.html").read_text()).links == []
