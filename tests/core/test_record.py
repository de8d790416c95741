"""Game records are made, saved, read and replayed to the byte; every kind of damage has a clear error message."""

import json
from pathlib import Path

import numpy as np
import pytest

from sackarmies_env.core.game import forfeit_code
from sackarmies_env.core.record import (
    Analysis,
    Belief,
    Candidate,
    load_record,
    make_record,
    replay,
    result_of,
    save_record,
    state_digest,
)
from sackarmies_env.registry import game_of
from tests.core.toy_game import make_duel


@pytest.fixture
def game():
    return make_duel(3)


def random_actions(game, seed, plies=400):
    """Play at random and return the action ids."""
    rng = np.random.default_rng(seed)
    states = game.new_states(1)
    game.start(states, seed)
    mask = np.zeros((1, game.num_actions), np.int8)
    actions = []
    while states["current_player"][0] >= 0 and len(actions) < plies:
        game.legal_actions(game.params, states, mask)
        actions.append(int(rng.choice(np.flatnonzero(mask[0]))))
        game.step(game.params, states, np.array(actions[-1:], np.int64))
    return actions


@pytest.fixture
def record(game):
    return make_record(game, 7, random_actions(game, 7), players=("a", "b", "c"))


@pytest.fixture
def path(record, tmp_path):
    target = tmp_path / "game.json"
    save_record(record, target)
    return target


def changed(path, **values):
    """Change keys of the file; the value None removes a key."""
    data = json.loads(path.read_text()) | values
    path.write_text(json.dumps({key: value for key, value in data.items() if value is not None}))
    return path


def test_a_record_survives_the_file_and_replays_to_the_byte(game, record, path):
    loaded = load_record(path)
    assert loaded == record
    plies = []
    states = replay(game, loaded, lambda ply, before, action, after: plies.append((ply, action, state_digest(after))))
    assert plies == [(i, a, d) for i, (a, d) in enumerate(zip(record.actions, record.digests[1:], strict=True))]
    assert record.result.terminated and record.result.winner == int(states["winner"][0])
    assert sum(record.result.returns) == pytest.approx(0)
    assert record.players == ("a", "b", "c") and record.texts[0].startswith("card ")


def test_on_ply_sees_the_state_before_and_after(game, record):
    seen = []
    replay(game, record, lambda ply, before, action, after: seen.append((state_digest(before), state_digest(after))))
    assert seen == list(zip(record.digests, record.digests[1:], strict=False))


def test_record_of_an_earlier_version_is_read_with_its_forced_results():
    record = load_record(Path(__file__).parents[1] / "kept/record_1_forced.json")
    assert record.forced == {"flips": "T H T H", "draws": [["x_new_5", "x_new_4", "x_new_3"], []]}
    game = game_of(record)
    last = replay(game, record, check=False)
    assert (len(record.actions), result_of(game, last)) == (40, record.result)
    assert last["script_draws_used"][0].tolist() == [3, 0]


def test_games_without_forced_results_do_not_mention_them(path, record):
    assert "forced" not in json.loads(path.read_text())
    former = load_record(changed(path, flips="", draws=[]))
    assert former == record
    with pytest.raises(ValueError, match='unknown key "flips"'):
        load_record(changed(path, flips="H", forced={"draws": []}))


def test_forced_results_survive_the_file(game, tmp_path):
    record = make_record(game, 1, [3], forced={"draws": [["card_4"] * 3, [], []]})
    save_record(record, tmp_path / "game.json")
    assert load_record(tmp_path / "game.json") == record


def test_recorded_results_that_the_game_cannot_force_are_refused(game, path):
    record = load_record(changed(path, forced={"coins": "H"}))
    with pytest.raises(ValueError, match=r'^unknown kind of forced results "coins": allowed are "draws"$'):
        replay(game, record)


