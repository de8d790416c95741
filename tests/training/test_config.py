from pathlib import Path

import pytest

from sackarmies_agents.learned.checkpoint import read_checkpoint
from sackarmies_agents.learned.sack_armies import trained
from sackarmies_training.checkpoints import CHECKPOINT
from sackarmies_training.config import TournamentConfig, TrainConfig, load_config, load_run
from sackarmies_training.expert import LABELS

CONFIGS = Path(__file__).parents[2] / "configs"
TRAIN = """
folder = "runs/x"
[ppo]
decisions = 100
[tournament]
agents = ["learner", "random"]
"""


def load(tmp_path, text, model=TrainConfig):
    path = tmp_path / "some.toml"
    path.write_text(text)
    return load_config(path, model)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("train/*.toml")), ids=lambda path: path.name)
def test_training_configurations_of_the_project_are_valid(path):
    assert load_run(path).folder.startswith("runs/")


def test_commands_that_made_trained_work_one_after_the_other():
    """refine.toml learns from what long.toml leaves behind, as the header of `trained` says."""
    first, second = (load_run(CONFIGS / "train" / name) for name in ("long.toml", "refine.toml"))
    made = read_checkpoint(trained.CHECKPOINT).header.training["config"]
    assert second.learn.start == made["learn"]["start"] == f"{first.folder}/{CHECKPOINT}"
    assert second.teacher.files == made["teacher"]["files"] == [f"{first.folder}/{LABELS}"]


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("tournament/*.toml")), ids=lambda path: path.name)
def test_tournament_configurations_of_the_project_are_valid(path):
    assert load_config(path, TournamentConfig).folder.startswith("runs/")


def test_gains_are_not_asked_of_a_trainer_that_learns_none(tmp_path):
    with pytest.raises(ValueError, match=r"network\.early is 2, but MaskablePPO learns no gains: set it to 0, or"):
        load(tmp_path, f"{TRAIN}[network]\nearly = 2\n")


def test_missing_keys_have_defaults(tmp_path):
    config = load(tmp_path, TRAIN)
    assert config.game.id == "sack_armies"
    assert config.game.options == {"num_generals": 2, "armies": None, "switches": {}}
    assert config.selfplay.scripted == {"random": 1.0}
    assert config.tournament.ratings == "bradley_terry"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "decisions",
            "decision",
            r'some.toml: ppo: unknown key "decision" \(did you mean "decisions"\?\); allowed are',
        ),
        ("decisions = 100", "", r"some.toml: ppo.decisions: the key is missing"),
        ("= 100", '= "many"', r'ppo.decisions: must be an integer, not "many"'),
        ("= 100", "= 0", r"ppo.decisions: must be at least 1, not 0"),
        ("= 100", "= 100\nminibatch = 1000", r"ppo: minibatch is 1000: it must divide envs \* steps, 64 \* 64 = 4096"),
        ("= 100", "= 100\ngamma = 1.5", r"ppo.gamma: must be at most 1.0, not 1.5"),
        ('"random"]', '"rndom"]', r"tournament.agents\[1\]: unknown agent 'rndom' \(did you mean \"random\"\?\)"),
        ('"random"]', '"learner"]', r"tournament: agents names 'learner' twice"),
        ('"random"]', "3]", r"tournament.agents\[1\]: must be a string, not 3"),
        (
            '"random"]',
            '"random"]\nratings = "elo"',
            r'ratings: "elo" is not allowed; allowed are "bradley_terry", "openskill"',
        ),
        (
            "[ppo]",
            "[game]\ngenerls = 3\n[ppo]",
            r'game: unknown key "generls" \(did you mean "generals"\?\); allowed are "id", "generals", "armies", "sw',
        ),
        ("[ppo]", "[game]\ngenerals = 7\n[ppo]", r"game.generals: must be at most 6, not 7"),
        ("[ppo]", '[game]\narmies = ["empire"]\n[ppo]', r"game: expected 2 armies, one for each General, got 1"),
        (
            "[ppo]",
            "[game.switches]\nmax_turn = 3\n[ppo]",
            r'game.switches: unknown key "max_turn" \(did you mean "max_t',
        ),
        ("[ppo]", "[selfplay]\nscripted = {random = 0}\n[ppo]", r"selfplay: scripted needs an agent of positive weig"),
        ("[ppo]", "[selfplay]\nscripted = {learner = 1}\n[ppo]", r"selfplay: scripted names 'learner', the learner it"),
        ("[ppo]", "[ppo", r"some.toml: not valid TOML"),
        (
            "[ppo]",
            '[game]\nid = "sack_army"\n[ppo]',
            r"game: unknown game 'sack_army' \(did you mean \"sack_armies",
        ),
        ("[ppo]", "[game]\nid = 3\n[ppo]", r"game.id: must be a string, not 3"),
        (
            "[ppo]",
            "[shaping]\ncontrl = 1\n[ppo]",
            r"shaping: unknown key 'contrl' \(did you mean \"control\"\?\); allo",
        ),
        ("[ppo]", "[shaping]\ncontrol = -1\n[ppo]", r"shaping.control: must be at least 0.0, not -1"),
    ],
)
def test_fault_names_file_key_and_what_is_allowed(tmp_path, old, new, message):
    assert old in TRAIN
    with pytest.raises(ValueError, match=message):
        load(tmp_path, TRAIN.replace(old, new, 1))


