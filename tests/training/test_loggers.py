"""Logs of runs: files, TensorBoard, and stand-ins for services; curves of games; recorded games."""

from __future__ import annotations

import csv
import json
import math
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from pydantic import ValidationError
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from sackarmies_env.core.record import load_record, replay
from sackarmies_env.registry import load_players
from sackarmies_training.config import LogSection
from sackarmies_training.game_curves import GameCurves, army_names, kinds_of_victory
from sackarmies_training.labels import DRAW, LOSS, WIN
from sackarmies_training.log_services import flattened
from sackarmies_training.loggers import JSON_LINES, TABLE, LogFiles, Loggers, open_loggers
from sackarmies_training.sample_games import RECORDS, remove_later
from tests.core.toy_game import make_duel
from tests.training import test_learn, test_train

ROUND = test_learn.ROUND


def lines_of(folder):
    return [json.loads(line) for line in (folder / JSON_LINES).read_text().splitlines()]


def rows_of(folder):
    with (folder / TABLE).open(newline="") as file:
        return [(int(row["step"]), row["name"], float(row["value"])) for row in csv.DictReader(file)]


# --- files


def test_both_files_hold_every_value(tmp_path):
    files = LogFiles(tmp_path)
    files.log(-5, {"imitation/predicted": 0.5})
    files.log(10, {"learn/loss": 1.25, "learn/odd": math.nan})
    files.close()
    expected = [{"step": -5, "imitation/predicted": 0.5}, {"step": 10, "learn/loss": 1.25, "learn/odd": None}]
    assert lines_of(tmp_path) == expected
    assert rows_of(tmp_path)[:2] == [(-5, "imitation/predicted", 0.5), (10, "learn/loss", 1.25)]
    assert math.isnan(rows_of(tmp_path)[2][2])


def test_resumed_run_removes_what_came_after_its_checkpoint(tmp_path):
    files = LogFiles(tmp_path)
    for step in (0, 10, 20, 30):
        files.log(step, {"a": step, "b": step})
    files.close()
    for name, torn in ((JSON_LINES, '{"step": 40, "a'), (TABLE, "4")):  # killed while it wrote
        with (tmp_path / name).open("a") as file:
            file.write(torn)
    loggers = open_loggers(LogSection(to=[]), tmp_path, {}, last=10)
    loggers.log(10, {"a": 99.0, "c": 1.0})  # "a" is logged there already
    loggers.log(20, {"a": 2.0})
    loggers.close()
    wanted = [{"step": 0, "a": 0, "b": 0}, {"step": 10, "a": 10, "b": 10}, {"step": 10, "c": 1.0}]
    assert lines_of(tmp_path) == [*wanted, {"step": 20, "a": 2.0}]
    assert [row[:2] for row in rows_of(tmp_path)] == [
        *((step, name) for step in (0, 10) for name in "ab"),
        (10, "c"),
        (20, "a"),
    ]


def test_resumed_run_removes_lines_that_cannot_be_read(tmp_path):
    files = LogFiles(tmp_path)
    for step in (10, 20):
        files.log(step, {"von_Zoë": float(step)})
    files.close()
    for name, damaged in (
        (JSON_LINES, b'5\n[]\n{"a": 1}\n{"step": "10"}\n{"step": null}\n' + b"[" * 100_000 + b'\n{"step": 10, "\xc3\n'),
        (TABLE, b"ten,a,1\n10,von_Zo\xc3\n\n"),
    ):
        path = tmp_path / name
        first, *rest = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(first + damaged + b"".join(rest))
    with (tmp_path / TABLE).open("ab") as file:
        file.write("20,von_Zoë".encode()[:-1])  # killed in the middle of a letter
    LogFiles(tmp_path, last=10).close()
    assert lines_of(tmp_path) == [{"step": 10, "von_Zoë": 10.0}]
    assert rows_of(tmp_path) == [(10, "von_Zoë", 10.0)]


def test_names_with_commas_and_quotes_are_read_as_they_were_logged(tmp_path):
    name = 'won_against/python:"a",deterministic=true,device=cpu'
    files = LogFiles(tmp_path)
    for step in (10, 20):
        files.log(step, {name: 0.5, "learn/loss": 1.0})
    files.close()
    assert rows_of(tmp_path)[0] == (10, name, 0.5)
    LogFiles(tmp_path, last=10).close()  # a resumed run
    assert rows_of(tmp_path) == [(10, name, 0.5), (10, "learn/loss", 1.0)]


