"""The examples on the page on environments run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "environments.md"
EXAMPLES = re.findall(r"## ([^\n]+)\n(?:(?!\n## ).)*?```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_there_are_examples():
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize(("title", "code"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_examples_run(title, code):
    exec(compile(code, title, "exec"), {})