def test_all_faults_of_a_configuration_are_reported_at_once(tmp_path):
    text = TRAIN.replace("decisions = 100", 'decisions = "x"').replace("runs/x", "runs/y").replace('"random"', "1")
    with pytest.raises(ValueError, match=r"(?s)tournament.agents\[1\].*\n.*ppo.decisions"):
        load(tmp_path, text)


def test_tournament_by_itself_cannot_name_the_trained_general(tmp_path):
    text = 'folder = "runs/x"\n[tournament]\nagents = ["learner", "random"]\n'
    with pytest.raises(
        ValueError, match=r"names 'learner', which exists only after training: give ppo:path=CHECKPOINT"
    ):
        load(tmp_path, text, TournamentConfig)


@pytest.mark.parametrize("folder", ["", ".", "..", "runs/..", "/", "a\\u0000b"])
@pytest.mark.parametrize("model", [TrainConfig, TournamentConfig])
def test_folder_without_a_name_is_refused(tmp_path, folder, model):
    text = TRAIN if model is TrainConfig else TRAIN.replace("[ppo]\ndecisions = 100\n", "").replace("learner", "greedy")
    with pytest.raises(ValueError, match=r'some\.toml: folder: ".*" does not end in the name of a folder: give a path'):
        load(tmp_path, text.replace("runs/x", folder), model)
    assert load(tmp_path, text.replace("runs/x", "../x/"), model).folder == "../x/"


@pytest.mark.parametrize(
    ("one", "other"),
    [("greedy ", " greedy"), ("greedy:weights=first", "greedy: weights=first"), ("learner", "learner")],
)
def test_agent_that_is_named_twice_in_two_spellings_is_refused(tmp_path, one, other):
    with pytest.raises(ValueError, match=f"tournament: agents names '{one}' twice"):
        load(tmp_path, TRAIN.replace('"learner", "random"', f'"{one}", "random", "{other}"'))