def test_run_that_begins_anew_in_its_folder_has_empty_logs(tmp_path):
    for value in (1.0, 2.0):
        loggers = open_loggers(LogSection(), tmp_path, {})
        loggers.log(-3, {"a": value})
        loggers.close()
    assert lines_of(tmp_path) == [{"step": -3, "a": 2.0}]
    curves = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [(event.step, event.value) for event in curves.Scalars("a")] == [(-3, 2.0)]


# --- services


class Service:
    """Stand-in for all three libraries, which keeps what it is sent."""

    def __init__(self):
        self.sent, self.begun, self.files, self.closed = [], [], [], 0
        self.id = "run"

    # wandb and trackio
    def init(self, **options):
        self.begun.append(options.get("id") or options["name"])
        return self

    def define_metric(self, name, **options):
        pass

    def log(self, values, step=None):
        values = dict(values)
        self.sent.append((values.pop("decisions", step), values))

    def finish(self):
        self.closed += 1

    # mlflow
    def get_experiment_by_name(self, name):
        return None

    def create_experiment(self, name):
        return name

    def create_run(self, experiment, run_name):
        self.begun.append("mlflow-run")
        return SimpleNamespace(info=SimpleNamespace(run_id="mlflow-run"))

    def update_run(self, run, status):
        self.begun.append(run)

    def log_param(self, run, key, value):
        assert isinstance(value, str)

    def log_batch(self, run, metrics):
        self.sent.append((metrics[0][3], {name: value for name, value, _, _ in metrics}))

    def log_artifact(self, *given, **options):
        self.files.append(str(given[-1]))

    def set_terminated(self, run):
        self.closed += 1


@pytest.fixture(params=["wandb", "mlflow", "trackio"])
def service(request, monkeypatch):
    """Replace a library by a stand-in; return the name of the library and the stand-in."""
    stand_in, module = Service(), ModuleType(request.param)
    module.init, module.finish, module.log_artifact = stand_in.init, stand_in.finish, stand_in.log_artifact
    module.MlflowClient = lambda: stand_in
    module.entities = SimpleNamespace(Metric=lambda *given: given)
    monkeypatch.setitem(sys.modules, request.param, module)
    return request.param, stand_in


def test_resumed_run_goes_on_in_the_service_and_sends_no_step_twice(tmp_path, service):
    name, sent = service
    for last, steps in ((None, (-1, 10, 20, 30)), (10, (20,)), (10, (20, 30, 40))):  # killed after 30, after 20
        options = {} if last is None else {"last": last}
        loggers = open_loggers(LogSection(to=[name]), tmp_path, {"learn": {"games": 3}, "seed": 1}, **options)
        for step in steps:
            loggers.log(step, {"a": 1.0})
            loggers.log(step, {"b": 1.0})
    loggers.artifact(tmp_path / "game.json")
    loggers.close()
    assert sent.sent == [(step, {key: 1.0}) for step in (-1, 10, 20, 30, 40) for key in "ab"]
    assert len(set(sent.begun)) == 1
    assert [line["step"] for line in lines_of(tmp_path)] == [step for step in (-1, 10, 20, 30, 40) for _ in range(2)]
    assert sent.files == [str(tmp_path / "game.json")]
    assert sent.closed == 1


def test_training_logs_to_a_service(tmp_path, service):
    name, sent = service
    config = test_learn.make_config(tmp_path, learn={"decisions": 2 * ROUND}, log={"to": [name]})
    path, _ = test_learn.run(config)
    assert not (path.parent / "tensorboard").exists()
    assert {step for step, _ in sent.sent} == {ROUND, 2 * ROUND}
    assert [file.rpartition("/")[2] for file in sent.files] == [
        *(f"{decisions:09d}.json" for decisions in (ROUND, 2 * ROUND)),
        "checkpoint.safetensors",
    ]
    assert sent.closed == 1


@pytest.mark.parametrize("name", ["wandb", "mlflow", "trackio"])
def test_missing_library_is_a_sentence(tmp_path, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ValueError, match=rf"\[log\] names '{name}', which is not installed: pip install {name}"):
        test_learn.run(test_learn.make_config(tmp_path, log={"to": [name]}))
    assert list(tmp_path.iterdir()) == []


