"""Shortcuts of the greedy General, checked against full computation: fights, menaces, pulls, single choices."""

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.scripted.sack_armies.board import (
    DEFENDS,
    NO_CELL,
    NO_UNIT,
    UNREACHED,
    gap_between,
    is_a,
    is_mine,
)
from sackarmies_agents.scripted.sack_armies.ground import count_reach, find_menaces, find_pull, find_wants
from sackarmies_agents.scripted.sack_armies.odds import can_engage
from sackarmies_agents.scripted.sack_armies.places import (
    ALL_BITS,
    better_place,
    danger,
    enemy_value,
    fight_value,
    find_contact,
    is_plain,
    place_value,
    prospect,
    special_danger,
    study,
)
from sackarmies_agents.scripted.sack_armies.read import read_board
from sackarmies_env.core.bits import WORD_BITS
from sackarmies_env.core.jit import INTERPRETED, njit
from tests.agents.test_greedy import ARCHERS, GIANT, RABBLE, SOLDIER, Position, random_views
from tests.sack_armies.builders import text_game
from tests.sack_armies.builders.text_game import field, position, token

COUNT = 25 if INTERPRETED else 1500
LEAST = 0 if INTERPRETED else 100  # minimum number of cases: interpreted games do not reach the first fight
FLOOR = -1e9
TOLERANCE = 1e-9  # for sums in another order
LANCER = token("lancer", rank=2, movement=2, damage=3, armor=3, abilities=[{"kind": "move_and_attack"}])
GUARD = token("guard", damage=1, armor=3, abilities=[{"kind": "defend"}])
KINDS = [RABBLE, ARCHERS, SOLDIER, LANCER, GIANT, GUARD]


@njit
def long_prospect(board, unit, cell):
    """Return the prospect of a hex, asking every enemy in turn and looking up the terrain."""
    best = 0.0
    for i in range(board.num_enemies):
        enemy = board.enemies[i]
        gap = gap_between(board, board.unit_cell[enemy], cell)
        if gap <= board.unit_notice[unit]:
            best = max(best, fight_value(board, unit, cell, enemy, gap))
    return best


@njit
def long_danger(board, unit, cell):
    """Return the danger of a hex, asking every enemy in turn, whether or not it was found to threaten the hex."""
    threat = board.cell_threat[cell]
    board.cell_threat[cell] = ALL_BITS
    worst = special_danger(board, unit, cell)
    board.cell_threat[cell] = threat
    return worst


@njit
def danger_on_enemy(board, unit, cell, enemy):
    """Return the danger of a hex where `enemy` stands, which attacks from there as if it charged."""
    worst = long_danger(board, unit, cell)
    is_special = is_a(board, unit, DEFENDS) or not is_plain(board, unit, cell)
    if is_special or not can_engage(board, enemy, unit, cell):
        return worst
    return max(worst, enemy_value(board, enemy, np.int64(NO_CELL), unit, cell, False))


@njit
def enemy_hexes(boards, observations, errors):
    """Write to `errors` (2,) the greatest error of dangers where enemies stand, and how often their charge mattered."""
    board = boards[0]
    for i in range(len(observations)):
        read_board(board, observations[i])
        find_wants(board)
        find_contact(board)
        for unit in range(board.num_units):
            if not is_mine(board, unit):
                continue
            for k in range(board.num_enemies):
                cell = board.unit_cell[board.enemies[k]]
                study(board, np.int64(unit), cell)
                feared = danger(board, np.int64(unit), cell)
                expected = danger_on_enemy(board, np.int64(unit), cell, board.enemies[k])
                errors[0] = max(errors[0], abs(feared - expected))
                errors[1] += feared > long_danger(board, np.int64(unit), cell) + TOLERANCE


@njit
def worst_places(boards, observations, errors):
    """Write the greatest errors of shortcuts, and how often they mattered, to `errors` (6,).

    The first four are errors of prospects, dangers, place values and pruned values; the last two are the numbers of
    prospects and dangers that were not 0.
    """
    board = boards[0]
    for i in range(len(observations)):
        read_board(board, observations[i])
        find_wants(board)
        find_pull(board)
        find_contact(board)
        for unit in range(board.num_units):
            if not is_mine(board, unit):
                continue
            for k in range(board.num_ground):
                cell = board.ground[k]
                if board.cell_unit[cell] != NO_UNIT and board.cell_unit[cell] != unit:
                    continue
                study(board, np.int64(unit), cell)
                promised = prospect(board, np.int64(unit), cell)
                feared = danger(board, np.int64(unit), cell)
                value = place_value(board, np.int64(unit), cell)
                errors[0] = max(errors[0], abs(promised - long_prospect(board, np.int64(unit), cell)))
                errors[1] = max(errors[1], abs(feared - long_danger(board, np.int64(unit), cell)))
                errors[2] = max(errors[2], abs(better_place(board, np.int64(unit), cell, FLOOR) - value))
                errors[3] = max(errors[3], abs(better_place(board, np.int64(unit), cell, value + 1.0) - value - 1.0))
                errors[4] += promised != 0.0
                errors[5] += feared != 0.0


