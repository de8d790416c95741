"""Positions that few Generals, or none, are left in: ends of games, eliminated Generals, and what they leave behind."""

import numpy as np
import pytest

from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.scenario.document import load_scenario, start_scenario
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.testing import RandomPlay
from tests.sack_armies.builders.text_game import field, position, token, unit
from tests.sack_armies.builders.twin_worlds import act, plain
from tests.sack_armies.scenario.test_scenario import begun, differences

WALKER = token("walker", band="green")
UNITS = [unit("walker", "0,0"), unit("walker", "2,0", 1)]
SPARE = {"sack": ["walker"]}
FALLEN = {"alive": False, "casualties": ["walker"]}
ARMY = {"sack": ["plain"] * 5 + ["walker"]}
SETUP = {"game": "sack_armies", "setup": True, "token": [WALKER], "general": [ARMY, ARMY]}
SMALL = {"name": "small", "tokens": {"plain": 6, "goblin_infantry": 3}}


def game_with(*general, **keys):
    """Return a position on board B1 with these Generals; those who are eliminated have no units."""
    units = [one for one in UNITS if general[one["owner"]].get("alive", True)]
    return position([WALKER], units, general=list(general)) | keys


def faults(scenario):
    """Return the sentences with which a scenario is refused, without its name."""
    with pytest.raises(ValueError, match=r"^scenario: ") as error:
        load_scenario(scenario)
    return [line.removeprefix("scenario: ") for line in str(error.value).splitlines()]


# --- a game that goes on


@pytest.mark.parametrize("procedure", [{}, {"check_failed": 0}, {"act_verb": "surprise"}])
@pytest.mark.parametrize("general", [[FALLEN, FALLEN], [SPARE, FALLEN]])
@pytest.mark.parametrize("is_setup", [False, True])
def test_a_game_that_goes_on_needs_two_generals(procedure, general, is_setup):
    scenario = game_with(*general, procedure=procedure)
    if is_setup:
        scenario = SETUP | {"general": [ARMY | one for one in general], "procedure": procedure}
    left = 2 - general.count(FALLEN)
    assert f"too few Generals are in the game: {left}; at least 2 are needed unless it is over" in faults(scenario)


@pytest.mark.parametrize(
    "procedure",
    [
        {"act_verb": "surprise"},
        {"act_verb": "surprise", "frame_top": 2, "frame_kind": ["turn", "attack", "window", "activate"]},
        {"act_verb": "surprise", "frame_top": -1, "frame_kind": ["activate"]},
        {"act_verb": "surprise", "frame_top": "activate", "frame_kind": "activate"},
        {"act_verb": "cast", "frame_top": 1, "frame_kind": ["turn", "activate"]},
    ],
)
def test_only_a_surprise_under_way_continues_without_the_active_general(procedure):
    fields = [field("0,0"), field("2,0", 1), field("0,3", 2)]
    general = [FALLEN, SPARE, SPARE]
    scenario = position([WALKER], [], fields=fields, generals=3, general=general, procedure=procedure)
    assert faults(scenario) == ["to_move is 0, but this General is eliminated"]


def test_an_eliminated_general_cannot_be_asked():
    fields = [field("0,0"), field("2,0", 1), field("0,3", 2)]
    asked = {"decision": "menu", "current_player": 2, "frame_step": [1]}
    scenario = position([WALKER], [], fields=fields, generals=3, general=[SPARE, SPARE, FALLEN], procedure=asked)
    with pytest.raises(ValueError, match="procedure: current_player is 2, but this General is eliminated"):
        start_scenario(scenario)


# --- ends


ONE_LEFT = 'winner must be a General once the game is over, unless victory_type is "draw" or "none"'
NOT_ALONE = "winner is 0, so General 0 alone must still be in the game, but it has "


@pytest.mark.parametrize(
    ("general", "end", "message"),
    [
        ((SPARE, SPARE), {"winner": 0}, NOT_ALONE + "0, 1"),
        ((FALLEN, SPARE), {"winner": 0, "victory_type": "decisive"}, NOT_ALONE + "1"),
        ((FALLEN, FALLEN), {"winner": 0}, NOT_ALONE + "nobody"),
        ((SPARE, SPARE), {"winner": -1}, ONE_LEFT),
        ((SPARE, FALLEN), {"victory_type": "standard"}, ONE_LEFT),
        (
            (FALLEN, FALLEN),
            {"winner": 0, "victory_type": "draw"},
            'winner is 0, but nobody wins a game whose victory_type is "draw"',
        ),
        (
            (SPARE, SPARE),
            {"winner": 0, "victory_type": "none"},
            'winner is 0, but nobody wins a game whose victory_type is "none"',
        ),
        (
            (SPARE, FALLEN),
            {"victory_type": "draw"},
            'victory_type is "draw", but General 0 is still in the game: set alive = false for all',
        ),
        (
            (SPARE, FALLEN),
            {"victory_type": "none"},
            "too few Generals are in the game: 1; at least 2 are needed unless it is over",
        ),
        (
            (SPARE, FALLEN),
            {"winner": 0, "procedure": {"victory_type": "draw"}},
            "procedure: victory_type must be given outside of the procedure",
        ),
    ],
)
def test_ends_that_contradict_the_generals_are_refused(general, end, message):
    assert faults(game_with(*general, **end)) == [message]


