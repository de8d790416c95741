"""The searching General is legal, reproducible, blind to hidden information, in time and stronger than its policy."""

import copy
import dataclasses
import pickle
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.search.agent import SearchAgent, parts_of
from sackarmies_agents.search.flat import DEPTH, Bench, FlatSearch, Race, Settings, rounds_of
from sackarmies_agents.search.horizons import compare_actions
from sackarmies_agents.search.rounds import follow, play_turns, play_worlds, write_plans
from sackarmies_agents.search.sack_armies.evaluation import WEIGHTS
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.legal import NO_ACTION, legal_ids
from sackarmies_env.core.simulator import choose_next, step
from sackarmies_env.registry import load_game
from sackarmies_training.evaluate import Jobs, Plan, play_job
from tests.agents.simple import LastLegal, positions
from tests.samples import many

QUICK = Settings(playouts=24, horizon=1)
PLANNING = Settings(playouts=60, horizon=1, plans=2)
BOTH = pytest.mark.parametrize("settings", [QUICK, PLANNING], ids=["ids", "plans"])
MIXED = ("trained", "tuned", "trained", "first")


def running(batch, player):
    return np.flatnonzero((batch.players == player) & (batch.states["num_legal"] > 1))


def streams_of(states):
    """Return the fields that decide future chance, as bytes."""
    return b"".join(states[name].tobytes() for name in ("flip_key", "flip_count", "draw_key", "draw_count"))


def searcher(game, settings=QUICK, models=()):
    info = GameInfo.of(game)
    agent = SearchAgent(info, settings, parts_of(info, models))
    agent.reset(5)
    return agent


@BOTH
@pytest.mark.parametrize("num_generals", [2, 3])
def test_what_it_chooses_is_legal(num_generals, settings):
    batch = positions(1, 60, num_generals=num_generals)
    agent = searcher(batch.game, settings)
    for player in range(num_generals):
        rows = running(batch, player)
        actions = agent.act_informed(batch.information_sets(player, rows))
        assert batch.are_legal(actions, rows).all()


@BOTH
@pytest.mark.parametrize("models", [(), MIXED], ids=["scripted", "trained"])
def test_equal_seeds_and_information_give_equal_findings_alone_or_together(models, settings):
    batch = positions(2, 80)
    rows = running(batch, 0)
    lone, pair = searcher(batch.game, settings, models), dataclasses.replace(settings, threads=2)
    alone = [lone.search(batch.information_sets(0, [row]))[0] for row in rows]
    together = searcher(batch.game, settings, models).search(batch.information_sets(0, rows))
    threaded = searcher(batch.game, pair, models).search(batch.information_sets(0, rows))
    for one, other, third in zip(together, alone, threaded, strict=True):
        assert one.action == other.action == third.action
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.values, third.values)


@BOTH
def test_threads_within_one_search_change_nothing_but_the_time(settings):
    batch = positions(3, 80)
    row = running(batch, 0)[:1]
    one = searcher(batch.game, settings).search(batch.information_sets(0, row))[0]
    two = searcher(batch.game, dataclasses.replace(settings, threads=2)).search(batch.information_sets(0, row))[0]
    assert one.action == two.action
    np.testing.assert_array_equal(one.values, two.values)


@BOTH
@pytest.mark.parametrize("models", [(), MIXED], ids=["scripted", "trained"])
@pytest.mark.parametrize("open_lists", [False, True])
def test_hidden_information_changes_nothing(open_lists, models, settings):
    batch = positions(4, 100, switches={"open_army_lists": open_lists})
    agent = searcher(batch.game, settings, models)
    for player in range(2):
        rows = running(batch, player)
        truth = batch.information_sets(player, rows)
        twin = InformationSets.of(batch.game, truth.sample(rows + 77), player)
        for one, other in zip(agent.search(truth), agent.search(twin), strict=True):
            assert one.action == other.action
            np.testing.assert_array_equal(one.values, other.values)


