"""A best response that is learned against a fixed agent."""

import json
from pathlib import Path

import numpy as np
import pytest

from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.learned.checkpoint import POLICY, read_checkpoint
from sackarmies_training.files import digest_of
from sackarmies_training.ladder import learned
from sackarmies_training.ladder.config import LadderConfig
from sackarmies_training.ladder.exploit import Exploit
from sackarmies_training.ladder.learned import SIDE_BY_SIDE, FixedOpponent, LearnedResponse
from sackarmies_training.learn import Team, make_learner
from tests.core.toy_game import make_duel
from tests.second_game import registered
from tests.training.ladders import make_config
from tests.training.test_learn import make_config as make_run

RESPONDERS = {"learned": LearnedResponse()}


def hook():
    return RESPONDERS


@pytest.fixture
def duel():
    with registered(greedy="tests.second_game:HighestCard", responders="tests.training.test_ladder_learned:hook"):
        yield


def respond(folder, budget, target="greedy"):
    search = Exploit(make_config(folder), target, "learned", budget)
    search.open()
    return search, search.run(20, lambda games: None)


@pytest.mark.parametrize("device", ["warp", "cuda:99"])
def test_unknown_device_is_refused_before_any_game(duel, tmp_path, device):
    search = Exploit(make_config(tmp_path), "greedy", "learned", 60, device)
    played = []
    with pytest.raises(ValueError, match=rf"unknown device '{device}': available are cpu"):
        search.run(20, played.append)
    assert played == []


def test_network_learns_on_the_device(duel, tmp_path, monkeypatch):
    made, make = [], learned.make_learner
    monkeypatch.setattr(learned, "make_learner", lambda *given: made.append(make(*given)) or made[-1])
    search = Exploit(make_config(tmp_path), "greedy", "learned", 60, "cpu:0")
    search.open()
    search.run(20, lambda games: None)
    assert [str(learner.device) for learner in made] == ["cpu:0"]
    assert search.folder != Exploit(make_config(tmp_path), "greedy", "learned", 60).folder


@pytest.fixture
def ended(monkeypatch):
    """Return a list of how many games of the network against the fixed agent have ended in each step of learning."""
    counts, learn = [], FixedOpponent.learn

    def counted(*given):
        counts.append(learn(*given))
        return counts[-1]

    monkeypatch.setattr(FixedOpponent, "learn", counted)
    return counts


def check_budget(used, budget, before, ended):
    """Check the games used: `before`, those begun at first, and one for each that has ended, until too few are left."""
    assert used == before + SIDE_BY_SIDE + sum(ended)
    assert used - ended[-1] <= budget - SIDE_BY_SIDE < used


def weights_of(search):
    return read_checkpoint(search.folder / "response" / "checkpoint.safetensors").part(POLICY)


class LowestId:
    """Agent that chooses the lowest legal id."""

    def reset(self, seed):
        pass

    def act_batch(self, observations, masks):
        return masks.argmax(axis=1)


def test_fixed_agent_plays_its_seats_and_the_network_learns_from_its_own(monkeypatch):
    config = make_run(Path("x"))
    game = make_duel()
    learner = make_learner(config, game, Team())
    games = FixedOpponent([game, game], config.learn, 1, LowestId())
    assert games.seats.tolist() == [0, 1, 0, 1] * 2
    masks = np.concatenate([batch.action_masks for _, batch in games.batches])
    players = np.concatenate([batch.players for _, batch in games.batches])
    drawn = np.full(8, -5)  # stands for what the network has drawn
    played = games._played(drawn)
    assert (played == np.where(players == games.seats, drawn, masks.argmax(axis=1))).all()
    assert 0 < (played == drawn).sum() < 8
    lessons = []
    monkeypatch.setattr(learner, "update", lambda played, lesson, fraction: lessons.append((played, lesson)))
    games.learn(learner, 0.0)
    assert 0 < learner.decisions < 8 * config.learn.steps
    ((played, lesson),) = lessons
    assert len(lesson.rows)
    assert (played.seats == games.seats).flatten()[lesson.rows.numpy()].all()