@njit
def count_wrong_menaces(boards, observations, counts):
    """Count the battlefields whose menace disagrees with the reach of all enemies, and those that are menaced."""
    board = boards[0]
    for i in range(len(observations)):
        read_board(board, observations[i])
        find_menaces(board)
        for k in range(board.num_watched):
            board.cell_near[board.watched[k]] = board.cell_menace[board.watched[k]] > 0
        for k in range(board.num_ground):
            board.cell_menace[board.ground[k]] = 0
        for k in range(board.num_enemies):
            count_reach(board, board.enemies[k], np.int64(1), board.cell_menace)
        for k in range(board.num_watched):
            menaced = board.cell_menace[board.watched[k]] > 0
            counts[0] += menaced != (board.cell_near[board.watched[k]] == 1)
            counts[1] += menaced


@njit
def count_wrong_pulls(boards, observations, counts):
    """Count hexes that pull less than a neighbor passes on, or more without being a source; also all that pull."""
    board = boards[0]
    for i in range(len(observations)):
        read_board(board, observations[i])
        find_wants(board)
        find_pull(board)
        for k in range(board.num_ground):
            cell = board.ground[k]
            handed = 0.0
            for direction in range(6):
                neighbor = board.neighbors[cell, direction]
                if board.cell_steps[neighbor] == UNREACHED:
                    handed = max(handed, board.w_decay * board.cell_pull[neighbor])
            unit = board.cell_unit[cell]
            is_source = board.cell_want[cell] > 0.0 or (unit != NO_UNIT and not is_mine(board, unit))
            counts[0] += board.cell_pull[cell] < handed
            counts[0] += board.cell_pull[cell] > handed and not is_source
            counts[1] += board.cell_pull[cell] > 0.0


@pytest.fixture(scope="module", params=[2, 3])
def views(request):
    game, observations, _ = random_views(request.param, COUNT, seed=11)
    return GreedyAgent(GameInfo.of(game)).board, observations


@pytest.fixture(scope="module")
def crowd():
    """A position with 72 enemies of two Generals on 100 battlefields: more enemies than a word has bits."""
    reach = range(-6, 7)
    hexes = [f"{q},{r}" for q in reach for r in reach if abs(q + r) <= 5][:100]
    order = np.random.default_rng(5).permutation(100)
    owners = [0] * 8 + [1, 2] * 36
    units = [text_game.unit(KINDS[i % 6]["id"], hexes[order[i]], owner) for i, owner in enumerate(owners)]
    fields = [field(hexes[i], [0, 0, 1, 2][i % 4]) for i in range(100)]
    p = Position(position(KINDS, units, fields=fields, generals=3))
    return p.agent.board, p.view()[0]


def test_fights_worked_out_once_for_a_unit_are_those_of_each_hex(views):
    errors = np.zeros(6)
    worst_places(*views, errors)
    assert errors[:4] == pytest.approx(np.zeros(4), abs=TOLERANCE)
    assert (errors[4:] >= LEAST).tolist() == [True, True]


def test_enemy_on_a_hex_counts_as_charging_except_in_special_dangers(views):
    errors = np.zeros(2)
    enemy_hexes(*views, errors)
    assert errors[0] == pytest.approx(0.0, abs=TOLERANCE)
    assert errors[1] >= LEAST


def test_fights_with_more_enemies_than_a_word_has_bits(crowd):
    board, observations = crowd
    errors = np.zeros(6)
    worst_places(board, observations, errors)
    assert board["num_enemies"][0] == 72 > WORD_BITS
    assert errors[:4] == pytest.approx(np.zeros(4), abs=TOLERANCE)
    assert (errors[4:] >= 100).tolist() == [True, True]


def test_shortcut_finds_the_same_threats(views):
    counts = np.zeros(2, np.int64)
    count_wrong_menaces(*views, counts)
    assert counts[0] == 0
    assert counts[1] >= LEAST


def test_pulls_are_handed_on_from_hex_to_hex(views):
    counts = np.zeros(2, np.int64)
    count_wrong_pulls(*views, counts)
    assert counts[0] == 0
    assert counts[1] >= LEAST


def test_single_legal_id_is_chosen_without_reading_the_observation():
    game, observations, masks = random_views(2, 1, seed=1)
    agent = GreedyAgent(GameInfo.of(game))
    masks[0] = 0
    masks[0, 77] = 1
    assert agent.act(np.full_like(observations[0], 99), masks[0]) == 77
