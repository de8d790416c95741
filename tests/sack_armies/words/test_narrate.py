"""Narration and replay of Sack Armies records."""

import numpy as np
import pytest

from sackarmies_env.core.game import forfeit_code
from sackarmies_env.core.record import load_record, make_record, replay, save_record
from sackarmies_env.games.sack_armies.game import make_game
from sackarmies_env.games.sack_armies.words.narrate import Narrator, narrate
from tests.sack_armies.builders.text_game import SCENARIOS, attachment, field, position, token, unit

SLOWLY = {"auto_forced": "off"}


def play(scenario, *texts, **options):
    """Return (game, record) of the texts played from a scenario; reaction windows are passed."""
    game = make_game(scenario=scenario)
    states = game.new_states(1)
    game.start(states, 0)
    actions = []

    def act(text):
        actions.append(game.parse_action(states, text))
        game.step(game.params, states, np.array(actions[-1:], np.int64))

    for text in texts:
        while game.describe_decision(states) == "WINDOW" and text not in ("surprise", "reveal_unit", "reveal_token"):
            act("pass")
        act(text)
    while game.describe_decision(states) == "WINDOW":
        act("pass")
    return game, make_record(game, 0, actions, **options)


def told(scenario, *texts):
    return [line.strip() for line in narrate(*play(scenario, *texts))][1:]


def random_game(seed, **options):
    """Return (game, record) of a random game."""
    game = make_game(**options)
    rng = np.random.default_rng(seed)
    states = game.new_states(1)
    game.start(states, seed)
    mask = np.zeros((1, game.num_actions), np.int8)
    actions = []
    while states["current_player"][0] >= 0:
        game.legal_actions(game.params, states, mask)
        legal = np.flatnonzero(mask[0])
        weights = np.where(legal == 2, 0.2, 1.0)
        actions.append(int(rng.choice(legal, p=weights / weights.sum())))
        game.step(game.params, states, np.array(actions[-1:], np.int64))
    return game, make_record(game, seed, actions, players=["one", "two"])


# --- records


def test_a_random_game_replays_to_the_byte_and_is_narrated_turn_by_turn(tmp_path):
    _, record = random_game(11, switches={"max_turns": 14})
    save_record(record, tmp_path / "game.json")
    loaded = load_record(tmp_path / "game.json")
    assert loaded == record
    again = make_game(**loaded.config)
    replay(again, loaded)
    lines = list(narrate(again, loaded))
    assert lines[:2] == ["General 0: one; General 1: two", "Setup"]
    assert sum(line.startswith("  General") and " flips " in line for line in lines[:6]) >= 1  # initiative
    first_turn = next(place for place, line in enumerate(lines) if line.startswith("Turn 1: "))
    assert sum(" puts down " in line for line in lines[:first_turn]) == 10
    turns = [int(line.split()[1].removesuffix(":")) for line in lines if line.startswith("Turn ")]
    assert turns == list(range(1, record.result.turns + 1))
    if record.result.truncated:
        assert lines[-1] == f"  The game is truncated in turn {record.result.turns}: a draw."


def test_narrating_step_by_step_changes_nothing():
    game, record = random_game(12, switches={"max_turns": 8})
    narrator = Narrator(game)

    def check(ply, before, action, after):
        kept = after.tobytes()
        list(narrator.narrate_ply(before, action, after))
        assert after.tobytes() == kept

    replay(game, record, check)


def test_a_scenario_game_is_replayed_from_its_record():
    _, record = play(SCENARIOS / "x03_walking_tree.toml", "melee", "hex 0,0", "hex 1,0", "yes", "yes")
    assert record.config["scenario"]["generals"] == 2
    states = replay(make_game(**record.config), record)
    assert int(states["script_flips_used"][0, 0]) == int(states["script_flips_end"][0, 0]) == 5


def test_another_catalogue_value_is_noticed():
    _, record = play(SCENARIOS / "x03_walking_tree.toml", "melee", "hex 0,0", "hex 1,0", "yes", "yes")
    record.config["scenario"]["token"][1]["armor"] = 1
    with pytest.raises(ValueError, match="the start of the game differs from the record"):
        replay(make_game(**record.config), record)


# --- the narration


