"""Installed distributions: exact versions for all, a reason for each direct dependency, and listed licenses."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tomllib
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DECISION = ROOT / "docs" / "decisions" / "0002-dependencies.md"
OURS = "sackarmies-env"


def normalized(name: str) -> str:
    """Return the name of a distribution in the normalized form that packaging tools compare."""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    """Return the name at the start of a requirement."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found, requirement
    return normalized(found[0])


def installed() -> dict[str, str]:
    """Return the version of every distribution of this environment, without local suffixes such as +cpu.

    Ray adds a folder with packages of its own to `sys.path`, which does not count.
    """
    folders = list({sysconfig.get_path(kind) for kind in ("purelib", "platlib")})
    found = distributions(path=folders)
    return {normalized(entry.name): entry.version.split("+")[0] for entry in found if entry.name != OURS}


def constraints() -> dict[str, str]:
    """Return the versions pinned in constraints.txt; a pin that is not exact fails the test."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", pin) for pin in pins), pins
    found = {name_of(pin): pin.split("==")[1] for pin in pins}
    assert len(found) == len(pins), "a distribution is named twice"
    return found


def direct_dependencies() -> set[str]:
    """Return the names of the requirements in pyproject.toml, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    return {name_of(requirement) for requirement in asked} - {OURS}


def test_everything_installed_has_an_exact_version_and_nothing_else_has():
    assert installed() == constraints()


def test_installed_distributions_have_no_conflicts():
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_each_direct_dependency_has_its_reason_and_nothing_else_has():
    rows = [line.split("|") for line in DECISION.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    named = {name_of(name.strip()) for row in rows for name in row[-3].split(",")} - {"library", "-"}
    assert named == direct_dependencies()
    assert all(row[-2].strip() for row in rows)


def test_the_list_of_licences_names_everything_that_is_installed():
    rows = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8").splitlines()[2:]
    listed = {normalized(row.split("|")[1].strip()) for row in rows}
    unread = unread_licences()
    assert listed == set(constraints()) - unread
    decision = (ROOT / "docs" / "decisions" / "0013-supply-chain.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in decision for name in unread)


def unread_licences() -> set[str]:
    """Return the distributions whose license is not where tools look for it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pip-licenses"]
    return {normalized(name) for name in settings["ignore-packages"]} - {OURS}
