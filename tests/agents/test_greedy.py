"""The greedy General: its choices in small positions; it plays legally, reproducibly and well."""

import numpy as np
import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_agents.scripted.random_agent import RandomAgent
from sackarmies_agents.scripted.sack_armies.agent import GreedyAgent
from sackarmies_agents.scripted.sack_armies.odds import progressive_chance, single_chance
from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.state.constants import Verb
from tests.sack_armies.builders.text_game import B1, attachment, field, position, token, unit


class Position:
    """A position in which the greedy General chooses for the current player."""

    def __init__(self, scenario):
        switches = {"auto_forced": False} | scenario.get("switches", {})
        self.game = make_game(scenario=scenario | {"switches": switches})
        self.agent = GreedyAgent(GameInfo.of(self.game))
        self.states = self.game.new_states(1)
        self.game.reset(self.game.params, self.states, np.zeros(1, np.int64))

    def do(self, *texts):
        for text in texts:
            self.step(self.game.parse_action(self.states, text))
        return self

    def pass_windows(self):
        while self.game.describe_decision(self.states) == "WINDOW":
            self.do("pass")
        return self

    def step(self, action):
        self.game.step(self.game.params, self.states, np.array([action], np.int64))

    def view(self):
        observations = np.zeros((1, self.game.observation_spec.size), np.int8)
        masks = np.zeros((1, self.game.num_actions), np.int8)
        player = self.states["current_player"].astype(np.int64)
        self.game.observe(self.game.params, self.states, player, observations)
        self.game.legal_actions(self.game.params, self.states, masks)
        return observations, masks

    def choice(self):
        observations, masks = self.view()
        return self.game.format_action(self.states, self.agent.act(observations[0], masks[0]))

    def play(self, count):
        """Have it choose `count` times and return its choices."""
        chosen = []
        for _ in range(count):
            chosen.append(self.choice())
            self.do(chosen[-1])
        return chosen


def general(hand=(), sack=("spare",), casualties=()):
    return {"hand": list(hand), "sack": list(sack), "casualties": list(casualties), "removed": []}


ARCHERS = token("archers", damage=3, armor=2, abilities=[{"kind": "range", "range": 3}])
SOLDIER = token("soldier", damage=2, armor=2)
GIANT = token("giant", rank=3, damage=6, armor=6)
RABBLE = token("rabble", damage=1, armor=1)


# --- attacks


def test_shoots_at_what_cannot_shoot_back():
    p = Position(position([ARCHERS, SOLDIER], [unit("archers", "0,0"), unit("soldier", "2,0", owner=1)]))
    assert p.play(3) == ["ranged", "hex 0,0", "hex 2,0"]


def test_shoots_at_the_dearest_target_that_it_can_kill():
    ogre = token("ogre", rank=3, damage=2, armor=3)
    units = [unit("archers", "0,0"), unit("soldier", "2,0", owner=1), unit("ogre", "3,-1", owner=1)]
    assert Position(position([ARCHERS, SOLDIER, ogre], units)).play(3) == ["ranged", "hex 0,0", "hex 3,-1"]
    units[-1] = unit("giant", "3,-1", owner=1)
    assert Position(position([ARCHERS, SOLDIER, GIANT], units)).play(3) == ["ranged", "hex 0,0", "hex 2,0"]


def test_does_not_attack_hopelessly():
    p = Position(position([RABBLE, GIANT], [unit("rabble", "0,0"), unit("giant", "1,0", owner=1)]))
    assert p.choice() not in {"melee", "move_attack"}


def test_attacks_what_is_weaker_in_melee():
    p = Position(position([RABBLE, GIANT], [unit("giant", "0,0"), unit("rabble", "1,0", owner=1)]))
    assert p.play(3) == ["melee", "hex 0,0", "hex 1,0"]


def test_attacks_together_under_a_leader_what_one_alone_cannot_kill():
    leader = token("leader", damage=3, armor=4, abilities=[{"kind": "leadership"}])
    ogre = token("ogre", rank=3, damage=3, armor=6)
    units = [unit("leader", "0,0"), unit("leader", "0,1"), unit("ogre", "1,0", owner=1)]
    chosen = Position(position([leader, ogre], units)).play(5)
    assert chosen[:2] == ["coord_melee", "hex 1,0"]
    assert sorted(chosen[2:4]) == ["hex 0,0", "hex 0,1"]
    assert chosen[4] == "pass"


