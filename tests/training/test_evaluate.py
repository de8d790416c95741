import dataclasses

import numpy as np
import pytest
from typer.testing import CliRunner

from sackarmies_agents import make_agent
from sackarmies_env.registry import load_game
from sackarmies_training import identity
from sackarmies_training.cli import app
from sackarmies_training.commands.evaluate import result_sentences
from sackarmies_training.evaluate import Jobs, Plan, evaluate, played_units
from sackarmies_training.matches import PlayedGame
from sackarmies_training.ratings import Outcome
from sackarmies_training.sack_armies import army_round_robin
from sackarmies_training.sack_armies.army_round_robin import ArmyResults, RoundRobin
from sackarmies_training.seeds import checked_seed
from sackarmies_training.standings import Tally
from sackarmies_training.stats.elo import elo_of
from sackarmies_training.stats.estimate import wilson
from sackarmies_training.stats.match import Match
from sackarmies_training.stats.sprt import Scale, SprtPlan, Verdict, first_decision
from sackarmies_training.stats.units import PlayedUnit
from tests.core.toy_game import make_duel
from tests.second_game import registered


def run(opponent="random", **plan):
    told = []
    tally, played = evaluate(make_duel(3), "greedy", opponent, Plan(**{"seed": 1, **plan}), told.append)
    return tally, played, sum(told)


@pytest.fixture(autouse=True)
def random_for_greedy(monkeypatch):
    """Make "greedy" another random player, because the toy game has no greedy one."""
    monkeypatch.setattr(
        "sackarmies_training.evaluate.make_player",
        lambda text, info, isolation: make_agent(text.replace("greedy", "random"), info),
    )


def test_agent_sits_in_every_seat_once_a_seed():
    tally, played, told = run(seeds=30)
    assert tally.games == len(played) == told == 90
    seats = [one.agents.index("greedy") for one in played]
    assert [seats.count(seat) for seat in range(3)] == [30, 30, 30]
    seeds = [one.seed for one in played]
    assert len(set(seeds)) == 30
    assert all(seeds.count(seed) == 3 for seed in seeds)


def test_equal_agents_do_equally_well():
    tally, _, _ = run(seeds=60)
    low, high = tally.win_rate.interval
    assert low < 1 / 3 < high


def test_same_seed_gives_the_same_games():
    assert run(seeds=4, seed=7)[1] == run(seeds=4, seed=7)[1]
    assert run(seeds=4, seed=7)[1] != run(seeds=4, seed=8)[1]


def test_seed_is_drawn_unless_it_is_given_and_plays_the_same_games_again():
    plans = [Plan(4), Plan(4)]
    assert max(plan.seed for plan in plans) > 2**64
    assert plans[0].seed != plans[1].seed
    played = run(seeds=4, seed=plans[0].seed)[1]
    assert run(seeds=4, seed=plans[0].seed)[1] == played
    assert not {one.seed for one in played} & {one.seed for one in run(seeds=4, seed=plans[1].seed)[1]}


def test_seed_that_is_too_large_is_refused():
    assert checked_seed("--seed", 2**128 - 1) == 2**128 - 1
    with pytest.raises(ValueError, match=r"--seed must be an integer from 0 to 2\*\*128 - 1, not"):
        checked_seed("--seed", 2**128)


def test_long_evaluations_are_divided_and_cover_all_seeds():
    jobs = Jobs(make_duel(), ("a", "b"), Plan(60, seed=1))
    assert [len(job.seeds) for job in jobs] == [25, 25, 10]
    assert [job.num_games for job in jobs] == [50, 50, 20]
    assert len({seed for job in jobs for seed in job.seeds}) == 60
    assert len({job.seed for job in jobs}) == 3


def test_jobs_of_a_large_budget_are_made_when_they_are_asked_for():
    jobs = Jobs(make_duel(), ("a", "b"), Plan(4_000_005, seed=1, sprt=sprt(max_games=8_000_010)))
    assert len(jobs) == 400_001
    assert [len(job.seeds) for job in jobs[-2:]] == [10, 5]
    assert jobs[0].seeds == Jobs(make_duel(), ("a", "b"), Plan(10, seed=1, sprt=sprt()))[0].seeds


