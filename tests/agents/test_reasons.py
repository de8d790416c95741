"""The scripted General's reasons for its choices and how networks use them."""

import numpy as np
import pytest
import torch

from sackarmies_agents import GameInfo, make_agent
from sackarmies_agents.learned.advice import Advisor, make_advisor
from sackarmies_agents.learned.board_network import NUM_VERBS, BoardNetwork
from sackarmies_agents.learned.network import Advice, Place, Reasons
from sackarmies_agents.learned.sizes import REASONS, NetworkSizes
from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS, PLAN_IDS, TIE, CompiledAgent
from sackarmies_agents.scripted.sack_armies.plans import ACTOR, GOAL
from sackarmies_agents.scripted.sack_armies.reasons import Note, Part, advise, advise_with_reasons
from sackarmies_env.core.batch import Batch
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb
from sackarmies_env.registry import load_players
from tests.agents.simple import played_positions

SIZES = NetworkSizes(token=8, mark=4, hidden=16, outcomes=3, advice=REASONS, early=2)
FOR_ACTORS = Decision.DEPLOY_TYPE, Decision.MOVE_UNIT, Decision.SOURCE
FOR_GOALS = Decision.DEPLOY_HEX, Decision.MOVE_TO, Decision.TARGET
SINGLE_ATTACKS = Verb.MELEE, Verb.RANGED, Verb.MOVE_ATTACK


@pytest.fixture(scope="module")
def game():
    return load_players("sack_armies", 2, armies=["monsters", "undead"])


@pytest.fixture(scope="module")
def greedy(game):
    return make_agent("greedy", GameInfo.of(game))


@pytest.fixture(scope="module")
def positions(game, greedy):
    return played_positions(game, greedy, seed=4)


def explain(game, agent, observations, masks):
    rows = game.observation_spec.block("tokens").rows
    return agent.explain(observations, np.count_nonzero(masks, axis=1), masks.nonzero()[1], rows)


def column(game, observations, name):
    return observations[:, game.observation_spec.index("globals", 0, name)]


def agrees(game, greedy, batch, planned, decisions):
    """Return whether no id is worth more than the planned one, ties aside; None if the position does not ask for it."""
    observations, legal = batch.observations, batch.action_masks.nonzero()[1]
    if planned < 0 or column(game, observations, "decision")[0] not in decisions or len(legal) < 2:
        return None  # without a choice, the game goes on
    worths = greedy.weigh(observations, np.array([len(legal)]), legal)
    return bool(planned in legal and worths[legal == planned][0] >= worths.max() - 2 * TIE)


def test_advice_on_one_position_is_what_the_general_chooses_and_says(game, greedy, positions):
    observations, masks, _ = positions
    boards = make_agent("greedy", GameInfo.of(game)).board
    rows = game.observation_spec.block("tokens").rows
    for i in range(len(observations)):
        one, mask = observations[i : i + 1], masks[i : i + 1]
        ids = mask[0].nonzero()[0]
        chosen, worths = np.zeros(1, np.int64), np.zeros(len(ids))
        told = (
            np.zeros((len(ids), PLAN_IDS), np.int64),
            np.zeros((len(ids), NUM_PARTS), np.float32),
            np.zeros((1, rows, NUM_NOTES), np.float32),
        )
        said = explain(game, greedy, one, mask)
        for kernel in (advise, advise_with_reasons):
            kernel(boards, one, ids, (chosen, worths, *told))
            assert chosen[0] == greedy.act(one[0], mask[0])
            assert (worths == said.worths).all()
        for found, wanted in zip(told, said[1:], strict=True):
            assert (found == wanted).all()


def test_plans_are_what_the_general_does_next(game, greedy, positions):
    observations, masks, states = positions
    decision = column(game, observations, "decision")
    batch, actors, goals = Batch(game, 1, restarts=False), [], []
    batch.reset(np.arange(1))
    for row in np.flatnonzero(np.isin(decision, [Decision.MENU, *FOR_ACTORS]))[::2]:
        told = explain(game, greedy, observations[row, None], masks[row, None])
        for action, plan in zip(masks[row].nonzero()[0], told.plans, strict=True):
            batch.begin_at(batch.seeds, states[row, None].copy())
            batch.step(np.array([action]))
            if decision[row] == Decision.MENU:
                found = agrees(game, greedy, batch, plan[ACTOR], FOR_ACTORS)
                actors.append(found)
                if found is None:
                    continue
                batch.step(plan[None, ACTOR])
            else:
                assert plan[ACTOR] < 0
            goals.append(agrees(game, greedy, batch, plan[GOAL], FOR_GOALS))
    assert False not in actors + goals
    assert actors.count(True) > 100
    assert goals.count(True) > 200


def test_parts_of_attacks_are_their_odds(game, greedy, positions):
    observations, masks, _ = positions
    told = explain(game, greedy, observations, masks)
    rows, actions = masks.nonzero()
    at_menu = column(game, observations, "decision")[rows] == Decision.MENU
    attacks = at_menu & np.isin(actions, SINGLE_ATTACKS) & (told.plans[:, GOAL] >= 0)
    parts = told.parts[attacks]
    assert len(parts) > 50
    assert ((parts[:, Part.KILLS] >= 0) & (parts[:, Part.KILLS] <= 0.5)).all()  # a flip at best
    assert (parts[:, Part.KILLS] > 0).mean() > 0.5
    assert (parts[:, Part.TARGET] > 0).all()
    gain = parts[:, Part.KILLS] * (parts[:, Part.TARGET] + parts[:, Part.WANT_THERE])
    np.testing.assert_allclose(parts[:, Part.GAIN], gain, rtol=1e-5)
    np.testing.assert_allclose(parts[:, Part.LOSS], parts[:, Part.DIES] * parts[:, Part.UNIT], rtol=1e-5)
    others = told.parts[at_menu & np.isin(actions, [Verb.DRAW, Verb.PASS])]
    assert len(others) > 50
    assert (others == 0).all()


