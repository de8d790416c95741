"""The notebooks run without errors; each is a Markdown page that jupytext turns into a notebook."""

from __future__ import annotations

from pathlib import Path

import jupytext
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.md"))
LONGEST = 300  # seconds that a cell may take, on a busy machine


def notebook(page):
    """Return a page as a notebook."""
    return jupytext.read(page)


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_notebook_has_a_title_and_cells_of_code(page):
    cells = notebook(page).cells
    assert cells[0].source.startswith("# ")
    assert sum(cell.cell_type == "code" for cell in cells) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_notebook_runs(page, tmp_path):
    made = notebook(page)
    NotebookClient(made, timeout=LONGEST, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    printed = [output for cell in made.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any(output.get("name") == "stdout" for output in printed)
