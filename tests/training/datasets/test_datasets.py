"""Recorded games as data sets: Parquet files of decisions and Minari data sets of episodes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import gymnasium
import minari
import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from sackarmies_agents import GameInfo
from sackarmies_agents.layout import layout_hash
from sackarmies_env import sack_armies_v0
from sackarmies_env.core.game import forfeit_code
from sackarmies_env.core.record import Analysis, Candidate, load_record, make_record, save_record
from sackarmies_env.envs.gym_env import SingleSeatEnv
from sackarmies_env.envs.match import Match
from sackarmies_env.registry import load_players
from sackarmies_training.cli import app
from sackarmies_training.datasets import files, parquet
from sackarmies_training.datasets.files import record_files
from sackarmies_training.datasets.minari import write_minari
from sackarmies_training.datasets.parquet import action_masks, describe_file, observations, write_parquet
from sackarmies_training.evaluate import Plan, evaluate, outcome_of
from sackarmies_training.tournament import record_of
from tests.core.toy_game import make_duel
from tests.second_game import ENVIRONMENT, registered

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(autouse=True)
def duels(monkeypatch, tmp_path):
    """Register the toy game, and give Minari its own folder."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    monkeypatch.setattr("sackarmies_training.terminal.console.width", 250)
    files.recorded_game.cache_clear()
    with registered():
        yield
    files.recorded_game.cache_clear()


def played(seed, players=2, *, plies=None, forfeits=()):
    """Play a game at random, to its end or for `plies` plies; `forfeits` are pairs `(ply, seat)`."""
    match, rng, forfeits = Match(make_duel(players)), np.random.default_rng(seed), dict(forfeits)
    match.begin(seed)
    while match.player >= 0 and (plies is None or len(match.history) < plies):
        if len(match.history) in forfeits:
            match.forfeit(forfeits[len(match.history)])
        else:
            match.play(int(rng.choice(match.legal_actions())))
    return match


def saved(folder, match, name="game.json", **more):
    folder.mkdir(exist_ok=True)
    path = folder / name
    save_record(make_record(match.game, match.seed, match.history, **more), path)
    return path


def seen_by_deciders(match):
    """Replay a game, and return what the deciding seat saw at each decision."""
    positions = zip(match.history, match.replay(), strict=False)
    return np.stack([again.observation for action, again in positions if action >= 0])


def run(*words):
    return CliRunner().invoke(app, ["dataset", *(str(word) for word in words)])


# --- Parquet


def test_rows_are_the_decisions_of_a_record(tmp_path):
    match = played(1)
    legal = next(again.legal_actions() for again in match.replay())
    analysis = Analysis(
        ply=0, agent="search", candidates=(Candidate(action=legal[1], probability=0.75, value=0.5),), value=0.25
    )
    path = saved(tmp_path, match, players=["first", "second"], analyses=[analysis])
    assert write_parquet([path], tmp_path / "data.parquet") == len(match.history)
    rows = pq.read_table(tmp_path / "data.parquet").to_pylist()
    assert [row["action"] for row in rows] == match.history
    assert [row["ply"] for row in rows] == list(range(len(match.history)))
    for row, again in zip(rows, match.replay(), strict=False):
        assert (row["seat"], row["legal"]) == (again.player, again.legal_actions())
        assert row["reward_to_come"] == match.returns[row["seat"]] - again.returns[row["seat"]]
        assert row["result"] == {1: "won", 0: "drawn", -1: "lost"}[int(match.returns[row["seat"]])]
        assert row["agent"] == ["first", "second"][row["seat"]]
        assert (row["game"], row["record"], row["seed"]) == (0, "game.json", 1)
    numbers = [[None, value, *[None] * (len(legal) - 2)] for value in (0.75, 0.5)]
    assert [rows[0][name] for name in ("policy", "action_values", "value", "analyst")] == [*numbers, 0.25, "search"]
    assert [rows[1][name] for name in ("policy", "action_values", "value", "analyst")] == [None] * 4


