"""Folders of runs."""

import pytest

from sackarmies_agents.learned.checkpoint import Header, pack
from sackarmies_agents.learned.sizes import NetworkSizes
from sackarmies_training.checkpoints import CHECKPOINT, open_folder
from sackarmies_training.files import next_run_folder, run_folders


@pytest.mark.parametrize(
    ("names", "runs", "following"),
    [
        ([], [], "quick"),
        (["quick"], ["quick"], "quick-2"),
        (["quick", "quick-2", "quick-10"], ["quick", "quick-2", "quick-10"], "quick-11"),
        (["quick-2", "quick-3"], ["quick-2", "quick-3"], "quick-4"),
        (["quick", "quick-3"], ["quick", "quick-3"], "quick-4"),
        (["quick", "quick-1", "quick-02", "quick-2a", "quick-", "quick-2-3", "quicker-2"], ["quick"], "quick-2"),
    ],
)
def test_numbers_of_runs_may_be_missing(tmp_path, names, runs, following):
    for name in names:
        (tmp_path / name).mkdir()
    assert run_folders(tmp_path / "quick") == [tmp_path / name for name in runs]
    assert next_run_folder(tmp_path / "quick") == tmp_path / following
    if runs:
        assert open_folder(str(tmp_path / "quick"), resume=True) == tmp_path / runs[-1]
    assert open_folder(str(tmp_path / "quick"), resume=False).is_dir()


def test_names_of_runs_are_no_patterns(tmp_path):
    for name in ("a[bc]", "a[bc]-2", "ab-3"):
        (tmp_path / name).mkdir()
    assert next_run_folder(tmp_path / "a[bc]").name == "a[bc]-3"


@pytest.mark.parametrize("place", [CHECKPOINT, "checkpoints/000000640.safetensors"])
def test_resuming_leaves_the_run_of_another_configuration_alone(tmp_path, place):
    for name, configured in (("quick", "quick"), ("quick-2", "quick"), ("quick-3", "quick-3")):
        path = tmp_path / name / place
        path.parent.mkdir(parents=True)
        path.write_bytes(pack(Header({}, NetworkSizes(), {"config": {"folder": str(tmp_path / configured)}}), {}))
    assert open_folder(str(tmp_path / "quick"), resume=True) == tmp_path / "quick-2"
    assert open_folder(str(tmp_path / "quick-3"), resume=True) == tmp_path / "quick-3"
    with pytest.raises(ValueError, match=r"there is no run in .*other to resume"):
        open_folder(str(tmp_path / "other"), resume=True)


def test_runs_in_a_missing_folder(tmp_path):
    assert open_folder(str(tmp_path / "none" / "quick"), resume=False) == tmp_path / "none" / "quick"
    with pytest.raises(ValueError, match=r"there is no run in .* to resume"):
        open_folder(str(tmp_path / "none" / "slow"), resume=True)