@pytest.mark.parametrize(
    ("general", "end", "returns"),
    [
        ((SPARE, FALLEN), {"winner": 0}, [1, -1]),
        ((FALLEN, SPARE), {"winner": 1, "victory_type": "concession"}, [-1, 1]),
        ((FALLEN, FALLEN), {"victory_type": "draw", "procedure": {"general_drawn": [1, 1]}}, [0, 0]),
        ((FALLEN, FALLEN), {"victory_type": "draw"}, [0, 0]),
        ((SPARE, SPARE), {"winner": -1, "victory_type": "none"}, [0, 0]),
    ],
)
def test_ends_pay_what_they_say(general, end, returns):
    game = make_game(scenario=game_with(*general, **end))
    states, paid = begun(game_with(*general, **end)), np.zeros((1, 2), np.float32)
    game.returns(game.params, states, paid)
    assert paid[0].tolist() == returns
    assert start_scenario(game.to_scenario(states)).states["current_player"][0] == -1


@pytest.mark.parametrize(
    ("general", "end", "procedure", "message"),
    [
        ((SPARE, SPARE), {}, {"terminated": 1}, '"terminated" cannot be given here: it follows from the rest'),
        ((SPARE, SPARE), {}, {"truncated": 1, "decision": "menu"}, '"truncated" cannot be given here'),
        ((SPARE, SPARE), {}, {"winner": 1}, '"winner" cannot be given here'),
        ((SPARE, SPARE), {}, {"error": 5}, '"error" cannot be given here'),
        ((SPARE, SPARE), {}, {"turn": 32767}, '"turn" cannot be given here'),
        ((SPARE, SPARE), {}, {"active": 1}, '"active" cannot be given here'),
        ((SPARE, SPARE), {}, {"victory_type": "draw"}, "victory_type: it can be draw only once the game is over"),
        ((SPARE, SPARE), {}, {"general_drawn": [1]}, "general_drawn marks 1 Generals, but the game is no draw"),
        (
            (FALLEN, FALLEN),
            {"victory_type": "draw"},
            {"general_drawn": [0, 1]},
            "general_drawn marks 1 Generals, but a draw is between at least 2 Generals who were the last",
        ),
        (
            (SPARE, SPARE),
            {"victory_type": "none"},
            {"current_player": 0, "decision": "menu"},
            "decision and current_player cannot be given once the game is over: nothing is asked any more",
        ),
        ((SPARE, SPARE), {}, {"last_progress_turn": 32767}, "last_progress_turn: 32767 is later than the turn, 1"),
        (
            (SPARE, SPARE),
            {},
            {"frame_kind": ["setup"]},
            "frame_kind: setup cannot be the lowest procedure without setup = true",
        ),
    ],
)
def test_procedures_that_contradict_the_rest_are_refused(general, end, procedure, message):
    with pytest.raises(ValueError, match=r"^scenario: procedure: ") as error:
        make_game(scenario=game_with(*general, **end, procedure=procedure))
    assert message in str(error.value)


def test_a_game_cut_off_by_the_limit_of_turns_begins_as_its_dump_says():
    game = make_game(switches={"max_turns": 2})
    play = RandomPlay(game, 1)
    states = play.play()
    assert (plain(states)["truncated"], plain(states)["frame_step"][0]) == (1, 0)
    assert differences(states, begun(game.to_scenario(states))) == []


# --- picks


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"setup": True}, "holds 6 battlefields, but at most 5 are picked"),
        (
            {"setup": True, "switches": {"setup_pick": "any_at_placement"}},
            'must be empty with setup_pick = "any_at_placement": nothing is picked beforehand',
        ),
        ({}, "must be empty after Setup, unless the General is eliminated"),
    ],
)
def test_picks_that_would_never_be_placed_are_refused(changes, message):
    number = 6 if "most" in message else 5
    picked = {"picked": ["plain"] * number, "sack": ["walker"]}
    scenario = game_with(picked, SPARE)
    if "setup" in changes:
        scenario = SETUP | {"general": [picked, ARMY]} | changes
    assert faults(scenario) == [f"general[0]: picked {message}"]


def test_picks_of_a_general_who_left_in_setup_survive_the_round_trip():
    game = make_game(3, SMALL)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([2], np.int64))
    while plain(states)["decision"] == Decision.SETUP_PICK:
        act(game, states, legal_ids(plain(states)["legal"])[0])
    leaver = (int(plain(states)["current_player"]) + 1) % 3
    dispatch(game.step_batch, game.params, states, Command.FORFEIT, leaver)
    while plain(states)["active"] < 0:
        act(game, states, legal_ids(plain(states)["legal"])[0])
    dump = game.to_scenario(states)
    assert (dump["general"][leaver]["alive"], dump["general"][leaver]["picked"]) == (False, ["plain"] * 5)
    assert differences(states, begun(dump)) == []
