"""Information sets of Generals: the same, to the byte, wherever a General's knowledge is the same."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

from sackarmies_agents import GameInfo
from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.sack_armies import make_game
from tests.sack_armies.belief.test_twin_samples import GAMES, forfeited, pile, start, twins
from tests.sack_armies.builders.twin_worlds import (
    States,
    act,
    build,
    deal_rows,
    guess,
    mask_of,
    observe,
    plain,
    wander,
)

PLIES = 4 if INTERPRETED else 30
CLOSED = {"num_generals": 2, "armies": ["undead", "goblin_swarm"]}


def content(game: Game, states: States, viewer: int) -> tuple[Any, ...]:
    """Return all bytes of the information set of `viewer`."""
    sets = InformationSets.of(game, states, viewer)
    known = sets.game
    config = json.dumps(known.config)
    return sets.states.tobytes(), pickle.dumps(known), known.digest, known.params.tobytes(), config, sets.player


@pytest.mark.parametrize("name", GAMES)
def test_positions_that_look_alike_have_the_same_information_set(name):
    game, num_twins = make_game(**GAMES[name]), 0
    for ply, states in enumerate(wander(game, 16, PLIES)):
        worlds = [states] + [forfeited(game, states, seat) for seat in range(game.num_players) if ply % 20 == 0]
        for world in worlds:
            for viewer in range(game.num_players):
                expected = content(game, world, viewer)
                for number, twin in enumerate(twins(game, world, viewer, ply)):
                    num_twins += twin.tobytes() != world.tobytes()
                    assert content(game, twin, viewer) == expected, (ply, viewer, number)
    assert num_twins > PLIES


@pytest.mark.parametrize("name", GAMES)
def test_samples_observations_and_masks_are_those_of_the_truth(name):
    game = make_game(**GAMES[name])
    for ply, states in enumerate(wander(game, 17, PLIES)):
        before = states.tobytes()
        for viewer in range(game.num_players):
            sets = InformationSets.of(game, states, viewer)
            assert states.tobytes() == before
            for seed in (0, ply, 2**63 - 1 - ply):
                assert sets.sample([seed]).tobytes() == guess(game, states, viewer, seed).tobytes(), (ply, viewer)
            assert np.array_equal(sets.observations()[0], observe(game, states, viewer))
            if plain(states)["current_player"] == viewer:
                assert np.array_equal(sets.action_masks()[0], mask_of(game, states, viewer))


# --- the game as a General may know it


@pytest.mark.parametrize("name", GAMES)
def test_known_game_has_the_sizes_ids_and_rules_of_the_true_one(name):
    game = make_game(**GAMES[name])
    known = [pickle.loads(pickle.dumps(game.known_to(viewer))) for viewer in range(game.num_players)]
    for one, kept in zip(known, map(game.known_to, range(game.num_players)), strict=True):
        assert one.digest == kept.digest
        assert (one.num_players, one.num_actions, one.max_decisions) == (
            game.num_players,
            game.num_actions,
            game.max_decisions,
        )
        assert one.state_dtype == game.state_dtype
        assert one.observation_spec.names() == game.observation_spec.names()
        texts = [[one.actions.format_action(None, action) for action in range(0, 190)] for one in (one, game)]
        assert texts[0] == texts[1]
    rng = np.random.default_rng(4)
    for ply, states in enumerate(wander(game, 18, PLIES)):
        viewer = ply % game.num_players
        worlds = [game.clone(guess(game, states, viewer, ply)) for _ in range(2)]
        for _ in range(4):
            legal = legal_ids(plain(worlds[0])["legal"])
            if not legal:
                break
            action = int(rng.choice(legal))
            act(game, worlds[0], action)
            act(known[viewer], worlds[1], action)
            assert worlds[0].tobytes() == worlds[1].tobytes(), (ply, viewer, action)
            seen = [observe(one, worlds[0], viewer).tobytes() for one in (game, known[viewer])]
            assert seen[0] == seen[1]


def armies_of(game: Game) -> list[set[str]]:
    """Return the ids in each army."""
    return [set(army["tokens"]) for army in game.config["armies"]]


def held(game: Game) -> bytes:
    """Return the pickle of a game, and what it holds of its configuration."""
    return pickle.dumps(game) + json.dumps(game.config).encode() + repr(game.forced_kinds).encode()


def test_closed_lists_of_others_are_in_nothing_that_a_general_is_given():
    game = make_game(**CLOSED)
    own, others = armies_of(game)
    secret = others - own
    assert len(secret) > 5
    known = game.known_to(0)
    assert [token for token in secret if token.encode() in held(known)] == []
    assert [token for token in secret if token.encode() not in held(game)] == []
    for name in ("army_type", "army_size"):
        assert np.array_equal(known.params[name][0, 1], game.params[name][0, 0])
    assert b"goblin" not in held(known)


@pytest.mark.parametrize("other", ["scourge", "empire_siege", "mongrels"])
def test_games_that_differ_in_closed_lists_are_known_as_the_same(other):
    switches = {"sack_count_public": False}
    games = [make_game(2, ["undead", army], switches=switches) for army in ("goblin_swarm", other)]
    assert held(games[0].known_to(0)) == held(games[1].known_to(0))
    assert games[0].known_to(0).digest == games[1].known_to(0).digest
    assert games[0].known_to(0).params.tobytes() == games[1].known_to(0).params.tobytes()
    assert games[0].known_to(1).digest != games[1].known_to(1).digest
    assert pickle.dumps(GameInfo.of(games[0])) == pickle.dumps(GameInfo.of(games[1]))


@pytest.mark.parametrize("other", ["scourge", "empire_siege", "mongrels"])
def test_positions_with_other_armies_have_the_same_information_set(other):
    switches = {"sack_count_public": False}
    games = [make_game(2, ["undead", army], switches=switches) for army in ("goblin_swarm", other)]
    worlds = [game.new_states(1) for game in games]
    for game, states in zip(games, worlds, strict=True):
        game.reset(game.params, states, [5])
    compared = 0
    while compared < 40:
        current = [int(plain(states)["current_player"]) for states in worlds]
        seen = [observe(game, states, 0).tobytes() for game, states in zip(games, worlds, strict=True)]
        if seen[0] != seen[1] or current[0] != current[1]:
            break  # something has come to light: they have other tokens
        assert content(games[0], worlds[0], 0) == content(games[1], worlds[1], 0)
        assert content(games[0], worlds[0], 1) != content(games[1], worlds[1], 1)
        compared += 1
        for game, states in zip(games, worlds, strict=True):
            act(game, states, legal_ids(plain(states)["legal"])[0])
    assert compared >= 3


def test_open_lists_are_known_to_all():
    game = make_game(2, ["monsters", "fey_court"], switches={"open_army_lists": True})
    for viewer in range(2):
        known = game.known_to(viewer)
        assert [army["tokens"] for army in known.config["armies"]] == [army["tokens"] for army in game.config["armies"]]
        assert np.array_equal(known.params["army_type"], game.params["army_type"])
    assert game.known_to(0).digest == game.known_to(1).digest


@pytest.mark.parametrize("lists", ["open", "closed"])
def test_nothing_of_a_scenarios_placements_is_in_a_known_game(lists):
    """With open lists the armies are known, but not where their tokens are."""
    switches = {"open_army_lists": lists == "open"}
    one, _ = start(pile("drill", "hero fighter"), switches=switches)
    two, _ = start(pile("fighter", "hero drill"), switches=switches)
    known = [game.known_to(0) for game in (one, two)]
    assert held(one) != held(two)
    assert held(known[0]) == held(known[1])
    assert known[0].digest == known[1].digest
    assert set(known[0].config) == {"num_generals", "armies", "tokens", "switches", "room", "observation"}
    for game in known:
        assert b"0,0" not in held(game)
        again = pickle.loads(pickle.dumps(game))
        assert again.known_to(0).digest == game.digest


@pytest.mark.parametrize("worlds", [("hero", "mage"), ("mage", "hero")])
def test_other_placements_of_a_scenario_give_the_same_information_set(worlds):
    for sacks in (("mage", "hero"), ("fighter hero", "drill mage")):
        games = [start(pile("drill", sack), hidden) for sack, hidden in zip(sacks, worlds, strict=True)]
        assert content(*games[0], 0) == content(*games[1], 0)
        assert content(*games[0], 1) != content(*games[1], 1)


def test_sizes_of_large_armies_do_not_show():
    """Room for more than 40 tokens shows, as it does in observations; how many there are does not."""
    switches = {"sack_count_public": False}
    worlds = [start(pile("drill", "mage " * size), switches=switches) for size in (42, 47)]
    known = [game.known_to(0) for game, _ in worlds]
    assert known[0].state_dtype == worlds[0][0].state_dtype
    assert known[0].state_dtype != start(pile("drill", "mage"))[0].state_dtype
    assert held(known[0]) == held(known[1])
    assert content(*worlds[0], 0) == content(*worlds[1], 0)


def test_chance_of_the_seed_is_in_no_information_set():
    game = build("standard")
    for ply, states in enumerate(wander(game, 19, PLIES)):
        other = game.clone(states, seeds=[ply])
        for viewer in range(2):
            assert content(game, deal_rows(game, other, viewer, ply), viewer) == content(game, states, viewer)
