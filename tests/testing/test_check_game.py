"""Sound games pass `check_game`; each planted fault is found by the check that is meant for it."""

from __future__ import annotations

import pytest

from sackarmies_env.core.observation import ObservationSpec
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.testing import check_game
from sackarmies_env.testing.worlds import Worlds
from tests.core.toy_game import make_duel
from tests.testing import call_faults, forced_faults, member_faults
from tests.testing.commands import broken, spoilt

CHECK = {"num_games": 3, "every": 3, "max_plies": 200, "most_decisions": 300}


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_sound_small_game_passes(num_players):
    check_game(make_duel(num_players), num_games=3, every=3)


def test_sound_game_passes_with_any_seed():
    for seed in range(1000, 1006):
        check_game(make_duel(3, max_turns=6), num_games=1, seed=seed, every=3)


def test_costly_checks_begin_at_another_decision_in_each_game(monkeypatch):
    plies = []
    monkeypatch.setattr(Worlds, "check", lambda worlds, play: plies.append(len(play.actions)))
    monkeypatch.setattr(Worlds, "check_variety", lambda worlds: None)
    check_game(make_duel(2), num_games=3, every=1000)
    assert plies == [0, 1, 2]


SACK_ARMIES = {  # in addition to those of tests/envs and tests/sack_armies
    "planes": {"observation": "planes"},
    "asked": {"switches": {"auto_forced": False}},
    "scenario": {"scenario": "x11_leadership"},
    "win_only": {"num_generals": 3, "switches": {"reward": "win_only", "max_turns": 30}},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SACK_ARMIES)
def test_sack_armies_passes(name):
    check_game(make_game(**SACK_ARMIES[name]), num_games=2, max_plies=300, every=25)


# --- planted faults

