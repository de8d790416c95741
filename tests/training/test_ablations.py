"""Ablations of the trainer: what a variant changes, and what the table shows."""

from pathlib import Path

import pytest

from benchmarks import ablations
from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.factory import parse_agent
from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_env.core.entries import find_hook
from sackarmies_env.registry import load_game
from sackarmies_training.files import write_json
from sackarmies_training.labels import teach, write_labels


@pytest.mark.parametrize(
    ("changes", "file"),
    [
        pytest.param(changes, file, id=name)
        for variants, file in ((ablations.VARIANTS, ablations.BASE), (ablations.OF_LABELS, ablations.EXPERT))
        for name, changes in variants.items()
    ],
)
def test_ablation_changes_what_it_names_and_nothing_else(tmp_path, changes, file):
    base, found = (ablations.configure(one, tmp_path, 3, 8.0, base=file).model_dump() for one in ({}, changes))
    different = {key for key in base if base[key] != found[key]}
    assert different == {key for key in changes if changes[key] != {}}
    for section in different - {"teacher", "shaping"}:
        assert {key for key in base[section] if base[section][key] != found[section][key]} <= set(changes[section])


@pytest.mark.slow
def test_general_of_labels_plays_with_what_its_variant_knows(tmp_path):
    game = load_game("sack_armies")
    labels = teach(game, make_agent("greedy", GameInfo.of(game)), 4, 1, 0.1)
    write_labels(tmp_path / "labels.safetensors", labels, GameInfo.of(game), "a test")
    changes = ablations.OF_LABELS["advice alone"]
    config = ablations.configure(changes, tmp_path / "run", 1, 1e-3, base=ablations.EXPERT)
    won, played, learned = ablations.measure_taught(config, tmp_path / "labels.safetensors", 1e-3, "random", 2)
    assert played == 2 * config.learn.line_ups
    assert learned > 0
    assert won > 0.5 * played


def test_checkpoint_in_a_folder_with_a_comma_is_measured(monkeypatch):
    def evaluate(game, agent, *_):
        raise InterruptedError(agent)

    monkeypatch.setattr(ablations, "evaluate", evaluate)
    with pytest.raises(InterruptedError) as measured:
        ablations.measure("a,b/c.safetensors", ablations.configure({}, Path("runs"), 1, 1.0), "random", 2)
    assert parse_agent(str(measured.value)).options["path"] == "a,b/c.safetensors"


@pytest.mark.slow
def test_general_is_measured_with_the_decisions_that_it_learned_from(tmp_path):
    config = ablations.configure({}, tmp_path, 3, 8.0)
    path = find_hook("sack_armies", "trained")
    won, played, learned = ablations.measure(str(path), config, "random", 4)
    assert (won, played) == (4, 4)
    assert learned == read_checkpoint(path).header.training["decisions"] > 0


def test_ablations_may_do_without_advice_and_teacher(tmp_path):
    usual, advised, taught, neither = (
        ablations.configure({}, tmp_path, 3, 8.0, without)
        for without in ([], ["teacher"], ["advice"], ["advice", "teacher"])
    )
    assert usual.teacher is not None
    assert usual.learn.advice != ""
    unadvised = usual.learn.model_copy(update={"advice": "", "worths": False, "reasons": False})
    assert (advised.teacher, advised.learn) == (None, usual.learn)
    assert (taught.teacher, taught.learn) == (usual.teacher, unadvised)
    assert (neither.teacher, neither.learn) == (None, unadvised)


def test_ablations_can_be_limited_by_decisions(tmp_path):
    usual = ablations.configure({}, tmp_path, 3, 8.0)
    assert ablations.limited(usual, 0) == usual
    found = ablations.limited(usual, 5_000)
    assert found.learn == usual.learn.model_copy(update={"decisions": 5_000})
    assert found.model_copy(update={"learn": usual.learn}) == usual


@pytest.mark.parametrize("without", [(), ("advice",), ("advice", "teacher")], ids=" ".join)
def test_each_ablation_differs_from_the_configuration(tmp_path, without):
    usual = ablations.configure({}, tmp_path, 3, 8.0, without)
    left_out = {name for part in without for name in ablations.LEFT_OUT[part]}
    for name in {*ablations.VARIANTS} - {"as configured"} - left_out:
        assert ablations.configure(ablations.VARIANTS[name], tmp_path, 3, 8.0, without) != usual, name