def test_captures_what_it_cannot_kill():
    catcher = token("catcher", abilities=[{"kind": "capture"}])
    p = Position(position([catcher, GIANT], [unit("catcher", "0,0"), unit("giant", "1,0", owner=1)]))
    assert p.play(3) == ["capture", "hex 0,0", "hex 1,0"]


def test_casts_a_spell_that_kills_for_certain():
    host = token("wizard", band="blue")
    units = [unit("wizard", "0,0", attached=[attachment("fireball")]), unit("soldier", "3,-1", owner=1)]
    p = Position(position([host, SOLDIER], units, general=[general(sack=[]), general()]))
    assert p.play(4) == ["cast", "hex 0,0", "slot 0", "hex 3,-1"]


# --- battlefields


def test_takes_an_undefended_battlefield():
    p = Position(position([SOLDIER], [unit("soldier", "1,0")]))
    assert p.play(3) == ["move", "hex 1,0", "hex 2,0"]


def test_takes_the_last_battlefield_whatever_else_there_is():
    fields = [field(h, 0) for h in B1[0]] + [field(h, 1, controller=0) for h in B1[1][1:]] + [field("2,0", 1)]
    units = [unit("rabble", "1,0"), unit("archers", "0,0"), unit("soldier", "2,1", owner=1)]
    p = Position(position([RABBLE, ARCHERS, SOLDIER], units, fields=fields))
    assert p.play(3) == ["move", "hex 1,0", "hex 2,0"]
    p.do("done")
    assert (p.states["terminated"][0], p.states["winner"][0]) == (1, 0)


def test_takes_the_last_two_with_two_units():
    fields = [field(h, 0) for h in B1[0]]
    fields += [field(h, 1, controller=0) for h in B1[1][1:4]] + [field("2,0", 1), field("4,-1", 1)]
    units = [unit("rabble", "1,0"), unit("rabble", "4,-2"), unit("giant", "2,1", owner=1)]
    p = Position(position([RABBLE, GIANT], units, fields=fields))
    chosen = p.play(5)
    assert chosen[0] == "move"
    assert {tuple(chosen[1:3]), tuple(chosen[3:5])} == {("hex 1,0", "hex 2,0"), ("hex 4,-2", "hex 4,-1")}
    assert p.states["winner"][0] == 0


def test_guards_the_last_battlefield_that_an_enemy_could_enter():
    fields = [field(h, 0, controller=1) for h in B1[0][1:]] + [field("0,0", 0)] + [field(h, 1) for h in B1[1]]
    units = [unit("soldier", "1,-1"), unit("soldier", "0,1", owner=1)]
    p = Position(position([SOLDIER, RABBLE], units, fields=fields))
    assert p.play(3) == ["move", "hex 1,-1", "hex 0,0"]


def test_advances_onto_an_enemy_battlefield():
    scenario = position([GIANT, RABBLE], [unit("giant", "1,0"), unit("rabble", "2,0", owner=1)], flips="H T | T")
    p = Position(scenario).do("melee", "hex 1,0", "hex 2,0").pass_windows().do("no")
    assert p.choice() == "yes"


# --- tokens


def test_draws_with_an_empty_hand():
    p = Position(position([SOLDIER], [unit("soldier", "0,0")], general=[general(sack=["soldier"] * 5), general()]))
    assert p.choice() == "draw"


def test_deploys_a_full_hand_before_it_draws():
    hands = [general(hand=["soldier"] * 3, sack=["soldier"] * 5), general()]
    p = Position(position([SOLDIER], [unit("soldier", "0,0")], general=hands))
    assert p.choice() == "deploy"


def test_discards_the_least_valuable_token():
    hands = [general(hand=["giant", "soldier", "giant"], sack=["giant"] * 3), general()]
    p = Position(position([SOLDIER, GIANT], [unit("soldier", "0,0")], general=hands)).do("draw")
    assert p.play(3) == ["type soldier", "type giant", "type giant"]
    assert p.choice() == "pass"  # the three giants left are kept


def test_passes_after_a_failed_check_rather_than_reveal_a_unit():
    post = token("post", movement=0)
    units = [unit("post", "0,0"), unit("post", "0,1"), unit("post", "-2,0", face="down"), unit("rabble", "1,0", 1)]
    p = Position(position([post, RABBLE], units, "T", general=[general(sack=[]), general()]))
    p.do("coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done")
    assert p.choice() == "pass"


