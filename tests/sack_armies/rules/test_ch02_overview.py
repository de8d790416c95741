"""Chapter 2, overview: who plays, the course of a game, and how it ends."""

import pytest

from sackarmies_env.games.sack_armies.config import make_config
from sackarmies_env.games.sack_armies.state.constants import Decision
from tests.sack_armies.builders.fights import asked, attack, play
from tests.sack_armies.builders.ground import deploy_room, move, piles, place, setup, wait
from tests.sack_armies.builders.text_game import B1, field, token, unit

A = token("a")
SPARE = piles(sack=["spare"])


@pytest.mark.parametrize("generals", [2, 3, 4, 5, 6])
def test_r2_0_1__c_num_generals_two_or_more_generals_each_with_an_army_chosen_before(generals):
    config = make_config(generals)
    assert (config.num_generals, len(config.armies)) == (generals, generals)
    assert all(army.size > 0 for army in config.armies)
    t = setup("H" + " T" * (generals - 1), generals=generals, grid_radius=5)
    assert t.player == 0
    assert [t.alive(g) for g in range(generals)] == [True] * generals
    assert [len(t.zone(g, 3)) + len(t.sack(g)) for g in range(generals)] == [6] * generals


@pytest.mark.parametrize("generals", [0, 1, 7, 2.0, "2"])
def test_c_num_generals_fewer_and_more_are_refused(generals):
    with pytest.raises(ValueError, match="num_generals must be an integer from 2 to 6"):
        make_config(generals)


def test_r2_0_1_an_army_for_each_general():
    with pytest.raises(ValueError, match="expected 3 armies, one for each General, got 2"):
        make_config(3, ["beginners", "beginners"])


def test_r2_0_2_a_game_is_setup_and_then_turns():
    t = setup("H T", grid_radius=6)
    assert (t.turn, t.active, t.decision) == (0, -1, Decision.SETUP_TYPE)
    place(t, "0,0", "2,0", "-1,0", "3,0", "-2,0", "4,0", "-3,0", "2,1")
    place(t, "0,-1", "3,1")
    assert (t.turn, t.active, *asked(t)) == (1, 0, 0, Decision.MENU)
    t.do("draw", "done")
    assert (t.turn, *asked(t)) == (2, 1, Decision.MENU)
    t.do("draw", "done")
    t.do("deploy", "type a", "hex 0,0")
    t.do("deploy", "type a", "hex 2,0")
    t.do("move", "hex 0,0", "hex 1,0")
    t.do("melee", "hex 2,0", "hex 1,0")
    assert (t.turn, t.decision) == (6, Decision.WINDOW)


@pytest.mark.parametrize("way", ["units", "control", "concession"])
def test_r2_0_3_a_game_ends_by_elimination_control_or_concession(way):
    fields = [*(field(h) for h in B1[0]), field("2,0", 1)]
    units = [unit("a", "1,0"), unit("a", "3,0", 1) if way == "control" else unit("a", "2,0", 1)]
    t = play([A], units, "H T", {"allow_concede": "on"}, fields=fields, general=[SPARE, piles()])
    assert not t.terminated
    if way == "units":
        attack(t, "melee", "1,0", "2,0", "no")
    elif way == "control":
        move(t, "1,0", "2,0")
    else:
        wait(t).do("concede")
    assert (t.terminated, t.winner, t.player, t.legal()) == (True, 0, -1, [])


def test_r2_0_3_game_goes_on_until_all_but_one_are_eliminated():
    fields = [field("0,0"), field("2,0", 1), field("0,2", 2)]
    t = play([A], [], fields=fields, generals=3, switches={"allow_concede": "on"}).do("concede")
    assert (t.terminated, t.player) == (False, 1)
    assert t.do("concede").winner == 2


def test_r2_0_4_the_edge_of_the_grid_bars_no_battlefield_that_setup_could_place():
    general = [piles(hand=["plain"], sack=["spare"]), SPARE]
    fields = [field("0,0"), field("-6,0"), field("2,0", 1)]
    t = play([], [], fields=fields, general=general)
    ring = ["-5,-1", "-5,0", "-6,-1", "-6,1", "-7,0", "-7,1"]
    assert [cell for cell in ring if cell in deploy_room(t, "plain")] == ring  # all six neighbors, far from the center