def test_ablations_left_out_without_advice_are_refused_or_change_nothing_there(tmp_path):
    usual = ablations.configure({}, tmp_path, 3, 8.0, ["advice"])
    trusting, *others = ablations.OF_ADVICE
    with pytest.raises(ValueError, match=r"magnet_trust is 0\.8, but advice is empty"):
        ablations.configure(ablations.VARIANTS[trusting], tmp_path, 3, 8.0, ["advice"])
    for name in others:
        assert ablations.configure(ablations.VARIANTS[name], tmp_path, 3, 8.0, ["advice"]) == usual


@pytest.mark.parametrize("without", [["advice"], ["advice", "teacher"]], ids=" ".join)
def test_ablations_leave_out_what_others_cannot_be_compared_with(tmp_path, monkeypatch, capsys, without):
    words = ["ablations", "--folder", str(tmp_path), "--seeds", "1", "--without", *without]
    monkeypatch.setattr("sys.argv", words)
    monkeypatch.setattr(ablations, "train", lambda config, console: tmp_path)
    monkeypatch.setattr(ablations, "measure", lambda *given, **options: [1, 2, 3])
    ablations.main()
    rows = {row.split(" | ")[0].strip("| ") for row in capsys.readouterr().out.splitlines()[2:]}
    clone = set() if "teacher" in without else {ablations.CLONE}
    assert rows == {*ablations.VARIANTS} - {name for part in without for name in ablations.LEFT_OUT[part]} | clone


@pytest.mark.parametrize("name", ["as configured", "as in continue.toml"])
def test_ablations_begin_with_a_clone_that_is_pulled_nowhere(tmp_path, monkeypatch, name):
    made = []
    monkeypatch.setattr(ablations, "train", lambda config, console: made.append(config) or tmp_path / "clone")
    config = ablations.configure(ablations.VARIANTS[name], tmp_path / "run", 3, 8.0)
    found = ablations.with_clone(config, tmp_path, 0, None)
    assert (found.learn.start, found.teacher) == (str(tmp_path / "clone"), None)
    [clone] = made
    assert (clone.learn.start, clone.learn.start_policy, clone.teacher) == ("", 0.0, config.teacher)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--opponent", "clone", "--without", "teacher"], "--opponent clone: there is none"),
        (["--opponent", "clone", "--labels", "x"], "--opponent clone: there is none"),
        (["--sampled", "--labels", "x"], "--labels: --without and --sampled are for self-play"),
        (["--without", "advice", "--labels", "x"], "--labels: --without and --sampled are for self-play"),
    ],
)
def test_options_of_ablations_that_have_no_effect_are_refused(monkeypatch, capsys, words, told):
    monkeypatch.setattr("sys.argv", ["ablations", *words])
    with pytest.raises(SystemExit):
        ablations.main()
    assert told in capsys.readouterr().err


def test_table_of_ablations_has_an_interval_over_seeds_and_one_over_games():
    found = {"as configured": {"1": [60, 100, 4_000], "2": [50, 100, 6_000], "3": [55, 100, 5_000]}}
    row = ablations.table(found).splitlines()[2]
    assert row == (
        "| as configured | 5,000 | 300 | 60.0%, 50.0%, 55.0% | 55.0% (42.6% to 67.4%) | 55.0% (49.3% to 60.5%) |"
    )


def test_intervals_of_shares_stay_shares():
    assert ablations.interval([0.02, 0.9, 0.3]) == "40.7% (0.0% to 100.0%)"


def test_series_of_another_configuration_is_not_continued(tmp_path, monkeypatch):
    write_json(tmp_path / "results.json", {"plan": {"minutes": 8.0, "base": {"seed": 2}}, "found": {}})
    monkeypatch.setattr("sys.argv", ["ablations", "--folder", str(tmp_path), "--games", "7"])
    with pytest.raises(
        SystemExit, match=r"results\.json holds results with another .*games and .*base and code: choose"
    ):
        ablations.main()