def test_puts_units_on_battlefields_in_danger():
    fields = [field(h, 0, controller=1) for h in B1[0][1:]] + [field("0,0", 0)] + [field(h, 1) for h in B1[1]]
    hands = [general(hand=["soldier"], sack=[]), general()]
    units = [unit("rabble", "4,-2"), unit("soldier", "1,0", owner=1)]
    p = Position(position([SOLDIER, RABBLE], units, fields=fields, general=hands))
    assert p.play(3) == ["deploy", "type soldier", "hex 0,0"]


# --- reactions


def attacked(*attached):
    """Return a position in which a captain with these attachments is attacked by a soldier."""
    host = token("captain", rank=2, damage=1, armor=2, band="red")
    units = [unit("soldier", "1,0"), unit("captain", "2,0", owner=1, attached=[attachment(a) for a in attached])]
    return Position(position([SOLDIER, host], units)).do("melee", "hex 1,0", "hex 2,0")


@pytest.mark.parametrize("maneuver", ["shield_wall", "riposte", "retreat"])
def test_saves_itself_with_a_surprise_maneuver(maneuver):
    p = attacked(maneuver)
    assert p.states["current_player"][0] == 1
    assert p.play(2) == ["surprise", "slot 0"]


def test_keeps_a_maneuver_when_the_attack_is_weak():
    host = token("colossus", rank=2, damage=1, armor=9, band="red")
    units = [unit("rabble", "1,0"), unit("colossus", "2,0", owner=1, attached=[attachment("shield_wall")])]
    assert Position(position([RABBLE, host], units)).do("melee", "hex 1,0", "hex 2,0").choice() == "pass"


def test_reveals_free_armor_that_may_save():
    host = token("captain", rank=2, damage=1, armor=2, band="red")
    units = [unit("soldier", "1,0"), unit("captain", "2,0", owner=1, attached=[attachment("entrenchment")])]
    p = Position(position([SOLDIER, host], units)).do("melee", "hex 1,0", "hex 2,0")
    assert p.play(3) == ["reveal_token", "hex 2,0", "slot 0"]


def test_reveals_an_augmenter_that_may_save():
    augment = {"kind": "augment", "stat": "armor", "amount": 2}
    tokens = [SOLDIER, token("veteran", rank=3, armor=2), token("shield_bearer", abilities=[augment])]
    units = [
        unit("soldier", "1,0"),
        unit("veteran", "2,0", owner=1),
        unit("shield_bearer", "3,0", owner=1, face="down"),
    ]
    p = Position(position(tokens, units)).do("melee", "hex 1,0", "hex 2,0")
    assert p.play(2) == ["reveal_unit", "hex 3,0"]


def test_counters_an_attack_that_it_can_answer():
    p = Position(position([SOLDIER], [unit("soldier", "1,0"), unit("soldier", "2,0", owner=1)]))
    assert p.do("melee", "hex 1,0", "hex 2,0").pass_windows().choice() == "yes"


def test_does_not_counter_where_its_own_scatter_would_hurt_it_more():
    bomber = token("bomber", rank=3, damage=1, armor=1, abilities=[{"kind": "scatter"}])
    units = [unit("giant", "1,0"), unit("bomber", "2,0", owner=1), unit("bomber", "2,-1", owner=1)]
    p = Position(position([GIANT, bomber], units)).do("melee", "hex 1,0", "hex 2,0").pass_windows()
    assert p.choice() == "pass"


def test_lets_the_sturdiest_attacker_take_the_counter():
    units = [unit("soldier", "1,0"), unit("giant", "1,1"), unit("soldier", "2,0", owner=1)]
    fields = [field("1,0"), field("1,1"), field("0,1"), field("3,-1", 1), field("2,0", 1)]
    p = Position(position([SOLDIER, GIANT], units, flips="H T", fields=fields))
    p.do("coord_melee", "hex 2,0", "hex 1,0", "hex 1,1", "done").pass_windows().do("yes")
    assert p.choice() == "hex 1,1"


# --- odds


@pytest.mark.parametrize(
    ("damage", "armor", "chance"), [(2, 2, 0.5), (2, 3, 0.25), (2, 5, 0.125), (1, 0, 0.5), (0, 1, 0.0), (6, -2, 0.5)]
)
def test_a_progressive_flip_halves_with_each_success_needed(damage, armor, chance):
    assert progressive_chance(np.int64(damage), np.int64(armor)) == chance


