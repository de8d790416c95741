"""Fog of war: a General receives the same in worlds that they cannot tell apart, and leaks are detected.

For each item of the leak checklist, a view with that leak is planted and must be detected.
"""

from collections import Counter

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.rules.stats import augments_by
from sackarmies_env.games.sack_armies.state.actions import slot_action
from sackarmies_env.games.sack_armies.state.constants import (
    NO_TOKEN,
    NUM_SLOTS,
    Ability,
    Decision,
    Face,
    Kind,
    Stat,
    Verb,
)
from tests.sack_armies.builders.fights import able, modify, scenario, text
from tests.sack_armies.builders.text_game import attachment, token, unit
from tests.sack_armies.builders.twin_worlds import (
    CONFIGURATIONS,
    act,
    build,
    follow,
    leaks,
    mask_of,
    observe,
    plain,
    received,
    record,
    unit_rows,
    wander,
    warlike,
    without_lists,
)

SEEDS = (3,) if INTERPRETED else (3, 4, 5)
EVERY = [pytest.param(1, marks=pytest.mark.slow, id="all"), pytest.param(3, id="a third")]  # positions checked
# --- worlds that look alike


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_nothing_an_agent_receives_depends_on_hidden_information(name, every):
    game = build(name)
    asked = Counter()
    for seed in SEEDS:
        for ply, states in enumerate(wander(game, seed)):
            asked[int(plain(states)["decision"])] += 1
            if (ply - SEEDS.index(seed)) % every:  # different ones in each game
                continue
            for viewer in range(game.num_players):
                assert not leaks(game, states, viewer, received, seed=ply), (seed, ply, viewer)
    if not INTERPRETED:
        assert len(asked) > 15  # many kinds of decisions were met


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_twin_worlds_stay_alike_until_something_is_revealed(name):
    game = build(name)
    rng = np.random.default_rng(7)
    played = 0
    for seed in SEEDS:
        for ply, states in enumerate(wander(game, seed)):
            if ply % 3 == 0:
                played += follow(game, states, int(plain(states)["current_player"]), ply, rng)
    assert played > (3 if INTERPRETED else 500)


FIRST_CHOICES = (Decision.MENU, Decision.WINDOW, Decision.DEPLOY_TYPE, Decision.MOVE_UNIT, Decision.SETUP_TYPE)
INNER_CHOICES = (
    *(Decision.SETUP_HEX, Decision.DEPLOY_HEX, Decision.REVEAL_HEX, Decision.REVEAL_SLOT, Decision.MOVE_TO),
    *(Decision.SOURCE, Decision.TARGET, Decision.COORD_TARGET, Decision.COORD_MEMBER, Decision.TOKEN_HOST),
    *(Decision.TOKEN_SLOT, Decision.RAISE_TYPE, Decision.CAST_HOST, Decision.CAST_SLOT, Decision.SURPRISE_SLOT),
    *(Decision.EFFECT_TARGET, Decision.EFFECT_SLOT, Decision.EFFECT_HEX, Decision.EFFECT_TYPE),
)


@pytest.mark.parametrize("name", ["battle", "all windows"])
def test_others_see_nothing_of_a_choice_before_it_is_announced(name):
    game = build(name)
    assert game.params["auto_forced"][0] == 0
    met = Counter()
    before, asked = [], None
    for seed in SEEDS:
        for states in wander(game, seed):
            player, decision = (int(plain(states)[name]) for name in ("current_player", "decision"))
            shown = [observe(game, states, viewer) for viewer in range(2)]
            if asked and asked[0] == player and asked[1] in FIRST_CHOICES + INNER_CHOICES and decision in INNER_CHOICES:
                met[decision] += 1
                assert (shown[1 - player] == before[1 - player]).all(), Decision(decision).name
            before, asked = shown, (player, decision)
    assert INTERPRETED or len(met) > 10