@BOTH
def test_a_true_state_is_searched_like_what_is_known_of_it(settings):
    batch = positions(4, 100)
    information = batch.information_sets(0, running(batch, 0))
    parts = parts_of(GameInfo.of(batch.game), ())
    search = FlatSearch(information.game, parts.make_policy, parts.make_evaluation, settings)
    for place, row in enumerate(running(batch, 0)):
        truth, known = batch.states[row : row + 1], information.states[place : place + 1]
        one, other = search.search(truth, 0, seed=8), search.search(known, 0, seed=8)
        assert one.action == other.action
        np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.parametrize("plans", [0, 3])
def test_time_limits_are_kept(plans):
    batch = positions(5, 80)
    row = running(batch, 0)[:1]
    information = batch.information_sets(0, row)
    agent = searcher(batch.game, Settings(playouts=10**6, milliseconds=30, horizon=2, plans=plans))
    agent.search(information)
    took = []
    for _ in range(5):
        started = time.perf_counter()
        agent.search(information)
        took.append(time.perf_counter() - started)
    assert min(took) < 0.045  # the minimum of five, because other programs may use the processor


def test_chance_of_later_turns_does_not_depend_on_how_much_of_it_was_used():
    batch = positions(12, 120, n=1)
    parts = parts_of(GameInfo.of(batch.game), ())
    simulator, policy, turn = batch.game.simulator(), parts.make_policy(batch.game), int(batch.states["turn"][0])
    evaluation, models = parts.make_evaluation(batch.game), np.zeros(2, np.int64)
    streams = []
    for used in (0, 5):
        states = batch.game.clone(batch.states)
        states["flip_count"] += used
        states["draw_count"] += used
        play_turns(simulator, policy, evaluation, states, models, 0, (turn, turn, 1), 3)
        assert states["turn"][0] == turn + 1
        streams.append(streams_of(states))
    assert streams[0] == streams[1]


@pytest.fixture(scope="module")
def endings():
    """Return a game, its bench, and positions in which some ids end the turn at once, but not all."""
    batch = positions(12, 60, n=24)
    parts = parts_of(GameInfo.of(batch.game), ())
    bench = Bench(batch.game, parts.make_policy(batch.game), parts.make_evaluation(batch.game))
    found = []
    for row in running(batch, batch.players):
        root, turns = batch.states[row : row + 1], set()
        for action in legal_ids(root["legal"][0]):
            states = batch.game.clone(root)
            step(bench.simulator, states, action)
            turns.add(int(states["turn"][0] - root["turn"][0]))
        if turns == {0, 1}:
            found.append(root)
    assert len(found) > 2
    return batch.game, bench, found


def played_on(bench, root, horizon, valued):
    """Play each legal id on in one world; return their values and the states in which play ended."""
    plans = np.array(legal_ids(root["legal"][0]))[:, None]
    values, states = np.zeros((len(plans), 1)), []
    task = np.array([0, 1, root["current_player"][0], horizon, valued, 7])
    for place in range(len(plans)):
        play_worlds(*bench.tools, root, bench.scratch, bench.models, plans, np.array([place]), task, values)
        states.append(bench.scratch[1].copy())
    return values[:, 0], states


def test_ids_that_end_the_turn_meet_the_same_chance_as_others(endings):
    _, bench, roots = endings
    for root in roots:
        _, states = played_on(bench, root, horizon=0, valued=1)
        assert len({streams_of(state) for state in states}) == 1
        assert {int(state["turn"]) for state in states} == {int(root["turn"][0]) + 1}


def test_ids_that_end_the_turn_meet_the_same_chance_as_others_in_labels(endings):
    game, bench, roots = endings
    for root in roots:
        states, player, found = game.clone(root), int(root["current_player"][0]), set()
        for action in legal_ids(root["legal"][0]):
            given = states, bench.scratch, bench.models, player, np.array([action]), np.array([0]), np.array([7])
            compare_actions(*bench.tools, *given, np.zeros((1, 1)))
            found.add(streams_of(bench.scratch[1]))
        assert len(found) == 1