def test_melee_is_narrated():
    assert told(SCENARIOS / "x03_walking_tree.toml", "melee", "hex 0,0", "hex 1,0", "yes", "yes") == [
        "General 0 attacks General 1's Wolf Riders at 1,0 with their Walking Tree at 0,0, in melee.",
        "General 1 counter-attacks with their Wolf Riders at 1,0.",
        "General 0 flips H T.",
        "General 1 flips H H T.",
        "General 1 loses Wolf Riders at 1,0.",
        "General 0 moves Walking Tree from 0,0 to 1,0.",
        "Turn 2: General 1",
    ]


def test_forced_decisions_are_narrated_one_by_one():
    scenario = position(
        [token("ogre", name="Ogre", damage=3), token("elf", name="Elf", armor=3)],
        [unit("ogre", "0,0"), unit("elf", "1,0", 1)],
        "T",
    )
    game, record = play(scenario, "melee", "no")
    assert record.texts == ("melee", "pass")
    assert [line.strip() for line in narrate(game, record)][1:] == [
        "General 0 attacks General 1's Elf at 1,0 with their Ogre at 0,0, in melee.",
        "General 1 does not counter-attack.",
        "General 0 flips T.",
        "Nobody is killed.",
        "Turn 2: General 1",
    ]


def test_a_coordinated_attack_is_narrated():
    archers = ("hex -1,0", "hex -1,1", "hex -2,1")
    lines = told(
        SCENARIOS / "x05_coordination.toml",
        *("coord_ranged", "hex 1,0", *archers, "done", "coord_melee", "hex 1,0", "hex 0,0", "hex 0,1", "done"),
        *("yes", "hex 0,1", "hex 0,0"),
    )
    assert lines == [
        "General 0 attacks General 1's Scourge Ogres at 1,0 with their Orc Archers at -1,0, their Orc Archers at -2,1 "
        "and their Orc Archers at -1,1 together, at range.",
        "General 0 flips T.",
        "The coordination check fails.",
        "General 0 attacks General 1's Scourge Ogres at 1,0 with their Orc Infantry at 0,0 and their Goblin Infantry "
        "at 0,1 together, in melee.",
        "General 0 flips H.",
        "General 0 flips H H T.",
        "General 1 counter-attacks with their Scourge Ogres at 1,0.",
        "General 0 lets their Goblin Infantry at 0,1 take the counter-attack.",
        "General 1 flips H H T.",
        "General 1 loses Scourge Ogres at 1,0.",
        "General 0 loses Goblin Infantry at 0,1.",
        "General 0 moves Orc Infantry from 0,0 to 1,0.",
        "Turn 2: General 1",
    ]


def test_a_surprise_maneuver_is_narrated():
    assert told(SCENARIOS / "x08_retreat.toml", "melee", "hex 0,0", "hex 1,0", "surprise", "slot 0", "hex 2,-1") == [
        "General 0 attacks General 1's Orc War Priest at 1,0 with their Gladiator at 0,0, in melee.",
        "General 1 answers with the surprise maneuver Retreat of their Orc War Priest at 1,0.",
        "Revealed: General 1's Retreat.",
        "General 1 loses Retreat at 1,0.",
        "General 1 moves Orc War Priest from 1,0 to 2,-1.",
        "The attack of General 0 misses.",
        "Turn 2: General 1",
    ]


def test_spells_and_their_end_are_narrated():
    assert told(
        SCENARIOS / "x16_weaken.toml",
        *("cast", "hex 0,0", "slot 0", "hex 2,0", "deploy", "type x_charm", "hex 2,0", "draw", "done"),
        *("dispel", "hex 3,0", "hex 2,0", "slot 2"),
    ) == [
        "General 0 activates Weaken of their Mage at 0,0 on General 1's Target at 2,0.",
        "Revealed: General 0's Weaken.",
        "General 0 lays Weaken on the unit at 2,0.",
        "Turn 2: General 1",
        "General 1 attaches Charm to their Target at 2,0.",
        "Turn 3: General 0",
        "General 0 draws Spare.",
        "Turn 4: General 1",
        "General 1 aims the Dispel of their Dispeller at 3,0 at Weaken on their Target at 2,0.",
        "General 0 loses Weaken at 2,0.",
        "Turn 5: General 0",
    ]