def test_infos_masks_and_observations_are_alike_in_twin_worlds():
    game = build("standard")
    env = RawEnv(game)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    others = 0
    for _ in range(12 if INTERPRETED else 300):
        if plain(env._match.states)["current_player"] < 0:
            break
        seat = env.possible_agents.index(env.agent_selection)
        twin = env.clone()
        game.determinize(
            without_lists(game.params), twin._match.states, np.array([seat], np.int64), np.array([5], np.int64)
        )
        others += twin._match.states.tobytes() != env._match.states.tobytes()
        twin.set_state(twin.get_state())  # what agents receive is computed anew
        agent = env.agent_selection
        assert str(twin.infos[agent]) == str(env.infos[agent])
        for name, value in env.observe(agent).items():
            assert (twin.observe(agent)[name] == value).all()
        env.step(warlike(game, env._match.states, rng))
    assert others > 10


# --- the leak checklist


def is_caught(view, names=("standard", "all windows", "hidden piles"), seeds=range(1, 5), plies=900):
    """Return whether the checker detects the leak of `view` anywhere in random games."""
    for name in names:
        game = build(name)
        for seed in seeds:
            for ply, states in enumerate(wander(game, seed, plies)):
                if any(leaks(game, states, viewer, view, seed=ply) for viewer in range(game.num_players)):
                    return True
    return False


def with_rows(game, states, viewer):
    """Leak: rows of tokens, which follow the army list."""
    return received(game, states, viewer), unit_rows(states)


def with_list_order(game, states, viewer):
    """Leak: units in the order of the army list."""
    cells = plain(states)["token_hex"]
    return received(game, states, viewer), [int(cell) for cell in cells if cell != NO_TOKEN]


def with_hidden_sources(game, states, viewer):
    """Leak: the armor that face-down neighbors would add to each unit by augments."""
    shown, one, params = [], record(states), game.params[0]
    for row in unit_rows(states):
        cell = int(plain(states)["token_hex"][row])
        for neighbor in game.params["neighbors"][0][cell]:
            other = int(plain(states)["cell_unit"][neighbor]) if neighbor >= 0 else NO_TOKEN
            if other != NO_TOKEN and plain(states)["token_face"][other] == Face.DOWN:
                type_id = np.int64(plain(states)["token_type"][row])
                shown.append(int(augments_by(params, one, np.int64(other), type_id)[Stat.ARMOR]))
    return received(game, states, viewer), shown


def with_sorted_stacks(game, states, viewer):
    """Leak: attachments in an order that depends on their types."""
    state, stacks = plain(states), []
    for row in unit_rows(states):
        stack, attached = [], int(state["token_first"][row])
        while attached != NO_TOKEN:
            stack.append((int(state["token_type"][attached]), int(state["token_face"][attached])))
            attached = int(state["token_next"][attached])
        stacks.append([face for _, face in sorted(stack)] + [type_id % 2 for type_id, _ in stack[:1]])
    return received(game, states, viewer), stacks


def with_others_options(game, states, viewer):
    """Leak: the legal actions of another General."""
    return received(game, states, viewer), legal_ids(plain(states)["legal"])


def with_scenario(game, states, viewer):
    """Leak: a dump of the full state, handed out as info."""
    return received(game, states, viewer), str(game.to_scenario(states))


def with_counters(game, states, viewer):
    """Leak: how many random results have been used."""
    return received(game, states, viewer), [int(plain(states)[name]) for name in ("flip_count", "draw_count")]


@pytest.mark.skipif(INTERPRETED, reason="many games")
@pytest.mark.parametrize(
    "view",
    [with_rows, with_list_order, with_hidden_sources, with_sorted_stacks, with_others_options, with_scenario],
)
def test_leak_in_returned_data_is_detected(view):
    assert is_caught(view)


def test_leak_of_the_random_generators_state_is_detected():
    assert is_caught(with_counters, names=["standard"], seeds=[1], plies=12)