def test_the_end_of_the_turn_at_hand_is_valued_for_all_ids_alike(endings):
    _, bench, roots = endings
    for root in roots:
        ends = [played_on(bench, root, horizon, 1)[0] for horizon in range(3)]
        np.testing.assert_allclose(played_on(bench, root, 2, 9)[0], np.mean(ends, axis=0))


def test_worth_is_the_mean_at_the_ends_of_the_last_turns():
    batch = positions(12, 120, n=1)
    parts = parts_of(GameInfo.of(batch.game), ())
    simulator, policy, turn = batch.game.simulator(), parts.make_policy(batch.game), int(batch.states["turn"][0])
    evaluation, models = parts.make_evaluation(batch.game), np.zeros(2, np.int64)

    def worth(last: int, valued: int) -> float:
        states, limits = batch.game.clone(batch.states), (turn, last, valued)
        return play_turns(simulator, policy, evaluation, states, models, 0, limits, 3)

    single = [worth(turn + after, 1) for after in range(4)]
    assert len(set(single)) == 4
    assert worth(turn + 3, 3) == pytest.approx(np.mean(single[1:]))
    assert worth(turn + 3, 9) == pytest.approx(np.mean(single))  # the current position is not one of them


def test_an_ended_game_counts_for_the_turns_that_are_missing():
    batch = positions(12, 120, n=1)
    parts = parts_of(GameInfo.of(batch.game), ())
    simulator, policy = batch.game.simulator(), parts.make_policy(batch.game)
    evaluation, models = parts.make_evaluation(batch.game), np.zeros(2, np.int64)
    states = batch.game.clone(batch.states)
    limits = int(states["turn"][0]), 10_000, 500
    worth = play_turns(simulator, policy, evaluation, states, models, 0, limits, 3)
    final = np.zeros((1, 2), np.float32)
    batch.game.returns(batch.game.params, states, final)
    assert states["terminated"][0] or states["truncated"][0]
    assert worth == final[0, 0]


def test_no_more_turns_are_valued_than_are_played():
    found = []
    for valued in (3, 4, 1000):
        batch = positions(8, 160, n=8)
        agent = SearchAgent(GameInfo.of(batch.game), Settings(playouts=40, horizon=2, valued=valued))
        rows = np.flatnonzero((batch.players == 0) & (batch.states["num_legal"] > 1))
        findings = agent.search(batch.information_sets(0, rows))
        found.append([finding.values.tolist() for finding in findings])
    assert found[0] == found[1] == found[2]


def test_a_copy_searches_by_itself():
    batch = positions(6, 80)
    information = batch.information_sets(0, running(batch, 0))
    agent = searcher(batch.game)
    before = agent.act_informed(information)
    np.testing.assert_array_equal(copy.deepcopy(agent).act_informed(information), before)


def test_copies_search_at_the_same_time():
    batch = positions(6, 80)
    information = batch.information_sets(0, running(batch, 0))
    assert len(information) > 1
    agent = searcher(batch.game, dataclasses.replace(QUICK, threads=2))
    expected = agent.act_informed(information).tolist()
    agents = [agent, *(copy.deepcopy(agent) for _ in range(3))]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            for actions in pool.map(lambda one: one.act_informed(information).tolist(), agents):
                assert actions == expected


@pytest.mark.parametrize("options", ["", ",models=trained+tuned", f",evaluation={WEIGHTS}"])
def test_pickled_search_finds_the_same(options):
    batch = positions(6, 80)
    information = batch.information_sets(0, running(batch, 0))
    agent = make_agent(f"search:playouts=24{options}", GameInfo.of(batch.game))
    agent.reset(5)
    found = [finding.values.tolist() for finding in agent.search(information)]
    restored = pickle.loads(pickle.dumps(agent))
    assert [finding.values.tolist() for finding in restored.search(information)] == found


def test_searches_for_several_positions_are_made_when_there_are_several():
    batch = positions(6, 80)
    rows = running(batch, 0)
    agent = searcher(batch.game, dataclasses.replace(QUICK, threads=2))
    for some, count in ((rows[:1], 1), (rows, 3), (rows[:1], 3)):
        agent.search(batch.information_sets(0, some))
        assert [len(searches) for searches in agent._ready.values()] == [count]