def test_forced_draws_are_part_of_the_record(game):
    record = make_record(game, 1, [3], forced={"draws": [("card_4", "card_4", "card_4"), [], []]})
    assert record.forced == {"draws": [["card_4", "card_4", "card_4"], [], []]}
    states = replay(game, record)
    assert states["cards"][0, 0].tolist() == [4, 4, 4]


def test_forfeit_is_replayed(game):
    record = make_record(game, 3, [forfeit_code(1), forfeit_code(0)])
    assert record.texts == ("forfeit 1", "forfeit 0")
    assert record.result.winner == 2
    assert int(replay(game, record)["winner"][0]) == 2


def thoughts(record, *plies):
    """Return an analysis of each of these plies, with the action taken there as its candidate."""
    return [
        Analysis(
            ply=ply,
            agent="a",
            candidates=(Candidate(action=record.actions[ply], probability=0.5, rank=9),),
            value=-0.25,
            beliefs=(Belief(subject="card", at=(1, -2), contents={"ace": 0.75}), Belief(subject="hand", contents={})),
        )
        for ply in plies
    ]


def test_analyses_survive_the_file(game, record, tmp_path):
    analyzed = make_record(game, 7, record.actions, analyses=thoughts(record, 0, 3))
    save_record(analyzed, tmp_path / "game.json")
    assert load_record(tmp_path / "game.json") == analyzed
    assert '"value": null' not in (tmp_path / "game.json").read_text()
    replay(game, analyzed)


def test_games_without_analyses_do_not_mention_them(path):
    assert "analyses" not in json.loads(path.read_text())


@pytest.mark.parametrize(
    ("plies", "message"),
    [
        ((3, 0), "analyses must be in the order of their plies"),
        ((2, 2), "at most one per ply"),
        ((10**6,), r"there is an analysis of ply 1000000, but there are \d+ actions"),
    ],
)
def test_analyses_of_wrong_plies_are_refused(game, record, plies, message):
    analyses = [Analysis(ply=ply, agent="a") for ply in plies]
    with pytest.raises(ValueError, match=message):
        make_record(game, 7, record.actions, analyses=analyses)


def test_analysis_that_names_an_illegal_action_is_refused_by_replay(game, record):
    wrong = Analysis(ply=3, agent="a", candidates=(Candidate(action=game.num_actions),))
    analyzed = make_record(game, 7, record.actions, analyses=[wrong])
    with pytest.raises(ValueError, match=rf"analysis of ply 3 names action {game.num_actions}, which is not legal"):
        replay(game, analyzed)
    replay(game, analyzed, check=False)


def test_an_unfinished_game_can_be_recorded(game):
    record = make_record(game, 5, random_actions(game, 5)[:3])
    assert not record.result.terminated and record.result.winner == -1
    replay(game, record)


def test_saving_over_a_record_leaves_no_other_file(record, path):
    save_record(record, path)
    assert [file.name for file in path.parent.iterdir()] == ["game.json"]


def test_a_failed_save_keeps_the_old_file(record, path, monkeypatch):
    before = path.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save_record(record, path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["game.json"]


# --- damaged files


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not valid JSON: Expecting value in line 1, column 1"),
        ('{"format": "sackarmies-record-1", ', "not valid JSON"),
        ("[1, 2]", "not a game record"),
        ('{"format": "something"}', 'must be "sackarmies-record-1", not "something"'),
        ('{"format": "sackarmies-record-1"}', "seed: the key is missing"),
    ],
)
def test_a_file_that_is_no_record_is_refused(tmp_path, content, message):
    target = tmp_path / "game.json"
    target.write_text(content)
    with pytest.raises(ValueError, match=r"game\.json") as error:
        load_record(target)
    assert message in str(error.value)


