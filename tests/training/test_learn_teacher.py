"""Runs of `learn.py` that start from a teacher: what survives a kill, and what the model card says."""

import pytest

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
            "Start | random weights, then 200 labels of `random` |",
            "from labels alone, of games",
        ),
    ],
    ids=["self-play", "labels"],
)
def test_card_says_what_the_general_learned_from(tmp_path, cards):
    changes, start, trained = cards
    path, _ = run(make_config(tmp_path, **changes))
    card = path.with_suffix(".md").read_text()
    assert start in card
    assert trained in card