def test_no_positions_have_no_findings():
    batch = positions(4, 80)
    agent = SearchAgent(GameInfo.of(batch.game), QUICK, prior=LastLegal())
    assert agent.act_informed(batch.information_sets(0, [])).tolist() == []
    assert agent.search(batch.information_sets(0, [])) == []


def test_seeds_may_be_of_numpy_and_impossible_ones_are_refused_at_once():
    batch = positions(4, 80)
    information = batch.information_sets(0, running(batch, 0))
    agent = searcher(batch.game)
    chosen = agent.act_informed(information).tolist()
    agent.reset(np.int64(5))
    assert agent.act_informed(information).tolist() == chosen
    for seed in (-1, 2**63, 0.5, True):
        with pytest.raises(ValueError, match=f"seed={seed}: it must be an integer of at least 0"):
            agent.reset(seed)


def test_the_scripted_choice_stays_unless_the_gain_exceeds_its_error():
    race, bold = (Race(np.array([[10], [20]]), Settings(gate=gate, trust=0)) for gate in (1.0, 0.0))
    race.results[:, :4] = [[0.0, 0.0, 0.0, 0.0], [1.0, -0.9, 1.0, -0.9]]
    race.count(4)
    bold.results = race.results
    bold.count(4)
    assert race.finding().action == 10
    assert bold.finding().action == 20
    race.results[1, :4] = [0.1, 0.2, 0.1, 0.2]
    assert race.finding().action == 20


def test_choice_of_another_prior_is_what_must_be_beaten():
    batch = positions(4, 80)
    rows = running(batch, 0)
    information = batch.information_sets(0, rows)
    settings = dataclasses.replace(QUICK, gate=1e6)
    agent = SearchAgent(GameInfo.of(batch.game), settings, prior=LastLegal())
    agent.reset(5)
    expected = LastLegal().act_batch(information.observations(), information.action_masks())
    assert [finding.prior for finding in agent.search(information)] == expected.tolist()
    assert agent.act_informed(information).tolist() == expected.tolist()


class Enthusiast(LastLegal):
    """Chooses the last legal id but rates the first one highest."""

    def rate(self, observations, action_masks):
        """Rate the first legal id above all others."""
        scores = np.where(action_masks != 0, 0.0, -np.inf)
        scores[np.arange(len(scores)), action_masks.argmax(axis=1)] = 100.0
        return self.act_batch(observations, action_masks), scores


@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_prior_expects_counts_as_much_as_worlds_that_it_is_trusted_for(threads):
    batch = positions(4, 80)
    information = batch.information_sets(0, running(batch, 0))
    masks = information.action_masks()
    for trust, expected in ((0, LastLegal().act_batch(None, masks)), (10**4, masks.argmax(axis=1))):
        settings = dataclasses.replace(QUICK, trust=trust, gate=1e6 if trust == 0 else 0, unit=1.0, threads=threads)
        agent = SearchAgent(GameInfo.of(batch.game), settings, prior=Enthusiast())
        agent.reset(5)
        findings = agent.search(information)
        assert all(finding.counts.sum() <= QUICK.playouts for finding in findings)
        searched = [row for row, finding in enumerate(findings) if finding.counts.any()]
        assert searched
        assert [findings[row].action for row in searched] == expected[searched].tolist()
        assert all(np.abs(finding.values).max() <= 1.0 for finding in findings)


def test_infinite_scores_with_zero_unit_cause_no_invalid_values():
    batch = positions(4, 80)
    information = batch.information_sets(0, running(batch, 0))
    agent = SearchAgent(GameInfo.of(batch.game), dataclasses.replace(QUICK, unit=0.0), prior=Enthusiast())
    agent.reset(5)
    with np.errstate(invalid="raise"):  # infinity times 0 is invalid
        assert any(finding.counts.any() for finding in agent.search(information))