def test_observations_are_those_of_the_deciding_seat(tmp_path):
    matches = [played(seed) for seed in (1, 2, 3)]
    paths = [saved(tmp_path, match, f"{number}.json") for number, match in enumerate(matches)]
    file = tmp_path / "data.parquet"
    write_parquet(paths, file, observations=True)
    expected = np.concatenate([seen_by_deciders(match) for match in matches])
    assert np.array_equal(observations(file), expected)
    table = pq.read_table(file)
    assert np.array_equal(np.array(table["observation"].to_pylist(), np.int8), expected)
    chosen = [len(expected) - 1, 0, 5, 5]
    assert np.array_equal(observations(file, table.take(chosen)), expected[chosen])
    masks = action_masks(table["legal"], describe_file(file).num_actions)
    assert [np.flatnonzero(mask).tolist() for mask in masks] == table["legal"].to_pylist()


def test_forfeits_are_no_decisions_and_games_go_on_after_them(tmp_path):
    match = played(4, 3, forfeits=[(3, 2)])
    assert match.history[3] == forfeit_code(2)
    write_parquet([saved(tmp_path, match)], tmp_path / "data.parquet")
    table = pq.read_table(tmp_path / "data.parquet")
    assert table["ply"].to_pylist() == [ply for ply in range(len(match.history)) if ply != 3]
    assert np.array_equal(observations(tmp_path / "data.parquet"), seen_by_deciders(match))


@pytest.mark.parametrize("forfeits", [[(3, 2)], [(3, 2), (6, 0)], [(5, 1), (6, 2)], [(6, 0)]])
def test_rows_hold_the_whole_game_with_forfeits_after_the_last_decision(tmp_path, forfeits):
    match = played(4, 3, plies=7, forfeits=forfeits)
    write_parquet([saved(tmp_path, match)], tmp_path / "data.parquet")
    rows = pq.read_table(tmp_path / "data.parquet").to_pylist()
    told = [code for row in rows for code in (*row["forfeits"], row["action"], *row["forfeits_after"])]
    assert told == match.history
    assert sum(map(len, (row["forfeits_after"] for row in rows[:-1]))) == 0


def test_file_without_the_column_of_later_forfeits_is_read(tmp_path):
    """Earlier files lack it."""
    match, file = played(4, 3, forfeits=[(3, 2), (6, 0)]), tmp_path / "data.parquet"
    write_parquet([saved(tmp_path, match)], file)
    pq.write_table(pq.read_table(file).drop_columns("forfeits_after"), file)
    assert np.array_equal(observations(file), seen_by_deciders(match))


def test_results_are_those_of_standings(tmp_path):
    """A seat that was eliminated before a game was truncated has not drawn it, though all seats earned the same."""
    game = load_players("sack_armies", 3, switches={"reward": "win_only", "max_turns": 12})
    _, games = evaluate(game, "python:class=tests.agents.misbehaving:Raises", "random", Plan(1, seed=1), lambda _: None)
    assert [(one.truncated, set(one.returns)) for one in games] == [(True, {0.0})] * 3
    for one in games:
        save_record(record_of(game, one), tmp_path / "game.json")
        write_parquet([tmp_path / "game.json"], tmp_path / "data.parquet")
        outcome = outcome_of(one)
        assert outcome.places[one.forfeits[0].seat] == 3
        wanted = {seat: "lost" if place > 1 else "drawn" for seat, place in enumerate(outcome.places)}
        table = pq.read_table(tmp_path / "data.parquet")
        assert set(zip(table["seat"].to_pylist(), table["result"].to_pylist(), strict=True)) == set(wanted.items())


def test_unfinished_game_has_no_result(tmp_path):
    write_parquet([saved(tmp_path, played(1, plies=3))], tmp_path / "data.parquet")
    table = pq.read_table(tmp_path / "data.parquet")
    assert table["result"].to_pylist() == table["reward_to_come"].to_pylist() == [None] * 3


def test_rows_are_written_in_groups(tmp_path, monkeypatch):
    paths = [saved(tmp_path, played(seed), f"{seed}.json") for seed in range(5)]
    write_parquet(paths, tmp_path / "one.parquet")
    monkeypatch.setattr(parquet, "ROWS", 7)
    write_parquet(paths, tmp_path / "many.parquet")
    groups = pq.ParquetFile(tmp_path / "many.parquet").metadata
    assert max(groups.row_group(number).num_rows for number in range(groups.num_row_groups)) == 7
    one, many = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("one", "many"))
    assert one.to_pylist() == many.to_pylist()
    assert np.array_equal(observations(tmp_path / "one.parquet"), observations(tmp_path / "many.parquet"))


