"""Any state, written as a scenario and read back, is the same state with the same future."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pytest
import tomli_w

from sackarmies_env.core.chance import forced_left
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.state import Role
from sackarmies_env.games.territories import make_game
from sackarmies_env.games.territories.scenario.document import scenario_ids
from sackarmies_env.games.territories.state.constants import Decision
from sackarmies_env.games.territories.state.record import STATE
from tests.samples import many
from tests.territories.referee.random_play import RandomPlayers, options_of

QUICK = 6  # games
MANY = many(80)
RARE = 175  # the first game with a reserve loss to choose
MOST_PLIES = 150 if INTERPRETED else 2500
OFTEN = 15  # the first decisions of each kind, which are all tried
EVERY = 17  # plies between two tries after that
FORFEITS = 0.003  # per decision
SEED = 5  # of loaded games; it must not matter


def differences(one: Records, other: Records) -> list[str]:
    """Return the names of the fields that differ; scratch, the count of decisions and forced results aside."""
    return [
        field.name
        for field in STATE.fields
        if field.role != Role.SCRATCH and field.part != "forced results" and field.name != "decisions"
        if not np.array_equal(np.asarray(one[field.name][0]), np.asarray(other[field.name][0]))
    ]


def check_round_trip(game: Game, states: Records) -> tuple[Game, Records]:
    """Check that a state written as a scenario and read back is the same and gives the same scenario."""
    scenario = game.to_scenario(states)
    assert json.loads(json.dumps(scenario)) == scenario
    again = make_game(scenario=scenario)
    loaded = again.new_states(1)
    again.start(loaded, SEED)
    assert differences(states, loaded) == [], scenario
    for name in ("dice", "draws"):
        assert forced_left(states, name) == forced_left(loaded, name)
    assert again.to_scenario(loaded) == scenario
    return again, loaded


def observations(game: Game, states: Records) -> bytes:
    """Return the observations of all players."""
    seats = np.arange(game.num_players)
    out = np.zeros((game.num_players, game.observation_spec.size), np.int8)
    game.observe(game.params, game.clone(states, np.zeros_like(seats)), seats, out)
    return out.tobytes()


def check_future(game: Game, states: Records, actions: list[int], start: tuple[Game, Records]) -> None:
    """Check that the same actions in a loaded game are legal and lead to the same state and observations."""
    again, loaded = start
    for action in actions:
        if action < 0:
            again.forfeit(again.params, loaded, [-1 - action])
        else:
            assert action in legal_ids(loaded["legal"][0])
            again.step(again.params, loaded, [action])
    assert differences(states, loaded) == []
    assert observations(game, states) == observations(again, loaded)


def play(seed: int) -> Iterator[tuple[Game, Records, int | None]]:
    """Yield a random game at each decision with the next action (-1 - p: player p forfeits), and at its end."""
    options = options_of(seed)
    game = make_game(options["num_players"], options["game_map"], options["switches"])
    players, states = RandomPlayers(seed, game.num_players, FORFEITS), game.new_states(1)
    game.start(states, seed)
    for _ in range(MOST_PLIES):
        player = int(states["current_player"][0])
        if player < 0:
            break
        in_play = np.flatnonzero(states["alive"][0]).tolist()
        action = players.next_move(player, sorted(legal_ids(states["legal"][0])), in_play)
        yield game, states, action
        if action < 0:
            game.forfeit(game.params, states, [-1 - action])
        else:
            game.step(game.params, states, [action])
    yield game, states, None


def check_games(seeds: Iterable[int]) -> set[Decision]:
    """Check the round trip in random games; return the decisions that were met."""
    met = dict.fromkeys(Decision, 0)
    for seed in seeds:
        start, actions = None, []
        for ply, (game, states, action) in enumerate(play(seed)):
            decision = Decision(int(states["decision"][0]))
            met[decision] += 1
            if action is None or met[decision] <= OFTEN or ply % EVERY == 0:
                if start is not None:
                    check_future(game, states, actions, start)
                start, actions = check_round_trip(game, states), []
            actions.append(action)
    return {decision for decision, count in met.items() if count}


def test_states_of_random_games_survive_the_round_trip():
    assert len(check_games(range(QUICK))) > 20


@pytest.mark.slow
def test_every_decision_survives_the_round_trip():
    assert check_games([*range(QUICK, MANY), RARE]) == set(Decision)


def test_guessed_worlds_survive_the_round_trip():
    for ply, (game, states, _) in enumerate(play(3)):
        if ply % 40 == 0:
            world = game.clone(states)
            game.determinize(game.params, world, [ply % game.num_players], [ply])
            check_round_trip(game, world)


def test_games_truncated_in_the_middle_of_something_survive_the_round_trip():
    stopped = set()
    for game, states, action in play(8):
        if action is None or action < 0:
            continue
        cut = replace(game, max_decisions=int(states["decisions"][0]) + 1)
        last = game.clone(states)
        cut.step(cut.params, last, [action])
        if last["truncated"][0]:
            stopped.add((int(last["frame_kind"][0, 1]), int(last["frame_step"][0, 1])))
            check_round_trip(game, last)
    assert len(stopped) > 8


def test_forced_results_that_are_left_survive_the_round_trip():
    game = make_game(2, "small")
    states = game.new_states(1)
    game.start(states, 1, forced={"dice": "6 5 | 4", "draws": [["card 3", "Mutiny"], ["Truce"]]})
    assert game.to_scenario(states)["dice"] == "6 5 4"
    assert game.to_scenario(states)["draws"] == [["Banner", "Mutiny"], ["Truce"]]
    check_round_trip(game, states)


@pytest.mark.parametrize("name", scenario_ids())
def test_built_in_scenarios_survive_the_round_trip(name):
    game = make_game(scenario=name)
    states = game.new_states(1)
    game.start(states, 1)
    check_round_trip(game, states)


def test_scenarios_survive_as_files(tmp_path):
    game, states, _ = next(entry for entry in play(4) if entry[1]["frame_top"][0] == 1)
    path = tmp_path / "position.toml"
    path.write_text(tomli_w.dumps(game.to_scenario(states)))
    assert make_game(scenario=path).config == make_game(scenario=tomllib.loads(path.read_text())).config
