"""Positions with inconsistent procedures are refused: they once made compiled rules read outside their tables."""

import copy

import numpy as np
import pytest

from sackarmies_env.games.sack_armies.scenario.document import start_scenario
from sackarmies_env.games.sack_armies.scenario.flow import ABOVE, _stack_faults
from sackarmies_env.games.sack_armies.state.constants import Frame, Verb
from sackarmies_env.games.sack_armies.state.record import MAX_FRAMES
from tests.fuzz.readers import dumps


def position_at(decision):
    """Return a position of a random game at a decision."""
    found = next(one for one in dumps() if one["procedure"].get("decision") == decision)
    return copy.deepcopy(found)


@pytest.mark.parametrize(
    ("decision", "changes", "message"),
    [
        ("deploy_hex", {"chain": ["pit_demon"]}, 'place the type "pit_demon" now'),
        ("deploy_hex", {"chain_length": 0}, "chain_length: the decision deploy_hex cannot follow 0 parts of a choice"),
        ("deploy_hex", {"chain_length": 6}, "chain_length: the decision deploy_hex cannot follow 6 parts"),
        ("menu", {"chain_length": 2}, "chain_length: the decision menu cannot follow 2 parts of a choice, only 0"),
        ("menu", {"chain_length": 1, "chain": ["0,0"]}, "the decision menu cannot follow 1 parts of a choice, only 0"),
        ("menu", {"chain": ["0,0"]}, 'chain: the choice has 0 parts so far; all others must be "-"'),
        ("move_to", {"chain_length": 2}, "the decision move_to cannot follow 2 parts of a choice, only 1"),
        ("deploy_hex", {"frame_top": 4}, "frame_kind: setup cannot lie on deploy"),
        ("deploy_hex", {"frame_step": [1, 9]}, "frame_step: deploy has the steps 0 to 0, not 9"),
        ("deploy_hex", {"frame_data": [[0], [200]]}, "frame_data: 200 is out of range for deploy; allowed are 0 to 64"),
        ("deploy_hex", {"current_player": -1}, "current_player must be a General while a decision is asked"),
        ("move_to", {"chain": ["-"]}, 'chain: move_to requires a unit on each of the hexes "-"'),
        ("move_to", {"decision": "counter"}, "decision: counter is not asked in move"),
        ("move_to", {"frame_kind": ["window", "move"]}, "frame_kind: window cannot be the lowest procedure"),
        (
            "window",
            {"frame_data": [[0], [0], [3, 1, 200]]},
            "frame_data: 200 is out of range for window; allowed are 0 to 1",
        ),
        ("move_to", {"window_closed": 6}, "window_closed: 6 is out of range; allowed are 0 to"),
        ("window", {"window_closed": 1}, "window_closed: no decision of window can directly follow a window"),
        ("window", {"window_heard": 6}, "window_heard: 6 is out of range; allowed are 0 to"),
        ("move_to", {"decision": [["menu"]]}, "decision: [['menu']] is not allowed; allowed are"),
    ],
)
def test_inconsistent_procedure_is_refused(decision, changes, message):
    scenario = position_at(decision)
    start_scenario(scenario)
    scenario["procedure"] |= changes
    with pytest.raises(ValueError, match="scenario: procedure: ") as error:
        start_scenario(scenario)
    assert message in str(error.value)


def test_a_deck_of_more_cards_than_there_are_is_refused():
    scenario = next(copy.deepcopy(one) for one in dumps() if "deck_red" in one.get("chance", {}))
    scenario["chance"]["deck_red"] = 27
    with pytest.raises(ValueError, match="scenario: procedure: deck_red: 27 is out of range; allowed are 0 to 26"):
        start_scenario(scenario)


def test_deepest_consistent_stack_of_procedures_fits_in_a_state():
    def stacks(*below):
        yield below
        if len(below) <= MAX_FRAMES:
            for above in ABOVE.get(below[-1], ()):
                yield from stacks(*below, above)

    whole = {
        stack
        for stack in stacks(Frame.TURN)
        for verb in (Verb.CAST, Verb.SURPRISE)
        if not [*_stack_faults({"active": 0, "act_verb": verb, "frame_step": np.zeros(MAX_FRAMES + 1)}, list(stack))]
    }
    assert (Frame.TURN, Frame.ATTACK, Frame.WINDOW, Frame.ACTIVATE) in whole
    assert max(map(len, whole)) == 4 <= MAX_FRAMES