def test_fixed_agent_that_cheats_ends_the_training(monkeypatch):
    monkeypatch.setattr(LowestId, "act_batch", lambda agent, observations, masks: masks.argmin(axis=1))
    config = make_run(Path("x"))
    games = FixedOpponent([make_duel()], config.learn, 1, LowestId())
    with pytest.raises(ValueError, match=r"LowestId chose \d, which is not legal"):
        games.play(make_learner(config, make_duel(), Team()).network)


@pytest.mark.parametrize("call", ["reset", "act_batch"])
def test_fixed_agent_that_raises_is_told_from_our_own_errors(monkeypatch, call):
    def fails(*given):
        raise KeyError("oops")

    monkeypatch.setattr(LowestId, call, fails)
    config, game = make_run(Path("x")), make_duel()
    network = make_learner(config, game, Team()).network
    with pytest.raises(Misconduct, match="raised KeyError: 'oops'"):
        FixedOpponent([game], config.learn, 1, LowestId()).play(network)


def test_budget_that_is_too_small_for_a_clone_is_refused(duel, tmp_path):
    with pytest.raises(ValueError, match="the budget is 3 games, but a learned response needs at least 4"):
        respond(tmp_path, 3)


def test_response_keeps_to_its_budget_and_is_measured(duel, tmp_path, ended):
    search, result = respond(tmp_path, 100)
    check_budget(result.used, 100, 12, ended)  # the clone takes a tenth, rounded up to whole line-ups of four games
    assert result.score.games == 20
    assert result.described["advice"] == "greedy"
    kept = json.loads((search.folder / "training.json").read_text())
    assert kept["used"] == result.used
    assert result.described["sha256"] == digest_of(search.folder / "response" / "checkpoint.safetensors")
    played = []
    search.run(20, played.append)
    assert sum(played) == 0  # the same response, to the byte, has played its games


@pytest.mark.slow
@pytest.mark.parametrize("saves", [1, 3])
def test_interrupted_training_goes_on_from_what_it_has_kept(duel, tmp_path, monkeypatch, ended, saves):
    keep, kept = learned.keep, []

    def killed(learner, arena, *given):
        if len(kept) == saves:
            raise KeyboardInterrupt
        keep(learner, arena, *given)
        kept.append(arena.used)

    monkeypatch.setattr(learned, "keep", killed)
    with pytest.raises(KeyboardInterrupt):
        respond(tmp_path, 200)
    monkeypatch.setattr(learned, "keep", keep)
    assert kept[0] == 20
    ended.clear()
    cloned = []
    monkeypatch.setattr(learned, "clone", lambda *given: cloned.append(given))
    search, result = respond(tmp_path, 200)
    assert not cloned
    check_budget(result.used, 200, kept[-1], ended)
    assert all(np.isfinite(value).all() for value in weights_of(search).values())


def test_agent_that_searches_cannot_be_cloned(tmp_path):
    config = LadderConfig.model_validate(ladder(tmp_path))
    search = Exploit(config, "search:level=fast", "learned", 40)
    search.open()
    with pytest.raises(ValueError, match=r"'search:level=fast' cannot be cloned: .* as greedy does; try another"):
        search.run(4, lambda games: None)


def ladder(folder):
    return {
        "folder": str(folder),
        "workers": 1,
        "armies": ["empire", "scourge"],
        "rung": [{"name": "random", "agent": "random"}, {"name": "greedy", "agent": "greedy"}],
        "pool": [{"players": 2, "units": 2}],
    }


@pytest.mark.slow
def test_learned_response_beats_random(tmp_path):
    search = Exploit(LadderConfig.model_validate(ladder(tmp_path)), "random", "learned", 24)
    search.open()
    result = search.run(12, lambda games: None)
    assert result.score.value > 0.9