def test_agent_against_itself_is_refused():
    with pytest.raises(ValueError, match="'greedy' cannot be evaluated against itself"):
        run(opponent="greedy", seeds=1)
    with pytest.raises(ValueError, match="'greedy' cannot be evaluated against itself"):
        run(opponent=" greedy ", seeds=1)


def sprt(**changes):
    return SprtPlan(**{"elo0": -150, "elo1": 150, "scale": Scale.NORMALIZED, "max_games": 400, **changes})


def test_sequential_test_ends_the_match_and_counts_pairs_in_order():
    played = evaluate(make_duel(2), "greedy", "random", Plan(200, seed=1, sprt=sprt()), lambda games: None)[1]
    points = [unit.points("greedy") for unit in played_units(played)]
    assert first_decision(sprt(), points)[0] == len(points) < 200
    assert first_decision(sprt(), points)[1] is not Verdict.UNDECIDED
    whole = evaluate(make_duel(2), "greedy", "random", Plan(200, seed=1), lambda games: None)[1]
    assert {one.seed for one in played} == {one.seed for one in whole[: len(played)]}


@pytest.mark.slow
def test_sequential_test_says_the_same_on_several_processes(monkeypatch):
    monkeypatch.undo()
    game, plan = load_game("sack_armies", switches={"max_turns": 12}), Plan(40, seed=2, sprt=sprt(max_games=80))
    alone, together = (
        evaluate(game, "greedy", "random", dataclasses.replace(plan, workers=workers), lambda games: None)[1]
        for workers in (1, 2)
    )
    assert alone == together


def test_sequential_test_is_undecided_after_its_budget():
    plan = Plan(5, seed=1, sprt=sprt(elo0=-20, elo1=20, max_games=10))
    played = evaluate(make_duel(2), "greedy", "random", plan, lambda games: None)[1]
    assert len(played) == 10
    assert "undecided: 10 games" in Match("greedy", "random", played_units(played)).verdict_sentence(plan.sprt)


def evaluate_command(*words, code=0):
    """Run the command `evaluate`, and return its output."""
    result = CliRunner().invoke(app, ["evaluate", "greedy", "random", "--game", "duel", "--workers", "1", *words])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize("option", ["--alpha", "--beta", "--elo0", "--elo1"])
def test_options_of_a_test_are_refused_without_it(option):
    sentence = f"{option} needs --sprt: only a sequential test uses it"
    assert sentence in evaluate_command("--games", "2", option, "0.1", code=2)


@pytest.mark.parametrize(("games", "played"), [(2, 2), (3, 2), (5, 4)])
def test_sequential_test_plays_no_more_games_than_it_may(games, played):
    with registered():
        text = evaluate_command("--sprt", "--games", str(games))
    assert f"undecided: {played} games, the budget" in text


def test_verdict_tells_its_nominal_error_rate():
    unit = PlayedUnit(("a", "b"), 0, (Outcome(("a", "b"), (1.0, -1.0)), Outcome(("b", "a"), (-1.0, 1.0))))
    one, other = (Match(*names, [unit] * 40).verdict_sentence(SprtPlan()) for names in (("a", "b"), ("b", "a")))
    assert one.startswith("a is stronger than b (nominal error rate 5%);")
    assert other.startswith("b is not stronger than a (nominal error rate 5%);")


@pytest.mark.parametrize(("rate", "told"), [(0.001, "0.1%"), (0.025, "2.5%"), (0.07, "7%")])
def test_nominal_error_rate_is_not_rounded(rate, told):
    unit = PlayedUnit(("a", "b"), 0, (Outcome(("a", "b"), (1.0, -1.0)), Outcome(("b", "a"), (-1.0, 1.0))))
    sentence = Match("a", "b", [unit] * 400).verdict_sentence(SprtPlan(alpha=rate, beta=rate))
    assert f"(nominal error rate {told})" in sentence


def test_sequential_test_is_for_two_players():
    with pytest.raises(ValueError, match="a sequential test is for two players, but this game has 3"):
        run(seeds=2, sprt=sprt())