# --- masks and errors that reveal too much


TOKENS = [
    token("soldier", band="green"),
    token("eagle", band="green", abilities=[able("flying")]),
    token("sage", abilities=[able("dispel", range=4), able("move_and_attack")], movement=3),
    text("spell", "bolt", "action", [{"kind": "damage", "amount": 2}], target="enemy_unit", range=4),
    text("maneuver", "drill", "free", [modify("damage", 1)]),
]


def start(units, **keys):
    """Return the game of a position, and its state at the first decision."""
    game = make_game(scenario=scenario(TOKENS, units, **keys))
    states = game.new_states(1)
    game.reset(game.params, states, np.zeros(1, np.int64))
    return game, states


def facing(attached="bolt", hidden="soldier"):
    """Return a game in which General 0 may dispel an unknown token on (3,0) and charge an unknown unit on (2,0)."""
    host = unit("soldier", "3,0", 1, attached=[attachment(attached)])
    return start([unit("sage", "-1,0"), unit(hidden, "2,0", 1, face="down"), host])


def begin(game, states, *texts):
    """Play actions given as texts."""
    for words in texts:
        act(game, states, game.parse_action(states, words))


def knowing_mask(game, states, viewer):
    """Leak: the mask offers Dispel no slot of the wrong kind, and Move and Attack no target that secretly flies."""
    state, params = plain(states), game.params[0]
    mask = mask_of(game, states, viewer)
    if state["decision"] == Decision.TOKEN_SLOT:
        attached = state["token_first"][state["cell_unit"][state["chain"][1]]]
        mask[slot_action(params, 0)] &= params["type_kind"][state["token_type"][attached]] == Kind.SPELL
    if state["decision"] == Decision.TARGET:
        first_hex = slot_action(params, NUM_SLOTS)
        for row in unit_rows(states):
            flies = params["type_ability"][state["token_type"][row], Ability.FLYING] > 0
            mask[first_hex + int(state["token_hex"][row])] &= not flies
    return mask.tobytes()


def telling_error(game, states, viewer):
    """Leak: an error message that names the type of the unit on (2,0)."""
    state = plain(states)
    row = state["cell_unit"][game_hex(game, 2, 0)]
    return f"illegal: the target is token {state['token_type'][row]}"


def game_hex(game, q, r):
    """Return the cell of a hex."""
    return int(np.flatnonzero((game.params["cell_q"][0] == q) & (game.params["cell_r"][0] == r))[0])


@pytest.mark.parametrize(
    ("view", "texts"),
    [
        (knowing_mask, ("dispel", "hex -1,0", "hex 3,0")),
        (knowing_mask, ("move_attack", "hex -1,0")),
        (telling_error, ()),
    ],
)
@pytest.mark.parametrize(("attached", "hidden"), [("bolt", "soldier"), ("drill", "eagle")])
def test_leaking_mask_or_error_is_detected(view, texts, attached, hidden):
    game, states = facing(attached, hidden)
    begin(game, states, *texts)
    seeds = range(30)
    assert not any(leaks(game, states, 0, received, seed) for seed in seeds)
    assert any(leaks(game, states, 0, view, seed) for seed in seeds)


def test_number_of_skipped_decisions_would_reveal_a_hidden_token():
    counts, shown = set(), set()
    for attached in ("bolt", "drill"):  # General 1 may reveal the drill in the window, but not the bolt
        units = [unit("sage", "0,0"), unit("soldier", "1,0", 1, attached=[attachment(attached)])]
        game, states = start(units, flips="T", switches={"auto_forced": True})
        begin(game, states, "melee")
        decisions = 0
        while plain(states)["decision"] == Decision.WINDOW:
            act(game, states, Verb.PASS)
            decisions += 1
        counts.add(decisions)
        shown.add(observe(game, states, 0).tobytes())
    assert len(shown) == 1
    assert counts == {0, 1}