UNKNOWN = "depends on what that player does not know"
ALIKE = "which look alike to player"
MEMBER_FAULTS = [
    # --- determinize
    (member_faults.idle_determinize, "determinize for player 0 keeps the true draw_key"),
    (
        member_faults.determinize_of_chance_alone,
        "determinize for player 0 gives the same world for all seeds, chance apart, in",
    ),
    (
        member_faults.determinize_for_player_0_alone,
        "determinize for player 1 gives the same world for all seeds, chance apart",
    ),
    (member_faults.determinize_keeps_the_key, "determinize for player 0 keeps the true draw_key"),
    (member_faults.determinize_fixes_the_key, "determinize for player 0 gives each seed the same draw_key"),
    (member_faults.determinize_keeps_the_count, "determinize for player 0 leaves a count of [0-9]+ decisions, not 0"),
    (member_faults.determinize_keeps_the_mask, r"determinize for player [0-2] leaves a stale mask: it has \["),
    (member_faults.determinize_keeps_the_deck, rf"{ALIKE} 0: determinize for player 0 {UNKNOWN}: see \['script_draws'"),
    (member_faults.determinize_leaves_the_truth_in_scratch, rf"{UNKNOWN}: see \['script_draws'\]"),
    (member_faults.determinize_is_biased, f"determinize for player 0 {UNKNOWN}"),
    (member_faults.determinize_spares_the_eliminated, f"{UNKNOWN} after player 0 has forfeited"),
    (member_faults.determinize_passes_the_turn, "determinize for player 0 changes the current player"),
    (member_faults.determinize_empties_the_mask, "determinize for player 1 leaves no legal action"),
    (
        member_faults.determinize_breaks_the_world,
        "the world of determinize for player 0 reports error 2 after a legal action",
    ),
    # --- leaks
    (member_faults.mask_by_hidden_cards, "determinize changes the legal actions of player [0-2]"),
    (member_faults.mask_by_a_kept_deck, f"{ALIKE} 0: legal_actions reveals hidden information to player 0"),
    (member_faults.decision_named_by_hidden_cards, "describe_decision reveals hidden information to player 0"),
    (member_faults.text_by_hidden_cards, "format_action reveals hidden information to player 0"),
    # --- initial states
    (member_faults.initial_state_is_empty, "initial_state leaves the record empty"),
    (member_faults.initial_state_differs_each_time, r"initial_state makes a different record .*: see \['shown'\]"),
    # --- texts
    (member_faults.text_of_any_action_is_read, "is read as action [0-9], which is not legal"),
    (member_faults.text_is_read_by_its_beginning, "'card 1.*' is read as action 0, which is not legal"),
    (member_faults.nonsense_is_a_lookup_error, "parse_action refuses '' with a KeyError, not a ValueError"),
    (member_faults.text_is_read_after_the_end, "the game is over, but '' is read as action 0"),
    (member_faults.scenario_counts_looks, "a text function changes the state"),
]
CALL_FAULTS = [
    # --- leaks
    (call_faults.observation_of_a_hidden_card, "determinize changes what player [0-2] sees"),
    (call_faults.returns_by_hidden_cards, "returns reveals hidden information to player 0"),
    (call_faults.terminations_by_hidden_cards, "terminations reveals hidden information to player 1"),
    # --- reads
    (call_faults.observation_out_of_range, r"table\[0\]\.shown is 99 for player 0, not 0 to 4"),
    (call_faults.observation_counts_looks, "observe changes the state"),
    (call_faults.mask_counts_looks, "legal_actions changes the state"),
    (call_faults.returns_count_looks, "returns or terminations change the state"),
    (call_faults.mask_without_cards, "has no legal action"),
    (call_faults.mask_of_twos, "the mask contains values other than 0 and 1"),
    # --- steps and resets
    (call_faults.step_by_a_count_of_the_process, r"same seed and actions lead to a different state: see \['shown'\]"),
    (call_faults.second_step_reports_an_error, "ply 2: the state reports error 3"),
    (call_faults.step_counts_twice, "the state counts 2 decisions, not 1"),
    (call_faults.resume_changes_a_field, r"RESUME changes a state that is at a decision: see \['shown'\]"),
    (call_faults.reset_leaves_a_field, r"reset keeps something of the previous game: see \['shown'\]"),
    (call_faults.reset_counts_rows, r"reset has a different effect on row 0 of 6 states .*: see \['turn'\]"),
    (call_faults.observation_of_the_first_seat, "observe gives a different result in row 1 of 6 states"),
    # --- ends
    (call_faults.winners_get_half, r"returns of a zero-sum game are \[.*\], which do not add up to zero"),
    (call_faults.losers_get_it_back, "is eliminated, but the returns of that player change"),
    (call_faults.winners_get_no_number, r"returns are \[.*nan"),
    (
        call_faults.turn_without_a_limit,
        "has not ended after 300 decisions, always the lowest legal action; turn [0-9]+ began at",
    ),
    (call_faults.limit_is_ignored, "max_decisions is 1, but the game goes on after 1 decisions"),
    (call_faults.step_after_the_end, "a step changes a game that is over"),
    (call_faults.end_of_both_kinds, "a game that is over must be either terminated or truncated"),
    (call_faults.end_with_a_current_player, "the game has ended, but player 0 is the current player"),
    (call_faults.mask_after_the_end, "the game is over, but there are legal actions"),
    (call_faults.winner_is_not_terminated, "the game has ended, but not for everybody"),
    (call_faults.forfeit_without_effect, "player 0 forfeits but is not eliminated"),
    (call_faults.skip_counts_as_a_turn, "a forfeit of nobody changes the state"),
    (call_faults.forfeit_leaves_the_turn, "player 0 forfeits but is the current player"),
    (call_faults.forfeit_leaves_nothing_to_do, "after a forfeit of player 0 nothing is legal for player 1"),
    (call_faults.forfeits_end_no_game, "all players have forfeited, but the game goes on"),
    (call_faults.forfeit_after_the_end, r"a forfeit changes a game that is over: see \['turn'\]"),
    # --- many games in one call
    (call_faults.begin_of_some_games_takes_the_next_seed, "BEGIN of row [0-9].* leads to a different state than in"),
    (call_faults.random_takes_one_less, "RANDOM with [0-9]+ decisions of row [0-9] leads to a different state"),
    (call_faults.await_does_nothing, r"AWAIT of row 1 \(with .*\) leads to a different state"),
    (call_faults.restart_shows_the_new_returns, r"of row [0-9] \(with restarts.*\) writes returns that differ from"),
    (
        call_faults.restart_leaves_a_field,
        r"\(with restarts.*\) leads to a different state than in a single game: see \['shown'\]",
    ),
    (call_faults.restart_keeps_the_seed, r"\(with restarts.*\) says [0-9]+ for seeds, not"),
    (call_faults.step_leaves_the_mask, "STEP 1 writes a mask that differs from that of legal_actions"),
    (call_faults.step_leaves_the_bits, "STEP 1 writes different masks as bits and as bytes"),
    (call_faults.step_leaves_the_observation, "STEP 1 writes an observation that differs from that of observe"),
    (
        call_faults.step_clears_the_observation_of_another_row,
        r"row ([0-9]): STEP of row (?!\1)[0-9].* writes an observation that differs from that of observe",
    ),
    (
        call_faults.forfeit_leaves_the_results,
        "FORFEIT of row [0-9].* writes (returns|terminations) that differ from",
    ),
    (call_faults.read_leaves_the_results_of_the_former_game, r"READ \(with restarts.*\) writes returns that differ"),
    (call_faults.skip_clears_the_observation, "SKIP writes an observation that differs from that of observe"),
    (
        call_faults.observing_seat_is_shown_what_another_sees,
        r"\(with .*observing seats.*\) writes an observation that differs from that of observe",
    ),
]
FORCED_FAULTS = [
    (forced_faults.unknown_kinds_are_ignored, "forced results of 'no such kind of chance' are not refused"),
    (forced_faults.other_results_are_ignored, "forced draws None are not refused"),
    (forced_faults.forced_results_are_never_used, "no forced result is used in 4 games, though chance decides"),
    (forced_faults.forced_results_change_nothing, "forced draws of player 0 are used but change nothing, in each of 3"),
    (
        forced_faults.forced_games_differ_by_a_count_of_the_process,
        r"ply 1: the same seed, forced results and actions lead to a different state: see \['shown'\]",
    ),
    (forced_faults.observation_of_the_next_forced_card, "observe reveals upcoming forced draws to player [0-2]"),
    (forced_faults.determinize_keeps_forced_results, "determinize for player 0 keeps upcoming forced draws: see"),
]


