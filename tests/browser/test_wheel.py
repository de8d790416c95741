"""The installed wheel serves the page: it holds all modules and styles, and needs no source tree."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("pyproject.toml", "README.md", "LICENSE", "sackarmies_env", "agents", "training")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment that has the wheel and the libraries of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for part in PARTS:
        place = ROOT / part
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
        shutil.copytree(place, source / part, ignore=ignored) if place.is_dir() else shutil.copy(place, source / part)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(source)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    place = folder / "environment"
    venv.create(place, with_pip=False, symlinks=True)
    packages = next((place / "lib").glob("python3*")) / "site-packages"
    zipfile.ZipFile(wheel).extractall(packages)
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "libraries.pth").write_text("\n".join(libraries) + "\n", encoding="utf-8")
    return place / "bin" / "python"


def test_wheel_serves_the_page_from_another_folder(installed, tmp_path, open_page: Any):
    program = "from sackarmies_training.cli import app; app()"
    command = [str(installed), "-c", program, "play", "--web", "--no-browser", "--saves", str(tmp_path)]
    where = [str(installed), "-c", "import sackarmies_training, sackarmies_env; print(sackarmies_training.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert str(installed.parents[1]) in found
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address is not None
            page = open_page(address[0])
            page.wait_for_selector("form.dialogue")
            names = {"play.css", "style.css", "theme.css", "signs.js"}
            for name in ("play.js", "play-table.js"):
                names |= set(re.findall(r'from "\./([\w-]+\.js)"', httpx.get(address[0] + name).text))
            assert len(names) > 8
            for name in names:
                assert httpx.get(address[0] + name).status_code == 200, name
        finally:
            server.terminate()