def test_figures_of_a_match_are_those_of_its_pairs():
    won, even, lost = (
        PlayedUnit(("a", "b"), 0, (Outcome(("a", "b"), (one, -one)), Outcome(("b", "a"), (-other, other))))
        for one, other in ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0))
    )
    units = [dataclasses.replace(unit, draw=i) for i, unit in enumerate([won] * 20 + [even] * 70 + [lost] * 10)]
    match = Match("a", "b", units)
    assert match.counts == [10, 0, 70, 0, 20]
    assert match.score.value == pytest.approx(0.55)
    deviation = np.sqrt(0.3 * 0.25 - 0.05**2)  # of a pair's share
    assert match.score.high - match.score.low == pytest.approx(2 * 1.96 * deviation / 10, rel=0.1)
    assert match.normalized_elo == pytest.approx(800 / np.log(10) * 0.05 / (deviation * np.sqrt(2)))
    assert "pairs with 0, 1/2, 1, 3/2, 2 points: 10, 0, 70, 0, 20; normalized Elo +46" in match.sentences()
    assert match.sentences()[0].endswith(", by bootstrap over 100 pairs (1000 resamples)")


@pytest.mark.parametrize(
    ("units", "method"),
    [(20, "by Wilson's formula over 20 pairs, which all have the same result"), (1, "by Wilson's formula over 1 pair")],
)
def test_interval_of_pairs_that_are_all_alike_is_told_to_be_wilsons(units, method):
    won = Outcome(("a", "b"), (1.0, -1.0)), Outcome(("b", "a"), (-1.0, 1.0))
    match = Match("a", "b", [PlayedUnit(("a", "b"), draw, won) for draw in range(units)])
    low = wilson(1.0, units)[0]
    assert match.sentences()[0] == (
        f"100.0% ({low:.1%} to 100.0%) of the points, +inf Elo ({elo_of(low):+.0f} to +inf), {method}"
    )


def test_method_of_the_interval_is_told_for_several_players():
    line_up = ("a", "b", "b")
    games = [Outcome(line_up, (one, -one / 2, -one / 2)) for one in (1.0, 1.0, -1.0)]
    units = [PlayedUnit(line_up, draw, (game,) * 3) for draw, game in enumerate(games)]
    assert Match("a", "b", units).sentences()[0].endswith("by bootstrap over 3 units of 3 games (1000 resamples)")
    assert Match("a", "b", units[:1]).sentences()[0].endswith(", by Wilson's formula over 1 unit of 3 games")


def test_army_totals_are_the_sums_of_its_pairings():
    games = {
        ("a", "b"): Tally(3, 1, 0),
        ("b", "a"): Tally(0, 1, 3),
        ("a", "c"): Tally(1, 0, 3),
        ("c", "a"): Tally(3, 0, 1),
    }
    results = ArmyResults(("a", "b", "c"), games, 50.0)
    assert results.tally("a") == Tally(4, 1, 3)
    assert results.tally("b") == Tally(0, 1, 3)


def duels(monkeypatch):
    """Make armies fight in the toy game, whatever their names are."""
    monkeypatch.setattr(army_round_robin, "load_game", lambda game_id, armies: make_duel())


def make_round_robin(folder, **changes):
    plan = Plan(**{"seeds": 3, "seed": 1, **changes})
    return RoundRobin.make(["one", "two", "three"], "random", plan, folder)


def played(contest):
    contest.play(contest.missing(), lambda games: None)
    return contest.results()


def test_interrupted_round_robin_resumes_to_the_same_result(tmp_path, monkeypatch):
    duels(monkeypatch)
    whole = played(make_round_robin(tmp_path / "whole"))
    broken = make_round_robin(tmp_path / "broken")
    assert broken.missing() == [0, 1, 2, 3, 4, 5]
    broken.play([1, 4], lambda games: None)
    again = make_round_robin(tmp_path / "broken")
    assert again.missing() == [0, 2, 3, 5]
    told = []
    again.play(again.missing(), told.append)
    assert sum(told) == 12
    assert again.results() == whole


def test_damaged_part_of_a_round_robin_is_played_again(tmp_path, monkeypatch):
    duels(monkeypatch)
    contest = make_round_robin(tmp_path)
    whole = played(contest)
    for number, content in ((0, "{"), (2, '{"seeds": [1, 2, 3], "games": []}'), (3, '{"seeds": 1}')):
        (contest.folder / f"{number:04d}.json").write_text(content)
    assert contest.missing() == [0, 2, 3]
    with pytest.raises(ValueError, match=r"0000\.json: the results of this part are missing or damaged"):
        contest.results()
    assert played(contest) == whole