def test_expectations_are_weighed_against_worlds():
    settings = Settings(gate=0.0, trust=4, caution=0.1)
    for expected, action in ((None, 10), (np.array([3.0, 3.2]), 20)):
        race = Race(np.array([[10], [20]]), settings, expected)
        race.results[:, 4:8] = [[0.5] * 4, [0.55] * 4]
        race.count(8)
        finding = race.finding()
        assert finding.action == action
        assert finding.counts.tolist() == [4, 4]
        np.testing.assert_allclose(finding.values, [0.5, 0.55])


def test_a_copy_has_a_prior_of_its_own():
    game = load_game("sack_armies")
    agent = SearchAgent(GameInfo.of(game), QUICK, prior=LastLegal())
    assert copy.deepcopy(agent)._prior is not agent._prior


def test_two_gains_that_happen_to_be_alike_prove_little():
    race = Race(np.array([[10], [20]]), Settings(gate=1.0, trust=0))
    race.results[:, :2] = [[0.0, 0.0], [0.05, 0.05]]
    race.count(2)
    assert race.finding().action == 10
    race.results[1, :2] = 0.5
    assert race.finding().action == 20


def test_the_better_half_and_the_scripted_choice_stay_in_the_race():
    race = Race(np.arange(6)[:, None], Settings(trust=0))
    race.results[:, 0] = [-1.0, 0.5, 0.1, 0.9, 0.2, 0.3]
    race.count(1)
    race.halve()
    assert race.running.tolist() == [0, 1, 3, 5]
    assert [rounds_of(k) for k in (2, 3, 4, 5, 8, 9)] == [1, 2, 2, 3, 3, 4]


def test_what_cannot_pass_the_gate_leaves_the_race():
    race, patient = (
        Race(np.arange(3)[:, None], Settings(gate=1.2, optimism=errors, trust=0)) for errors in (0.5, 100.0)
    )
    race.results[:, :9] = np.array([[0.5], [0.1], [0.52]]) + np.array([-0.01, 0.0, 0.01] * 3)
    patient.results = race.results
    for one in (race, patient):
        one.count(9)
        one.halve()
    assert (race.running.tolist(), patient.running.tolist()) == ([0, 2], [0, 2])
    race.results[2, :9] -= 0.1
    for one in (race, patient):
        one.halve()
    assert (race.running.tolist(), patient.running.tolist()) == ([0], [0, 2])


def test_a_search_whose_other_actions_are_dropped_ends():
    batch = positions(7, 60, n=24)
    given = batch.information_sets(0, running(batch, 0))
    spent = {
        errors: sum(
            finding.counts.sum() for finding in searcher(batch.game, Settings(60, optimism=errors)).search(given)
        )
        for errors in (0.0, 100.0)
    }
    assert 0 < spent[0.0] < 0.8 * spent[100.0]


@pytest.mark.parametrize("plans", [0, 3])
@pytest.mark.parametrize("playouts", [2, 5, 24, 100])
def test_no_more_playouts_than_asked_for(playouts, plans):
    batch = positions(7, 60)
    for finding in searcher(batch.game, Settings(playouts=playouts, horizon=1, plans=plans)).search(
        batch.information_sets(0, running(batch, 0))
    ):
        assert finding.counts.sum() <= playouts


@pytest.fixture(scope="module")
def planned():
    """Return a game, its bench, a position of seat 0 with plans of several choices, and these plans."""
    batch = positions(12, 60, n=24)
    parts = parts_of(GameInfo.of(batch.game), ())
    bench = Bench(batch.game, parts.make_policy(batch.game), parts.make_evaluation(batch.game))
    plans = np.zeros((batch.game.num_actions, DEPTH), np.int64)
    information = batch.information_sets(0, running(batch, 0))
    for row in range(len(information)):
        root = information.states[row : row + 1]
        count = write_plans(bench.simulator, bench.policy, root, bench.scratch, np.zeros(DEPTH, np.int64), 0, plans)
        if (plans[:count, DEPTH - 1] != NO_ACTION).sum() > 1:
            return batch.game, bench, root, plans[:count].copy()
    raise AssertionError("no position has two plans of all choices")


