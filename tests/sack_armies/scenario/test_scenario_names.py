"""Names in dumps: they survive changes of the catalogue, of an army and of the order of a list."""

import contextlib
import copy
import sys
from random import Random

import numpy as np
import pytest

from sackarmies_env.core.jit import INTERPRETED
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.games.sack_armies import config, make_game
from sackarmies_env.games.sack_armies.scenario.document import start_scenario, to_scenario
from sackarmies_env.games.sack_armies.scenario.names import piece_names
from sackarmies_env.games.sack_armies.scenario.schema import Scenario, pieces_of
from sackarmies_env.games.sack_armies.state.constants import Decision, Verb
from sackarmies_env.games.sack_armies.tokens import catalogue
from tests.sack_armies.builders import entry
from tests.sack_armies.builders.text_game import TextGame, attachment, position, token, unit
from tests.sack_armies.builders.twin_worlds import CONFIGURATIONS, act, build, plain, warlike

PLIES = 24 if INTERPRETED else 600
EVERY = 6 if INTERPRETED else 20
AHEAD = 2 if INTERPRETED else 12


@contextlib.contextmanager
def catalogue_in_another_order(seed):
    """Renumber the tokens of the catalogue within a `with` block."""
    entries = list(catalogue.load_catalogue().values())
    Random(seed).shuffle(entries)
    other, original = catalogue.by_id(entries), catalogue.load_catalogue
    users = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("sackarmies_env") and getattr(module, "load_catalogue", None) is original
    ]
    with pytest.MonkeyPatch.context() as patch:
        for module in users:
            patch.setattr(module, "load_catalogue", lambda: other)
        config._token_params.cache_clear()
        try:
            yield
        finally:
            config._token_params.cache_clear()


def shuffled(dump, seed):
    """Return a dump with its tokens and token definitions listed in another order."""
    rng, other = Random(seed), copy.deepcopy(dump)
    lists = [other["token"], other["battlefield"], other["unit"]]
    lists += [pile for general in other["general"] for pile in general.values() if isinstance(pile, list)]
    for one in lists:
        rng.shuffle(one)
    return other


def in_order(dump):
    """Return a dump with its token definitions sorted, since their order determines the action ids."""
    return dump | {"token": sorted(dump["token"], key=lambda entry: entry["id"])}


def legal_texts(states, text):
    """Return the texts of the legal actions, sorted."""
    words = plain(states)["legal"]
    return sorted(
        text.format(action) for action in range(text.num_actions) if int(words[action // 64]) >> action % 64 & 1
    )


def check_elsewhere(dump, text, states, params, game_config, seed):
    """Check that a dump started under other numbers gives the same dump, legal actions and further game."""
    with catalogue_in_another_order(seed):
        other = start_scenario(shuffled(dump, seed))
        assert other.config.type_ids != game_config.type_ids
        rng, here = Random(seed), states.copy()

        def check_dumps():
            mine = to_scenario(params, game_config, here)
            assert in_order(to_scenario(other.params, other.config, other.states)) == in_order(mine)

        check_dumps()
        for _ in range(AHEAD):
            if here["current_player"][0] < 0:
                break
            legal = legal_texts(here, text)
            assert legal_texts(other.states, other.text) == legal
            chosen = rng.choice(legal)
            entry.step(params, here, np.array([text.parse_action(here, chosen)]))
            entry.step(other.params, other.states, np.array([other.text.parse_action(other.states, chosen)]))
        check_dumps()


@pytest.mark.parametrize("name", sorted(CONFIGURATIONS))
def test_a_dump_survives_another_order_of_catalogue_and_lists(name):
    game, rng = build(name), np.random.default_rng(1)
    states = game.new_states(1)
    game.start(states, 4)
    first = start_scenario(game.to_scenario(states))
    seen = set()
    for ply in range(PLIES):
        state = plain(states)
        if state["current_player"] < 0:
            break
        decision = Decision(int(state["decision"]))
        if decision not in seen or ply % EVERY == 0:
            seen.add(decision)
            check_elsewhere(game.to_scenario(states), first.text, states, game.params, first.config, ply)
        game.step(game.params, states, np.array([warlike(game, states, rng)]))
    if not INTERPRETED and "scenario" not in CONFIGURATIONS[name]:
        assert seen >= {Decision.SETUP_HEX, Decision.DEPLOY_HEX, Decision.MOVE_TO, Decision.MENU}


# --- names


def test_tokens_are_named_by_their_places():
    boon = {"id": "boon", "kind": "spell", "use": "free", "effects": [{"kind": "grant", "ability": {"kind": "flying"}}]}
    walker = token("walker", band="green")
    captives = [{"token": one, "owner": 0, "face": face} for one, face in (("walker", "up"), ("boon", "down"))]
    units = [
        unit("walker", "0,0", attached=[attachment("boon"), attachment("boon", "up")]),
        unit("walker", "3,0", 1, captives=[captives[0], captives[1], captives[0]]),
    ]
    general = [
        {"hand": ["boon"], "sack": ["walker", "boon", "walker"], "removed": ["walker"]},
        {"casualties": ["boon"]},
    ]
    fields = [{"token": "plain", "at": [q, 0], "owner": owner} for q, owner in ((0, 0), (3, 1))]
    scenario = position([boon, walker], units, fields=fields, general=general)
    assert piece_names(pieces_of(Scenario.model_validate(scenario))) == [
        *("battlefield 0,0", "battlefield 3,0"),
        *("unit 0,0", "attached 0,0 0", "attached 0,0 1"),
        *("unit 3,0", "captive 3,0 0", "captive 3,0 1", "captive 3,0 2"),
        *("hand 0 boon 0", "sack 0 walker 0", "sack 0 boon 0", "sack 0 walker 1", "removed 0 walker 0"),
        "casualties 1 boon 0",
    ]


def test_a_dump_in_the_middle_of_a_deploy_names_the_type():
    game = make_game(armies="scourge")
    states, rng = game.new_states(1), Random(3)
    game.start(states, 3)
    procedure = {}
    while "move" not in procedure.get("log_kind", ()):  # a unit has moved, too
        act(game, states, rng.choice(legal_ids(plain(states)["legal"])))
        while int(plain(states)["decision"]) != Decision.DEPLOY_HEX:
            legal = legal_ids(plain(states)["legal"])
            act(game, states, Verb.DEPLOY if Verb.DEPLOY in legal else rng.choice(legal))
        procedure = game.to_scenario(states)["procedure"]
    state = plain(states)
    first = start_scenario(game.to_scenario(states))
    assert procedure["chain"] == [first.config.type_ids[int(state["chain"][0])]]
    assert all(isinstance(name, str) for name in procedure["rows"][0])
    moved = [
        value for value, kind in zip(procedure["log_value"], procedure["log_kind"], strict=False) if kind == "move"
    ]
    assert {type(value) for value in moved} == {str}


def test_the_order_in_which_tokens_are_listed_decides_no_draw():
    sack = ["orc_infantry", "wisps", "pixies", "unicorn", "imps"]
    scenario = position([token("walker")], [unit("walker", "0,0"), unit("walker", "3,0", 1)], seed=5)

    def drawn(order):
        t = TextGame(scenario | {"general": [{"sack": order}, {"sack": ["walker"]}]})
        return t.do("draw").hand(0)

    assert drawn(sack) == drawn(sack[::-1]) == drawn(sack[2:] + sack[:2])
