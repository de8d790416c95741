"""The published distributions: the wheel holds every file and works without the source tree; versions agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

from sackarmies_env import __version__

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"sackarmies_env": ROOT, "sackarmies_agents": ROOT / "agents", "sackarmies_training": ROOT / "training"}
SMOKE = """
import sys
from pathlib import Path
import numpy as np
import sackarmies_agents, sackarmies_env, sackarmies_training

for package in (sackarmies_agents, sackarmies_env, sackarmies_training):
    assert Path(package.__file__).is_relative_to(sys.prefix), package.__file__
env = sackarmies_env.env(num_generals=2, armies=["beginners", "fey_court"], render_mode="ansi")
env.reset(seed=1)
info = sackarmies_agents.GameInfo.of(env.unwrapped.game)
for name in ("greedy", "trained"):
    agent = sackarmies_agents.make_agent(name, info)
    agent.reset(1)
    seen = env.last()[0]
    env.step(int(agent.act(seen["observation"], seen["action_mask"])))
sackarmies_env.load_scenario("x03_walking_tree")
print(env.render())
"""


def run(*command, cwd, **variables):
    """Run a command outside the source tree and return its stdout; if it fails, the message shows its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=kept | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """Return a folder with wheel and source distribution, built from a copy because building writes to the source."""
    folder, copy = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("source")
    for package, place in PACKAGES.items():
        target = copy / place.relative_to(ROOT) / package
        shutil.copytree(place / package, target, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, copy, cwd=folder)
    return folder


def package_files():
    """Return the files of the packages by their names in a wheel."""
    names = set()
    for package, folder in PACKAGES.items():
        for path in (folder / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                names.add(path.relative_to(folder).as_posix())
    return names


@pytest.mark.slow
def test_wheel_holds_every_file_of_the_packages_and_nothing_else(dist):
    (wheel,) = dist.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == package_files()


@pytest.mark.slow
def test_texts_of_the_distributions_are_accepted(dist):
    files = sorted(dist.iterdir())
    assert [path.suffix for path in files] == [".whl", ".gz"]
    assert "PASSED" in run(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=dist)


@pytest.mark.slow
def test_wheel_works_without_the_source_tree(dist, tmp_path):
    """Dependencies come from this environment through a plain path, so that no editable install is found."""
    (wheel,) = dist.glob("*.whl")
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=tmp_path)
    (packages,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{Path(np.__file__).parents[1]}\n", encoding="utf-8")
    assert "General" in run(python, "-c", SMOKE, cwd=tmp_path)
    command = python.parent / "sackarmies"
    assert "tournament" in run(command, "--help", cwd=tmp_path)
    assert run(command, "--version", cwd=tmp_path).strip().endswith(__version__)


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert project["version"] == citation["version"] == citation["preferred-citation"]["version"] == __version__
    assert versions[0] == __version__
    assert {"abstract", "authors", "cff-version", "date-released", "keywords", "license", "message", "title"} <= set(
        citation
    )


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.stem)
def test_files_for_a_public_host_are_yaml_and_workflows_say_that_they_are_untested(path):
    text = path.read_text(encoding="utf-8")
    assert isinstance(yaml.safe_load(text), dict)
    assert path.parent.name != "workflows" or text.startswith("# Not tested")


def test_container_file_says_that_it_is_untested():
    assert (ROOT / "Containerfile").read_text(encoding="utf-8").startswith("# Not tested")