def test_file_names_the_layout_of_checkpoints(tmp_path):
    write_parquet([saved(tmp_path, played(1))], tmp_path / "data.parquet")
    info = GameInfo.of(make_duel())
    assert describe_file(tmp_path / "data.parquet").layout_sha256 == layout_hash(info)


@pytest.mark.parametrize("to", ["parquet", "minari"])
@pytest.mark.parametrize(
    ("key", "change", "message"),
    [
        ("actions", lambda actions: [*actions[:-1], 99], "action 99 at ply"),
        ("seed", lambda seed: seed + 1, "the start of the game differs from the record"),
        ("result", lambda result: result | {"turns": 999}, "the result differs from the record"),
        ("texts", lambda texts: texts[1:], "texts"),
    ],
)
def test_edited_record_is_refused_and_nothing_is_written(tmp_path, to, key, change, message):
    good, bad = saved(tmp_path / "in", played(1)), saved(tmp_path / "in", played(2), "bad.json")
    data = json.loads(bad.read_text())
    bad.write_text(json.dumps(data | {key: change(data[key])}))
    out = tmp_path / "out"
    out.mkdir()
    result = run(good, bad, "--to", to, "--out", out / ("data-v0" if to == "minari" else "data.parquet"))
    assert result.exit_code == 2
    assert "bad.json" in result.stderr
    assert message in result.stderr
    assert list(out.iterdir()) == []


def test_games_of_two_layouts_are_refused(tmp_path):
    paths = [saved(tmp_path, played(1, players), f"{players}.json") for players in (2, 3)]
    with pytest.raises(ValueError, match=r"3\.json is of a game with another layout than .*2\.json"):
        write_parquet(paths, tmp_path / "data.parquet")
    assert not (tmp_path / "data.parquet").exists()


@pytest.mark.parametrize("empty", [{"game": [], "ply": []}, None])
def test_no_rows_have_no_observations(tmp_path, empty):
    write_parquet([saved(tmp_path, played(1))], tmp_path / "data.parquet")
    rows = empty or pq.read_table(tmp_path / "data.parquet", filters=[("seat", "=", 7)])
    size = make_duel().observation_spec.size
    found = observations(tmp_path / "data.parquet", rows)
    assert (found.shape, found.dtype) == ((0, size), np.int8)
    write_parquet([saved(tmp_path, played(1, plies=0))], tmp_path / "empty.parquet")
    assert observations(tmp_path / "empty.parquet").shape == (0, size)


def test_file_of_other_rules_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "legal_ids", lambda words: [0])
    write_parquet([saved(tmp_path, played(1))], tmp_path / "data.parquet")
    monkeypatch.undo()
    with registered(), pytest.raises(ValueError, match=r"ply 0 of game 0 has other legal ids here: the file was made"):
        observations(tmp_path / "data.parquet")


