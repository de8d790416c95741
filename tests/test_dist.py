"""The published distributions: the wheel holds every file and works without the source tree; versions agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

from sackarmies_env import __version__

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"sackarmies_env": ROOT, "sackarmies_agents": ROOT / "agents", "sackarmies_training": ROOT / "training"}
OTHERS = ("benchmarks", "configs", "docs", "examples", "libraries", "tests")  # folders that are in no distribution
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
    folders = [*OTHERS, *((place / package).relative_to(ROOT) for package, place in PACKAGES.items())]
    for name in folders:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, copy)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, copy, cwd=folder)
    return folder


def package_files():
    """Return the files of the packages: the folder of each, by its name in a wheel."""
    return {
        path.relative_to(folder).as_posix(): folder
        for package, folder in PACKAGES.items()
        for path in (folder / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.slow
def test_wheel_holds_every_file_of_the_packages_and_nothing_else(dist):
    (wheel,) = dist.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == package_files().keys()


@pytest.mark.slow
def test_source_distribution_holds_the_packages_and_what_builds_them(dist):
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        names = {name.partition("/")[2] for name in content.getnames() if content.getmember(name).isfile()}
    metadata = {name for name in names if re.fullmatch(r"PKG-INFO|setup\.cfg|(\w+/)?\w+\.egg-info/[\w.-]+", name)}
    assert names - metadata == {
        *((folder / name).relative_to(ROOT).as_posix() for name, folder in package_files().items()),
        *("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml"),
    }


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