def test_plans_go_on_as_the_policy_chooses(planned):
    game, bench, root, plans = planned
    assert plans[:, 0].tolist() == legal_ids(root["legal"][0])
    for plan in plans:
        states = game.clone(root)
        for place, action in enumerate(plan):
            if action == NO_ACTION:
                assert (plan[place:] == NO_ACTION).all()
                break
            assert action in legal_ids(states["legal"][0])
            assert place == 0 or action == choose_next(bench.simulator, bench.policy, states, 0)
            step(bench.simulator, states, action)


def test_other_plans_differ_in_a_later_choice(planned):
    game, bench, root, plans = planned
    base = next(plan for plan in plans if plan[DEPTH - 1] != NO_ACTION)
    for length in range(1, DEPTH):
        others = np.zeros((game.num_actions, DEPTH), np.int64)
        count = write_plans(bench.simulator, bench.policy, root, bench.scratch, base, length, others)
        states = game.clone(root)
        for action in base[:length]:
            step(bench.simulator, states, action)
        assert (others[:count, :length] == base[:length]).all()
        assert others[:count, length].tolist() == legal_ids(states["legal"][0])


def test_a_plan_is_followed_as_long_as_it_is_legal(planned):
    game, bench, root, plans = planned
    plan = next(plan for plan in plans if plan[DEPTH - 1] != NO_ACTION)
    states = game.clone(root)
    for length, action in enumerate(plan, 1):
        step(bench.simulator, states, action)
        cut = np.append(plan[:length], np.full(DEPTH - length, game.num_actions - 1))
        if length < DEPTH and cut[length] in legal_ids(states["legal"][0]):
            continue
        followed = game.clone(root)
        follow(bench.simulator, bench.policy, followed, bench.models, 0, cut)
        assert followed.tobytes() == states.tobytes()


def test_plans_that_enter_a_race_meet_the_same_expectations():
    race = Race(np.array([[10, 1], [20, 2]]), Settings(gate=0.0, trust=4, caution=0.1))
    race.results[:, 4:8] = [[0.5] * 4, [0.4] * 4]
    race.count(8)
    assert race.best(1).tolist() == [[10, 1]]
    assert race.enter(np.array([[20, 3], [10, 4]])).tolist() == [2, 3]
    race.results[2:, 4:8] = [[0.7] * 4, [0.6] * 4]
    race.count(8)
    finding = race.finding()
    assert (finding.action, finding.prior) == (20, 10)
    assert finding.actions.tolist() == [10, 20]
    assert finding.counts.tolist() == [8, 8]
    np.testing.assert_allclose(finding.values, [0.6, 0.7])
    np.testing.assert_array_equal(race.results[:, 0], [0.0, -0.1, -0.1, 0.0])


def test_decisions_that_search_would_not_change_are_left_to_the_scripted_agent():
    batch = positions(10, 0)  # at the start, when battlefields are placed
    findings = [searcher(batch.game).search(batch.information_sets(0, running(batch, 0))) for _ in range(2)]
    assert len(findings[0]) > 0
    for finding in findings[0]:
        assert finding.action == finding.prior
        assert finding.counts.sum() == 0


def test_shares_of_the_effort_are_what_the_game_asks_for():
    patient = dataclasses.replace(QUICK, optimism=1e6)
    batch = positions(11, 60)
    information = batch.information_sets(0, running(batch, 0))
    parts = parts_of(GameInfo.of(batch.game), ())
    for share in (0.5, 2.0):
        focused = dataclasses.replace(parts, focus=lambda states, share=share: np.full(len(states), share))
        for finding in SearchAgent(GameInfo.of(batch.game), patient, focused).search(information):
            assert 0.6 * 24 * share <= finding.counts.sum() <= 24 * share


@pytest.mark.slow
def test_it_beats_the_scripted_agent():
    game = load_game("sack_armies")
    jobs = Jobs(game, ("search:level=fast", "greedy"), Plan(seeds=many(10), seed=1))
    games = [game for job in jobs for game in play_job(job)]
    points = sum((one.returns[one.agents.index("search:level=fast")] + 1) / 2 for one in games)
    assert points / len(games) > 0.5  # 20 games have a standard error of 0.1