def test_decision_that_is_not_there_is_refused(tmp_path):
    write_parquet([saved(tmp_path, played(1))], tmp_path / "data.parquet")
    with pytest.raises(ValueError, match=r"has no decision at ply 9000 of game 0"):
        observations(tmp_path / "data.parquet", {"game": [0, 0], "ply": [0, 9000]})


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"there is no file"):
        observations(tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("no table")
    with pytest.raises(ValueError, match=r"not a data set of decisions; `sackarmies dataset` writes one"):
        observations(tmp_path / "text.parquet")


def test_damaged_files_are_refused(tmp_path):
    whole, damaged = tmp_path / "data.parquet", tmp_path / "damaged.parquet"
    write_parquet([saved(tmp_path, played(1))], whole)
    content = whole.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    damaged.write_bytes(content[: footer + 50] + b"\xff" * 50 + content[footer + 100 :])
    with pytest.raises(ValueError, match=r"damaged\.parquet: not a data set of decisions"):
        describe_file(damaged)
    pq.write_table(pq.read_table(whole).replace_schema_metadata({parquet.KEY: b"\xff"}), damaged)
    with pytest.raises(ValueError, match=r"damaged\.parquet: not a data set of decisions"):
        describe_file(damaged)
    damaged.write_bytes(content[:4] + b"\xff" * (footer - 4) + content[footer:])
    with pytest.raises(ValueError, match=r"damaged\.parquet: the file is damaged"):
        observations(damaged)


def test_records_are_files_folders_and_patterns(tmp_path, monkeypatch):
    folder = tmp_path / "records"
    first, second = (saved(folder, played(seed), f"{seed}.json") for seed in (1, 2))
    assert record_files([str(folder), str(first)]) == [first, second]
    assert record_files([f"{tmp_path}/**/2.json"]) == [second]
    assert record_files([str(first), f"{folder}/../records/1.json"]) == [first]
    monkeypatch.chdir(folder)
    assert record_files(["1.json", str(first), str(second)]) == [Path("1.json"), second]
    for nothing in (f"{tmp_path}/*.json", str(tmp_path)):
        with pytest.raises(ValueError, match=r"no game record \(\*\.json\) found"):
            record_files([nothing])


def test_commands_write_both_formats(tmp_path):
    result = run(EXAMPLES / "greedy_game.json", "--out", tmp_path / "data.parquet", "--observations")
    actions = load_record(EXAMPLES / "greedy_game.json").actions
    assert f"data.parquet holds {len(actions)} decisions of 1 games." in result.stdout
    result = run(EXAMPLES / "greedy_game.json", "--to", "minari", "--out", tmp_path / "minari" / "greedy-v0")
    assert "is the Minari data set greedy-v0 of 2 episodes." in result.stdout
    assert minari.load_dataset("greedy-v0").total_steps == len(actions)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "data.parquet", "--seat", "0"], "--seat is for --to minari"),
        (["--out", "data-v0", "--to", "minari", "--observations"], "--observations is for --to parquet"),
        (["--out", "data", "--to", "minari"], "a Minari name has letters, digits, - and _ and ends in a version"),
        (["--out", "data-v0", "--to", "minari", "--seat", "7"], "seat 7 is not at the table: seats run from 0 to 1"),
        (["--out", "taken-v0", "--to", "minari"], "taken-v0 exists: remove it, or give another name or version"),
    ],
)
def test_command_refuses(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    Path("taken-v0").mkdir()
    result = run(saved(tmp_path, played(1)), *words)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("out", ["game.json", "./game.json", "linked.json"])
def test_record_is_not_overwritten_by_its_data_set(tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    path = saved(tmp_path, played(1))
    Path("linked.json").symlink_to(path)
    before = path.read_bytes()
    result = run(path, "--out", out)
    assert result.exit_code == 2
    assert f"--out {Path(out)}: this is one of the records, which would be lost; name another file" in result.stderr
    assert path.read_bytes() == before


def config_of_another_kind(record):
    return record | {"config": record["config"] | {"num_players": "two"}}


def game_of_another_kind(record):
    return record | {"game": "territories"}


@pytest.mark.parametrize("to", ["parquet", "minari"])
@pytest.mark.parametrize("change", [config_of_another_kind, game_of_another_kind])
def test_record_whose_game_cannot_be_built_is_named_and_no_folder_stays(tmp_path, monkeypatch, to, change):
    monkeypatch.chdir(tmp_path)
    sound, wrong = saved(tmp_path, played(1)), Path("wrong.json")
    wrong.write_text(json.dumps(change(json.loads(sound.read_text()))))
    for held in ("held", "minari"):
        Path(held).mkdir()
    before = sorted(tmp_path.rglob("*"))
    for words in ([wrong], [sound, wrong]):
        for out in ("q/qq/data-v0", "held/qq/data-v0"):
            result = run(*words, "--to", to, "--out", out)
            assert result.exit_code == 2
            assert result.stderr.splitlines()[-1].startswith("Error: wrong.json: ")
    assert sorted(tmp_path.rglob("*")) == before


def test_names_of_files_need_not_be_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record = saved(tmp_path, played(1), "w\udcff.json")
    for out in ("data.parquet", "d\udcff.parquet", "d\udcff/data.parquet"):
        write_parquet([record], Path(out))
        rows = pq.read_table(io.BytesIO(Path(out).read_bytes()))
        assert set(rows["record"].to_pylist()) == {r"w\udcff.json"}
        assert np.array_equal(observations(out), seen_by_deciders(played(1)))
    for out in ("minari/test-v0", "d\udcff/test-v0"):
        write_minari([record], Path(out))
    told = list(minari.load_dataset("test-v0").storage.get_episode_metadata(range(2)))
    assert [one["record"] for one in told] == [r"w\udcff.json"] * 2


# --- Minari


def duel_env(players):
    return lambda seat: SingleSeatEnv(make_duel(players), seat=seat)


def planes_env(seat):
    return sack_armies_v0.single_seat_env(scenario="c1_duel", observation="planes", seat=seat)


@pytest.mark.parametrize(("make", "seat"), [(duel_env(2), 0), (duel_env(2), 1), (duel_env(3), 1), (planes_env, 1)])
def test_episodes_are_what_the_environment_gives(tmp_path, make, seat):
    env, rng, given, paths = make(seat), np.random.default_rng(seat), [], []
    for seed in range(4):
        observation, _ = env.reset(seed=seed)
        steps, over = [(observation, 0, 0.0, False, False)], False
        while not over:
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            observation, reward, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            steps.append((observation, action, reward, terminated, truncated))
        given.append(steps)
        paths.append(saved(tmp_path, env._match, f"{seed}.json"))
    assert write_minari(paths, tmp_path / "minari" / "duels" / "test-v0", seats=[seat]) == ("duels/test-v0", 4)
    data = minari.load_dataset("duels/test-v0")
    assert (data.observation_space, data.action_space) == (env.observation_space, env.action_space)
    assert data.recover_environment().observation_space == data.observation_space
    for steps, episode in zip(given, data.iterate_episodes(), strict=True):
        np.testing.assert_equal(episode.observations, stacked([step[0] for step in steps]))
        taken = [step[1:] for step in steps[1:]]
        found = zip(episode.actions, episode.rewards, episode.terminations, episode.truncations, strict=True)
        assert [tuple(one.item() for one in step) for step in found] == taken


def stacked(observations):
    """Join observations to arrays of all of them, in dicts of any depth."""
    if isinstance(observations[0], dict):
        return {key: stacked([one[key] for one in observations]) for key in observations[0]}
    return np.stack(observations)


def test_data_set_tells_of_its_episodes_and_its_environment(tmp_path):
    paths = [saved(tmp_path, played(seed), f"{seed}.json", players=["a", "b"]) for seed in (1, 2)]
    write_minari(paths, tmp_path / "minari" / "test-v0")
    data = minari.load_dataset("test-v0")
    assert data.storage.metadata["layout_sha256"] == layout_hash(GameInfo.of(make_duel()))
    told = list(data.storage.get_episode_metadata(range(4)))
    assert [(one["seat"], one["agent"], one["record"], one["seed"]) for one in told] == [
        (0, "a", "1.json", 1),
        (1, "b", "1.json", 1),
        (0, "a", "2.json", 2),
        (1, "b", "2.json", 2),
    ]
    assert data.recover_environment().observation_space == data.observation_space
    assert "total_steps" in repr(data[0])


@pytest.mark.parametrize(("seats", "wanted"), [(None, "random"), ([1], 1)])
def test_recovered_environment_is_what_gymnasium_makes(tmp_path, seats, wanted):
    write_minari([saved(tmp_path, played(1))], tmp_path / "minari" / "test-v0", seats=seats)
    env, made = minari.load_dataset("test-v0").recover_environment(), gymnasium.make(ENVIRONMENT)
    assert type(env) is type(made)
    assert env.spec.vector_entry_point == made.spec.vector_entry_point
    assert env.seat_choice == wanted
    _, info = env.reset(seed=1)
    assert env.action_masks().tolist() == info["action_mask"].tolist()


def test_relative_folder_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = saved(tmp_path, played(1))
    assert write_minari([path], Path("minari/data/duel-v0")) == ("data/duel-v0", 2)
    assert minari.load_dataset("data/duel-v0").total_episodes == 2
    assert write_minari([path], Path("duel-v0")) == ("duel-v0", 2)


def test_unfinished_game_is_truncated(tmp_path):
    write_minari([saved(tmp_path, played(1, plies=3))], tmp_path / "minari" / "test-v0")
    episodes = list(minari.load_dataset("test-v0").iterate_episodes())
    assert len(episodes) == 2  # one for each seat
    for episode in episodes:
        assert not episode.terminations.any()
        assert episode.truncations.tolist() == [False] * (len(episode.truncations) - 1) + [True]