def test_a_missing_file_a_folder_and_bytes_are_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no such file"):
        load_record(tmp_path / "none.json")
    with pytest.raises(ValueError, match="this is a folder"):
        load_record(tmp_path)
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="not UTF-8 text"):
        load_record(tmp_path / "bytes.json")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sed": 3}, 'unknown key "sed" (did you mean "seed"?)'),
        ({"actions": None}, "actions: the key is missing"),
        ({"seed": "7"}, 'seed: must be an integer, not "7"'),
        ({"actions": [1, "draw"]}, 'actions[1]: must be an integer, not "draw"'),
        ({"texts": []}, "actions, but 0 texts"),
        ({"digests": ["xyz"]}, "digests[0]"),
    ],
)
def test_keys_and_types_are_checked(path, values, message):
    with pytest.raises(ValueError, match=r"game\.json") as error:
        load_record(changed(path, **values))
    assert message in str(error.value)


# --- replays that differ


@pytest.mark.parametrize("names", [["a"], ["a", "b"], [str(number) for number in range(50)]])
def test_names_are_one_for_each_seat_or_none(game, path, record, names):
    sentence = (
        rf"game\.json: players has {len(names)} names?, but there are returns for 3 seats: give one name for each"
    )
    with pytest.raises(ValueError, match=sentence):
        load_record(changed(path, players=names))
    with pytest.raises(ValueError, match=f"players has {len(names)} name"):
        make_record(game, 7, record.actions, players=names)
    assert replay(game, load_record(changed(path, players=[]))) == replay(game, record)


def test_an_action_out_of_range_is_refused(game, path, record):
    bad = load_record(changed(path, actions=[99, *record.actions[1:]]))
    with pytest.raises(ValueError, match="action 99 at ply 0 is out of range: ids run from 0 to 6"):
        replay(game, bad)


def test_an_illegal_action_is_refused(game, path, record):
    bad = load_record(changed(path, actions=[5, *record.actions[1:]]))
    with pytest.raises(ValueError, match=r"action 5 \(player 1\) at ply 0 is not legal for player 0 at CARD"):
        replay(game, bad)


def test_an_action_after_the_end_is_refused(game, record):
    with pytest.raises(ValueError, match="comes after the end of the game"):
        make_record(game, 7, [*record.actions, 0])


@pytest.mark.parametrize("wrong", [lambda action: action + 0.5, float, str, lambda action: True])
def test_actions_that_are_no_integers_are_not_recorded(game, record, wrong):
    first = record.actions[0]
    for actions in ([wrong(first)], [wrong(first)] * 2):
        with pytest.raises(ValueError, match=r"actions of shape .* and dtype .*: expected a list of integers"):
            make_record(game, 7, actions)
    assert make_record(game, 7, np.array(record.actions, np.int32)).actions == record.actions


def test_a_changed_text_is_named(game, path, record):
    bad = load_record(changed(path, texts=["card 9", *record.texts[1:]]))
    with pytest.raises(ValueError, match=r'ply 0: action . reads "card .", but "card 9" in the record'):
        replay(game, bad)


def test_the_first_differing_ply_is_named(game, path, record):
    digests = list(record.digests)
    digests[4] = digests[6] = "00000000"
    bad = load_record(changed(path, digests=digests))
    with pytest.raises(ValueError, match=r"ply 3 .* leads to another state"):
        replay(game, bad)
    replay(game, bad, check=False)


def test_another_seed_differs_at_the_start(game, path):
    with pytest.raises(ValueError, match="the start of the game differs from the record: the file was changed"):
        replay(game, load_record(changed(path, seed=8)))


def test_another_version_is_named(game, path):
    with pytest.raises(ValueError, match=r"made by version 0\.0\.0"):
        replay(game, load_record(changed(path, seed=8, software="0.0.0")))


def test_another_result_is_named(game, path, record):
    result = record.result.model_dump(mode="json") | {"turns": 999}
    with pytest.raises(ValueError, match="the result differs from the record"):
        replay(game, load_record(changed(path, result=result)))


def test_another_configuration_is_named(path):
    with pytest.raises(ValueError, match="num_players is 3 in the record and 2 here"):
        replay(make_duel(2), load_record(path))


def test_another_game_is_named(game, path):
    with pytest.raises(ValueError, match='the record is of the game "chess", not of "duel"'):
        replay(game, load_record(changed(path, game="chess")))