def test_draws_discards_and_control_are_narrated():
    lines = told(
        SCENARIOS / "x01_draw_and_discard.toml", "draw", *[f"type x_old_{i}" for i in (1, 2, 3)], "type x_new_4", "done"
    )
    assert lines == [
        "General 0 draws New 1, New 2, New 3, New 4.",
        *[f"General 0 puts Old {i} back into the sack." for i in (1, 2, 3)],
        "General 0 puts New 4 back into the sack.",
        "Turn 2: General 1",
    ]
    assert told(SCENARIOS / "x20_unrevealed_occupation.toml", "move", "hex 5,0", "hex 4,0") == [
        "General 0 moves Scout from 5,0 to 4,0.",
        "General 0 takes control of Plain at 4,0.",
        "Turn 2: General 1",
    ]


def test_deployments_are_narrated_with_their_face():
    walker = token("walker", name="Walker")
    general = [{"hand": ["walker", "plain", "walker"]}, {"sack": ["walker"]}]
    lines = told(
        position([walker], [unit("walker", "1,0", 1)], general=general, switches=SLOWLY),
        *("deploy", "type walker", "hex 0,0", "type plain", "hex -3,0", "type walker", "hex -2,0"),
    )
    assert lines == [
        "General 0 deploys Walker at 0,0.",
        "Revealed: General 0's Walker at 0,0.",
        "General 0 puts down Plain at -3,0.",
        "General 0 deploys Walker at -2,0, face down.",
        "Turn 2: General 1",
    ]


def test_capture_raise_and_dismiss_are_narrated():
    jailer = token("jailer", name="Jailer", abilities=[{"kind": "capture"}])
    witch = token("witch", name="Witch", abilities=[{"kind": "raise"}, {"kind": "dismiss", "range": 3}])
    walker = token("walker", name="Walker")
    scenario = position(
        [jailer, witch, walker],
        [unit("jailer", "0,0"), unit("witch", "3,0", 1), unit("walker", "1,0", 1)],
        "H | H",
        general=[{"sack": ["walker"]}, {"sack": ["walker"], "casualties": ["walker"]}],
        switches=SLOWLY,
    )
    capture = ("capture", "hex 0,0", "hex 1,0")
    dismissal = ("dismiss", "hex 3,0", "hex 0,0")
    assert told(scenario, *capture, "raise", "hex 3,0", "type walker", "hex 2,0", "draw", "done", *dismissal) == [
        "General 0 tries to capture General 1's Walker at 1,0 with their Jailer at 0,0.",
        "General 0 flips H.",
        "Captured: General 1's Walker at 1,0.",
        "Turn 2: General 1",
        "General 1 tries to raise Walker with their Witch at 3,0.",
        "General 1 flips H.",
        "General 1 raises Walker at 2,0.",
        "Revealed: General 1's Walker at 2,0.",
        "Turn 3: General 0",
        "General 0 draws Walker.",
        "Turn 4: General 1",
        "General 1 dismisses General 0's Jailer at 0,0 with their Witch at 3,0.",
        "Back to the sack: General 0's Jailer at 0,0.",
        "Turn 5: General 0",
    ]


def test_concession_and_end_are_narrated():
    game = make_game(scenario=position([], [], fields=[field("0,0"), field("2,0", 1)], switches=SLOWLY))
    record = make_record(game, 0, [forfeit_code(1)])
    assert [line.strip() for line in narrate(game, record)] == [
        "From a scenario",
        "General 1 forfeits.",
        "General 1 concedes and is eliminated.",
        "General 0 wins in turn 1: by concession.",
    ]


def test_the_last_kill_ends_the_game():
    bonus = {"kind": "modify", "stat": "damage", "amount": 1}
    charm = {"id": "charm", "kind": "spell", "use": "free", "effects": [bonus]}
    scenario = position(
        [token("ogre", name="Ogre"), token("elf", name="Elf", band="blue"), charm],
        [unit("ogre", "0,0"), unit("elf", "1,0", 1, attached=[attachment("charm")])],
        "H T",
        general=[{"sack": ["ogre"]}, {}],
        switches=SLOWLY,
    )
    assert told(scenario, "melee", "hex 0,0", "hex 1,0", "no")[2:] == [
        "General 0 flips H T.",
        "General 1 loses Elf at 1,0.",
        "General 1 can fight no more and is eliminated.",
        "General 0 wins in turn 1: a Decisive Victory.",
    ]
