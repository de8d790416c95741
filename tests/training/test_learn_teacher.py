"""Runs of `learn.py` that start from a teacher: what survives a kill, and what the model card says."""

import re

import pytest

from sackarmies_agents.learned.checkpoint import pack, read_checkpoint
from sackarmies_training import curve
from tests.training.test_learn import make_config, run


def test_teacher_is_cloned_before_self_play(tmp_path):
    changes = {
        "teacher": {"agent": "random", "decisions": 200, "games": 4},
        "curve": {"opponent": "random", "games": 4},
    }
    _, text = run(make_config(tmp_path, **changes))
    assert text.index("decisions of a teacher") < text.index("minutes, 0 decisions:")


def test_clone_of_a_teacher_survives_a_kill(tmp_path, monkeypatch):
    def killed(*given, **options):
        raise KeyboardInterrupt

    changes = {
        "teacher": {"agent": "random", "decisions": 200, "games": 4},
        "curve": {"opponent": "random", "games": 4},
    }
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(curve.Curve, "follow", killed)
        run(make_config(tmp_path, **changes))
    _, text = run(make_config(tmp_path, **changes), resume=True)
    assert "Resuming from" in text
    assert "decisions of a teacher" not in text


def test_run_that_was_killed_before_its_first_checkpoint_says_that_it_starts_over(tmp_path, monkeypatch):
    def killed(*given):
        raise KeyboardInterrupt

    changes = {"teacher": {"agent": "random", "decisions": 200, "games": 4}}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("sackarmies_training.learn.clone_teacher", killed)
        run(make_config(tmp_path, **changes))
    _, text = run(make_config(tmp_path, **changes), resume=True)
    assert "There is no checkpoint yet: starting from the beginning." in text
    assert "decisions of a teacher" in text


@pytest.mark.parametrize(
    "cards",
    [
        ({}, "Start | random weights |", "against itself, in games"),
        (
            {"teacher": {"agent": "random", "decisions": 200, "games": 4}, "learn": {"max_minutes": 1e-9}},
            "Start | random weights, then {labels} labels of `random` |",
            "from labels alone, of games",
        ),
    ],
    ids=["self-play", "labels"],
)
def test_card_says_what_the_general_learned_from(tmp_path, cards):
    changes, start, trained = cards
    path, text = run(make_config(tmp_path, **changes))
    learned = re.search(r"Learned from ([0-9,]+) decisions", text)
    card = path.with_suffix(".md").read_text()
    assert start.format(labels=learned and learned[1]) in card
    assert trained in card


def test_run_of_an_earlier_version_resumes_and_its_card_names_no_number_of_labels(tmp_path):
    changes = {"teacher": {"agent": "random", "decisions": 200, "games": 4}}
    path, text = run(make_config(tmp_path, **changes))
    for one in [path, *(path.parent / "checkpoints").iterdir()]:
        found = read_checkpoint(one)
        assert f"Learned from {found.header.training.pop('taught'):,} decisions" in text
        one.write_bytes(pack(found.header, found.parts))
    path.unlink()
    path, _ = run(make_config(tmp_path, **changes), resume=True)
    assert "Start | random weights, then labels of `random` |" in path.with_suffix(".md").read_text()


@pytest.mark.parametrize("section", [{}, {"curve": {"opponent": "random", "games": 4}}], ids=["none", "curve"])
def test_each_checkpoint_or_point_of_the_curve_is_a_line_without_a_terminal(tmp_path, section):
    path, text = run(make_config(tmp_path, checkpoints={"every": 128, "keep": 9}, **section))
    told = re.findall(r"^[0-9.]+ minutes, ([0-9,]+) decisions: (checkpoint|won)", text, re.MULTILINE)
    if section:
        assert {what for _, what in told} == {"won"}
    else:
        written = sorted(int(one.stem) for one in (path.parent / "checkpoints").iterdir())
        assert told == [(f"{number:,}", "checkpoint") for number in written]
        assert len(written) > 1
