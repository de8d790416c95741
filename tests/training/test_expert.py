"""Expert iteration: rounds of labels and learning, and what survives a kill."""

import copy
import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from rich.console import Console

from sackarmies_agents import GameInfo
from sackarmies_agents.learned.checkpoint import POLICY, read_checkpoint
from sackarmies_agents.learned.tensors import tensors_of
from sackarmies_training import expert, learn
from sackarmies_training.checkpoints import SUFFIX
from sackarmies_training.config import load_run
from sackarmies_training.curve import Curve, read_rows
from sackarmies_training.labels import teach
from sackarmies_training.learn import Team
from sackarmies_training.learn_files import restore_learner
from tests.core.toy_game import make_duel
from tests.training.test_config import CONFIGS
from tests.training.test_learn import make_config

FILES = 3
GAMES = 8  # of a file of labels


class Labeler:
    """Stand-in for the search, which is killed when it is asked for another file after `last` files.

    Attributes:
        calls: seeds of the files it was asked for.
        generals: weights of the Generals that it was given.
        plans: plans that the search was to follow.
    """

    def __init__(self, last=None):
        self.last, self.calls, self.generals, self.plans = last, [], [], []

    def __call__(self, draw_game, general, plan, decisions, seed):
        if len(self.calls) == self.last:
            raise KilledError
        self.calls.append(seed)
        self.generals.append(copy.deepcopy(general.network.state_dict()))
        self.plans.append(plan)
        return teach(draw_game(np.random.default_rng(0)), general, GAMES, seed, plan.noise)


class KilledError(Exception):
    """Stand-in for a kill."""


@pytest.fixture
def train(tmp_path, monkeypatch):
    """Return a function that trains in rounds on the toy game, with labels from a General of observations alone."""
    monkeypatch.setattr(expert, "parts_of", lambda info, variants: None)
    monkeypatch.setattr(Curve, "_draw", lambda curve, opponent: True)

    def run(name, labeler, *, resume=False, learned=None, **changes):
        monkeypatch.setattr(expert, "label_lots", labeler)
        section = {"files": FILES, "file_decisions": 1, "choices": 1.0, "minibatch": 16, **changes}
        config = make_config(
            tmp_path / name,
            learn={"decisions": 400, **(learned or {})},
            expert=section,
            curve={"opponent": "random", "games": 4},
            checkpoints={"keep": 9},
        )
        out = io.StringIO()
        return learn.learn(config, make_duel(), Console(file=out, width=200), resume=resume), out.getvalue()

    return run


def weights_of(path):
    return tensors_of(read_checkpoint(path).part(POLICY))


def test_rounds_leave_labels_checkpoints_and_a_point_each(train):
    labeler = Labeler()
    path, _ = train("whole", labeler)
    training = read_checkpoint(path).header.training
    rounds = training["updates"]
    assert rounds >= 2
    assert len(labeler.calls) == len(set(labeler.calls)) == rounds * FILES
    assert len(list((path.parent / "labels").iterdir())) == rounds * FILES
    points = read_rows(path.parent / "curve.csv")
    assert [int(points[0]["decisions"]), int(points[-1]["decisions"])] == [0, training["decisions"]]
    assert len(points) == rounds + 1
    assert f"labeled by a search, in {rounds} rounds" in path.with_suffix(".md").read_text()


def test_rounds_grow(train):
    path, _ = train("growing", labeler := Labeler(), growth=2.5)
    rounds = read_checkpoint(path).header.training["updates"]
    assert rounds >= 2
    found = [len(list((path.parent / "labels").glob(f"{number:05d}-*"))) for number in range(rounds)]
    assert found == [3, 8, 19, 47][:rounds]
    assert len(labeler.calls) == len(set(labeler.calls)) == sum(found)


def are_equal(one, other):
    return all(torch.equal(value, other[name]) for name, value in one.items())


