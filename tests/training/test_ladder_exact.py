"""Exact values: one derived by hand from the rules, the tree against real chance, and positions that are refused."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from sackarmies_env.core.state import copy_records
from sackarmies_env.registry import load_game, load_scenario
from sackarmies_training.ladder.exact import ExactValues, TooLarge
from sackarmies_training.ladder.regret import Regrets, load_position, solve
from tests.core.toy_game import make_duel

FOLDER = Path(__file__).parents[2] / "configs" / "ladder" / "exact"


def begun(source, **switches):
    scenario = load_scenario(source)
    scenario["switches"] = {**scenario.get("switches", {}), **switches}
    game = load_game("sack_armies", scenario=scenario)
    states = game.new_states(1)
    game.start(states, 0)
    return game, states


def test_value_of_one_attack_is_what_the_rules_say():
    """One attack in the last turn, derived by hand.

    The Orc Infantry (damage 2, armor 2) needs one success to kill the Goblin Infantry (armor 2), the goblins (damage 1)
    two in a row to kill it: chances 1/2 and 1/4, both attacks being simultaneous. With a counter-attack General 0 wins
    with chance 1/2 * 3/4 and loses with 1/2 * 1/4, which is worth 1/4; without one, they would win with chance 1/2.
    General 1 therefore counters. After any move, the turn limit draws the game.
    """
    game, states = begun(FOLDER / "one_attack.toml")
    decision = ExactValues(game).decide(states)
    values = {
        game.format_action(states, action): value
        for action, value in zip(decision.actions, decision.values, strict=True)
    }
    assert values == {"move": 0.0, "melee": 0.25}
    assert decision.value == 0.25
    assert decision.matters
    [(chance, asked)] = ExactValues(game).outcomes(states, decision.actions[list(values).index("melee")])
    answer = ExactValues(game).decide(asked)
    texts = [game.format_action(asked, action) for action in answer.actions]
    assert (chance, answer.player) == (1.0, 1)
    assert dict(zip(texts, answer.values, strict=True)) == {"pass": -0.5, "yes": -0.25}  # no counter-attack, or one
    assert decision.regret(decision.actions[decision.values.argmin()]) == 0.25


def test_attack_that_cannot_be_countered_is_worth_more():
    """The same attack as a shot, which the goblins cannot counter without reach: it is worth 1/2 * (+1)."""
    scenario = load_scenario(FOLDER / "one_attack.toml")
    scenario["unit"][0] = {"token": "orc_archers", "at": [-1, 0], "owner": 0}
    game = load_game("sack_armies", scenario=scenario)
    states = game.new_states(1)
    game.start(states, 0)
    assert ExactValues(game).decide(states).value == 0.5  # damage 2 against armor 2, one flip


def test_chances_of_outcomes_are_those_of_real_flips():
    game, states = begun(FOLDER / "one_attack.toml")
    exact = ExactValues(game)
    for _ in range(5):  # to the decision whose action is followed by flips
        actions = exact.decide(states).actions
        texts = [game.format_action(states, action) for action in actions]
        wanted = next((text for text in texts if text in {"melee", "yes"}), texts[0])
        action = actions[texts.index(wanted)]
        outcomes = exact.outcomes(states, action)
        assert sum(chance for chance, _ in outcomes) == pytest.approx(1)
        if len(outcomes) > 1:
            break
        copy_records(outcomes[0][1], states)
    assert len(outcomes) == 9  # no, one or two hits each
    expected: Counter = Counter()
    for chance, after in outcomes:
        expected[exact.position_key(after)] += chance
    drawn: Counter = Counter()
    trials = 4000
    for seed in range(trials):
        after = game.new_states(1)
        copy_records(states, after)
        after["flip_key"] = np.random.default_rng(seed).integers(0, 2**32, 2, dtype=np.uint32)
        after["script_flips_end"] = 0
        game.step(game.params, after, np.array([action]))
        drawn[exact.position_key(after)] += 1
    assert set(drawn) <= set(expected)
    for key, chance in expected.items():
        assert drawn[key] / trials == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / trials) + 1e-9)


def test_positions_that_are_one_have_one_value():
    """Without transpositions the tree is larger and its value the same."""
    game, states = begun(FOLDER / "one_on_one.toml", max_turns=2)
    merged, apart = ExactValues(game), ExactValues(game)
    numbers = iter(range(10**9))
    apart.position_key = lambda states: str(next(numbers)).encode()
    apart._check_nothing_hidden = lambda states: None
    assert merged.value(states) == pytest.approx(apart.value(states))
    assert merged.nodes < apart.nodes


def test_cap_on_flips_beyond_need_changes_no_value():
    capped, longer = (
        ExactValues(game).value(states)
        for game, states in (begun(FOLDER / "one_on_one.toml", max_turns=4, max_progressive=cap) for cap in (2, 5))
    )
    assert capped == pytest.approx(longer)


def test_tree_that_is_too_large_is_refused():
    game, states = begun(FOLDER / "two_on_two.toml")
    with pytest.raises(TooLarge, match="there are more than 50 decisions: take a smaller position"):
        ExactValues(game, max_nodes=50).value(states)


def test_hidden_tokens_are_refused():
    scenario = load_scenario(FOLDER / "one_attack.toml")
    scenario["general"][1]["sack"] = ["cave_bats", "orc_infantry"]
    game = load_game("sack_armies", scenario=scenario)
    states = game.new_states(1)
    game.start(states, 0)
    with pytest.raises(ValueError, match="player 0 does not know all of the position at turn 4"):
        ExactValues(game).value(states)


def test_chance_beyond_flips_is_refused():
    scenario = load_scenario(FOLDER / "one_attack.toml")
    scenario["general"][0]["sack"] = ["plain"] * 3
    scenario["switches"]["open_army_lists"] = True
    game = load_game("sack_armies", scenario=scenario)
    states = game.new_states(1)
    game.start(states, 0)
    with pytest.raises(ValueError, match="chance other than flips decides after 'draw'"):
        ExactValues(game).value(states)


def test_games_that_cannot_be_enumerated_are_refused():
    with pytest.raises(ValueError, match="exact values are for two players"):
        ExactValues(make_duel(3))
    with pytest.raises(
        ValueError, match="exact values need exactly one shared kind of chance that can be forced, not 0"
    ):
        ExactValues(make_duel())


def test_flips_from_a_deck_are_refused(tmp_path):
    path = tmp_path / "deck.toml"
    path.write_text((FOLDER / "one_attack.toml").read_text() + 'flip_method = "deck"\n')
    with pytest.raises(ValueError, match="flip_method is 'deck', but exact values need flips that are always even"):
        load_position(path)


def test_regrets_of_agents_are_what_their_choices_lose():
    solved = solve("one attack", load_position(FOLDER / "one_attack.toml"), ["greedy", "random"])
    assert (solved.player, solved.texts, solved.values) == (0, ("move", "melee"), (0.0, 0.25))
    greedy = solved.regrets[0]
    assert solved.root_text(greedy) == "melee"
    assert (solved.root_regret(greedy), greedy.mean, greedy.worst, greedy.best_share) == (0, 0, 0, 1)
    assert solved.mattering == len(greedy.regrets) == 2  # attack or not, counter or not
    assert Regrets("x", regrets=[0.0, 0.5]).best_share == 0.5
    with pytest.raises(ValueError, match="'x' was not asked"):
        solved.root_text(Regrets("x"))


def test_searching_generals_are_asked_by_what_they_may_know():
    solved = solve("one attack", load_position(FOLDER / "one_attack.toml"), ["search:playouts=64"])
    assert solved.root_regret(solved.regrets[0]) == solved.regrets[0].mean == 0


@pytest.mark.slow
def test_greedy_is_nearer_to_best_play_than_random_in_small_positions():
    solved = solve("one on one", load_position(FOLDER / "one_on_one.toml"), ["greedy", "random"])
    greedy, random = solved.regrets
    assert greedy.mean < 0.05 < random.mean
    assert solved.value > 0


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_value_is_what_best_play_takes_from_best_play(path):
    """Games with real flips, in which both sides take the first of the best choices, earn the value on average."""
    game = load_position(path)
    exact = ExactValues(game)
    total, games = 0.0, 100
    for seed in range(games):
        states = game.new_states(1)
        game.start(states, seed)
        while states["current_player"][0] >= 0:
            real = game.new_states(1)
            copy_records(states, real)
            decision = exact.decide(states)
            game.step(game.params, real, np.array([decision.actions[int(decision.values.argmax())]]))
            states = real
        total += exact._result(states)
    start = game.new_states(1)
    game.start(start, 0)
    assert total / games == pytest.approx(exact.value(start), abs=3.5 / np.sqrt(games))