@pytest.mark.parametrize(("damage", "armor", "chance"), [(2, 2, 0.5), (2, 3, 0.0), (0, 0, 0.0)])
def test_a_single_flip_kills_or_not(damage, armor, chance):
    assert single_chance(np.int64(damage), np.int64(armor)) == chance


# --- as an agent


def random_views(num_players, count, seed):
    """Return a game, and observations and masks along random play of it."""
    game = make_game(num_players)
    states = game.new_states(1)
    game.reset(game.params, states, np.array([seed], np.int64))
    rng = np.random.default_rng(seed)
    observations = np.zeros((count, game.observation_spec.size), np.int8)
    masks = np.zeros((count, game.num_actions), np.int8)
    for i in range(count):
        if states["current_player"][0] < 0:
            game.reset(game.params, states, np.array([seed + i], np.int64))
        player = states["current_player"].astype(np.int64)
        game.observe(game.params, states, player, observations[i : i + 1])
        game.legal_actions(game.params, states, masks[i : i + 1])
        action = rng.choice(np.flatnonzero(masks[i]))
        game.step(game.params, states, np.array([action], np.int64))
    return game, observations, masks


COUNT = 40 if INTERPRETED else 2000


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_choices_are_legal_and_repeatable_and_a_batch_equals_singles(num_players):
    game, observations, masks = random_views(num_players, COUNT, seed=num_players)
    agent = make_agent("greedy", GameInfo.of(game))
    agent.reset(7)
    actions = agent.act_batch(observations, masks)
    assert masks[np.arange(COUNT), actions].tolist() == [1] * COUNT
    again = [agent.act(observations[i], masks[i]) for i in reversed(range(COUNT))]
    assert again[::-1] == actions.tolist()
    twin = make_agent("greedy", GameInfo.of(game))
    twin.reset(7)
    assert twin.act_batch(observations, masks).tolist() == actions.tolist()


def test_never_concedes():
    p = Position(position([SOLDIER], [unit("soldier", "0,0")], switches={"allow_concede": True}))
    assert p.view()[1][0, Verb.CONCEDE] == 1
    assert p.choice() != "concede"


def test_does_not_change_what_it_is_shown():
    game, observations, masks = random_views(2, 30, seed=5)
    before = observations.copy(), masks.copy()
    GreedyAgent(GameInfo.of(game)).act_batch(observations, masks)
    assert np.array_equal(observations, before[0])
    assert np.array_equal(masks, before[1])


def test_another_game_is_refused():
    info = GameInfo.of(make_game(2))
    with pytest.raises(ValueError, match=r"need compact observations of 'sack_armies' \(.*\), not those of 'chess'"):
        GreedyAgent(GameInfo("chess", 2, info.num_actions, info.observation_spec))
    with pytest.raises(ValueError, match=r"\(observation='flat' or 'dict'\), not planes"):
        GreedyAgent(GameInfo.of(make_game(2, observation="planes")))


# --- strength


def win_rate(num_players, num_seeds):
    """Return the share of games that one greedy General wins against random ones, in each seat equally often."""
    game = make_game(num_players)
    seats = np.tile(np.arange(num_players), num_seeds)
    states = game.new_states(len(seats))
    game.reset(game.params, states, np.repeat(np.arange(num_seeds, dtype=np.int64), num_players))
    agents = RandomAgent(1), GreedyAgent(GameInfo.of(game))
    observations = np.zeros((len(seats), game.observation_spec.size), np.int8)
    masks = np.zeros((len(seats), game.num_actions), np.int8)
    running = np.arange(len(seats))
    while len(running):
        players = states["current_player"].astype(np.int64)
        game.observe(game.params, states, np.maximum(players, 0), observations)
        game.legal_actions(game.params, states, masks)
        for is_greedy, agent in enumerate(agents):
            rows = running[(players[running] == seats[running]) == is_greedy]
            if len(rows):
                actions = np.zeros(len(rows), np.int64)
                actions[:] = agent.act_batch(observations[rows], masks[rows])
                for row, action in zip(rows.tolist(), actions, strict=True):
                    game.step(game.params, states[row : row + 1], np.array([action], np.int64))
        running = np.flatnonzero(states["current_player"] >= 0)
    return float((states["winner"] == seats).mean())


@pytest.mark.slow
@pytest.mark.parametrize(("num_players", "num_seeds", "least"), [(2, 50, 0.9), (3, 30, 0.8), (4, 20, 0.8)])
def test_beats_random_generals(num_players, num_seeds, least):
    assert win_rate(num_players, num_seeds) >= least