def test_missing_file_is_reported(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere.toml: there is no such file"):
        load_config(tmp_path / "nowhere.toml", TrainConfig)


@pytest.mark.parametrize("sections", ["", "[ppo]\ndecisions = 1\n[learn]\ndecisions = 1\n"])
def test_trainer_is_chosen_by_exactly_one_section(tmp_path, sections):
    path = tmp_path / "some.toml"
    path.write_text(f'folder = "runs/x"\n{sections}[tournament]\nagents = ["learner", "random"]\n')
    with pytest.raises(ValueError, match=r"some.toml: give exactly one of the sections \[learn\] and \[ppo\]"):
        load_run(path)


@pytest.mark.parametrize(
    "sections", ["", "[teacher]\ndecisions = 10\ngains = 1.0\n", "[expert]\nearly = 0.0\n"], ids=repr
)
def test_outputs_for_early_gains_that_nothing_teaches_are_refused(tmp_path, sections):
    path = tmp_path / "some.toml"
    training = f"{TRAIN.replace('[ppo]', '[learn]')}{sections}[network]\nearly = 2\n"
    path.write_text(training)
    with pytest.raises(
        ValueError, match=r"network\.early is 2, but no gains after fewer turns are learned: set it to 0"
    ):
        load_run(path)


def test_outputs_for_more_early_gains_than_labels_have_are_refused(tmp_path):
    path = tmp_path / "training.toml"
    path.write_text(f"{TRAIN.replace('[ppo]', '[learn]')}[expert]\nhorizons = [3, 8]\n[network]\nearly = 2\n")
    with pytest.raises(ValueError, match=r"network\.early is 2: at most 1 is allowed with 2 horizons in \[expert\]"):
        load_run(path)


def test_outputs_for_early_gains_that_only_a_teacher_has_are_accepted(tmp_path):
    path = tmp_path / "training.toml"
    sections = "[expert]\nhorizons = [3, 8]\n[teacher]\ndecisions = 10\ngains = 1.0\nearly = 1.0\n"
    path.write_text(f"{TRAIN.replace('[ppo]', '[learn]')}{sections}[network]\nearly = 2\n")
    assert load_run(path).network.early == 2


@pytest.mark.parametrize("sections", ["[expert]\n", "[teacher]\ndecisions = 10\ngains = 1.0\nearly = 1.0\n"], ids=repr)
def test_outputs_for_early_gains_are_accepted_where_these_are_learned(tmp_path, sections):
    path = tmp_path / "some.toml"
    path.write_text(f"{TRAIN.replace('[ppo]', '[learn]')}{sections}[network]\nearly = 2\n")
    assert load_run(path).network.early == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('advice = "random"', r"learn.advice: advice is 'random', but it can only come from 'greedy'"),
        ("largest = 0.0", r"learn.largest: must be greater than 0.0, not 0.0"),
        ("learning_rate = inf", r"learn.learning_rate: must be a finite number, not inf"),
        ("entropy = inf", r"learn.entropy: must be a finite number, not inf"),
        ("gae_lambda = 1.5", r"learn.gae_lambda: must be at most 1.0, not 1.5"),
        ("worths = true", r"learn: worths is true, but advice is empty: name the agent whose worths are inputs"),
        (
            'advice = "greedy"\nreasons = true',
            r"learn: reasons is true, but worths is not: reasons need worths = true",
        ),
        (
            "magnet_trust = 0.8",
            r"learn: magnet_trust is 0\.8, but advice is empty: name the agent whose choice the magnet trusts, or set",
        ),
        ("start_policy = 0.1", r"learn: start_policy and start_temperature need a checkpoint, but start is empty"),
        ("start_temperature = 0.2", r"need a checkpoint, but start is empty"),
        ('select = "luck"', r'learn.select: "luck" is not allowed; allowed are "advantage", "doubt"'),
        ("[expert]\nhorizons = [5, 5]", r"expert: horizons is \[5, 5\]: its numbers must increase"),
        ('[curve]\nopponent = "learner"', r"curve: opponent is 'learner', the learner itself: name another agent"),
        ('precision = "int8"', r'learn.precision: "int8" is not allowed; allowed are "float32", "bfloat16"'),
    ],
)
def test_wrong_option_of_the_trainer_is_refused(tmp_path, line, message):
    path = tmp_path / "some.toml"
    path.write_text(TRAIN.replace("[ppo]", "[learn]").replace("decisions = 100", f"decisions = 100\n{line}"))
    with pytest.raises(ValueError, match=message):
        load_run(path)