def test_notes_are_on_tokens_on_the_board_alone(game, greedy, positions):
    observations, masks, _ = positions
    notes = explain(game, greedy, observations, masks).notes
    spec = game.observation_spec
    block = spec.block("tokens")
    tokens = observations[:, spec.slice("tokens")].reshape(len(observations), block.rows, -1)
    place, controller, kind = (tokens[:, :, block.column(name)] for name in ("place", "controller", "kind"))
    on_board = place == 3
    assert (notes[~on_board] == 0).all()
    is_unit, is_own = on_board & (kind != 2), controller == 0
    assert (notes[is_unit, Note.VALUE] > 0).all()
    assert (notes[on_board & ~is_unit, Note.VALUE] == 0).all()
    assert (notes[~is_own, Note.DANGER] == 0).all()
    assert (notes[is_own, Note.PREY] == 0).all()
    assert (notes[is_unit & is_own, Note.DANGER] > 0).mean() > 0.05
    assert (notes[is_unit & ~is_own, Note.PREY] > 0).mean() > 0.05


def test_light_weights_have_the_same_reasons(game, positions):
    observations, masks, _ = positions
    tuned, light = (make_agent(f"greedy:weights={name}", GameInfo.of(game)) for name in ("tuned", "light"))
    told, also_told = (explain(game, agent, observations, masks) for agent in (tuned, light))
    np.testing.assert_array_equal(told.notes, also_told.notes)
    same = (told.plans == also_told.plans).all(axis=1) & ((told.worths > -1e8) == (also_told.worths > -1e8))
    assert same.mean() > 0.5
    np.testing.assert_array_equal(told.parts[same], also_told.parts[same])


def test_reasons_do_not_depend_on_what_was_asked_before(game, greedy, positions):
    observations, masks, _ = positions
    told, ends = explain(game, greedy, observations, masks), np.count_nonzero(masks, axis=1).cumsum()
    for row in range(0, len(masks), 3):
        alone = explain(game, make_agent("greedy", GameInfo.of(game)), observations[row, None], masks[row, None])
        ids = slice(ends[row] - len(alone.worths), ends[row])
        for one, of_all in zip(alone[:3], told[:3], strict=True):
            np.testing.assert_array_equal(one, of_all[ids])
        np.testing.assert_array_equal(alone.notes[0], told.notes[row])


def test_explaining_does_not_change_choices_or_values(game, greedy, positions):
    observations, masks, _ = positions
    told = explain(game, greedy, observations, masks)
    counts, actions = np.count_nonzero(masks, axis=1), masks.nonzero()[1]
    np.testing.assert_array_equal(told.worths, greedy.weigh(observations, counts, actions))
    fresh, one_by_one = make_agent("greedy", GameInfo.of(game)), []
    for seen, legal in zip(observations[:300], masks[:300], strict=True):
        explain(game, greedy, seen[None], legal[None])  # its results stay on its board
        one_by_one.append(greedy.act(seen, legal))
    np.testing.assert_array_equal(one_by_one, fresh.act_batch(observations[:300], masks[:300]))


def test_agent_without_reasons_is_refused(game):
    territories = load_players("territories", 2)
    with pytest.raises(ValueError, match="gives no reasons"):
        make_agent("greedy", GameInfo.of(territories)).explain(None, None, None, 1)
    weigher = CompiledAgent(
        GameInfo.of(game), np.zeros(1, [("seed", np.int64)]), choose_batch=None, seed=1, weigh_batch=lambda: None
    )
    with pytest.raises(ValueError, match="CompiledAgent gives no reasons for its choices"):
        Advisor(weigher, GameInfo.of(game), REASONS)


def test_each_kind_of_reason_changes_scores(game, positions):
    torch.manual_seed(2)
    network = BoardNetwork(GameInfo.of(game), SIZES).eval()
    torch.nn.init.normal_(network.score.weight)
    observations, masks = (part[::29] for part in positions[:2])
    place = Place(*torch.from_numpy(masks != 0).nonzero(as_tuple=True))
    advice = Advice.of(make_advisor("greedy", GameInfo.of(game), REASONS).ask(observations, masks))

    def scores(**changed):
        given = advice._replace(reasons=advice.reasons._replace(**changed)) if changed else advice
        with torch.inference_mode():
            return network.assess(torch.from_numpy(observations), place, given)[0]

    usual, reasons = scores(), advice.reasons
    has_plan = (reasons.plans >= 0).any(dim=1)
    without_plans = scores(plans=torch.full_like(reasons.plans, -1))
    assert torch.equal(usual[~has_plan], without_plans[~has_plan])
    assert (usual != without_plans)[has_plan & (place.action < NUM_VERBS)].float().mean() > 0.9
    assert (usual != scores(parts=reasons.parts + 1)).all()
    assert (usual != scores(notes=reasons.notes + 1)).float().mean() > 0.9
    assert isinstance(advice.to(torch.device("cpu")).reasons, Reasons)