def names_of(faults):
    return [fault.__name__ for fault, _ in faults]


@pytest.mark.parametrize(("fault", "sentence"), MEMBER_FAULTS, ids=names_of(MEMBER_FAULTS))
def test_planted_fault_of_a_member_is_found(fault, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_game(fault(make_duel(3)), **CHECK)


@pytest.mark.parametrize(("fault", "sentence"), FORCED_FAULTS, ids=names_of(FORCED_FAULTS))
def test_planted_fault_of_forced_results_is_found(fault, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_game(fault(make_duel(3)), **CHECK)


def test_game_without_forced_kinds_passes():
    check_game(broken(make_duel(3), forced_kinds=()), **CHECK | {"most_decisions": 20_000})


@pytest.mark.parametrize(("fault", "sentence"), CALL_FAULTS, ids=names_of(CALL_FAULTS))
def test_planted_fault_of_step_batch_is_found(fault, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_game(spoilt(make_duel(3), fault), **CHECK)


def test_returns_after_an_elimination_and_a_truncation_must_add_up():
    game = spoilt(make_duel(3, max_turns=2), call_faults.survivors_of_truncation_get_nothing)
    sentence = r"after forfeits from player 1 on: returns of a zero-sum game are \[ 0\. +-0\.5 +0\. +\], which do not"
    with pytest.raises(AssertionError, match=sentence):
        check_game(game, **CHECK)


MEMBERS = [
    ({"format_action": lambda states, action: "card"}, "legal actions share a text"),
    ({"format_action": lambda states, action: f"card\n{action}"}, r"'card\\n[0-9]', not a line of text"),
    ({"parse_action": lambda states, text: 0}, "which is read back as 0"),
    ({"describe_decision": lambda states: ""}, "the decision has no name"),
    ({"config": {"num_players": 2}}, r"build\(\*\*config\) gives a different game"),
    ({"observation_spec": ObservationSpec([])}, "the observation is empty"),
]


@pytest.mark.parametrize(("members", "sentence"), MEMBERS, ids=[next(iter(members)) for members, _ in MEMBERS])
def test_wrong_member_is_found(members, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_game(broken(make_duel(3), **members), **CHECK)


def test_player_from_whom_nothing_is_hidden_must_be_named():
    game = member_faults.determinize_of_chance_alone(make_duel(3))
    for all_seeing, player in (((), 0), ((0, 1), 2)):
        sentence = f"determinize for player {player} .* the game must name the player in all_seeing"
        with pytest.raises(AssertionError, match=sentence):
            check_game(broken(game, all_seeing=all_seeing), **CHECK)
    with pytest.raises(AssertionError, match=f"{ALIKE} .*{UNKNOWN}"):  # a lie, which games that begin alike reveal
        check_game(broken(game, all_seeing=(0, 1, 2)), **CHECK)