def test_each_round_labels_games_of_the_general_of_the_round_before(train):
    path, _ = train("whole", labeler := Labeler())
    saved = [weights_of(one) for one in sorted((path.parent / "checkpoints").iterdir())]
    assert len(saved) >= 3
    assert not are_equal(saved[0], saved[1])
    for number, general in enumerate(labeler.generals):
        assert are_equal(general, saved[number // FILES])


def test_choice_of_the_agent_that_advises_the_network_is_compared(tmp_path):
    for advice, compared in (("", "greedy"), ("greedy:weights=first", "greedy:weights=first")):
        config = make_config(tmp_path, learn={"advice": advice}, expert={"worlds": 7})
        plan = expert.Labeling(tmp_path, config, config.expert, [make_duel()], 0).plan
        assert (plan.advice, plan.worlds) == (compared, 7)


def test_files_are_mixed_into_lessons_of_equal_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(expert, "read_labels", lambda path, info: path.stem)
    monkeypatch.setattr(expert, "joined", list)
    section, learner = SimpleNamespace(passes=3), SimpleNamespace(updates=0, team=Team())
    labeling = expert.Labeling(tmp_path, make_config(tmp_path), section, [make_duel()], rank=0)
    names = [f"00000-0-{number:04d}" for number in range(9)]
    for name in names:
        (tmp_path / f"{name}{SUFFIX}").touch()
    fractions, lessons, times = zip(*labeling.lessons(learner), strict=True)
    assert times == (2, 2, 2, 1, 1, 1)
    assert fractions == pytest.approx([0, 2 / 9, 4 / 9, 6 / 9, 7 / 9, 8 / 9])
    assert [len(lesson) for lesson in lessons] == [3] * 6
    for first in (0, 3):
        assert sorted(name for lesson in lessons[first : first + 3] for name in lesson) == names
    assert lessons[:3] != lessons[3:]


def test_jobs_of_a_round_share_a_copy_of_the_network(tmp_path):
    config, game = make_config(tmp_path, expert={"files": FILES}), make_duel()
    learner = learn.make_learner(config, game, learn.Team())
    jobs = expert.Labeling(tmp_path, config, config.expert, [game], 0).jobs(learner)
    networks = {id(job.network) for job in jobs}
    assert len(networks) == 1
    assert id(learner.averaged) not in networks
    assert len({job.seed for job in jobs}) == FILES


@pytest.mark.slow
@pytest.mark.parametrize("last", [1, FILES, FILES + 2])
def test_killed_run_makes_no_file_of_labels_again_and_ends_in_the_same_general(train, last):
    whole, _ = train("whole", every := Labeler())
    with pytest.raises(KilledError):
        train("killed", first := Labeler(last))
    path, _ = train("killed", second := Labeler(), resume=True)
    assert [*first.calls, *second.calls] == every.calls
    expected, found = weights_of(whole), weights_of(path)
    assert all(torch.equal(value, found[name]) for name, value in expected.items())
    points = [[point["decisions"] for point in read_rows(one.parent / "curve.csv")] for one in (whole, path)]
    assert points[0] == points[1]


@pytest.mark.slow
def test_run_that_is_killed_while_it_learns_keeps_the_labels_of_the_round(train, monkeypatch):
    whole, _ = train("whole", every := Labeler())
    learn_round = expert.learn_round

    def killed(learner, *given):
        if learner.updates == 1:
            raise KilledError
        return learn_round(learner, *given)

    monkeypatch.setattr(expert, "learn_round", killed)
    with pytest.raises(KilledError):
        train("killed", first := Labeler())
    monkeypatch.setattr(expert, "learn_round", learn_round)
    path, _ = train("killed", second := Labeler(), resume=True)
    assert [*first.calls, *second.calls] == every.calls
    assert all(torch.equal(value, weights_of(path)[name]) for name, value in weights_of(whole).items())


def test_diverged_round_resumes_with_a_lower_learning_rate(train):
    with pytest.raises(ValueError, match="training has diverged: weights are not numbers; resume with a lower"):
        train("run", first := Labeler(), learning_rate=1e30)
    path, _ = train("run", second := Labeler(), resume=True)
    assert len(first.calls) == FILES
    assert not set(first.calls) & set(second.calls)  # the labels are kept
    assert all(torch.isfinite(weight).all() for weight in weights_of(path).values())


@pytest.mark.slow
@pytest.mark.parametrize("files", [FILES + 1, 2 * FILES - 1], ids=["while it labels", "before it learns"])
def test_run_that_is_stopped_in_a_round_says_so_and_resumes(train, monkeypatch, files):
    class Stopping(Labeler):
        def __call__(self, *given):
            if len(self.calls) == files:
                stops[-1].asked = True
            return super().__call__(*given)

    stops = []
    stop = expert.SoftStop
    monkeypatch.setattr(expert, "SoftStop", lambda: stops.append(stop()) or stops[-1])
    path, said = train("stopped", first := Stopping())
    assert path is None
    assert "The same command with --resume resumes." in said
    path, _ = train("stopped", second := Labeler(), resume=True)
    whole, _ = train("whole", every := Labeler())
    assert [*first.calls, *second.calls] == every.calls
    assert all(torch.equal(value, weights_of(path)[name]) for name, value in weights_of(whole).items())


def test_each_round_continues_from_the_general_of_the_round_before(train, monkeypatch):
    begun = []
    learn_round = expert.learn_round

    def noting(learner, *given):
        begun.append(copy.deepcopy(learner.network.state_dict()))
        return learn_round(learner, *given)

    monkeypatch.setattr(expert, "learn_round", noting)
    path, _ = train("whole", Labeler())
    saved = [weights_of(one) for one in sorted((path.parent / "checkpoints").iterdir())]
    assert len(begun) >= 2
    for before, general in zip(begun[1:], saved[1:], strict=False):
        assert are_equal(before, general)
    assert not are_equal(begun[0], begun[1])


@pytest.mark.slow
def test_games_against_the_start_are_played_by_a_run_that_was_killed_in_them(train, monkeypatch):
    start = {"start": str(train("start", Labeler())[0])}
    whole, said = train("whole", Labeler(), learned=start)
    verdict = re.search(r"It won .* of 4 games against the agent that it started from: .*", said).group()

    def killed(*given):
        raise KilledError

    with monkeypatch.context() as patch, pytest.raises(KilledError):
        patch.setattr(learn, "compare_with_start", killed)
        train("killed", Labeler(), learned=start)
    path, said = train("killed", labeler := Labeler(), learned=start, resume=True)
    assert not labeler.calls
    assert verdict in said
    assert are_equal(weights_of(whole), weights_of(path))
    assert verdict in path.with_suffix(".md").read_text()


@pytest.fixture
def clocks(monkeypatch):
    """Return a list of the clocks of a test's runs, in order."""
    made = []

    class RecordedClock(learn.Clock):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(learn, "Clock", RecordedClock)
    return made


def test_minutes_that_labels_took_are_not_lost_by_a_kill(train, clocks):
    class Slow(Labeler):
        def __call__(self, *given):
            clocks[-1].start(clocks[-1].minutes + 7)
            return super().__call__(*given)

    with pytest.raises(KilledError):
        train("killed", Slow(last=2))
    _, said = train("killed", Labeler(), resume=True)
    minutes = float(re.search(r"Resuming from .*: 0 decisions, (.*) minutes", said).group(1))
    assert 14 <= minutes < 21  # the file that was not finished is lost


def test_horizons_cannot_change_halfway(train):
    with pytest.raises(KilledError):
        train("killed", Labeler(FILES + 1))
    with pytest.raises(ValueError, match=r"has labels with horizons = \[3, 5, 8\], but .* says \[4, 9\] in \[expert\]"):
        train("killed", Labeler(), resume=True, horizons=[4, 9])


def test_run_whose_time_ends_in_the_games_of_the_curve_is_over_when_resumed(train, monkeypatch, clocks):
    monkeypatch.setattr(Curve, "follow", lambda *given, now: clocks[-1].start(clocks[-1].minutes + 10.0))
    path, _ = train("whole", Labeler(), learned={"decisions": 10**6, "max_minutes": 5.0})
    (saved,) = (path.parent / "checkpoints").iterdir()
    assert read_checkpoint(saved).header.training["minutes"] >= 5.0


def test_run_resumes_with_as_many_processes_as_it_began_with(train, tmp_path):
    with pytest.raises(KilledError):
        train("killed", Labeler(0))
    (saved,) = (tmp_path / "killed" / "duel" / "checkpoints").iterdir()
    config = make_config(tmp_path, expert={})
    learner = learn.make_learner(config, make_duel(), learn.Team(size=2))
    with pytest.raises(ValueError, match="is of expert iteration with 1 process, and there are 2 now: resume it with"):
        restore_learner(saved, learner, config, make_duel())
    config = make_config(tmp_path)
    restore_learner(saved, learner, config, make_duel())


def test_files_that_could_not_be_written_are_refused_before_the_first_round(train, tmp_path):
    labeler = Labeler()
    most = 2**30 // GameInfo.of(make_duel()).observation_spec.size // 2
    with pytest.raises(ValueError, match=rf"file_decisions is {most + 1} in \[expert\]: at most {most} are allowed"):
        train("large", labeler, file_decisions=most + 1)
    assert labeler.calls == []
    assert list((tmp_path / "large").iterdir()) == []


def test_game_without_search_is_refused(tmp_path):
    config = make_config(tmp_path, expert={})
    with pytest.raises(ValueError, match="the game 'duel' cannot be searched"):
        learn.learn(config, make_duel(), Console(quiet=True))


@pytest.mark.parametrize("name", ["one_army.toml", "expert.toml", "long.toml"])
def test_network_of_a_shipped_configuration_foresees_all_horizons(name):
    config = load_run(CONFIGS / "train" / name)
    assert config.learn.worths
    assert config.network.early == len(config.expert.horizons) - 1
