"""Analyses in records: from agents as they play, and by `sackarmies analyze` afterward."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from sackarmies_agents import Report
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.record import (
    Analysis,
    Belief,
    Candidate,
    GameRecord,
    load_record,
    make_record,
    replay,
    save_record,
)
from sackarmies_env.envs.match import Match
from sackarmies_env.registry import game_of
from sackarmies_env.render.frames import replay_data
from sackarmies_training import unfinished_analysis
from sackarmies_training.analysis import AnalysisPlan, Reports, analyze, reported
from sackarmies_training.commands.output import STOPPED
from sackarmies_training.locks import locked_file
from tests.agents import thinking
from tests.agents.thinking import Thinker
from tests.core.toy_game import make_duel
from tests.render.positions import SMALL, twin
from tests.render.test_replay_pages import HIDDEN_COURSE, recorded
from tests.training.commands.test_cli import FIGHT, refused, run

THINKER = "python:class=tests.agents.thinking:Thinker"


def played(plies=12):
    """Play the lowest legal ids; return the game and the record."""
    match = Match(make_duel())
    match.begin(3)
    while match.player >= 0 and len(match.history) < plies:
        match.play(match.legal_actions()[0])
    return match.game, make_record(match.game, 3, match.history)


def decisions(game, record):
    """Return ply and player of each decision with more than one choice."""
    found = []

    def listen(ply, before, action, after):
        if len(legal_ids(before["legal"][0])) > 1:
            found.append((ply, int(before["current_player"][0])))

    replay(game, record, listen)
    return found


# --- while playing


def test_reports_of_an_agent_are_kept_as_it_plays():
    match, agent, reports = Match(make_duel()), thinking.Thinker(None), Reports()
    match.begin(3)
    (action,) = agent.act_informed(match.information_set(match.player))
    reports.take(agent, "thinker\n" * 40, match, int(action))
    (analysis,) = reports.analyses
    assert [candidate.action for candidate in analysis.candidates] == match.legal_actions()[::-1][:8]
    assert analysis.value == 0.5
    assert len(analysis.agent) == 100 and "\n" not in analysis.agent


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (thinking.Illegal, "names action 1000000, which is not legal"),
        (thinking.Endless, "reported something that a record cannot hold: .*value"),
        (thinking.TooMany, "did not return one Report"),
        (thinking.Fails, "raised RuntimeError: no idea"),
    ],
)
def test_agent_that_reports_nonsense_plays_on_and_is_not_asked_again(kind, fault):
    match, agent, reports = Match(make_duel()), kind(None), Reports()
    match.begin(3)
    player = match.player
    (action,) = agent.act_informed(match.information_set(player))
    reports.take(agent, "agent", match, int(action))
    assert reports.analyses == []
    (told,) = reports.faults.values()
    assert re.search(fault, told)
    agent.report = None  # a second question would be another fault
    reports.take(agent, "agent", match, int(action))
    assert reports.faults == {player: told}


# --- afterward


def test_analyses_of_a_seat_are_replaced_and_those_of_others_kept():
    game, record = played()
    asked = decisions(game, record)
    both = analyze(game, record, AnalysisPlan(THINKER, (0, 1)))
    assert [analysis.ply for analysis in both.analyses] == [ply for ply, _ in asked]
    mute = "python:class=tests.agents.thinking:Mute"
    mixed = analyze(game, both, AnalysisPlan(mute, (1,)))
    assert [analysis.agent for analysis in mixed.analyses] == [(THINKER, mute)[player] for _, player in asked]
    own = next(analysis for analysis in mixed.analyses if analysis.agent == mute)
    assert [candidate.probability for candidate in own.candidates] == [None]
    assert mixed.model_copy(update={"analyses": ()}) == record


def test_forfeits_are_not_analyzed():
    match = Match(make_duel(4))
    match.begin(3)
    match.play(match.legal_actions()[0])
    match.forfeit(next(seat for seat in range(4) if seat != match.player))
    match.play(match.legal_actions()[0])
    record = make_record(match.game, 3, match.history)
    done = []
    analyzed = analyze(match.game, record, AnalysisPlan(THINKER, (0, 1, 2, 3)), done.append)
    assert record.actions[1] < 0
    assert [analysis.ply for analysis in analyzed.analyses] == [0, 2]
    assert done == [1, 1, 1]


@pytest.mark.parametrize(("action", "kept"), [(3, range(8)), (11, [*range(8), 11])])
def test_best_candidates_are_kept_and_the_played_one_with_its_rank(action, kept):
    agent = Thinker(None)
    agent.masks = [np.zeros(1, np.int8)]
    agent.legal = lambda mask: list(range(12))
    found = reported(agent, "thinker", 5, action)
    assert [candidate.action for candidate in found.candidates] == list(kept)
    assert [candidate.rank for candidate in found.candidates] == [None] * 8 + [action + 1] * (len(kept) - 8)


def test_small_probabilities_stay_above_zero():
    agent = Thinker(None)
    agent.masks = [np.zeros(1, np.int8)]
    agent.think = lambda legal: Report((Candidate(action=0, probability=0.0000123456, value=-0.98765),))
    (candidate,) = reported(agent, "thinker", 0, 0).candidates
    assert (candidate.probability, candidate.value) == (0.00001235, -0.9877)


@pytest.mark.parametrize("kind", ["Illegal", "Endless", "TooMany", "Fails", "Yields", "Twice", "Huge"])
def test_agent_that_cannot_analyze_is_refused_with_the_ply(kind):
    game, record = played()
    with pytest.raises(ValueError, match=rf"{kind}' cannot analyze ply \d+: it (reported|did not return|raised) "):
        analyze(game, record, AnalysisPlan(f"python:class=tests.agents.thinking:{kind}", (0,)))


@pytest.mark.slow
def test_analyses_depend_on_what_the_player_may_know_alone():
    """Both worlds look alike to General 0, but not to General 1."""
    plan = AnalysisPlan("search:playouts=8,horizon=1", (0, 1), samples=3)
    pages, analyses = [], []
    for scenario in (SMALL, twin()):
        game, record = recorded(scenario, *HIDDEN_COURSE)
        analyzed = analyze(game, record, plan)
        pages.append(replay_data(game, analyzed, [0]))
        own = [ply for ply, player in decisions(game, analyzed) if player == 0]
        analyses.append([analysis for analysis in analyzed.analyses if analysis.ply in own])
    assert analyses[0] == analyses[1]
    assert any(belief.contents for analysis in analyses[0] for belief in analysis.beliefs)
    assert pages[0] == pages[1]
    assert pages[0]["views"][0]["analyses"]


# --- commands


class Interrupted(Thinker):
    """Agent that is interrupted at its third decision."""

    asked = 0

    def act_informed(self, information):
        type(self).asked += 1
        if self.asked == 3:
            raise KeyboardInterrupt
        return super().act_informed(information)


class Remembering(Interrupted):
    shares_batch = False


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize(("kind", "again"), [(Interrupted, 2), (Remembering, 0)])
def test_interrupted_analysis_resumes_where_it_was(tmp_path, monkeypatch, kind, again, is_killed):
    path, whole = tmp_path / "game.json", tmp_path / "whole.json"
    run("play", "random", *FIGHT, "--record", path, answers="1\n" * 8 + "quit\n")
    record = load_record(path)
    text = f"python:class=tests.training.test_analysis:{kind.__name__}"
    command = ("analyze", path, text)
    monkeypatch.setattr(unfinished_analysis, "PAUSE", -1.0)
    monkeypatch.setattr(kind, "asked", 0)
    with monkeypatch.context() as patch:
        if is_killed:  # only what was written before is left
            patch.setattr(unfinished_analysis.Unfinished, "__exit__", lambda self, *error: None)
        assert run(*command).exit_code == STOPPED
    assert load_record(path) == record
    assert [file.name for file in tmp_path.glob(".*")] == [".game.json.unfinished"]
    before = kind.asked
    assert run(*command, "--out", whole).exit_code == 0  # another target: from the beginning
    all_of_them = kind.asked - before
    assert run(*command).exit_code == 0
    assert kind.asked - before - all_of_them == all_of_them - again
    assert path.read_bytes() == whole.read_bytes()
    assert [file.name for file in tmp_path.glob(".*")] == []


@pytest.mark.parametrize("change", ["--seed", "--samples", "content"])
def test_analyses_of_another_task_are_not_taken_over(tmp_path, change):
    game, record = played()
    path = tmp_path / "game.json"
    plan = AnalysisPlan(THINKER, (0,))
    with pytest.raises(KeyboardInterrupt), unfinished_analysis.Unfinished(path, game, record, plan) as notes:
        analyze(game, record, plan, notes=notes)
        raise KeyboardInterrupt
    assert unfinished_analysis.Unfinished(path, game, record, plan).analyses == notes.analyses != {}
    changed = {"--seed": {"seed": 2}, "--samples": {"samples": 5}}.get(change, {})
    if not changed:
        (tmp_path / ".game.json.unfinished").write_text("{")
    assert unfinished_analysis.Unfinished(path, game, record, replace(plan, **changed)).analyses == {}


def test_beliefs_of_an_interrupted_analysis_keep_the_order_of_their_contents(tmp_path):
    game, record = played()
    given, contents = (game, record, AnalysisPlan(THINKER, (0,))), {"z": 0.5, "y": 0.25, "a": 0.125}
    with pytest.raises(KeyboardInterrupt), unfinished_analysis.Unfinished(tmp_path / "game.json", *given) as notes:
        notes.add(Analysis(ply=0, agent="a", beliefs=(Belief(subject="hand", contents=contents),)))
        raise KeyboardInterrupt
    resumed = unfinished_analysis.Unfinished(tmp_path / "game.json", *given)
    assert [*resumed.analyses[0].beliefs[0].contents] == [*contents]


def test_recorded_game_keeps_what_agents_report_and_analyze_adds_to_it(tmp_path):
    path, other = tmp_path / "game.json", tmp_path / "other.json"
    result = run("play", THINKER, *FIGHT, "--record", path, answers="1\n" * 8 + "quit\n")
    assert result.exit_code == 0, result.output
    record = load_record(path)
    assert {analysis.agent for analysis in record.analyses} == {THINKER}
    result = run("analyze", path, "random", "--seat", 0, "--samples", 0, "--out", other)
    assert result.exit_code == 0, result.output
    added = load_record(other)
    assert f"analyses of {len(added.analyses)} decisions" in " ".join(result.output.split())
    assert {analysis.agent for analysis in added.analyses} == {THINKER, "random"}
    assert added.model_copy(update={"analyses": record.analyses}) == record
    assert "is intact" in " ".join(run("replay", other, "--check").output.split())


@pytest.mark.slow
def test_watched_game_keeps_what_agents_report(tmp_path):
    path = tmp_path / "game.json"
    result = run("watch", THINKER, "greedy", *FIGHT, "--record", path)
    assert result.exit_code == 0, result.output
    record = load_record(path)
    own = [ply for ply, player in decisions(game_of(record), record) if player == 0]
    assert [analysis.ply for analysis in record.analyses] == own
    assert all(analysis.candidates[0].action == record.actions[analysis.ply] for analysis in record.analyses)


def test_player_is_told_whose_reports_could_not_be_kept(tmp_path):
    path = tmp_path / "game.json"
    result = run("play", THINKER.replace("Thinker", "Fails"), *FIGHT, "--record", path, answers="1\n" * 8 + "quit\n")
    assert "Some analyses of General 1" in result.output
    assert "are missing: the agent reported something that a record cannot hold" in " ".join(result.output.split())
    assert load_record(path).forfeits == ()


def test_two_analyses_do_not_change_one_record_at_once(tmp_path):
    path, other = tmp_path / "game.json", tmp_path / "other.json"
    run("play", "random", *FIGHT, "--record", path, answers="1\nquit\n")
    with locked_file(path):
        told = refused("analyze", path, THINKER)
        assert f"{path} is being changed by another process: wait until it has ended" in told
        assert run("analyze", path, THINKER, "--out", other).exit_code == 0
    assert load_record(path).analyses == ()
    assert run("analyze", path, THINKER).exit_code == 0
    assert path.read_bytes() == other.read_bytes()
    assert [file.name for file in tmp_path.glob(".*")] == []


def test_nonsense_is_refused_by_analyze_with_a_sentence(tmp_path):
    path = tmp_path / "game.json"
    run("play", "random", *FIGHT, "--record", path, answers="1\nquit\n")
    assert "--seat 2 is not at the table: seats run from 0 to 1" in refused("analyze", path, "random", "--seat", 2)
    assert "unknown agent 'nobody'" in refused("analyze", path, "nobody")
    assert "there is no such file" in refused("analyze", tmp_path / "none" / "game.json", "random")
    assert not (tmp_path / "none").exists()
    assert f"--out {tmp_path}: expected a file, not a folder" in refused("analyze", path, "random", "--out", tmp_path)
    assert "must be an integer from 0 to 2**128 - 1" in refused("analyze", path, "random", "--seed", 2**128)
    record = load_record(path)
    wrong = Analysis(ply=0, agent="a", candidates=(Candidate(action=5000),))
    save_record(GameRecord.model_validate(record.model_dump() | {"analyses": (wrong,)}), path)
    fault = "the analysis of ply 0 names action 5000, which is not legal there"
    for command in (("analyze", path, "random"), ("view", path)):
        assert fault in refused(*command)
    checked = run("replay", path, "--check")
    assert checked.exit_code == 1  # it found something
    assert fault in checked.stderr