def test_another_round_robin_has_another_folder(tmp_path, monkeypatch):
    duels(monkeypatch)
    folders = [make_round_robin(tmp_path, **changes).folder for changes in ({}, {"seed": 2}, {"seeds": 4}, {})]
    assert len(set(folders)) == 3
    assert folders[0] == folders[3]


@pytest.mark.parametrize("folder", ["CORE", "GAMES", "AGENTS_FOLDER"])
def test_results_of_other_code_are_not_resumed(tmp_path, monkeypatch, change_code, folder):
    duels(monkeypatch)
    before = make_round_robin(tmp_path).folder
    source = tmp_path / "source"
    source.mkdir()
    (source / "code.py").write_text("LIMIT = 1\n")
    change_code(source, folder)
    first = make_round_robin(tmp_path).folder
    (source / "code.py").write_text("LIMIT = 2\n")
    change_code(source, folder)
    assert len({before, first, make_round_robin(tmp_path).folder}) == 3


def test_own_agents_are_identified_by_their_source_without_running_it(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "bots_for_a_test"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit\n")
    (package / "bold.py").write_text("raise SystemExit\n")
    text = "python:class=bots_for_a_test.bold:Bold"
    before = identity.agent_identity(text)
    assert before == identity.agent_identity(text)
    (package / "bold.py").write_text("raise SystemExit  # another one\n")
    assert identity.agent_identity(text) != before
    assert identity.find_source("bots_for_a_test") == package
    for nothing in ("", "bots_for_a_test.none", "bots_for_a_test.bold.none", "none_for_a_test.bold", "sys", ".x"):
        assert identity.find_source(nothing) is None


@pytest.mark.parametrize(
    "text",
    [
        "python:file={0}/bold.py,class=Bold,net={0}/b/main.py",
        "search:models=tuned+{0}/b/main.py",
        "line:command=python {0}/b/main.py {0}/a/main.py",
    ],
)
def test_files_that_an_agent_names_belong_to_its_identity(tmp_path, text):
    for name in ("bold.py", "a/main.py", "b/main.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1\n")
    before = identity.agent_identity(text.format(tmp_path))
    (tmp_path / "b" / "main.py").write_text("2\n")
    assert identity.agent_identity(text.format(tmp_path)) != before


@pytest.mark.parametrize(
    "text",
    [
        "python:file={0}/bold.py,class=Bold,prompt={1}",
        "line:command=sh bot.sh {1}",
        "greedy:weights={1}",
        "search:prior={1},evaluation={1},models=tuned+{1}",
    ],
)
@pytest.mark.parametrize("word", ["x" * 300, "x\0y"])
def test_words_that_can_name_no_file_belong_to_the_identity_of_an_agent(tmp_path, text, word):
    (tmp_path / "bold.py").write_text("1\n")
    found = identity.agent_identity(text.format(tmp_path, word))
    assert any(word in value for value in found.values())


def test_files_called_like_a_number_or_with_a_plus(tmp_path, monkeypatch):
    """`horizon=3` does not mean the file `3`, and `a+b.pt` is a single file."""
    monkeypatch.chdir(tmp_path)
    for name in ("3", "a+b.pt"):
        (tmp_path / name).write_text("1\n")
    (tmp_path / "bold.py").write_text("1\n")
    assert identity.agent_identity("search:horizon=3") == {"kind": "search", "horizon": "3"}
    assert "sha256 of net a+b.pt" in identity.agent_identity("python:file=bold.py,class=Bold,net=a+b.pt")


def test_own_options_called_like_those_of_other_agents_may_have_any_value(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bold.py").write_text("1\n")
    options = {option: "center" for option in ("path", "weights", "evaluation", "prior", "models", "log", "folder")}
    text = "python:file=bold.py,class=Bold," + ",".join(f"{option}={value}" for option, value in options.items())
    found = identity.agent_identity(text)
    assert found.items() >= options.items()
    assert found.keys() - options.keys() == {"kind", "file", "class", "sha256 of source"}


@pytest.mark.parametrize("option", ["path", "weights", "evaluation", "prior", "models", "log"])
@pytest.mark.parametrize("value", ["a.json", "b.json+a.json", "first+a.json"])
def test_files_of_own_options_belong_to_the_identity_whatever_the_option_is_called(
    tmp_path, monkeypatch, option, value
):
    monkeypatch.chdir(tmp_path)
    for name in ("bold.py", "a.json", "b.json", "first"):
        (tmp_path / name).write_text("1\n")
    text = f"python:file=bold.py,class=Bold,{option}={value}"
    before = identity.agent_identity(text)
    assert {f"sha256 of {option} {name}" for name in value.split("+")} <= before.keys()
    (tmp_path / "a.json").write_text("2\n")
    assert identity.agent_identity(text) != before


def test_keys_of_files_of_agents_that_come_with_the_package(tmp_path, monkeypatch):
    """Kept results contain these keys."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("1\n")
    keys = {
        "ppo:path=a.json": {"path", "sha256"},
        "greedy:weights=a.json": {"weights", "sha256"},
        "search:prior=a.json,evaluation=b.json": {"prior", "prior_sha256", "evaluation", "evaluation_sha256"},
        "search:models=tuned+a.json": {"models", "sha256 of models a.json"},
        "line:command=sh a.json,log=b.json": {"command", "log", "sha256 of a.json"},
    }
    for text, wanted in keys.items():
        assert identity.agent_identity(text).keys() == {"kind", *wanted}


def test_agents_in_folders_without_init_are_identified_by_their_source(tmp_path, monkeypatch):
    """The folders are namespace packages, one inside the other."""
    monkeypatch.syspath_prepend(tmp_path)
    source = tmp_path / "bots_without_init" / "bold" / "first.py"
    source.parent.mkdir(parents=True)
    source.write_text("raise SystemExit\n")
    text = "python:class=bots_without_init.bold.first:Bold"
    before = identity.agent_identity(text)
    assert identity.find_source("bots_without_init.bold.first") == source
    source.write_text("raise SystemExit  # another one\n")
    assert identity.agent_identity(text) != before
    for nothing in ("bots_without_init", "bots_without_init.bold", "bots_without_init.bold.none"):
        assert identity.find_source(nothing) is None


@pytest.mark.slow
def test_armies_meet_in_both_seats(tmp_path):
    told = []
    contest = RoundRobin.make(["beginners", "scourge", "undead"], "random", Plan(2, seed=1), tmp_path)
    contest.play(contest.missing(), told.append)
    results = contest.results()
    assert sum(told) == 12
    for one, other in results.games:
        assert results.games[one, other].games == 4
        assert results.games[one, other].wins == results.games[other, one].losses


@pytest.mark.slow
def test_armies_are_not_compared_by_games_lost_by_forfeit(tmp_path):
    raises = "python:class=tests.agents.misbehaving:Raises"
    contest = RoundRobin.make(["beginners", "scourge"], raises, Plan(1, seed=1), tmp_path)
    with pytest.raises(ValueError, match=r"lost the game of seed \d+ by forfeit, it raised RuntimeError: no idea"):
        contest.play(contest.missing(), lambda games: None)
    assert contest.missing() == [0, 1]


@pytest.mark.slow
def test_four_generals_can_be_evaluated():
    told = []
    game = load_game("sack_armies", num_generals=4, switches={"max_turns": 20})
    tally, played = evaluate(game, "greedy", "random", Plan(2, seed=1), told.append)
    assert tally.games == 8
    assert {len(one.returns) for one in played} == {4}


def test_draws_are_left_out_of_what_equal_agents_would_win():
    """The first seat wins in one unit; in the other, two seats draw. So each of three equal agents wins a sixth."""
    line_ups = [("a", "b", "b"), ("b", "a", "b"), ("b", "b", "a")]
    ends = [(1.0, -0.5, -0.5), (0.25, 0.25, -0.5)]
    played = [
        PlayedGame(seed, line_up, (), returns, 9, truncated=False)
        for seed, returns in enumerate(ends)
        for line_up in line_ups
    ]
    sentences = result_sentences(Match("a", "b", played_units(played)), Tally(1, 2, 3), played)
    assert "; equal agents would win 17% with as many draws; 9 turns" in sentences[1]