def test_unknown_place_is_refused():
    with pytest.raises(ValidationError, match="'tensorboard', 'wandb', 'mlflow' or 'trackio'"):
        LogSection(to=["paper"])


def test_names_of_a_configuration_are_joined_by_dots():
    data = {"learn": {"games": 3, "start": "trained"}, "shaping": {}, "seed": 1}
    assert flattened(data) == {"learn.games": "3", "learn.start": "trained", "shaping": "{}", "seed": "1"}


# --- curves of games


def test_curves_are_shares_of_games_and_of_those_of_a_seat():
    game, curves = make_duel(), GameCurves()
    states = game.new_states(4)
    states["turn"] = [1, 2, 3, 6]
    states["truncated"] = [0, 0, 0, 1]
    results = np.array([[WIN], [LOSS], [WIN], [DRAW]])
    curves.add(game, states, results, np.array([[0], [0], [1], [1]]))
    expected = {"games/turns": 3.0, "games/drawn": 0.25, "games/truncated": 0.25}
    assert curves.take() == expected | {"won/seat_0": 0.5, "won/seat_1": 0.5}
    assert curves.take() == {}


def test_kinds_of_victory_and_armies_are_those_of_the_game():
    game = load_players("sack_armies", 2, armies=["beginners", "undead"])
    states = game.new_states(3)
    states["victory_type"] = [1, 1, 3]
    kinds = {kind: share.tolist() for kind, share in kinds_of_victory(game, states).items()}
    assert kinds == {
        "standard": [True, True, False],
        "decisive": [False] * 3,
        "concession": [False, False, True],
        "draw": [False] * 3,
    }
    assert army_names(game) == ["First Expedition", "Procession of the Dead"]
    assert kinds_of_victory(make_duel(), make_duel().new_states(1)) == {}


@pytest.mark.parametrize("trainer", [test_learn, test_train])
def test_both_trainers_draw_curves_of_games_and_record_them(tmp_path, trainer):
    path, _ = trainer.run(trainer.make_config(tmp_path))
    folder = path.parent
    names = {name for _, name, _ in rows_of(folder)}
    assert {"games/turns", "games/drawn", "games/truncated", "won/seat_0", "won/seat_1"} <= names
    seen = [(step, name) for step, name, _ in rows_of(folder)]
    assert len(seen) == len(set(seen))
    records = sorted((folder / RECORDS).iterdir())
    assert [record.stem for record in records] == [f"{number * ROUND:09d}" for number in (1, 2, 3, 4)]
    record = load_record(records[-1])
    replay(make_duel(), record)
    assert record.players == ("learner", "learner")
    assert record.analyses[0].value is not None


def test_imitation_is_drawn_before_the_first_decision(tmp_path):
    section = {"decisions": 300, "games": 10}
    learn = test_learn.make_config(tmp_path / "a", learn={"decisions": ROUND}, teacher={"agent": "random", **section})
    ppo = test_train.make_config(tmp_path / "b", ppo={"decisions": ROUND}, imitation={"teacher": "random", **section})
    for path, _ in (test_learn.run(learn), test_train.run(ppo)):
        steps = [step for step, name, _ in rows_of(path.parent) if name == "imitation/predicted"]
        assert steps == sorted(set(steps))
        assert -300 < steps[0] < steps[-1] == 0


def test_records_after_the_checkpoint_of_a_resumed_run_are_removed(tmp_path):
    (tmp_path / RECORDS).mkdir()
    for name in ("000000100.json", "000000200.json", "mine.json"):
        (tmp_path / RECORDS / name).touch()
    remove_later(tmp_path, 100)
    assert sorted(path.name for path in (tmp_path / RECORDS).iterdir()) == ["000000100.json", "mine.json"]


def test_records_can_be_left_out(tmp_path):
    path, _ = test_learn.run(test_learn.make_config(tmp_path, learn={"decisions": ROUND}, log={"records": False}))
    assert not (path.parent / RECORDS).exists()


def test_nothing_is_logged_where_there_are_no_loggers():
    loggers = Loggers([])
    loggers.log(1, {"a": 1.0})
    loggers.close()
